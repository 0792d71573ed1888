# %% wrong: outputs as long as the longest sentence
# pad_packed_sequence without total_length: outputs are (B, max(lengths), 2H) and not (B, S, 2H)
# where every sentence is shorter than S.

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
        outputs, _ = nn.utils.rnn.pad_packed_sequence(packed_outputs, batch_first=True)
        state = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=1)))
        return outputs, state


# %% wrong: last states reshaped over the batch
# The (2, B, H) last states are reshaped to (B, 2H) without a transpose, which mixes sentences.
# Right for a batch of one, wrong for B > 1.

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
        state = torch.tanh(self.bridge(last.reshape(batch, -1)))
        return outputs, state


# %% wrong: both directions at the last word
# The backward state is taken where the forward one is, at the last real token, where that direction has
# read one word only. Shows for every sentence of two words or more.

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
        last = outputs[torch.arange(batch, device=source.device), lengths - 1]  # (B, 2H)
        return outputs, torch.tanh(self.bridge(last))


# %% wrong: padding zeroed only afterwards
# No packing: the outputs at padding are set to zero after the GRU has read it, and the forward state is
# fetched at lengths - 1, but the backward direction begins in the padding. Shows for any length below S.

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
        real = torch.arange(longest, device=source.device) < lengths.unsqueeze(1)
        outputs = outputs * real.unsqueeze(2)
        H = self.gru.hidden_size
        forward = outputs[torch.arange(batch, device=source.device), lengths - 1, :H]
        backward = outputs[:, 0, H:]
        return outputs, torch.tanh(self.bridge(torch.cat([forward, backward], dim=1)))


# %% correct: each sentence alone, cut to its length

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
        for ids, length in zip(source, lengths.tolist(), strict=True):
            states, last = self.gru(self.embedding(ids[:length]).unsqueeze(0))
            outputs.append(F.pad(states[0], (0, 0, 0, longest - length)))
            ends.append(torch.cat((last[0, 0], last[1, 0])))
        return torch.stack(outputs), torch.tanh(self.bridge(torch.stack(ends)))


# %% correct: two readings without packing, the second with the sentences pushed to the right

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
        H = self.gru.hidden_size
        places = torch.arange(longest, device=source.device).expand(batch, longest)
        real = places < lengths.unsqueeze(1)
        clean = torch.where(real, source, source[:, :1])  # whatever stood in the padding is gone
        shift = (longest - lengths).unsqueeze(1)  # how far each sentence moves to the right
        pushed = clean.gather(1, (places - shift).clamp(min=0))
        onwards = self.gru(self.embedding(clean))[0][..., :H]  # never sees what comes after it
        back = self.gru(self.embedding(pushed))[0][..., H:]  # begins at the last real token
        back = back.gather(1, (places + shift).clamp(max=longest - 1).unsqueeze(2).expand(-1, -1, H))
        outputs = torch.cat([onwards, back], dim=2).masked_fill(~real.unsqueeze(2), 0.0)
        last = (lengths - 1).view(batch, 1, 1).expand(batch, 1, H)
        summary = torch.cat([onwards.gather(1, last).squeeze(1), back[:, 0]], dim=1)
        return outputs, self.bridge(summary).tanh()
