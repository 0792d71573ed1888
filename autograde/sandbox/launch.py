"""Starts a Python inside bubblewrap, and ends it: what a sandbox is before it knows what it is for.

It is light: no PyTorch out here. So a run can have its sandbox warm up beside its own imports, which take about as
long (`ahead`).
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from autograde.sandbox import command, folder, seccomp
from autograde.sandbox.causes import DEVICES, device_fault

FORK_SERVER = ("-P", "-m", "inside")


class SandboxError(RuntimeError):
    """The sandbox itself does not work: nothing may be run, and no student is to blame."""


class Launched:
    """A process that warms up inside bubblewrap: `control` is the line to it, `inside` the folder that it sees as
    /sandbox. `began` is when it was started, by the monotonic clock. It ends with the thread that started it.

    `fill` puts what is to be seen into that folder, and `program` is what Python runs there. Raises SandboxError where
    it cannot be started.
    """

    def __init__(self, program: tuple[str, ...] = FORK_SERVER, fill: Callable[[Path], None] = folder.fill):
        self.began = time.monotonic()
        processors()
        self._cleanup = contextlib.ExitStack()
        self._errors: BinaryIO
        self.control: socket.socket
        self._process: subprocess.Popen
        try:
            self._start(program, fill)
        except OSError as error:
            self._cleanup.close()
            raise SandboxError(f"the sandbox could not be started: {error}") from error
        except BaseException:
            self._cleanup.close()
            raise

    def _start(self, program: tuple[str, ...], fill: Callable[[Path], None]) -> None:
        bubblewrap, allowed = _prerequisites()
        own = Path(self._cleanup.enter_context(tempfile.TemporaryDirectory(prefix="sandbox-")))
        self.inside = own / "inside"
        fill(self.inside)
        folder.complete(self.inside)
        errors = self._errors = self._cleanup.enter_context((own / "errors").open("w+b"))
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._cleanup.callback(self.control.close)
        with theirs:
            self._process = subprocess.Popen(
                [bubblewrap, *command.arguments(self.inside, theirs.fileno(), allowed), *program],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=errors,
                stderr=errors,
                start_new_session=True,
                cwd="/",
            )

    def errors(self) -> str:
        """What it has written as errors."""
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace").strip()

    def close(self, patience: float = 2.0) -> None:
        """End it with everything in it; it has so many seconds to end by itself."""
        self.control.close()
        try:
            self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._cleanup.close()


@contextlib.contextmanager
def ahead(wanted: bool = True) -> Iterator[Launched | None]:
    """A process for sandboxes to come, that warms up from now on, or None where it is not `wanted` or cannot be had:
    who needs it then starts one, and hears why not. It ends with the block, if it has not before."""
    launched = None
    if wanted:
        with contextlib.suppress(SandboxError):
            launched = Launched()
    try:
        yield launched
    finally:
        if launched is not None:
            launched.close(patience=0.0)


def _prerequisites() -> tuple[str, bytes]:
    """(where bubblewrap is, the filter of system calls). Raises SandboxError where anything is missing or faulty."""
    bubblewrap = shutil.which("bwrap")
    if bubblewrap is None:
        raise SandboxError("bubblewrap is not installed (Debian, Ubuntu: apt-get install bubblewrap)")
    if faults := [fault for name in DEVICES if (fault := device_fault(name))]:
        raise SandboxError(faults[0])
    try:
        return bubblewrap, seccomp.program()
    except seccomp.FilterError as error:
        raise SandboxError(str(error)) from None


@lru_cache(maxsize=1)
def processors() -> set[int]:
    """Those that this program may run on, looked up before it keeps to one of them."""
    return os.sched_getaffinity(0)
