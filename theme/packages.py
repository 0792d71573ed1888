"""The project's packages as their imports tie them: one reading of the source, for the page and for the tests.

`{packages}` draws the picture on the page "How it is built": a box for each package, on the lowest level that stands
above all it imports. Drawn when the book is built, so that it cannot differ from the code. The tests hold the same
reading against what each package may import.
"""

from __future__ import annotations

import ast
import html
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib.util import resolve_name
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from course.wording import marked
from theme.notebooks import ROOT

# The packages of the picture. A module belongs to the longest of these names that its own begins with. What stands in
# `course` itself makes two boxes: what all others may use, and what uses the others.
PACKAGES = (
    "course (entry)", "course", "course.data", "course.protocol", "course.checks.engine", "course.checks",
    "course.learner", "course.figures", "solutions", "training",
    "autograde", "autograde.intake", "autograde.sandbox", "autograde.bank", "autograde.grading", "autograde.gradebook",
    "autograde.reports", "autograde.terminal", "autograde.cli",
    "benchmarks", "theme", "tools",
)  # fmt: skip
# Modules that start something stand with what they start, wherever they lie.
ENTRY = {
    "course (entry)": ("course", "course.components"),
    "autograde.cli": ("autograde.__main__", "autograde.bank.__main__"),
}
PURPOSES = {
    "course (entry)": "What a notebook imports: `course` and `course.components`.",
    "course": "What the course rests on: the list of exercises, hints and keys, files, and modules for notebooks.",
    "autograde": "What the grader rests on: a class's folders and ledger, who may read its files, safe texts.",
    "solutions": "The reference answers, one module a chapter, and nothing else.",
}
TOP = {name.split(".")[0] for name in PACKAGES if name not in ENTRY}


@dataclass(frozen=True)
class Import:
    """A line that imports one of our modules: who imports whom, where, whether it stands inside a function, and whether
    the name is put together only when it runs, as `import_module(f"solutions.{chapter}")` does: then it may be any."""

    importer: str
    imported: str
    path: Path
    line: int
    inside: bool
    by_name: bool

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT).as_posix()}:{self.line} imports {self.imported}"


@cache
def modules() -> dict[str, Path]:
    """Dotted name -> file, of every module of the packages."""
    by_name = {}
    for top in sorted(TOP):
        for path in sorted((ROOT / top).rglob("*.py")):
            relative = path.relative_to(ROOT)
            if (path.parent / "__init__.py").exists() or path.parent == ROOT / top:  # solutions has none
                parts = relative.with_suffix("").parts
                by_name[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return by_name


@cache
def imports() -> tuple[Import, ...]:
    """Every import of one of our modules by another, inside functions too; what only types need is left out."""
    return tuple(
        Import(name, imported, path, line, inside, by_name)
        for name, path in modules().items()
        for imported, line, inside, by_name in _imports_of(
            ast.parse(path.read_text("utf-8")), name if path.name == "__init__.py" else name.rpartition(".")[0]
        )
        if imported != name
    )


def _imports_of(tree: ast.Module, package: str) -> Iterator[tuple[str, int, bool, bool]]:
    def walk(node: ast.AST, inside: bool) -> Iterator[tuple[str, int, bool, bool]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            if isinstance(child, ast.Import):
                for alias in child.names:
                    if alias.name.split(".")[0] in TOP:
                        yield alias.name, child.lineno, inside, False
            elif isinstance(child, ast.ImportFrom):
                base = resolve_name("." * child.level + (child.module or ""), package)
                for alias in child.names if base.split(".")[0] in TOP else ():
                    full = f"{base}.{alias.name}"
                    yield full if full in modules() else base, child.lineno, inside, False
            elif isinstance(child, ast.Call) and ast.unparse(child.func).endswith("import_module"):
                match child.args:
                    case [ast.Constant(value=name)] if name in modules():
                        yield name, child.lineno, inside, False
                    case [ast.JoinedStr(values=[ast.Constant(value=str(start)), *_])]:
                        for name in modules():
                            if name.startswith(start):
                                yield name, child.lineno, inside, True
            yield from walk(child, inside or isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)))

    return walk(tree, False)


def package_of(module: str) -> str:
    """The package of the picture that a module belongs to."""
    for name, members in ENTRY.items():
        if module in members:
            return name
    return max((p for p in PACKAGES if module == p or module.startswith(f"{p}.")), key=len)


def arrows(between: Iterable[Import] | None = None) -> dict[str, set[str]]:
    """package -> the other packages that it imports."""
    below: dict[str, set[str]] = {name: set() for name in PACKAGES}
    for each in imports() if between is None else between:
        importer, imported = package_of(each.importer), package_of(each.imported)
        if importer != imported:
            below[importer].add(imported)
    return below


def levels(graph: dict[str, set[str]]) -> dict[str, int]:
    """node -> its level, one above the highest that it leads to. Raises ValueError naming the nodes of a circle."""
    level: dict[str, int] = {}
    try:
        for node in TopologicalSorter(graph).static_order():
            level[node] = 1 + max((level[lower] for lower in graph[node]), default=0)
    except CycleError as error:
        raise ValueError("a circle of imports: " + " -> ".join(reversed(error.args[1]))) from None
    return level


def needed(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """The arrows without those that a longer way says already."""

    def reached(node: str) -> set[str]:
        return graph[node].union(*map(reached, graph[node]))

    return {node: lower - set().union(*map(reached, lower)) for node, lower in graph.items()}


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
