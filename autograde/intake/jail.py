"""The jail in which children without rights look at what students handed in, and how such a child ends.

The jail is the sandbox's own (bubblewrap, namespaces, limits, the filter of system calls) with another program in it,
which knows the class's assignment and imports neither torch nor the course. Each question gets a child of its own; it
sees the bytes that it is given, and nothing of the class, the gradebook or the network. A child that crashes or wants
too much costs its own submission its grade, with a reason, and nothing else. One that was killed from outside, or had
no processor to run on, costs nobody anything: that is a failure of the machine's.
"""

from __future__ import annotations

import json
import shutil
import socket
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import course.blank
import course.exercises
from autograde.intake import protocol
from autograde.intake.marks import marks_of_all
from autograde.sandbox.launch import Launched
from autograde.sandbox.limits import MIB, Limits
from autograde.sandbox.pool import Child, Sandbox, SandboxError
from autograde.sandbox.usage import KILLED, RAN_OUT, Usage

if TYPE_CHECKING:
    from nbformat import NotebookNode

# Of the grader's modules, all that stand inside.
INSIDE = (
    "__init__", "text", "sandbox/__init__", "sandbox/inside/__init__", "sandbox/inside/confinement",
    "sandbox/inside/fork_server", "sandbox/inside/kernel", "sandbox/inside/supervisor",
    "intake/__init__", "intake/archives", "intake/comparison",
    "intake/environment", "intake/flags", "intake/inside", "intake/magics", "intake/marks", "intake/matching",
    "intake/merge", "intake/names", "intake/notes", "intake/parse", "intake/protocol", "intake/syntax", "intake/unpack",
)  # fmt: skip
LIMITS = Limits(
    wall_seconds=60.0, cpu_seconds=20, memory=2048 * MIB, disk=64 << 10, processes=1, open_files=16, grace=5.0
)
# of a source, which is a whole class's; for what a student handed in see `limits_of`
SOURCE_LIMITS = replace(LIMITS, wall_seconds=3600.0, cpu_seconds=1800, memory=1024 * MIB)
_PROGRAM = ("-P", "-m", "autograde.intake.inside")
_HERE = Path(__file__).resolve().parent.parent
ENDS = {
    "timeout": ("it took too long to read", "reading it was stopped: no end within the limit of time"),
    "out of memory": ("it takes too much memory to read", "reading it was stopped: more memory than is given"),
    "crashed": ("it breaks the program that reads notebooks", "the process that read it crashed"),
}
DAMAGED = ("it is damaged", "the process that read it ended, or gave no answer of the right form")
_NEXT = "Open it in JupyterLab, clear its outputs, save it and hand it in again."


class Unread(Exception):
    """A file that its child could not read: the reasons, for the student and for the instructor."""

    def __init__(self, outcome: str, more: str = ""):
        why, detail = ENDS.get(outcome, DAMAGED)
        self.student = f"Your file could not be read: {why}. {_NEXT}"
        self.instructor = f"{detail}{more and f' ({more})'}"
        super().__init__(self.instructor)


class Reader(Child):
    """A child of the jail."""

    def begin(self) -> None:
        """Raises SandboxError where it is not isolated: it has been given nothing yet."""
        try:
            first = protocol.receive_json(self.socket, 1 << 16, time.monotonic() + self.limits.grace + 30)
        except (EOFError, OSError, ValueError) as error:
            raise SandboxError(f"a child of the intake could not be isolated: {self._failure() or error}") from None
        if first != {"ready": True}:
            raise SandboxError(f"a child of the intake could not be isolated: {first}")
        self._begin()
        self.until = time.monotonic() + self.limits.wall_seconds + self.limits.grace

    def send(self, data: bytes) -> None:
        self.socket.settimeout(max(self.until - time.monotonic(), 0.001))
        protocol.send(self.socket, data)

    def receive(self, most: int) -> bytes:
        return protocol.receive(self.socket, most, self.until)

    def receive_json(self, most: int, form: Any) -> Any:
        return protocol.formed(json.loads(self.receive(most)), form)


class Jail(Sandbox):
    """A sandbox with the intake's worker in the fork server's place."""

    def __init__(self, assignment: NotebookNode | None, limits: Limits):
        super().__init__(limits=limits)
        self._given = None if assignment is None else {"notebook": assignment, "marks": sorted(marks_of_all())}

    def _start(self) -> Launched:
        return Launched(_PROGRAM, self._fill)

    def _tell(self, launched: Launched) -> socket.socket:
        """Nothing: it has found all that it needs in its folder, and is the fork server itself."""
        return launched.control

    def _fill(self, inside: Path) -> None:
        for name in INSIDE:
            target = inside / "autograde" / f"{name}.py"
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(_HERE / f"{name}.py", target)
        (inside / "course").mkdir()
        (inside / "course" / "__init__.py").touch()  # the package's own would import torch
        for module in (course.blank, course.exercises):  # of the latter the names: what the exercises are is not told
            shutil.copy(Path(str(module.__file__)), inside / "course")
        (inside / "assignment.json").write_text(json.dumps(self._given), "utf-8")

    def child(self, limits: Limits) -> Reader:
        return Reader(self._lines(limits), limits, Usage())


def limits_of(size: int) -> Limits:
    """A student's archive of this many bytes: a notebook's limits of time, and for each megabyte what a slow machine
    takes to inflate and hand over a hundred."""
    more = size / MIB
    wall, cpu = LIMITS.wall_seconds + 6 * more, LIMITS.cpu_seconds + int(2 * more)
    return replace(
        SOURCE_LIMITS,
        wall_seconds=min(wall, SOURCE_LIMITS.wall_seconds),
        cpu_seconds=min(cpu, SOURCE_LIMITS.cpu_seconds),
    )


def outcome_of(usage: Usage, error: Exception, limits: Limits) -> str:
    """How a child ended that gave no whole answer, where what it was given to read is the reason. Raises SandboxError
    where the machine is: it killed the child (`Usage`), or gave it no processor when it would have gone on."""
    late = usage.outcome == "timeout" or (usage.outcome in ("ok", "stopped") and isinstance(error, TimeoutError))
    ready = usage.cpu_seconds + usage.waited_seconds
    starved = late and usage.cpu_seconds < RAN_OUT * limits.cpu_seconds and ready > usage.seconds / 2
    if starved or usage.outcome == KILLED:
        had = f"{usage.cpu_seconds:.0f} s of processor time in {usage.seconds:.0f} s"
        why = f"no end within its time, with {had}" if starved else f"{usage.signal} from outside, after {had}"
        raise SandboxError(f"a child of the intake was lost to the machine: {why}")
    return "timeout" if late else usage.outcome
