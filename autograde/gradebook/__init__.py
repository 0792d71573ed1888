"""nbgrader's side of the grader: its configuration, and the preprocessors that carry the ledger's verdicts into its
gradebook.

nbgrader keeps the gradebook, formgrader, manual grades, late penalties and export. Ours stands in the place of its
`Execute`: nothing of a student's is run here, the verdicts are read. Only this module knows nbgrader's classes;
everything that writes the gradebook goes through it.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import shutil
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbconvert.preprocessors import ClearMetadataPreprocessor
from nbformat import NotebookNode, from_dict
from nbformat.v4.rwbase import split_lines
from nbgrader import api, utils
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import Autograde, GenerateAssignment
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    ClearHiddenTests,
    ComputeChecksums,
    IgnorePattern,
    LimitOutput,
    LockCells,
    NbGraderPreprocessor,
    SaveAutoGrades,
    SaveCells,
)
from sqlalchemy import make_url
from sqlalchemy.exc import OperationalError, SAWarning
from sqlalchemy.orm import Session, scoped_session, sessionmaker
from traitlets import Unicode
from traitlets.config import Config, PyFileConfigLoader

from autograde import files
from autograde.files import write_atomically
from autograde.folders import ClassFolder
from autograde.gradebook import by_nbgrader
from autograde.grading.ledger import Ledger, Record

# What a release keeps byte for byte: without nbgrader's IncludeHeaderFooter, InstantiateTests, ClearSolutions (it would
# replace a stub by a bare `raise`), ClearMarkScheme and ClearOutput (the stored figures are part of the text).
RELEASE_PREPROCESSORS = [
    LockCells, CheckCellMetadata, ComputeChecksums, SaveCells, ClearHiddenTests, ComputeChecksums, CheckCellMetadata,
]  # fmt: skip

CONFIGURATION = '''\
"""nbgrader's configuration for this class. Written once by `autograde release`; yours to edit from then on.

To keep the gradebook in PostgreSQL, put its URL in `c.CourseDirectory.db_url` below:
"postgresql+psycopg://user:password@host/database". Late penalties:
`c.LateSubmissionPlugin.penalty_method = "zero"`, or a plugin of your own (`c.AssignLatePenalties.plugin_class`).
`nbgrader autograde` and formgrader's autograde button do what `autograde grade` does: submissions run in the sandbox.
Give nbgrader's commands in this folder: it reads this file only there. Who may read the class: `autograde access`.
"""

from pathlib import Path
from typing import Any

from autograde.gradebook import configure

c = get_config()  # noqa: F821
configure(c, Path(__file__).resolve().parent)
'''


def configure(c: Config, root: Path) -> None:
    """What every class sets for nbgrader: folder, gradebook, our release, grading, feedback and export in its commands,
    and who may read what it writes. Sets the umask of the process for that: `configuration` puts it back."""
    from autograde.reports import export, feedback

    os.umask(files.umask_of(root))
    c.CourseDirectory.groupshared = files.shared(root)
    c.BaseConverter.permissions = int(f"{files.file_mode(root):o}")  # nbgrader reads its digits as octal ones
    by_nbgrader.configure(c)
    c.CourseDirectory.root = str(root)
    c.CourseDirectory.course_id = "default_course"  # as nbgrader's preprocessors say; PostgreSQL wants one that exists
    c.CourseDirectory.db_url = f"sqlite:///{root}/gradebook.db"
    c.GenerateAssignment.preprocessors = RELEASE_PREPROCESSORS
    c.GenerateFeedback.preprocessors = [feedback.Grades, feedback.Page]
    c.GenerateFeedback.exporter_class = feedback.PageExporter
    c.PageExporter.template_name = feedback.TEMPLATE  # more specific than what nbgrader sets for every HTMLExporter
    c.PageExporter.extra_template_basedirs = [str(feedback.TEMPLATES)]
    c.ExportApp.plugin_class = export.GradesCsv


log = logging.getLogger("autograde.nbgrader")
_PAUSES = (0.5, 2.0, 5.0)  # seconds to wait for a database that failed


def write_configuration(folder: ClassFolder, *, anew: bool = False) -> None:
    """Gives the class its nbgrader_config.py, unless it has one: an instructor's edits stay, except `anew`."""
    if anew or not folder.config.exists():
        write_atomically(folder.config, CONFIGURATION)


def configuration(folder: ClassFolder) -> Config:
    """The class's own nbgrader_config.py as nbgrader would read it."""
    if not folder.config.exists():
        raise FileNotFoundError(f"{folder.config} is missing: run `autograde release` first")
    # nbgrader starts `alembic` by name when it makes a gradebook: it must find an environment that was not activated
    programs = str(Path(sys.executable).parent)
    if programs not in os.environ.get("PATH", "").split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join([programs, os.environ.get("PATH", "")])
    with files.private(folder.root):  # which also puts back what `configure` sets
        return PyFileConfigLoader(folder.config.name, path=str(folder.root)).load_config()


class GradebookError(RuntimeError):
    """The gradebook's database does not answer, or not in time."""


@contextlib.contextmanager
def open_gradebook(folder: ClassFolder) -> Iterator[Gradebook]:
    """The class's gradebook, closed again at the end. Raises GradebookError where its database fails."""
    directory = CourseDirectory(config=configuration(folder))
    url = make_url(directory.db_url)
    if url.drivername.startswith("sqlite") and url.database:  # SQLite itself makes no file that a group may write
        os.close(files.open_to_add(Path(url.database)))
    try:
        with files.private(folder.root), Gradebook(directory.db_url, directory.course_id) as gradebook:
            yield gradebook
    except OperationalError as error:
        told = str(error.orig).strip().splitlines() or ["no answer"]
        raise GradebookError(f"the gradebook {address(folder)} cannot be used: {told[0]}") from None


def address(folder: ClassFolder) -> str:
    """Where the gradebook is, without its password: a file, or a database's URL."""
    url = make_url(CourseDirectory(config=configuration(folder)).db_url)
    return str(url.database) if url.drivername.startswith("sqlite") else url.render_as_string(hide_password=True)


@contextlib.contextmanager
def quiet(converter_log: logging.Logger) -> Iterator[list[str]]:
    """Gathers a converter's warnings and errors instead of printing each of its steps."""
    said: list[str] = []

    class Gather(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage())

    handler = Gather(logging.WARNING)
    before = converter_log.handlers[:], converter_log.propagate, converter_log.level
    converter_log.handlers, converter_log.propagate = [handler], False
    converter_log.setLevel(logging.WARNING)
    try:
        yield said
    finally:
        converter_log.handlers, converter_log.propagate = before[0], before[1]
        converter_log.setLevel(before[2])


class _Whole(Session):
    """A database session that keeps what nbgrader commits, cell by cell, until a submission is whole: `settle` commits it.

    Every commit waits for the disk; some forty of them were most of the seconds that a submission took here.
    """

    def commit(self) -> None:
        """Later."""

    def settle(self) -> None:
        super().commit()


@contextlib.contextmanager
def one_gradebook() -> Iterator[None]:
    """Lets all the Gradebooks that nbgrader opens be one: it opens one a preprocessor, and each would look for every
    table, compile every query anew, and end its transaction."""
    opened, closed, first = Gradebook.__init__, Gradebook.close, {}

    def open_first(self, db_url, course_id="default_course", authenticator=None):
        if db_url not in first:
            opened(self, db_url, course_id, authenticator)
            self.db.remove()
            self.db = scoped_session(sessionmaker(self.engine, class_=_Whole))
            first[db_url] = self
        vars(self).update(vars(first[db_url]))

    def leave_open(self):
        self.db.flush()

    Gradebook.__init__, Gradebook.close = open_first, leave_open
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Object of type", category=SAWarning)  # nbgrader's own, harmless
            yield
    finally:
        Gradebook.__init__, Gradebook.close = opened, closed
        for gradebook in first.values():
            gradebook.close()


def generate_release(folder: ClassFolder, assignment: str) -> None:
    """nbgrader's `generate_assignment` for one assignment: enters its cells into the gradebook and writes release/.

    Raises RuntimeError, with nbgrader's reason, where it refuses (for example: a graded cell that has submissions was
    removed).
    """
    directory = CourseDirectory(config=configuration(folder))
    directory.assignment_id = assignment
    converter = GenerateAssignment(coursedir=directory, config=directory.config)
    converter.force = True
    with files.private(folder.root), quiet(converter.log) as said:
        try:
            converter.start()
        except NbGraderException as error:
            reason = next(
                (line for text in reversed(said) for line in reversed(text.splitlines()) if "Error" in line), str(error)
            )
            raise RuntimeError(f"nbgrader could not release {assignment}: {reason}") from None


# --- from the ledger into the gradebook -----------------------------------------------------------------------------


@lru_cache(maxsize=8)
def _latest(path: Path, size: int) -> dict[tuple[str, str], dict[str, Record]]:
    """The ledger of one assignment; `size` makes a grown file a new key."""
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
        records = _latest(path, path.stat().st_size if path.exists() else 0).get((student, submission), {})
        for cell in nb.cells:
            if cell.cell_type != "code" or not utils.is_grade(cell):
                continue
            exercise = cell.metadata.nbgrader.grade_id.removesuffix("-check")
            if exercise not in records:
                raise LookupError(f"the ledger has no verdict on {exercise} of {student}'s submission {submission[:12]}")
            record = records[exercise]
            cell.metadata["autograde"] = from_dict(_shown(record))
            points = {"text/plain": repr(float(record.points))}
            cell.outputs = [
                from_dict({"output_type": "stream", "name": "stdout", "text": as_text(record)}),
                from_dict({"output_type": "execute_result", "data": points, "metadata": {}, "execution_count": None}),
            ]
        return nb, resources


def _shown(record: Record) -> dict:
    """What the graded notebook and the feedback page carry of a record."""
    names = (
        "exercise", "number", "points", "max", "verdict", "message", "cases", "diagnosis", "substituted", "flags", "notes",
        "needs_person", "run",
    )  # fmt: skip
    return {name: getattr(record, name) for name in names}


def as_text(record: Record) -> str:
    """The verdict as formgrader shows it under the check cell."""
    lines = [f"{record.number} {record.exercise}: {record.points:g} of {record.max:g} ({record.verdict})"]
    lines += [
        f"  {'ok' if case['passed'] else 'NO'}  {case['title']}" + (f": {case['message']}" if case.get("message") else "")
        for case in record.cases
    ]
    lines += [record.message] if record.message else []
    lines += [f"Known mistake: {record.diagnosis}"] if record.diagnosis else []
    lines += [f"Judged with the reference in place of: {', '.join(record.substituted)}"] if record.substituted else []
    lines += [f"Flag: {flag}" for flag in record.flags]
    return "\n".join(lines) + "\n"


class SaveVerdicts(SaveAutoGrades):
    """nbgrader's own, except that a record which needs a person is entered as "needs manual grading" and leaves the
    points that stand there, none as a rule, rather than as a zero; and that a submission's grades and comments are looked
    up together: one by one was half of the work."""

    def preprocess(self, nb, resources):
        of = resources["nbgrader"]
        self.notebook_id, self.assignment_id, self.student_id = of["notebook"], of["assignment"], of["student"]
        with Gradebook(of["db_url"]) as self.gradebook:
            submitted = self.gradebook.find_submission_notebook(of["notebook"], of["assignment"], of["student"])
            self.gradebook.find_grade = self._all(api.Grade, submitted)
            self.gradebook.find_comment = self._all(api.Comment, submitted)
            done = super(SaveAutoGrades, self).preprocess(nb, resources)
            self.gradebook.db.flush()
            self.gradebook.db.expire_all()  # sums, such as a notebook's score, are the database's
            return done

    def _all(self, kind, submitted):
        named = self.gradebook.db.query(api.BaseCell.name, kind).join(kind.cell)
        found = dict(named.filter(kind.notebook == submitted).all())
        return lambda name, *_: found[name]

    def _add_score(self, cell, resources):
        grade = self.gradebook.find_grade(cell.metadata.nbgrader.grade_id)
        before = grade.auto_score
        super()._add_score(cell, resources)
        if cell.metadata.get("autograde", {}).get("needs_person"):
            grade.auto_score, grade.needs_manual_grade = before, True


class AutogradeStaged(Autograde):
    """nbgrader's Autograde over exactly the staged notebooks, whatever characters the students' names hold (its own
    search reads them as patterns). Each is one transaction, and its graded notebook is written when that is over."""

    def init_notebooks(self) -> None:
        staged = Path(self.coursedir.root) / self.coursedir.submitted_directory
        notebooks = sorted(staged.glob(f"*/{self.coursedir.assignment_id}/*.ipynb"))
        self.assignments = {str(notebook.parent): [str(notebook)] for notebook in notebooks}
        self.notebooks: list[str] = []
        self.steps = [step(parent=self) for step in self.autograde_preprocessors]

    def init_destination(self, assignment_id: str, student_id: str) -> bool:
        self._session().close()  # what is left of a submission that failed half way
        return super().init_destination(assignment_id, student_id)

    def convert_single_notebook(self, notebook_filename: str) -> None:
        """Without nbgrader's first pass, which cleans what a student may have changed: in a staged notebook, that is
        the text of cells and nothing else."""
        resources = self.init_single_notebook_resources(notebook_filename)
        notebook = nbformat.v4.reads(Path(notebook_filename).read_text("utf-8"))
        for step in self.steps:
            notebook, resources = step(notebook, resources)
        self._session().settle()
        written = Path(self._format_dest(resources["nbgrader"]["assignment"], resources["nbgrader"]["student"]))
        write_atomically(written / Path(notebook_filename).name, _as_file(notebook), lasting=False)

    def _session(self) -> _Whole:
        return Gradebook(self.coursedir.db_url, self.coursedir.course_id).db()


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


def enter(folder: ClassFolder, assignment: str) -> list[str]:
    """Carries every staged notebook of the assignment into the gradebook and `autograded/`, in this one process.

    A staged notebook is removed once it is in, so whatever is left belongs to a run that was killed, or to a submission
    that nbgrader refused: the names of their students are returned. A database that is locked, or starts again, is
    waited for, a little.
    """
    for pause in (*_PAUSES, None):
        if not any(folder.staged.glob(f"*/{assignment}/*.ipynb")):
            return []
        said = _convert(folder, assignment)
        left = _not_entered(folder, assignment)
        if not left or pause is None or not any("accessing the nbgrader database" in text for text in said):
            break
        time.sleep(pause)
    if left:
        log.error("nbgrader refused a submission of %s:\n%s", assignment, "\n".join(said))
    return left


def _convert(folder: ClassFolder, assignment: str) -> list[str]:
    """nbgrader's autograde over what is staged; returns what it complained of. It stops where its database fails."""
    config = configuration(folder)
    config.CourseDirectory.submitted_directory = folder.staged.name
    config.Autograde.autograde_preprocessors = [
        Verdicts, IgnorePattern, ClearMetadataPreprocessor, LimitOutput, SaveVerdicts, AssignLatePenalties,
    ]  # fmt: skip
    config.AutogradeStaged.exporter_class = NotebookExporter  # of what is graded already
    config.Verdicts.ledger = str(folder.ledger)
    directory = CourseDirectory(config=config)
    directory.assignment_id = assignment
    converter = AutogradeStaged(coursedir=directory, config=config)
    converter.force = True
    with files.private(folder.root), quiet(converter.log) as said, one_gradebook():
        with contextlib.suppress(NbGraderException):
            converter.start()
    return said


def _not_entered(folder: ClassFolder, assignment: str) -> list[str]:
    """Removes what is staged and in; returns the students of whom that is not so."""
    left = []
    for staged in sorted(folder.staged.glob(f"*/{assignment}")):
        student = staged.parent.name
        waits = any(staged.glob("*.ipynb"))  # not where a run ended, or its disk was full, before it was written
        if waits and entered(folder, assignment, student) != _submission(staged / f"{assignment}.ipynb"):
            left.append(student)
            continue
        shutil.rmtree(staged)
        with contextlib.suppress(OSError):  # the student's other assignments may be staged too
            staged.parent.rmdir()
    return left


def _submission(notebook: Path) -> dict | None:
    try:
        return json.loads(notebook.read_bytes())["metadata"]["autograde"]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def entered(folder: ClassFolder, assignment: str, student: str) -> dict | None:
    """Which submission of the student's stands in the gradebook: {"submission", "run"} as staged, or None.

    The graded notebook is written after its grades are committed, so it is the proof that they are.
    """
    return _submission(folder.autograded / student / assignment / f"{assignment}.ipynb")


def in_gradebook(folder: ClassFolder, assignment: str) -> set[str]:
    """Students who have a submission of the assignment in the gradebook."""
    with open_gradebook(folder) as gradebook:
        try:
            return {submission.student.id for submission in gradebook.find_assignment(assignment).submissions}
        except MissingEntry:
            return set()


@dataclass(frozen=True)
class Standing:
    """One submission in the gradebook: its score, whether a person changed it, and whether one has to look."""

    score: float
    manual: bool
    needs_person: bool


def standings(folder: ClassFolder, assignment: str) -> dict[str, Standing]:
    """student -> how the submission stands. The score is before late penalties; `needs_person` is nbgrader's "needs manual
    grade": no score by machine, or one given by a person before the submission was graded again."""
    with open_gradebook(folder) as gradebook:
        try:
            submissions = gradebook.find_assignment(assignment).submissions
        except MissingEntry:
            return {}
        found = {}
        for submission in submissions:
            grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
            score = sum(grade.score for grade in grades)
            manual = abs(score - sum(grade.auto_score or 0.0 for grade in grades)) > 1e-9
            found[submission.student.id] = Standing(round(score, 2), manual, bool(submission.needs_manual_grade))
        return found


def scores(folder: ClassFolder, assignment: str) -> dict[str, dict[str, float]]:
    """student -> exercise -> score in the gradebook (manual grades and late penalties as nbgrader counts them are left
    as they are)."""
    with open_gradebook(folder) as gradebook:
        return {
            submission.student.id: {
                grade.cell.name.removesuffix("-check"): grade.score
                for notebook in submission.notebooks
                for grade in notebook.grades
            }
            for submission in gradebook.find_assignment(assignment).submissions
        }
