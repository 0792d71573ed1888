"""What is handed out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from autograde.terminal import console, say
from course import wording

if TYPE_CHECKING:
    from autograde.gradebook.hand_out import HandedOut


def show_handed_out(
    given: Sequence[HandedOut], done: Sequence[tuple[str, bool]], put: Sequence[tuple[str, bool]], dry_run: bool
) -> None:
    """What became of each assignment, and which earlier exercises' answers students get with it."""
    fresh = {name for name, changed in [*done, *put] if changed}
    for assignment in given:
        how = "would be released" if dry_run else "released" if assignment.name in fresh else "unchanged"
        brings = f"; with it come the answers to {wording.listed(assignment.answers, 40)}" if assignment.answers else ""
        say(f"{assignment.name}: {how}{brings}")
        for path, content in assignment.files.items() if dry_run else ():
            say(f"    {path} ({len(content) / 1e3:.0f} kB)")
    if any(assignment.answers for assignment in given):
        console.print(
            "Students can read these answers in the archive: hand it out once they may be known, or leave them out with"
            " --earlier due or --earlier own.",
            highlight=False,
            soft_wrap=True,
        )
    if dry_run:
        say("Nothing was written.")
