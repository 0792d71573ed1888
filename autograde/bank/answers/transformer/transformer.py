# %% wrong: the targets go in unshifted
# Each place was given the very word it has to say, which makes training easy and writing impossible. Shift right: the
# word before, and bos_id at first.

# --- before
        tokens = torch.cat([begin, targets[:, :-1]], dim=1)  # (B, T), the last target never goes in
# --- after
        tokens = targets

# %% wrong: shifted by two
# Each place was given the word before the last, so a word is missing between what goes in and what comes out. Shift by
# one.

# --- before
        tokens = torch.cat([begin, targets[:, :-1]], dim=1)  # (B, T), the last target never goes in
# --- after
        tokens = torch.cat([begin, begin, targets[:, :-2]], dim=1)

# %% wrong: the last target goes in too
# There is one more column of logits than of targets: the last target went in, and nothing comes after it. Leave it
# out.

# --- before
        tokens = torch.cat([begin, targets[:, :-1]], dim=1)  # (B, T), the last target never goes in
# --- after
        tokens = torch.cat([begin, targets], dim=1)

# %% wrong: the first place gets zero instead of bos_id
# The first word that goes in is token 0. It is bos_id, the id that the constructor was given.

# --- before
        begin = torch.full_like(targets[:, :1], self.bos_id)
# --- after
        begin = torch.zeros_like(targets[:, :1])

# %% wrong: the embeddings are not scaled
# The token's vector went in as it stands in the table. It is multiplied by the root of d_model before the positions
# are added.

# --- before
        vectors = embedding(tokens) * self.d_model**0.5  # (B, T) -> (B, T, D)
# --- after
        vectors = embedding(tokens)  # (B, T) -> (B, T, D)

# %% wrong: the positions are scaled too
# The root of d_model multiplied the sum. Scale the token's vector alone and add the positions after that.

# --- before
        vectors = embedding(tokens) * self.d_model**0.5  # (B, T) -> (B, T, D)
# --- after
        vectors = embedding(tokens)  # (B, T) -> (B, T, D)
# --- before
        return self.dropout(vectors + positions.to(vectors))
# --- after
        return self.dropout((vectors + positions.to(vectors)) * self.d_model**0.5)

# %% wrong: scaled by d_model
# The token's vector was multiplied by d_model, not by its root.

# --- before
        vectors = embedding(tokens) * self.d_model**0.5  # (B, T) -> (B, T, D)
# --- after
        vectors = embedding(tokens) * self.d_model  # (B, T) -> (B, T, D)

# %% wrong: no positions
# The positions are missing: to this model a sentence is a bag of words. Add sinusoidal_encoding.

# --- before
        return self.dropout(vectors + positions.to(vectors))
# --- after
        return self.dropout(vectors)

# %% wrong: positions by the batch
# Every word of a sentence got the same position, its row in the batch. Positions run along the sentence.

# --- before
        positions = sinusoidal_encoding(tokens.shape[1], self.d_model)
# --- after
        positions = sinusoidal_encoding(tokens.shape[0], self.d_model).unsqueeze(1)

# %% wrong: no causal mask
# The logits of a place move when a later word changes: the decoder reads ahead. Give its self-attention the causal
# mask.

# --- before
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
# --- after
        mask = None

# %% wrong: a causal mask that hides the word itself
# No place may read the word that goes in at that very place: the diagonal of the mask is missing. After the shift that
# word is the one before.

# --- before
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
# --- after
        mask = causal_mask(tokens.shape[1]).to(tokens.device).tril(-1)

# %% wrong: the source's padding is read
# A sentence's memory changes with the company it is padded for: the encoder was run without its mask.

# --- before
        return self.encoder(self.embed(self.source_embedding, source), memory_mask), memory_mask
# --- after
        return self.encoder(self.embed(self.source_embedding, source)), memory_mask

# %% wrong: the memory's padding is read
# memory_mask does not reach the decoder's layers, so they read the source's padding. Hand it on.

# --- before
        states = self.decoder(self.embed(self.target_embedding, tokens), memory, mask, memory_mask)
# --- after
        states = self.decoder(self.embed(self.target_embedding, tokens), memory, mask)

# %% wrong: one embedding for both languages
# The words that go in were looked up in the source's table. The target has one of its own.

# --- before
        states = self.decoder(self.embed(self.target_embedding, tokens), memory, mask, memory_mask)
# --- after
        states = self.decoder(self.embed(self.source_embedding, tokens), memory, mask, memory_mask)

# %% wrong: step sees the last word alone
# `step` decoded the newest word without those before it: nothing is remembered, and every word stands at position 0.
# Decode all tokens so far, and keep the last column.

# --- before
        logits = self.decode(tokens, memory, memory_mask)[:, -1]
# --- after
        logits = self.decode(token.unsqueeze(1), memory, memory_mask)[:, -1]

# %% wrong: step forgets the new word
# The state that comes back is the one that came in, so the next step does not know the word. Return the longer tokens.

# --- before
        return logits, (tokens, memory, memory_mask)
# --- after
        return logits, state

# %% wrong: only the first layer sees the memory's mask
# Behind the first layer the memory's mask is gone. Every layer of the decoder's tower gets all of its arguments.

# --- before
            x = layer(x, memory, mask, memory_mask)
# --- after
            x, memory_mask = layer(x, memory, mask, memory_mask), None

# %% wrong: the decoder's tower without its last norm
# The end of the decoder's stream is not normed: self.norm is not used.

# --- before
        return self.norm(x)
# --- after
        return x

# %% wrong: dropout is not applied to the embeddings
# In training nothing is dropped from the sum of vectors and positions. Apply self.dropout to it.

# --- before
        return self.dropout(vectors + positions.to(vectors))
# --- after
        return vectors + positions.to(vectors)

# %% wrong: the caller's targets are overwritten
# The shift was made inside the tensor that was given, and the loss will be computed with that. Make a new one.

# --- before
        tokens = torch.cat([begin, targets[:, :-1]], dim=1)  # (B, T), the last target never goes in
# --- after
        targets[:, 1:] = targets[:, :-1].clone()
        targets[:, :1] = begin
        tokens = targets

# %% wrong: dropout in evaluation too
# Numbers are dropped after eval() as well: F.dropout drops unless it is told not to. Use the module self.dropout,
# which knows its mode.

# --- before
        return self.dropout(vectors + positions.to(vectors))
# --- after
        return F.dropout(vectors + positions.to(vectors), self.dropout.p)

# %% wrong: bos_id is taken to be 1
# The first word that goes in is token 1, whatever the model was told. Use self.bos_id: another vocabulary has it
# elsewhere.

# --- before
        begin = torch.full_like(targets[:, :1], self.bos_id)
# --- after
        begin = torch.full_like(targets[:, :1], 1)

# %% wrong: dropout is not applied to the source's embeddings
# In training nothing is dropped from what the encoder reads. Both towers read what embed gives.

# --- before
        return self.encoder(self.embed(self.source_embedding, source), memory_mask), memory_mask
# --- after
        return self.encoder(self.source_embedding(source) * self.d_model**0.5 + sinusoidal_encoding(source.shape[1], self.d_model), memory_mask), memory_mask

# %% wrong: the first token goes in twice
# start has put bos_id into the state, and step, which is fed with it, has appended it again. start begins with no
# tokens, (B, 0).

# --- before
        return source[:, :0], memory, memory_mask
# --- after
        return torch.full_like(source[:, :1], self.bos_id), memory, memory_mask

# %% wrong: start holds bos_id, and step passes over it
# The logits are right, but the state begins with bos_id and step then passes over it. start holds no tokens, (B, 0):
# step is fed with bos_id like with any other.

# --- before
        return source[:, :0], memory, memory_mask
# --- after
        return torch.full_like(source[:, :1], self.bos_id), memory, memory_mask
# --- before
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)  # (B, t) -> (B, t + 1)
# --- after
        if tokens.shape[1] > 1 or bool((token != self.bos_id).any()):
            tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)

# %% wrong: no output layer
# decode gave back the tower's states, d_model wide. The output layer makes logits of them, one for each word.

# --- before
        return self.output(states)  # (B, T, D) -> (B, T, V)
# --- after
        return states  # (B, T, D) -> (B, T, V)

# %% wrong: positions as many as sentences
# The number of positions was taken from the batch. It is the length of the sentences, T.

# --- before
        positions = sinusoidal_encoding(tokens.shape[1], self.d_model)
# --- after
        positions = sinusoidal_encoding(tokens.shape[0], self.d_model)

# %% wrong: a softmax on the logits
# Probabilities came back. The loss and the decoding want the logits as the output layer gives them.

# --- before
        return self.output(states)  # (B, T, D) -> (B, T, V)
# --- after
        return torch.softmax(self.output(states), dim=-1)  # (B, T, D) -> (B, T, V)

# %% wrong: a log-softmax on the logits
# Log-probabilities came back. The output layer's numbers are asked for, as they are.

# --- before
        return self.output(states)  # (B, T, D) -> (B, T, V)
# --- after
        return F.log_softmax(self.output(states), dim=-1)  # (B, T, D) -> (B, T, V)

# %% wrong: the masks are exchanged in the decoder's tower
# The tower has handed the two masks to its layers in the wrong order: first that of the stream, then that of the
# memory.

# --- before
            x = layer(x, memory, mask, memory_mask)
# --- after
            x = layer(x, memory, memory_mask, mask)

# %% wrong: the memory is replaced by the stream
# Behind the first layer of the decoder's tower the memory is the stream itself. Every layer reads the encoder's
# outputs.

# --- before
            x = layer(x, memory, mask, memory_mask)
# --- after
            x = memory = layer(x, memory, mask, memory_mask)

# %% wrong: shifted to the left
# Each place was given the word that comes after the one it has to say. Shift to the right: the word before.

# --- before
        tokens = torch.cat([begin, targets[:, :-1]], dim=1)  # (B, T), the last target never goes in
# --- after
        tokens = torch.cat([targets[:, 1:], begin], dim=1)

# %% wrong: shifted in a circle
# The last target went in at the first place. There is bos_id to stand.

# --- before
        tokens = torch.cat([begin, targets[:, :-1]], dim=1)  # (B, T), the last target never goes in
# --- after
        tokens = targets.roll(1, dims=1)

# %% wrong: positions from 1
# The first word has the sines of position 1. Positions count from 0.

# --- before
        positions = sinusoidal_encoding(tokens.shape[1], self.d_model)
# --- after
        positions = sinusoidal_encoding(tokens.shape[1] + 1, self.d_model)[1:]

# %% wrong: divided by the root
# The token's vector was divided by the root of d_model. Multiply.

# --- before
        vectors = embedding(tokens) * self.d_model**0.5  # (B, T) -> (B, T, D)
# --- after
        vectors = embedding(tokens) / self.d_model**0.5  # (B, T) -> (B, T, D)

# %% wrong: dropout before the positions
# In training only the tokens' vectors were dropped. dropout is for their sum with the positions.

# --- before
        return self.dropout(vectors + positions.to(vectors))
# --- after
        return self.dropout(vectors) + positions.to(vectors)

# %% wrong: step keeps all columns
# step gave back the logits of all the words so far. Only those of the newest are asked for, (B, V): the last column.

# --- before
        logits = self.decode(tokens, memory, memory_mask)[:, -1]
# --- after
        logits = self.decode(tokens, memory, memory_mask)

# %% wrong: norm_first does not reach the decoder
# With norm_first=False the encoder changes and the decoder stays as it was. Both towers are to hear of it.

# --- before
        self.decoder = TransformerDecoder(*sizes, dropout=dropout, norm_first=norm_first)
# --- after
        self.decoder = TransformerDecoder(*sizes, dropout=dropout)

# %% correct: F.pad for the shift

# --- before
        begin = torch.full_like(targets[:, :1], self.bos_id)
        tokens = torch.cat([begin, targets[:, :-1]], dim=1)  # (B, T), the last target never goes in
# --- after
        tokens = F.pad(targets[:, :-1], (1, 0), value=self.bos_id)

# %% correct: roll and overwrite a copy

# --- before
        begin = torch.full_like(targets[:, :1], self.bos_id)
        tokens = torch.cat([begin, targets[:, :-1]], dim=1)  # (B, T), the last target never goes in
# --- after
        tokens = targets.roll(1, dims=1)
        tokens[:, 0] = self.bos_id

# %% correct: math.sqrt and steps of its own

class TransformerDecoder(nn.Module):
    """A tower of num_layers decoder layers, each with weights of its own: `layers`, then `norm`.

    `norm` is an nn.LayerNorm where norm_first, and nn.Identity otherwise.
    forward: x (B, T, D); memory (B, S, D) and both masks as in DecoderLayer, the same for every
    layer.
    Returns (B, T, D).
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        *,
        dropout: float = 0.0,
        activation: Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        norm_first: bool = True,
    ):
        super().__init__()
        sizes = d_model, num_heads, d_ff
        self.layers = nn.ModuleList(
            DecoderLayer(
                *sizes, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
        return self.norm(x)


class Transformer(nn.Module):
    """Reads one sentence and writes another (Vaswani et al., 2017, figure 1).

    embed: embedding (one of the model's two), tokens (B, T) -> (B, T, D): the tokens' vectors
      times the root of d_model, plus sinusoidal_encoding (sections 3.4 and 3.5), and dropout on
      the sum.
    encode: source (B, S) ids, padded at the right, lengths (B,) -> memory (B, S, D), the
      encoder's outputs, and memory_mask (B, 1, S), True at each sentence's real tokens.
    decode: tokens (B, T) ids that go IN (already shifted), memory, memory_mask or None ->
      logits (B, T, V), V = target_size. The logits at t depend on the tokens up to t, and on
      none after it.
    forward: source, lengths, targets (B, T) -> logits (B, T, V). Teacher forcing: what goes in
      at t is the true token t-1, and bos_id at 0 (shift right). The caller's targets are left
      as they were.
    start: source, lengths -> state (tokens (B, 0) int64, memory, memory_mask) before the first
      token.
    step: token (B,), state -> logits (B, V), state, its tokens longer by one. From `start`, fed
      with bos_id and then the targets, it gives the logits of forward one column at a time.
    """

    def __init__(
        self,
        source_size: int,
        target_size: int,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        *,
        bos_id: int,
        dropout: float = 0.0,
        norm_first: bool = True,
    ):
        super().__init__()
        self.source_embedding = nn.Embedding(source_size, d_model)
        self.target_embedding = nn.Embedding(target_size, d_model)
        for embedding in (self.source_embedding, self.target_embedding):
            nn.init.normal_(embedding.weight, std=d_model**-0.5)  # times the root: of order one
        sizes = d_model, num_heads, d_ff, num_layers
        self.encoder = TransformerEncoder(*sizes, dropout=dropout, norm_first=norm_first)
        self.decoder = TransformerDecoder(*sizes, dropout=dropout, norm_first=norm_first)
        self.output = nn.Linear(d_model, target_size)
        self.dropout = nn.Dropout(dropout)
        self.d_model, self.bos_id = d_model, bos_id

    def embed(self, embedding, tokens):
        import math

        B, T = tokens.shape
        x = embedding(tokens).mul(math.sqrt(embedding.embedding_dim))
        x = x + sinusoidal_encoding(T, embedding.embedding_dim).unsqueeze(0)
        return self.dropout(x)

    def encode(self, source, lengths):
        real = torch.arange(source.shape[1])[None, None, :] < lengths[:, None, None]
        embedded = self.embed(self.source_embedding, source)
        return self.encoder(embedded, mask=real), real

    def decode(self, tokens, memory, memory_mask=None):
        T = tokens.shape[1]
        past = torch.arange(T)[:, None] >= torch.arange(T)[None, :]
        x = self.decoder(self.embed(self.target_embedding, tokens), memory, mask=past, memory_mask=memory_mask)
        return F.linear(x, self.output.weight, self.output.bias)

    def forward(self, source, lengths, targets):
        tokens = torch.empty_like(targets)
        tokens[:, 0] = self.bos_id
        tokens[:, 1:] = targets[:, :-1]
        memory, real = self.encode(source, lengths)
        return self.decode(tokens, memory, real)

    def start(self, source, lengths):
        memory, real = self.encode(source, lengths)
        return torch.zeros(len(source), 0, dtype=torch.long), memory, real

    def step(self, token, state):
        tokens, memory, real = state
        tokens = torch.cat((tokens, token[:, None]), 1)
        return self.decode(tokens, memory, real)[:, -1, :], (tokens, memory, real)

# %% correct: the mask of every sentence's own

# --- before
        mask = causal_mask(tokens.shape[1]).to(tokens.device)
# --- after
        mask = causal_mask(tokens.shape[1]).to(tokens.device).expand(len(tokens), -1, -1)

# %% correct: only the last state goes through the output

# --- before
        logits = self.decode(tokens, memory, memory_mask)[:, -1]
# --- after
        mask = causal_mask(tokens.shape[1])
        states = self.decoder(self.embed(self.target_embedding, tokens), memory, mask, memory_mask)
        logits = self.output(states[:, -1])
