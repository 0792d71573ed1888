"""The conditions under which code goes wrong, made for every declared component (`declare`).

Two ask for the reference's numbers: other sizes, and gradients. All others ask whether an answer agrees with itself, so
that what is wrong everywhere is told once, by the cases. What each tries stands in `probes`, what is said of that in
`explanations`. PyTorch tests its own operators so (`OpInfo`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from course.checks.engine import explanations, probes
from course.checks.engine.agreement import ATOL, RTOL
from course.checks.engine.case import Case, Explain
from course.checks.engine.declare import Declaration, Fixture
from course.checks.engine.draw import Draw
from course.checks.engine.subject import Subject, is_called_back, is_floating
from course.checks.engine.table import Observation
from course.key import Key
from course.protocol import nests
from course.protocol.student import Student
from course.protocol.untouched import DRAWN

REDUNDANT = Path(__file__).parents[1] / "redundant.json"


@dataclass(frozen=True)
class Condition:
    """A line of a check that is made for every component: its title, what looks, and what is said of what it saw.

    `contract` is a `Case`'s. What `agrees` asks whether an answer agrees with itself: of the reference, always.
    """

    title: str
    look: Callable[[Subject], dict[str, Any]]
    explain: Explain
    contract: bool = True
    agrees: bool = True


CONDITIONS: dict[str, Condition] = {
    "sizes": Condition(
        "any size: one, far larger, all alike", probes.sizes, explanations.say_sizes, contract=False, agrees=False
    ),
    "gradients": Condition(
        "gradients reach all that learns", probes.gradients, explanations.say_gradients, contract=False, agrees=False
    ),
    "layout": Condition("any layout in memory, and one tensor given twice", probes.layout, explanations.say_layout),
    "again": Condition("called again, and in training mode", probes.again, explanations.say_again),
    "untouched": Condition("nothing else is changed", probes.untouched, explanations.say_untouched),
    "float64": Condition("float64 all the way", probes.float64, explanations.say_float64),
    "ignored": Condition("what does not count changes nothing", probes.ignored, explanations.say_ignored),
    "device": Condition("on another device", probes.elsewhere, explanations.say_elsewhere),
}
EXCUSABLE = {*CONDITIONS, "training", "mode", "state"}  # parts of "again" and "untouched"
WEIGHT = 0.5  # of each
_PROBE = Key.public("which conditions apply")


@cache
def cases(declarations: tuple[Declaration, ...]) -> dict[str, Case]:
    """The conditions of a check's components: a case for each kind that applies to any of them."""
    asked = {kind: [d for d in declarations if applies(kind, d)] for kind in CONDITIONS}
    return {kind: _case(CONDITIONS[kind], those) for kind, those in asked.items() if those}


@cache
def redundant() -> dict[str, frozenset[str]]:
    """exercise -> kinds that its check does without, because other cases catch all that they do
    (`autograde.bank.redundant` finds them). Raises ValueError for a kind that there is none of."""
    kinds_of = {name: frozenset(kinds) for name, kinds in json.loads(REDUNDANT.read_text("utf-8")).items()}
    if unknown := frozenset().union(*kinds_of.values()) - CONDITIONS.keys():
        raise ValueError(f"{REDUNDANT} names conditions that there are none of: {sorted(unknown)}")
    return kinds_of


def applies(kind: str, declaration: Declaration) -> bool:
    """Whether a condition says anything of a component: by what it takes, and what it is excused from."""
    if kind in declaration.excused:
        return False
    arguments = declaration.arguments(Draw(_PROBE, declaration.component), declaration.usual)
    tensors = nests.tensors(list(arguments.values()))
    return {
        "sizes": bool(declaration.variations() or declaration.extremes),
        "gradients": declaration.new is not None or any(map(is_floating, arguments.values())),
        "layout": any(tensor.ndim for tensor in tensors),
        "float64": any(map(is_floating, tensors)),
        "ignored": declaration.garbage is not None,
        "device": bool(tensors)
        and not any(isinstance(value, Fixture) or is_called_back(value) for value in arguments.values()),
    }.get(kind, True)


def by_chance(check_cases: Sequence[Case], seen: Sequence[Observation]) -> dict[int, str]:
    """Index of a case -> what is said of it where an answer draws random numbers though it may not, and is another from
    call to call: whether it agrees with itself in anything else cannot be seen then, and the cause is told once."""
    values = [(i, name, value) for i, each in enumerate(seen) for name, value in each.values.items()]
    draws = {i for i, _, value in values if isinstance(value, str) and DRAWN in value}
    if not draws or not any(name.endswith(probes.SECOND) and value for _, name, value in values):
        return {}
    return {i: explanations.BY_CHANCE for i, case in enumerate(check_cases) if case.agrees and i not in draws}


def _case(condition: Condition, declarations: Sequence[Declaration]) -> Case:
    """The case of one condition, for all components that are asked for it."""

    def prefix(declaration: Declaration) -> str:
        return f"{declaration.called}: " if len(declarations) > 1 else ""

    def look(student: Student, draw: Draw) -> dict[str, Any]:
        seen: dict[str, Any] = {}
        for declaration in declarations:
            tried = condition.look(Subject(declaration, student, draw))
            for name, value in tried.items():
                hidden = name.startswith("_")
                seen[f"{'_' if hidden else ''}{prefix(declaration)}{name.removeprefix('_')}"] = value
        return seen

    def explain(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
        for declaration in declarations:
            start = prefix(declaration)
            own, right = (
                {name.removeprefix(start): value for name, value in values.items() if name.startswith(start)}
                for values in (observed, expected)
            )
            if (sentence := condition.explain(own, right)) is not None:
                return f"`{declaration.called}`: {sentence}" if start else sentence
        return None

    atol = 1e-4 if condition is CONDITIONS["gradients"] else ATOL
    contract = condition.contract or all(declaration.free for declaration in declarations)
    return Case(condition.title, look, WEIGHT, explain, atol, RTOL, contract, condition.agrees)
