"""Whose text each cell of a submission is: an answer's, a check's, one that was given out, or one that was added.

An answer is looked for by its nbgrader name, then by its cell's id, then by what it defines. Of several cells for one
answer that are not the untouched stub, the last one above the exercise's check counts, which is what the student saw
checked; where none stands above it, the first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

from autograde.intake.comparison import blank, edited, empty, same, squeezed, words
from autograde.intake.marks import LEFT_OUT, Notebook, grade_id, is_check_call
from autograde.intake.names import defined
from autograde.intake.notes import Notes
from course.exercises import ANSWER, CHECK

TOGETHER = "# answered together with"  # begins what stands in a cell whose answer stands in another


@dataclass
class AnswerCell:
    """One answer cell of the assignment, and the names that its stub defines.

    `source` is the student's text, None until one is found; `submitted_at` is the place in the submission of the cell
    that counts; `together` says that this cell is that of another exercise.
    """

    exercise: str
    index: int
    id: str
    grade_id: str
    stub: str
    code: bool
    names: frozenset[str]
    source: str | None = None
    submitted_at: int | None = None
    together: bool = False
    _unfinished: dict[str, bool] = field(default_factory=dict)  # text -> whether it is

    def unfinished(self, source: str) -> bool:
        """Whether this text is the stub still, less than that, or nothing at all."""
        if source not in self._unfinished:
            untouched = empty(source) or same(source, self.stub)
            self._unfinished[source] = untouched or (self.code and blank(source, self.stub))
        return self._unfinished[source]

    @property
    def open(self) -> bool:
        """Whether nobody has written anything for it yet."""
        return not self.together and (self.source is None or self.unfinished(self.source))

    def answered_with(self, other: str, place: int | None) -> None:
        """Its answer stands in the cell of another exercise."""
        self.source, self.submitted_at, self.together = f"{TOGETHER} {other}\n...", place, True


@dataclass
class SubmittedCell:
    """One cell of the submission."""

    index: int
    kind: str
    id: str
    grade_id: str
    source: str
    role: str = ""  # "answer", "given", "check", "text" or, in the end, "added"

    @cached_property
    def defines(self) -> frozenset[str]:
        return defined(self.source)


def match(assignment: Notebook, submission: Notebook, notes: Notes) -> tuple[list[AnswerCell], list[SubmittedCell]]:
    """(the assignment's answer cells with what was found for them, the submission's cells, each with its role)."""
    answers = _answer_cells(assignment)
    ours = {grade_id(cell) for cell in assignment["cells"]}
    cells = [_submitted(index, cell, ours) for index, cell in enumerate(submission["cells"])]
    checks = _place_checks(cells, answers)
    _match_answers(cells, answers, checks, notes)
    _match_given(cells, assignment, notes)
    for cell in cells:
        if not cell.role:
            cell.role = "added" if cell.kind == "code" and cell.source.strip() else "text"
    _match_added(cells, answers, notes)
    _note_deleted(answers, notes)
    return answers, cells


def _answer_cells(assignment: Notebook) -> list[AnswerCell]:
    answers = []
    for index, cell in enumerate(assignment["cells"]):
        name = grade_id(cell)
        if cell["metadata"].get("nbgrader", {}).get("solution"):
            answers.append(
                AnswerCell(
                    exercise=name.removesuffix(ANSWER),
                    index=index,
                    id=str(cell.get("id", name)),
                    grade_id=name,
                    stub=cell["source"],
                    code=cell["cell_type"] == "code",
                    names=defined(cell["source"]) if cell["cell_type"] == "code" else frozenset(),
                )
            )
    return answers


def _submitted(index: int, cell: Any, ours: set[str]) -> SubmittedCell:
    name = grade_id(cell)  # a mark of some other assignment's is no mark
    return SubmittedCell(
        index, cell["cell_type"], str(cell.get("id", "")), name if name in ours else "", cell["source"]
    )


def _place_checks(cells: list[SubmittedCell], answers: list[AnswerCell]) -> dict[str, int]:
    """Exercise -> where its check stands in the submission. Check cells are recognized by name or by their one call."""
    exercises = {answer.exercise for answer in answers}
    places: dict[str, int] = {}
    for cell in cells:
        exercise = cell.grade_id.removesuffix(CHECK)
        if cell.grade_id.endswith(CHECK) and exercise in exercises:
            cell.role = "check"
            places.setdefault(exercise, cell.index)
        elif not cell.grade_id and cell.id.endswith(CHECK) and cell.id.removesuffix(CHECK) in exercises:
            cell.role = "check"
            places.setdefault(cell.id.removesuffix(CHECK), cell.index)
        elif not cell.grade_id and cell.kind == "code" and is_check_call(cell.source):
            cell.role = "check"
    return places


def _match_answers(cells: list[SubmittedCell], answers: list[AnswerCell], checks: dict[str, int], notes: Notes) -> None:
    """Find each answer's text: by grade_id, else by cell id, else by the names its stub defines."""
    stripped = []
    for answer in answers:
        named = [cell for cell in cells if not cell.role and cell.grade_id == answer.grade_id]
        how = ""
        if not named:
            named = [cell for cell in cells if not cell.role and not cell.grade_id and cell.id == answer.id]
            how = "its cell's id"
        if not named and answer.names:
            named = [
                cell
                for cell in cells
                if not cell.role and not cell.grade_id and cell.kind == "code" and answer.names & cell.defines
            ]
            named = [cell for cell in named if not _belongs_to_another(cell, answer, answers)]
            how = "the names it defines"
        if not named:
            continue
        for cell in named:
            cell.role = "answer"
        chosen = _chosen(answer, named, checks.get(answer.exercise), notes)
        answer.source, answer.submitted_at = _as_code(answer, chosen, notes), chosen.index
        if how:
            stripped.append(f"{answer.exercise} by {how}")
    _answered_together(answers)
    if stripped:
        notes.add(
            "Your notebook had lost the marks of its answer cells; your answers were recognized all the same.",
            f"metadata stripped, matched {', '.join(stripped)}",
        )


def _answered_together(answers: list[AnswerCell]) -> None:
    """Where an answer is missing or still the stub and another's cell defines its names, that cell answers both."""
    holders = [answer for answer in answers if answer.code and not answer.open]
    names = {holder.exercise: defined(holder.source or "") - holder.names for holder in holders}
    for answer in answers:
        if answer.code and answer.open:
            for holder in holders:
                if answer.names & names[holder.exercise]:
                    answer.answered_with(holder.exercise, holder.submitted_at)
                    break


def _belongs_to_another(cell: SubmittedCell, answer: AnswerCell, answers: list[AnswerCell]) -> bool:
    """Whether the cell defines more of another answer than of this one."""
    shared = len(answer.names & cell.defines)
    return any(len(other.names & cell.defines) > shared for other in answers if other is not answer)


def _chosen(answer: AnswerCell, cells: list[SubmittedCell], check: int | None, notes: Notes) -> SubmittedCell:
    """The cell that counts of those that claim to be this answer."""
    if len(cells) == 1:
        return cells[0]
    touched = [cell for cell in cells if not answer.unfinished(cell.source)]
    above = [cell for cell in touched if check is not None and cell.index < check]
    chosen = above[-1] if above else touched[0] if touched else cells[0]
    if len({squeezed(cell.source) for cell in touched}) > 1:
        which = "the last one above its check" if above else "the first that was worked on"
        notes.add(
            f"Your notebook has {len(cells)} cells for {answer.exercise}; {which} was graded.",
            f"{answer.exercise}: {len(cells)} answer cells that differ, took cell {chosen.index} ({which})",
        )
    else:
        notes.add(
            f"Your notebook has {len(cells)} cells for {answer.exercise}, with one answer between them; it was graded.",
            f"{answer.exercise}: {len(cells)} answer cells, one answer",
        )
    return chosen


_FENCE = re.compile(r"\A\s*```\w*\n(.*?)\n?```\s*\Z", re.DOTALL)


def _as_code(answer: AnswerCell, cell: SubmittedCell, notes: Notes) -> str:
    """The answer's text; of a code answer in a cell of another type, without the fence that Markdown asks for."""
    if not answer.code or cell.kind == "code":
        return cell.source
    notes.add(
        f"The cell of your answer to {answer.exercise} is no code cell; its text was taken as code.",
        f"{answer.exercise}: the answer cell was retyped to {cell.kind}",
    )
    fenced = _FENCE.match(cell.source)
    return fenced.group(1) if fenced else cell.source


def _match_given(cells: list[SubmittedCell], assignment: Notebook, notes: Notes) -> None:
    """Recognize the assignment's own cells, edited or not: theirs is the original's text, and the copy is left behind.

    A given cell whose text was replaced by something else altogether is an added cell.
    """
    given = [
        cell
        for cell in assignment["cells"]
        if cell["cell_type"] == "code" and not cell["metadata"].get("nbgrader", {}).get("solution")
    ]
    by_id = {str(cell["id"]): cell for cell in given if cell.get("id")}
    texts = {squeezed(cell["source"]) for cell in given}
    words_of = cache(words)  # of few cells: most are as they were given out
    has_ids = sum(bool(cell.id) for cell in cells) > len(cells) / 2
    for cell in cells:
        if cell.role or cell.kind != "code":
            continue
        if squeezed(cell.source) in texts:
            cell.role = "given"
            continue
        near = [by_id[cell.id]] if cell.id in by_id else [] if has_ids else given
        original = next((each for each in near if edited(words_of(cell.source), words_of(each["source"]))), None)
        if original is not None:
            cell.role = "given"
            if LEFT_OUT not in original["metadata"].get("tags", []):
                notes.add(
                    "You changed a given cell; grading uses the original. Put code of your own into a new cell.",
                    f"given cell edited (cell {cell.index} of the submission): the original was run",
                )


def _match_added(cells: list[SubmittedCell], answers: list[AnswerCell], notes: Notes) -> None:
    """Where an answer is missing or still the stub, an added cell that defines its names is the answer."""
    for answer in answers:
        if not answer.code or not answer.open:
            continue
        holders = [cell for cell in cells if cell.role == "added" and answer.names & cell.defines]
        if not holders:
            continue
        holder = holders[-1]
        answer.source, answer.submitted_at, holder.role = holder.source, holder.index, "answer"
        notes.add(
            f"Your answer to {answer.exercise} stands in a cell of its own; it was graded from there.",
            f"{answer.exercise}: the answer cell was left as it was, the answer is in added cell {holder.index}",
        )
        # A cell may answer several exercises: it runs once, in the place of the first.
        for other in answers:
            if other is not answer and other.code and other.names & holder.defines:
                if other.open:
                    other.answered_with(answer.exercise, holder.index)


def _note_deleted(answers: list[AnswerCell], notes: Notes) -> None:
    for answer in answers:
        if answer.source is None:
            notes.add(
                f"The cell of {answer.exercise} is not in your notebook, so there was nothing to grade for it.",
                f"{answer.exercise}: the answer cell is missing",
            )
