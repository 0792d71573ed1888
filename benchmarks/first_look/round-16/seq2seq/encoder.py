# %% wrong: the two directions of different sentences side by side
# last is (2, B, H), and view(batch, -1) puts neighbors in memory together: row 0 gets the forward states of sentences 0 and 1.
# Right only for B = 1.

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
            self.embedding(source), lengths, batch_first=True, enforce_sorted=False
        )
        outputs, last = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True, total_length=longest)
        state = torch.tanh(self.bridge(last.reshape(batch, -1)))
        return outputs, state


# %% wrong: padding filled with pad_id
# Takes padding_value for the id of padding. With pad_id = 0 the outputs there are 0 by chance; with pad_id = 3 they are 3.

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
            self.embedding(source), lengths, batch_first=True, enforce_sorted=False
        )
        outputs, last = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(
            outputs, batch_first=True, padding_value=self.embedding.padding_idx, total_length=longest
        )
        return outputs, torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=1)))


# %% wrong: sorted by length and not put back
# Sorts the sentences for the packing, and hands the results out in that order. Right only where the lengths already fall;
# wrong for lengths [2, 5].

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
        lengths, order = lengths.sort(descending=True, stable=True)
        embedded = self.embedding(source[order.to(source.device)])
        packed = nn.utils.rnn.pack_padded_sequence(embedded, lengths, batch_first=True)
        outputs, last = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True, total_length=longest)
        return outputs, torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=1)))


# %% wrong: real is what is not pad_id, whatever the lengths say
# Counts the tokens that differ from pad_id instead of using lengths. Wrong where something else stands in the padding,
# e.g. source [[5, 7, 4]] with length 2: the 4 is read.

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
        real = (source != self.embedding.padding_idx).sum(dim=1).clamp(min=1).cpu()
        packed = nn.utils.rnn.pack_padded_sequence(
            self.embedding(source), real, batch_first=True, enforce_sorted=False
        )
        outputs, last = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True, total_length=longest)
        return outputs, torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=1)))


# %% correct: sentence by sentence, without any padding

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
        outputs, ends = [], []
        for tokens, length in zip(source, lengths.tolist(), strict=True):
            states, last = self.gru(self.embedding(tokens[:length]).unsqueeze(0))  # (1, length, 2H), (2, 1, H)
            outputs.append(F.pad(states[0], (0, 0, 0, longest - length)))
            ends.append(last.flatten())
        return torch.stack(outputs), torch.tanh(self.bridge(torch.stack(ends)))


# %% correct: two loops over a cell, a state is kept where a place is padding

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
        embedded, places = self.embedding(source), torch.arange(longest)
        is_real = (places < lengths.unsqueeze(1)).to(source.device)  # (B, S)
        both, ends = [], []
        for suffix, walk in (("", range(longest)), ("_reverse", reversed(range(longest)))):
            weights = [
                getattr(self.gru, f"{name}_l0{suffix}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
            ]
            hidden, states = embedded.new_zeros(batch, self.gru.hidden_size), {}
            for s in walk:
                here = is_real[:, s, None]
                hidden = torch.where(here, torch.gru_cell(embedded[:, s], hidden, *weights), hidden)
                states[s] = torch.where(here, hidden, torch.zeros_like(hidden))
            both.append(torch.stack([states[s] for s in range(longest)], dim=1))
            ends.append(hidden)
        return torch.cat(both, dim=2), torch.tanh(self.bridge(torch.cat(ends, dim=1)))
