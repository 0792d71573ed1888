# %% wrong: the picture is kept in the module
# start notes the features on self and step looks at those, whatever its state holds. After start for another picture,
# or with other features in the state, it looks at the wrong one.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        self.features = features
        return torch.tanh(self.initial(features.mean(dim=1))), features

    def _one(self, token, hidden):
        context, weights = self.attention(hidden, self.features, self.features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, hidden, _ = self._one(token, state[0])
        return logits, (hidden, state[1])

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        all_logits, all_weights = [], []
        for t in range(tokens.shape[1]):
            logits, hidden, weights = self._one(tokens[:, t], hidden)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)


# %% wrong: the mean of the tanh, not the tanh of the mean
# initial and tanh are applied to each cell and the mean is taken at the end. The shape is right and the numbers are
# near, but the first state is another.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        hidden = torch.tanh(self.initial(features)).mean(dim=1)
        return hidden, features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        context, _ = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        logits = self.output(torch.cat([hidden, context], dim=1))
        return logits, (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state = self.start(features)
        logits, weights = [], []
        for token in tokens.unbind(1):
            weights.append(self.attention(state[0], features, features)[1])
            out, state = self.step(token, state)
            logits.append(out)
        return torch.stack(logits, 1), torch.stack(weights, 1)


# %% wrong: the tokens are shifted once more
# forward puts a begin token in front and drops the last token, although the ids that come in are shifted already.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return self.initial(features.mean(1)).tanh(), features

    def look_and_move(self, token, state):
        hidden, features = state
        context, weights = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat((self.embedding(token), context), -1), hidden)
        return self.output(torch.cat((hidden, context), -1)), (hidden, features), weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, state, _ = self.look_and_move(token, state)
        return logits, state

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        goes_in = F.pad(tokens[:, :-1], (1, 0), value=BOS_ID)
        state = self.start(features)
        logits, weights = [], []
        for t in range(goes_in.shape[1]):
            out, state, alpha = self.look_and_move(goes_in[:, t], state)
            logits.append(out)
            weights.append(alpha)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)


# %% wrong: probabilities instead of logits
# A softmax stands behind the output layer, in step and in forward. The best word stays the same, but the loss takes the
# softmax of a softmax.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        mean = features.mean(dim=1)
        return torch.tanh(self.initial(mean)), features

    def _advance(self, token, hidden, features):
        context, alpha = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=-1), hidden)
        probabilities = F.softmax(self.output(torch.cat([hidden, context], dim=-1)), dim=-1)
        return probabilities, hidden, alpha

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        probabilities, hidden, _ = self._advance(token, hidden, features)
        return probabilities, (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        result, alphas = [], []
        for t in range(tokens.size(1)):
            p, hidden, alpha = self._advance(tokens[:, t], hidden, features)
            result.append(p)
            alphas.append(alpha)
        return torch.stack(result, dim=1), torch.stack(alphas, dim=1)


# %% wrong: stops where only padding is left
# forward breaks off as soon as a whole column is padding, to save time: logits and weights then have fewer than T
# steps, and do not fit the captions.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return torch.tanh(self.initial(features.mean(dim=1))), features

    def _step(self, token, hidden, features):
        context, weights = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        logits, hidden, _ = self._step(token, hidden, features)
        return logits, (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            if t > 0 and (tokens[:, t] == self.embedding.padding_idx).all():
                break  # every caption has ended
            out, hidden, alpha = self._step(tokens[:, t], hidden, features)
            logits.append(out)
            weights.append(alpha)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)


# %% correct: the states first, all logits in one product

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        glance = features.sum(dim=1) / features.shape[1]
        return torch.tanh(self.initial(glance)), features

    def _move(self, word: Tensor, hidden: Tensor, features: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        context, weights = self.attention(hidden, features, features)
        new = self.cell(torch.cat([word, context], dim=1), hidden)
        return new, torch.cat([new, context], dim=1), weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        hidden, seen, _ = self._move(self.embedding(token), hidden, features)
        return self.output(seen), (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        all_seen, all_weights = [], []
        for word in self.embedding(tokens).transpose(0, 1):
            hidden, seen, weights = self._move(word, hidden, features)
            all_seen += [seen]
            all_weights += [weights]
        return self.output(torch.stack(all_seen, dim=1)), torch.stack(all_weights, dim=1)


# %% correct: recursion over the tokens and a small record

from collections import namedtuple

Moment = namedtuple("Moment", "logits hidden weights")


class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def moment(self, token: Tensor, hidden: Tensor, features: Tensor) -> Moment:
        context, weights = self.attention(hidden, *[features] * 2)
        new = self.cell(torch.hstack([self.embedding(token), context]), hidden)
        return Moment(self.output(torch.hstack([new, context])), new, weights)

    def moments(self, tokens: list, hidden: Tensor, features: Tensor) -> list:
        if not tokens:
            return []
        now = self.moment(tokens[0], hidden, features)
        return [now] + self.moments(tokens[1:], now.hidden, features)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        cells = features.unbind(dim=1)
        return self.initial(torch.stack(cells).mean(dim=0)).tanh(), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        now = self.moment(token, *state)
        return now.logits, (now.hidden, state[1])

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, memory = self.start(features)
        written = self.moments(list(tokens.T), hidden, memory)
        logits = torch.cat([now.logits.unsqueeze(1) for now in written], dim=1)
        weights = torch.cat([now.weights.unsqueeze(1) for now in written], dim=1)
        return logits, weights
