"""What the check cells and the imports of the notebooks say of the whole course: hours, and which part feeds which.

Read when the book is built, so that no page repeats a number that a notebook may change.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective, SphinxRole

from course.exercises import Exercise, exercises
from theme.component_map import Picture, skip, visit

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "book" / "start" / "ways.md"


def spine() -> list[str]:
    """The stems of the notebooks that the page on ways through the course lists as the spine."""
    listed = PAGE.read_text("utf-8").split("\n## The spine\n")[1].split("\n## ")[0]
    return re.findall(r"^\| \[.*?/([\w-]+)\.ipynb\)", listed, re.MULTILINE)


def chosen(words: str, listed: Sequence[Exercise]) -> list[Exercise]:
    """The exercises meant by `all` (the core), `stretch`, `spine` (its core), or a notebook's stem (its core). Raises
    ValueError where there are none."""
    if words == "stretch":
        found = [e for e in listed if e.stretch]
    else:
        core = [e for e in listed if not e.stretch]
        found = [e for e in core if words in ("all", e.notebook) or (words == "spine" and e.notebook in spine())]
    if not found:
        raise ValueError(f"no exercises are meant by {words!r}: say all, stretch, spine, or a notebook's name")
    return found


def duration(minutes: int) -> str:
    """Minutes in words, to the next five: `50 min`, `2 h`, `1 h 15 min`; from ten hours on, whole hours."""
    hours, rest = divmod(5 * round(minutes / 5), 60)
    if hours >= 10:
        return f"about {round(minutes / 60)} hours"
    return " ".join([f"{hours} h"] * (hours > 0) + [f"{rest} min"] * (rest > 0 or not hours))


class Hours(SphinxRole):
    """`{hours}`02-bahdanau``: how long its core exercises take; also `all`, `spine` and `stretch`."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        for source in (ROOT / "course" / "chapters" / "exercises.json", PAGE):
            self.env.note_dependency(str(source))
        try:
            minutes = sum(e.minutes for e in chosen(self.text, exercises()))
        except ValueError as error:
            return [], [self.inliner.reporter.error(str(error), line=self.lineno)]
        return [nodes.Text(duration(minutes).replace(" ", "\N{NO-BREAK SPACE}"))], []


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


@cache  # asked for by each chapter's head; `setup` forgets it at the beginning of a build
def used_again() -> list[tuple[str, Exercise, list[str]]]:
    """Each component that a later chapter imports, its exercise, and the stems of the notebooks that import it."""
    users: dict[str, list[str]] = {}
    for notebook in sorted((ROOT / "notebooks").glob("[0-9][0-9]-*.ipynb")):
        for name in imported(notebook):
            users.setdefault(name, []).append(notebook.stem)
    made = [(name, e) for e in exercises() if not e.question for name in e.components if name in users]
    return [(name, e, later) for name, e in made if (later := [s for s in users[name] if s != e.notebook])]


def titles() -> dict[str, str]:
    """What each chapter is called, by its notebook's stem: the title without its number and what follows a colon."""
    found = {}
    for notebook in sorted((ROOT / "notebooks").glob("[0-9][0-9]-*.ipynb")):
        heading = "".join(json.loads(notebook.read_text("utf-8"))["cells"][0]["source"]).split("\n")[0]
        found[notebook.stem] = (
            heading.partition(". ")[2].partition(":")[0].replace("'", "\N{RIGHT SINGLE QUOTATION MARK}")
        )
    return found


class ComponentMap(SphinxDirective):
    """`{component-map}`: the picture (component_map.py), and below it the same as a table: a row for each component
    that is used again, a column for each chapter that has to do with one. Where it is made stands its exercise's
    number."""

    def run(self) -> list[nodes.Node]:
        for notebook in (ROOT / "notebooks").glob("*.ipynb"):
            self.env.note_dependency(str(notebook))
        concerned = {stem for _, exercise, later in used_again() for stem in (exercise.notebook, *later)}
        stems = [stem for stem in dict.fromkeys(e.notebook for e in exercises()) if stem in concerned]
        rows = []
        for name, exercise, later in used_again():
            said = {exercise.notebook: f"<strong>{exercise.number}</strong>", **dict.fromkeys(later, "used")}
            cells = "".join(f"<td>{said.get(stem, '')}</td>" for stem in stems)
            rows.append(f"<tr><th scope='row'><code>{name}</code></th>{cells}</tr>")
        head = "".join(f"<th scope='col'>{title}</th>" for title in ["Component", *(s[:2] for s in stems)])
        table = (
            f"<table class='table component-map'><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
        )
        scrolled = f'<div class="pst-scrollable-table-container" tabindex="0">{table}</div>'
        folded = f'<details class="fold"><summary>The same as a table</summary>{scrolled}</details>'
        return [Picture("", used=used_again(), titles=titles()), nodes.raw("", folded, format="html")]


def setup(app: Sphinx) -> None:
    app.connect("builder-inited", lambda app: used_again.cache_clear())
    app.add_node(Picture, html=(visit, None), epub=(visit, None), latex=(skip, None), text=(skip, None))
    app.add_role("hours", Hours())
    app.add_directive("component-map", ComponentMap)
