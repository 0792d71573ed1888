"""What goes back to students and to platforms."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from autograde.terminal import console, say, table, text
from course import wording

if TYPE_CHECKING:
    from autograde.reports.push.send import Pushed
    from autograde.reports.upload import Upload


def show_given(upload: Upload, path: Path, dry_run: bool) -> None:
    """What goes back to a platform: whose it is, who is left out, and where it was written."""
    is_table = upload.path.suffix == ".csv"
    lines = upload.content.decode().splitlines() if dry_run and is_table else []
    for line in lines + (upload.notes if dry_run or is_table else []):
        say(line)
    for student, why in upload.left_out:
        say(f"Left out: {student}, {why}", "yellow")
    done = " (nothing was written)" if dry_run else ""
    say(f"{wording.counted(len(upload.students), 'student')} in {path}{done}")


def show_pushed(pushed: Pushed, platform: str, dry_run: bool) -> None:
    """What changes on a platform, student by student; who is held back or left out and why; and what was confirmed."""
    title = f"{pushed.assignment} to {platform}: {pushed.item.title}"
    rows = table(title, "student", "there", "here", "page", "", right=("there", "here"))
    failed = {student for student, _ in pushed.failed}
    for change in pushed.changes:
        if change.kind == "send":
            before = "none" if change.before is None else f"{change.before:g}"
            tried = "not confirmed" if change.student in failed else "not sent"
            done = "" if dry_run else "confirmed" if change.student in pushed.sent else tried
            words = "; ".join(filter(None, [done, change.why]))
            rows.add_row(text(change.student), before, f"{change.after:g}", "new" if change.page else "", text(words))
    if rows.row_count:
        console.print(rows)
    for change in pushed.changes:
        if change.kind == "held":
            say(f"Left as it is: {change.student}: {change.why}", "yellow")
        elif change.kind == "same" and change.why:
            say(f"{change.student}: {change.why}")
    for note in pushed.notes:
        say(note)
    for student, why in pushed.left_out:
        say(f"Left out: {student}, {why}", "yellow")
    for student, why in pushed.failed:
        say(f"Not confirmed: {student}: {why}", "bold red")
    if pushed.stopped:
        words = f"Stopped, with {pushed.left} left: {pushed.stopped}"
        say(words, "bold red")
    kinds = [change.kind for change in pushed.changes]
    counts = f"{kinds.count('same')} the same there already, {kinds.count('held')} left as they are"
    done = f"{kinds.count('send')} would be sent" if dry_run else f"{len(pushed.sent)} sent and confirmed"
    say(f"{done}, {counts}{' (nothing was sent)' if dry_run else ''}.")
