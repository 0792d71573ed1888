# %% wrong: two directions laid end to end by reshape
# last is (2, B, H): reshape to (B, 2H) lays the forward states of two sentences side by side, not one sentence's two
# directions. Shows for any B above 1; the outputs are right.

class Encoder(nn.Module):
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
        packed = nn.utils.rnn.pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        packed_outputs, last = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(packed_outputs, batch_first=True, total_length=longest)
        state = torch.tanh(self.bridge(last.reshape(batch, -1)))
        return outputs, state


# %% wrong: lengths counted from the ids
# Counts the tokens that are not pad_id instead of taking the lengths. Shows where other ids stand in the padding (they
# are read as words), and where pad_id stands among the real tokens.

class Encoder(nn.Module):
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
        lengths = (source != self.embedding.padding_idx).sum(dim=1).clamp(min=1).cpu()
        embedded = self.embedding(source)
        packed = nn.utils.rnn.pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        packed_outputs, last = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(packed_outputs, batch_first=True, total_length=longest)
        state = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=1)))
        return outputs, state


# %% wrong: zeroed afterwards instead of packed
# Runs over the padding, zeros the outputs there, and takes the forward state at the last real token. But the backward
# direction has begun in the padding. Shows in every row that is shorter than S.

class Encoder(nn.Module):
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
        everything, _ = self.gru(self.embedding(source))
        ends = lengths.to(source.device)
        real = torch.arange(longest, device=source.device) < ends.unsqueeze(1)
        outputs = everything * real.unsqueeze(2)
        forward, backward = outputs.chunk(2, dim=2)
        rows = torch.arange(batch, device=source.device)
        last = torch.cat([forward[rows, ends - 1], backward[:, 0]], dim=1)
        return outputs, torch.tanh(self.bridge(last))


# %% wrong: both directions at the last real token
# Packs rightly, and takes the outputs at the last real token for the state. There the backward direction has read one
# token only. Shows for every sentence of two tokens or more.

class Encoder(nn.Module):
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
        packed = nn.utils.rnn.pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        packed_outputs, last = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(packed_outputs, batch_first=True, total_length=longest)
        at_the_end = (lengths - 1).to(source.device).view(batch, 1, 1).expand(-1, 1, outputs.shape[2])
        state = torch.tanh(self.bridge(outputs.gather(1, at_the_end).squeeze(1)))
        return outputs, state


# %% correct: one sentence at a time

class Encoder(nn.Module):
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
        rows, states = [], []
        for ids, length in zip(source, lengths.tolist(), strict=True):
            read, last = self.gru(self.embedding(ids[:length]).unsqueeze(0))  # (1, length, 2H), (2, 1, H)
            rows.append(F.pad(read[0], (0, 0, 0, longest - length)))
            states.append(last.flatten())
        return torch.stack(rows), self.bridge(torch.stack(states)).tanh()


# %% correct: both loops over the GRU's own weights, with a mask

class Encoder(nn.Module):
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
        real = torch.arange(longest, device=source.device) < lengths.to(source.device).unsqueeze(1)
        ends, columns = [], []
        for suffix, places in (("", range(longest)), ("_reverse", reversed(range(longest)))):
            weights = [
                getattr(self.gru, name + "_l0" + suffix) for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
            ]
            hidden = embedded.new_zeros(batch, self.gru.hidden_size)
            seen = {}
            for s in places:
                here = real[:, s : s + 1]
                hidden = torch.where(here, torch.gru_cell(embedded[:, s], hidden, *weights), hidden)
                seen[s] = hidden.masked_fill(~here, 0)
            ends.append(hidden)
            columns.append(torch.stack([seen[s] for s in range(longest)], dim=1))
        return torch.cat(columns, dim=2), torch.tanh(self.bridge(torch.cat(ends, dim=1)))
