"""What an exercise asks to be written may not be called: operators of PyTorch's, refused while a request is answered.

A check names families, such as "attention": whatever of PyTorch's does the work of one is refused, wherever it stands.
Operators are refused by PyTorch's dispatcher, for every thread and whatever name, alias, `torch.ops` or compiled code
they are reached by. What PyTorch and other libraries write in Python has its code replaced, under whatever name it is
held. An operator that is of no family, and that PyTorch does not call elementary, goes through and is noted: the
grader's record tells which of those right answers use (`autograde.bank.operators`), and a person hears of the others.

All of it is in the process that it watches: code that goes to lengths to find and undo it can. In the grader such code
is flagged, and what it would have to find is not where an import looks (see `autograde.sandbox.inside.preload`).
"""

import re
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import lru_cache

import numpy as np
import torch
from torch._decomp import decomposition_table

# Family -> what is in the names that PyTorch gives to its members, operators and Python's functions alike.
FAMILIES = {
    "attention": re.compile(r"attention|multi_?head|transformer_?(en|de)coder|^transformer\.", re.IGNORECASE),
    "softmax": re.compile(r"softmax|softmin|cross_?entropy", re.IGNORECASE),
    "norm": re.compile(r"(batch|layer|group|instance|rms)_?norm|^_normalize$", re.IGNORECASE),
    "recurrent": re.compile(r"gru|lstm|rnn", re.IGNORECASE),
    "convolution": re.compile(r"conv(?!er)|^correlate", re.IGNORECASE),
    # the first two are the doors of reverse mode, from Python and from an operator; the third is that of forward mode
    "autograd": re.compile(r"^_engine_run_backward$|^_?backward$|^_?make_dual$|^grad$|(softmax|attention).*backward"),
}
_AT_WORK = re.compile("forward|call")  # the methods of a family's class that do its work
# Where an operator's code for this machine stands, or code for many machines at once.
_KEYS = (
    "CPU", "CUDA", "MkldnnCPU", "SparseCPU", "SparseCsrCPU", "NestedTensorCPU", "QuantizedCPU",
    "CompositeImplicitAutograd", "CompositeImplicitAutogradNestedTensor", "CompositeExplicitAutograd",
    "CompositeExplicitAutogradNonFunctional", "FuncTorchBatchedDecomposition",
)  # fmt: skip
_ELEMENTARY = {torch.Tag.core, torch.Tag.pointwise, torch.Tag.reduction, torch.Tag.view_copy}
# Looked up once, before any cell runs: what a cell puts in their place changes nothing.
_register, _has_kernel = torch._C._dispatch_library, torch._C._dispatch_has_kernel_for_dispatch_key
_overload, _kernel_of = torch._C._get_operation_overload, torch.library.get_kernel
# each with its name without its library's and its variant's: ("aten::softmax.int", "softmax")
_OPERATORS = tuple((o, o.partition("::")[2].partition(".")[0]) for o in torch._C._dispatch_get_all_op_names())
NAMES = frozenset(name.rstrip("_") for _, name in _OPERATORS)  # of all that a watch can note
REFUSAL = "the exercise is to be done without torch's {}, so it may not be called here"

_IN_STEPS = {operator.name() for operator in decomposition_table if isinstance(operator, torch._ops.OpOverload)}


class Blocked(RuntimeError):
    """The student's code called a library function that the exercise asks to be written."""


class BlockedOperators:
    """Refuses families within a `with` statement. To find their members takes the first block of the same families
    longer than most requests take.
    """

    def __init__(self, families: tuple[str, ...]):
        self._operators, self._functions = _operators(families), _functions(families)

    def __enter__(self) -> None:
        self._libraries = _registered(self._operators)
        self._codes = [(function, function.__code__) for function, _ in self._functions]
        for function, code in self._functions:
            function.__code__ = code

    def __exit__(self, *_: object) -> None:
        for library in self._libraries:
            library.reset()
        for function, code in self._codes:
            function.__code__ = code


class Watch:
    """Notes the operators that are called, in any thread, and are neither elementary nor of any family."""

    def __init__(self) -> None:
        self.noted: set[str] = set()
        self._libraries: list = []

    def begin(self) -> None:
        """Watch from now on; nothing, where it does already."""
        self._libraries = self._libraries or _registered(
            [(operator, "CPU", self._noting(name, kernel)) for operator, name, kernel in _unfamiliar()], keyset=True
        )

    def end(self) -> None:
        for library in self._libraries:
            library.reset()
        self._libraries = []

    def _noting(self, name: str, kernel) -> Callable:
        add, call = self.noted.add, kernel.call_boxed

        def note(keys, *args, **kwargs):
            add(name)
            return call(keys, *args, **kwargs)

        return note


class Rule:
    """What requests are answered under: one after the other, each with its families. One that is `lasting` stays in
    force until a request under another: where nothing but requests runs, that saves each its set-up. `watch`, where
    there is one, watches wherever something is blocked.
    """

    def __init__(self, lasting: bool = False, watch: Watch | None = None):
        self.lasting, self.watch = lasting, watch
        self._now: tuple[tuple[str, ...], int] = ((), 0)
        self._blocks = ExitStack()

    @contextmanager
    def in_force(self, families: tuple[str, ...]) -> Iterator[None]:
        now = (families, len(sys.modules) if families else 0)  # a module that came may hold more members
        if now != self._now:
            self.lift()
            if families and self.watch:
                self.watch.begin()
            if families:
                self._blocks.enter_context(BlockedOperators(families))
            self._now = now
        if self.watch:
            self.watch.noted.clear()
        try:
            yield
        finally:
            if not self.lasting:
                self.lift()
                if self.watch:
                    self.watch.end()

    def lift(self) -> None:
        """Refuse nothing any more, until the next request."""
        self._blocks.close()
        self._now = ((), 0)


def look_up(families: tuple[str, ...]) -> None:
    """Find beforehand what a rule of these families and a watch will need."""
    BlockedOperators(families)
    _unfamiliar()


def _registered(kernels, keyset: bool = False) -> list:
    """Libraries that hold these (operator, key, function), which take the place of PyTorch's own until `reset`."""
    libraries: dict = {}
    with warnings.catch_warnings():  # that an operator has another kernel now is what is wanted
        warnings.simplefilter("ignore")
        for operator, key, function in kernels:
            space, _, name = operator.partition("::")
            if space not in libraries:
                libraries[space] = _register("IMPL", space, "", __file__, 0)
            libraries[space].impl(name, key, function, keyset)
    return list(libraries.values())


def _refuse(*args, **kwargs):
    import sys  # it runs in the place of others, where no name of this module is known

    from course.protocol.blocked import REFUSAL, Blocked

    raise Blocked(REFUSAL.format(sys._getframe().f_code.co_name))


def _refusing(name: str) -> Callable:
    return types.FunctionType(_refuse.__code__.replace(co_name=name), globals())


def _is_member(family: str, name: str) -> bool:
    """Whether PyTorch gives such a name to a member. A backward pass is none of what it goes back through."""
    return bool(FAMILIES[family].search(name)) and (family == "autograd" or "backward" not in name)


@lru_cache(maxsize=100)
def _operators(families: tuple[str, ...]) -> tuple[tuple[str, str, Callable], ...]:
    """(operator, dispatch key, what refuses it) of each member, wherever there is code for it: code for many machines
    at once can be reached by itself.
    """
    named = [(o, name) for o, name in _OPERATORS if any(_is_member(family, name) for family in families)]
    members = [(o, name) for o, name in named if _computes(o)]
    refusing = {name: _refusing(name) for _, name in members}
    keys = (*_KEYS, "Autograd") if "autograd" in families else _KEYS  # where forward mode's code stands, and ends
    return tuple((o, key, refusing[name]) for o, name in members for key in keys if _has_kernel(o, key))


@lru_cache(maxsize=1)
def _unfamiliar() -> tuple[tuple, ...]:
    """(operator, its name, its code) of what is watched: operators with code of their own for the processor that are
    of no family, and that PyTorch calls elementary in none of their variants. What is composed of others is known by
    those.
    """
    variants: dict[str, list[tuple[str, str]]] = {}
    for operator, name in _OPERATORS:
        if "backward" not in name and not any(_is_member(family, name) for family in FAMILIES):
            variants.setdefault(name.rstrip("_"), []).append((operator, name))
    return tuple(
        (operator, name.rstrip("_"), _kernel_of(operator, "CPU"))
        for of_one in variants.values()
        if not any(_elementary(operator) for operator, _ in of_one)
        for operator, name in of_one
        if _has_kernel(operator, "CPU") and not _has_kernel(operator, "CompositeImplicitAutograd")
    )


def _declared(operator: str) -> tuple:
    """(signature, tags) that PyTorch declares."""
    name, _, variant = operator.partition(".")
    return torch._C._get_schema(name, variant), set(_overload(name, variant)[2])


def _computes(operator: str) -> bool:
    """Whether it gives tensors, or changes some, and is not made of the variant that does the work."""
    schema, tags = _declared(operator)
    gives = [str(given.type) for given in schema.returns]
    return torch.Tag.generated not in tags and (not gives or any("Tensor" in kind for kind in gives))


def _elementary(operator: str) -> bool:
    """Whether PyTorch says so itself: by a tag, by its signature, which is that of a view or of a new tensor, or in its
    table of what it writes as steps of others.
    """
    schema, tags = _declared(operator)
    view = any(r.alias_info is not None and not r.alias_info.is_write for r in schema.returns)
    new = any(argument.name == "pin_memory" for argument in schema.arguments)
    takes_none = not any("Tensor" in str(argument.type) for argument in schema.arguments)
    return bool(tags & _ELEMENTARY) or view or new or takes_none or operator in _IN_STEPS


# Libraries that have a softmax, convolutions or attention of their own, and may be there beside PyTorch.
_PACKAGES = ("torch.", "numpy.", "scipy.", "sklearn.", "transformers.", "x_transformers.")
_OF_NUMPY = type(np.convolve)  # what stands before a function of NumPy's that other kinds of arrays may answer
_walked: set[str] = set()  # modules
_python: dict[int, types.FunctionType] = {}  # their functions
# Of a family, among the first ones.
_members: dict[str, tuple[int, list[tuple[types.FunctionType, types.CodeType]]]] = {}


def _came() -> list[str]:
    """Names of these libraries' modules that came since this was asked for. To touch all names, and all functions,
    takes a child of the sandbox milliseconds, as it copies the memory that they lie in: so only where there are others.
    """
    if len(sys.modules) == len(_walked):
        return []
    came = [name for name in sys.modules.keys() - _walked if f"{name}.".startswith(_PACKAGES)]
    _walked.clear()
    _walked.update(sys.modules)
    return came


def _functions(families: tuple[str, ...]) -> list[tuple[types.FunctionType, types.CodeType]]:
    """(member that is written in Python, code that refuses it), in every module of theirs that is there by now."""
    for name in _came():
        for value in list(getattr(sys.modules[name], "__dict__", {}).values()):
            own = issubclass(type(value), type) and f"{value.__module__}.".startswith(_PACKAGES)
            for each in (value, *(vars(value).values() if own else ())):
                each = each.__func__ if type(each) in (classmethod, staticmethod) else each
                each = vars(each).get("__wrapped__") if type(each) is _OF_NUMPY else each
                while type(each) is types.FunctionType:  # one that is wrapped can be had without what is around it
                    _python[id(each)] = each
                    each = vars(each).get("__wrapped__")
    for family in families:
        looked_at, functions = _members.get(family, (0, []))
        for function in list(_python.values())[looked_at:] if looked_at < len(_python) else ():
            if _does_the_work(family, function):
                code = function.__code__  # which may hold variables of a function around it
                functions.append(
                    (function, _refuse.__code__.replace(co_freevars=code.co_freevars, co_name=code.co_name))
                )
        _members[family] = len(_python), functions
    return [member for family in families for member in _members[family][1]]


def _does_the_work(family: str, function: types.FunctionType) -> bool:
    """Whether it is a member by its own name, or a method of a member that does its work."""
    name = function.__name__
    owner = function.__qualname__.rpartition(".")[0]
    return _is_member(family, name) or (_AT_WORK.search(name) is not None and _is_member(family, f"{owner}."))
