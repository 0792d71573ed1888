"""In a child of the intake: unpacks an archive (`unpack`), and tells and gives its members one after the other.

Each frame begins with a letter. The archive's bytes stay with the grader, which answers READ (a place and a size) with
a frame of them. MEMBER tells a name and why it is not read, if it is not; the answer is YES where its content is
wanted, which then crosses as DATA, each answered with YES where more is wanted. DONE ends a member and END the archive,
with how much of the budget is spent and what is wrong, or nothing.
"""

from __future__ import annotations

import io
import json
import socket
import struct
from collections.abc import Iterator
from typing import Any

from autograde.intake.protocol import PIECE, receive, receive_json, send
from autograde.intake.unpack import Budget, Damaged, TooMuch, unpack

READ, MEMBER, DATA, DONE, END = b"r", b"m", b"d", b"o", b"e"
YES, NO = b"1", b"0"
SPAN = struct.Struct("!QQ")
ASKED = 1 << 10  # bytes of the frame that says what is to be unpacked


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


def serve(line: socket.socket) -> None:
    """Tells and gives the members of the archive whose size comes first, with the budget to read it within."""
    asked = receive_json(line, ASKED)
    budget = Budget(asked["room"], asked["members"])
    wrong: Exception | None = None
    try:
        for member in unpack(io.BufferedReader(_Distant(line, asked["size"]), PIECE), budget):
            send(line, MEMBER + member.refused.encode() + b"\0" + name_in_bytes(member.name))
            wanted = receive(line, 1) == YES and not member.refused
            problem = _given(line, member.chunks) if wanted else None
            send(line, DONE + _state(asked["room"] - budget.room, problem))
    except (Damaged, TooMuch) as error:
        wrong = error
    send(line, END + _state(asked["room"] - budget.room, wrong))


def _given(line: socket.socket, chunks: Iterator[bytes]) -> Exception | None:
    """Gives a member's content, as much as is wanted; returns what is wrong with it."""
    try:
        for block in chunks:
            send(line, DATA + block)
            if receive(line, 1) != YES:
                break
    except (Damaged, TooMuch) as error:
        return error
    return None


def name_in_bytes(name: str) -> bytes:
    """A member's name as it crosses. Names whose bytes are no text stay apart from one another."""
    try:
        return name.encode("utf-8", "surrogateescape")
    except UnicodeError:
        return name.encode("utf-8", "replace")


def _state(spent: int, wrong: Exception | None) -> bytes:
    message = "" if wrong is None else str(wrong)
    return json.dumps({"spent": spent, "wrong": message, "much": isinstance(wrong, TooMuch)}).encode()
