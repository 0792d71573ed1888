"""What the notebooks say of the whole course: what chapters are called, and which component feeds which chapter.

Read when the book is built, so that no page repeats what a notebook may change.
"""

from __future__ import annotations

import ast
import json
from functools import cache
from pathlib import Path

from course.exercises import Exercise, exercises

ROOT = Path(__file__).resolve().parents[1]
EXERCISES = ROOT / "course" / "chapters" / "exercises.json"  # what `exercises()` reads


def paths(folder: Path = ROOT / "notebooks") -> list[Path]:
    """The notebooks in the order of the chapters."""
    return sorted(folder.glob("[0-9][0-9]-*.ipynb"))


def imported(notebook: Path) -> list[str]:
    """The components that a notebook imports from those of the chapters before it, in its order."""
    names: dict[str, None] = {}
    for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] != "code" or "course.components" not in source:
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ImportFrom) and node.module == "course.components":
                names |= dict.fromkeys(alias.name for alias in node.names)
    return list(names)


@cache  # asked for by each chapter's head; `component_map` forgets it at the beginning of a build
def used_again() -> list[tuple[str, Exercise, list[str]]]:
    """Each component that a later chapter imports, its exercise, and the stems of the notebooks that import it."""
    users: dict[str, list[str]] = {}
    for notebook in paths():
        for name in imported(notebook):
            users.setdefault(name, []).append(notebook.stem)
    made = [(name, e) for e in exercises() if not e.question for name in e.components if name in users]
    return [(name, e, later) for name, e in made if (later := [s for s in users[name] if s != e.notebook])]


def titles() -> dict[str, str]:
    """What each chapter is called, by its notebook's stem: the title without its number and what follows a colon."""
    title_of = {}
    for notebook in paths():
        heading = "".join(json.loads(notebook.read_text("utf-8"))["cells"][0]["source"]).split("\n")[0]
        title_of[notebook.stem] = (
            heading.partition(". ")[2].partition(":")[0].replace("'", "\N{RIGHT SINGLE QUOTATION MARK}")
        )
    return title_of
