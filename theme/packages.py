"""`{packages}`: the picture on the page "How it is built", and the same in words.

A box for each package, on the lowest level that stands above all it imports. Drawn when the book is built, from the
imports themselves (`theme.imports`), so that it cannot differ from the code.
"""

from __future__ import annotations

import ast
import html

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from course.wording import marked
from theme.imports import arrows, levels, modules, needed
from theme.notebooks import ROOT

PURPOSES = {
    "course (entry)": "What a notebook imports: `course` and `course.components`.",
    "course": "What the course rests on: the list of exercises, hints and keys, files, and modules for notebooks.",
    "autograde": "What the grader rests on: a class's folders and ledger, who may read its files, safe texts.",
    "solutions": "The reference answers, one module a chapter, and nothing else.",
}


def purpose(package: str) -> str:
    """What a package is for: the first paragraph of its docstring, or what is said here of modules that have none."""
    if package in PURPOSES:
        return PURPOSES[package]
    text = ast.get_docstring(ast.parse((ROOT / package.replace(".", "/") / "__init__.py").read_text("utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split())


WIDTH, HEIGHT, GAP, RISE = 168, 34, 16, 86  # of a box, between boxes, from one level to the next


def picture() -> str:
    """The packages as an SVG in the page's own colors."""
    graph = arrows()
    level = levels(graph)
    rows = [sorted(name for name in graph if level[name] == row) for row in range(1, max(level.values()) + 1)]
    width = max(map(len, rows)) * (WIDTH + GAP) + GAP
    height = len(rows) * RISE
    place = {}
    for row, names in enumerate(rows):
        left = (width - len(names) * (WIDTH + GAP) + GAP) / 2
        for column, name in enumerate(names):
            place[name] = left + column * (WIDTH + GAP), height - (row + 1) * RISE + (RISE - HEIGHT) / 2
    text, line = "var(--pst-color-text-base, #222)", "var(--pst-color-text-muted, #666)"
    box = "var(--pst-color-surface, #f4f4f4)"
    drawn = []
    for name, below in needed(graph).items():
        x, y = place[name][0] + WIDTH / 2, place[name][1] + HEIGHT
        for lower in sorted(below):
            to_x, to_y = place[lower][0] + WIDTH / 2, place[lower][1]
            bend = x, to_x
            if level[name] - level[lower] > 1:  # round the boxes between, not behind them
                bend = (width * (1.05 if x + to_x >= width else -0.05),) * 2
            drawn.append(
                f'<path d="M{x:g} {y:g}C{bend[0]:g} {y + 34:g} {bend[1]:g} {to_y - 34:g} {to_x:g} {to_y:g}" '
                f'fill="none" style="stroke:{line}" stroke-width="1.2"/>'
            )
    for name, (x, y) in place.items():
        drawn.append(
            f'<rect x="{x:g}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}" rx="5" style="fill:{box};stroke:{line}"/>'
            f'<text x="{x + WIDTH / 2:g}" y="{y + 22:g}" text-anchor="middle" font-size="14" '
            f'style="fill:{text}">{name}</text>'
        )
    said = f"{len(graph)} packages on {len(rows)} levels; each imports only what stands below it. The table says which."
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img" '
        f'aria-label="{html.escape(said)}" style="width:100%;min-width:40rem;max-width:none;height:auto">'
        f"{''.join(drawn)}</svg>"
    )


def table() -> str:
    """The same in words: each package, what it is for, and what it imports, from the top level down."""
    graph = arrows()
    level = levels(graph)
    rows = "".join(
        f"<tr><th scope='row'><code>{name}</code></th><td>{marked(purpose(name))}</td>"
        f"<td>{', '.join(f'<code>{lower}</code>' for lower in sorted(graph[name])) or 'none'}</td></tr>"
        for name in sorted(graph, key=lambda name: (-level[name], name))
    )
    head = "".join(f"<th scope='col'>{title}</th>" for title in ("Package", "What it is for", "Imports"))
    return f"<table class='table'><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


class Packages(SphinxDirective):
    """`{packages}`: takes nothing, shows the picture and its table."""

    def run(self) -> list[nodes.Node]:
        for path in modules().values():
            self.env.note_dependency(str(path))
        drawing = f'<div class="drawing" tabindex="0" style="overflow-x:auto">{picture()}</div>'
        scrolled = f'<div class="pst-scrollable-table-container" tabindex="0">{table()}</div>'
        return [nodes.raw("", drawing + scrolled, format="html")]


def setup(app: Sphinx) -> None:
    app.add_directive("packages", Packages)
