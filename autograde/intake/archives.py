"""In a child of the intake: the members of a zip, tar or tar.gz, told and given one after the other.

Each frame begins with a letter. The archive's bytes stay with the grader, which answers READ (a place and a size) with
a frame of them. MEMBER tells a name; the answer is YES where its content is wanted, which then crosses as DATA, each
answered with YES where more is wanted. DONE ends a member and END the archive, with what is wrong, or nothing.
"""

from __future__ import annotations

import gzip
import io
import json
import lzma
import socket
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Any

from autograde.intake.protocol import PIECE, receive, send

DAMAGED = (
    zipfile.BadZipFile,
    tarfile.TarError,
    OSError,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    RuntimeError,
    ValueError,
    OverflowError,
    MemoryError,
    RecursionError,
    IndexError,
    KeyError,
    TypeError,
    AttributeError,
)  # what the readers of archives raise for damaged, encrypted and unknown content
LINK = "a link or no ordinary file: never followed"
LOCKED = "encrypted with a password"
READ, MEMBER, DATA, DONE, END = b"r", b"m", b"d", b"o", b"e"
YES, NO = b"1", b"0"
SPAN = struct.Struct("!QQ")
_REGULAR = (0, stat.S_IFREG)


class _Lost(BaseException):
    """The grader is gone, or wants no more."""


class _Distant(io.RawIOBase):
    """The archive, read over the line."""

    def __init__(self, line: socket.socket, size: int):
        self._line, self._size, self._at = line, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        if at < 0:
            raise ValueError("before the beginning")
        self._at = at
        return at

    def readinto(self, buffer: Any) -> int:
        wanted = min(len(buffer), PIECE, max(self._size - self._at, 0))
        if wanted <= 0:
            return 0
        try:
            send(self._line, READ + SPAN.pack(self._at, wanted))
            data = receive(self._line, PIECE)
        except (OSError, EOFError, ValueError):
            raise _Lost from None
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


def unpack(line: socket.socket) -> None:
    """Tells and gives the members of the archive whose size comes first."""
    size = int(receive(line, 32))
    archive: IO[bytes] = io.BufferedReader(_Distant(line, size), PIECE)
    told = ""
    try:
        for name, why, opened in _members(archive):
            send(line, MEMBER + json.dumps({"name": name[:4096], "why": why}).encode())
            problem = _given(line, opened) if receive(line, 1) == YES and not why else ""
            send(line, DONE + problem.encode("utf-8", "replace"))
    except DAMAGED as error:
        told = _plain(error)
    send(line, END + told.encode("utf-8", "replace"))


def _given(line: socket.socket, opened: Callable[[], Any]) -> str:
    """Gives a member's content, as much as is wanted; returns what is wrong with it."""
    try:
        with opened() as file:
            while block := file.read(PIECE):
                send(line, DATA + block)
                if receive(line, 1) != YES:
                    break
    except DAMAGED as error:
        return _plain(error)
    return ""


def _plain(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error)[:100]}"


def _members(archive: IO[bytes]) -> Iterator[tuple[str, str, Any]]:
    """(name, why it cannot be had or "", how to open it) of all but folders."""
    if zipfile.is_zipfile(archive):
        yield from _of_zip(archive)
    else:
        archive.seek(0)
        packed = archive.read(2) == b"\x1f\x8b"
        archive.seek(0)
        yield from _of_tar(gzip.GzipFile(fileobj=archive) if packed else archive)


def _of_zip(archive: IO[bytes]) -> Iterator[tuple[str, str, Any]]:
    opened = zipfile.ZipFile(archive)
    for info in opened.infolist():
        name = info.filename if info.flag_bits & 0x800 else _utf8_after_all(info.filename)
        if info.is_dir() or name.endswith("\\"):
            continue
        odd = stat.S_IFMT(info.external_attr >> 16) not in _REGULAR
        yield name, LOCKED if info.flag_bits & 1 else LINK if odd else "", lambda info=info: opened.open(info)


def _utf8_after_all(name: str) -> str:
    """Names that were written as UTF-8 without saying so, as a Mac's own archiver does."""
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        return name


def _of_tar(stream: Any) -> Iterator[tuple[str, str, Any]]:
    """A tar is gone through once, from its beginning to its end: nothing of it is kept."""
    with tarfile.open(fileobj=stream, mode="r|") as opened:
        for member in opened:
            opened.members = []  # type: ignore[attr-defined]  # or each of a million is remembered
            if member.isdir():
                continue
            name = member.name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            yield name, "" if member.isreg() else LINK, lambda member=member: opened.extractfile(member)
