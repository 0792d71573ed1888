"""From submissions to verdicts and grades, and back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autograde.cli import chosen
from autograde.cli.errors import STOPPED, mended
from autograde.cli.looking import in_short
from autograde.cli.options import CLASS, Assignments, Class, DryRunOfChange, Jobs, Scheduler, Students
from autograde.folders import ClassFolder
from autograde.grading.scheduler import unreachable
from autograde.sandbox.launch import ahead
from autograde.terminal import ask, say, stop
from autograde.terminal.grading import (
    grader_failed,
    show_changes,
    show_counts,
    show_due,
    show_outdated,
    show_submissions,
    show_undone,
    show_unrecognized,
    show_verdicts,
)
from autograde.terminal.marks import show_settled
from autograde.terminal.progress import RunProgress, Steps

if TYPE_CHECKING:
    from autograde.grading.run import Line, Summary


def check(
    file: Annotated[Path, typer.Argument(help="a notebook, or a folder that holds one")],
    assignment: Annotated[
        str | None, typer.Option(help="which assignment it is, by name or number, where the file's name does not say")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="for other programs: one JSON object on the output")] = False,
) -> None:
    """Grade one file in the sandbox and show its verdicts; nothing is written."""
    if not file.exists():
        raise stop(f"{file} does not exist")
    name = chosen.assignment_of(file, assignment)
    with ahead() as launched:
        from autograde.grading import isolation, judge, one  # while the sandbox warms up
        from autograde.sandbox import doctor

        try:
            graded, exercises = one.check(file, name, launched), judge.of_assignment(name)
        except isolation.Stopped as error:
            raise stop(error, STOPPED) from None
        except (doctor.NotReady, ValueError, FileNotFoundError) as error:
            raise stop(error) from None
    if as_json:
        print(one.checked_as_json(name, graded))
    else:
        show_verdicts(graded, exercises)
    whys = [verdict.internal for verdict in graded.verdicts.values() if verdict.internal]
    if whys or graded.needs_person:
        raise stop(f"the grader itself failed, and what it failed at is no verdict: {(whys or graded.details)[-1]}")


def grade(
    assignments: Assignments = None,
    again: Annotated[bool, typer.Option("--again", help="also what is graded already and unchanged")] = False,
    outdated: Annotated[
        bool, typer.Option("--outdated", help="also what another version of the course, or an earlier release, graded")
    ] = False,
    resume: Annotated[bool, typer.Option("--resume", help="go on with the run that was interrupted")] = False,
    student: Students = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what would be graded, and grade nothing")] = False,
    jobs: Jobs = 1,
    scheduler: Scheduler = "",
    where: Class = CLASS,
) -> None:
    """Grade what was handed in: in the sandbox, into the ledger, into nbgrader's gradebook."""
    folder = ClassFolder.at(where)
    names = chosen.assignments(folder, assignments)
    if resume and (assignments or student or again or outdated):
        raise stop("--resume goes on with all that the interrupted run was asked for: say nothing else with it")
    wanted, students = () if resume else names, student or ()
    if dry_run:
        from autograde.grading import run as grading

        with mended(), Steps() as steps:
            due = grading.due(
                folder, wanted, again=again, outdated=outdated, resume=resume, students=students, steps=steps.update
            )
        show_due(due)
        return
    interrupted = "What was graded is in the ledger; --resume goes on" + (
        " (or say --again once more: it starts over)" if again else ""
    )
    _require_answer(scheduler)
    with ahead(jobs == 1 and not scheduler) as launched, mended(interrupted), RunProgress() as bar:
        from autograde.grading import run as grading  # while the sandbox warms up

        summary = grading.grade(
            folder,
            wanted,
            again=again,
            outdated=outdated,
            resume=resume,
            students=students,
            jobs=jobs,
            scheduler=scheduler,
            ahead=launched,
            progress=bar.submission,
            steps=bar.update,
        )
    from autograde import plan

    with mended():
        _summarize(summary, folder)
    if plan.unfinished(folder.ledger):
        say("An earlier run is still unfinished: --resume goes on with it.", "bold yellow")
    if summary.refused:
        refused = ", ".join(f"{student} ({name})" for name, student in summary.refused)
        raise stop(f"nbgrader did not take {refused}: their verdicts are in {folder.ledger}, not in the gradebook")
    if failed := [f"{line.student} ({line.assignment})" for line in summary.lines if line.failed]:
        raise grader_failed(failed)


def _require_answer(scheduler: str) -> None:
    """Stops where a scheduler is named and nobody listens there."""
    if scheduler and (why := unreachable(scheduler)):
        raise stop(why, STOPPED)


def _summarize(summary: Summary, folder: ClassFolder) -> None:
    """A table of the submissions, and a line of what a person should look at."""
    from autograde.gradebook.store import address

    if summary.unrecognized:
        show_unrecognized(summary.unrecognized, folder.submitted)
    if not summary.lines:
        say(f"No submissions in {folder.submitted}/.")
        return
    by_name: dict[str, list[Line]] = {}
    for line in summary.lines:
        by_name.setdefault(line.assignment, []).append(line)
    for name, lines in by_name.items():
        show_submissions(name, lines)
        in_short(folder, name)
        show_settled(name, summary.settled[name])
    show_counts(summary.lines)
    show_outdated(summary.outdated, folder)
    say(f"Verdicts in {folder.ledger}/, grades in {address(folder)}")


def regrade(
    assignments: Assignments = None,
    diff: Annotated[
        bool, typer.Option("--diff", "--dry-run", help="only show what would change: so it is unless --write")
    ] = False,
    write: Annotated[bool, typer.Option("--write", help="and take it over into the ledger and the gradebook")] = False,
    student: Students = None,
    jobs: Jobs = 1,
    scheduler: Scheduler = "",
    where: Class = CLASS,
) -> None:
    """Grade again what is graded, with the release and the grader as they are now, and show what would change."""
    if diff and write:
        raise stop("--diff only shows and --write takes over: say one of them")
    folder = ClassFolder.at(where)
    names = chosen.assignments(folder, assignments)
    _require_answer(scheduler)
    with ahead(jobs == 1 and not scheduler) as launched, mended(), RunProgress() as bar:
        from autograde.grading import regrade as regrading  # while the sandbox warms up

        regraded = regrading.regrade(
            folder,
            names,
            write=write,
            students=student or (),
            jobs=jobs,
            scheduler=scheduler,
            ahead=launched,
            progress=bar.submission,
            steps=bar.update,
        )
    show_changes(regraded)
    for name, settled in regraded.settled.items():
        show_settled(name, settled)
    if regraded.refused:
        raise stop(f"nbgrader did not take {', '.join(regraded.refused)}: their verdicts are in {folder.ledger}")
    if not regraded.submissions:
        say("Nothing is graded yet: `autograde grade` comes first.")
    elif not write:
        say("Nothing was written; --write takes it over.")
    if regraded.failed:
        raise grader_failed(regraded.failed)


def undo(
    dry_run: DryRunOfChange = False,
    yes: Annotated[bool, typer.Option("--yes", help="ask nothing")] = False,
    where: Class = CLASS,
) -> None:
    """Take back the last run (grade, regrade --write or points): grades are what they were; what people gave stays."""
    from autograde.grading import undo as undoing

    folder = chosen.class_at(where)
    with mended(), Steps() as steps:
        undone = undoing.undo(folder, write=False, progress=steps.update)
    if not dry_run:
        if undone.asks and not yes:
            show_undone(undone, True)
            ask(f"The run {undone.run} is to be taken back, and {undone.asks}.")
        with mended(), Steps() as steps:
            undone = undoing.undo(folder, progress=steps.update, expected=undone.run)
    show_undone(undone, dry_run)
    if undone.refused:
        raise stop(f"nbgrader did not take {', '.join(undone.refused)}: `autograde undo` once more tries again")
