"""A made-up clock: how long a program would take on a GPU at least, computed from its maker's data sheet.

The clock knows three things of a card (`course.data_sheets`): its memory's bandwidth, its peak for each format, and
that no kernel takes less than the launch of one. It runs a program on tensors without numbers (PyTorch's "meta"
device), sees every kernel that the program would launch, and adds up the longest of the three. So it needs no GPU, and
its times are those of arithmetic: what is measured on a card is held against them (`benchmarks.gpu`), and so is what
chapter 09 says and asserts of times (`tests/notebooks/test_on_a_card.py`).

What it leaves out: caches, how many bytes a kernel moves twice, how well a kernel uses the card, and all that Python
does between two launches. So a real card is slower, and seldom by less than a half; a small tensor that stays in a
cache can be faster.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from unittest import mock

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.optim.optimizer import _get_fused_kernels_supported_devices
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry, sdpa_backward_flop_count, sdpa_flop_count

from course.data_sheets import CARDS, Card, card_of

__all__ = ["CARDS", "LAUNCH", "Card", "Clock", "card_of", "on_card"]

# Seconds from one launch to the next when they are queued one after the other: Gray (2019) measures 3.8 microseconds
# a kernel on a V100, where the kernel itself takes 2.9.
LAUNCH = 4e-6
aten = torch.ops.aten


# ---- the clock -------------------------------------------------------------------------------------------------------

SDPA = aten._scaled_dot_product_flash_attention_for_cpu.default  # the one fused kernel whose "meta" form takes a mask
SDPA_BACKWARD = aten._scaled_dot_product_flash_attention_for_cpu_backward.default
_NO_KERNEL = {aten.empty, aten.empty_like, aten.empty_strided, aten.new_empty, aten.new_empty_strided, aten.detach}
_PRODUCTS = {F.linear, torch.matmul, Tensor.matmul, Tensor.__matmul__, torch.bmm, torch.mm, torch.addmm}
_IN_FLOAT32 = {F.layer_norm, F.softmax, torch.softmax, Tensor.softmax, F.cross_entropy, F.log_softmax}


@dataclass
class Clock:
    """Seconds since the program began: its own time, and the time at which the card will have done what it was given.

    kernels, operations and bytes are counted besides.
    """

    card: Card
    now: float = 0.0
    done: float = 0.0
    kernels: int = 0
    operations: int = 0
    bytes: int = 0
    dtype: torch.dtype = torch.float32  # of products under autocast
    recorded: list[float] | None = None  # of a CUDA graph that is being recorded

    def launch(self, seconds: float) -> None:
        """A kernel is queued: the program goes on after the launch, the card begins when it is free."""
        self.kernels += 1
        if self.recorded is not None:
            self.recorded.append(seconds)
            return
        self.now += LAUNCH
        self.done = max(self.done, self.now) + seconds

    def wait(self) -> None:
        """`torch.cuda.synchronize`, or a number that is read."""
        self.now = max(self.now, self.done)

    def __call__(self) -> float:
        """The clock on the wall; asking takes time too, so that two readings differ."""
        self.now += 1e-7
        return self.now


@dataclass
class _Kernels(TorchDispatchMode):
    """Sees every kernel and has the clock launch it."""

    clock: Clock

    def __post_init__(self) -> None:
        super().__init__()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        tensors = {id(x): x for x in tree_leaves((args, kwargs, result)) if isinstance(x, Tensor) and x.is_meta}
        if not tensors or func.overloadpacket in _NO_KERNEL or _is_view(func):
            return result
        operations = _operations(func, args, kwargs, result)
        # an expanded tensor is read from what it expands
        moved = sum(min(x.numel() * x.element_size(), x.untyped_storage().nbytes()) for x in tensors.values())
        floating = [x.dtype for x in tensors.values() if x.is_floating_point()]
        tf32 = torch.get_float32_matmul_precision() != "highest"
        peak = self.clock.card.peak(min(floating, key=lambda d: d.itemsize, default=torch.float32), tf32)
        self.clock.operations += operations
        self.clock.bytes += moved
        self.clock.launch(max(moved / self.clock.card.bandwidth, operations / peak))
        return result


def _is_view(func: Any) -> bool:
    return any(r.alias_info is not None and not r.alias_info.is_write for r in func._schema.returns)


def _operations(func: Any, args: Any, kwargs: Any, result: Any) -> int:
    """Of the matrix products; what else a kernel computes is done before its bytes are moved. A fused attention that is
    told to be causal leaves out what lies above the diagonal."""
    if func in (SDPA, SDPA_BACKWARD):
        shapes = [x.shape for x in args[:4] if isinstance(x, Tensor)]
        whole = sdpa_flop_count(*shapes) if func is SDPA else sdpa_backward_flop_count(*shapes)
        flag = [argument.name for argument in func._schema.arguments].index("is_causal")
        causal, length = len(args) > flag and args[flag], shapes[-1][-2]
        return whole * (length + 1) // (2 * length) if causal else whole
    count = flop_registry.get(func.overloadpacket)
    return count(*args, **kwargs, out_val=result) if count else 0


@dataclass
class _Calls(TorchFunctionMode):
    """What a card does otherwise than the "meta" device: autocast, and numbers that are read."""

    clock: Clock

    def __post_init__(self) -> None:
        super().__init__()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        of = next((x for x in tree_leaves((args, kwargs)) if isinstance(x, Tensor)), None)
        if of is None or not of.is_meta:
            return func(*args, **kwargs)
        if func in (Tensor.tolist, Tensor.item, Tensor.__float__, Tensor.__int__, Tensor.__bool__, Tensor.cpu):
            self.clock.wait()
            nothing = torch.zeros(of.shape, dtype=of.dtype)
            return nothing if func is Tensor.cpu else func(nothing)
        if func in (torch.allclose, torch.equal):  # what stands in the numbers is not what is looked at here
            self.clock.wait()
            return True
        short = self.clock.dtype
        if short != torch.float32 and func in _PRODUCTS | _IN_FLOAT32:
            wanted = short if func in _PRODUCTS else torch.float32
            args, kwargs = _cast(args, wanted), _cast(kwargs, wanted)
        return func(*args, **kwargs)


def _cast(value: Any, dtype: torch.dtype) -> Any:
    if isinstance(value, Tensor):
        return value.to(dtype) if value.is_meta and value.is_floating_point() else value
    if isinstance(value, dict):
        return {key: _cast(item, dtype) for key, item in value.items()}
    return tuple(_cast(item, dtype) for item in value) if isinstance(value, tuple) else value


def _fused(clock: Clock, otherwise: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """F.scaled_dot_product_attention as one kernel: the "meta" device has the plain form. Not by a mode, since a
    checkpoint's second forward pass, in backward, is without."""

    def attention(query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0,
                  is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False) -> Tensor:  # fmt: skip
        if not query.is_meta:
            return otherwise(query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa)
        if clock.dtype != torch.float32:
            query, key, value = _cast((query, key, value), clock.dtype)
        if query.ndim == 3:
            query, key, value = (x[:, None] for x in (query, key, value))
            return attention(query, key, value, attn_mask, dropout_p, is_causal, scale)[:, 0]
        return SDPA(query, key, value, dropout_p, is_causal, attn_mask=attn_mask, scale=scale)[0]

    return attention


@contextlib.contextmanager
def on_card(card: Card) -> Iterator[Clock]:
    """Programs on tensors of the device "meta" run on this card, by the clock that is given.

    `torch.autocast` for "meta" is one for CUDA, and optimizers have their fused form there.
    """
    clock = Clock(card)

    @contextlib.contextmanager
    def autocast(device_type: str, dtype: torch.dtype | None = None, enabled: bool = True, **_: Any) -> Iterator[None]:
        before = clock.dtype
        clock.dtype = (dtype or torch.float16) if enabled else torch.float32
        try:
            yield
        finally:
            clock.dtype = before

    fused = [*_get_fused_kernels_supported_devices(), "meta"]
    with (
        mock.patch.object(torch, "autocast", autocast),
        mock.patch.object(F, "scaled_dot_product_attention", _fused(clock, F.scaled_dot_product_attention)),
        mock.patch("torch.optim.optimizer._get_fused_kernels_supported_devices", lambda: fused),
        _Calls(clock),
        _Kernels(clock),
    ):
        yield clock
