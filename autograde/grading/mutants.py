"""Mutation testing of the checks: an exercise's machine-made wrong answers, judged as submissions.

    python -m autograde.grading.mutants [CHAPTER | EXERCISE ...] [--all]

judges them in the sandbox, from a fresh key, and shows each survivor as a difference of lines. What they are made by,
and what a survivor means, stands in `autograde.bank.mutation`.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import nbformat
import torch

from autograde import bank
from autograde.bank.mutation import MOST, Mutant, as_good, equivalent, mutants, reference_form, sample
from autograde.bank.sample import Sheet
from autograde.grading import judge
from autograde.grading.worker import Worker
from autograde.intake.merge import Cell, merged_notebook
from autograde.sandbox.limits import Limits
from course.checks.engine import Key, Table, Verdict
from course.exercises import Exercise

HASTY = Limits(cell_seconds=5, request_seconds=4, grace=1, wall_seconds=30)  # a loop without end costs seconds
NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"


@dataclass(frozen=True)
class Result:
    """What became of an exercise's mutants. Those found equivalent are not among `tried`."""

    exercise: Exercise
    made: int  # mutants there are; at most MOST of them are judged
    tried: int
    caught: int
    named: int  # caught, with the diagnosis of one of the answer bank's wrong answers
    equivalent: tuple[tuple[str, str], ...]  # (name, why) of those judged, accepted, and known to be right
    refused: tuple[tuple[str, str], ...]  # (name, why) of those known to be right that are not accepted
    survivors: tuple[Mutant, ...]
    seconds: float


def run(assignment: str, names: Collection[str] | None, key: Key, every: bool = False) -> Iterator[Result]:
    """Judge the mutants of an assignment's exercises (of these `names`, or of all) through the sandbox."""
    path = NOTEBOOKS / f"{assignment}.ipynb"
    notebook, sheet = nbformat.read(path, as_version=4), Sheet(path.read_bytes(), assignment)
    cells = merged_notebook(notebook, nbformat.reads(sheet.filled(sheet.right), as_version=4)).cells
    with Worker(assignment, notebook, key) as worker:
        for exercise in sheet.tasks:
            if names is None or exercise.name in names:
                yield _judge(worker, cells, exercise, every)


def _judge(worker: Worker, cells: Sequence[Cell], exercise: Exercise, every: bool) -> Result:
    started, table = time.monotonic(), bank.table(exercise, worker.key)
    right, made = equivalent().get(exercise.name, {}), mutants(exercise)
    accepted, refused, survivors, caught, named = [], [], [], 0, 0
    verdict = _verdict(worker, _submitted(cells, exercise, reference_form(exercise)), exercise, table)
    if not verdict.passed:  # then nothing that is said of its mutants would mean anything
        raise RuntimeError(
            f"{exercise.name}: the reference itself is not accepted: {verdict.internal or _sentence(verdict)}"
        )
    for mutant in made if every else sample(exercise):
        verdict = _verdict(worker, _submitted(cells, exercise, mutant.source), exercise, table)
        passed = verdict.passed or bool(verdict.internal)  # a fault of the grader's own catches nothing
        if mutant.name in right:
            accepted += [(mutant.name, right[mutant.name])] if passed else []
            refused += [] if passed else [(mutant.name, _sentence(verdict))]
        elif passed and not verdict.internal and (why := as_good(exercise, mutant, worker.key)):
            accepted.append((mutant.name, why))
        elif passed:
            survivors.append(mutant)
        else:
            caught, named = caught + 1, named + bool(verdict.diagnosis)
    return Result(
        exercise, len(made), caught + len(survivors), caught, named, tuple(accepted), tuple(refused), tuple(survivors),
        time.monotonic() - started,
    )  # fmt: skip


def _submitted(cells: Sequence[Cell], exercise: Exercise, source: str) -> list[Cell]:
    """The solved cells up to the exercise's own, with this source in it."""
    own = next(i for i, cell in enumerate(cells) if cell.grade_id == exercise.answer_id)
    return [*cells[:own], replace(cells[own], source=source)]


def _verdict(worker: Worker, cells: list[Cell], exercise: Exercise, table: Table) -> Verdict:
    sandbox = worker.sandbox()
    sandbox.limits = HASTY
    return judge.SubmissionJudge(sandbox, cells, [exercise], {exercise.name: table}).judge().verdicts[exercise.name]


def _sentence(verdict: Verdict) -> str:
    words = [verdict.message, *(case.message for case in verdict.cases if not case.passed)]
    return f"{verdict.outcome}: {next(filter(None, words), verdict.diagnosis)}"


def main(wanted: Sequence[str], every: bool = False) -> int:
    """Run the chosen exercises' mutants and print what became of them; 1 where one survived."""
    torch.set_num_threads(1)
    chosen = bank.chosen(wanted)
    seed, tried, caught, aside, bad = secrets.randbelow(1 << 31), 0, 0, 0, 0
    for assignment in dict.fromkeys(e.notebook for e in chosen):
        for result in run(assignment, {e.name for e in chosen}, Key.public(seed), every):
            _show(result)
            tried, caught = tried + result.tried, caught + result.caught
            aside, bad = aside + len(result.equivalent), bad + len(result.survivors) + len(result.refused)
    print(f"caught {caught}/{tried}, {aside} more known to be equivalent, seed {seed}")
    return 1 if bad else 0


def _show(result: Result) -> None:
    exercise, text = result.exercise, reference_form(result.exercise)
    print(
        f"{exercise.number:6} {exercise.name:28} caught {result.caught}/{result.tried}  named {result.named}  "
        f"equivalent {len(result.equivalent)}  of {result.made}  {result.seconds:.1f} s",
        flush=True,
    )
    for mutant in result.survivors:
        print(f"    SURVIVED  {mutant.name}")
        print("\n".join(f"        {line}" for line in mutant.difference(text).splitlines()))
    for name, why in result.refused:
        print(f"    CAUGHT, though equivalent.toml calls it right  {name}\n        {why}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m autograde.grading.mutants", description=main.__doc__)
    parser.add_argument("wanted", nargs="*", metavar="CHAPTER | EXERCISE", help="by name or number; all for none")
    parser.add_argument("--all", action="store_true", help=f"every mutant, where an exercise has more than {MOST}")
    given = parser.parse_args()
    sys.exit(main(given.wanted, given.all))
