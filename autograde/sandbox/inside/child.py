"""The child: confines itself, runs the cells of one submission, then answers requests until it is ended."""

import contextlib
import os
import signal
import socket
import sys
import time

from .confinement import confine
from .output import Display, Stream, Tape

HASTY = 2.0  # seconds for a cell that has run out of its time in another child


class TimeLimit(BaseException):
    """The soft deadline. Not an Exception, so that a student's `except Exception` does not swallow it."""


def run_child(data: int, limits: dict, allowed: bytes, shell, runner) -> None:
    """Process 1 of the child's namespace: when it ends, everything that it started ends too. Never returns."""
    import torch

    wire, kill, module = runner.wire, os.kill, torch.nn.Module
    line = socket.socket(fileno=data)
    try:
        confine(limits, allowed)
        torch.default_generator.manual_seed(0)  # torch.manual_seed looks for devices, which takes milliseconds
    except BaseException as error:
        wire.send(line, {"fatal": f"{type(error).__name__}: {error}"})
        os._exit(1)
    try:
        wire.send(line, {"ready": True})
        caps = wire.Caps(header_bytes=32 << 20)
        order = wire.receive(line, caps)
        defined: dict = {}
        seconds = limits["cell_seconds"]
        for cell in order["cells"]:
            hasty = cell["index"] in order["late"]
            ran = run_cell(shell, cell["source"], limits, min(seconds, HASTY) if hasty else seconds)
            if ran["error"] and ran["error"]["limit"] == "time":  # those after it must not have to wait for ever
                seconds = max(seconds / 2, 1.0)
            wire.send(line, {"cell": cell["index"], **ran}, caps)
            defined |= components_among(shell.user_ns, order["components"], module)
            if order["measured"]:  # what it holds now is looked at from outside
                wire.receive(line, caps)
        shell.user_ns.update(defined)  # where a name was given to something else, what the cells defined as it counts
        settings_as_they_were()
        wire.send(line, {"done": True})

        def around(request, work):
            try:
                if request.get("blocked"):  # in a process that was forked before nothing is blocked, and it might help
                    with contextlib.suppress(ProcessLookupError):
                        kill(-1, signal.SIGKILL)
                with deadline(limits["request_seconds"]):
                    return work()
            except BaseException as error:
                return {"error": (type(error).__name__, str(error)[:2000])}

        # nothing but requests runs here from now on
        runner.serve(line, shell.user_ns, around, runner.Rule(lasting=True, watch=runner.Watch()))
    except BaseException:
        os._exit(1)
    os._exit(0)


def components_among(namespace: dict, names: list[str], module: type) -> dict:
    """name -> the function or class that it stands for, of those that stand for one; no module that can be called.

    Whatever an object says of itself is not asked for: its type tells, and no code of the student's runs here.
    """
    values = {name: namespace[name] for name in names if name in namespace}
    return {name: value for name, value in values.items() if callable(value) and not issubclass(type(value), module)}


def settings_as_they_were() -> None:
    """What cells may have set for their whole session, and answers that are right must not fail for."""
    import warnings

    import torch

    torch.set_grad_enabled(True)
    torch.set_default_dtype(torch.float32)
    torch.set_default_device(None)
    warnings.resetwarnings()


@contextlib.contextmanager
def deadline(seconds: float):
    """Raise TimeLimit in the code under it after `seconds`, and again every half second for code that swallows it."""

    def ring(number, frame):
        raise TimeLimit(f"took longer than {seconds:g} s")

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def run_cell(shell, source: str, limits: dict, seconds: float) -> dict:
    """Run one cell for so many seconds at most: what it put out, the exception it raised or None, what it took. An
    exception ends no run."""
    started = time.monotonic()
    tape = Tape(limits)
    kept = sys.stdout, sys.stderr, shell.display_pub
    sys.stdout, sys.stderr, shell.display_pub = Stream(tape, "stdout"), Stream(tape, "stderr"), Display(tape)
    shell.display_trap.hook.tape = tape
    try:
        with deadline(seconds):
            result = shell.run_cell(source, store_history=False)
        error = result.error_before_exec or result.error_in_exec
    except BaseException as raised:
        error = raised
    finally:
        sys.stdout, sys.stderr, shell.display_pub = kept
    try:
        description = describe(error)
    except BaseException as raised:  # an exception whose own __str__ fails
        message = f"(its message raised {type(raised).__name__})"
        description = {"name": type(error).__name__[:100], "message": message, "line": None}
    try:
        outputs = tape.finish()
    except BaseException:
        outputs = []
    return {"outputs": outputs, "cut": tape.cut, "error": description, "seconds": time.monotonic() - started}


def describe(error: BaseException | None) -> dict | None:
    """Name, message and line in the cell of an exception."""
    if error is None:
        return None
    line = error.lineno if isinstance(error, SyntaxError) else None
    trace, cell = error.__traceback__, ""
    while trace is not None and not isinstance(error, SyntaxError):
        file = trace.tb_frame.f_code.co_filename
        cell = cell or (file if "ipykernel_" in file or "ipython-input" in file else "")
        if file == cell:  # what another cell defines has lines of its own
            line = trace.tb_lineno
        trace = trace.tb_next
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    memory = isinstance(error, MemoryError) or "can't allocate memory" in message or "Cannot allocate memory" in message
    return {
        "name": type(error).__name__[:100],
        "message": str(message)[:2000],
        "line": line if isinstance(line, int) else None,
        "limit": "time" if isinstance(error, TimeLimit) else "memory" if memory else "",
    }
