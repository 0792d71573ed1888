"""What a check draws: numbers that follow from a key and from labels, such as an exercise's name and a case's number.

A run of the grader has a key of its own that stays with the judge. Every stream of numbers comes from it by HMAC, each
under its own labels, so that whoever has seen one stream, or a seed that was sent along, can tell nothing of another.
Learners' tables are recorded with a key that everybody knows (`RECORDED_KEY`), and nothing else is different there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

from course.key import Key
from course.protocol.student import Module

_LARGEST, _SMALL = 1 << 24, 1 << 13  # numbers in a state; in one that is worth remembering, and characters of its names
_idle: list[np.random.RandomState] = []  # for the next draws: to seed one takes a thirtieth of making one


class Draw:
    """Inputs for a case: everything random in a check comes from here.

    NumPy's legacy RandomState is used because its stream is frozen for good (NEP 19), which recorded tables need. Its
    state can be told from its numbers, so it gets bytes that nothing else is made of.
    """

    def __init__(self, key: Key, *labels: str | int):
        self._key = Key(key.derive(*labels))
        self._random = _idle.pop() if _idle else np.random.RandomState()
        self._random.seed(np.frombuffer(self._key.derive("numbers"), "<u4"))

    def __del__(self):
        if hasattr(self, "_random"):
            _idle.append(self._random)

    def seed(self, *labels: str | int) -> int:
        """A seed for a generator that the student's code can read, 0 to 2**63 - 1: nothing else follows from it."""
        return int.from_bytes(self._key.derive("seed", *labels)[:8], "little") >> 1

    def another(self, *labels: str | int) -> Draw:
        """A draw of its own, the same for the same labels whatever was drawn here."""
        return Draw(self._key, "another", *labels)

    def remembered(self, make: Callable[[Draw, Hashable], Any], of: Hashable, *labels: str | int) -> Any:
        """`make(self.another(*labels), of)`, or what it gave before: all submissions of a class face the same numbers.
        Nobody may change it in its place."""
        return _made(self._key, make, of, labels)

    def normal(self, *shape: int) -> Tensor:
        """Standard normal float32 values."""
        return torch.from_numpy(self._random.standard_normal(shape).astype(np.float32))

    def uniform(self, *shape: int) -> Tensor:
        """Float32 values uniform in [0, 1)."""
        return torch.from_numpy(self._random.random_sample(shape).astype(np.float32))

    def integers(self, low: int, high: int, *shape: int) -> Tensor:
        """Int64 values in [low, high)."""
        return torch.from_numpy(np.asarray(self._random.randint(low, high, shape, dtype=np.int64)))

    def permutation(self, n: int) -> Tensor:
        """A random order of 0 .. n-1, int64."""
        return torch.from_numpy(self._random.permutation(n).astype(np.int64))

    def mask(self, *shape: int, keep: float = 0.6) -> Tensor:
        """A boolean mask, True = may attend; each row along the last axis keeps at least one and drops at least one, or
        keeps the only one that it has."""
        rows = self._random.random_sample((int(np.prod(shape[:-1], dtype=int)), shape[-1])) < keep
        for row in rows:
            if len(row) == 1:
                row[:] = True
            elif row.all() or not row.any():
                kept, dropped = self._random.permutation(shape[-1])[:2]
                row[kept], row[dropped] = True, False
        return torch.from_numpy(rows.reshape(shape))

    def lengths(self, batch: int, longest: int) -> Tensor:
        """Int64 lengths in 1 .. longest, at least one of them equal to `longest` and, in a batch, one shorter."""
        lengths = self._random.randint(1, longest + 1, batch)
        lengths[self._random.randint(batch)] = longest
        if batch > 1 and (lengths == longest).all():
            lengths[1] = max(1, longest - 1)
        return torch.from_numpy(lengths.astype(np.int64))

    def state(self, module: Module | torch.nn.Module, scale: float = 0.5) -> dict[str, Tensor]:
        """Normal values for a module's own state, the same for the same name and shape whatever their order."""
        if isinstance(module, Module):
            shapes = module.state_shapes()
        else:
            shapes = {n: tuple(t.shape) for n, t in module.state_dict().items() if t.is_floating_point()}
        sizes = list(map(math.prod, shapes.values()))
        if sum(sizes) > _LARGEST:  # they are the student's
            name = max(shapes, key=lambda name: math.prod(shapes[name]))
            raise ValueError(f"{name} is of shape {shapes[name]}: the state is far larger than any asked for")
        if not shapes:
            return {}
        small = sum(sizes) <= _SMALL and sum(map(len, map(str, shapes))) <= _SMALL
        numbers = (_remembered if small else _drawn)(self._key, tuple(shapes.items()))
        parts = zip(shapes.items(), (scale * numbers).split(sizes), strict=True)
        return {name: part if len(shape) == 1 else part.view(shape) for (name, shape), part in parts}


@lru_cache(maxsize=4096)
def _made(key: Key, make: Callable[[Draw, Hashable], Any], of: Hashable, labels: tuple[str | int, ...]) -> Any:
    return make(Draw(key, "another", *labels), of)


def _drawn(key: Key, shapes: tuple[tuple[str, tuple[int, ...]], ...]) -> Tensor:
    """The numbers of a state, one part's behind the other's."""
    return torch.cat([Draw(key, "state", name).normal(*shape).flatten() for name, shape in shapes])


_remembered = lru_cache(maxsize=1000)(_drawn)  # cases, and all submissions of a class, ask for the same state again
