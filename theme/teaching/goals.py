"""A chapter's goals, in its own words, and the exercises that test each of them."""

from __future__ import annotations

import json
import re
import tomllib
from typing import NamedTuple

from course.exercises import exercises
from theme.notebooks import ROOT

FILE = ROOT / "book" / "instructors" / "goals.toml"
HEADING = "**What you will be able to do**"


class Goal(NamedTuple):
    """What readers will be able to do, and the numbers of the exercises that test it."""

    text: str
    exercises: tuple[str, ...]


def introduction(stem: str) -> str:
    """What a chapter says before its first section."""
    notebook = json.loads((ROOT / "notebooks" / f"{stem}.ipynb").read_text("utf-8"))
    said = "\n\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    return said.partition("\n## ")[0]


def announced(stem: str) -> list[str]:
    """The goals that a chapter announces, without what joins them to a list."""
    items = introduction(stem).partition(HEADING)[2].strip().partition("\n\n")[0]
    return [
        " ".join(item.replace("*", "").split()).rstrip(";,. ")
        for item in re.split(r"^- ", items, flags=re.MULTILINE)[1:]
    ]


def of_chapter(stem: str) -> list[Goal]:
    """A chapter's goals: those that it announces, then those that only some of its exercises are for.

    Raises ValueError where goals.toml has other goals than the chapter announces, has nothing that tests a goal, or
    names what is no exercise of the chapter: says which, and what to do.
    """
    held = tomllib.loads(FILE.read_text("utf-8"))
    first, further = held["announced"].get(stem, {}), held["further"].get(stem, {})
    said = announced(stem)
    if list(first) != said:
        odd = [text for text in [*said, *first] if (text in said) != (text in first)] or said
        raise ValueError(
            f'goals.toml, [announced."{stem}"]: it must have the goals that the notebook lists under "What you will be '
            f"able to do, in the notebook's words and order; look at: {odd[0]!r}"
        )
    goals = [Goal(text, tuple(numbers)) for text, numbers in {**first, **further}.items()]
    there = {e.number for e in exercises() if e.notebook == stem}
    for goal in goals:
        if not goal.exercises or (unknown := set(goal.exercises) - there):
            what = f"{', '.join(sorted(unknown))} is no exercise of {stem}" if goal.exercises else "nothing tests it"
            raise ValueError(f"goals.toml: {goal.text!r}: {what}; name exercises of the chapter that test it")
    return goals


def untested(stem: str) -> list[str]:
    """The numbers of a chapter's exercises that stand at none of its goals."""
    held = {number for goal in of_chapter(stem) for number in goal.exercises}
    return [e.number for e in exercises() if e.notebook == stem and e.number not in held]
