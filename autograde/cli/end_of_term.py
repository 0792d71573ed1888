"""What becomes of a class: kept in a file, brought to a new version, and what of it is forgotten."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograde.cli import chosen
from autograde.cli.errors import mended
from autograde.cli.getting_ready import examined
from autograde.cli.options import CLASS, Class, DryRun, DryRunOfChange, Student
from autograde.folders import ClassFolder
from autograde.terminal import say, stop
from autograde.terminal.end_of_term import show_archived, show_forgotten, show_upgraded
from autograde.terminal.progress import Steps
from course.wording import counted

NOTHING = "Nothing was written: give the command again"


def archive(
    to: Annotated[
        Path | None, typer.Option(help="the file to write; CLASS-DAY.tar.gz beside the class unless said")
    ] = None,
    dry_run: DryRun = False,
    where: Class = CLASS,
) -> None:
    """Write all of a class into one file, with a digest of each of its files, and check it."""
    from datetime import date

    from autograde.gradebook import archive as archiving
    from autograde.reports.output import is_output

    folder = chosen.class_at(where, any_layout=True)
    if to is not None and is_output(to):
        raise stop("an archive is read again once it is written: name a file with --to, and not the output")
    with mended(NOTHING), Steps() as steps:
        target = to or folder.root.with_name(f"{folder.root.name}-{date.today()}.tar.gz")
        made = archiving.archive(folder, target, steps.update, write=not dry_run)
    show_archived(made, dry_run)


def restore(
    file: Annotated[Path, typer.Argument(help="an archive that `autograde archive` made")],
    database: Annotated[
        str,
        typer.Option(help="an empty database for the gradebook (postgresql+psycopg://user@host/name); a file if none"),
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="check the archive, and write nothing")] = False,
    where: Class = CLASS,
) -> None:
    """Make a class again out of its archive, in a folder that is not there yet, once every digest is right."""
    from autograde import layout
    from autograde.gradebook import archive as archiving
    from autograde.gradebook import archive_file

    if not file.is_file():
        raise stop(f"{file} is no file: name an archive that `autograde archive` made")
    folder = ClassFolder.at(where)
    with mended(NOTHING):
        with Steps() as steps:
            if dry_run:
                count = archive_file.check(file, steps.update)
            else:
                count = archiving.restore(file, folder, database, steps.update)
        done = f"in {file}, all as listed (nothing was written)" if dry_run else f"in {folder.root}, each as it was"
        say(f"{counted(count, 'file')} {done}")
        if not dry_run and (other := layout.explained(folder)):
            say(other, style="yellow")


def upgrade(
    backup: Annotated[
        Path | None, typer.Option(help="the archive to write first; CLASS-before-upgrade.tar.gz beside the class")
    ] = None,
    dry_run: DryRunOfChange = False,
    where: Class = CLASS,
) -> None:
    """Bring a class that an earlier version of the course made to this version, after an archive of it."""
    from autograde.gradebook import upgrade as upgrading

    folder = chosen.class_at(where, any_layout=True)
    with mended(), Steps() as steps:
        upgraded = upgrading.upgrade(folder, backup, steps.update, write=not dry_run)
    show_upgraded(folder, upgraded, dry_run)
    if upgraded.changes and not dry_run:
        raise typer.Exit(examined(folder))


def forget(
    student: Student,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what would be taken away, and take nothing")] = False,
    where: Class = CLASS,
) -> None:
    """Take a student, and all that is theirs, out of a class. There is no way back but an archive."""
    from autograde.grading import forget as forgetting

    folder = chosen.class_at(where)
    names = chosen.assignments(folder, None)
    with mended():
        if not forgetting.named(folder, student):
            chosen.require_student(folder, student, *names)
        with Steps() as steps:
            forgotten = forgetting.forget(folder, student, steps.update, write=not dry_run)
    show_forgotten(folder, student, forgotten, forgetting.archives(folder), dry_run)
