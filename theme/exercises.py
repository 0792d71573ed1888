"""A line above each exercise that says what it asks: points, difficulty, importance, minutes, core or stretch.

The figures stand once, in the metadata of the notebook's check cell; they are read here, never repeated in the prose.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from docutils import nodes
from sphinx.application import Sphinx

from course.exercises import exercise_of
from course.wording import counted
from theme import cells

SCALE = 5  # difficulty and importance go from one to this


def graded_cells(doctree: nodes.document) -> Iterator[tuple[nodes.container, Mapping, Mapping]]:
    """Yield each graded code cell with its course metadata and its nbgrader metadata."""
    for cell in cells.code(doctree):
        if nbgrader := cells.metadata(cell).get("nbgrader"):
            yield cell, cells.metadata(cell).get("course") or {}, nbgrader


def facts(course: Mapping, nbgrader: Mapping) -> list[str]:
    """Return what a learner wants to know before starting, in the order of asking."""
    points = nbgrader.get("points", course.get("points"))
    facts = [counted(points, "point")] if points is not None else []
    facts += [f"{name} {course[name]} of {SCALE}" for name in ("difficulty", "importance") if name in course]
    if "minutes" in course:
        facts.append(f"about {counted(course['minutes'], 'minute')}")
    if course.get("stretch"):
        facts.append("stretch")
    return facts


def place(name: str) -> str:
    """The id that an exercise has on its chapter's page."""
    return f"exercise-{name.replace('_', '-')}"


def banner(title: str, details: list[str], name: str) -> nodes.paragraph:
    """Return the line: the exercise in bold, then its facts."""
    line = nodes.paragraph(classes=["exercise-banner"], ids=[place(name)], exercise=name)
    line += nodes.strong("", title)
    for detail in details:
        line += nodes.inline("", " "), nodes.inline("", detail, classes=["stretch"] if detail == "stretch" else [])
    return line


def add_banners(app: Sphinx, doctree: nodes.document) -> None:
    """Put the line above the answer cell, and mark both cells for the style sheet."""
    graded = list(graded_cells(doctree))
    checks = {
        exercise_of(str(nbgrader["grade_id"])): (course, nbgrader)
        for _, course, nbgrader in graded
        if nbgrader.get("grade")
    }
    for cell, _, nbgrader in graded:
        if nbgrader.get("grade") and not nbgrader.get("solution"):
            cell["classes"].append("exercise-check")
            continue
        name = exercise_of(str(nbgrader["grade_id"]))
        cell["classes"].append("exercise-answer")
        if name in checks:
            course, check = checks[name]
            kind = "Question" if name.startswith("question_") else "Exercise"
            cell.insert(0, banner(f"{kind} {course.get('exercise', name)}", facts(course, check), name))


def setup(app: Sphinx) -> None:
    app.connect("doctree-read", add_banners)
