"""Values to bytes and back: a JSON header and raw arrays, never pickle.

Both protocols use it, the one in process too, so that tensor subclasses, live autograd graphs and aliasing look the
same to a check wherever the student's code runs. Change it only together with `runner` and `student`.

A request carries tensors as they lie: with strides and offset, and a tensor that stands in it twice is one object over
there too; what a function of the check's gives back in the memory of its argument is sent as that. A reply carries
numbers alone, each tensor in one piece: nothing out here reads strides that a student wrote.

A frame is two little-endian lengths (4 bytes: the header's, 8 bytes: all arrays'), the JSON header, then each tensor's
bytes in order. In the header, plain JSON values stand for themselves and every other value is an object with one key
that names its kind, so a student's dictionary (kind "dict") can never pass for a handle.
"""

import hashlib
import json
import math
import re
import socket
import struct
from collections.abc import Sequence
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
_tree = json.JSONDecoder().decode
_json = json.JSONEncoder(check_circular=False, separators=(",", ":")).encode  # of trees that `_encode` has made
_LARGEST_KEY = 1 << 53


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
    """A value that cannot cross, by the name of its type: a verdict, not a failure of the protocol."""

    type_name: str


_NAME = re.compile(r"(?:Tensor of )?[^\W\d]\w{0,79}")


def named(type_name: str) -> str:
    """The name of a type, of an error's too, where it is one as code spells it: anything else that a type was called is
    words, which would be read as those of whoever quotes them."""
    return type_name if _NAME.fullmatch(type_name) else "(no name)"


@dataclass(frozen=True)
class Lent:
    """What a function of the check's gives back in the memory of its argument: of the call's tensors the one of this
    number, and where in it."""

    argument: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int


class Unordered(tuple):
    """The items of a set, as they came. No set is made of them out here: whoever chooses its items can choose them so
    that each meets all the others."""


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


def encode(value: Any, caps: Caps = Caps(), *, as_it_lies: bool = False) -> tuple[bytes, list[bytes]]:
    """Turn a value into a JSON header and the bytes of its tensors.

    Tensors lose their graph, their device and their subclass, and, but for `as_it_lies`, strides, offset and identity.
    What cannot cross becomes `Foreign`. Raises WireError where `caps` are passed, or where the value's own methods
    raise.
    """
    arrays = _Written() if as_it_lies else []
    try:
        header = _json(_encode(value, arrays, [caps.items], caps, 0)).encode()
    except (WireError, RecursionError):
        raise
    except Exception as error:  # a class of the student's that behaves like a list or a number, but for what it raises
        raise WireError(f"the value cannot be sent: reading it raised {type(error).__name__}") from None
    if len(header) > caps.header_bytes or sum(map(len, arrays)) > caps.array_bytes:
        raise WireError("the value is too large to send")
    return header, arrays


class _Written(list):
    """The arrays of a frame whose tensors cross as they lie, and where each of its tensors came in the frame."""

    def __init__(self) -> None:
        super().__init__()
        self.places: dict[int, int] = {}


def _encode(value: Any, arrays: list[bytes], budget: list[int], caps: Caps, depth: int) -> Any:
    """The header's form of a value. Every reply and request goes through here, so the usual types come first."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if depth > caps.depth:
        raise WireError(f"the value is nested more than {caps.depth} deep")
    if isinstance(value, Tensor):
        return _tensor_header(value, arrays, caps)
    if isinstance(value, (dict, tuple, list, set, frozenset)):
        budget[0] -= len(value)  # counted before the items are walked: a list of ten million costs nothing
        if budget[0] < 0:
            raise WireError(f"the value holds more than {caps.items} items, too many to send")
        return _container_header(value, arrays, budget, caps, depth + 1)
    if isinstance(value, Handle):
        return {"handle": [value.number, value.part]}
    if isinstance(value, Callback):
        return {"callback": value.number}
    if isinstance(value, Foreign):
        return {"foreign": value.type_name}
    if isinstance(value, Lent):
        return {"lent": [value.argument, value.shape, value.strides, value.offset]}
    if isinstance(value, (np.bool_, np.integer, np.floating)):
        return value.item()
    if isinstance(value, (int, float, str)):  # a subclass of a plain type crosses as that type
        return next(base(value) for base in (int, float, str) if isinstance(value, base))
    return {"foreign": kind.__name__}


def _container_header(value: Any, arrays: list[bytes], budget: list[int], caps: Caps, depth: int) -> dict[str, Any]:
    """The header's form of a dictionary, a tuple, a list or a set, whose items are at this depth."""
    if isinstance(value, dict):
        if (state := _state_header(value, arrays, caps)) is not None:
            return state
        items = [v if type(v) in _PLAIN else _encode(v, arrays, budget, caps, depth) for v in value.values()]
        return {"dict": list(zip(map(_key, value), items, strict=True))}
    kind = "tuple" if isinstance(value, tuple) else "list" if isinstance(value, list) else "set"
    items = sorted(value, key=repr) if kind == "set" else value
    return {kind: [v if type(v) in _PLAIN else _encode(v, arrays, budget, caps, depth) for v in items]}


def _tensor_header(value: Tensor, arrays: list[bytes], caps: Caps) -> dict[str, Any]:
    """The header's form of a tensor, whose bytes are added to the arrays, in the order of its shape."""
    if type(value) is Tensor:
        return _header_of(value, arrays, caps)
    with torch._C.DisableTorchFunctionSubclass():  # a subclass must not answer in its own name
        return _header_of(value, arrays, caps)


def _header_of(value: Tensor, arrays: list[bytes], caps: Caps) -> dict[str, Any]:
    name = _NAMES.get(value.dtype)
    if name is None or value.layout != torch.strided or value.is_meta or value.is_nested:
        return {"foreign": f"Tensor of {str(value.dtype).removeprefix('torch.')}"}
    if value.nbytes > caps.array_bytes:
        raise WireError(f"a tensor of shape {tuple(value.shape)} is too large to send")
    if type(arrays) is _Written:
        if (place := arrays.places.get(id(value))) is not None:
            return {"same": place}
        arrays.places[id(value)] = len(arrays.places)
        if value.storage_offset() or not value.is_contiguous():
            return _laid(value, name, arrays, caps)
    numbers = _numbers(value)
    arrays.append(numbers.tobytes())
    return {"tensor": [name, numbers.shape]}


def _laid(value: Tensor, name: str, arrays: list[bytes], caps: Caps) -> dict[str, Any]:
    """The header's form of a tensor with its strides and offset; what crosses is the memory that it spans."""
    span = _span(value.shape, value.stride())
    if (value.storage_offset() + span) * value.dtype.itemsize > caps.array_bytes:
        raise WireError(f"a tensor of shape {tuple(value.shape)} spans too much memory to send")
    arrays.append(_numbers(value.detach().as_strided((span,), (1,))).tobytes())
    return {"laid": [name, value.shape, value.stride(), value.storage_offset()]}


def _span(shape: Sequence[int], strides: Sequence[int]) -> int:
    """How many elements lie between the first and the last of a tensor, both counted; 0 for an empty one."""
    return 0 if 0 in shape else 1 + sum((n - 1) * stride for n, stride in zip(shape, strides, strict=True))


def _state_header(value: dict, arrays: list[bytes], caps: Caps) -> dict[str, Any] | None:
    """The header's form of a dictionary of names and float32 tensors, which go as one array; None for any other.

    A module's state is such a dictionary, and most of what is sent to and fro.
    """
    if len(value) < 2:
        return None
    names, tensors, count = list(value), list(value.values()), 0
    for name, tensor in zip(names, tensors, strict=True):
        if type(name) is not str or type(tensor) is not Tensor or tensor.dtype is not torch.float32:
            return None
        if tensor.layout is not torch.strided or tensor.is_meta or tensor.is_nested:
            return None
        count += tensor.numel()
    if 4 * count > caps.array_bytes:
        raise WireError("the tensors of a dictionary are too large to send")
    parts = list(map(_numbers, tensors))
    arrays.append(b"".join([part.tobytes() for part in parts]))
    return {"state": [names, [part.shape for part in parts]]}


def _numbers(value: Tensor) -> np.ndarray:
    """The tensor's numbers, without its graph and its subclass."""
    if type(value) is not Tensor:
        value = value.detach().as_subclass(Tensor)
    elif value.requires_grad:
        value = value.detach()
    try:
        return value.numpy()
    except (TypeError, RuntimeError):  # elsewhere than on the processor, conjugated, or of a type NumPy has not
        value = value.to("cpu").resolve_conj().resolve_neg()
        return (value.view(torch.int16) if value.dtype is torch.bfloat16 else value).numpy()


def _key(key: Any) -> str | int:
    return key if type(key) in (str, int) else str(key)


def decode(header: bytes, read: Any, caps: Caps = Caps(), *, as_it_lies: bool = False) -> Any:
    """Rebuild a value from its header; `read(n)` gives the next n bytes of its arrays. Raises WireError, also for a
    tensor's strides or identity where it is not to be rebuilt `as_it_lies`."""
    if sum(map(header.count, b"[{,")) > 5 * caps.items:  # before JSON makes objects of them, 20 bytes from 1
        raise WireError(f"the header holds more than {caps.items} items")
    try:
        tree = _tree(header.decode())
    except (ValueError, RecursionError) as error:
        raise WireError(f"the header is not JSON: {error}") from None
    return _built(tree, 0, _Arrays(read, caps, as_it_lies))


def _built(node: Any, depth: int, arrays: "_Arrays") -> Any:
    """The value of a header's node. JSON makes these types and no subclass of them, so types are compared."""
    if type(node) in _PLAIN:
        return node
    if depth > arrays.caps.depth:
        raise WireError(f"the value is nested more than {arrays.caps.depth} deep")
    if type(node) is not dict or len(node) != 1:
        raise WireError("an object in the header does not name its kind")
    ((kind, body),) = node.items()
    if kind == "tensor":
        return arrays.tensor(body)
    if kind in ("laid", "same", "lent") and arrays.as_it_lies:
        return getattr(arrays, kind)(body)
    if type(body) is list:
        deeper = depth + 1
        if kind in ("list", "tuple", "set"):
            items = [inner if type(inner) in _PLAIN else _built(inner, deeper, arrays) for inner in body]
            if kind == "set":
                return set(items) if arrays.as_it_lies else Unordered(items)
            return items if kind == "list" else tuple(items)
        if kind == "dict":
            made = {}
            for pair in body:
                if type(pair) is not list or len(pair) != 2:
                    raise WireError("a dictionary in the header that is no list of pairs")
                key, inner = pair
                if type(key) is int and abs(key) > _LARGEST_KEY:  # a larger one can have the hash of any other
                    raise WireError(f"a key that is too large a number: {str(key)[:80]}")
                made[_key(key)] = inner if type(inner) in _PLAIN else _built(inner, deeper, arrays)
            return made
        if kind == "state" and list(map(type, body)) == [list, list]:
            return arrays.state(*body)
        if kind == "handle" and list(map(type, body)) == [int, str]:
            return Handle(*body)
    if kind == "callback" and type(body) is int:
        return Callback(body)
    if kind == "foreign" and type(body) is str:
        return Foreign(named(body))
    raise WireError(f"unknown kind {kind!r} in the header")


class _Arrays:
    """The tensors of one frame, in order; `read(n)` gives the next n bytes."""

    def __init__(self, read: Any, caps: Caps, as_it_lies: bool):
        self.caps, self.as_it_lies = caps, as_it_lies
        self._read, self._left = read, caps.array_bytes
        self._made: list[Tensor] = []

    def state(self, names: list[Any], shapes: list[Any]) -> dict[str, Tensor]:
        """What `_state_header` tells of."""
        if len(names) != len(shapes) or set(map(type, names)) != {str}:
            raise WireError("not a state's description")
        sizes = [self._size(shape, torch.float32) // 4 for shape in shapes]
        count = sum(sizes)
        flat = torch.from_numpy(np.frombuffer(self._read(4 * count), np.float32)).clone() if count else torch.empty(0)
        parts = zip(names, flat.split(sizes), shapes, strict=True)
        return {name: part if len(shape) == 1 else part.view(shape) for name, part, shape in parts}

    def tensor(self, body: Any) -> Tensor:
        """What `_tensor_header` tells of."""
        try:
            name, shape = body
            dtype = _DTYPES[name]
        except (KeyError, TypeError, ValueError):
            raise WireError(f"not a tensor's description: {str(body)[:80]}") from None
        self._made.append(made := self._tensor(shape, dtype))
        return made

    def laid(self, body: Any) -> Tensor:
        """What `_laid` tells of, in memory of its own that reaches from the offset to its last number."""
        try:
            name, shape, strides, offset = body
            dtype = _DTYPES[name]
            memory = self._tensor([_span(shape, strides)], dtype)
            if min([0, offset, *strides]) < 0 or len(strides) > self.caps.dimensions:
                raise ValueError
            self._left -= offset * dtype.itemsize
            if self._left < 0:
                raise WireError("the arrays are larger than allowed")
            memory = torch.cat([memory.new_zeros(offset), memory])
            self._made.append(made := memory.as_strided(shape, strides, offset))
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            if isinstance(error, WireError):
                raise
            raise WireError(f"not a description of how a tensor lies: {str(body)[:80]}") from None
        return made

    def same(self, place: Any) -> Tensor:
        """The tensor of this frame that came as number `place`."""
        if type(place) is not int or not 0 <= place < len(self._made):
            raise WireError(f"no tensor of the frame: {str(place)[:80]}")
        return self._made[place]

    def lent(self, body: Any) -> Lent:
        """What lies in memory of an argument, which only the other end has."""
        try:
            argument, shape, strides, offset = body
            return Lent(int(argument), tuple(map(int, shape)), tuple(map(int, strides)), int(offset))
        except (TypeError, ValueError):
            raise WireError(f"not a description of what lies in an argument: {str(body)[:80]}") from None

    def _tensor(self, shape: Any, dtype: torch.dtype) -> Tensor:
        size = self._size(shape, dtype)
        if size == 0:
            return torch.empty(shape, dtype=dtype)
        raw = self._read(size)
        if dtype is torch.bool:  # a byte that is neither 0 nor 1 would be an invalid bool
            return torch.from_numpy(np.frombuffer(raw, np.uint8).reshape(shape)).ne(0)
        if dtype is torch.bfloat16:  # NumPy has no such numbers
            return torch.frombuffer(raw, dtype=dtype).reshape(shape).clone()
        return torch.from_numpy(np.frombuffer(raw, _NUMPY[dtype]).reshape(shape)).clone()

    def _size(self, shape: Any, dtype: torch.dtype) -> int:
        """The bytes of a tensor, once they are taken from what is allowed."""
        if type(shape) is not list or len(shape) > self.caps.dimensions:
            raise WireError(f"not a tensor's shape: {str(shape)[:80]}")
        size = dtype.itemsize
        for n in shape:
            if type(n) is not int or not 0 <= n < 1 << 40:
                raise WireError(f"not a tensor's shape: {str(shape)[:80]}")
            size *= n
        self._left -= size
        if self._left < 0:
            raise WireError("the arrays are larger than allowed")
        if size == 0 and math.prod(n for n in shape if n) >= 1 << 40:  # strides that no machine can count
            raise WireError(f"a shape of nothing that is too large: {str(shape)[:80]}")
        return size


def copy(value: Any, *, as_it_lies: bool = False) -> Any:
    """What the value looks like after crossing: the in-process protocol's stand-in for a socket."""
    header, arrays = encode(value, as_it_lies=as_it_lies)
    stream = iter(arrays)

    def read(size: int) -> bytearray:
        raw = next(a for a in stream if a)  # an empty tensor sends no bytes and reads none
        assert len(raw) == size
        return bytearray(raw)

    return decode(header, read, as_it_lies=as_it_lies)


def digest(value: Any) -> str:
    """What tells a value from others, by what would cross of it. Raises WireError as `encode`."""
    header, arrays = encode(value)
    return hashlib.sha256(b"".join([header, *arrays])).hexdigest()


def send(sock: socket.socket, value: Any, caps: Caps = Caps(), *, as_it_lies: bool = False) -> None:
    """Send one frame, in one piece: whoever waits for it is woken once. Raises WireError before anything is sent where
    the value breaks `caps`."""
    header, arrays = encode(value, caps, as_it_lies=as_it_lies)
    sock.sendall(b"".join([LENGTHS.pack(len(header), sum(map(len, arrays))), header, *arrays]))


def receive(sock: socket.socket, caps: Caps = Caps(), *, as_it_lies: bool = False) -> Any:
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

    value = decode(bytes(body[:header]), read, caps, as_it_lies=as_it_lies)
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
