"""`autograde archive` and `autograde restore`: all of a class in one file, and back.

The file is a gzipped tar of one folder. Its last member, SHA256SUMS, has the digest of every other, as `sha256sum`
writes it, so the archive can be checked and unpacked by any system's own programs too. The gradebook is copied whole,
whoever is at work in it: by SQLite's own backup, or from another database into a file of SQLite's. A restored class is
put beside its place and moved there in one step, once every digest is right. Its gradebook is its own: it never writes
into the database of the class that was archived.
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
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from sqlalchemy import make_url

from autograde import access
from autograde.files import add, sync_folder
from autograde.folders import ClassFolder
from autograde.gradebook import configuration, tables
from autograde.ledger import Ledger
from autograde.progress import Progress, silent

SUMS = "SHA256SUMS"
COPY = "gradebook-copy.db"  # in an archive: SQLite's file of a gradebook that was in another database
_HALF = ".unfinished"  # ends the names of folders in which something is on its way
_LIST = "archives.jsonl"  # in the ledger's folder: which archives were made
_CHUNK = 1 << 20


class BadArchive(ValueError):
    """The archive cannot be restored: the file, the member, and why."""


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
        return held(folder, to, progress, write=write)


def held(folder: ClassFolder, to: Path, progress: Progress = silent, *, write: bool = True) -> Archived:
    """The same, for one who holds the class already."""
    to = to.resolve()
    if to.exists():
        raise ValueError(f"{to} is there already: name another file")
    if to.is_relative_to(folder.root):
        raise ValueError(f"{to} lies in the class: name a file outside of it")
    done, url = Archived(to), configuration.database(folder)
    database = _file(folder, url)
    with contextlib.ExitStack() as held_open:
        beside = held_open.enter_context(_beside(to)) if write else to.parent
        copy = beside / "gradebook.db"
        members = {name: path for name, path in _members(folder, done) if path != database}
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
        _write(made, members, progress)
        check(made, progress)
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
    for left in target.parent.glob(f"{glob.escape(f'.{target.name}.')}*{_HALF}"):
        with contextlib.suppress(OSError), _locked(left) as owner:  # else: in use, no folder, closed to us, or gone
            if owner == os.geteuid():
                shutil.rmtree(left)
    with tempfile.TemporaryDirectory(prefix=f".{target.name}.", suffix=_HALF, dir=target.parent) as made:
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
                closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as of,
                closing(sqlite3.connect(to)) as copy,
            ):
                of.backup(copy)
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(to.parent.parent)) from None
            raise ValueError(f"the gradebook {database} cannot be copied: {error}. Nothing was written") from None
        return
    try:
        tables.copy(url, f"sqlite:///{to}")
    except tables.TablesError as error:
        shown = make_url(url).render_as_string(hide_password=True)
        raise ValueError(f"the gradebook {shown} cannot be copied: {error}. Nothing was written") from None


def _members(folder: ClassFolder, done: Archived) -> Iterator[tuple[str, Path]]:
    """(name below the class, file) of all ordinary files; what is none, and a database's own journals, is left out."""
    for path in sorted(folder.root.rglob("*")):
        name, mode = path.relative_to(folder.root).as_posix(), path.lstat().st_mode
        if stat.S_ISREG(mode) and name != "ledger/.lock" and not name.startswith("gradebook.db-"):
            yield name, path
        elif not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
            done.left_out.append(f"{name}: no ordinary file")


def _write(to: Path, members: dict[str, Path], progress: Progress) -> None:
    sums = []
    with os.fdopen(os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        with tarfile.open(fileobj=file, mode="w:gz", compresslevel=6, format=tarfile.PAX_FORMAT) as tar:
            for count, (name, path) in enumerate(members.items()):
                progress("writing the archive", count, len(members))
                with path.open("rb") as one:
                    info = tarfile.TarInfo(f"class/{name}")
                    state = os.fstat(one.fileno())
                    info.size, info.mtime, info.mode = state.st_size, int(state.st_mtime), 0o600
                    hashing = _Hashing(one)
                    tar.addfile(info, hashing)
                    sums.append(f"{hashing.sha256.hexdigest()}  class/{_escaped(name)}\n")
            with tempfile.TemporaryFile() as listed:
                listed.write("".join(sums).encode("utf-8", "surrogateescape"))
                info = tarfile.TarInfo(SUMS)
                info.size, info.mode = listed.tell(), 0o600
                listed.seek(0)
                tar.addfile(info, listed)


def _escaped(name: str) -> str:
    return name.replace("\\", "\\\\").replace("\n", "\\n")


class _Hashing:
    """A file whose digest is taken as it is read, so that what is listed is what was written."""

    def __init__(self, file) -> None:
        self.file, self.sha256 = file, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        data = self.file.read(size)
        self.sha256.update(data)
        return data


def _remember(folder: ClassFolder, done: Archived) -> None:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    line = json.dumps({"when": now, "file": str(done.file), "sha256": done.sha256}) + "\n"
    add(folder.ledger / _LIST, line.encode())


def check(file: Path, progress: Progress = silent) -> int:
    """Reads an archive to its end; how many files of a class are in it. Raises BadArchive where a digest is another, a
    member is missing or too many, or the file is cut off."""
    return sum(1 for _ in _checked(file, None, progress))


def restore(file: Path, folder: ClassFolder, database: str = "", progress: Progress = silent) -> int:
    """Makes a class of an archive where there is none; how many files it has. Its gradebook goes into the empty
    `database` (a URL), where one is named. Raises BadArchive or ValueError, and nothing is there then, also where a
    class is there already; OSError."""
    if folder.root.exists():
        raise ValueError(f"{folder.root} is there already: name a folder that is not, with --class")
    folder.root.parent.mkdir(parents=True, exist_ok=True)
    with _beside(folder.root) as beside:
        count = sum(1 for _ in _checked(file, beside, progress))
        coming = beside / "class"
        coming.mkdir(mode=0o700, exist_ok=True)  # of a class without a file
        access.close(ClassFolder.at(coming), "")
        _own_gradebook(coming, database)
        os.rename(coming, folder.root)
    sync_folder(folder.root.parent)
    return count


def _own_gradebook(coming: Path, database: str) -> None:
    """Names the restored class's gradebook at the end of its configuration, unless that names the right one."""
    copy, config = coming / COPY, ClassFolder(coming).config
    held = copy if copy.exists() else coming / "gradebook.db"
    if database:
        shown = make_url(database).render_as_string(hide_password=True)
        try:
            if held.exists():
                tables.copy(f"sqlite:///{held}", database)
        except tables.TablesError as error:
            raise ValueError(f"{shown} cannot take the gradebook: {error}. To do: name an empty database") from None
        held.unlink(missing_ok=True)
        where = repr(database)
    elif held == copy:
        where = f'f"sqlite:///{{Path(__file__).resolve().parent}}/{COPY}"'
    else:
        return
    with config.open("a", encoding="utf-8") as written:
        written.write(f"\n# `autograde restore` put the gradebook there:\nc.CourseDirectory.db_url = {where}\n")


def _checked(file: Path, into: Path | None, progress: Progress) -> Iterator[str]:
    """The names of an archive's files, each unpacked where there is a place for it; after the last, all digests are
    right."""
    found: dict[str, str] = {}
    sums: str | None = None  # an empty list is that of a class without a file
    try:
        with file.open("rb") as packed, tarfile.open(fileobj=packed, mode="r:gz") as tar:
            size = os.fstat(packed.fileno()).st_size
            for member in tar:
                progress("reading the archive, in kB", packed.tell() >> 10, max(1, size >> 10))
                content = tar.extractfile(member)
                parts = PurePosixPath(member.name).parts
                if content is None or (member.name != SUMS and (parts[:1] != ("class",) or ".." in parts)):
                    raise BadArchive(f"{file}: {member.name!r} is no file of a class: this archive is none of ours")
                if member.name == SUMS:
                    sums = content.read().decode("utf-8", "surrogateescape")
                    continue
                yield member.name
                found[_escaped(member.name)] = _unpacked(content, into and into / member.name)
    except (tarfile.TarError, EOFError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise BadArchive(f"{file} is cut off or damaged: {error}. To do: take another copy of it") from None
    except ValueError as error:
        if isinstance(error, BadArchive):
            raise
        raise BadArchive(f"{file} is damaged: {error}. To do: take another copy of it") from None
    if sums is None:
        raise BadArchive(f"{file} has no {SUMS} at its end: it is cut off, or none of ours")
    listed = {name: digest for digest, _, name in (line.partition("  ") for line in sums.splitlines())}
    for name in [*listed, *(set(found) - set(listed))]:
        if found.get(name) != listed.get(name):
            why = "is not in it" if name not in found else "has another digest than is listed"
            raise BadArchive(f"{file}: {name} {why}. To do: take another copy of it")


def _unpacked(content, to: Path | None) -> str:
    """The digest of a member, which is written where there is a place for it."""
    sha256 = hashlib.sha256()
    if to is not None:
        to.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(os.devnull if to is None else to, "wb" if to is None else "xb") as out:
        while data := content.read(_CHUNK):
            sha256.update(data)
            out.write(data)
    return sha256.hexdigest()
