"""The banks through the real grader: every answer as a submission, in the sandbox, judged outside from a fresh key.

The same verdicts as in process are asked for, so that a check means the same to a learner and to the grader. Every
correct answer and every third wrong one; with `--full`, as once a week, all of them.
"""

from dataclasses import replace

import pytest

from autograde import bank
from autograde.grading import judge
from autograde.intake.merge import merged_notebook
from course.checks import engine
from tests.autograde.conftest import CHAPTER_KEY
from tools import notebooks

pytestmark = pytest.mark.usefixtures("observed_once")
KEY = CHAPTER_KEY


@pytest.fixture
def worker(chapter_desk):
    """The grader's worker for one assignment, and the cells of its solved notebook as a submission."""
    (path,) = notebooks.paths([chapter_desk.name])
    return chapter_desk, merged_notebook(notebooks.read(path), notebooks.solved(path)).cells


@pytest.mark.sandbox
def test_an_answer_gets_in_the_sandbox_what_it_gets_in_process(worker, full):
    worker, cells = worker
    sandbox, known, wrong = worker.sandbox(), judge.tables(worker.name, KEY), []
    for exercise in (e for e in worker.exercises if not e.question):
        check, found = engine.find(exercise.name, exercise.chapter), bank.find(exercise)
        for answer in (*found.wrong[:: 1 if full else 3], *found.correct):
            source = answer.source
            here = check.compare(bank.observe(exercise, source, KEY), known[exercise.name])
            there = _judged(sandbox, _handed_in(cells, exercise, source), exercise, known)
            if (there.outcome, there.points, there.diagnosis) != (
                here.outcome, round(exercise.points * here.fraction, 2), here.diagnosis or "",
            ):  # fmt: skip
                wrong.append((exercise.name, answer.name, there.outcome, there.points, there.diagnosis, here))
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.sandbox
def test_the_solved_notebook_gets_full_marks(worker):
    worker, cells = worker
    known = judge.tables(worker.name, KEY)
    verdicts = judge.SubmissionJudge(worker.sandbox(), cells, worker.exercises, known).judge().verdicts
    assert {name: v.points for name, v in verdicts.items()} == {e.name: e.points for e in worker.exercises}


def _handed_in(cells, exercise, source):
    """The solved cells up to the exercise's own, with the answer's source in it."""
    (own,) = [i for i, cell in enumerate(cells) if cell.grade_id == f"{exercise.name}-answer"]
    return [*cells[:own], replace(cells[own], source=source)]


def _judged(sandbox, cells, exercise, known):
    return judge.SubmissionJudge(sandbox, cells, [exercise], known).judge().verdicts[exercise.name]
