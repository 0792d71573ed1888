# %% wrong: the two last states joined by a view
# last is (2, B, H); view(B, 2H) reads it row by row and joins the forward states of two sentences. Shows for B = 2
# and more; for B = 1 it is right.

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
        packed_outputs, last = self.gru(packed)
        outputs, _ = pad_packed_sequence(packed_outputs, batch_first=True, total_length=longest)
        return outputs, torch.tanh(self.bridge(last.view(batch, -1)))


# %% wrong: both directions taken at the last real token
# There the backward direction has read one token only; it has read the sentence at position 0. Shows for every
# sentence of two tokens or more.

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
        packed_outputs, _ = self.gru(packed)
        outputs, _ = pad_packed_sequence(packed_outputs, batch_first=True, total_length=longest)
        rows = torch.arange(batch, device=source.device)
        last = outputs[rows, lengths.to(source.device) - 1]  # (B, 2H)
        return outputs, torch.tanh(self.bridge(last))


# %% wrong: every pad_id closed once more
# After the packing the outputs are set to 0 wherever the token is pad_id, but pad_id may stand among the real tokens.
# Shows for a sentence with pad_id before its end.

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
        packed_outputs, last = self.gru(packed)
        outputs, _ = pad_packed_sequence(packed_outputs, batch_first=True, total_length=longest)
        outputs = outputs.masked_fill((source == self.embedding.padding_idx).unsqueeze(2), 0.0)
        return outputs, torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=1)))


# %% wrong: sorted by hand, and put back with the same order
# The rows return with `order` instead of its inverse. That is right where the order is its own inverse (any two
# sentences); for lengths [1, 3, 2] and others of three or more the sentences get each other's states.

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
        lengths, order = lengths.sort(descending=True)
        order = order.to(source.device)
        packed = pack_padded_sequence(self.embedding(source[order]), lengths, batch_first=True)
        packed_outputs, last = self.gru(packed)
        outputs, _ = pad_packed_sequence(packed_outputs, batch_first=True, total_length=longest)
        outputs, last = outputs[order], last[:, order]
        return outputs, torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=1)))


# %% correct: each sentence alone, without its padding
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
        outputs, states = [], []
        for row, length in zip(source, lengths.tolist(), strict=True):
            read, last = self.gru(self.embedding(row[:length]).unsqueeze(0))
            outputs.append(F.pad(read[0], (0, 0, 0, longest - length)))
            states.append(last.flatten())  # forward, then backward
        return torch.stack(outputs), self.bridge(torch.stack(states)).tanh()


# %% correct: cell by cell in both directions, where padding keeps the state
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
        x = self.embedding(source)
        real = torch.arange(longest, device=source.device).unsqueeze(1) < lengths.to(source.device)  # (S, B)
        columns, ends = [], []
        for suffix, order in (("l0", range(longest)), ("l0_reverse", reversed(range(longest)))):
            names = ("weight_ih_", "weight_hh_", "bias_ih_", "bias_hh_")
            weights = [getattr(self.gru, name + suffix) for name in names]
            h, read = x.new_zeros(batch, self.gru.hidden_size), {}
            for s in order:
                alive = real[s].unsqueeze(1)
                h = torch.where(alive, torch.gru_cell(x[:, s], h, *weights), h)
                read[s] = torch.where(alive, h, torch.zeros_like(h))
            columns.append(torch.stack([read[s] for s in range(longest)], dim=1))
            ends.append(h)
        return torch.cat(columns, dim=2), torch.tanh(self.bridge(torch.cat(ends, dim=1)))
