"""What an instructor's terminal shows: how far a command is, what it made, and why it stops.

A module for each group of commands in `cli`, of the same name: each function is given what a command has made and
prints it; `progress` is for what takes a while. Names and messages may be a student's, so whatever is printed goes
through `text` or `plain`. Nothing is done here. Safe to change: every table and sentence. Not safe: what goes round
`text` and `plain`.
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from typing import Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from autograde.text import spelled

console = Console()
# Submissions of an assignment that a terminal can usefully show; the page and the table of grades have all.
LISTED = 40


def printable_text(value: object) -> str:
    """Text as a terminal may show it: what would turn the line round, move the cursor or be no text is spelled out."""
    return spelled(str(value))


def text(value: object, style: str = "") -> Text:
    return Text(printable_text(value), style=style)


def say(value: object, style: str = "") -> None:
    """Prints a line whole, however long it is: paths and commands in it can be copied."""
    console.print(text(value, style), soft_wrap=True)


def table(title: str, *columns: str, right: Collection[str] = (), whole: Collection[str] = ()) -> Table:
    """A table without rows yet. Cells are folded where there is too little room, but for those of `whole` columns."""
    made = Table(title=escape(printable_text(title)) or None, title_justify="left")
    for column in columns:
        justify: Literal["left", "right"] = "right" if column in right else "left"
        made.add_column(column, justify=justify, overflow="fold", no_wrap=column in whole)
    return made


def stop(message: object, code: int = 1) -> typer.Exit:
    """Says what is wrong, in one line, where errors go."""
    Console(stderr=True).print(text(f"autograde: {message}", "bold red"), soft_wrap=True)
    return typer.Exit(code)


def ask(why: str) -> None:
    """Asks whether to go on; stops where the answer is no, or nobody is there to give one."""
    if not sys.stdin.isatty():
        raise stop(f"{why} Nothing was written. If you mean it, give the command again with --yes")
    say(why, "bold yellow")
    if not typer.confirm("Go on?"):
        raise stop("nothing was written")
