# %% wrong: outputs only as wide as the longest sentence
# total_length is left out: where S is larger than the longest length (lengths [2, 1] in S = 5), the outputs have 2 columns
# instead of 5.

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
        outputs, _ = pad_packed_sequence(packed_outputs, batch_first=True)
        state = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=1)))
        return outputs, state

# %% wrong: both directions taken at the last token
# The backward state after the last real token has read one token only; it has read all after the first. Wrong for every
# sentence of two tokens or more, right for length 1.

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
        last = outputs[torch.arange(batch, device=source.device), lengths.to(source.device) - 1]  # (B, 2H)
        return outputs, torch.tanh(self.bridge(last))

# %% wrong: the two last states reshaped
# reshape of (2, B, H) to (B, 2H) lays forward states of two sentences side by side: wrong for every B above 1, right for
# one sentence.

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
        return outputs, torch.tanh(self.bridge(last.reshape(batch, -1)))

# %% wrong: lengths counted anew from the padding id
# The lengths are counted as tokens other than pad_id: where other ids stand in the padding (after the length that was
# given), they are read as tokens, and both results change.

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
        lengths = (source != self.embedding.padding_idx).sum(dim=1).clamp(min=1).cpu()
        packed = pack_padded_sequence(self.embedding(source), lengths, batch_first=True, enforce_sorted=False)
        packed_outputs, last = self.gru(packed)
        outputs, _ = pad_packed_sequence(packed_outputs, batch_first=True, total_length=longest)
        return outputs, torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1)))

# %% correct: sentence by sentence, without padding

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
        for row, length in zip(source, lengths.tolist(), strict=True):
            states, last = self.gru(self.embedding(row[:length]).unsqueeze(0))  # (1, length, 2H), (2, 1, H)
            outputs.append(F.pad(states, (0, 0, 0, longest - length)))
            ends.append(torch.cat([last[0], last[1]], dim=1))
        return torch.cat(outputs), self.bridge(torch.cat(ends)).tanh()

# %% correct: both loops by hand, ended rows stand still

class Encoder(nn.Module):
    def __init__(self, vocab_size: int, embedding_size: int, hidden_size: int, pad_id: int):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.gru = nn.GRU(embedding_size, hidden_size, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_size, hidden_size)

    def one_way(self, embedded: Tensor, real: Tensor, which: str, places) -> dict:
        """The state after each place, and "end", the one after the last. Padding leaves a state as it is."""
        weights = [getattr(self.gru, f"{name}_{which}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
        hidden = embedded.new_zeros(len(embedded), self.gru.hidden_size)
        states = {}
        for s in places:
            x_r, x_z, x_n = F.linear(embedded[:, s], weights[0], weights[2]).chunk(3, dim=1)
            h_r, h_z, h_n = F.linear(hidden, weights[1], weights[3]).chunk(3, dim=1)
            z = torch.sigmoid(x_z + h_z)
            new = (1 - z) * torch.tanh(x_n + torch.sigmoid(x_r + h_r) * h_n) + z * hidden
            hidden = torch.where(real[:, s : s + 1], new, hidden)
            states[s] = hidden
        states["end"] = hidden
        return states

    def forward(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        batch, longest = source.shape
        if lengths.shape != (batch,) or lengths.min() < 1 or lengths.max() > longest:
            raise ValueError(
                f"source {tuple(source.shape)} needs {batch} lengths from 1 to {longest}, got {lengths.tolist()}"
            )
        real = torch.arange(longest, device=source.device) < lengths.to(source.device).unsqueeze(1)  # (B, S)
        embedded = self.embedding(torch.where(real, source, source[:, :1]))
        forward_states = self.one_way(embedded, real, "l0", range(longest))
        backward_states = self.one_way(embedded, real, "l0_reverse", reversed(range(longest)))
        forward_end, backward_end = forward_states.pop("end"), backward_states.pop("end")
        outputs = torch.stack(
            [torch.cat([forward_states[s], backward_states[s]], dim=1) for s in range(longest)], dim=1
        )
        outputs = outputs.masked_fill(~real.unsqueeze(2), 0)
        return outputs, torch.tanh(self.bridge(torch.cat([forward_end, backward_end], dim=1)))
