# %% wrong: the padding is read like words
# The network runs over the padding: forward it goes on past the end, backward it starts in it. `pack_padded_sequence`
# tells it where each sentence ends.

# --- before
        packed_outputs, last = self.gru(packed)  # last (2, B, H)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(
            packed_outputs, batch_first=True, total_length=longest
        )
# --- after
        outputs, last = self.gru(embedded)

# %% wrong: the padding is read, then hidden
# Zeros stand where the padding is, but the states were computed by reading through it. Hiding the outputs afterwards
# is too late: pack the batch before the GRU sees it.

# --- before
        packed_outputs, last = self.gru(packed)  # last (2, B, H)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(
            packed_outputs, batch_first=True, total_length=longest
        )
# --- after
        outputs, last = self.gru(embedded)
        outputs = outputs * (torch.arange(longest) < lengths.unsqueeze(1)).unsqueeze(2)

# %% wrong: the backward state is taken at the end of the sentence
# At the last token the backward direction has read one word only. It is complete at the FIRST token; the GRU's second
# return value has it ready.

# --- before
        state = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=1)))  # (B, H)
# --- after
        state = torch.tanh(self.bridge(torch.cat([last[0], outputs[torch.arange(batch), lengths - 1, outputs.shape[2] // 2 :]], dim=1)))

# %% wrong: the state is read off the last column
# The last column is padding for every shorter sentence, and its backward half has read one word even for the longest.
# Take the state after each sentence's own last token.

# --- before
        state = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=1)))  # (B, H)
# --- after
        state = torch.tanh(self.bridge(outputs[:, -1]))

# %% wrong: directions and batch are mixed up
# The GRU's last state is (2, B, H): reshaping it to (B, 2H) puts states of different sentences side by side. Join
# last[0] and last[1], or transpose first.

# --- before
        state = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=1)))  # (B, H)
# --- after
        state = torch.tanh(self.bridge(last.reshape(batch, -1)))

# %% wrong: the bridge has no tanh
# The state leaves the range from -1 to 1, in which a GRU keeps its states. Squash it with tanh.

# --- before
        state = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=1)))  # (B, H)
# --- after
        state = self.bridge(torch.cat([last[0], last[1]], dim=1))

# %% wrong: each sentence loses its last token
# The lengths already count tokens, not the last index: taking one off leaves each sentence's last token unread.

# --- before
            embedded, lengths.cpu(), batch_first=True, enforce_sorted=False
# --- after
            embedded, (lengths.cpu() - 1).clamp(min=1), batch_first=True, enforce_sorted=False

# %% wrong: the sentences come back in another order
# The batch was sorted by length and never put back. Either undo the order, or let the packing do both with
# `enforce_sorted=False`.

# --- before
        embedded = self.embedding(source)  # (B, S, E)
# --- after
        lengths, order = lengths.sort(descending=True)
        embedded = self.embedding(source[order])

# %% wrong: the outputs are cut at the longest sentence
# Where even the longest sentence is followed by padding, fewer columns come back than went in. `pad_packed_sequence`
# takes the width to fill up to.

# --- before
            packed_outputs, batch_first=True, total_length=longest
# --- after
            packed_outputs, batch_first=True

# %% wrong: no guard
# What comes back is right, but the stub's first lines are gone, which raise ValueError for impossible lengths. Put
# them back.

# --- before
        if lengths.shape != (batch,) or lengths.min() < 1 or lengths.max() > longest:
# --- after
        if False:

# %% correct: sorted, run, put back
# --- before
        embedded = self.embedding(source)  # (B, S, E)
# --- after
        order = torch.argsort(lengths, descending=True)
        back = torch.argsort(order)
        embedded = self.embedding(source[order])
# --- before
            embedded, lengths.cpu(), batch_first=True, enforce_sorted=False
# --- after
            embedded, lengths[order].cpu(), batch_first=True
# --- before
        state = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=1)))  # (B, H)
        return outputs, state
# --- after
        last = last.transpose(0, 1).flatten(1)[back]
        return outputs[back], torch.tanh(self.bridge(last))

# %% correct: a sentence at a time
# --- before
        embedded = self.embedding(source)  # (B, S, E)
        # Packed, so that the backward pass starts at each sentence's last real token.
        packed = nn.utils.rnn.pack_padded_sequence(
            embedded, lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        packed_outputs, last = self.gru(packed)  # last (2, B, H)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(
            packed_outputs, batch_first=True, total_length=longest
        )
        state = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=1)))  # (B, H)
        return outputs, state
# --- after
        outputs, states = [], []
        for row, n in zip(source, lengths.tolist()):
            out, last = self.gru(self.embedding(row[:n]).unsqueeze(0))
            outputs.append(F.pad(out[0], (0, 0, 0, len(row) - n)))
            states.append(last[:, 0].reshape(-1))
        return torch.stack(outputs), self.bridge(torch.stack(states)).tanh()

# %% correct: states read off the outputs
# --- before
        state = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=1)))  # (B, H)
# --- after
        forward = outputs[torch.arange(batch), lengths - 1, : self.gru.hidden_size]
        backward = outputs[:, 0, self.gru.hidden_size :]
        state = torch.tanh(self.bridge(torch.cat([forward, backward], dim=-1)))

# %% correct: padding filled up by hand
# --- before
        outputs, _ = nn.utils.rnn.pad_packed_sequence(
            packed_outputs, batch_first=True, total_length=longest
        )
        state = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=1)))  # (B, H)
# --- after
        outputs, _ = nn.utils.rnn.pad_packed_sequence(packed_outputs, batch_first=True)
        outputs = F.pad(outputs, (0, 0, 0, longest - outputs.shape[1]))
        W_f, W_b = self.bridge.weight.chunk(2, dim=1)
        state = torch.tanh(last[0] @ W_f.T + last[1] @ W_b.T + self.bridge.bias)

# %% correct: both directions as two loops of the cell's equations
# --- before
        embedded = self.embedding(source)  # (B, S, E)
        # Packed, so that the backward pass starts at each sentence's last real token.
        packed = nn.utils.rnn.pack_padded_sequence(
            embedded, lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        packed_outputs, last = self.gru(packed)  # last (2, B, H)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(
            packed_outputs, batch_first=True, total_length=longest
        )
        state = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=1)))  # (B, H)
        return outputs, state
# --- after
        B, S = source.shape
        H = self.gru.hidden_size
        real = torch.arange(S) < lengths.unsqueeze(1)
        embedded = self.embedding(source)
        halves, lasts = [], []
        for suffix, order in (("", range(S)), ("_reverse", reversed(range(S)))):
            w_ih, w_hh = getattr(self.gru, "weight_ih_l0" + suffix), getattr(self.gru, "weight_hh_l0" + suffix)
            b_ih, b_hh = getattr(self.gru, "bias_ih_l0" + suffix), getattr(self.gru, "bias_hh_l0" + suffix)
            h, column = torch.zeros(B, H), [None] * S
            for t in order:
                i, g = F.linear(embedded[:, t], w_ih, b_ih), F.linear(h, w_hh, b_hh)
                r, z = torch.sigmoid(i[:, :H] + g[:, :H]), torch.sigmoid(i[:, H:2 * H] + g[:, H:2 * H])
                new = (1 - z) * torch.tanh(i[:, 2 * H:] + r * g[:, 2 * H:]) + z * h
                h = torch.where(real[:, t : t + 1], new, h)
                column[t] = h * real[:, t : t + 1]
            halves.append(torch.stack(column, dim=1))
            lasts.append(h)
        return torch.cat(halves, dim=2), torch.tanh(self.bridge(torch.cat(lasts, dim=1)))
