"""Is this machine fit to grade, and who may read the class?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograde.cli import chosen
from autograde.cli.errors import mended
from autograde.cli.options import CLASS, Class, DryRun
from autograde.folders import ClassFolder
from autograde.terminal import console, say, stop
from autograde.terminal.getting_ready import show_findings, show_how_much_was_tried, show_tried
from autograde.terminal.progress import Steps


def doctor(
    where: Annotated[
        Path | None, typer.Option("--class", help="a class's folder: also whether it is ours, and who may read it")
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="also grade a made-up class, then run the tests' attacks and broken files")
    ] = False,
) -> None:
    """Say whether this machine can grade safely, and what to install where it cannot."""
    from autograde.intake.probe import probe_jail
    from autograde.sandbox import doctor

    status = doctor.report(probe_jail)
    if where is not None:
        status = examined(chosen.class_at(where, any_layout=True)) or status
    if full and not status:
        status = _tried()
    raise typer.Exit(status)


def examined(folder: ClassFolder) -> int:
    """Says what a class rests on; the exit status, 0 where all is well."""
    from autograde.gradebook import examination

    findings = examination.examine(folder)
    show_findings(folder, findings)
    return int(not all(finding.ok for finding in findings))


def _tried() -> int:
    """Submissions whose points are known, through the grader as it is installed here; the exit status."""
    from autograde.reports import trial as trying

    console.print(f"\nA made-up class of {trying.ASSIGNMENT}:", highlight=False)
    with mended(), Steps() as steps:
        tried = trying.trial(steps.update)
    show_tried(tried)
    console.print("\nThe tests' attacks and broken files (many minutes):", highlight=False)
    ended = trying.corpora()
    show_how_much_was_tried(tried, ended)
    return int(bool(tried.amiss or ended))


def access(
    group: Annotated[
        str | None, typer.Option(help="share the class with this group: its members may read it and grade")
    ] = None,
    owner_only: Annotated[bool, typer.Option("--owner-only", help="share it with no group any more")] = False,
    dry_run: DryRun = False,
    where: Class = CLASS,
) -> None:
    """Close the class to everybody but its owner, and the group that it is shared with."""
    from autograde import access as closing

    if group is not None and (owner_only or not group):
        raise stop("say --group with a group's name, or --owner-only")
    folder = chosen.class_at(where, any_layout=True)
    try:
        changed = closing.close(folder, "" if owner_only else group, write=not dry_run)
    except ValueError as error:
        raise stop(error) from None
    message = f"{folder.root} is for {closing.whose(folder)}; files and folders changed: {changed}"
    if dry_run:
        message = f"{folder.root} is for {closing.whose(folder)} now; files and folders that would change: {changed}"
    say(message)
