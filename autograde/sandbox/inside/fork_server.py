"""The fork server: gives up root, says that it is ready, and forks a supervisor for each job.

It has one thread, for ever: a child that uses two OpenMP threads hangs if its parent ever did.
"""

import base64
import contextlib
import gc
import json
import os
import socket
import time
from collections.abc import Callable

from .kernel import PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS, checked, libc
from .supervisor import supervisor

UNPRIVILEGED = 65533  # user and group inside; really that user where the grader was started as root


def begin() -> tuple[socket.socket, bytes]:
    """Drops root; returns the control socket, and the filter of system calls for `confine`."""
    drop_root()
    control = socket.socket(fileno=int(os.environ.pop("SANDBOX_CONTROL")))
    return control, base64.b64decode(os.environ.pop("SANDBOX_FILTER"))


def drop_root() -> None:
    """Started as root, become an unprivileged user for good: the mounts are made, and RLIMIT_NPROC holds no root."""
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(UNPRIVILEGED, UNPRIVILEGED, UNPRIVILEGED)
        os.setresuid(UNPRIVILEGED, UNPRIVILEGED, UNPRIVILEGED)
    checked(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    checked(libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), "dumpable")  # setuid cleared it, and /proc/self/uid_map needs it


def serve(control: socket.socket, started: float, work: Callable[[int, dict], None]) -> None:
    """Says that it is ready and forks a child for each job, for ever. `work(data, limits)` runs in the child, gives up
    what it can (`confine`), and never returns."""
    lasting()
    ready = {"ready": True, "seconds": time.monotonic() - started, "threads": len(os.listdir("/proc/self/task"))}
    control.send(json.dumps(ready).encode())

    def job(message: bytes, lines: list[int]) -> None:
        data, report = lines
        supervisor(data, report, json.loads(message), work)

    each_forked(control, 2, job)


def lasting() -> None:
    """Keeps the collector from touching, and so copying, the pages that forks share."""
    gc.collect()
    gc.freeze()


def each_forked(control: socket.socket, lines: int, work: Callable[[bytes, list[int]], None]) -> None:
    """Forks a process for each message, with so many descriptors, until the line ends, and then ends too.
    `work(message, descriptors)` runs in the fork, and never returns."""
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 1 << 16, lines)
        with contextlib.suppress(ChildProcessError):  # those that have ended
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not message:
            os._exit(0)
        if os.fork() == 0:
            work(message, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
