"""The tables that a learner's checks compare with, recorded from the solutions and the answer bank."""

import torch

from autograde import bank
from course.chapters import Unfinished, question
from course.chapters import chapter as texts
from course.checks.engine import recorded
from course.exercises import Exercise, exercises
from course.files import replace
from tools.notebooks.files import ROOT

RECORDED = ROOT / "course" / "checks" / "recorded"


def record(module: str) -> int:
    """Record the tables of a chapter's checks, from the solutions and the bank; remove those of no exercise. Returns
    how many files changed. Raises Unfinished where an exercise or question lacks something that a learner gets."""
    written = 0
    torch.set_num_threads(1)
    exercises.cache_clear()
    for exercise in exercises():
        if exercise.chapter != module:
            continue
        _complete(exercise)
        if not exercise.question:
            check = bank.check_of(exercise)
            content = recorded.dump(check, bank.recorded(exercise))
            file = RECORDED / f"{exercise.name}.npz"
            if not file.exists() or file.read_bytes() != content:
                replace(file, content)
                written += 1
    for file in RECORDED.glob("*.npz"):
        if file.stem not in {e.name for e in exercises()}:
            file.unlink()
    return written


def _complete(exercise: Exercise) -> None:
    """Raises Unfinished where the chapter's file has no three hints of an exercise, or no key of a question."""
    if exercise.question:
        question(exercise.name, exercise.chapter)
    elif (count := len(texts(exercise.chapter)["hints"].get(exercise.name, ()))) != 3:
        file = f"course/chapters/{exercise.chapter}.toml"
        raise Unfinished(f"{file} has {count} hints for {exercise.name} under [hints]: three are asked for")
