"""Carries a check's requests out beside the student's code: in the learner's kernel, or in the sandbox's child.

It holds no secret and decides nothing: it calls, and says what came back. Change it only together with `student`.
"""

import importlib
import socket
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor, nn

from course.transport import wire
from course.transport.ban import Ban
from course.transport.wire import Callback, Handle


class Runner:
    """Answers requests on `namespace`, where the student's names live.

    `call_back(number, args, kwargs)` reaches a function that stayed with the check.
    """

    def __init__(self, namespace: dict[str, Any], call_back: Callable[[int, tuple, dict], Any]):
        self.namespace = namespace
        self.call_back = call_back
        self.objects: list[Any] = []

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Carry one request out. The reply holds "ok" and "arguments" (as they are after the call), or "error"."""
        arguments = [self._in(a) for a in request.get("args", ())]
        keywords = {name: self._in(a) for name, a in request.get("kwargs", {}).items()}
        try:
            if request.get("seed") is not None:
                torch.default_generator.manual_seed(request["seed"])  # torch.manual_seed visits devices: milliseconds
            operation = getattr(self, "_" + request["op"])
            banned = tuple(request.get("banned", ()))
            with Ban(banned) if banned else nullcontext():
                result = self._out(operation(request, arguments, keywords))
            return {"ok": result, "arguments": [_tensors_of(a) for a in arguments]}
        except Exception as error:
            return {"error": (type(error).__name__, str(error)[:2000])}

    def _in(self, value: Any) -> Any:
        if isinstance(value, Handle):
            return self.objects[value.number]
        if isinstance(value, Callback):
            return lambda *args, **kwargs: self.call_back(value.number, args, kwargs)
        if isinstance(value, (list, tuple)):
            return type(value)(self._in(v) for v in value)
        if isinstance(value, dict):
            return {k: self._in(v) for k, v in value.items()}
        return value

    def _out(self, value: Any) -> Any:
        if isinstance(value, (nn.Module, torch.optim.Optimizer)):
            return self._keep(value)
        return value

    def _keep(self, value: Any) -> Handle:
        self.objects.append(value)
        return Handle(len(self.objects) - 1)

    def _named(self, name: str) -> Any:
        if name not in self.namespace:
            raise NotImplementedError(f"{name} is not defined")
        return self.namespace[name]

    # one method for each operation of course.transport.student

    def _call(self, request, args, kwargs):
        return self._named(request["name"])(*args, **kwargs)

    def _get(self, request, args, kwargs):
        return self._named(request["name"])

    def _invoke(self, request, args, kwargs):
        return self.objects[request["on"]](*args, **kwargs)

    def _method(self, request, args, kwargs):
        return getattr(self.objects[request["on"]], request["name"])(*args, **kwargs)

    def _fixture(self, request, args, kwargs):
        fixtures = importlib.import_module("course.checks.fixtures")
        return self._keep(fixtures.find(request["name"])(*args, **kwargs))

    def _set_seed(self, request, args, kwargs):
        return None  # the seed travels with every request that has one

    def _shapes(self, request, args, kwargs):
        state = self.objects[request["on"]].state_dict()
        return {name: tuple(t.shape) for name, t in state.items() if t.is_floating_point()}

    def _state(self, request, args, kwargs):
        return dict(self.objects[request["on"]].state_dict())

    def _load(self, request, args, kwargs):
        own = self.objects[request["on"]].state_dict()
        (state,) = args
        with torch.no_grad():
            for name, value in state.items():
                own[name].copy_(value)

    def _mode(self, request, args, kwargs):
        self.objects[request["on"]].train(request["training"])

    def _trace(self, request, args, kwargs):
        module = self.objects[request["on"]]
        seen: dict[str, Any] = {}
        hooks = [
            sub.register_forward_hook(lambda _, __, out, name=name: seen.setdefault(name, out))
            for name, sub in module.named_modules()
            if name in request["names"]
        ]
        try:
            module(*args, **kwargs)
        finally:
            for hook in hooks:
                hook.remove()
        return seen

    def _grad(self, request, args, kwargs):
        """Gradients of the sum of outputs times cotangents, for float arguments and, of a module, its parameters."""
        module = self.objects[request["on"]] if request.get("on") is not None else None
        function = module if module is not None else self._named(request["name"])
        leaves = [_leaf(a) for a in args]
        if isinstance(module, nn.Module):
            module.zero_grad()
        outputs = _tensors(function(*leaves, **kwargs))
        cotangents = [self._in(c) for c in request["cotangents"]]
        total = sum((y * c).sum() for y, c in zip(outputs, cotangents, strict=False) if c is not None)
        if isinstance(total, Tensor) and total.requires_grad:
            total.backward()
        inputs = [a.grad if isinstance(a, Tensor) else None for a in leaves]
        parameters = {n: p.grad for n, p in module.named_parameters()} if isinstance(module, nn.Module) else {}
        return {"inputs": inputs, "parameters": parameters}


def _tensors_of(argument: Any) -> Any:
    """An argument's tensors: itself, a list of what its entries hold, or None."""
    if isinstance(argument, (list, tuple)):
        return [_tensors_of(entry) for entry in argument]
    return argument if isinstance(argument, Tensor) else None


def _leaf(value: Any) -> Any:
    if isinstance(value, Tensor) and value.is_floating_point():
        return value.clone().requires_grad_()
    return value


def _tensors(value: Any) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [t for v in value for t in _tensors(v)]
    return []


def described(error: Exception) -> tuple[str, str]:
    """What crosses of an exception that a called-back function raised: its type's name and its words."""
    words = error.args[0] if len(error.args) == 1 and isinstance(error.args[0], str) else str(error)
    return type(error).__name__, words[:2000]


def rebuilt(type_name: str, words: str) -> Exception:
    """The exception of `described` again, for Python's own common types; RuntimeError for any other.

    The student's code then sees what a function within its own process would have raised, whichever the transport.
    """
    kind = _COMMON.get(type_name)
    return kind(words) if kind is not None else RuntimeError(f"{type_name}: {words}" if words else type_name)


_COMMON: dict[str, type[Exception]] = {
    kind.__name__: kind
    for kind in (ArithmeticError, AssertionError, AttributeError, IndexError, KeyError, LookupError, NameError,
                 NotImplementedError, OverflowError, RuntimeError, TypeError, ValueError, ZeroDivisionError)
}  # fmt: skip


def serve(sock: socket.socket, namespace: dict[str, Any], around: Callable[[dict, Callable], Any] | None = None):
    """Answer requests on a socket until the other end closes it. A reply bears the number of its request.

    `around(request, work)` calls `work()` under whatever deadline the host sets, and returns its result. A reply that
    cannot be sent becomes an error reply, so an answer of a million tensors is a verdict and not a dead process.
    """

    def call_back(number: int, args: tuple, kwargs: dict) -> Any:
        wire.send(sock, {"callback": number, "args": list(args), "kwargs": kwargs})
        reply = wire.receive(sock)
        if "error" in reply:
            raise rebuilt(*reply["error"])
        return reply["ok"]

    runner = Runner(namespace, call_back)
    while True:
        try:
            request = wire.receive(sock)
        except (EOFError, OSError):
            return
        number = request.get("number")
        try:
            reply = around(request, lambda: runner.answer(request)) if around else runner.answer(request)  # noqa: B023
        except Exception as error:  # the deadline's own exception, raised outside the student's call
            reply = {"error": (type(error).__name__, str(error)[:2000])}
        try:
            wire.send(sock, {"number": number} | reply)
        except (wire.WireError, RecursionError) as error:
            wire.send(sock, {"number": number, "error": ("TooLarge", str(error))})
