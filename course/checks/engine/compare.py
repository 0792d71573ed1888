"""Where an observation departs from the reference's, in one sentence, and whether two observations are alike."""

import math
import re
from typing import Any

import torch
from torch import Tensor

from course.checks.engine.case import OTHER_FORM, Case, describe
from course.checks.engine.places import where
from course.checks.engine.raised import meaning
from course.checks.engine.table import UNSTEADY, Observation
from course.protocol.blocked import REFUSAL
from course.protocol.runner import UNDEFINED
from course.verdict import UNWRITTEN

LARGE = 1e15
# Factors by which a number is off where a step was forgotten, or done once too often.
TELLING = {"twice": 2, "half of": 0.5, "minus": -1, "ln 2 times": math.log(2), "1/ln 2 times": 1 / math.log(2)}
TELLING |= {"100 times": 100, "a hundredth of": 0.01}


def _family(value: Any) -> str:
    if isinstance(value, Tensor):
        if value.dtype == torch.bool:
            return "truth values"
        if value.is_complex():
            return "complex numbers"
        return "floating-point numbers" if value.is_floating_point() else "whole numbers"
    return "number" if type(value) in (int, float) else type(value).__name__


def _is_ours(message: str, sentence: str) -> bool:
    """Whether it is this sentence of ours, about some name: whoever raises an error of our kind in other words is told
    that the code raised it."""
    return re.fullmatch(re.escape(sentence).replace(re.escape("{}"), r"\w{1,60}"), message) is not None


def difference(seen: Observation, reference: Observation, case: Case) -> str | None:
    """One plain sentence on where an observation departs from the reference's, or None where it does not."""
    if not reference.values:
        raise ValueError(f"case {case.title!r} observes nothing of the reference: {reference.raised}")
    if seen.raised is not None:
        type_name, message = seen.raised
        if type_name == "NotImplementedError" and not message:  # PyTorch raises it too, for what it lacks, with words
            return UNWRITTEN
        if _is_ours(message, UNDEFINED):
            return message
        if _is_ours(message, REFUSAL):
            return f"{message[:1].upper()}{message[1:]}."
        stop = "" if message.rstrip().endswith((".", "!", "?")) else "."
        means = f" {meant}" if (meant := meaning(message)) else ""
        if type_name == OTHER_FORM:
            return f"What came back has another form than the docstring promises ({message}).{means}"
        return f"Your code raised {type_name}{': ' if message else ''}{message.rstrip()}{stop}{means}"
    for name, expected in reference.values.items():
        if name not in seen.values:
            if any(other.startswith(f"{name}.") for other in seen.values):
                return f"`{name}` is several things, and {describe(expected)} is asked for."
            return f"`{name}` is missing from what came back, or has another structure than the docstring says."
        sentence = _value_difference(name, seen.values[name], expected, case)
        if sentence is not None:
            return sentence
    extra = sorted(set(seen.values) - set(reference.values))
    if not extra:
        return None
    name = extra[0].replace("`", "'")[:80]  # the student's words, which must not end the quotation
    return f"`{name}` came back although nothing of that name is asked for."


def _value_difference(name: str, value: Any, expected: Any, case: Case) -> str | None:
    if isinstance(expected, Tensor) != isinstance(value, Tensor) or _family(value) != _family(expected):
        if isinstance(value, Tensor) and isinstance(expected, Tensor):
            return f"`{name}` holds {_family(value)}, and {_family(expected)} are asked for."
        if value is None and "grad" in name:
            return f"`{name}` is None: nothing reaches it, because something on the way is cut from the graph."
        if value is None:
            return f"`{name}` is None, and {describe(expected)} is asked for: is a `return` missing?"
        return f"`{name}` is {describe(value)}, and {describe(expected)} is asked for."
    if not isinstance(expected, Tensor):
        if type(expected) in (int, float):
            return None if _same_number(value, expected, case) else f"`{name}` {_number(value, expected)}."
        if value == expected:
            return None
        if isinstance(expected, bool):
            return f"“{name}” should {'' if expected else 'not '}hold, and {'does' if value else 'does not'}."
        if isinstance(expected, str):
            return f"`{name}`: {value or 'nothing'}. Asked for: {expected or 'nothing'}."
        return f"`{name}` is not what is asked for."
    if value.shape != expected.shape:
        return f"`{name}` has shape {tuple(value.shape)}, and {tuple(expected.shape)} is asked for."
    if not expected.is_floating_point():
        differs = value != expected
        count = int(differs.sum())
        sentence = f"{_count(count, value.numel(), f'entries of `{name}`')} not right. {where(differs)}"
        return sentence.rstrip() if count else None
    if _close(value, expected, case):
        return None
    if bool(torch.isfinite(expected).all()) and not bool(torch.isfinite(value).all()):
        count = int((~torch.isfinite(value)).sum())
        return f"{_count(count, value.numel(), f'values of `{name}`')} NaN or infinite."
    gap = float((value.double() - expected.double()).abs().nan_to_num(torch.inf).max())
    close = torch.isclose(value.double(), expected.double(), atol=case.atol, rtol=case.rtol, equal_nan=True)
    sentence = f"The values of `{name}` are off, by up to {gap:.2g}. {where(~close)}".rstrip()
    if value.dtype in (torch.bfloat16, torch.float16):
        if gap <= torch.finfo(value.dtype).eps * max(1.0, float(expected.abs().max())):
            rounded = str(value.dtype).removeprefix("torch.")
            sentence += f" They are rounded to {rounded}: answer in the inputs' own precision."
    return sentence


def _number(value: float, expected: float) -> str:
    """What a number is that should be another, and in which direction: never the other, which nobody is to be told. A
    factor tells what was forgotten."""
    seen = f"{value:.4g}" if abs(value) < LARGE or type(value) is float else "a whole number beyond 1e15"
    if value != value or expected != expected:
        return f"is {seen}, and {'no' if expected == expected else 'a'} NaN is asked for"
    if 0 < abs(expected) < LARGE and abs(value) < LARGE:
        for times, factor in TELLING.items():
            if math.isclose(value, factor * expected, rel_tol=1e-4):
                return f"is {seen}, {times} the number asked for"
    return f"is {seen}, which is too {'high' if value > expected else 'low'}"


def _count(some: int, of: int, things: str) -> str:
    """The beginning of a sentence with its verb: "1 of the 5 entries is", "The only one of the entries is"."""
    if of == 1:
        return f"The only one of the {things} is"
    return f"{some} of the {of} {things} {'is' if some == 1 else 'are'}"


def _close(value: Tensor, expected: Tensor, case: Case) -> bool:
    if value.dtype == expected.dtype and torch.equal(value, expected):
        return True  # as most right answers are, in a twentieth of the time
    return torch.allclose(value.double(), expected.double(), atol=case.atol, rtol=case.rtol, equal_nan=True)


def alike(seen: Observation, other: Observation, case: Case) -> bool:
    """Whether two observations are the same, as far as the case's tolerance goes."""
    if (seen.raised is None) != (other.raised is None):
        return False
    if seen.raised is not None and other.raised is not None:
        return seen.raised[0] == other.raised[0] and _wording(seen.raised[1]) == _wording(other.raised[1])
    if seen.values.keys() != other.values.keys():
        return False
    return all(same_value(seen.values[name], value, case) for name, value in other.values.items())


def same_value(a: Any, b: Any, case: Case) -> bool:
    """Whether two observed values are the same, as far as the case's tolerance goes; what is unsteady may be any."""
    if a is UNSTEADY or b is UNSTEADY:
        return True
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        if a.shape != b.shape or _family(a) != _family(b):
            return False
        return _close(a, b, case) if b.is_floating_point() else bool((a == b).all())
    if isinstance(a, Tensor) or isinstance(b, Tensor) or _family(a) != _family(b):
        return False
    if type(b) in (int, float):
        return _same_number(a, b, case)
    return a == b


def _same_number(a: float, b: float, case: Case) -> bool:
    try:
        finite = math.isfinite(a) and math.isfinite(b)
    except OverflowError:  # a whole number beyond all floats
        return a == b
    if not finite:
        return a == b or (a != a and b != b)
    return abs(a - b) <= case.atol + case.rtol * abs(b)


def _wording(message: str) -> str:
    """A message without its numbers and names, which depend on how the same diagnosis was spelled."""
    return re.sub(r"\d+(\.\d+)?|'[^']*'", "#", message)
