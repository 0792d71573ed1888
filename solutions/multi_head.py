"""Chapter 05: many heads side by side, and order (Vaswani et al., 2017, sections 3.2.2 and 3.5).

The reference answers of notebook 05. Names, parameter names, shapes and docstrings are the course's public contract and
stand in the notebook's stubs as they stand here; what is inside the functions may be rewritten freely.
Letters: B batch, T target or query length, S source or key length, D model width, H heads. Masks are boolean,
True = may attend.
"""

import torch
from torch import Tensor, nn

from solutions.dot_product import scaled_dot_product_attention


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    """(B, T, D) -> (B, H, T, D / H): head h gets features h * D / H up to (h + 1) * D / H of every position.

    Raises ValueError where num_heads does not divide D.
    """
    batch, length, d_model = x.shape
    if d_model % num_heads:
        raise ValueError(f"num_heads must divide d_model, got {num_heads} heads and x {tuple(x.shape)}")
    return x.view(batch, length, num_heads, d_model // num_heads).transpose(1, 2)  # (B, T, H, d) -> (B, H, T, d)


def merge_heads(x: Tensor) -> Tensor:
    """(B, H, T, d) -> (B, T, H * d): each position's heads side by side, head 0 first; undoes split_heads."""
    return x.transpose(1, 2).flatten(2)  # (B, H, T, d) -> (B, T, H, d) -> (B, T, H * d)


class MultiHeadAttention(nn.Module):
    """num_heads attentions side by side in subspaces of width d_model / num_heads (Vaswani et al., 2017, 3.2.2).

    The parameters are four linear maps with bias, d_model to d_model: W_Q, W_K, W_V, and W_O after the heads have been
    merged. Raises ValueError where num_heads does not divide d_model.

    forward: query (B, T, D), key (B, S, D), value (B, S, D): self-attention where all three are the same,
    cross-attention where key and value come from elsewhere. mask boolean, True = may attend, broadcastable to
    (B, T, S), the same for all heads, or None.
    Returns the output (B, T, D) and the weights of each head (B, H, T, S).
    """

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model, got d_model={d_model} and num_heads={num_heads}")
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        queries = split_heads(self.W_Q(query), self.num_heads)  # (B, T, D) -> (B, H, T, d)
        keys = split_heads(self.W_K(key), self.num_heads)  # (B, S, D) -> (B, H, S, d)
        values = split_heads(self.W_V(value), self.num_heads)
        if mask is not None and mask.ndim == 3:
            mask = mask.unsqueeze(1)  # (B, T, S) -> (B, 1, T, S): one mask for all heads
        outputs, weights = scaled_dot_product_attention(queries, keys, values, mask)
        return self.W_O(merge_heads(outputs)), weights


def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    """Positions as sines and cosines of many wavelengths (Vaswani et al., 2017, section 3.5): (length, d_model).

        encoding[t, 2i] = sin(t / 10000^(2i / d_model)),  encoding[t, 2i + 1] = cos(t / 10000^(2i / d_model))

    Raises ValueError where d_model is odd.
    """
    if d_model % 2:
        raise ValueError(f"sines and cosines come in pairs: d_model must be even, got {d_model}")
    positions = torch.arange(length).unsqueeze(1)
    angles = positions / 10_000 ** (torch.arange(0, d_model, 2) / d_model)  # (length, D / 2)
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)  # interleaved


class LearnedPositionalEncoding(nn.Module):
    """A table of max_length learned vectors, added to the input by position (Gehring et al., 2017).

    The parameter is `weight` (max_length, d_model). forward: x (B, T, D) -> x plus the first T rows.
    Raises ValueError where T is larger than max_length.
    """

    def __init__(self, max_length, d_model):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        length, max_length = x.shape[1], len(self.weight)
        if length > max_length:
            raise ValueError(f"the table has {max_length} positions, got x {tuple(x.shape)}")
        return x + self.weight[:length]
