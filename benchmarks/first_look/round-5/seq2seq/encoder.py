# %% wrong: outputs only as wide as the longest sentence
# pad_packed_sequence is not told the width of the source: where no sentence fills all S places, outputs is narrower than S.

class Encoder(nn.Module):
    """Reads a sentence both ways and sums it up in one vector."""

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
        outputs, last = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True)
        state = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=1)))
        return outputs, state


# %% wrong: the two last states reshaped side by side
# last is (2, B, H), and a reshape to (B, 2H) puts states of different sentences together; only a batch of one comes out right.

class Encoder(nn.Module):
    """Reads a sentence both ways and sums it up in one vector."""

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
        outputs, last = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True, total_length=longest)
        return outputs, torch.tanh(self.bridge(last.reshape(batch, -1)))


# %% wrong: zeroed afterwards, not packed
# The padding is wiped from the outputs and the forward state is taken at the right place, but the backward direction has read the padding first.

class Encoder(nn.Module):
    """Reads a sentence both ways and sums it up in one vector."""

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
        outputs, _ = self.gru(self.embedding(source))
        real = torch.arange(longest, device=source.device) < lengths.unsqueeze(1)  # (B, S)
        outputs = outputs * real.unsqueeze(2)
        half = outputs.shape[2] // 2
        forward_state = outputs[torch.arange(batch, device=source.device), lengths - 1, :half]
        backward_state = outputs[:, 0, half:]
        state = torch.tanh(self.bridge(torch.cat([forward_state, backward_state], dim=1)))
        return outputs, state


# %% wrong: lengths counted from the padding token
# The given lengths are checked and then ignored: any other token that stands in the padding is read as a word.

class Encoder(nn.Module):
    """Reads a sentence both ways and sums it up in one vector."""

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
        lengths = (source != self.embedding.padding_idx).sum(dim=1)
        packed = nn.utils.rnn.pack_padded_sequence(
            self.embedding(source), lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        outputs, last = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True, total_length=longest)
        state = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1)))
        return outputs, state


# %% wrong: sorted by length, and only the outputs put back
# The sentences are sorted for packing; the outputs return to their places, the states stay in the order of the lengths.

class Encoder(nn.Module):
    """Reads a sentence both ways and sums it up in one vector."""

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
        sorted_lengths, order = lengths.sort(descending=True)
        packed = nn.utils.rnn.pack_padded_sequence(
            self.embedding(source[order]), sorted_lengths.cpu(), batch_first=True
        )
        outputs, last = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True, total_length=longest)
        outputs = outputs[order.argsort()]
        state = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=1)))
        return outputs, state


# %% correct: one sentence at a time, without its padding

class Encoder(nn.Module):
    """Reads a sentence both ways and sums it up in one vector."""

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
        for sentence, length in zip(source, lengths.tolist(), strict=True):
            states, ends = self.gru(self.embedding(sentence[None, :length]))  # (1, n, 2H), (2, 1, H)
            rows.append(F.pad(states[0], (0, 0, 0, longest - length)))
            summaries.append(torch.hstack([ends[0, 0], ends[1, 0]]))
        return torch.stack(rows), self.bridge(torch.stack(summaries)).tanh()


# %% correct: a hand-written loop that holds the state at padding

class Encoder(nn.Module):
    """Reads a sentence both ways and sums it up in one vector."""

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
        places = torch.arange(longest, device=source.device)
        real = places < lengths.to(source.device).unsqueeze(1)  # (B, S)
        words = self.embedding(source.masked_fill(~real, 0))  # (B, S, E)

        def run(suffix: str, turns) -> tuple[list, Tensor]:
            w_x, w_h, b_x, b_h = (
                getattr(self.gru, f"{kind}_l0{suffix}") for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
            )
            h = words.new_zeros(batch, self.gru.hidden_size)
            seen = [None] * longest
            for s in turns:
                x_r, x_z, x_n = F.linear(words[:, s], w_x, b_x).chunk(3, dim=1)
                h_r, h_z, h_n = F.linear(h, w_h, b_h).chunk(3, dim=1)
                z = torch.sigmoid(x_z + h_z)
                n = torch.tanh(x_n + torch.sigmoid(x_r + h_r) * h_n)
                here = real[:, s, None]
                h = torch.where(here, (1 - z) * n + z * h, h)
                seen[s] = torch.where(here, h, torch.zeros_like(h))
            return seen, h

        onward, at_end = run("", range(longest))
        back, at_start = run("_reverse", reversed(range(longest)))
        outputs = torch.cat([torch.stack(onward, dim=1), torch.stack(back, dim=1)], dim=2)
        return outputs, torch.tanh(self.bridge(torch.cat([at_end, at_start], dim=1)))
