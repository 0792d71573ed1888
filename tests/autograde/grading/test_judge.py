"""What the judge works out from texts alone, which exercises rest on which and which given cells an answer needs; and
what it makes of a submission that was late."""

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from unittest.mock import Mock

import nbformat
import pytest
import torch

from autograde.grading import dependencies, endings, judge, worker
from autograde.intake.merge import Cell
from autograde.sandbox.limits import MIB, Limits, bounded
from autograde.sandbox.pool import Sandbox
from autograde.sandbox.usage import Usage, usage_of
from course.checks.engine import Key, Outcome, Verdict
from course.verdict import CaseVerdict
from tests.autograde import toy


def cell(index, source, kind="given"):
    return Cell(index, f"c{index}", source, kind)


def kept(*cells):
    return [c.index for c in dependencies.needed(cells)]


def test_an_exercise_rests_on_what_its_reference_reaches(toy_notebook):
    scale, centre, standardise, *_ = among = judge.of_assignment(toy.NAME)
    assert dependencies.rests_on(standardise, [], among) == [centre]
    assert dependencies.rests_on(centre, [], among) == []
    assert dependencies.rests_on(scale, [], among) == []


def test_an_exercise_rests_on_what_its_own_answer_uses_too(toy_notebook):
    scale, centre, standardise, *_ = among = judge.of_assignment(toy.NAME)
    direct = Cell(3, "c3", "def centre(x):\n    return scale(x, 1) - x.mean(0)", "answer", "centre", "centre-answer")
    assert dependencies.rests_on(centre, [direct], among) == [scale]
    broken = Cell(3, "c3", "def standardise(:", "answer", "standardise", "standardise-answer")
    assert dependencies.rests_on(standardise, [broken], among) == [centre]


@pytest.mark.parametrize("kind", ["given", "added", "answer"])
def test_an_exercise_rests_on_what_its_answer_reaches_through_other_cells(toy_notebook, kind):
    """A given helper or the student's own may be what uses the earlier part, and a table that was made with it."""
    scale, centre, *_ = among = judge.of_assignment(toy.NAME)
    answer = Cell(3, "c3", "def centre(x):\n    return x - means(x)", "answer", "centre", "centre-answer")
    helper = cell(1, "def means(x):\n    return WEIGHT * x.mean(0)", kind)
    assert dependencies.rests_on(centre, [helper, cell(2, "WEIGHT = scale(1.0, 1)", kind), answer], among) == [scale]
    assert dependencies.rests_on(centre, [helper, cell(2, "scale(1.0, 1)\nOTHER = 2", kind), answer], among) == []


def test_a_local_name_is_not_a_component_that_is_used(toy_notebook):
    _, centre, *_ = among = judge.of_assignment(toy.NAME)
    answer = Cell(3, "c3", "def centre(x, scale=2):\n    return x - scale", "answer", "centre", "centre-answer")
    assert dependencies.rests_on(centre, [answer], among) == []


def test_an_unknown_assignment_is_named_with_those_there_are(toy_notebook):
    with pytest.raises(ValueError, match="no exercise belongs to '09-cuda'; there are 00-toy"):
        judge.of_assignment("09-cuda")


def test_given_cells_that_no_answer_uses_are_left_out():
    answer = cell(3, "def f(x):\n    return torch.relu(x) + OFFSET", "answer")
    cells = [cell(0, "import torch"), cell(1, "OFFSET = 1"), cell(2, "fig = plot(f)\nx = 1"), answer]
    assert kept(*cells) == [0, 1, 3]


def test_given_cells_are_kept_through_any_depth_and_where_they_change_what_is_used():
    cells = [
        cell(0, "from math import pi"),
        cell(1, "radii = [1]"),
        cell(2, "radii.append(2)"),
        cell(3, "def area(r):\n    return pi * r ** 2"),
        cell(4, "areas = [area(r) for r in radii]"),
        cell(5, "total = sum(areas)", "added"),
        cell(6, "unused = [r for r in radii]"),
    ]
    assert kept(*cells) == [0, 1, 2, 3, 4, 5]


def test_a_name_local_to_a_function_or_a_call_on_a_module_keeps_nothing():
    cells = [
        cell(0, "import torch"),
        cell(1, "torch.manual_seed(0)"),
        cell(2, "def draw(x):\n    y = x\n    return y"),
        cell(3, "def f(x):\n    y = torch.exp(x)\n    return y", "answer"),
    ]
    assert kept(*cells) == [0, 3]


def test_what_the_cells_import_is_warmed_modules_of_the_course_too():
    cells = [
        "import json",
        "from course import check, data, style",
        "from course.data import BOS_ID, digits",
        "from torch.utils import checkpoint as c",
    ]
    notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, cells)))
    assert worker._imported(notebook) == ["course.data", "course.data.digits", "json", "torch.utils"]


def test_a_module_that_was_imported_from_another_is_one_too():
    """As `nn`: a cell that calls it changes nothing for others, and what it binds is kept where it is used."""
    cells = [
        cell(0, "from torch import Tensor, nn"),
        cell(1, "theirs = nn.Linear(2, 2)\nnn.init.zeros_(theirs.bias)"),
        cell(2, "Tensor.of_mine = 1"),
        cell(3, "class Mine(nn.Module):\n    size: Tensor", "answer"),
    ]
    assert kept(*cells) == [0, 2, 3]


@pytest.mark.parametrize("source", ["def f():\n    return A\n!ls", "x = %who A", "A?", "await A"])
def test_cells_that_are_no_python_are_kept_and_keep_what_they_name(source):
    cells = [cell(0, "%matplotlib inline"), cell(1, "A = 1"), cell(2, source, "answer")]
    assert kept(*cells) == [0, 1, 2]


@pytest.mark.parametrize("source", ["def f(:\n    return A", "A = = 1", "if A != 1:\nreturn A % 2"])
def test_an_answer_that_cannot_run_needs_no_given_cell(source):
    """It only names an experiment, which may take seconds."""
    cells = [cell(0, "A = train()"), cell(1, source, "answer")]
    assert kept(*cells) == [1]


def test_memory_is_bounded_for_a_while():
    with bounded(256 * MIB):
        with pytest.raises(RuntimeError, match="allocate memory"):
            torch.ones(1 << 14, 1) + torch.ones(1, 1 << 14)
        with bounded(1 << 40):  # an inner one never widens it
            with pytest.raises(RuntimeError, match="allocate memory"):
                torch.ones(1 << 28)
    assert (torch.ones(1 << 11, 1) + torch.ones(1, 1 << 11)).sum() == 1 << 23


def test_an_answer_in_another_cell_is_found(toy_notebook):
    scale, *_ = judge.of_assignment(toy.NAME)
    stub = Cell(0, "c0", "def scale(x, factor):\n    raise NotImplementedError", "answer", "scale", "scale-answer")
    uses = Cell(1, "c1", "y = scale(x, 2)", "added")
    assert not dependencies.answered_elsewhere(scale, [stub, uses])
    assert dependencies.answered_elsewhere(scale, [stub, Cell(1, "c1", "scale, x = torch.mul, 1", "added")])
    for way_on in ("from course.components import scale", "import scale", "del scale"):
        assert not dependencies.answered_elsewhere(scale, [stub, Cell(1, "c1", way_on, "added")])
    both = "from course.components import scale\ndef scale(x):\n    return x"
    assert dependencies.answered_elsewhere(scale, [stub, Cell(1, "c1", both, "added")])
    assert dependencies.answered_elsewhere(scale, [stub, Cell(1, "c1", "%time scale = torch.mul", "added")])
    assert not dependencies.answered_elsewhere(scale, [stub, Cell(1, "c1", "def broken(:\nscale(x, 1)", "added")])


def test_what_was_left_as_given_out_is_not_judged(toy_notebook, monkeypatch):
    """Even where the stub is a program, with a fault to be found in it."""
    among = judge.of_assignment(toy.NAME)
    stub = Cell(0, "c0", "def scale(x, factor):\n    return x", "answer", "scale", "scale-answer")
    submission = judge.SubmissionJudge(None, [stub], among, {}, {"scale"})
    monkeypatch.setattr(submission, "_judged", lambda exercise, cells: Verdict(Outcome.PASS, 1.0))
    assert submission.judge().verdicts["scale"] == Verdict(Outcome.NOT_ANSWERED)


# ---------------------------------------------------------------- late, or kept waiting

LOOP = "def scale(x, factor):\n    while True: pass"
SLOW = """import time
begun = []
def scale(x, factor):
    begun.append(time.process_time())
    while time.process_time() < begun[0] + 0.25: pass
    return x * factor"""


@pytest.fixture(scope="module")
def box():
    with Sandbox(limits=Limits(request_seconds=0.8, grace=0.5, cell_seconds=60.0)) as opened:
        yield opened


@pytest.fixture
def crowd(request):
    """So many processes, each with a session of its own, that leave little to others of the processor that all share.

    A kernel that gives each session its share would give one of all of them together no more than a submission.
    """
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    endless = [sys.executable, "-S", "-c", "while True: pass"]
    others = [subprocess.Popen(endless, start_new_session=True) for _ in range(request.param)]
    yield
    for other in others:
        other.kill()
        other.wait()
    os.sched_setaffinity(0, before)


@pytest.mark.sandbox
@pytest.mark.xdist_group("sandbox")  # not beside those that look at a clock
@pytest.mark.skipif(sys.platform != "linux" or shutil.which("bwrap") is None, reason="needs Linux and bubblewrap")
@pytest.mark.skipif(not os.path.exists("/proc/self/schedstat"), reason="this kernel does not count what waits")
@pytest.mark.parametrize("crowd", [16], indirect=True)
def test_who_was_late_because_the_machine_was_busy_waits_for_a_person(toy_notebook, box, crowd):
    scale, *_ = judge.of_assignment(toy.NAME)
    answer = Cell(0, "c0", LOOP, "answer", "scale", "scale-answer")
    judged = (
        judge.SubmissionJudge(box, [answer], [scale], judge.tables(toy.NAME, Key.public(1))).judge().verdicts["scale"]
    )
    assert judged.outcome == "timeout"
    assert judged.internal.startswith("The machine was too busy to tell: ")


@pytest.mark.sandbox
@pytest.mark.xdist_group("sandbox")
@pytest.mark.skipif(sys.platform != "linux" or shutil.which("bwrap") is None, reason="needs Linux and bubblewrap")
@pytest.mark.skipif(not os.path.exists("/proc/self/schedstat"), reason="this kernel does not count what waits")
@pytest.mark.parametrize(
    ("source", "outcome", "crowd"),
    [(LOOP, "timeout", 4), (SLOW, "pass", 6)],
    indirect=["crowd"],
    ids=["endless", "slow"],
)
def test_a_submission_that_had_to_wait_is_judged_with_more_time(toy_notebook, box, crowd, source, outcome):
    """One that never ends is told so, and one that ends within its time where nothing is beside it is right."""
    scale, *_ = judge.of_assignment(toy.NAME)
    merged = Mock(cells=[Cell(0, "c0", source, "answer", "scale", "scale-answer")], unanswered=set())
    working = worker.Worker(toy.NAME, nbformat.read(toy_notebook, 4), Key.public(1))
    working._sandbox, working.exercises, working._tables = box, [scale], judge.tables(toy.NAME, working.key)
    judged = working._judge(merged).verdicts["scale"]
    assert judged.outcome == outcome and not judged.internal


@pytest.mark.parametrize(
    ("failure", "ending", "outcome", "words"),
    [
        ("timeout", "stopped", Outcome.TIMEOUT, "not answered after 10 s"),
        ("timeout", "exited", Outcome.TIMEOUT, "not answered after 10 s"),
        ("protocol", "stopped", Outcome.BLOCKED, "could not be read"),
        ("protocol", "exited", Outcome.BLOCKED, "could not be read"),
        ("protocol", "timeout", Outcome.TIMEOUT, "used up its time"),
        ("protocol", "out of memory", Outcome.OUT_OF_MEMORY, "more memory"),
        ("gone", "stopped", Outcome.BLOCKED, "could not be read"),
        ("gone", "exited", Outcome.ERROR, "ended Python"),
        ("gone", "crashed", Outcome.ERROR, "ended Python"),
        ("gone", "timeout", Outcome.TIMEOUT, "used up its time"),
    ],
)
def test_the_reason_of_an_end_is_the_one_that_there_was(failure, ending, outcome, words):
    """A child that the grader itself had ended has used up neither its time nor its memory."""
    before = Verdict(Outcome.FAIL, cases=(CaseVerdict("a", False, 1.0, "wrong"),))
    verdict = endings.cut_short(before, failure, ending, 10.0)
    assert verdict.outcome is outcome and words in verdict.cases[0].message
    report = {"status": signal.SIGKILL, "seconds": 1.0, "cpu_seconds": 0.5, "waited_seconds": 0.0, "peak_bytes": 9}
    outcomes = {why: usage_of(report | {"killed": why}, False, Limits()).outcome for why in ("asked", "time", "memory")}
    assert outcomes == {"asked": "stopped", "time": "timeout", "memory": "out of memory"}


@pytest.mark.parametrize(
    ("spent", "person"),
    [
        (Usage(seconds=12, cpu_seconds=10, waited_seconds=1), False),  # a loop on a machine that is free
        (Usage(seconds=60, cpu_seconds=25, waited_seconds=35), False),  # five of them, with a process beside each
        (Usage(seconds=12, cpu_seconds=10, waited_seconds=11), False),  # its own processes keep it from the processor
        (Usage(seconds=60, cpu_seconds=0.3, waited_seconds=1), False),  # it sleeps
        (Usage(seconds=12, cpu_seconds=0.3, waited_seconds=11), True),
        (Usage(seconds=96, cpu_seconds=12, waited_seconds=84), True),
    ],
)
@pytest.mark.parametrize("patience", [1, 8])
def test_late_is_late_where_there_was_a_processor(toy_notebook, spent, person, patience):
    """A submission that was late may have been so because of itself; and with more time it had what others have."""
    scale, *_ = judge.of_assignment(toy.NAME)
    submission = judge.SubmissionJudge(
        None, [Cell(0, "c0", LOOP, "answer", "scale", "scale-answer")], [scale], {}, patience=patience
    )
    submission.sandbox = type("Box", (), {"limits": Limits()})
    submission._spent = spent
    submission._judged = lambda exercise, cells, substituted=False: Verdict(Outcome.TIMEOUT, message="It was stopped.")
    judged = submission.judge().verdicts["scale"]
    assert bool(judged.internal) is (person and not (patience > 1 and spent.cpu_seconds > Limits().request_seconds))
    assert (submission.done.patience > 1) is bool(judged.internal)
    assert replace(judged, internal="") == Verdict(Outcome.TIMEOUT, message="It was stopped.")
