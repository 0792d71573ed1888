"""The places in a reference's syntax tree that may be changed.

Neither what a learner is given nor what nobody promises: `mutation` says what that is.
"""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_LEFT_OUT = (ast.arguments, ast.JoinedStr, ast.Raise, ast.expr_context, ast.operator, ast.cmpop)
_GIVEN = {"annotation", "returns", "decorator_list", "type", "msg"}
_SCOPES = (ast.FunctionDef, ast.ClassDef)


@dataclass(frozen=True, eq=False)
class Place:
    """A node, and where it stands: in `field` of its parent's node, at `index` if that is a list."""

    node: Any
    parent: Place | None = None
    field: str = ""
    index: int | None = None

    def above(self) -> Iterator[Place]:
        place = self.parent
        while place is not None:
            yield place
            place = place.parent

    @contextlib.contextmanager
    def holding(self, new: ast.AST | list[Any]) -> Iterator[None]:
        """While it lasts, the new node, or these nodes, stand in this one's place."""
        assert self.parent is not None
        old = getattr(self.parent.node, self.field)
        value: Any = new
        if self.index is not None:
            several = new if isinstance(new, list) else [new]
            value = [*old[: self.index], *several, *old[self.index + 1 :]]
        setattr(self.parent.node, self.field, value)
        yield
        setattr(self.parent.node, self.field, old)


def places(place: Place) -> Iterator[Place]:
    """This place and all in it that may be changed, in the order of the source."""
    yield place
    for field, value in ast.iter_fields(place.node):
        if field in _GIVEN:
            continue
        for index, node in enumerate(value if isinstance(value, list) else [value]):
            inner = Place(node, place, field, index if isinstance(value, list) else None)
            if isinstance(node, ast.AST) and not isinstance(node, _LEFT_OUT) and not unseen(inner):
                yield from places(inner)


def unseen(place: Place) -> bool:
    """Whether no check can or may look at what stands here: see the module's first words."""
    match place.node:
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.keyword(arg="device" | "strict") | ast.Attribute(attr="device"):
            return True
        case ast.If():
            return is_guard(place.node) and not _promised(place)
        case ast.Assign(targets=[ast.Name(id=name)]):
            return _only_told(place, name)
    return False


def _only_told(place: Place, name: str) -> bool:
    """Whether a local name is used in errors' texts alone."""
    around = next((above.node for above in place.above() if isinstance(above.node, ast.FunctionDef)), None)
    if around is None:
        return False
    raised = {node for error in ast.walk(around) if isinstance(error, ast.Raise) for node in ast.walk(error)}
    uses = [n for n in ast.walk(around) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]
    return bool(uses) and raised.issuperset(uses)


def is_guard(node: ast.AST) -> bool:
    """Whether it refuses an argument: `if ...: raise ...`."""
    return isinstance(node, ast.If) and isinstance(node.body[0], ast.Raise) and not node.orelse


def _promised(place: Place) -> bool:
    """Whether a docstring around this place speaks of an error."""
    scopes = (above.node for above in place.above() if isinstance(above.node, _SCOPES))
    return any(re.search(r"\b[Rr]aise", ast.get_docstring(scope) or "") for scope in scopes)
