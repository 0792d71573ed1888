"""What came back from students."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograde.terminal import console, say, text

if TYPE_CHECKING:
    from autograde.intake.collect import Collected


def show_collected(done: Collected, dry_run: bool) -> None:
    """What became of a source: what needs a word, what was left aside, and how many submissions of each assignment."""
    for item in done.items:
        if dry_run or item.notes:
            message = f"{item.student}/{item.assignment}: {item.action}, from {', '.join(item.files)}"
            say("; ".join([message, *item.notes]))
    for name, why in done.aside:
        say(f"Left aside: {name}: {why}", "yellow")
    if done.late:
        message = f"Late, but the source does not say by how much: {', '.join(done.late)}"
        say(message, "bold yellow")
    for name in sorted({item.assignment for item in done.items}):
        kinds = [item.action for item in done.items if item.assignment == name]
        counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(sorted(kinds)))
        console.print(text(f"{name}: {counts}{' (nothing was written)' if dry_run else ''}"))
