"""The way from the ledger into the gradebook: nbgrader's own conversion over what a run staged.

Ours stands in the place of its `Execute`: nothing of a student's is run here, the verdicts are read.
"""

from __future__ import annotations

import contextlib
import json
import logging
import shutil
import time
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbconvert.preprocessors import ClearMetadataPreprocessor
from nbformat import NotebookNode, from_dict
from nbformat.v4.rwbase import split_lines
from nbgrader import utils
from nbgrader.api import MissingEntry
from nbgrader.converters import Autograde
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import (
    AssignLatePenalties,
    IgnorePattern,
    LimitOutput,
    NbGraderPreprocessor,
    SaveAutoGrades,
)
from traitlets import Unicode

from autograde import files
from autograde.files import write_atomically
from autograde.folders import ClassFolder
from autograde.gradebook import configuration, converting, store
from autograde.gradebook.late import penalty
from autograde.gradebook.run_gradebook import RunGradebook
from autograde.ledger import Ledger, Record
from autograde.progress import Progress, silent
from course.exercises import exercise_of

log = logging.getLogger("autograde.nbgrader")
_PAUSES = (0.5, 2.0, 5.0)  # seconds to wait for a database that failed


@lru_cache(maxsize=8)
def _latest(path: Path, size: int, undone: frozenset[str]) -> dict[tuple[str, str], dict[str, Record]]:
    """The ledger of one assignment; `size` makes a grown file a new key, and so do runs that were taken back."""
    return Ledger(path.parent).latest(path.stem)


class Verdicts(NbGraderPreprocessor):
    """Stands in Execute's place: lays each exercise's verdict into its check cell, as text and as one number, never as
    stderr.

    The staged notebook's metadata says which submission it is. Raises LookupError where the ledger does not hold all of
    its exercises: no verdict, no grade.
    """

    ledger = Unicode(help="the class's ledger folder").tag(config=True)

    def preprocess(self, nb, resources):
        path = Path(self.ledger) / f"{resources['nbgrader']['assignment']}.jsonl"
        student, submission = resources["nbgrader"]["student"], nb.metadata.get("autograde", {}).get("submission", "")
        undone = frozenset(Ledger(path.parent).undone())
        records = _latest(path, path.stat().st_size if path.exists() else 0, undone).get((student, submission), {})
        for cell in nb.cells:
            if cell.cell_type != "code" or not utils.is_grade(cell):
                continue
            exercise = exercise_of(cell.metadata.nbgrader.grade_id)
            if exercise not in records:
                raise LookupError(
                    f"the ledger has no verdict on {exercise} of {student}'s submission {submission[:12]}"
                )
            record = records[exercise]
            cell.metadata["autograde"] = from_dict(_for_page(record))
            cell.metadata.nbgrader["points"] = record.max  # in this class, whatever the released notebook says
            points = {"text/plain": repr(float(record.points))}
            cell.outputs = [
                from_dict({"output_type": "stream", "name": "stdout", "text": as_text(record)}),
                from_dict({"output_type": "execute_result", "data": points, "metadata": {}, "execution_count": None}),
            ]
        return nb, resources


def _for_page(record: Record) -> dict:
    """What the graded notebook and the feedback page carry of a record."""
    names = ("exercise", "number", "points", "max", "verdict", "flags", "notes", "needs_person", "run")
    stored = record.as_json()
    return {name: stored[name] for name in names}


def as_text(record: Record) -> str:
    """The verdict as formgrader shows it under the check cell."""
    verdict = record.verdict
    lines = [f"{record.number} {record.exercise}: {record.points:g} of {record.max:g} ({verdict.outcome})"]
    lines += [
        f"  {'ok' if case.passed else 'NO'}  {case.title}" + (f": {case.message}" if case.message else "")
        for case in verdict.cases
    ]
    lines += [verdict.message] if verdict.message else []
    lines += [f"Diagnosis: {verdict.diagnosis}"] if verdict.diagnosis else []
    lines += [f"Judged with the reference in place of: {', '.join(verdict.substituted)}"] if verdict.substituted else []
    lines += [f"Flag: {flag}" for flag in record.flags]
    return "\n".join(lines) + "\n"


class SaveVerdicts(SaveAutoGrades):
    """nbgrader's own in the run's gradebook, except that a record which needs a person is entered as "needs manual
    grading" and leaves the points that stand there, none as a rule, rather than as a zero. What the grader flags has
    nbgrader's flag, which formgrader shows. Where a person took that away, it stays away while the submission and what
    is flagged are the same."""

    def preprocess(self, nb, resources):
        of = resources["nbgrader"]
        self.notebook_id, self.assignment_id, self.student_id = of["notebook"], of["assignment"], of["student"]
        self.gradebook = self.parent.gradebook
        nb, resources = super(SaveAutoGrades, self).preprocess(nb, resources)
        if flags_of(nb) - self.parent.flagged_before(nb):
            self.gradebook.find_submission_notebook(
                self.notebook_id, self.assignment_id, self.student_id
            ).flagged = True
        self.gradebook.db.flush()
        self.gradebook.db.expire_all()  # sums, such as a notebook's score, are the database's
        return nb, resources

    def _add_score(self, cell, resources):
        name = cell.metadata.nbgrader.grade_id
        grade = self.gradebook.find_grade(name, self.notebook_id, self.assignment_id, self.student_id)
        before = grade.auto_score
        super()._add_score(cell, resources)
        if cell.metadata.get("autograde", {}).get("needs_person"):
            grade.auto_score, grade.needs_manual_grade = before, True


def flags_of(notebook: NotebookNode | dict[str, Any]) -> set[str]:
    """What the grader flags in a graded notebook."""
    cells = [cell["metadata"].get("autograde", {}) for cell in notebook["cells"]]
    return {flag for cell in cells for flag in cell.get("flags", [])}


class LatePenalties(AssignLatePenalties):
    """nbgrader's own, with the class's plugin, in the run's gradebook. `late.settle` knows more than nbgrader's time,
    and has the last word."""

    def preprocess(self, nb, resources):
        of, gradebook = resources["nbgrader"], self.parent.gradebook
        submission = gradebook.find_submission(of["assignment"], of["student"])
        notebook = gradebook.find_submission_notebook(of["notebook"], of["assignment"], of["student"])
        notebook.late_submission_penalty = None
        late = submission.total_seconds_late
        if late > 0:
            self.init_plugin()
            taken = penalty(self.plugin_inst, of["student"], notebook.score, late)
            notebook.late_submission_penalty = taken or None
        return nb, resources


class AutogradeStaged(Autograde):
    """nbgrader's Autograde over exactly the staged notebooks, whatever characters the students' names hold (its own
    search reads them as patterns), in one gradebook. Each submission is one transaction, and its graded notebook is
    written when that is over."""

    progress: Progress = staticmethod(silent)

    @cached_property
    def gradebook(self) -> RunGradebook:
        return self._opened.enter_context(RunGradebook(self.coursedir.db_url, self.coursedir.course_id))

    def init_notebooks(self) -> None:
        staged = Path(self.coursedir.root) / self.coursedir.submitted_directory
        self.assignments = converting.notebooks(staged, self.coursedir.assignment_id)
        self.notebooks: list[str] = []
        self.steps = [step(parent=self) for step in self.autograde_preprocessors]
        self._begun = 0

    def convert_notebooks(self) -> None:
        with contextlib.ExitStack() as self._opened:
            super().convert_notebooks()
            self._report(self.coursedir.assignment_id)

    def _report(self, assignment: str) -> None:
        self.progress(f"{assignment}: into the gradebook", self._begun, len(self.assignments))

    def init_destination(self, assignment_id: str, student_id: str) -> bool:
        self._report(assignment_id)
        self._begun += 1
        self.gradebook.abandon()  # what is left of a submission that failed half way
        graded = Path(self._format_dest(assignment_id, student_id)) / f"{assignment_id}.ipynb"
        try:
            self.gradebook.find_submission(assignment_id, student_id)
            self._before = _as_entered(graded)
        except MissingEntry:
            self._before = "", set()
        return super().init_destination(assignment_id, student_id)

    def flagged_before(self, notebook: NotebookNode) -> set[str]:
        """What was flagged when this very submission was entered before; nothing where another one was."""
        submission, flags = self._before
        return flags if submission == notebook.metadata.get("autograde", {}).get("submission") else set()

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        """nbgrader's own, which opens five gradebooks: copies the files beside the notebook, the assignment's over the
        student's, and sees to it that the submission is in the gradebook, with zero for a notebook that is not there.
        """
        super(Autograde, self).init_assignment(assignment_id, student_id)
        source = Path(self.coursedir.format_path(self.coursedir.source_directory, ".", assignment_id))
        excluded = {str(source / name) for name in self.exclude_overwriting.get(assignment_id, [])}
        graded = Path(self._format_dest(assignment_id, student_id))
        for file in set(utils.find_all_files(str(source), [*self.coursedir.ignore, "*.ipynb"])) - excluded:
            target = graded / Path(file).relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)
            shutil.copy(file, target)

        staged = self._format_source(assignment_id, student_id)
        timestamp = self.coursedir.get_existing_timestamp(staged)
        if self.create_student:
            self.gradebook.update_or_create_student(student_id)
            self.gradebook.db.flush()
        with self.gradebook.db.no_autoflush:  # which would warn of the submission that nbgrader is putting together
            submission = self.gradebook.update_or_create_submission(
                assignment_id, student_id, **({"timestamp": timestamp} if timestamp else {})
            )
        for notebook in submission.notebooks:
            if not Path(staged, f"{notebook.name}.ipynb").exists():
                for grade in notebook.grades:
                    grade.auto_score, grade.needs_manual_grade = 0, False

    def convert_single_notebook(self, notebook_filename: str) -> None:
        """Without nbgrader's first pass, which cleans what a student may have changed: in a staged notebook, that is
        the text of cells and nothing else."""
        resources = self.init_single_notebook_resources(notebook_filename)
        notebook = nbformat.v4.reads(Path(notebook_filename).read_text("utf-8"))
        for step in self.steps:
            notebook, resources = step(notebook, resources)
        self.gradebook.settle()
        written = Path(self._format_dest(resources["nbgrader"]["assignment"], resources["nbgrader"]["student"]))
        write_atomically(written / Path(notebook_filename).name, _as_file(notebook), lasting=False)


def _as_entered(graded: Path) -> tuple[str, set[str]]:
    """(the submission that a graded notebook is of, what was flagged in it): "" and nothing where there is none."""
    try:
        notebook = json.loads(graded.read_bytes())
        return str(notebook["metadata"]["autograde"]["submission"]), flags_of(notebook)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return "", set()


def _as_file(notebook: NotebookNode) -> str:
    """The file's text as `nbformat.writes` makes it, which would check and copy all of the notebook first. What goes
    in is of our making, and what is here split into lines is not used again."""
    return _indented(split_lines(notebook), "\n") + "\n"


def _indented(value: Any, line: str) -> str:
    """`json.dumps` with an indent of one and sorted keys, which is Python of Python's own and takes five times as long;
    `line` begins a line at this depth."""
    deeper = f"{line} "
    if isinstance(value, dict) and value:
        inner = [f"{_text(key)}: {_indented(value[key], deeper)}" for key in sorted(value)]
        return f"{{{deeper}{f',{deeper}'.join(inner)}{line}}}"
    if isinstance(value, list) and value:
        inner = [_text(item) if type(item) is str else _indented(item, deeper) for item in value]
        return f"[{deeper}{f',{deeper}'.join(inner)}{line}]"
    return _text(value)


_text = json.JSONEncoder(ensure_ascii=False).encode  # of what has no lines of its own


def enter(folder: ClassFolder, assignment: str, progress: Progress = silent) -> list[str]:
    """Carries every staged notebook of the assignment into the gradebook and `autograded/`, in this one process.

    A staged notebook is removed once it is in, so whatever is left belongs to a run that was killed, or to a submission
    that nbgrader refused: the names of their students are returned. A database that is locked, or starts again, is
    waited for, a little.
    """
    for pause in (*_PAUSES, None):
        if not any(folder.staged.glob(f"*/{assignment}/*.ipynb")):
            return []
        said = _convert(folder, assignment, progress)
        left = _not_entered(folder, assignment)
        if not left or pause is None or not any("accessing the nbgrader database" in text for text in said):
            break
        time.sleep(pause)
    if left:
        log.error("nbgrader refused a submission of %s:\n%s", assignment, "\n".join(said))
    return left


def _convert(folder: ClassFolder, assignment: str, progress: Progress) -> list[str]:
    """nbgrader's autograde over what is staged; returns what it complained of. It stops where its database fails."""
    config = configuration.read(folder)
    config.CourseDirectory.submitted_directory = folder.staged.name
    config.Autograde.autograde_preprocessors = [
        Verdicts, IgnorePattern, ClearMetadataPreprocessor, LimitOutput, SaveVerdicts, LatePenalties,
    ]  # fmt: skip
    config.AutogradeStaged.exporter_class = NotebookExporter  # of what is graded already
    config.Verdicts.ledger = str(folder.ledger)
    directory = CourseDirectory(config=config)
    directory.assignment_id = assignment
    converter = AutogradeStaged(coursedir=directory, config=config)
    converter.force, converter.progress = True, progress
    with files.private(folder.root), converting.quiet(converter.log) as said:
        with contextlib.suppress(NbGraderException):
            converter.start()
    return said


def _not_entered(folder: ClassFolder, assignment: str) -> list[str]:
    """Removes what is staged and in; returns the students of whom that is not so."""
    left = []
    for staged in sorted(folder.staged.glob(f"*/{assignment}")):
        student = staged.parent.name
        waits = any(staged.glob("*.ipynb"))  # not where a run ended, or its disk was full, before it was written
        if waits and store.entered(folder, assignment, student) != store.stamp_of(staged / f"{assignment}.ipynb"):
            left.append(student)
            continue
        shutil.rmtree(staged)
        with contextlib.suppress(OSError):  # the student's other assignments may be staged too
            staged.parent.rmdir()
    return left
