"""How an assignment went, whose answers are alike, and where a grade comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from autograde.terminal import LISTED, console, say, table, text
from autograde.terminal.grading import verdict_words
from course import wording

if TYPE_CHECKING:
    from autograde.reports.similar import Similar
    from autograde.reports.summary import Summary
    from autograde.reports.trace import Trace


def show_summary(assignment: str, report: Summary, page: Path | None) -> None:
    """The most of an assignment's summary, in a few lines; `page` is the whole of it, None where none was written."""
    whole = ("exercise", "mean", "") if console.width >= 60 else ("mean", "")
    rows = table(f"{assignment}, by exercise", "exercise", "mean", "", "submissions by points", whole=whole)
    for row in report.rows:
        bar = "█" * round(10 * row.share)
        counts = ", ".join(f"{count} {kind}" for kind, count in row.counts.items() if count)
        rows.add_row(f"{row.number} {row.name}", f"{row.mean:g}/{row.max:g}", f"{bar:░<10}", counts)
    console.print(rows)
    if report.totals:
        of = wording.counted(len(report.totals), "submission")
        console.print(text(f"Median {report.median:g} of {report.max:g} points over {of}."))
    for diagnosis in report.diagnoses[:3]:
        say(f"Common mistake: {diagnosis.what} ({wording.counted(len(diagnosis.students), 'student')})")
    for names, heading, style in (
        (report.waiting, "Waiting for a person", "bold yellow"),
        (report.late, "Late", ""),
        (report.missing, "Handed in nothing", ""),
        (report.ungraded, "Not graded yet", "yellow"),
    ):
        if names:
            say(f"{heading}: {wording.listed(names, 10, '; ')}", style)
    say(f"The whole summary: {page}" if page else "Nothing was written.")


def show_similar(comparison: Similar, page: Path, dry_run: bool) -> None:
    """Whose answers are equal, and which students' answers share much."""
    for student, why in comparison.aside:
        say(f"Not compared: {student}, {why}", "yellow")
    own = [group for group in comparison.groups if not group.known]
    for group in own[:LISTED]:
        say(f"Equal answers to {group.number} {group.name}: {wording.listed(group.students, 10, '; ')}")
    if len(own) > LISTED:
        console.print(text(f"{wording.counted(len(own) - LISTED, 'more group')} of equal answers"))
    if of_the_course := len(comparison.groups) - len(own):
        more = f"{wording.counted(of_the_course, 'more group')} of answers equal to a right one that the course has"
        console.print(text(f"{more}: that says little."))
    for pair in comparison.pairs[:10]:
        numbers = ", ".join(each.number for each in pair.shared)
        say(f"Alike: {' and '.join(pair.students)}, in {numbers}")
    done = f"The page would be {page} (nothing was written)" if dry_run else f"Side by side: {page}"
    answers = (
        f"{wording.counted(comparison.answers, 'answer')} of {wording.counted(comparison.submissions, 'submission')}"
    )
    pairs = f"{wording.counted(len(comparison.pairs), 'pair')} of students with much in common"
    say(f"{answers}; {pairs}. {done}")


def show_trace(
    traced: Trace, words: Sequence[tuple[str, str]], by_hand: Mapping[str, str], history: Sequence[str]
) -> None:
    """Where a grade comes from: `words` as pairs (what, what is said of it), `by_hand` what a person did to each
    exercise, `history` a line for each run."""
    message = f"{traced.student}, {traced.assignment}: {traced.points:g} of {traced.max:g} points"
    console.print(text(message, style="bold"))
    for what, says in words:
        say(f"{what + ':':<12}{says}")
    columns = "exercise", "points", "verdict", "by a person"
    rows = table("", *columns, right=("points",), whole=("exercise", "points"))
    for exercise, given in traced.given.items():
        record = traced.records.get(exercise)
        verdict = verdict_words(record) if record else text("by stock nbgrader")
        number = f"{record.number} {exercise}" if record else exercise
        rows.add_row(text(number), f"{given.points:g}/{given.max:g}", verdict, text(by_hand[exercise]))
    console.print(rows)
    for line in history:
        say(line)
