"""`autograde access`: who may read a class.

Students' work, names and grades are for those who teach. What the grader makes is closed from the first (`files`); what
came in another way, by hand, from an older version or through nbgrader's exchange, is found and closed here.
"""

from __future__ import annotations

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
    for path, state, shared, group in _walk(folder.root):
        if state.st_mode & 0o007:
            yield Open(path, "everybody")
        elif state.st_mode & 0o070 and not (shared and state.st_gid == group):
            yield Open(path, f"the group {_name(state.st_gid)}")


def close(folder: ClassFolder, group: str | None = None) -> int:
    """Leaves the class to its owner, and to the group that it is shared with: to `group` from now on, to none for "",
    to the one that it has for None. Returns how many files and folders changed.

    The owner's own rights stay as they are; the group may do what the owner may. Raises ValueError for a group that
    there is not, PermissionError, with the path in it, where this may not be done.
    """
    top = folder.root.stat()
    gid = top.st_gid
    if group:
        try:
            gid = grp.getgrnam(group).gr_gid
        except KeyError:
            raise ValueError(f"there is no group {group!r} on this machine: `getent group` lists them") from None
    share = bool(group) or (group is None and files.shared(folder.root))
    _set(folder.root, top, share, gid)  # before all else: what is in it cannot be reached through it any more
    changed = int(_differs(top, folder.root.stat()))
    for path, state, *_ in _walk(folder.root):
        _set(path, state, share, gid)
        changed += _differs(state, path.lstat())
    return changed


def _walk(root: Path) -> Iterator[tuple[Path, os.stat_result, bool, int]]:
    """(path, its state, whether the class is shared, with which group) for all files and folders, the root first."""
    top = root.lstat()
    shared = files.shared(root)
    yield root, top, shared, top.st_gid
    for below, folders, names in os.walk(root):
        for name in sorted([*folders, *names]):
            path = Path(below, name)
            state = path.lstat()
            if not stat.S_ISLNK(state.st_mode):
                yield path, state, shared, top.st_gid


def _set(path: Path, state: os.stat_result, share: bool, gid: int) -> None:
    mine = state.st_mode & 0o700
    if stat.S_ISDIR(state.st_mode):
        wanted = 0o2770 if share else 0o700
    else:
        wanted = mine | mine >> 3 if share else mine
    if share and state.st_gid != gid:
        os.chown(path, -1, gid, follow_symlinks=False)
    if stat.S_IMODE(path.lstat().st_mode) != wanted:
        path.chmod(wanted)


def _differs(before: os.stat_result, after: os.stat_result) -> bool:
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
