"""How an assignment went, where a grade comes from, and whose answers are alike."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from autograde.cli import chosen
from autograde.cli.errors import mended
from autograde.cli.options import CLASS, Assignment, Assignments, Class, DryRun
from autograde.folders import ClassFolder
from autograde.terminal import say
from autograde.terminal.looking import show_similar, show_summary, show_trace
from autograde.terminal.progress import Steps


def in_short(folder: ClassFolder, assignment: str, dry_run: bool = False) -> None:
    """Makes the summary's page again, and says the most of it in a few lines."""
    from autograde.reports import summary as summing
    from autograde.reports import summary_page

    if dry_run:
        show_summary(assignment, summing.summary(folder, assignment), None)
    else:
        show_summary(assignment, *summary_page.write(folder, assignment))


def summary(assignments: Assignments = None, dry_run: DryRun = False, where: Class = CLASS) -> None:
    """Say how an assignment went, from the gradebook as it stands: in short here, whole in class/summary/."""
    folder = ClassFolder.at(where)
    names = chosen.assignments(folder, assignments)
    with mended():
        for name in names:
            in_short(folder, name, dry_run)


def similar(
    assignments: Assignments = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what is alike, and write no page")] = False,
    where: Class = CLASS,
) -> None:
    """Say which students' answers are equal or alike, and write a page with both texts side by side."""
    from autograde.files import write_atomically
    from autograde.reports import similar as comparing

    folder = ClassFolder.at(where)
    for name in chosen.assignments(folder, assignments):
        with mended(), Steps() as steps:
            comparison = comparing.similar(folder, name, steps.update)
        if not comparison.submissions:
            say(f"{name}: no submissions in {folder.submitted}/.")
            continue
        target = folder.similar(name)
        if not dry_run:
            write_atomically(target, comparing.page(comparison), lasting=False)
        show_similar(comparison, target, dry_run)


def _untraced(folder: ClassFolder, student: str, assignment: str) -> str:
    """Why there is nothing to trace, and what to do."""
    message = f"no submission of {student} to {assignment} is in the gradebook"
    handed_in = [name for name, _ in folder.submissions(assignment)]
    if student in handed_in:
        return f"{message}; `autograde grade` enters it"
    return f"{message}, nor is there one in submissions/{chosen.did_you_mean(student, handed_in)}"


def trace(
    student: Annotated[
        str, typer.Argument(help="the student's name, as in the gradebook; one that begins with - goes after --")
    ],
    assignment: Assignment,
    where: Class = CLASS,
) -> None:
    """Say where a grade comes from: the file, the run, its key and versions, and what a person changed."""
    from autograde.reports import trace as tracing

    folder = ClassFolder.at(where)
    (name,) = chosen.assignments(folder, [assignment])
    with mended():
        traced = tracing.traces(folder, name, [student]).get(student)
        if traced is None:
            raise ValueError(_untraced(folder, student, name))
        words = tracing.in_words(folder, traced)
    by_hand = {exercise: tracing.by_hand(traced, exercise) for exercise in traced.given}
    show_trace(traced, words, by_hand, tracing.history(folder, student, name))
    if traced.records:
        again = f"autograde regrade {name} --student {shlex.quote(student)} --diff"
        again += f" --class {shlex.quote(str(where))}" if where != CLASS else ""
        say(f"To see it judged again on the same numbers: {again}")
