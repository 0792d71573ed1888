"""Shape checks that attention's stubs are given: a ValueError with the numbers in it, never a silent broadcast.

Shared by the chapters on attention, by the learner's components and by the reference alike. Safe to change: the wording
of the messages. Not safe: what is refused, since every stub's docstring promises it.
"""

import torch
from torch import Tensor


def check_mask(scores: Tensor, mask: Tensor | None) -> None:
    """Raise ValueError unless mask is None, or boolean and broadcastable to the shape of scores."""
    if mask is None:
        return
    if mask.dtype != torch.bool:
        raise ValueError(f"mask must be boolean (True = may attend), got {mask.dtype}")
    wanted = tuple(scores.shape)
    # `torch.broadcast_shapes` would import sympy for it: .3 s for every process
    ends = zip(reversed(mask.shape), reversed(wanted), strict=False)
    if mask.ndim > len(wanted) or any(size not in (1, asked) for size, asked in ends):
        raise ValueError(f"mask {tuple(mask.shape)} does not broadcast to scores {wanted}")


def check_attention(
    query: Tensor,
    keys: Tensor,
    values: Tensor,
    mask: Tensor | None,
    d_query: int | None = None,
    d_key: int | None = None,
) -> None:
    """Raise ValueError unless query is (B, d_query), keys (B, S, d_key), values (B, S, d_v) and mask None or (B, S).

    A width that is None may be any. A mask that is not boolean is refused too.
    """
    shapes = f"query {tuple(query.shape)}, keys {tuple(keys.shape)}, values {tuple(values.shape)}"
    if query.ndim != 2 or keys.ndim != 3 or values.ndim != 3:
        raise ValueError(f"need query (B, d_query), keys (B, S, d_key) and values (B, S, d_v), got {shapes}")
    if not len(query) == len(keys) == len(values) or keys.shape[1] != values.shape[1]:
        raise ValueError(f"query, keys and values must agree in B, and keys and values in S, got {shapes}")
    if d_query is not None and query.shape[1] != d_query:
        raise ValueError(f"need a query of width {d_query}, got {shapes}")
    if d_key is not None and keys.shape[2] != d_key:
        raise ValueError(f"need keys of width {d_key}, got {shapes}")
    if mask is not None and mask.shape != keys.shape[:2]:
        raise ValueError(f"need a mask {tuple(keys.shape[:2])} for {shapes}, got {tuple(mask.shape)}")
    check_mask(keys[:, :, 0], mask)


def check_scaled_dot_product(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> None:
    """Raise ValueError unless query is (..., T, d_k), key (..., S, d_k), value (..., S, d_v), leading axes alike.

    The mask may be None, or boolean and broadcastable to (..., T, S).
    """
    shapes = f"query {tuple(query.shape)}, key {tuple(key.shape)}, value {tuple(value.shape)}"
    if min(query.ndim, key.ndim, value.ndim) < 2:
        raise ValueError(f"need query (..., T, d_k), key (..., S, d_k) and value (..., S, d_v), got {shapes}")
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"query and key must have the same width d_k, got {shapes}")
    if key.shape[-2] != value.shape[-2]:
        raise ValueError(f"each key needs its value: key and value must agree in S, got {shapes}")
    if not query.shape[:-2] == key.shape[:-2] == value.shape[:-2]:
        raise ValueError(f"query, key and value must agree in their leading axes, got {shapes}")
    if mask is not None:
        check_mask(query[..., :1].expand(*query.shape[:-1], key.shape[-2]), mask)
