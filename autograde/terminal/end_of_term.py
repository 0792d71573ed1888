"""What becomes of a class after its term."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from autograde.terminal import say
from course import wording

if TYPE_CHECKING:
    from autograde.folders import ClassFolder
    from autograde.gradebook.archive import Archived
    from autograde.gradebook.upgrade import Upgraded
    from autograde.grading.forget import Forgotten


def show_archived(made: Archived, dry_run: bool) -> None:
    """What is in an archive, and what is not."""
    for left_out in made.left_out:
        say(f"Left out: {left_out}", "yellow")
    done = "would go" if dry_run else "now"
    files = f"{wording.counted(made.files, 'file')} of {made.size / 1e6:.1f} MB"
    say(f"{files} {done} in {made.file}")
    if made.sha256:
        say(f"sha256 {made.sha256}")


def show_upgraded(folder: ClassFolder, upgraded: Upgraded, dry_run: bool) -> None:
    """What an upgrade changes, and how the class comes back as it was."""
    if not upgraded.changes:
        made = upgraded.before
        say(f"{folder.root} has layout {made.layout} already: nothing to do.")
        return
    for change in upgraded.changes:
        say(change)
    if dry_run:
        say("Nothing was written. An archive of the class would be written first.")
        return
    if upgraded.backup:
        say(f"Archived before, as it was: {upgraded.backup.file}")
    say("Submissions, grades and verdicts are compared: all as before.")
    say(f"The way back: {upgraded.way_back}")


def show_forgotten(
    folder: ClassFolder, student: str, forgotten: Forgotten, archives: Sequence[str], dry_run: bool
) -> None:
    """What is taken away of a student's, and where a word of theirs still stands."""
    away, other = ("Would be taken away", "Would be changed") if dry_run else ("Taken away", "Changed")
    for path in forgotten.gone:
        say(f"{away}: {path.relative_to(folder.root)}")
    for sentence in forgotten.changed:
        say(f"{other}: {sentence}")
    if forgotten.left:
        those = wording.listed([str(path) for path in forgotten.left], 20)
        say(f"Their name or address still stands in {those}: look", "bold yellow")
    if archives:
        words = f"Archives made before still hold {student}: {wording.listed(list(archives), 20)}"
        say(words, "bold yellow")
    done = "would be forgotten (nothing was taken away)" if dry_run else "is forgotten"
    say(f"{student} {done}.")
