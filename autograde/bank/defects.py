"""Generic defects, wrapped round every reference: the proof that a declared promise is looked at.

Each is a fault that no bank needs to know. Where a component promises what a defect breaks, its check must not give it
full marks; what it cannot see stands in `exceptions.toml` with its reason. Mutation (`mutation`) changes what a
reference computes; this changes how it behaves.

    python -m autograde.bank.defects                     # all exercises, what slips through
    python -m autograde.bank.defects self_attention      # of one
"""

from __future__ import annotations

import math
import random
import tomllib
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from functools import cache, wraps
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from torch import Tensor, nn

from autograde import bank
from autograde.bank.faults import DEFECTS, Defect, forget
from course import checks, fixtures
from course.checks.engine import Observation, Table, Verdict
from course.checks.engine.conditions import applies
from course.checks.engine.declare import Declaration, Fixture
from course.checks.engine.draw import Draw
from course.exercises import Exercise
from course.key import Key
from course.protocol import nests
from course.protocol.student import Local

EXCEPTIONS = Path(__file__).with_name("exceptions.toml")
KEY = Key.public("defects")


def broken(component: Any, declaration: Declaration, fault: Defect) -> Any:
    """The component with a defect."""
    if not isinstance(component, type):

        @wraps(component)
        def function(*arguments: Any, **keywords: Any) -> Any:
            return fault.around(lambda args: component(*args, **keywords), arguments, None)

        return function
    method = declaration.method or "forward"
    right = getattr(component, method)

    def instead(self: Any, *arguments: Any, **keywords: Any) -> Any:
        return fault.around(lambda args: right(self, *args, **keywords), arguments, self)

    changed: dict[str, Any] = {method: instead}
    if (building := fault.building) is not None:

        def build(self: Any, *arguments: Any, **keywords: Any) -> None:
            component.__init__(self, *building(arguments), **keywords)  # type: ignore[misc]

        changed["__init__"] = build
    return type(component.__name__, (component,), changed)


@cache
def exceptions() -> dict[str, dict[str, str]]:
    """exercise -> defect -> why its check need not see it."""
    return tomllib.loads(EXCEPTIONS.read_text("utf-8"))


@cache
def table(exercise: Exercise) -> Table:
    return Table(KEY, bank.observe(exercise, None, KEY), ())


def forbidden(exercise: Exercise) -> Iterator[tuple[Declaration, str]]:
    """The components of an exercise, each with the defects that its promises forbid."""
    check = checks.find(exercise.name, exercise.chapter)
    reference = bank.namespace(exercise)
    for declaration in check.declarations:
        arguments = declaration.arguments(Draw(KEY, exercise.name), declaration.usual)
        component = reference[declaration.component]
        with _filling() as filled:
            results = _results(component, declaration, arguments)
        fills = bool(filled)
        built_with = declaration.new(**declaration.usual) if declaration.new is not None else ()
        learns = declaration.new is not None and _learns(_new(component, declaration))
        for name, fault in DEFECTS.items():
            kind = {"training": "untouched", "mode": "untouched"}.get(fault.condition, fault.condition)
            if not applies(kind, declaration) or fault.condition in declaration.excused:
                continue
            able = {
                "": True,
                "tensors": any(x.is_floating_point() for x in results),
                "results": bool(results),
                "given": bool(nests.tensors(arguments)) and bool(results),
                "arguments": all(any(x.is_floating_point() for x in xs) for xs in (nests.tensors(arguments), results)),
                "numbers": any(x.dtype is not torch.bool for x in nests.tensors(arguments)),
                "module": declaration.new is not None,
                "parameters": learns,
                "optional": bool(declaration.optional),
                "extremes": bool(declaration.extremes),
                "given modules": any(isinstance(_made(x, {}), nn.Module) for x in arguments.values()),
                "holds modules": any(_learns(_made(x, {})) for x in built_with),
                "lengths": list(arguments)[:2] == ["source", "lengths"],
                "fills": fills,
                "apart": declaration.apart,
                "same": bool(declaration.same) and any(x.is_floating_point() for x in results),
            }[fault.of]
            if able:
                yield declaration, name


@contextmanager
def _filling() -> Iterator[list[float]]:
    """The minus infinities that something is filled with meanwhile."""
    filled, seen = Tensor.masked_fill, []

    def noted(x: Tensor, mask: Tensor, value: float) -> Tensor:
        seen.extend([value] * (value == -math.inf))
        return filled(x, mask, value)

    with patch.object(Tensor, "masked_fill", noted):
        yield seen


def _results(component: Any, declaration: Declaration, arguments: dict[str, Any]) -> list[Tensor]:
    """The tensors of an ordinary result of the reference."""
    if any(callable(x) and not isinstance(x, Tensor) for x in arguments.values()):
        return []
    built: dict[int, Any] = {}  # a fixture that stands in two places is one object
    if declaration.new is not None:
        made = _new(component, declaration)
        component = getattr(made, declaration.method) if declaration.method else made
    return nests.tensors(component(*(_made(value, built) for value in arguments.values())))


def _learns(value: Any) -> bool:
    return isinstance(value, nn.Module) and any(True for _ in value.parameters())


def _new(component: Any, declaration: Declaration) -> Any:
    """The declared class built as usual."""
    assert declaration.new is not None
    built: dict[int, Any] = {}
    given = (_made(value, built) for value in declaration.new(**declaration.usual))
    return component(*given, **declaration.keywords)


def _made(value: Any, built: dict[int, Any]) -> Any:
    """An argument; a fixture is made here, once."""
    if not isinstance(value, Fixture):
        return value
    if id(value) not in built:
        built[id(value)] = fixtures.find(value.name)(*(_made(inner, built) for inner in value.arguments))
    return built[id(value)]


def seen(exercise: Exercise, declaration: Declaration, name: str) -> bool:
    """Whether the exercise's check takes points for a defect. Its cases look until one tells."""
    with closing(_looks(exercise, declaration, name)) as observed:
        return not bank.passes(exercise, observed, table(exercise).reference)


def verdict(exercise: Exercise, declaration: Declaration, name: str, table: Table) -> Verdict:
    """The verdict on the reference with a defect round it, against a table of the same key."""
    observed = tuple(_looks(exercise, declaration, name))
    return bank.check_of(exercise).compare(observed, table)


def _looks(exercise: Exercise, declaration: Declaration, name: str) -> Generator[Observation, None, None]:
    """What each case in turn sees of the reference with a defect round it."""
    forget()
    check = bank.check_of(exercise)
    names = bank.namespace(exercise)
    names[declaration.component] = broken(names[declaration.component], declaration, DEFECTS[name])
    student = check.student(Local(names))
    with _restored():
        for index in range(len(check.cases)):
            yield check.look(index, student, KEY)


class _restored:
    """Afterwards all is as it was that a defect changes of the whole process."""

    def __enter__(self) -> None:
        self._states = torch.get_rng_state(), np.random.get_state(), random.getstate()

    def __exit__(self, *_: object) -> None:
        torch.set_grad_enabled(True)
        torch.set_autocast_enabled("cpu", False)
        torch.set_default_dtype(torch.float32)
        for restore, state in zip(
            (torch.set_rng_state, np.random.set_state, random.setstate), self._states, strict=True
        ):
            restore(state)  # type: ignore[operator]


def unseen(exercise: Exercise) -> list[str]:
    """The defects that slip through an exercise's check, exceptions apart."""
    excepted = exceptions().get(exercise.name, {})
    return [
        f"{declaration.component}: {name}"
        for declaration, name in forbidden(exercise)
        if name not in excepted and not seen(exercise, declaration, name)
    ]


def main() -> None:
    for exercise in bank.asked_for(
        "autograde.bank.defects", "Wrap generic defects round each reference, and say which slip through."
    ):
        tried, slipped = list(forbidden(exercise)), unseen(exercise)
        print(f"{exercise.number} {exercise.name}: {len(tried)} defects, {len(slipped)} slip through")
        for line in slipped:
            print(f"    {line}")


if __name__ == "__main__":
    main()
