"""The instructor's command line: thin over the modules beside it, and over nbgrader where nbgrader does the work.

A class lives in one folder, `class/` of the repository unless `--class` says otherwise. Every command may be run again
at any time: it does only what is still to be done. Errors that an instructor can mend are one line that says how;
anything else is a traceback. How things look in a terminal is `terminal`'s.
"""

from __future__ import annotations

import contextlib
import difflib
import errno
import os
import re
import shlex
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperGroup

from autograde import terminal
from autograde.folders import ClassFolder
from autograde.sandbox.launch import ahead
from autograde.terminal import console, stop, text
from course.exercises import SPINE, exercises, meant
from course.wording import counted

if TYPE_CHECKING:
    from autograde.grading.run import Line, Summary
    from autograde.reports.grade_import import Table
    from autograde.reports.push.send import Push

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
            raise stop(f"{where}{error.strerror}. To do: {todo}.") from None
        finally:
            os.umask(before)


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Hand out, grade and give feedback.",
)
STOPPED = 3  # the exit code where grading stopped before its end; book/instructors/term.md lists them all

ClassOption = Annotated[
    Path, typer.Option("--class", help="the class's folder", show_default="class/ of the repository")
]
Assignments = Annotated[
    list[str] | None, typer.Argument(help="assignments such as 02-bahdanau, or their numbers; all where none is named")
]
Jobs = Annotated[int, typer.Option("--jobs", "-j", min=1, help="worker processes on this machine; one core each")]
Scheduler = Annotated[str, typer.Option(help="a Dask scheduler's address (tcp://10.0.0.5:8786): its workers grade")]
Students = Annotated[list[str] | None, typer.Option("--student", help="only this student (may be said more than once)")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="say what would be written, and write nothing")]
CLASS = ROOT / "class"


def _there(where: Path, any_layout: bool = False) -> ClassFolder:
    """The folder of a class that there is."""
    folder = ClassFolder.at(where)
    if not folder.root.is_dir():
        raise stop(f"there is no class in {folder.root}: run `autograde release`, or say --class where the class is")
    if not any_layout:
        _readable(folder)
    return folder


def _readable(folder: ClassFolder) -> None:
    """Stops where another version of the course made the class, with what to type."""
    from autograde import layout

    try:
        layout.require(folder)
    except layout.OtherLayout as error:
        raise stop(error) from None


def _named(folder: ClassFolder, given: list[str] | None) -> list[str]:
    """The assignments meant by names or numbers."""
    _readable(folder)
    released = folder.assignments()
    if not released:
        raise stop(
            f"nothing is released in {folder.root}: run `autograde release` first, or say --class where the class is"
        )
    names = []
    for word in given or released:
        match = meant(word, released)
        if not match:
            raise stop(f"no assignment {word!r}; there are {', '.join(released)}")
        names += match
    return names


def _which(file: Path, assignment: str | None) -> str:
    """The assignment that a file answers: as said; else by the graded cells in it; else by the file's name or its
    folder's."""
    assignments = sorted({exercise.notebook for exercise in exercises()})
    if assignment:
        if match := meant(assignment, assignments):
            return match[0]
        raise stop(f"no assignment {assignment!r}; there are {', '.join(assignments)}")
    held = _held(file)
    for word in [*held, file.stem, file.resolve().parent.name]:
        if match := meant(word, assignments):
            return match[0]
    raise stop(f"which assignment is {file.name}? Say --assignment; there are {', '.join(assignments)}")


def _held(file: Path) -> list[str]:
    """The assignment that most of a file's graded cells belong to, found in its text, which may be damaged; none where
    no cell is known. Of a folder: of the notebooks in it."""
    of = {exercise.name: exercise.notebook for exercise in exercises()}
    texts = [path.read_text("utf-8", errors="replace") for path in ([file] if file.is_file() else file.glob("*.ipynb"))]
    names = re.findall(r'"grade_id"\s*:\s*"(\w+)-(?:answer|check)"', "\n".join(texts))
    counted = Counter(of[name] for name in names if name in of)
    return [notebook for notebook, _ in counted.most_common(1)]


_NOTHING = "Nothing was written: give the command again"
_GRADED = "What was graded is in the ledger; --resume goes on"


@contextlib.contextmanager
def _mended(interrupted: str = "The same command once more does what is still to be done") -> Iterator[None]:
    """Errors of a run that an instructor can mend, in one line; one that is interrupted says what then."""
    from autograde.gradebook.store import GradebookError
    from autograde.grading import isolation
    from autograde.grading.executor import EngineError
    from autograde.ledger import LedgerBusy
    from autograde.sandbox import doctor
    from autograde.sandbox.pool import SandboxError

    try:
        yield
    except (isolation.Stopped, EngineError) as error:
        raise stop(error, STOPPED) from None
    except (doctor.NotReady, GradebookError, LedgerBusy, SandboxError, ValueError) as error:
        raise stop(error) from None
    except KeyboardInterrupt:
        raise stop(f"interrupted. {interrupted}.", 130) from None


@app.command()
def doctor(
    where: Annotated[
        Path | None, typer.Option("--class", help="a class's folder: also whether it is ours, and who may read it")
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="also grade a made-up class, then run the tests' attacks and broken files")
    ] = False,
) -> None:
    """Say whether this machine can grade safely, and what to install where it cannot."""
    from autograde.gradebook import examination
    from autograde.intake.probe import probe_jail
    from autograde.sandbox import doctor

    status = doctor.report(probe_jail)
    if where is not None:
        status = examination.report(_there(where, any_layout=True)) or status
    if full and not status:
        status = _tried()
    raise typer.Exit(status)


def _tried() -> int:
    """Submissions whose points are known, through the grader as it is installed here; the exit status."""
    from autograde.reports import trial as trying

    console.print(f"\nA made-up class of {trying.ASSIGNMENT}:", highlight=False)
    with _mended(), terminal.Steps() as steps:
        tried = trying.trial(steps.update)
    terminal.show_tried(tried)
    console.print("\nThe tests' attacks and broken files (many minutes):", highlight=False)
    ended = trying.corpora()
    terminal.show_how_much_was_tried(tried, ended)
    return int(bool(tried.amiss or ended))


@app.command()
def access(
    group: Annotated[
        str | None, typer.Option(help="share the class with this group: its members may read it and grade")
    ] = None,
    owner_only: Annotated[bool, typer.Option("--owner-only", help="share it with no group any more")] = False,
    dry_run: DryRun = False,
    where: ClassOption = CLASS,
) -> None:
    """Close the class to everybody but its owner, and the group that it is shared with."""
    from autograde import access as closing

    if group is not None and (owner_only or not group):
        raise stop("say --group with a group's name, or --owner-only")
    folder = _there(where, any_layout=True)
    try:
        changed = closing.close(folder, "" if owner_only else group, write=not dry_run)
    except ValueError as error:
        raise stop(error) from None
    message = f"{folder.root} is for {closing.whose(folder)}; files and folders changed: {changed}"
    if dry_run:
        message = f"{folder.root} is for {closing.whose(folder)} now; files and folders that would change: {changed}"
    console.print(text(message), soft_wrap=True)


@app.command()
def release(
    notebooks: Annotated[
        list[str] | None,
        typer.Argument(help="numbers or names such as 02-bahdanau; spine for the short way; all where none is named"),
    ] = None,
    due: Annotated[
        list[str] | None,
        typer.Option(help="an assignment whose solutions may be handed out: they go into the archives"),
    ] = None,
    earlier: Annotated[
        str,
        typer.Option(
            help="of what an assignment takes from earlier ones: references, they come along; due, only those of"
            " assignments that are due, and without them nothing is released; own, students bring what they wrote"
        ),
    ] = "references",
    to: Annotated[
        Path | None, typer.Option(help="also write the assignments as folders into this one, to be published")
    ] = None,
    repository: Annotated[
        str, typer.Option(help="where that folder will be published (https://github.com/OWNER/NAME): links are printed")
    ] = "",
    branch: Annotated[str, typer.Option(help="the branch of the repository")] = "main",
    hub: Annotated[
        str, typer.Option(help="a JupyterHub with nbgitpuller (https://hub.example.org): its links too")
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what would be handed out, and write nothing")] = False,
    where: ClassOption = CLASS,
) -> None:
    """Make nbgrader's assignments and the archives to hand out from the committed notebooks."""
    from autograde.gradebook import earlier as owed
    from autograde.gradebook import hand_out
    from autograde.gradebook import release as releasing
    from autograde.wheel import wheel

    folder = ClassFolder.at(where)
    _readable(folder)
    stems = {path.stem: path for path in sorted((ROOT / "notebooks").glob("[0-9][0-9]-*.ipynb"))}

    def named(words: list[str] | None) -> list[str]:
        chosen: list[str] = []
        for word in words or []:
            match = list(SPINE) if word == "spine" else meant(word, stems)
            if not match:
                raise stop(f"no notebook {word!r}; there are {', '.join(stems)}")
            chosen += match
        return list(dict.fromkeys(chosen))

    if earlier not in owed.POLICIES:
        raise stop(f"--earlier is one of {', '.join(owed.POLICIES)}, and not {earlier!r}")
    if (repository or hub) and to is None:
        raise stop("--repository and --hub go with --to: say which folder will be published")
    if hub and not repository:
        raise stop("--hub goes with --repository: say where the hub gets the folder from")
    paths, over = [stems[stem] for stem in named(notebooks) or list(stems)], named(due)
    try:
        published = hand_out.Repository.at(repository, branch) if repository else None
        plain = wheel()
        with terminal.Steps() as steps:
            given = []
            for count, path in enumerate(paths):
                steps.update("assignments", count, len(paths))
                given.append(hand_out.hand_out(path, over, earlier, plain, published))
            done = [] if dry_run else releasing.release(folder, paths, over, earlier)
        put = hand_out.put(to, given) if to is not None and not dry_run else []
    except (RuntimeError, ValueError) as error:
        raise stop(error) from None
    terminal.show_handed_out(given, done, put, dry_run)
    for name, links in [(each.name, published.links(each.name, hub)) for each in given] if published else []:
        for what, address in links.items():
            console.print(text(f"{name}, {what}: {address}"), soft_wrap=True)
    if not dry_run:
        console.print(text(f"To hand out: {folder.archives}/{f' and {to}/' if to else ''}"), soft_wrap=True)


@app.command()
def sample(assignments: Assignments = None, where: ClassOption = CLASS) -> None:
    """Fill class/submissions/ with a made-up class: right, partly right, wrong, broken and hostile submissions."""
    from autograde.bank import sample as sampling

    folder = ClassFolder.at(where)
    names, made = _named(folder, assignments), {}
    with terminal.Steps() as steps:
        for count, name in enumerate(names):
            steps.update("assignments", count, len(names))
            made[name] = sampling.sample(folder, name)
    sampling.write_expected(folder, made)
    for name, submissions in made.items():
        console.print(text(f"{name}: {counted(len(submissions), 'submission')}"))


@app.command()
def collect(
    source: Annotated[Path, typer.Argument(help="a zip, tar or tar.gz archive, a folder, or one notebook")],
    assignment: Annotated[
        str | None, typer.Option(help="which assignment it holds, by name or number, where its names do not say")
    ] = None,
    platform: Annotated[
        str,
        typer.Option(
            help="who gave the names: moodle, canvas, blackboard, gradescope or brightspace if you downloaded it there;"
            " folders: you did"
        ),
    ] = "",
    roster: Annotated[
        Path | None,
        typer.Option(
            help="who is who: Canvas's gradebook, Moodle's grading worksheet, Gradescope's roster, Brightspace's"
            " grades, or a CSV with id, name and email; the class keeps it"
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what would be done, and do nothing")] = False,
    where: ClassOption = CLASS,
) -> None:
    """Put what came back from students into submissions/: each file to its student and assignment."""
    from autograde.intake import collect as collecting
    from autograde.intake.roster import BadRoster
    from autograde.intake.whose import PLATFORMS
    from autograde.ledger import LedgerBusy

    if platform and platform not in PLATFORMS:
        raise stop(f"no platform {platform!r}; there are {', '.join(PLATFORMS)}")

    folder = ClassFolder.at(where)
    names = _named(folder, [assignment] if assignment else None)
    if roster is not None and not roster.is_file():
        raise stop(f"{roster} is no file: name the roster that you downloaded")
    try:
        which = names[0] if assignment else ""
        with terminal.Steps() as steps:
            done = collecting.collect(
                folder, source, which, platform=platform, roster=roster, dry_run=dry_run, progress=steps.update
            )
    except (collecting.BadSource, BadRoster, LedgerBusy) as error:
        raise stop(error) from None
    terminal.show_collected(done, dry_run)
    if not done.items:
        raise stop(f"no submission was found in {source}; left aside: {counted(len(done.aside), 'file')}")


@app.command()
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
    where: ClassOption = CLASS,
) -> None:
    """Grade what was handed in: in the sandbox, into the ledger, into nbgrader's gradebook."""
    folder = ClassFolder.at(where)
    names = _named(folder, assignments)
    if resume and (assignments or student or again or outdated):
        raise stop("--resume goes on with all that the interrupted run was asked for: say nothing else with it")
    if dry_run:
        from autograde.grading import run as grading

        with _mended(), terminal.Steps() as steps:
            due = grading.due(
                folder,
                names if not resume else (),
                again=again,
                outdated=outdated,
                resume=resume,
                students=student or (),
                steps=steps.update,
            )
        terminal.show_due(due)
        return
    interrupted = _GRADED + (" (or say --again once more: it starts over)" if again else "")
    with ahead(jobs == 1 and not scheduler) as launched, _mended(interrupted), terminal.RunProgress() as bar:
        from autograde.grading import run as grading  # while the sandbox warms up

        summary = grading.grade(
            folder,
            names if not resume else (),
            again=again,
            outdated=outdated,
            resume=resume,
            students=student or (),
            jobs=jobs,
            scheduler=scheduler,
            ahead=launched,
            progress=bar.submission,
            steps=bar.update,
        )
    from autograde import plan

    with _mended():
        _summarise(summary, folder)
    if plan.unfinished(folder.ledger):
        console.print(text("An earlier run is still unfinished: --resume goes on with it.", style="bold yellow"))
    if summary.refused:
        students = ", ".join(f"{student} ({name})" for name, student in summary.refused)
        raise stop(f"nbgrader did not take {students}: their verdicts are in {folder.ledger}, not in the gradebook")
    if failed := [f"{line.student} ({line.assignment})" for line in summary.lines if line.failed]:
        raise terminal.failed(failed)


def _summarise(summary: Summary, folder: ClassFolder) -> None:
    """A table of the submissions, and a line of what a person should look at."""
    from autograde.gradebook.store import address

    if summary.unrecognised:
        terminal.show_unrecognised(summary.unrecognised, folder.submitted)
    if not summary.lines:
        console.print(text(f"No submissions in {folder.submitted}/."), soft_wrap=True)
        return
    by_name: dict[str, list[Line]] = {}
    for line in summary.lines:
        by_name.setdefault(line.assignment, []).append(line)
    for name, lines in by_name.items():
        terminal.show_submissions(name, lines)
        _in_short(folder, name)
        terminal.show_settled(name, summary.settled[name])
    terminal.show_counts(summary.lines)
    terminal.show_outdated(summary.outdated, folder)
    console.print(text(f"Verdicts in {folder.ledger}/, grades in {address(folder)}"), soft_wrap=True)


def _in_short(folder: ClassFolder, assignment: str, dry_run: bool = False) -> None:
    """Makes the summary's page again, and says the most of it in a few lines."""
    from autograde.reports import summary as summing

    if dry_run:
        terminal.show_summary(assignment, summing.summary(folder, assignment), None)
    else:
        terminal.show_summary(assignment, *summing.write(folder, assignment))


@app.command()
def regrade(
    assignments: Assignments = None,
    diff: Annotated[
        bool, typer.Option("--diff", "--dry-run", help="only show what would change: so it is unless --write")
    ] = False,
    write: Annotated[bool, typer.Option("--write", help="and take it over into the ledger and the gradebook")] = False,
    student: Students = None,
    jobs: Jobs = 1,
    scheduler: Scheduler = "",
    where: ClassOption = CLASS,
) -> None:
    """Grade again what is graded, with the release and the grader as they are now, and show what would change."""
    if diff and write:
        raise stop("--diff only shows and --write takes over: say one of them")
    folder = ClassFolder.at(where)
    names = _named(folder, assignments)
    with ahead(jobs == 1 and not scheduler) as launched, _mended(), terminal.RunProgress() as bar:
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
    terminal.show_changes(regraded)
    for name, settled in regraded.settled.items():
        terminal.show_settled(name, settled)
    if regraded.refused:
        raise stop(f"nbgrader did not take {', '.join(regraded.refused)}: their verdicts are in {folder.ledger}")
    if not regraded.submissions:
        console.print("Nothing is graded yet: `autograde grade` comes first.", highlight=False)
    elif not write:
        console.print("Nothing was written; --write takes it over.", highlight=False)
    if regraded.failed:
        raise terminal.failed(regraded.failed)


@app.command()
def undo(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what would change, and write nothing")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="ask nothing")] = False,
    where: ClassOption = CLASS,
) -> None:
    """Take back the last run (grade, regrade --write or points): grades are what they were; what people gave stays."""
    from autograde.grading import undo as undoing

    folder = _there(where)
    with _mended(), terminal.Steps() as steps:
        undone = undoing.undo(folder, write=False, progress=steps.update)
    if not dry_run:
        if undone.asks and not yes:
            terminal.show_undone(undone, True)
            terminal.ask(f"The run {undone.run} is to be taken back, and {undone.asks}.")
        with _mended(), terminal.Steps() as steps:
            undone = undoing.undo(folder, progress=steps.update, expected=undone.run)
    terminal.show_undone(undone, dry_run)
    if undone.refused:
        raise stop(f"nbgrader did not take {', '.join(undone.refused)}: `autograde undo` once more tries again")


@app.command()
def points(
    change: Annotated[list[str], typer.Argument(help="exercises with their new points, by number: 2.3=4")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what would change, and write nothing")] = False,
    where: ClassOption = CLASS,
) -> None:
    """Change what exercises are out of in this class; nothing is run again, and what people gave stays."""
    from autograde.grading import points as changing

    folder = _there(where)
    with _mended():
        changed = changing.change(folder, changing.wanted(change, _named(folder, None)), write=not dry_run)
    terminal.show_points(changed, dry_run)
    if changed.refused:
        raise stop(f"nbgrader did not take {', '.join(changed.refused)}: the same command once more tries again")


@app.command()
def archive(
    to: Annotated[
        Path | None, typer.Option(help="the file to write; CLASS-DAY.tar.gz beside the class unless said")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what would be written, and write nothing")] = False,
    where: ClassOption = CLASS,
) -> None:
    """Write all of a class into one file, with a digest of each of its files, and check it."""
    from datetime import date

    from autograde.gradebook import archive as archiving

    folder = _there(where, any_layout=True)
    with _mended(_NOTHING), terminal.Steps() as steps:
        target = to or folder.root.with_name(f"{folder.root.name}-{date.today()}.tar.gz")
        made = archiving.archive(folder, target, steps.update, write=not dry_run)
    terminal.show_archived(made, dry_run)


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="an archive that `autograde archive` made")],
    database: Annotated[
        str,
        typer.Option(help="an empty database for the gradebook (postgresql+psycopg://user@host/name); a file if none"),
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="check the archive, and write nothing")] = False,
    where: ClassOption = CLASS,
) -> None:
    """Make a class again out of its archive, in a folder that is not there yet, once every digest is right."""
    from autograde import layout
    from autograde.gradebook import archive as archiving

    if not file.is_file():
        raise stop(f"{file} is no file: name an archive that `autograde archive` made")
    folder = ClassFolder.at(where)
    with _mended(_NOTHING):
        with terminal.Steps() as steps:
            if dry_run:
                count = archiving.check(file, steps.update)
            else:
                count = archiving.restore(file, folder, database, steps.update)
        done = f"in {file}, all as listed (nothing was written)" if dry_run else f"in {folder.root}, each as it was"
        console.print(text(f"{counted(count, 'file')} {done}"), soft_wrap=True)
        if not dry_run and (other := layout.explained(folder)):
            console.print(text(other, style="yellow"), soft_wrap=True)


@app.command()
def upgrade(
    backup: Annotated[
        Path | None, typer.Option(help="the archive to write first; CLASS-before-upgrade.tar.gz beside the class")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what would change, and write nothing")] = False,
    where: ClassOption = CLASS,
) -> None:
    """Bring a class that an earlier version of the course made to this version, after an archive of it."""
    from autograde.gradebook import examination
    from autograde.gradebook import upgrade as upgrading

    folder = _there(where, any_layout=True)
    with _mended(), terminal.Steps() as steps:
        upgraded = upgrading.upgrade(folder, backup, steps.update, write=not dry_run)
    terminal.show_upgraded(folder, upgraded, dry_run)
    if upgraded.changes and not dry_run:
        raise typer.Exit(examination.report(folder))


@app.command()
def forget(
    student: Annotated[
        str, typer.Argument(help="the student's name, as in the class; one with - in front goes after --")
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what would be taken away, and take nothing")] = False,
    where: ClassOption = CLASS,
) -> None:
    """Take a student, and all that is theirs, out of a class. There is no way back but an archive."""
    from autograde.grading import forget as forgetting

    folder = _there(where)
    names = _named(folder, None)
    with _mended():
        if not forgetting.named(folder, student):
            _known(folder, student, *names)
        with terminal.Steps() as steps:
            forgotten = forgetting.forget(folder, student, steps.update, write=not dry_run)
    terminal.show_forgotten(folder, student, forgotten, forgetting.archives(folder), dry_run)


@app.command(context_settings={"ignore_unknown_options": True})  # "-2d" is a length that is refused, and no option
def extend(
    student: Annotated[
        str, typer.Argument(help="the student's name, as in the class; one with - in front goes after --")
    ],
    assignment: Annotated[str, typer.Argument(help="the assignment, by name or number")],
    extra: Annotated[str, typer.Argument(help="how much more time: +2d, +36h, +90min, +1w; 0d takes one back")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what would change, and write nothing")] = False,
    where: ClassOption = CLASS,
) -> None:
    """Give a student more time for an assignment, whether it is handed in yet or not."""
    from autograde.grading import lateness

    folder = ClassFolder.at(where)
    (name,) = _named(folder, [assignment])
    with _mended():
        _known(folder, student, name)
        extended = lateness.extend(folder, student, name, extra, write=not dry_run)
    terminal.show_extended(extended, dry_run)


def _known(folder: ClassFolder, student: str, *assignments: str) -> None:
    """Raises ValueError, with those of nearly that name, for somebody whom neither submissions/, the gradebook nor the
    roster knows."""
    from autograde.reports import summary as summing

    known = set().union(*(summing.known(folder, assignment) for assignment in assignments))
    if student not in known:
        folded = {name.casefold(): name for name in known}
        near = [name for name in folded if name.startswith(f"{student.casefold()} (")]  # one of several of that name
        near = near or difflib.get_close_matches(student.casefold(), folded, 3, 0.7)
        did = f"; did you mean {' or '.join(folded[name] for name in sorted(near)[:5])}?" if near else ""
        raise ValueError(f"no student {student!r} in submissions/, the gradebook or the roster{did}")


@app.command()
def summary(assignments: Assignments = None, dry_run: DryRun = False, where: ClassOption = CLASS) -> None:
    """Say how an assignment went, from the gradebook as it stands: in short here, whole in class/summary/."""
    folder = ClassFolder.at(where)
    names = _named(folder, assignments)
    with _mended():
        for name in names:
            _in_short(folder, name, dry_run)


@app.command()
def similar(
    assignments: Assignments = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what is alike, and write no page")] = False,
    where: ClassOption = CLASS,
) -> None:
    """Say which students' answers are equal or alike, and write a page with both texts side by side."""
    from autograde.files import write_atomically
    from autograde.reports import similar as comparing

    folder = ClassFolder.at(where)
    for name in _named(folder, assignments):
        with _mended(), terminal.Steps() as steps:
            found = comparing.similar(folder, name, steps.update)
        if not found.submissions:
            console.print(text(f"{name}: no submissions in {folder.submitted}/."), soft_wrap=True)
            continue
        target = folder.similar(name)
        if not dry_run:
            write_atomically(target, comparing.page(found), lasting=False)
        terminal.show_similar(found, target, dry_run)


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
        words = tracing.in_words(folder, traced)
    by_hand = {exercise: tracing.by_hand(traced, exercise) for exercise in traced.given}
    terminal.show_trace(traced, words, by_hand, tracing.history(folder, student, name))
    if traced.records:
        again = f"autograde regrade {name} --student {shlex.quote(student)} --diff"
        again += f" --class {shlex.quote(str(where))}" if where != CLASS else ""
        console.print(text(f"To see it judged again on the same numbers: {again}"), soft_wrap=True)


@app.command()
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
    name = _which(file, assignment)
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
        terminal.show_verdicts(graded, exercises)
    whys = [verdict.internal for verdict in graded.verdicts.values() if verdict.internal]
    if whys or graded.needs_person:
        raise stop(f"the grader itself failed, and what it failed at is no verdict: {(whys or graded.details)[-1]}")


RosterOption = Annotated[
    Path | None, typer.Option(help="the platform's table of who is who; the one that the class keeps unless said")
]


@app.command()
def feedback(
    assignments: Assignments = None,
    platform: Annotated[
        str, typer.Option("--for", help="also the archive that this platform's bulk upload takes: moodle or canvas")
    ] = "",
    roster: RosterOption = None,
    dry_run: DryRun = False,
    where: ClassOption = CLASS,
) -> None:
    """Write a page for each student and assignment: what was wrong, why, and one next step."""
    from autograde.reports import feedback as giving
    from autograde.reports import feedback_archive

    if platform and platform not in feedback_archive.PLATFORMS:
        raise stop(f"no platform {platform!r} to upload to; there are {', '.join(feedback_archive.PLATFORMS)}")
    folder = ClassFolder.at(where)
    for name in _named(folder, assignments):
        try:
            with terminal.Steps() as steps:
                pages = giving.feedback(folder, name, steps.update, write=not dry_run)
        except RuntimeError as error:
            raise stop(error) from None
        print(f"{name}: {counted(pages, 'page')}{' (nothing was written)' if dry_run else ''}", flush=True)
        if platform:
            with _mended():
                table = feedback_archive.archive(folder, platform, name, roster)
            _give(folder, table, dry_run)
    if not platform and not dry_run:
        console.print(text(f"Feedback in {folder.feedback}/"), soft_wrap=True)


def _give(folder: ClassFolder, table: Table, dry_run: bool, to: Path | None = None) -> None:
    """Writes a file for a platform, or shows what would stand in it."""
    from autograde.files import write_atomically
    from autograde.reports.export import beside_the_class

    path = to or table.path
    if to is not None:
        with _mended():
            beside_the_class(folder, to, to.suffix)
    terminal.show_given(table, path, dry_run)
    if not table.students:
        raise stop(f"nobody's points or pages can go into {path.name}: nothing was written")
    if not dry_run:
        write_atomically(path, table.content)


@app.command()
def export(
    assignments: Assignments = None,
    to: Annotated[
        Path | None, typer.Option(help="the file to write (- for the output); class/grades.csv unless said")
    ] = None,
    platform: Annotated[
        str,
        typer.Option("--for", help="write what this platform imports: canvas, moodle, brightspace or gradescope"),
    ] = "",
    roster: RosterOption = None,
    column: Annotated[
        list[str] | None,
        typer.Option(help="with --for, the platform's title of an assignment: '02=Homework 2 (4321)'"),
    ] = None,
    dry_run: DryRun = False,
    where: ClassOption = CLASS,
) -> None:
    """Write the grades as CSV, one row for each student and assignment; or as a platform imports them."""
    from autograde.progress import silent
    from autograde.reports import export as exporting
    from autograde.reports.output import is_output

    folder = ClassFolder.at(where)
    names = _named(folder, assignments)
    if platform:
        _export_for(folder, platform, names, roster, column or [], to, dry_run)
        return
    if roster or column:
        raise stop("--roster and --column go with --for: say which platform")
    with _mended():
        try:
            with contextlib.ExitStack() as shown:
                into_output = to is not None and is_output(to)  # where nothing but the table may go
                progress = silent if into_output else shown.enter_context(terminal.Steps()).update
                chosen = names if assignments else ()
                target, count = exporting.export(folder, to, chosen, progress, writes=not dry_run)
        except OSError as error:
            if to is None or error.errno in _REFUSED:
                raise
            raise stop(f"{to}: {error.strerror}. To do: name another file.") from None
    if dry_run:
        console.print(text(f"{counted(count, 'row')} would be in {target} (nothing was written)"), soft_wrap=True)
    elif is_output(target):
        Console(stderr=True).print(text(counted(count, "row")), soft_wrap=True)
    else:
        console.print(text(f"{counted(count, 'row')} in {target}"), soft_wrap=True)


def _export_for(
    folder: ClassFolder,
    platform: str,
    names: list[str],
    roster: Path | None,
    columns: list[str],
    to: Path | None,
    dry_run: bool,
) -> None:
    """Writes what a platform imports."""
    from autograde.reports import grade_import
    from autograde.reports.output import is_output

    if to is not None and is_output(to):
        raise stop("--for says beside the table whom it leaves out: name a file with --to, and not the output")
    if platform not in grade_import.PLATFORMS:
        raise stop(f"no platform {platform!r} that imports grades; there are {', '.join(grade_import.PLATFORMS)}")
    titles: dict[str, str] = {}
    for said in columns:
        which, equals, title = said.partition("=")
        if not equals or not title:
            raise stop(f"--column {said!r} names no title: write '02=TITLE', as the platform has it")
        titles |= dict.fromkeys(_named(folder, [which]), title)
    with _mended():
        made = grade_import.tables(folder, platform, names, roster, titles)
    if to is not None and len(made) > 1:
        raise stop(f"--to names one file, and these are {len(made)}: say which assignment")
    for table in made:
        if table.students or len(made) == 1:
            _give(folder, table, dry_run, to)


@app.command()
def push(
    assignments: Assignments = None,
    platform: Annotated[str, typer.Option("--for", help="where the grades go: canvas or moodle")] = "",
    address: Annotated[str, typer.Option(help="the platform's address (https://canvas.example.org)")] = "",
    course: Annotated[str, typer.Option(help="the platform's number of the course")] = "",
    number: Annotated[
        list[str] | None, typer.Option("--id", help="the platform's number of an assignment: '02=4321'")
    ] = None,
    with_feedback: Annotated[bool, typer.Option("--feedback", help="send the feedback pages too")] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="also in place of points that somebody gave on the platform")
    ] = False,
    token_file: Annotated[
        Path | None,
        typer.Option(
            help="the file, yours alone, that holds the token; AUTOGRADE_CANVAS_TOKEN or _MOODLE_TOKEN if none"
        ),
    ] = None,
    roster: RosterOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what would change there, and send nothing")] = False,
    where: ClassOption = CLASS,
) -> None:
    """Send grades straight to Canvas or Moodle: only what differs, and nothing over what a person gave there."""
    from autograde.gradebook import configuration

    folder = _there(where)
    try:
        from autograde.reports.push import send, token, web
    except ModuleNotFoundError as error:
        raise stop(
            f"{error.name} is not installed. To do: python -m pip install -c requirements.txt canvasapi"
        ) from None
    names = _named(folder, assignments)
    with _mended():
        said = configuration.read(folder).Push
        known = {"platform", "address", "course", "ids", "token_file"}
        if other := sorted(set(said) - known):
            raise ValueError(f"{folder.config.name}: no c.Push.{other[0]}; there are {', '.join(sorted(known))}")
        kind = platform or str(said.get("platform", ""))
        if kind not in send.PLATFORMS:
            which = f"no platform {kind!r} to send to" if kind else "say where, with --for"
            raise ValueError(f"{which}; there are {', '.join(send.PLATFORMS)}")
        to, number_of_course = address or str(said.get("address", "")), course or str(said.get("course", ""))
        if not to or not re.fullmatch("[0-9]+", number_of_course):
            raise ValueError(
                "say --address, and --course, which is the number in the course's own address there; or put them into"
                f" {folder.config.name}: c.Push.address, c.Push.course"
            )
        numbers: dict[str, str] = {}
        ids = said.get("ids", {})
        if not isinstance(ids, dict):
            raise ValueError(
                f'{folder.config.name}: c.Push.ids is no table of numbers: write c.Push.ids = {{"02": 4321}}'
            )
        for words in [*(f"{name}={of}" for name, of in ids.items()), *(number or [])]:
            which, equals, of = words.partition("=")
            if not equals or not of:
                raise ValueError(f"--id {words!r} names no assignment there: write '02=4321'")
            numbers |= dict.fromkeys(_named(folder, [which]), of)
        file = token_file or (Path(str(said["token_file"])).expanduser() if "token_file" in said else None)
        to, secret = web.address_of(to), token.find(folder, kind, file)
        one = send.Push(folder, send.connect(kind, to, number_of_course, secret), kind, to, number_of_course, overwrite)
        _push(folder, one, names, numbers, roster, with_feedback, dry_run)


def _push(
    folder: ClassFolder,
    one: Push,
    names: list[str],
    numbers: dict[str, str],
    roster: Path | None,
    pages: bool,
    dry_run: bool,
) -> None:
    """Sends the assignments one after the other, and says what became of each student."""
    from autograde.ledger import Ledger

    amiss = False
    with contextlib.nullcontext() if dry_run else Ledger(folder.ledger).alone():
        for name in names:
            try:
                with terminal.Steps() as steps:
                    one.progress = steps.update
                    pushed = one.push(name, numbers.get(name, ""), roster, pages=pages, write=not dry_run)
            except KeyboardInterrupt:
                then = "Nothing was sent" if dry_run else "The same command sends the rest: what was confirmed is kept"
                raise stop(f"interrupted. {then}.", 130) from None
            terminal.show_pushed(pushed, one.platform.name, dry_run)
            amiss = amiss or bool(pushed.failed or pushed.stopped)
            if pushed.stopped:
                break
    if amiss:
        raise stop("not everything was sent: see above. The same command sends the rest, and nothing twice")


def main() -> None:
    sys.exit(app())
