"""The instructor's command line: thin over the modules beside it, and over nbgrader where nbgrader does the work.

A class lives in one folder, `class/` of the repository unless `--class` says otherwise. Every command may be run again
at any time: it does only what is still to be done. Errors that an instructor can mend are one line that says how;
anything else is a traceback.
"""

from __future__ import annotations

import contextlib
import difflib
import errno
import os
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

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
from typer.core import TyperGroup

from autograde.folders import ClassFolder
from autograde.sandbox.launch import ahead
from autograde.text import spelt
from course.exercises import exercises, meant

ROOT = Path(__file__).resolve().parent.parent

# What a disk, or whoever set it up, refuses: no fault of the grader's, and an instructor can mend it.
_REFUSED = {
    errno.ENOSPC: "make room",
    errno.EDQUOT: "make room",
    errno.EROFS: "make that place writable, or name another",
    errno.EACCES: "see that you may read and write there",
    errno.EPERM: "see that you may read and write there",
    errno.EISDIR: "name a file",
    errno.ENOTDIR: "name a folder",
    errno.EEXIST: "put away what is there",
}


class _Commands(TyperGroup):
    def invoke(self, ctx: Any) -> Any:
        before = os.umask(0o077)  # no file of a library's, in no temporary folder either, is for others
        try:
            return super().invoke(ctx)
        except OSError as error:
            if error.errno not in _REFUSED:
                raise
            where = f"{error.filename}: " if error.filename else ""
            todo = f"{_REFUSED[error.errno]}, and give the command again"
            raise _stop(f"{where}{error.strerror}. To do: {todo}.") from None
        finally:
            os.umask(before)


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Hand out, grade and give feedback.",
)
console = Console()
STOPPED = 3  # the exit code where grading stopped before its end; book/instructors/term.md lists them all

ClassOption = Annotated[
    Path, typer.Option("--class", help="the class's folder", show_default="class/ of the repository")
]
Assignments = Annotated[
    list[str] | None, typer.Argument(help="assignments such as 02-bahdanau, or their numbers; all where none is named")
]
CLASS = ROOT / "class"


def _plain(value: object) -> str:
    """Text as a terminal may show it: what would turn the line round, move the cursor or be no text is spelt out."""
    return spelt(str(value))


def _text(value: object, style: str = "") -> Text:
    return Text(_plain(value), style=style)


def _stop(message: object, code: int = 1) -> typer.Exit:
    """Says what is wrong, in one line, where errors go."""
    Console(stderr=True).print(_text(f"autograde: {message}", style="bold red"), soft_wrap=True)
    return typer.Exit(code)


def _named(folder: ClassFolder, given: list[str] | None) -> list[str]:
    """The assignments meant by names or numbers."""
    released = folder.assignments()
    if not released:
        raise _stop(
            f"nothing is released in {folder.root}: run `autograde release` first, or say --class where the class is"
        )
    names = []
    for word in given or released:
        match = meant(word, released)
        if not match:
            raise _stop(f"no assignment {word!r}; there are {', '.join(released)}")
        names += match
    return names


def _which(file: Path, assignment: str | None) -> str:
    """The assignment that a file answers: as said, or else by the file's name or its folder's."""
    assignments = sorted({exercise.notebook for exercise in exercises()})
    words = [assignment] if assignment else [file.stem, file.resolve().parent.name]
    for word in words:
        if match := meant(word, assignments):
            return match[0]
    if assignment:
        raise _stop(f"no assignment {assignment!r}; there are {', '.join(assignments)}")
    raise _stop(f"which assignment is {file.name}? Say --assignment; there are {', '.join(assignments)}")


@app.command()
def doctor(
    where: Annotated[
        Path | None, typer.Option("--class", help="a class's folder: also whether it is ours, and who may read it")
    ] = None,
) -> None:
    """Say whether this machine can grade safely, and what to install where it cannot."""
    from autograde.gradebook import examination
    from autograde.intake.probe import probe_jail
    from autograde.sandbox import doctor

    status = doctor.report(probe_jail)
    if where is not None:
        status = examination.report(_there(where)) or status
    raise typer.Exit(status)


def _there(where: Path) -> ClassFolder:
    folder = ClassFolder.at(where)
    if not folder.root.is_dir():
        raise _stop(f"there is no class in {folder.root}: run `autograde release`, or say --class where the class is")
    return folder


@app.command()
def access(
    group: Annotated[
        str | None, typer.Option(help="share the class with this group: its members may read it and grade")
    ] = None,
    owner_only: Annotated[bool, typer.Option("--owner-only", help="share it with no group any more")] = False,
    where: ClassOption = CLASS,
) -> None:
    """Close the class to everybody but its owner, and the group that it is shared with."""
    from autograde import access as closing

    if group is not None and (owner_only or not group):
        raise _stop("say --group with a group's name, or --owner-only")
    folder = _there(where)
    try:
        changed = closing.close(folder, "" if owner_only else group)
    except ValueError as error:
        raise _stop(error) from None
    message = f"{folder.root} is for {closing.whose(folder)}: {changed} files and folders changed"
    console.print(_text(message), soft_wrap=True)


@app.command()
def release(
    notebooks: Annotated[
        list[str] | None, typer.Argument(help="numbers or names such as 02-bahdanau; all where none is named")
    ] = None,
    due: Annotated[
        list[str] | None,
        typer.Option(help="an assignment whose solutions may be handed out: they go into the archives"),
    ] = None,
    where: ClassOption = CLASS,
) -> None:
    """Make nbgrader's assignments and the archives to hand out from the committed notebooks."""
    from autograde.gradebook import release as releasing

    folder = ClassFolder.at(where)
    stems = {path.stem: path for path in sorted((ROOT / "notebooks").glob("[0-9][0-9]-*.ipynb"))}

    def named(words: list[str] | None) -> list[str]:
        chosen = []
        for word in words or []:
            match = meant(word, stems)
            if not match:
                raise _stop(f"no notebook {word!r}; there are {', '.join(stems)}")
            chosen += match
        return chosen

    chosen, over = named(notebooks) or list(stems), named(due)
    try:
        done = releasing.release(folder, [stems[stem] for stem in chosen], over)
    except RuntimeError as error:
        raise _stop(error) from None
    for name, fresh in done:
        console.print(_text(f"{name}: {'released' if fresh else 'unchanged'}"))
    console.print(_text(f"To hand out: {folder.archives}/"), soft_wrap=True)


@app.command()
def sample(assignments: Assignments = None, where: ClassOption = CLASS) -> None:
    """Fill class/submissions/ with a made-up class: right, partly right, wrong, broken and hostile submissions."""
    from autograde.bank import sample as sampling

    folder = ClassFolder.at(where)
    made = {name: sampling.sample(folder, name) for name in _named(folder, assignments)}
    sampling.write_expected(folder, made)
    for name, submissions in made.items():
        console.print(_text(f"{name}: {len(submissions)} submissions"))


Jobs = Annotated[int, typer.Option("--jobs", "-j", min=1, help="worker processes on this machine; one core each")]
Scheduler = Annotated[str, typer.Option(help="a Dask scheduler's address (tcp://10.0.0.5:8786): its workers grade")]
Students = Annotated[list[str] | None, typer.Option("--student", help="only this student (may be said more than once)")]


@app.command()
def collect(
    source: Annotated[Path, typer.Argument(help="a zip, tar or tar.gz archive, a folder, or one notebook")],
    assignment: Annotated[
        str | None, typer.Option(help="which assignment it holds, by name or number, where its names do not say")
    ] = None,
    platform: Annotated[
        str,
        typer.Option(
            help="who gave the names: moodle, canvas, blackboard or gradescope if you downloaded it; folders: you did"
        ),
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what would be done, and do nothing")] = False,
    where: ClassOption = CLASS,
) -> None:
    """Put what came back from students into submissions/: each file to its student and assignment."""
    from autograde.intake import collect as collecting
    from autograde.intake.whose import PLATFORMS
    from autograde.ledger import LedgerBusy

    if platform and platform not in PLATFORMS:
        raise _stop(f"no platform {platform!r}; there are {', '.join(PLATFORMS)}")

    folder = ClassFolder.at(where)
    names = _named(folder, [assignment] if assignment else None)
    try:
        done = collecting.collect(folder, source, names[0] if assignment else "", platform=platform, dry_run=dry_run)
    except (collecting.BadSource, LedgerBusy) as error:
        raise _stop(error) from None
    for item in done.items:
        if dry_run or item.notes:
            message = f"{item.student}/{item.assignment}: {item.action}, from {', '.join(item.files)}"
            console.print(_text("; ".join([message, *item.notes])), soft_wrap=True)
    for name, why in done.aside:
        console.print(_text(f"Left aside: {name}: {why}", style="yellow"), soft_wrap=True)
    if done.late:
        message = f"Late, as the source says without saying when: {', '.join(done.late)}"
        console.print(_text(message, style="bold yellow"), soft_wrap=True)
    for name in sorted({item.assignment for item in done.items}):
        kinds = [item.action for item in done.items if item.assignment == name]
        counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(sorted(kinds)))
        console.print(_text(f"{name}: {counts}{' (nothing was written)' if dry_run else ''}"))
    if not done.items:
        raise _stop(f"no submission was found in {source}; {len(done.aside)} files left aside")


@app.command()
def grade(
    assignments: Assignments = None,
    again: Annotated[bool, typer.Option("--again", help="also what is graded already and unchanged")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="go on with the run that was interrupted")] = False,
    student: Students = None,
    jobs: Jobs = 1,
    scheduler: Scheduler = "",
    where: ClassOption = CLASS,
) -> None:
    """Grade what was handed in: in the sandbox, into the ledger, into nbgrader's gradebook."""
    folder = ClassFolder.at(where)
    names = _named(folder, assignments)
    if resume and (assignments or student or again):
        raise _stop("--resume goes on with all that the interrupted run was asked for: say nothing else with it")
    with ahead(jobs == 1 and not scheduler) as launched, _mended(again), _Shown() as bar:
        from autograde.grading import run as grading  # while the sandbox warms up

        summary = grading.grade(
            folder,
            names if not resume else (),
            again=again,
            resume=resume,
            students=student or (),
            jobs=jobs,
            scheduler=scheduler,
            ahead=launched,
            progress=bar.update,
        )
    from autograde import plan

    with _mended():
        _summarise(summary, folder)
    if plan.unfinished(folder.ledger):
        console.print(_text("An earlier run is still unfinished: --resume goes on with it.", style="bold yellow"))
    if summary.refused:
        students = ", ".join(f"{student} ({name})" for name, student in summary.refused)
        raise _stop(f"nbgrader did not take {students}: their verdicts are in {folder.ledger}, not in the gradebook")
    if failed := [f"{line.student} ({line.assignment})" for line in summary.lines if line.failed]:
        raise _failed(failed)


@app.command()
def regrade(
    assignments: Assignments = None,
    diff: Annotated[bool, typer.Option("--diff", help="only show what would change: so it is unless --write")] = False,
    write: Annotated[bool, typer.Option("--write", help="and take it over into the ledger and the gradebook")] = False,
    student: Students = None,
    jobs: Jobs = 1,
    scheduler: Scheduler = "",
    where: ClassOption = CLASS,
) -> None:
    """Grade again what is graded, with the release and the grader as they are now, and show what would change."""
    if diff and write:
        raise _stop("--diff only shows and --write takes over: say one of them")
    folder = ClassFolder.at(where)
    names = _named(folder, assignments)
    with ahead(jobs == 1 and not scheduler) as launched, _mended(), _Shown() as bar:
        from autograde.grading import regrade as regrading  # while the sandbox warms up

        regraded = regrading.regrade(
            folder,
            names,
            write=write,
            students=student or (),
            jobs=jobs,
            scheduler=scheduler,
            ahead=launched,
            progress=bar.update,
        )
    if regraded.changes:
        table = Table(title=f"{len(regraded.changes)} of {regraded.exercises} verdicts change", title_justify="left")
        for column in ("assignment", "student", "exercise", "before", "now"):
            table.add_column(column, overflow="fold")
        for change in regraded.changes:
            before, after = (_verdict(record) for record in (change.before, change.after))
            table.add_row(change.after.assignment, _text(change.after.student), change.after.exercise, before, after)
        console.print(table)
    console.print(
        _text(f"{regraded.submissions} submissions graded again: {len(regraded.students)} students' points change.")
    )
    if regraded.other_numbers:
        message = f"{regraded.other_numbers} of them faced other numbers than before: their key is not there any more."
        console.print(_text(message, "yellow"), soft_wrap=True)
    if regraded.refused:
        raise _stop(f"nbgrader did not take {', '.join(regraded.refused)}: their verdicts are in {folder.ledger}")
    if not regraded.submissions:
        console.print("Nothing is graded yet: `autograde grade` comes first.", highlight=False)
    elif not write:
        console.print("Nothing was written; --write takes it over.", highlight=False)
    if regraded.failed:
        raise _failed(regraded.failed)


def _failed(names: Sequence[str]) -> typer.Exit:
    """Says at whom the grader failed, for reasons of its own."""
    students = ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
    return _stop(
        f"the grader itself failed at {students}: that cost nobody a point, and the next `autograde grade` tries "
        "again. `autograde trace` says what went wrong."
    )


def _verdict(record: Any) -> Text:
    """A verdict in a few words."""
    if record is None:
        return _text("not graded")
    diagnosis = f", {record.verdict.diagnosis}" if record.verdict.diagnosis else ""
    return _text(f"{record.points:g}/{record.max:g} {record.verdict.outcome}{diagnosis}")


@contextlib.contextmanager
def _mended(again: bool = False) -> Iterator[None]:
    """Errors of a run that an instructor can mend, in one line."""
    from autograde.gradebook.store import GradebookError
    from autograde.grading import isolation
    from autograde.grading.executor import EngineError
    from autograde.ledger import LedgerBusy
    from autograde.sandbox import doctor
    from autograde.sandbox.pool import SandboxError

    try:
        yield
    except (isolation.Stopped, EngineError) as error:
        raise _stop(error, STOPPED) from None
    except (doctor.NotReady, GradebookError, LedgerBusy, SandboxError, ValueError) as error:
        raise _stop(error) from None
    except KeyboardInterrupt:
        more = " (or say --again once more: it starts over)" if again else ""
        raise _stop(f"interrupted. What was graded is in the ledger; --resume goes on{more}.", 130) from None


class _Shown:
    """Progress: a bar in a terminal, a line for each submission that is graded elsewhere; what failed, as it happens;
    and how long it will still take."""

    def __enter__(self) -> _Shown:
        self.bar = None
        if console.is_terminal:
            columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
            left = TextColumn("left:"), TimeRemainingColumn(elapsed_when_finished=True)
            self.bar = Progress(*columns, *left, console=console, speed_estimate_period=120)
            self.bar.start()
        self.tasks: dict[str, TaskID] = {}
        self.began: dict[str, float] = {}
        self.fresh: dict[str, int] = {}
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()

    def update(self, assignment: str, done: int, of: int, line) -> None:
        began = self.began.setdefault(assignment, time.monotonic())
        failed = line is not None and line.fresh and bool(line.needs_person or line.flags)
        self.fresh[assignment] = self.fresh.get(assignment, 0) + bool(line is not None and line.fresh)
        if self.bar is not None:
            if assignment not in self.tasks:
                self.tasks[assignment] = self.bar.add_task(assignment, total=of)
            if failed:
                message = ", ".join([*line.flags, *(["needs a person"] if line.needs_person else [])])
                console.print(_text(f"{assignment} {line.student}: {message}", style="yellow"))
            self.bar.update(self.tasks[assignment], completed=done)
        elif line is not None and line.fresh:  # what is unchanged is counted at the end
            message = f"{line.score:g} of {line.max:g}, {line.seconds:.2f} s"
            message += "".join(f", {flag}" for flag in line.flags) + (", needs a person" if line.needs_person else "")
            left = (time.monotonic() - began) / done * (of - done)
            measured = self.fresh[assignment] >= 5  # the first ones pay for the start, and the rest may be unchanged
            message += f" (about {left / 60:.0f} min left)" if measured and left > 90 else ""
            print(_plain(f"[{done}/{of}] {assignment} {line.student}: {message}"), flush=True)


def _summarise(summary, folder: ClassFolder) -> None:
    """A table of the submissions, and a line of what a person should look at."""
    from course.checks.engine import Outcome

    if summary.unrecognised:
        listed, more = summary.unrecognised[:20], len(summary.unrecognised) - 20
        names = ", ".join(listed) + (f" and {more} more" if more > 0 else "")
        console.print(
            _text(f"Not recognised in {folder.submitted}/ (no student/assignment): {names}", style="bold yellow"),
            soft_wrap=True,
        )
    if not summary.lines:
        console.print(_text(f"No submissions in {folder.submitted}/."), soft_wrap=True)
        return
    by_name: dict[str, list] = {}
    for line in summary.lines:
        by_name.setdefault(line.assignment, []).append(line)
    for name, lines in by_name.items():
        unusual = [line for line in lines if line.flags or line.manual or line.needs_person]
        listed = lines if len(lines) <= _LISTED else unusual[:_LISTED]
        title = f"{name}: {len(lines)} submissions"
        title += f", {len(unusual)} of them unusual" if listed is not lines else ""
        table = Table(title=title, title_justify="left")
        for column, justify in (
            ("student", "left"),
            ("points", "right"),
            ("verdicts other than pass", "left"),
            ("flags", "left"),
        ):
            whole = (
                column == "student" and max((len(line.student) for line in listed), default=0) <= 36
            )  # names stay whole
            table.add_column(column, justify=justify, overflow="fold", no_wrap=whole)  # type: ignore[arg-type]
        for line in listed:
            outcomes = [outcome for outcome in line.outcomes.values() if outcome != Outcome.PASS]
            counted = ", ".join(f"{outcomes.count(outcome)} {outcome}" for outcome in dict.fromkeys(outcomes))
            flags = [*line.flags, *(["with manual grades"] if line.manual else [])]
            flags += ["needs a person"] if line.needs_person else []
            table.add_row(_text(line.student), f"{line.score:g}/{line.max:g}", counted, _text(", ".join(flags)))
        console.print(table)
        _in_short(folder, name)
    fresh = [line for line in summary.lines if line.fresh]
    seconds = f", {sum(line.seconds for line in fresh) / len(fresh):.2f} s each" if fresh else ""
    console.print(_text(f"{len(fresh)} graded now{seconds}; {len(summary.lines) - len(fresh)} unchanged."))
    from autograde.gradebook.store import address

    console.print(_text(f"Verdicts in {folder.ledger}/, grades in {address(folder)}"), soft_wrap=True)


_LISTED = (
    40  # submissions of an assignment that a terminal can usefully show; the page and the table of grades have all
)


def _in_short(folder: ClassFolder, assignment: str) -> None:
    """Makes the summary's page again, and says the most of it in a few lines."""
    from autograde.reports import summary as summing

    report, target = summing.write(folder, assignment)
    table = Table(title=f"{assignment}, by exercise", title_justify="left")
    for column in ("exercise", "mean", "", "submissions by points"):
        table.add_column(column, no_wrap=column != "submissions by points")
    for row in report.rows:
        bar = "█" * round(10 * row.share)
        counts = ", ".join(f"{count} {kind}" for kind, count in row.counts.items() if count)
        table.add_row(f"{row.number} {row.name}", f"{row.mean:g}/{row.max:g}", f"{bar:░<10}", counts)
    console.print(table)
    if report.totals:
        console.print(
            _text(f"Median {report.median:g} of {report.max:g} points over {len(report.totals)} submissions.")
        )
    for diagnosis in report.diagnoses[:3]:
        console.print(_text(f"Common: {diagnosis.number}, {diagnosis.name} ({_students(diagnosis.students)})"))
    for names, heading, style in (
        (report.waiting, "Waiting for a person", "bold yellow"),
        (report.late, "Late", ""),
        (report.missing, "Handed nothing in", ""),
        (report.ungraded, "Not graded yet", "yellow"),
    ):
        if names:
            more = f" and {len(names) - 10} more" if len(names) > 10 else ""
            console.print(_text(f"{heading}: {'; '.join(names[:10])}{more}", style), soft_wrap=True)
    console.print(_text(f"The whole summary: {target}"), soft_wrap=True)


def _students(names: Sequence[str]) -> str:
    return "1 student" if len(names) == 1 else f"{len(names)} students"


@app.command()
def summary(assignments: Assignments = None, where: ClassOption = CLASS) -> None:
    """Say how an assignment went, from the gradebook as it stands: in short here, whole in class/summary/."""
    folder = ClassFolder.at(where)
    names = _named(folder, assignments)
    with _mended():
        for name in names:
            _in_short(folder, name)


def _untraced(folder: ClassFolder, student: str, assignment: str) -> str:
    """Why there is nothing to trace, and what to do."""
    message = f"no submission of {student} to {assignment} is in the gradebook"
    handed_in = [name for name, _ in folder.submissions(assignment)]
    if student in handed_in:
        return f"{message}; `autograde grade` enters it"
    folded = {name.casefold(): name for name in handed_in}
    if near := difflib.get_close_matches(student.casefold(), folded, 3, 0.7):
        return (
            f"{message}, nor is there one in submissions/; did you mean {' or '.join(folded[name] for name in near)}?"
        )
    return f"{message}, nor is there one in submissions/"


@app.command()
def trace(
    student: Annotated[
        str, typer.Argument(help="the student's name, as in the gradebook; one that begins with - goes after --")
    ],
    assignment: Annotated[str, typer.Argument(help="the assignment, by name or number")],
    where: ClassOption = CLASS,
) -> None:
    """Say where a grade comes from: the file, the run, its key and versions, and what a person changed."""
    from autograde.reports import trace as tracing

    folder = ClassFolder.at(where)
    (name,) = _named(folder, [assignment])
    with _mended():
        traced = tracing.traces(folder, name, [student]).get(student)
        if traced is None:
            raise ValueError(_untraced(folder, student, name))
        lines = tracing.in_words(folder, traced)
    console.print(_text(f"{student}, {name}: {traced.points:g} of {traced.max:g} points", style="bold"))
    for what, says in lines:
        console.print(_text(f"{what + ':':<11}{says}"), soft_wrap=True)
    table = Table()
    for column, justify in (("exercise", "left"), ("points", "right"), ("verdict", "left"), ("by a person", "left")):
        whole = column in ("exercise", "points")
        table.add_column(column, justify=justify, overflow="fold", no_wrap=whole)  # type: ignore[arg-type]
    for exercise, given in traced.given.items():
        record = traced.records.get(exercise)
        verdict = _verdict(record) if record else _text("by stock nbgrader")
        by_hand = tracing.by_hand(traced, exercise)
        number = f"{record.number} {exercise}" if record else exercise
        table.add_row(_text(number), f"{given.points:g}/{given.max:g}", verdict, _text(by_hand))
    console.print(table)
    for line in tracing.history(folder, student, name):
        console.print(_text(line), soft_wrap=True)
    if traced.records:
        again = f"autograde regrade {name} --student {shlex.quote(student)} --diff"
        again += f" --class {shlex.quote(str(where))}" if where != CLASS else ""
        console.print(_text(f"To see it judged again on the same numbers: {again}"), soft_wrap=True)


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="a notebook, or a folder that holds one")],
    assignment: Annotated[
        str | None, typer.Option(help="which assignment it is, by name or number, where the file's name does not say")
    ] = None,
) -> None:
    """Grade one file in the sandbox and show its verdicts; nothing is written."""
    if not file.exists():
        raise _stop(f"{file} does not exist")
    name = _which(file, assignment)
    with ahead() as launched:
        from autograde.grading import isolation, judge  # while the sandbox warms up
        from autograde.grading import run as grading
        from autograde.sandbox import doctor
        from course.checks.engine import Outcome

        try:
            graded, exercises = grading.check(file, name, launched), judge.of_assignment(name)
        except isolation.Stopped as error:
            raise _stop(error, STOPPED) from None
        except (doctor.NotReady, ValueError, FileNotFoundError) as error:
            raise _stop(error) from None
    for text in filter(None, [graded.reason, *graded.notes, *graded.flags]):
        console.print(_text(text), highlight=False)
    for exercise in exercises:
        verdict = graded.verdicts[exercise.name]
        points = verdict.points(exercise.points)
        head = f"{exercise.number} {exercise.name}: {points:g} of {exercise.points:g} ({verdict.outcome})"
        console.print(_text(head, style="bold"), highlight=False)
        for line in [verdict.message] if verdict.message else []:
            console.print(_text(f"  {line}"), highlight=False)
        for case in verdict.cases if verdict.outcome != Outcome.NOT_ANSWERED else ():
            why = "" if case.passed else f"\n      {case.message}"
            console.print(_text(f"  {'ok' if case.passed else 'NO'}  {case.title}{why}"), highlight=False)
    whys = [verdict.internal for verdict in graded.verdicts.values() if verdict.internal]
    if whys or graded.needs_person:
        raise _stop(f"the grader itself failed, and what it failed at is no verdict: {(whys or graded.details)[-1]}")


@app.command()
def feedback(assignments: Assignments = None, where: ClassOption = CLASS) -> None:
    """Write a page for each student and assignment: what was wrong, why, and one next step."""
    from autograde.reports import feedback as giving

    folder = ClassFolder.at(where)
    for name in _named(folder, assignments):
        try:
            print(f"{name}: {giving.feedback(folder, name)} pages", flush=True)
        except RuntimeError as error:
            raise _stop(error) from None
    console.print(_text(f"Feedback in {folder.feedback}/"), soft_wrap=True)


@app.command()
def export(
    assignments: Assignments = None,
    to: Annotated[
        Path | None, typer.Option(help="the file to write (- for the output); class/grades.csv unless said")
    ] = None,
    where: ClassOption = CLASS,
) -> None:
    """Write the grades as CSV, one row for each student and assignment."""
    from autograde.reports import export as exporting
    from autograde.reports.output import is_output

    folder = ClassFolder.at(where)
    names = _named(folder, assignments)
    with _mended():
        try:
            target, count = exporting.export(folder, to, names if assignments else ())
        except OSError as error:
            if to is None or error.errno in _REFUSED:
                raise
            raise _stop(f"{to}: {error.strerror}. To do: name another file.") from None
    if is_output(target):
        Console(stderr=True).print(_text(f"{count} rows"), soft_wrap=True)
    else:
        console.print(_text(f"{count} rows in {target}"), soft_wrap=True)


def main() -> None:
    sys.exit(app())
