"""What of a wrong answer rests on rounding or on time, and so on the processor: learners' tables leave it open.

A table is recorded on one machine and compared on all. Sums are added in another order elsewhere, which moves a right
answer by less than any tolerance; a wrong one, where a sum just misses 1 or scores of 100,000 cancel, it can move by
more, and the answer would lose its name there. So each is observed a second time with sums and exponentials that are
rounded up or down at random, as Monte Carlo arithmetic does (Parker, 1997), and with a clock that ticks when it is
read, by which durations that differ are alike. What departs by more than the tolerance counts as unsteady.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from unittest import mock

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from autograde import bank
from course.checks.engine.case import Case
from course.checks.engine.compare import difference, same_value
from course.checks.engine.of_tests import CheckOfTest
from course.checks.engine.table import UNSTEADY, Diagnosis, Observation, Table
from course.exercises import Exercise
from course.protocol import nests
from course.protocol.student import Local

_aten = torch.ops.aten
_ROUNDED = {
    _aten.mm, _aten.bmm, _aten.addmm, _aten.baddbmm, _aten.mv, _aten.dot, _aten.sum, _aten.mean, _aten.cumsum,
    _aten.prod, _aten._softmax, _aten._log_softmax, _aten.logsumexp, _aten.exp, _aten.log, _aten.tanh, _aten.sigmoid,
}  # fmt: skip


class _RoundedAtRandom(TorchDispatchMode):
    """What processors round differently is computed in float64 and rounded to one of the two float32 numbers about it;
    what is a float32 number stays."""

    def __init__(self, generator: torch.Generator):
        super().__init__()
        self._generator = generator  # of its own: PyTorch's numbers are the answer's

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        given = (args, kwargs or {})
        kinds = {tensor.dtype for tensor in nests.tensors(given) if tensor.is_floating_point()}
        if func.overloadpacket not in _ROUNDED or kinds != {torch.float32}:
            return func(*args, **(kwargs or {}))
        wide, named = nests.changed(given, lambda x: x.double() if x.dtype == torch.float32 else x)
        return nests.changed(func(*wide, **named), self._rounded)

    def _rounded(self, exact: Tensor) -> Tensor:
        if exact.dtype != torch.float64:
            return exact
        nearest = exact.float()
        other = nearest.nextafter(torch.where(exact > nearest, torch.inf, -torch.inf).float())
        chosen = torch.rand(exact.shape, generator=self._generator) < 0.5
        return torch.where(chosen & (exact != nearest) & nearest.isfinite(), other, nearest)


class RoundedAtRandom(Local):
    """The protocol within one process, where the answer's sums are rounded up or down at random, and a second passes
    between two looks at the clock."""

    def request(self, message: dict[str, Any], callbacks: list[Callable]) -> dict[str, Any]:
        ticks = map(float, itertools.count())
        clock = mock.patch.object(time, "perf_counter", lambda: next(ticks))
        with _RoundedAtRandom(torch.Generator().manual_seed(0)), clock:
            return super().request(message, callbacks)


def marked(exercise: Exercise, table: Table) -> Table:
    """The table with UNSTEADY for what of wrong answers rests on rounding or time; tests of tests hold none."""
    check = bank.check_of(exercise)
    if isinstance(check, CheckOfTest):
        return table
    sources = {wrong.name: wrong.source for wrong in bank.find(exercise).wrong}

    def steady(diagnosis: Diagnosis) -> Diagnosis:
        again = bank.observe(exercise, sources[diagnosis.name], table.key, over=RoundedAtRandom)
        return replace(diagnosis, observations=opened(diagnosis.observations, again, table.reference, check.cases))

    return replace(table, diagnoses=tuple(map(steady, table.diagnoses)))


def opened(
    seen: Sequence[Observation], again: Sequence[Observation], reference: Sequence[Observation], cases: Sequence[Case]
) -> tuple[Observation, ...]:
    """What was seen of a wrong answer, with what departed when it was seen `again` left open. An answer that nothing
    steady tells from the reference keeps its numbers: it would look like any other."""
    done, tells = [], False
    for before, after, right, case in zip(seen, again, reference, cases, strict=True):
        unsteady = _departed(before, after, case)
        own, asked = (_without(each, unsteady) for each in (before, right))
        tells = tells or (bool(asked.values) and difference(own, asked, case) is not None)
        done.append(replace(before, values=before.values | dict.fromkeys(unsteady, UNSTEADY)))
    return tuple(done) if tells else tuple(seen)


def _departed(before: Observation, after: Observation, case: Case) -> list[str]:
    if before.raised is not None or after.values.keys() != before.values.keys():
        return []
    return [name for name, value in before.values.items() if not same_value(after.values[name], value, case)]


def _without(seen: Observation, names: Sequence[str]) -> Observation:
    return replace(seen, values={name: value for name, value in seen.values.items() if name not in names})
