"""`check`: judges an answer in the learner's own notebook and shows how it came out.

It returns the points as a float, because stock nbgrader gives full marks to a check that prints and returns nothing.
"""

import contextlib
import io
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import nn

from course import checks
from course.checks import engine, questions
from course.checks.engine import CaseVerdict, Check, Outcome, Table, Verdict, recorded
from course.checks.engine.of_tests import CheckOfTest
from course.exercises import Exercise, asking_for, by_number, exercises
from course.learner import card, components, hints, outside, owed, pace, place, progress, session, stale, waiting
from course.learner.card import Tone
from course.protocol.runner import as_at_the_start
from course.protocol.student import Local, Student
from course.wording import counted


class Points(float):
    """The points of an exercise, as a number that nbgrader reads; a card for people, or lines of text.

    `notes` are said at the end, `hints` the steps and texts of the hints that have not been asked for, `page` is the
    address of the solution page, "" where it is not known.
    """

    exercise: Exercise
    verdict: Verdict
    notes: tuple[str, ...]
    hints: tuple[tuple[int, str], ...]
    page: str

    def __new__(
        cls,
        exercise: Exercise,
        verdict: Verdict,
        notes: Sequence[str] = (),
        hints: Sequence[tuple[int, str]] = (),
        page: str = "",
    ) -> "Points":
        self = super().__new__(cls, verdict.points(exercise.points))
        self.exercise, self.verdict, self.notes, self.hints, self.page = (
            exercise, verdict, tuple(filter(None, notes)), tuple(hints), page,
        )  # fmt: skip
        return self

    def __repr__(self) -> str:
        return f"{float(self):g}"

    @property
    def _outcome(self) -> tuple[Tone, str]:
        """How it came out, as a badge says it."""
        verdict = self.verdict
        if verdict.passed:
            return Tone.RIGHT, "Right" if self.exercise.question else "Passed"
        if verdict.outcome is Outcome.NOT_ANSWERED:
            return Tone.OPEN, "Not answered yet"
        if not verdict.cases and verdict.outcome is Outcome.ERROR:
            return Tone.OPEN, "Not judged yet"
        if verdict.outcome is Outcome.PARTIAL:
            return Tone.PARTLY, "Partly right"
        return (Tone.PARTLY if self.exercise.question else Tone.WRONG), "Not yet right"

    @property
    def _title(self) -> str:
        """What it is about; a question is right or not yet, and nobody counts its points aloud."""
        if self.exercise.question:
            return f"Question {self.exercise.number}"
        if self._outcome[0] is Tone.OPEN:
            return f"Exercise {self.exercise.number} ({counted(self.exercise.points, 'point')})"
        return f"Exercise {self.exercise.number}: {float(self):g} of {counted(self.exercise.points, 'point')}"

    @property
    def _first(self) -> CaseVerdict | None:
        """The case to look at: the first that failed and has a diagnosis, else the first that failed."""
        failed = [case for case in self.verdict.cases if not case.passed]
        return next((case for case in failed if case.diagnosis), failed[0] if failed else None)

    @property
    def _cause(self) -> tuple[str, str, str]:
        """The cause, the case to look at and what is said of that; of what all cases fail by alike, such as an operator
        that may not be called, the cause alone."""
        if (first := self._first) is None:
            return "", "", ""
        groups = engine.together(self.verdict.cases)
        if len(groups) == 1 and len(groups[0]) > 1 and not first.diagnosis:
            return first.message, "", ""
        return first.diagnosis and f"{first.diagnosis}.", first.title, first.message

    @property
    def _message(self) -> str:
        """What is said of the answer as a whole, but for what the badge says."""
        badge = f"{self._outcome[1]}."
        return self.verdict.message.removeprefix(badge).strip()

    def text(self) -> str:
        """The same in lines of text; the next hint is among them, since nothing can be opened there."""
        said = [f"{self._title}: {self._outcome[1].lower()}", *_marked_lines("", self._message)]
        if self.exercise.question:
            said += [line for case in self.verdict.cases for line in _case_lines([case])]
        else:
            cause, title, message = self._cause
            said += _marked_lines("Cause: ", cause)
            said += [*_marked_lines("Look at: ", title), *_marked_lines("  ", message)]
        if self.hints and not self.verdict.passed:
            step, hint = self.hints[0]
            said.append(f"Hint {step} of {self.hints[-1][0]}: {hint.strip()}")
        if not self.exercise.question and self.verdict.cases:
            said += [
                f"{self._count}:",
                *(line for group in engine.together(self.verdict.cases) for line in _case_lines(group)),
            ]
        said += self.notes
        if self.verdict.passed and self.page:
            said.append(f"Compare with the solution page: {self.page}")
        return "\n".join(said)

    @property
    def _count(self) -> str:
        cases = self.verdict.cases
        return f"What was looked at ({sum(case.passed for case in cases)} of {len(cases)} passed)"

    def bundle(self) -> dict[str, str]:
        """What is shown where it is not the last value of a cell."""
        return {"text/plain": self.text(), "text/html": self._repr_html_()}

    def _repr_html_(self) -> str:
        cases = [(case.passed, [case.title], case.message) for case in self.verdict.cases]
        parts = [card.paragraph(self._message)]
        if self.exercise.question:
            wrong = [case for case in cases if not case[0]]
            parts.append(card.lines(wrong or cases))
            if wrong and len(wrong) < len(cases):
                parts.append(card.fold("The other options", card.lines([case for case in cases if case[0]])))
        else:
            cause, title, message = self._cause
            parts += [
                card.paragraph(cause[:1].upper() + cause[1:], "Cause"),
                card.paragraph(title and f"{title}. {message}", "Look at"),
            ]
        if not self.verdict.passed:
            last = f"That is the last hint. The solution page of {self.exercise.notebook} has the rest."
            parts.append(card.ladder(self.hints, self.hints[-1][0] if self.hints else 0, card.link(self.page, last)))
        if not self.exercise.question:
            groups = engine.together(self.verdict.cases)
            entries = [(group[0].passed, [case.title for case in group], group[0].message) for group in groups]
            parts.append(card.fold(self._count, card.lines(entries)))
        parts += map(card.paragraph, self.notes)
        if self.verdict.passed and self.page:
            parts.append(card.link(self.page, "Compare with the solution page"))
        return card.card(*self._outcome, self._title, *parts)


def _marked_lines(before: str, message: str) -> list[str]:
    return [f"{before}{message}"] if message else []


def _case_lines(group: Sequence[CaseVerdict]) -> list[str]:
    """Lines for cases of which the same is said: their titles, then that."""
    titles = [f"  {'ok' if case.passed else 'NO'}  {case.title}" for case in group]
    return [*titles, *_marked_lines("      ", group[0].message)]


class CheckFailed(AssertionError):
    """A check that did not pass where a failure must stop the run; shows what `check` says and no traceback."""

    def __init__(self, points: Points):
        super().__init__(points.text())
        self.points = points

    def _render_traceback_(self) -> list[str]:
        return self.points.text().split("\n")


def _refuse_one_of_another(exercise: Exercise, name: str) -> None:
    """Raises ValueError for what another exercise asks for: numbers move when an exercise is added, and a learner's own
    copy of a notebook keeps the old ones."""
    theirs = asking_for(name) or exercise
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
    """Judge the answer to exercise `number` (for example "2.1") and show how it came out: wherever the call stands in a
    cell, in a script or in a terminal.

    `answers` are the exercise's components, in the order its check cell gives them. Raises ValueError for an unknown
    number, another count of components, or something that cannot be called, and CheckFailed under `nbgrader validate`
    where the check does not pass.
    """
    exercise = by_number(number)
    asked = ", ".join(exercise.components)
    if len(answers) != len(exercise.components):
        raise ValueError(f"exercise {number} checks {asked}: write check({number!r}, {asked})")
    namespace = dict(zip(exercise.components, answers, strict=True))
    for answer in answers:
        _refuse_one_of_another(exercise, getattr(answer, "__name__", ""))
    if not exercise.question and not all(callable(a) and not isinstance(a, nn.Module) for a in answers):
        raise ValueError(f"give the functions or classes themselves: check({number!r}, {asked})")
    session.checked.append(exercise)
    with _aside():
        verdict = _judge(exercise, namespace)
    if not exercise.question and owed.untouched(exercise, namespace):  # its check shows the fault that is to be found
        verdict = replace(verdict, outcome=Outcome.NOT_ANSWERED)
    learning = session.learning()
    notes: list[str] = []
    if learning:
        progress.add(exercise, verdict)
        if not exercise.question:
            aside = "" if verdict.passed or verdict.outcome is Outcome.NOT_ANSWERED else outside.read(namespace)
            message = " ".join(filter(None, [stale.older(namespace), aside, verdict.message]))
            verdict = replace(verdict, message=message)
        if verdict.passed and not exercise.question and checks.find(exercise.name, exercise.chapter).keeps:
            notes = _kept(exercise, namespace, verdict)
    points = Points(exercise, verdict, notes, hints.left(exercise) if learning else (), session.solution_page(exercise))
    if session.strict() and not verdict.passed:
        raise CheckFailed(points)
    if learning:
        place.show(points.bundle(), "check")
    return points


def _kept(exercise: Exercise, namespace: dict[str, Any], verdict: Verdict) -> list[str]:
    """What becomes of an answer that passed."""
    if verdict.substituted:
        return [components.not_kept_yet(e.number for e in exercises() if e.name in verdict.substituted)]
    return [components.keep(exercise, namespace), _slow(exercise, namespace)]


def judge(exercise_check: Check, student: Student, table: Table) -> Verdict:
    """The verdict on a student's code. A test is tried on the learner's own component, or the reference, and on the
    published wrong ones; where there is neither yet, the message says what to do first.
    """
    if isinstance(exercise_check, CheckOfTest):
        try:
            right = components.own_or_reference(exercise_check.component)
        except components.NotPassed as error:  # the reference is not installed either
            first = f"A test is tried on your own `{exercise_check.component}` first."
            message = " ".join([first, *error.lines, "Solve it there, then run this check again."])
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
    table = recorded.load(exercise_check)

    def judged() -> Verdict:
        return judge(exercise_check, exercise_check.student(Local(namespace)), table)

    verdict = judged()
    if verdict.passed:
        return verdict
    owes = owed.owed(exercise, namespace)
    for names in owes.choices():  # no answer loses a point by what another exercise owes
        with owes.in_place(names) as stood_in:
            again = judged() if stood_in else verdict
        if again.fraction > verdict.fraction:
            message = " ".join(filter(None, [again.message, owes.stands(stood_in)]))
            return replace(again, message=message, substituted=tuple(e.name for e in stood_in))
    if not (way_on := owes.way_on()):
        return verdict

    def said_better(case: CaseVerdict) -> bool:
        return engine.unwritten(case) or any(f"name '{name}' is not defined" in case.message for name in owes.missing)

    cases = () if all(map(said_better, verdict.cases)) else verdict.cases
    return replace(verdict, cases=cases, message=" ".join(filter(None, [verdict.message, way_on])))


waiting.begin()  # whoever imports `check` in a notebook is a learner there
