# %% wrong: the class token comes last
# The class token stands after the patches, so every patch got another position. It goes first, before the patches.

# --- before
                [self.class_token.expand(len(tokens), -1, -1), tokens], dim=1
# --- after
                [tokens, self.class_token.expand(len(tokens), -1, -1)], dim=1
# --- before
        return self.head(tokens[:, -1 if self.pool == "last" else 0])
# --- after
        return self.head(tokens[:, -1 if self.pool in ("last", "class") else 0])

# %% wrong: one class token for the whole batch
# The class token was joined to the patches as it is, one for all images. Each image needs it in front: repeat it over
# the batch first.

# --- before
                [self.class_token.expand(len(tokens), -1, -1), tokens], dim=1
# --- after
                [self.class_token, tokens], dim=1

# %% wrong: positions before the class token
# The positions were added before the class token joined: it has none, and the table is a row short. Put it in front
# first, then add positions to all N + 1 tokens.

# --- before
        num_tokens = (height // patch_size) * (width // patch_size) + (pool == "class")
# --- after
        num_tokens = (height // patch_size) * (width // patch_size)
# --- before
        tokens = self.patches(images)  # (B, C, H, W) -> (B, N, D)
# --- after
        tokens = self.patches(images)  # (B, C, H, W) -> (B, N, D)
        tokens = self.positions(tokens)
# --- before
        return self.encoder(self.positions(tokens))
# --- after
        return self.encoder(tokens)

# %% wrong: no positions
# The positions are made and never added, so the encoder sees a bag of patches. Add them before the encoder.

# --- before
        return self.encoder(self.positions(tokens))
# --- after
        return self.encoder(tokens)

# %% wrong: a class token whatever the pool
# There is a class token with every pool. "first", "last" and "mean" have none, and one token fewer.

# --- before
        num_tokens = (height // patch_size) * (width // patch_size) + (pool == "class")
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
# --- after
        num_tokens = (height // patch_size) * (width // patch_size) + 1
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if True:
# --- before
        if self.pool == "class":
# --- after
        if True:

# %% wrong: the last patch is the first
# "last" reads the first patch. The last patch is the last token.

# --- before
        return self.head(tokens[:, -1 if self.pool == "last" else 0])
# --- after
        return self.head(tokens[:, 0])

# %% wrong: post-norm
# The encoder norms after each part, as in Vaswani et al. (2017), and has no norm at its end. A Vision Transformer
# norms first: norm_first=True.

# --- before
            norm_first=True,
# --- after
            norm_first=False,

# %% wrong: relu in the place of gelu
# The parts' names and shapes are right, but the feed-forward parts use relu. The docstring asks for gelu.

# --- before
            activation=F.gelu,
# --- after
            activation=F.relu,

# %% wrong: a fixed epsilon
# layer_norm_eps does not reach the encoder, so models that were trained with another epsilon would differ a little
# everywhere. Pass it on.

# --- before
            layer_norm_eps=layer_norm_eps,
# --- after
            layer_norm_eps=1e-6,

# %% wrong: dropout in the encoder
# In training mode the encoder drops numbers at random. The docstring asks for no dropout.

# --- before
            activation=F.gelu,
# --- after
            dropout=0.1, activation=F.gelu,

# %% wrong: the same layer over and over
# All layers of the encoder are one and the same object. Each layer has weights of its own: let TransformerEncoder make
# them.

# --- before
        self.head = nn.Linear(d_model, num_classes)
# --- after
        self.encoder.layers = nn.ModuleList([self.encoder.layers[0]] * num_layers)
        self.head = nn.Linear(d_model, num_classes)

# %% wrong: square grids only
# The number of patches was taken for the square of the rows. An image of 4 x 6 pixels has 2 rows and 3 columns of
# patches.

# --- before
        num_tokens = (height // patch_size) * (width // patch_size) + (pool == "class")
# --- after
        num_tokens = (height // patch_size) ** 2 + (pool == "class")

# %% wrong: images of another size are let in
# Images of another size are not refused. Smaller ones would get the positions of other patches, and nothing would tell.
# Compare height and width with image_size.

# --- before
        if images.shape[2:] != self.image_size:
# --- after
        if False:

# %% wrong: the class token is no parameter
# The class token is a plain tensor: no optimizer sees it, and it is not saved. Make it an nn.Parameter.

# --- before
            self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, d_model))
# --- after
            self.class_token = 0.02 * torch.randn(1, 1, d_model)

# %% correct: the encoder's parts one after another, repeat
# --- before
            tokens = torch.cat(
                [self.class_token.expand(len(tokens), -1, -1), tokens], dim=1
            )
        return self.encoder(self.positions(tokens))
# --- after
            tokens = torch.cat((self.class_token.repeat(tokens.size(0), 1, 1), tokens), 1)
        tokens = self.positions(tokens)
        for layer in self.encoder.layers:
            tokens = layer(tokens)
        return self.encoder.norm(tokens)

# %% correct: a dictionary of readers
# --- before
        if self.pool == "mean":
            return self.head(tokens.mean(dim=1))
        return self.head(tokens[:, -1 if self.pool == "last" else 0])
# --- after
        read = {"class": lambda x: x[:, 0], "first": lambda x: x[:, 0], "last": lambda x: x[:, x.shape[1] - 1],
                "mean": lambda x: x.sum(dim=1) / x.shape[1]}
        return self.head(read[self.pool](tokens))

# %% correct: logits of every token, then one
# --- before
        return self.head(tokens[:, -1 if self.pool == "last" else 0])
# --- after
        return self.head(tokens)[:, -1 if self.pool == "last" else 0]

# %% correct: the mean of the logits
# --- before
            return self.head(tokens.mean(dim=1))
# --- after
            return self.head(tokens).mean(dim=1)

# %% correct: positions added by hand
# --- before
        return self.encoder(self.positions(tokens))
# --- after
        return self.encoder(tokens + self.positions.weight.unsqueeze(0))
