"""What an instructor's terminal shows: a run's progress, tables of submissions and verdicts, and why a command stops.

Here belongs how a thing looks in a terminal, and nothing that is done: each function is given what a command (`cli`)
has made, and prints it. Names and messages may be a student's, so whatever is printed goes through `text` or `plain`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Self

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from autograde.text import spelt
from course import wording
from course.verdict import Outcome

if TYPE_CHECKING:
    from autograde.folders import ClassFolder
    from autograde.gradebook.archive import Archived
    from autograde.gradebook.hand_out import HandedOut
    from autograde.gradebook.late import Settled
    from autograde.gradebook.upgrade import Upgraded
    from autograde.grading.forget import Forgotten
    from autograde.grading.lateness import Extended
    from autograde.grading.points import Repointed
    from autograde.grading.regrade import Regraded
    from autograde.grading.run import Due, Line
    from autograde.grading.undo import Undone
    from autograde.grading.worker import Graded
    from autograde.intake.collect import Collected
    from autograde.reports.grade_import import Table as Given
    from autograde.reports.push.send import Pushed
    from autograde.reports.similar import Similar
    from autograde.reports.summary import Summary
    from autograde.reports.trace import Trace
    from autograde.reports.trial import Trial
    from course.exercises import Exercise

console = Console()
# Submissions of an assignment that a terminal can usefully show; the page and the table of grades have all.
LISTED = 40


def plain(value: object) -> str:
    """Text as a terminal may show it: what would turn the line round, move the cursor or be no text is spelt out."""
    return spelt(str(value))


def text(value: object, style: str = "") -> Text:
    return Text(plain(value), style=style)


def stop(message: object, code: int = 1) -> typer.Exit:
    """Says what is wrong, in one line, where errors go."""
    Console(stderr=True).print(text(f"autograde: {message}", style="bold red"), soft_wrap=True)
    return typer.Exit(code)


def ask(why: str) -> None:
    """Asks whether to go on; stops where the answer is no, or nobody is there to give one."""
    if not sys.stdin.isatty():
        raise stop(f"{why} Nothing was written. To do: --yes where it is meant")
    console.print(text(why, style="bold yellow"), soft_wrap=True)
    if not typer.confirm("Go on?"):
        raise stop("nothing was written")


def failed(names: Sequence[str]) -> typer.Exit:
    """Says at whom the grader failed, for reasons of its own."""
    return stop(
        f"the grader itself failed at {wording.listed(names, 20)}: that cost nobody a point, and the next `autograde"
        " grade` tries again. `autograde trace` says what went wrong."
    )


def show_collected(done: Collected, dry_run: bool) -> None:
    """What became of a source: what needs a word, what was left aside, and how many submissions of each assignment."""
    for item in done.items:
        if dry_run or item.notes:
            message = f"{item.student}/{item.assignment}: {item.action}, from {', '.join(item.files)}"
            console.print(text("; ".join([message, *item.notes])), soft_wrap=True)
    for name, why in done.aside:
        console.print(text(f"Left aside: {name}: {why}", style="yellow"), soft_wrap=True)
    if done.late:
        message = f"Late, as the source says without saying when: {', '.join(done.late)}"
        console.print(text(message, style="bold yellow"), soft_wrap=True)
    for name in sorted({item.assignment for item in done.items}):
        kinds = [item.action for item in done.items if item.assignment == name]
        counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(sorted(kinds)))
        console.print(text(f"{name}: {counts}{' (nothing was written)' if dry_run else ''}"))


def show_tried(tried: Trial) -> None:
    """How many submissions of each kind came out as they must, and which did not."""
    for kind, count in tried.of.items():
        console.print(f"{kind}: {tried.right.get(kind, 0)} of {count} as they must", highlight=False)
    for sentence in tried.amiss:
        console.print(text(f"NO  {sentence}", style="bold red"), soft_wrap=True)
    console.print(f"{tried.seconds / max(1, sum(tried.of.values())):.2f} s for each submission", highlight=False)


def show_how_much_was_tried(tried: Trial, corpora: int | None) -> None:
    """What ran of the full examination and how it ended, and what did not run. `corpora`: how the tests' attacks and
    broken files ended, None where they did not run."""
    made_up = f"The made-up class ran: {sum(tried.right.values())} of {sum(tried.of.values())} as they must."
    beside = {
        None: "The attacks and the broken files of the tests did not run, so nothing is known of them here: they need"
        " the tests' packages. To do: make test-set-up, and give the command again.",
        0: "The attacks and the broken files of the tests ran: all as they must.",
    }.get(corpora, "The attacks and the broken files of the tests ran: not all as they must, see above.")
    console.print(text(f"\n{made_up}\n{beside}"), soft_wrap=True)
    if tried.amiss or corpora:
        console.print("Do not grade with this installation before each of these is explained.", highlight=False)


def show_handed_out(
    given: Sequence[HandedOut], done: Sequence[tuple[str, bool]], put: Sequence[tuple[str, bool]], dry_run: bool
) -> None:
    """What became of each assignment, and which earlier exercises' answers students get with it."""
    fresh = {name for name, changed in [*done, *put] if changed}
    for assignment in given:
        how = "would be released" if dry_run else "released" if assignment.name in fresh else "unchanged"
        brings = f"; with it come the answers to {wording.listed(assignment.answers, 40)}" if assignment.answers else ""
        console.print(text(f"{assignment.name}: {how}{brings}"), soft_wrap=True)
        for path, content in assignment.files.items() if dry_run else ():
            console.print(text(f"    {path} ({len(content) / 1e3:.0f} kB)"), soft_wrap=True)
    if any(assignment.answers for assignment in given):
        console.print(
            "Hand each out once these answers may be known; --earlier due or --earlier own leaves them out.",
            highlight=False,
        )
    if dry_run:
        console.print("Nothing was written.", highlight=False)


def show_given(table: Given, path: Path, dry_run: bool) -> None:
    """What goes back to a platform: whose it is, who is left out, and where it was written."""
    if dry_run and table.path.suffix == ".csv":
        for line in table.content.decode().splitlines():
            console.print(text(line), soft_wrap=True)
    for note in table.notes if dry_run or table.path.suffix == ".csv" else []:
        console.print(text(note), soft_wrap=True)
    for student, why in table.left_out:
        console.print(text(f"Left out: {student}, {why}", style="yellow"), soft_wrap=True)
    done = " (nothing was written)" if dry_run else ""
    console.print(text(f"{_students(table.students)} in {path}{done}"), soft_wrap=True)


# ---------------------------------------------------------------- a run


class Steps:
    """How far a command is, and how long it will still take: a bar in a terminal; elsewhere a line now and then, of a
    step that takes a while."""

    PAUSE = 10.0  # seconds between two lines
    stays = False  # whether the bars are left standing at the end

    def __enter__(self) -> Self:
        self.bar = None
        if console.is_terminal:
            columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
            left = TextColumn("left:"), TimeRemainingColumn()
            self.bar = Progress(*columns, *left, console=console, transient=not self.stays, speed_estimate_period=120)
            self.bar.start()
        self.tasks: dict[str, TaskID] = {}
        self.began: dict[str, float] = {}
        self.said = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()

    def update(self, step: str, done: int, of: int) -> None:
        now = time.monotonic()
        began = self.began.setdefault(step, now)
        if self.bar is not None:
            if step not in self.tasks:
                self.tasks[step] = self.bar.add_task(plain(step), total=of)
            self.bar.update(self.tasks[step], completed=done, total=of)
        elif 0 < done < of and now - self.said >= self.PAUSE:
            left = (now - began) / done * (of - done)
            print(plain(f"{step}: {done} of {of}, about {max(1, round(left / 60))} min left"), flush=True)
            self.said = now


class RunProgress(Steps):
    """The same of a run that grades, with a line for each submission that is graded elsewhere than in a terminal; and
    what failed, as it happens."""

    stays = True

    def __enter__(self) -> Self:
        self.fresh: dict[str, int] = {}
        return super().__enter__()

    def submission(self, assignment: str, done: int, of: int, line: Line | None) -> None:
        began = self.began.setdefault(assignment, time.monotonic())
        self.fresh[assignment] = self.fresh.get(assignment, 0) + bool(line is not None and line.fresh)
        if self.bar is not None or line is None:
            if line is not None and line.fresh and (line.needs_person or line.flags):
                message = ", ".join([*line.flags, *(["needs a person"] if line.needs_person else [])])
                console.print(text(f"{assignment} {line.student}: {message}", style="yellow"))
            self.update(assignment, done, of)
        elif line.fresh:  # what is unchanged is counted at the end
            message = f"{line.score:g} of {line.max:g}, {line.seconds:.2f} s"
            message += "".join(f", {flag}" for flag in line.flags) + (", needs a person" if line.needs_person else "")
            left = (time.monotonic() - began) / done * (of - done)
            measured = self.fresh[assignment] >= 5  # the first ones pay for the start, and the rest may be unchanged
            message += f" (about {left / 60:.0f} min left)" if measured and left > 90 else ""
            print(plain(f"[{done}/{of}] {assignment} {line.student}: {message}"), flush=True)


def show_unrecognised(names: Sequence[str], submitted: Path) -> None:
    """What lies in submissions/ and is no submission."""
    those = wording.listed(names, 20)
    console.print(
        text(f"Not recognized in {submitted}/ (no student/assignment): {those}", style="bold yellow"),
        soft_wrap=True,
    )


def show_submissions(assignment: str, lines: Sequence[Line]) -> None:
    """A table of an assignment's submissions, or of those that a person should look at where there are many."""
    unusual = [line for line in lines if line.flags or line.manual or line.needs_person]
    listed = lines if len(lines) <= LISTED else unusual[:LISTED]
    title = f"{assignment}: {wording.counted(len(lines), 'submission')}"
    title += f", {len(unusual)} of them unusual" if listed is not lines else ""
    table = Table(title=title, title_justify="left")
    for column, justify in (
        ("student", "left"),
        ("points", "right"),
        ("verdicts other than pass", "left"),
        ("flags", "left"),
    ):
        whole = column == "student" and max((len(line.student) for line in listed), default=0) <= 36  # names stay whole
        table.add_column(column, justify=justify, overflow="fold", no_wrap=whole)  # type: ignore[arg-type]
    for line in listed:
        outcomes = [outcome for outcome in line.outcomes.values() if outcome != Outcome.PASS]
        counted = ", ".join(f"{outcomes.count(outcome)} {outcome}" for outcome in dict.fromkeys(outcomes))
        flags = [*line.flags, *(["with manual grades"] if line.manual else [])]
        flags += ["needs a person"] if line.needs_person else []
        table.add_row(text(line.student), f"{line.score:g}/{line.max:g}", counted, text(", ".join(flags)))
    console.print(table)


def show_due(due: Sequence[Due]) -> None:
    """What a run would grade."""
    for each in due:
        words = f"{each.assignment}: {wording.counted(len(each.students), 'submission')} to grade"
        names = f" ({wording.listed(each.students, 20, '; ')})" if each.students else ""
        console.print(text(f"{words}{names}; {each.left} unchanged"), soft_wrap=True)
    console.print("Nothing was graded, and nothing written.", highlight=False)


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
        console.print(text(f"{message} {quote(str(folder.root))}", style="yellow"), soft_wrap=True)


def show_summary(assignment: str, report: Summary, page: Path | None) -> None:
    """The most of an assignment's summary, in a few lines; `page` is the whole of it, None where none was written."""
    table = Table(title=f"{assignment}, by exercise", title_justify="left")
    for column in ("exercise", "mean", "", "submissions by points"):
        table.add_column(column, no_wrap=column != "submissions by points")
    for row in report.rows:
        bar = "█" * round(10 * row.share)
        counts = ", ".join(f"{count} {kind}" for kind, count in row.counts.items() if count)
        table.add_row(f"{row.number} {row.name}", f"{row.mean:g}/{row.max:g}", f"{bar:░<10}", counts)
    console.print(table)
    if report.totals:
        of = wording.counted(len(report.totals), "submission")
        console.print(text(f"Median {report.median:g} of {report.max:g} points over {of}."))
    for diagnosis in report.diagnoses[:3]:
        console.print(text(f"Common mistake: {diagnosis.what} ({_students(diagnosis.students)})"), soft_wrap=True)
    for names, heading, style in (
        (report.waiting, "Waiting for a person", "bold yellow"),
        (report.late, "Late", ""),
        (report.missing, "Handed nothing in", ""),
        (report.ungraded, "Not graded yet", "yellow"),
    ):
        if names:
            console.print(text(f"{heading}: {wording.listed(names, 10, '; ')}", style), soft_wrap=True)
    console.print(text(f"The whole summary: {page}" if page else "Nothing was written."), soft_wrap=True)


def show_pushed(pushed: Pushed, platform: str, dry_run: bool) -> None:
    """What changes on a platform, student by student; who is held back or left out and why; and what was confirmed."""
    table = Table(title=f"{pushed.assignment} to {platform}: {plain(pushed.item.title)}", title_justify="left")
    for column, justify in (("student", "left"), ("there", "right"), ("here", "right"), ("page", "left"), ("", "left")):
        table.add_column(column, justify=justify, overflow="fold")  # type: ignore[arg-type]
    failed = {student for student, _ in pushed.failed}
    for change in pushed.changes:
        if change.kind == "send":
            before = "none" if change.before is None else f"{change.before:g}"
            tried = "not confirmed" if change.student in failed else "not sent"
            done = "" if dry_run else "confirmed" if change.student in pushed.sent else tried
            words = "; ".join(filter(None, [done, change.why]))
            table.add_row(text(change.student), before, f"{change.after:g}", "new" if change.page else "", text(words))
    if table.rows:
        console.print(table)
    for change in pushed.changes:
        if change.kind == "held":
            console.print(text(f"Left as it is: {change.student}: {change.why}", style="yellow"), soft_wrap=True)
        elif change.kind == "same" and change.why:
            console.print(text(f"{change.student}: {change.why}"), soft_wrap=True)
    for note in pushed.notes:
        console.print(text(note), soft_wrap=True)
    for student, why in pushed.left_out:
        console.print(text(f"Left out: {student}, {why}", style="yellow"), soft_wrap=True)
    for student, why in pushed.failed:
        console.print(text(f"Not confirmed: {student}: {why}", style="bold red"), soft_wrap=True)
    if pushed.stopped:
        words = f"Stopped, with {pushed.left} left: {pushed.stopped}"
        console.print(text(words, style="bold red"), soft_wrap=True)
    kinds = [change.kind for change in pushed.changes]
    counts = f"{kinds.count('same')} the same there already, {kinds.count('held')} left as they are"
    done = f"{kinds.count('send')} would be sent" if dry_run else f"{len(pushed.sent)} sent and confirmed"
    console.print(text(f"{done}, {counts}{' (nothing was sent)' if dry_run else ''}."), soft_wrap=True)


def show_similar(found: Similar, page: Path, dry_run: bool) -> None:
    """Whose answers are equal, and which students' answers share much."""
    for student, why in found.aside:
        console.print(text(f"Not compared: {student}, {why}", style="yellow"), soft_wrap=True)
    own = [group for group in found.groups if not group.known]
    for group in own[:LISTED]:
        words = f"Equal answers to {group.number} {group.name}: {wording.listed(group.students, 10, '; ')}"
        console.print(text(words), soft_wrap=True)
    if len(own) > LISTED:
        console.print(text(f"{wording.counted(len(own) - LISTED, 'more group')} of equal answers"))
    if known := len(found.groups) - len(own):
        more = f"{wording.counted(known, 'more group')} of answers equal to a right one that the course has"
        console.print(text(f"{more}: that says little."))
    for pair in found.pairs[:10]:
        numbers = ", ".join(each.number for each in pair.shared)
        console.print(text(f"Alike: {' and '.join(pair.students)}, in {numbers}"), soft_wrap=True)
    done = f"The page would be {page} (nothing was written)" if dry_run else f"Side by side: {page}"
    answers = f"{wording.counted(found.answers, 'answer')} of {wording.counted(found.submissions, 'submission')}"
    pairs = f"{wording.counted(len(found.pairs), 'pair')} of students with much in common"
    console.print(text(f"{answers}; {pairs}. {done}"), soft_wrap=True)


def _students(names: Sequence[str]) -> str:
    return wording.counted(len(names), "student")


# ---------------------------------------------------------------- verdicts


def _verdict(record: Any) -> Text:
    """A verdict in a few words."""
    if record is None:
        return text("not graded")
    diagnosis = f", {record.verdict.diagnosis}" if record.verdict.diagnosis else ""
    return text(f"{record.points:g}/{record.max:g} {record.verdict.outcome}{diagnosis}")


def show_archived(made: Archived, dry_run: bool) -> None:
    """What is in an archive, and what is not."""
    for left_out in made.left_out:
        console.print(text(f"Left out: {left_out}", style="yellow"), soft_wrap=True)
    done = "would go" if dry_run else "now"
    files = f"{wording.counted(made.files, 'file')} of {made.size / 1e6:.1f} MB"
    console.print(text(f"{files} {done} in {made.file}"), soft_wrap=True)
    if made.sha256:
        console.print(text(f"sha256 {made.sha256}"), soft_wrap=True)


def show_upgraded(folder: ClassFolder, upgraded: Upgraded, dry_run: bool) -> None:
    """What an upgrade changes, and how the class comes back as it was."""
    if not upgraded.changes:
        made = upgraded.before
        console.print(text(f"{folder.root} has layout {made.layout} already: nothing to do."), soft_wrap=True)
        return
    for change in upgraded.changes:
        console.print(text(change), soft_wrap=True)
    if dry_run:
        console.print("Nothing was written. An archive of the class would be written first.", highlight=False)
        return
    if upgraded.backup:
        console.print(text(f"Archived before, as it was: {upgraded.backup.file}"), soft_wrap=True)
    console.print(text("Submissions, grades and verdicts are compared: all as before."), soft_wrap=True)
    console.print(text(f"The way back: {upgraded.way_back}"), soft_wrap=True)


def show_forgotten(
    folder: ClassFolder, student: str, forgotten: Forgotten, archives: Sequence[str], dry_run: bool
) -> None:
    """What is taken away of a student's, and where a word of theirs still stands."""
    for path in forgotten.gone:
        console.print(text(f"Taken away: {path.relative_to(folder.root)}"), soft_wrap=True)
    for sentence in forgotten.changed:
        console.print(text(f"Changed: {sentence}"), soft_wrap=True)
    if forgotten.left:
        those = wording.listed([str(path) for path in forgotten.left], 20)
        console.print(text(f"Their name or address still stands in {those}: look", style="bold yellow"), soft_wrap=True)
    if archives:
        words = f"Archives made before still hold {student}: {wording.listed(list(archives), 20)}"
        console.print(text(words, style="bold yellow"), soft_wrap=True)
    done = "would be forgotten (nothing was taken away)" if dry_run else "is forgotten"
    console.print(text(f"{student} {done}."), soft_wrap=True)


def show_undone(undone: Undone, dry_run: bool) -> None:
    """What a run that is taken back changes."""
    for assignment, student, before, after in undone.changed[:LISTED]:
        now = "no grade" if after is None else f"{after:g} points"
        console.print(text(f"{assignment} {student}: {now} instead of {before:g}"), soft_wrap=True)
    for sentence in undone.stays:
        console.print(text(f"Stays as it is: {sentence}", style="yellow"), soft_wrap=True)
    done = "would be taken back (nothing was written)" if dry_run else "is taken back"
    of = f" of {undone.when}" if undone.when else ""
    those = _students([student for _, student, *_ in undone.changed])
    console.print(text(f"The run {undone.run}{of} {done}: the grades of {those}."), soft_wrap=True)


def show_points(changed: Repointed, dry_run: bool) -> None:
    """What new points change."""
    for exercise, before, after in changed.exercises:
        console.print(text(f"{exercise}: out of {after:g} instead of {before:g}"), soft_wrap=True)
    if changed.exercises:
        words = "Notebooks that are handed out, and those in archives/, go on saying the course's own points for these"
        console.print(text(f"{words}: tell your students.", style="bold yellow"), soft_wrap=True)
    for assignment, student, had, has in changed.changed[:LISTED]:
        console.print(text(f"{assignment} {student}: {has:g} points instead of {had:g}"), soft_wrap=True)
    done = " (nothing was written)" if dry_run else ""
    those = wording.counted(len(changed.changed), "submission")
    console.print(text(f"New points, before penalties: {those}{done}."), soft_wrap=True)


def show_extended(extended: Extended, dry_run: bool) -> None:
    """What an extension does."""
    who = f"{extended.student}, {extended.assignment}"
    if not extended.due:
        words = f"{who}: kept, but the assignment has no due date yet: `nbgrader db assignment add` gives it one"
    elif not extended.extra:
        words = f"{who}: no extension, due {extended.due}"
    else:
        words = f"{who}: due {extended.due_now} instead of {extended.due}"
    console.print(text(words + (" (nothing was written)" if dry_run else "")), soft_wrap=True)
    show_settled(extended.assignment, extended.settled)


def show_settled(assignment: str, settled: Settled) -> None:
    """What time did to an assignment's grades: penalties that are others now, and stamps that could not count."""
    for change in settled.changes[:LISTED]:
        net = [round(change.points - taken, 2) for taken in (change.before, change.after)]
        words = f"{assignment} {change.student}: {net[0]:g} points after the penalty for lateness are {net[1]:g} now"
        console.print(text(words), soft_wrap=True)
    if len(settled.changes) > LISTED:
        console.print(text(f"{assignment}: {len(settled.changes) - LISTED} more of these"))
    for student, why in settled.remarks[:LISTED]:
        console.print(text(f"{assignment}: {student}: {why}", style="yellow"), soft_wrap=True)
    if len(settled.remarks) > LISTED:
        console.print(text(f"{assignment}: {len(settled.remarks) - LISTED} more of these", style="yellow"))
    if settled.silent:
        those = f"{wording.counted(len(settled.silent), 'submission')} without a stamp, so on time"
        names = wording.listed(settled.silent, 3)
        console.print(text(f"{assignment}: {those} ({names})", style="yellow"), soft_wrap=True)


def show_changes(regraded: Regraded) -> None:
    """What changes where submissions are graded again."""
    if regraded.changes:
        title = f"Other verdicts: {len(regraded.changes)} of {regraded.exercises}"
        table = Table(title=title, title_justify="left")
        for column in ("assignment", "student", "exercise", "before", "now"):
            table.add_column(column, overflow="fold")
        for change in regraded.changes:
            before, after = (_verdict(record) for record in (change.before, change.after))
            table.add_row(change.after.assignment, text(change.after.student), change.after.exercise, before, after)
        console.print(table)
    those = f"{wording.counted(regraded.submissions, 'submission')} graded again"
    console.print(text(f"{those}; other points for {_students(list(regraded.students))}."))
    if nets := [net for net in regraded.nets if net.before != net.after]:
        table = Table(title="Points after penalties, with what people gave", title_justify="left")
        for column in ("assignment", "student", "before", "now"):
            table.add_column(column, overflow="fold")
        for net in nets:
            table.add_row(net.assignment, text(net.student), f"{net.before:g}", f"{net.after:g}")
        console.print(table)
    elif regraded.submissions:
        console.print("Nobody's points after penalties change.", highlight=False)
    if regraded.other_numbers:
        message = f"{regraded.other_numbers} of them faced other numbers than before: their key is not there any more."
        console.print(text(message, "yellow"), soft_wrap=True)


def show_trace(
    traced: Trace, words: Sequence[tuple[str, str]], by_hand: Mapping[str, str], history: Sequence[str]
) -> None:
    """Where a grade comes from: `words` as pairs (what, what is said of it), `by_hand` what a person did to each
    exercise, `history` a line for each run."""
    message = f"{traced.student}, {traced.assignment}: {traced.points:g} of {traced.max:g} points"
    console.print(text(message, style="bold"))
    for what, says in words:
        console.print(text(f"{what + ':':<11}{says}"), soft_wrap=True)
    table = Table()
    for column, justify in (("exercise", "left"), ("points", "right"), ("verdict", "left"), ("by a person", "left")):
        whole = column in ("exercise", "points")
        table.add_column(column, justify=justify, overflow="fold", no_wrap=whole)  # type: ignore[arg-type]
    for exercise, given in traced.given.items():
        record = traced.records.get(exercise)
        verdict = _verdict(record) if record else text("by stock nbgrader")
        number = f"{record.number} {exercise}" if record else exercise
        table.add_row(text(number), f"{given.points:g}/{given.max:g}", verdict, text(by_hand[exercise]))
    console.print(table)
    for line in history:
        console.print(text(line), soft_wrap=True)


def show_verdicts(graded: Graded, exercises: Sequence[Exercise]) -> None:
    """Everything that is said of one submission, case by case, and its points in all."""
    for said in filter(None, [graded.reason, *graded.notes, *graded.flags]):
        console.print(text(said), highlight=False)
    for exercise in exercises:
        verdict = graded.verdicts[exercise.name]
        points = verdict.points(exercise.points)
        head = f"{exercise.number} {exercise.name}: {points:g} of {exercise.points:g} ({verdict.outcome})"
        console.print(text(head, style="bold"), highlight=False)
        for line in [verdict.message] if verdict.message else []:
            console.print(text(f"  {line}"), highlight=False)
        for case in verdict.cases if verdict.outcome != Outcome.NOT_ANSWERED else ():
            why = "" if case.passed else f"\n      {case.message}"
            console.print(text(f"  {'ok' if case.passed else 'NO'}  {case.title}{why}"), highlight=False)
    total = sum(graded.verdicts[exercise.name].points(exercise.points) for exercise in exercises)
    out_of = sum(exercise.points for exercise in exercises)
    console.print(text(f"Total: {wording.points(total)} of {wording.points(out_of)} points", style="bold"))
