"""Another device, without one: whether a call makes all its tensors where its arguments are.

The other device is one in name: a tensor on it says that it is on "meta", and keeps its numbers on the processor. Every
operator is seen on its way, runs on those, and is refused where it is given tensors of two devices, as CUDA would. So
code that reads a number goes on, too. (PyTorch's own "meta" tensors have no numbers, and take five times as long, since
many of their operators are written in Python; `FakeTensorMode` lets an embedding or a convolution with weights on
another device pass.)
"""

import sys
from contextlib import nullcontext
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from course.protocol import nests

OTHER = "meta"
_aten = torch.ops.aten
_INDEXES = {_aten.index.Tensor, _aten.index_put.default, _aten.index_put_.default}
_CARRIES = {_aten._to_copy.default, _aten.copy_.default}  # from one device to another
_FROM_NUMBERS = {torch.tensor, torch.as_tensor, torch.asarray}
_PROCESSOR = torch.device("cpu")


class TwoDevices(RuntimeError):
    """An operator was given tensors of two devices."""


class _There(Tensor):
    """A tensor on the other device; `numbers` is what it is made of, on this one."""

    numbers: Tensor
    __torch_function__ = torch._C._disabled_torch_function_impl  # type: ignore[assignment]

    @staticmethod
    def __new__(cls, numbers: Tensor) -> "_There":
        made = Tensor._make_wrapper_subclass(
            cls, numbers.shape, strides=numbers.stride(), storage_offset=numbers.storage_offset(),
            dtype=numbers.dtype, device=torch.device(OTHER),
        )  # fmt: skip
        made.numbers = numbers
        return made

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:  # type: ignore[override]
        return _seen(func, args, kwargs or {})  # outside of a call too, where the module is moved


class _OneDevice(TorchDispatchMode):
    """Sees the operators, too, that are given no tensor: those that make one."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return _seen(func, args, kwargs or {})


class _Numbers(TorchFunctionMode):
    """Carries numbers of Python's to the other device and back, which no operator does."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func in _FROM_NUMBERS and not isinstance(args[0], Tensor):
            made = func(_taken(args[0]), *args[1:], **kwargs | {"device": _PROCESSOR})
            return made.to(kwargs.get("device") or torch.get_default_device())
        if func is Tensor.new_tensor and not isinstance(args[1], Tensor):
            of, numbers = args
            made = torch.tensor(_taken(numbers), dtype=kwargs.get("dtype", of.dtype), device=_PROCESSOR)
            return made.to(kwargs.get("device", of.device))
        if func is Tensor.tolist:
            return _taken(args[0]).tolist()
        return func(*args, **kwargs)


def _seen(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """What an operator gives, on the device where it gives it. Raises TwoDevices. A number, a tensor without axes, may
    lie on the CPU, and so may indices, as on a GPU."""
    given = nests.tensors([args, kwargs])
    there = [x for x in given if type(x) is _There]
    if there and len(there) < len(given) and func not in _CARRIES:
        here = [x for x in given if type(x) is not _There and x.ndim]
        if func in _INDEXES and type(args[0]) is _There:
            here = [x for x in here if x.is_floating_point()]
        if here and any(x.ndim for x in there):
            raise TwoDevices(f"{func} with tensors on two devices")
    device = kwargs.get("device")
    if device is not None and device.type == OTHER:
        kwargs = kwargs | {"device": _PROCESSOR}
    elsewhere = bool(there) if device is None else device.type == OTHER
    if not there:
        result = func(*args, **kwargs)
        return _put(result, {}) if elsewhere else result
    by_id = {id(x.numbers): x for x in there}
    result = func(*_taken(args), **_taken(kwargs))
    if torch.Tag.inplace_view in func.tags:  # the tensor itself gets another form, as its numbers did
        with torch._C._DisableTorchDispatch():
            func(*args, **kwargs)
    return _put(result, by_id) if elsewhere else result


def _taken(value: Any) -> Any:
    """A value with the numbers in the place of what lies on the other device."""
    if type(value) is _There:
        return value.numbers
    if isinstance(value, (list, tuple)):
        return type(value)(map(_taken, value))
    return {name: _taken(item) for name, item in value.items()} if isinstance(value, dict) else value


def _put(value: Any, by_id: dict[int, "_There"]) -> Any:
    """A result on the other device; what was changed in its place is the tensor that was given."""
    if isinstance(value, Tensor):
        return by_id[id(value)] if id(value) in by_id else _There(value)
    return type(value)(_put(item, by_id) for item in value) if isinstance(value, (list, tuple)) else value


def elsewhere(
    component: Any, new: list[Any] | None, method: str, arguments: list[Any], keywords: dict[str, Any] | None = None
) -> str:
    """ "" where a call with arguments on another device stays there, or what is wrong, as a key of the check's.

    `new`, and `keywords` by name, build the module where `component` is a class, and `method` is what is called of it,
    "" for itself. What the stand-in cannot do, such as handing its numbers to NumPy, is nobody's fault: "".
    """
    moved = [_moved(argument) for argument in arguments]
    function = component
    if new is not None:
        function = component(*new, **(keywords or {}))
        if isinstance(function, nn.Module):
            function = _moved(function)
        function = getattr(function, method) if method else function
    try:
        with _Numbers(), _OneDevice():
            given = function(*moved)
    except TwoDevices:
        return "two devices"
    except Exception as error:
        return "two devices" if isinstance(error.__cause__ or error.__context__, TwoDevices) else ""
    return "on the CPU" if any(t.device.type != OTHER for t in nests.tensors(given)) else ""


def _moved(value: Any) -> Any:
    if isinstance(value, nn.Module):
        return _module(value)
    if isinstance(value, Tensor):
        return _There(value.detach().clone())
    return type(value)(map(_moved, value)) if type(value) in (list, tuple) else value


def _module(module: nn.Module) -> nn.Module:
    """The module with its parameters and buffers on the other device, as `module.to` leaves it: one that is held in two
    places is one. (`to` would make an `nn.Parameter` of each, which imports `torch.distributed` and sympy.)"""
    moved: dict[int, Tensor] = {}
    for part in module.modules():
        for held in (part._parameters, part._buffers):
            for name, tensor in held.items():
                if tensor is None:
                    continue
                if id(tensor) not in moved:
                    there = _There(tensor.detach()).requires_grad_(tensor.requires_grad)
                    there._is_param = isinstance(tensor, nn.Parameter)
                    moved[id(tensor)] = there
                held[name] = moved[id(tensor)]  # type: ignore[assignment]
        if isinstance(part, nn.RNNBase):
            part._init_flat_weights()
    return module


def warm() -> None:
    """Import what the first operator on another device imports."""
    elsewhere(lambda x: x + torch.tensor([1.0]), None, "", [torch.zeros(2, 2)])


class _CompiledAutograd:
    """Stands for the part of PyTorch's compiler that `torch.func.grad` switches off meanwhile: it is off."""

    _disable = staticmethod(nullcontext)

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module("torch._dynamo.compiled_autograd"), name)


class _Dynamo(ModuleType):
    """Stands for PyTorch's compiler until somebody asks for more of it than PyTorch itself does in every process: to
    leave a function of its own alone, to break a graph that there is none of, and to keep out of a backward pass."""

    compiled_autograd = _CompiledAutograd()

    def disable(self, fn: Any = None, recursive: bool = True, **more: Any) -> Any:
        return fn if more == {"wrapping": False} else self._real().disable(fn, recursive, **more)

    @staticmethod
    def graph_break() -> None:
        """Nothing: there is no graph."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__path__":  # what whoever looks through all modules asks for
            raise AttributeError(name)
        return getattr(self._real(), name)

    def _real(self) -> ModuleType:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return import_module(self.__name__)


def without_compiler() -> None:
    """Put off the import of PyTorch's compiler, which a process of the grader's does not use.

    The first optimizer and the first operator on "meta" import it only to have a function left out of what is compiled:
    0.8 of the 2.5 seconds in which a sandbox started, and 0.65 of the one second that a class's tables took meanwhile.
    """
    if "torch._dynamo" not in sys.modules:
        stand_in = _Dynamo("torch._dynamo")
        stand_in.__spec__ = find_spec("torch._dynamo")  # who only asks whether there is one is told so
        sys.modules["torch._dynamo"] = stand_in
