# %% wrong: the mask is transposed
# Each place saw itself and what comes after it, and nothing before. Row t of the mask is what place t may see: 0 to t.

# --- before
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
# --- after
        mask = causal_mask(tokens.shape[1]).T

# %% wrong: too many tokens are cut off without a word
# More tokens than positions were cut down to the window in silence. The docstring promises a ValueError: whoever calls
# decides what to leave out.

# --- before
    def forward(self, tokens: Tensor) -> Tensor:
# --- after
    def forward(self, tokens: Tensor) -> Tensor:
        tokens = tokens[:, -len(self.positions.weight) :]

# %% wrong: no mask
# Every place saw the whole text, the character it is to predict included. Hand each layer the causal mask. See section
# 7.3.

# --- before
            x = layer(x, mask)
# --- after
            x = layer(x)

# %% wrong: the mask lets a place see the next one
# A place may see the one after it: exactly the token it is to predict, a leak of one. The mask allows the place itself
# and those before it.

# --- before
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
# --- after
        mask = torch.ones(tokens.shape[1], tokens.shape[1]).tril(1).bool()

# %% wrong: the mask hides the place itself
# A place may not see itself, so the newest token is missing when the next one is predicted. The diagonal is allowed;
# the shift stands in the targets and not in the mask.

# --- before
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
# --- after
        mask = torch.ones(tokens.shape[1], tokens.shape[1]).tril(-1).bool()

# %% wrong: the mask is turned round
# The places may see the future and not the past. In this course True means that a key may be attended to.

# --- before
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
# --- after
        mask = ~causal_mask(tokens.shape[1])

# %% wrong: the first layer alone gets the mask
# The first layer keeps to the past and the others do not, so the future comes in one layer higher. Every layer needs
# the mask.

# --- before
        for layer in self.layers:
            x = layer(x, mask)
# --- after
        for i, layer in enumerate(self.layers):
            x = layer(x, mask if i == 0 else None)

# %% wrong: no positions
# The positions are missing, so the model cannot tell the order of what it may see. Send the embeddings through
# `positions`.

# --- before
        x = self.dropout(self.positions(self.token_embedding(tokens)))  # (B, T) -> (B, T, D)
# --- after
        x = self.dropout(self.token_embedding(tokens))

# %% wrong: no last norm
# The stream goes into the logits without the last norm. With the norm first in each layer, nothing else norms what
# comes out at the end.

# --- before
        return F.linear(self.norm(x), self.token_embedding.weight)  # (B, T, D) -> (B, T, V)
# --- after
        return F.linear(x, self.token_embedding.weight)

# %% wrong: the embedding is scaled by the root of d_model
# The embeddings were multiplied by the root of d_model, as in Vaswani et al. (2017, section 3.4). GPT-2, and the
# docstring, do without.

# --- before
        x = self.dropout(self.positions(self.token_embedding(tokens)))  # (B, T) -> (B, T, D)
# --- after
        x = self.dropout(self.positions(self.token_embedding(tokens) * self.token_embedding.weight.shape[1] ** 0.5))  # (B, T) -> (B, T, D)

# %% wrong: the dropout is left out
# The constructor's dropout is not used: embedding plus positions go through it before the first layer.

# --- before
        x = self.dropout(self.positions(self.token_embedding(tokens)))  # (B, T) -> (B, T, D)
# --- after
        x = self.positions(self.token_embedding(tokens))

# %% wrong: the loss compares each place with its own token
# The logits at a place were compared with the token that went in there. A place is to say what comes next: the targets
# start one token later.

# --- before
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
# --- after
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, :-1].flatten())

# %% wrong: the loss is shifted twice
# Each place was asked for the token after the next. Input and targets differ by one place: cut the last token off the
# input and the first off the targets, and nothing more.

# --- before
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
# --- after
        logits = self(tokens[:, :-1])[:, :-1]
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 2:].flatten())

# %% wrong: the loss of the last place alone
# Only the last place of each window was a target. Every token but the first is one: that is where a language model's
# many examples come from. See section 7.4.

# --- before
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
# --- after
        return F.cross_entropy(self(tokens[:, :-1])[:, -1], tokens[:, -1])

# %% wrong: the loss is a sum
# The loss is the sum over all predictions; the docstring asks for their mean.

# --- before
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
# --- after
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum")

# %% wrong: all tokens go in, and the last row is thrown away
# The T + 1 tokens all went in, though nothing comes after the last: a window that fills the model has one more than
# there are positions. Cut the last token off before the model reads.

# --- before
        logits = self(tokens[:, :-1])
# --- after
        logits = self(tokens)[:, :-1]

# %% wrong: the last layer is not used
# One layer never runs. Send x through all of `layers`, in their order.

# --- before
        for layer in self.layers:
# --- after
        for layer in self.layers[:-1]:

# %% wrong: probabilities instead of logits
# The rows are probabilities already. Logits are asked for: cross_entropy takes the softmax itself, and would take it
# twice.

# --- before
        return F.linear(self.norm(x), self.token_embedding.weight)  # (B, T, D) -> (B, T, V)
# --- after
        return torch.softmax(F.linear(self.norm(x), self.token_embedding.weight), dim=-1)

# %% wrong: the last norm after every layer
# The last norm was applied after each layer. It comes once, after all of them: between the layers the plain stream
# goes on.

# --- before
            x = layer(x, mask)
        return F.linear(self.norm(x), self.token_embedding.weight)  # (B, T, D) -> (B, T, V)
# --- after
            x = self.norm(layer(x, mask))
        return F.linear(x, self.token_embedding.weight)  # (B, T, D) -> (B, T, V)

# %% wrong: the norm comes before the layers
# The last norm was applied to what goes into the layers. Each layer norms its own input; this one is for what comes
# out of the last.

# --- before
        x = self.dropout(self.positions(self.token_embedding(tokens)))  # (B, T) -> (B, T, D)
# --- after
        x = self.dropout(self.positions(self.token_embedding(tokens)))  # (B, T) -> (B, T, D)
        x = self.norm(x)
# --- before
        return F.linear(self.norm(x), self.token_embedding.weight)  # (B, T, D) -> (B, T, V)
# --- after
        return F.linear(x, self.token_embedding.weight)  # (B, T, D) -> (B, T, V)

# %% wrong: the logits are scaled
# The logits were divided by the root of d_model. That belongs to attention scores; logits are the plain dot products.

# --- before
        return F.linear(self.norm(x), self.token_embedding.weight)  # (B, T, D) -> (B, T, V)
# --- after
        return F.linear(self.norm(x), self.token_embedding.weight) / x.shape[-1] ** 0.5

# %% wrong: logarithms of probabilities instead of logits
# The rows are logarithms of probabilities already. Logits are asked for: the dot products as they are.

# --- before
        return F.linear(self.norm(x), self.token_embedding.weight)  # (B, T, D) -> (B, T, V)
# --- after
        return F.linear(self.norm(x), self.token_embedding.weight).log_softmax(dim=-1)

# %% wrong: the embedding learns from one end only
# The matrix was cut off from its gradients at the output (detach or .data). It is one parameter with two uses, and
# learns from both.

# --- before
        return F.linear(self.norm(x), self.token_embedding.weight)  # (B, T, D) -> (B, T, V)
# --- after
        return F.linear(self.norm(x), self.token_embedding.weight.detach())

# %% wrong: a head of its own, not tied
# The logits come from a matrix of their own. Input and output share one: the embedding's.

# --- before
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)
# --- after
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.head = nn.Linear(d_model, vocab_size, bias=False)
# --- before
        return F.linear(self.norm(x), self.token_embedding.weight)  # (B, T, D) -> (B, T, V)
# --- after
        return self.head(self.norm(x))

# %% wrong: the loss is a bare number
# The loss was cut off from the computation that made it (item, no_grad or detach), so no optimiser could learn
# anything from it. Return what cross_entropy gives.

# --- before
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
# --- after
        return torch.tensor(F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten()).item())

# %% wrong: the loss switches dropout off
# `loss` puts the model into eval mode and leaves it there, so dropout is off for the rest of the training. The mode is
# the caller's business.

# --- before
    def loss(self, tokens: Tensor) -> Tensor:
# --- after
    def loss(self, tokens: Tensor) -> Tensor:
        self.eval()

# %% wrong: dropout before the positions
# Dropout acted on the embedding alone and the positions were added afterwards. It acts on their sum.

# --- before
        x = self.dropout(self.positions(self.token_embedding(tokens)))  # (B, T) -> (B, T, D)
# --- after
        x = self.positions(self.dropout(self.token_embedding(tokens)))

# %% wrong: dropout at the output in place of the input
# Dropout acted on the last norm's output. It acts on embedding plus position, before the first layer.

# --- before
        x = self.dropout(self.positions(self.token_embedding(tokens)))  # (B, T) -> (B, T, D)
# --- after
        x = self.positions(self.token_embedding(tokens))
# --- before
        return F.linear(self.norm(x), self.token_embedding.weight)  # (B, T, D) -> (B, T, V)
# --- after
        return F.linear(self.dropout(self.norm(x)), self.token_embedding.weight)  # (B, T, D) -> (B, T, V)

# %% wrong: dropout at both ends
# Dropout acted a second time, on the last norm's output. It acts once, before the first layer.

# --- before
        return F.linear(self.norm(x), self.token_embedding.weight)  # (B, T, D) -> (B, T, V)
# --- after
        return F.linear(self.dropout(self.norm(x)), self.token_embedding.weight)  # (B, T, D) -> (B, T, V)

# %% wrong: a dropout of another rate
# The rate given to the constructor was not used. `self.dropout` has it.

# --- before
        x = self.dropout(self.positions(self.token_embedding(tokens)))  # (B, T) -> (B, T, D)
# --- after
        x = F.dropout(self.positions(self.token_embedding(tokens)), 0.1, self.training)

# %% wrong: the loss in bits
# The loss was divided by ln 2. The docstring asks for nats, what cross_entropy gives.

# --- before
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
# --- after
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten()) / math.log(2)

# %% wrong: the loss is summed over the places
# The loss is a mean over the batch and a sum over the places; the docstring asks for the mean over all B * T
# predictions.

# --- before
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
# --- after
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten()) * logits.shape[1]

# %% wrong: cross_entropy takes the places for the classes
# cross_entropy wants the classes in the second axis, and (B, T, V) has the places there. Flatten B and T into one
# axis, or transpose.

# --- before
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
# --- after
        return F.cross_entropy(self(tokens[:, :-1]), tokens[:, 1:])

# %% wrong: the last norm at both ends
# The last norm was applied to what goes into the layers as well. Each layer norms its own input; this one comes once,
# after the last.

# --- before
        x = self.dropout(self.positions(self.token_embedding(tokens)))  # (B, T) -> (B, T, D)
# --- after
        x = self.dropout(self.positions(self.token_embedding(tokens)))  # (B, T) -> (B, T, D)
        x = self.norm(x)

# %% correct: a matrix product, cross_entropy over the transposed

# --- before
        return F.linear(self.norm(x), self.token_embedding.weight)  # (B, T, D) -> (B, T, V)
# --- after
        return self.norm(x) @ self.token_embedding.weight.T
# --- before
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
# --- after
        return F.cross_entropy(self(tokens[:, :-1]).transpose(1, 2), tokens[:, 1:])

# %% correct: positions looked up by hand

# --- before
        x = self.dropout(self.positions(self.token_embedding(tokens)))  # (B, T) -> (B, T, D)
# --- after
        length = tokens.shape[1]
        if length > len(self.positions.weight):
            raise ValueError(f"{length} tokens are too many")
        x = self.token_embedding.weight[tokens]
        x = self.dropout(x + self.positions.weight[None, torch.arange(length)])

# %% correct: a mask of its own, an einsum at the end

# --- before
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
# --- after
        places = torch.arange(tokens.shape[1])
        mask = places[:, None] >= places[None, :]
# --- before
        return F.linear(self.norm(x), self.token_embedding.weight)  # (B, T, D) -> (B, T, V)
# --- after
        return torch.einsum("btd,vd->btv", self.norm(x), self.token_embedding.weight)

# %% correct: log_softmax and gather in the loss

# --- before
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
# --- after
        goes_in, comes_next = tokens[:, :-1], tokens[:, 1:]
        log_p = self.forward(goes_in).log_softmax(dim=-1)
        return -log_p.gather(-1, comes_next.unsqueeze(-1)).mean()

# %% correct: a mask with a batch axis

# --- before
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
# --- after
        B, T = tokens.shape
        mask = causal_mask(T).expand(B, T, T)

# %% correct: a head that is tied in the constructor

# --- before
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)
# --- after
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.head = nn.Linear(d_model, vocab_size, bias=False)
        self.head.weight = self.token_embedding.weight
# --- before
        return F.linear(self.norm(x), self.token_embedding.weight)  # (B, T, D) -> (B, T, V)
# --- after
        return self.head(self.norm(x))

# %% correct: a pass for every prefix

# --- before
    def forward(self, tokens: Tensor) -> Tensor:
# --- after
    def forward(self, tokens: Tensor) -> Tensor:
        if self.training:  # one mask of what is dropped for all prefixes
            return self.in_one_pass(tokens)
        passes = [self.in_one_pass(tokens[:, : t + 1])[:, -1] for t in range(tokens.shape[1])]
        return torch.stack(passes, dim=1)

    def in_one_pass(self, tokens):

# %% correct: a loss place by place

# --- before
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
# --- after
        losses = [F.cross_entropy(logits[:, t], tokens[:, t + 1]) for t in range(logits.shape[1])]
        return torch.stack(losses).mean()
