"""The imports between the project's packages, as the source says them: one reading, for the picture and for the tests.

`theme/packages.py` draws it on the page "How it is built"; tests/project/test_imports.py holds it against what each
package may import.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib.util import resolve_name
from pathlib import Path

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
