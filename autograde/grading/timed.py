"""The line into a sandbox as one exercise has it: until a reply is late, or its time is up."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from autograde.sandbox.remote import Remote


class TimedRemote:
    """A protocol that gives an exercise up at its first late reply: a loop without end costs one deadline, not one a
    row. It gives it up, too, where there is more to ask after the moment `until` (of the monotonic clock).
    """

    def __init__(self, remote: Remote, until: float):
        self._remote, self._until = remote, until
        self.late = False
        self.cut_off = False  # whether its time was up
        self.no_memory = False  # whether something that it ran got no memory
        self.too_large = False  # whether an answer was too large, or nested too deep, to be sent

    @property
    def failure(self) -> str | None:
        return "timeout" if self.late else self._remote.failure or ("cut off" if self.cut_off else None)

    def request(self, message: dict[str, Any], callbacks: list[Callable]) -> dict[str, Any]:
        self.cut_off = self.cut_off or time.monotonic() >= self._until
        if self.failure:
            return {"error": ("SandboxLost", self.failure)}
        reply = self._remote.request(message, callbacks)
        self.late = "error" in reply and reply["error"][0] == "TimeLimit"
        self.too_large |= "error" in reply and reply["error"][0] == "TooLarge"
        self.no_memory |= "error" in reply and _for_want_of_memory(*reply["error"])
        return reply


def _for_want_of_memory(kind: str, words: str) -> bool:
    """Whether an error is one of those that Python, NumPy and PyTorch raise where there is no memory left."""
    return "MemoryError" in kind or "allocate memory" in words
