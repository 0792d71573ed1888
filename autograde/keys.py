"""The keys of a class's runs, kept beside the ledger, where those who may read the class can, and nobody else.

Everything random in a run is drawn from its key (`course.key`), so an appeal needs it, and whoever has
it knows what will be asked in a run that goes on. A record therefore names its key by the digest, which gives nothing
away and proves later that the key which is shown is the one that was used; the key itself is a file of that name in
here.
"""

from __future__ import annotations

from pathlib import Path

from autograde import files
from course.key import Key

FOLDER = "keys"  # in the ledger's folder


def keep(ledger: Path, key: Key) -> None:
    """Writes the key where it is not yet. It is on disk when this returns: records may name it."""
    if find(ledger, key.digest) is None:
        files.write_atomically(ledger / FOLDER / key.digest, f"{key.secret.hex()}\n")


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
