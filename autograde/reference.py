"""The reference answers as source text: what stands in a solved notebook's cells.

An answer is the definition of that name in `solutions/<chapter>.py`, with every private helper it reaches.
"""

import ast
import importlib
from collections.abc import Collection
from functools import cache
from pathlib import Path
from types import ModuleType

from course.chapters import Unfinished
from course.exercises import exercises


def module(chapter: str) -> ModuleType:
    """The solution module of a chapter, for example "bahdanau". Raises Unfinished where there is none."""
    try:
        # When it is asked for: where one chapter is read, the others need not be there.
        return importlib.import_module(f"solutions.{chapter}")
    except ModuleNotFoundError as error:
        if error.name != f"solutions.{chapter}":
            raise
        raise Unfinished(f"solutions/{chapter}.py is missing: the chapter's reference answers stand there") from None


def held(assignment: str) -> list[str]:
    """The chapters whose references an assignment's sandbox holds: those before it, and none that it asks for."""
    return sorted({e.chapter for e in exercises() if e.notebook < assignment})


@cache
def _definitions(chapter: str) -> dict[str, tuple[str, frozenset[str]]]:
    """Each top-level definition or constant of the module: its source and the names it mentions, in file order."""
    whole = text(chapter)
    lines = whole.splitlines()
    definitions = {}
    for node in ast.parse(whole).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            name, first = node.name, min([node.lineno, *(d.lineno for d in node.decorator_list)])
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name, first = node.targets[0].id, node.lineno
        else:
            continue
        mentioned = frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name))
        definitions[name] = ("\n".join(lines[first - 1 : node.end_lineno]), mentioned)
    return definitions


def reached(chapter: str, components: tuple[str, ...]) -> set[str]:
    """The module's names that these components reach, themselves included, through any depth."""
    definitions, seen, todo = _definitions(chapter), set(), list(components)
    while todo:
        name = todo.pop()
        if name in definitions and name not in seen:
            seen.add(name)
            todo.extend(definitions[name][1])
    return seen


def text(chapter: str) -> str:
    """The whole module of a chapter."""
    return Path(str(module(chapter).__file__)).read_text("utf-8")


def names(chapter: str) -> list[str]:
    """What the module of a chapter defines, in file order."""
    return list(_definitions(chapter))


def imported(chapter: str, wanted: Collection[str]) -> dict[str, set[str]]:
    """Chapter -> the names of its module that these definitions of another chapter's mention."""
    mentioned: dict[str, set[str]] = {}
    for node in _imports(chapter, wanted):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("solutions."):
            of = str(node.module).removeprefix("solutions.")
            mentioned.setdefault(of, set()).update(alias.name for alias in node.names)
    return mentioned


def alone(chapter: str, wanted: Collection[str]) -> str:
    """A module that holds these definitions, as they stand in the chapter's, and the imports that they need."""
    definitions = _definitions(chapter)
    head = [f'"""References of chapter `{chapter}` that later ones need."""']
    imports = "\n".join(ast.unparse(node) for node in _imports(chapter, wanted))
    return (
        "\n\n\n".join([*head, imports, *(source for name, (source, _) in definitions.items() if name in wanted)]) + "\n"
    )


def _imports(chapter: str, wanted: Collection[str]) -> list[ast.stmt]:
    """The module's import statements, with those names alone that these definitions mention."""
    definitions = _definitions(chapter)
    mentioned = set().union(*(definitions[name][1] for name in wanted if name in definitions))
    kept: list[ast.stmt] = []
    for node in ast.parse(text(chapter)).body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            node.names = [alias for alias in node.names if (alias.asname or alias.name.partition(".")[0]) in mentioned]
            kept += [node] if node.names else []
    return kept


def source(chapter: str, components: tuple[str, ...]) -> str:
    """The text of an answer cell: the components and every private helper they reach, in file order.

    Raises Unfinished where the module lacks a component.
    """
    definitions = _definitions(chapter)
    missing = [component for component in components if component not in definitions]
    if missing:
        raise Unfinished(f"solutions/{chapter}.py has no {', '.join(missing)}")
    wanted, todo = set(), list(components)
    while todo:
        name = todo.pop()
        if name not in wanted:
            wanted.add(name)
            todo.extend(n for n in definitions[name][1] if n in definitions and n.startswith("_"))
    return "\n\n\n".join(text for name, (text, _) in definitions.items() if name in wanted)
