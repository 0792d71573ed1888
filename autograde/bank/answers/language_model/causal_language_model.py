# %% wrong: the mask is transposed
# Each place saw itself and what comes after it, and nothing before. Row t of the mask is what place t may see: 0 to t.

# --- before
        mask = self.mask[: tokens.shape[1], : tokens.shape[1]]
# --- after
        mask = causal_mask(tokens.shape[1]).T

# %% wrong: too many tokens are cut off without a word
# More tokens than positions were cut down to the window in silence. The docstring promises a ValueError: what to leave
# out is the caller's decision.

# --- before
    def forward(self, tokens: Tensor) -> Tensor:
# --- after
    def forward(self, tokens: Tensor) -> Tensor:
        tokens = tokens[:, -len(self.positions.weight) :]

# %% wrong: no mask
# Every place saw the whole text, the character it is to predict included. Pass the causal mask to each layer. See
# section 7.3.

# --- before
            x = layer(x, mask)
# --- after
            x = layer(x)

# %% wrong: the mask lets a place see the next one
# A place may see the one after it: exactly the token it is to predict, a leak of one. The mask allows the place itself
# and those before it.

# --- before
        mask = self.mask[: tokens.shape[1], : tokens.shape[1]]
# --- after
        mask = torch.ones(tokens.shape[1], tokens.shape[1]).tril(1).bool()

# %% wrong: the mask hides the place itself
# A place may not see itself, so the newest token is missing when the next one is predicted. The diagonal is allowed;
# the shift stands in the targets and not in the mask.

# --- before
        mask = self.mask[: tokens.shape[1], : tokens.shape[1]]
# --- after
        mask = torch.ones(tokens.shape[1], tokens.shape[1]).tril(-1).bool()

# %% wrong: no positions
# The positions are missing, so the model cannot tell the order of what it may see. Send the embeddings through
# `positions`.

# --- before
        x = self.dropout(self.positions(self.token_embedding(tokens)))
# --- after
        x = self.dropout(self.token_embedding(tokens))

# %% wrong: no last norm
# The stream goes into the logits without the last norm. With the norm first in each layer, nothing else norms what
# comes out at the end.

# --- before
        return F.linear(self.norm(x), self.token_embedding.weight)
# --- after
        return F.linear(x, self.token_embedding.weight)

# %% wrong: the dropout is left out
# The constructor's dropout is not used: embedding plus positions go through it before the first layer.

# --- before
        x = self.dropout(self.positions(self.token_embedding(tokens)))
# --- after
        x = self.positions(self.token_embedding(tokens))

# %% wrong: the loss compares each place with its own token
# The logits at a place were compared with the token that went in there. A place is to say what comes next: the targets
# start one token later.

# --- before
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
# --- after
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, :-1].flatten())

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

# %% wrong: probabilities instead of logits
# The rows are probabilities already. Logits are asked for: cross_entropy takes the softmax itself, and would take it
# twice.

# --- before
        return F.linear(self.norm(x), self.token_embedding.weight)
# --- after
        return torch.softmax(F.linear(self.norm(x), self.token_embedding.weight), dim=-1)

# %% wrong: a head of its own, not tied
# The logits come from a matrix of their own. Input and output share one: the embedding's.

# --- before
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)
# --- after
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.head = nn.Linear(d_model, vocab_size, bias=False)
# --- before
        return F.linear(self.norm(x), self.token_embedding.weight)
# --- after
        return self.head(self.norm(x))

# %% wrong: the loss is a bare number
# The loss was cut off from the computation that made it (item, no_grad or detach), so no optimizer could learn
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

# %% correct: a matrix product, cross_entropy over the transposed
# --- before
        return F.linear(self.norm(x), self.token_embedding.weight)
# --- after
        return self.norm(x) @ self.token_embedding.weight.T
# --- before
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
# --- after
        return F.cross_entropy(self(tokens[:, :-1]).transpose(1, 2), tokens[:, 1:])

# %% correct: a mask of its own, an einsum at the end
# --- before
        mask = self.mask[: tokens.shape[1], : tokens.shape[1]]
# --- after
        places = torch.arange(tokens.shape[1], device=tokens.device)
        mask = places[:, None] >= places[None, :]
# --- before
        return F.linear(self.norm(x), self.token_embedding.weight)
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

# %% correct: a head that is tied in the constructor
# --- before
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)
# --- after
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.head = nn.Linear(d_model, vocab_size, bias=False)
        self.head.weight = self.token_embedding.weight
# --- before
        return F.linear(self.norm(x), self.token_embedding.weight)
# --- after
        return self.head(self.norm(x))

# %% correct: a loss place by place
# --- before
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
# --- after
        losses = [F.cross_entropy(logits[:, t], tokens[:, t + 1]) for t in range(logits.shape[1])]
        return torch.stack(losses).mean()
