"""The exercises that the notebooks' check cells declare, and the list that is made of them."""

import json
import re
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from course.blank import left_to_write
from course.files import replace
from tools.notebooks.files import ROOT, chapter, paths, read

EXERCISES = ROOT / "course" / "chapters" / "exercises.json"


def declared(path: Path) -> list[dict[str, Any]]:
    """The exercises that a notebook's check cells declare, for `course/chapters/exercises.json`. Raises SystemExit
    where a cell leaves out what each must say.
    """
    return _declared(read(path), path)


def _declared(notebook: NotebookNode, path: Path) -> list[dict[str, Any]]:
    listed = []
    stubs = {c.metadata.course.answer: c.source for c in notebook.cells if "answer" in c.metadata.get("course", {})}
    for cell in notebook.cells:
        course = cell.metadata.get("course", {})
        if "exercise" not in course:
            continue
        if missing := [name for name in ("difficulty", "importance", "minutes") if name not in course]:
            raise SystemExit(f"{check_cell(course, path)} has no {', '.join(missing)} in its metadata")
        components = course.get("components") or [f"answer_{course['exercise'].replace('.', '_')}"]
        listed.append({
            "number": course["exercise"], "name": course["name"], "chapter": chapter(path), "notebook": path.stem,
            "components": components, "points": cell.metadata.nbgrader.points, "difficulty": course["difficulty"],
            "importance": course["importance"], "minutes": course["minutes"],
            "stretch": course.get("stretch", False), "question": is_question(course["exercise"]),
            "stub": left_to_write(stubs.get(course["name"], "")),
        })  # fmt: skip
    return listed


def write_exercises() -> None:
    """Make `course/chapters/exercises.json` from all notebooks. Raises SystemExit where a name stands twice."""
    write_listed(all_declared({}))


def write_listed(listed: list[dict[str, Any]]) -> None:
    lines = ",\n".join(json.dumps(exercise, ensure_ascii=False) for exercise in listed)
    replace(EXERCISES, f"[\n{lines}\n]\n")


def all_declared(instead: dict[Path, NotebookNode]) -> list[dict[str, Any]]:
    """The exercises of all notebooks, of which some stand in place of what is on the disk."""
    there = {path.stem: path for path in (*paths(), *instead)}
    listed = [
        exercise
        for _, path in sorted(there.items())
        for exercise in (_declared(instead[path], path) if path in instead else declared(path))
    ]
    for key in ("name", "number"):
        where: dict[str, list[str]] = {}
        for exercise in listed:
            where.setdefault(exercise[key], []).append(exercise["notebook"])
        if twice := [f"{value} in {' and '.join(places)}" for value, places in where.items() if len(places) > 1]:
            raise SystemExit(f"exercises with the same {key}: {', '.join(twice)}")
    return listed


def is_question(number: str) -> bool:
    return re.fullmatch(r"\d+\.q\d+", number) is not None


def check_cell(course: dict[str, Any], path: Path) -> str:
    return f"the check cell of exercise {course['exercise']} in {path.name}"
