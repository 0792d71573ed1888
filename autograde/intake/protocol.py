"""What crosses between the grader and a child of the intake: frames of bytes, each with its length before it.

An answer is two frames: JSON, in which a long text stands as its length, and the texts in their order. So the grader
parses little, however much text there is. It trusts no frame: a length is capped before it is read, and the JSON must
have a form that is written down (`formed`).
"""

from __future__ import annotations

import json
import socket
import struct
import time
from typing import Any

_LENGTH = struct.Struct("!Q")
PIECE = 256 << 10  # bytes of an archive or of its member that cross at once
STRUCTURE = 8 << 20  # bytes of an answer's JSON: what it can unfold to is a few hundred megabytes at most
TEXTS = 128 << 20  # bytes of an answer's long texts: those of a notebook, twice, and their names
_LONG = 40  # characters


class ProtocolError(ValueError):
    """What came is not what may come."""


def send(line: socket.socket, data: bytes) -> None:
    """Sends one frame; the line's timeout is that of the whole of it."""
    line.sendall(_LENGTH.pack(len(data)))
    line.sendall(data)


def receive(line: socket.socket, most: int, until: float | None = None) -> bytes:
    """One frame of at most so many bytes, before a moment of the monotonic clock, however slowly bytes trickle in.

    Raises EOFError where the line ends first, TimeoutError, and ProtocolError for a longer frame.
    """
    (length,) = _LENGTH.unpack(_exactly(line, _LENGTH.size, until))
    if length > most:
        raise ProtocolError(f"a frame of {length} bytes, and {most} are the most")
    return bytes(_exactly(line, length, until))


def _exactly(line: socket.socket, length: int, until: float | None) -> bytearray:
    data = bytearray(length)
    view, at = memoryview(data), 0
    while at < length:
        if until is not None:
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError
            line.settimeout(left)
        count = line.recv_into(view[at:])
        if not count:
            raise EOFError("the line has ended")
        at += count
    return data


def send_json(line: socket.socket, value: Any) -> None:
    send(line, json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def receive_json(line: socket.socket, most: int, until: float | None = None) -> Any:
    """Raises as `receive`, and ValueError, RecursionError or MemoryError for what is no JSON that can be held."""
    return json.loads(receive(line, most, until))


def send_answer(line: socket.socket, value: Any) -> None:
    """Sends a value of plain JSON, whose keys are short, with its long texts apart."""
    texts: list[bytes] = []

    def without(value: Any) -> Any:
        if isinstance(value, str) and len(value) > _LONG:
            texts.append(value.encode("utf-8", "replace"))
            return {"": len(texts[-1])}
        if isinstance(value, dict):
            return {name: without(inner) for name, inner in value.items()}
        return [without(inner) for inner in value] if isinstance(value, (list, tuple)) else value

    send_json(line, without(value))
    send(line, b"".join(texts))


def receive_answer(line: socket.socket, until: float) -> Any:
    """The value that `send_answer` sent; raises as `receive_json`."""
    structure = receive(line, STRUCTURE, until)
    texts, at = receive(line, TEXTS, until), 0

    def whole(value: Any) -> Any:
        nonlocal at
        if isinstance(value, dict):
            if value.keys() != {""}:
                return {name: whole(inner) for name, inner in value.items()}
            length = value[""]
            if type(length) is not int or not 0 <= length <= len(texts) - at:
                raise ProtocolError("a text that is not there")
            at += length
            return texts[at - length : at].decode()
        return [whole(inner) for inner in value] if isinstance(value, list) else value

    return whole(json.loads(structure))


def formed(value: Any, form: Any) -> Any:
    """The value, where it has this form; else ProtocolError.

    A form is a type (a number of type `int` is no bool), a value that must be just this, a list of the one form that
    all items have, a dictionary with a form for each of exactly its keys, or a tuple of forms of which one must hold.
    """
    if isinstance(form, tuple):
        for one in form:
            try:
                return formed(value, one)
            except ProtocolError:
                continue
        raise ProtocolError("a value of none of the forms that it may have")
    if isinstance(form, type):
        right = type(value) is form
    elif isinstance(form, list):
        right = type(value) is list
        for item in value if right else ():
            formed(item, form[0])
    elif isinstance(form, dict):
        right = type(value) is dict and value.keys() == form.keys()
        for name, inner in form.items() if right else ():
            formed(value[name], inner)
    else:
        right = type(value) is type(form) and value == form
    if not right:
        raise ProtocolError(f"a value of type {type(value).__name__} where another form is due")
    if type(value) is str:
        try:
            value.encode()
        except UnicodeError:
            raise ProtocolError("a text with half a character in it") from None
    return value
