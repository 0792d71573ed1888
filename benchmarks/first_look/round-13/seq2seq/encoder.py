# %% wrong: the backward state after the last token
# Both states are taken at the last real token, where the backward direction has read one word only.
# Shows for every sentence of two tokens or more.

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
        outputs, last = self.gru(packed)
        outputs, _ = pad_packed_sequence(outputs, batch_first=True, total_length=longest)
        rows = torch.arange(batch, device=source.device)
        ends = outputs[rows, lengths.to(source.device) - 1]  # (B, 2H)
        return outputs, torch.tanh(self.bridge(ends))


# %% wrong: only as wide as the longest sentence
# Without total_length the outputs have max(lengths) columns, not S: shows where S is larger than every length.

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
        outputs, last = self.gru(packed)
        outputs, _ = pad_packed_sequence(outputs, batch_first=True)
        state = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=1)))
        return outputs, state


# %% wrong: sorted and not put back
# The rows are sorted by length for the packing and come back sorted: shows for lengths that do not fall
# from row to row, such as [2, 4].

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
        lengths, order = lengths.sort(descending=True, stable=True)
        embedded = self.embedding(source[order.to(source.device)])
        packed = pack_padded_sequence(embedded, lengths, batch_first=True)
        outputs, last = self.gru(packed)
        outputs, _ = pad_packed_sequence(outputs, batch_first=True, total_length=longest)
        return outputs, torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1)))


# %% wrong: the last states viewed as (B, 2H)
# view lays rows of (2, B, H) side by side as they lie in memory: forward states of two sentences are joined.
# Right for B = 1 only.

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
        outputs, last = self.gru(packed)
        outputs, _ = pad_packed_sequence(outputs, batch_first=True, total_length=longest)
        both = last.view(batch, -1)  # (2, B, H) -> (B, 2H)
        return outputs, torch.tanh(self.bridge(both))


# %% correct: each sentence alone, at its own length

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
        for sentence, length in zip(source, lengths.tolist()):
            states, _ = self.gru(self.embedding(sentence[:length]).unsqueeze(0))  # (1, length, 2H)
            forward, backward = states[0].chunk(2, dim=-1)
            ends.append(torch.cat([forward[-1], backward[0]]))
            rows.append(F.pad(states[0], (0, 0, 0, longest - length)))
        return torch.stack(rows), self.bridge(torch.stack(ends)).tanh()


# %% correct: two loops over the places, which stand still at padding

class Encoder(nn.Module):
    def __init__(self, vocab_size: int, embedding_size: int, hidden_size: int, pad_id: int):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.gru = nn.GRU(embedding_size, hidden_size, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_size, hidden_size)

    def _walk(self, embedded, real, places, direction):
        names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
        weights = [getattr(self.gru, name + direction) for name in names]
        hidden = embedded.new_zeros(len(embedded), self.gru.hidden_size)
        states = {}
        for j in places:
            here = real[:, j : j + 1]
            hidden = torch.where(here, torch.gru_cell(embedded[:, j], hidden, *weights), hidden)
            states[j] = hidden * here
        return torch.stack([states[j] for j in sorted(states)], dim=1), hidden

    def forward(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        batch, longest = source.shape
        if lengths.shape != (batch,) or lengths.min() < 1 or lengths.max() > longest:
            raise ValueError(
                f"source {tuple(source.shape)} needs {batch} lengths from 1 to {longest}, got {lengths.tolist()}"
            )
        real = torch.arange(longest, device=source.device) < lengths.to(source.device).unsqueeze(1)  # (B, S)
        embedded = self.embedding(source).masked_fill(~real.unsqueeze(2), 0.0)
        forward, first = self._walk(embedded, real, range(longest), "")
        backward, second = self._walk(embedded, real, reversed(range(longest)), "_reverse")
        outputs = torch.cat([forward, backward], dim=2)
        return outputs, torch.tanh(self.bridge(torch.cat([first, second], dim=1)))
