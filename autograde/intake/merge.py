"""Lays a submission's answers into the assignment's own notebook: everything else of the submission is left behind.

Taken are the text of the answer cells and the code cells that the student added, each before the answer cell it
precedes. Cells that were deleted, doubled, moved, retyped or edited, lost metadata and foreign kernels then stop
mattering. Text only, nothing runs here, and nothing in a submission makes it raise.

`merge` does all that looks into a student's text, with the standard library alone: the grader has it done in a child
without rights (`intake.jail`). `lay_out` makes the notebook of what that gives.

An answer is looked for by its nbgrader name, then by its cell's id, then by what it defines. Of several cells for one
answer that are not the untouched stub, the last one above the exercise's check counts, which is what the student saw
checked; where none stands above it, the first.
"""

from __future__ import annotations

import ast
import copy
import io
import re
import tokenize
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Literal

from autograde.intake import flags
from autograde.intake.names import Names, names_of
from autograde.intake.syntax import nodes, parsed
from autograde.text import plain
from course.blank import alike, blank

if TYPE_CHECKING:
    from nbformat import NotebookNode

Notebook = dict[str, Any]  # nbformat 4, as JSON gives it
Kind = Literal["given", "answer", "added"]

_ANSWER, _CHECK = "-answer", "-check"
_MARKS = ("grade", "solution", "points")
_LEFT_OUT = "skip-execution"
_LIKENESS = 0.6  # share of words that a cell has in common with a given one, above which it is that cell, edited
MAX_ADDED = 500
_LONG_LINE = 1_000  # characters; no line of IPython's own is longer


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


@dataclass
class _Asked:
    """One answer cell of the assignment, and the names that its stub defines."""

    exercise: str
    index: int
    id: str
    grade_id: str
    stub: str
    code: bool
    names: frozenset[str]
    answer: str | None = None  # None until one is found
    found_at: int | None = None  # the place in the submission that counts
    together: bool = False  # whether the cell that counts is that of another exercise
    seen: dict[str, bool] = field(default_factory=dict)  # of texts: whether they are unfinished

    def unfinished(self, source: str) -> bool:
        """Whether this text is the stub still, less than that, or nothing at all."""
        if source not in self.seen:
            self.seen[source] = _empty(source) or _same(source, self.stub) or (self.code and _blank(source, self.stub))
        return self.seen[source]

    @property
    def open(self) -> bool:
        """Whether nobody has written anything for it yet."""
        return not self.together and (self.answer is None or self.unfinished(self.answer))

    def answered_with(self, other: str, place: int | None) -> None:
        """Its answer stands in the cell of another exercise."""
        self.answer, self.found_at, self.together = f"# answered together with {other}\n...", place, True


@dataclass
class _Found:
    """One cell of the submission."""

    index: int
    kind: str
    id: str
    grade_id: str
    source: str
    role: str = ""  # "answer", "given", "check", "text" or, in the end, "added"

    @cached_property
    def defines(self) -> frozenset[str]:
        return _defined(self.source)


@dataclass
class _Notes:
    student: list[str] = field(default_factory=list)
    instructor: list[str] = field(default_factory=list)

    def add(self, student: str, instructor: str) -> None:
        """One sentence for each side; the student reads the same one once, however often it applies."""
        if student not in self.student:
            self.student.append(student)
            self.instructor.append(instructor)
            return
        at = self.student.index(student)
        if instructor not in self.instructor[at] and len(self.instructor[at]) < 500:
            self.instructor[at] += f"; {instructor}"


def merged_notebook(assignment: NotebookNode, submission: NotebookNode) -> MergedNotebook:
    """`assignment` as it was released, `submission` as `parse.receive` gives it; all in this process."""
    return lay_out(assignment, merge(assignment, submission, marks_of_all()))


def marks_of_all() -> frozenset[str]:
    """nbgrader's names of the answers and checks of all assignments: a copy from another chapter has them honestly."""
    # Here, because this module is read inside the jail too, where of `course` there is `blank` alone.
    from course.exercises import exercises

    return frozenset(f"{exercise.name}{ending}" for exercise in exercises() for ending in (_ANSWER, _CHECK))


def merge(assignment: Notebook, submission: Notebook, marks: Collection[str]) -> Merged:
    """What of the submission belongs where; `marks` as `marks_of_all` gives them."""
    notes = _Notes()
    asked = _asked(assignment)
    ours = {_grade_id(cell) for cell in assignment["cells"]}
    found = [_look(index, cell, ours) for index, cell in enumerate(submission["cells"])]
    checks = _place_checks(found, asked)
    _match_answers(found, asked, checks, notes)
    _match_given(found, assignment, notes)
    for cell in found:
        if not cell.role:
            cell.role = "added" if cell.kind == "code" and cell.source.strip() else "text"
    _answers_in_added_cells(found, asked, notes)
    _deleted(asked, notes)
    pieces = _pieces(assignment, asked, found, notes)
    unanswered = frozenset(one.exercise for one in asked if one.open)
    return Merged(
        tuple(pieces),
        tuple(notes.student),
        tuple(notes.instructor),
        unanswered,
        len(unanswered) == len(asked) and not any(piece.at is None for piece in pieces),
        _edited(assignment, submission, marks),
        tuple(flags.flags(piece.run for piece in pieces if piece.run is not None)),
    )


# ---------------------------------------------------------------- what is asked, what is there


def _grade_id(cell: Any) -> str:
    return str(cell.get("metadata", {}).get("nbgrader", {}).get("grade_id", ""))


def _asked(assignment: Notebook) -> list[_Asked]:
    asked = []
    for index, cell in enumerate(assignment["cells"]):
        grade_id = _grade_id(cell)
        if cell["metadata"].get("nbgrader", {}).get("solution"):
            asked.append(
                _Asked(
                    exercise=grade_id.removesuffix(_ANSWER),
                    index=index,
                    id=str(cell.get("id", grade_id)),
                    grade_id=grade_id,
                    stub=cell["source"],
                    code=cell["cell_type"] == "code",
                    names=_defined(cell["source"]) if cell["cell_type"] == "code" else frozenset(),
                )
            )
    return asked


def _look(index: int, cell: Any, ours: set[str]) -> _Found:
    grade_id = _grade_id(cell)  # a mark of some other assignment's is no mark
    return _Found(
        index, cell["cell_type"], str(cell.get("id", "")), grade_id if grade_id in ours else "", cell["source"]
    )


_DEFINITION = re.compile(r"^(?:async\s+def|def|class)\s+(\w+)|^(\w+)[ \t]*(?::[^=\n]+)?=(?!=)", re.MULTILINE)


def _defined(source: str) -> frozenset[str]:
    """Names that the text defines at its top level, as well as can be seen where it does not parse."""
    tree = parsed(source)
    if tree is None:
        return frozenset(name for pair in _DEFINITION.findall(source) for name in pair if name)
    names = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names.update(target.id for target in targets if isinstance(target, ast.Name))
    return frozenset(names)


def _same(one: str, other: str) -> bool:
    """Whether two texts are one program: equal but for white space at line ends, comments and layout."""
    if _squeezed(one) == _squeezed(other):
        return True
    left, right = parsed(one), parsed(other)
    try:
        return left is not None and right is not None and alike(left, right)
    except RecursionError:
        return False


def _blank(source: str, stub: str) -> bool:
    tree, given = parsed(source), parsed(stub)
    return tree is not None and given is not None and blank(tree, given)


def _squeezed(source: str) -> str:
    return "\n".join(line.rstrip() for line in source.strip().splitlines())


def _empty(source: str) -> bool:
    """Nothing but white space and comments."""
    return all(not line.strip() or line.lstrip().startswith("#") for line in source.splitlines())


# ---------------------------------------------------------------- matching


def _place_checks(found: list[_Found], asked: list[_Asked]) -> dict[str, int]:
    """Exercise -> where its check stands in the submission. Check cells are recognised by name or by their one call."""
    known = {one.exercise for one in asked}
    places: dict[str, int] = {}
    for cell in found:
        exercise = cell.grade_id.removesuffix(_CHECK)
        if cell.grade_id.endswith(_CHECK) and exercise in known:
            cell.role = "check"
            places.setdefault(exercise, cell.index)
        elif not cell.grade_id and cell.id.endswith(_CHECK) and cell.id.removesuffix(_CHECK) in known:
            cell.role = "check"
            places.setdefault(cell.id.removesuffix(_CHECK), cell.index)
        elif not cell.grade_id and cell.kind == "code" and _is_check_call(cell.source):
            cell.role = "check"
    return places


def _is_check_call(source: str) -> bool:
    tree = parsed(source) if len(source) < 500 and "check" in source else None
    if tree is None or len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr):
        return False
    call = tree.body[0].value
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "check"


def _match_answers(found: list[_Found], asked: list[_Asked], checks: dict[str, int], notes: _Notes) -> None:
    """Find each answer's text: by grade_id, else by cell id, else by the names its stub defines."""
    stripped = []
    for one in asked:
        named = [cell for cell in found if not cell.role and cell.grade_id == one.grade_id]
        how = ""
        if not named:
            named = [cell for cell in found if not cell.role and not cell.grade_id and cell.id == one.id]
            how = "its cell's id"
        if not named and one.names:
            named = [
                cell
                for cell in found
                if not cell.role and not cell.grade_id and cell.kind == "code" and one.names & cell.defines
            ]
            named = [cell for cell in named if not _belongs_to_another(cell, one, asked)]
            how = "the names it defines"
        if not named:
            continue
        for cell in named:
            cell.role = "answer"
        chosen = _chosen(one, named, checks.get(one.exercise), notes)
        one.answer, one.found_at = _as_code(one, chosen, notes), chosen.index
        if how:
            stripped.append(f"{one.exercise} by {how}")
    _answered_together(asked)
    if stripped:
        notes.add(
            "Your notebook had lost the marks of its answer cells; your answers were recognised all the same.",
            f"metadata stripped, matched {', '.join(stripped)}",
        )


def _answered_together(asked: list[_Asked]) -> None:
    """Where an answer is missing or still the stub and another's cell defines its names, that cell answers both."""
    holders = [one for one in asked if one.code and not one.open]
    defined = {holder.exercise: _defined(holder.answer or "") - holder.names for holder in holders}
    for one in asked:
        if one.code and one.open:
            for holder in holders:
                if one.names & defined[holder.exercise]:
                    one.answered_with(holder.exercise, holder.found_at)
                    break


def _belongs_to_another(cell: _Found, one: _Asked, asked: list[_Asked]) -> bool:
    """Whether the cell defines more of another answer than of this one."""
    return any(len(other.names & cell.defines) > len(one.names & cell.defines) for other in asked if other is not one)


def _chosen(one: _Asked, cells: list[_Found], check: int | None, notes: _Notes) -> _Found:
    """The cell that counts of those that claim to be this answer."""
    if len(cells) == 1:
        return cells[0]
    touched = [cell for cell in cells if not one.unfinished(cell.source)]
    above = [cell for cell in touched if check is not None and cell.index < check]
    chosen = above[-1] if above else touched[0] if touched else cells[0]
    if len({_squeezed(cell.source) for cell in touched}) > 1:
        which = "the last one above its check" if above else "the first that was worked on"
        notes.add(
            f"Your notebook has {len(cells)} cells for {one.exercise}; {which} was graded.",
            f"{one.exercise}: {len(cells)} answer cells that differ, took cell {chosen.index} ({which})",
        )
    else:
        notes.add(
            f"Your notebook has {len(cells)} cells for {one.exercise}, with one answer between them; it was graded.",
            f"{one.exercise}: {len(cells)} answer cells, one answer",
        )
    return chosen


_FENCE = re.compile(r"\A\s*```\w*\n(.*?)\n?```\s*\Z", re.DOTALL)


def _as_code(one: _Asked, cell: _Found, notes: _Notes) -> str:
    """The answer's text; of a code answer in a cell of another type, without the fence that Markdown asks for."""
    if not one.code or cell.kind == "code":
        return cell.source
    notes.add(
        f"The cell of your answer to {one.exercise} is no code cell; its text was taken as code.",
        f"{one.exercise}: the answer cell was retyped to {cell.kind}",
    )
    fenced = _FENCE.match(cell.source)
    return fenced.group(1) if fenced else cell.source


def _match_given(found: list[_Found], assignment: Notebook, notes: _Notes) -> None:
    """Recognise the assignment's own cells, edited or not: theirs is the original's text, and the copy is left behind.

    A given cell whose text was replaced by something else altogether is an added cell.
    """
    given = [
        cell
        for cell in assignment["cells"]
        if cell["cell_type"] == "code" and not cell["metadata"].get("nbgrader", {}).get("solution")
    ]
    by_id = {str(cell["id"]): cell for cell in given if cell.get("id")}
    texts = {_squeezed(cell["source"]) for cell in given}
    words = cache(_words)  # of few cells: most are as they were given out
    has_ids = sum(bool(cell.id) for cell in found) > len(found) / 2
    for cell in found:
        if cell.role or cell.kind != "code":
            continue
        if _squeezed(cell.source) in texts:
            cell.role = "given"
            continue
        near = [by_id[cell.id]] if cell.id in by_id else [] if has_ids else given
        original = next((each for each in near if _alike(words(cell.source), words(each["source"]))), None)
        if original is not None:
            cell.role = "given"
            if _LEFT_OUT not in original["metadata"].get("tags", []):
                notes.add(
                    "You changed a given cell; grading uses the original. Put code of your own into a new cell.",
                    f"given cell edited (cell {cell.index} of the submission): the original was run",
                )


def _words(source: str) -> set[str]:
    return set(re.findall(r"\w+", source))


def _alike(one: set[str], other: set[str]) -> bool:
    return len(one & other) >= _LIKENESS * len(one | other)


def _answers_in_added_cells(found: list[_Found], asked: list[_Asked], notes: _Notes) -> None:
    """Where an answer is missing or still the stub, an added cell that defines its names is the answer."""
    for one in asked:
        if not one.code or not one.open:
            continue
        holders = [cell for cell in found if cell.role == "added" and one.names & cell.defines]
        if not holders:
            continue
        holder = holders[-1]
        one.answer, one.found_at, holder.role = holder.source, holder.index, "answer"
        notes.add(
            f"Your answer to {one.exercise} stands in a cell of its own; it was graded from there.",
            f"{one.exercise}: the answer cell was left as it was, the answer is in added cell {holder.index}",
        )
        # A cell may answer several exercises: it runs once, in the place of the first.
        for other in asked:
            if other is not one and other.code and other.names & holder.defines:
                if other.open:
                    other.answered_with(one.exercise, holder.index)


def _deleted(asked: list[_Asked], notes: _Notes) -> None:
    for one in asked:
        if one.answer is None:
            notes.add(
                f"The cell of {one.exercise} is not in your notebook, so there was nothing to grade for it.",
                f"{one.exercise}: the answer cell is missing",
            )


# ---------------------------------------------------------------- edited


def _edited(assignment: Notebook, submission: Notebook, marks: Collection[str]) -> tuple[str, ...]:
    """Flags for marks and checks that are not as given out. None of them counts, so nothing is lost or won by them;
    an instructor may want to look. What a slip, a tool or a copy from another chapter leaves is not flagged.
    """
    ours = {_grade_id(cell): cell for cell in assignment["cells"] if _grade_id(cell)}
    found = set()
    for cell in submission["cells"]:
        name, claimed = _grade_id(cell), cell["metadata"].get("nbgrader", {})
        if name in ours:
            given = ours[name]["metadata"]
            if any(claimed.get(mark) not in (None, given["nbgrader"].get(mark)) for mark in _MARKS):
                found.add(flags.MARKS)
            if _LEFT_OUT in cell["metadata"].get("tags", []) and _LEFT_OUT not in given.get("tags", []):
                found.add(flags.MARKS)
            if given["nbgrader"].get("grade") and not _empty(cell["source"]) and not _calls_check(cell["source"]):
                found.add(flags.CHECKS)
        elif claimed.get("grade") and claimed.get("points") and name not in marks:
            found.add(flags.MARKS)
    return tuple(sorted(found))


def _calls_check(source: str) -> bool:
    found = nodes(source)  # one that does not parse was edited, but it says nothing
    calls = (node.func for node in found if isinstance(node, ast.Call))
    return not found or any(isinstance(function, ast.Name) and function.id == "check" for function in calls)


# ---------------------------------------------------------------- laying out


def _pieces(assignment: Notebook, asked: list[_Asked], found: list[_Found], notes: _Notes) -> list[Piece]:
    added = [cell for cell in found if cell.role == "added"]
    if len(added) > MAX_ADDED:
        notes.add(
            f"You added {len(added)} cells; the first {MAX_ADDED} were run.",
            f"{len(added)} added cells, {MAX_ADDED} run",
        )
        added = added[:MAX_ADDED]
    before, last = _places(asked, added)
    answers = {one.index: one for one in asked}
    pieces: list[Piece] = []

    def put(at: int | None, source: str, code: bool) -> None:
        run = _tamed(source, notes) if code else None
        pieces.append(Piece(at, source, run, None if run is None else names_of(run)))

    def put_added(cells: Iterable[_Found]) -> None:
        for cell in cells:
            put(None, cell.source, True)

    for index in range(len(assignment["cells"])):
        put_added(before.get(index, ()))
        if index in answers:
            one = answers[index]
            put(index, one.stub if one.answer is None else one.answer, one.code)
            if index == last:
                put_added(before.get(-1, ()))
        else:
            pieces.append(Piece(index))
    return pieces


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
            cell = NotebookNode({"cell_type": "code", "id": name, "metadata": marks, "source": plain(piece.source)})
        else:
            cell = NotebookNode(assignment.cells[piece.at])  # not a deep copy: only what is set here differs
            marks = cell.metadata.get("nbgrader", {})
            if marks.get("solution"):
                kind, exercise = "answer", _grade_id(cell).removesuffix(_ANSWER)
                cell.source = plain(piece.source)
                if (cell.cell_type == "code") != (run is not None):
                    raise ValueError("an answer that is code and does not run, or runs and is none")
            else:
                runs = cell.cell_type == "code" and not marks.get("grade")
                run = cell.source if runs and _LEFT_OUT not in cell.metadata.get("tags", []) else None
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        notebook.cells.append(cell)
        if run is not None:
            told = piece.names if kind != "given" else None
            cells.append(Cell(place, str(cell.get("id")), run, kind, exercise, _grade_id(cell), told))
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


def _places(asked: list[_Asked], added: Sequence[_Found]) -> tuple[dict[int, list[_Found]], int]:
    """(place in the assignment -> added cells to put before it, the last answer's place). Those after every answer of
    the submission are at -1: they follow the last one.
    """
    present = sorted((one.found_at, one.index) for one in asked if one.found_at is not None)
    before: dict[int, list[_Found]] = {}
    for cell in added:
        before.setdefault(next((index for at, index in present if at > cell.index), -1), []).append(cell)
    return before, max((one.index for one in asked), default=-1)


# ---------------------------------------------------------------- lines that are no Python, or reach outside

_PYTHON_FOLLOWS = {"time", "timeit", "capture", "prun", "matplotlib"}
_MAGIC_LINE = re.compile(r"^(\s*)(?:([\w.,\s]+?=\s*))?(%{1,2}|!{1,2})(?=\S)(.*)$")
_HELP = re.compile(r"^(\s*)(?:\?{1,2}[\w.]+|[\w.]+\?{1,2})\s*$")
_COLAB = re.compile(
    r"^\s*(?:from\s+google\.colab\b.*|import\s+google\.colab\b.*|(?:drive\.mount|files\.upload)\(.*\))\s*$"
)


def _tamed(source: str, notes: _Notes) -> str:
    """The text with IPython's own lines and Colab's left out, line for line, so that errors keep their numbers."""
    lines = source.split("\n")
    first = next((i for i, line in enumerate(lines) if line.strip()), None)
    if first is not None and lines[first].startswith("%%"):
        name = (lines[first][2:].split() or [""])[0][:80]
        notes.add(
            f"Lines such as %%{name} are left out when your notebook is graded.",
            f"cell magic %%{name} left out",
        )
        if name not in _PYTHON_FOLLOWS:
            return "\n".join(f"# {line}" for line in lines)
        lines[first] = f"# {lines[first]}"
    if parsed("\n".join(lines)) is None:
        inside = _continued("\n".join(lines))
        for i, line in enumerate(lines):
            if i not in inside:
                lines[i] = _line_tamed(line, notes)
    inside = _continued("\n".join(lines)) if any("colab" in x or "drive" in x or "files" in x for x in lines) else set()
    for i, line in enumerate(lines):
        if i not in inside and len(line) < _LONG_LINE and _COLAB.match(line) and not line.rstrip().endswith("("):
            lines[i] = _instead(line)
            notes.add(
                "Lines that only work in Colab (drive.mount and the like) are left out when your notebook is graded.",
                f"left out: {line.strip()[:80]}",
            )
    return _without_gpu(_without_company("\n".join(lines), notes), notes)


_COMPANY = re.compile(r"\binput\b|\bgetpass\b|\bcolab\b|\bdrive\b|\bpip\b|\bconda\b|\bapt(-get)?\b")
_SHELLS = {"check_call", "check_output", "run", "call", "Popen", "system", "getoutput", "run_line_magic", "magic"}


def _without_company(source: str, notes: _Notes) -> str:
    """The text without statements of its top level that ask somebody something, install a package, or need Colab.

    They run before the answer that stands below them in the cell, and would take it with them.
    """
    tree = parsed(source) if _COMPANY.search(source) else None
    if tree is None:
        return source
    lines = source.split("\n")
    taken = [line for node in tree.body for line in {node.lineno, node.end_lineno}]
    for node in tree.body:
        told = _needs_company(node)
        if not told or taken.count(node.lineno) > 1 or taken.count(node.end_lineno or 0) > 1:
            continue  # another statement shares its line
        notes.add(f"{told} when your notebook is graded.", f"left out: {lines[node.lineno - 1].strip()[:80]}")
        span = range(node.lineno - 1, node.end_lineno or node.lineno)
        for i in span:
            lines[i] = _instead(lines[i]) if i == span[0] else f"# {lines[i]}"
    return "\n".join(lines)


def _needs_company(node: ast.stmt) -> str:
    """What is said of a statement that cannot work without a person, a network or Colab; "" for any other."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        names = [name.name for name in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        colab = any(name.startswith("google.colab") for name in names)
        return "Lines that only work in Colab (drive.mount and the like) are left out" if colab else ""
    if not isinstance(node, (ast.Expr, ast.Assign, ast.AnnAssign)):
        return ""
    for call in (each for each in ast.walk(node) if isinstance(each, ast.Call)):
        function = call.func
        if isinstance(function, ast.Name) and function.id in ("input", "getpass"):
            return "Lines that ask for input are left out: nobody is there to answer"
        if isinstance(function, ast.Attribute):
            of = function.value.id if isinstance(function.value, ast.Name) else ""
            if f"{of}.{function.attr}" in ("drive.mount", "files.upload", "files.download"):
                return "Lines that only work in Colab (drive.mount and the like) are left out"
            if function.attr in _SHELLS and re.search(r"\b(pip|conda|apt(-get)?)\b", " ".join(_strings(call))):
                return "Lines that install packages are left out: nothing can be installed there"
    return ""


def _strings(node: ast.AST) -> list[str]:
    return [each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)]


_GPU = re.compile(r"cuda(:\d+)?")


def _without_gpu(source: str, notes: _Notes) -> str:
    """The text with `.cuda()` left out and `"cuda"` as "cpu" where it says on which device something is to be made.

    Where submissions are graded there is no GPU, whatever the machine has: such a line would only raise. What asks
    first (`"cuda" if torch.cuda.is_available() else "cpu"`), compares or names a kind of device stays as it is.
    """
    found = nodes(source) if "cuda" in source else []
    if not found:
        return source
    lines = [line.encode() for line in source.split("\n")]  # Python counts columns in bytes
    edits = []
    compared = {id(each) for node in found if isinstance(node, ast.Compare) for each in ast.walk(node)}
    for node in found:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "cuda":
            line, start, end = node.end_lineno or 0, (node.func.end_col_offset or 0) - 5, node.end_col_offset or 0
            if line == node.func.end_lineno and lines[line - 1][start : start + 5] == b".cuda":
                edits.append((line, start, end, b""))
        for constant in _devices(node):
            if id(constant) not in compared and constant.lineno == constant.end_lineno:
                edits.append((constant.lineno, constant.col_offset, constant.end_col_offset or 0, b'"cpu"'))
    if not edits:
        return source
    for line, start, end, instead in sorted(edits, reverse=True):  # from the right, so that columns stay true
        lines[line - 1] = lines[line - 1][:start] + instead + lines[line - 1][end:]
    notes.add(
        "There is no GPU where your notebook is graded: what you put on one ran on the CPU.",
        f"cuda, {len(edits)} times: taken for the CPU",
    )
    return b"\n".join(lines).decode()


def _devices(node: ast.AST) -> list[ast.Constant]:
    """Constants in this node that put something on a GPU."""
    found: list[ast.expr | None] = []
    if isinstance(node, ast.Call):
        called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        found = [keyword.value for keyword in node.keywords if keyword.arg in ("device", "map_location")]
        found += node.args[:1] if called in ("to", "device", "set_default_device") else []
    elif isinstance(node, ast.Assign):
        is_device = any(isinstance(target, ast.Name) and "device" in target.id.lower() for target in node.targets)
        found = [node.value] if is_device else []
    elif isinstance(node, ast.arguments):
        named = [*node.posonlyargs, *node.args][-len(node.defaults) :] if node.defaults else []
        pairs = [*zip(named, node.defaults, strict=True), *zip(node.kwonlyargs, node.kw_defaults, strict=True)]
        found = [default for argument, default in pairs if argument.arg == "device"]
    return [
        each
        for each in found
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and _GPU.fullmatch(each.value)
    ]


def _line_tamed(line: str, notes: _Notes) -> str:
    if len(line) > _LONG_LINE:
        return line
    magic = _MAGIC_LINE.match(line)
    if magic is None and not _HELP.match(line):
        return line
    notes.add(
        "Lines that begin with % or ! are left out when your notebook is graded; nothing can be installed there.",
        f"left out: {line.strip()[:80]}",
    )
    if magic is None:
        return _instead(line)
    indent, target, sign, rest = magic.groups()
    name, _, statement = rest.partition(" ")
    if sign == "%" and name == "time" and statement.strip():  # %time x = f(): the statement is the answer's
        return f"{indent}{target or ''}{statement.strip()}"
    return f"{indent}{target}None  # {rest}" if target else _instead(line)


def _instead(line: str) -> str:
    """A line that does nothing, at the same indentation, so that a block that held only this line still holds one."""
    return re.sub(r"\S.*", lambda match: f"pass  # {match.group()}", line)


def _continued(source: str) -> set[int]:
    """Lines (from 0) that stand inside a string of several lines: what looks like a magic there is text."""
    inside: set[int] = set()
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.STRING or token.type == getattr(tokenize, "FSTRING_MIDDLE", -1):
                inside.update(range(token.start[0], token.end[0]))
    except (tokenize.TokenError, SyntaxError, ValueError, RecursionError):
        pass  # what came before the break is known
    return inside
