"""What a person changes in a class: points, and time."""

from __future__ import annotations

from typing import Annotated

import typer

from autograde.cli import chosen
from autograde.cli.errors import mended
from autograde.cli.options import CLASS, Assignment, Class, DryRunOfChange, Student
from autograde.folders import ClassFolder
from autograde.terminal import stop
from autograde.terminal.marks import show_extended, show_points


def points(
    change: Annotated[list[str], typer.Argument(help="exercises with their new points, by number: 2.3=4")],
    dry_run: DryRunOfChange = False,
    where: Class = CLASS,
) -> None:
    """Change what exercises are out of in this class; nothing is run again, and what people gave stays."""
    from autograde.grading import points as changing

    folder = chosen.class_at(where)
    with mended():
        changed = changing.change(folder, changing.wanted(change, chosen.assignments(folder, None)), write=not dry_run)
    show_points(changed, dry_run)
    if changed.refused:
        raise stop(f"nbgrader did not take {', '.join(changed.refused)}: the same command once more tries again")


def extend(
    student: Student,
    assignment: Assignment,
    extra: Annotated[str, typer.Argument(help="how much more time: +2d, +36h, +90min, +1w; 0d takes one back")],
    dry_run: DryRunOfChange = False,
    where: Class = CLASS,
) -> None:
    """Give a student more time for an assignment, whether it is handed in yet or not."""
    from autograde.grading import lateness

    folder = ClassFolder.at(where)
    (name,) = chosen.assignments(folder, [assignment])
    with mended():
        chosen.require_student(folder, student, name)
        extended = lateness.extend(folder, student, name, extra, write=not dry_run)
    show_extended(extended, dry_run)
