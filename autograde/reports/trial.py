"""`autograde doctor --full`: submissions whose points are known, through the whole grader as it is installed here.

First a made-up class in a folder of its own, which goes away afterwards: right, wrong, broken and hostile submissions,
released, read, run in the sandbox, judged and entered into a gradebook. Then the attacks and broken files that the
tests know, which need the tests' own packages.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from autograde.bank import sample
from autograde.folders import ClassFolder
from autograde.gradebook import store
from autograde.gradebook.release import release
from autograde.grading import run
from autograde.progress import Progress

ROOT = Path(__file__).resolve().parents[2]
ASSIGNMENT = "02-bahdanau"
_KINDS = {"right": "right", "partly": "right", "wrong": "wrong", "hostile": "hostile"}  # by a name's first word
CORPORA = "benchmarks.trust"


@dataclass
class Trial:
    """kind -> how many submissions of it came out with the points and flags that they must get, and of how many; what
    did not, in a sentence each."""

    right: dict[str, int] = field(default_factory=dict)
    of: dict[str, int] = field(default_factory=dict)
    amiss: list[str] = field(default_factory=list)
    seconds: float = 0.0  # of all submissions together


def trial(progress: Progress) -> Trial:
    """Grades the made-up class. Raises what `run.grade` raises where this machine cannot grade."""
    with tempfile.TemporaryDirectory(prefix="trial-") as root:
        folder = ClassFolder.at(Path(root) / "class")
        release(folder, [ROOT / "notebooks" / f"{ASSIGNMENT}.ipynb"])
        made = sample.sample(folder, ASSIGNMENT)
        summary = run.grade(folder, progress=lambda name, done, of, line: progress(name, done, of))
        points = store.scores(folder, ASSIGNMENT)
    return judged(made, points, {line.student: line for line in summary.lines})


def judged(made: list[sample.MadeUp], points: dict[str, dict[str, float]], lines: dict[str, run.Line]) -> Trial:
    """What became of each, against what was put in."""
    done = Trial(seconds=sum(line.seconds for line in lines.values()))
    for submission in made:
        kind = _KINDS.get(submission.student.partition("-")[0], "broken")
        done.of[kind] = done.of.get(kind, 0) + 1
        got, line = points.get(submission.student), lines.get(submission.student)
        if got is None or line is None:
            why = "it has no grade"
        elif line.needs_person:
            why = "the grader failed at it"
        elif wrong := [name for name, expected in submission.expected.items() if got.get(name) != expected]:
            why = f"{wrong[0]} got {got.get(wrong[0])} points, and not {submission.expected[wrong[0]]}"
        elif missing := set(submission.flags) - set(line.flags):
            why = f"it was not flagged: {', '.join(sorted(missing))}"
        else:
            done.right[kind] = done.right.get(kind, 0) + 1
            continue
        done.amiss.append(f"{submission.student} ({submission.what}): {why}")
    return done


def corpora(word: str = "") -> int | None:
    """The tests' attacks and broken files, which say how they come out as they go: 0 where each did as it must. None
    where the tests' packages are not installed. `word`: those that `pytest -k` would choose."""
    if find_spec("pytest") is None or not (ROOT / "tests").is_dir():
        return None
    command = [sys.executable, "-m", CORPORA, "--corpora", word]
    return subprocess.run(command, cwd=ROOT).returncode
