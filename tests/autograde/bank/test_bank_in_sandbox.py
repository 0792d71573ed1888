"""The banks through the real grader: every answer as a submission, in the sandbox, judged outside from a fresh key.

The same verdicts as in process are asked for, so that a check means the same to a learner and to the grader. Every
correct answer and every sixth wrong one; with `--full`, as once a week, all of them. A wrong answer stands among right
ones; correct ones come together, the first of each exercise in one submission, then the second of each: a child that
runs the cells takes longer than most answers.
"""

from dataclasses import replace
from itertools import zip_longest

import pytest

from autograde import bank
from autograde.grading import judge
from autograde.intake.merge import merged_notebook
from course import checks
from tests.autograde.conftest import CHAPTER_KEY
from tools.notebooks import files, solving

pytestmark = pytest.mark.usefixtures("observed_once")
KEY = CHAPTER_KEY


@pytest.fixture
def worker(chapter_worker):
    """The grader's worker for one assignment, and the cells of its solved notebook as a submission."""
    (path,) = files.paths([chapter_worker.name])
    return chapter_worker, merged_notebook(files.read(path), solving.solved(path)).cells


@pytest.mark.sandbox
def test_an_answer_gets_in_the_sandbox_what_it_gets_in_process(worker, full):
    worker, cells = worker
    sandbox, tables, different = worker.sandbox(), judge.tables(worker.name, KEY), []
    coded = [e for e in worker.exercises if not e.question]
    submissions = [{e: answer} for e in coded for answer in bank.find(e).wrong[:: 1 if full else 6]]
    for correct in zip_longest(*(bank.find(e).correct for e in coded)):
        submissions.append({e: answer for e, answer in zip(coded, correct, strict=True) if answer is not None})
    for answers in submissions:
        verdicts = _judged(sandbox, _submitted(cells, answers), answers, tables)
        for exercise, answer in answers.items():
            check, there = checks.find(exercise.name, exercise.chapter), verdicts[exercise.name]
            here = check.compare(bank.observe(exercise, answer.source, KEY), tables[exercise.name])
            if (there.outcome, there.fraction, there.diagnosis) != (here.outcome, here.fraction, here.diagnosis):
                different.append((exercise.name, answer.name, there, here))
    assert not different, "\n".join(map(str, different))


@pytest.mark.sandbox
def test_the_solved_notebook_gets_full_marks(worker):
    worker, cells = worker
    verdicts = _judged(worker.sandbox(), cells, worker.exercises, judge.tables(worker.name, KEY))
    assert {name: v.fraction for name, v in verdicts.items()} == {e.name: 1.0 for e in worker.exercises}


def _submitted(cells, answers):
    """The solved cells up to the last of these exercises, with the answers' sources in theirs."""
    sources = {f"{exercise.name}-answer": answer.source for exercise, answer in answers.items()}
    last = max(place for place, cell in enumerate(cells) if cell.grade_id in sources)
    return [replace(cell, source=sources.get(cell.grade_id, cell.source)) for cell in cells[: last + 1]]


def _judged(sandbox, cells, exercises, tables):
    return judge.SubmissionJudge(sandbox, cells, exercises, tables).judge().verdicts
