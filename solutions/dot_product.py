"""Chapter 04: scaled dot-product attention, without recurrence (Vaswani et al., 2017,
section 3.2.1).

The reference answers of notebook 04. Names, parameter names, shapes and docstrings are
the course's public contract and stand in the notebook's stubs as they stand here; what
is inside the functions may be rewritten freely.
Letters: B batch, T target or query length, S source or key length, D model width. Masks
are boolean, True = may attend.
"""

import torch
from torch import Tensor, nn

from course.shapes import check_scaled_dot_product
from solutions.bahdanau import masked_softmax


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Attention over a soft dictionary (Vaswani et al., 2017, equation 1).

        output = softmax(query key^T / sqrt(d_k)) value

    query (..., T, d_k), key (..., S, d_k), value (..., S, d_v), with the same leading
    axes; mask boolean, True = may attend, broadcastable to (..., T, S), or None to
    allow every key.
    Returns the output (..., T, d_v) and the weights (..., T, S), each row of which sums
    to one over the allowed keys. Where a row's mask allows nothing both are zero, and
    so is its query's gradient.
    Raises ValueError where the shapes do not fit or the mask is not boolean.
    """
    check_scaled_dot_product(query, key, value, mask)
    # (..., T, d_k) x (..., d_k, S) -> (..., T, S)
    scores = query @ key.transpose(-2, -1)
    scores = scores / query.shape[-1] ** 0.5
    weights = masked_softmax(scores, mask)
    return weights @ value, weights


def causal_mask(length: int) -> Tensor:
    """(length, length) boolean: query t may attend to the keys 0 to t, itself included.

    Rows are queries, columns are keys, True = may attend. Made on the CPU.
    """
    return torch.ones(length, length, dtype=torch.bool).tril()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    """(B, 1, max_length) boolean: True at the first lengths[b] keys of sequence b.

    lengths (B,) int64, each from 0 to max_length; True = may attend. The axis of length
    one is the queries': all of them may attend to the same keys. Lives on the device of
    lengths.
    """
    positions = torch.arange(max_length, device=lengths.device)
    return (positions < lengths.unsqueeze(1)).unsqueeze(1)  # (B, S) -> (B, 1, S)


class SelfAttention(nn.Module):
    """One head of self-attention: every position asks all the positions of its own
    sequence.

    The parameters are three linear maps without bias, W_Q, W_K and W_V, each d_model to
    d_model.

    forward: x (B, T, D), mask boolean, True = may attend, broadcastable to (B, T, T),
    or None to allow all.
    Returns the output (B, T, D) and the weights (B, T, T), zeros where a query may look
    at nothing.
    """

    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)


def hand_set_lookup(codes: Tensor) -> tuple[Tensor, Tensor]:
    """Two matrices, set and not trained, with which symbol k finds the key of
    symbol k + 1.

    codes (K, d): the vector of each symbol. The rows are orthonormal, and K is at most
    d and at most 100. Returns W_Q (d, d) and W_K (d, d), as nn.Linear holds them: the
    query of a vector x is W_Q x, its key W_K x. In scaled dot-product attention
    (divided by the root of d) the query of symbol k must put at least 0.99 of the
    weight on the key of symbol k + 1, among the keys of all K symbols or, k + 1
    included, of some of them in any order. Symbol K - 1 finds symbol 0.
    """
    d = codes.shape[1]
    # codes[k] . x is one for symbol k and zero for the others, so the sum sends
    # codes[k] to codes[k + 1].
    to_the_next = codes.roll(-1, dims=0).T @ codes  # (d, K) x (K, d) -> (d, d)
    # Scores of 12 against 0: each other key gets exp(-12) of its share.
    gain = 12.0 * d**0.5
    return gain * to_the_next, torch.eye(d, dtype=codes.dtype, device=codes.device)


def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    """Bytes that the attention weights of one sequence fill if those of all layers are
    kept.

    Each head of each layer has one weight for each query and each key: every token asks
    every token, itself and later ones included. bytes_per_element: 4 for float32, 2 for
    bfloat16.
    Returns an int, exact at any size. The weights alone: queries, keys, values and the
    rest come on top.
    """
    return num_layers * num_heads * num_tokens**2 * bytes_per_element


def attention_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad_output: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of unmasked scaled dot-product attention, worked out by hand.

    query (..., T, d_k), key (..., S, d_k), value (..., S, d_v), with the same leading
    axes; grad_output (..., T, d_v): the gradient of some loss with respect to the
    output.
    Returns the gradients of that loss with respect to query, key and value, in their
    shapes. Uses neither backward() nor torch.autograd, and leaves its arguments as they
    were.
    """
    scale = query.shape[-1] ** -0.5
    # (..., T, S)
    weights = torch.softmax(query @ key.transpose(-2, -1) * scale, dim=-1)
    grad_value = weights.transpose(-2, -1) @ grad_output  # (..., S, T) x (..., T, d_v)
    # (..., T, d_v) x (..., d_v, S)
    grad_weights = grad_output @ value.transpose(-2, -1)
    # Raising one score takes weight from all the others of its row: hence the mean is
    # taken away.
    mean = (weights * grad_weights).sum(dim=-1, keepdim=True)
    grad_scores = weights * (grad_weights - mean) * scale
    return grad_scores @ key, grad_scores.transpose(-2, -1) @ query, grad_value


def attend_to_the_past(
    query: Tensor, key: Tensor, value: Tensor
) -> tuple[Tensor, Tensor]:
    """Causal scaled dot-product attention: position t sees positions 0 to t, and
    nothing later.

    query and key (B, T, d_k), value (B, T, d_v). Returns the output (B, T, d_v) and the
    weights (B, T, T), whose rows sum to one. What stands after position t changes
    nothing at t or before.
    """
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)  # True where the key comes after the query
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=2)
    return weights @ value, weights
