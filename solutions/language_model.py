"""Chapter 07: the language model (Radford et al., 2018, 2019: a Transformer's decoder
alone, trained on every token).

The reference answers of notebook 07. Names, parameter names, shapes and docstrings are
the course's public contract and stand in the notebook's stubs as they stand here; what
is inside the functions may be rewritten freely.
Letters: B batch, T length, S keys so far, D model width, H heads, V vocabulary. Masks
are boolean, True = may attend.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from solutions.dot_product import causal_mask, scaled_dot_product_attention
from solutions.multi_head import LearnedPositionalEncoding, merge_heads, split_heads
from solutions.transformer import EncoderLayer


class CausalLanguageModel(nn.Module):
    """A Transformer that reads from left to right and says at every place what comes
    next.

    The form is GPT-2's (Radford et al., 2019): token embedding plus learned positions,
    dropout, encoder layers with the norm first and a causal mask, a last norm. The
    logits are the dot products of what comes out with every token's embedding: input
    and output share one matrix (Press and Wolf, 2017), and there is no output bias.

    forward: tokens (B, T) ids, T at most max_length -> logits (B, T, V); row t is about
    token t + 1 and depends on the tokens 0 to t alone. Raises ValueError where T is
    above max_length.
    loss: tokens (B, T + 1) -> the mean of -ln p(next token) over all B * T predictions,
    in nats: every token but the first is a target, every one but the last goes in.
    """

    mask: Tensor  # (max_length, max_length)

    def __init__(
        self,
        vocab_size,
        max_length,
        d_model,
        num_heads,
        d_ff,
        num_layers,
        dropout=0.0,
        activation=F.gelu,
        layer_norm_eps=1e-5,
    ):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        # Logits of order one.
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)
        self.positions = LearnedPositionalEncoding(max_length, d_model)
        # Goes where the parameters go, once.
        self.register_buffer("mask", causal_mask(max_length), persistent=False)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            EncoderLayer(
                d_model,
                num_heads,
                d_ff,
                dropout=dropout,
                activation=activation,
                layer_norm_eps=layer_norm_eps,
                norm_first=True,
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)

    def forward(self, tokens: Tensor) -> Tensor:
        # (B, T) -> (B, T, D)
        x = self.dropout(self.positions(self.token_embedding(tokens)))
        mask = self.mask[: tokens.shape[1], : tokens.shape[1]]
        for layer in self.layers:
            x = layer(x, mask)
        # (B, T, D) -> (B, T, V)
        return F.linear(self.norm(x), self.token_embedding.weight)

    def loss(self, tokens: Tensor) -> Tensor:
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    """The gradient of all predictions in one pass, and of the same ones a prefix at a
    time.

    model: a module, tokens (B, T) -> logits (B, T, V), of which every parameter has a
    part in the logits; tokens (B, T + 1). The loss is the SUM of -ln p(next token) over
    all B * T predictions. First all of them come from one call on the T input tokens;
    then the prediction of token t comes from a call of its own on the tokens 0 to
    t - 1, of which only the last row of logits is used, for t = 1 to T.
    Returns the two gradients, each a list with a tensor for every parameter, in the
    order of model.parameters(). The model runs in its current mode, and its own .grad
    fields are left alone.
    """
    parameters = list(model.parameters())
    logits = model(tokens[:, :-1])
    one_pass = F.cross_entropy(
        logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum"
    )
    prefixes = torch.zeros_like(one_pass)
    for t in range(1, tokens.shape[1]):
        last = model(tokens[:, :t])[:, -1]  # (B, t, V) -> (B, V)
        prefixes = prefixes + F.cross_entropy(last, tokens[:, t], reduction="sum")
    return (
        list(torch.autograd.grad(one_pass, parameters)),
        list(torch.autograd.grad(prefixes, parameters)),
    )


def bits_per_character(model, batches) -> float:
    """Bits per character: the mean of -log2 p(next character) over all predictions.

    model: a function, tokens (B, T) -> logits (B, T, V). batches: a list of windows
    (B, T + 1), not empty, which may differ in B and in T from one to the next. Every
    prediction counts the same, whichever batch it stands in. Returns a Python float.
    """
    nats, count = 0.0, 0
    with torch.no_grad():
        for windows in batches:
            logits, targets = model(windows[:, :-1]), windows[:, 1:]
            nats += F.cross_entropy(
                logits.flatten(0, 1), targets.flatten(), reduction="sum"
            ).item()
            count += targets.numel()
    return nats / count / math.log(2)


def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """The probabilities from which the next token is drawn: logits (B, V) -> (B, V).

    In this order: softmax of the logits divided by the temperature, where 0 means that
    the largest logit gets all (the first of equals); top_k keeps the k most likely
    tokens, divided by their sum (those as likely as the last of them may stay too);
    top_p keeps, of these, the fewest most likely ones (of equals, any) that together
    have at least probability top_p, again divided by their sum: the one that reaches it
    stays (Holtzman et al., 2020). None leaves a step out; a top_k above V keeps all
    tokens.
    Raises ValueError where temperature < 0, top_k < 1, or top_p is not in (0, 1].
    """
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=-1), logits.shape[-1]).to(logits.dtype)
    ordered, order = torch.sort(
        torch.softmax(logits / temperature, dim=-1),
        dim=-1,
        descending=True,
        stable=True,
    )
    if top_k is not None:
        ordered[:, top_k:] = 0.0
        ordered = ordered / ordered.sum(dim=-1, keepdim=True)
    if top_p is not None:
        # What the more likely tokens have together.
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        ordered = ordered / ordered.sum(dim=-1, keepdim=True)
    # Back to the vocabulary's order.
    return torch.zeros_like(ordered).scatter(-1, order, ordered)


def generate(
    model,
    tokens: Tensor,
    count: int,
    max_length: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """Write on: draw a token, append it, read everything again.

    model: a function, tokens (B, T) -> logits (B, T, V), for T up to max_length; tokens
    (B, T), one at least. Each of count times the model reads the last max_length tokens
    at most, and the next token is drawn from sampling_distribution of its last row of
    logits, with the settings given. Returns (B, T + count), the given tokens first.
    Gradients are off meanwhile.
    """
    with torch.no_grad():
        for _ in range(count):
            logits = model(tokens[:, -max_length:])[:, -1]  # (B, T, V) -> (B, V)
            probabilities = sampling_distribution(logits, temperature, top_k, top_p)
            tokens = torch.cat([tokens, torch.multinomial(probabilities, 1)], dim=1)
    return tokens


class KeyValueCache(nn.Module):
    """Reads on where it stopped: keys and values of tokens once read are kept for
    later.

    model: a CausalLanguageModel in eval mode. The cache begins empty; length is the
    number of tokens read so far, and keys and values hold a tensor
    (B, H, length, D / H) for each layer. All three may be set from outside: reading
    then goes on from there.

    forward: the next tokens (B, T), the same B at every call, T of one or more -> their
    logits (B, T, V), the same as the model gives at these places when it reads
    everything from the start. Only the new tokens pass through the layers; they take
    the positions that come after those read.
    Raises ValueError where length + T is above the model's max_length, which is the
    number of rows of model.positions.weight, and then reads nothing.
    """

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model, past, now = self.model, self.length, self.length + tokens.shape[1]
        max_length = len(model.positions.weight)
        if now > max_length:
            raise ValueError(
                f"{past} tokens are read and {now - past} are new, "
                f"the model has {max_length} positions"
            )
        places = torch.arange(now, device=tokens.device)
        # The rows of the new tokens: (T, now).
        mask = places <= places[past:].unsqueeze(1)
        x = model.token_embedding(tokens) + model.positions.weight[past:now]
        for i, layer in enumerate(model.layers):
            x = x + self._attend(i, layer.self_attention, layer.norm1(x), mask)
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = now
        return F.linear(model.norm(x), model.token_embedding.weight)

    def _attend(self, i, attention, x, mask):
        queries, keys, values = (
            # (B, T, D) -> (B, H, T, D / H)
            split_heads(project(x), attention.num_heads)
            for project in (attention.W_Q, attention.W_K, attention.W_V)
        )
        if self.keys[i] is not None:
            keys = torch.cat([self.keys[i], keys], dim=2)  # (B, H, past + T, D / H)
            values = torch.cat([self.values[i], values], dim=2)
        self.keys[i], self.values[i] = keys, values
        output, _ = scaled_dot_product_attention(queries, keys, values, mask)
        return attention.W_O(merge_heads(output))


def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    """How much attention goes to what came after an earlier occurrence of the same
    token.

    weights (B, H, T, T) of a causal self-attention, rows are queries; tokens (B, T),
    what stood at each place. For a query at t the keys that count are all j with
    tokens[j - 1] equal to tokens[t] and j - 1 < t; its share is the sum of its weights
    there. Queries whose token did not occur before count nowhere. Returns each head's
    mean share over all other queries, (H,).
    Raises ValueError where no token of the batch occurs a second time.
    """
    # (B, T, T): key holds the same, earlier
    earlier = (tokens.unsqueeze(2) == tokens.unsqueeze(1)).tril(-1)
    after = F.pad(earlier[:, :, :-1], (1, 0))  # one place to the right of each
    asked = after.any(dim=2)  # (B, T): queries whose token occurred before
    if not asked.any():
        raise ValueError(f"no token of {tuple(tokens.shape)} occurs a second time")
    shares = (weights * after.unsqueeze(1)).sum(dim=3)  # (B, H, T)
    return shares.transpose(1, 2)[asked].mean(dim=0)


def split_windows(
    tokens: Tensor,
    length: int,
    stride: int,
    held_out: int,
) -> tuple[Tensor, Tensor]:
    """Cut a text into windows for training and for validation that share no character.

    tokens (N,): the whole text. The last held_out tokens, 0 <= held_out <= N, are to
    validate, the others to train. Within each part a window of length + 1 tokens begins
    at its first token and then at every stride-th one, as long as it fits. Returns the
    training windows and the validation windows, each (number of windows, length + 1),
    in the order of the text.
    Raises ValueError where a part is too short for one window.
    """
    border = len(tokens) - held_out
    parts = tokens[:border], tokens[border:]
    if min(map(len, parts)) <= length:
        raise ValueError(
            f"parts of {len(parts[0])} and {len(parts[1])} tokens, "
            f"for windows of {length + 1}"
        )
    training, validation = (part.unfold(0, length + 1, stride) for part in parts)
    return training, validation
