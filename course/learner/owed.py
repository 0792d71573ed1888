"""What an answer in a notebook is owed before it can pass: components that it uses and nobody has written yet."""

import ast
import functools
import inspect
import sys
import types
from collections.abc import Iterator
from typing import Any

from course.blank import blank, unwritten
from course.exercises import Exercise, exercises
from course.learner import components


def unanswered(exercise: Exercise, answers: dict[str, Any]) -> bool:
    """Whether the answers are still the stub, or less, as their text says. What has no text that can be found, such as
    a lambda, is an answer. A program with a fault to be found is one too: its check shows the fault."""
    trees = [_tree(answer) for answer in answers.values()]
    body = [statement for tree in trees if tree is not None for statement in tree.body]
    return None not in trees and blank(ast.Module(body, []), ast.parse(exercise.stub))


def message(exercise: Exercise, answers: dict[str, Any]) -> str:
    """What still has to be written, of the answer itself and of earlier exercises that it uses, and the way on; ""
    where nothing does."""
    own: list[str] = []
    earlier: dict[str, tuple[Exercise, list[str]]] = {}
    for name, defined_as, tree in _reached(answers):
        if name in answers:
            own += unwritten(tree)
            continue
        if (of := _exercise(exercise.chapter, name)) is None:
            name, of = defined_as, _exercise(exercise.chapter, defined_as)
        if of is not None and of != exercise:
            missing = [name] if blank(tree, ast.parse(of.stub)) else unwritten(tree)
            if missing:
                earlier[name] = of, missing
    sentences = [f"Not written yet: `{'`, `'.join(own)}`."] if own else []
    if earlier:
        uses = _listed([f"`{'`, `'.join(missing)}` (exercise {of.number})" for of, missing in earlier.values()])
        names, numbers = ", ".join(earlier), _listed(sorted({of.number for of, _ in earlier.values()}))
        quoted = ", ".join(f'"{name}"' for name in earlier)
        sentences.append(
            f"It uses {uses}, not written yet. Solve {numbers} first and run this check again. Or go on with the "
            f"reference: run `from course import use_reference; use_reference({quoted})` and `from course.components "
            f"import {names}` in a cell of their own, then this check."
        )
    return " ".join(sentences)


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _exercise(chapter: str, component: str) -> Exercise | None:
    return next((e for e in exercises() if e.chapter == chapter and component in e.components and not e.question), None)


def _tree(value: Any) -> ast.Module | None:
    """The text of a function or class as a tree, None where none can be found."""
    if not isinstance(value, (type, types.FunctionType)):
        return None
    try:
        return ast.parse(components._source(value))
    except (OSError, ValueError, SyntaxError):
        return None


def _bare(value: Any) -> Any:
    """The function or class behind an instance, a `functools.partial` and what `functools.wraps` has wrapped."""
    while isinstance(value, functools.partial):
        value = value.func
    value = inspect.unwrap(value) if callable(value) else value
    return value if isinstance(value, (type, types.FunctionType)) else type(value)


def _reached(answers: dict[str, Any]) -> Iterator[tuple[str, str, ast.Module]]:
    """The functions and classes of the notebook that the answers reach, themselves first: the name that each goes by,
    the one that it was defined by, and its text."""
    notebook = {"__main__", *components._own_modules(), *(getattr(a, "__module__", None) for a in answers.values())}
    todo, seen = list(answers.items()), set[int]()
    while todo:
        name, value = todo.pop(0)
        value = _bare(value)
        tree = _tree(value) if getattr(value, "__module__", None) in notebook else None
        if tree is None or id(value) in seen:
            continue
        seen.add(id(value))
        yield name, value.__name__, tree
        scope = {**vars(sys.modules["__main__"]), **components._globals(value)}
        todo += [(free, scope[free]) for free in components._free_names(ast.unparse(tree)) if free in scope]
