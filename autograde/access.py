"""`autograde access`: who may read a class. And what `autograde doctor --class` says of one class.

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

from autograde import files, gradebook
from autograde.folders import ClassFolder
from autograde.gradebook import by_nbgrader
from autograde.sandbox.doctor import Finding

_TOLD = 5  # open things that are named; the command closes them all


@dataclass(frozen=True)
class Open:
    """Something in a class that more people may get at than the class is for: `to` says who."""

    path: Path
    to: str


def opened(folder: ClassFolder) -> Iterator[Open]:
    """What is open, the class's own folder first. Links have no mode of their own."""
    for path, found, shared, group in _walk(folder.root):
        if found.st_mode & 0o007:
            yield Open(path, "everybody")
        elif found.st_mode & 0o070 and not (shared and found.st_gid == group):
            yield Open(path, f"the group {_name(found.st_gid)}")


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
    for path, found, *_ in _walk(folder.root):
        _set(path, found, share, gid)
        changed += _differs(found, path.lstat())
    return changed


def _walk(root: Path) -> Iterator[tuple[Path, os.stat_result, bool, int]]:
    """(path, its state, whether the class is shared, with which group) for all files and folders, the root first."""
    top = root.lstat()
    shared = files.shared(root)
    yield root, top, shared, top.st_gid
    for below, folders, names in os.walk(root):
        for name in sorted([*folders, *names]):
            path = Path(below, name)
            found = path.lstat()
            if not stat.S_ISLNK(found.st_mode):
                yield path, found, shared, top.st_gid


def _set(path: Path, found: os.stat_result, share: bool, gid: int) -> None:
    mine = found.st_mode & 0o700
    if stat.S_ISDIR(found.st_mode):
        wanted = 0o2770 if share else 0o700
    else:
        wanted = mine | mine >> 3 if share else mine
    if share and found.st_gid != gid:
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


def examine(folder: ClassFolder) -> list[Finding]:
    """What a class rests on: that nbgrader leads through the sandbox, and that nobody else may read it."""
    return [_configuration(folder), _access(folder)]


def _configuration(folder: ClassFolder) -> Finding:
    name = "nbgrader"
    if not folder.config.exists():
        remedy = f"run `autograde release --class {folder.root}`, which writes it"
        return Finding(name, False, f"there is no {folder.config.name}: `nbgrader autograde` would not be ours", remedy)
    if not by_nbgrader.holds(gradebook.configuration(folder)):
        remedy = (
            f"let {folder.config} begin as `autograde release` writes it (move it away and run that to see), "
            "and set neither Autograde.exporter_class nor Execute.kernel_name after `configure`"
        )
        return Finding(name, False, "its own autograde runs submissions on this machine, unprotected", remedy)
    return Finding(name, True, "its own autograde goes through the sandbox")


def _access(folder: ClassFolder) -> Finding:
    found = list(opened(folder))
    if not found:
        return Finding("access", True, f"for {whose(folder)}")
    told = [f"{each.path.relative_to(folder.root.parent)} ({each.to})" for each in found[:_TOLD]]
    more = f" and {len(found) - _TOLD} more" if len(found) > _TOLD else ""
    remedy = f"autograde access --class {folder.root}"
    return Finding("access", False, f"open to others: {', '.join(told)}{more}", remedy)


def report(folder: ClassFolder) -> int:
    """Prints an examination of the class; returns the exit status, 0 where all is well."""
    findings = examine(folder)
    print(f"\nThe class in {folder.root}:")
    for finding in findings:
        print(f"{'ok' if finding.ok else 'NO'}  {finding.name:8}  {finding.detail}")
        if not finding.ok:
            print(f"    {'':8}  to do: {finding.remedy}")
    return 0 if all(finding.ok for finding in findings) else 1
