# %% wrong: the last states reshaped across the batch
# (2, B, H) is reshaped to (B, 2H) without moving the batch to the front: a row gets the states of two sentences.
# Shows for every batch of more than one sentence.

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
        state = torch.tanh(self.bridge(last.reshape(batch, -1)))
        return outputs, state

# %% wrong: both directions read off at the last token
# At the last real token the backward direction has read one word only: it has read them all at the first.
# Shows in the state of every sentence of more than one token.

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
        outputs, _ = pad_packed_sequence(self.gru(packed)[0], batch_first=True, total_length=longest)
        rows = torch.arange(batch, device=source.device)
        at_the_end = outputs[rows, lengths.to(source.device) - 1]  # (B, 2H)
        return outputs, torch.tanh(self.bridge(at_the_end))

# %% wrong: only as wide as the longest sentence
# Without total_length the outputs have as many columns as the longest sentence of the batch, not S.
# Shows where S is larger than the longest length.

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
        packed, (forward, backward) = self.gru(packed)
        outputs, _ = pad_packed_sequence(packed, batch_first=True)
        return outputs, torch.tanh(self.bridge(torch.cat([forward, backward], dim=1)))

# %% wrong: padding zeroed instead of packed
# The padding's embeddings and outputs are set to zero, but the backward direction still starts there: biases move its state.
# Shows for every sentence shorter than S, in the backward half and in the state.

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
        real = torch.arange(longest, device=source.device) < lengths.to(source.device).unsqueeze(1)
        embedded = self.embedding(source) * real.unsqueeze(2)
        outputs, _ = self.gru(embedded)
        outputs = outputs * real.unsqueeze(2)
        H = outputs.shape[2] // 2
        rows = torch.arange(batch, device=source.device)
        forward = outputs[rows, lengths.to(source.device) - 1, :H]
        backward = outputs[:, 0, H:]
        return outputs, torch.tanh(self.bridge(torch.cat([forward, backward], dim=1)))

# %% correct: each sentence alone

# No padding is ever read: the GRU gets one sentence of its own length at a time, and zeros are laid behind its outputs.

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
        for tokens, length in zip(source, lengths.tolist(), strict=True):
            states, last = self.gru(self.embedding(tokens[:length]).unsqueeze(0))  # (1, L, 2H), (2, 1, H)
            outputs.append(F.pad(states[0], (0, 0, 0, longest - length)))
            summaries.append(last.flatten())
        return torch.stack(outputs), torch.tanh(self.bridge(torch.stack(summaries)))

# %% correct: two loops over the cell, with a gate for padding

# Runs the GRU's weights step by step in each direction; where there is no token the state is held.

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
        embedded = self.embedding(source).unbind(dim=1)
        real = (torch.arange(longest) < lengths.unsqueeze(1)).to(source.device)
        halves, ends = [], []
        for suffix, places in (("", range(longest)), ("_reverse", range(longest - 1, -1, -1))):
            weights = [getattr(self.gru, f"{name}_l0{suffix}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
            hidden = embedded[0].new_zeros(batch, self.gru.hidden_size)
            states = [hidden] * longest
            for j in places:
                here = real[:, j : j + 1]
                hidden = torch.where(here, torch.gru_cell(embedded[j], hidden, *weights), hidden)
                states[j] = hidden.masked_fill(~here, 0.0)
            halves.append(torch.stack(states, dim=1))
            ends.append(hidden)
        return torch.cat(halves, dim=2), torch.tanh(self.bridge(torch.cat(ends, dim=1)))
