"""What checks say, by exercise: the diagnoses of the answer bank, and the explanations of wrong choices.

A learner who types a check's sentence finds the exercise. Diagnoses hold no code; an explanation may tell which choice
is right, so of a question's only the words are given, in the order of the alphabet.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from course import chapters
from course.exercises import Exercise, exercises
from theme.notebooks import ROOT

BANK = ROOT / "autograde" / "bank" / "answers"
# Read as text: whoever imports the engine waits for PyTorch.
RAISED = ROOT / "course" / "checks" / "engine" / "raised.py"
DIAGNOSIS = re.compile(r"^# %% wrong: .*\n((?:#(?! ---).*\n)+)", re.MULTILINE)


def diagnoses(exercise: Exercise, bank: Path = BANK) -> list[str]:
    """Return the diagnoses of an exercise's wrong answers; none where this copy has no bank."""
    path = bank / exercise.chapter / f"{exercise.name}.py"
    if not path.is_file():
        return []
    blocks = DIAGNOSIS.findall(path.read_text("utf-8"))
    return list(dict.fromkeys(" ".join(block.replace("#", " ").split()) for block in blocks))


def explained(exercise: Exercise) -> str:
    """Return the words of a question's explanations, each once and in the order of the alphabet."""
    question = chapters.question(exercise.name, exercise.chapter)
    texts = [question.get("right", ""), question.get("otherwise", ""), *question.get("options", {}).values()]
    texts += [value["explanation"] for value in question.get("values", ())]
    return " ".join(sorted(set(re.findall(r"[a-z]{3,}", " ".join(texts).lower()))))


@cache
def of_notebook(stem: str) -> dict[str, list[str]]:
    """Return what the checks of a notebook say, by the exercise's number."""
    return {e.number: list(said(e)) for e in exercises() if e.notebook == stem}


def said(exercise: Exercise) -> Iterator[str]:
    if exercise.question:
        yield explained(exercise)
    else:
        yield from diagnoses(exercise)


# Where the shapes of tensors are explained, and where what to do when code is not right yet.
SHAPES = ("notebooks/00-warm-up", "shapes-and-the-rule-that-stretches-them")
OTHERS = ("book/start/exercise", "code-that-is-not-right-yet")


@cache
def meanings() -> list[tuple[str, str]]:
    """Return the patterns of errors that beginners raise, and what a check says to each, as `raised.py` lists them."""
    pairs = (node.elts for node in ast.walk(ast.parse(RAISED.read_text("utf-8"))) if isinstance(node, ast.Tuple))
    texts = ([part.value for part in pair if isinstance(part, ast.Constant)] for pair in pairs)
    return [(str(both[0]), str(both[1])) for both in texts if len(both) == 2]


def of_pytorch(place: tuple[str, str]) -> Iterator[tuple[str, str]]:
    """Yield what a check says to an error of PyTorch's, and that error's words, of those that belong to a place."""
    for pattern, meaning in meanings():
        of_shapes = re.search(r"shape|size|dimension|axis|axes", pattern + meaning)
        if place == (SHAPES if of_shapes else OTHERS):
            yield meaning.replace("`", ""), " ".join(re.findall(r"[A-Za-z]\w+", pattern))
