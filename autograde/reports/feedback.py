"""`autograde feedback`: one page for each student and assignment: what was wrong, why, and one next step.

Built by nbgrader's own GenerateFeedback from the graded notebooks and the gradebook, so manual grades, comments and
late penalties show; the page itself is ours (templates/student_feedback). It holds what the ledger says and nothing
else: no expected values of an exercise, no script, nothing to fetch. A question that was answered wrongly shows the
explanations of the options that were taken wrongly, which tell the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from shlex import quote

from nbconvert.exporters import HTMLExporter
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.converters import GenerateFeedback
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import GetGrades, NbGraderPreprocessor
from traitlets.config import Config

from autograde import files
from autograde.folders import ClassFolder
from autograde.gradebook import configuration, converting, store
from autograde.grading.endings import CRAMPED, CUT_OFF, NOT_LOOKED_AT
from autograde.intake.received import NO_FILE
from autograde.progress import Progress, silent
from autograde.reports.pages import TEMPLATES
from autograde.text import without_controls
from course.exercises import exercise_of
from course.verdict import UNWRITTEN, CaseVerdict, Outcome, Verdict, together
from course.wording import points

TEMPLATE = "student_feedback"

# outcome -> what the student reads, and the tone it is shown in
_RESULTS = {
    Outcome.PASS: ("Passed", "pass"),
    Outcome.PARTIAL: ("Partly right", "partial"),
    Outcome.FAIL: ("Not yet right", "fail"),
    Outcome.ERROR: ("Your code stopped with an error", "fail"),
    Outcome.TIMEOUT: ("Took too long", "fail"),
    Outcome.OUT_OF_MEMORY: ("Ran out of memory", "fail"),
    Outcome.BLOCKED: ("Stopped by the sandbox", "fail"),
    Outcome.NOT_ANSWERED: ("Not answered", "none"),
}

_BY_HAND = "Graded by your instructor"
_WAITS = "Not graded yet: a person will look at it"

_NEXT_STEPS = {
    Outcome.PARTIAL: (
        "Mend the first line above that did not pass, then run the check again: later lines often follow from it."
    ),
    Outcome.FAIL: 'Run the check in your own notebook: it shows the same table, and `hint("{number}")` gives a nudge.',
    Outcome.ERROR: "Call your code on a small input in a cell of its own, and read the last line of the error first.",
    Outcome.TIMEOUT: "Run it on a small input and print inside its loops: look for a loop whose end is never reached.",
    Outcome.OUT_OF_MEMORY: (
        "Print the shapes of the tensors it makes on a small input: one grows faster than it should."
    ),
    Outcome.BLOCKED: "Answer with what the notebook gives you: the grader has no network and no files to offer.",
    Outcome.NOT_ANSWERED: 'Start with `hint("{number}")`: the first of its three steps only points the way.',
}
# Of a question there are no hints, and no code to try; what was taken wrongly is explained in its cases.
_OF_A_QUESTION = {
    Outcome.FAIL: "",
    Outcome.NOT_ANSWERED: "Put your answer in place of the dots and run the check: it explains what you chose.",
}
_UNWRITTEN = (
    "Look for `raise NotImplementedError` in what your answer defines and calls, and write the code that belongs there."
)
_CELL_STOPPED = "Restart the kernel in your own notebook and run it from the top: the cell stops at the same line."
_OUTSIDE = ("FileNotFoundError", "PermissionError", "ConnectionError", "URLError", "gaierror")


class PageExporter(HTMLExporter):
    """nbconvert's HTML exporter with our template. Whatever the page is made from, no control character is on it."""

    @property
    def default_config(self) -> Config:
        ours = Config()  # under its own name: nbgrader sets a template for every HTMLExporter
        ours.PageExporter.template_name = TEMPLATE
        ours.PageExporter.extra_template_basedirs = [str(TEMPLATES)]
        ours.merge(super().default_config)
        return ours

    def from_notebook_node(self, nb, resources=None, **kwargs):
        page, resources = super().from_notebook_node(nb, resources, **kwargs)
        return without_controls(page), resources


class Grades(GetGrades):
    """nbgrader's scores and comments, except that only what a person wrote is a comment: nbgrader itself puts "No
    response." on every cell that was left as it was. `feedback` has one gradebook open for all pages; where nbgrader's
    own command asks, it opens one for each."""

    def preprocess(self, nb, resources):
        converter = self.parent.parent  # the exporter's
        if not isinstance(converter, _Feedback):
            return super().preprocess(nb, resources)
        of, self.gradebook = resources["nbgrader"], converter.gradebook
        self.notebook_id, self.assignment_id, self.student_id = of["notebook"], of["assignment"], of["student"]
        nb, resources = super(GetGrades, self).preprocess(nb, resources)
        submitted = self.gradebook.find_submission_notebook(self.notebook_id, self.assignment_id, self.student_id)
        of["late_penalty"] = submitted.late_submission_penalty or 0
        of["score"], of["max_score"] = submitted.score - of["late_penalty"], submitted.max_score
        return nb, resources

    def _get_comment(self, cell, resources):
        meta, book = cell.metadata.nbgrader, self.gradebook
        comment = book.find_comment(meta.grade_id, self.notebook_id, self.assignment_id, self.student_id)
        meta["comment"] = comment.manual_comment


class Page(NbGraderPreprocessor):
    """Gathers what the page shows from the graded notebook into `resources["autograde"]`; runs after `Grades`."""

    def preprocess(self, nb, resources):
        stamp, book = nb.metadata.get("autograde", {}), resources["nbgrader"]
        sources, comments = {}, {}
        for cell in nb.cells:
            meta = cell.metadata.get("nbgrader", {})
            if meta.get("solution"):
                exercise = exercise_of(meta["grade_id"])
                sources[exercise], comments[exercise] = cell.source, meta.get("comment")
        checks = [cell for cell in nb.cells if cell.metadata.get("nbgrader", {}).get("grade")]
        for cell in checks:
            cell.metadata.setdefault("autograde", _from_stock(cell))
        numbers = {cell.metadata.autograde.exercise: cell.metadata.autograde.number for cell in checks}
        exercises = [_exercise(cell.metadata, sources, comments, numbers) for cell in checks]
        if stamp.get("reason"):  # nothing of the student's was read: the reason is said once, on top
            exercises = [_unread(exercise) for exercise in exercises]
        title = next(
            (
                line.lstrip("# ")
                for cell in nb.cells
                if cell.cell_type == "markdown"
                for line in cell.source.splitlines()
                if line.startswith("# ")
            ),
            None,
        )
        resources["autograde"] = {
            "title": title or book["assignment"],
            "student": book["student"],
            "score": points(book["score"]),
            "max": points(book["max_score"]),
            "penalty": points(book["late_penalty"]) if book["late_penalty"] else "",
            "lead": ("", None) if stamp.get("reason") else _lead(exercises),
            "notices": _notices(stamp, checks),
            "submission": stamp.get("submission", NO_FILE).replace(NO_FILE, ""),
            "run": stamp.get("run", ""),
            "notes": [note for note in stamp.get("notes", []) if note not in (stamp.get("reason") or "")],
            "exercises": exercises,
        }
        return nb, resources


def _from_stock(cell) -> NotebookNode:
    """A record for a cell that stock nbgrader graded, which leaves a score and no more."""
    score, points = cell.metadata.nbgrader.get("score") or 0.0, float(cell.metadata.nbgrader.points)
    name = exercise_of(cell.metadata.nbgrader.grade_id)
    outcome = Outcome.PASS if score >= points else Outcome.PARTIAL if score else Outcome.FAIL
    verdict = Verdict(outcome, score / points if points else 1.0).as_json()
    record = {"exercise": name, "number": "", "points": score, "max": points, "needs_person": False}
    return NotebookNode(record | {"verdict": NotebookNode(verdict)})


def _exercise(metadata, sources: dict, comments: dict, numbers: dict) -> dict:
    record, score, maximum = metadata.autograde, metadata.nbgrader.score, metadata.nbgrader.points
    verdict = Verdict.from_json(record.verdict)
    result, tone = _RESULTS[verdict.outcome]
    if ".q" in record.number and verdict.passed:
        result = "Right"  # a question is answered; nothing of it passes
    if record.needs_person:
        result, tone = _WAITS, "partial"
    elif score is not None and abs(score - record.points) > 1e-9:
        result, tone = _BY_HAND, "partial"
    step = "" if record.needs_person else _next_step(verdict, record.number)
    if any(case.message and case.diagnosis for case in verdict.cases):
        step = ""  # the answer bank's message of a diagnosis ends in its own next step
    name, cases = record.exercise, verdict.cases
    if verdict.outcome is Outcome.NOT_ANSWERED:
        cases = ()  # one line says it all
    elif ".q" in record.number and verdict.outcome is Outcome.FAIL:
        cases = tuple(case for case in cases if not case.passed)  # of a question, what was taken wrongly and why
    return {
        "name": name,
        "number": record.number,
        "result": result,
        "tone": tone,
        "open": tone != "pass",
        "score": points(score or 0.0),
        "max": points(maximum),
        "message": verdict.message.splitlines(),
        "cases": [
            asdict(first) | {"titles": [case.title for case in group], "looked": first.message != NOT_LOOKED_AT}
            for group in together(_named_once(cases))
            for first in group[:1]
        ],
        "substituted": " and ".join(numbers.get(other, other) for other in verdict.substituted),
        "next_step": step,
        "comment": comments.get(name) or "",
        "answer": "" if verdict.outcome is Outcome.NOT_ANSWERED else sources.get(name, ""),
        "section": True,
    }


def _named_once(cases: Sequence[CaseVerdict]) -> list[CaseVerdict]:
    """The cases with each diagnosis at the first alone: what the others say is that the cause is the same."""
    names = [case.diagnosis for case in cases]
    return [replace(case, diagnosis="") if case.diagnosis in names[:i] else case for i, case in enumerate(cases)]


def _next_step(verdict: Verdict, number: str) -> str:
    """One thing to do next; "" where the verdict says it already."""
    said = (verdict.message, *(case.message for case in verdict.cases))
    if any(text.startswith((CUT_OFF, CRAMPED)) for text in said):
        return ""
    if verdict.outcome is Outcome.ERROR:
        if any(f" with {name} " in verdict.message for name in _OUTSIDE):
            return _NEXT_STEPS[Outcome.BLOCKED]
        if verdict.message.startswith("The cell"):
            return _CELL_STOPPED
        if any(case.message == UNWRITTEN for case in verdict.cases):
            return _UNWRITTEN
    steps = _NEXT_STEPS | (_OF_A_QUESTION if ".q" in number else {})
    return steps.get(verdict.outcome, "").format(number=number)


def _lead(exercises: list[dict]) -> tuple[str, dict | None]:
    """What to read first: how much is right, and the exercise to go on with (None: nothing is left to do)."""
    right = [exercise for exercise in exercises if exercise["tone"] == "pass"]
    left = [
        exercise
        for exercise in exercises
        if exercise["tone"] != "pass" and exercise["result"] not in (_BY_HAND, _WAITS)
    ]
    if not left:
        return ("Every exercise passed. Well done." if len(right) == len(exercises) else ""), None
    if not right:
        return "Nothing has passed yet: every exercise has a first step below. Begin with", left[0]
    return f"{len(right)} of {len(exercises)} passed. Go on with", left[0]


def _unread(exercise: dict) -> dict:
    """The exercise where no file could be read: a line of the table, and a section only where a person added to it."""
    by_hand = exercise["result"] == _BY_HAND
    result = exercise["result"] if by_hand else "Nothing to grade"
    section = by_hand or bool(exercise["comment"])
    unread = exercise | {
        "result": result,
        "message": [],
        "cases": [],
        "next_step": "",
        "answer": "",
        "section": section,
    }
    return unread if by_hand else unread | {"tone": "none"}


def _notices(stamp: dict, checks: list) -> list[str]:
    """Sentences that go before everything else: why a file could not be read, or that someone still has to look."""
    sentences = [stamp["reason"]] if stamp.get("reason") else []
    if any(cell.metadata.autograde.needs_person for cell in checks):
        sentences.append("Part of this submission could not be graded by machine. The points below may still change.")
    return sentences


class _Feedback(GenerateFeedback):
    """nbgrader's GenerateFeedback over the students of one assignment, whatever characters their names hold."""

    gradebook: Gradebook
    progress: Progress = staticmethod(silent)

    def init_notebooks(self) -> None:
        graded = Path(self.coursedir.root) / self.coursedir.autograded_directory
        self.assignments = converting.notebooks(graded, self.coursedir.assignment_id)
        self.notebooks: list[str] = []
        self.failed: list[tuple[str, str]] = []  # (student, why)
        self._begun = 0

    def init_destination(self, assignment_id: str, student_id: str) -> bool:
        self.progress(f"{assignment_id}: pages", self._begun, len(self.assignments))
        self._begun += 1
        return super().init_destination(assignment_id, student_id)

    def convert_single_notebook(self, notebook_filename: str) -> None:
        try:
            super().convert_single_notebook(notebook_filename)
        except Exception as error:  # whatever it is, nbgrader goes on with the next
            self.failed.append((Path(notebook_filename).parts[-3], f"{type(error).__name__}: {error}"))
            raise


def feedback(folder: ClassFolder, assignment: str, progress: Progress = silent, *, write: bool = True) -> int:
    """Writes feedback/{student}/{assignment}/{assignment}.html for every graded submission; returns how many pages
    there are, or would be.

    Raises ValueError naming the first submission whose page could not be made, the others are written; and
    GradebookError.
    """
    config = configuration.read(folder)
    directory = CourseDirectory(config=config)
    directory.assignment_id = assignment
    if not write:
        return len(converting.notebooks(Path(directory.root) / directory.autograded_directory, assignment))
    converter = _Feedback(coursedir=directory, config=config)
    converter.force, converter.progress = True, progress
    with store.open_gradebook(folder) as gradebook, files.private(folder.root), converting.quiet(converter.log):
        converter.gradebook = gradebook
        try:
            converter.start()
        except NbGraderException as error:
            if not converter.failed:
                raise ValueError(f"the feedback pages of {assignment} could not be made: {error}") from None
            student, why = converter.failed[0]
            again = f"autograde grade {assignment} --again --student {quote(student)}"
            raise ValueError(
                f"{student}'s feedback page of {assignment} could not be made ({why}). To do: {again}, then this again"
            ) from None
    return len(list(folder.feedback.glob(f"*/{assignment}/{assignment}.html")))
