"""The trusted end of the line into a sandbox: a protocol for `course.protocol.student.Student`.

Everything read here was written by a process that may be hostile. Capped are a frame (bytes, items, depth, dimensions),
a request (time, number of call-backs, bytes of what it calls back with, as that is computed with out here), and the
line as a whole (bytes).
"""

import math
import socket
import time
from collections.abc import Callable
from typing import Any

from torch import Tensor

from autograde.text import printable
from course.protocol import wire
from course.protocol.runner import described

REPLY = wire.Caps(header_bytes=1 << 20, array_bytes=64 << 20)
MAX_CALLBACKS = 10_000
CALLBACK_BYTES = 16 << 20  # over all call-backs of a request
CALLBACK_NUMBERS = 1 << 16  # in one call: it is computed with out here, and right answers call with a few hundred


class Remote:
    """Sends requests over a socket; `timeout` is the hard limit in seconds for each request with its call-backs, and
    `replies` that of all bytes that come back on the line.

    A frame that bears the number of an earlier request is passed over (`stale` counts them): code that writes replies
    of its own on the line spoils none of the requests that follow. Once a reply is late or malformed the line is given
    up: `failure` says why ("timeout", "gone", "protocol"), and every later request fails at once.
    """

    def __init__(self, sock: socket.socket, timeout: float, replies: int = 512 << 20):
        self._socket = sock
        self._timeout = timeout
        self._left = replies
        self._number = 0
        self.stale = 0
        self.failure: str | None = None

    def request(self, message: dict[str, Any], callbacks: list[Callable]) -> dict[str, Any]:
        if self.failure is not None:
            return {"error": ("SandboxLost", self.failure)}
        deadline, called = time.monotonic() + self._timeout, 0
        try:
            self._number += 1
            self._send(message | {"number": self._number}, deadline, as_it_lies=True)
            for _ in range(MAX_CALLBACKS):
                before = self._left
                reply = self._receive(deadline)
                if not isinstance(reply, dict):
                    raise wire.WireError("a reply that is no dictionary")
                number = reply.get("number")
                if type(number) is int and 0 < number < self._number:
                    self.stale += 1
                elif "callback" in reply:
                    called += before - self._left
                    if called > CALLBACK_BYTES:
                        raise wire.WireError("call-backs with more than is allowed")
                    self._answer(self._called_back(reply, callbacks), deadline)
                elif number != self._number:
                    raise wire.WireError("a reply to no request")
                elif "error" in reply:
                    kind, text = reply["error"]
                    if not isinstance(kind, str) or not isinstance(text, str):
                        raise wire.WireError("an error that is not in words")  # a tensor's would take long to make
                    error = (printable(kind[:100]), printable(text[:2000]))
                    beside = {name: reply.get(name) for name in ("prefetched", "operators")}
                    return {"error": error, "queued": reply.get("queued") is True, **beside}
                elif "ok" in reply and type(reply.get("changed", False)) is bool:
                    return reply
                else:
                    raise wire.WireError("a reply that is neither a result nor an error")
            raise wire.WireError(f"more than {MAX_CALLBACKS} call-backs")
        except TimeoutError:
            self.failure = "timeout"
        except (EOFError, OSError):
            self.failure = "gone"
        except (wire.WireError, ValueError, TypeError, KeyError, RecursionError, MemoryError, RuntimeError):
            self.failure = "protocol"
        return {"error": ("SandboxLost", self.failure)}

    def _called_back(self, reply: dict[str, Any], callbacks: list[Callable]) -> dict[str, Any]:
        number, args, kwargs = reply["callback"], reply.get("args", []), reply.get("kwargs", {})
        if type(number) is not int or not 0 <= number < len(callbacks):
            raise wire.WireError("a call-back that was never offered")
        if (count := _numbers([args, kwargs])) > CALLBACK_NUMBERS:
            return {"error": ("ValueError", f"called with {count} numbers, and {CALLBACK_NUMBERS} are the most")}
        try:
            return {"ok": callbacks[number](*args, **kwargs)}
        except Exception as error:  # the student's arguments do not fit: an error of theirs, raised over there
            return {"error": described(error)}

    def _answer(self, value: dict[str, Any], deadline: float) -> None:
        """Send what a called-back function gave; where that is too large to send, the caller hears so."""
        try:
            self._send(value, deadline, as_it_lies=True)
        except wire.WireError as error:
            self._send({"error": described(error)}, deadline)

    def _send(self, value: Any, deadline: float, *, as_it_lies: bool = False) -> None:
        self._socket.settimeout(_left(deadline))
        wire.send(self._socket, value, as_it_lies=as_it_lies)

    def _receive(self, deadline: float) -> Any:
        """Receive a frame before the deadline, however slowly its bytes trickle in, and within the line's bytes."""
        metered = _Metered(self._socket, deadline, self._left)
        try:
            return wire.receive(metered, REPLY)  # type: ignore[arg-type]
        finally:
            self._left = metered.left


class _Metered:
    """A socket whose every read waits only until one moment, so that a trickle of bytes cannot stretch it, and that
    gives so many bytes and no more.
    """

    def __init__(self, sock: socket.socket, deadline: float, left: int):
        self._socket, self._deadline, self.left = sock, deadline, left

    def recv_into(self, view: memoryview) -> int:
        self._socket.settimeout(_left(self._deadline))
        count = self._socket.recv_into(view)
        self.left -= count
        if self.left < 0:
            raise wire.WireError("the line has carried more than is allowed")
        return count


def _numbers(value: Any) -> int:
    """How many numbers the tensors in a nest of lists, tuples and dicts hold; one of nothing counts by its shape."""
    if isinstance(value, Tensor):
        return math.prod(max(size, 1) for size in value.shape)
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple, set)) else ()
    return sum(map(_numbers, inner))


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
