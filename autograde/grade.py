"""`autograde grade`: every hand-in through quarantine, rebuild, sandbox and judge into the ledger, then once through
nbgrader.

A hand-in that fails in any way, even through a fault of the grader's, gets its records and the run goes on. A run that
is killed loses the hand-in it was at: the next run finds the others in the ledger. Workers would only append to the
ledger and stage notebooks; one process writes the gradebook, at the end.
"""

from __future__ import annotations

import ast
import copy
import hashlib
import json
import pkgutil
import platform
import secrets
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

import nbformat
import torch

import course.chapters
from autograde import doctor, flags, gradebook, judge, quarantine, reference
from autograde.folders import ClassFolder, write_atomically
from autograde.judge import Judged, Judgement
from autograde.ledger import Ledger, Record
from autograde.rebuild import Rebuilt, rebuild
from autograde.sandbox import Sandbox, SandboxError
from course.checks import Table, fixtures
from course.exercises import Exercise, exercises

_HERE = Path(__file__).resolve().parent
_COURSE = Path(str(course.__file__)).resolve().parent
_WARM_ALREADY = {"torch", "numpy", "matplotlib", "course"}


@dataclass(frozen=True)
class Line:
    """One hand-in in the summary of a run. `score` is the gradebook's where a person's grades change it (`manual`)."""

    assignment: str
    student: str
    score: float
    max: float
    verdicts: dict[str, str]
    flags: tuple[str, ...]
    needs_person: bool
    seconds: float
    fresh: bool  # judged in this run, rather than found in the ledger
    manual: bool = False


@dataclass
class Summary:
    """What a run did. `refused` are (assignment, student) that nbgrader would not take, `unrecognised` what lies in
    submitted/ and is no hand-in.
    """

    run: str
    lines: list[Line] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    unrecognised: list[str] = field(default_factory=list)


Progress = Callable[[str, int, int, Line | None], None]  # (assignment, done, of, the hand-in just done)


def _silent(assignment: str, done: int, of: int, line: Line | None) -> None:
    pass


def grade(
    folder: ClassFolder,
    assignments: Sequence[str] = (),
    *,
    again: bool = False,
    students: Iterable[str] = (),
    progress: Progress = _silent,
) -> Summary:
    """Grades what has been handed in for these assignments (all that are released, for none).

    A hand-in whose content, release and grader are those of its newest records is not run again, unless `again`.
    Raises doctor's error where the sandbox cannot be had, ValueError for an unknown assignment or student, and
    LedgerBusy where another run is at work.
    """
    doctor.require()
    torch.set_num_threads(1)
    known = folder.assignments()
    if unknown := sorted(set(assignments) - set(known)):
        told = f"there are {', '.join(known)}" if known else "nothing is released yet: run `autograde release`"
        raise ValueError(f"no assignment {', '.join(unknown)}; {told}")
    chosen, there = set(students), folder.students()
    if strangers := sorted(chosen - set(there)):
        more = f" and {len(there) - 50} more" if len(there) > 50 else ""
        told = f"there are {', '.join(there[:50])}{more}" if there else f"no hand-ins in {folder.submitted}"
        raise ValueError(f"no student {', '.join(strangers)}; {told}")
    ledger = Ledger(folder.ledger)
    with ledger.alone():
        run = _Run(folder, ledger, again, chosen)
        run.summary.unrecognised = folder.unrecognised()
        for assignment in assignments or known:
            run.assignment(assignment, progress)
        return run.summary


class _Run:
    """One run over a class: one seed, so that all hand-ins of it face the same numbers."""

    def __init__(self, folder: ClassFolder, ledger: Ledger, again: bool, students: set[str]):
        self.folder, self.ledger, self.again, self.students = folder, ledger, again, students
        self.seed = secrets.randbelow(1 << 31)
        self.id = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"
        self.summary = Summary(self.id)

    def assignment(self, name: str, progress: Progress) -> None:
        """All hand-ins of one assignment, then their way into the gradebook."""
        self.versions = versions(name)
        released = self.folder.released(name).read_bytes()
        release, latest = hashlib.sha256(released).hexdigest(), self.ledger.latest(name)
        hand_ins = [h for h in self.folder.hand_ins(name) if not self.students or h[0] in self.students]
        entered = gradebook.in_gradebook(self.folder, name)
        first = len(self.summary.lines)
        desk = Desk(name, nbformat.reads(released.decode(), as_version=4), self.seed)
        with desk:
            for done, (student, path) in enumerate(hand_ins):
                progress(name, done, len(hand_ins), None)
                seen = quarantine.receive(path, name)
                records = latest.get((student, seen.sha256), {})
                fresh = self.again or not self._current(records, desk, release)
                if fresh:
                    graded = desk.grade(seen)
                    records = {r.exercise: r for r in self._records(graded, student, seen.sha256, release, desk)}
                    self._stage(name, student, seen.sha256, graded.notebook, records, graded.reason, path)
                    self.ledger.append(list(records.values()))
                elif not self._entered(name, student, seen.sha256, records, entered):
                    notebook, reason = desk.lay_out(seen)
                    self._stage(name, student, seen.sha256, notebook, records, reason, path)
                line = _line(name, student, records, fresh)
                self.summary.lines.append(line)
                progress(name, done + 1, len(hand_ins), line)
        if any(self.folder.staged.glob(f"*/{name}")):
            self.summary.refused += [(name, student) for student in gradebook.enter(self.folder, name)]
        standings = gradebook.standings(self.folder, name)
        self.summary.lines[first:] = [_as_it_stands(line, standings) for line in self.summary.lines[first:]]

    def _current(self, records: dict[str, Record], desk: Desk, release: str) -> bool:
        """Whether the ledger's records are of this very hand-in, all of it, under this release and this grader."""
        return {e.name for e in desk.exercises} <= set(records) and all(
            (r.release, r.versions) == (release, self.versions) for r in records.values()
        )

    def _entered(self, name: str, student: str, hand_in: str, records: dict[str, Record], known: set[str]) -> bool:
        stamp = gradebook.entered(self.folder, name, student) or {}
        runs = {record.run for record in records.values()}
        return student in known and stamp.get("hand_in") == hand_in and stamp.get("run") in runs

    def _records(self, graded: Graded, student: str, hand_in: str, release: str, desk: Desk) -> list[Record]:
        made = []
        for exercise in desk.exercises:
            judged = graded.verdicts[exercise.name]
            made.append(
                Record(
                    run=self.id,
                    when=datetime.now(UTC).isoformat(timespec="seconds"),
                    student=student,
                    assignment=desk.name,
                    hand_in=hand_in,
                    release=release,
                    versions=self.versions,
                    seed=self.seed,
                    exercise=exercise.name,
                    number=exercise.number,
                    points=judged.points,
                    max=float(exercise.points),
                    verdict=judged.kind,
                    message=judged.message,
                    rows=[_row(row) for row in judged.rows],
                    mistake=judged.mistake,
                    replaced=list(judged.replaced),
                    seconds=round(graded.seconds, 3),
                    peak_memory=graded.peak_bytes,
                    flags=graded.flags,
                    notes=graded.notes,
                    details=graded.details + ([judged.internal] if judged.internal else []),
                    needs_person=bool(judged.internal) or graded.needs_person,
                )
            )
        return made

    def _stage(self, name, student, hand_in, notebook, records, reason, path) -> None:
        """Puts the rebuilt notebook on the way to the gradebook, with what the feedback page says of the whole file."""
        first = next(iter(records.values()))
        notebook.metadata["autograde"] = {"hand_in": hand_in, "run": first.run, "notes": first.notes, "reason": reason}
        target = self.folder.staged / student / name
        if moment := quarantine.handed_in_at(path):
            write_atomically(target / quarantine.STAMP, moment + "\n")
        write_atomically(target / f"{name}.ipynb", nbformat.writes(notebook) + "\n")


@dataclass(frozen=True)
class Graded:
    """One hand-in graded: exercise -> verdict, the notebook to show, and what is said of the whole.

    `notes` are sentences for the student, `details` for the instructor.
    """

    verdicts: dict[str, Judged]
    notebook: nbformat.NotebookNode
    reason: str = ""
    flags: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    details: list[str] = field(default_factory=list)
    seconds: float = 0.0
    peak_bytes: int = 0
    needs_person: bool = False


class Desk:
    """Where the hand-ins of one assignment are graded: its notebook, this run's tables, and a sandbox when one is
    needed.

    A desk is a worker's: it writes nothing, so several may work side by side.
    """

    def __init__(self, name: str, notebook: nbformat.NotebookNode, seed: int):
        self.name, self.notebook, self.seed = name, notebook, seed
        self.exercises: list[Exercise] = judge.of_assignment(name)
        self._tables: dict[str, Table] = {}
        self._sandbox: Sandbox | None = None

    def __enter__(self) -> Desk:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def _close(self) -> None:
        if self._sandbox is not None:
            self._sandbox.close()
            self._sandbox = None

    def sandbox(self) -> Sandbox:
        """The sandbox, started when the first hand-in needs it. It holds the solutions of earlier chapters alone."""
        if self._sandbox is None:
            earlier = sorted({e.chapter for e in exercises() if e.notebook < self.name})
            paths = [Path(str(reference.module(chapter).__file__)) for chapter in earlier]
            helpers = [found.name for found in pkgutil.iter_modules(fixtures.__path__, f"{fixtures.__name__}.")]
            started = Sandbox(solutions=paths, warm=[*_imported(self.notebook), *helpers]).launch()
            try:
                self._tables = self._tables or judge.tables(self.name, self.seed)  # while the sandbox warms up
            except BaseException:
                started.close()
                raise
            self._sandbox = started.ready()
        return self._sandbox

    def lay_out(self, seen: quarantine.Received) -> tuple[nbformat.NotebookNode, str]:
        """(the rebuilt notebook, "") or, for a file that cannot be read, (the assignment's own, the reason)."""
        if seen.notebook is None:
            return _plain(self.notebook), seen.reason_for_student
        return _plain(rebuild(self.notebook, seen.notebook).notebook), ""

    def grade(self, seen: quarantine.Received) -> Graded:
        """The verdicts on one hand-in. Never raises: what goes wrong in here becomes verdicts that need a person."""
        started = time.monotonic()
        try:
            if seen.notebook is None:
                return self._unreadable(seen)
            self.sandbox()
            started = time.monotonic()  # what a run pays once is not the first hand-in's
            rebuilt = rebuild(self.notebook, seen.notebook)
            judgement = self._judge(rebuilt)
        except Exception:
            self._close()  # the next hand-in gets a fresh one
            return self._ours_to_mend(traceback.format_exc(), time.monotonic() - started)
        notebook = _plain(rebuilt.notebook)
        for index, ran in judgement.ran.items():
            if index < len(notebook.cells) and notebook.cells[index].cell_type == "code":
                notebook.cells[index].outputs = [nbformat.from_dict(output) for output in _shown(ran.outputs)]
        found = flags.flags(cell.source for cell in rebuilt.cells if cell.kind != "given")
        return Graded(
            judgement.verdicts,
            notebook,
            flags=found + sorted(f"ended: {ending}" for ending in judgement.endings),
            notes=[*seen.notes, *rebuilt.notes],
            details=[*seen.details, *rebuilt.details],
            seconds=time.monotonic() - started,
            peak_bytes=judgement.peak_bytes,
        )

    def _judge(self, rebuilt: Rebuilt) -> Judgement:
        try:
            return self._at_work(rebuilt).judge()
        except (
            SandboxError
        ):  # the warm process may have been lost to something of the machine's: once more in a new one
            self._close()
            return self._at_work(rebuilt).judge()

    def _at_work(self, rebuilt: Rebuilt) -> judge.HandIn:
        return judge.HandIn(self.sandbox(), rebuilt.cells, self.exercises, self._tables, rebuilt.unanswered)

    def _unreadable(self, seen: quarantine.Received) -> Graded:
        told = Judged("error", 0.0, message="Your file could not be read, so there was nothing to grade.")
        if seen.empty:
            told = Judged("not answered", 0.0)
        return Graded(
            {e.name: told for e in self.exercises},
            _plain(self.notebook),
            reason=seen.reason_for_student,
            flags=["nothing was handed in" if seen.empty else "unreadable"],
            notes=list(seen.notes),
            details=[*seen.details, seen.reason_for_instructor],
        )

    def _ours_to_mend(self, trace: str, seconds: float) -> Graded:
        told = Judged("error", 0.0, message="This hand-in could not be graded by machine.")
        return Graded(
            {e.name: told for e in self.exercises},
            _plain(self.notebook),
            flags=["could not be graded"],
            details=[trace],
            seconds=seconds,
            needs_person=True,
        )


def _imported(notebook: nbformat.NotebookNode) -> list[str]:
    """Modules that the assignment's own cells import: imported once in the warm process, they cost a child nothing."""
    found: set[str] = set()
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        try:
            nodes = list(ast.walk(ast.parse(cell.source)))
        except SyntaxError:
            continue
        for node in nodes:
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module and not node.level else []
            found.update(name for name in names if name not in _WARM_ALREADY)
    return sorted(found)


def _plain(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """A copy without outputs."""
    notebook = copy.deepcopy(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return notebook


def _shown(outputs: Iterable[dict]) -> list[dict]:
    """Outputs as they may stand in a graded notebook: nbgrader takes any stderr in a graded cell for a failure."""
    return [{**o, "name": "stdout"} if o.get("output_type") == "stream" else o for o in outputs]


def _row(row) -> dict:
    return {"title": row.title, "passed": row.passed, "message": row.message, "mistake": row.mistake or ""}


def _line(assignment: str, student: str, records: dict[str, Record], fresh: bool) -> Line:
    listed = list(records.values())
    return Line(
        assignment,
        student,
        round(sum(r.points for r in listed), 2),
        sum(r.max for r in listed),
        {r.exercise: r.verdict for r in listed},
        tuple(listed[0].flags),
        any(r.needs_person for r in listed),
        listed[0].seconds,
        fresh,
    )


def _as_it_stands(line: Line, standings: dict[str, gradebook.Standing]) -> Line:
    """The line with what people did in the gradebook; the ledger's where nbgrader did not take the hand-in."""
    found = standings.get(line.student)
    if found is None:
        return line
    score = found.score if found.manual else line.score
    return replace(line, score=score, manual=found.manual, needs_person=line.needs_person or found.needs_person)


# The grader's own modules that a verdict depends on; the others only carry it.
_JUDGING = (
    "bank/__init__", "filter", "flags", "grade", "judge", "limits", "quarantine", "rebuild", "reference", "remote", "sandbox",
    "zygote",
)  # fmt: skip


def versions(assignment: str) -> dict[str, str]:
    """What a verdict on this assignment depends on beside the hand-in: Python, torch, and the sources that judge it."""
    chapters = {e.chapter for e in judge.of_assignment(assignment)}
    files = [_HERE / f"{name}.py" for name in _JUDGING]
    files += [*(_COURSE / "transport").glob("*.py"), _COURSE / "questions.py"]
    files += [_COURSE / "checks" / "__init__.py", _COURSE / "checks" / "of_tests.py"]
    files += [*(_COURSE / "checks" / "fixtures").glob("*.py")]
    for chapter in chapters:
        modules = (f"solutions.{chapter}", f"course.checks.{chapter}", f"autograde.bank.{chapter}")
        files += [Path(str(import_module(name).__file__)) for name in modules]
        files.append(Path(str(course.chapters.__file__)).with_name(f"{chapter}.toml"))
    digest = hashlib.sha256()
    for path in sorted(path for path in files if path.exists()):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return {"python": platform.python_version(), "torch": torch.__version__, "grader": digest.hexdigest()[:16]}


def check(file: Path, assignment: str) -> Graded:
    """Grades one file by itself, without a class: nothing is written."""
    doctor.require()
    torch.set_num_threads(1)
    released = _HERE.parent / "notebooks" / f"{assignment}.ipynb"
    notebook = nbformat.reads(released.read_text("utf-8"), as_version=4)
    with Desk(assignment, notebook, secrets.randbelow(1 << 31)) as desk:
        return desk.grade(quarantine.receive(file, assignment))


def as_json(summary: Summary) -> str:
    """The summary for other programs."""
    told = {
        "run": summary.run,
        "hand_ins": [vars(line) for line in summary.lines],
        "unrecognised": summary.unrecognised,
    }
    return json.dumps(told, indent=1)
