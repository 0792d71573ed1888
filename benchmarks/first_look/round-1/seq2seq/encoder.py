# %% wrong: both directions at the last token
# Takes forward and backward state where the sentence ends: there the backward direction has read one word. A good message: "the backward half of the state does not depend on the first words: where has that direction read everything?"

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
        outputs, _ = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True, total_length=longest)
        last = outputs[torch.arange(batch), lengths - 1]  # (B, 2H)
        return outputs, torch.tanh(self.bridge(last))

# %% wrong: as wide as the longest sentence
# pad_packed_sequence without total_length: where source is wider than its longest sentence, outputs has fewer than S columns. A good message: "outputs (B, 5, 2H) for a source with S = 7: total_length".

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
        outputs, last = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True)
        state = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=1)))
        return outputs, state

# %% wrong: pads the outputs with pad_id
# padding_value is set to the padding's token id. That is 0 in this course's vocabularies and so it looks right; with another pad_id the outputs at padding are 3.0 or so. A good message: "outputs at padding must be zero whatever pad_id is: pad_id is a token, not a state".

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
        rnn = nn.utils.rnn
        packed = rnn.pack_padded_sequence(self.embedding(source), lengths.cpu(), batch_first=True, enforce_sorted=False)
        outputs, (forwards, backwards) = self.gru(packed)
        outputs, _ = rnn.pad_packed_sequence(
            outputs, batch_first=True, padding_value=self.embedding.padding_idx, total_length=longest
        )
        return outputs, torch.tanh(self.bridge(torch.cat([forwards, backwards], dim=-1)))

# %% wrong: the last states flattened
# h_n is (2, B, H); view(batch, 2H) joins the forward states of two sentences in place of one sentence's two directions. Right for a batch of one. A good message: "the state of a sentence changes with its neighbour: transpose before you merge the two axes".

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
        outputs, last = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True, total_length=longest)
        return outputs, torch.tanh(self.bridge(last.view(batch, -1)))

# %% correct: sentences of one length at a time, no packing

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
        H = self.gru.hidden_size
        outputs = embedded.new_zeros(batch, longest, 2 * H)
        ends = embedded.new_zeros(batch, 2 * H)
        for n in lengths.unique().tolist():
            rows = (lengths == n).nonzero().squeeze(1).to(source.device)
            some, last = self.gru(embedded[rows, :n])
            outputs[rows, :n] = some
            ends[rows] = torch.cat(tuple(last), dim=1)
        return outputs, self.bridge(ends).tanh()

# %% correct: sorted by hand, states read out of the outputs

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
        falling, order = lengths.cpu().sort(descending=True)
        packed = nn.utils.rnn.pack_padded_sequence(self.embedding(source[order]), falling, batch_first=True)
        outputs = nn.utils.rnn.pad_packed_sequence(self.gru(packed)[0], batch_first=True, total_length=longest)[0]
        outputs = outputs[order.argsort()]
        forwards, backwards = outputs.chunk(2, dim=2)
        place = (lengths.to(outputs.device) - 1).view(-1, 1, 1).expand(-1, 1, forwards.shape[2])
        both = torch.cat([forwards.gather(1, place).squeeze(1), backwards[:, 0]], dim=1)
        return outputs, torch.tanh(self.bridge(both))
