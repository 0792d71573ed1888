# %% wrong: outputs only as long as the longest sentence
# pad_packed_sequence without total_length: the outputs are (B, max(lengths), 2H).
# Shows where every sentence of the batch is shorter than S.

class Encoder(nn.Module):
    """Reads a sentence both ways and sums it up in one vector (Bahdanau et al., 2015, section 3.2)."""

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
        outputs, hidden = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True)
        state = torch.tanh(self.bridge(torch.cat([hidden[0], hidden[1]], dim=1)))
        return outputs, state


# %% wrong: both directions read off at the last real token
# The backward half is taken at length - 1, where that direction has read one word, and not at place 0.
# Shows for every sentence longer than one token.

class Encoder(nn.Module):
    """Reads a sentence both ways and sums it up in one vector (Bahdanau et al., 2015, section 3.2)."""

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
        outputs, _ = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True, total_length=longest)
        last = outputs[torch.arange(batch, device=source.device), lengths - 1]  # (B, 2H)
        return outputs, torch.tanh(self.bridge(last))


# %% wrong: the two last states laid together by reshape
# hidden is (2, B, H); reshape(B, 2H) mixes the states of different sentences.
# Shows for every batch of more than one sentence.

class Encoder(nn.Module):
    """Reads a sentence both ways and sums it up in one vector (Bahdanau et al., 2015, section 3.2)."""

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
        outputs, hidden = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True, total_length=longest)
        state = torch.tanh(self.bridge(hidden.reshape(batch, -1)))
        return outputs, state


# %% wrong: the lengths counted from the padding id
# Counts tokens that are not pad_id and does not use lengths.
# Shows where something else than pad_id stands behind the sentence: it is read like words.

class Encoder(nn.Module):
    """Reads a sentence both ways and sums it up in one vector (Bahdanau et al., 2015, section 3.2)."""

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
        outputs, hidden = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True, total_length=longest)
        state = torch.tanh(self.bridge(torch.cat([hidden[0], hidden[1]], dim=1)))
        return outputs, state


# %% correct: sentences of equal length together, nothing packed

class Encoder(nn.Module):
    """Reads a sentence both ways and sums it up in one vector (Bahdanau et al., 2015, section 3.2)."""

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
        rows_of, outputs_of, ends_of = [], [], []
        for n in sorted(set(lengths.tolist())):
            rows = (lengths == n).nonzero().squeeze(1)
            outputs, hidden = self.gru(self.embedding(source[rows, :n]))  # no padding in here
            rows_of.append(rows)
            outputs_of.append(F.pad(outputs, (0, 0, 0, longest - n)))
            ends_of.append(hidden.permute(1, 0, 2).flatten(1))
        home = torch.cat(rows_of).argsort()
        return torch.cat(outputs_of)[home], torch.tanh(self.bridge(torch.cat(ends_of)))[home]


# %% correct: both directions by hand, a state that waits out the padding

class Encoder(nn.Module):
    """Reads a sentence both ways and sums it up in one vector (Bahdanau et al., 2015, section 3.2)."""

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
        real = torch.arange(longest, device=source.device) < lengths.unsqueeze(1)  # (B, S)
        words = self.embedding(torch.where(real, source, source[:, :1]))

        def read(places, suffix: str):
            weights = [getattr(self.gru, f"{kind}_l0{suffix}") for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
            h = words.new_zeros(batch, self.gru.hidden_size)
            seen = [h] * longest
            for t in places:
                here = real[:, t, None]
                h = torch.where(here, torch.gru_cell(words[:, t], h, *weights), h)
                seen[t] = torch.where(here, h, torch.zeros_like(h))
            return torch.stack(seen, dim=1), h

        forth, at_end = read(range(longest), "")
        back, at_start = read(reversed(range(longest)), "_reverse")
        return torch.cat([forth, back], dim=2), torch.tanh(self.bridge(torch.cat([at_end, at_start], dim=1)))
