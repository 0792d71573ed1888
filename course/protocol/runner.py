"""Carries a check's requests out beside the student's code: in the learner's kernel, or in the sandbox's child.

It holds no secret and decides nothing: it calls, and says what came back. Change it only together with `student`.
"""

import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import torch
from torch import Tensor, nn

from course import fixtures
from course.protocol import device, nests, untouched, wire
from course.protocol.blocked import Rule, Watch, look_up  # noqa: F401 what a sandbox begins with
from course.protocol.wire import Callback, Handle

UNDEFINED = "There is no `{}`: the cell of the answer must define it, under this name."


class Undefined(NameError):
    """Nothing goes by the name of what an exercise asks for."""


class Runner:
    """Answers requests on `namespace`, where the student's names live.

    `call_back(number, args, kwargs)` reaches a function that stayed with the check. `rule` is what requests are
    answered under.
    """

    def __init__(
        self, namespace: dict[str, Any], call_back: Callable[[int, tuple, dict], Any], rule: Rule | None = None
    ):
        self.namespace = namespace
        self.call_back = call_back
        self.rule = rule or Rule()
        self.objects: dict[int, Any] = {}  # the check's own numbers are below zero
        self._prefetched: dict[str, Any] = {}  # call-backs of this request
        self._came = 0  # of those

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Carry one request out, after those that are "queued" with it.

        The reply holds "ok"; of a new module also the "shapes" of its state. Or it holds "error", with "queued"
        where that is one of those. Where call-backs were "prefetched", either says how many of them came; where there
        is a watch, which "operators" were called that it notes.
        """
        self._prefetched, self._came = request.get("prefetched", {}), 0
        reply = self._answered(request) | ({"prefetched": self._came} if self._came else {})
        noted = self.rule.watch.noted if self.rule.watch and request.get("blocked") else ()
        return reply | ({"operators": sorted(noted)} if noted else {})

    def _answered(self, request: dict[str, Any]) -> dict[str, Any]:
        queued = True
        try:
            with as_at_the_start(), self.rule.in_force(tuple(request.get("blocked", ()))):
                if request.get("seed") is not None:  # for what is built before it, and again for the request itself
                    torch.default_generator.manual_seed(request["seed"])
                for earlier in request.get("queued", ()):
                    self._operation(earlier, [self._in(a) for a in earlier.get("args", ())], {})
                queued = False
                arguments = [self._in(a) for a in request.get("args", ())]
                keywords = {name: self._in(a) for name, a in request.get("kwargs", {}).items()}
                if request.get("seed") is not None:
                    torch.default_generator.manual_seed(request["seed"])  # torch.manual_seed visits devices: slow
                result = self._operation(request, arguments, keywords)
            reply = {"ok": self._out(result)}
            if isinstance(reply["ok"], Handle):  # the next request would be for the shapes of its state
                with suppress(Exception):  # where there are none, or not yet, that request will say so
                    reply["shapes"] = shapes_of(self.objects[reply["ok"].number])
            return reply
        except Exception as error:
            return {"error": (type(error).__name__, str(error)[:2000])} | ({"queued": True} if queued else {})

    def _operation(self, request: dict[str, Any], arguments: list[Any], keywords: dict[str, Any]) -> Any:
        return getattr(self, "_" + request["op"])(request, arguments, keywords)

    def _in(self, value: Any) -> Any:
        if type(value) is Tensor:  # most of what a state holds
            return value
        if isinstance(value, Handle):
            held = self.objects[value.number]
            return getattr(held, value.part) if value.part else held
        if isinstance(value, Callback):
            return lambda *args, **kwargs: self._called_back(value.number, args, kwargs)
        if isinstance(value, (list, tuple)):
            return type(value)(self._in(v) for v in value)
        if isinstance(value, dict):
            return {k: self._in(v) for k, v in value.items()}
        return value

    def _called_back(self, number: int, args: tuple, kwargs: dict) -> Any:
        """What a function of the check's gives: as prefetched, where it is called as was prefetched."""
        if self._prefetched and self._came < len(self._prefetched["calls"]):
            if self._prefetched["calls"][self._came] == wire.digest(calling(number, args, kwargs)):
                self._came += 1
                if self._came > len(self._prefetched["gives"]):
                    raise rebuilt(*self._prefetched["error"])
                return _where_it_lies(self._prefetched["gives"][self._came - 1], (args, kwargs))
            self._prefetched = {}
        return _where_it_lies(self.call_back(number, args, kwargs), (args, kwargs))

    def _out(self, value: Any) -> Any:
        if isinstance(value, (nn.Module, torch.optim.Optimizer)):
            return self._keep(value)
        return value

    def _keep(self, value: Any) -> Handle:
        number = 1 + max(self.objects, default=-1)
        self.objects[number] = value
        return Handle(number)

    def _named(self, name: str) -> Any:
        if name not in self.namespace:
            raise Undefined(UNDEFINED.format(name))
        return self.namespace[name]

    # one method for each operation of course.protocol.student

    def _call(self, request, args, kwargs):
        return self._named(request["name"])(*args, **kwargs)

    def _get(self, request, args, kwargs):
        return self._named(request["name"])

    def _invoke(self, request, args, kwargs):
        return self.objects[request["on"]](*args, **kwargs)

    def _method(self, request, args, kwargs):
        return getattr(self.objects[request["on"]], request["name"])(*args, **kwargs)

    def _calls(self, request, args, kwargs):
        """Several requests in a row: of each what it gives, or what it raises, and where it is to be watched, what it
        changed that is not its own; where it is to be "apart", also whose memory it gives back. One with arguments that
        come "then" is made a second time, in the same tensors, with their numbers, and tells of that. One that is
        "unrecorded" is made where gradients are not recorded."""
        return [self._one_of_them(call) for call in request["calls"]]

    def _one_of_them(self, call: dict[str, Any]) -> dict[str, Any]:
        try:
            own = _of_its_own({"args": call.get("args", []), "kwargs": call.get("kwargs", {})})
            args = [self._in(a) for a in own["args"]]
            kwargs = {name: self._in(a) for name, a in own["kwargs"].items()}
            if call.get("seed") is not None:
                torch.default_generator.manual_seed(call["seed"])
            module = self.objects[call["on"]] if "on" in call else None
            recorded = not call.get("unrecorded")
            watched = untouched.Watched(call["watch"], args, module, recorded) if "watch" in call else None
            if "then" in call:
                self._operation(call, args, kwargs)
                for lies, new in zip(nests.tensors(args), nests.tensors(call["then"]), strict=True):
                    lies.detach().copy_(new)
            try:
                result = self._out(self._operation(call, args, kwargs))
            finally:
                changed = watched.changed() if watched else []
            if watched and call.get("apart"):
                changed += watched.lent(result)
            return {"ok": _held(result), "changed": changed}
        except Exception as error:
            return {"error": (type(error).__name__, str(error)[:500])}

    def _elsewhere(self, request, args, kwargs):
        """Where a call makes its tensors when its arguments lie on another device: "", or what is wrong with it."""
        new, keywords = self._in(request.get("new")), request.get("keywords")
        return device.elsewhere(self._named(request["name"]), new, request.get("method", ""), args, keywords)

    def _fixture(self, request, args, kwargs):
        self.objects[request["number"]] = fixtures.find(request["name"])(*args)

    def _shapes(self, request, args, kwargs):
        return shapes_of(self.objects[request["on"]])

    def _state(self, request, args, kwargs):
        return dict(self.objects[request["on"]].state_dict())

    def _load(self, request, args, kwargs):
        own = self.objects[request["on"]].state_dict()
        (state,) = args
        with torch.no_grad():
            if state:
                torch._foreach_copy_([own[name] for name in state], list(state.values()))

    def _mode(self, request, args, kwargs):
        """Whether the module itself comes back, as `nn.Module.train` promises."""
        module = self.objects[request["on"]]
        itself = module.train(request["training"]) is module
        if request.get("but_last") and (parts := list(module.children())):
            parts[-1].train(not request["training"])
        return itself

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
        if request.get("method"):
            function = getattr(module, request["method"])
        leaves = [_leaf(a) for a in args]
        if isinstance(module, nn.Module):
            module.zero_grad()
        outputs = nests.tensors(function(*leaves, **kwargs))
        cotangents = [self._in(c) for c in request["cotangents"]]
        total = sum((y * c).sum() for y, c in zip(outputs, cotangents, strict=False) if c is not None)
        if isinstance(total, Tensor) and total.requires_grad:
            total.backward()
        inputs = [a.grad if isinstance(a, Tensor) else None for a in leaves]
        parameters = {n: p.grad for n, p in module.named_parameters()} if isinstance(module, nn.Module) else {}
        return {"inputs": inputs, "parameters": parameters}


@contextmanager
def as_at_the_start() -> Iterator[None]:
    """What cells may have left on or set for the whole process is for one request as Python began with it: an answer is
    judged by what it does, and not by what an experiment before it forgot to switch off. Afterwards it is as they left
    it."""
    dtype, device = torch.get_default_dtype(), torch.get_default_device()
    torch.set_default_dtype(torch.float32)
    if device.type != "cpu":
        torch.set_default_device("cpu")
    try:
        with torch.inference_mode(False), torch.enable_grad(), torch.autocast("cpu", enabled=False):
            yield
    finally:
        torch.set_default_dtype(dtype)
        if device.type != "cpu":
            torch.set_default_device(device)


def shapes_of(module: nn.Module) -> dict[str, tuple[int, ...]]:
    """Names and shapes of the floating-point state."""
    return {name: tuple(t.shape) for name, t in module.state_dict().items() if t.is_floating_point()}


def _of_its_own(value: Any) -> Any:
    """What a request gives, with copies of its tensors, which lie in memory as these do; one that stands in two places
    is one object. A tensor that several calls are given crosses once, and each of them gets its own."""
    copies: dict[int, Tensor] = {}

    def copy_of(tensor: Tensor) -> Tensor:
        if id(tensor) not in copies:
            in_one_piece = tensor.is_contiguous() and not tensor.storage_offset()
            copies[id(tensor)] = tensor.clone() if in_one_piece else _lying_so(tensor)
        return copies[id(tensor)]

    return nests.changed(value, copy_of)


def _lying_so(tensor: Tensor) -> Tensor:
    """A copy with the same strides and offset, in memory of its own."""
    count = tensor.untyped_storage().nbytes() // tensor.element_size()
    memory = tensor.as_strided((count,), (1,), 0).clone()  # `Tensor.set_` would be noted as the answer's
    return memory.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())


def _held(value: Any) -> Any:
    """A result as it is now, whatever later calls make of its memory."""
    return nests.changed(value, lambda tensor: tensor.detach().clone())


def _where_it_lies(given: Any, arguments: Any) -> Any:
    """What a function of the check's gave, with what it gave of an argument's memory in that argument's memory.

    An argument that does not lie in one piece went out as one that does, and lends the memory of a copy.
    """
    if isinstance(given, wire.Lent):
        lender = nests.tensors(arguments)[given.argument].detach().as_subclass(Tensor).contiguous()
        return lender.as_strided(given.shape, given.strides, lender.storage_offset() + given.offset)
    if isinstance(given, dict):
        return {key: _where_it_lies(item, arguments) for key, item in given.items()}
    return type(given)(_where_it_lies(item, arguments) for item in given) if type(given) in (list, tuple) else given


def _leaf(value: Any) -> Any:
    if isinstance(value, Tensor) and value.is_floating_point():
        return value.clone().requires_grad_()
    return value


def calling(number: int, args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    """What is sent for a call of a function that stayed with the check."""
    return {"callback": number, "args": list(args), "kwargs": kwargs}


def described(error: Exception) -> tuple[str, str]:
    """What crosses of an exception that a called-back function raised: its type's name and its words."""
    words = error.args[0] if len(error.args) == 1 and isinstance(error.args[0], str) else str(error)
    return type(error).__name__, words[:2000]


def rebuilt(type_name: str, words: str) -> Exception:
    """The exception of `described` again, for Python's own common types; RuntimeError for any other.

    The student's code then sees what a function within its own process would have raised, whichever the protocol.
    """
    kind = _COMMON.get(type_name)
    return kind(words) if kind is not None else RuntimeError(f"{type_name}: {words}" if words else type_name)


_COMMON: dict[str, type[Exception]] = {
    kind.__name__: kind
    for kind in (ArithmeticError, AssertionError, AttributeError, IndexError, KeyError, LookupError, NameError,
                 NotImplementedError, OverflowError, RuntimeError, TypeError, ValueError, ZeroDivisionError)
}  # fmt: skip


def serve(
    sock: socket.socket,
    namespace: dict[str, Any],
    around: Callable[[dict, Callable], Any] | None = None,
    rule: Rule | None = None,
):
    """Answer requests on a socket until the other end closes it. A reply bears the number of its request.

    `around(request, work)` calls `work()` under whatever deadline the host sets, and returns its result. A reply that
    cannot be sent becomes an error reply, so an answer of a million tensors is a verdict and not a dead process.
    """

    def call_back(number: int, args: tuple, kwargs: dict) -> Any:
        wire.send(sock, calling(number, args, kwargs))
        reply = wire.receive(sock, as_it_lies=True)
        if "error" in reply:
            raise rebuilt(*reply["error"])
        return reply["ok"]

    runner = Runner(namespace, call_back, rule)
    while True:
        try:
            with as_at_the_start():  # a tensor that is made in inference mode remains one of it
                request = wire.receive(sock, as_it_lies=True)
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
