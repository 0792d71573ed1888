"""Which file of a submission's folder is to be graded, and what came of reading it.

A submission is hostile data: no link is followed, nothing is unpacked or run, and `receive` never raises, whatever it
is given. What the bytes of the file say is another matter, and another process's: `parse`.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograde import moments
from autograde.files import open_ordinary
from autograde.intake.notes import Notes
from autograde.intake.parse import MAX_BYTES, Contents, Refused, contents, reasons, safe
from autograde.intake.provenance import PROVENANCE
from course.exercises import exercises

if TYPE_CHECKING:
    import nbformat

    from autograde.intake.merge import Merged

MAX_ENTRIES = 2_000  # files and folders looked at
MAX_DEPTH = 6
MAX_LOOKED = 2 * MAX_BYTES  # bytes of all notebooks in one submission that are looked at, to choose one
STAMP = "timestamp.txt"  # nbgrader's: the moment of handing in, as text
SEVERAL = "several notebooks"
NO_FILE = hashlib.sha256().hexdigest()  # stands for a submission in which no notebook was found
# What a file of a student's, or its name, can itself be the reason for; any other error of the system is the machine's.
_ITS_OWN = {errno.ELOOP, errno.ENAMETOOLONG, errno.ENOENT, errno.ENOTDIR, errno.ENXIO, errno.EINVAL}
_NOTEBOOK = re.compile(r"\.ipynb(\.txt|\.json)?$", re.IGNORECASE)  # some browsers add the second ending
_SKIPPED = {"__MACOSX", "__pycache__"}  # and everything hidden, such as .ipynb_checkpoints


@dataclass(frozen=True)
class Received:
    """What came out of a submission's folder: a notebook, or the reason why there is none.

    `notebook` is nbformat 4 with nothing in its cells but type, id, text, and nbgrader's marks; None where it could not
    be read. `notes` are sentences for the student, `details` the same things for the instructor, `flags` what a person
    should look at. `sha256` is of the file's bytes (`NO_FILE` where there is none), `name` its name relative to the
    folder. `failed` says why the machine could not read it, which no student is to blame for: it has no verdict then.
    """

    notebook: nbformat.NotebookNode | None
    sha256: str
    name: str = ""
    notes: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    reason_for_student: str = ""
    reason_for_instructor: str = ""
    flags: tuple[str, ...] = ()
    empty: bool = False  # there is no file at all
    merged: Merged | None = field(default=None, compare=False, repr=False)  # its cells in the assignment's order
    failed: str = ""


@dataclass
class _Found(Notes):
    """The file to grade, beside what is to be said of it."""

    sha256: str = NO_FILE
    name: str = ""
    flags: list[str] = field(default_factory=list)
    empty: bool = False


def receive(
    path: str | os.PathLike[str], assignment: str, contents: Callable[[bytes], Contents] = contents
) -> Received:
    """The notebook of the submission at `path`: a folder, in which "<assignment>.ipynb" should be, or the file itself.

    A notebook under another name or in a sub-folder is taken too; of several, see `_choose`. Never raises, but what
    `contents` does: it says what the bytes hold.
    """
    reading = _Found()
    try:
        data = _file_to_grade(Path(path), f"{assignment}.ipynb", reading)
    except OSError as error:
        result = Contents(None, failed=f"{safe(error.filename or path)} cannot be read here: {safe(error.strerror)}")
    except Exception as error:  # the last line of defense: one submission never stops a run
        result = Contents(None, (), *reasons(error))
    else:
        result = contents(data)
    return Received(
        _as_notebook(result.notebook),
        reading.sha256,
        reading.name,
        (*reading.student, *(student for student, _ in result.notes)),
        (*reading.instructor, *(instructor for _, instructor in result.notes)),
        result.student,
        result.instructor,
        tuple(reading.flags),
        reading.empty,
        result.merged,
        result.failed,
    )


def digest(path: str | os.PathLike[str], assignment: str) -> tuple[str, str]:
    """(SHA-256 of the file that `receive` would read, its name): `NO_FILE` and "" where there is none. Never raises."""
    seen = receive(path, assignment, lambda data: Contents(None))
    return seen.sha256, seen.name


def _as_notebook(content: dict[str, Any] | None) -> nbformat.NotebookNode | None:
    import nbformat  # seconds to import, and of no use where only bytes are looked at

    return None if content is None else nbformat.from_dict(content)


def _file_to_grade(path: Path, expected: str, reading: _Found) -> bytes:
    """The bytes of the file to grade."""
    files = list(_regular_files(path, reading)) if _is_folder(path) else [path.name]
    folder = path if _is_folder(path) else path.parent
    notebooks = [name for name in files if _NOTEBOOK.search(name)]
    if not notebooks:
        raise Refused(_nothing_found(files, expected, reading), f"no notebook among {_listed(files) or 'no files'}")
    name, data = _choose(notebooks, expected, lambda name: _bytes(folder, name, reading))
    reading.sha256, reading.name = hashlib.sha256(data).hexdigest(), safe(name)
    if len(notebooks) > 1:
        others = _listed([other for other in notebooks if other != name])
        reading.add(
            f"You handed in several notebooks; {safe(name)} was graded. Hand in one only.",
            f"{len(notebooks)} notebooks; graded {safe(name)}, left aside {others}",
        )
        reading.flags.append(SEVERAL)
    elif name != expected:
        reading.add(
            f"Your notebook was found as {safe(name)}; please hand it in as {expected}.",
            f"the notebook was found as {safe(name)}",
        )
    return data


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(map(safe, names[:5])) + more


def _unless_the_machines(error: Exception) -> None:
    """Raises an error of the system again that a student's file cannot be the reason for."""
    if isinstance(error, OSError) and error.errno not in _ITS_OWN:
        raise error


def _is_folder(path: Path) -> bool:
    """Whether the submission is a folder (or else a regular file). Refuses links, devices, and what is not there."""
    try:
        mode = os.lstat(path).st_mode
    except (OSError, ValueError) as error:
        _unless_the_machines(error)
        reason = f"the submission cannot be looked at: {safe(error)}"
        raise Refused("Nothing of yours was found to grade.", reason) from None
    if stat.S_ISLNK(mode):
        reason = "Your submission is a link. Hand in the notebook itself."
        raise Refused(reason, "the submission's folder is a symbolic link")
    if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
        raise Refused("Your submission is not a notebook.", f"neither a folder nor a file (mode {mode:o})")
    return stat.S_ISDIR(mode)


def _regular_files(folder: Path, reading: _Found) -> Iterator[str]:
    """Regular files below the folder, as relative names in order; links and devices are noted and never opened."""
    waiting, seen = [("", 0)], 0
    while waiting:
        below, depth = waiting.pop(0)
        try:
            with os.scandir(folder / below) as entries:
                in_order = sorted(entries, key=lambda entry: (not _NOTEBOOK.search(entry.name), entry.name))
        except OSError as error:
            _unless_the_machines(error)
            reading.add(
                "A folder of your submission could not be opened.",
                f"{safe(below) or 'the folder'}: {safe(error.strerror)}",
            )
            continue
        for entry in in_order:
            seen += 1
            if seen > MAX_ENTRIES:
                reading.add(
                    "Your submission holds more files than are looked at.", f"more than {MAX_ENTRIES} files and folders"
                )
                return
            name = os.path.join(below, entry.name)
            if name == PROVENANCE:  # ours, beside what was handed in
                continue
            if entry.name.startswith(".") or entry.name in _SKIPPED:
                continue
            mode = entry.stat(follow_symlinks=False).st_mode
            if stat.S_ISDIR(mode):
                if depth < MAX_DEPTH:
                    waiting.append((name, depth + 1))
            elif stat.S_ISREG(mode):
                yield name
            else:
                kind = "a link" if stat.S_ISLNK(mode) else "no ordinary file"
                reading.add(
                    f"{safe(name)} is {kind} and was left aside.", f"refused {safe(name)}: {kind} (mode {mode:o})"
                )


def _nothing_found(files: list[str], expected: str, reading: _Found) -> str:
    packed = [name for name in files if name.lower().endswith((".zip", ".tar", ".gz", ".tgz", ".7z", ".rar"))]
    if packed:
        return f"You handed in {safe(packed[0])}; hand in the notebook {expected} itself, not an archive."
    if files:
        return f"There is no notebook in what you handed in ({_listed(files)}); hand in {expected}."
    if reading.student:
        return f"{reading.student[0]} Hand in the file {expected} itself."
    reading.empty = True
    return f"Nothing was handed in: the folder is empty. Hand in {expected}."


def _bytes(folder: Path, name: str, reading: _Found) -> bytes:
    """The file's content."""
    try:
        file = open_ordinary(folder / name)
    except OSError as error:
        _unless_the_machines(error)
        raise Refused(
            f"{safe(name)} could not be opened; hand it in again.", f"{safe(name)}: {safe(error.strerror)}"
        ) from None
    with file:
        status = os.fstat(file.fileno())
        if status.st_nlink > 1:
            reading.add(
                f"{safe(name)} was read.", f"{safe(name)} has {status.st_nlink} names on this disk (hard links)"
            )
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise Refused(
            f"{safe(name)} is larger than {MAX_BYTES >> 20} MB. Clear its outputs, save it and hand it in again.",
            f"{safe(name)} has {status.st_size} bytes",
        )
    return data


def _choose(names: list[str], expected: str, read: Callable[[str], bytes]) -> tuple[str, bytes]:
    """The notebook to grade: the expected name before others, then the most cells of this assignment, then of any, then
    the outermost, then by name; an empty file after all. Raises what `read` does where no other file has as good a
    name.

    "02-bahdanau (1).ipynb" or "Copy of 02-bahdanau.ipynb" comes after the exact name and before strangers. However
    many there are, all are ranked; only those that may be chosen are read, the likeliest first.
    """
    stem = expected.removesuffix(".ipynb").lower()
    own = [b'"%s-' % each.name.encode() for each in exercises() if each.notebook.lower() == stem]

    def kinship(name: str) -> int:
        base = os.path.basename(name)
        return 0 if base == expected else 1 if base.lower() == expected.lower() else 2 if stem in base.lower() else 3

    best: tuple[tuple, str, bytes] | None = None
    refused: tuple[int, Refused] | None = None
    left = MAX_LOOKED
    for name in sorted(names, key=lambda name: (kinship(name), name.count(os.sep), name)):
        if best is not None and (left < 0 or best[0] < (False, kinship(name))):
            break
        try:
            data = read(name)
        except Refused as error:
            refused = refused or (kinship(name), error)
            continue
        left -= len(data)
        ours, marks = sum(mark in data for mark in own), data.count(b'"grade_id"')
        rank = (not data.strip(), kinship(name), -ours, -marks, name.count(os.sep), name)
        if best is None or rank < best[0]:
            best = rank, name, data
    if refused is not None and (best is None or best[0] > (False, refused[0] + 1)):
        raise refused[1]
    assert best is not None, "no names"
    return best[1], best[2]


def handed_in_at(folder: Path) -> str:
    """The moment in the submission's timestamp.txt, as text; "" where there is none that can be read."""
    return readable_moment(_stamp(folder))


def stamp(folder: Path) -> str:
    """What stands in the submission's timestamp.txt, whether that can be read as a moment or not; "" for nothing."""
    return safe(_stamp(folder).decode("utf-8", "replace").strip())


def _stamp(folder: Path) -> bytes:
    try:
        with open_ordinary(folder / STAMP) as file:
            return file.read(200)
    except (OSError, ValueError):
        return b""


def readable_moment(data: bytes) -> str:
    """The text where it can be read as a moment, else ""."""
    try:
        text = data.decode("ascii").strip()
    except UnicodeDecodeError:
        return ""
    return text if moments.read(text) else ""
