# %% wrong: no tanh in the start
# The first hidden state is the linear map alone. It shows as soon as that is not near zero: features of some size.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return self.initial(features.mean(dim=1)), features

    def look_and_write(self, token, hidden, features):
        context, weights = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        logits, hidden, _ = self.look_and_write(token, hidden, features)
        return logits, (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            logit, hidden, weight = self.look_and_write(tokens[:, t], hidden, features)
            logits.append(logit)
            weights.append(weight)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)


# %% wrong: a second look with the new state
# After the cell it attends again, with s_t, and gives that context to the output and those weights to the caller. Logits and
# weights differ from the promised ones for every picture of more than one cell.

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
        context, _ = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        context, weights = self.attention(hidden, features, features)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        logits, hidden, _ = self._step(token, hidden, features)
        return logits, (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, features = self.start(features)
        logits, weights = [], []
        for token in tokens.T:
            logit, hidden, weight = self._step(token, hidden, features)
            logits.append(logit)
            weights.append(weight)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)


# %% wrong: padding leaves the state
# Taken over from the encoders of chapters 01 and 02: where the token is padding, the old hidden state stays. It shows where
# a padding token stands before another token, and in the logits of the padding place itself.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return torch.tanh(self.initial(features.mean(dim=1))), features

    def _step(self, token, hidden, features):
        context, weights = self.attention(hidden, features, features)
        new = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        hidden = torch.where((token != self.pad_id).unsqueeze(1), new, hidden)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, hidden, _ = self._step(token, *state)
        return logits, (hidden, state[1])

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            logit, hidden, weight = self._step(tokens[:, t], hidden, features)
            logits.append(logit)
            weights.append(weight)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)


# %% wrong: the picture is remembered in the module
# start() puts the features into the module and step() looks there, and not into the state. With two pictures under way at
# once, or other features in the state (section 3.5), a step sees the picture that was started last.

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)
        self.features = self.weights = None

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        self.features = features
        return torch.tanh(self.initial(features.mean(dim=1))), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, _ = state
        context, self.weights = self.attention(hidden, self.features, self.features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, self.features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state = self.start(features)
        logits, weights = [], []
        for t in range(tokens.shape[1]):
            logit, state = self.step(tokens[:, t], state)
            logits.append(logit)
            weights.append(self.weights)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)


# %% correct: states first, all the logits at the end in two products

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return self.initial(features.sum(dim=1) / features.shape[1]).tanh(), features

    def walk(self, hidden, features, embedded):
        """The states, contexts and weights along embedded tokens (B, T, E)."""
        for word in embedded.unbind(dim=1):
            context, weights = self.attention(hidden, features, features)
            hidden = self.cell(torch.cat((word, context), dim=-1), hidden)
            yield hidden, context, weights

    def read_out(self, hidden, context):
        own = hidden.shape[-1]
        from_state = F.linear(hidden, self.output.weight[:, :own], self.output.bias)
        return from_state + F.linear(context, self.output.weight[:, own:])

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        hidden, features = state
        ((hidden, context, _),) = self.walk(hidden, features, self.embedding(token).unsqueeze(1))
        return self.read_out(hidden, context), (hidden, features)

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden, _ = self.start(features)
        walked = zip(*self.walk(hidden, features, self.embedding(tokens)), strict=True)
        hiddens, contexts, weights = (torch.stack(part, dim=1) for part in walked)
        return self.read_out(hiddens, contexts), weights


# %% correct: written into prepared tensors, the step as a forward of one token

class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        even = features.new_full((features.shape[1],), 1 / features.shape[1])
        return torch.tanh(self.initial(torch.einsum("n,bnd->bd", even, features))), features

    def write(self, tokens, state):
        hidden, features = state
        batch, length = tokens.shape
        logits = features.new_zeros(batch, length, self.output.out_features)
        weights = features.new_zeros(batch, length, features.shape[1])
        for t in range(length):
            context, weights[:, t] = self.attention(hidden, features, features)
            hidden = self.cell(torch.cat([self.embedding(tokens[:, t]), context], 1), hidden)
            logits[:, t] = self.output(torch.cat([hidden, context], 1))
        return logits, weights, (hidden, features)

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, _, state = self.write(token.unsqueeze(1), state)
        return logits.squeeze(1), state

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        return self.write(tokens, self.start(features))[:2]
