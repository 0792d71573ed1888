"""What a component takes and promises: the declaration from which the engine makes its conditions (`conditions`).

A chapter's module declares each component once, beside its cases:

    @check.takes("scaled_dot_product_attention", B=2, T=3, S=4, D=5, V=2, same="query key value")
    def _(draw, B, T, S, D, V):
        return {"query": draw.normal(B, T, D), "key": ..., "value": ..., "mask": draw.mask(B, T, S)}

The function makes ordinary arguments, by name and in order, for any sizes of the axes that the keywords name. Every
condition is then a promise, and what a component does not promise it says with a reason (`excused`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from course.checks.engine.draw import Draw

Arguments = dict[str, Any]

_OF_A_KIND = (("ROWS", "COLUMNS"), ("H", "W"), ("T", "S"), ("B", "T"), ("B", "S"), ("B", "N"))


@dataclass(frozen=True)
class Axis:
    """The size of an axis: the usual one, the least that is allowed, and one that is far larger."""

    usual: int
    least: int = 1
    long: int = 70


@dataclass(frozen=True)
class Fixture:
    """An argument, of a call or of a class, that lives beside the student's code: a public helper of
    `course.fixtures`, built with these arguments, of which some may be fixtures too. `load`: a module, with
    drawn weights in evaluation mode; what a class is built with gets its weights with the class."""

    name: str
    arguments: tuple[Any, ...] = ()
    load: bool = True


def shifted(name: str, by: float) -> Callable[[Arguments], Arguments]:
    """An extreme: the argument of that name with so much added to each of its numbers."""
    return lambda given: given | {name: given[name] + by}


def scaled(name: str, by: float) -> Callable[[Arguments], Arguments]:
    """An extreme: the argument of that name, so many times as large."""
    return lambda given: given | {name: given[name] * by}


def far_below_zero(query: str, keys: str, by: float = 2e4, learned: bool = False) -> Callable[[Arguments], Arguments]:
    """An extreme: a query and keys whose products are all far below zero, where no number but minus infinity hides a
    key, and far apart, so that no rounding decides between two of them. Where the products are `learned`, and nobody
    knows their sign, that is so in one half of the batch; in the other they are as far above."""

    def make(given: Arguments) -> Arguments:
        asks = torch.full_like(given[query], by)
        asks[: len(asks) // 2] *= -1 if learned else 1
        steps = torch.arange(1, 1 + given[keys].shape[-2]).unsqueeze(-1)
        return given | {query: asks, keys: -steps * torch.ones_like(given[keys])}

    return make


@dataclass(frozen=True, eq=False)
class Declaration:
    """What one component takes and promises.

    `build(draw, **sizes)` makes its arguments. `new(**sizes)` gives what its class is built with, and `keywords` what
    by name; None for a function. `method` is what is called of it, "" for itself. `same` are names of arguments that
    may be one tensor, `optional` those of arguments that may be None, `spread` those of tensors that may have any shape
    which broadcasts to the one that they are given in, and `turned` settings of its class, or of the function, as they
    are not usually: what a call leaves alone, it leaves alone with each of these too.
    `extremes` are arguments at the ends of what is allowed, by what a learner calls them, each made of ordinary ones.
    `garbage(arguments, fill)` gives them with `fill` wherever the docstring says that a place does not count, for each
    of `fills`. `free` results are right in many forms: their numbers are not compared with the reference's.
    `apart`: what comes back is promised to be new, and lies in no memory of what was given.
    `excused` are conditions that do not apply, each with its reason.
    """

    component: str
    build: Callable[..., Arguments]
    sizes: Mapping[str, Axis]
    new: Callable[..., tuple[Any, ...]] | None = None
    keywords: Mapping[str, Any] = field(default_factory=dict)
    method: str = ""
    same: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    spread: tuple[str, ...] = ()
    turned: Mapping[str, Any] = field(default_factory=dict)
    extremes: Mapping[str, Callable[[Arguments], Arguments]] = field(default_factory=dict)
    garbage: Callable[[Arguments, float], Arguments] | None = None
    fills: tuple[float, ...] = (float("nan"), float("inf"), 1e30)
    free: bool = False
    apart: bool = False
    scale: float | None = 0.5  # of the weights that are drawn for a module; None where a fixture's are all
    tied: str = ""  # weights that an answer may have under a second name: this one's numbers count
    draws: bool = False  # from PyTorch's random numbers, which then go on
    excused: Mapping[str, str] = field(default_factory=dict)

    def arguments(self, draw: Draw, sizes: Mapping[str, int]) -> Arguments:
        """Ordinary arguments. Raises ValueError where the declaration does not fit itself."""
        made = self.build(draw, **sizes)
        for what, names in (("same", self.same), ("optional", self.optional), ("spread", self.spread)):
            if missing := [name for name in names if name not in made]:
                raise ValueError(f"{self.component}: `{what}` names {missing}, and its arguments are {sorted(made)}")
        return made

    @property
    def called(self) -> str:
        """What is called, as a learner writes it."""
        return f"{self.component}.{self.method}" if self.method else self.component

    @property
    def usual(self) -> dict[str, int]:
        return {name: axis.usual for name, axis in self.sizes.items()}

    @property
    def alike(self) -> dict[str, int]:
        """One size for all axes, as small as any of them may be, and no less than 3."""
        return dict.fromkeys(self.sizes, max([3, *(axis.least for axis in self.sizes.values())]))

    def variations(self) -> dict[str, dict[str, int]]:
        """Sizes at which code breaks that is right at the usual ones, by what a learner calls them: two exchanged,
        which keeps their product and their sum, right after the usual ones; each axis at its least, all of them, all
        alike, and each one far larger."""
        made = {
            f"{a} and {b} exchanged": self.usual | {a: self.usual[b], b: self.usual[a]} for a, b in self._exchanged()
        }
        at_least = {name: axis.least for name, axis in self.sizes.items() if axis.least < axis.usual}
        made |= {f"{name} = {least}": self.usual | {name: least} for name, least in at_least.items()}
        if len(at_least) > 1:
            made["all sizes at their least"] = self.usual | at_least
        if len(self.sizes) > 1:
            made["all sizes alike"] = self.alike
        for name, axis in self.sizes.items():
            if axis.long > axis.usual:
                made[f"{name} = {axis.long}"] = self.usual | {name: axis.long}
        return made

    def _exchanged(self) -> list[tuple[str, str]]:
        """The first two axes of the same kind, if any are, whose sizes may stand in each other's place."""
        pairs = [pair for pair in _OF_A_KIND if set(pair) <= self.sizes.keys()]
        may = [
            (a, b) for a, b in pairs if self.sizes[a].least <= self.usual[b] and self.sizes[b].least <= self.usual[a]
        ]
        return [(a, b) for a, b in may if self.usual[a] != self.usual[b]][:1]
