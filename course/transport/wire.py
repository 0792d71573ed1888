"""Values to bytes and back: a JSON header and raw arrays, never pickle.

Both transports use it, the one in process too, so that tensor subclasses, live autograd graphs and aliasing look the
same to a check wherever the student's code runs. Change it only together with `runner` and `student`.

A frame is two little-endian lengths (4 bytes: the header's, 8 bytes: all arrays'), the JSON header, then each tensor's
bytes in order. In the header, plain JSON values stand for themselves and every other value is an object with one key
that names its kind, so a student's dictionary (kind "dict") can never pass for a handle.
"""

import json
import math
import socket
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

LENGTHS = struct.Struct("<IQ")
_DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128,
                  torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
}  # fmt: skip
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}
_SIZES = {dtype: torch.empty(0, dtype=dtype).element_size() for dtype in _NAMES}


@dataclass(frozen=True)
class Handle:
    """An object that stays beside the student's code, by number."""

    number: int


@dataclass(frozen=True)
class Callback:
    """A function that stays with the check and is called back, by number."""

    number: int


@dataclass(frozen=True)
class Foreign:
    """A value that cannot cross, by the name of its type: a verdict, not a failure of the transport."""

    type_name: str


@dataclass(frozen=True)
class Caps:
    """Limits of what one frame may hold; the trusted side lowers them."""

    header_bytes: int = 1 << 20
    array_bytes: int = 64 << 20
    items: int = 100_000
    depth: int = 16
    dimensions: int = 8


class WireError(ValueError):
    """A frame that breaks the format or its caps."""


def encode(value: Any, caps: Caps = Caps()) -> tuple[bytes, list[bytes]]:
    """Turn a value into a JSON header and the bytes of its tensors.

    Tensors lose their graph, their device and their subclass. What cannot cross becomes `Foreign`.
    Raises WireError where `caps` are passed, or where the value's own methods raise.
    """
    arrays: list[bytes] = []
    try:
        header = json.dumps(_encode(value, arrays, [caps.items], caps, 0)).encode()
    except (WireError, RecursionError):
        raise
    except Exception as error:  # a class of the student's that behaves like a list or a number, but for what it raises
        raise WireError(f"the value cannot be sent: reading it raised {type(error).__name__}") from None
    if len(header) > caps.header_bytes or sum(map(len, arrays)) > caps.array_bytes:
        raise WireError("the value is too large to send")
    return header, arrays


def _encode(value: Any, arrays: list[bytes], budget: list[int], caps: Caps, depth: int) -> Any:
    if depth > caps.depth:
        raise WireError(f"the value is nested more than {caps.depth} deep")
    if isinstance(value, (dict, tuple, list, set, frozenset)):
        budget[0] -= len(value)  # counted before the items are walked: a list of ten million costs nothing
        if budget[0] < 0:
            raise WireError(f"the value holds more than {caps.items} items, too many to send")
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, (np.bool_, np.integer, np.floating)):
        return value.item()
    if isinstance(value, Tensor):
        with torch._C.DisableTorchFunctionSubclass():  # a subclass must not answer in its own name
            name = _NAMES.get(value.dtype)
            if name is None or value.layout != torch.strided or value.is_meta or value.is_nested:
                return {"foreign": f"Tensor of {str(value.dtype).removeprefix('torch.')}"}
            plain = value.detach() if type(value) is Tensor else value.detach().as_subclass(Tensor)
            if plain.numel() * plain.element_size() > caps.array_bytes:
                raise WireError(f"a tensor of shape {tuple(plain.shape)} is too large to send")
            arrays.append(_bytes(plain))
            return {"tensor": [name, list(plain.shape)]}
    if isinstance(value, Handle):
        return {"handle": value.number}
    if isinstance(value, Callback):
        return {"callback": value.number}
    if isinstance(value, Foreign):
        return {"foreign": value.type_name}
    if isinstance(value, dict):
        return {"dict": [[_key(k), _encode(v, arrays, budget, caps, depth + 1)] for k, v in value.items()]}
    if isinstance(value, (tuple, list)):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [_encode(v, arrays, budget, caps, depth + 1) for v in value]}
    if isinstance(value, (set, frozenset)):
        return {"set": [_encode(v, arrays, budget, caps, depth + 1) for v in sorted(value, key=repr)]}
    if isinstance(value, (int, float, str)):  # a subclass of a plain type crosses as that type
        return next(base(value) for base in (int, float, str) if isinstance(value, base))
    return {"foreign": type(value).__name__}


def _bytes(plain: Tensor) -> bytes:
    """The bytes of a tensor's numbers, in the order of its shape whatever its strides."""
    if plain.is_conj() or plain.is_neg():
        plain = plain.resolve_conj().resolve_neg()
    if plain.device.type != "cpu":
        plain = plain.to("cpu")
    if plain.dtype is torch.bfloat16:  # NumPy has no such numbers
        plain = plain.view(torch.int16)
    return plain.numpy().tobytes()


def _key(key: Any) -> str | int:
    return key if type(key) in (str, int) else str(key)


def decode(header: bytes, read: Any, caps: Caps = Caps()) -> Any:
    """Rebuild a value from its header; `read(n)` gives the next n bytes of its arrays. Raises WireError."""
    if header.count(b"[") + header.count(b"{") > 5 * caps.items:  # before JSON makes objects of them, 20 bytes from 1
        raise WireError(f"the header holds more than {caps.items} items")
    try:
        tree = json.loads(header)
    except (ValueError, RecursionError) as error:
        raise WireError(f"the header is not JSON: {error}") from None
    budget = [caps.array_bytes]

    def build(node: Any, depth: int) -> Any:
        if depth > caps.depth:
            raise WireError(f"the value is nested more than {caps.depth} deep")
        if not isinstance(node, (dict, list)):
            return node
        if not isinstance(node, dict) or len(node) != 1:
            raise WireError("an object in the header does not name its kind")
        ((kind, body),) = node.items()
        if kind == "tensor":
            return _tensor(body)
        if kind == "dict" and isinstance(body, list) and all(isinstance(p, list) and len(p) == 2 for p in body):
            return {_key(k): build(v, depth + 1) for k, v in body}
        if kind in ("list", "tuple", "set") and isinstance(body, list):
            items = [build(v, depth + 1) for v in body]
            return items if kind == "list" else tuple(items) if kind == "tuple" else _set(items)
        if kind in ("handle", "callback") and type(body) is int:
            return Handle(body) if kind == "handle" else Callback(body)
        if kind == "foreign" and isinstance(body, str):
            return Foreign(body[:200])
        raise WireError(f"unknown kind {kind!r} in the header")

    def _tensor(body: Any) -> Tensor:
        try:
            name, shape = body
            dtype = _DTYPES[name]
            if len(shape) > caps.dimensions or not all(type(n) is int and 0 <= n < 1 << 40 for n in shape):
                raise ValueError
        except (KeyError, TypeError, ValueError):
            raise WireError(f"not a tensor's description: {str(body)[:80]}") from None
        size = math.prod(shape) * _SIZES[dtype]
        budget[0] -= size
        if budget[0] < 0:
            raise WireError("the arrays are larger than allowed")
        if size == 0:
            if math.prod(n for n in shape if n) >= 1 << 40:  # strides that no machine can count
                raise WireError(f"a shape of nothing that is too large: {str(shape)[:80]}")
            return torch.empty(shape, dtype=dtype)
        raw = read(size)
        if dtype is torch.bool:  # a byte that is neither 0 nor 1 would be an invalid bool
            return torch.frombuffer(raw, dtype=torch.uint8).ne(0).reshape(shape)
        return torch.frombuffer(raw, dtype=dtype).reshape(shape).clone()

    return build(tree, 0)


def _set(items: list[Any]) -> Any:
    try:
        return set(items)
    except TypeError:
        raise WireError("a set of things that cannot be in a set") from None


def copy(value: Any) -> Any:
    """What the value looks like after crossing: the in-process transport's stand-in for a socket."""
    header, arrays = encode(value)
    stream = iter(arrays)

    def read(size: int) -> bytearray:
        raw = next(a for a in stream if a)  # an empty tensor sends no bytes and reads none
        assert len(raw) == size
        return bytearray(raw)

    return decode(header, read)


def send(sock: socket.socket, value: Any, caps: Caps = Caps()) -> None:
    """Send one frame, in one piece: whoever waits for it is woken once. Raises WireError before anything is sent where
    the value breaks `caps`."""
    header, arrays = encode(value, caps)
    sock.sendall(b"".join([LENGTHS.pack(len(header), sum(map(len, arrays))), header, *arrays]))


def receive(sock: socket.socket, caps: Caps = Caps()) -> Any:
    """Receive one frame. Raises WireError for a malformed one and EOFError when the other end is gone."""
    header, arrays = LENGTHS.unpack(_read(sock, LENGTHS.size))
    if header > caps.header_bytes:
        raise WireError(f"a header of {header} bytes is larger than allowed")
    if arrays > caps.array_bytes:
        raise WireError("the arrays are larger than allowed")
    body = memoryview(_read(sock, header + arrays))
    done = header

    def read(size: int) -> memoryview:
        nonlocal done
        done += size
        if done > len(body):
            raise WireError("the header tells of more arrays than there are")
        return body[done - size : done]

    value = decode(bytes(body[:header]), read, caps)
    if done < len(body):
        raise WireError("there are more arrays than the header tells of")
    return value


def _read(sock: socket.socket, size: int) -> bytearray:
    buffer = bytearray(size)
    view, done = memoryview(buffer), 0
    while done < size:
        count = sock.recv_into(view[done:])
        if count == 0:
            raise EOFError("the other end closed the connection")
        done += count
    return buffer
