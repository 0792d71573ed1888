"""Files that are replaced whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path


def replace(path: Path, content: bytes | str, mode: int | None = None, *, lasting: bool = False) -> None:
    """Replaces the file in one step: a process that is killed at any moment leaves the old content or the new, never a
    half.

    A file that is there keeps its mode, owner and group; a new one gets `mode`, or what the umask leaves of 0666. What
    is `lasting` is on the disk when this returns; the rest may be lost where a machine loses its power. Raises OSError
    with the file's own name.
    """
    data = content.encode() if isinstance(content, str) else content
    fresh = path.with_name(f".{path.name[:60]}.{secrets.token_hex(6)}")  # 60 characters are at most 240 bytes
    try:
        before = _regular(path)
        if before is not None:
            mode = stat.S_IMODE(before.st_mode) & 0o777
        at_first = 0o666 if mode is None else 0o600  # closed until it has the owner and group that it is to have
        try:
            with open(fresh, "xb", opener=lambda name, flags: os.open(name, flags, at_first)) as f:
                if before is not None and not _given(f.fileno(), before):
                    mode = before.st_mode & 0o707  # another group than the one that might read it
                if mode is not None and hasattr(os, "fchmod"):
                    os.fchmod(f.fileno(), mode)
                f.write(data)
                if lasting:
                    f.flush()
                    os.fsync(f.fileno())
            os.replace(fresh, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(fresh)
            raise
        if lasting:
            sync_folder(path.parent)
    except OSError as error:
        error.filename, error.filename2 = str(path), None  # not the fresh file's name, and where there is none
        raise


def _regular(path: Path) -> os.stat_result | None:
    """The file that is there; None where there is none, or a link."""
    with suppress(FileNotFoundError):
        state = path.lstat()
        if stat.S_ISREG(state.st_mode):
            return state
    return None


def _given(handle: int, before: os.stat_result) -> bool:
    """Gives the fresh file the owner and the group of the one before; whether it has the group now."""
    if not hasattr(os, "fchown"):
        return True
    now = os.fstat(handle)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        with suppress(PermissionError):
            os.fchown(handle, -1, before.st_gid)
        with suppress(PermissionError):  # only an administrator gives files away
            os.fchown(handle, before.st_uid, -1)
    return os.fstat(handle).st_gid == before.st_gid


def sync_folder(folder: Path) -> None:
    """Waits until the folder's list of files is on the disk, where the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
