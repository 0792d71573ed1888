"""What an exercise asks to be written may not be called: functions of PyTorch's, refused while a request is answered.

Three nets, each for what slips through the one before. A mode refuses calls by name, with the best message, but within
its own thread, and code can switch it off. PyTorch's dispatcher refuses the operations themselves, for every thread
and whatever name, module, `torch.ops` or compiled code they are reached by. And functions that are no operations, such
as `torch.autograd.grad`, have their code replaced, under whatever name somebody holds them.

All of it is in the process that it watches: code that goes to lengths to find and undo it can. In the grader such code
is flagged, and what it would have to find is not where an import looks (see `autograde.sandbox.inside`).
"""

import inspect
import re
import sys
import warnings
from functools import lru_cache

import torch
from torch.overrides import TorchFunctionMode

# Who blocks one of a family blocks it whole, and those that have one of it inside: each of them could be the answer,
# under whatever name it goes.
_FAMILIES = {
    "attention": re.compile("attention|multi_head|transformer_encoder"),
    "softmax": re.compile("softmax|cross_entropy"),
    "norm": re.compile("(batch|layer|group|instance|rms)_norm"),
    "recurrent": re.compile("gru|lstm|rnn", re.IGNORECASE),
    "convolution": re.compile("conv(?!ert)"),
}
_WITH_ONE_INSIDE = {"softmax": ("attention",)}
_KEYS = ("CPU", "MkldnnCPU", "SparseCPU", "SparseCsrCPU", "NestedTensorCPU", "QuantizedCPU", "CUDA")
# Looked up once, before any cell runs: what a cell puts in their place changes nothing.
_register, _has_kernel = torch._C._dispatch_library, torch._C._dispatch_has_kernel_for_dispatch_key
_OPERATIONS = tuple(
    name.removeprefix("aten::") for name in torch._C._dispatch_get_all_op_names() if name.startswith("aten::")
)
_NAMES = frozenset(operation.partition(".")[0] for operation in _OPERATIONS)
_HOMES = ("torch.nn.functional", "torch.autograd", "torch._refs", "torch._refs.nn.functional",
          "torch._decomp.decompositions")  # fmt: skip
_FUNCTIONS = tuple(
    (name, value)
    for home in _HOMES
    if home in sys.modules
    for name, value in vars(sys.modules[home]).items()
    if inspect.isfunction(value)
)


class Blocked(RuntimeError):
    """The student's code called a library function that the exercise asks to be written."""


class BlockedOperators:
    """Refuses PyTorch functions within a `with` statement. `names` are those that the exercise's text names: their
    variants (`_softmax`, `special_softmax`) are refused with them, and their families. To find them takes the first
    block of the same names longer than most requests take.
    """

    def __init__(self, names: tuple[str, ...]):
        self._operations, self._functions = _operations(names), _functions(names)
        self._mode = _Mode(names)

    def __enter__(self) -> None:
        self._library = _register("IMPL", "aten", "", __file__, 0)
        with warnings.catch_warnings():  # that an operation has another kernel now is what is wanted
            warnings.simplefilter("ignore")
            for operation, key in self._operations:
                self._library.impl(operation, key, _refuse)
        self._codes = [(function, function.__code__) for function in self._functions]
        for function, code in self._codes:  # which may hold variables of a function around it
            function.__code__ = _refuse.__code__.replace(co_freevars=code.co_freevars)
        self._mode.__enter__()

    def __exit__(self, *raised: object) -> None:
        self._library.reset()
        for function, code in self._codes:
            function.__code__ = code
        self._mode.__exit__(*raised)  # last: it raises where somebody took the mode away


class _Mode(TorchFunctionMode):
    def __init__(self, names: tuple[str, ...]):
        super().__init__()
        self.names = names

    def __torch_function__(self, func, types, args=(), kwargs=None):
        name = getattr(func, "__name__", "").partition(".")[0]  # torch.ops' own add a word: softmax.int
        if _covered(self.names, name):
            raise Blocked(f"the exercise is to be done without torch's {name}, so it may not be called here")
        return func(*args, **(kwargs or {}))


def _refuse(*args, **kwargs):
    from course.protocol.blocked import Blocked  # it runs in the place of others, where no name of this module is known

    raise Blocked("the exercise is to be done without this function of torch's, so it may not be called here")


@lru_cache(maxsize=10_000)
def _covered(names: tuple[str, ...], name: str) -> bool:
    """Whether a function of this name is one of those blocked, of their families, or a variant of an operation."""
    if name in names or any(_variant(name, of) for of in names if of in _NAMES):
        return True
    return "backward" not in name and any(_FAMILIES[family].search(name) for family in _families(names))


@lru_cache(maxsize=100)
def _families(names: tuple[str, ...]) -> tuple[str, ...]:
    """The families that these names, or parts of theirs, belong to, and those that have one of them inside."""
    forwards = [name for name in names if "backward" not in name]
    own = [family for family, pattern in _FAMILIES.items() if any(map(pattern.search, forwards))]
    return tuple(dict.fromkeys(also for family in own for also in (family, *_WITH_ONE_INSIDE.get(family, ()))))


def _variant(name: str, of: str) -> bool:
    """Whether the name has all words of the other, in their order; what an honest backward pass needs is none."""
    if "backward" in name:
        return False
    words = iter(re.findall(r"[a-z0-9]+", name))
    return all(word in words for word in re.findall(r"[a-z0-9]+", of))


@lru_cache(maxsize=100)
def _operations(names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """(operation, dispatch key) of all that is blocked by these names, wherever there is code for it. The code that
    most have for all keys at once stands behind the processor's own.
    """
    blocked = (operation for operation in _OPERATIONS if _covered(names, operation.partition(".")[0]))
    return tuple(
        (operation, key)
        for operation in blocked
        for key in _KEYS
        if key == "CPU" or _has_kernel(f"aten::{operation}", key)
    )


@lru_cache(maxsize=100)
def _functions(names: tuple[str, ...]) -> tuple:
    """Functions of these names that are written in Python."""
    return tuple(function for name, function in _FUNCTIONS if _covered(names, name))
