# %% wrong: the outputs are only as wide as the longest sentence
# pad_packed_sequence is not told the width of the source, so where no sentence of the batch fills it, outputs has fewer
# than S columns.
# Hint: hand in lengths that are all below S and compare the shapes; pad_packed_sequence has an argument for it.

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
        packed = nn.utils.rnn.pack_padded_sequence(embedded, lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed_outputs, hidden = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(packed_outputs, batch_first=True)
        state = torch.tanh(self.bridge(torch.cat([hidden[0], hidden[1]], dim=1)))
        return outputs, state


# %% wrong: no packing and a mask afterwards
# It reads the padding, takes the forward state at the right place and sets outputs at padding to zero; but the backward
# direction has begun in the padding, and all of its states carry that.
# Hint: for a short sentence in a wide batch, which tokens has the backward direction read before the last real one?

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
        outputs, _ = self.gru(self.embedding(source))
        is_real = torch.arange(longest, device=source.device) < lengths.unsqueeze(1)
        outputs = outputs * is_real.unsqueeze(2)
        forward, backward = outputs.chunk(2, dim=2)
        rows = torch.arange(batch, device=source.device)
        summary = torch.cat([forward[rows, lengths - 1], backward[:, 0]], dim=1)
        return outputs, torch.tanh(self.bridge(summary))


# %% wrong: both directions are asked at the last real token
# At the last token the backward direction has read that one token only; its half of the summary knows nothing of the
# rest of the sentence.
# Hint: at which place has the direction that reads from right to left come to the end of its way?

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
        outputs, _ = nn.utils.rnn.pad_packed_sequence(self.gru(packed)[0], batch_first=True, total_length=longest)
        last = (lengths - 1).view(-1, 1, 1).expand(-1, 1, outputs.shape[2])
        state = torch.tanh(self.bridge(outputs.gather(1, last).squeeze(1)))
        return outputs, state


# %% wrong: the two last states are reshaped instead of joined
# hidden is (2, B, H), and reshape(B, 2H) joins the states of two neighbouring sentences; it is right for a single
# sentence only.
# Hint: number the entries of a (2, 3, 1) tensor and look at its reshape(3, 2).

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
        packed = nn.utils.rnn.pack_padded_sequence(embedded, lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed_outputs, hidden = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(packed_outputs, batch_first=True, total_length=longest)
        state = torch.tanh(self.bridge(hidden.reshape(batch, -1)))
        return outputs, state


# %% wrong: sorted by length and never sorted back
# It sorts the batch for packing, as old tutorials do, and gives the results back in the sorted order: each sentence gets
# another one's states unless the batch was sorted already.
# Hint: run a short sentence before a long one, and the same two the other way round; compare the rows.

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
        packed = nn.utils.rnn.pack_padded_sequence(self.embedding(source[order]), lengths.cpu(), batch_first=True)
        packed_outputs, hidden = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(packed_outputs, batch_first=True, total_length=longest)
        state = torch.tanh(self.bridge(torch.cat((hidden[0], hidden[1]), dim=-1)))
        return outputs, state


# %% correct: both directions walked by hand, and no packing

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
        embedded, lengths = self.embedding(source), lengths.to(source.device)
        forward_outputs, forward_last = self._walk(embedded, lengths, range(longest), "")
        backward_outputs, backward_last = self._walk(embedded, lengths, range(longest - 1, -1, -1), "_reverse")
        state = torch.tanh(self.bridge(torch.cat([forward_last, backward_last], dim=1)))
        return torch.cat([forward_outputs, backward_outputs], dim=2), state

    def _walk(self, embedded: Tensor, lengths: Tensor, places: range, suffix: str) -> tuple[Tensor, Tensor]:
        names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
        weights = [getattr(self.gru, name + suffix) for name in names]
        hidden = embedded.new_zeros(embedded.shape[0], self.gru.hidden_size)
        outputs = {}
        for place in places:
            is_real = (place < lengths).unsqueeze(1)  # (B, 1)
            moved = torch.gru_cell(embedded[:, place], hidden, *weights)
            hidden = torch.where(is_real, moved, hidden)  # padding leaves the state alone
            outputs[place] = torch.where(is_real, moved, torch.zeros_like(moved))
        return torch.stack([outputs[place] for place in sorted(outputs)], dim=1), hidden


# %% correct: sorted by hand, sorted back, and the ends picked from the outputs

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
        order = torch.argsort(lengths, descending=True)
        packed = nn.utils.rnn.pack_padded_sequence(
            self.embedding(source[order]), lengths[order].tolist(), batch_first=True
        )
        padded, _ = nn.utils.rnn.pad_packed_sequence(self.gru(packed)[0], batch_first=True, total_length=longest)
        outputs = padded[torch.argsort(order)]  # back in the caller's order
        rightwards, leftwards = outputs.chunk(2, dim=2)
        ends = torch.stack([row[length - 1] for row, length in zip(rightwards, lengths.tolist(), strict=True)])
        return outputs, self.bridge(torch.cat([ends, leftwards[:, 0]], dim=1)).tanh()
