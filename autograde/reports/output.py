"""Where a command's result goes, by the name that an instructor gave: a file, or whatever else stands there."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from autograde.files import write_atomically


def is_output(to: Path) -> bool:
    """Whether this is where the command's own output goes: "-", or a name of what stands there, such as /dev/stdout."""
    if str(to) == "-":
        return True
    try:
        return os.path.samestat(to.stat(), os.fstat(sys.stdout.fileno()))
    except (OSError, ValueError):  # nothing is there, or the output is no file
        return False


def write(to: Path, content: bytes | str) -> None:
    """Writes text, or bytes, to where `to` leads, and leaves a link, a pipe or a device what it is.

    A file is replaced in one step, behind a link too; what has several names (hard links), so that it would part from
    the others, and anything that is no file are written through. Raises ValueError where there
    is nothing that could be written, and OSError with the path in it where it is refused.
    """
    data = content.encode() if isinstance(content, str) else content
    if is_output(to):
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        there = to.stat()
        kind, several = stat.S_IFMT(there.st_mode), there.st_nlink > 1
    except FileNotFoundError:
        kind, several = 0, False
    real = Path(os.path.realpath(to))
    if kind == stat.S_IFDIR:
        raise ValueError(f"{to} is a folder: name a file in it, such as {to / 'grades.csv'}")
    if not kind and to.is_symlink() and not real.parent.is_dir():
        raise ValueError(f"{to} is a link to {real}, whose folder is not there: make the folder, or name another file")
    replaced = kind in (0, stat.S_IFREG) and not several
    if replaced and not real.is_relative_to("/proc"):  # there, an open file has a name that is none
        write_atomically(real, data)
        return
    try:
        with to.open("wb") as file:
            file.write(data)
    except OSError as error:
        error.filename = str(to)
        raise
