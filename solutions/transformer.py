"""Chapter 06: the Transformer (Vaswani et al., 2017).

The reference answers of notebook 06. Names, parameter names, shapes and docstrings are
the course's public contract and stand in the notebook's stubs as they stand here; what
is inside the functions may be rewritten freely.
Letters: B batch, T target length, S source length, D model width, V vocabulary. Masks
are boolean, True = may attend.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from solutions.dot_product import causal_mask, padding_mask
from solutions.multi_head import MultiHeadAttention, sinusoidal_encoding


def token_spread(x: Tensor) -> Tensor:
    """How much the tokens of a sequence differ, as a share of what they are
    (Dong et al., 2021).

        spread = ||x - mean of x over its tokens|| / ||x||

    x (B, T, D), no sequence of it all zeros; both norms run over a sequence's T * D
    numbers.
    Returns (B,): 0 where a sequence's tokens are all the same vector, 1 where their
    mean is zero.
    """
    differences = x - x.mean(dim=1, keepdim=True)  # (B, T, D) - (B, 1, D)
    return differences.flatten(1).norm(dim=1) / x.flatten(1).norm(dim=1)


class FeedForward(nn.Module):
    """The same small network at every position (Vaswani et al., 2017, section 3.3).

    linear1 (d_model to d_ff), the activation, linear2 (d_ff to d_model).
    forward: x (..., D) -> (..., D); no position sees another.
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        *,
        activation: Callable[[Tensor], Tensor] = F.relu,
    ):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        return self.linear2(self.activation(self.linear1(x)))


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward; each reads the stream x and adds to it.

    As in Vaswani et al. (2017, section 3.1) with norm_first=False:
      x = norm1(x + attention(x)), then x = norm2(x + feed_forward(x)).
    With norm_first=True:
      x = x + attention(norm1(x)), then x = x + feed_forward(norm2(x)); nothing is
        normed at the end.
    dropout is applied to what each part adds. The parts are self_attention
    (MultiHeadAttention), feed_forward (FeedForward), norm1 and norm2 (nn.LayerNorm).

    forward: x (B, T, D), mask boolean, True = may attend, broadcastable to (B, T, T),
    or None.
    Returns (B, T, D).
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        *,
        dropout: float = 0.0,
        activation: Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        norm_first: bool = False,
    ):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation)
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        if self.norm_first:
            normed = self.norm1(x)
            x = x + self.dropout(self.self_attention(normed, normed, normed, mask)[0])
            return x + self.dropout(self.feed_forward(self.norm2(x)))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        return self.norm2(x + self.dropout(self.feed_forward(x)))


class TransformerEncoder(nn.Module):
    """A tower of num_layers encoder layers, each with weights of its own: `layers`,
    then `norm`.

    `norm` is an nn.LayerNorm (with layer_norm_eps too) where norm_first, since nothing
    else norms the end of the stream, and nn.Identity otherwise. num_layers may be 0.
    forward: x (B, T, D), mask as in EncoderLayer, the same for every layer. Returns
    (B, T, D).
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        *,
        dropout: float = 0.0,
        activation: Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        norm_first: bool = True,
    ):
        super().__init__()
        sizes = d_model, num_heads, d_ff
        self.layers = nn.ModuleList(
            EncoderLayer(
                *sizes,
                norm_first=norm_first,
                dropout=dropout,
                activation=activation,
                layer_norm_eps=layer_norm_eps,
            )
            for _ in range(num_layers)
        )
        # Where norm_first, nothing else norms the end of the stream.
        self.norm = (
            nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()
        )

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)


class DecoderLayer(nn.Module):
    """Self-attention, cross-attention to the source, feed-forward: each reads and adds.

    As in Vaswani et al. (2017, section 3.1) with norm_first=False:
    x = norm(x + part(x)) for each part in this order. With norm_first=True:
    x = x + part(norm(x)); nothing is normed at the end.
    The queries of the cross-attention come from the stream (normed before it where
    norm_first); its keys and values come from the memory, the encoder's outputs, never
    normed.
    dropout is applied to what each part adds. The parts are self_attention and
    cross_attention (MultiHeadAttention), feed_forward (FeedForward); norm1, norm2,
    norm3 (nn.LayerNorm) are theirs.

    forward: x (B, T, D), memory (B, S, D); two masks, boolean, True = may attend, or
    None:
      mask, broadcastable to (B, T, T), for the self-attention (the caller makes it
        causal);
      memory_mask, broadcastable to (B, T, S), for the cross-attention.
    Returns (B, T, D).
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        *,
        dropout: float = 0.0,
        activation: Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        norm_first: bool = False,
    ):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.cross_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation)
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm3 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        if self.norm_first:
            normed = self.norm1(x)
            x = x + self.dropout(self.self_attention(normed, normed, normed, mask)[0])
            x = x + self.dropout(
                self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0]
            )
            return x + self.dropout(self.feed_forward(self.norm3(x)))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        x = self.norm2(
            x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0])
        )
        return self.norm3(x + self.dropout(self.feed_forward(x)))


class TransformerDecoder(nn.Module):
    """A tower of num_layers decoder layers, each with weights of its own: `layers`,
    then `norm`.

    `norm` is an nn.LayerNorm where norm_first, and nn.Identity otherwise. num_layers
    may be 0.
    forward: x (B, T, D); memory (B, S, D) and both masks as in DecoderLayer, the same
    for every layer.
    Returns (B, T, D).
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        *,
        dropout: float = 0.0,
        activation: Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        norm_first: bool = True,
    ):
        super().__init__()
        sizes = d_model, num_heads, d_ff
        self.layers = nn.ModuleList(
            DecoderLayer(
                *sizes,
                dropout=dropout,
                activation=activation,
                layer_norm_eps=layer_norm_eps,
                norm_first=norm_first,
            )
            for _ in range(num_layers)
        )
        self.norm = (
            nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()
        )

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
        return self.norm(x)


class Transformer(nn.Module):
    """Reads one sentence and writes another (Vaswani et al., 2017, figure 1).

    embed: embedding (one of the model's two), tokens (B, T) -> (B, T, D): the tokens'
      vectors times the root of d_model, plus sinusoidal_encoding (sections 3.4 and
      3.5), and dropout on the sum.
    encode: source (B, S) ids, padded at the right, lengths (B,) -> memory (B, S, D),
      the encoder's outputs, and memory_mask (B, 1, S), True at each sentence's real
      tokens.
    decode: tokens (B, T) ids that go IN (already shifted), memory, memory_mask or None
      -> logits (B, T, V), V = target_size. The logits at t depend on the tokens up to
      t, and on none after it.
    forward: source, lengths, targets (B, T) -> logits (B, T, V). Teacher forcing: what
      goes in at t is the true token t-1, and bos_id at 0 (shift right). The caller's
      targets are left as they were.
    start: source, lengths -> state, a tuple (tokens (B, 0) int64, memory, memory_mask),
      before the first token.
    step: token (B,), state -> logits (B, V), state, a tuple too, its tokens longer by
      one. From `start`, fed with bos_id and then the targets, it gives the logits of
      forward one column at a time.
    """

    def __init__(
        self,
        source_size: int,
        target_size: int,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        *,
        bos_id: int,
        dropout: float = 0.0,
        norm_first: bool = True,
    ):
        super().__init__()
        self.source_embedding = nn.Embedding(source_size, d_model)
        self.target_embedding = nn.Embedding(target_size, d_model)
        for embedding in (self.source_embedding, self.target_embedding):
            # Times the root: of order one.
            nn.init.normal_(embedding.weight, std=d_model**-0.5)
        sizes = d_model, num_heads, d_ff, num_layers
        self.encoder = TransformerEncoder(
            *sizes, dropout=dropout, norm_first=norm_first
        )
        self.decoder = TransformerDecoder(
            *sizes, dropout=dropout, norm_first=norm_first
        )
        self.output = nn.Linear(d_model, target_size)
        self.dropout = nn.Dropout(dropout)
        self.d_model, self.bos_id = d_model, bos_id

    def embed(self, embedding: nn.Embedding, tokens: Tensor) -> Tensor:
        vectors = embedding(tokens) * self.d_model**0.5  # (B, T) -> (B, T, D)
        # Made there: nothing is copied, and so nothing is waited for.
        with tokens.device:
            positions = sinusoidal_encoding(tokens.shape[1], self.d_model)
        return self.dropout(vectors + positions.to(vectors.dtype))

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(lengths, source.shape[1])  # (B, 1, S)
        return (
            self.encoder(self.embed(self.source_embedding, source), memory_mask),
            memory_mask,
        )

    def decode(
        self, tokens: Tensor, memory: Tensor, memory_mask: Tensor | None = None
    ) -> Tensor:
        # Targets are padded at the right, so a causal mask keeps the padding from every
        # real token, too.
        with tokens.device:
            mask = causal_mask(tokens.shape[1])
        states = self.decoder(
            self.embed(self.target_embedding, tokens), memory, mask, memory_mask
        )
        return self.output(states)  # (B, T, D) -> (B, T, V)

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        # (B, T), the last target never goes in
        begin = torch.full_like(targets[:, :1], self.bos_id)
        tokens = torch.cat([begin, targets[:, :-1]], dim=1)
        return self.decode(tokens, *self.encode(source, lengths))

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        memory, memory_mask = self.encode(source, lengths)
        return source[:, :0], memory, memory_mask

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        tokens, memory, memory_mask = state
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)  # (B, t) -> (B, t + 1)
        # All of the prefix again for the sake of its last column: chapter 07 keeps what
        # does not change.
        logits = self.decode(tokens, memory, memory_mask)[:, -1]
        return logits, (tokens, memory, memory_mask)


def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    """The paper's learning rate at a step (Vaswani et al., 2017, equation 3).

        d_model^-0.5 * min(step^-0.5, step * warmup_steps^-1.5)

    It rises in a line until step == warmup_steps (at least 1), then falls with the root
    of the step. Steps count from 1; at step 0, where many loops begin, the rate is 0.
    """
    if step == 0:
        return 0.0
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    """How many parameters the Transformer of Vaswani et al. (2017) has, by formula.

    num_layers encoder layers and num_layers decoder layers, like EncoderLayer and
    DecoderLayer, biases and layer norms counted, no norm behind the last layer. One
    matrix (vocab_size, d_model) serves both embeddings and the output layer, which has
    no bias (section 3.4); positions are sines, and free. num_layers and vocab_size may
    be 0.
    """
    attention = 4 * (d_model * d_model + d_model)  # W_Q, W_K, W_V, W_O
    feed_forward = 2 * d_model * d_ff + d_ff + d_model
    norm = 2 * d_model
    encoder_layer = attention + feed_forward + 2 * norm
    decoder_layer = 2 * attention + feed_forward + 3 * norm
    return num_layers * (encoder_layer + decoder_layer) + vocab_size * d_model


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    """Layer normalization (Ba et al., 2016), as F.layer_norm does it over the last
    axis.

        (x - mean) / sqrt(variance + eps) * weight + bias

    x (B, T, D), weight (D,), bias (D,). Mean and variance are those of each position's
    own D numbers; the variance is their mean squared distance from the mean
    (divided by D).
    Returns (B, T, D).
    """
    mean = x.mean(dim=2, keepdim=True)  # (B, T, 1)
    variance = (x - mean).square().mean(dim=2, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


def label_smoothing_loss(
    logits: Tensor, targets: Tensor, pad_id: int, smoothing: float
) -> Tensor:
    """Cross-entropy against targets that leave a little for every token
    (Szegedy et al., 2016).

    logits (B, T, V), targets (B, T), smoothing e from 0 to below 1. The model is
    compared with a distribution that has 1 - e on the target, plus e shared evenly
    among the V - 1 tokens other than pad_id, the target among them: the loss of a place
    is the sum over these tokens of -share * log softmax(logits).
    Returns the mean over the targets that are not pad_id, a scalar, 0 where there is
    none. With e = 0 it is masked_cross_entropy's loss; padding, NaN and gradients are
    as there with any e.
    Raises ValueError where smoothing is below 0, or 1 and above.
    """
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    real = targets != pad_id  # (B, T)
    log_probabilities = F.log_softmax(logits, dim=2)
    of_target = log_probabilities.gather(2, targets.unsqueeze(2)).squeeze(2)  # (B, T)
    total = log_probabilities.sum(dim=2) - log_probabilities[:, :, pad_id]
    losses = -(1 - smoothing) * of_target - smoothing * total / (logits.shape[2] - 1)
    return losses.masked_fill(~real, 0.0).sum() / real.sum().clamp(min=1)


@torch.no_grad()
def beam_search(
    step,
    state,
    bos_id: int,
    eos_id: int,
    beam_size: int,
    max_length: int,
    length_penalty: float = 0.0,
) -> tuple[Tensor, float]:
    """Write one sentence, and keep the beam_size best beginnings at every step, not one
    alone.

    step and state: as in greedy_decode, with a batch of one in the state; step takes
    any number of rows, one for each hypothesis. A hypothesis' score is the sum of its
    tokens' log-probabilities, divided by the number of its tokens to the power
    length_penalty. (eos_id is a token; bos_id is none, and ends nothing where it equals
    eos_id.) At every step each unfinished hypothesis is extended by every token; those
    that end with eos_id are finished, stay as they are and compete on. Of all of them
    the beam_size with the highest scores are kept; of equals, any. The search ends when
    all that are kept are finished, or max_length tokens are written.
    Returns the tokens (T,) of the hypothesis with the highest score, without bos_id,
    eos_id included where it is finished, and its score. With beam_size 1 these are
    greedy_decode's tokens.
    Raises ValueError where beam_size or max_length is below 1.
    """
    if beam_size < 1 or max_length < 1:
        raise ValueError(
            "beam_size and max_length must be at least 1, "
            f"got {beam_size} and {max_length}"
        )

    def score(hypothesis):
        tokens, total, _ = hypothesis
        return total / len(tokens) ** length_penalty

    # A hypothesis: its tokens, the sum of their log-probabilities, and the row of
    # `state` it came from.
    live: list[tuple[list[int], float, int]] = [([], 0.0, 0)]
    finished: list[tuple[list[int], float, int]] = []
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((1,), bos_id, device=first.device)
    for _ in range(max_length):
        logits, state = step(token, state)  # a row for each live hypothesis
        totals = torch.tensor(
            [total for _, total, _ in live], device=token.device
        ).unsqueeze(1)
        totals = totals + F.log_softmax(logits, dim=1)  # (rows, V)
        # All extensions are equally long, so the best by sum are the best by score,
        # too.
        highest, places = totals.flatten().topk(min(beam_size, totals.numel()))
        extended = []
        for total, place in zip(highest.tolist(), places.tolist(), strict=True):
            row, new = divmod(place, totals.shape[1])
            extended.append(([*live[row][0], new], total, row))
        beam = sorted(finished + extended, key=score, reverse=True)[:beam_size]
        finished = [hypothesis for hypothesis in beam if hypothesis[0][-1] == eos_id]
        live = [hypothesis for hypothesis in beam if hypothesis[0][-1] != eos_id]
        if not live:
            break
        rows = torch.tensor([row for _, _, row in live], device=token.device)
        state = (
            tuple(part[rows] for part in state)
            if isinstance(state, tuple)
            else state[rows]
        )
        token = torch.tensor([tokens[-1] for tokens, _, _ in live], device=token.device)
    best = max(finished + live, key=score)
    return torch.tensor(best[0], device=token.device), score(best)
