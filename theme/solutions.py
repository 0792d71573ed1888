"""Answers without a section on their chapter's solution page show themselves at its end.

A section is written where there is more to say than the code does; without one an answer is still shown, under its
exercise's number and name, so that no exercise is ever without its solution.
"""

from __future__ import annotations

import re

from sphinx.application import Sphinx

from course.exercises import Exercise, exercises
from theme.contents import PAGES, module_of


def completed(text: str, chapter: tuple[Exercise, ...]) -> str:
    """Return a solution page's text with a section for each exercise of its chapter of which it includes nothing."""
    there = set(re.findall(r"^:pyobject: (\w+)", text, re.MULTILINE))
    for exercise in chapter:
        if exercise.question or there & set(exercise.components):
            continue
        name = exercise.name.replace("_", " ")
        text = f"{text.rstrip()}\n\n## {exercise.number} {name[:1].upper()}{name[1:]}\n"
        for component in exercise.components:
            included = f"../../solutions/{exercise.chapter}.py\n:language: python\n:pyobject: {component}"
            text += f"\n```{{literalinclude}} {included}\n```\n"
    return text


def complete(app: Sphinx, docname: str, source: list[str]) -> None:
    if docname.startswith(PAGES) and docname != f"{PAGES}index":
        source[0] = completed(source[0], tuple(e for e in exercises() if e.chapter == module_of(docname)))


def setup(app: Sphinx) -> None:
    app.connect("source-read", complete)
