# %% wrong: a single step forgets the mask
# step hands the state on complete, but calls the attention without the mask. With padding in the source it gives other logits
# than forward; without padding it agrees.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        all_logits, all_weights = [], []
        for token in tokens.unbind(dim=1):
            logits, hidden, weights = self.advance(token, hidden, keys, values, mask)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, hidden, _ = self.advance(token, hidden, keys, values, None)
        return logits, (hidden, keys, values, mask)

    def advance(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights


# %% wrong: the keys are handed over as values
# attention(hidden, keys, keys, mask): in chapter 2 both are the encoder's states. Where keys and values differ, as for the
# dot product of section 2.7, the context is wrong, or of the wrong width.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        all_logits, all_weights = [], []
        for token in tokens.unbind(dim=1):
            logits, hidden, weights = self.advance(token, hidden, keys, values, mask)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, hidden, _ = self.advance(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, mask)

    def advance(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, keys, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights


# %% wrong: a padding token leaves the state as it was
# Where the token that goes in is pad_id the old state is kept. The docstring's step has no such case, and the logits after
# a padding token differ.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        all_logits, all_weights = [], []
        for token in tokens.unbind(dim=1):
            logits, hidden, weights = self.advance(token, hidden, keys, values, mask)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, hidden, _ = self.advance(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, mask)

    def advance(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        new = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        padded = (token == self.embedding.padding_idx).unsqueeze(1)
        hidden = torch.where(padded, hidden, new)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights


# %% wrong: forward shifts tokens that are shifted already
# A begin token is put in front and the last token dropped, as in Seq2Seq.decode. The tokens are already those that go in, so
# every column is one late and differs from step's.

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        all_logits, all_weights = [], []
        shifted = F.pad(tokens[:, :-1], (1, 0), value=BOS_ID)
        for token in shifted.unbind(dim=1):
            logits, hidden, weights = self.advance(token, hidden, keys, values, mask)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, keys, values, mask = state
        logits, hidden, _ = self.advance(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, mask)

    def advance(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights


# %% correct: states accumulated first, logits for all steps at once

from itertools import accumulate


class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        def turn(before, word):
            context, weights = self.attention(before[0], keys, values, mask)
            return self.cell(torch.cat((word, context), dim=-1), before[0]), context, weights

        words = self.embedding(tokens).unbind(dim=1)
        _, *turns = accumulate(words, turn, initial=(hidden, None, None))
        states, contexts, weights = (torch.stack(part, dim=1) for part in zip(*turns, strict=True))
        return self.output(torch.cat([states, contexts], dim=2)), weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, *source = state
        context, _ = self.attention(hidden, *source)
        hidden = self.cell(torch.cat((self.embedding(token), context), dim=-1), hidden)
        return self.output(torch.cat((hidden, context), dim=-1)), (hidden, *source)


# %% correct: a generator of steps that both methods draw from

class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def forward(
        self, tokens: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        logits, weights, _ = zip(*self.written(tokens, hidden, keys, values, mask), strict=True)
        return torch.cat(logits, dim=1), torch.cat(weights, dim=1)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        ((logits, _, hidden),) = self.written(token.unsqueeze(1), *state)
        return logits.squeeze(1), (hidden, *state[1:])

    def written(self, tokens, hidden, keys, values, mask):
        of_state, of_context = self.output.weight.tensor_split([hidden.shape[1]], dim=1)
        for t in range(tokens.shape[1]):
            context, weights = self.attention(hidden, keys, values, mask)
            hidden = self.cell(torch.hstack([self.embedding(tokens[:, t]), context]), hidden)
            logits = hidden @ of_state.mT + context @ of_context.mT + self.output.bias
            yield logits[:, None], weights[:, None], hidden
