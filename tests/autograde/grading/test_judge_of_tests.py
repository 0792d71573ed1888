"""Exercises that ask for a test: it is tried on right and wrong implementations, and these stay out here."""

from dataclasses import replace

import pytest
import torch

from autograde import bank
from autograde.grading import judge
from autograde.intake.merge import Cell
from course import checks
from course.checks import engine
from course.checks.engine import of_tests
from course.checks.engine.of_tests import REFERENCE, CheckOfTest
from course.exercises import Exercise
from course.key import Key
from course.protocol.student import Local
from tests.autograde import toy

KEY = Key.public(20261120)
EXERCISE = Exercise("0.9", "test_centre", "toy", "00-toy", ("test_centre",), 2, 1, 1, 1, False, False)
RIGHT = """
def test_centre(centre):
    x = torch.randn(5, 3) + 2
    return torch.allclose(centre(x), x - x.mean(0), atol=1e-5)
"""
HOSTILE = {  # what a test may try, and what comes of it: the kind, the fraction, words of the message
    "counts, and takes the first for right": (
        "seen = []\ndef test_centre(centre):\n    seen.append(1)\n    return len(seen) == 1",
        ("fail", 0.0, "that are right"),
    ),
    "looks into what it is given": (
        "def test_centre(centre):\n    return 'solutions' in repr(centre.__code__) + repr(centre.__closure__)",
        ("fail", 0.0, "it returned False"),
    ),
    "returns an odd object": (
        "class Yes:\n    __bool__ = __eq__ = lambda *a: True\ndef test_centre(centre):\n    return Yes()",
        ("error", 0.0, "True or False"),
    ),
    "returns a number": ("def test_centre(centre):\n    return 1", ("error", 0.0, "True or False")),
    "refuses everything": ("def test_centre(centre):\n    return False", ("fail", 0.0, "refuses 3 of 3")),
    "breaks everywhere": ("def test_centre(centre):\n    return centre(y)", ("error", 0.0, "NameError")),
    "calls without end": (
        "def test_centre(centre):\n    while True:\n        centre(torch.randn(2, 3))",
        ("error", 0.0, "200 times"),
    ),
    "asks for the memory of the grader": (
        "def test_centre(centre):\n    centre(torch.zeros(1, 1).expand(600, 600))",
        ("error", 0.0, "small inputs"),
    ),
    "is not written": ("def test_centre(centre):\n    raise NotImplementedError", ("error", 0.0, "not written yet")),
    "uses what is not written": (
        "def mean(x):\n    raise NotImplementedError\n"
        "def test_centre(centre):\n    return bool(mean(centre(torch.randn(2, 3))).abs() < 1e-5)",
        ("error", 0.0, "not written yet"),
    ),
}


def observed(source, against=None):
    return bank.observe(EXERCISE, f"import torch\n{source}", KEY, against)


def verdict(source):
    table = bank.table(EXERCISE, KEY)
    return checks.find("test_centre", "toy").compare(observed(source), table)


def sandboxed(sandbox, source):
    cells = [Cell(0, "c0", "import torch", "given"),
             Cell(1, "c1", source, "answer", "test_centre", "test_centre-answer")]  # fmt: skip
    tables = {"test_centre": bank.table(EXERCISE, KEY)}
    return judge.SubmissionJudge(sandbox, cells, [EXERCISE], tables).judge().verdicts["test_centre"]


def test_a_test_is_tried_on_the_whole_answer_bank_by_the_grader_and_on_the_published_in_a_notebook(toy_notebook):
    whole, published = bank.implementations(EXERCISE), bank.published(EXERCISE)
    assert [(i.name, i.right) for i in whole] == [
        (REFERENCE, True), ("sum", True), ("keepdim", True),
        ("means of rows", False), ("nothing taken away", False), ("one mean for all", False),
    ]  # fmt: skip
    assert [i.name for i in published if i.right] == [REFERENCE] and len(published) == 4
    assert len(bank.recorded(EXERCISE).reference[1].values) == 3


@pytest.mark.parametrize("table", [lambda: bank.table(EXERCISE, KEY), lambda: bank.recorded(EXERCISE)])
def test_the_answer_bank_of_tests_is_caught_named_and_accepted(toy_notebook, table):
    report = bank.examine(EXERCISE, table())
    assert (report.survivors, report.unnamed, report.refused) == ((), (), ())


def test_the_share_of_wrong_ones_found_counts_and_the_missed_are_named(toy_notebook):
    graded = verdict("def test_centre(centre):\n    return abs(centre(torch.randn(5, 3) + 2).mean()) < 1e-5")
    assert (graded.outcome, round(graded.fraction, 3), graded.diagnosis) == ("partial", 0.333, "the mean of everything")
    assert graded.cases[0].passed
    assert graded.cases[1].message.startswith(
        "Your test lets 2 of 3 wrong ones through: means of rows; one mean for all. One number for all"
    )


def test_the_same_faults_called_otherwise_have_no_diagnosis(toy_notebook):
    graded = verdict("def test_centre(centre):\n    return centre(torch.ones(4, 3)).shape == (4, 3)")
    assert (graded.fraction, graded.diagnosis) == (0, "")


@pytest.mark.parametrize("name", HOSTILE)
def test_odd_and_hostile_tests_get_an_honest_result(toy_notebook, name):
    source, (kind, fraction, words) = HOSTILE[name]
    graded = verdict(source)
    assert (graded.outcome, graded.fraction) == (kind, fraction)
    assert words in graded.cases[0].message


def test_a_test_keeps_its_own_random_numbers(toy_notebook):
    """An implementation that draws leaves the stream of the test alone, or a notebook and the grader would differ."""
    noisy = engine.Implementation(REFERENCE, True, lambda x: torch.randn(9).sum() * 0 + x)
    quiet = engine.Implementation(REFERENCE, True, lambda x: x)
    wrong = engine.Implementation("zeros", False, lambda x: 0 * x)
    source = (
        "def test_centre(centre):\n    a, b = centre(torch.randn(2, 3)), torch.randn(2)\n    raise ValueError(str(b))"
    )
    first, second = (observed(source, (right, wrong)) for right in (noisy, quiet))
    assert first == second and "tensor" in first[0].raised[1]


def test_an_answer_left_out_must_stand_in_the_answer_bank_and_only_a_wrong_component_counts(toy_notebook, monkeypatch):
    check = CheckOfTest("test_centre", of="centre", variants={}, beyond=("means of rows",))
    monkeypatch.setitem(engine.Check.registry, "test_centre", check)
    assert "means of rows" not in [i.name for i in bank.implementations(EXERCISE)]
    check = CheckOfTest("test_centre", of="centre", variants={}, beyond=("telepathy",))
    monkeypatch.setitem(engine.Check.registry, "test_centre", check)
    with pytest.raises(ValueError, match="telepathy"):
        bank.implementations(EXERCISE)
    tested = judge.of_assignment("00-toy")[1]
    assert bank.alone_is_wrong(tested, "centre", lambda x: x)
    assert not bank.alone_is_wrong(tested, "centre", lambda x: x - x.sum(0) / len(x))


def test_a_reference_that_errs_is_said_aloud(toy_notebook):
    table = bank.table(EXERCISE, KEY)
    blind = observed("def test_centre(centre):\n    return True")
    with pytest.raises(ValueError, match="the reference's own test errs"):
        checks.find("test_centre", "toy").compare(blind, replace(table, reference=blind))


def test_what_is_made_of_a_component_reaches_the_test(toy_notebook, monkeypatch):
    def make(component, draw):
        return lambda x: component(x) + 0 * draw.normal(1)

    def broken(component, draw):
        raise KeyError("no such weight")

    good, against = bank.table(EXERCISE, KEY).reference, bank.implementations(EXERCISE)
    for form, kind in ((make, "pass"), (broken, "error")):
        check = CheckOfTest("test_centre", of="centre", variants={"whole": lambda x: x - x.mean()}, make=form)
        student = check.student(Local(bank.namespace(EXERCISE, RIGHT)))
        seen = check.observe(student, KEY, against)
        assert check.compare(seen, engine.Table(KEY, good, ())).outcome == kind
    assert seen[0].raised == ("KeyError", "'no such weight'")


@pytest.mark.sandbox
def test_the_sandbox_says_what_the_process_says(toy_notebook, warm_sandbox):
    sources = [a.source for a in (*bank.find(EXERCISE).wrong, *bank.find(EXERCISE).correct)]
    sources += [source for source, _ in HOSTILE.values()]
    for source in sources:
        here, there = verdict(source), sandboxed(warm_sandbox, source)
        assert (there.outcome, there.fraction, there.diagnosis) == (
            here.outcome, here.fraction, here.diagnosis,
        ), source  # fmt: skip


def test_a_test_that_is_stopped_or_whose_line_is_lost_has_no_opinion(toy_notebook):
    """It did not find a fault in what it was given: the judge says what became of it."""

    class Stopped:
        def __init__(self, kind):
            self.kind = kind

        def request(self, message, callbacks):
            return {"error": (self.kind, "took longer than 10 s")}

    check = checks.find("test_centre", "toy")
    for kind in ("TimeLimit", "SandboxLost", "TooLarge"):
        seen = check.observe(check.student(Stopped(kind)), KEY, bank.implementations(EXERCISE))
        assert [case.raised[0] for case in seen] == [kind, kind]


def test_what_is_prefetched_of_a_test_changes_nothing_that_is_seen_of_it(toy_notebook, monkeypatch):
    """Whether it draws afresh at each call, calls on with what came back, or stops where it finds a fault."""
    sources = [a.source for a in (*bank.find(EXERCISE).wrong, *bank.find(EXERCISE).correct)]
    sources += [source for source, _ in HOSTILE.values()]
    sources += [
        "def test_centre(centre):\n    x = centre(torch.randn(5, 3))\n"
        "    return torch.allclose(centre(x), x, atol=1e-5)",
        "def test_centre(centre):\n    for n in range(2, 50):\n        assert abs(centre(torch.ones(n, 2))).max() == 0",
        "import random\ndef test_centre(centre):\n    x = random.random() + torch.arange(6.0).view(2, 3)\n"
        "    return bool((centre(x).sum(0).abs() < 1e-5).all()) and bool((centre(2 * x).sum(0).abs() < 1e-5).all())",
    ]
    with_it = [observed(source) for source in sources]
    monkeypatch.setattr(of_tests, "MAX_PREFETCHED", -1)
    assert with_it == [observed(source) for source in sources]


def test_most_calls_are_prefetched_and_an_implementation_may_change_what_it_gets(toy_notebook, monkeypatch):
    def in_place(x):
        return x.sub_(x.mean(0))

    came = []
    monkeypatch.setattr(of_tests._Given, "came", lambda self, n: (came.append(n), _came(self, n)))
    right = [engine.Implementation(name, True, in_place) for name in (REFERENCE, "twice", "thrice")]
    wrong = engine.Implementation("nothing", False, lambda x: x)
    source = (
        "def test_centre(centre):\n    xs = [torch.randn(4, 2) + 3 for _ in range(3)]\n"
        "    return all(bool((centre(x).mean(0).abs() < 1e-5).all()) for x in xs)"
    )
    seen = observed(source, (*right, wrong))
    assert all(seen[0].values.values()) and all(seen[1].values.values())
    # Of the first none; of the wrong one, and of the right one with other numbers, as many as it takes.
    assert sorted(came) in ([0, 1, 1, 3, 3], [0, 1, 1, 1, 3])
    assert "called several times" in seen[0].hidden["habits"]


_came = of_tests._Given.came


def test_habits_tell_how_an_implementation_was_called():
    def habits(*calls):
        given = of_tests._Given(lambda *args: None, 0)
        for args in calls:
            given(*args)
        return given.habits()

    assert habits() == "never called"
    assert habits((torch.ones(2, 3), 4)) == "called once, constant inputs, sizes differ, a batch of several"
    described = habits((torch.rand(1, 3), 3), (torch.rand(1, 4), 4))
    assert described == "called several times, varied inputs, sizes alike, a batch of one"


@pytest.mark.sandbox
@pytest.mark.parametrize("centre", ["def centre(x):\n    raise NotImplementedError", "def centre(x):\n    return x"])
def test_a_test_is_not_compared_with_the_reference_of_what_it_tests(warm_sandbox, toy_notebook, centre):
    """The reference stands in for earlier answers that did not pass; in this one's place it is the test's answer."""
    compares = (
        "def test_centre(candidate):\n    x = torch.randn(5, 3) + 2\n"
        "    return torch.allclose(candidate(x), centre(x), atol=1e-5)"
    )
    tested = next(e for e in judge.of_assignment(toy.NAME) if e.name == "centre")
    among = [tested, EXERCISE]
    tables = {e.name: bank.table(e, KEY) for e in among}
    for source, passes in ((compares, False), (RIGHT, True)):
        cells = [
            Cell(0, "c0", "import torch", "given"),
            Cell(1, "c1", centre, "answer", "centre", "centre-answer"),
            Cell(2, "c2", source, "answer", "test_centre", "test_centre-answer"),
        ]
        verdict = judge.SubmissionJudge(warm_sandbox, cells, among, tables).judge().verdicts["test_centre"]
        assert (verdict.passed, verdict.fraction > 0, verdict.substituted) == (passes, passes, ())
