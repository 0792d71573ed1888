"""What depends on what in a submission, by the names in its cells: which exercises rest on which, and which cells a run
needs.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache

from autograde import reference
from autograde.intake.merge import Cell
from autograde.intake.names import Names, names_of, symbols
from autograde.intake.syntax import nodes
from course.exercises import Exercise


def rests_on(exercise: Exercise, cells: Sequence[Cell], among: Sequence[Exercise]) -> list[Exercise]:
    """The earlier exercises that this one uses, by the names that its reference reaches, or that the answer does in
    these cells. A question has no reference: it rests on what its answer calls.
    """
    earlier = [e for e in among[: among.index(exercise)] if not e.question and e.chapter == exercise.chapter]
    reached = _reached(exercise, cells)
    if not exercise.question:
        reached |= reference.reached(exercise.chapter, exercise.components)
    for other in reversed(earlier):
        if reached & set(other.components):
            reached |= reference.reached(exercise.chapter, other.components)
    return [other for other in earlier if reached & set(other.components)]


def _reached(exercise: Exercise, cells: Sequence[Cell]) -> set[str]:
    """The names that the cells which bind the exercise's own use, through any other cell, given or the student's."""
    modules = _modules(cells)
    by_cell = [_names(cell) for cell in cells]
    reached, left, grown = set(exercise.components), set(range(len(cells))), True
    while grown:
        grown = False
        for at in sorted(left):
            if (by_cell[at].bound - modules) & reached:  # what only calls torch.manual_seed binds no torch
                left.remove(at)
                reached |= by_cell[at].used
                grown = True
    return reached


def answered_elsewhere(exercise: Exercise, cells: Sequence[Cell]) -> bool:
    """Whether another cell of the student's defines one of the exercise's names, such as `answer_1, answer_2 = 3, 4`:
    to import the reference, as a check tells who goes on without an answer, is none."""
    own = exercise.answer_id
    others = [cell for cell in cells if cell.kind != "given" and cell.grade_id != own]
    return any(set(exercise.components) & _names(cell).defined for cell in others)


def needed(cells: Sequence[Cell]) -> list[Cell]:
    """The student's cells, and those given ones that bind or change what they use, through any depth.

    A given figure that no answer uses would cost every submission its second. A given cell that does not parse stays.
    """
    modules = _modules(cells)
    given = {cell.index: symbols(cell.source, modules) for cell in cells if cell.kind == "given"}
    kept = {cell.index for cell in cells if cell.kind != "given" or given[cell.index] is None}
    used: set[str] = set()
    for cell in cells:
        if cell.kind != "given":
            used |= _names(cell).used
    grown = True
    while grown:
        grown = False
        for index, bound_and_used in given.items():
            if index not in kept and bound_and_used is not None and bound_and_used[0] & used:
                kept.add(index)
                used |= bound_and_used[1]
                grown = True
    return [cell for cell in cells if cell.index in kept]


def binds(cell: Cell, exercise: Exercise) -> bool:
    """Whether a cell of the student's binds one of the exercise's names, in its own answer cell or elsewhere."""
    return cell.grade_id == exercise.answer_id or bool(_names(cell).bound & set(exercise.components))


def with_reference(
    cells: Sequence[Cell],
    among: Sequence[Exercise],
    judged: Exercise,
    failed: Sequence[str],
    aside: Collection[int] = (),
) -> list[Cell]:
    """The needed cells with the reference after each of the `failed` answers, and after every other cell of the
    student's that binds a name of theirs: it takes their names and leaves their helpers. Cells to be put `aside`, by
    index, are left out, and the reference stands for whatever answers they hold. It stands for exercises before the
    one that is `judged`, never for that one or a later one.
    """
    tasks = [e for e in among[: among.index(judged)] if not e.question]
    free = 1 + max(cell.index for cell in cells)
    modules = _modules(cells)
    substituted = []
    for cell in cells:
        replaced = [e for e in tasks if e.name in failed or cell.index in aside]
        if cell.index not in aside:
            substituted.append(cell)
        bound = _names(cell).bound - modules if cell.kind != "given" and replaced else frozenset()
        for exercise in replaced:
            if cell.grade_id == exercise.answer_id or bound & set(exercise.components):
                source = reference.source(exercise.chapter, exercise.components)
                substituted.append(replace(cell, index=free, kind="added", grade_id="", source=source))
                free += 1
    return needed(substituted)  # the reference may use what the student's own answer did not


def _names(cell: Cell) -> Names:
    """The names of a cell's text: the intake's child told those of a student's, which is not parsed out here."""
    received = cell.names
    return received if received is not None and received.source == cell.source else names_of(cell.source)


def _modules(cells: Sequence[Cell]) -> frozenset[str]:
    """Names under which the given cells import modules."""
    return frozenset().union(*(_imported(cell.source) for cell in cells if cell.kind == "given"))


@lru_cache(maxsize=1000)
def _imported(source: str) -> frozenset[str]:
    """Names under which the text's own imports bind modules, such as torch, F or plt, and nn of `from torch import nn`.

    What is imported from a module counts where the grader itself has that module loaded, as all of PyTorch's are.
    """
    imported = set()
    for node in nodes(source):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for name in node.names:
                if isinstance(node, ast.Import) or f"{node.module}.{name.name}" in sys.modules:
                    imported.add((name.asname or name.name).split(".")[0])
    return frozenset(imported)
