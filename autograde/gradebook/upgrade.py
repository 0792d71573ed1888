"""`autograde upgrade`: a class that an earlier version of the course made gets this version's layout.

First an archive of it is written, whole and checked. Then the changes are made one after the other, each in a form that
may be made twice, so that an upgrade which is killed can be given again. In the end everything that must not have
changed is compared with what it was: every submission to the byte, every row of the gradebook, every verdict that
counts. Only then does the class say that it has the new layout. Nothing is judged, so no grade can become another.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote

from sqlalchemy import make_url

from autograde import access, layout
from autograde.files import make_folder, write_atomically
from autograde.folders import ClassFolder
from autograde.gradebook import archive, configuration, tables
from autograde.ledger import Ledger
from autograde.progress import Progress, silent
from course.wording import counted, listed


@dataclass(frozen=True)
class Change:
    """One thing that an upgrade does: in words, and how."""

    what: str
    make: Callable[[], object]


@dataclass
class Upgraded:
    """An upgrade: the layout that the class had, what changes, where it was archived before, and how it comes back."""

    before: layout.Made
    changes: list[str] = field(default_factory=list)
    backup: archive.Archived | None = None
    way_back: str = ""


def upgrade(
    folder: ClassFolder, backup: Path | None = None, progress: Progress = silent, *, write: bool = True
) -> Upgraded:
    """Gives the class this version's layout, after an archive of it (`backup`, or a new file beside the class).

    Raises OtherLayout for a newer class, and ValueError with what to do where a change cannot be made, before anything
    has changed, or where something is not as it was in the end, with the way back; LedgerBusy; OSError.
    """
    done = Upgraded(layout.of(folder))
    if done.before.layout > layout.LAYOUT:
        layout.require(folder)
    if done.before.layout == layout.LAYOUT:
        return done
    changes = list(_from_0(folder))
    done.changes = [change.what for change in changes]
    if not write:
        return done
    with Ledger(folder.ledger).alone():
        done.backup = archive.archive_held(folder, backup or _beside(folder), progress)
        aside, root = quote(f"{folder.root}-not-upgraded"), quote(str(folder.root))
        done.way_back = f"mv {root} {aside} && autograde restore {quote(str(done.backup.file))} --class {root}"
        before = _held(folder)
        for count, change in enumerate(changes):
            progress("changing the class", count, len(changes))
            change.make()
        after = _held(folder)
        if other := [name for name in before | after if before.get(name) != after.get(name)]:
            raise ValueError(
                f"not as before in {folder.root}: {listed(other, 3)}. To do: {done.way_back}, and go on with the"
                " version of the course that you had"
            )
        layout.write(folder)
    return done


def _beside(folder: ClassFolder) -> Path:
    """A file for the archive that is not there yet."""
    endings = itertools.chain([""], (f"-{number}" for number in itertools.count(2)))
    paths = (folder.root.with_name(f"{folder.root.name}-before-upgrade{ending}.tar.gz") for ending in endings)
    return next(path for path in paths if not path.exists())


def _from_0(folder: ClassFolder) -> Iterator[Change]:
    """What a class of before version 1.0 needs, of any age."""
    if folder.unprotected.is_dir():
        yield _moved(folder)
    if not folder.config.exists():
        yield Change("nbgrader_config.py: written, for there is none", lambda: configuration.write(folder))
    elif configuration.outdated(folder):
        yield Change(
            "nbgrader_config.py: as an earlier version wrote it, and nobody edited it; becomes today's",
            lambda: configuration.write(folder, anew=True),
        )
    else:
        configuration.read(folder)  # says what to mend in it, before anything is changed
        if not folder.unprotected.exists():
            yield Change("submitted: a file where nbgrader's defaults look", lambda: configuration.write(folder))
    assignments = sorted(path.stem for path in folder.ledger.glob("[0-9]*.jsonl"))
    ledger = Ledger(folder.ledger)
    if named := [name for name in assignments if ledger.names(name)]:
        yield Change(
            f"ledger/: students become numbers in the records of {', '.join(named)}; people.json says whose each is",
            lambda: ledger.number(named),
        )
    ignore = folder.root / ".gitignore"
    if not ignore.exists():
        yield Change(".gitignore: keeps names out of a repository", lambda: write_atomically(ignore, "*\n"))
    if count := sum(1 for _ in access.opened(folder)):
        yield Change(
            f"what is open to others is closed to them (files and folders: {count})", lambda: access.close(folder)
        )
    yield Change(f"layout.json: says that the class has layout {layout.LAYOUT}", lambda: None)  # `upgrade` does it last


def _moved(folder: ClassFolder) -> Change:
    """The submissions from nbgrader's own folder to ours. Raises ValueError where something is in both."""
    theirs = sorted(folder.unprotected.glob("*/*"))
    for path in theirs:
        other = folder.submitted / path.relative_to(folder.unprotected)
        if other.exists():
            raise ValueError(f"{path} and {other} are both there: move away the one that does not count, and try again")

    def move() -> None:
        for path in theirs:
            make_folder((folder.submitted / path.relative_to(folder.unprotected)).parent)
            path.rename(folder.submitted / path.relative_to(folder.unprotected))
            if not any(path.parent.iterdir()):
                path.parent.rmdir()
        if any(folder.unprotected.iterdir()):
            raise ValueError(f"there is something else in {folder.unprotected}: move it away, and try again")
        folder.unprotected.rmdir()
        configuration.write(folder)

    return Change(f"submitted/: what is in it moves to submissions/ ({counted(len(theirs), 'submission')})", move)


def _held(folder: ClassFolder) -> dict[str, str]:
    """What no upgrade may change, as digests, each under its name."""
    digests = {}
    for root in (folder.unprotected, folder.submitted):
        for path in sorted(root.glob("*/*/**/*")):
            if path.is_file() and not path.is_symlink():
                name = f"submission {path.relative_to(root).as_posix()}"
                digests[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    url = configuration.database(folder)
    if not url.startswith("sqlite") or Path(str(make_url(url).database)).exists():
        try:
            rows = tables.digests(url)
        except tables.TablesError as error:
            raise ValueError(f"the gradebook cannot be read: {error}. Nothing was changed") from None
        digests |= {f"the gradebook's table {name}": digest for name, digest in rows.items()}
    ledger = Ledger(folder.ledger)
    for path in sorted(folder.ledger.glob("[0-9]*.jsonl")):
        latest = ledger.latest(path.stem)
        verdicts = sorted(
            (who, name, str(record.as_json())) for who, of in latest.items() for name, record in of.items()
        )
        digests[f"the verdicts on {path.stem}"] = hashlib.sha256(repr(verdicts).encode()).hexdigest()
    return digests
