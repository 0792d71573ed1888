"""Chapter 04: scaled dot-product attention, without recurrence (Vaswani et al., 2017, section 3.2.1).

The reference answers of notebook 04. Names, parameter names, shapes and docstrings are the course's public contract and
stand in the notebook's stubs as they stand here; what is inside the functions may be rewritten freely.
Letters: B batch, T target or query length, S source or key length, D model width. Masks are boolean, True = may attend.
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

    query (..., T, d_k), key (..., S, d_k), value (..., S, d_v), with the same leading axes; mask boolean,
    True = may attend, broadcastable to (..., T, S), or None to allow every key.
    Returns the output (..., T, d_v) and the weights (..., T, S), each row of which sums to one over the
    allowed keys. Where a row's mask allows nothing both are zero, and so is the gradient.
    Raises ValueError where the shapes do not fit or the mask is not boolean.
    """
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5  # (..., T, d_k) x (..., d_k, S) -> (..., T, S)
    weights = masked_softmax(scores, mask)
    return weights @ value, weights


def causal_mask(length: int) -> Tensor:
    """(length, length) boolean: query t may attend to the keys 0 to t, itself included (True = may attend)."""
    return torch.ones(length, length, dtype=torch.bool).tril()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    """(B, 1, max_length) boolean for lengths (B,): True at the first lengths[b] positions (True = may attend).

    The axis of length one is the queries': the same keys are allowed to all of them.
    """
    positions = torch.arange(max_length, device=lengths.device)
    return (positions < lengths.unsqueeze(1)).unsqueeze(1)  # (B, S) -> (B, 1, S)


class SelfAttention(nn.Module):
    """One head of self-attention: every position asks all the positions of its own sequence.

    The parameters are three linear maps without bias, W_Q, W_K and W_V, each d_model to d_model.

    forward: x (B, T, D), mask boolean, True = may attend, broadcastable to (B, T, T), or None.
    Returns the output (B, T, D) and the weights (B, T, T).
    """

    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
