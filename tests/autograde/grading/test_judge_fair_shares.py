"""No exercise costs another its memory or its time: what one holds is not missed by the next, and slow ones come last.

The answers are the toy's, where `standardise` (0.3) rests on `centre` (0.2) and nothing else on anything.
"""

import shutil
import sys
import time

import pytest

from autograde import reference
from autograde.grading import endings, judge, shares, timed
from autograde.intake.merge import Cell
from autograde.sandbox.limits import MIB, Limits
from autograde.sandbox.pool import Child, Sandbox
from autograde.sandbox.remote import Remote
from course import checks
from course.checks.engine import Key, Outcome
from tests.autograde import toy

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.xdist_group("sandbox"),  # not beside those that look at a clock
    pytest.mark.skipif(sys.platform != "linux" or shutil.which("bwrap") is None, reason="needs Linux and bubblewrap"),
]
KEY = Key.public(1)
REQUEST = Limits().request_seconds
TASKS = ("scale", "centre", "standardise")


@pytest.fixture(scope="module")
def box():
    norm = [("norm",)]  # what `standardise` blocks, looked up before there is a child, as in a run
    with Sandbox(limits=Limits(memory=400 * MIB, wall_seconds=60), blocked=norm) as opened:
        yield opened


@pytest.fixture
def graded(toy_notebook, box):
    """A function: these answers, right ones for the others, and cells before them -> what the grader makes of it."""

    def judged(answers, *added, seconds=judge.BUDGET, box=box) -> judge.SubmissionJudge:
        among = [e for e in judge.of_assignment(toy.NAME) if not e.question]
        right = {e.name: reference.source(e.chapter, e.components) for e in among}
        cells = [Cell(0, "c0", "import os, time\nimport torch\nfrom torch import Tensor", "given")]
        cells += [Cell(len(cells) + n, f"a{n}", source, "added") for n, source in enumerate(added)]
        for name, source in (right | answers).items():
            cells.append(Cell(len(cells), f"c{len(cells)}", source, "answer", name, f"{name}-answer"))
        submission = judge.SubmissionJudge(box, cells, among, judge.tables(toy.NAME, KEY), seconds=seconds)
        submission.judge()
        return submission

    return judged


@pytest.fixture
def looks(monkeypatch):
    """The exercises in the order in which they were looked at."""
    seen = []
    look = judge.SubmissionJudge._look

    def counted(self, exercise, cells, substituted):
        seen.append(exercise.name)
        return look(self, exercise, cells, substituted)

    monkeypatch.setattr(judge.SubmissionJudge, "_look", counted)
    return seen


@pytest.fixture
def children(monkeypatch):
    """How each child was asked for: whether what its cells keep was to be measured."""
    made = []
    run = Sandbox.run

    def counted(self, cells, limits=None, until=float("inf"), measured=False, late=()):
        made.append(measured)
        return run(self, cells, limits, until, measured, late)

    monkeypatch.setattr(Sandbox, "run", counted)
    return made


def points(submission) -> dict[str, float]:
    return {name: verdict.fraction for name, verdict in submission.done.verdicts.items()}


FULL = dict.fromkeys(TASKS, 1.0)
NEEDS = """
def centre(x: Tensor) -> Tensor:
    {work}
    return x - x.mean(dim=0)
"""
HUNGRY = NEEDS.format(work="torch.ones(250 << 18)")


# ---------------------------------------------------------------- memory


TRIES = "try:\n        torch.ones(250 << 18)\n    except RuntimeError:\n        "


@pytest.mark.parametrize(
    ("made", "work"),
    [
        ("torch.ones(110 << 18)", "torch.ones(250 << 18)"),
        ("torch.zeros(110 << 18)", "torch.ones(250 << 18)"),  # which is never touched
        ("bytearray(110 << 20)", "bytearray(250 << 20)"),
        ("torch.ones(110 << 18)", TRIES + "return x"),
        ("torch.ones(110 << 18)", TRIES + "os._exit(1)"),
    ],
)
def test_what_one_answer_holds_is_not_missed_by_the_next(graded, looks, made, work):
    """Whether the next one says that it got no memory, goes on without, or ends."""
    hoards = f"KEPT = []\ndef scale(x, factor):\n    KEPT.append({made})\n    return x * factor"
    assert points(graded({"scale": hoards, "centre": NEEDS.format(work=work)})) == FULL
    assert looks == ["scale", "centre", "centre", "standardise"]


def test_what_fails_beside_little_memory_is_looked_at_once(graded, looks, children):
    """An answer that takes too much itself too: its own memory is no other's."""
    assert points(graded({"scale": "def scale(x, factor):\n    return x"})) == FULL | {"scale": 0.0}
    assert points(graded({"centre": NEEDS.format(work="torch.ones(500 << 18)")})) == FULL | {"centre": 0.0}
    assert looks == [*TASKS, *TASKS]
    assert children == [False] * 3


def test_what_rests_on_what_did_not_pass_is_looked_at_with_the_reference_first(graded, looks):
    """And with the student's own only where it does not pass so: most do."""
    wrong = {"centre": "def centre(x):\n    return x"}
    submission = graded(wrong)
    assert points(submission) == FULL | {"centre": 0.0} and tuple(looks) == TASKS
    assert submission.done.verdicts["standardise"].substituted == ("centre",)
    looks.clear()
    submission = graded(wrong | {"standardise": "def standardise(x):\n    return centre(x) / 3"})
    assert points(submission)["standardise"] < 1
    assert looks == [*TASKS, "standardise"]
    assert submission.done.ran and all(ran.error is None for ran in submission.done.ran.values())


CACHE = "# all that there is\nCACHE = torch.ones(200 << 18)"


def test_what_a_cell_keeps_is_not_missed_by_an_answer_that_does_without(graded):
    submission = graded({"centre": HUNGRY}, CACHE)
    assert points(submission) == FULL
    message = submission.done.verdicts["centre"].message
    assert message.startswith("The cell that begins `# all that there is` keeps 200 MiB of the 400 MiB of memory.")
    assert submission.done.verdicts["centre"].substituted == ()


def test_nor_is_what_the_cell_of_another_answer_keeps(graded):
    scale = f"{CACHE}\ndef scale(x, factor):\n    return x * factor"
    submission = graded({"scale": scale, "centre": HUNGRY})
    assert points(submission) == FULL
    assert submission.done.verdicts["centre"].message.startswith("The cell with the answer to 0.1 keeps 200 MiB")


def test_nor_by_an_answer_whose_cell_takes_memory_itself(graded):
    assert points(graded({"centre": "torch.ones(250 << 18)\n" + NEEDS.format(work="pass")}, CACHE)) == FULL


@pytest.mark.parametrize(
    ("added", "answer", "which"),
    [
        ([CACHE], HUNGRY.replace("250 << 18", "CACHE.numel() * 5 // 4"), "The cell that begins `# all that there is`"),
        ([], f"{CACHE}\n{HUNGRY}", "The cell with the answer to 0.2"),
    ],
)
def test_an_answer_that_cannot_do_without_is_told_which_cell_keeps_it(graded, added, answer, which):
    """What rests on it is judged with the reference, and earns its points."""
    submission = graded({"centre": answer}, *added)
    assert points(submission) == FULL | {"centre": 0.0}
    verdict = submission.done.verdicts["centre"]
    assert verdict.outcome is Outcome.OUT_OF_MEMORY
    assert verdict.message.startswith(f"Too little memory was left for it: {which} keeps 200 MiB of the 400 MiB")
    assert "`del`" in verdict.message


def test_what_each_cell_keeps_is_measured(box):
    cells = [
        Cell(0, "a", "import torch", "added"),
        Cell(1, "b", "kept = torch.ones(100 << 18)", "added"),
        Cell(2, "c", "del kept", "added"),
        Cell(3, "d", "kept = bytearray(50 << 20)", "added"),
    ]
    with box.run(cells, measured=True) as child:
        assert {index: round(held / MIB, -1) for index, held in child.kept.items()} == {0: 0, 1: 100, 2: -100, 3: 50}
        assert 45 * MIB < child.held() < 70 * MIB
    assert isinstance(child, Child) and child.held() == 0


def test_a_child_that_ends_before_it_is_asked_what_it_holds_is_accounted_for(box):
    ends = "import os, threading\nthreading.Timer(0.3, os._exit, [1]).start()"
    child = box.run([Cell(0, "a", ends, "added")])
    time.sleep(1)
    assert child.held() == 0
    assert child.close().outcome == "exited"


# ---------------------------------------------------------------- time

SLOW = {
    "scale": "def scale(x, factor):\n    return x * factor",
    "centre": "def centre(x):\n    return x - x.mean(0)",
    "standardise": "def standardise(x):\n    y = centre(x)\n    return y / y.pow(2).mean(0).sqrt()",
}
RUNS = {name: {name} for name in TASKS} | {"standardise": {"standardise", "centre"}}


def slow(seconds: float, *names: str) -> dict[str, str]:
    """Right answers that say how many seconds a call of them takes, for `Clock` to go by."""
    return {name: f"# takes {seconds}\n{SLOW[name]}" for name in names}


class Clock:
    """In place of the clock by which the judge shares out seconds: it goes by what answers say that they take, and by
    nothing else, so that how fast this machine is just now changes nothing.
    """

    def __init__(self):
        self.began = self.now = time.monotonic()
        self.a_request = 0.0  # seconds of each, in the look that goes on

    def monotonic(self) -> float:
        return self.now

    @property
    def gone(self) -> float:
        return self.now - self.began


@pytest.fixture
def clock(monkeypatch) -> Clock:
    """That clock, and ten requests for each exercise."""
    clock, look, request, run = Clock(), judge.SubmissionJudge._look, Remote.request, Sandbox.run
    for module in (judge, shares, timed):
        monkeypatch.setattr(module, "time", clock)
    for name in TASKS:
        check = checks.find(name, "toy")
        monkeypatch.setattr(check, "own_cases", (check.own_cases * 10)[:10])

    def looked(self, exercise, cells, substituted):
        defined = {name: cell.source for cell in cells for name in RUNS[exercise.name] if f"def {name}(" in cell.source}
        clock.a_request = sum(float(source.split()[2]) for source in defined.values() if source.startswith("# takes"))
        return look(self, exercise, cells, substituted)

    def requested(self, message, callbacks):
        clock.now += clock.a_request
        return request(self, message, callbacks)

    def ran(self, cells, limits=None, until=float("inf"), measured=False, late=()):
        return run(self, cells, limits, float("inf"), measured, late)  # which has the machine's own clock

    monkeypatch.setattr(judge.SubmissionJudge, "_look", looked)
    monkeypatch.setattr(Remote, "request", requested)
    monkeypatch.setattr(Sandbox, "run", ran)
    return clock


def test_a_slow_answer_comes_last_and_gets_what_is_left(graded, looks, clock):
    assert points(graded(slow(3, "scale"), seconds=70)) == FULL
    assert looks == [*TASKS, "scale"]


def test_one_that_is_quick_enough_is_looked_at_once(graded, looks, clock):
    assert points(graded(slow(1, *TASKS), seconds=600)) == FULL
    assert looks == list(TASKS)


def test_a_slow_answer_leaves_what_rests_on_it_its_points(graded, clock):
    """And what rests on another, wrong one has its second look before the slow one its own."""
    submission = graded(slow(9, "scale") | {"centre": "def centre(x):\n    return x"}, seconds=50)
    assert points(submission) | {"scale": 0} == {"scale": 0, "centre": 0.0, "standardise": 1.0}
    submission = graded(slow(9, "centre"), seconds=50)
    assert points(submission) | {"centre": 0} == {"scale": 1.0, "centre": 0, "standardise": 1.0}
    assert submission.done.verdicts["standardise"].substituted == ("centre",)


def test_what_rests_on_a_slow_answer_that_is_right_stands_on_it(graded, clock):
    submission = graded(slow(3, "centre"), seconds=90)
    assert points(submission) == FULL
    assert submission.done.verdicts["standardise"].substituted == ()


def test_where_all_are_slow_each_gets_its_share_and_hears_what_took_the_time(graded, clock):
    budget = 60
    submission = graded(slow(4, *TASKS), seconds=budget)
    assert clock.gone < budget + 2 * REQUEST
    assert points(submission).keys() == set(TASKS)
    assert all(0 < fraction < 1 for fraction in points(submission).values()), points(submission)
    for verdict in submission.done.verdicts.values():
        (said, *others) = [case.message for case in verdict.cases if not case.passed]
        assert verdict.outcome is Outcome.TIMEOUT
        assert said.startswith("Not all of it was looked at: its calls took ")
        assert f" of the {endings._seconds(budget)} that a whole submission has" in said
        assert set(others) <= {endings.NOT_LOOKED_AT}


def test_one_that_sleeps_in_every_request_costs_the_others_nothing(graded, looks, clock):
    budget = 40
    submission = graded(slow(0.8 * REQUEST, "scale"), seconds=budget)
    assert clock.gone < budget + 2 * REQUEST
    assert points(submission) | {"scale": 0} == FULL | {"scale": 0}
    assert looks.count("scale") <= 2
    assert endings.USED_UP not in str(submission.done.verdicts)


def test_cells_that_never_end_leave_a_right_answer_its_time(graded):
    """Each halves the time of those after it, and has two seconds at most where they are run again."""
    loop, wrong = "kept = 1\nwhile True:\n    pass", {"centre": "def centre(x):\n    return x"}
    with Sandbox(limits=Limits(cell_seconds=4, wall_seconds=18)) as box:
        submission = graded(wrong, *[loop] * 5, seconds=30, box=box)
    assert points(submission) == FULL | {"centre": 0.0}
    late = [ran for ran in submission.done.ran.values() if ran.error and ran.error.limit == "time"]
    assert len(late) == 5


def test_what_was_never_reached_names_who_took_the_time(graded):
    """As where the cells themselves take all of it."""
    submission = graded({}, "time.sleep(2)", seconds=1)
    assert points(submission).keys() == set(TASKS)
    for verdict in submission.done.verdicts.values():
        said = verdict.message or next(case.message for case in verdict.cases)
        assert verdict.outcome is Outcome.TIMEOUT and "the cells took 2" in said
