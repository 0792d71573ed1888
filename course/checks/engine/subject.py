"""One component of a student's, called under a condition: what it is given and built with, and what it is asked.

What an argument is (a tensor of numbers, a function) is told apart here too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from course.checks.engine.case import describe
from course.checks.engine.declare import Declaration, Fixture
from course.checks.engine.draw import Draw
from course.protocol import nests
from course.protocol.student import Module, Reply, Student, StudentError


class Subject:
    """One declared component of a student's, in one condition: makes its calls."""

    def __init__(self, declaration: Declaration, student: Student, draw: Draw):
        self.declaration, self.student, self.draw = declaration, student, draw
        self._modules: dict[str, Module] = {}  # by what they were built with
        self.given_to_it: list[Module] = []  # of those that it was built with, the last ones

    def arguments(self, sizes: Mapping[str, int] | None = None) -> dict[str, Any]:
        """Its arguments, the same for the same sizes."""
        sizes = self.declaration.usual if sizes is None else sizes
        made = self.draw.remembered(_arguments, (self.declaration, *sizes.items()), *sizes.values())
        built: dict[int, Module] = {}  # a fixture that stands in two places is one object
        return {name: self._built(value, built) for name, value in made.items()}

    def _built(self, value: Any, built: dict[int, Module]) -> Any:
        if not isinstance(value, Fixture):
            return value
        if id(value) not in built:
            module = self.student.fixture(value.name, *(self._built(inner, built) for inner in value.arguments))
            if value.load:
                module.load(self.draw.state(module, self.declaration.scale or 0.5))
                module.eval()
            built[id(value)] = module
        return built[id(value)]

    def other_numbers(self) -> dict[str, Any] | None:
        """Its arguments with other numbers in tensors of the same shapes; None where other numbers come with another
        shape, or with another argument that is no tensor."""
        given = self.arguments()
        drawn = self.declaration.arguments(self.draw.another("other numbers"), self.declaration.usual)
        for name, value in drawn.items():
            if isinstance(value, Fixture) or is_called_back(value):
                drawn[name] = given[name]
            elif nests.changed(given[name], _form) != nests.changed(value, _form):
                return None
        return drawn if nests.tensors(list(given.values())) else None

    def forms(self) -> dict[str, dict[str, Any]]:
        """Its arguments as usual (""), with each left out that may be, and a function's with each of its settings
        turned, by what a learner calls that."""
        given = self.arguments()
        turned = self.declaration.turned.items() if self.declaration.new is None else ()
        return (
            {"": given}
            | {f"without `{name}`": given | {name: None} for name in self.declaration.optional}
            | {f"with `{name}={value!r}`": given | {name: value} for name, value in turned}
        )

    def turned(self) -> dict[str, dict[str, Any]]:
        """What its class is built with by name, where a setting is turned, by what a learner calls that."""
        settings = self.declaration.turned.items() if self.declaration.new is not None else ()
        return {f"with `{n}={value!r}`": {**self.declaration.keywords, n: value} for n, value in settings}

    def module(
        self, sizes: Mapping[str, int] | None = None, keywords: Mapping[str, Any] | None = None
    ) -> Module | None:
        """Its module with drawn weights in evaluation mode, or None for a function. It is the same one for sizes that
        its class does not ask for: what it keeps from a call, the next one meets."""
        if self.declaration.new is None:
            return None
        keywords = self.declaration.keywords if keywords is None else keywords
        sizes = self.declaration.usual if sizes is None else sizes
        of = repr((self.declaration.new(**sizes), sorted(keywords.items())))
        if of in self._modules:
            return self._modules[of]
        module = self.student.shared(self.declaration.component, *self.built_with(sizes), **keywords)
        if not isinstance(module, Module):
            raise ValueError(f"{self.declaration.component} is {describe(module)}")
        self._modules[of] = module
        if self.declaration.scale is not None:
            state, tied = self.draw.state(module, self.declaration.scale), self.declaration.tied
            module.load(state)
            if tied in state:
                module.load({tied: state[tied]})
        return module.eval()

    def built_with(self, sizes: Mapping[str, int] | None = None) -> list[Any]:
        """What its class is built with; what lives beside the student's code is made anew."""
        assert self.declaration.new is not None
        built: dict[int, Module] = {}
        values = self.declaration.new(**(self.declaration.usual if sizes is None else sizes))
        made = [self._built(value, built) for value in values]
        self.given_to_it = list(built.values())
        return made

    def call(self, arguments: Mapping[str, Any], module: Module | None, **fields: Any) -> dict[str, Any]:
        """The request for one call, which gets copies of these: what it does to its arguments, no other sees."""
        args = list(arguments.values())
        if module is None:
            return {"op": "call", "name": self.declaration.component, "args": args, **fields}
        if self.declaration.method:
            return {"op": "method", "on": module, "name": self.declaration.method, "args": args, **fields}
        return {"op": "invoke", "on": module, "args": args, **fields}

    def ask(self, calls: Mapping[str, dict[str, Any]]) -> dict[str, Reply]:
        """The replies to calls, by their names; the first call is an ordinary one. Raises StudentError where that one
        raises: there is nothing then to compare the others with."""
        replies = self.student.calls(list(calls.values()))
        if replies[0].raised is not None:
            raise StudentError(*replies[0].raised)
        return dict(zip(calls, replies, strict=True))


def _arguments(draw: Draw, of: Any) -> dict[str, Any]:
    declaration, *sizes = of
    return declaration.arguments(draw, dict(sizes))


def _form(tensor: Tensor) -> tuple:
    return tuple(tensor.shape), tensor.dtype


def is_floating(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point()


def is_called_back(value: Any) -> bool:
    return callable(value) and not isinstance(value, Tensor)
