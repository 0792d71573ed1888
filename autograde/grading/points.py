"""`autograde points`: what an exercise is out of in this class. Verdicts stay what they are, and nothing is run again.

Each submission in the gradebook gets new records, with the share of the new points that its verdict says, under a run
of their own: `undo` takes it back as any other. Points that a person gave stay.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from autograde import plan
from autograde.folders import ClassFolder
from autograde.gradebook import enter, late, store
from autograde.grading import lateness
from autograde.grading.run import max_points
from autograde.grading.undo import restage
from autograde.ledger import Changed, Ledger, Record
from course.exercises import Exercise, exercises


@dataclass
class Repointed:
    """What new points change: (exercise's number and name, points before, points now), and (assignment, student,
    points before, points now, before penalties) of each submission; and those that nbgrader refused."""

    exercises: list[tuple[str, float, float]] = field(default_factory=list)
    changed: list[tuple[str, str, float, float]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def wanted(words: list[str], assignments: list[str]) -> dict[Exercise, float]:
    """Exercise -> its new points, from words such as "2.3=4". Raises ValueError with what to write."""
    exercise_of = {
        key: each for each in exercises() if each.notebook in assignments for key in (each.number, each.name)
    }
    made = {}
    for word in words:
        name, equals, value = word.partition("=")
        try:
            points = float(value)
        except ValueError:
            points = math.nan
        if not equals or not 0 <= points <= 1000:
            raise ValueError(f"{word!r} says no points: write NUMBER=POINTS, such as 2.3=4, from 0 to 1000")
        if name not in exercise_of:
            released = ", ".join(assignments)
            raise ValueError(f"no exercise {name!r} in what is released ({released}): write its number, such as 2.3")
        made[exercise_of[name]] = points
    return made


def change(folder: ClassFolder, new: Mapping[Exercise, float], *, write: bool = True) -> Repointed:
    """Makes exercises worth so many points in this class. Raises LedgerBusy, GradebookError and BadExtensions."""
    late.require(folder)
    ledger, done = Ledger(folder.ledger), Repointed()
    with ledger.alone():
        changed = ledger.points()
        run, now = plan.new(()).run, datetime.now(UTC).isoformat(timespec="seconds")
        for exercise, points in new.items():
            before = changed.get(exercise.name, float(exercise.points))
            if before != points:
                done.exercises.append((f"{exercise.number} {exercise.name}", before, points))
                changed[exercise.name] = points
                if write:
                    ledger.change_points(Changed(run, now, exercise.name, points))
        runs = [each.run for each in ledger.changed_points() if each.exercise in {e.name for e in new}]
        run = run if done.exercises or not runs else runs[-1]  # a change that was killed is gone on with
        for assignment in sorted({exercise.notebook for exercise in new}):
            _assignment(folder, ledger, assignment, max_points(assignment, changed), run, done, write)
    return done


def _assignment(
    folder: ClassFolder,
    ledger: Ledger,
    assignment: str,
    out_of: dict[str, float],
    run: str,
    done: Repointed,
    write: bool,
) -> None:
    held, latest = store.held(folder, assignment), ledger.latest(assignment)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    if write:
        store.set_points(folder, assignment, out_of)
    for student in sorted(held):
        stamp = store.entered(folder, assignment, student) or {}
        before = latest.get((student, stamp.get("submission", "")), {})
        if before and any(record.max != out_of.get(name, record.max) for name, record in before.items()):
            made = {name: _repointed(record, out_of, run, now) for name, record in before.items()}
            points = held[student].points_with({name: record.points for name, record in made.items()})
            done.changed.append((assignment, student, held[student].points, points))
            if write:
                ledger.append(list(made.values()))
                restage(folder, assignment, student, made)
        elif before and write and stamp.get("run") not in {record.run for record in before.values()}:
            restage(folder, assignment, student, before)  # recorded by a change that was killed
    if write:
        done.refused += enter.enter(folder, assignment)
        lateness.settle(folder, assignment)


def _repointed(record: Record, out_of: Mapping[str, float], run: str, now: str) -> Record:
    most = out_of.get(record.exercise, record.max)
    return replace(record, run=run, when=now, points=record.verdict.points(most), max=most)
