"""The instructor's commands, each thin over the packages below, and over nbgrader where nbgrader does the work.

A module for each group of commands, in the order in which a term goes; `terminal` has a module of the same name for
what they print. `chosen` finds what a command's words mean, `options` holds what several commands take, `errors` makes
one line of what an instructor can mend. A class lives in one folder, `class/` of the repository unless `--class` says
otherwise. Every command may be run again at any time: it does only what is still to be done. What a command needs is
imported when it is called, so that `--help` answers at once. Safe to change: where a command stands here. Not safe: the
names of commands and options and the exit codes, which instructors' scripts hold.
"""

from __future__ import annotations

from collections.abc import Callable

import typer

from autograde.cli import collecting, end_of_term, getting_ready, giving_back, grading, handing_out, looking, marks
from autograde.cli.errors import Commands

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Hand out, grade and give feedback.",
)
# In the order in which a term goes, as `autograde --help` lists them.
GROUPS = {
    "Getting ready": (getting_ready.doctor, getting_ready.access),
    "Handing out": (handing_out.release,),
    "Collecting": (collecting.collect, collecting.sample),
    "Grading": (grading.check, grading.grade, grading.regrade, grading.undo),
    "Marks and time": (marks.points, marks.extend),
    "Looking into grades": (looking.summary, looking.trace, looking.similar),
    "Giving back": (giving_back.feedback, giving_back.export, giving_back.push),
    "End of a term": (end_of_term.archive, end_of_term.restore, end_of_term.upgrade, end_of_term.forget),
}
# "-2d" is a length of time that `extend` refuses, and no option.
SETTINGS: dict[Callable[..., None], dict[str, bool]] = {marks.extend: {"ignore_unknown_options": True}}

for _group, _commands in GROUPS.items():
    for _command in _commands:
        app.command(rich_help_panel=_group, context_settings=SETTINGS.get(_command))(_command)
