"""Chapter 05: many heads side by side, and order (Vaswani et al., 2017, sections 3.2.2
and 3.5).

The reference answers of notebook 05. Names, parameter names, shapes and docstrings are
the course's public contract and stand in the notebook's stubs as they stand here; what
is inside the functions may be rewritten freely.
Letters: B batch, T target or query length, S source or key length, D model width, H
heads. Masks are boolean, True = may attend.
"""

import copy
from collections.abc import Callable, Iterable

import torch
from torch import Tensor, nn

from solutions.bahdanau import masked_softmax
from solutions.dot_product import scaled_dot_product_attention


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    """(B, T, D) -> (B, H, T, d) with d = D / H: each position's features, shared out to
    heads.

    Head h gets the d features from h * d on, of every position. Raises ValueError where
    num_heads, which is 1 or more, does not divide D.
    """
    batch, length, d_model = x.shape
    if d_model % num_heads:
        raise ValueError(
            "num_heads must divide d_model, "
            f"got {num_heads} heads and x {tuple(x.shape)}"
        )
    # (B, T, H, d) -> (B, H, T, d)
    return x.view(batch, length, num_heads, d_model // num_heads).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    """(B, H, T, d) -> (B, T, H * d): each position's heads side by side, head 0 first.

    Undoes split_heads.
    """
    return x.transpose(1, 2).flatten(2)  # (B, H, T, d) -> (B, T, H, d) -> (B, T, H * d)


def test_split_heads(split_heads: Callable) -> bool:
    """Says whether an implementation of split_heads is right: True or False
    (or by asserts).

    split_heads: a function (x, num_heads) that should do what the docstring of
    split_heads promises, its ValueError included. It takes and gives plain tensors,
    through which no gradient flows; however x lies in memory, the function gets it in
    one piece. It may be called up to 200 times, and refuses large inputs (sizes to 512,
    20,000 numbers a call). Whatever does all that is promised is right, in whatever way
    it does it; everything else is wrong.
    """
    x = torch.randn(2, 5, 12)  # sizes that all differ, numbers that all differ
    heads = split_heads(x, 3)
    if heads.shape != (2, 3, 5, 4):
        return False
    if not all(
        torch.equal(heads[:, h], x[:, :, 4 * h : 4 * (h + 1)]) for h in range(3)
    ):
        return False
    try:
        split_heads(x, 5)
    except ValueError:
        return True
    return False


class MultiHeadAttention(nn.Module):
    """num_heads attentions side by side (Vaswani et al., 2017, section 3.2.2).

    The parameters are four linear maps with bias, d_model to d_model: W_Q, W_K, W_V,
    and W_O after the heads have been merged. Head h has the features from
    h * d_model / num_heads on of what W_Q, W_K and W_V give. Raises ValueError where
    num_heads does not divide d_model.

    forward: query (B, T, D), key (B, S, D), value (B, S, D): self-attention where all
    three are the same, cross-attention where key and value come from elsewhere. mask
    boolean, True = may attend, broadcastable to (B, T, S), the same for all heads, or
    None; a query that may look at nothing gets weights of zero, and W_O's bias as its
    output.
    Returns the output (B, T, D) and the weights of each head (B, H, T, S).
    """

    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(
                f"num_heads must divide d_model, got {num_heads} and {d_model}"
            )
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        # (B, T, D) -> (B, H, T, d)
        queries = split_heads(self.W_Q(query), self.num_heads)
        keys = split_heads(self.W_K(key), self.num_heads)  # (B, S, D) -> (B, H, S, d)
        values = split_heads(self.W_V(value), self.num_heads)
        # (B, T, S) -> (B, 1, T, S): one mask for all heads
        if mask is not None and mask.ndim == 3:
            mask = mask.unsqueeze(1)
        outputs, weights = scaled_dot_product_attention(queries, keys, values, mask)
        return self.W_O(merge_heads(outputs)), weights


def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    """Positions as sines and cosines of many wavelengths (Vaswani et al., 2017,
    section 3.5).

        encoding[t, 2i]     = sin(t / 10000^(2i / d_model))
        encoding[t, 2i + 1] = cos(t / 10000^(2i / d_model))

    Returns (length, d_model), float32. Raises ValueError where d_model is odd.
    """
    if d_model % 2:
        raise ValueError(
            f"sines and cosines come in pairs: d_model must be even, got {d_model}"
        )
    positions = torch.arange(length).unsqueeze(1)
    # (length, D / 2)
    angles = positions / 10_000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)  # interleaved


class LearnedPositionalEncoding(nn.Module):
    """A table of max_length learned vectors, added by position (Gehring et al., 2017).

    The parameter is `weight` (max_length, d_model). forward: x (B, T, D) -> x plus the
    first T rows, the same for every sentence. Raises ValueError where T is larger than
    max_length.
    """

    def __init__(self, max_length: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        length, max_length = x.shape[1], len(self.weight)
        if length > max_length:
            raise ValueError(
                f"the table has {max_length} positions, got x {tuple(x.shape)}"
            )
        return x + self.weight[:length]


def previous_token_head(d_model: int, gain: float) -> tuple[Tensor, Tensor]:
    """W_Q and W_K, set by hand, of a head that attends from every position to the one
    before.

    The head reads the rows of sinusoidal_encoding(length, d_model) and nothing else,
    and uses the matrices as nn.Linear does: queries = encoding @ W_Q.T,
    keys = encoding @ W_K.T. At any length the score of query t and key s, not yet
    divided by sqrt(d_model), is

        gain * e(t - 1) . e(s)

    where e(t) is the formula of sinusoidal_encoding at position t, e(-1) the same
    formula, and gain larger than 0. Returns W_Q and W_K, each (d_model, d_model) and
    float32. Raises ValueError where d_model is odd.
    """
    if d_model % 2:
        raise ValueError(
            f"sines and cosines come in pairs: d_model must be even, got {d_model}"
        )
    W_Q = torch.zeros(d_model, d_model)  # turns every clock one position back
    for i in range(0, d_model, 2):
        # What this clock turns in one position.
        angle = torch.tensor(10_000.0 ** (-i / d_model))
        sin, cos = angle.sin(), angle.cos()
        # sin(a - b) = cos(b) sin(a) - sin(b) cos(a),
        # cos(a - b) = sin(b) sin(a) + cos(b) cos(a)
        W_Q[i : i + 2, i : i + 2] = torch.tensor([[cos, -sin], [sin, cos]])
    return gain * W_Q, torch.eye(d_model)


def convolution_as_attention(
    x: Tensor, weight: Tensor, bias: Tensor
) -> tuple[Tensor, Tensor]:
    """A convolution in one dimension, written as attention with a head for each of K
    offsets.

    x (B, T, C_in); weight (C_out, C_in, K), K odd, and bias (C_out,), as nn.Conv1d
    keeps them. Query t of head k gives all its weight to the key t + k - K // 2, and
    where there is no such key, at the edges, it gives none. Returns the output
    (B, T, C_out), that of nn.Conv1d with stride 1 and padding K // 2, and the heads'
    weights (K, T, T), each of them one or zero, in the dtype of x.
    """
    length, num_heads = x.shape[1], weight.shape[2]
    positions = torch.arange(length, device=x.device)
    offsets = torch.arange(num_heads, device=x.device) - num_heads // 2
    # (K, T, 1): the key that a query of a head looks at
    wanted = positions.unsqueeze(1) + offsets.view(-1, 1, 1)
    mask = wanted == positions  # (K, T, T); a row at the edge allows nothing
    weights = masked_softmax(
        torch.zeros(mask.shape, dtype=x.dtype, device=x.device), mask
    )
    # Head k's W_V and its columns of W_O, in one: weight[:, :, k].
    values = torch.einsum("bsc,ock->bkso", x, weight)
    # (B, K, T, C_out) -> (B, T, C_out)
    return (weights @ values).sum(dim=1) + bias, weights


def ablate_heads(
    attention: MultiHeadAttention, heads: Iterable[int]
) -> MultiHeadAttention:
    """A copy of a multi-head attention in which the given heads add nothing to the
    output.

    attention: as MultiHeadAttention, with num_heads and the four maps W_Q, W_K, W_V and
    W_O.
    heads: numbers of heads, from 0, each once. The copy returns the weights of all
    heads as before; its output is W_O's bias and the other heads' contributions. The
    attention that was given and its parameters stay as they were. Raises ValueError for
    a head that it does not have.
    """
    d_head = attention.W_O.in_features // attention.num_heads
    without = copy.deepcopy(attention)
    with torch.no_grad():
        for head in heads:
            if not 0 <= head < attention.num_heads:
                raise ValueError(
                    f"there are heads 0 to {attention.num_heads - 1}, got {head}"
                )
            # Nothing becomes of this head's features.
            without.W_O.weight[:, head * d_head : (head + 1) * d_head] = 0.0
    return without


def attend_with_torch(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    """Ask torch's own multi-head attention, with a mask of this course's.

    attention: made with batch_first=True, and called in its current mode. query
    (B, T, D), key and value (B, S, D); mask (B, T, S) boolean, True = may attend, each
    row allowing at least one key; it stays as it was.
    Returns the output (B, T, D) and the weights of each head (B, H, T, S).
    """
    blocked = ~mask  # torch's module has it the other way round: True = may not attend
    # (B, T, S) -> (B * H, T, S), head after head
    blocked = blocked.repeat_interleave(attention.num_heads, dim=0)
    return attention(query, key, value, attn_mask=blocked, average_attn_weights=False)
