"""A worker: where submissions of one assignment are graded, one after the other, in one process.

It writes nothing and knows of no class, so many may work side by side, here or on other machines: what a run must
agree on (the release, the key, the grader) is its `Task`.
"""

from __future__ import annotations

import ast
import copy
import hashlib
import time
import traceback
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

import nbformat

from autograde import reference
from autograde.grading import judge
from autograde.grading.judge import Judgment
from autograde.grading.versions import edited, versions
from autograde.intake import received
from autograde.intake.intake import Intake
from autograde.intake.jail import Unread
from autograde.intake.merge import MergedNotebook
from autograde.intake.syntax import nodes
from autograde.sandbox.launch import Launched, SandboxError
from autograde.sandbox.pool import Sandbox
from course import checks, fixtures
from course.checks.engine import Outcome, Table, Verdict
from course.exercises import Exercise, exercises, of_component
from course.key import Key

_WARM_ALREADY = {"torch", "numpy", "matplotlib", "course"}


@dataclass(frozen=True)
class Task:
    """What all submissions of an assignment share in a run: its notebook as released (text), the key of the numbers
    that everybody faces, and the versions of all that judges them."""

    assignment: str
    notebook: str
    key: Key
    versions: dict[str, str]

    @cached_property
    def release(self) -> str:
        """The digest of the released notebook."""
        return hashlib.sha256(self.notebook.encode()).hexdigest()


def task(assignment: str, released: bytes, key: Key) -> Task:
    """The task of grading this release of an assignment with the grader as it stands here. Raises ValueError where
    that has changed since it was loaded."""
    notebook = released.decode()
    if changed := edited(assignment, notebook):
        raise ValueError(
            f"the grader was changed while it ran ({changed}): {assignment} was not graded. To do: give the command"
            " again"
        )
    return Task(assignment, notebook, key, versions(assignment, notebook))


@dataclass(frozen=True)
class Graded:
    """One submission graded: exercise -> verdict, the notebook to show, and what is said of the whole.

    `notes` are sentences for the student, `details` for the instructor.
    """

    verdicts: dict[str, Verdict]
    notebook: nbformat.NotebookNode
    reason: str = ""
    flags: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    details: list[str] = field(default_factory=list)
    seconds: float = 0.0
    peak_bytes: int = 0
    needs_person: bool = False

    @property
    def points(self) -> dict[str, float]:
        """exercise -> what it earns."""
        maximum = {e.name: e.points for e in exercises()}
        return {name: verdict.points(maximum[name]) for name, verdict in self.verdicts.items()}


class Worker:
    """Where the submissions of one assignment are graded: its notebook, this run's tables, and a sandbox when one is
    needed, which uses what was launched `ahead`, where there is such; None from when that has failed."""

    def __init__(self, name: str, notebook: nbformat.NotebookNode, key: Key, ahead: Launched | None = None):
        self.name, self.notebook, self.key = name, _without_outputs(notebook), key
        self.exercises: list[Exercise] = judge.of_assignment(name)
        self._tables: dict[str, Table] = {}
        self._sandbox: Sandbox | None = None
        self.ahead = ahead
        self.intake = Intake(self.notebook)

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.intake.close()
        if self._sandbox is not None:
            self._sandbox.close()
            self._sandbox = None

    def _begin_anew(self) -> None:
        """End what has failed, or may have, with all that it was made of: the next submission gets a fresh one."""
        self.close()
        if self.ahead is not None:
            self.ahead.close(patience=0.0)
            self.ahead = None

    def sandbox(self) -> Sandbox:
        """The sandbox, started when the first submission needs it. It holds the solutions of earlier chapters alone."""
        if self._sandbox is None:
            held = reference.held(self.name)
            paths = [Path(str(reference.module(chapter).__file__)) for chapter in held]
            own = {*held, *(exercise.chapter for exercise in self.exercises)}  # a later chapter's may be the answer
            tasks = [exercise for exercise in self.exercises if not exercise.question]
            blocked = {checks.find(e.name, e.chapter).blocked for e in tasks} - {()}
            started = Sandbox(
                solutions=paths,
                fixtures=own,
                warm=[*_imported(self.notebook), *(m for m in fixtures.modules() if m.rpartition(".")[2] in own)],
                blocked=sorted(blocked),
                components=[name for exercise in tasks for name in exercise.components],
                ahead=self.ahead,
            )
            started.launch()
            try:
                self._tables = self._tables or judge.tables(self.name, self.key)  # while the sandbox warms up
            except BaseException:
                started.close()
                raise
            self._sandbox = started.ready()
        return self._sandbox

    def grade(self, seen: received.Received) -> Graded:
        """The verdicts on one submission. What goes wrong in here becomes verdicts that need a person, but for
        isolation: raises SandboxError where it fails in a fresh sandbox too, or the machine refuses what it takes.
        """
        started = time.monotonic()
        if seen.failed:
            raise SandboxError(seen.failed)
        try:
            if seen.notebook is None:
                return self._unreadable(seen)
            self.sandbox()
            started = time.monotonic()  # what a run pays once is not the first submission's
            merged = self.intake.merged(seen)
            judgment = self._judge(merged)
        except Unread as unread:
            for_both = replace(seen, reason_for_student=unread.student, reason_for_instructor=unread.instructor)
            return self._unreadable(replace(for_both, notebook=None))
        except (SandboxError, OSError) as error:  # the machine's: no student is to blame, and the next may fare alike
            self._begin_anew()
            raise SandboxError(str(error) or type(error).__name__) from error
        except Exception:
            self._begin_anew()
            return not_graded(self.name, self.notebook, traceback.format_exc(), time.monotonic() - started)
        cells = merged.notebook.cells
        for index, ran in judgment.ran.items():
            if index < len(cells) and cells[index].cell_type == "code":
                cells[index].outputs = [nbformat.from_dict(output) for output in _no_stderr(ran.outputs)]
        return Graded(
            judgment.verdicts,
            merged.notebook,
            flags=[
                *seen.flags,
                *merged.flags,
                *merged.edited,
                *judgment.flags,
                *sorted(f"ended: {ending}" for ending in judgment.endings),
            ],
            notes=[*seen.notes, *merged.notes],
            details=[*seen.details, *merged.details],
            seconds=time.monotonic() - started,
            peak_bytes=judgment.peak_bytes,
        )

    def _judge(self, merged: MergedNotebook) -> Judgment:
        """Where the machine made it wait for most of its time, it is judged once more, with as much as it would have
        needed then."""
        judgment = self._judged(merged)
        return self._judged(merged, judgment.patience) if judgment.patience > 1 else judgment

    def _judged(self, merged: MergedNotebook, patience: int = 1) -> Judgment:
        try:
            return self._at_work(merged, patience).judge()
        except (
            SandboxError
        ):  # the warm process may have been lost to something of the machine's: once more in a new one
            self._begin_anew()
            return self._at_work(merged, patience).judge()

    def _at_work(self, merged: MergedNotebook, patience: int) -> judge.SubmissionJudge:
        return judge.SubmissionJudge(
            self.sandbox(), merged.cells, self.exercises, self._tables, merged.unanswered, patience=patience
        )

    def _unreadable(self, seen: received.Received) -> Graded:
        verdict = Verdict(Outcome.ERROR, message="Your file could not be read, so there was nothing to grade.")
        if seen.empty:
            verdict = Verdict(Outcome.NOT_ANSWERED)
        return Graded(
            {e.name: verdict for e in self.exercises},
            _without_outputs(self.notebook),
            reason=seen.reason_for_student,
            flags=["nothing was handed in" if seen.empty else "unreadable"],
            notes=list(seen.notes),
            details=[*seen.details, seen.reason_for_instructor],
        )


def notebook_to_show(
    notebook: nbformat.NotebookNode, seen: received.Received, intake: Intake
) -> tuple[nbformat.NotebookNode, str]:
    """(the merged notebook, "") or, for a file that cannot be read, (the assignment's own, the reason)."""
    if seen.notebook is None:
        return _without_outputs(notebook), seen.reason_for_student
    try:
        return intake.merged(seen).notebook, ""
    except Unread as unread:
        return _without_outputs(notebook), unread.student


def not_graded(assignment: str, notebook: nbformat.NotebookNode, why: str, seconds: float = 0.0) -> Graded:
    """What stands for a submission that the grader failed at: verdicts that need a person; `why` is for the
    instructor."""
    verdict = Verdict(Outcome.ERROR, message="This submission could not be graded by machine.")
    return Graded(
        {e.name: verdict for e in judge.of_assignment(assignment)},
        _without_outputs(notebook),
        flags=["could not be graded"],
        details=[why],
        seconds=seconds,
        needs_person=True,
    )


def _imported(notebook: nbformat.NotebookNode) -> list[str]:
    """Modules that the assignment's own cells import: imported once in the warm process, they cost a child nothing."""
    modules: set[str] = set()
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        for node in nodes(cell.source):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.append(node.module)
                if node.module in ("course", "course.data"):  # packages: what is imported may be a module of theirs
                    full = [f"{node.module}.{alias.name}" for alias in node.names]
                    names += [name for name in full if find_spec(name)]
                if node.module == "course.components":  # under grading these are the references
                    names += [f"solutions.{of_component(alias.name).chapter}" for alias in node.names]
            modules.update(name for name in names if name not in _WARM_ALREADY)
    return sorted(modules)


def _without_outputs(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """A copy without outputs."""
    notebook = copy.deepcopy(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return notebook


def _no_stderr(outputs: Iterable[dict]) -> list[dict]:
    """Outputs as they may stand in a graded notebook: nbgrader takes any stderr in a graded cell for a failure."""
    return [{**o, "name": "stdout"} if o.get("output_type") == "stream" else o for o in outputs]
