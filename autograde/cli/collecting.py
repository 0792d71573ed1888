"""Into submissions/: what students handed in, or a class that is made up."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograde.cli import chosen
from autograde.cli.options import CLASS, Assignments, Class
from autograde.folders import ClassFolder
from autograde.terminal import console, stop, text
from autograde.terminal.collecting import show_collected
from autograde.terminal.progress import Steps
from course.wording import counted


def collect(
    source: Annotated[Path, typer.Argument(help="a zip, tar or tar.gz archive, a folder, or one notebook")],
    assignment: Annotated[
        str | None, typer.Option(help="which assignment it holds, by name or number, where its names do not say")
    ] = None,
    platform: Annotated[
        str,
        typer.Option(
            help="who gave the names: moodle, canvas, blackboard, gradescope or brightspace if you downloaded it there;"
            " classroom: Google Classroom or students, and a roster says whose they are; folders: you did"
        ),
    ] = "",
    roster: Annotated[
        Path | None,
        typer.Option(
            help="who is who: Canvas's gradebook, Moodle's grading worksheet, Gradescope's roster, Brightspace's"
            " grades, or a CSV with id, name and email, and group where groups hand in; the class keeps it"
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what would be done, and do nothing")] = False,
    where: Class = CLASS,
) -> None:
    """Put what came back from students into submissions/: each file to its student and assignment."""
    from autograde.intake import collect as collecting
    from autograde.intake.roster import BadRoster
    from autograde.intake.whose import PLATFORMS
    from autograde.ledger import LedgerBusy

    if platform and platform not in PLATFORMS:
        raise stop(f"no platform {platform!r}; there are {', '.join(PLATFORMS)}")

    folder = ClassFolder.at(where)
    names = chosen.assignments(folder, [assignment] if assignment else None)
    if roster is not None and not roster.is_file():
        raise stop(f"{roster} is no file: name the roster that you downloaded")
    try:
        which = names[0] if assignment else ""
        with Steps() as steps:
            done = collecting.collect(
                folder, source, which, platform=platform, roster=roster, dry_run=dry_run, progress=steps.update
            )
    except (collecting.BadSource, BadRoster, LedgerBusy) as error:
        raise stop(error) from None
    show_collected(done, dry_run)
    if not done.items:
        raise stop(f"no submission was found in {source}; left aside: {counted(len(done.aside), 'file')}")


def sample(assignments: Assignments = None, where: Class = CLASS) -> None:
    """Fill class/submissions/ with a made-up class: right, partly right, wrong, broken and hostile submissions."""
    from autograde.bank import sample as sampling

    folder = ClassFolder.at(where)
    names, made = chosen.assignments(folder, assignments), {}
    with Steps() as steps:
        for count, name in enumerate(names):
            steps.update("assignments", count, len(names))
            made[name] = sampling.sample(folder, name)
    sampling.write_expected(folder, made)
    for name, submissions in made.items():
        console.print(text(f"{name}: {counted(len(submissions), 'submission')}"))
