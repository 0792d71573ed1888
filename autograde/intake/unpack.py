"""Unpacks a zip or tar as a stream, within a budget: a file goes in, names and chunks of bytes come out.

Nothing is known here of a class or of who handed in, nothing is written (see `write` for that), no link is followed
and no size that an archive promises is believed: bytes are counted as they are inflated, over everything that draws on
one budget, and reading stops where the budget ends.

`unpack` runs in a child of the intake's jail alone (`archives`): the grader's own process parses no archive.
"""

from __future__ import annotations

import errno
import gzip
import os
import re
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

CHUNK = 1 << 18  # bytes of a chunk
MAX_NAME = 1_000  # characters of a member's name, with its folders
MAX_HEADER = 1 << 20  # bytes that a tar's reader may ask for at once: a header's, since contents are read in chunks
FREE = 256 << 20  # bytes that stay free on a disk
_CHECKED = 16 << 20  # bytes written between two looks at how much is free
# what the readers of archives raise for damaged, encrypted and unknown content
_BROKEN = (
    zipfile.BadZipFile, tarfile.TarError, OSError, EOFError, zlib.error, RuntimeError, ValueError,
    NotImplementedError, OverflowError, MemoryError, RecursionError, IndexError, KeyError, TypeError, AttributeError,
)  # fmt: skip


class Damaged(ValueError):
    """What is read is damaged, or no archive of a known kind."""


class TooMuch(ValueError):
    """A budget is spent."""


@dataclass
class Budget:
    """How many bytes may still be inflated or copied, and how many members still be listed. Share one among all that
    belong together, nested archives included."""

    room: int
    members: int = 0

    def __post_init__(self) -> None:
        self._room, self._members = self.room, self.members

    def take(self, size: int) -> None:
        """Takes bytes. Raises TooMuch where there are not so many left."""
        self.room -= size
        if self.room < 0:
            raise TooMuch(f"it unpacks to more than {_size(self._room)}")

    def count(self) -> None:
        """Counts a member. Raises TooMuch where it is one too many."""
        self.members -= 1
        if self.members < 0:
            raise TooMuch(f"it holds more than {self._members} files")


class Member(NamedTuple):
    """A member of an archive: its name as it stands there, its content, and why it is not read ("" where it is).

    `chunks` can be read until the next member is asked for, once; it raises Damaged or TooMuch.
    """

    name: str
    chunks: Iterator[bytes]
    refused: str = ""


def unpack(file: IO[bytes], budget: Budget) -> Iterator[Member]:
    """The members of a zip, tar or tar.gz, told by its content, in its order; folders are passed over.

    Raises Damaged where the archive cannot be read (further), and TooMuch at the end of the budget.
    """
    try:
        if zipfile.is_zipfile(file):
            yield from _of_zip(file, budget)
        else:
            yield from _of_tar(file, budget)
    except (Damaged, TooMuch):
        raise
    except _BROKEN as error:
        raise Damaged(f"damaged, or no archive of a known kind ({_message(error)})") from None


def chunks(file: IO[bytes], budget: Budget) -> Iterator[bytes]:
    """A file's content, counted. Raises Damaged and TooMuch."""
    with file:
        while True:
            try:
                block = file.read(CHUNK)
            except (Damaged, TooMuch):
                raise
            except _BROKEN as error:
                raise Damaged(f"damaged ({_message(error)})") from None
            if not block:
                return
            budget.take(len(block))
            yield block


def write(content: Iterator[bytes], path: Path, most: int) -> int:
    """Writes chunks to a new file and returns its size in bytes; removes what was written where it cannot be whole.

    Raises TooMuch beyond `most` bytes, what `content` raises, and OSError with the path in it where the disk refuses,
    which it is taken to do before it is quite full.
    """
    budget, unchecked = Budget(most), _CHECKED
    out = open(path, "xb")
    try:
        with out:
            for block in content:
                budget.take(len(block))
                unchecked += len(block)
                if unchecked >= _CHECKED:
                    _leave_room(path.parent)
                    unchecked = 0
                out.write(block)
    except BaseException as error:
        path.unlink(missing_ok=True)
        if isinstance(error, OSError):  # of the disk that is written to: what reading raises is Damaged
            error.filename = str(path)
        raise
    return most - budget.room


def _leave_room(folder: Path) -> None:
    if shutil.disk_usage(folder).free < FREE:
        raise OSError(errno.ENOSPC, f"less than {_size(FREE)} are left on this disk", str(folder))


def _message(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error)[:100]}"


def _size(size: int) -> str:
    return f"{size >> 20} MB" if size >= 1 << 20 else f"{size} bytes"


# ---------------------------------------------------------------- zip


def _of_zip(file: IO[bytes], budget: Budget) -> Iterator[Member]:
    if _promised(file) > budget.members:  # before zipfile makes an object of each
        raise TooMuch(f"it holds more than {budget.members} files")
    with zipfile.ZipFile(file) as opened:
        for info in opened.infolist():
            kind = stat.S_IFMT(info.external_attr >> 16)
            name = info.filename if info.flag_bits & 0x800 else _utf8_after_all(info.filename)
            if info.is_dir() or name.endswith("\\"):
                continue
            budget.count()
            if info.flag_bits & 1:
                yield _refused(name, "encrypted with a password")
            elif kind not in (0, stat.S_IFREG):
                yield _refused(name, "a link or no ordinary file: never followed")
            elif info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # others inflate without bound
                yield _refused(name, "compressed in a way that is not read")
            elif len(name) > MAX_NAME:
                yield _refused(name, "its name is too long")
            else:
                yield Member(name, _inflated(opened, info, budget))


def _inflated(opened: zipfile.ZipFile, info: zipfile.ZipInfo, budget: Budget) -> Iterator[bytes]:
    try:
        file: Any = opened.open(info)
    except _BROKEN as error:
        raise Damaged(f"damaged ({_message(error)})") from None
    yield from chunks(file, budget)


def _promised(file: IO[bytes]) -> int:
    """How many entries a zip's directory can hold at most, counted by their marks."""
    file.seek(0)
    count, tail = 0, b""
    while block := file.read(1 << 20):
        count += (tail + block).count(b"PK\x01\x02")
        tail = block[-3:]
    file.seek(0)
    return count


def _utf8_after_all(name: str) -> str:
    """Names that were written as UTF-8 without saying so, as a Mac's own archiver does."""
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        return name


def _refused(name: str, why: str) -> Member:
    return Member(name[:MAX_NAME], iter(()), why)


# ---------------------------------------------------------------- tar


_SPARSE = "autograde.sparse"  # in a member's headers: it is of a sparse form that is not read
_KEPT = (b"path", b"linkpath", b"size", b"hdrcharset")  # what counts of a pax header
_DIGITS = 7  # of a record's length; no header is as large


class _Forward:
    """A stream that counts all that is read, can only be moved forward, and gives no header of any size.

    What is read next after `pax` was set is a pax header: it is given as `_what_counts` leaves it.
    """

    def __init__(self, file: IO[bytes], budget: Budget):
        self.file, self.budget, self.at, self.pax = file, budget, 0, False

    def read(self, size: int) -> bytes:
        if size > MAX_HEADER:
            raise TooMuch("a header in it is larger than is read")
        block = b""
        while len(block) < size and (more := self.file.read(size - len(block))):
            block += more
        self.budget.take(len(block))
        self.at += len(block)
        pax, self.pax = self.pax, False
        return _what_counts(block) if pax else block

    def tell(self) -> int:
        return self.at

    def seek(self, to: int, whence: int = os.SEEK_SET) -> int:
        if whence != os.SEEK_SET or to < self.at:
            raise Damaged("damaged (its members do not follow one another)")
        while self.at < to and self.read(min(CHUNK, to - self.at)):
            pass
        return self.at


class _Header(tarfile.TarInfo):
    """A member whose pax header tarfile sees as `_what_counts` leaves it."""

    def _proc_pax(self, opened: Any) -> Any:
        opened.fileobj.pax = True
        return super()._proc_pax(opened)  # type: ignore[misc]


def _what_counts(header: bytes) -> bytes:
    """A pax header with what counts of it alone, read in time that grows with its size and no faster.

    tarfile's own reading goes back over digits (CVE-2024-6232, until Python 3.11.10) and follows lengths that lead into
    the same bytes again; and its reading of a sparse member's map copies what it has for each block. Here a length is
    that of its own record, a name is cut where it is too long, and such maps are not read. Raises Damaged.
    """
    kept: dict[bytes, bytes] = {}
    header, at = header.rstrip(b"\0"), 0
    while at < len(header):
        digits, space, _ = header[at : at + _DIGITS + 1].partition(b" ")
        end = at + (int(digits) if digits.isdigit() and space else 0)
        key, equals, value = header[at + len(digits) + 1 : end].partition(b"=")
        if not equals or not key or not value.endswith(b"\n") or end > len(header):
            raise Damaged("damaged (a pax header that holds no records)")
        if key in _KEPT:
            text = value[:-1].decode("utf-8", "surrogateescape")[: MAX_NAME + 1]
            kept[key] = text.encode("utf-8", "surrogateescape")
        elif key.startswith(b"GNU.sparse."):
            kept[_SPARSE.encode()] = b"1"
        at = end
    return b"".join(_record(key, value) for key, value in kept.items())


def _record(key: bytes, value: bytes) -> bytes:
    rest = len(key) + len(value) + 3
    size = rest + len(str(rest + len(str(rest))))
    return b"%d %s=%s\n" % (size, key, value)


def _of_tar(file: IO[bytes], budget: Budget) -> Iterator[Member]:
    file.seek(0)
    packed = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    stream: Any = _Forward(gzip.GzipFile(fileobj=file) if packed else file, budget)  # type: ignore[arg-type]
    with tarfile.open(fileobj=stream, mode="r:", tarinfo=_Header) as opened:
        while member := opened.next():
            opened.members.clear()  # type: ignore[attr-defined]  # tarfile keeps them all
            if member.isdir():
                continue
            budget.count()
            if _SPARSE in member.pax_headers:
                yield _refused(member.name, "a sparse file of a form that is not read")
            elif not member.isreg():
                yield _refused(member.name, "a link or no ordinary file: never followed")
            elif len(member.name) > MAX_NAME:
                yield _refused(member.name, "its name is too long")
            else:
                yield Member(member.name, _extracted(opened, member, budget))
    while stream.read(CHUNK):  # the rest of a gzip stream, whose end says whether it is whole
        pass


def _extracted(opened: tarfile.TarFile, member: tarfile.TarInfo, budget: Budget) -> Iterator[bytes]:
    """A member's content. The stream counts what is read of the archive; the holes of a sparse member are read of
    nothing, and would be written, so that such a member is counted once more."""
    file: Any = opened.extractfile(member)
    yield from chunks(file, budget if member.issparse() else Budget(member.size))


def parts(name: str) -> tuple[str, ...] | None:
    """A name's parts; None for one that leads out of its archive. Some archivers write \\ for /."""
    name = name if "/" in name else name.replace("\\", "/")
    kept = tuple(part for part in name.split("/") if part not in ("", "."))
    bad = name.startswith("/") or ".." in kept or not kept or re.match(r"[A-Za-z]:($|[\\/])", name)
    return None if bad else kept
