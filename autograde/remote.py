"""The trusted end of the line into a sandbox: a transport for `course.transport.student.Student`.

Everything read here was written by a process that may be hostile: frames are capped in size, shape and time, and the
number of call-backs a request may make is limited.
"""

import socket
import time
from collections.abc import Callable
from typing import Any

from course.transport import wire
from course.transport.runner import described

REPLY = wire.Caps(header_bytes=1 << 20, array_bytes=64 << 20)
MAX_CALLBACKS = 10_000


class Remote:
    """Sends requests over a socket; `timeout` is the hard limit in seconds for each request with its call-backs.

    Once a reply is late or malformed the line is given up: `failure` says why ("timeout", "gone", "protocol"), and
    every later request fails at once.
    """

    def __init__(self, sock: socket.socket, timeout: float):
        self._socket = sock
        self._timeout = timeout
        self.failure: str | None = None

    def request(self, message: dict[str, Any], callbacks: list[Callable]) -> dict[str, Any]:
        if self.failure is not None:
            return {"error": ("SandboxLost", self.failure)}
        deadline = time.monotonic() + self._timeout
        try:
            self._send(message, deadline)
            for _ in range(MAX_CALLBACKS):
                reply = self._receive(deadline)
                if not isinstance(reply, dict):
                    raise wire.WireError("a reply that is no dictionary")
                if "callback" in reply:
                    self._answer(self._called_back(reply, callbacks), deadline)
                elif "error" in reply:
                    kind, told = reply["error"]
                    return {"error": (str(kind)[:100], str(told)[:2000])}
                elif "ok" in reply and isinstance(reply.get("arguments", []), list):
                    return reply
                else:
                    raise wire.WireError("a reply that is neither a result nor an error")
            raise wire.WireError(f"more than {MAX_CALLBACKS} call-backs")
        except TimeoutError:
            self.failure = "timeout"
        except (EOFError, OSError):
            self.failure = "gone"
        except (wire.WireError, ValueError, TypeError, KeyError, RecursionError, MemoryError):
            self.failure = "protocol"
        return {"error": ("SandboxLost", self.failure)}

    def _called_back(self, reply: dict[str, Any], callbacks: list[Callable]) -> dict[str, Any]:
        number, args, kwargs = reply["callback"], reply.get("args", []), reply.get("kwargs", {})
        if type(number) is not int or not 0 <= number < len(callbacks):
            raise wire.WireError("a call-back that was never offered")
        try:
            return {"ok": callbacks[number](*args, **kwargs)}
        except Exception as error:  # the student's arguments do not fit: an error of theirs, raised over there
            return {"error": described(error)}

    def _answer(self, value: dict[str, Any], deadline: float) -> None:
        """Send what a called-back function gave; where that is too large to send, the caller hears so."""
        try:
            self._send(value, deadline)
        except wire.WireError as error:
            self._send({"error": described(error)}, deadline)

    def _send(self, value: Any, deadline: float) -> None:
        self._socket.settimeout(_left(deadline))
        wire.send(self._socket, value)

    def _receive(self, deadline: float) -> Any:
        """Receive a frame before the deadline, however slowly its bytes trickle in."""
        return wire.receive(_Deadline(self._socket, deadline), REPLY)  # type: ignore[arg-type]


class _Deadline:
    """A socket whose every read waits only until one moment, so that a trickle of bytes cannot stretch it."""

    def __init__(self, sock: socket.socket, deadline: float):
        self._socket, self._deadline = sock, deadline

    def recv_into(self, view: memoryview) -> int:
        self._socket.settimeout(_left(self._deadline))
        return self._socket.recv_into(view)


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
