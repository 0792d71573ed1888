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


def serve(control: socket.socket, started: float, work) -> None:
    """Says that it is ready and forks a child for each job, for ever. `work(data, limits)` runs in the child, gives up
    what it can (`confine`), and never returns."""
    gc.collect()
    gc.freeze()  # keeps the collector from touching, and so copying, the pages that children share
    ready = {"ready": True, "seconds": time.monotonic() - started, "threads": len(os.listdir("/proc/self/task"))}
    control.send(json.dumps(ready).encode())
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 1 << 16, 2)
        # Supervisors that have ended: their seconds count with the sandbox's.
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not message:
            os._exit(0)
        pid = os.fork()
        if pid == 0:
            data, report = descriptors
            supervisor(data, report, json.loads(message), work)
        for descriptor in descriptors:
            os.close(descriptor)
