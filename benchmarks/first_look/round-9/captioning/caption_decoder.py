# %% wrong: the logits see what the new state looks at
# The cell gets the context of the old state, and then the new state looks again: logits and weights are of that look.
# Shows for every picture with more than one cell (and even the weights of the last step differ).

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

    def _one(self, token, state):
        hidden, features = state
        context, _ = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        context, weights = self.attention(hidden, features, features)
        return self.output(torch.cat([hidden, context], dim=1)), weights, (hidden, features)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, _, state = self._one(token, state)
        return logits, state

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state = self.start(features)
        all_logits, all_weights = [], []
        for t in range(tokens.shape[1]):
            logits, weights, state = self._one(tokens[:, t], state)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)


# %% wrong: the mean of the first glances
# start takes tanh(initial(cell)) of every cell and then the mean, where the mean of the cells comes first.
# Shows for every picture whose cells differ, since the tanh is not linear.

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

    def _one(self, token, state):
        hidden, features = state
        context, weights = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), weights, (hidden, features)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, _, state = self._one(token, state)
        return logits, state

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state = self.start(features)
        all_logits, all_weights = [], []
        for token in tokens.unbind(dim=1):
            logits, weights, state = self._one(token, state)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)


# %% wrong: forward shifts the tokens once more
# forward puts the begin token in front and drops the last token, but the ids that it gets go in as they are.
# Shows for all tokens (B, T) that are not the begin token throughout: step and forward do not agree.

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

    def _one(self, token, state):
        hidden, features = state
        context, weights = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), weights, (hidden, features)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, _, state = self._one(token, state)
        return logits, state

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        tokens = F.pad(tokens[:, :-1], (1, 0), value=BOS_ID)
        state = self.start(features)
        all_logits, all_weights = [], []
        for t in range(tokens.shape[1]):
            logits, weights, state = self._one(tokens[:, t], state)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)


# %% wrong: the state stands still at padding
# Where padding goes in the hidden state is kept, as an encoder of sentences does; the docstring has no such case.
# Shows for tokens that contain pad_id: the logits from there on differ.

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

    def _one(self, token, state):
        hidden, features = state
        context, weights = self.attention(hidden, features, features)
        new = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        padding = (token == self.embedding.padding_idx).unsqueeze(1)
        hidden = torch.where(padding, hidden, new)
        return self.output(torch.cat([hidden, context], dim=1)), weights, (hidden, features)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, _, state = self._one(token, state)
        return logits, state

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state = self.start(features)
        steps = []
        for t in range(tokens.shape[1]):
            logits, weights, state = self._one(tokens[:, t], state)
            steps.append((logits, weights))
        return torch.stack([s[0] for s in steps], dim=1), torch.stack([s[1] for s in steps], dim=1)


# %% correct: the states first, the logits of all steps in one product

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        share = features.new_full((features.shape[1],), 1 / features.shape[1])
        glance = torch.einsum("n,bnd->bd", share, features)
        return self.initial(glance).tanh(), features

    def _walk(self, embedded: Tensor, hidden: Tensor, features: Tensor):
        """The look and the state of one step, by the embedded token (B, E)."""
        context, weights = self.attention(hidden, features, features)
        return context, weights, self.cell(torch.cat((embedded, context), dim=-1), hidden)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        context, _, hidden = self._walk(self.embedding(token), *state)
        return self.output(torch.cat((hidden, context), dim=-1)), (hidden, state[1])

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        words = self.embedding(tokens)
        contexts, looks, states = [], [], []
        for t in range(tokens.size(1)):
            context, weights, hidden = self._walk(words[:, t], hidden, features)
            contexts.append(context)
            looks.append(weights)
            states.append(hidden)
        read = torch.cat((torch.stack(states, 1), torch.stack(contexts, 1)), dim=2)
        return self.output(read), torch.stack(looks, 1)


# %% correct: itertools.accumulate over the tokens, the output's weights in two parts

import itertools


class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        total = torch.zeros_like(features[:, 0])
        for cell in features.unbind(1):
            total = total + cell
        return torch.tanh(self.initial(total / features.size(1))), features

    def _next(self, before: tuple, token: Tensor) -> tuple:
        """From what one step left to what the next one leaves: hidden, features, logits, weights."""
        old, features = before[:2]
        context, weights = self.attention(old, features, features)
        new = self.cell(torch.cat([self.embedding(token), context], dim=1), old)
        for_state, for_context = self.output.weight.split([new.size(1), context.size(1)], dim=1)
        logits = new @ for_state.T + context @ for_context.T + self.output.bias
        return new, features, logits, weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        new, features, logits, _ = self._next(state, token)
        return logits, (new, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        walk = list(itertools.accumulate(tokens.T, self._next, initial=self.start(features)))[1:]
        logits, weights = zip(*(left[2:] for left in walk))
        return torch.stack(logits).transpose(0, 1), torch.stack(weights).transpose(0, 1)
