"""The token for a platform, or LTI's private key: out of the environment, or out of a file that only its owner may
read.

It is a password. There is no option for it, since a command's words stand in the shell's history and in the list of
processes; and it may not lie in the class, whose archive and whose group would have it too.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from autograde.folders import ClassFolder
from autograde.reports.push.platform import LTI

_MOST = 16384  # bytes
_WORD, _PEM = r"[\x21-\x7e]+", r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\x21-\x7e]+"


def variable(platform: str) -> str:
    """The name in the environment."""
    return f"AUTOGRADE_{platform.upper()}_TOKEN"


def find(folder: ClassFolder, platform: str, file: Path | None) -> str:
    """The token. Raises ValueError, which never holds any of it, where there is none that can be used, and OSError."""
    if file is None:
        where, token = variable(platform), os.environ.get(variable(platform), "")
        if not token.strip():
            raise ValueError(
                f"there is no token: put it into the environment as {where}, or into a file with mode 0600 that"
                " --token-file names"
            )
    else:
        where, token = str(file), _read(folder, file)
    if platform == LTI and not re.fullmatch(_PEM, token.strip()):
        raise ValueError(f"what is in {where} is no private key in PEM (-----BEGIN PRIVATE KEY-----)")
    if platform != LTI and not re.fullmatch(_WORD, token.strip()):
        raise ValueError(f"what is in {where} is no token: one word, without spaces and in ASCII")
    return token.strip()


def _read(folder: ClassFolder, file: Path) -> str:
    if Path(os.path.realpath(file)).is_relative_to(folder.root):
        raise ValueError(f"{file} lies in the class, whose archives would hold the token: put it elsewhere")
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        raise ValueError(f"{file} is not there: --token-file names the file that holds the token") from None
    try:
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode):
            raise ValueError(f"{file} is no file: name the one that holds the token")
        if state.st_uid != os.geteuid():
            raise ValueError(f"{file} is another user's: put the token into a file of your own, with mode 0600")
        if state.st_mode & 0o077:
            raise ValueError(f"others may read {file}: give it to yourself alone, with chmod 600")
        return os.read(descriptor, _MOST).decode("ascii", "replace")
    finally:
        os.close(descriptor)
