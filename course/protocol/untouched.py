"""What a call changes beside what it gives back: what was given to it, and what the whole process shares.

It is looked at beside the student's code, so by code that runs in the process it looks at. Change it only together
with `runner`.
"""

import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_pre_hook

from course.protocol import nests

# Looked up once, before any cell runs: what a cell puts in their place changes nothing.
_numpy, _address, _stride, _without_hooks = Tensor.numpy, Tensor.data_ptr, Tensor.stride, torch._C.DisableTorchFunction
_FORM = tuple(getattr(Tensor, what).__get__ for what in ("shape", "dtype", "layout", "device"))
_storage = Tensor.untyped_storage
_requires_grad, _grad, _is_leaf = (getattr(Tensor, what).__get__ for what in ("requires_grad", "grad", "is_leaf"))
_generator, _python_generator = torch.default_generator, random.getstate
_numpy_state, _set_numpy_state = partial(np.random.get_state, legacy=False), np.random.set_state
_bit_generator, _set_bit_generator = np.random.mtrand.get_bit_generator, np.random.mtrand.set_bit_generator


def _numpy_generator() -> tuple[Any, dict[str, Any]]:
    """What draws behind `np.random.rand`, a Mersenne Twister unless somebody has put another there, and its state."""
    return _bit_generator(), _numpy_state()


def _put_numpy_back(kept: tuple[Any, dict[str, Any]]) -> None:
    generator, state = kept
    if _bit_generator() is not generator:
        _set_bit_generator(generator)
    _set_numpy_state(state)


def _comparable(value: Any) -> Any:
    """A generator's state as what can be compared."""
    if isinstance(value, dict):
        return {name: _comparable(part) for name, part in value.items()}
    return value.tobytes() if isinstance(value, np.ndarray) else value


_LOOKS = (_generator.get_state, _numpy_generator, _python_generator)
_RESTORE = (_generator.set_state, _put_numpy_back, random.setstate)

DRAWN = "PyTorch's random numbers"
RECORDED = "whether gradients are recorded"
IN_MEMORY_OF = "what comes back, in the memory of "
# What all code of a process shares, by what a learner would call it.
SHARED: dict[str, Callable[[], Any]] = {
    DRAWN: lambda: _generator.get_state().numpy().tobytes(),
    "NumPy's random numbers": lambda: (id(_bit_generator()), _comparable(_numpy_state())),
    "Python's random numbers": _python_generator,
    RECORDED: lambda: (torch.is_grad_enabled(), torch.is_inference_mode_enabled()),
    "autocast": lambda: (torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")),
    "the default dtype": torch.get_default_dtype,
    "the default device": torch.get_default_device,
}

# Those that can be set, and what they are before anything is: a call that leaves one as another did so before, too.
_SETTINGS: tuple[tuple[Callable[[], Any], Callable[[Any], Any], Any], ...] = (
    (torch.is_grad_enabled, torch.set_grad_enabled, True),
    (partial(torch.is_autocast_enabled, "cpu"), partial(torch.set_autocast_enabled, "cpu"), False),
    (torch.get_default_dtype, torch.set_default_dtype, torch.float32),
)


class Watched:
    """What stands before a call, to be compared with what stands after it. `names` are the arguments', in order;
    `module` is whose call it is, or None; `recorded` whether it is made where gradients are recorded."""

    def __init__(self, names: Sequence[str], arguments: Sequence[Any], module: Any, recorded: bool = True):
        self._modules = {"the module": module} | dict(zip(names, arguments, strict=True))
        self._modules = {name: value for name, value in self._modules.items() if isinstance(value, nn.Module)}
        self._arguments = dict(zip(names, arguments, strict=True))
        self._in_calls = self._watch_modes()
        self._set = [(put, look()) for look, put, _ in _SETTINGS]
        for _, put, usual in _SETTINGS:
            put(usual)
        torch.set_grad_enabled(recorded)
        self._generators = [look() for look in _LOOKS]
        for draw in (torch.rand, np.random.random, lambda n: random.random()):
            draw(1)  # whoever seeds them in each call would leave them as the call before did
        self._before = self._look()
        self._given = {name: copied(value) for name, value in self._arguments.items()}

    def _watch_modes(self) -> list[str]:
        """The names of given modules that are called in another mode than they are in, as they come; until `changed`.

        The hook is PyTorch's for all modules: one of a module's own would be seen in it, and copied with it.
        """
        modes = {
            id(part): (name, part.training)
            for name, module in self._modules.items()
            if name != "the module"
            for part in module.modules()
        }
        seen: list[str] = []

        def look(module: nn.Module, given: Any) -> None:
            name, training = modes.get(id(module), ("", module.training))
            if module.training is not training and name not in seen:
                seen.append(name)

        self._hook = register_module_forward_pre_hook(look) if modes else None
        return seen

    def _look(self) -> dict[str, Any]:
        seen = {name: look() for name, look in SHARED.items()}
        for name, argument in self._arguments.items():
            seen[f"`requires_grad` of `{name}`"] = _of_each(argument, _requires_grad)
            seen[f"`grad` of `{name}`"] = _of_each(argument, _gradient)
        for name, module in self._modules.items():
            parts = list(module.named_modules())
            parameters, buffers = _state(parts)
            gradients = [(part, p.grad) for part, p in parameters]
            seen[f"the mode of {name}"] = [(inner, part.training) for inner, part in parts]
            seen[f"`requires_grad` in {name}"] = [(part, p.requires_grad) for part, p in parameters]
            seen[f"the state of {name}"] = [(part, _bytes(x)) for part, x in (*parameters, *buffers, *gradients)]
        return seen

    def changed(self) -> list[str]:
        """The names of what is not as it was. Generators go on from where they were, and settings are put back."""
        if self._hook is not None:
            self._hook.remove()
        given = [f"`{name}`" for name, value in self._arguments.items() if not same(self._given[name], value)]
        now = self._look()
        for restore, state in zip(_RESTORE, self._generators, strict=True):
            restore(state)  # type: ignore[operator]
        for put, usual in self._set:
            put(usual)
        others = [name for name, before in self._before.items() if now[name] != before]
        others += [f"the mode in its calls of {name}" for name in self._in_calls if f"the mode of {name}" not in others]
        return given + [name for name in others if not name.endswith(tuple(f" of {argument}" for argument in given))]

    def lent(self, given: Any) -> list[str]:
        """The names of arguments in whose memory something of a result lies, as `IN_MEMORY_OF` them."""
        memory = _memory(given)
        return [f"{IN_MEMORY_OF}`{name}`" for name, value in self._arguments.items() if memory & _memory(value)]


def _state(parts: Sequence[tuple[str, nn.Module]]) -> tuple[list[tuple[str, Any]], list[tuple[str, Any]]]:
    """The parameters of a module's parts, and the buffers that belong to its state, by name: what `state_dict` holds,
    which takes five times as long and is made for every call."""
    parameters = [(f"{part}.{n}", p) for part, m in parts for n, p in m._parameters.items() if p is not None]
    buffers = [
        (f"{part}.{n}", b) for part, m in parts for n, b in m._buffers.items() if n not in m._non_persistent_buffers_set
    ]
    return parameters, buffers


def _memory(value: Any) -> set[int]:
    """The addresses of the memory that a nest's tensors lie in, so far as they hold a number."""
    with _without_hooks():
        return {_storage(tensor).data_ptr() for tensor in nests.tensors(value)} - {0}


def _bytes(tensor: Any) -> bytes | None:
    return _numbers(tensor).tobytes() if isinstance(tensor, Tensor) else None


def _of_each(argument: Any, look: Callable[[Tensor], Any]) -> Any:
    """What is seen of an argument's tensor, or of those of a list; None of anything else."""
    if isinstance(argument, (list, tuple)):
        return [_of_each(entry, look) for entry in argument]
    if not isinstance(argument, Tensor):
        return None
    with _without_hooks():
        return look(argument)


def _gradient(tensor: Tensor) -> bytes | None:
    return _bytes(_grad(tensor)) if _is_leaf(tensor) else None  # another has none of its own, and PyTorch warns


def copied(argument: Any) -> Any:
    """What an argument's tensor holds before a call, a list of it for the entries of a list, or None.

    It is NumPy that looks: an operation of PyTorch's, such as `equal`, a cell may have put a code of its own to.
    """
    if isinstance(argument, (list, tuple)):
        return [copied(entry) for entry in argument]
    if not isinstance(argument, Tensor):
        return None
    with _without_hooks():  # neither a subclass nor a mode that a cell left on answers for a tensor
        numbers = _numbers(argument)
        return [get(argument) for get in _FORM], (_address(argument), _stride(argument)), numbers, numbers.tobytes()


def same(before: Any, now: Any) -> bool:
    """Whether an argument's tensors, its own or those of a list, are after the call as they were before."""
    if isinstance(before, list):
        return isinstance(now, (list, tuple)) and len(now) == len(before) and all(map(same, before, now))
    if before is None or not isinstance(now, Tensor):
        return before is None
    form, place, numbers, held = before
    with _without_hooks():
        if [get(now) for get in _FORM] != form:
            return False
        if (_address(now), _stride(now)) != place:  # another tensor, in a list, or other numbers in this one
            numbers = _numbers(now)
        return numbers.tobytes() == held


def _numbers(tensor: Tensor) -> Any:
    """The tensor's own memory, as NumPy sees it. What came over the wire tracks nothing; a fixture may."""
    tensor = tensor.detach() if tensor.requires_grad else tensor
    return _numpy(tensor.view(torch.int16) if tensor.dtype is torch.bfloat16 else tensor)
