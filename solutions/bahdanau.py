"""Chapter 02: attention as Bahdanau, Cho and Bengio (2015) introduced it.

The reference answers of notebook 02. Names, parameter names, shapes and docstrings are
the course's public contract and stand in the notebook's stubs as they stand here; what
is inside the functions may be rewritten freely.
Letters: B batch, S source length, T target length, E embedding width, H hidden width, V
vocabulary. Masks are boolean, True = may attend.
"""

import torch
from torch import Tensor, nn

from course.shapes import check_attention, check_mask
from solutions.seq2seq import GRUCell


def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Softmax over the last axis of scores, shared out among the keys that the mask
    allows.

    scores (..., S), finite where the mask allows; mask boolean, True = may attend,
    broadcastable to the shape of scores, or None to allow every key.
    Returns weights in the shape of scores: zero where the mask forbids, summing to one
    over the rest. A row whose mask allows nothing is all zeros, and its gradient is
    zero too, not NaN. What stands in a forbidden score never matters, to the weights or
    to any gradient, and scores is left as it was.
    Raises ValueError where the mask is not boolean or does not broadcast to the shape
    of scores.
    """
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    scores = scores.masked_fill(~mask, float("-inf"))
    # A row of minus infinities has no softmax (0/0), forwards or backwards: let it be
    # uniform, then take it away.
    scores = scores.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
    return torch.softmax(scores, dim=-1).masked_fill(~mask, 0.0)


def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    """One context vector, as equations 5 and 6 of Bahdanau et al. (2015) read.

    scores (S,), from -50 to 50: how well each source position fits what the decoder
    looks for; states (S, d): the encoder's states. Each state's weight is the
    exponential of its score, divided by the sum of all S exponentials. Returns the sum
    of the states, each times its weight: (d,). Plain numbers will do: neither gradients
    nor float64 are asked for.
    """
    exponentials = [torch.exp(score) for score in scores]
    total = sum(exponentials)
    context = torch.zeros_like(states[0])
    for exponential, state in zip(exponentials, states, strict=True):
        context = context + exponential / total * state
    return context


class AdditiveAttention(nn.Module):
    """Attention scored by a small network (Bahdanau et al., 2015, section 3.1,
    appendix A.1.2).

        score_j = v_a . tanh(W_a query + U_a key_j)

    The parameters are three linear maps without bias, named as in the paper:
    W_a (d_query to d_hidden), U_a (d_key to d_hidden), v_a (d_hidden to 1).

    forward: query (B, d_query), keys (B, S, d_key), values (B, S, d_v), mask (B, S)
    boolean with True = may attend.
    Returns the output (B, d_v), the mean of the values under the weights, and the
    weights (B, S). Where a row's mask allows nothing both are zero, with zero
    gradients. Raises ValueError where the shapes do not fit.
    """

    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(
        self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        # (B, 1, d_hidden) + (B, S, d_hidden)
        hidden = torch.tanh(self.W_a(query).unsqueeze(1) + self.U_a(keys))
        scores = self.v_a(hidden).squeeze(2)  # (B, S, 1) -> (B, S)
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights


class DotProductAttention(nn.Module):
    """Attention scored by the dot product of query and key (Luong et al., 2015, "dot").

        score_j = query . key_j

    forward: query (B, d), keys (B, S, d), values (B, S, d_v), mask (B, S) boolean with
    True = may attend.
    Returns the output (B, d_v), the mean of the values under the weights, and the
    weights (B, S). Where a row's mask allows nothing both are zero, with zero
    gradients. Raises ValueError where the shapes do not fit, a query wider than the
    keys included.
    """

    def forward(
        self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights


class BilinearAttention(nn.Module):
    """Attention with a matrix between query and key, of any widths (Luong et al., 2015,
    "general").

        score_j = (W_a query) . key_j

    The one parameter is the linear map W_a without bias, d_query to d_key.

    forward: query (B, d_query), keys (B, S, d_key), values (B, S, d_v), mask (B, S)
    boolean with True = may attend.
    Returns the output (B, d_v), the mean of the values under the weights, and the
    weights (B, S). Where a row's mask allows nothing both are zero, with zero
    gradients. Raises ValueError where the shapes do not fit.
    """

    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(
        self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        # (B, d_query) -> (B, d_key), then (B, S)
        scores = torch.einsum("bd,bsd->bs", self.W_a(query), keys)
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights


class AttentionDecoder(nn.Module):
    """Writes token by token, looking at the source afresh before each
    (Bahdanau et al., 2015, 3.1).

    attention: a module, (query (B, H), keys, values, mask) -> (context (B, d_value),
    weights). One step, from the hidden state s_{t-1} and the token that goes in:
      the context c_t is what the attention gives for the query s_{t-1}, the OLD hidden
        state;
      s_t = cell([embedding of the token; c_t], s_{t-1});
      the logits are output([s_t; c_t]).

    forward: tokens (B, T) ids that go IN (already shifted), hidden (B, H) before the
    first token, keys (B, S, d_key), values (B, S, d_value), mask (B, S) boolean with
    True = may attend, or None.
    Returns logits (B, T, V) and weights (B, T, S).
    step: token (B,), state (hidden, keys, values, mask) -> logits (B, V), state, where
    only hidden is new. Fed with the same tokens it gives the logits of forward one
    column at a time.
    """

    def __init__(
        self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def forward(
        self,
        tokens: Tensor,
        hidden: Tensor,
        keys: Tensor,
        values: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        logits, weights = [], []
        for token in tokens.unbind(dim=1):  # T times (B,)
            logits_t, hidden, alpha_t = self._advance(token, hidden, keys, values, mask)
            logits.append(logits_t)
            weights.append(alpha_t)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, hidden, _ = self._advance(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, mask)

    def _advance(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights


def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    """How often the largest weight falls on the source position that the target token
    renders.

    weights (B, T, S); alignment (B, T) int64, the true source position of each target
    token, or -1 where it has none (a word without a counterpart, the end token,
    padding): those count nowhere. Of several weights that are largest any may be taken.
    Returns the share as a Python float.
    Raises ValueError where alignment is not (B, T), or where no token has a
    counterpart.
    """
    if alignment.shape != weights.shape[:2]:
        raise ValueError(
            f"weights {tuple(weights.shape)} need an alignment (B, T), "
            f"got {tuple(alignment.shape)}"
        )
    aligned = alignment >= 0
    if not aligned.any():
        raise ValueError(
            f"none of the {alignment.numel()} target tokens "
            "has a counterpart in the source"
        )
    right = weights.argmax(dim=2) == alignment
    return (right & aligned).sum().item() / aligned.sum().item()


def encode_longest_first(
    encoder, source: Tensor, lengths: Tensor
) -> tuple[Tensor, Tensor]:
    """Run an encoder that wants the longest sentence first; give the caller's order
    back.

    encoder: a function (source (B, S), lengths (B,)) -> (outputs (B, S, d), state
    (B, H)), called once, with the rows sorted by falling length. source (B, S) and
    lengths (B,) come in any order; they, and what the encoder gives, are left as they
    were.
    Returns outputs and state with row b belonging to row b of the caller's source.
    """
    order = lengths.argsort(descending=True)
    outputs, state = encoder(source[order], lengths[order])
    back = order.argsort()  # the inverse permutation: order[back] is 0, 1, 2, ...
    return outputs[back], state[back]
