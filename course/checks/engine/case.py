"""A case: it calls a student's components on drawn inputs and returns what it saw, never a judgment."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from course.checks.engine.draw import Draw
from course.checks.engine.table import Observation
from course.protocol.student import Module, StateError, Student, StudentError
from course.protocol.wire import Foreign, Unordered

OTHER_FORM = "another form"  # a reply that the case's own code trips over, by one of these
TRIPPED = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, RuntimeError, MemoryError)

LONGEST = 1_000  # characters of the name of a part: no right answer has one as long

Explain = Callable[[dict[str, Any], dict[str, Any]], str | None]


@dataclass(frozen=True)
class Case:
    """`look` is what it does; `explain` makes a sentence of what it saw and what was to be seen; a `contract` case
    looks at what code that does nothing gets right too, one that `agrees` at whether an answer agrees with itself, and
    then sees "" wherever it does."""

    title: str
    look: Callable[[Student, Draw], dict[str, Any]]
    weight: float
    explain: Explain | None
    atol: float
    rtol: float
    contract: bool
    agrees: bool = False

    def observe(self, student: Student, draw: Draw) -> Observation:
        """What the student's code raises is an observation; what the case's own code trips over, because a reply has
        another form than promised, is one too. Names beginning with "_" are hidden: not compared."""
        student.forget()  # a case that stopped half-way may have left a state to be loaded
        try:
            values = flatten(self.look(student, draw))
        except (StudentError, StateError) as error:
            return Observation(raised=(error.type_name, error.message))
        except TRIPPED as error:
            return Observation(raised=(OTHER_FORM, str(error).replace("'Foreign' object", "it")))
        hidden = {name[1:]: value for name, value in values.items() if name.startswith("_")}
        return Observation({name: value for name, value in values.items() if not name.startswith("_")}, hidden)

    def explained(self, seen: Observation, reference: Observation) -> str | None:
        """The case's own explanation of an observation that departs from the reference's, where it has one."""
        if self.explain is None or seen.raised is not None:
            return None
        try:
            return self.explain({**seen.values, **seen.hidden}, {**reference.values, **reference.hidden})
        except TRIPPED:
            return None  # what came back has another form than the explanation expects: the plain difference stands


def flatten(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Every part of what was seen under one name, which is put together of those around it. Raises ValueError where it
    would be far longer than any asked for: a key is the student's choice, and stands before all that it holds."""
    flat: dict[str, Any] = {}
    for name, value in values.items():
        key = f"{prefix}{name}"
        if len(key) > LONGEST:
            raise ValueError(f"a name of {len(key)} characters is far longer than any asked for")
        if isinstance(value, Unordered):
            flat[key] = ", ".join(sorted(map(_written, value)))
        elif isinstance(value, dict):
            flat |= flatten(value, f"{key}.") or {key: "an empty dict"}
        elif isinstance(value, (list, tuple)):
            flat |= flatten({str(i): v for i, v in enumerate(value)}, f"{key}.") or {key: "nothing"}
        elif isinstance(value, Module):
            flat[key] = Foreign("Module")
        else:
            flat[key] = value
    return flat


def _written(value: Any) -> str:
    """An entry of a set. A tensor is described: to write its numbers may take longer than a request has."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_written, value))})"
    return repr(value) if value is None or isinstance(value, (bool, int, float, str)) else describe(value)


def describe(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"a tensor of shape {tuple(value.shape)}"
    if value is None:
        return "None"
    if isinstance(value, Foreign):
        return f"of type {value.type_name}"
    return {bool: "a truth value", int: "a number", float: "a number", str: "text"}.get(
        type(value), type(value).__name__
    )
