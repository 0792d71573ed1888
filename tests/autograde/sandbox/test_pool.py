"""Attacks on the sandbox itself, each followed by a healthy run in the same one; and what honest cells get from it."""

from __future__ import annotations

import contextlib
import fcntl
import gc
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import torch

from autograde.sandbox import folder, launch, outputs
from autograde.sandbox import pool as module
from autograde.sandbox import usage as usages
from autograde.sandbox.inside import supervisor
from autograde.sandbox.limits import MIB, Limits
from autograde.sandbox.pool import Child, Sandbox, SandboxError
from autograde.sandbox.remote import Remote
from autograde.sandbox.usage import usage_of
from course.protocol.student import Student, StudentError

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.xdist_group("sandbox"),
    pytest.mark.skipif(sys.platform != "linux" or shutil.which("bwrap") is None, reason="needs Linux and bubblewrap"),
]
ROOT = Path(__file__).resolve().parents[3]
# Nothing here may depend on how busy the machine is: what must not end by time has plenty of it.
LIMITS = Limits(wall_seconds=90, cell_seconds=30, memory=400 * MIB, disk=8 * MIB)
HASTY = replace(LIMITS, cell_seconds=1.5, request_seconds=1.0, grace=1.0)


@dataclass
class Cell:
    index: int
    source: str


def cells(*sources: str) -> list[Cell]:
    return [Cell(index, textwrap.dedent(source)) for index, source in enumerate(sources)]


def text(child: Child, index: int = 0) -> str:
    """What the cell printed."""
    return "".join(output.get("text", "") for output in child.outputs[index])


@pytest.fixture(scope="module")
def earlier(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("references") / "earlier.py"
    path.write_text("def reference(x):\n    return x + 1\n")
    return path


@pytest.fixture(scope="module")
def box(earlier):
    with Sandbox(solutions=[earlier], limits=LIMITS) as opened:
        yield opened


@pytest.fixture
def attacked(box):
    """The sandbox; after the test it must still serve an honest submission."""
    yield box
    healthy(box)


def healthy(box: Sandbox) -> None:
    with box.run(cells("import torch\ndef double(x):\n    return 2 * x")) as child:
        assert child.ran[0].error is None
        answer = Student(Remote(child.socket, child.request_timeout)).double(torch.arange(3.0))
        assert torch.equal(answer, torch.tensor([0.0, 2.0, 4.0]))
    assert child.close().outcome == "ok"


STUBBORN = """def spin():
    while True: pass
while True:
    try: spin()
    except BaseException: pass
"""


# ---------------------------------------------------------------- honest cells


def test_outputs_figures_and_errors_are_recorded_and_the_run_goes_on(box):
    child = box.run(
        cells(
            "%matplotlib inline\nimport sys\nprint('to out')\nprint('to err', file=sys.stderr)\n40 + 2",
            "x = 1\ny = x / 0",
            "def broken(:\n    pass",
            "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()",
            "from IPython.display import HTML, SVG, display\ndisplay(HTML('<script>alert(1)</script>'))\n"
            "display(SVG('<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>'))",
            "answer = input()",
            "from earlier_typo import nothing",
            "from solutions.earlier import reference\nprint(reference(1), x)",
        )
    )
    child.close()
    first, second, third, fourth, fifth, sixth, seventh, last = (child.ran[i] for i in range(8))
    assert [o["output_type"] for o in first.outputs] == ["stream", "stream", "execute_result"]
    assert (second.error.name, second.error.line) == ("ZeroDivisionError", 2)
    assert (third.error.name, third.error.line) == ("SyntaxError", 1)
    assert [list(o["data"]) for o in fourth.outputs] == [["image/png", "text/plain"]]
    html = "".join(str(o["data"].get("text/html", "")) for o in fifth.outputs)
    assert "<script" not in html and "data:image/svg+xml;base64," in html
    assert sixth.error.name == "EOFError" and seventh.error.name == "ModuleNotFoundError"
    assert last.error is None and text(child, 7) == "2 1\n"


def test_cells_are_run_as_ipython_runs_them(box):
    """Whether they are looked through for its syntax or not, as Python is not."""
    child = box.run(
        cells(
            "import asyncio\n\nawait asyncio.sleep(0)\nx = 4\nx + 1",
            "y = x * 2",
            "y",
            "\n\nz = y\n1 / 0",
            "%matplotlib inline\nawait asyncio.sleep(0)",
            "  w = 3\n  print(w)",
            "%%capture held\nprint('kept back')",
            "held.stdout",
            "pwd",
            "def f():\n    return 'a' '\\d'\nf()",
        )
    )
    child.close()
    results = [child.outputs[i][-1]["data"]["text/plain"] if child.outputs[i] else "" for i in (0, 1, 2, 6, 7, 8)]
    assert results == ["5", "", "8", "", "'kept back\\n'", "'/scratch'"]
    assert (child.ran[3].error.name, child.ran[3].error.line) == ("ZeroDivisionError", 4)
    assert child.ran[4].error is None and text(child, 5) == "3\n"
    warned = [o["text"] for o in child.outputs[9] if o["output_type"] == "stream"]
    assert "".join(warned).count("SyntaxWarning") + "".join(warned).count("DeprecationWarning") <= 1


def test_each_submission_is_alone(box):
    with box.run(
        cells("import torch, builtins\nbuiltins.left = 1\ntorch.left = 2\nopen('left', 'w').write('3')")
    ) as child:
        assert child.ran[0].error is None
    with box.run(
        cells("import torch, builtins, os\nprint(hasattr(builtins, 'left'), hasattr(torch, 'left'), os.listdir('.'))")
    ) as child:
        assert text(child) == "False False []\n"


def test_a_soft_deadline_costs_one_cell_and_one_request_only(box):
    with box.run(
        cells("while True: pass", "def forever():\n    while True: pass\ndef one(): return 1"), HASTY
    ) as child:
        assert child.ran[0].error.limit == "time" and child.ran[1].error is None
        student = Student(Remote(child.socket, child.request_timeout))
        with pytest.raises(StudentError, match="TimeLimit"):
            student.forever()
        assert student.one() == 1
    assert child.close().outcome == "ok"


def test_a_request_that_ends_the_child_is_told_by_the_usage(box):
    child = box.run(cells("import os\ndef leave(): os._exit(0)"))
    remote = Remote(child.socket, child.request_timeout)
    with pytest.raises(StudentError, match="gone"):
        Student(remote).leave()
    assert child.close().outcome == "exited"
    child = box.run(cells("def stay():\n" + textwrap.indent(STUBBORN, "    ")), HASTY)
    remote = Remote(child.socket, child.request_timeout)
    with pytest.raises(StudentError, match="timeout"):
        Student(remote).stay()
    assert (remote.failure, child.close().outcome) == ("timeout", "stopped"), "it was us who had waited enough"
    healthy(box)


OWN_CROWD = {  # who keeps it from its processor is itself
    "processes": """
        for _ in range(20):
            if os.fork() == 0:
                while True: pass
    """,
    "processes that nobody waits for": """
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        for _ in range(20):
            if os.fork() == 0:
                while True:
                    until = time.monotonic() + 0.3
                    while time.monotonic() < until: pass
                    if os.fork(): os._exit(0)
    """,
    "threads": """
        data = bytes(1 << 24)
        def work():
            while True: hashlib.sha256(data).digest()
        for _ in range(20): threading.Thread(target=work, daemon=True).start()
    """,
}


@pytest.mark.parametrize("how", OWN_CROWD)
def test_who_keeps_itself_from_its_processor_has_not_waited(box, how):
    """What its own had of the processor is no waiting, and what it used is theirs too, however busy the machine is."""
    crowd = "def crowd():\n" + textwrap.indent(textwrap.dedent(OWN_CROWD[how]) + STUBBORN, "    ")
    child = box.run(cells("import hashlib, os, signal, threading, time\n" + crowd), HASTY)
    remote = Remote(child.socket, 6.0)
    with pytest.raises(StudentError, match="timeout"):
        Student(remote).crowd()
    usage = child.close()
    assert usage.waited_seconds + usage.cpu_seconds < usage.seconds + 1
    assert usage.waited_seconds < 10 * usage.cpu_seconds, "twenty times as long, by its own alone"
    healthy(box)


class Machine:
    """A folder like /proc, with one process and what the kernel says of waiting."""

    def __init__(self, folder: Path):
        self.folder = folder
        (folder / "pressure").mkdir()
        (folder / "7").mkdir()
        self.handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)

    def becomes(self, state: str, io: float = 0.0, memory: float = 0.0) -> None:
        numbers = Path("/proc/self/stat").read_text().rpartition(")")[2].split()[1:]
        (self.folder / "7" / "stat").write_text(f"7 (python (a) D) {state} {' '.join(numbers)}\n")
        for kind, seconds in (("io", io), ("memory", memory)):
            line = f"avg10=1.00 avg60=0.50 avg300=0.10 total={round(seconds * 1e6)}"
            (self.folder / "pressure" / kind).write_text(f"some {line}\nfull {line}\n")


@pytest.mark.parametrize(
    ("states", "pressed", "waited"),
    [
        ("DDD", {"io": 60.0}, 3.0),
        ("DDD", {"memory": 2.0, "io": 1.5}, 2.0),
        ("DDD", {}, 0.0),  # a parent after vfork
        ("DRD", {"io": 60.0}, 2.0),
        ("SSS", {"io": 60.0}, 0.0),
    ],
)
def test_who_waited_for_a_disk_has_waited(tmp_path, monkeypatch, states, pressed, waited):
    """As long as it was seen so, and no longer than the kernel says that anybody on the machine was."""
    machine = Machine(tmp_path)
    machine.becomes("R")
    clock = iter(range(100, 200))
    monkeypatch.setattr(supervisor.time, "monotonic", lambda: float(next(clock)))
    family = supervisor.Family(7, machine.handle)
    for state in states:
        machine.becomes(state, **pressed)
        assert family.look() == {7}
    assert family.for_a_disk() == pytest.approx(waited)
    os.close(machine.handle)


def test_a_kernel_that_counts_no_pressure_tells_of_no_disk(tmp_path):
    handle = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    assert supervisor.pressure(handle) == (0.0, 0.0)
    os.close(handle)


def test_who_stops_a_probe_does_not_stop_who_made_it(monkeypatch):
    """The processes of a child see the probe in their namespace, and may stop it as soon as it is there."""
    with subprocess.Popen(["sleep", "60"]) as probe:
        probe.send_signal(signal.SIGSTOP)
        monkeypatch.setattr(supervisor.os, "fork", lambda: probe.pid)
        handle = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
        threading.Timer(20, probe.kill).start()
        began = time.monotonic()
        supervisor.Family(os.getpid(), handle).made()
        assert time.monotonic() - began < 20
        os.close(handle)


@pytest.mark.skipif(not os.path.exists("/proc/pressure/io"), reason="this kernel does not count who waits for a disk")
def test_the_kernels_pressure_is_read():
    handle = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
    read = supervisor.pressure(handle)
    os.close(handle)
    assert sum(read) > 0


def test_who_only_looks_as_if_it_waited_for_a_disk_has_not(box):
    """The parent of vfork lies still until its child goes on, in the state of one that waits for a disk."""
    source = """
        import ctypes
        def stay():
            libc = ctypes.CDLL(None)
            if libc.vfork() == 0:
                libc.sleep(60)
                libc._exit(0)
    """
    child = box.run(cells(textwrap.dedent(source)), HASTY)
    remote = Remote(child.socket, 3.0)
    with pytest.raises(StudentError):
        Student(remote).stay()
    assert child.close().waited_seconds < 1.5
    healthy(box)


def test_the_autograd_engine_and_workers_run_in_a_child(box):
    source = """
        import torch
        from torch.utils.data import DataLoader
        model = torch.nn.GRU(4, 4, batch_first=True)
        model(torch.randn(2, 3, 4))[0].sum().backward()
        print(model.weight_hh_l0.grad.isfinite().all().item(), torch.get_num_threads())
    """
    with box.run(cells(source)) as child:
        assert text(child) == "True 1\n", child.ran[0]


# ---------------------------------------------------------------- attacks that end the child

NO_ALARMS = """
import signal, time
signal.signal(signal.SIGALRM, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
time.sleep(60)
"""
HUNGRY_FAMILY = """
import os, time
for _ in range(8):
    if os.fork() == 0:
        held = bytearray(300 << 20)
        for i in range(0, len(held), 4096): held[i] = 1
        time.sleep(30)
time.sleep(30)
"""
ENDS = {
    "exit": ("import os; os._exit(0)", "exited"),
    "kill itself by its group": ("import os, signal; os.kill(0, signal.SIGKILL); os._exit(3)", "exited"),
    "segmentation fault": ("import ctypes; ctypes.string_at(0)", "crashed"),
    "abort": ("import os; os.abort()", "crashed"),
    "loop that swallows every exception": (STUBBORN, "timeout"),
    "loop inside C": ("import itertools; all(itertools.repeat(True))", "timeout"),
    "no more alarms": (NO_ALARMS, "timeout"),
    "memory over many processes": (HUNGRY_FAMILY, "out of memory"),
    "closes the line": ("import os\nos.closerange(0, 100)", "exited"),
    "nonsense on the line": ("import os\nfor _ in range(1000): os.write(3, b'\\xff' * 4096)", "exited"),
}


@pytest.mark.parametrize("name", ENDS)
def test_a_cell_that_ends_its_child_costs_only_itself(attacked, name):
    source, outcome = ENDS[name]
    limits = HASTY if outcome == "timeout" else LIMITS
    with attacked.run(cells("def one(): return 1", source, "def two(): return 2"), limits) as child:
        ended = child.ran[1].ended
        assert child.ran[1].error is not None and child.ran[1].outputs
        student = Student(Remote(child.socket, child.request_timeout))
        assert (student.one(), student.two()) == (1, 2)
    assert ended == outcome or (outcome == "exited" and ended == "crashed"), child.ran[1]
    assert child.close().outcome == "ok"


def test_a_submission_that_dies_everywhere_is_given_up_with_every_cell_accounted_for(attacked):
    child = attacked.run(cells(*["import os; os._exit(1)"] * 6))
    assert [child.ran[i].ended for i in range(4)] == ["exited"] * 4
    with pytest.raises(StudentError, match="gone"):
        Student(Remote(child.socket, 1.0)).anything()
    assert child.close().outcome == "exited"


def test_after_its_time_nothing_is_run_once_more(attacked):
    child = attacked.run(cells(*["import os; os._exit(1)"] * 6), until=time.monotonic())
    assert [(index, ran.ended) for index, ran in child.ran.items()] == [(0, "exited")]


# ---------------------------------------------------------------- attacks that run into a limit

FORKS = """
import os, time
for _ in range(500):
    if os.fork() == 0:
        time.sleep(60)
        os._exit(0)
"""
THREADS = """
import threading, time
for _ in range(500): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
"""
FILES = """
for i in range(100):
    with open(f"FOLDER/{i}", "wb") as file: file.write(b"0" * (1 << 20))
"""
LIMITED = {
    "memory": ("import torch\nheld = [torch.ones(25_000_000) for _ in range(40)]", "limit=memory"),
    "python memory": ("held = []\nwhile True: held.append(bytearray(10_000_000))", "limit=memory"),
    "forks": (FORKS, "BlockingIOError"),
    "threads": (THREADS, "RuntimeError"),
    "disk": (FILES.replace("FOLDER", "."), "OSError"),
    "shared memory": (FILES.replace("FOLDER", "/dev/shm"), "OSError"),
    "one big file": ("import os\nos.truncate(os.open('big', os.O_CREAT | os.O_WRONLY), 1 << 30)", "OSError"),
    "many small files": ("for i in range(100_000): open(f'{i}', 'w').close()", "OSError"),
    "descriptors": ("held = [open('/dev/null') for _ in range(5000)]", "OSError"),
    "regular expression": ("import re; re.match(r'(a+)+b', 'a' * 40)", "limit=time"),
    "memory in files without a name": ("import os\nos.memfd_create('x')", "OSError"),
    "recursion": ("def f(): return f()\nf()", "RecursionError"),
}


@pytest.mark.parametrize("name", LIMITED)
def test_limits_hold(attacked, name):
    source, wanted = LIMITED[name]
    with attacked.run(cells(source, "print('still here')"), HASTY if wanted == "limit=time" else LIMITS) as child:
        error = child.ran[0].error
        assert error is not None, child.ran[0]
        assert wanted in f"{error.name} limit={error.limit}", child.ran[0]
        assert text(child, 1) == "still here\n" or child.ran[1].error is not None
    assert child.close().peak_bytes < 2 * LIMITS.memory


def test_a_flood_of_output_is_cut(attacked):
    flood = """
        from IPython.display import display
        for _ in range(100): print("x" * 1_000_000)
        for _ in range(1000): display({"a": 1})
    """
    with attacked.run(cells(flood, "class Liar:\n    def __repr__(self): return 'y' * 10_000_000\nLiar()")) as child:
        size = sum(len(str(ran.outputs)) for ran in child.ran.values())
        assert size < 4 * LIMITS.text
        assert "more characters left out" in text(child, 0)


def test_what_a_whole_submission_puts_out_is_cut(attacked):
    with attacked.run(cells(*["print('x' * 60_000)"] * 4), replace(LIMITS, outputs=150_000)) as child:
        assert [len(text(child, index)) for index in range(4)] == [60_001, 60_001, 29_998, 0]
        assert [child.ran[index].cut for index in range(4)] == [False, False, True, True]


def test_a_daemon_dies_with_its_child(attacked):
    source = """
        import ctypes, os, time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                ctypes.CDLL(None).prctl(15, b"outliving", 0, 0, 0)
                time.sleep(300)
            os._exit(0)
        time.sleep(0.3)
    """

    def daemons() -> list[Path]:
        named = []
        for path in (process / "comm" for process in Path("/proc").glob("[0-9]*")):
            try:
                named += [path] if path.read_bytes() == b"outliving\n" else []
            except OSError:
                pass
        return named

    with attacked.run(cells(source)) as child:
        assert child.ran[0].error is None and daemons(), "it is there while its child is"
    time.sleep(0.3)
    assert not daemons()


# ---------------------------------------------------------------- the child that waits for the next submission


def inside(box: Sandbox) -> list[int]:
    """Processes that see the sandbox's own folder, the youngest last."""
    folder = box._launched.inside.parent.name
    return seeing(folder)


def seeing(folder: str) -> list[int]:
    processes = []
    for mounts in (process / "mountinfo" for process in Path("/proc").glob("[0-9]*")):
        try:
            processes += [int(mounts.parent.name)] if folder in mounts.read_text() else []
        except OSError:
            pass
    return sorted(processes)


def spare_of(box: Sandbox) -> int:
    """The process that waits, made anew so that it is the youngest."""
    box._end_spare()
    time.sleep(0.2)
    before = set(inside(box))
    box._spare = box._fork(box.limits)
    until = time.monotonic() + 20
    while len(made := [pid for pid in inside(box) if pid not in before]) < 2 and time.monotonic() < until:
        time.sleep(0.02)
    return made[-1]


def test_a_child_that_died_while_it_waited_is_made_again(box):
    healthy(box)
    os.kill(spare_of(box), 9)
    until = time.monotonic() + 20
    while not module._hung_up(box._spare[1]) and time.monotonic() < until:
        time.sleep(0.02)
    healthy(box)


def test_what_fails_leaves_the_judge_on_no_single_processor(box, monkeypatch):
    anywhere = os.sched_getaffinity(0)
    spare = spare_of(box)
    assert select.select([box._spare[0]], [], [], 20)[0]  # it is ready: before that, its end would be another error
    os.kill(spare, 9)
    time.sleep(0.2)
    with monkeypatch.context() as patch:
        patch.setattr(module, "_hung_up", lambda line: False)  # it dies just after one has looked
        with pytest.raises(SandboxError, match="does not answer"):
            box.run(cells("pass"))
    assert os.sched_getaffinity(0) == anywhere
    with monkeypatch.context() as patch:
        patch.setattr(outputs, "decoded", lambda *_: (_ for _ in ()).throw(MemoryError))
        with pytest.raises(MemoryError):
            box.run(cells("pass"))
    assert os.sched_getaffinity(0) == anywhere
    with box.run(cells("pass")):
        assert len(os.sched_getaffinity(0)) == 1
    assert os.sched_getaffinity(0) == anywhere
    healthy(box)


def test_time_counts_from_the_first_cell_on(box, monkeypatch):
    box._end_spare()
    monkeypatch.setattr(box, "limits", replace(LIMITS, wall_seconds=3))
    healthy(box)
    time.sleep(3.5)
    healthy(box)  # the child that waited meanwhile
    with box.run(cells(STUBBORN)) as child:
        assert child.ran[0].ended == "timeout"
    assert 3 <= child.close().seconds < 10
    box._end_spare()


def test_memory_is_counted_from_the_first_cell_on_and_for_each_child_by_itself(attacked):
    first = attacked.run(cells("import time\nheld = bytearray(b'1' * (200 << 20))\ntime.sleep(0.7)")).close()
    assert first.peak_bytes > 180 * MIB
    assert attacked.run(cells("pass")).close().peak_bytes < 60 * MIB


def test_many_submissions_leave_no_descriptor(box):
    def held() -> int:
        gc.collect()  # an earlier test's may be closed only now
        return len(os.listdir("/proc/self/fd"))

    def some() -> None:
        healthy(box)
        box.run(cells("import os\nos._exit(1)", "1")).close()
        box.run(cells("def f(): return 1"), replace(LIMITS, memory=LIMITS.memory // 2)).close()

    some()
    descriptors = held()
    for _ in range(8):
        some()
    assert held() == descriptors


KILLED = """
    import os, sys, time
    sys.path.insert(0, {tests!r})
    import test_pool as tests
    box = tests.Sandbox(limits=tests.LIMITS).__enter__()
    child = box.run(tests.cells("import os\\nif os.fork() == 0:\\n    while True: pass"))
    print(box._launched.inside.parent.name, flush=True)
    time.sleep(600)
"""


def test_nothing_outlives_a_judge_that_is_killed():
    code = textwrap.dedent(KILLED).format(tests=str(Path(__file__).parent))
    judge = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        folder = judge.stdout.readline().strip()
        assert folder.startswith("sandbox-") and len(seeing(folder)) >= 6, "a child with its own, and one that waits"
    finally:
        judge.kill()
        judge.wait()
    until = time.monotonic() + 20
    while (left := seeing(folder)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not left


# ---------------------------------------------------------------- attacks on what is not theirs

PROBE = """
    import ctypes, os, socket, stat
    libc = ctypes.CDLL(None, use_errno=True)
    def attempt(name, action):
        try:
            print(name, "=", action())
        except BaseException as error:
            print(name, "! ", type(error).__name__, error)
    def call(function, *args):
        ctypes.set_errno(0)
        if function(*args) != 0: raise OSError(ctypes.get_errno(), "refused")
        return "DONE"
    def sockets():
        numbers = []
        for number in range(256):
            try: numbers += [number] if stat.S_ISSOCK(os.fstat(number).st_mode) else []
            except OSError: pass
        return numbers
    def descriptors():
        numbers = []
        for number in range(256):
            try: os.fstat(number); numbers.append(number)
            except OSError: pass
        return numbers
"""


def probe(box: Sandbox, *attempts: str) -> dict[str, str]:
    """Each attempt's line: "= value" or "!  error"."""
    source = textwrap.dedent(PROBE) + "\n".join(f"attempt({name!r}, lambda: {name})" for name in attempts)
    with box.run(cells(source)) as child:
        assert child.ran[0].error is None, child.ran[0]
        lines = text(child).splitlines()
    answers = {
        name: next(line.removeprefix(name).strip() for line in lines if line.startswith(name + " "))
        for name in attempts
    }
    assert len(lines) == len(attempts), lines
    return answers


def test_it_is_an_unprivileged_process_1_with_one_descriptor(attacked):
    answers = probe(
        attacked,
        "os.getuid()",
        "os.getpid()",
        "os.getppid()",
        "sockets()",
        "descriptors()",
        "os.listdir('/proc')",
        "os.getgroups()",
    )
    assert answers["os.getuid()"] == "= 65533"
    assert answers["os.getpid()"] == "= 1" and answers["os.getppid()"] == "= 0"
    assert answers["sockets()"] == "= [3]" and answers["descriptors()"] == "= [0, 1, 2, 3]"
    assert answers["os.listdir('/proc')"] == "= []"


def test_no_lock_on_a_file_of_the_system_is_seen_by_another(box):
    """A lock would be a line between two submissions that are graded at one time. Each holds what it asks for."""
    source = """
        import contextlib, fcntl, os, struct, tempfile
        file = open(os.__file__)
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        span = struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0)
        for command in (6, 7, 37, 38): fcntl.fcntl(file, command, span)  # to lock
        for command in (5, 8, 9, 10, 11, 36, 1024, 1025, 1026, 1033, 1034, 1035, 1036):  # ask, lease, watch, hint
            with contextlib.suppress(OSError):
                print(command, fcntl.fcntl(file, command, span))
        with tempfile.TemporaryFile() as own:
            fcntl.lockf(own, fcntl.LOCK_EX)
        print(os.get_inheritable(os.dup(file.fileno())), fcntl.fcntl(file, fcntl.F_GETFL) >= 0)
    """
    with box.run(cells(source)) as one, box.run(cells(source)) as other:
        assert text(one) == text(other) == "False True\n", (one.ran[0], other.ran[0])
        library = os.open(os.__file__, os.O_RDONLY)
        try:
            fcntl.flock(library, fcntl.LOCK_EX | fcntl.LOCK_NB)
        finally:
            os.close(library)


def test_nothing_of_the_network_is_there(attacked):
    answers = probe(
        attacked,
        "socket.create_connection(('1.1.1.1', 53), 1)",
        "socket.create_connection(('127.0.0.1', 80), 1)",
        "socket.getaddrinfo('example.org', 80)",
        "[name for _, name in socket.if_nameindex() if name != 'lo']",
        "__import__('urllib.request').request.urlopen('http://example.org', timeout=1)",
    )
    assert all(line.startswith("!") for line in answers.values()), answers


def test_no_privilege_can_be_gained(attacked):
    answers = probe(
        attacked,
        "call(libc.mount, b'none', b'/scratch', b'tmpfs', 0, None)",
        "call(libc.mount, b'none', b'/', None, 0x20, None)",
        "call(libc.umount2, b'/proc', 2)",
        "call(libc.umount2, b'/scratch', 2)",
        "call(libc.unshare, 0x10000000)",
        "call(libc.unshare, 0x00020000)",
        "call(libc.unshare, 0x40000000)",
        "call(libc.unshare, 0x10000000 | 0x20000000)",
        "call(libc.chroot, b'/scratch')",
        "call(libc.sethostname, b'x', 1)",
        "call(libc.setuid, 0)",
        "call(libc.ptrace, 16, 2, 0, 0)",
        "os.kill(1, 9) or os.kill(2, 0)",
        "os.mknod('/scratch/device', stat.S_IFBLK | 0o600, os.makedev(254, 0))",
        "os.setpriority(os.PRIO_PROCESS, 0, -5)",
        "__import__('resource').setrlimit(__import__('resource').RLIMIT_NPROC, (1000, 1000))",
    )
    assert all(line.startswith("!") for line in answers.values()), answers


REFUSED = (
    "add_key keyctl request_key bpf perf_event_open userfaultfd io_uring_setup io_uring_enter ptrace process_vm_readv "
    "process_vm_writev kcmp pidfd_open pidfd_getfd pidfd_send_signal unshare setns clone3 mount umount2 move_mount "
    "fsopen open_tree pivot_root chroot memfd_create memfd_secret shmget shmat semget msgget mq_open inotify_init1 "
    "fanotify_init timer_create timerfd_create signalfd4 settimeofday clock_settime adjtimex clock_adjtime setuid "
    "setgid setgroups personality syslog swapon reboot init_module kexec_load quotactl acct sethostname "
    "name_to_handle_at open_by_handle_at seccomp landlock_create_ruleset mlock mlockall mbind vmsplice "
    "sched_setscheduler sched_setaffinity setpriority execve execveat"
).split()


def test_the_filter_refuses_what_it_does_not_name_through_forks_too(attacked):
    import pyseccomp as seccomp

    numbers = {name: seccomp.resolve_syscall(seccomp.Arch.NATIVE, name) for name in REFUSED}
    source = f"""
        import ctypes, errno, os, socket, subprocess, sys
        libc = ctypes.CDLL(None, use_errno=True)
        def answers(number):
            ctypes.set_errno(0)
            return libc.syscall(number, -1, -1, -1, -1, -1, -1), ctypes.get_errno()
        print([name for name, number in {numbers}.items() if answers(number) != (-1, errno.ENOSYS)])
        for family in range(1, 46):
            for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
                try:
                    with socket.socket(family, kind): print("family", family)
                except OSError as error: assert error.errno in (errno.EAFNOSUPPORT, errno.ESOCKTNOSUPPORT), error
        ours, theirs = socket.socketpair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try: ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20); print("a larger buffer")
        except OSError: pass
        try: print(subprocess.run([sys.executable, "-c", "pass"], capture_output=True).returncode)
        except OSError as error: print(errno.errorcode[error.errno])
        pid = os.fork()
        if pid == 0: os._exit(7 if answers({numbers["keyctl"]}) == (-1, errno.ENOSYS) else 8)
        print(os.waitpid(pid, 0)[1] >> 8)
        print([flag for flag in (0x20000, 0x2000000, 0x4000000, 0x10000000, 0x20000000, 0x40000000)
               if libc.syscall({seccomp.resolve_syscall(seccomp.Arch.NATIVE, "clone")}, flag | 17, 0, 0, 0, 0) != -1])
    """
    with attacked.run(cells(source)) as child:
        lines = text(child).splitlines()
    assert lines == ["[]", *["family 1"] * 3, "ENOSYS", "7", "[]"], child.ran[0]


def test_nothing_but_its_own_folder_can_be_written(attacked):
    source = """
        import os
        made = []
        for top, folders, files in os.walk("/"):
            if os.access(top, os.W_OK) and not top.startswith("/scratch"): made.append(top)
        print(made)
        for path in ("/x", "/sandbox/x", "/sandbox/course/x", "/dev/x", "/usr/lib/x", "/etc/x", "/proc/x"):
            try: open(path, "w"); print("wrote", path)
            except OSError: pass
    """
    with attacked.run(cells(source)) as child:
        assert text(child) == "['/dev/shm']\n", child.ran[0]


def test_the_repository_the_home_and_the_grader_are_absent(attacked, earlier):
    source = f"""
        import os, sys
        seen, named = set(), []
        for top, folders, files in os.walk("/"):
            seen.add(top)
            ours = [name for name in files if name in ("ledger.py", "merge.py", "warm_up.py")]
            ours += [name for name in files if name.endswith((".db", ".jsonl", ".ipynb", ".csv"))]
            named += [os.path.join(top, name) for name in ours]
            if ".git" in folders or "_build" in folders: named.append(top)
        print(sorted(os.listdir("/sandbox")), sorted(os.listdir("/sandbox/solutions")))
        # An environment that stands in the repository, as `make` puts it, is there; nothing beside it is.
        repository = {str(ROOT)!r} in seen and os.listdir({str(ROOT)!r}) != [".venv"]
        print(repository, {str(ROOT / "autograde")!r} in seen, {str(earlier.parent)!r} in seen)
        public = ("/sandbox/course/", "/usr/lib/")
        print([path for path in named if not path.startswith(public) and "site-packages" not in path])
        print(sorted(name for name in sys.modules if name.startswith(("autograde", "solutions"))))
        print(sorted(set(os.environ) & {{"SANDBOX_WARM", "SSH_AUTH_SOCK", "PWD", "OLDPWD"}} - {{"PWD"}}))
    """
    with attacked.run(cells(source, "import autograde", "import solutions.bahdanau")) as child:
        lines = text(child).splitlines()
        assert lines[0] == "['course', 'etc', 'fonts', 'inside', 'solutions'] ['__init__.py', 'earlier.py']"
        assert lines[1] == "False False False"
        assert lines[2:] == ["[]", "[]", "[]"]
        assert [child.ran[i].error.name for i in (1, 2)] == ["ModuleNotFoundError"] * 2


def test_what_a_hostile_child_says_is_checked(attacked):
    forged = """
        import gc, json, socket, struct
        def frame(value):
            header = json.dumps(value).encode()
            return struct.pack("<IQ", len(header), 0) + header
        line = socket.socket(fileno=3)
        def d(**fields): return {"dict": [[name, value] for name, value in fields.items()]}
        data = {"dict": [["text/html", "<script>"], ["image/png", "not a png"], ["text/plain", "kept"]]}
        displayed, streamed = d(kind="display_data", data=data), d(kind="stream", name="<b>", text="dropped")
        line.sendall(frame(d(cell=0, outputs={"list": [displayed, streamed]}, error=None, seconds=-5)))
        line.detach()
    """
    with attacked.run(cells(forged, "print('later')")) as child:
        assert "<script>" not in str(child.ran) and "dropped" not in str(child.ran)
        outputs = child.ran[0].outputs
        assert (
            outputs == [{"output_type": "display_data", "data": {"text/plain": "kept"}, "metadata": {}}]
            or child.ran[0].ended
        )


# ---------------------------------------------------------------- the sandbox fails closed


def test_without_bubblewrap_nothing_runs(monkeypatch):
    monkeypatch.setattr(launch.shutil, "which", lambda name: None)
    with pytest.raises(SandboxError, match="bubblewrap is not installed"), Sandbox():
        pass


def test_a_warm_process_that_cannot_start_says_why(monkeypatch, tmp_path):
    broken = tmp_path / "inside"
    broken.mkdir()
    (broken / "__main__.py").write_text("raise SystemExit('no torch here')")
    monkeypatch.setattr(folder, "_INSIDE", broken)
    with pytest.raises(SandboxError, match="no torch here"), Sandbox():
        pass


def test_a_fork_server_that_was_launched_ahead_becomes_the_sandbox_that_is_asked_for(tmp_path):
    earlier = tmp_path / "earlier.py"
    earlier.write_text("def lent():\n    return 'a solution laid beside it later'\n")
    with launch.ahead() as launched:
        with Sandbox(solutions=[earlier], limits=LIMITS, warm=["solutions.earlier"], ahead=launched) as box:
            assert box._launched is launched
            with box.run(cells("from solutions.earlier import lent\nprint(lent())")) as child:
                assert "laid beside it later" in str(child.ran[0].outputs)
    assert not launched.inside.exists()


def test_assignments_that_share_a_warm_process_see_neither_each_others_solutions_nor_modules(tmp_path):
    looks = "import os, sys\nprint(sorted(os.listdir('/sandbox/solutions')), 'colorsys' in sys.modules)"
    seen = []
    with launch.ahead() as launched:
        for name, warm in (("later", ["colorsys"]), ("earlier", [])):
            (tmp_path / f"{name}.py").touch()
            with Sandbox(solutions=[tmp_path / f"{name}.py"], limits=LIMITS, warm=warm, ahead=launched) as box:
                with box.run(cells(looks)) as child:
                    seen.append(child.ran[0].outputs[0]["text"])
        assert launched._process.poll() is None
        until = (
            time.monotonic() + 10
        )  # bubblewrap's two and the warm one: with a sandbox its fork server and children end
        while len(seeing(launched.inside.parent.name)) > 3 and time.monotonic() < until:
            time.sleep(0.05)
        processes = len(seeing(launched.inside.parent.name))
    assert seen == ["['__init__.py', 'later.py'] True\n", "['__init__.py', 'earlier.py'] False\n"]
    assert processes <= 3


def test_a_fork_server_that_nobody_needs_ends_at_once_with_its_folder():
    with launch.ahead() as launched:
        name = launched.inside.parent.name
        assert launched.inside.exists()
    assert not launched.inside.exists() and launched._process.poll() is not None
    until = time.monotonic() + 10  # what the kernel ends with it, it ends soon
    while (left := seeing(name)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not left


def test_nothing_is_launched_ahead_where_it_is_not_wanted_or_cannot_be_had(monkeypatch):
    with launch.ahead(wanted=False) as launched:
        assert launched is None
    monkeypatch.setattr(launch.shutil, "which", lambda name: None)
    with launch.ahead() as launched:
        assert launched is None


def test_a_launch_needs_no_pytorch():
    code = "import sys, autograde.cli; print([name for name in ('torch', 'numpy') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_child_that_cannot_be_confined_runs_nothing(monkeypatch, tmp_path):
    broken = shutil.copytree(folder._INSIDE, tmp_path / "inside")
    text = (broken / "confinement.py").read_text()
    call = 'checked(libc.capset(header, none), "dropping capabilities")'
    assert call in text
    (broken / "confinement.py").write_text(text.replace(call, 'checked(-1, "dropping capabilities")'))
    monkeypatch.setattr(folder, "_INSIDE", broken)
    with Sandbox(limits=LIMITS) as box, pytest.raises(SandboxError, match="dropping capabilities"):
        box.run(cells("print('ran')"))


ORDINARY = """
    import os, sys
    import torch
    from dataclasses import dataclass
    from pathlib import Path
    from autograde.sandbox.pool import Sandbox
    sys.path.insert(0, {tests!r})
    import test_pool as tests
    assert os.getuid() == 12345
    with Sandbox(limits=tests.LIMITS) as box:
        tests.healthy(box)
        tests.test_it_is_an_unprivileged_process_1_with_one_descriptor(box)
        tests.test_no_privilege_can_be_gained(box)
        tests.test_the_filter_refuses_what_it_does_not_name_through_forks_too(box)
        tests.test_nothing_but_its_own_folder_can_be_written(box)
        tests.test_each_submission_is_alone(box)
        tests.test_limits_hold(box, "forks")
        tests.test_limits_hold(box, "memory")
        tests.test_a_daemon_dies_with_its_child(box)
        tests.healthy(box)
    print("as an ordinary user: fine")
"""


@pytest.mark.skipif(os.getuid() != 0, reason="started as an ordinary user, every other test is this one")
def test_it_works_for_an_ordinary_user_too():
    done = as_an_ordinary_user(textwrap.dedent(ORDINARY).format(tests=str(Path(__file__).parent)))
    assert done.returncode == 0 and "as an ordinary user: fine" in done.stdout, done.stdout + done.stderr


def as_an_ordinary_user(code: str, seconds: float = 120) -> subprocess.CompletedProcess:
    """Run Python code as user 12345, in a mount namespace of its own, in which the Python, its environment and the
    repository are open to others where they stand under a closed home folder.
    """

    def closed(folder: Path) -> list[Path]:
        return [parent for parent in folder.parents if parent.stat().st_mode & 0o005 != 0o005]

    needed = {folder for folder in (Path(sys.base_prefix), Path(sys.prefix), ROOT) if closed(folder)}
    needed = sorted(folder for folder in needed if not needed & set(folder.parents))
    script = "set -e\n"
    if needed:
        script += "mount --make-rprivate /\nmkdir -p /mnt\nmount -t tmpfs none /mnt\n"
        for number, folder in enumerate(needed):
            script += f"mkdir /mnt/{number}\nmount --bind '{folder}' /mnt/{number}\n"
        for top in sorted({closed(folder)[-1] for folder in needed}):
            script += f"mount -t tmpfs -o mode=755 none '{top}'\n"
        for number, folder in enumerate(needed):
            script += f"mkdir -p '{folder}'\nmount --move /mnt/{number} '{folder}'\n"
        script += "umount /mnt\n"
    private = Path("/tmp") / f"ordinary-{os.getpid()}"
    private.mkdir(mode=0o700)
    os.chown(private, 12345, 12345)
    environment = {
        "HOME": str(private),
        "TMPDIR": str(private),
        "PYTHONPATH": str(ROOT),
        "PATH": os.environ["PATH"],
        "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    script += f'exec setpriv --reuid 12345 --regid 12345 --clear-groups {sys.executable} -c "$CODE"\n'
    try:
        return subprocess.run(
            ["unshare", "-m", "sh", "-c", script],
            env={**environment, "CODE": code},
            cwd="/",
            capture_output=True,
            text=True,
            timeout=seconds,
        )
    finally:
        shutil.rmtree(private)


def test_the_line_is_a_socket_that_ends(box):
    child = box.run(cells("pass"))
    assert isinstance(child.socket, socket.socket)
    assert child.close() is child.close()
    assert child.socket.fileno() == -1


def test_a_child_that_is_dismissed_ends_with_its_family_and_nobody_waits_for_it(box):
    source = """
        import os, time
        def leave_somebody(): return os.fork() == 0 and time.sleep(60) or 1
    """
    child = box.run(cells(source))
    student = Student(Remote(child.socket, child.request_timeout))
    assert student.leave_somebody() == 1
    line = child.socket.dup()  # its other end is open in the child and in what it forked
    usage = child.dismiss()
    assert usage.outcome == "ok"
    assert child.close() is usage and child.socket.fileno() == -1
    line.settimeout(20)
    assert line.recv(1) == b""
    line.close()
    healthy(box)


def test_a_child_that_has_ended_is_not_dismissed_as_well(box):
    child = box.run(cells("import os\ndef leave(): os._exit(0)"))
    with pytest.raises(StudentError, match="gone"):
        Student(Remote(child.socket, child.request_timeout)).leave()
    assert child.dismiss().outcome == "exited"
    healthy(box)


IMPORTS = """
    import sys
    before = set(sys.modules)
    import torch
    def halved(x):
        return x / 2
    class Network(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(3, 3)
        def forward(self, x):
            return self.layer(x)
    torch.optim.SGD(Network().parameters(), lr=1.0).step()
    def imported():
        return " ".join(sorted(set(sys.modules) - before))
"""


def test_a_child_imports_nothing_to_answer(box):
    """What is imported lazily is there before it is forked: an import in a child is paid for by each, and fails where
    the cells have left no descriptor."""
    with box.run(cells(textwrap.dedent(IMPORTS), "raise OSError('a traceback')")) as child:
        student = Student(Remote(child.socket, child.request_timeout))
        x = torch.zeros(2, 3)
        student.calls([
            {"op": "call", "name": "halved", "args": [x], "watch": ["x"]},
            {"op": "elsewhere", "name": "halved", "args": [x]},
        ])  # fmt: skip
        student.grad("halved", x, cotangents=[torch.ones(2, 3)])
        network = student.Network()
        network.eval()
        network(x)
        assert student.imported() == ""


# ---------------------------------------------------------------- what the machine does to a child


def test_a_child_that_the_machine_kills_is_no_fault_of_its_cells(warm_sandbox):
    """As the kernel does where no memory is left: it was held against the cell that ran."""
    source = "import ctypes, time\nctypes.CDLL(None).prctl(15, b'afs-to-kill')\ntime.sleep(2)"
    killed = []

    def kill():
        until = time.monotonic() + 30
        while not killed and time.monotonic() < until:
            for process in Path("/proc").glob("[0-9]*"):
                with contextlib.suppress(OSError):
                    if (process / "comm").read_text() == "afs-to-kill\n" and not killed:
                        os.kill(int(process.name), signal.SIGKILL)
                        killed.append(process.name)
            time.sleep(0.02)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        with pytest.raises(SandboxError, match="killed from outside"):
            warm_sandbox.run([Cell(0, source)])
    finally:
        thread.join()
    assert killed
    with warm_sandbox.run([Cell(0, "x = 1")]) as child:
        assert child.ran[0].error is None


@pytest.mark.parametrize("limits", ["(1, 1)", "(1, 180)"])
def test_no_cell_can_look_as_if_the_machine_had_killed_it(warm_sandbox, limits):
    lower = f"import resource\nprint(resource.getrlimit(resource.RLIMIT_CPU)[1])\nresource.setrlimit(0, {limits})"
    signals = "import os, signal\nfor number in (9, 15, 1, 2, 3):\n    os.kill(1, number)\nprint('alive')"
    with warm_sandbox.run(cells(lower, signals)) as child:
        assert child.ran[0].error.name in ("PermissionError", "OSError", "ValueError") and not child.ran[0].ended
        assert text(child, 0).strip().isdigit()
        assert text(child, 1) == "alive\n" or child.ran[1].error.name == "KeyboardInterrupt"


def test_a_kill_is_the_machines_unless_a_limit_was_met():
    report = {"status": signal.SIGKILL, "killed": "", "seconds": 9.0, "waited_seconds": 0.0, "peak_bytes": 9}
    limits = Limits(cpu_seconds=10)
    assert usage_of(report | {"cpu_seconds": 1.0}, False, limits).outcome == usages.KILLED
    assert usage_of(report | {"cpu_seconds": 9.0}, False, limits).outcome == "timeout"
    assert usage_of(report | {"cpu_seconds": 1.0, "killed": "memory"}, False, limits).outcome == "out of memory"
    assert usage_of(report | {"cpu_seconds": 1.0, "status": signal.SIGTERM}, False, limits).outcome == usages.KILLED
    assert usage_of(report | {"cpu_seconds": 1.0, "status": signal.SIGSEGV}, False, limits).outcome == "crashed"
