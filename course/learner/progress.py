"""What a learner has done: points, hints taken, components chosen from the reference. Kept in `.course/progress.json`.

The folder lies beside the notebooks (or where COURSE_HOME says). Two notebooks may be open at once: every change is
made under a lock and replaces the file whole. A file that cannot be read is put aside, never overwritten.
"""

import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock  # a lock on every system; torch depends on it anyway

from course.exercises import Exercise, exercises
from course.files import replace
from course.table import Table

if TYPE_CHECKING:  # where a submission is run there are components, and no checks
    from course.verdict import Verdict


def home() -> Path:
    """The folder for progress and passed components: COURSE_HOME, or `.course` in the working folder. Where that is an
    assignment's own, as an archive unpacks to, it is `.course` beside it: what passes in one is there in the others."""
    if said := os.environ.get("COURSE_HOME"):
        return Path(said).absolute()
    folder, assignments = Path.cwd(), {exercise.notebook for exercise in exercises()}
    while folder.name in assignments and not (folder / ".course").exists() and os.access(folder.parent, os.W_OK):
        folder = folder.parent
    return folder / ".course"


def _read(path: Path) -> dict[str, Any]:
    empty: dict[str, Any] = {"exercises": {}, "reference": []}
    try:
        state = json.loads(path.read_text("utf-8"))
        if not isinstance(state.get("exercises"), dict) or not isinstance(state.get("reference"), list):
            raise ValueError("not a record of progress")
    except FileNotFoundError:
        return empty
    except (ValueError, AttributeError) as error:
        aside = path.with_name(f"progress-unreadable-{datetime.now():%Y%m%d-%H%M%S-%f}.json")
        path.rename(aside)
        print(f"{path.name} could not be read ({error}). It was put aside as {aside} and a new one begun; "
              "run your check cells again to fill it.", file=sys.stdout)  # fmt: skip
        return empty
    return state


@contextmanager
def _changed() -> Iterator[dict[str, Any]]:
    """The record under a lock, written back whole at the end."""
    path = home() / "progress.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(path.with_suffix(".lock"), timeout=10):
        state = _read(path)
        yield state
        replace(path, json.dumps(state, indent=1, sort_keys=True))


def read() -> dict[str, Any]:
    """The record as it stands."""
    return _read(home() / "progress.json")


def add(exercise: Exercise, verdict: "Verdict") -> None:
    """Keep an exercise's best points. A folder that cannot be written is said each time and stops nothing."""
    points = verdict.points(exercise.points)
    try:
        with _changed() as state:
            entry = state["exercises"].setdefault(exercise.name, {})
            entry["tries"] = entry.get("tries", 0) + 1
            entry["points"] = max(points, entry.get("points", 0.0))
            if verdict.passed:
                entry.setdefault("passed", datetime.now(UTC).isoformat(timespec="seconds"))
    except OSError as error:
        print(f"Your progress could not be kept in {home()} ({error}); the points below stand all the same.")


_climbed: dict[str, int] = {}  # where the folder cannot be written


def next_hint(name: str, last: int) -> int:
    """Climb one step of an exercise's hints and return the step, 1 .. last. Where the folder cannot be written, the
    steps are known as long as the kernel runs."""
    try:
        with _changed() as state:
            entry = state["exercises"].setdefault(name, {})
            entry["hints"] = min(entry.get("hints", 0) + 1, last)
            return entry["hints"]
    except OSError:
        _climbed[name] = min(_climbed.get(name, 0) + 1, last)
        return _climbed[name]


def choose_reference(component: str) -> None:
    """Remember that the learner goes on with the reference for a component."""
    with _changed() as state:
        state["reference"] = sorted({*state["reference"], component})


def own_again(components: Iterable[str]) -> None:
    """Forget that the learner went on with the reference for these components."""
    if not set(components).isdisjoint(read()["reference"]):
        with _changed() as state:
            state["reference"] = sorted({*state["reference"]}.difference(components))


MINUTES = "Minutes: the authors' estimate for the core exercises that are still open, to plan by; no class was timed."


class Progress:
    """Points by chapter, and how much is left; shows itself as a table."""

    def __init__(self, state: dict[str, Any]):
        self._state = state["exercises"]

    def _table(self) -> Table:
        columns = {"Notebook": "", "Points": "", "Stretch": "", "Left": "", "Minutes": "d", "Open": ""}
        chapters: dict[str, list[Exercise]] = {}
        for exercise in exercises():
            chapters.setdefault(exercise.notebook, []).append(exercise)
        table = Table(columns)
        for notebook, listed in chapters.items():
            table.row(notebook, *self._line(listed), self._open(listed))
        table.row("All", *self._line(list(exercises())), "")
        return table

    def _line(self, listed: list[Exercise]) -> tuple[str, str, str, int]:
        """Of some exercises: core points, stretch points, core points that are left, and minutes of what is open."""
        core, stretch = [e for e in listed if not e.stretch], [e for e in listed if e.stretch]
        got, extra = (sum(self._state.get(e.name, {}).get("points", 0.0) for e in those) for those in (core, stretch))
        out_of = sum(e.points for e in core)
        minutes = sum(e.minutes for e in core if not self._passed(e))
        return f"{got:g} of {out_of:g}", f"{extra:g}", f"{out_of - got:g}", minutes

    def _passed(self, exercise: Exercise) -> bool:
        return "passed" in self._state.get(exercise.name, {})

    def _open(self, listed: list[Exercise]) -> str:
        return ", ".join(e.number for e in listed if not e.stretch and not self._passed(e)) or "done"

    def __repr__(self) -> str:
        return f"{self._table()!r}\n{MINUTES}"

    def _repr_html_(self) -> str:
        return f"{self._table()._repr_html_()}<p>{MINUTES}</p>"


def progress() -> Progress:
    """Your points by chapter; the points, minutes and exercises that are still open."""
    return Progress(read())
