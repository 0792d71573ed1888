"""The tables that a learner's checks compare with, recorded from the solutions and the answer bank."""

from collections.abc import Sequence

import torch

from autograde import bank
from autograde.bank import rounding
from course.chapters import Unfinished, question
from course.chapters import chapter as texts
from course.checks.engine import Check, Observation, Table, recorded
from course.checks.engine.compare import alike, same_value
from course.checks.engine.table import UNSTEADY
from course.exercises import Exercise, exercises
from course.files import replace
from tools.notebooks.files import ROOT

RECORDED = ROOT / "course" / "checks" / "recorded"


def record(module: str) -> int:
    """Record the tables of a chapter's checks, from the solutions and the bank; remove those of no exercise. Returns
    how many files changed. Raises Unfinished where an exercise or question lacks something that a learner gets."""
    written = 0
    torch.set_num_threads(1)
    exercises.cache_clear()
    for exercise in exercises():
        if exercise.chapter != module:
            continue
        _complete(exercise)
        if not exercise.question:
            check = bank.check_of(exercise)
            table = rounding.marked(exercise, bank.recorded(exercise))
            if not _stands(check, table):
                replace(RECORDED / f"{exercise.name}.npz", recorded.dump(check, table))
                written += 1
    for file in RECORDED.glob("*.npz"):
        if file.stem not in {e.name for e in exercises()}:
            file.unlink()
    return written


def _stands(check: Check, table: Table) -> bool:
    """Whether the file says this already, but for what another processor rounds to."""
    try:
        then = recorded.load(check)
    except (FileNotFoundError, ValueError):
        return False
    return (
        [(d.name, d.message) for d in then.diagnoses] == [(d.name, d.message) for d in table.diagnoses]
        and _alike(check, then.reference, table.reference)
        and all(
            _alike(check, a.observations, b.observations) for a, b in zip(then.diagnoses, table.diagnoses, strict=True)
        )
    )


def _alike(check: Check, then: Sequence[Observation], now: Sequence[Observation]) -> bool:
    """Whether two rows of observations are the same within each case's tolerance; what is unsteady now was so then."""
    return all(
        alike(after, before, case)
        and before.hidden.keys() == after.hidden.keys()
        and all(same_value(after.hidden[name], value, case) for name, value in before.hidden.items())
        and all(before.values[name] is UNSTEADY for name, value in after.values.items() if value is UNSTEADY)
        for case, before, after in zip(check.cases, then, now, strict=True)
    )


def _complete(exercise: Exercise) -> None:
    """Raises Unfinished where the chapter's file has no three hints of an exercise, or no key of a question."""
    if exercise.question:
        question(exercise.name, exercise.chapter)
    elif (count := len(texts(exercise.chapter)["hints"].get(exercise.name, ()))) != 3:
        file = f"course/chapters/{exercise.chapter}.toml"
        raise Unfinished(f"{file} has {count} hints for {exercise.name} under [hints]: three are asked for")
