"""What a check is: cases that look at a student's code, and a table that says what they saw elsewhere.

A case calls the student's components on drawn inputs and returns observations; it never compares. The table holds the
same cases' observations of the reference and of every wrong answer in the bank: recorded numbers for the learner
(`course/checks/recorded/`), computed from a fresh key by the grader. `Check.judge` compares, names the diagnosis, and
gives a `Verdict`. One module beside this package holds each chapter's checks.
"""

import importlib
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from course.checks.engine.draw import Draw, Key
from course.protocol.student import Module, StateError, Student, StudentError
from course.protocol.wire import Foreign

UNWRITTEN = "Your code raised NotImplementedError: it, or something that it calls, is not written yet."
AS_ABOVE = "As above."
_OTHER_FORM = "another form"  # a reply that the case's own code trips over, by one of these
_TRIPPED = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, RuntimeError, MemoryError)

Explain = Callable[[dict[str, Any], dict[str, Any]], str | None]


@dataclass(frozen=True)
class Observation:
    """What one case saw: named values, values kept for explanations only, or what the student's code raised."""

    values: dict[str, Any] = field(default_factory=dict)
    hidden: dict[str, Any] = field(default_factory=dict)
    raised: tuple[str, str] | None = None


@dataclass(frozen=True)
class Diagnosis:
    """A wrong answer of the bank: its name, what to tell the student, and what each case sees of it."""

    name: str
    message: str
    observations: tuple[Observation, ...]


@dataclass(frozen=True)
class Implementation:
    """What a learner's test is tried on: a form of the part that it is for, right or wrong, and its name for people."""

    name: str
    right: bool
    part: Any


@dataclass(frozen=True)
class Table:
    """Each case's observation of the reference and of every wrong answer, from one key.

    `against` is what tests were tried on, where the exercise asks for a test; None stands for what is published.
    """

    key: Key
    reference: tuple[Observation, ...]
    diagnoses: tuple[Diagnosis, ...]
    against: tuple[Implementation, ...] | None = None


@dataclass(frozen=True)
class CaseVerdict:
    """One line of a verdict: what was looked at, whether it passed, what was seen and the likely cause."""

    title: str
    passed: bool
    weight: float
    message: str = ""
    diagnosis: str | None = None


@dataclass(frozen=True)
class Verdict:
    """The outcome of a check.

    `kind` is one of pass, part, fail, error (the code raised everywhere). Who has the answer's text says whether it is
    not answered, before anything is looked at; the grader adds timeout, out of memory and blocked. `fraction` is the
    share of the exercise's points, 0 to 1.
    """

    kind: str
    fraction: float
    cases: tuple[CaseVerdict, ...] = ()
    diagnosis: str | None = None
    note: str = ""


@dataclass(frozen=True)
class Case:
    title: str
    observe: Callable[[Student, Draw], dict[str, Any]]
    weight: float
    explain: Explain | None
    atol: float
    rtol: float
    contract: bool


class Check:
    """The check of one exercise. `components` are the names it judges, in the order `check(number, ...)` takes them.

    `blocked` names PyTorch functions that may not be called while the parts run; the exercise tells the learner so.
    """

    registry: dict[str, "Check"] = {}
    keeps = True  # whether a passed part is kept for later notebooks

    def __init__(self, name: str, components: tuple[str, ...], blocked: tuple[str, ...] = ()):
        self.name = name
        self.components = tuple(components)
        self.blocked = tuple(blocked)
        self.cases: list[Case] = []
        Check.registry[name] = self

    def case(
        self,
        title: str,
        *,
        weight: float = 1.0,
        explain: Explain | None = None,
        atol: float = 1e-5,
        rtol: float = 1e-4,
        contract: bool = False,
    ) -> Callable[[Callable], Callable]:
        """Add a case: a function (student, draw) -> observations. Names beginning with "_" are not compared.

        A `contract` case looks at errors raised and arguments left alone, which code that does nothing gets right too:
        it earns its share only where a case of another kind passes.
        """

        def add(observe: Callable[[Student, Draw], dict[str, Any]]) -> Callable:
            self.cases.append(Case(title, observe, weight, explain, atol, rtol, contract))
            return observe

        return add

    def student(self, protocol: Any) -> Student:
        """The student at the other end of a protocol, under this exercise's rules."""
        return Student(protocol, self.blocked)

    def observe(
        self, student: Student, key: Key, against: Sequence[Implementation] | None = None
    ) -> tuple[Observation, ...]:
        """Let every case look. What the student's code raises is an observation; what the case's own code trips over,
        because a reply has another form than promised, is one too. `against` matters to checks of tests alone."""
        seen = []
        for index, case in enumerate(self.cases):
            student.forget()  # a case that stopped half-way may have left a state to be loaded
            try:
                values = _flatten(case.observe(student, Draw(key, self.name, index)))
            except (StudentError, StateError) as error:
                seen.append(Observation(raised=(error.type_name, error.message)))
                continue
            except _TRIPPED as error:
                seen.append(Observation(raised=(_OTHER_FORM, str(error).replace("'Foreign' object", "it"))))
                continue
            hidden = {k[1:]: v for k, v in values.items() if k.startswith("_")}
            seen.append(Observation({k: v for k, v in values.items() if not k.startswith("_")}, hidden))
        return tuple(seen)

    def judge(self, student: Student, table: Table) -> Verdict:
        """Look at the student's code with the table's key and compare with the table."""
        return self.compare(self.observe(student, table.key, table.against), table)

    def compare(self, seen: tuple[Observation, ...], table: Table) -> Verdict:
        """The verdict on observations made with the table's key."""
        if not (len(seen) == len(self.cases) == len(table.reference)):
            raise ValueError(f"{self.name}: {len(seen)} observations for a table of {len(table.reference)} cases")
        differences = [_difference(o, r, case) for o, r, case in zip(seen, table.reference, self.cases, strict=True)]
        failing = [i for i, difference in enumerate(differences) if difference is not None]
        named = {i: m for i in failing if (m := self._diagnosis(i, failing, seen, table)) is not None}
        cases: list[CaseVerdict] = []
        told: set[str] = set()
        last: Diagnosis | None = None
        for i, case in enumerate(self.cases):
            if differences[i] is None:
                cases.append(CaseVerdict(case.title, True, case.weight))
                continue
            observed = self._explained(case, seen[i], table.reference[i]) or str(differences[i])
            cause = named.get(i)
            known = cause is None or cause.message in told
            if known and observed in told:
                message = AS_ABOVE
            elif cause is None or not known:
                message = observed if cause is None else f"{observed} {cause.message}"
            else:
                message = f"{observed} The likely cause is {'the same' if cause is last else 'told above'}."
            told |= {observed} if cause is None else {observed, cause.message}
            last = cause or last
            cases.append(CaseVerdict(case.title, False, case.weight, message, cause.name if cause else None))
        total = sum(case.weight for case in cases)
        earning = any(case.passed and not self.cases[i].contract for i, case in enumerate(cases))
        fraction = sum(case.weight for case in cases if case.passed) / total if earning else 0.0
        if not failing:
            kind, fraction = "pass", 1.0
        elif fraction > 0:
            kind = "part"
        else:
            kind = "error" if all(o.raised for o in seen) else "fail"
        diagnosis = next((named[i].name for i in failing if i in named), None)
        return Verdict(kind, fraction, tuple(cases), diagnosis)

    def _diagnosis(self, i: int, failing: list[int], seen: tuple[Observation, ...], table: Table) -> Diagnosis | None:
        """The bank's answer that looks like this one: on every case, else on the failing cases, else on case i."""

        def alike(diagnosis: Diagnosis, indices: Any) -> bool:
            return all(self._same(j, seen[j], diagnosis.observations[j]) for j in indices)

        for indices in (range(len(self.cases)), failing, [i]):
            for diagnosis in table.diagnoses:
                shows = _difference(diagnosis.observations[i], table.reference[i], self.cases[i]) is not None
                if shows and alike(diagnosis, indices):
                    return diagnosis
        return None

    def _same(self, i: int, seen: Observation, other: Observation) -> bool:
        """Whether case i cannot tell two answers apart."""
        return _alike(seen, other, self.cases[i])

    @staticmethod
    def _explained(case: Case, seen: Observation, reference: Observation) -> str | None:
        if case.explain is None or seen.raised is not None:
            return None
        try:
            return case.explain({**seen.values, **seen.hidden}, {**reference.values, **reference.hidden})
        except _TRIPPED:
            return None  # what came back has another form than the explanation expects: the plain difference stands


def unwritten(case: CaseVerdict) -> bool:
    """Whether nothing more is known of a case than that it came upon code that is not written yet."""
    return not case.passed and case.message in (UNWRITTEN, AS_ABOVE)


def find(name: str, chapter: str) -> Check:
    """The check of exercise `name` in chapter module `chapter` (for example "bahdanau")."""
    importlib.import_module(f"course.checks.{chapter}")
    return Check.registry[name]


def _flatten(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in values.items():
        key = f"{prefix}{name}"
        if isinstance(value, dict):
            flat |= _flatten(value, f"{key}.") or {key: "an empty dict"}
        elif isinstance(value, (list, tuple)):
            flat |= _flatten({str(i): v for i, v in enumerate(value)}, f"{key}.") or {key: "nothing"}
        elif isinstance(value, Module):
            flat[key] = Foreign("Module")
        elif isinstance(value, set):
            flat[key] = ", ".join(sorted(map(_written, value)))
        else:
            flat[key] = value
    return flat


def _written(value: Any) -> str:
    """An entry of a set. A tensor is described: to write its numbers may take longer than a request has."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_written, value))})"
    return repr(value) if value is None or isinstance(value, (bool, int, float, str)) else _describe(value)


def _describe(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"a tensor of shape {tuple(value.shape)}"
    if value is None:
        return "None"
    if isinstance(value, Foreign):
        return f"of type {value.type_name}"
    return {bool: "a truth value", int: "a number", float: "a number", str: "text"}.get(
        type(value), type(value).__name__
    )


def _family(value: Any) -> str:
    if isinstance(value, Tensor):
        if value.dtype == torch.bool:
            return "truth values"
        if value.is_complex():
            return "complex numbers"
        return "floating-point numbers" if value.is_floating_point() else "whole numbers"
    return "number" if type(value) in (int, float) else type(value).__name__


def _difference(seen: Observation, reference: Observation, case: Case) -> str | None:
    """One plain sentence on where an observation departs from the reference's, or None where it does not."""
    if not reference.values:
        raise ValueError(f"case {case.title!r} observes nothing of the reference: {reference.raised}")
    if seen.raised is not None:
        type_name, message = seen.raised
        if type_name == "NotImplementedError" and not message:  # PyTorch raises it too, for what it lacks, with words
            return UNWRITTEN
        if type_name == "Undefined":
            return message
        if type_name == "Blocked":
            return f"{message[:1].upper()}{message[1:]}."
        stop = "" if message.rstrip().endswith((".", "!", "?")) else "."
        if type_name == _OTHER_FORM:
            return f"What came back has another form than the docstring promises ({message})."
        return f"Your code raised {type_name}{': ' if message else ''}{message.rstrip()}{stop}"
    for name, expected in reference.values.items():
        if name not in seen.values:
            if any(other.startswith(f"{name}.") for other in seen.values):
                return f"`{name}` is several things, and {_describe(expected)} is asked for."
            return f"`{name}` is missing from what came back, or has another structure than the docstring says."
        sentence = _value_difference(name, seen.values[name], expected, case)
        if sentence is not None:
            return sentence
    extra = sorted(set(seen.values) - set(reference.values))
    return f"`{extra[0]}` came back although nothing of that name is asked for." if extra else None


def _value_difference(name: str, value: Any, expected: Any, case: Case) -> str | None:
    if isinstance(expected, Tensor) != isinstance(value, Tensor) or _family(value) != _family(expected):
        if isinstance(value, Tensor) and isinstance(expected, Tensor):
            return f"`{name}` holds {_family(value)}, and {_family(expected)} are asked for."
        return f"`{name}` is {_describe(value)}, and {_describe(expected)} is asked for."
    if not isinstance(expected, Tensor):
        if type(expected) in (int, float):
            return None if _same_number(value, expected, case) else f"`{name}` is not the number asked for."
        if value == expected:
            return None
        if isinstance(expected, bool):
            return f"`{name}`: {'yes' if value else 'no'}. It should be {'yes' if expected else 'no'}."
        if isinstance(expected, str):
            return f"`{name}`: {value or 'nothing'}. Asked for: {expected or 'nothing'}."
        return f"`{name}` is not what is asked for."
    if value.shape != expected.shape:
        return f"`{name}` has shape {tuple(value.shape)}, and {tuple(expected.shape)} is asked for."
    if not expected.is_floating_point():
        wrong = int((value != expected).sum())
        return None if wrong == 0 else f"{_count(wrong, value.numel(), f'entries of `{name}`')} not right."
    if _close(value, expected, case):
        return None
    if bool(torch.isfinite(expected).all()) and not bool(torch.isfinite(value).all()):
        count = int((~torch.isfinite(value)).sum())
        return f"{_count(count, value.numel(), f'values of `{name}`')} NaN or infinite."
    gap = float((value.double() - expected.double()).abs().nan_to_num(torch.inf).max())
    told = f"The values of `{name}` are off, by up to {gap:.2g}."
    if value.dtype in (torch.bfloat16, torch.float16):
        if gap <= torch.finfo(value.dtype).eps * max(1.0, float(expected.abs().max())):
            rounded = str(value.dtype).removeprefix("torch.")
            told += f" They are rounded to {rounded}: answer in the inputs' own precision."
    return told


def _count(some: int, of: int, things: str) -> str:
    """The beginning of a sentence with its verb: "1 of the 5 entries is", "The one of the entries is"."""
    if of == 1:
        return f"The one of the {things} is"
    return f"{some} of the {of} {things} {'is' if some == 1 else 'are'}"


def _close(value: Tensor, expected: Tensor, case: Case) -> bool:
    if value.dtype == expected.dtype and torch.equal(value, expected):
        return True  # as most right answers are, in a twentieth of the time
    return torch.allclose(value.double(), expected.double(), atol=case.atol, rtol=case.rtol, equal_nan=True)


def _alike(seen: Observation, other: Observation, case: Case) -> bool:
    """Whether two observations are the same, as far as the case's tolerance goes."""
    if (seen.raised is None) != (other.raised is None):
        return False
    if seen.raised is not None and other.raised is not None:
        return seen.raised[0] == other.raised[0] and _wording(seen.raised[1]) == _wording(other.raised[1])
    if seen.values.keys() != other.values.keys():
        return False
    return all(_same_value(seen.values[name], value, case) for name, value in other.values.items())


def _same_value(a: Any, b: Any, case: Case) -> bool:
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        if a.shape != b.shape or _family(a) != _family(b):
            return False
        return _close(a, b, case) if b.is_floating_point() else bool(torch.equal(a.long(), b.long()))
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
