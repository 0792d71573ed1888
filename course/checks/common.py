"""What cases of several chapters look at in the same way, and how they say it."""

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from course.checks.engine import Draw
from course.protocol.student import Module, Student, StudentError


def drawn(student: Student, draw: Draw, name: str, *sizes: Any, **options: Any) -> Module:
    """A module of the student's with drawn weights, built once for all cases."""
    module = student.shared(name, *sizes, **options)
    module.load(draw.state(module))
    return module


def as_number(value: Any) -> Any:
    """A tensor of one entry as a number: whether it is one has a case of its own.

    What is not finite is named, for no tolerance can compare it.
    """
    value = value.item() if isinstance(value, Tensor) and value.numel() == 1 else value
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def raised(module: Module, *arguments: Any, method: str = "") -> str:
    """The type name of what a call of a module, or of a method of it, raises, or "no error"."""
    try:
        module.method(method, *arguments) if method else module(*arguments)
    except StudentError as error:
        return error.type_name
    return "no error"


def refusals(module: Module, misfits: Mapping[str, tuple[Any, ...]]) -> dict[str, str]:
    """What a module raises for arguments that do not fit, each under the name of what is wrong with them."""
    return {what: raised(module, *arguments) for what, arguments in misfits.items()}


def explain_decoder(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    """Of a decoder's logits and attention weights: at which step the weights go wrong, or that they do not."""
    weights, right = observed.get("weights"), expected["weights"]
    if not isinstance(weights, Tensor) or weights.shape != right.shape or not weights.is_floating_point():
        return None
    off = [t for t in range(right.shape[1]) if not torch.allclose(weights[:, t], right[:, t], atol=1e-4)]
    if off and right.shape[1] > 1 and (weights == weights[:, :1]).all():
        return "The weights are the same at every step."
    if off:
        return f"The weights of step {off[0]} are the first that are not right (steps count from 0)."
    return "All the weights are right; the logits made with them are not."


def explain_refusals(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    """Calls that should have raised, each observed under the name of what was wrong with it."""
    wrong = {case: error for case, error in observed.items() if error != expected[case]}
    message = "; ".join(
        f"{case} raised {error or 'nothing'} where {expected[case]} is asked for" for case, error in wrong.items()
    )
    return f"{message[:1].upper()}{message[1:]}."
