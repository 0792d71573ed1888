"""What points and time did to grades."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograde.terminal import LISTED, console, say, text
from course import wording

if TYPE_CHECKING:
    from autograde.gradebook.late import Settled
    from autograde.grading.lateness import Extended
    from autograde.grading.points import Repointed


def show_points(changed: Repointed, dry_run: bool) -> None:
    """What new points change."""
    for exercise, before, after in changed.exercises:
        say(f"{exercise}: out of {after:g} instead of {before:g}")
    if changed.exercises:
        words = "Notebooks that were handed out, and those in archives/, still show the course's own points for these"
        say(f"{words}: tell your students.", "bold yellow")
    others = [each for each in changed.changed if each[2] != each[3]]
    for assignment, student, had, has in others[:LISTED]:
        say(f"{assignment} {student}: {has:g} points instead of {had:g}")
    if len(others) > LISTED:
        say(f"and {len(others) - LISTED} more")
    done = " (nothing was written)" if dry_run else ""
    those = wording.counted(len(changed.changed), "submission")
    say(f"New points, before penalties: {those}{done}.")


def show_extended(extended: Extended, dry_run: bool) -> None:
    """What an extension does."""
    who = f"{extended.student}, {extended.assignment}"
    if not extended.due:
        words = f"{who}: kept, but the assignment has no due date yet. To do, in the class's folder:"
        words += f' nbgrader db assignment add {extended.assignment} --duedate "2026-02-03 18:00 UTC"'
    elif not extended.extra:
        words = f"{who}: no extension, due {extended.due}"
    else:
        words = f"{who}: due {extended.due_now} instead of {extended.due}"
    say(words + (" (nothing was written)" if dry_run else ""))
    show_settled(extended.assignment, extended.settled)


def show_settled(assignment: str, settled: Settled) -> None:
    """What time did to an assignment's grades: penalties that have changed, and stamps that could not count."""
    for change in settled.changes[:LISTED]:
        net = [round(change.points - taken, 2) for taken in (change.before, change.after)]
        say(f"{assignment} {change.student}: {net[1]:g} points after the late penalty, instead of {net[0]:g}")
    if len(settled.changes) > LISTED:
        console.print(text(f"{assignment}: {len(settled.changes) - LISTED} more of these"))
    for student, why in settled.remarks[:LISTED]:
        say(f"{assignment}: {student}: {why}", "yellow")
    if len(settled.remarks) > LISTED:
        console.print(text(f"{assignment}: {len(settled.remarks) - LISTED} more of these", "yellow"))
    if settled.silent:
        those = f"{wording.counted(len(settled.silent), 'submission')} without a time, so taken as on time"
        names = wording.listed(settled.silent, 3)
        say(f"{assignment}: {those} ({names})", "yellow")
