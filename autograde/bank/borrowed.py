"""Mistakes that one exercise's bank knows, asked of every other exercise whose reference has a place for them.

A wrong answer that departs from its reference in a single expression is a rule: `torch.softmax(a, dim=2)` becomes
`torch.softmax(a, dim=1)`, where `a` is any name or attribute. Wherever the expression stands in another reference, the
rule makes a wrong answer of that one. What its check lets through is a hole, unless `borrowed.toml` says why it is
right after all.

    python -m autograde.bank.borrowed                  # all exercises, what slips through
    python -m autograde.bank.borrowed fix_the_leak     # of one
"""

from __future__ import annotations

import ast
import builtins
import copy
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from autograde import bank, reference
from autograde.bank import mutation
from course.exercises import Exercise, tasks
from course.key import Key

RIGHT_AFTER_ALL = Path(__file__).with_name("borrowed.toml")
KEY = Key.public("borrowed")
_ENOUGH = (ast.Call, ast.BinOp, ast.Compare, ast.Subscript, ast.IfExp)  # a constant alone is no rule
_GIVEN = {"annotation", "returns", "decorator_list"}
Bound = dict[str, ast.expr]


@dataclass(frozen=True)
class Rule:
    """What stands in a reference, what stands there in a wrong answer, and the exercise whose bank knows it."""

    before: ast.expr
    after: ast.expr
    exercise: str


@dataclass(frozen=True)
class Borrowed:
    """A wrong answer made by another exercise's rule. `name` stays the same as long as the reference does."""

    name: str
    source: str


def borrowed(exercise: Exercise) -> list[Borrowed]:
    """The wrong answers that other exercises' rules make of a reference, without those that its bank or its mutants
    have already."""
    tree, literal = _tree(reference.source(exercise.chapter, exercise.components)), _literal(exercise.chapter)
    places = list(enumerate(_expressions(tree)))
    made: dict[str, Borrowed] = {}
    for rule in rules():
        if rule.exercise == exercise.name:
            continue
        for at, (function, node) in places:
            bound: Bound = {}
            if type(node) is not type(rule.before) or not _fits(rule.before, node, bound, literal):
                continue
            filled = _filled(rule.after, bound, literal)
            if filled is None or ast.dump(filled) == ast.dump(node):
                continue
            source = _with(tree, at, filled)
            name = f"{function}: {ast.unparse(node)} -> {ast.unparse(filled)}"
            made.setdefault(source, Borrowed(name, source))
    if made:  # its own are many, and to write each takes as long as all before
        own = [mutant.source for mutant in mutation.mutants(exercise)]
        for source in (*own, *(answer.source for answer in bank.find(exercise).wrong)):
            made.pop(_text(source), None)
    return list(made.values())


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule that a bank's wrong answers give."""
    rules: dict[tuple[str, str], Rule] = {}
    for exercise in tasks():
        right = _tree(reference.source(exercise.chapter, exercise.components))
        for answer in bank.find(exercise).wrong:
            if pair := _apart(right, _tree(answer.source)):
                key = (ast.dump(pair[0]), ast.dump(pair[1]))
                rules.setdefault(key, Rule(*pair, exercise.name))
    return tuple(rules.values())


def accepted(exercise: Exercise) -> list[str]:
    """The names of the borrowed mistakes that earn full marks."""
    right = bank.observe(exercise, None, KEY)
    return [
        each.name
        for each in borrowed(exercise)
        if bank.passes(exercise, bank.observe(exercise, each.source, KEY), right)
    ]


@cache
def right_after_all() -> dict[str, dict[str, str]]:
    """exercise -> {name of a change that is no mistake there: why}."""
    return tomllib.loads(RIGHT_AFTER_ALL.read_text("utf-8"))


def _tree(source: str) -> ast.Module:
    """The source without docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return tree


def _text(source: str) -> str:
    return ast.unparse(_tree(source))


@cache
def _literal(chapter: str) -> frozenset[str]:
    """Names that stand for themselves in a rule: modules, and what Python has built in."""
    names = vars(reference.module(chapter)).items()
    modules = {name for name, value in names if isinstance(value, ModuleType)}
    return frozenset({"self", *modules, *vars(builtins)})


def _fields(node: ast.AST) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in ast.iter_fields(node) if name not in ("ctx", *_GIVEN)]


def _expressions(node: ast.AST, function: str = "") -> Iterator[tuple[str, ast.expr]]:
    """(name of the function around it, expression) of a tree in a fixed order, without annotations and decorators."""
    function = node.name if isinstance(node, ast.FunctionDef) else function
    for _, value in _fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.expr):
                yield function, child
            if isinstance(child, ast.AST):
                yield from _expressions(child, function)


def _apart(one: ast.AST, other: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    """The smallest pair of expressions in which two trees differ, or None where they differ in more than one place."""
    here = (one, other) if isinstance(one, _ENOUGH) and isinstance(other, ast.expr) else None
    if type(one) is not type(other):
        return here
    differing: list[tuple[Any, Any]] = []
    for (_, a), (_, b) in zip(_fields(one), _fields(other), strict=True):
        if isinstance(a, list) and len(a) == len(b):
            differing += [(x, y) for x, y in zip(a, b, strict=True) if _dump(x) != _dump(y)]
        elif _dump(a) != _dump(b):
            differing.append((a, b))
    if len(differing) == 1 and all(isinstance(each, ast.AST) for each in differing[0]):
        return _apart(*differing[0]) or here
    return here


def _dump(value: Any) -> str:
    return ast.dump(value) if isinstance(value, ast.AST) else repr(value)


def _variable(node: ast.AST, literal: frozenset[str]) -> str:
    """The name under which an expression stands for any other in a rule, or "": `x` does, and so does `self.x`."""
    if isinstance(node, ast.Name):
        return "" if node.id in literal else node.id
    own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return ast.unparse(node) if own else ""


def _fits(rule: Any, node: Any, bound: Bound, literal: frozenset[str]) -> bool:
    """Whether an expression has a rule's form; `bound` then says what its variables stand for."""
    if isinstance(rule, ast.AST) and (name := _variable(rule, literal)):
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return False
        return _dump(bound.setdefault(name, node)) == _dump(node)
    if type(rule) is not type(node):
        return False
    if isinstance(rule, ast.AST):
        if isinstance(rule, ast.Call) and _variable(rule.func, literal) and _dump(rule.func) != _dump(node.func):
            return False  # what is called must be the same: every function of two arguments is alike
        return all(_fits(a, b, bound, literal) for (_, a), (_, b) in zip(_fields(rule), _fields(node), strict=True))
    if isinstance(rule, list):
        return len(rule) == len(node) and all(_fits(a, b, bound, literal) for a, b in zip(rule, node, strict=True))
    return rule == node


def _filled(after: ast.expr, bound: Bound, literal: frozenset[str]) -> ast.expr | None:
    """What a rule puts in the place, or None where it speaks of what the place does not have."""
    missing = False

    class Fill(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> Any:
            nonlocal missing
            if name := _variable(node, literal):
                missing |= name not in bound
                return copy.deepcopy(bound.get(name, node))
            return self.generic_visit(node)

    filled = Fill().visit(copy.deepcopy(after))
    return None if missing else filled


def _with(tree: ast.Module, at: int, filled: ast.expr) -> str:
    """The source with another expression in the place of that number."""
    changed = copy.deepcopy(tree)
    _, place = list(_expressions(changed))[at]

    class Put(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> Any:
            return filled if node is place else self.generic_visit(node)

    return ast.unparse(ast.fix_missing_locations(Put().visit(changed)))


def main() -> None:
    for exercise in bank.asked_for(
        "autograde.bank.borrowed", "Ask each exercise the mistakes that the banks of others know."
    ):
        right, slipped = right_after_all().get(exercise.name, {}), accepted(exercise)
        print(f"{exercise.number} {exercise.name}: {len(borrowed(exercise))} borrowed, {len(slipped)} get full marks")
        for name in slipped:
            print(f"    {name}{f'  ({right[name]})' if name in right else ''}")


if __name__ == "__main__":
    main()
