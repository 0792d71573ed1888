"""The intake's jail: what it reads is what is read without one, its children have no rights and no say, and a child
that is taken over costs its own submission alone."""

from __future__ import annotations

import ast
import contextlib
import gzip
import io
import json
import os
import shutil
import signal
import symtable
import sys
import tarfile
import textwrap
import threading
import time
import tokenize
import zipfile
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest

from autograde.intake import jail, parse, received, unpack
from autograde.intake.intake import Intake
from autograde.intake.jail import LIMITS, Unread
from autograde.intake.merge import merged_notebook
from autograde.intake.unpack import Budget, Damaged, TooMuch
from autograde.sandbox.pool import SandboxError
from autograde.sandbox.usage import KILLED, Usage
from course.key import Key
from tests.autograde import broken, toy
from tests.autograde.intake.test_parse import NAME, notebook, submission
from tools.notebooks.files import ROOT

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.xdist_group("intake"),
    pytest.mark.skipif(sys.platform != "linux" or shutil.which("bwrap") is None, reason="needs Linux and bubblewrap"),
]
RELEASED = (ROOT / "notebooks" / f"{broken.NAME}.ipynb").read_text("utf-8")
GOOD = json.dumps(notebook("x = 1")).encode()
SHORT = replace(LIMITS, cpu_seconds=2, wall_seconds=6.0, memory=256 << 20, grace=1.0)


@pytest.fixture(scope="module")
def intake():
    with Intake(nbformat.reads(RELEASED, as_version=4)) as intake:
        yield intake


def test_a_child_reads_what_is_read_here(intake, tmp_path):
    made = json.loads(RELEASED)
    made["cells"].append({"cell_type": "code", "metadata": {}, "source": "import os\nos.system('ls')\n%time y = 1"})
    made["cells"][3]["source"] = "changed"
    folder = submission(tmp_path, made, "another name.ipynb")
    here, there = received.receive(folder, NAME), intake.receive(folder, NAME)
    assert here == there and here.notebook is not None
    assert merged_notebook(intake.assignment, here.notebook) == intake.merged(there) == intake.merged(here)
    flags = intake.merged(there).flags
    assert flags == ("starts or ends processes",)
    assert [c.names for c in merged_notebook(intake.assignment, here.notebook).cells] == [
        c.names for c in intake.merged(there).cells
    ]


@pytest.mark.parametrize("content", [b"", b"[" * 100_000, b'{"cells": 5}', GOOD[:-9], b"\xff\xfe\x00"])
def test_what_is_refused_here_is_refused_there(intake, content):
    assert intake.contents(content) == parse.contents(content)


def test_the_graders_process_parses_no_text_of_a_students(monkeypatch, toy_notebook, tmp_path, one_sandbox):
    from autograde.grading.worker import Worker

    parsed: list[str] = []

    def recording(of, real):
        return lambda source, *more, **others: (parsed.append(str(source)), real(source, *more, **others))[1]

    for of, name in [(ast, "parse"), (symtable, "symtable"), (tokenize, "generate_tokens")]:
        monkeypatch.setattr(of, name, recording(of, getattr(of, name)))
    made = json.loads(toy_notebook.read_bytes())
    for cell in made["cells"]:
        if "def scale" in "".join(cell["source"]):
            cell["source"] = "def scale(x, factor):\n    marker_of_a_student = 1\n    return x * factor"
    made["cells"].append({"cell_type": "code", "metadata": {}, "source": "marker_of_a_student = 2"})
    folder = submission(tmp_path / "folder", made, f"{toy.NAME}.ipynb")
    with Worker(toy.NAME, nbformat.reads(toy_notebook.read_text(), as_version=4), Key.public(1)) as worker:
        graded = worker.grade(worker.intake.receive(folder, toy.NAME))
    assert graded.verdicts["scale"].outcome == "pass" and not graded.details
    assert not [source for source in parsed if "marker_of_a_student" in source]


def test_keys_that_stand_twice_take_no_more_time_than_others():
    twice = ",".join(f'"k{i}": 1, "k{i}": 2' for i in range(13_000))
    data = ("{" + twice + ', "cells": [{"cell_type": "code", "source": "x = 1"}]}').encode()
    assert 280_000 < len(data) < 400_000
    started = time.process_time()
    contents = parse.contents(data)
    assert time.process_time() - started < 1.0
    assert contents.notebook is not None and "twice" in contents.notes[0][0]


# ---------------------------------------------------------------- children that are taken over


def copied(here):
    """A copy of what stands in the jail, to be changed."""
    for name in jail.INSIDE:
        (here / f"{name}.py").parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(jail._HERE / f"{name}.py", here / f"{name}.py")
    return here


@pytest.fixture(scope="module")
def taken(tmp_path_factory):
    """An intake whose children run the bytes they are given: the worst that a fault of a parser could do."""
    here = copied(tmp_path_factory.mktemp("taken"))
    with (here / "intake" / "parse.py").open("a") as file:
        file.write(
            textwrap.dedent("""
            _contents = contents
            def contents(data):
                if data.startswith(b"{"):
                    return _contents(data)
                names = {}
                exec(data.decode(), names)
                return Contents(None, (), "Told.", str(names.get("told", "")))
            """)
        )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jail, "_HERE", here)
        with Intake(nbformat.reads(RELEASED, as_version=4), SHORT) as intake:
            yield intake


def run_in(taken: Intake, code: str) -> parse.Contents:
    return taken.contents(textwrap.dedent(code).encode())


@pytest.mark.parametrize("error", ["OSError(24, 'Too many open files')", "MemoryError()"])
def test_what_a_reader_lacks_of_the_machines_is_no_students_fault(tmp_path, monkeypatch, error):
    """A file of a few kilobytes cannot be the reason for either."""
    here = copied(tmp_path)
    with (here / "intake" / "parse.py").open("a") as file:
        file.write(f"def _parse(data, reading):\n    raise {error}\n")
    assert parse.MAX_BYTES > parse._FITS
    monkeypatch.setattr(jail, "_HERE", here)
    (tmp_path / f"{toy.NAME}.ipynb").write_bytes(GOOD)
    with Intake(nbformat.reads(RELEASED, as_version=4), SHORT) as intake:
        seen = intake.receive(tmp_path / f"{toy.NAME}.ipynb", toy.NAME)
    assert seen.failed.startswith(f"a file of {len(GOOD)} bytes cannot be read here: ")
    assert seen.notebook is None and not seen.reason_for_student


@pytest.mark.parametrize("text", ["[],", "{},", '"é",', "300,", '{"a":1},'])
def test_a_file_that_must_fit_into_a_readers_memory_does(text):
    """Of what takes most memory for its bytes, as large as a file is whose reading is to need no more than there is."""
    cells = (parse._FITS // len(text.encode()) - 100) * text
    data = ('{"nbformat": 4, "cells": [{"cell_type": "code", "source": "x"}], "metadata": [' + cells + "1]}").encode()
    assert parse._FITS * 0.99 < len(data) <= parse._FITS
    with Intake() as intake:
        seen = intake.contents(data)
    assert seen.notebook is not None, seen


def test_a_child_reaches_nothing(taken, tmp_path):
    (tmp_path / "gradebook.db").write_text("grades")
    result = run_in(
        taken,
        f"""
        import os, socket
        told = []
        def tried(what, work):
            try:
                work()
                told.append(what)
            except (OSError, BlockingIOError):
                pass
        tried("the class", lambda: open({str(tmp_path / "gradebook.db")!r}).read())
        tried("the repository", lambda: os.listdir({str(ROOT / "notebooks")!r}))
        tried("the solutions", lambda: os.listdir("/sandbox/solutions"))
        tried("processes", lambda: os.listdir("/proc/1"))
        tried("the network", lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM))
        tried("a new process", lambda: os.fork() or os._exit(0))
        tried("another program", lambda: os.execv("/usr/bin/python3", ["python3"]))
        tried("writing outside", lambda: open("/sandbox/x", "w"))
        tried("much on the disk", lambda: open("x", "wb").write(b"x" * (1 << 20)))
        tried("root", lambda: os.setuid(0))
        told += [str(n) for n in range(4, 100) if os.path.exists(f"/dev/fd/{{n}}")]
        told.append(str(os.getuid()))
        """,
    )
    assert result.student == "Told.", result
    reached = ast.literal_eval(result.instructor)
    assert reached[:-1] == [] and reached[-1] != "0"


FORGED = """
import json, os, socket, struct
line = socket.socket(fileno=3)
for data in {data}, {texts}:
    line.sendall(struct.pack("!Q", len(data)) + data)
os._exit(0)
"""


def forged(data: str, texts: str = "b''") -> str:
    return FORGED.format(data=data, texts=texts)


EMPTY = {"notebook": None, "notes": [], "student": "", "instructor": "", "merged": None, "failed": ""}
ENDS = {
    "exits": "import os; os._exit(0)",
    "crashes": "import ctypes; ctypes.string_at(0)",
    "raises": "raise MemoryError",
    "loops": "while True: pass",
    "sleeps": "import time; time.sleep(1000)",
    "takes memory": "x = [b'x' * (1 << 20) for _ in range(10_000)]",
    "sends without end": "import socket\nline = socket.socket(fileno=3)\nwhile True: line.sendall(b'x' * 65536)",
    "claims much": "import socket, time\nsocket.socket(fileno=3).sendall(b'\\xff' * 8)\ntime.sleep(1000)",
    "trickles": "import socket, time\nline = socket.socket(fileno=3)\nwhile True: line.sendall(b'\\0'); time.sleep(.5)",
    "no JSON": forged("b'no JSON'"),
    "deep": forged("b'[' * 1_000_000"),
    "another form": forged(repr(json.dumps({"ok": True}).encode())),
    "more keys": forged(repr(json.dumps(EMPTY | {"flags": []}).encode())),
    "neither": forged(repr(json.dumps(EMPTY).encode())),
    "another notebook": forged(repr(json.dumps(EMPTY | {"notebook": json.loads(RELEASED)}).encode())),
    "half a letter": forged(repr(json.dumps(EMPTY | {"student": "\ud800"}).encode())),
    "many values": forged("b'[' + b'[],' * 2_700_000 + b'[]]'"),
    "too many values": forged("b'[' + b'[],' * 40_000_000 + b'[]]'"),
    "texts that are not there": forged(repr(json.dumps(EMPTY | {"student": {"": 1 << 40}}).encode())),
    "no text": forged(repr(json.dumps(EMPTY | {"student": {"": 2}}).encode()), "b'\\xff\\xff'"),
}


@pytest.mark.parametrize("how", ENDS)
def test_a_child_that_is_taken_over_costs_its_own_submission_and_nothing_else(taken, how):
    started = time.monotonic()
    result = run_in(taken, ENDS[how])
    assert result.notebook is None and result.student.startswith("Your file could not be read: "), result
    assert result.student.endswith("hand it in again.") and result.instructor
    assert time.monotonic() - started < 60
    good = taken.contents(GOOD)
    assert good.notebook is not None and good.merged is not None


@pytest.mark.parametrize("forge", [
    lambda merged: merged["pieces"].pop(),
    lambda merged: merged["pieces"].reverse(),
    lambda merged: merged["pieces"].append(merged["pieces"][0]),
    lambda merged: merged["pieces"][2].update(at=True),
    lambda merged: merged["pieces"][-1].update(names={"bound": 1, "used": ""}),
    lambda merged: merged.update(unanswered=None),
])  # fmt: skip
def test_what_belongs_where_is_laid_out_here_or_refused(intake, forge, monkeypatch):
    seen = intake.contents(RELEASED.encode())
    assert seen.merged is not None
    pieces = [vars(piece) | {"names": piece.names and _in_words(piece.names)} for piece in seen.merged.pieces]
    merged = {"pieces": pieces, "untouched": False}
    merged |= {name: [] for name in ("notes", "details", "unanswered", "edited", "flags")}
    asked = {"notebook": seen.notebook, "notes": [], "student": "", "instructor": "", "merged": merged, "failed": ""}
    monkeypatch.setattr(intake, "_answer", lambda job, data, form: _answered(asked, form))
    assert intake.contents(b"").notebook is not None
    forge(merged)
    assert intake.contents(b"").notebook is None


def _in_words(names):
    return {kind: " ".join(getattr(names, kind)) for kind in ("bound", "used", "defined")}


def _answered(value, form):
    try:
        return jail.protocol.formed(json.loads(json.dumps(value)), form)
    except ValueError as error:  # as `_answer` has it
        raise Unread("", str(error)) from None


def test_a_jail_that_was_lost_is_made_anew_and_one_that_cannot_be_is_no_students_fault(monkeypatch, tmp_path):
    with Intake() as intake:
        assert intake.contents(GOOD).notebook is not None
        intake._jail._launched._process.kill()
        intake._jail._launched._process.wait()
        assert intake.contents(GOOD).notebook is not None
        monkeypatch.setattr(jail, "_PROGRAM", ("-c", "raise SystemExit('no jail today')"))
        intake.close()
        with pytest.raises(SandboxError, match="no jail today"):
            intake.contents(GOOD)
        received = intake.receive(submission(tmp_path, GOOD), NAME)
        assert "no jail today" in received.failed and not received.reason_for_student


def test_nothing_heavy_is_inside(taken):
    result = run_in(
        taken, "import sys; told = [m for m in ('torch', 'nbformat', 'nbgrader', 'numpy') if m in sys.modules]"
    )
    assert result.instructor == "[]"


# ---------------------------------------------------------------- archives


def zipped(files: dict[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return held.getvalue()


def tarred(files: dict[str, bytes], more=()) -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for info in more:
            archive.addfile(info)
    return held.getvalue()


FILES = {"ada/02.ipynb": GOOD, "../up.txt": b"up", "/abs": b"abs", "é\u202e": b"x" * 700_000, "empty": b""}


def written(tmp_path, data: bytes):
    path = tmp_path / "archive"
    path.write_bytes(data)
    return path


def budget(room: int = 64 << 20) -> Budget:
    return Budget(room, 100)


@pytest.mark.parametrize("pack", [zipped, tarred, lambda files: gzip.compress(tarred(files))])
def test_members_are_told_and_given_and_nothing_is_written(intake, tmp_path, pack):
    archive, whole, some = written(tmp_path, pack(FILES)), budget(), budget()
    assert {m.name: b"".join(m.chunks) for m in intake.unpack(archive, whole) if not m.refused} == FILES
    assert [m.name for m in intake.unpack(archive, budget())] == list(FILES), "names alone"
    result = {m.name: b"".join(m.chunks) for m in intake.unpack(archive, some) if m.name == "empty" or "ada" in m.name}
    assert result == {"ada/02.ipynb": GOOD, "empty": b""}
    assert whole.members == some.members == 100 - len(FILES) and whole.room <= some.room < 64 << 20
    assert [path.name for path in tmp_path.iterdir()] == ["archive"]


@pytest.mark.parametrize("pack", [zipped, lambda files: gzip.compress(tarred(files))])
def test_a_member_that_is_larger_than_is_taken_stops_there_and_the_next_is_given(intake, tmp_path, pack):
    members = intake.unpack(written(tmp_path, pack({"bomb": bytes(200 << 20), "next": b"next"})), budget(1 << 30))
    with pytest.raises(TooMuch):
        unpack.write(next(members).chunks, tmp_path / "bomb", 1 << 20)
    assert b"".join(next(members).chunks) == b"next" and next(members, None) is None


def test_links_devices_and_locked_members_are_told_and_never_given(intake, tmp_path):
    odd = []
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
        info = tarfile.TarInfo(f"odd-{kind.decode()}")
        info.type, info.linkname = kind, "/etc/passwd"
        odd.append(info)
    archive = written(tmp_path, tarred({"a": b"a"}, odd))
    result = [(m.refused, b"".join(m.chunks)) for m in intake.unpack(archive, budget())]
    assert result == [("", b"a"), *[("a link or no ordinary file: never followed", b"")] * 4]
    data = bytearray(zipped({"locked": b"secret"}))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    data[6] |= 1
    (member,) = intake.unpack(written(tmp_path, bytes(data)), budget())
    assert "password" in member.refused and b"".join(member.chunks) == b""


CUT = {"empty": b"", "words": b"no archive", "zip": zipped(FILES)[:-30], "tar": gzip.compress(tarred(FILES))[:600]}


@pytest.mark.parametrize("data", CUT.values(), ids=CUT)
def test_a_damaged_archive_says_so(intake, tmp_path, data):
    with pytest.raises(Damaged, match="damaged"):
        for member in intake.unpack(written(tmp_path, data), budget()):
            list(member.chunks)
    assert intake.contents(GOOD).notebook is not None


def test_an_archive_without_end_meets_its_limits(intake, tmp_path):
    huge = tarfile.TarInfo("huge")
    huge.size = 8 << 30
    bomb = gzip.compress(huge.tobuf()) + gzip.compress(bytes(1 << 20), 9) * (8 << 10)
    with pytest.raises(Damaged, match="too long"):
        list(intake.unpack(written(tmp_path, bomb), budget(1 << 40), SHORT))
    with pytest.raises(TooMuch, match="more than 64 MB"):
        list(intake.unpack(written(tmp_path, bomb), budget()))
    assert intake.contents(GOOD).notebook is not None


def test_what_one_student_handed_in_has_the_limits_of_its_size():
    small, large, largest = (jail.limits_of(size) for size in (1 << 10, 100 << 20, 1 << 40))
    assert 60 <= small.wall_seconds < 61 and small.cpu_seconds == LIMITS.cpu_seconds
    assert small.wall_seconds < large.wall_seconds < largest.wall_seconds == jail.SOURCE_LIMITS.wall_seconds
    assert small.cpu_seconds < large.cpu_seconds < largest.cpu_seconds == jail.SOURCE_LIMITS.cpu_seconds


# A child that unpacks, taken over: what it sends, after the budget's room has been asked for.
SENDS = {
    "more than there is room for": """
        send(line, b"mname")
        receive(line, 1)
        while True:
            send(line, b"d" + bytes(1 << 18))
            receive(line, 1)
    """,
    "less spent than before": """
        for spent in (9, 8):
            send(line, b"mname")
            receive(line, 1)
            send(line, b"o" + json.dumps({"spent": spent, "wrong": "", "much": False}).encode())
    """,
    "no form": "send(line, b'e{}')",
    "no such frame": "send(line, b'x')",
    "bytes beyond the archive": "send(line, b'r' + struct.pack('!QQ', 1 << 40, 9))",
    "nothing": "raise SystemExit",
}


@pytest.mark.parametrize("sends", SENDS.values(), ids=SENDS)
def test_a_child_that_is_taken_over_while_it_unpacks_costs_its_archive_alone(tmp_path, monkeypatch, sends):
    here = copied(tmp_path / "copy")
    with (here / "intake" / "archives.py").open("a") as file:
        file.write("\n\ndef serve(line):\n    receive(line, ASKED)\n" + textwrap.indent(textwrap.dedent(sends), "    "))
    monkeypatch.setattr(jail, "_HERE", here)
    left = budget(1 << 20)
    with Intake() as taken:
        with pytest.raises(Damaged, match=r"damaged|breaks the program"):
            for member in taken.unpack(written(tmp_path, b"no matter"), left):
                for _ in member.chunks:
                    pass
        assert left.room >= 0 and taken.contents(GOOD).notebook is not None


def test_many_members_and_none_too_many(intake, tmp_path):
    archive = written(tmp_path, tarred({str(number): b"" for number in range(100)}))
    assert len(list(intake.unpack(archive, budget()))) == 100
    with pytest.raises(TooMuch, match="more than 99 files"):
        list(intake.unpack(archive, Budget(64 << 20, 99)))


# ---------------------------------------------------------------- what the machine does to a child


# A child that says who it is, to those who may look at processes, and takes its time.
NAMED = """
import ctypes, time
ctypes.CDLL(None).prctl(15, b"afs-to-kill")
time.sleep(1.5)
told = "read"
"""


@contextlib.contextmanager
def the_machine_kills(times):
    """Kills so many of those children, one after the other, as a machine does that is out of memory."""
    left = [times]

    def work():
        until = time.monotonic() + 30
        while left[0] and time.monotonic() < until:
            for process in Path("/proc").glob("[0-9]*"):
                with contextlib.suppress(OSError):
                    if (process / "comm").read_text() == "afs-to-kill\n" and left[0]:
                        os.kill(int(process.name), signal.SIGKILL)
                        left[0] -= 1
                        time.sleep(0.1)
            time.sleep(0.02)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        thread.join()
    assert not left[0], "no such child was seen"


def test_a_child_that_the_machine_killed_is_asked_again(taken):
    with the_machine_kills(1):
        assert run_in(taken, NAMED).instructor == "read"


def test_a_child_that_the_machine_kills_twice_is_no_students_fault(taken, tmp_path):
    with the_machine_kills(2):
        received = taken.receive(submission(tmp_path, NAMED.encode()), NAME)
    assert "SIGKILL from outside" in received.failed
    assert received.notebook is None and not received.reason_for_student and not received.empty
    assert taken.contents(GOOD).notebook is not None


@pytest.mark.parametrize(("usage", "how"), [
    (Usage(60, 20, 30, 0, "timeout", "SIGKILL"), "timeout"),  # its processor time is used up, busy machine or not
    (Usage(60, 0, 0, 0, "timeout"), "timeout"),  # it slept
    (Usage(9, 3, 0, 0, "out of memory"), "out of memory"),  # counted by its supervisor
    (Usage(1, 1, 0, 0, "crashed", "SIGSEGV"), "crashed"),
    (Usage(1, 1, 0, 0, "exited"), "exited"),
    (Usage(60, 3, 56, 0, "timeout"), None),  # it would have gone on
    (Usage(65, 3, 56, 0, "ok"), None),  # so late that nobody waited for its end
    (Usage(3, 1, 0, 0, KILLED, "SIGKILL"), None),  # by the kernel, at which no limit was met
    (Usage(3, 1, 0, 0, KILLED, "SIGTERM"), None),
])  # fmt: skip
def test_time_without_a_processor_is_the_machines(usage, how):
    if how is None:
        with pytest.raises(SandboxError, match=r"(3 s of processor time in 6|from outside)"):
            jail.outcome_of(usage, TimeoutError(), LIMITS)
    else:
        assert jail.outcome_of(usage, EOFError(), LIMITS) == how
