# %% wrong: the targets go in unshifted
# Each place was given the very word it has to say, which makes training easy and writing impossible. Shift right: the
# word before, and bos_id at first.

# --- before
        tokens = torch.cat([begin, targets[:, :-1]], dim=1)
# --- after
        tokens = targets

# %% wrong: shifted by two
# Each place was given the word before the last, so a word is missing between what goes in and what comes out. Shift by
# one.

# --- before
        tokens = torch.cat([begin, targets[:, :-1]], dim=1)
# --- after
        tokens = torch.cat([begin, begin, targets[:, :-2]], dim=1)

# %% wrong: the last target goes in too
# There is one more column of logits than of targets: the last target went in, and nothing comes after it. Leave it out.

# --- before
        tokens = torch.cat([begin, targets[:, :-1]], dim=1)
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

# %% wrong: no positions
# The positions are missing: to this model a sentence is a bag of words. Add sinusoidal_encoding.

# --- before
        return self.dropout(vectors + positions.to(vectors.dtype))
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
            mask = causal_mask(tokens.shape[1])
# --- after
            mask = None

# %% wrong: a causal mask that hides the word itself
# No place may read the word that goes in at that very place: the diagonal of the mask is missing. After the shift that
# word is the one before.

# --- before
            mask = causal_mask(tokens.shape[1])
# --- after
            mask = causal_mask(tokens.shape[1]).tril(-1)

# %% wrong: the source's padding is read
# A sentence's memory changes with the other sentences of its batch, because its padding is read. Give the encoder the
# padding mask.

# --- before
            self.encoder(self.embed(self.source_embedding, source), memory_mask),
# --- after
            self.encoder(self.embed(self.source_embedding, source)),

# %% wrong: the memory's padding is read
# memory_mask does not reach the decoder's layers, so they read the source's padding. Pass it to the decoder.

# --- before
            self.embed(self.target_embedding, tokens), memory, mask, memory_mask
# --- after
            self.embed(self.target_embedding, tokens), memory, mask

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

# %% wrong: dropout is not applied to the embeddings
# In training nothing is dropped from the sum of vectors and positions. Apply self.dropout to it.

# --- before
        return self.dropout(vectors + positions.to(vectors.dtype))
# --- after
        return vectors + positions.to(vectors.dtype)

# %% wrong: dropout in evaluation too
# Numbers are dropped after eval() as well: F.dropout drops unless it is told not to. Use the module self.dropout,
# which knows its mode.

# --- before
        return self.dropout(vectors + positions.to(vectors.dtype))
# --- after
        return F.dropout(vectors + positions.to(vectors.dtype), self.dropout.p)

# %% wrong: bos_id is taken to be 1
# The first word that goes in is token 1, whatever the model was told. Use self.bos_id: another vocabulary has it
# elsewhere.

# --- before
        begin = torch.full_like(targets[:, :1], self.bos_id)
# --- after
        begin = torch.full_like(targets[:, :1], 1)

# %% wrong: norm_first does not reach the decoder
# With norm_first=False the encoder changes and the decoder stays as it was. Pass norm_first to both stacks.

# --- before
        self.decoder = TransformerDecoder(
            *sizes, dropout=dropout, norm_first=norm_first
# --- after
        self.decoder = TransformerDecoder(
            *sizes, dropout=dropout

# %% wrong: the source is cut to its longest sentence
# Where no sentence is as long as the source is wide, memory and mask are narrower than it. Keep the width of the
# source.

# --- before
        memory_mask = padding_mask(lengths, source.shape[1])  # (B, 1, S)
# --- after
        source = source[:, : int(lengths.max())]
        memory_mask = padding_mask(lengths, source.shape[1])  # (B, 1, S)

# %% wrong: the model remembers what the state should hold
# The words so far, the memory or its mask are kept on the model and not in the state. Two words tried after one state,
# or two sentences written in turn, are then mixed up. Put all of it into the state, and read it from there.

# --- before
        return source[:, :0], memory, memory_mask
# --- after
        self.written = source[:, :0]
        return self.written, memory, memory_mask
# --- before
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)  # (B, t) -> (B, t + 1)
# --- after
        tokens = self.written = torch.cat([self.written, token.unsqueeze(1)], dim=1)

# %% correct: F.pad for the shift
# --- before
        begin = torch.full_like(targets[:, :1], self.bos_id)
        tokens = torch.cat([begin, targets[:, :-1]], dim=1)
# --- after
        tokens = F.pad(targets[:, :-1], (1, 0), value=self.bos_id)

# %% correct: roll and overwrite a copy
# --- before
        begin = torch.full_like(targets[:, :1], self.bos_id)
        tokens = torch.cat([begin, targets[:, :-1]], dim=1)
# --- after
        tokens = targets.roll(1, dims=1)
        tokens[:, 0] = self.bos_id

# %% correct: the mask of every sentence's own
# --- before
            mask = causal_mask(tokens.shape[1])
# --- after
            mask = causal_mask(tokens.shape[1]).expand(len(tokens), -1, -1)

# %% correct: only the last state goes through the output
# --- before
        logits = self.decode(tokens, memory, memory_mask)[:, -1]
# --- after
        mask = causal_mask(tokens.shape[1])
        states = self.decoder(self.embed(self.target_embedding, tokens), memory, mask, memory_mask)
        logits = self.output(states[:, -1])

# %% correct: a mask of its own
# --- before
        vectors = embedding(tokens) * self.d_model**0.5  # (B, T) -> (B, T, D)
# --- after
        vectors = self.d_model**0.5 * F.embedding(tokens, embedding.weight)
# --- before
            mask = causal_mask(tokens.shape[1])
# --- after
            places = torch.arange(tokens.shape[1], device=tokens.device)
            mask = places[:, None] >= places[None, :]
