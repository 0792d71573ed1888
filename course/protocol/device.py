"""Another device, without one: whether a call makes all its tensors where its arguments are.

PyTorch's "meta" device plays the other one: its tensors have shapes, dtypes and a device, and no numbers. A mode that
sees every operator refuses two devices in one, as CUDA would. (`FakeTensorMode` does much the same in six times as
long, and lets an embedding or a convolution with weights on another device pass.)
"""

import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

OTHER = "meta"
_aten = torch.ops.aten
_INDEXES = {_aten.index.Tensor, _aten.index_put.default, _aten.index_put_.default}


class TwoDevices(RuntimeError):
    """An operator was given tensors of two devices."""


class _OneDevice(TorchDispatchMode):
    """Refuses operators whose tensors lie on two devices. A number, a tensor without axes, may lie on the CPU, and so
    may indices, as on a GPU."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func is _aten._to_copy.default and (kwargs.get("device") or args[0].device).type != OTHER:
            return torch.zeros(args[0].shape, dtype=kwargs.get("dtype") or args[0].dtype)  # there is no data to be had
        if func is _aten.copy_.default:  # this and that one carry from one device to another
            return args[0]
        if func is not _aten._to_copy.default:
            tensors = [x for x in _tensors([args, kwargs]) if x.ndim]
            if func in _INDEXES and tensors and tensors[0].device.type == OTHER:
                tensors = [x for x in tensors if x.is_floating_point()]
            if len({x.device for x in tensors}) > 1:
                raise TwoDevices(f"{func} with tensors on two devices")
        return func(*args, **kwargs)


def elsewhere(
    component: Any, new: list[Any] | None, method: str, arguments: list[Any], keywords: dict[str, Any] | None = None
) -> str:
    """ "" where a call with arguments on another device stays there, or what is wrong, as a key of the check's.

    `new`, and `keywords` by name, build the module where `component` is a class, and `method` is what is called of it,
    "" for itself. What the stand-in cannot do, such as reading a number, is nobody's fault: "".
    """
    moved = [_moved(argument) for argument in arguments]
    function = component
    if new is not None:
        function = component(*new, **(keywords or {}))
        if isinstance(function, nn.Module):
            function = function.to(OTHER)
        function = getattr(function, method) if method else function
    try:
        with _OneDevice():
            given = function(*moved)
    except TwoDevices:
        return "two devices"
    except Exception as error:
        return "two devices" if isinstance(error.__cause__ or error.__context__, TwoDevices) else ""
    return "on the CPU" if any(t.device.type != OTHER for t in _tensors(given)) else ""


def _moved(value: Any) -> Any:
    if isinstance(value, (Tensor, nn.Module)):
        return value.to(OTHER)
    return type(value)(map(_moved, value)) if type(value) in (list, tuple) else value


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _tensors(item)


def warm() -> None:
    """Import what the first operator on "meta" imports."""
    elsewhere(torch.add, None, "", [torch.zeros(2, 2), torch.zeros(2, 2)])


class _Dynamo(ModuleType):
    """Stands for PyTorch's compiler until somebody asks for more of it than PyTorch itself does in every process: to
    leave a function of its own alone, and to break a graph that there is none of."""

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
