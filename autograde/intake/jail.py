"""The grader's side of the intake: a jail in which children without rights look at what students handed in.

The jail is the sandbox's own (bubblewrap, namespaces, limits, the filter of system calls) with another program in it,
which knows the class's assignment and imports neither torch nor the course. Each question gets a child of its own; it
sees the bytes that it is given, and nothing of the class, the gradebook or the network. What it answers is hostile too:
capped frames, in a form that is written down here. A child that crashes or wants too much costs its own submission its
grade, with a reason, and nothing else. One that was killed from outside, or had no processor to run on, costs nobody
anything: that is a failure of the machine's.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import struct
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import course.blank
from autograde.intake import archives, flags, parse, protocol, received
from autograde.intake.marks import marks_of_all
from autograde.intake.merge import Merged, MergedNotebook, Piece, lay_out
from autograde.intake.names import Names
from autograde.intake.parse import Contents
from autograde.intake.received import Received
from autograde.intake.unpack import MAX_NAME, Budget, Damaged, Member, TooMuch
from autograde.sandbox.launch import Launched
from autograde.sandbox.limits import MIB, Limits
from autograde.sandbox.pool import Child, Sandbox, SandboxError
from autograde.sandbox.usage import KILLED, RAN_OUT, Usage
from autograde.text import without_controls

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
# of a source, which is a whole class's; for what a student handed in see `_limits_of`
SOURCE_LIMITS = replace(LIMITS, wall_seconds=3600.0, cpu_seconds=1800, memory=1024 * MIB)
MAX_SENTENCES = 1_000
MAX_SENTENCE = 1_000  # characters
_PROGRAM = ("-P", "-m", "autograde.intake.inside")
_HERE = Path(__file__).resolve().parent.parent

_TEXTS = [str]
_NAMES = {"bound": str, "used": str, "defined": str}  # with spaces between them
_PIECE = {"at": (None, int), "source": str, "run": (None, True, str), "names": (None, _NAMES)}
_MERGED = {
    "pieces": [_PIECE],
    "notes": _TEXTS,
    "details": _TEXTS,
    "unanswered": _TEXTS,
    "untouched": bool,
    "edited": _TEXTS,
    "flags": _TEXTS,
}
_READ = {
    "notebook": (None, dict),
    "notes": [[str]],
    "student": str,
    "instructor": str,
    "merged": (None, _MERGED),
    "failed": str,
}
_ENDS = {
    "timeout": ("it took too long to read", "reading it was stopped: no end within the limit of time"),
    "out of memory": ("it takes too much memory to read", "reading it was stopped: more memory than is given"),
    "crashed": ("it breaks the program that reads notebooks", "the process that read it crashed"),
}
_DAMAGED = ("it is damaged", "the process that read it ended, or gave no answer of the right form")
_NEXT = "Open it in JupyterLab, clear its outputs, save it and hand it in again."


class Unread(Exception):
    """A file that its child could not read: the reasons, for the student and for the instructor."""

    def __init__(self, outcome: str, more: str = ""):
        why, detail = _ENDS.get(outcome, _DAMAGED)
        self.student = f"Your file could not be read: {why}. {_NEXT}"
        self.instructor = f"{detail}{more and f' ({more})'}"
        super().__init__(self.instructor)


class _Reader(Child):
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


class _Jail(Sandbox):
    """A sandbox with the intake's worker in the fork server's place."""

    def __init__(self, assignment: NotebookNode | None, limits: Limits):
        super().__init__(limits=limits)
        self._given = None if assignment is None else {"notebook": assignment, "marks": sorted(marks_of_all())}

    def _start(self) -> Launched:
        return Launched(_PROGRAM, self._fill)

    def _tell(self, launched: Launched) -> None:
        """Nothing: it has found all that it needs in its folder."""

    def _fill(self, inside: Path) -> None:
        for name in INSIDE:
            target = inside / "autograde" / f"{name}.py"
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(_HERE / f"{name}.py", target)
        target = inside / "course" / "blank.py"  # alone: the package's own __init__ would import torch
        target.parent.mkdir()
        (target.parent / "__init__.py").touch()
        shutil.copy(Path(str(course.blank.__file__)), target)
        (inside / "assignment.json").write_text(json.dumps(self._given), "utf-8")

    def child(self, limits: Limits) -> _Reader:
        return _Reader(self._lines(limits), limits, Usage())


class Intake:
    """Reads submissions of one assignment (given as released), and archives; used from one thread.

        with Intake(notebook) as intake:
            seen = intake.receive(folder, "02-bahdanau")
            merged = intake.merged(seen)

    The jail starts with the first question, and anew where it was lost. Raises SandboxError where it does not work:
    then nothing was read, and no student is to blame.
    """

    def __init__(self, assignment: NotebookNode | None = None, limits: Limits = LIMITS):
        self.assignment, self.limits = assignment, limits
        self._jail: _Jail | None = None

    def __enter__(self) -> Intake:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._jail is not None:
            self._jail.close()
            self._jail = None

    def receive(self, path: str | os.PathLike[str], assignment: str) -> Received:
        """`received.receive`, with the file's bytes looked at in a child, and laid beside the assignment there."""

        def contents(data: bytes) -> Contents:
            try:
                return self.contents(data)
            except SandboxError as error:
                return Contents(None, failed=str(error))

        return received.receive(path, assignment, contents)

    def contents(self, data: bytes) -> Contents:
        """`parse.contents`, in a child, and what of it belongs where in the assignment. Raises SandboxError."""
        try:
            answer = self._ask("read", data, _READ)
            try:
                return self._believed(answer)
            except Exception as error:  # whatever a form that is not a notebook's may raise
                raise Unread("", type(error).__name__) from None
        except Unread as unread:
            return Contents(None, (), unread.student, unread.instructor)

    def _believed(self, answer: dict[str, Any]) -> Contents:
        """What a child says of a file's bytes, where it can be so. Raises an exception of any kind where not."""
        notebook, merged = answer["notebook"], None
        if (notebook is None) != bool(answer["student"]) or (notebook and parse.clean(notebook) != notebook):
            raise ValueError("no notebook of ours")
        if (answer["merged"] is None) != (notebook is None or self.assignment is None):
            raise ValueError("nothing that is merged, or a notebook that is not")
        if self.assignment is not None and notebook is not None:
            merged = _merged(answer["merged"])
            lay_out(self.assignment, merged)
        notes = [(_sentence(student), _sentence(instructor)) for student, instructor in answer["notes"][:MAX_SENTENCES]]
        return Contents(notebook, tuple(notes), _sentence(answer["student"]), _sentence(answer["instructor"]), merged)

    def merged(self, seen: Received) -> MergedNotebook:
        """A submission that could be read, in the assignment's form. Raises Unread where its child could not tell."""
        assert self.assignment is not None, "an intake for archives alone"
        if seen.merged is not None:
            return lay_out(self.assignment, seen.merged)
        answer = self._ask("merge", json.dumps(seen.notebook, ensure_ascii=False).encode(), _MERGED)
        try:
            return lay_out(self.assignment, _merged(answer))
        except (ValueError, TypeError) as error:
            raise Unread("", str(error)) from None

    def _ask(self, job: str, data: bytes, form: Any) -> Any:
        """A child's answer to one question. Where there is none, another is asked, of a new jail: what is held against
        a student, or called the machine's fault, has happened twice."""
        try:
            return self._answer(job, data, form)
        except (SandboxError, Unread):
            self.close()
            return self._answer(job, data, form)

    def _answer(self, job: str, data: bytes, form: Any) -> Any:
        child = self._child(self.limits)
        try:
            child.send(json.dumps({"job": job}).encode())
            child.send(data)
            answer = protocol.formed(protocol.receive_answer(child.socket, child.until), form)
        except (EOFError, OSError, ValueError, RecursionError, MemoryError) as error:
            usage = child.close()
            raise Unread(_doing_of_its_own(usage, error, self.limits), usage.signal or type(error).__name__) from None
        except BaseException:
            child.close()
            raise
        child.dismiss()
        if failed := job == "read" and answer["failed"]:
            raise SandboxError(_sentence(failed))
        return answer

    def _child(self, limits: Limits) -> _Reader:
        """A child that is isolated and has been given nothing; of a new jail where this one was lost."""
        for last in (False, True):
            child = None
            try:
                if self._jail is None:
                    self._jail = _Jail(self.assignment, self.limits)
                    self._jail.launch().ready()
                child = self._jail.child(limits)
                child.begin()
                return child
            except BaseException as error:
                with contextlib.suppress(SandboxError):
                    if child is not None:
                        child.close()
                self.close()
                if last or not isinstance(error, SandboxError):
                    raise
        raise AssertionError

    def unpack(self, archive: Path, budget: Budget, limits: Limits | None = None) -> Iterator[Member]:
        """`unpack.unpack`, in a child: the members of a zip, tar or tar.gz, told by its content, in its order.
        `limits` are those of what one student handed in, where nothing else is said.

        Nothing of the archive is parsed out here, and what the child says it spent can only make the budget smaller.
        Raises Damaged and TooMuch as `unpack.unpack` does, and Damaged where the child dies or takes too long: what
        came before stands.
        """
        with contextlib.ExitStack() as held:
            try:
                file = held.enter_context(archive.open("rb"))
            except OSError as error:
                raise Damaged(f"it cannot be read ({error.strerror})") from None
            limits = limits or _limits_of(os.fstat(file.fileno()).st_size)
            reading = _Unpacking(self._child(limits), file.fileno(), budget)
            held.callback(reading.close)
            reading.start()
            while (member := reading.next()) is not None:
                yield member
                reading.pass_over()


def _limits_of(size: int) -> Limits:
    """A student's archive of this many bytes: a notebook's limits of time, and for each megabyte what a slow machine
    takes to inflate and hand over a hundred."""
    more = size / MIB
    wall, cpu = LIMITS.wall_seconds + 6 * more, LIMITS.cpu_seconds + int(2 * more)
    return replace(
        SOURCE_LIMITS,
        wall_seconds=min(wall, SOURCE_LIMITS.wall_seconds),
        cpu_seconds=min(cpu, SOURCE_LIMITS.cpu_seconds),
    )


class _Unpacking:
    """The grader's end of the line to a child that unpacks: gives it the archive's bytes as it asks for them."""

    def __init__(self, child: _Reader, archive: int, budget: Budget):
        self._child, self._archive, self._budget = child, archive, budget
        self._size = os.fstat(archive).st_size
        self._waiting = False  # whether the child waits to be told to go on with a member
        self._spent = self._crossed = 0  # bytes: of the budget, as the child says; of the member that was told last

    def close(self) -> None:
        with contextlib.suppress(SandboxError):  # the jail may be closed already; all that was wanted has been read
            self._child.close()

    def start(self) -> None:
        asked = {"size": self._size, "room": max(0, self._budget.room), "members": max(0, self._budget.members)}
        with self._lost():
            self._child.send(json.dumps({"job": "unpack"}).encode())
            self._child.send(json.dumps(asked).encode())

    def next(self) -> Member | None:
        with self._lost():
            kind, data = self._word()
            if kind == archives.END:
                self._ended(data)
                return None
            if kind != archives.MEMBER:
                raise protocol.ProtocolError("no member")
            refused, _, name = data.partition(b"\0")
            self._budget.count()
            self._waiting, self._crossed = True, 0
            readable = name.decode("utf-8", "surrogateescape")[:MAX_NAME]
            if refused:
                return Member(readable, iter(()), without_controls(refused.decode())[:200])
            return Member(readable, self._content())

    def _content(self) -> Iterator[bytes]:
        """What crosses of the member that was told last, counted by what crosses too."""
        with self._lost():
            kind, data = self._word(archives.YES)
            while kind == archives.DATA:
                self._crossed += len(data)
                if self._crossed > self._budget.room:
                    raise protocol.ProtocolError("more bytes than there is room for")
                yield data
                kind, data = self._word(archives.YES)
            self._done(kind, data)

    def pass_over(self) -> None:
        """What is asked for next is the next member."""
        if self._waiting:
            with self._lost(), contextlib.suppress(Damaged):
                self._done(*self._word(archives.NO))

    def _done(self, kind: bytes, data: bytes) -> None:
        if kind != archives.DONE:
            raise protocol.ProtocolError("no end of a member")
        self._waiting = False
        self._ended(data)

    def _ended(self, data: bytes) -> None:
        """Takes what was spent off the budget: what the child says, and no less than what crossed. Raises TooMuch where
        that is more than was left, and what the child says is wrong."""
        answer = protocol.formed(json.loads(data), {"spent": int, "wrong": str, "much": bool})
        more = answer["spent"] - self._spent
        if more < 0:
            raise protocol.ProtocolError("less spent than before")
        self._spent = answer["spent"]
        self._budget.take(max(more, self._crossed))
        self._crossed = 0
        if answer["wrong"]:
            raise (TooMuch if answer["much"] else Damaged)(without_controls(answer["wrong"])[:200])

    def _word(self, reply: bytes | None = None) -> tuple[bytes, bytes]:
        """(kind, bytes) of the next frame that is no question for bytes of the archive, after this reply."""
        if reply is not None:
            self._child.send(reply)
        while True:
            frame = self._child.receive(protocol.PIECE + 1)
            kind, data = frame[:1], frame[1:]
            if kind != archives.READ:
                return kind, data
            at, size = archives.SPAN.unpack(data)
            if size > protocol.PIECE or at + size > self._size:
                raise protocol.ProtocolError("bytes that the archive does not have")
            self._child.send(os.pread(self._archive, size, at))

    @contextlib.contextmanager
    def _lost(self) -> Iterator[None]:
        try:
            yield
        except (Damaged, TooMuch):
            raise
        except (EOFError, OSError, ValueError, struct.error, RecursionError, MemoryError) as error:
            usage = self._child.close()
            raise Damaged(_ENDS.get(_doing_of_its_own(usage, error, self._child.limits), _DAMAGED)[0]) from None


def _doing_of_its_own(usage: Usage, error: Exception, limits: Limits) -> str:
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


def _sentence(text: str) -> str:
    return without_controls(text)[:MAX_SENTENCE]


def _merged(answer: dict[str, Any]) -> Merged:
    """What a child says, whose form is right, as it counts: sentences cut and plain, flags that are flags."""
    ours = {*flags.ALL, flags.MARKS, flags.CHECKS}
    sentences = {side: tuple(map(_sentence, answer[side][:MAX_SENTENCES])) for side in ("notes", "details")}
    return Merged(
        tuple(_piece(piece) for piece in answer["pieces"]),
        unanswered=frozenset(answer["unanswered"]),
        untouched=answer["untouched"],
        edited=tuple(flag for flag in answer["edited"] if flag in ours),
        flags=tuple(flag for flag in answer["flags"] if flag in ours),
        **sentences,
    )


def _piece(answer: dict[str, Any]) -> Piece:
    run = answer["source"] if answer["run"] is True else answer["run"]
    if (run is None) != (answer["names"] is None):
        raise ValueError("a text without names, or names without a text")
    names = (
        None if run is None else Names(run, **{kind: frozenset(text.split()) for kind, text in answer["names"].items()})
    )
    return Piece(answer["at"], answer["source"], run, names)
