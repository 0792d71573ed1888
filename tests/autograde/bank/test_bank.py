"""Every wrong answer of every bank fails, nine in ten by name, and every correct one gets full marks.

In process, against the recorded table and against a fresh seed. `test_bank_in_sandbox.py` does the same through the
sandbox.
"""

import re
from dataclasses import replace

import pytest

from autograde import bank
from course import checks
from course.checks.engine import recorded
from course.exercises import exercises
from course.key import Key
from course.protocol.student import Local
from tools.notebooks import files

pytestmark = pytest.mark.usefixtures("observed_once")
CODE = re.compile(r"\bdef \w+\(|\breturn \w+[(\[.]|\w+ = \w+\(|\w+\.\w+\(\w+")  # what would be typed, rather than said
SEED = 20261120
CODED = [e for e in exercises() if not e.question]


@pytest.mark.parametrize("exercise", CODED, ids=lambda e: e.name)
def test_sizes(exercise):
    """At least eight wrong and five correct answers; four and three for an exercise of one point."""
    answers = bank.find(exercise)
    least = bank.least(exercise)
    assert least == ((4, 3) if exercise.points <= 1 else (8, 5))
    assert len(answers.wrong) >= least[0] and len(answers.correct) >= least[1]
    sources = [a.source for a in (*answers.wrong, *answers.correct)]
    assert len(set(sources)) == len(sources)
    assert len({w.name for w in answers.wrong}) == len(answers.wrong)


def pytest_generate_tests(metafunc):
    """What learners' checks compare with, and a fresh seed as the grader draws one; in the long form three of them."""
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", ["recorded", SEED, *([7, 8] if metafunc.config.getoption("--full") else [])])


@pytest.mark.parametrize("exercise", CODED, ids=lambda e: e.name)
def test_wrong_answers_fail_by_name_and_correct_ones_pass(exercise, seed):
    check = checks.find(exercise.name, exercise.chapter)
    table = recorded.load(check) if seed == "recorded" else bank.table(exercise, Key.public(seed))
    report = bank.examine(exercise, table)
    assert not report.survivors
    assert not report.refused
    assert len(report.unnamed) <= 0.1 * report.wrong, report.unnamed


@pytest.mark.parametrize("name", ["masked_softmax", "fix_the_split", "test_split_heads"])
def test_few_cases_tell_what_a_verdict_says(name):
    (exercise,) = (e for e in CODED if e.name == name)
    check, answers = bank.check_of(exercise), bank.find(exercise)
    stub = f"def {check.components[0]}(*args, **kwargs):\n    raise NotImplementedError"
    diagnoses = set()
    for table in (recorded.load(check), bank.table(exercise, Key.public(SEED))):
        for source in (None, stub, *(answer.source for answer in (*answers.wrong, *answers.correct))):
            seen = bank.observe(exercise, source, table.key, table.against or bank.published(exercise))
            short = bank.short_verdict(exercise, seen, table)
            verdict = check.compare(seen, table)
            assert short == (verdict.fraction >= 1, verdict.diagnosis)
            assert bank.passes(exercise, seen, table.reference) == verdict.passed
            diagnoses.add(verdict.diagnosis)
    assert diagnoses >= {"", *(wrong.name for wrong in answers.wrong[:1])}


@pytest.mark.parametrize("exercise", CODED, ids=lambda e: e.name)
def test_messages_say_cause_and_next_step_without_code(exercise):
    for wrong in bank.find(exercise).wrong:
        assert len(wrong.message) > 40 and wrong.message.endswith((".", "?")), wrong.name
        assert not CODE.search(wrong.message), wrong.name


@pytest.mark.parametrize("exercise", [e for e in CODED if bank.published(e)], ids=lambda e: e.name)
def test_what_is_published_for_a_learners_test_is_wrong(exercise):
    """Each published variant fails the check of the part that it is a form of, and a test's bank is large enough."""
    check = checks.find(exercise.name, exercise.chapter)
    tested = next(e for e in CODED if e.name == check.of)
    for variant in bank.published(exercise):
        assert variant.right or bank.alone_is_wrong(tested, check.component, variant.component), variant.name
    assert sum(i.right for i in bank.implementations(exercise)) >= 4
    assert sum(not i.right for i in bank.implementations(exercise)) >= 4


@pytest.mark.parametrize("exercise", CODED, ids=lambda e: e.name)
def test_the_untouched_notebook_earns_nothing(exercise):
    """The stub as it is released, the broken code of a bug to find included, and no function at all."""
    check = checks.find(exercise.name, exercise.chapter)
    table = recorded.load(check)
    (path,) = files.paths([exercise.notebook])
    (stub,) = [cell.source for cell in files.read(path).cells if cell.id == f"{exercise.name}-answer"]
    assert check.compare(bank.observe(exercise, stub, table.key), table).fraction == 0
    against = bank.published(exercise)  # what a test is tried on; None where none is asked for
    nothing = check.judge(check.student(Local({})), replace(table, against=against))
    assert (nothing.outcome, nothing.fraction) == ("error", 0)


def test_the_answer_bank_can_still_be_read_by_a_person():
    """Who adds an answer to a full bank looks first whether a condition, or another answer, stands for it."""
    lines = sum(len(path.read_text("utf-8").splitlines()) for path in bank.reader.FOLDERS[0].rglob("*.py"))
    assert lines <= 12_000
