"""nbgrader's marks on cells: which are answers and checks, and which of a submission's are not as they were given out.

A mark is what stands in a cell's metadata under `nbgrader`; the name in it is the cell's grade_id.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import Any

from autograde.intake import flags
from autograde.intake.comparison import empty
from autograde.intake.syntax import nodes, parsed
from course.exercises import exercises

Notebook = dict[str, Any]  # nbformat 4, as JSON gives it

LEFT_OUT = "skip-execution"  # the tag of cells that grading does not run
_MARKS = ("grade", "solution", "points")


def grade_id(cell: Any) -> str:
    """The cell's name for nbgrader, "" where it has none."""
    return str(cell.get("metadata", {}).get("nbgrader", {}).get("grade_id", ""))


def marks_of_all() -> frozenset[str]:
    """nbgrader's names of the answers and checks of all assignments: a copy from another chapter has them honestly."""
    return frozenset(name for exercise in exercises() for name in (exercise.answer_id, exercise.check_id))


def is_check_call(source: str) -> bool:
    """Whether the text is one call of `check` and nothing else."""
    tree = parsed(source) if len(source) < 500 and "check" in source else None
    if tree is None or len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr):
        return False
    call = tree.body[0].value
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "check"


def edited(assignment: Notebook, submission: Notebook, marks: Collection[str]) -> tuple[str, ...]:
    """Flags for marks and checks that are not as given out. None of them counts, so nothing is lost or won by them;
    an instructor may want to look. What a slip, a tool or a copy from another chapter leaves is not flagged.
    """
    ours = {grade_id(cell): cell for cell in assignment["cells"] if grade_id(cell)}
    raised = set()
    for cell in submission["cells"]:
        name, claimed = grade_id(cell), cell["metadata"].get("nbgrader", {})
        if name in ours:
            given = ours[name]["metadata"]
            if any(claimed.get(mark) not in (None, given["nbgrader"].get(mark)) for mark in _MARKS):
                raised.add(flags.MARKS)
            if LEFT_OUT in cell["metadata"].get("tags", []) and LEFT_OUT not in given.get("tags", []):
                raised.add(flags.MARKS)
            if given["nbgrader"].get("grade") and not empty(cell["source"]) and not _calls_check(cell["source"]):
                raised.add(flags.CHECKS)
        elif claimed.get("grade") and claimed.get("points") and name not in marks:
            raised.add(flags.MARKS)
    return tuple(sorted(raised))


def _calls_check(source: str) -> bool:
    tree = nodes(source)  # one that does not parse was edited, but it says nothing
    calls = (node.func for node in tree if isinstance(node, ast.Call))
    return not tree or any(isinstance(function, ast.Name) and function.id == "check" for function in calls)
