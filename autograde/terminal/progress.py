"""How far a command is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Self

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from autograde.terminal import console, printable_text, text

if TYPE_CHECKING:
    from autograde.grading.run import Line


class Steps:
    """How far a command is, and how long it will still take: a bar in a terminal; elsewhere a line now and then, of a
    step that takes a while."""

    PAUSE = 10.0  # seconds between two lines
    stays = False  # whether the bars are left standing at the end

    def __enter__(self) -> Self:
        self.bar = None
        if console.is_terminal:
            columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
            left = TextColumn("left:"), TimeRemainingColumn()
            self.bar = Progress(*columns, *left, console=console, transient=not self.stays, speed_estimate_period=120)
            self.bar.start()
        self.tasks: dict[str, TaskID] = {}
        self.began: dict[str, float] = {}
        self.said = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()

    def update(self, step: str, done: int, of: int) -> None:
        now = time.monotonic()
        began = self.began.setdefault(step, now)
        if self.bar is not None:
            if step not in self.tasks:
                self.tasks[step] = self.bar.add_task(printable_text(step), total=of)
            self.bar.update(self.tasks[step], completed=done, total=of)
        elif 0 < done < of and now - self.said >= self.PAUSE:
            left = (now - began) / done * (of - done)
            print(printable_text(f"{step}: {done} of {of}, about {max(1, round(left / 60))} min left"), flush=True)
            self.said = now


class RunProgress(Steps):
    """The same of a run that grades, with a line for each submission that is graded elsewhere than in a terminal; and
    what failed, as it happens."""

    stays = True

    def __enter__(self) -> Self:
        self.fresh: dict[str, int] = {}
        return super().__enter__()

    def submission(self, assignment: str, done: int, of: int, line: Line | None) -> None:
        began = self.began.setdefault(assignment, time.monotonic())
        self.fresh[assignment] = self.fresh.get(assignment, 0) + bool(line is not None and line.fresh)
        remarks = [] if line is None else [*line.flags, *(["needs a person"] if line.needs_person else [])]
        if self.bar is not None or line is None:
            if line is not None and line.fresh and remarks:
                console.print(text(f"{assignment} {line.student}: {', '.join(remarks)}", "yellow"))
            self.update(assignment, done, of)
        elif line.fresh:  # what is unchanged is counted at the end
            message = ", ".join([f"{line.score:g} of {line.max:g}, {line.seconds:.2f} s", *remarks])
            left = (time.monotonic() - began) / done * (of - done)
            measured = self.fresh[assignment] >= 5  # the first ones pay for the start, and the rest may be unchanged
            message += f" (about {left / 60:.0f} min left)" if measured and left > 90 else ""
            print(printable_text(f"[{done}/{of}] {assignment} {line.student}: {message}"), flush=True)
