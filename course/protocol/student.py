"""What a check holds in its hand: the student's functions and modules, wherever they run.

A check is written against `Student` and never knows whether the code is in this process (`Local`) or in the grader's
sandbox. Everything a check receives has crossed `wire`, in both cases.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from course import fixtures
from course.protocol import wire
from course.protocol.blocked import NAMES, Rule
from course.protocol.runner import Runner, described, rebuilt, shapes_of


class _Raised(Exception):
    """Something was raised beside the student's code: `type_name` and `message` are what."""

    def __init__(self, type_name: str, message: str):
        super().__init__(f"{type_name}: {message}" if message else type_name)
        self.type_name = type_name
        self.message = message


class StudentError(_Raised):
    """The student's code raised."""


class StateError(_Raised):
    """A module's state was not as it should be, or what went before: what `load`, `train`, `eval`, `Student.fixture` or
    `Student.before` raised, told by the request after it. No StudentError, so that a case which expects an error of
    that request does not take this one for it.
    """


class Channel(Protocol):
    """Carries a request to the runner beside the student's code and its reply back."""

    def request(self, message: dict[str, Any], callbacks: list[Callable]) -> dict[str, Any]: ...


class Local:
    """The protocol within one process: a learner's own notebook."""

    def __init__(self, namespace: dict[str, Any], rule: Rule | None = None):
        self._callbacks: list[Callable] = []
        self._runner = Runner(namespace, self._call_back, rule)

    def _call_back(self, number: int, args: tuple, kwargs: dict) -> Any:
        received = wire.copy({"args": list(args), "kwargs": kwargs})
        try:
            return wire.copy(self._callbacks[number](*received["args"], **received["kwargs"]), as_it_lies=True)
        except Exception as error:
            raise rebuilt(*described(error)) from None

    def request(self, message: dict[str, Any], callbacks: list[Callable]) -> dict[str, Any]:
        self._callbacks = callbacks
        try:
            return wire.copy(self._runner.answer(wire.copy(message, as_it_lies=True)))
        except (wire.WireError, RecursionError) as error:
            return {"error": ("TooLarge", str(error))}


@dataclass
class Prefetched:
    """What functions of the check's give, if they are called in this way and order.

    `calls` are digests of calls (`wire.digest` of `runner.calling`), `gives` what comes of each; where there is an
    `error` (its type's name and its words), the last call raises it.
    """

    calls: list[str] = field(default_factory=list)
    gives: list[Any] = field(default_factory=list)
    error: tuple[str, str] | None = None


@dataclass(frozen=True)
class Reply:
    """What one of several calls gave: its value, or what it raised (type and words); and what it changed beside."""

    value: Any = None
    raised: tuple[str, str] | None = None
    changed: tuple[str, ...] = ()


class Student:
    """The student's names as attributes: `student.masked_softmax(scores, mask)`, `student.GRUCell(3, 5)`.

    A returned module or optimizer is a `Remote object` (`Module`). A Python function given as an argument stays here
    and is called back. Raises StudentError where the student's code raises. A module's new state and mode travel with
    the next request: each one costs a switch between two processes, there and back.
    """

    def __init__(self, protocol: Channel, blocked: tuple[str, ...] = ()):
        self._channel = protocol
        self._blocked = list(blocked)
        self.operators: set[str] = set()  # that a watch noted, as they say over there: a few names
        self._callbacks: list[Callable] = []
        self._seed: int | None = None
        self._built = 0  # helpers, whose numbers are below zero
        self._queued: list[dict[str, Any]] = []  # goes with the next request
        self._prefetched = Prefetched()  # likewise
        self._came = 0
        self._shared: dict[str, Module] = {}  # by what built them
        self._shapes: dict[int, Any] = {}  # of modules' states, as long as nothing was done since
        self._unbuilt: dict[int, tuple[str, tuple]] = {}  # helpers that wait

    def __getattr__(self, name: str) -> Callable:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *args, **kwargs: self._do("call", args, kwargs, name=name)

    def get(self, name: str) -> Any:
        """The value of a variable of the student's, as it looks after crossing."""
        return self._do("get", name=name)

    def shared(self, name: str, *args: Any, **kwargs: Any) -> "Module":
        """The module that this call gives, built once for all cases: to build it often takes longer than to ask it.

        The weights, and the mode where it matters, are as the case before left them: each case sets its own. What is
        built from other objects is built anew: they are others in each case.
        """
        simple = all(map(_tells_itself, (*args, *kwargs.values())))
        call = repr((name, args, sorted(kwargs.items()))) if simple else ""
        if (built := self._shared.get(call)) is None:
            seed, self._seed = self._seed, 0  # what a class hides from its state is drawn alike wherever it is built
            try:
                built = self._do("call", args, kwargs, name=name)
            finally:
                self._seed = seed
            if simple and isinstance(built, Module):  # anything else is an answer that the case has to trip over
                self._shared[call] = built
        return built

    def fixture(self, name: str, *args: Any) -> "Module":
        """A public helper of `course.fixtures`, built beside the student's code with the next request."""
        self._built += 1
        self._wait("fixture", args, name=name, number=-self._built)
        self._unbuilt[-self._built] = name, args
        return Module(self, -self._built)

    def before(self, name: str, *args: Any) -> None:
        """Call a function just before the next request, and with it, where nobody looks at what comes back."""
        self._wait("call", args, name=name)

    def seed(self, number: int) -> None:
        """Seed torch's generator beside the student's code before each of the following requests."""
        self._seed = number

    def prefetch(self, calls: Prefetched) -> None:
        """Have call-backs of the next request answered over there, as long as they are these."""
        self._prefetched = calls

    def prefetched(self) -> int:
        """How many of the calls that were prefetched came, as they say over there."""
        return self._came

    def error_of(self, name: str, *args: Any, **kwargs: Any) -> str:
        """The type name of what the call raises, or "" where it raises nothing."""
        try:
            self._do("call", args, kwargs, name=name)
        except StudentError as error:
            return error.type_name
        return ""

    def grad(self, name: str, *args: Any, cotangents: Sequence[Tensor | None], **kwargs: Any) -> list[Tensor | None]:
        """Gradients of sum(outputs * cotangents) for each argument of function `name`; None for what has none."""
        return self._do("grad", args, kwargs, name=name, cotangents=cotangents)["inputs"]

    def calls(self, calls: Sequence[dict[str, Any]]) -> list[Reply]:
        """Several calls in one request, each on its own: one that raises ends none of the others.

        A call is what `Runner` takes: {"op": "call", "name": ...} or {"op": "invoke", "on": module}, "args", "seed",
        "then" (other numbers for the same tensors), and "watch", the arguments' names, to hear what it changed. Raises
        ValueError where other things came back.
        """
        requests = [{k: v._number if k == "on" else v for k, v in call.items()} for call in calls]
        replies = self._do("calls", calls=requests)
        if not isinstance(replies, list) or len(replies) != len(calls):
            raise ValueError("the calls were not answered one by one")
        return list(map(_reply, replies))

    def _do(self, op: str, args: tuple = (), kwargs: dict[str, Any] | None = None, **fields: Any) -> Any:
        self._callbacks = []
        message: dict[str, Any] = {"op": op} | {k: self._out(v) for k, v in fields.items()}
        arguments = {
            "args": [self._out(a) for a in args],
            "kwargs": {k: self._out(v) for k, v in (kwargs or {}).items()},
            "queued": self._queued,
            "prefetched": self._out(vars(self._prefetched)) if self._prefetched.calls else None,
            "blocked": self._blocked,
        }
        message |= {k: v for k, v in arguments.items() if v}
        if self._seed is not None:
            message["seed"] = self._seed
        waited, self._queued = bool(self._queued), []
        self._unbuilt.clear()
        prefetched, self._prefetched = len(self._prefetched.calls), Prefetched()
        reply = self._channel.request(message, self._callbacks)
        came = reply.get("prefetched")
        self._came = came if type(came) is int and 0 < came <= prefetched else 0
        self._note(reply.get("operators"))
        if "error" in reply:
            self._shapes.clear()
            queued = waited and reply.get("queued") is True
            kind, words = map(str, reply["error"])
            raise (StateError if queued else StudentError)(wire.named(kind), words)
        made = reply["ok"]
        if isinstance(made, wire.Handle):
            self._shapes[made.number] = reply.get("shapes")
            return Module(self, made.number)
        self._shapes.clear()
        return made

    def _note(self, names: Any) -> None:
        """Operators that a reply names, so far as PyTorch has them and they are not too many."""
        for name in names if isinstance(names, list) else ():
            if len(self.operators) < 100 and isinstance(name, str) and name in NAMES:
                self.operators.add(name)

    def forget(self) -> None:
        """Leave out what waits for a request that never came: another case begins."""
        self._queued, self._prefetched = [], Prefetched()
        self._unbuilt.clear()

    def _wait(self, op: str, args: tuple = (), **fields: Any) -> None:
        """Have something done just before the next request, and with it. Raises TypeError for a function of the
        check's: what calls back is a request of its own.
        """
        if any(callable(a) and not isinstance(a, (Module, Tensor)) for a in args):
            raise TypeError(f"{fields.get('name', op)} gets a function of the check's, so it cannot wait")
        if op in ("call", "method"):  # it may change what is known of a state
            self._shapes.clear()
            self._unbuilt.clear()
        self._queued.append({"op": op} | ({"args": [self._out(a) for a in args]} if args else {}) | fields)

    def _out(self, value: Any) -> Any:
        if type(value) is Tensor:  # most of what a state holds
            return value
        if isinstance(value, Module):
            return wire.Handle(value._number)
        if isinstance(value, (list, tuple)):
            return type(value)(self._out(v) for v in value)
        if isinstance(value, dict):
            return {k: self._out(v) for k, v in value.items()}
        if callable(value) and not isinstance(value, Tensor):
            self._callbacks.append(value)
            return wire.Callback(len(self._callbacks) - 1)
        return value


class Module:
    """A module (or optimizer) that lives beside the student's code."""

    def __init__(self, student: Student, number: int):
        self._student = student
        self._number = number

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._student._do("invoke", args, kwargs, on=self._number)

    def method(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """Call a method by name."""
        return self._student._do("method", args, kwargs, on=self._number, name=name)

    def before(self, name: str, *args: Any) -> None:
        """`Student.before` with a method."""
        self._student._wait("method", args, on=self._number, name=name)

    def part(self, name: str) -> wire.Handle:
        """An attribute of it, to be given to a call."""
        return wire.Handle(self._number, name)

    def state_shapes(self) -> dict[str, tuple[int, ...]]:
        """Names and shapes of the floating-point state (parameters and buffers).

        Raises ValueError where something else came back: what is drawn for a state is drawn by its shapes.
        """
        shapes = self._student._shapes.get(self._number)
        if shapes is None and self._number in self._student._unbuilt:
            shapes = _of_helper(*self._student._unbuilt[self._number])
        if shapes is None:
            shapes = self._student._do("shapes", on=self._number)
        if not isinstance(shapes, dict) or not all(map(_is_shape, shapes.values())):
            raise ValueError("the module's state has no shapes")
        return shapes

    def state(self) -> dict[str, Tensor]:
        """The values of the state."""
        return self._student._do("state", on=self._number)

    def load(self, state: dict[str, Tensor]) -> None:
        """Copy values into the state, by name."""
        self._student._wait("load", (state,), on=self._number)

    def train(self) -> "Module":
        """Training mode, as `nn.Module.train`."""
        self._student._wait("mode", on=self._number, training=True)
        return self

    def eval(self) -> "Module":
        """Evaluation mode, as `nn.Module.eval`."""
        self._student._wait("mode", on=self._number, training=False)
        return self

    def grad(self, *args: Any, cotangents: Sequence[Tensor | None], method: str = "", **kwargs: Any) -> dict[str, Any]:
        """Gradients of sum(outputs * cotangents) of the module, or of a method of it: {"inputs": [...], "parameters":
        {name: ...}}."""
        of = {"method": method} if method else {}
        return self._student._do("grad", args, kwargs, on=self._number, cotangents=cotangents, **of)

    def trace(self, names: list[str], *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Outputs of the named submodules during one forward pass."""
        return self._student._do("trace", args, kwargs, on=self._number, names=names)


def _reply(reply: Any) -> Reply:
    """A reply as it came, from code that may be hostile. Raises ValueError where it is none."""
    match reply:
        case {"error": (str(kind), str(words))}:
            return Reply(raised=(wire.named(kind), words[:500]))
        case {"ok": value, "changed": [*names]} if all(type(name) is str for name in names):
            return Reply(value, changed=tuple(names))
    raise ValueError("a call was answered with neither a result nor an error")


def _tells_itself(value: Any) -> bool:
    """Whether a value tells by itself what is built from it."""
    return all(map(_tells_itself, value)) if isinstance(value, tuple) else isinstance(value, (bool, int, float, str))


def _of_helper(name: str, args: tuple) -> dict[str, tuple[int, ...]] | None:
    """The shapes of a public helper's state: they are what they are in one that is built here. None where they need not
    be, because it is built from what lives over there."""
    if not all(map(_tells_itself, args)):
        return None
    return _shapes_of_helper(name, args)


@lru_cache(maxsize=100)
def _shapes_of_helper(name: str, args: tuple) -> dict[str, tuple[int, ...]] | None:
    drawn = torch.default_generator.get_state()
    try:
        built = fixtures.find(name)(*args)
    finally:
        torch.default_generator.set_state(drawn)
    return shapes_of(built) if isinstance(built, nn.Module) else None


def _is_shape(value: Any) -> bool:
    return isinstance(value, tuple) and all(type(size) is int and size >= 0 for size in value)
