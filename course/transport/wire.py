"""Values to bytes and back: a JSON header and raw arrays, never pickle.

Both transports use it, the one in process too, so that tensor subclasses, live autograd graphs and aliasing look the
same to a check wherever the student's code runs. Change it only together with `runner` and `student`.

A frame is two little-endian lengths (4 bytes: the header's, 8 bytes: all arrays'), the JSON header, then each tensor's
bytes in order. In the header, plain JSON values stand for themselves and every other value is an object with one key
that names its kind, so a student's dictionary (kind "dict") can never pass for a handle.
"""

import hashlib
import json
import math
import socket
import struct
from collections.abc import Iterable
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
_NUMPY = {dtype: torch.empty(0, dtype=dtype).numpy().dtype for dtype in _NAMES if dtype is not torch.bfloat16}
_PLAIN = frozenset({type(None), bool, int, float, str})  # what JSON itself has
_json = json.JSONEncoder(check_circular=False, separators=(",", ":")).encode  # of trees that `_encode` has made
_SIZES = {dtype: torch.empty(0, dtype=dtype).element_size() for dtype in _NAMES}


@dataclass(frozen=True)
class Handle:
    """An object that stays beside the student's code, by number; with `part`, the attribute of it of that name."""

    number: int
    part: str = ""


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
        header = _json(_encode(value, arrays, [caps.items], caps, 0)).encode()
    except (WireError, RecursionError):
        raise
    except Exception as error:  # a class of the student's that behaves like a list or a number, but for what it raises
        raise WireError(f"the value cannot be sent: reading it raised {type(error).__name__}") from None
    if len(header) > caps.header_bytes or sum(map(len, arrays)) > caps.array_bytes:
        raise WireError("the value is too large to send")
    return header, arrays


def _encode(value: Any, arrays: list[bytes], budget: list[int], caps: Caps, depth: int) -> Any:
    """The header's form of a value. Every reply and request goes through here, so the usual types come first."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if depth > caps.depth:
        raise WireError(f"the value is nested more than {caps.depth} deep")
    if isinstance(value, (dict, tuple, list, set, frozenset)):
        budget[0] -= len(value)  # counted before the items are walked: a list of ten million costs nothing
        if budget[0] < 0:
            raise WireError(f"the value holds more than {caps.items} items, too many to send")

    def each(items: Any) -> list[Any]:
        return [v if type(v) in _PLAIN else _encode(v, arrays, budget, caps, depth + 1) for v in items]

    if isinstance(value, Tensor):
        return _tensor_header(value, arrays, caps)
    if isinstance(value, dict):
        if (state := _state_header(value, arrays, caps)) is not None:
            return state
        return {"dict": list(zip(map(_key, value), each(value.values()), strict=True))}
    if isinstance(value, (tuple, list)):
        return {"tuple" if isinstance(value, tuple) else "list": each(value)}
    if isinstance(value, Handle):
        return {"handle": [value.number, value.part]}
    if isinstance(value, Callback):
        return {"callback": value.number}
    if isinstance(value, Foreign):
        return {"foreign": value.type_name}
    if isinstance(value, (np.bool_, np.integer, np.floating)):
        return value.item()
    if isinstance(value, (set, frozenset)):
        return {"set": each(sorted(value, key=repr))}
    if isinstance(value, (int, float, str)):  # a subclass of a plain type crosses as that type
        return next(base(value) for base in (int, float, str) if isinstance(value, base))
    return {"foreign": kind.__name__}


def _tensor_header(value: Tensor, arrays: list[bytes], caps: Caps) -> dict[str, Any]:
    """The header's form of a tensor, whose bytes are added to the arrays, in the order of its shape."""
    with torch._C.DisableTorchFunctionSubclass():  # a subclass must not answer in its own name
        name = _NAMES.get(value.dtype)
        if name is None or value.layout != torch.strided or value.is_meta or value.is_nested:
            return {"foreign": f"Tensor of {str(value.dtype).removeprefix('torch.')}"}
        if value.numel() * _SIZES[value.dtype] > caps.array_bytes:
            raise WireError(f"a tensor of shape {tuple(value.shape)} is too large to send")
        numbers = _numbers(value.detach() if type(value) is Tensor else value.detach().as_subclass(Tensor))
        arrays.append(numbers.tobytes())
        return {"tensor": [name, numbers.shape]}


def _state_header(value: dict, arrays: list[bytes], caps: Caps) -> dict[str, Any] | None:
    """The header's form of a dictionary of names and float32 tensors, which go as one array; None for any other.

    A module's state is such a dictionary, and most of what is sent to and fro.
    """
    if len(value) < 2 or not all(type(k) is str and type(v) is Tensor for k, v in value.items()):
        return None
    plain = [v.detach() for v in value.values()]
    if any(v.dtype != torch.float32 or v.layout != torch.strided or v.is_meta or v.is_nested for v in plain):
        return None
    if 4 * sum(v.numel() for v in plain) > caps.array_bytes:
        raise WireError("the tensors of a dictionary are too large to send")
    parts = list(map(_numbers, plain))
    arrays.append(b"".join(part.tobytes() for part in parts))
    return {"state": [list(value), [part.shape for part in parts]]}


def _numbers(plain: Tensor) -> np.ndarray:
    try:
        return plain.numpy()
    except (TypeError, RuntimeError):  # elsewhere than on the processor, conjugated, or of a type NumPy has not
        plain = plain.to("cpu").resolve_conj().resolve_neg()
        return (plain.view(torch.int16) if plain.dtype is torch.bfloat16 else plain).numpy()


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
        if type(node) in _PLAIN:
            return node
        if depth > caps.depth:
            raise WireError(f"the value is nested more than {caps.depth} deep")
        if not isinstance(node, dict) or len(node) != 1:
            raise WireError("an object in the header does not name its kind")
        ((kind, body),) = node.items()
        if kind == "tensor":
            return _tensor(body)
        if kind == "state" and isinstance(body, list) and len(body) == 2 and all(isinstance(p, list) for p in body):
            return _state(*body)
        if kind == "dict" and isinstance(body, list) and all(isinstance(p, list) and len(p) == 2 for p in body):
            return dict(zip((_key(k) for k, _ in body), each((v for _, v in body), depth + 1), strict=True))
        if kind in ("list", "tuple", "set") and isinstance(body, list):
            items = each(body, depth + 1)
            return items if kind == "list" else tuple(items) if kind == "tuple" else _set(items)
        if kind == "handle" and isinstance(body, list) and list(map(type, body)) == [int, str]:
            return Handle(*body)
        if kind == "callback" and type(body) is int:
            return Callback(body)
        if kind == "foreign" and isinstance(body, str):
            return Foreign(body[:200])
        raise WireError(f"unknown kind {kind!r} in the header")

    def each(nodes: Iterable[Any], depth: int) -> list[Any]:
        return [node if type(node) in _PLAIN else build(node, depth) for node in nodes]

    def _state(names: list[Any], shapes: list[Any]) -> dict[str, Tensor]:
        if len(names) != len(shapes) or set(map(type, names)) != {str}:
            raise WireError("not a state's description")
        sizes = [_size(shape, torch.float32) // 4 for shape in shapes]
        count = sum(sizes)
        flat = torch.from_numpy(np.frombuffer(read(4 * count), np.float32)).clone() if count else torch.empty(0)
        parts = zip(names, flat.split(sizes), shapes, strict=True)
        return {name: part.view(shape) for name, part, shape in parts}

    def _size(shape: Any, dtype: torch.dtype) -> int:
        """The bytes of a tensor, once they are taken from what is allowed."""
        if not (isinstance(shape, list) and len(shape) <= caps.dimensions and _whole(shape)):
            raise WireError(f"not a tensor's shape: {str(shape)[:80]}")
        size = math.prod(shape) * _SIZES[dtype]
        budget[0] -= size
        if budget[0] < 0:
            raise WireError("the arrays are larger than allowed")
        if size == 0 and math.prod(n for n in shape if n) >= 1 << 40:  # strides that no machine can count
            raise WireError(f"a shape of nothing that is too large: {str(shape)[:80]}")
        return size

    def _tensor(body: Any) -> Tensor:
        try:
            name, shape = body
            dtype = _DTYPES[name]
        except (KeyError, TypeError, ValueError):
            raise WireError(f"not a tensor's description: {str(body)[:80]}") from None
        size = _size(shape, dtype)
        if size == 0:
            return torch.empty(shape, dtype=dtype)
        raw = read(size)
        if dtype is torch.bool:  # a byte that is neither 0 nor 1 would be an invalid bool
            return torch.from_numpy(np.frombuffer(raw, np.uint8).reshape(shape)).ne(0)
        if dtype is torch.bfloat16:  # NumPy has no such numbers
            return torch.frombuffer(raw, dtype=dtype).reshape(shape).clone()
        return torch.from_numpy(np.frombuffer(raw, _NUMPY[dtype]).reshape(shape)).clone()

    return build(tree, 0)


def _whole(shape: list[Any]) -> bool:
    return all(type(n) is int and 0 <= n < 1 << 40 for n in shape)


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


def digest(value: Any) -> str:
    """What tells a value from others, by what would cross of it. Raises WireError as `encode`."""
    header, arrays = encode(value)
    return hashlib.sha256(b"".join([header, *arrays])).hexdigest()


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
