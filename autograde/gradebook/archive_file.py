"""The file that a class is archived in: a gzipped tar of one folder, whose last member has the digests of all others.

SHA256SUMS lists them as `sha256sum` writes it, so an archive can be checked and unpacked by any system's own programs.
"""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from autograde.progress import Progress, silent

SUMS = "SHA256SUMS"
_CHUNK = 1 << 20


class BadArchive(ValueError):
    """The archive cannot be restored: the file, the member, and why."""


def write(to: Path, members: dict[str, Path], progress: Progress) -> None:
    """Writes the files of a class, each under its name below the class."""
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
                    mark = "\\" if _escaped(name) != name else ""  # by which sha256sum knows that it is escaped
                    sums.append(f"{mark}{hashing.sha256.hexdigest()}  class/{_escaped(name)}\n")
            listed = "".join(sums).encode("utf-8", "surrogateescape")
            info = tarfile.TarInfo(SUMS)
            info.size, info.mode = len(listed), 0o600
            tar.addfile(info, io.BytesIO(listed))


def _escaped(name: str) -> str:
    return name.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")


class _Hashing:
    """A file whose digest is taken as it is read, so that what is listed is what was written."""

    def __init__(self, file) -> None:
        self.file, self.sha256 = file, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        data = self.file.read(size)
        self.sha256.update(data)
        return data


def check(file: Path, progress: Progress = silent) -> int:
    """Reads an archive to its end; how many files of a class are in it. Raises BadArchive where a digest is another, a
    member is missing or too many, or the file is cut off."""
    return sum(1 for _ in unpacked(file, None, progress))


def unpacked(file: Path, into: Path | None, progress: Progress) -> Iterator[str]:
    """The names of an archive's files, each unpacked where there is a place for it; after the last, all digests are
    right."""
    digests: dict[str, str] = {}
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
                digests[_escaped(member.name)] = _written(content, into and into / member.name)
    except BadArchive:
        raise
    except (tarfile.TarError, zlib.error, EOFError, OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # the disk's, and not what is read
            raise
        raise BadArchive(f"{file} is cut off or damaged: {error}. To do: take another copy of it") from None
    if sums is None:
        raise BadArchive(f"{file} has no {SUMS} at its end: it is cut off, or none of ours")
    lines = (line.removeprefix("\\").partition("  ") for line in sums.removesuffix("\n").split("\n") if line)
    listed = {name: digest for digest, _, name in lines}
    for name in [*listed, *(set(digests) - set(listed))]:
        if digests.get(name) != listed.get(name):
            why = "is not in it" if name not in digests else "has another digest than is listed"
            raise BadArchive(f"{file}: {name} {why}. To do: take another copy of it")


def _written(content, to: Path | None) -> str:
    """The digest of a member, which is written where there is a place for it."""
    sha256 = hashlib.sha256()
    if to is not None:
        to.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(os.devnull if to is None else to, "wb" if to is None else "xb") as out:
        while data := content.read(_CHUNK):
            sha256.update(data)
            out.write(data)
    return sha256.hexdigest()
