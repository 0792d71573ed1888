"""`autograde archive` and `autograde restore`: all of a class in one file, and back.

`archive_file` is its form. The gradebook is copied whole, whoever is at work in it: by SQLite's own backup, or from
another database into a file of SQLite's. A restored class is put beside its place and moved there in one step, once
every digest is right. Its gradebook is its own: it never writes into the database of the class that was archived.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import glob
import hashlib
import json
import os
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from autograde import access
from autograde.files import add, sync_folder
from autograde.folders import ClassFolder, resolved
from autograde.gradebook import archive_file, configuration, tables
from autograde.ledger import Ledger
from autograde.progress import Progress, silent

COPY = "gradebook-copy.db"  # in an archive: SQLite's file of a gradebook that was in another database
_HALF = ".unfinished"  # ends the names of folders in which something is on its way
_LIST = "archives.jsonl"  # in the ledger's folder: which archives were made


@dataclass
class Archived:
    """An archive: the file, its own digest, how many files of the class and bytes are in it, and what was left out."""

    file: Path
    sha256: str = ""
    files: int = 0
    size: int = 0
    left_out: list[str] = field(default_factory=list)


def archive(folder: ClassFolder, to: Path, progress: Progress = silent, *, write: bool = True) -> Archived:
    """Writes the class into one file, and reads that again to the last digest. Raises ValueError, with what to do,
    where the file is there already, lies in the class, or the gradebook cannot be copied; LedgerBusy; OSError."""
    with Ledger(folder.ledger).alone():
        return archive_held(folder, to, progress, write=write)


def archive_held(folder: ClassFolder, to: Path, progress: Progress = silent, *, write: bool = True) -> Archived:
    """The same, for one who holds the class already."""
    to = resolved(to)
    if to.exists():
        raise ValueError(f"{to} is there already: name another file")
    if to.is_relative_to(folder.root):
        raise ValueError(f"{to} lies in the class: name a file outside of it")
    if not to.parent.is_dir():
        raise ValueError(f"{to.parent} is no folder that is there: make it, or name another file")
    done, url = Archived(to), configuration.database(folder)
    database = _file(folder, url)
    with contextlib.ExitStack() as held_open:
        beside = held_open.enter_context(_beside(to)) if write else to.parent
        copy = beside / "gradebook.db"
        aside = {Path(f"{database}{ending}") for ending in ("", "-journal", "-wal", "-shm")}  # in the copy already
        members = {name: path for name, path in _members(folder, done) if path not in aside}
        if database is None:
            members[COPY] = copy
        elif database.exists():
            members[database.relative_to(folder.root).as_posix()] = copy
        if write and copy in members.values():
            _copy(url, database, copy)
        done.files = len(members)
        done.size = sum(path.stat().st_size for path in members.values() if path.exists())
        if not write:
            return done
        made = beside / to.name
        archive_file.write(made, members, progress)
        archive_file.check(made, progress)
        with made.open("rb") as file:
            done.sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            os.fsync(file.fileno())
        _remember(folder, done)  # before it is there: what is killed here may list a file too many, and forgets none
        os.rename(made, to)
        sync_folder(to.parent)
    return done


@contextlib.contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """A folder beside a target, for what is to be moved there once it is whole. One that was left behind where this was
    killed holds names and grades: it is taken away. Who is still at work holds a lock on it."""
    begins = f".{target.name[:50]}."  # with what follows, at most 255 bytes in any script
    for left in target.parent.glob(f"{glob.escape(begins)}*{_HALF}"):
        with contextlib.suppress(OSError), _locked(left) as owner:  # else: in use, no folder, closed to us, or gone
            if owner == os.geteuid():
                shutil.rmtree(left)
    with tempfile.TemporaryDirectory(prefix=begins, suffix=_HALF, dir=target.parent) as made:
        with contextlib.ExitStack() as lock:
            with contextlib.suppress(OSError):  # NFS locks no folder: there, leftovers stay
                lock.enter_context(_locked(Path(made)))
            yield Path(made)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[int]:
    """Holds a folder, and says whose it is. Raises OSError where another holds it or it cannot be opened."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield os.fstat(handle).st_uid
    finally:
        os.close(handle)


def _file(folder: ClassFolder, url: str) -> Path | None:
    """SQLite's file of the gradebook; None where it is in another database."""
    if not url.startswith("sqlite"):
        return None
    path = Path(str(make_url(url).database)).resolve()
    if not path.is_relative_to(folder.root):
        raise ValueError(f"the gradebook {path} lies outside the class: move it there, or archive it yourself")
    return path


def _copy(url: str, database: Path | None, to: Path) -> None:
    if database is not None:
        try:
            with (
                closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as of,
                closing(sqlite3.connect(to)) as copy,
            ):
                of.backup(copy)
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(to.parent.parent)) from None
            raise ValueError(f"the gradebook {database} cannot be copied: {error}. Nothing was written") from None
        return
    try:
        tables.copy(url, configuration.in_file(to))
    except tables.TablesError as error:
        raise ValueError(
            f"the gradebook {_without_password(url)} cannot be copied: {error}. Nothing was written"
        ) from None


def _members(folder: ClassFolder, done: Archived) -> Iterator[tuple[str, Path]]:
    """(name below the class, file) of all ordinary files; what is none is left out."""
    for path in sorted(folder.root.rglob("*")):
        name = path.relative_to(folder.root).as_posix()
        try:
            mode = path.lstat().st_mode
        except FileNotFoundError:  # gone since it was listed: formgrader may be at work meanwhile
            continue
        if stat.S_ISREG(mode) and name != "ledger/.lock":
            yield name, path
        elif not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
            done.left_out.append(f"{name}: no ordinary file")


def _remember(folder: ClassFolder, done: Archived) -> None:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    line = json.dumps({"when": now, "file": str(done.file), "sha256": done.sha256}) + "\n"
    add(folder.ledger / _LIST, line.encode())


def restore(file: Path, folder: ClassFolder, database: str = "", progress: Progress = silent) -> int:
    """Makes a class of an archive where there is none; how many files it has. Its gradebook goes into the empty
    `database` (a URL), where one is named. Raises BadArchive or ValueError, and nothing is there then, also where a
    class is there already; OSError."""
    if folder.root.exists():
        raise ValueError(f"{folder.root} is there already: name a folder that is not, with --class")
    if database:
        _without_password(database)  # before anything is unpacked
    folder.root.parent.mkdir(parents=True, exist_ok=True)
    with _beside(folder.root) as beside:
        count = sum(1 for _ in archive_file.unpacked(file, beside, progress))
        coming = beside / "class"
        coming.mkdir(mode=0o700, exist_ok=True)  # of a class without a file
        access.close(ClassFolder.at(coming), "")
        _own_gradebook(coming, database)
        os.rename(coming, folder.root)
    sync_folder(folder.root.parent)
    return count


def _without_password(database: str) -> str:
    """A database's address without its password. Raises ValueError, which does not say it either, where it is none."""
    try:
        return make_url(database).render_as_string(hide_password=True)
    except ArgumentError:
        why = "what --database says is no address of a database: write postgresql+psycopg://user@host/name"
        raise ValueError(why) from None


def _own_gradebook(coming: Path, database: str) -> None:
    """Names the restored class's gradebook at the end of its configuration, unless that names the right one."""
    copy, config = coming / COPY, ClassFolder(coming).config
    held = copy if copy.exists() else coming / "gradebook.db"
    if database:
        address = _without_password(database)
        try:
            if held.exists():
                tables.copy(configuration.in_file(held), database)
        except tables.TablesError as error:
            raise ValueError(f"{address} cannot take the gradebook: {error}. To do: name an empty database") from None
        held.unlink(missing_ok=True)
        lines = f"c.CourseDirectory.db_url = {database!r}\n"
    elif held == copy:
        lines = "from autograde.gradebook.configuration import in_file\n\n"
        lines += f'c.CourseDirectory.db_url = in_file(Path(__file__).resolve().parent / "{COPY}")\n'
    else:
        return
    with config.open("a", encoding="utf-8") as written:
        written.write(f"\n# `autograde restore` put the gradebook there:\n{lines}")
