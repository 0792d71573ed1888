"""Who may read a class, and how its files are written.

A class is its owner's alone: folders are made with mode 0700 and files with 0600, whatever the umask. Where its folder
is shared with a group, the group's members may read and write too: 2770 and 0660. The setting is the mode and the group
of the class's own folder (`autograde access` sets them): what is made in a folder follows that folder, so there is no
second place that could say otherwise.

What libraries write for us (nbgrader, SQLite) follows the umask, which `private` sets while they are at work.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from course.files import replace, sync_folder

_SHARED = stat.S_ISGID | stat.S_IRWXG


def shared(folder: Path) -> bool:
    """Whether what is made in the folder is also for its group; not where there is no such folder."""
    with contextlib.suppress(OSError):
        return folder.stat().st_mode & _SHARED == _SHARED
    return False


def file_mode(folder: Path) -> int:
    """The mode of a new file in the folder."""
    return 0o660 if shared(folder) else 0o600


def folder_mode(folder: Path) -> int:
    """The mode of a new folder in the folder."""
    return 0o2770 if shared(folder) else 0o700


def make_folder(path: Path) -> None:
    """Makes the folder and those above it that are not there."""
    if path.is_dir():
        return
    make_folder(path.parent)
    path.mkdir(0o700, exist_ok=True)
    if shared(path.parent):
        path.chmod(folder_mode(path.parent))


def write_atomically(path: Path, content: bytes | str, *, lasting: bool = True) -> None:
    """Replaces the file in one step, so that a run killed at any moment leaves the old content or the new, never a
    half; one that is there keeps its mode, owner and group. What can be made again need not be `lasting`: it is not
    waited for until it is on the disk.
    """
    make_folder(path.parent)
    replace(path, content, file_mode(path.parent), lasting=lasting)


def open_to_add(path: Path) -> int:
    """A descriptor that reads the file and writes at its end. One that is not there is made."""
    make_folder(path.parent)
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
    try:
        handle = os.open(path, flags | os.O_EXCL, 0o600)
    except FileExistsError:
        return os.open(path, flags, 0o600)
    os.fchmod(handle, file_mode(path.parent))
    sync_folder(path.parent)
    return handle


def add(path: Path, lines: bytes) -> None:
    """Writes lines at a file's end, on the disk when this returns. One that a killed or a full disk cut short before is
    ended first. Raises OSError with the file's name."""
    try:
        handle = open_to_add(path)
        try:
            size = os.fstat(handle).st_size
            if size and os.pread(handle, 1, size - 1) != b"\n":
                lines = b"\n" + lines
            while lines:
                lines = lines[os.write(handle, lines) :]
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        error.filename = str(path)
        raise


def objects(path: Path, names: Collection[str]) -> Iterator[dict[str, Any]]:
    """The JSON objects in a file's lines that have these names; none where there is no file. A line that a killed run
    cut short is passed over."""
    with contextlib.suppress(FileNotFoundError), path.open("rb") as file:
        for line in file:
            with contextlib.suppress(ValueError):
                if isinstance(read := json.loads(line), dict) and read.keys() >= set(names):
                    yield read


def open_ordinary(path: Path) -> BinaryIO:
    """A file that somebody else may have put there, for reading: no link is followed, no pipe waited for. Raises
    OSError, also where it is no ordinary file."""
    return open(path, "rb", opener=_ordinary)


def _ordinary(path: str, flags: int) -> int:
    handle = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    raise OSError(errno.EINVAL, "no ordinary file", path)


def umask_of(folder: Path) -> int:
    """The umask under which others make the class's files as we do."""
    return 0o007 if shared(folder) else 0o077


@contextlib.contextmanager
def private(folder: Path) -> Iterator[None]:
    """While it lasts, what this process makes by whatever library is as private as the class is."""
    before = os.umask(umask_of(folder))
    try:
        yield
    finally:
        os.umask(before)
