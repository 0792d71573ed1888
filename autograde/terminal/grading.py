"""Runs that grade, and verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import typer
from rich.text import Text

from autograde.terminal import LISTED, console, say, stop, table, text
from course import wording
from course.verdict import Outcome

if TYPE_CHECKING:
    from autograde.folders import ClassFolder
    from autograde.grading.regrade import Regraded
    from autograde.grading.run import Due, Line
    from autograde.grading.undo import Undone
    from autograde.grading.worker import Graded
    from autograde.ledger import Record
    from course.exercises import Exercise


def verdict_words(record: Record | None) -> Text:
    """A verdict in a few words."""
    if record is None:
        return text("not graded")
    diagnosis = f", {record.verdict.diagnosis}" if record.verdict.diagnosis else ""
    return text(f"{record.points:g}/{record.max:g} {record.verdict.outcome}{diagnosis}")


def show_submissions(assignment: str, lines: Sequence[Line]) -> None:
    """A table of an assignment's submissions, or of those that a person should look at where there are many."""
    unusual = [line for line in lines if line.flags or line.manual or line.needs_person]
    listed = lines if len(lines) <= LISTED else unusual[:LISTED]
    title = f"{assignment}: {wording.counted(len(lines), 'submission')}"
    title += f", {len(unusual)} of them unusual" if listed is not lines else ""
    short = all(len(line.student) <= 36 for line in listed)
    columns = "student", "points", "verdicts other than pass", "flags"
    rows = table(title, *columns, right=("points",), whole=("student",) if short else ())
    for line in listed:
        outcomes = [outcome for outcome in line.outcomes.values() if outcome != Outcome.PASS]
        counted = ", ".join(f"{outcomes.count(outcome)} {outcome}" for outcome in dict.fromkeys(outcomes))
        flags = [*line.flags, *(["with manual grades"] if line.manual else [])]
        flags += ["needs a person"] if line.needs_person else []
        rows.add_row(text(line.student), f"{line.score:g}/{line.max:g}", counted, text(", ".join(flags)))
    console.print(rows)


def show_unrecognized(names: Sequence[str], submitted: Path) -> None:
    """What lies in submissions/ and is no submission."""
    those = wording.listed(names, 20)
    say(f"Not recognized in {submitted}/ (no student/assignment): {those}", "bold yellow")


def show_counts(lines: Sequence[Line]) -> None:
    """How many submissions a run graded, how long each took, and how many it left as they were."""
    fresh = [line for line in lines if line.fresh]
    seconds = f", {sum(line.seconds for line in fresh) / len(fresh):.2f} s each" if fresh else ""
    console.print(text(f"{len(fresh)} graded now{seconds}; {len(lines) - len(fresh)} unchanged."))


def show_outdated(outdated: Sequence[tuple[str, str]], folder: ClassFolder) -> None:
    """Whose grades stand though the course has changed since, and what to type."""
    if outdated:
        names = " ".join(sorted({assignment for assignment, _ in outdated}))
        message = (
            f"{len(outdated)} of these were graded by another version of the course or from an earlier release, and"
            f" keep their grades. To see what would change: autograde regrade {names} --diff --class"
        )
        say(f"{message} {quote(str(folder.root))}", "yellow")


def show_due(due: Sequence[Due]) -> None:
    """What a run would grade."""
    for each in due:
        words = f"{each.assignment}: {wording.counted(len(each.students), 'submission')} to grade"
        names = f" ({wording.listed(each.students, 20, '; ')})" if each.students else ""
        say(f"{words}{names}; {each.left} unchanged")
    say("Nothing was graded, and nothing written.")


def show_changes(regraded: Regraded) -> None:
    """What changes where submissions are graded again."""
    if regraded.changes:
        title = f"Other verdicts: {len(regraded.changes)} of {regraded.exercises}"
        verdicts = table(title, "assignment", "student", "exercise", "before", "now")
        for change in regraded.changes:
            before, after = (verdict_words(record) for record in (change.before, change.after))
            verdicts.add_row(change.after.assignment, text(change.after.student), change.after.exercise, before, after)
        console.print(verdicts)
    those = f"{wording.counted(regraded.submissions, 'submission')} graded again"
    who = wording.counted(len(regraded.students), "student")
    console.print(text(f"{those}; the machine now gives other points to {who}."))
    if nets := [net for net in regraded.nets if net.before != net.after]:
        points = table("Points after penalties, with what people gave", "assignment", "student", "before", "now")
        for net in nets:
            points.add_row(net.assignment, text(net.student), f"{net.before:g}", f"{net.after:g}")
        console.print(points)
    elif regraded.submissions:
        say("Nobody's points after penalties change.")
    if regraded.other_numbers:
        message = f"{regraded.other_numbers} of them faced other numbers than before: their key is not there any more."
        say(message, "yellow")


def show_verdicts(graded: Graded, exercises: Sequence[Exercise]) -> None:
    """Everything that is said of one submission, case by case, and its points in all."""
    for said in filter(None, [graded.reason, *graded.notes, *graded.flags]):
        console.print(text(said), highlight=False)
    for exercise in exercises:
        verdict = graded.verdicts[exercise.name]
        points = verdict.points(exercise.points)
        head = f"{exercise.number} {exercise.name}: {points:g} of {exercise.points:g} ({verdict.outcome})"
        console.print(text(head, style="bold"), highlight=False)
        if verdict.message:
            console.print(text(f"  {verdict.message}"), highlight=False)
        for case in verdict.cases if verdict.outcome != Outcome.NOT_ANSWERED else ():
            why = "" if case.passed else f"\n      {case.message}"
            console.print(text(f"  {'ok' if case.passed else 'NO'}  {case.title}{why}"), highlight=False)
    total = sum(graded.verdicts[exercise.name].points(exercise.points) for exercise in exercises)
    out_of = sum(exercise.points for exercise in exercises)
    console.print(text(f"Total: {wording.points(total)} of {wording.points(out_of)} points", style="bold"))


def show_undone(undone: Undone, dry_run: bool) -> None:
    """What a run that is taken back changes."""
    for assignment, student, before, after in undone.changed[:LISTED]:
        now = "no grade" if after is None else f"{after:g} points"
        say(f"{assignment} {student}: {now} instead of {before:g}")
    if len(undone.changed) > LISTED:
        say(f"and {len(undone.changed) - LISTED} more")
    for sentence in undone.stays:
        say(f"Stays as it is: {sentence}", "yellow")
    done = "would be taken back (nothing was written)" if dry_run else "is taken back"
    of = f" of {undone.when}" if undone.when else ""
    those = wording.counted(len(undone.changed), "student")
    say(f"The run {undone.run}{of} {done}: the grades of {those}.")


def grader_failed(names: Sequence[str]) -> typer.Exit:
    """Says at whom the grader failed, for reasons of its own."""
    return stop(
        f"the grader itself failed at {wording.listed(names, 20)}: that cost nobody a point, and the next `autograde"
        " grade` tries again. `autograde trace` says what went wrong."
    )
