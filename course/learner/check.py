"""`check`: judges an answer in the learner's own notebook and shows a table.

It returns the points as a float, because stock nbgrader gives full marks to a check that prints and returns nothing.
"""

import contextlib
import html
import io
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch
from torch import nn

from course import checks
from course.checks import engine, questions
from course.checks.engine import CaseVerdict, Check, Outcome, Table, Verdict, recorded
from course.checks.engine.of_tests import CheckOfTest
from course.exercises import Exercise, by_number, exercises
from course.learner import components, owed, pace, progress, session
from course.protocol.runner import as_at_the_start
from course.protocol.student import Local, Student
from course.wording import marked


class Points(float):
    """The points of an exercise, as a number that nbgrader reads; a table for people."""

    exercise: Exercise
    verdict: Verdict
    kept: str

    def __new__(cls, exercise: Exercise, verdict: Verdict, kept: str = "") -> "Points":
        self = super().__new__(cls, verdict.points(exercise.points))
        self.exercise, self.verdict, self.kept = exercise, verdict, kept
        return self

    def __repr__(self) -> str:
        return f"{float(self):g}"

    def _summary(self) -> str:
        return f"Exercise {self.exercise.number}: {float(self):g} of {self.exercise.points:g} points"

    def text(self) -> str:
        """The table in plain text, a line for each case."""
        lines = [self._summary()]
        for case in self.verdict.cases:
            lines.append(f"  {'ok' if case.passed else 'NO'}  {case.title}")
            if case.diagnosis:
                lines.append(f"        {case.diagnosis}")
            if case.message:
                lines.append(f"        {case.message}")
        return "\n".join(lines + [line for line in (self.verdict.message, self.kept) if line])

    def _repr_html_(self) -> str:
        def cell(case: CaseVerdict) -> str:
            named = case.diagnosis and case.diagnosis[0].upper() + case.diagnosis[1:]
            cause = f"<br><strong>{marked(named)}.</strong>" if named else ""
            message = f"<br>{marked(case.message)}" if case.message else ""
            return f"{marked(case.title)}{cause}{message}"

        rows = "".join(
            f'<tr><td style="vertical-align:top">{"✓" if case.passed else "✗"}</td>'
            f'<td style="text-align:left;white-space:normal">{cell(case)}</td></tr>'
            for case in self.verdict.cases
        )
        notes = "".join(f"<p>{marked(line)}</p>" for line in (self.verdict.message, self.kept) if line)
        table = f"<table>{rows}</table>" if rows else ""
        return f"<p><strong>{html.escape(self._summary())}</strong></p>{table}{notes}"


class CheckFailed(AssertionError):
    """A check that did not pass where a failure must stop the run; shows the table and no traceback."""

    def __init__(self, points: Points):
        super().__init__(points.text())
        self.points = points

    def _render_traceback_(self) -> list[str]:
        return self.points.text().split("\n")


def _refuse_one_of_another(exercise: Exercise, name: str) -> None:
    """Raises ValueError for what another exercise asks for: numbers move when an exercise is added, and a learner's own
    copy of a notebook keeps the old ones."""
    theirs = next((e for e in exercises() if name in e.components and not e.question), exercise)
    if theirs.name != exercise.name and name not in exercise.components:
        asked = ", ".join(exercise.components)
        raise ValueError(
            f"exercise {exercise.number} asks for {asked}, and {name} is exercise {theirs.number}: where this notebook "
            f"is older than the course, write check({theirs.number!r}, {', '.join(theirs.components)})"
        )


@contextlib.contextmanager
def _aside() -> Iterator[None]:
    """What is run says nothing, and leaves PyTorch's settings and random numbers as they were."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with as_at_the_start(), torch.random.fork_rng(devices=[]):
                yield


def check(number: str, *answers: Any) -> Points:
    """Judge the answer to exercise `number` (for example "2.1") and show what passed and what did not.

    `answers` are the exercise's components, in the order its check cell gives them. Raises ValueError for an unknown
    number, another count of components, or something that cannot be called, and CheckFailed under `nbgrader validate`
    where the check does not pass.
    """
    exercise = by_number(number)
    asked = ", ".join(exercise.components)
    if len(answers) != len(exercise.components):
        raise ValueError(f"exercise {number} is about {asked}: give {len(exercise.components)} of them")
    namespace = dict(zip(exercise.components, answers, strict=True))
    for answer in answers:
        _refuse_one_of_another(exercise, getattr(answer, "__name__", ""))
    if not exercise.question and not all(callable(a) and not isinstance(a, nn.Module) for a in answers):
        raise ValueError(f"give the functions or classes themselves: check({number!r}, {asked})")
    with _aside():
        verdict = _judge(exercise, namespace)
    kept = ""
    if session.learning():
        progress.add(exercise, verdict)
        if verdict.passed and not exercise.question and checks.find(exercise.name, exercise.chapter).keeps:
            kept = " ".join(filter(None, [components.keep(exercise, namespace), _slow(exercise, namespace)]))
    points = Points(exercise, verdict, kept)
    if session.strict() and not verdict.passed:
        raise CheckFailed(points)
    return points


def judge(exercise_check: Check, student: Student, table: Table) -> Verdict:
    """The verdict on a student's code. A test is tried on the learner's own component, or the reference, and on the
    published wrong ones; where there is neither yet, the message says what to do first.
    """
    if isinstance(exercise_check, CheckOfTest):
        try:
            right = components.own_or_reference(exercise_check.component)
        except ImportError as error:
            message = f"A test is tried on your own `{exercise_check.component}` first, and {error}"
            return Verdict(Outcome.ERROR, message=message)
        table = replace(table, against=exercise_check.published(right))
    return exercise_check.judge(student, table)


def _slow(exercise: Exercise, namespace: dict[str, Any]) -> str:
    """What to say of a right answer that is many times slower than the reference, where that is installed."""
    try:
        with _aside():
            name, times = pace.times_slower(
                checks.find(exercise.name, exercise.chapter), namespace, components.references(exercise)
            )
    except Exception:  # the points and the component are the learner's whatever comes of a clock
        return ""
    if not name:
        return ""
    about = float(f"{times:.1g}")
    return (
        f"Right, but slow: on larger inputs `{name}` takes about {about:.0f} times as long as the reference. Where "
        f'experiments take too long, run `from course import use_reference; use_reference("{name}")` and `from '
        f"course.components import {name}` in a cell of their own."
    )


def _judge(exercise: Exercise, namespace: dict[str, Any]) -> Verdict:
    if exercise.question:
        (answer,) = namespace.values()
        return questions.judge(exercise, answer)
    if owed.unanswered(exercise, namespace):
        return Verdict(Outcome.NOT_ANSWERED, message="Not answered yet.")
    exercise_check = checks.find(exercise.name, exercise.chapter)
    verdict = judge(exercise_check, exercise_check.student(Local(namespace)), recorded.load(exercise_check))
    if verdict.passed or not (way_on := owed.message(exercise, namespace)):
        return verdict
    cases = () if all(map(engine.unwritten, verdict.cases)) else verdict.cases  # the message says it better
    return replace(verdict, cases=cases, message=" ".join(filter(None, [verdict.message, way_on])))
