# %% wrong: sorted, and sorted once more instead of back
# The batch is sorted by length, and the results are indexed with the same order again instead of its inverse. Right for a swap of two;
# shows for three lengths such as [1, 3, 2], whose order [1, 2, 0] is a cycle.

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
        sorted_lengths, order = lengths.sort(descending=True)
        by_length = order.to(source.device)
        embedded = self.embedding(source[by_length])
        packed = pack_padded_sequence(embedded, sorted_lengths, batch_first=True)
        outputs, last = self.gru(packed)
        outputs, _ = pad_packed_sequence(outputs, batch_first=True, total_length=longest)
        state = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=1)))
        return outputs[by_length], state[by_length]

# %% wrong: the outputs padded with pad_id
# padding_value of pad_packed_sequence is taken for the id of padding, so the outputs there are pad_id instead of zero. Shows for an
# encoder with pad_id other than 0 and a sentence shorter than S.

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
        outputs, _ = pad_packed_sequence(
            outputs, batch_first=True, padding_value=float(self.embedding.padding_idx), total_length=longest
        )
        return outputs, torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1)))

# %% wrong: packed for the state, masked for the outputs
# The state comes from the packed batch, the outputs from a second, unpacked run with zeros laid over the padding. But there the backward
# direction begins in the padding, so its states at real tokens are wrong. Shows for every sentence shorter than S.

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
        outputs, _ = self.gru(embedded)
        real = torch.arange(longest, device=source.device) < lengths.to(source.device).unsqueeze(1)  # (B, S)
        outputs = outputs * real.unsqueeze(2)
        _, last = self.gru(pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False))
        state = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=1)))
        return outputs, state

# %% wrong: the padding cleaned in the caller's source
# To be sure that nothing in the padding matters, pad_id is written over it, in the caller's own tensor. The results are right, the argument is
# changed. Shows where the padding holds other ids than pad_id.

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
        padding = torch.arange(longest) >= lengths.unsqueeze(1)  # (B, S)
        source[padding.to(source.device)] = self.embedding.padding_idx
        packed = pack_padded_sequence(self.embedding(source), lengths, batch_first=True, enforce_sorted=False)
        outputs, last = self.gru(packed)
        outputs, _ = pad_packed_sequence(outputs, batch_first=True, total_length=longest)
        return outputs, torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=1)))

# %% correct: each sentence on its own, cut to its length

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
        for row, length in zip(source, lengths.tolist()):
            states, last = self.gru(self.embedding(row[:length]).unsqueeze(0))  # (1, length, 2H), (2, 1, H)
            outputs.append(F.pad(states, (0, 0, 0, longest - length)))
            ends.append(last.flatten())
        return torch.cat(outputs), torch.tanh(self.bridge(torch.stack(ends)))

# %% correct: two loops over the places that stand still at padding

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
        size = self.gru.hidden_size
        embedded = self.embedding(source)
        real = torch.arange(longest, device=source.device).unsqueeze(1) < lengths.to(source.device)  # (S, B)
        start = embedded.new_zeros(batch, size)

        def walk(places, suffix):
            weights = [getattr(self.gru, f"{name}_l0{suffix}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
            state, seen = start, {}
            for place in places:
                here = real[place].unsqueeze(1)
                state = torch.where(here, torch.gru_cell(embedded[:, place], state, *weights), state)
                seen[place] = torch.where(here, state, torch.zeros_like(state))
            return torch.stack([seen[place] for place in range(longest)], dim=1), state

        forward_states, forward_end = walk(range(longest), "")
        backward_states, backward_end = walk(reversed(range(longest)), "_reverse")
        ends = torch.cat([forward_end, backward_end], dim=1)
        return torch.cat([forward_states, backward_states], dim=2), self.bridge(ends).tanh()
