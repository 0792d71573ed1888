"""Checks of exercises that ask for a test: tried on right and wrong implementations of another exercise's component.

The learner's function is given one implementation after the other, in an order of its own for every key, and says
whether it is right: True or False, or `assert` and nothing returned; an exception means that it found a fault. It earns
the share of the wrong ones that it finds, and nothing where it refuses a right one.

The implementations stay out here: the test calls them back. In a notebook they are the learner's own passed component
and a few published wrong ones (`course/checks/variants/`); the grader takes every answer of the other exercise's bank.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from course.checks.engine.check import Check
from course.checks.engine.compare import alike
from course.checks.engine.draw import Draw
from course.checks.engine.table import Implementation, Observation, Table
from course.key import Key
from course.protocol import nests, wire
from course.protocol.runner import calling, described
from course.protocol.student import Prefetched, Student, StudentError
from course.protocol.wire import Foreign
from course.verdict import Outcome, Verdict
from course.wording import listed

REFERENCE = "the reference"  # the name of the right one that every set of implementations begins with
MAX_CALLS = 200  # of one implementation by one test, beside those that were prefetched
MAX_SIZE, MAX_ELEMENTS = 512, 20_000  # of what a test may give it: what is right shows on small inputs
MAX_PREFETCHED = 32  # calls: whoever makes more is asked for each
MADE_OFTEN = 0.2  # of the implementations before: what was called so often is prefetched, at a fifth of being asked
_WRITES = "it writes into what it is given back, and a view of an argument is right too"
_NO_VERDICT = ("SandboxLost", "TimeLimit", "TooLarge", "Blocked", "Undefined")  # what ends a test without an opinion

Make = Callable[[Any, Draw], Callable]


class CheckOfTest(Check):
    """The check of an exercise that asks for a test of exercise `of`, or of one `component` of it.

    `variants` are the published wrong ones by name; `right_forms` are right ones that stand beside the learner's own
    and differ in what a test must not depend on. `make(component, draw)` turns a component into what the test is given,
    where that is not the component itself: an encoder with drawn weights for its class. `beyond` names wrong answers of
    the bank that no such test can see, or need not: a gradient that is cut, an argument that is changed in place.
    `sizes_in_tensors`: whether an implementation may make something as large as a whole number in a tensor says, as
    `one_hot` does, so that those have to be small too.
    """

    keeps = False  # nothing later rests on a test
    guesses = False  # what refuses, or passes, as many as a known one need not have its mistake

    def __init__(
        self,
        name: str,
        *,
        of: str,
        variants: Mapping[str, Any],
        right_forms: Mapping[str, Any] | None = None,
        component: str = "",
        make: Make | None = None,
        beyond: Sequence[str] = (),
        sizes_in_tensors: bool = True,
    ):
        super().__init__(name, components=(name,))
        self.of, self.component, self.beyond = of, component or of, tuple(beyond)
        self.variants, self.right_forms = dict(variants), dict(right_forms or {})
        self._make, self._sizes_in_tensors = make, sizes_in_tensors
        self.case(f"it lets every right `{self.component}` pass", explain=self._refused)(_together)
        self.case(f"it finds the wrong forms of `{self.component}`", explain=self._missed)(_together)

    def published(self, right: Any) -> tuple[Implementation, ...]:
        """What a test is tried on in a notebook, with `right` for the right one that the others stand beside."""
        return (
            Implementation(REFERENCE, True, right),
            *(Implementation(name, True, component) for name, component in self.right_forms.items()),
            *(Implementation(name, False, component) for name, component in self.variants.items()),
        )

    def observe(
        self, student: Student, key: Key, against: Sequence[Implementation] | None = None
    ) -> tuple[Observation, ...]:
        """Both cases at once, because an order in which the right ones come first would tell them apart.

        Raises ValueError where `against`, what the test is tried on, is not given.
        """
        if not against:
            raise ValueError(f"{self.name} is the check of a test: say what to try the test on")
        draw = Draw(key, self.name)
        student.seed(draw.seed("of the test"))
        opinions: dict[str, str] = {}  # name -> why the test says that it is wrong, "" where it does not
        broken: dict[str, tuple[str, str]] = {}  # name -> what the test raised where that was no assertion
        calls: Sequence[_Call] = ()  # the most that this test has made of one: it will make some of them of the next
        counts: list[int] = []  # how many it has made of each
        habits = ""
        try:
            for index in draw.another("order").permutation(len(against)).tolist():
                implementation = against[index]
                often = sorted(counts)[-math.ceil(MADE_OFTEN * len(counts))] if counts else 0
                given = self._given(self._callable(implementation, draw), draw, calls[:often])
                why, raised = self._opinion(student, given)
                calls = max(calls, given.calls, key=len)
                counts.append(len(given.calls))
                if raised:
                    broken[implementation.name] = raised
                if implementation.right and why and self._writes(student, given):
                    why += f", but not where it gives new memory: {_WRITES}"
                opinions[implementation.name] = why
                if implementation.name == REFERENCE:
                    other = self._given(_otherwise(given.function), draw, given.calls)
                    asked = "values are asked for" if self._opinion(student, other)[0] else "no value is asked for"
                    habits = f"{given.habits()}, {asked}"
        except StudentError as error:
            return (Observation(raised=(error.type_name, error.message)),) * 2
        if len(broken) == len(against):
            return (Observation(raised=broken[REFERENCE]),) * 2
        refused = {f"why.{i.name}": opinions[i.name] for i in against if i.right and opinions[i.name]}
        hidden = {"habits": habits} | refused
        return (
            Observation({i.name: not opinions[i.name] for i in against if i.right}, hidden),
            Observation({i.name: bool(opinions[i.name]) for i in against if not i.right}, hidden),
        )

    def _given(self, function: Callable, draw: Draw, expected: Sequence[_Call]) -> _Given:
        seed = draw.seed("of what it is given")
        return _Given(function, seed, expected, sizes_in_tensors=self._sizes_in_tensors)

    def _callable(self, implementation: Implementation, draw: Draw) -> Callable:
        if self._make is None:
            return implementation.component
        try:
            return self._make(implementation.component, draw.another("make"))
        except Exception as error:  # a wrong one that cannot even be built: whoever calls it is told
            return _raising(error)

    def _writes(self, student: Student, of: _Given) -> bool:
        """Whether the test that refuses this right one lets it pass where nothing that comes back lies in an argument's
        memory: it writes into what it is given back."""
        again = _Given(of.function, of.seed, lends=False, sizes_in_tensors=self._sizes_in_tensors)
        return of.lent and not self._opinion(student, again)[0]

    def _opinion(self, student: Student, given: _Given) -> tuple[str, tuple[str, str] | None]:
        """(why the test says that this one is wrong, "" for right; what it raised where that was no assertion)."""
        student.prefetch(given.prefetched())
        try:
            said = getattr(student, self.name)(given)
            given.came(student.prefetched())
        except StudentError as error:
            given.came(student.prefetched())
            unwritten = error.type_name == "NotImplementedError" and not error.message
            if error.type_name in _NO_VERDICT or unwritten:
                raise
            raised = None if error.type_name == "AssertionError" else (error.type_name, error.message)
            return f"it raised {error}", raised
        if isinstance(said, Tensor) and said.dtype == torch.bool and said.numel() == 1:
            said = bool(said)
        if said is not None and not isinstance(said, bool):
            kind = said.type_name if isinstance(said, Foreign) else type(said).__name__
            raise StudentError("TypeError", f"a test returns True or False, or nothing after its asserts; {kind} came")
        return "it returned False" if said is False else "", None

    def compare(self, seen: Sequence[Observation], table: Table) -> Verdict:
        """The verdict; the share of wrong ones found counts, where every right one passes."""
        for case in table.reference:
            if case.raised or not all(case.values.values()):
                raise ValueError(f"{self.name}: the reference's own test errs: {case.raised or case.values}")
        verdict = super().compare(seen, table)
        if verdict.passed or seen[0].raised:
            return verdict
        rights, wrongs = verdict.cases
        to_find = table.reference[1].values
        share = sum(bool(seen[1].values.get(name)) for name in to_find) / len(to_find)
        if not rights.passed and wrongs.passed:
            message = "A test that refuses what is right has found nothing by refusing what is wrong."
            wrongs = replace(wrongs, passed=False, message=message)
        fraction = share if rights.passed else 0.0
        outcome = Outcome.PARTIAL if fraction else Outcome.FAIL
        return replace(verdict, outcome=outcome, fraction=fraction, cases=(rights, wrongs))

    def same(self, i: int, seen: Observation, other: Observation) -> bool:
        """Two tests make the same diagnosis where they err on the same implementations and call them alike."""
        return alike(seen, other, self.cases[i]) and seen.hidden.get("habits") == other.hidden.get("habits")

    def _refused(self, seen: dict[str, Any], expected: dict[str, Any]) -> str:
        names, of = _failed(seen, expected)
        why = seen[f"why.{names[0]}"]
        if of == 1:
            return f"Your test refuses one that is right: {why}."
        return f"Your test refuses {len(names)} of {of} that are right ({listed(names, 4, '; ')}): {why}."

    def _missed(self, seen: dict[str, Any], expected: dict[str, Any]) -> str:
        names, of = _failed(seen, expected)
        return f"Your test lets {len(names)} of {of} wrong ones through: {listed(names, 4, '; ')}."


def _together(student: Student, draw: Draw) -> dict[str, Any]:
    raise NotImplementedError("the cases of a test's check are looked at together")


def _failed(seen: dict[str, Any], expected: dict[str, Any]) -> tuple[list[str], int]:
    """The implementations that the test errs on, and of how many; other things that were seen are texts."""
    names = [name for name, value in expected.items() if isinstance(value, bool)]
    return [name for name in names if seen.get(name) is False], len(names)


def _raising(error: Exception) -> Callable:
    """Stands for an implementation that could not be built: raises, when it is called, what building it raised."""

    def implementation(*args: Any, **kwargs: Any) -> Any:
        raise error

    return implementation


def _otherwise(right: Callable) -> Callable:
    """Gives other numbers than a right implementation, in a form like its, and by a rule: a test that only compares
    what it is given with itself, or looks at shapes and errors alone, finds no fault with it."""

    def implementation(*args: Any, **kwargs: Any) -> Any:
        given = right(*args, **kwargs)
        if isinstance(given, bool) or not isinstance(given, (Tensor, int, float)):
            return given
        return ~given if isinstance(given, Tensor) and given.dtype == torch.bool else 2 * given + 1

    return implementation


@dataclass(frozen=True)
class _Call:
    """How a test called what it was given; whoever is called may change what it gets, and not this."""

    args: tuple
    kwargs: dict[str, Any]

    @cached_property
    def digest(self) -> str:
        return wire.digest(calling(0, self.args, self.kwargs))

    @cached_property
    def leaves(self) -> tuple[list[Tensor], list[int]]:
        """The tensors and the whole numbers in it."""
        return nests.tensors((self.args, self.kwargs)), _whole_numbers((self.args, self.kwargs))

    def small(self, sizes_in_tensors: bool) -> bool:
        """Whether nothing in it is large; whole numbers in tensors count where they may be sizes."""
        tensors, numbers = self.leaves
        sizes = [size for tensor in tensors for size in tensor.shape]
        whole = [int(t.double().abs().max()) for t in tensors if sizes_in_tensors and t.numel() and _whole(t)]
        product = math.prod(max(1, abs(number)) for number in numbers)
        return max([*sizes, *whole, 0]) <= MAX_SIZE and max(sum(t.numel() for t in tensors), product) <= MAX_ELEMENTS


@contextmanager
def _drawing_apart() -> Iterator[None]:
    """What is drawn meanwhile is not missed elsewhere, and nothing is recorded for gradients."""
    state = torch.default_generator.get_state()
    try:
        with torch.no_grad():
            yield
    finally:
        torch.default_generator.set_state(state)


class _Given:
    """An implementation as a test gets it. It draws the same numbers at every call and leaves the test's alone, refuses
    inputs that would cost the grader dear, and remembers how it was called.

    What it gives in its argument's memory, a view of it, lies in the test's own argument there, if it `lends`; `lent`
    says that it did. `expected` are the calls that the test made of another: it very likely makes them of this one too,
    since what it draws is the same, so that their replies go with the request. One that is found out early makes fewer.
    """

    def __init__(
        self,
        function: Callable,
        seed: int,
        expected: Sequence[_Call] = (),
        *,
        lends: bool = True,
        sizes_in_tensors: bool = True,
    ):
        self.function, self.seed, self._lends, self.lent = function, seed, lends, False
        self._sizes_in_tensors = sizes_in_tensors
        self._expected = expected if len(expected) <= MAX_PREFETCHED else ()
        self.calls: list[_Call] = []

    def prefetched(self) -> Prefetched:
        """What it gives in the calls that are expected, up to the first that raises, or gives more than is small."""
        replies = Prefetched()
        with _drawing_apart():
            for call in self._expected:
                try:
                    given = self._reply(call)
                except Exception as error:
                    replies.calls.append(call.digest)
                    replies.error = described(error)
                    break
                if not isinstance(given, (int, float)) and not _Call((given,), {}).small(self._sizes_in_tensors):
                    break
                replies.calls.append(call.digest)
                replies.gives.append(given)
        return replies

    def came(self, expected: int) -> None:
        """So many of the expected calls were made, before any others."""
        self.calls[:0] = self._expected[:expected]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        call = _Call(args, kwargs)
        self.calls.append(call)
        if len(self.calls) > MAX_CALLS:
            raise ValueError(f"a test may call what it is given {MAX_CALLS} times")
        with _drawing_apart():
            return self._reply(call)

    def _reply(self, call: _Call) -> Any:
        if not call.small(self._sizes_in_tensors):
            raise ValueError(f"a test gets by with small inputs: sizes to {MAX_SIZE}, {MAX_ELEMENTS} numbers in all")
        torch.default_generator.manual_seed(self.seed)  # torch.manual_seed visits devices: milliseconds
        args, kwargs = nests.changed((call.args, call.kwargs), Tensor.clone)
        given = self.function(*args, **kwargs)
        return nests.changed(given, self._lender(nests.tensors((args, kwargs)), call)) if self._lends else given

    def _lender(self, own: list[Tensor], call: _Call) -> Callable[[Tensor], Any]:
        """Says of a tensor where it lies in the memory of one of its `own` arguments, unless that was changed: the
        test's is not."""
        theirs = nests.tensors((call.args, call.kwargs))
        memories = {tensor.untyped_storage().data_ptr(): i for i, tensor in enumerate(own) if tensor.numel()}

        def lent(tensor: Tensor) -> Any:
            i = memories.get(tensor.untyped_storage().data_ptr()) if tensor.numel() else None
            if i is None or tensor.dtype != own[i].dtype or not torch.equal(own[i], theirs[i]):
                return tensor
            self.lent = True
            return wire.Lent(i, tuple(tensor.shape), tensor.stride(), int(tensor.storage_offset()))

        return lent

    def habits(self) -> str:
        """How the test called it, in words that tell one kind of test from another."""
        if not self.calls:
            return "never called"
        seen = [call.leaves for call in self.calls]
        values = [t for tensors, _ in seen for t in tensors if t.dtype != torch.bool and t.numel()]
        sizes = [[s for t in tensors for s in t.shape] + numbers for tensors, numbers in seen]
        return ", ".join((
            "called once" if len(self.calls) == 1 else "called several times",
            "constant inputs" if all(bool((t == t.flatten()[0]).all()) for t in values) else "varied inputs",
            "sizes alike" if all(len(set(s)) < len(s) for s in sizes) else "sizes differ",
            "a batch of one" if all(t[0].shape[:1] == (1,) for t, _ in seen if t) else "a batch of several",
        ))  # fmt: skip


def _whole(tensor: Tensor) -> bool:
    return not (tensor.is_floating_point() or tensor.is_complex())


def _whole_numbers(value: Any) -> list[int]:
    """The whole numbers in a nest of lists, tuples and dicts, in order."""
    if type(value) is int:
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [number for item in items for number in _whole_numbers(item)]
