"""Chapter 01: a sequence in, a sequence out, through one vector.

The reference answers of notebook 01. Names, parameter names, shapes and docstrings are
the course's public contract and stand in the notebook's stubs as they stand here; what
is inside the functions may be rewritten freely.
Letters: B batch, S source length, T target length, E embedding width, H hidden width, I
input width, V vocabulary.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class GRUCell(nn.Module):
    """One step of a gated recurrent unit (Cho et al., 2014), in `torch.nn.GRUCell`'s
    form.

        reset     r  = sigmoid(W_ir x + b_ir + W_hr h + b_hr)
        update    z  = sigmoid(W_iz x + b_iz + W_hz h + b_hz)
        candidate n  = tanh(W_in x + b_in + r * (W_hn h + b_hn))
        new state h' = (1 - z) * n + z * h

    The parameters stack the three parts in the order r, z, n:
    weight_ih (3H, I), weight_hh (3H, H), bias_ih (3H,), bias_hh (3H,).

    forward: input (B, I), hidden (B, H) -> new hidden (B, H).
    Raises ValueError where input is not (B, I) or hidden not (B, H).
    """

    def __init__(self, input_size: int, hidden_size: int):
        super().__init__()
        self.input_size, self.hidden_size = input_size, hidden_size
        self.weight_ih = nn.Parameter(torch.empty(3 * hidden_size, input_size))
        self.weight_hh = nn.Parameter(torch.empty(3 * hidden_size, hidden_size))
        self.bias_ih = nn.Parameter(torch.empty(3 * hidden_size))
        self.bias_hh = nn.Parameter(torch.empty(3 * hidden_size))
        bound = 1 / math.sqrt(hidden_size)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -bound, bound)

    def forward(self, input: Tensor, hidden: Tensor) -> Tensor:
        batch = input.shape[0]
        if (
            input.shape != (batch, self.input_size)  # (B, I)
            or hidden.shape != (batch, self.hidden_size)  # (B, H)
        ):
            raise ValueError(
                f"need input (B, {self.input_size}) and "
                f"hidden (B, {self.hidden_size}), "
                f"got {tuple(input.shape)} and {tuple(hidden.shape)}"
            )
        # (B, 3H) each, then three (B, H) parts; the reset gate needs both n parts apart
        x_r, x_z, x_n = F.linear(input, self.weight_ih, self.bias_ih).chunk(3, dim=1)
        h_r, h_z, h_n = F.linear(hidden, self.weight_hh, self.bias_hh).chunk(3, dim=1)
        reset = torch.sigmoid(x_r + h_r)
        update = torch.sigmoid(x_z + h_z)
        candidate = torch.tanh(x_n + reset * h_n)
        return (1 - update) * candidate + update * hidden


class Encoder(nn.Module):
    """Reads a sentence both ways and sums it up in one vector (Bahdanau et al., 2015,
    section 3.2).

    forward: source (B, S) token ids, padded at the right; lengths (B,) int64, each from
    1 to S, in any order, on the CPU. They alone tell what is padding: any id, pad_id
    too, may stand in it or before it.
    Returns
      outputs (B, S, 2H): the forward and the backward state at every position, zero at
        padding;
      state (B, H): tanh(bridge([forward state after the last real token; backward state
        after the first token])).
    What stands in the padding changes neither. Raises ValueError where a length is
    below 1 or above S, or where lengths is not (B,).
    """

    def __init__(
        self, vocab_size: int, embedding_size: int, hidden_size: int, pad_id: int
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.gru = nn.GRU(
            embedding_size, hidden_size, batch_first=True, bidirectional=True
        )
        self.bridge = nn.Linear(2 * hidden_size, hidden_size)

    def forward(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        batch, longest = source.shape
        if lengths.shape != (batch,) or lengths.min() < 1 or lengths.max() > longest:
            raise ValueError(
                f"source {tuple(source.shape)} needs {batch} lengths "
                f"from 1 to {longest}, got {lengths.tolist()}"
            )
        embedded = self.embedding(source)  # (B, S, E)
        # Packed, so that the backward pass starts at each sentence's last real token.
        packed = nn.utils.rnn.pack_padded_sequence(
            embedded, lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        packed_outputs, last = self.gru(packed)  # last (2, B, H)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(
            packed_outputs, batch_first=True, total_length=longest
        )
        state = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=1)))  # (B, H)
        return outputs, state


class Decoder(nn.Module):
    """Writes token by token, and is given the source's vector at every step
    (Cho et al., 2014).

    forward: tokens (B, T), hidden (B, H), context (B, H). tokens[:, t] is what goes IN
    at step t. It is already shifted: the token before the one to be predicted there.
    Returns logits (B, T, V) and the hidden state after the last step (B, H). At step t
      the GRU's input is [embedding of tokens[:, t]; context];
      the logits are output([hidden state after step t; context]).
    The context is the same at every step and is never changed. Raises ValueError where
    hidden or context is not (B, H).
    """

    def __init__(
        self, vocab_size: int, embedding_size: int, hidden_size: int, pad_id: int
    ):
        super().__init__()
        self.hidden_size = hidden_size
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.gru = nn.GRU(embedding_size + hidden_size, hidden_size, batch_first=True)
        self.output = nn.Linear(2 * hidden_size, vocab_size)

    def forward(
        self, tokens: Tensor, hidden: Tensor, context: Tensor
    ) -> tuple[Tensor, Tensor]:
        batch, length = tokens.shape
        wanted = (batch, self.hidden_size)
        if hidden.shape != wanted or context.shape != wanted:
            raise ValueError(
                f"tokens {tuple(tokens.shape)} need hidden and context {wanted}, "
                f"got {tuple(hidden.shape)} and {tuple(context.shape)}"
            )
        repeated = context.unsqueeze(1).expand(-1, length, -1)  # (B, H) -> (B, T, H)
        states, last = self.gru(
            torch.cat([self.embedding(tokens), repeated], dim=2), hidden.unsqueeze(0)
        )
        return self.output(torch.cat([states, repeated], dim=2)), last.squeeze(0)


class Seq2Seq(nn.Module):
    """Encoder and decoder joined by one vector (Sutskever et al., 2014;
    Cho et al., 2014).

    encode: source (B, S), lengths (B,) -> vector (B, H), the encoder's state.
    decode: vector (B, H), targets (B, T) -> logits (B, T, V); the vector is the first
      hidden state and the context. Teacher forcing: what goes in at step t is the true
      token t-1, and bos_id at step 0 (shift right). The caller's targets are left as
      they were.
    forward: source, lengths, targets -> logits (B, T, V), encode and decode in one.
    start: source, lengths -> state, a tuple (hidden (B, H), context (B, H)), before the
      first token.
    step: token (B,), state -> logits (B, V), state, a tuple again. From `start`, fed
      with bos_id and then the targets, it gives the logits of forward one column at a
      time.
    """

    def __init__(self, encoder: nn.Module, decoder: nn.Module, bos_id: int):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id

    def encode(self, source: Tensor, lengths: Tensor) -> Tensor:
        _, vector = self.encoder(source, lengths)
        return vector

    def decode(self, vector: Tensor, targets: Tensor) -> Tensor:
        # (B, T), the last target never goes in
        begin = torch.full_like(targets[:, :1], self.bos_id)
        tokens = torch.cat([begin, targets[:, :-1]], dim=1)
        logits, _ = self.decoder(tokens, vector, vector)
        return logits

    def forward(self, source: Tensor, lengths: Tensor, targets: Tensor) -> Tensor:
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        vector = self.encode(source, lengths)
        return vector, vector

    def step(
        self, token: Tensor, state: tuple[Tensor, Tensor]
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden, context = state
        # (B,) -> (B, 1)
        logits, hidden = self.decoder(token.unsqueeze(1), hidden, context)
        return logits.squeeze(1), (hidden, context)


def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    """Mean of -log softmax(logits)[target] over the real tokens of the whole batch, a
    scalar.

    logits (B, T, V), targets (B, T) and pad_id from 0 to V - 1; a target equal to
    pad_id is no token and counts nowhere, whatever logits up to 1e30 in size stand
    there, so neither added padding nor a row of nothing but padding changes the loss.
    Where no token is left the loss is 0, with zero gradients. A NaN among the logits of
    a real token is not hidden: the loss is NaN then.
    Raises ValueError where logits is not (B, T, V) for targets (B, T).
    """
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(
            "need logits (B, T, V) for targets (B, T), "
            f"got {tuple(logits.shape)}, {tuple(targets.shape)}"
        )
    real = targets != pad_id  # (B, T)
    log_probabilities = F.log_softmax(logits, dim=2)
    losses = -log_probabilities.gather(2, targets.unsqueeze(2)).squeeze(2)  # (B, T)
    return losses.masked_fill(~real, 0.0).sum() / real.sum().clamp(min=1)


def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    """Feed back the most likely token until every row has ended or max_length are
    written.

    step: a function (token (B,), state) -> (logits (B, V), state); state: what step
    expects at the first token, a tensor or a tuple of tensors with the batch first.
    Every call is fed all B rows, the first call bos_id. Of several tokens that are
    equally likely any may be taken.
    Returns tokens (B, T), 1 <= T <= max_length, without bos_id; after a row's first
    eos_id all its tokens are eos_id. Only written tokens can end a row; the bos_id fed
    in first does not, even if it has the same id. T is no longer than the longest row
    needs, its eos_id included if it wrote one. Raises ValueError where max_length is
    below 1.
    """
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    finished = torch.zeros_like(token, dtype=torch.bool)
    written = []
    for _ in range(max_length):
        logits, state = step(token, state)
        # A finished row stays finished.
        token = logits.argmax(dim=1).masked_fill(finished, eos_id)
        written.append(token)
        finished = finished | (token == eos_id)
        if finished.all():
            break
    return torch.stack(written, dim=1)


def reverse_source(source: Tensor, lengths: Tensor) -> Tensor:
    """Reverse each sentence, as Sutskever et al. (2014) did with theirs before the
    encoder read them.

    source (B, S) token ids padded at the right; lengths (B,) on the same device, each
    from 1 to S.
    Returns (B, S): the real tokens of each row, the end token too, in reverse order,
    followed by the padding, unchanged.
    The caller's source is left as it was.
    """
    positions = torch.arange(source.shape[1], device=source.device)  # (S,)
    # (B, S): each row has a mirror of its own
    mirrored = lengths.unsqueeze(1) - 1 - positions
    places = torch.where(mirrored >= 0, mirrored, positions)
    return source.gather(1, places)


def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    """How strongly the last output still feels each input: (S,), the first input first.

    network: a module that maps inputs (B, S, I) to outputs (B, S, H), or to a tuple
    whose first item is outputs (as `torch.nn.RNN`, `GRU` and `LSTM` do with
    batch_first=True). Entry s is the norm over I of the gradient of
    outputs[:, -1].sum() with respect to inputs[:, s], averaged over the batch.
    The caller's inputs are left as they were, and do not require gradients afterwards.
    So is the network, which runs in its current mode: gradients that stand on its
    parameters stay, and none is added.
    """
    inputs = inputs.detach().clone().requires_grad_()
    outputs = network(inputs)
    outputs = outputs[0] if isinstance(outputs, tuple) else outputs
    (gradient,) = torch.autograd.grad(outputs[:, -1].sum(), inputs)
    return gradient.norm(dim=2).mean(dim=0)  # (B, S, I) -> (S,)


def fit_the_vector(
    model: nn.Module,
    targets: Tensor,
    vector: Tensor,
    pad_id: int,
    steps: int,
    learning_rate: float,
) -> tuple[Tensor, Tensor]:
    """Search for a vector that makes a trained decoder write the targets, without any
    encoder.

    model: has decode(vector (B, H), targets (B, T)) -> logits (B, T, V). It runs in the
    mode that it is in and comes back as it was, so that training could go on: the same
    weights and gradients (none added, none taken away), and every parameter still
    requires its gradient. Starting from `vector` (B, H), which is not changed, take
    `steps` steps, 1 or more, of torch.optim.Adam over the vector alone, on
    masked_cross_entropy. Returns the vector (B, H) after the last step and the losses
    (steps,), each measured before its step.
    """
    vector = vector.detach().clone().requires_grad_()
    optimizer = torch.optim.Adam([vector], lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(vector, targets), targets, pad_id)
        (vector.grad,) = torch.autograd.grad(loss, vector)
        optimizer.step()
        losses.append(loss.detach())
    return vector.detach(), torch.stack(losses)
