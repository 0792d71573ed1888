# %% wrong: the last states are reshaped across the batch
# last is (2, B, H). reshape(B, 2H) does not bring the two directions of one sentence together: for B = 3, row 0 gets the
# forward states of sentences 0 and 1. Right for B = 1 alone.

from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


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
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        outputs, last = self.gru(packed)
        outputs, _ = pad_packed_sequence(outputs, batch_first=True, total_length=longest)
        return outputs, torch.tanh(self.bridge(last.reshape(batch, -1)))


# %% wrong: the outputs end with the longest sentence
# Without total_length the outputs are as wide as the longest length, not S. It shows where S is larger than every length,
# as for a batch cut out of another one.

from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


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
        packed = pack_padded_sequence(self.embedding(source), lengths, batch_first=True, enforce_sorted=False)
        outputs, (forward_state, backward_state) = self.gru(packed)
        outputs, _ = pad_packed_sequence(outputs, batch_first=True)
        state = torch.tanh(self.bridge(torch.cat([forward_state, backward_state], dim=1)))
        return outputs, state


# %% wrong: the lengths are counted from the tokens
# The sentence is taken to end where pad ids begin, and `lengths` is only checked. Where the padding holds other ids, they
# are read as words, in outputs and state.

from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


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
        counted = real.sum(dim=1).clamp(min=1).cpu()
        packed = pack_padded_sequence(self.embedding(source), counted, batch_first=True, enforce_sorted=False)
        outputs, last = self.gru(packed)
        outputs, _ = pad_packed_sequence(outputs, batch_first=True, total_length=longest)
        state = torch.tanh(self.bridge(last.transpose(0, 1).flatten(1)))
        return outputs, state


# %% wrong: sorted by hand, and the state stays sorted
# The outputs are put back into the caller's order, the last states are not. It shows in the state wherever the lengths
# do not come longest first.

from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


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
        sorted_lengths, order = lengths.sort(descending=True, stable=True)
        packed = pack_padded_sequence(self.embedding(source[order]), sorted_lengths, batch_first=True)
        outputs, last = self.gru(packed)
        outputs, _ = pad_packed_sequence(outputs, batch_first=True, total_length=longest)
        outputs = outputs[order.argsort()]
        state = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1)))
        return outputs, state


# %% correct: every sentence read alone, and padded afterwards

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
        outputs, summaries = [], []
        for row, length in zip(source, lengths.tolist(), strict=True):
            states, last = self.gru(self.embedding(row[:length]).unsqueeze(0))  # (1, length, 2H), (2, 1, H)
            outputs.append(F.pad(states[0], (0, 0, 0, longest - length)))
            summaries.append(last.flatten())
        return torch.stack(outputs), torch.tanh(self.bridge(torch.stack(summaries)))


# %% correct: read twice, once pushed to the left and once to the right

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
        # A direction is right wherever its padding comes last. Forward: as it lies. Backward: sentences at the right edge.
        places = torch.arange(longest, device=source.device)
        lengths = lengths.to(source.device).unsqueeze(1)
        push = longest - lengths  # (B, 1)
        pushed = source.gather(1, (places - push) % longest)
        half = self.gru.hidden_size
        onward = self.gru(self.embedding(source))[0][..., :half]
        back = self.gru(self.embedding(pushed))[0][..., half:]
        home = ((places + push) % longest).unsqueeze(2).expand(-1, -1, half)
        both = torch.cat([onward, back.gather(1, home)], dim=2)
        outputs = both.masked_fill((places >= lengths).unsqueeze(2), 0.0)
        rows = torch.arange(batch, device=source.device)
        ends = torch.cat([outputs[rows, lengths.squeeze(1) - 1, :half], outputs[:, 0, half:]], dim=1)
        return outputs, torch.tanh(self.bridge(ends))
