"""The sandbox: a warm process inside bubblewrap that runs each submission in a fresh child. How these start,
work and end, on the trusted side; the other side is `inside`.

What is not to be known or changed is absent, not forbidden: inside there is the Python installation with its packages,
`course`, the solutions of earlier chapters that the caller names, and nothing else of this repository, the class or
the machine. No network, a read-only root. All that comes out of a child is treated as hostile. Linux only; `doctor`
says what is missing.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import socket
import time
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from autograde.sandbox import folder, outputs
from autograde.sandbox.launch import Launched, SandboxError, processors
from autograde.sandbox.limits import Limits
from autograde.sandbox.outputs import Ran
from autograde.sandbox.usage import KILLED, Usage, usage_of
from course.protocol import wire

_START_SECONDS = 180.0
_FRAME = wire.Caps(header_bytes=32 << 20, array_bytes=0)
_LEFT_OUT = 3  # how many cells that end their child are left out of a submission before it is given up


class CellLike(Protocol):
    """What `run` needs of a cell; `autograde.intake.merge.Cell` is one."""

    @property
    def index(self) -> int: ...
    @property
    def source(self) -> str: ...


class Sandbox:
    """One bubblewrap with its warm process; a worker has one and uses it from one thread.

        with Sandbox(solutions=[Path("solutions/warm_up.py")]) as sandbox:
            child = sandbox.run(cells)
            student = Student(Remote(child.socket, timeout=child.request_timeout))
            ...
            usage = child.close()

    solutions: modules of EARLIER chapters; whatever is named here can be read by the code that is graded.
    fixtures: chapters whose fixtures are inside; None for all.
    warm: names of modules to import beforehand, such as those that the notebooks import. blocked: families of
    operators that requests will block. components: names of functions and classes that the cells define: where a later
    cell gives such a name to something that is neither, such as an object of the class, requests find the function or
    class.
    ahead: what was launched before, to be used in place of a new one, and left for the next sandbox, which may be of
    another assignment: its warm process has run no student's code. One sandbox at a time uses it.
    Raises SandboxError where it does not start. It ends with the thread that opened it.
    """

    def __init__(
        self,
        solutions: Sequence[Path] = (),
        limits: Limits | None = None,
        warm: Sequence[str] = (),
        blocked: Sequence[Sequence[str]] = (),
        components: Sequence[str] = (),
        ahead: Launched | None = None,
        fixtures: Collection[str] | None = None,
    ):
        self.solutions, self.fixtures = [Path(path) for path in solutions], fixtures
        self.limits = limits or Limits()
        self.warm, self.blocked = list(warm), [list(names) for names in blocked]
        self.components = list(components)
        self.start_seconds = 0.0
        self._ahead = ahead
        self._launched: Launched | None = None
        self._control: socket.socket | None = None  # the line to the fork server
        self._spare: tuple[socket.socket, socket.socket] | None = None

    def __enter__(self) -> Sandbox:
        return self.launch().ready()

    def launch(self) -> Sandbox:
        """Start it without waiting: it warms up in its own process, and `ready` waits for that."""
        if others := [path for path in self.solutions if path.suffix != ".py"]:
            raise SandboxError(f"{others[0]} is no solution module")
        self._launched = self._ahead or self._start()
        try:
            self._control = self._tell(self._launched)
        except OSError as error:
            why = self._launched.errors() or error
            self.close()
            raise SandboxError(f"the sandbox could not be started: {why}") from error
        except BaseException:
            self.close()
            raise
        return self

    def ready(self) -> Sandbox:
        """Wait until a launched sandbox takes submissions. Raises SandboxError where it does not."""
        try:
            self._wait()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the sandbox with everything in it; what was launched ahead is left, without the fork server."""
        self._end_spare()
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._launched is not None and self._launched is not self._ahead:
            self._launched.close()
        self._launched = None

    def _start(self) -> Launched:
        return Launched()

    def _tell(self, launched: Launched) -> socket.socket:
        """Tell the process what the sandbox is for, which it waits for once it is warm; the line to the fork server
        that it makes for this."""
        folder.lay(launched.inside, self.solutions, self.fixtures)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        wanted = [json.dumps({"warm": self.warm, "blocked": self.blocked}).encode()]
        try:
            with theirs:
                socket.send_fds(launched.control, wanted, [theirs.fileno()])
        except BaseException:
            ours.close()
            raise
        return ours

    def _wait(self) -> None:
        if self._launched is None or self._control is None:
            raise SandboxError("the sandbox was not launched")
        self._control.settimeout(_START_SECONDS)
        try:
            ready = json.loads(self._control.recv(1 << 16) or b"{}")
        except (OSError, ValueError):
            ready = {}
        if not ready.get("ready"):
            reason = self._launched.errors()[-2000:] or f"no word from it in {_START_SECONDS:g} s"
            raise SandboxError(f"the sandbox did not start: {reason}")
        if ready["threads"] != 1:
            raise SandboxError(
                f"the warm process has {ready['threads']} threads, and a fork of it may hang: "
                f"a module of {self.warm} starts some"
            )
        self.start_seconds = time.monotonic() - self._launched.began

    def run(
        self,
        cells: Sequence[CellLike],
        limits: Limits | None = None,
        until: float = float("inf"),
        measured: bool = False,
        late: Collection[int] = (),
    ) -> Child:
        """Run the cells in a fresh child and return it, ready for requests; `limits` in place of the sandbox's own.
        `measured`: what each cell leaves in memory is asked for after it, and stands in the child's `kept`. Each cell
        that runs out of its time halves that of those after it; those that are `late`, by index, did so in another
        child, and have two seconds.

        A cell that ends its child (by time, memory, a crash or an exit) is left out and the rest is run once more in a
        new one, so that it costs no other exercise; after three such cells, or after the moment `until` (of the
        monotonic clock), the child is returned dead, and its requests fail. Raises SandboxError where isolation fails:
        then nothing has run; and where the machine killed the child, which is no doing of its cells.
        """
        limits = limits or self.limits
        left_out: dict[int, Ran] = {}
        before = Usage()
        while True:
            child = Child(self._lines(limits), limits, before)
            try:
                left = [cell for cell in cells if cell.index not in left_out]
                stuck = child._execute(left, self.components, measured, late)
            except BaseException:
                _go_anywhere()
                raise
            if stuck is None or len(left_out) == _LEFT_OUT or time.monotonic() >= until:
                break
            before = _by_itself(child.close())
            left_out[stuck] = outputs.ended(stuck, before, limits)
        child.ran |= left_out
        if stuck is not None:
            child.ran[stuck] = outputs.ended(stuck, _by_itself(child.close()), limits)
        return child

    def _lines(self, limits: Limits) -> tuple[socket.socket, socket.socket]:
        """The lines of a child with these limits: as a rule of one that was made ahead, while the cells of the
        submission before ran. It has seen nothing of that one. Where the machine has ended it, another is made.
        """
        if limits != self.limits or (self._spare is not None and _hung_up(self._spare[1])):
            self._end_spare()
        lines, self._spare = self._spare or self._fork(limits), None
        self._spare = self._fork(self.limits)
        return lines

    def _end_spare(self) -> None:
        for line in self._spare or ():
            line.close()
        self._spare = None

    def _fork(self, limits: Limits) -> tuple[socket.socket, socket.socket]:
        """(line to the child, line to its supervisor) of a new child."""
        if self._control is None:
            raise SandboxError("the sandbox is closed")
        ours, theirs = socket.socketpair()
        report, supervisors = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        wanted = [json.dumps(asdict(limits)).encode()]
        with theirs, supervisors:
            try:
                socket.send_fds(self._control, wanted, [theirs.fileno(), supervisors.fileno()])
            except OSError as error:
                raise SandboxError(f"the warm process is gone: {error}") from None
        return ours, report


class Child:
    """One submission's process. `socket` is the line for `remote.Remote`; `ran` tells of each cell, by index, and
    `kept`, where that was measured, how many bytes more the child held after it than before."""

    def __init__(self, lines: tuple[socket.socket, socket.socket], limits: Limits, before: Usage):
        self.limits = limits
        self.ran: dict[int, Ran] = {}
        self.kept: dict[int, int] = {}
        self._before = before
        self._usage: Usage | None = None
        self._told: dict[str, Any] = {}  # the supervisor's last word, where it came in place of another answer
        self._late = False  # whether a cell has kept us waiting in vain
        self._left = limits.outputs  # of what all cells together may put out
        self.socket, self._report = lines

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def outputs(self) -> dict[int, list[dict[str, Any]]]:
        """nbformat outputs of each cell, by index."""
        return {index: ran.outputs for index, ran in self.ran.items()}

    @property
    def request_timeout(self) -> float:
        """The hard limit of a request in seconds: a little later than the one that the child keeps itself."""
        return self.limits.request_seconds + self.limits.grace

    def _execute(
        self, cells: list[CellLike], components: list[str], measured: bool, late: Collection[int]
    ) -> int | None:
        """Run the cells; returns the index of the cell in which the child ended, or None."""
        current = -1
        try:
            first = self._receive(self.limits.grace + 30)
            if not isinstance(first, dict) or "ready" not in first:
                raise SandboxError(f"a child could not be isolated: {first}")
        except (EOFError, OSError, wire.WireError) as error:
            reason = self._failure() or error or "it ended at once"
            raise SandboxError(f"a child could not be isolated: {reason}") from None
        self._begin()
        try:
            current = cells[0].index if cells else -1
            wanted = [{"index": cell.index, "source": outputs.encodable(cell.source)} for cell in cells]
            self.socket.settimeout(self.limits.cell_seconds)
            order = {"cells": wanted, "components": components, "measured": measured, "late": list(late)}
            wire.send(self.socket, order, _FRAME)
            before = 0
            for place, cell in enumerate(cells):
                current = cell.index
                message = self._receive(self.limits.cell_seconds + self.limits.grace)
                self.ran[current] = outputs.decoded(current, message, self.limits, self._left)
                self._left -= outputs.size_of(self.ran[current].outputs)
                if measured:
                    held = self.held()
                    self.kept[current], before = held - before, held
                    wire.send(self.socket, {"go on": True}, _FRAME)
                current = cells[place + 1].index if place + 1 < len(cells) else current
            if self._receive(self.limits.grace) != {"done": True}:
                raise wire.WireError("the cells did not end in order")
        except (EOFError, OSError, wire.WireError, ValueError, TypeError, KeyError, RecursionError) as error:
            self._late = isinstance(error, TimeoutError)
            return current
        return None

    def _begin(self) -> None:
        """Have the child's time and memory counted from now on, and bring it to the processor that this thread is on,
        where both stay until `close`: one waits while the other works, and to wake somebody on another processor takes
        longer than most requests.
        """
        processor = ctypes.CDLL(None).sched_getcpu()
        with contextlib.suppress(OSError):  # any processor will do
            os.sched_setaffinity(0, {processor})
        try:
            self._report.settimeout(30)
            self._report.send(json.dumps({"begin": processor}).encode())
            answer = json.loads(self._report.recv(1 << 16))
        except (OSError, ValueError) as error:
            answer = {"fatal": error}
        if "begun" not in answer:
            reason = answer.get("fatal", "its child has ended")
            raise SandboxError(f"the supervisor of a child does not answer: {reason}")

    def _receive(self, seconds: float) -> Any:
        return wire.receive(_Before(self.socket, time.monotonic() + seconds), _FRAME)  # type: ignore[arg-type]

    def _failure(self) -> str:
        """The supervisor's own failure, where it could not even make the namespaces; "" where it says nothing."""
        with contextlib.suppress(OSError, ValueError):
            self._report.settimeout(1)
            return str(json.loads(self._report.recv(1 << 16)).get("fatal", ""))
        return ""

    def held(self) -> int:
        """Bytes of memory that the child holds beyond what it began with; 0 for one that has ended."""
        report = self._asked("held")
        if "status" in report:
            self._told = report
        return report.get("held", 0)

    def close(self) -> Usage:
        """End the child, wait until it has ended, and return what the submission used. May be called twice."""
        return self._end(dismissed=False)

    def dismiss(self) -> Usage:
        """`close` for a child that has answered all it was asked: its supervisor kills it, and nobody waits for that,
        which takes longer than most cells. Its CPU seconds, and those that it waited, are not counted.
        """
        return self._end(dismissed=True)

    def _end(self, dismissed: bool) -> Usage:
        if self._usage is None:
            self._usage = self._before + self._used(dismissed)
        return self._usage

    def _used(self, dismissed: bool) -> Usage:
        """End the child; what it used, as its supervisor tells."""
        _go_anywhere()
        with self.socket, self._report:
            hung_up = _hung_up(self.socket)
            report = self._told or ({} if dismissed or hung_up else self._asked("account"))
            if "status" not in report:
                with contextlib.suppress(OSError):
                    if dismissed and not hung_up:
                        self._report.send(b'{"dismiss": true}')
                    else:
                        self.socket.shutdown(socket.SHUT_RDWR)
                in_time = False
                with contextlib.suppress(OSError):
                    in_time = bool(select.select([self._report], [], [], 0.5)[0])
                report = self._asked("" if in_time else "end")
        if "status" not in report:
            raise SandboxError(f"the supervisor of a child ended without a report: {report.get('fatal', 'no word')}")
        used = usage_of(report, hung_up, self.limits)
        return replace(used, outcome="timeout") if used.outcome == "stopped" and self._late else used

    def _asked(self, word: str) -> dict[str, Any]:
        """What the supervisor says, after this word where there is one: its report where the child has ended."""
        wanted = {"status", "fatal", {"account": "accounted"}.get(word, word)}
        try:
            self._report.settimeout(10)
            if word:
                with contextlib.suppress(OSError):  # it has ended, and its report lies there
                    self._report.send(json.dumps({word: True}).encode())
            report = json.loads(self._report.recv(1 << 16))
            while wanted.isdisjoint(report):  # to a word before, which had taken too long
                report = json.loads(self._report.recv(1 << 16))
        except (OSError, ValueError):
            return {}
        return report


def _by_itself(usage: Usage) -> Usage:
    """The usage of a child that ended by its own doing. Raises SandboxError where the machine killed it."""
    if usage.outcome == KILLED:
        raise SandboxError(f"a child was {KILLED} ({usage.signal}), as a machine does that has no memory left")
    return usage


def _go_anywhere() -> None:
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, processors())


@dataclass
class _Before:
    """A socket whose reads all end at one moment, however slowly bytes trickle in."""

    line: socket.socket
    moment: float

    def recv_into(self, view: memoryview) -> int:
        left = self.moment - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self.line.settimeout(left)
        return self.line.recv_into(view)


def _hung_up(line: socket.socket) -> bool:
    poll = select.poll()
    poll.register(line, 0)  # a hang-up is always reported, unread bytes or not
    return bool(poll.poll(0))
