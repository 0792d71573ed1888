"""`autograde release`: the committed notebooks become nbgrader's assignments and archives to hand out.

A committed notebook, less the outputs that learners are to guess, is the nbgrader source; nbgrader's release of it
changes no byte, and this module stops where it would. What an archive holds is `hand_out`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from nbgrader.converters import GenerateAssignment
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory

from autograde.files import make_folder, private, write_atomically
from autograde.folders import ClassFolder
from autograde.gradebook import configuration, converting, hand_out, store
from autograde.ledger import Ledger
from autograde.wheel import wheel


def release(
    folder: ClassFolder,
    notebooks: Sequence[Path],
    due: Iterable[str] = (),
    policy: str = "references",
    publish: Callable[[], None] = lambda: None,
) -> list[tuple[str, bool]]:
    """Releases the notebooks: source/, release/ and the gradebook's cells by nbgrader, archives/ for handing out.

    `due` names the assignments whose solutions may be handed out: their modules go into the archives, with what else
    the `policy` brings along (`hand_out`). What is released already and unchanged is left alone. `publish` is called at
    the end, while the class is still held. Returns (assignment, whether anything was done). Raises RuntimeError where
    nbgrader's release differs from the committed notebook, and, before anything is done, where the policy leaves out
    what one of them takes; LedgerBusy where another command is at work on the class, the first release of it too.
    """
    built, over = wheel(), list(due)
    given = {path: hand_out.hand_out(path, over, policy, built) for path in sorted(notebooks)}
    if not folder.config.exists():  # with the configuration, once: names and grades stay out of a public repository
        write_atomically(folder.root / ".gitignore", "*\n")
    configuration.write(folder)
    with Ledger(folder.ledger).alone():
        done = _release(folder, given)
        publish()
        return done


def _release(folder: ClassFolder, given: Mapping[Path, hand_out.HandedOut]) -> list[tuple[str, bool]]:
    make_folder(folder.submitted)
    entered, done = _entered(folder), []
    for notebook, assignment in given.items():
        name, content = assignment.name, assignment.files[f"{assignment.name}.ipynb"]
        fresh = (
            name not in entered or not folder.released(name).exists() or folder.released(name).read_bytes() != content
        )
        if fresh:
            _generate(folder, name, content, notebook)
            if out_of := Ledger(folder.ledger).points():  # the release brought the course's own back
                store.set_points(folder, name, out_of)
        archive, target = assignment.archive(), folder.archives / f"{name}.zip"
        if not target.exists() or target.read_bytes() != archive:
            write_atomically(target, archive)
            fresh = True
        done.append((name, fresh))
    return done


def _entered(folder: ClassFolder) -> set[str]:
    """Assignments that the gradebook has cells of."""
    with store.open_gradebook(folder) as book:
        return {assignment.name for assignment in book.assignments if assignment.notebooks}


def _generate(folder: ClassFolder, name: str, content: bytes, notebook: Path) -> None:
    """nbgrader's release of the notebook. Where it differs, the class goes on with the release that it had."""
    released = folder.released(name)
    earlier = released.read_bytes() if released.exists() else None
    write_atomically(folder.source / name / f"{name}.ipynb", content)
    _convert(folder, name)
    try:
        _same(content, released, notebook)
    except RuntimeError:
        released.unlink()
        if earlier is not None:
            write_atomically(folder.source / name / f"{name}.ipynb", earlier)
            _convert(folder, name)
        raise


def _convert(folder: ClassFolder, assignment: str) -> None:
    """nbgrader's `generate_assignment` for one assignment: enters its cells into the gradebook and writes release/.

    Raises RuntimeError, with nbgrader's reason, where it refuses (for example: a graded cell that has submissions was
    removed).
    """
    directory = CourseDirectory(config=configuration.read(folder))
    directory.assignment_id = assignment
    converter = GenerateAssignment(coursedir=directory, config=directory.config)
    converter.force = True
    with private(folder.root), converting.quiet(converter.log) as said:
        try:
            converter.start()
        except NbGraderException as error:
            reason = next(
                (line for text in reversed(said) for line in reversed(text.splitlines()) if "Error" in line), str(error)
            )
            raise RuntimeError(f"nbgrader could not release {assignment}: {reason}") from None


def _same(content: bytes, released: Path, notebook: Path) -> None:
    """Raises RuntimeError, naming the first line that differs, unless the release is the notebook to the byte."""
    now = released.read_bytes()
    if now == content:
        return
    before, after = content.decode().splitlines(), now.decode().splitlines()
    line = next(
        (i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
    )
    differing = [text[line].strip() if line < len(text) else "(end of file)" for text in (before, after)]
    raise RuntimeError(
        f"{notebook.name}, line {line + 1}: releasing would change {differing[0]!r} to {differing[1]!r}. "
        "Run `python -m tools.notebooks refresh` on it, so that its nbgrader metadata is complete, and release again."
    )
