"""`autograde access`: who may read a class.

Students' work, names and grades are for those who teach. What the grader makes is closed from the first (`files`); what
came in another way, by hand, from an older version or through nbgrader's exchange, is found and closed here.
"""

from __future__ import annotations

import contextlib
import grp
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograde import files
from autograde.folders import ClassFolder


@dataclass(frozen=True)
class Open:
    """Something in a class that more people may get at than the class is for: `to` says who."""

    path: Path
    to: str


def opened(folder: ClassFolder) -> Iterator[Open]:
    """What is open, the class's own folder first. Links have no mode of their own."""
    shared, group = files.shared(folder.root), folder.root.stat().st_gid
    for path, _, state in _walk(folder.root):
        if state.st_mode & 0o007:
            yield Open(path, "everybody")
        elif state.st_mode & 0o070 and not (shared and state.st_gid == group):
            yield Open(path, f"the group {_name(state.st_gid)}")


def close(folder: ClassFolder, group: str | None = None, *, write: bool = True) -> int:
    """Leaves the class to its owner, and to the group that it is shared with: to `group` from now on, to none for "",
    to the one that it has for None. Returns how many files and folders change.

    The owner's own rights stay as they are; the group may do what the owner may. Raises ValueError for a group that
    there is not, PermissionError, with the path in it, where this may not be done.
    """
    gid = folder.root.stat().st_gid
    if group:
        try:
            gid = grp.getgrnam(group).gr_gid
        except KeyError:
            raise ValueError(f"there is no group {group!r} on this machine: `getent group` lists them") from None
    share = bool(group) or (group is None and files.shared(folder.root))
    # the class's own folder before all else: what is in it cannot be reached through it any more
    return sum(_set(path, descriptor, state, share, gid, write) for path, descriptor, state in _walk(folder.root))


def _walk(root: Path) -> Iterator[tuple[Path, int, os.stat_result]]:
    """(path, descriptor, state) of all files and folders, the root first. In a class that is shared somebody may put a
    link where a file or a folder was looked at: what is changed is the very thing that was, by its descriptor."""
    with _held(root.resolve()) as descriptor:
        yield root, descriptor, os.fstat(descriptor)
    for below, folders, names, inside in os.fwalk(root):
        for name in sorted([*folders, *names]):
            # what is gone since it was listed, as a database's journal, is nobody's to read
            with contextlib.suppress(FileNotFoundError), _held(name, inside) as descriptor:
                state = os.fstat(descriptor)
                if not stat.S_ISLNK(state.st_mode):
                    yield Path(below, name), descriptor, state


@contextlib.contextmanager
def _held(name: str | Path, folder: int | None = None) -> Iterator[int]:
    descriptor = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _set(path: Path, descriptor: int, before: os.stat_result, share: bool, gid: int, write: bool) -> bool:
    """Whether anything changes."""
    mine = before.st_mode & 0o700
    if stat.S_ISDIR(before.st_mode):
        wanted = 0o2770 if share else 0o700
    else:
        wanted = mine | mine >> 3 if share else mine
    if not write:
        return stat.S_IMODE(before.st_mode) != wanted or (share and before.st_gid != gid)
    itself = f"/proc/self/fd/{descriptor}"
    try:
        if share and before.st_gid != gid:
            os.chown(itself, -1, gid)
        if stat.S_IMODE(os.fstat(descriptor).st_mode) != wanted:
            os.chmod(itself, wanted)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None
    after = os.fstat(descriptor)
    return (before.st_mode, before.st_gid) != (after.st_mode, after.st_gid)


def whose(folder: ClassFolder) -> str:
    """Who may read the class, by what its own folder says."""
    if files.shared(folder.root):
        return f"its owner and the group {_name(folder.root.stat().st_gid)}"
    return "its owner alone"


def _name(gid: int) -> str:
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)
