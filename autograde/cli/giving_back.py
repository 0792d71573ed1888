"""Feedback and grades, to files and to platforms."""

from __future__ import annotations

import contextlib
import errno
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from autograde.cli import chosen
from autograde.cli.errors import REFUSED, mended
from autograde.cli.options import CLASS, Assignments, Class, DryRun, Roster
from autograde.folders import ClassFolder
from autograde.terminal import say, stop, text
from autograde.terminal.giving_back import show_given, show_pushed
from autograde.terminal.progress import Steps
from course.wording import counted

if TYPE_CHECKING:
    from autograde.reports.push.send import Push
    from autograde.reports.upload import Upload


def feedback(
    assignments: Assignments = None,
    platform: Annotated[
        str,
        typer.Option(
            "--for", help="also the archive that this platform's bulk upload takes: moodle, canvas or brightspace"
        ),
    ] = "",
    roster: Roster = None,
    dry_run: DryRun = False,
    where: Class = CLASS,
) -> None:
    """Write a page for each student and assignment: what was wrong, why, and one next step."""
    from autograde.reports import feedback as giving
    from autograde.reports import feedback_archive

    if why := feedback_archive.NONE.get(platform):
        raise stop(why)
    if platform and platform not in feedback_archive.PLATFORMS:
        raise stop(f"no platform {platform!r} to upload to; there are {', '.join(feedback_archive.PLATFORMS)}")
    folder = ClassFolder.at(where)
    names = chosen.assignments(folder, assignments)
    for name in names:
        with mended(), Steps() as steps:
            pages = giving.feedback(folder, name, steps.update, write=not dry_run)
        say(f"{name}: {counted(pages, 'page')}{' (nothing was written)' if dry_run else ''}")
        if platform and (pages or len(names) == 1):
            with mended():
                upload = feedback_archive.archive(folder, platform, name, roster)
            _give(folder, upload, dry_run)
    if not platform and not dry_run:
        say(f"Feedback in {folder.feedback}/")


def _give(folder: ClassFolder, upload: Upload, dry_run: bool, to: Path | None = None) -> None:
    """Writes a file for a platform, or shows what would stand in it."""
    from autograde.reports.export import beside_the_class
    from autograde.reports.output import write

    path = to or upload.path
    if to is not None:
        with mended():
            beside_the_class(folder, to, to.suffix)
    show_given(upload, path, dry_run)
    if not upload.students:
        raise stop(f"nobody's points or pages can go into {path.name}: nothing was written")
    if not dry_run:
        with mended():
            write(path, upload.content)


def export(
    assignments: Assignments = None,
    to: Annotated[
        Path | None, typer.Option(help="the file to write (- for the output); class/grades.csv unless said")
    ] = None,
    platform: Annotated[
        str,
        typer.Option("--for", help="write what this platform imports: canvas, moodle, brightspace or gradescope"),
    ] = "",
    roster: Roster = None,
    column: Annotated[
        list[str] | None,
        typer.Option(help="with --for, the platform's title of an assignment: '02=Homework 2 (4321)'"),
    ] = None,
    dry_run: DryRun = False,
    where: Class = CLASS,
) -> None:
    """Write the grades as CSV, one row for each student and assignment; or as a platform imports them."""
    from autograde.progress import silent
    from autograde.reports import export as exporting
    from autograde.reports.output import is_output

    folder = ClassFolder.at(where)
    names = chosen.assignments(folder, assignments)
    if platform:
        _export_for(folder, platform, names, roster, column or [], to, dry_run)
        return
    if roster or column:
        raise stop("--roster and --column go with --for: say which platform")
    with mended():
        try:
            with contextlib.ExitStack() as stack:
                into_output = to is not None and is_output(to)  # where nothing but the table may go
                progress = silent if into_output else stack.enter_context(Steps()).update
                only = names if assignments else ()
                target, count = exporting.export(folder, to, only, progress, writes=not dry_run)
        except OSError as error:
            if to is None or error.errno in {*REFUSED, errno.EPIPE}:  # who reads no further has what they wanted
                raise
            raise stop(f"{to}: {error.strerror}. To do: name another file.") from None
    if dry_run:
        say(f"{counted(count, 'row')} would be in {target} (nothing was written)")
    elif is_output(target):
        Console(stderr=True).print(text(counted(count, "row")), soft_wrap=True)
    else:
        say(f"{counted(count, 'row')} in {target}")


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
        titles |= dict.fromkeys(chosen.assignments(folder, [which]), title)
    with mended():
        made = grade_import.tables(folder, platform, names, roster, titles)
    if to is not None and len(made) > 1:
        raise stop(f"--to names one file, and these are {len(made)}: say which assignment")
    for upload in [each for each in made if each.students] or made[:1]:
        _give(folder, upload, dry_run, to)


def push(
    assignments: Assignments = None,
    platform: Annotated[str, typer.Option("--for", help="where the grades go: canvas, moodle or lti")] = "",
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
            help="the file, yours alone, with the token, or with LTI's key; AUTOGRADE_CANVAS_TOKEN, _MOODLE_TOKEN or"
            " _LTI_TOKEN if none"
        ),
    ] = None,
    roster: Roster = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what would change there, and send nothing")] = False,
    where: Class = CLASS,
) -> None:
    """Send grades to Canvas, Moodle or any LTI platform: only what differs, nothing over what a person gave there."""
    folder = chosen.class_at(where)
    try:
        from autograde.reports.push import send, token, web
        from autograde.reports.push.destination import destination
    except ModuleNotFoundError as error:
        raise stop(
            f"{error.name} is not installed. To do: python -m pip install -c requirements.txt canvasapi"
        ) from None
    names = chosen.assignments(folder, assignments)
    with mended():
        to = destination(folder, platform, address, course, number or [], token_file)
        numbers: dict[str, str] = {}
        for which, of in to.numbers:
            numbers |= dict.fromkeys(chosen.assignments(folder, [which]), of)
        there, secret = web.address_of(to.address), token.find(folder, to.platform, to.token_file)
        connected = send.connect(to.platform, there, to.course, secret, to.registration)
        one = send.Push(folder, connected, to.platform, there, to.course, overwrite)
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
                with Steps() as steps:
                    one.progress = steps.update
                    pushed = one.push(name, numbers.get(name, ""), roster, pages=pages, write=not dry_run)
            except KeyboardInterrupt:
                then = "Nothing was sent" if dry_run else "The same command sends the rest: what was confirmed is kept"
                raise stop(f"interrupted. {then}.", 130) from None
            show_pushed(pushed, one.platform.name, dry_run)
            amiss = amiss or bool(pushed.failed or pushed.stopped)
            if pushed.stopped:
                break
    if amiss:
        raise stop("not everything was sent: see above. The same command sends the rest, and nothing twice")
