"""What an answer in a notebook is owed before it can pass: components that it uses and nobody has written yet."""

import ast
import builtins
import contextlib
import functools
import inspect
import sys
import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from course.blank import blank, left_to_write, unwritten
from course.exercises import Exercise, asking_for, of_component
from course.learner import components, standalone


def unanswered(exercise: Exercise, answers: dict[str, Any]) -> bool:
    """Whether the answers are still the stub, or less, as their text says. What has no text that can be found, such as
    a lambda, is an answer. A program with a fault to be found is one too: its check shows the fault."""
    trees = [_tree(answer) for answer in answers.values()]
    body = [statement for tree in trees if tree is not None for statement in tree.body]
    return None not in trees and blank(ast.Module(body, []), ast.parse(exercise.stub))


def untouched(exercise: Exercise, answers: dict[str, Any]) -> bool:
    """Whether the answers are the program with a fault that the notebook gave, docstrings and comments aside."""
    trees = [_tree(answer) for answer in answers.values()]
    text = "\n".join(ast.unparse(tree) for tree in trees if tree is not None)
    return None not in trees and left_to_write(text) == left_to_write(exercise.stub)


@dataclass
class Owed:
    """What an answer rests on that is not its own: components that are `missing`, with their exercise and what of them
    is not there, and others of the notebook that are `written`. `own` is what of the answer itself is not written."""

    own: list[str] = field(default_factory=list)
    missing: dict[str, tuple[Exercise, list[str]]] = field(default_factory=dict)
    absent: set[str] = field(default_factory=set)  # of these, what the notebook has not even a stub of
    written: dict[str, Exercise] = field(default_factory=dict)
    places: list[tuple[dict[str, Any], str, str]] = field(default_factory=list)  # a namespace, a name in it, for what

    def way_on(self) -> str:
        """What still has to be written, and the way on; "" where nothing does."""
        sentences = [f"Not written yet: `{'`, `'.join(self.own)}`."] if self.own else []
        if self.missing:
            names, numbers = ", ".join(self.missing), _listed(_numbers(of for of, _ in self.missing.values()))
            quoted = ", ".join(f'"{name}"' for name in self.missing)
            sentences.append(
                f"It uses {self._uses()}. Solve {numbers} first and run this check again. Or go on with the reference: "
                f"run `from course import use_reference; use_reference({quoted})` and `from course.components import "
                f"{names}` in a cell of their own, then this check."
            )
        return " ".join(sentences)

    def stands(self, stood_in: list[Exercise]) -> str:
        """What is said of an answer that was judged with the references of these exercises in place."""
        missing = {of for of, _ in self.missing.values()}
        uses = self._uses() if missing else ""
        wrong = [name for name, of in self.written.items() if of in stood_in and of not in missing]
        written = _listed([f"`{name}` (exercise {self.written[name].number})" for name in wrong])
        if written:
            written += ", which is not right yet" if len(wrong) == 1 else ", not all of which are right yet"
        return f"Judged with the reference in place of {_listed(list(filter(None, [uses, written])))}."

    def _uses(self) -> str:
        def named(there: bool) -> str:
            those = [(of, parts) for name, (of, parts) in self.missing.items() if (name not in self.absent) == there]
            return _listed([f"`{'`, `'.join(parts)}` (exercise {of.number})" for of, parts in those])

        blank, absent = named(True), named(False)
        return _listed([f"{blank}, not written yet"] * bool(blank) + [f"{absent}, not imported here"] * bool(absent))

    def choices(self) -> list[set[str]]:
        """What references may stand in for: what is missing, and then all that the answer rests on."""
        return [
            names for names in ({*self.missing}, {*self.missing, *self.written} if self.written else set()) if names
        ]

    @contextlib.contextmanager
    def in_place(self, names: set[str]) -> Iterator[list[Exercise]]:
        """Puts the references of these components in their place, wherever they are installed, for as long as it lasts;
        gives the exercises whose reference stands in."""
        absent = object()
        before: list[tuple[dict[str, Any], str, Any]] = []
        stood_in: list[Exercise] = []
        try:
            for namespace, name, component in self.places:
                if component in names and (reference := _reference(component)) is not None:
                    before.append((namespace, name, namespace.get(name, absent)))
                    namespace[name] = reference
                    stood_in.append(of_component(component))
            yield list(dict.fromkeys(stood_in))
        finally:
            for namespace, name, value in reversed(before):
                if value is absent:
                    del namespace[name]
                else:
                    namespace[name] = value


def owed(exercise: Exercise, answers: dict[str, Any]) -> Owed:
    """What the answers still need, of themselves and of earlier exercises."""
    owing = Owed()
    for reached in _reached(answers):
        tree = reached.tree
        if reached.name in answers:
            owing.own += unwritten(tree) if tree is not None else []
            continue
        component = reached.name
        if (of := asking_for(component)) is None:
            component, of = reached.defined_as, asking_for(reached.defined_as)
        if of is None or of == exercise or (tree is not None and of.chapter != exercise.chapter):
            continue
        missing = [component] if tree is None or blank(tree, ast.parse(of.stub)) else unwritten(tree)
        if missing:
            owing.missing[component] = of, missing
            owing.absent |= {component} if tree is None else set()
        else:
            owing.written[component] = of
        if reached.namespace is not None:
            owing.places.append((reached.namespace, reached.name, component))
    return owing


def _reference(component: str) -> Any:
    """The reference for a component, None where it is not installed."""
    try:
        return components.reference(component, of_component(component))
    except ImportError:
        return None


def _numbers(of: Iterable[Exercise]) -> list[str]:
    return sorted(
        {exercise.number for exercise in of}, key=lambda number: [part.zfill(3) for part in number.split(".")]
    )


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def _tree(value: Any) -> ast.Module | None:
    """The text of a function or class as a tree, None where none can be found."""
    if not isinstance(value, (type, types.FunctionType)):
        return None
    try:
        return ast.parse(standalone.source_of(value))
    except (OSError, ValueError, SyntaxError):
        return None


def _bare(value: Any) -> Any:
    """The function or class behind an instance, a `functools.partial` and what `functools.wraps` has wrapped."""
    while isinstance(value, functools.partial):
        value = value.func
    value = inspect.unwrap(value) if callable(value) else value
    return value if isinstance(value, (type, types.FunctionType)) else type(value)


@dataclass(frozen=True)
class _Reached:
    """A function or class of the notebook that an answer reaches: the name that it goes by, the one that it was defined
    by, its text, and the namespace in which another may stand in its place: None where it is wrapped in something. A
    component that is not there at all has no text."""

    name: str
    defined_as: str
    tree: ast.Module | None
    namespace: dict[str, Any] | None


def _reached(answers: dict[str, Any]) -> Iterator[_Reached]:
    """What the answers reach of the notebook, themselves first."""
    notebook = {"__main__", *standalone.own_modules(), *(getattr(a, "__module__", None) for a in answers.values())}
    main = vars(sys.modules["__main__"])
    todo: list[tuple[str, Any, dict[str, Any] | None]] = [(name, value, None) for name, value in answers.items()]
    seen = set[int]()
    while todo:
        name, given, namespace = todo.pop(0)
        value = _bare(given)
        tree = _tree(value) if getattr(value, "__module__", None) in notebook else None
        if tree is None or id(value) in seen:
            continue
        seen.add(id(value))
        yield _Reached(name, value.__name__, tree, namespace if value is given else None)
        own = standalone.globals_of(value)
        for free in standalone.free_names(ast.unparse(tree)):
            if free in own or free in main:
                holder = own if free in own else main
                todo.append((free, holder[free], holder))
            elif not hasattr(builtins, free) and asking_for(free) is not None:
                yield _Reached(free, free, None, own or main)
