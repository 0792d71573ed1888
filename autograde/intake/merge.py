"""Lays a submission's answers into the assignment's own notebook: everything else of the submission is left behind.

Taken are the text of the answer cells and the code cells that the student added, each before the answer cell it
precedes. Cells that were deleted, doubled, moved, retyped or edited, lost metadata and foreign kernels then stop
mattering. Text only, nothing runs here, and nothing in a submission makes it raise.

`merge` does all that looks into a student's text, with the standard library alone: the grader has it done in a child
without rights (`intake.jail`). `lay_out` makes the notebook of what that gives. Which cell is whose,
`matching` says; `magics` and `environment` make of a text what can run.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from autograde.intake import flags
from autograde.intake.environment import adapted
from autograde.intake.magics import without_magics
from autograde.intake.marks import LEFT_OUT, Notebook, edited, grade_id, marks_of_all
from autograde.intake.matching import AnswerCell, SubmittedCell, match
from autograde.intake.names import Names, names_of
from autograde.intake.notes import Notes
from autograde.text import without_controls
from course.exercises import ANSWER

if TYPE_CHECKING:
    from nbformat import NotebookNode

Kind = Literal["given", "answer", "added"]

MAX_ADDED = 500


@dataclass(frozen=True)
class Cell:
    """A code cell to run. `index` is its place in the merged notebook; `exercise` names what the cell answers; `names`
    are those of its text, where that is a student's.
    """

    index: int
    id: str
    source: str
    kind: Kind
    exercise: str | None = None
    grade_id: str = ""
    names: Names | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Piece:
    """One cell of the merged notebook: the assignment's own at place `at`, or an added one (None).

    `source` is the student's text in it, "" in a cell that is no answer; `run` is the text to run, which has the lines
    left out that cannot, None where nothing runs; `names` are those of `run`.
    """

    at: int | None
    source: str = ""
    run: str | None = None
    names: Names | None = None


@dataclass(frozen=True)
class Merged:
    """What a submission holds for an assignment: the cells in order, and the rest as in `MergedNotebook`."""

    pieces: tuple[Piece, ...]
    notes: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    unanswered: frozenset[str] = frozenset()
    untouched: bool = False
    edited: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class MergedNotebook:
    """A submission in the assignment's form.

    `cells` is what to run, in order: no check cells, and nothing tagged skip-execution. `notebook` is for nbgrader: the
    assignment's own cells with the answers in them, and the added cells. `notes` are sentences for the student and
    `details` the same things for the instructor. `unanswered` are the exercises whose answer is missing or blank;
    `untouched` says that this is all of them and that nothing was added. `edited` are flags: which of the submission's
    marks and checks are not as they were given out. `flags` say what the student's code tries.
    """

    cells: tuple[Cell, ...]
    notebook: NotebookNode
    notes: tuple[str, ...]
    details: tuple[str, ...]
    unanswered: frozenset[str]
    untouched: bool
    edited: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()


def merged_notebook(assignment: NotebookNode, submission: NotebookNode) -> MergedNotebook:
    """`assignment` as it was released, `submission` as `received.receive` gives it; all in this process."""
    return lay_out(assignment, merge(assignment, submission, marks_of_all()))


def merge(assignment: Notebook, submission: Notebook, marks: Collection[str]) -> Merged:
    """What of the submission belongs where; `marks` as `marks_of_all` gives them."""
    notes = Notes()
    answers, cells = match(assignment, submission, notes)
    pieces = _pieces(assignment, answers, cells, notes)
    unanswered = frozenset(answer.exercise for answer in answers if answer.open)
    return Merged(
        tuple(pieces),
        tuple(notes.student),
        tuple(notes.instructor),
        unanswered,
        len(unanswered) == len(answers) and not any(piece.at is None for piece in pieces),
        edited(assignment, submission, marks),
        tuple(flags.flags(piece.run for piece in pieces if piece.run is not None)),
    )


def _pieces(assignment: Notebook, answers: list[AnswerCell], cells: list[SubmittedCell], notes: Notes) -> list[Piece]:
    added = [cell for cell in cells if cell.role == "added"]
    if len(added) > MAX_ADDED:
        notes.add(
            f"You added {len(added)} cells; the first {MAX_ADDED} were run.",
            f"{len(added)} added cells, {MAX_ADDED} run",
        )
        added = added[:MAX_ADDED]
    before, last = _places(answers, added)
    answer_at = {answer.index: answer for answer in answers}
    pieces: list[Piece] = []

    def put(at: int | None, source: str, code: bool) -> None:
        run = adapted(without_magics(source, notes), notes) if code else None
        pieces.append(Piece(at, source, run, None if run is None else names_of(run)))

    def put_added(cells: Iterable[SubmittedCell]) -> None:
        for cell in cells:
            put(None, cell.source, True)

    for index in range(len(assignment["cells"])):
        put_added(before.get(index, ()))
        if index in answer_at:
            answer = answer_at[index]
            put(index, answer.stub if answer.source is None else answer.source, answer.code)
            if index == last:
                put_added(before.get(-1, ()))
        else:
            pieces.append(Piece(index))
    return pieces


def _places(answers: list[AnswerCell], added: Sequence[SubmittedCell]) -> tuple[dict[int, list[SubmittedCell]], int]:
    """(place in the assignment -> added cells to put before it, the last answer's place). Those after every answer of
    the submission are at -1: they follow the last one.
    """
    present = sorted((answer.submitted_at, answer.index) for answer in answers if answer.submitted_at is not None)
    before: dict[int, list[SubmittedCell]] = {}
    for cell in added:
        before.setdefault(next((index for at, index in present if at > cell.index), -1), []).append(cell)
    return before, max((answer.index for answer in answers), default=-1)


def lay_out(assignment: NotebookNode, merged: Merged) -> MergedNotebook:
    """The notebook and the cells to run, of the assignment's own cells and the student's texts. Nothing is parsed here.

    Whoever reads the notebook sees the texts without control characters; what runs is as it was written. Raises
    ValueError where the pieces are not those of this assignment.
    """
    from nbformat import NotebookNode

    given = [piece.at for piece in merged.pieces if piece.at is not None]
    if given != list(range(len(assignment.cells))):
        raise ValueError("not the cells of the assignment in their order")
    notebook = NotebookNode(copy.deepcopy({k: v for k, v in assignment.items() if k != "cells"}))
    notebook.cells, cells = [], []
    taken = {str(cell.get("id")) for cell in assignment.cells}
    for place, piece in enumerate(merged.pieces):
        kind: Kind = "given"
        exercise, run = None, piece.run
        if piece.at is None:
            kind, marks = "added", NotebookNode({"course": {"added": True}})
            name = next(name for n in range(len(taken) + 1) if (name := f"added-{place}-{n}") not in taken)
            cell = NotebookNode(
                {"cell_type": "code", "id": name, "metadata": marks, "source": without_controls(piece.source)}
            )
        else:
            cell = NotebookNode(assignment.cells[piece.at])  # not a deep copy: only what is set here differs
            marks = cell.metadata.get("nbgrader", {})
            if marks.get("solution"):
                kind, exercise = "answer", grade_id(cell).removesuffix(ANSWER)
                cell.source = without_controls(piece.source)
                if (cell.cell_type == "code") != (run is not None):
                    raise ValueError("an answer that is code and does not run, or runs and is none")
            else:
                runs = cell.cell_type == "code" and not marks.get("grade")
                run = cell.source if runs and LEFT_OUT not in cell.metadata.get("tags", []) else None
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        notebook.cells.append(cell)
        if run is not None:
            names = piece.names if kind != "given" else None
            cells.append(Cell(place, str(cell.get("id")), run, kind, exercise, grade_id(cell), names))
    return MergedNotebook(
        tuple(cells),
        notebook,
        merged.notes,
        merged.details,
        merged.unanswered,
        merged.untouched,
        merged.edited,
        merged.flags,
    )
