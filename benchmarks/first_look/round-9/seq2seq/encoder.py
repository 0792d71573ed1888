# %% wrong: the two last states reshaped into one row
# last is (2, B, H) and is reshaped to (B, 2H) without moving the axis of the directions: states of two sentences land in one row.
# Shows for every batch of more than one sentence; one sentence alone is right.

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
        packed = nn.utils.rnn.pack_padded_sequence(
            self.embedding(source), lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        packed_outputs, last = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(packed_outputs, batch_first=True, total_length=longest)
        state = torch.tanh(self.bridge(last.reshape(batch, -1)))
        return outputs, state

# %% wrong: the lengths counted again from the ids
# Counts what is not the pad id in place of using lengths: ids that stand behind the end are read as words.
# Shows where something else than pad_id stands in the padding, or pad_id among the first `length` tokens.

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
        real = source != self.embedding.padding_idx
        counted = real.sum(dim=1).clamp(min=1)
        packed = nn.utils.rnn.pack_padded_sequence(
            self.embedding(source), counted.cpu(), batch_first=True, enforce_sorted=False
        )
        packed_outputs, last = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(packed_outputs, batch_first=True, total_length=longest)
        return outputs, torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=1)))

# %% wrong: sorted, and only the outputs sorted back
# Sorts the batch for the packing and gives the outputs back in the caller's order, but leaves the state in the sorted one.
# Shows for a batch whose lengths do not fall already, such as lengths 2, 5.

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
        order = lengths.argsort(descending=True)
        packed = nn.utils.rnn.pack_padded_sequence(
            self.embedding(source[order]), lengths[order].cpu(), batch_first=True
        )
        packed_outputs, last = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(packed_outputs, batch_first=True, total_length=longest)
        outputs = outputs[order.argsort()]
        state = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=1)))
        return outputs, state

# %% wrong: the forward state read in the last column
# Takes the forward state from outputs[:, -1]: packed outputs are zero at padding, so a short sentence has no forward state.
# Shows for every sentence shorter than S; where all are S long it is right.

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
        hidden_size = self.gru.hidden_size
        packed = nn.utils.rnn.pack_padded_sequence(
            self.embedding(source), lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        outputs, _ = nn.utils.rnn.pad_packed_sequence(self.gru(packed)[0], batch_first=True, total_length=longest)
        forwards = outputs[:, -1, :hidden_size]  # has read the whole sentence
        backwards = outputs[:, 0, hidden_size:]  # has read it from the other side
        return outputs, torch.tanh(self.bridge(torch.cat([forwards, backwards], dim=1)))

# %% correct: each sentence read alone

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
        rows, ends = [], []
        for ids, length in zip(source, lengths.tolist(), strict=True):
            states, last = self.gru(self.embedding(ids[:length]).unsqueeze(0))  # (1, length, 2H), (2, 1, H)
            rows.append(F.pad(states.squeeze(0), (0, 0, 0, longest - length)))
            ends.append(last.flatten())
        return torch.stack(rows), self.bridge(torch.stack(ends)).tanh()

# %% correct: two loops that stand still at padding

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
        real = torch.arange(longest, device=source.device) < lengths.to(source.device).unsqueeze(1)  # (B, S)
        words = self.embedding(source)

        def read(places, suffix: str) -> tuple[Tensor, Tensor]:
            weights = [
                getattr(self.gru, f"{name}_l0{suffix}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
            ]
            hidden = words.new_zeros(batch, self.gru.hidden_size)
            seen = {}
            for t in places:
                here = real[:, t : t + 1]
                hidden = torch.where(here, torch.gru_cell(words[:, t], hidden, *weights), hidden)
                seen[t] = hidden * here
            return torch.stack([seen[t] for t in range(longest)], dim=1), hidden

        forwards, forward_end = read(range(longest), "")
        backwards, backward_end = read(reversed(range(longest)), "_reverse")
        state = torch.tanh(self.bridge(torch.cat([forward_end, backward_end], dim=1)))
        return torch.cat([forwards, backwards], dim=2), state
