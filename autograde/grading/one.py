"""`autograde check`: one file by itself, without a class. Nothing is written.

Nothing here knows nbgrader, whose import takes as long as that of PyTorch: an instructor who looks at one file, or a
program that looks at many, would wait for it each time.
"""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import torch

from autograde.grading import isolation, judge
from autograde.grading.worker import Graded, Worker
from autograde.intake.probe import probe_jail
from autograde.sandbox import doctor
from autograde.sandbox.launch import Launched, SandboxError
from course.key import Key

ROOT = Path(__file__).resolve().parents[2]


def check(file: Path, assignment: str, ahead: Launched | None = None) -> Graded:
    """Grades one file by itself, without a class: nothing is written. `ahead` is a `Worker`'s.

    Raises isolation.Stopped where it cannot be isolated.
    """
    doctor.require(probe_jail)
    torch.set_num_threads(1)
    released = ROOT / "notebooks" / f"{assignment}.ipynb"
    notebook = nbformat.reads(released.read_text("utf-8"), as_version=4)
    with Worker(assignment, notebook, Key.fresh(), ahead) as worker:
        try:
            return worker.grade(worker.intake.receive(file, assignment))
        except SandboxError as error:
            why = str(error)
    raise isolation.explained(why)


def checked_as_json(assignment: str, graded: Graded) -> str:
    """What `check` found, for other programs. Points and words are the student's to see; `needs_person` is true where
    the grader itself failed at a part, whose points then mean nothing."""
    listed = []
    for exercise in judge.of_assignment(assignment):
        verdict = graded.verdicts[exercise.name]
        points = {"points": verdict.points(exercise.points), "max": exercise.points}
        listed.append({"number": exercise.number, "name": exercise.name} | points | verdict.as_json())
    content = {
        "assignment": assignment,
        "points": round(sum(entry["points"] for entry in listed), 2),
        "max": sum(entry["max"] for entry in listed),
        "reason": graded.reason,
        "notes": graded.notes,
        "flags": graded.flags,
        "needs_person": graded.needs_person or any(verdict.internal for verdict in graded.verdicts.values()),
        "seconds": round(graded.seconds, 3),
        "exercises": listed,
    }
    return json.dumps(content, indent=1)
