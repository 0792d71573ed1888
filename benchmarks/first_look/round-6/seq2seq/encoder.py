# %% wrong: the backward state is read at the last token
# Both directions are gathered at lengths - 1; there the backward direction has read one token only. It has read all at place 0.

class Encoder(nn.Module):
    """Reads a sentence both ways and sums it up in one vector (Bahdanau et al., 2015, section 3.2).

    forward: source (B, S) token ids, padded at the right with pad_id; lengths (B,), each from 1
    to S.
    Returns
      outputs (B, S, 2H): the forward and the backward state at every position, zero at padding;
      state (B, H): tanh(bridge([forward state after the last real token; backward state after
      the first token])).
    What stands in the padding changes neither. Raises ValueError where a length is below 1 or
    above S, or where lengths is not (B,).
    """

    def __init__(self, vocab_size: int, embedding_size: int, hidden_size: int, pad_id: int):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.gru = nn.GRU(embedding_size, hidden_size, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_size, hidden_size)

    def forward(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        batch, longest = source.shape
        if lengths.shape != (batch,) or lengths.min() < 1 or lengths.max() > longest:
            raise ValueError(
                f"source {tuple(source.shape)} needs {batch} lengths from 1 to {longest}, got {lengths.tolist()}"
            )
        packed = nn.utils.rnn.pack_padded_sequence(
            self.embedding(source), lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        outputs, _ = nn.utils.rnn.pad_packed_sequence(self.gru(packed)[0], batch_first=True, total_length=longest)
        last = outputs[torch.arange(batch, device=source.device), lengths.to(source.device) - 1]  # (B, 2H)
        return outputs, torch.tanh(self.bridge(last))


# %% wrong: sorted by length and put back by the same order
# To undo a permutation one needs its inverse (argsort of the order); indexing with the order once more is right only if it is its own inverse, as with two sentences.

class Encoder(nn.Module):
    """Reads a sentence both ways and sums it up in one vector (Bahdanau et al., 2015, section 3.2).

    forward: source (B, S) token ids, padded at the right with pad_id; lengths (B,), each from 1
    to S.
    Returns
      outputs (B, S, 2H): the forward and the backward state at every position, zero at padding;
      state (B, H): tanh(bridge([forward state after the last real token; backward state after
      the first token])).
    What stands in the padding changes neither. Raises ValueError where a length is below 1 or
    above S, or where lengths is not (B,).
    """

    def __init__(self, vocab_size: int, embedding_size: int, hidden_size: int, pad_id: int):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.gru = nn.GRU(embedding_size, hidden_size, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_size, hidden_size)

    def forward(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        batch, longest = source.shape
        if lengths.shape != (batch,) or lengths.min() < 1 or lengths.max() > longest:
            raise ValueError(
                f"source {tuple(source.shape)} needs {batch} lengths from 1 to {longest}, got {lengths.tolist()}"
            )
        order = lengths.argsort(descending=True)
        packed = nn.utils.rnn.pack_padded_sequence(self.embedding(source[order]), lengths[order].cpu(), batch_first=True)
        outputs, final = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True, total_length=longest)
        outputs, final = outputs[order], final[:, order]
        state = torch.tanh(self.bridge(torch.cat([final[0], final[1]], dim=1)))
        return outputs, state


# %% wrong: outputs as wide as the longest length
# pad_packed_sequence without total_length gives max(lengths) columns; where every sentence is shorter than S the outputs are not (B, S, 2H).

class Encoder(nn.Module):
    """Reads a sentence both ways and sums it up in one vector (Bahdanau et al., 2015, section 3.2).

    forward: source (B, S) token ids, padded at the right with pad_id; lengths (B,), each from 1
    to S.
    Returns
      outputs (B, S, 2H): the forward and the backward state at every position, zero at padding;
      state (B, H): tanh(bridge([forward state after the last real token; backward state after
      the first token])).
    What stands in the padding changes neither. Raises ValueError where a length is below 1 or
    above S, or where lengths is not (B,).
    """

    def __init__(self, vocab_size: int, embedding_size: int, hidden_size: int, pad_id: int):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.gru = nn.GRU(embedding_size, hidden_size, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_size, hidden_size)

    def forward(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        batch, longest = source.shape
        if lengths.shape != (batch,) or lengths.min() < 1 or lengths.max() > longest:
            raise ValueError(
                f"source {tuple(source.shape)} needs {batch} lengths from 1 to {longest}, got {lengths.tolist()}"
            )
        embedded = self.embedding(source)
        packed = nn.utils.rnn.pack_padded_sequence(embedded, lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed_outputs, final = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(packed_outputs, batch_first=True)
        state = torch.tanh(self.bridge(torch.cat((final[0], final[1]), dim=-1)))
        return outputs, state


# %% wrong: last states laid side by side with view
# The last states are (2, B, H); view(B, 2H) does not exchange the axes and joins states of different sentences. Right only for a batch of one.

class Encoder(nn.Module):
    """Reads a sentence both ways and sums it up in one vector (Bahdanau et al., 2015, section 3.2).

    forward: source (B, S) token ids, padded at the right with pad_id; lengths (B,), each from 1
    to S.
    Returns
      outputs (B, S, 2H): the forward and the backward state at every position, zero at padding;
      state (B, H): tanh(bridge([forward state after the last real token; backward state after
      the first token])).
    What stands in the padding changes neither. Raises ValueError where a length is below 1 or
    above S, or where lengths is not (B,).
    """

    def __init__(self, vocab_size: int, embedding_size: int, hidden_size: int, pad_id: int):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.gru = nn.GRU(embedding_size, hidden_size, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_size, hidden_size)

    def forward(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        batch, longest = source.shape
        if lengths.shape != (batch,) or lengths.min() < 1 or lengths.max() > longest:
            raise ValueError(
                f"source {tuple(source.shape)} needs {batch} lengths from 1 to {longest}, got {lengths.tolist()}"
            )
        packed = nn.utils.rnn.pack_padded_sequence(
            self.embedding(source), lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        outputs, h_n = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True, total_length=longest)
        state = self.bridge(h_n.contiguous().view(batch, -1)).tanh()
        return outputs, state


# %% wrong: lengths counted from the ids themselves
# The given lengths are checked and then replaced by the number of ids that are not the padding id: what stands in the padding is read if it is not pad_id.

class Encoder(nn.Module):
    """Reads a sentence both ways and sums it up in one vector (Bahdanau et al., 2015, section 3.2).

    forward: source (B, S) token ids, padded at the right with pad_id; lengths (B,), each from 1
    to S.
    Returns
      outputs (B, S, 2H): the forward and the backward state at every position, zero at padding;
      state (B, H): tanh(bridge([forward state after the last real token; backward state after
      the first token])).
    What stands in the padding changes neither. Raises ValueError where a length is below 1 or
    above S, or where lengths is not (B,).
    """

    def __init__(self, vocab_size: int, embedding_size: int, hidden_size: int, pad_id: int):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.gru = nn.GRU(embedding_size, hidden_size, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_size, hidden_size)

    def forward(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        batch, longest = source.shape
        if lengths.shape != (batch,) or lengths.min() < 1 or lengths.max() > longest:
            raise ValueError(
                f"source {tuple(source.shape)} needs {batch} lengths from 1 to {longest}, got {lengths.tolist()}"
            )
        lengths = (source != self.embedding.padding_idx).sum(dim=1).clamp(min=1)
        packed = nn.utils.rnn.pack_padded_sequence(
            self.embedding(source), lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        outputs, h_n = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True, total_length=longest)
        forward, backward = h_n
        return outputs, torch.tanh(self.bridge(torch.cat([forward, backward], dim=1)))


# %% correct: each sentence read alone

class Encoder(nn.Module):
    """Reads a sentence both ways and sums it up in one vector (Bahdanau et al., 2015, section 3.2).

    forward: source (B, S) token ids, padded at the right with pad_id; lengths (B,), each from 1
    to S.
    Returns
      outputs (B, S, 2H): the forward and the backward state at every position, zero at padding;
      state (B, H): tanh(bridge([forward state after the last real token; backward state after
      the first token])).
    What stands in the padding changes neither. Raises ValueError where a length is below 1 or
    above S, or where lengths is not (B,).
    """

    def __init__(self, vocab_size: int, embedding_size: int, hidden_size: int, pad_id: int):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.gru = nn.GRU(embedding_size, hidden_size, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_size, hidden_size)

    def forward(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        batch, longest = source.shape
        if lengths.shape != (batch,) or lengths.min() < 1 or lengths.max() > longest:
            raise ValueError(
                f"source {tuple(source.shape)} needs {batch} lengths from 1 to {longest}, got {lengths.tolist()}"
            )
        rows, summaries = [], []
        for ids, length in zip(source, lengths.tolist()):
            states, (there, back) = self.gru(self.embedding(ids[:length].unsqueeze(0)))
            rows.append(F.pad(states[0], (0, 0, 0, longest - length)))
            summaries.append(torch.cat([there[0], back[0]]))
        return torch.stack(rows), torch.tanh(self.bridge(torch.stack(summaries)))


# %% correct: two hand-written loops with frozen states

class Encoder(nn.Module):
    """Reads a sentence both ways and sums it up in one vector (Bahdanau et al., 2015, section 3.2).

    forward: source (B, S) token ids, padded at the right with pad_id; lengths (B,), each from 1
    to S.
    Returns
      outputs (B, S, 2H): the forward and the backward state at every position, zero at padding;
      state (B, H): tanh(bridge([forward state after the last real token; backward state after
      the first token])).
    What stands in the padding changes neither. Raises ValueError where a length is below 1 or
    above S, or where lengths is not (B,).
    """

    def __init__(self, vocab_size: int, embedding_size: int, hidden_size: int, pad_id: int):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.gru = nn.GRU(embedding_size, hidden_size, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_size, hidden_size)

    def forward(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        batch, longest = source.shape
        if lengths.shape != (batch,) or lengths.min() < 1 or lengths.max() > longest:
            raise ValueError(
                f"source {tuple(source.shape)} needs {batch} lengths from 1 to {longest}, got {lengths.tolist()}"
            )
        words = self.embedding(source)
        real = torch.arange(longest, device=source.device) < lengths.to(source.device).unsqueeze(1)  # (B, S)
        there, last = self.read(words, real, range(longest), "")
        back, first = self.read(words, real, range(longest - 1, -1, -1), "_reverse")
        return torch.cat([there, back], dim=2), self.bridge(torch.cat([last, first], dim=1)).tanh()

        def read(self, words: Tensor, real: Tensor, order, suffix: str) -> tuple[Tensor, Tensor]:
            w_x, w_h, b_x, b_h = (
                getattr(self.gru, f"{name}_l0{suffix}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
            )
            hidden = words.new_zeros(len(words), self.gru.hidden_size)
            states = [None] * words.shape[1]
            for place in order:
                x_r, x_z, x_n = F.linear(words[:, place], w_x, b_x).chunk(3, dim=1)
                h_r, h_z, h_n = F.linear(hidden, w_h, b_h).chunk(3, dim=1)
                z = torch.sigmoid(x_z + h_z)
                candidate = torch.tanh(x_n + torch.sigmoid(x_r + h_r) * h_n)
                new = (1 - z) * candidate + z * hidden
                here = real[:, place : place + 1]
                hidden = torch.where(here, new, hidden)
                states[place] = torch.where(here, new, torch.zeros_like(new))
            return torch.stack(states, dim=1), hidden
