"""Arguments and options that more than one command takes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

CLASS = Path(__file__).resolve().parents[2] / "class"  # the repository's
Class = Annotated[Path, typer.Option("--class", help="the class's folder", show_default="class/ of the repository")]
Assignment = Annotated[str, typer.Argument(help="the assignment, by name or number")]
Assignments = Annotated[
    list[str] | None, typer.Argument(help="assignments such as 02-bahdanau, or their numbers; all where none is named")
]
Student = Annotated[str, typer.Argument(help="the student's name, as in the class; one with - in front goes after --")]
Students = Annotated[list[str] | None, typer.Option("--student", help="only this student (may be said more than once)")]
Roster = Annotated[
    Path | None, typer.Option(help="the platform's table of who is who; the one that the class keeps unless said")
]
Jobs = Annotated[int, typer.Option("--jobs", "-j", min=1, help="worker processes on this machine; one core each")]
Scheduler = Annotated[str, typer.Option(help="a Dask scheduler's address (tcp://10.0.0.5:8786): its workers grade")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="say what would be written, and write nothing")]
DryRunOfChange = Annotated[bool, typer.Option("--dry-run", help="say what would change, and write nothing")]
