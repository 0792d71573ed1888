"""The sandbox: a warm process inside bubblewrap that runs each submission in a fresh child. The trusted side of it; the
other is `inside.py`.

What is not to be known or changed is absent, not forbidden: inside there is the Python installation with its packages,
`course`, the solutions of earlier chapters that the caller names, and nothing else of this repository, the class or
the machine. No network, a read-only root. All that comes out of a child is treated as hostile. Linux only; `doctor`
says what is missing.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import ctypes
import importlib.metadata
import json
import os
import select
import shutil
import signal
import site
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import course
from autograde.sandbox import seccomp
from autograde.sandbox.causes import DEVICES, device_fault
from autograde.sandbox.limits import UNPRIVILEGED, Limits
from autograde.text import printable
from course.protocol import wire

_INSIDE = Path(__file__).with_name("inside.py")
_REPOSITORY = Path(__file__).resolve().parents[2]
_HIDDEN = ("autograde", "solutions")  # packages that must not be seen even where they are installed beside the others
_INSIDE_ID = str(UNPRIVILEGED)
_START_SECONDS = 180.0
_FRAME = wire.Caps(header_bytes=32 << 20, array_bytes=0)
_LEFT_OUT = 3  # how many cells that end their child are left out of a submission before it is given up


class SandboxError(RuntimeError):
    """The sandbox itself does not work: nothing may be run, and no student is to blame."""


class CellLike(Protocol):
    """What `run` needs of a cell; `autograde.intake.merge.Cell` is one."""

    @property
    def index(self) -> int: ...
    @property
    def source(self) -> str: ...


@dataclass(frozen=True)
class CellError:
    """The exception that a cell raised. `limit` is "time" or "memory" where it ran into one; `line` counts from 1."""

    name: str
    message: str
    line: int | None = None
    limit: str = ""


@dataclass(frozen=True)
class Ran:
    """What became of one cell. `outputs` are nbformat outputs, the error included, safe to put into a notebook.

    `ended` is "" or how this cell ended its child (an outcome of `Usage`); it was then left out of the run that counts.
    `cut` says that it put out more than is kept.
    """

    index: int
    outputs: list[dict[str, Any]]
    error: CellError | None
    seconds: float
    ended: str = ""
    cut: bool = False


@dataclass(frozen=True)
class Usage:
    """What a submission used, over all its tries. `outcome`: ok, timeout, out of memory, crashed (by `signal`), exited.

    `peak_bytes` is memory beyond that of the warm process, sampled while it ran, shared memory included.
    `waited_seconds` are those in which it could have run and the machine had no processor free for it.
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


class Sandbox:
    """One bubblewrap with its warm process; a worker has one and uses it from one thread.

        with Sandbox(solutions=[Path("solutions/warm_up.py")]) as sandbox:
            child = sandbox.run(cells)
            student = Student(Remote(child.socket, timeout=child.request_timeout))
            ...
            usage = child.close()

    solutions: modules of EARLIER chapters; whatever is named here can be read by the code that is graded.
    warm: names of modules to import beforehand, such as those that the notebooks import. blocked: operators that
    requests will block.
    Raises SandboxError where it does not start. It ends with the thread that opened it.
    """

    _program: tuple[str, ...] = ("/sandbox/inside.py",)  # what the Python inside runs

    def __init__(
        self,
        solutions: Sequence[Path] = (),
        limits: Limits | None = None,
        warm: Sequence[str] = (),
        blocked: Sequence[Sequence[str]] = (),
    ):
        self.solutions = [Path(path) for path in solutions]
        self.limits = limits or Limits()
        self.warm, self.blocked = list(warm), [list(names) for names in blocked]
        self.start_seconds = 0.0
        self._process: subprocess.Popen | None = None
        self._control: socket.socket | None = None
        self._spare: tuple[socket.socket, socket.socket] | None = None
        self._cleanup = contextlib.ExitStack()
        self._errors: BinaryIO
        self._launched = 0.0

    def __enter__(self) -> Sandbox:
        return self.launch().ready()

    def launch(self) -> Sandbox:
        """Start it without waiting: it warms up in its own process, and `ready` waits for that."""
        try:
            self._launch()
        except OSError as error:
            self.close()
            raise SandboxError(f"the sandbox could not be started: {error}") from error
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
        """End the sandbox with everything in it."""
        self._end_spare()
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            try:
                self._process.wait(2)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None
        self._cleanup.close()

    def _launch(self) -> None:
        self._launched = time.monotonic()
        _processors()
        bubblewrap = shutil.which("bwrap")
        if bubblewrap is None:
            raise SandboxError("bubblewrap is not installed (Debian, Ubuntu: apt-get install bubblewrap)")
        if faults := [fault for name in DEVICES if (fault := device_fault(name))]:
            raise SandboxError(faults[0])
        try:
            allowed = seccomp.program()
        except seccomp.FilterError as error:
            raise SandboxError(str(error)) from None
        folder = Path(self._cleanup.enter_context(tempfile.TemporaryDirectory(prefix="sandbox-")))
        self._furnish(folder / "inside")
        _settle(folder / "inside")
        errors = self._errors = self._cleanup.enter_context((folder / "errors").open("w+b"))
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [
                    bubblewrap,
                    *_arguments(folder / "inside", theirs.fileno(), self.warm, self.blocked, allowed),
                    *self._program,
                ],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=errors,
                stderr=errors,
                start_new_session=True,
                cwd="/",
            )
        self._control = ours

    def _furnish(self, inside: Path) -> None:
        """Fill the generated folder that is seen as /sandbox."""
        _furnish(inside, self.solutions)

    def _wait(self) -> None:
        if self._control is None:
            raise SandboxError("the sandbox was not launched")
        self._control.settimeout(_START_SECONDS)
        try:
            ready = json.loads(self._control.recv(1 << 16) or b"{}")
        except (OSError, ValueError):
            ready = {}
        if not ready.get("ready"):
            self._errors.seek(0)
            told = self._errors.read().decode(errors="replace").strip()
            raise SandboxError(
                "the sandbox did not start: " + (told[-2000:] or f"no word from it in {_START_SECONDS:g} s")
            )
        if ready["threads"] != 1:
            raise SandboxError(
                f"the warm process has {ready['threads']} threads, and a fork of it may hang: "
                f"a module of {self.warm} starts some"
            )
        self.start_seconds = time.monotonic() - self._launched

    def run(self, cells: Sequence[CellLike], limits: Limits | None = None, until: float = float("inf")) -> Child:
        """Run the cells in a fresh child and return it, ready for requests; `limits` in place of the sandbox's own.

        A cell that ends its child (by time, memory, a crash or an exit) is left out and the rest is run once more in a
        new one, so that it costs no other exercise; after three such cells, or after the moment `until` (of the
        monotonic clock), the child is returned dead, and its requests fail. Raises SandboxError where isolation fails:
        then nothing has run.
        """
        limits = limits or self.limits
        left_out: dict[int, Ran] = {}
        before = Usage()
        while True:
            child = Child(self._lines(limits), limits, before)
            try:
                stuck = child._execute([cell for cell in cells if cell.index not in left_out])
            except BaseException:
                _go_anywhere()
                raise
            if stuck is None or len(left_out) == _LEFT_OUT or time.monotonic() >= until:
                break
            before = child.close()
            left_out[stuck] = _ended(stuck, before, limits)
        child.ran |= left_out
        if stuck is not None:
            usage = child.close()
            child.ran[stuck] = _ended(stuck, usage, limits)
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
        with theirs, supervisors:
            try:
                socket.send_fds(
                    self._control, [json.dumps(asdict(limits)).encode()], [theirs.fileno(), supervisors.fileno()]
                )
            except OSError as error:
                raise SandboxError(f"the warm process is gone: {error}") from None
        return ours, report


class Child:
    """One submission's process. `socket` is the line for `remote.Remote`; `ran` tells of each cell, by index."""

    def __init__(self, lines: tuple[socket.socket, socket.socket], limits: Limits, before: Usage):
        self.limits = limits
        self.ran: dict[int, Ran] = {}
        self._before = before
        self._usage: Usage | None = None
        self._room = limits.shown
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

    def _execute(self, cells: list[CellLike]) -> int | None:
        """Run the cells; returns the index of the cell in which the child ended, or None."""
        current = -1
        try:
            first = self._receive(self.limits.grace + 30)
            if not isinstance(first, dict) or "ready" not in first:
                raise SandboxError(f"a child could not be isolated: {first}")
        except (EOFError, OSError, wire.WireError) as error:
            raise SandboxError(
                f"a child could not be isolated: {self._told() or error or 'it ended at once'}"
            ) from None
        self._begin()
        try:
            current = cells[0].index if cells else -1
            wanted = [{"index": cell.index, "source": _plain(cell.source)} for cell in cells]
            self.socket.settimeout(self.limits.cell_seconds)
            wire.send(self.socket, {"cells": wanted}, _FRAME)
            for place, cell in enumerate(cells):
                current = cell.index
                told = self._receive(self.limits.cell_seconds + self.limits.grace)
                self.ran[current] = _ran(current, told, self.limits, self._room)
                self._room -= _size(self.ran[current].outputs)
                current = cells[place + 1].index if place + 1 < len(cells) else current
            if self._receive(self.limits.grace) != {"done": True}:
                raise wire.WireError("the cells did not end in order")
        except (EOFError, OSError, wire.WireError, ValueError, TypeError, KeyError, RecursionError):
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
            told = json.loads(self._report.recv(1 << 16))
        except (OSError, ValueError) as error:
            told = {"fatal": error}
        if "begun" not in told:
            raise SandboxError(f"the supervisor of a child does not answer: {told.get('fatal', 'its child has ended')}")

    def _receive(self, seconds: float) -> Any:
        return wire.receive(_Before(self.socket, time.monotonic() + seconds), _FRAME)  # type: ignore[arg-type]

    def _told(self) -> str:
        """What the supervisor has to say where it could not even make the namespaces."""
        with contextlib.suppress(OSError, ValueError):
            self._report.settimeout(1)
            return str(json.loads(self._report.recv(1 << 16)).get("fatal", ""))
        return ""

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
            over = _hung_up(self.socket)
            with contextlib.suppress(OSError):
                if dismissed and not over:
                    self._report.send(b'{"dismiss": true}')
                else:
                    self.socket.shutdown(socket.SHUT_RDWR)
            with contextlib.suppress(OSError):
                if not select.select([self._report], [], [], 0.5)[0]:
                    self._report.send(b'{"end": true}')
            self._report.settimeout(10)
            try:
                told = json.loads(self._report.recv(1 << 16))
            except (OSError, ValueError):
                told = {}
        if "status" not in told:
            raise SandboxError(f"the supervisor of a child ended without a report: {told.get('fatal', 'no word')}")
        used = Usage(told["seconds"], told["cpu_seconds"], told["waited_seconds"], told["peak_bytes"])
        if told["killed"] and os.WIFSIGNALED(told["status"]):  # else it was on its way out by itself
            return replace(used, outcome="out of memory" if told["killed"] == "memory" else "timeout")
        if os.WIFSIGNALED(told["status"]):
            number = os.WTERMSIG(told["status"])
            if (
                number == signal.SIGKILL
            ):  # nobody inside can send it to process 1: the CPU limit, or the machine is out of memory
                ran_out = used.cpu_seconds >= self.limits.cpu_seconds * 0.95
                return replace(used, outcome="timeout" if ran_out else "out of memory", signal="SIGKILL")
            with contextlib.suppress(ValueError):
                return replace(used, outcome="crashed", signal=signal.Signals(number).name)
            return replace(used, outcome="crashed", signal=str(number))
        return replace(used, outcome="exited" if over or told["status"] else "ok")


@lru_cache(maxsize=1)
def _processors() -> set[int]:
    """Those that this program may run on, looked up before it keeps to one of them."""
    return os.sched_getaffinity(0)


def _go_anywhere() -> None:
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, _processors())


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


# ---------------------------------------------------------------- what comes out of a child


def _plain(text: Any) -> str:
    """The text with lone surrogates replaced: it can be written to a file."""
    return str(text).encode("utf-8", "replace").decode("utf-8")


def _number(value: Any) -> float:
    return float(value) if type(value) in (int, float) and 0 <= value < 1e9 else 0.0


def _ran(index: int, told: Any, limits: Limits, shown: int) -> Ran:
    """Build a cell's record from a hostile message: its form is checked, its text cut, its figures made harmless.

    `shown` is how much of text and figures this submission may still put out.
    """
    if not isinstance(told, dict) or told.get("cell") != index or not isinstance(told.get("outputs"), list):
        raise wire.WireError("not the report of the cell that ran")
    room, cut = min(limits.text + 200, shown), told.get("cut") is True
    outputs, pictures = [], 0
    for item in told["outputs"][:500]:
        if not isinstance(item, dict):
            continue
        if item.get("kind") == "stream" and item.get("name") in ("stdout", "stderr"):
            text = printable(str(item.get("text")))[: max(room, 0)]
            room -= len(text)
            outputs.append({"output_type": "stream", "name": item["name"], "text": text})
        elif item.get("kind") in ("display_data", "execute_result") and isinstance(item.get("data"), dict):
            pictures += 1
            data = _figure(item["data"], limits) if pictures <= limits.images * 4 else {}
            if (size := sum(map(len, data.values()))) > shown:
                data, cut = {}, True
            else:
                shown -= size
            text = printable(str(item["data"].get("text/plain", "")))[: max(room, 0)]
            room -= len(text)
            if text:
                data["text/plain"] = text
            if data:
                extra = {"execution_count": None} if item["kind"] == "execute_result" else {}
                outputs.append({"output_type": item["kind"], "data": data, "metadata": {}, **extra})
    error = _error(told.get("error"))
    return Ran(index, outputs + _error_output(error), error, _number(told.get("seconds")), cut=cut or room <= 0)


def _size(outputs: list[dict[str, Any]]) -> int:
    """Characters of text and figures in a cell's outputs."""
    return sum(len(output.get("text", "")) + sum(map(len, output.get("data", {}).values())) for output in outputs)


def _figure(data: dict[str, Any], limits: Limits) -> dict[str, Any]:
    """A PNG as it is; an SVG inside an <img>, where no script in it runs and nothing is fetched. HTML never passes."""
    png, svg = data.get("image/png"), data.get("image/svg+xml")
    if isinstance(png, str) and len(png) <= 1.4 * limits.image:
        with contextlib.suppress(binascii.Error, ValueError):
            raw = base64.b64decode("".join(png.split()), validate=True)
            if raw.startswith(b"\x89PNG\r\n\x1a\n"):
                return {"image/png": base64.b64encode(raw).decode()}
    if isinstance(svg, str) and len(svg) <= 1.4 * limits.image:
        encoded = base64.b64encode(_plain(svg).encode()).decode()
        return {"text/html": f'<img alt="figure" src="data:image/svg+xml;base64,{encoded}">'}
    return {}


def _error(told: Any) -> CellError | None:
    if not isinstance(told, dict):
        return None
    line = told.get("line")
    limit = told.get("limit")
    return CellError(
        printable(str(told.get("name"))[:100]),
        printable(str(told.get("message"))[:2000]),
        line if type(line) is int and 0 < line < 1 << 20 else None,
        limit if limit in ("time", "memory") else "",
    )


def _error_output(error: CellError | None) -> list[dict[str, Any]]:
    if error is None:
        return []
    where = f" (line {error.line} of this cell)" if error.line else ""
    traceback = [f"{error.name}: {error.message}{where}"]
    return [{"output_type": "error", "ename": error.name, "evalue": error.message, "traceback": traceback}]


def _ended(index: int, usage: Usage, limits: Limits) -> Ran:
    """The record of a cell that ended its child, which is known from the supervisor alone."""
    outcome = "exited" if usage.outcome == "ok" else usage.outcome
    messages = {
        "timeout": f"The cell did not stop within {limits.cell_seconds:g} s and was ended.",
        "out of memory": f"The cell needed more than {limits.memory >> 20} MiB of memory and was ended.",
        "crashed": f"The cell crashed Python itself ({usage.signal}).",
        "exited": "The cell ended Python itself.",
    }
    limit = {"timeout": "time", "out of memory": "memory"}.get(outcome, "")
    error = CellError("CellEnded", messages[outcome], None, limit)
    return Ran(index, _error_output(error), error, usage.seconds, ended=outcome)


# ---------------------------------------------------------------- what is inside


def _furnish(inside: Path, solutions: Sequence[Path]) -> None:
    """What the cells of a submission may see: copies of `course`, of these solutions, and of what runs the cells."""
    skip = shutil.ignore_patterns("__pycache__", ".*")
    shutil.copytree(Path(str(course.__file__)).parent, inside / "course", ignore=skip)
    (inside / "solutions").mkdir()
    (inside / "solutions" / "__init__.py").write_text('"""References of earlier chapters."""\n', "utf-8")
    for path in solutions:
        if path.suffix != ".py":
            raise SandboxError(f"{path} is no solution module")
        shutil.copy(path, inside / "solutions" / path.name)
    shutil.copy(_INSIDE, inside / "inside.py")
    try:
        shutil.copytree(_fonts(), inside / "fonts")
    except (OSError, RuntimeError, subprocess.SubprocessError):  # no cache here: the warm process makes its own list
        (inside / "fonts").mkdir(exist_ok=True)


def _settle(inside: Path) -> None:
    """What any program needs of /etc; and all of it readable by anybody, whatever the umask here."""
    (inside / "etc").mkdir()
    (inside / "etc" / "passwd").write_text(f"learner:x:{_INSIDE_ID}:{_INSIDE_ID}::/scratch:/nonexistent\n")
    (inside / "etc" / "group").write_text(f"learner:x:{_INSIDE_ID}:\n")
    if Path("/etc/ld.so.cache").exists():
        shutil.copy("/etc/ld.so.cache", inside / "etc")
    for path in (inside, *inside.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


def _fonts() -> Path:
    """A folder with matplotlib's list of the system's fonts, made once for each version, kept in the user's cache."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "attention-from-scratch"
    folder = cache / f"fonts-{importlib.metadata.version('matplotlib')}"
    if not any(folder.glob("fontlist-*.json")):
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as fresh:
            environment = {
                "MPLCONFIGDIR": fresh,
                "HOME": "/nonexistent",
                "PATH": os.environ.get("PATH", ""),
            }  # no fonts of this user's own
            command = [sys.executable, "-c", "import matplotlib.font_manager"]
            subprocess.run(command, env=environment, check=True, capture_output=True, timeout=300, cwd="/")
            folder.mkdir(exist_ok=True)
            for made in Path(fresh).glob("fontlist-*.json"):
                os.replace(made, folder / made.name)
    return folder


def _packages() -> list[Path]:
    """Folders that packages are imported from, but for those that an editable install points at."""
    folders = site.getsitepackages()
    if site.ENABLE_USER_SITE:
        folders.append(site.getusersitepackages())
    return [Path(folder) for folder in folders if Path(folder).is_dir()]


def _read_only() -> Iterator[Path]:
    """Everything of the machine that is seen inside, at its own path."""
    libraries = [Path("/usr/lib", f"{os.uname().machine}-linux-gnu")]
    if not libraries[0].is_dir():  # a system that keeps them all in one folder
        libraries = [Path("/usr/lib")]
    libraries += map(Path, ("/usr/lib64", "/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/zoneinfo"))
    yield from (path for path in libraries if path.is_dir())
    yield from Path("/usr/lib").glob("python3*")
    for prefix in {sys.prefix, sys.base_prefix, os.path.realpath(sys.base_prefix)} - {"/usr"}:
        for name in ("lib", "lib64", "pyvenv.cfg"):
            path = Path(prefix, name)
            if path.exists() and not path.is_symlink():
                yield path
    yield from _packages()


def _arguments(inside: Path, control: int, warm: list[str], blocked: list[list[str]], allowed: bytes) -> list[str]:
    """bubblewrap's command line; `control` is the descriptor of the line that the warm process inherits, `allowed` the
    filter of system calls that it lays on each child.
    """
    words = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    words += ["--hostname", "sandbox", "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"]
    if os.geteuid() == 0:
        # The mounts are made as root, because Python may live where no other user can go; the warm process then really
        # becomes an unprivileged user. Root mapped to one in a user namespace would not be held by RLIMIT_NPROC.
        words += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        words += ["--unshare-user", "--uid", _INSIDE_ID, "--gid", _INSIDE_ID]
    words += ["--ro-bind", str(inside), "/sandbox", "--ro-bind", str(inside / "etc"), "/etc"]
    program = os.path.realpath(sys.executable)
    bound: list[Path] = []
    for path in sorted({*_read_only(), Path(program)}, key=lambda path: (len(path.parts), path)):
        if not any(parent in bound for parent in (path, *path.parents)):
            bound.append(path)
            # bubblewrap makes missing parents for their owner alone, who is not the one that runs inside
            words += [word for parent in reversed(path.parents[:-1]) for word in ("--dir", str(parent))]
            words += ["--ro-bind", str(path), str(path)]
    for name in ("/lib", "/lib32", "/lib64"):
        if os.path.islink(name):
            words += ["--symlink", os.readlink(name), name]
        elif os.path.isdir(name):
            words += ["--ro-bind", name, name]
    if sys.executable != program:
        words += ["--dir", os.path.dirname(sys.executable), "--symlink", program, sys.executable]
    hidden = [folder / name for folder in _packages() for name in _HIDDEN] + [_REPOSITORY]
    for path in hidden:
        if path.is_dir() and any(parent in bound for parent in (path, *path.parents)):
            words += ["--tmpfs", str(path), "--remount-ro", str(path)]
    words += ["--proc", "/proc", "--tmpfs", "/dev", "--dir", "/dev/shm"]
    for name in DEVICES:
        words += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    words += [
        "--remount-ro",
        "/dev",
        "--perms",
        "1777",
        "--tmpfs",
        "/scratch",
        "--chdir",
        "/scratch",
        "--remount-ro",
        "/",
    ]
    environment = {
        "HOME": "/scratch",
        "TMPDIR": "/scratch",
        "USER": "learner",
        "PATH": "/nonexistent",
        "LANG": "C.UTF-8",
        "PYTHONPATH": os.pathsep.join(["/sandbox", *map(str, _packages())]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "MPLCONFIGDIR": "/scratch/.matplotlib",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "IPYTHONDIR": "/scratch/.ipython",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "1",
        "CUDA_VISIBLE_DEVICES": "",
        "TQDM_DISABLE": "1",
        "NBGRADER_EXECUTION": "autograde",  # course.components then gives the references, silently
        "SANDBOX_CONTROL": str(control),
        "SANDBOX_WARM": json.dumps(warm),
        "SANDBOX_BANS": json.dumps(blocked),
        "SANDBOX_FILTER": base64.b64encode(allowed).decode(),
    }
    for name, value in environment.items():
        words += ["--setenv", name, value]
    return [*words, "--", sys.executable, "-s", "-B"]
