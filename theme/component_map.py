"""The map of components: which of them feeds which chapter, as a picture that leads to each of them.

A row for each chapter and, below it, one for each component that is built there and used later. From the component a
line goes down to the chapters that use it, each with a dot. Made of the imports of the notebooks, narrow enough for a
phone; the table below it says the same in words.
"""

from __future__ import annotations

import html
from collections.abc import Callable

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

from course.exercises import Exercise
from theme.exercises import place
from theme.notebooks import paths, titles, used_again

Used = list[tuple[str, Exercise, list[str]]]
Link = Callable[[str, str], str]
WIDTH, ROW, TOP = 348, 22, 6  # of the picture; of a row; above the first
INDENT, LANE = 14, 9  # of a component's row; from one line to the next
LETTER = 7  # the width of a letter of code, at most


def concerned(used: Used) -> list[str]:
    """The stems of the chapters in which a component is built that is used again, or in which it is used."""
    return sorted({stem for _, exercise, later in used for stem in (exercise.notebook, *later)})


def rows(used: Used) -> list[tuple[str, int | None]]:
    """The rows from the top: a chapter's stem and None, then the stem and the place in `used` of each component."""
    made: list[tuple[str, int | None]] = []
    for stem in concerned(used):
        made.append((stem, None))
        made += [(stem, index) for index, (_, exercise, _) in enumerate(used) if exercise.notebook == stem]
    return made


def lanes(spans: list[tuple[int, int]]) -> list[int]:
    """For each span of rows the first lane that no other span occupies there.

    >>> lanes([(1, 5), (2, 3), (4, 6)])
    [0, 1, 1]
    """
    free: list[int] = []  # the first row from which each lane is free
    chosen = []
    for start, end in spans:
        lane = next((place for place, row in enumerate(free) if row < start), len(free))
        free[lane : lane + 1] = [end]
        chosen.append(lane)
    return chosen


def picture(used: Used, titles: dict[str, str], link: Link) -> str:
    """The map as SVG.

    Args:
        used: each component that is used later, its exercise, and the chapters that use it.
        titles: what a chapter is called, by its stem.
        link: the address of a page and of a place on it.
    """
    listed = rows(used)
    row_of = {stem: row for row, (stem, index) in enumerate(listed) if index is None}
    order = [index for _, index in listed if index is not None]
    starts = {index: row for row, (_, index) in enumerate(listed) if index is not None}
    spans = [(starts[index], max(row_of[stem] for stem in used[index][2])) for index in order]
    lane_of = dict(zip(order, lanes(spans), strict=True))
    count = max(lane_of.values()) + 1

    drawn = []
    for stem, row in row_of.items():
        y, title = TOP + row * ROW, html.escape(titles.get(stem, stem[3:]))
        drawn.append(
            f'<a href="{html.escape(link(f"notebooks/{stem}", ""))}"><rect x="0" y="{y}" width="{WIDTH}" '
            f'height="{ROW - 2}"/><text x="4" y="{y + 15}"><tspan class="number">{stem[:2]}</tspan> {title}</text></a>'
        )
    for index in order:
        name, exercise, later = used[index]
        row, x = starts[index], WIDTH - 8 - (count - 1 - lane_of[index]) * LANE
        y = TOP + row * ROW + ROW // 2
        ends = [TOP + row_of[stem] * ROW + ROW // 2 - 1 for stem in later]
        begin = INDENT + (len(exercise.number) + 1 + len(name)) * LETTER
        dots = "".join(f'<circle cx="{x}" cy="{end}" r="3.5"/>' for end in ends)
        said = f"{name}, exercise {exercise.number}, is used in {', '.join(stem[:2] for stem in later)}"
        drawn.append(
            f'<a href="{html.escape(link(f"notebooks/{exercise.notebook}", place(exercise.name)))}" '
            f'aria-label="{html.escape(said)}"><path d="M{begin} {y}H{x}V{max(ends)}"/>{dots}'
            f'<text x="{INDENT}" y="{y + 4}"><tspan class="number">{exercise.number}</tspan> '
            f'<tspan class="name">{name}</tspan></text></a>'
        )
    height = TOP + len(listed) * ROW
    return (
        f'<svg class="component-picture" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'role="group" aria-label="Map of components: the table below says the same">'
        f"{''.join(drawn)}</svg>"
    )


def table(used: Used) -> str:
    """The map in words: a row for each component, and a column for each chapter in which it is built, under its
    exercise's number, or used."""
    stems = concerned(used)
    listed = ""
    for name, exercise, later in used:
        said = {exercise.notebook: f"<strong>{exercise.number}</strong>", **dict.fromkeys(later, "used")}
        cells = "".join(f"<td>{said.get(stem, '')}</td>" for stem in stems)
        listed += f"<tr><th scope='row'><code>{name}</code></th>{cells}</tr>"
    head = "".join(f"<th scope='col'>{title}</th>" for title in ["Component", *(stem[:2] for stem in stems)])
    return f"<table class='table component-map'><thead><tr>{head}</tr></thead><tbody>{listed}</tbody></table>"


class Picture(nodes.General, nodes.Element):
    """The map in a page, drawn when the page is written, as links depend on where it is: `used` and `titles`."""


def visit(self: HTML5Translator, node: Picture) -> None:
    builder = self.builder

    def link(page: str, fragment: str) -> str:
        uri = builder.get_relative_uri(builder.current_docname, page)
        return f"{uri}#{fragment}" if fragment else uri

    self.body.append(picture(node["used"], node["titles"], link))
    raise nodes.SkipNode


def skip(self: object, node: Picture) -> None:
    raise nodes.SkipNode


class ComponentMap(SphinxDirective):
    """`{component-map}`: the picture, and below it, folded, the table."""

    def run(self) -> list[nodes.Node]:
        for notebook in paths():
            self.env.note_dependency(str(notebook))
        used = used_again()
        scrolled = f'<div class="pst-scrollable-table-container" tabindex="0">{table(used)}</div>'
        folded = f'<details class="fold"><summary>The same as a table</summary>{scrolled}</details>'
        return [Picture("", used=used, titles=titles()), nodes.raw("", folded, format="html")]


def setup(app: Sphinx) -> None:
    app.connect("builder-inited", lambda app: used_again.cache_clear())
    app.add_node(Picture, html=(visit, None), epub=(visit, None), latex=(skip, None), text=(skip, None))
    app.add_directive("component-map", ComponentMap)
