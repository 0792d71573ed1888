"""What a submission used of the machine, and how its child ended: what its supervisor, which is ours, reports."""

from __future__ import annotations

import contextlib
import os
import signal
from dataclasses import dataclass, replace
from typing import Any

from autograde.sandbox.limits import Limits

RAN_OUT = 0.8  # of a limit of processor time
KILLED = "killed from outside"
_FROM_OUTSIDE = {"SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"}  # no fault of a program sends one to process 1


@dataclass(frozen=True)
class Usage:
    """What a submission used, over all its tries. `outcome`: ok, timeout, out of memory, crashed (by `signal`), exited;
    stopped where the grader had it ended, for a reason that the grader alone knows; killed from outside (`KILLED`),
    which nothing inside can do: by the machine, which has no memory left, or by somebody on it.

    `peak_bytes` is memory beyond that of the warm process, sampled while it ran, shared memory included.
    `waited_seconds` are those in which it could have run and the machine had no processor free for it, or in
    which it waited for a disk.
    """

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    waited_seconds: float = 0.0
    peak_bytes: int = 0
    outcome: str = "ok"
    signal: str = ""

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.seconds + other.seconds,
            self.cpu_seconds + other.cpu_seconds,
            self.waited_seconds + other.waited_seconds,
            max(self.peak_bytes, other.peak_bytes),
            other.outcome,
            other.signal,
        )


def usage_of(report: dict[str, Any], hung_up: bool, limits: Limits) -> Usage:
    """What a supervisor's report comes to; `hung_up` says that the child's line had ended before anybody ended it."""
    status = report["status"]
    used = Usage(report["seconds"], report["cpu_seconds"], report["waited_seconds"], report["peak_bytes"])
    if not os.WIFSIGNALED(status):  # by itself, even where it was to be killed
        return replace(used, outcome="exited" if hung_up or status else "ok")
    if report["killed"]:
        return replace(used, outcome={"memory": "out of memory", "time": "timeout"}.get(report["killed"], "stopped"))
    number = os.WTERMSIG(status)
    if number == signal.SIGKILL:
        # Nobody inside can send it to process 1: the CPU limit, or the machine. The kernel counts a limit by its ticks:
        # on a busy machine it was seen to kill at .89 of what it then reports.
        ran_out = used.cpu_seconds >= limits.cpu_seconds * RAN_OUT
        return replace(used, outcome="timeout" if ran_out else KILLED, signal="SIGKILL")
    name = str(number)
    with contextlib.suppress(ValueError):
        name = signal.Signals(number).name
    return replace(used, outcome=KILLED if name in _FROM_OUTSIDE else "crashed", signal=name)
