# %% wrong: the backward state of the last token
# Both halves are taken at the last real token. There the backward direction has read that one token only; the state
# needs its state after the first. Shows for every sentence longer than 1.

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
        outputs, _ = nn.utils.rnn.pad_packed_sequence(self.gru(packed)[0], batch_first=True, total_length=longest)
        rows = torch.arange(batch, device=source.device)
        last = outputs[rows, lengths.to(source.device) - 1]  # (B, 2H): where each sentence ends
        return outputs, torch.tanh(self.bridge(last))


# %% wrong: outputs as long as the longest sentence
# pad_packed_sequence without total_length gives (B, lengths.max(), 2H), and (B, S, 2H) is promised.
# Shows where every sentence is shorter than S.

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
        outputs, final = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True)
        state = torch.tanh(self.bridge(torch.cat([final[0], final[1]], dim=1)))
        return outputs, state


# %% wrong: directions and sentences mixed by a reshape
# The GRU's last states are (2, B, H); reshape(B, 2H) without a transpose puts the forward states of two sentences side by
# side. The state is wrong for B above 1, and right for one sentence.

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
        outputs, final = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True, total_length=longest)
        state = torch.tanh(self.bridge(final.reshape(batch, -1)))
        return outputs, state


# %% wrong: the tokens are counted afresh
# The lengths that are used are the counts of tokens other than pad_id, not those that the caller gives. What stands in
# the padding must change nothing: shows where another token stands there (or pad_id inside a sentence).

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
        packed = nn.utils.rnn.pack_padded_sequence(
            self.embedding(source), counted, batch_first=True, enforce_sorted=False
        )
        outputs, final = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True, total_length=longest)
        state = torch.tanh(self.bridge(torch.cat([final[0], final[1]], dim=1)))
        return outputs, state


# %% correct: each sentence by itself, cut to its length

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
            read, final = self.gru(self.embedding(row[None, :length]))  # (1, length, 2H), (2, 1, H)
            outputs.append(F.pad(read[0], (0, 0, 0, longest - length)))
            states.append(self.bridge(final.flatten()).tanh())
        return torch.stack(outputs), torch.stack(states)


# %% correct: two loops of single steps that hold still in the padding

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
        gru, size = self.gru, self.gru.hidden_size
        real = torch.arange(longest, device=source.device) < lengths.to(source.device).unsqueeze(1)  # (B, S)
        words = self.embedding(torch.where(real, source, 0))  # what stands in the padding is not even looked up

        def run(suffix: str, places) -> tuple[list[Tensor], Tensor]:
            weights = [getattr(gru, f"{name}_l0{suffix}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
            hidden, states = words.new_zeros(batch, size), [None] * longest
            for s in places:
                here = real[:, s].unsqueeze(1)
                hidden = torch.where(here, torch.gru_cell(words[:, s], hidden, *weights), hidden)
                states[s] = torch.where(here, hidden, torch.zeros_like(hidden))
            return states, hidden

        forward_states, forward_last = run("", range(longest))
        backward_states, backward_last = run("_reverse", reversed(range(longest)))
        outputs = torch.cat([torch.stack(forward_states, dim=1), torch.stack(backward_states, dim=1)], dim=2)
        return outputs, torch.tanh(self.bridge(torch.cat([forward_last, backward_last], dim=1)))
