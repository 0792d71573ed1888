"""The keys of a class's runs, kept beside the ledger, where the owner of the class alone can read them.

Everything random in a run is drawn from its key (`course.checks.engine.draw`), so an appeal needs it, and whoever has
it knows what will be asked in a run that goes on. A record therefore names its key by the digest, which gives nothing
away and proves later that the key which is shown is the one that was used; the key itself is a file of that name in
here.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from course.checks.engine.draw import Key

FOLDER = "keys"  # in the ledger's folder


def keep(ledger: Path, key: Key) -> None:
    """Writes the key where it is not yet. It is on disk when this returns: records may name it."""
    folder = ledger / FOLDER
    if find(ledger, key.digest) is not None:
        return
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=".new-")  # for its owner alone, whatever the umask
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(key.secret.hex().encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, folder / key.digest)
    except BaseException:
        os.unlink(temporary)
        raise


def find(ledger: Path, digest: str) -> Key | None:
    """The key with this digest; None where there is none, or what lies there is another. Raises OSError where the file
    is there and cannot be read."""
    if not digest:  # of a record from before there were keys
        return None
    try:
        key = Key(bytes.fromhex((ledger / FOLDER / digest).read_text("ascii")))
    except (FileNotFoundError, ValueError):
        return None
    return key if key.digest == digest else None
