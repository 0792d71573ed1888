# %% wrong: the class token comes last
# The class token stands after the patches, so every patch got another position. It goes first, before the patches.

# --- before
            tokens = torch.cat([self.class_token.expand(len(tokens), -1, -1), tokens], dim=1)  # (B, N + 1, D)
# --- after
            tokens = torch.cat([tokens, self.class_token.expand(len(tokens), -1, -1)], dim=1)  # (B, N + 1, D)
# --- before
        return self.head(tokens[:, -1 if self.pool == "last" else 0])  # the class token stands first
# --- after
        return self.head(tokens[:, -1 if self.pool in ("last", "class") else 0])  # the class token stands first

# %% wrong: read from the first patch instead of the class token
# The encoder's tokens are right and the head reads token 1, the first patch. The class token is token 0.

# --- before
        return self.head(tokens[:, -1 if self.pool == "last" else 0])  # the class token stands first
# --- after
        return self.head(tokens[:, {"class": 1, "first": 0, "last": -1}[self.pool]])  # the class token stands first

# %% wrong: a class token without its axes
# The class token's shape is (D,). The docstring says (1, 1, D): one image, one token, D features, so that it only has
# to be repeated over the batch.

# --- before
            self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, d_model))
# --- after
            self.class_token = nn.Parameter(0.02 * torch.randn(d_model))

# %% wrong: one class token for the whole batch
# The class token was joined to the patches as it is, one for all images. Each image needs it in front: repeat it over
# the batch first.

# --- before
            tokens = torch.cat([self.class_token.expand(len(tokens), -1, -1), tokens], dim=1)  # (B, N + 1, D)
# --- after
            tokens = torch.cat([self.class_token, tokens], dim=1)  # (B, N + 1, D)

# %% wrong: no row for the class token
# The table of positions is a row short: with a class token there are N + 1 tokens, and each has a row.

# --- before
        num_tokens = (height // patch_size) * (width // patch_size) + (pool == "class")
# --- after
        num_tokens = (height // patch_size) * (width // patch_size)

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

# %% wrong: positions after the encoder
# The positions were added to what the encoder says, and not to what it reads. They go in front of it.

# --- before
        return self.encoder(self.positions(tokens))
# --- after
        return self.positions(self.encoder(tokens))

# %% wrong: the mean includes the class token
# With pool = "class" the head reads the mean over all tokens. It is to read the class token alone, which has gathered
# what it needs by attention.

# --- before
        return self.head(tokens[:, -1 if self.pool == "last" else 0])  # the class token stands first
# --- after
        return self.head(tokens.mean(dim=1) if self.pool == "class" else tokens[:, -1 if self.pool == "last" else 0])  # the class token stands first

# %% wrong: a class token whatever the pool
# There is a class token with every pool. "first", "last" and "mean" have none, and one token fewer.

# --- before
        num_tokens = (height // patch_size) * (width // patch_size) + (pool == "class")
# --- after
        num_tokens = (height // patch_size) * (width // patch_size) + 1
# --- before
        if pool == "class":
# --- after
        if True:
# --- before
        if self.pool == "class":
# --- after
        if True:

# %% wrong: the mean over features
# The mean was taken over the features and not over the patches. Average along the axis of the tokens.

# --- before
            return self.head(tokens.mean(dim=1))
# --- after
            return self.head(tokens.mean(dim=2, keepdim=True).expand(-1, -1, self.head.in_features).mean(dim=1))

# %% wrong: the last patch is the first
# "last" reads the first patch. The last patch is the last token.

# --- before
        return self.head(tokens[:, -1 if self.pool == "last" else 0])  # the class token stands first
# --- after
        return self.head(tokens[:, 0])  # the class token stands first

# %% wrong: post-norm
# The encoder norms after each part, as in Vaswani et al. (2017), and has no norm at its end. A Vision Transformer
# norms first: norm_first=True.

# --- before
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps, norm_first=True
# --- after
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps, norm_first=False

# %% wrong: relu in the place of gelu
# The parts' names and shapes are right, and the feed-forward parts use relu. The docstring asks for gelu.

# --- before
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps, norm_first=True
# --- after
            d_model, num_heads, d_ff, num_layers, activation=F.relu, layer_norm_eps=layer_norm_eps, norm_first=True

# %% wrong: a fixed epsilon
# layer_norm_eps is not handed on to the encoder. Models that were trained with another epsilon would differ a little
# everywhere.

# --- before
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps, norm_first=True
# --- after
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=1e-6, norm_first=True

# %% wrong: the same layer over and over
# All layers of the tower are one and the same object. Each layer has weights of its own: let TransformerEncoder make
# them.

# --- before
        )
# --- after
        )
        self.encoder.layers = nn.ModuleList([self.encoder.layers[0]] * num_layers)

# %% wrong: the table holds a row for any larger image
# The table of positions has more rows than there are tokens. One row a token: N, and one more with a class token.

# --- before
        num_tokens = (height // patch_size) * (width // patch_size) + (pool == "class")
# --- after
        num_tokens = height * width + 1

# %% wrong: square grids only
# The number of patches was taken for the square of the rows. An image of 4 x 6 pixels has 2 rows and 3 columns of
# patches.

# --- before
        num_tokens = (height // patch_size) * (width // patch_size) + (pool == "class")
# --- after
        num_tokens = (height // patch_size) ** 2 + (pool == "class")

# %% wrong: images of another size are let in
# Images of another size are not refused. Smaller ones would get the positions of other patches, and nothing would
# tell.

# --- before
        if images.shape[2:] != self.image_size:  # fewer patches would silently get other patches' positions
# --- after
        if False:  # fewer patches would silently get other patches' positions

# %% wrong: only the number of patches is tested
# An image turned round has as many patches, and it was let in: its patches get the positions of another grid. Compare
# height and width.

# --- before
        if images.shape[2:] != self.image_size:  # fewer patches would silently get other patches' positions
# --- after
        if images.shape[2] * images.shape[3] != self.image_size[0] * self.image_size[1]:  # fewer patches would silently get other patches' positions

# %% wrong: softmax at the end
# What came back sums to one over the classes. Logits are asked for: the loss takes the softmax itself.

# --- before
            return self.head(tokens.mean(dim=1))
        return self.head(tokens[:, -1 if self.pool == "last" else 0])  # the class token stands first
# --- after
            return self.head(tokens.mean(dim=1)).softmax(dim=-1)
        return self.head(tokens[:, -1 if self.pool == "last" else 0]).softmax(dim=-1)  # the class token stands first

# %% wrong: the class token is no parameter
# The class token is a plain tensor: no optimiser sees it, and it is not saved. Make it an nn.Parameter.

# --- before
            self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, d_model))
# --- after
            self.class_token = 0.02 * torch.randn(1, 1, d_model)

# %% wrong: a row for the class token with every pool
# The table of positions has N + 1 rows with every pool. "first", "last" and "mean" have N tokens.

# --- before
        num_tokens = (height // patch_size) * (width // patch_size) + (pool == "class")
# --- after
        num_tokens = (height // patch_size) * (width // patch_size) + 1

# %% wrong: an unused class token
# The class token is made with every pool and used with "class" only: a parameter that is never trained. Make it where
# it is used.

# --- before
        if pool == "class":
# --- after
        if True:

# %% wrong: a class token of two axes
# The class token's shape is (1, D). The docstring says (1, 1, D): one image, one token, D features.

# --- before
            self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, d_model))
# --- after
            self.class_token = nn.Parameter(0.02 * torch.randn(1, d_model))

# %% wrong: a second norm at the end
# There is a norm of its own after the encoder. A pre-norm TransformerEncoder ends with one already.

# --- before
        )
# --- after
        )
        self.norm = nn.LayerNorm(d_model)
# --- before
        return self.encoder(self.positions(tokens))
# --- after
        return self.norm(self.encoder(self.positions(tokens)))

# %% wrong: num_layers and d_ff exchanged
# The encoder has as many layers as d_ff says. TransformerEncoder takes d_ff before num_layers: hand both on by name.

# --- before
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps, norm_first=True
# --- after
            d_model, num_heads, num_layers, d_ff, activation=F.gelu, layer_norm_eps=layer_norm_eps, norm_first=True

# %% wrong: the class token comes last and token 0 is read
# The class token stands after the patches, and what is read is token 0, the first patch. Put it in front: then both
# are right.

# --- before
            tokens = torch.cat([self.class_token.expand(len(tokens), -1, -1), tokens], dim=1)  # (B, N + 1, D)
# --- after
            tokens = torch.cat([tokens, self.class_token.expand(len(tokens), -1, -1)], dim=1)  # (B, N + 1, D)

# %% wrong: always three channels
# num_channels is not handed on to the patch embedding, so images of another number of channels do not fit.

# --- before
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
# --- after
        self.patches = PatchEmbedding(patch_size, 3, d_model)

# %% wrong: the mean without the first patch
# With pool = "mean" the first token was left out. There is no class token then: token 0 is a patch.

# --- before
            return self.head(tokens.mean(dim=1))
# --- after
            return self.head(tokens[:, 1:].mean(dim=1))

# %% wrong: the mean over the batch
# The mean was taken over the images of the batch. Average along the axis of the tokens.

# --- before
            return self.head(tokens.mean(dim=1))
# --- after
            return self.head(tokens.mean(dim=0))

# %% wrong: the last patch but one
# "last" reads the last patch but one. Without a class token the last patch is token -1.

# --- before
        return self.head(tokens[:, -1 if self.pool == "last" else 0])  # the class token stands first
# --- after
        return self.head(tokens[:, -2 if self.pool == "last" else 0])  # the class token stands first

# %% wrong: dropout in training
# In training mode something is dropped: chapter 06's habit. This model has no dropout; leave it at 0 in the encoder
# too.

# --- before
        return self.encoder(self.positions(tokens))
# --- after
        return self.encoder(F.dropout(self.positions(tokens), 0.1, self.training))

# %% correct: the encoder's parts one after another, repeat

class VisionTransformer(nn.Module):
    def __init__(self, image_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool="class",
                 num_channels=3, layer_norm_eps=1e-6):
        super().__init__()
        if pool not in {"class", "mean", "first", "last"}:
            raise ValueError(pool)
        self.size = [image_size, image_size] if isinstance(image_size, int) else list(image_size)
        if any(side % patch_size for side in self.size):
            raise ValueError(f"{patch_size} does not divide {self.size}")
        self.pool = pool
        n = self.size[0] * self.size[1] // patch_size**2
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
            n += 1
        self.positions = LearnedPositionalEncoding(n, d_model)
        self.encoder = TransformerEncoder(d_model, num_heads, d_ff, num_layers, dropout=0.0, activation=F.gelu, layer_norm_eps=layer_norm_eps, norm_first=True)
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images):
        if list(images.shape[2:]) != self.size:
            raise ValueError(f"want {self.size}")
        x = self.patches(images)
        if self.pool == "class":
            x = torch.cat((self.class_token.repeat(x.size(0), 1, 1), x), 1)
        x = self.positions(x)
        for layer in self.encoder.layers:
            x = layer(x)
        return self.encoder.norm(x)

    def forward(self, images):
        x = self.encode(images)
        if self.pool in ("class", "first"):
            x = x[:, 0]
        elif self.pool == "last":
            x = x[:, -1]
        else:
            x = x.sum(dim=1) / x.shape[1]
        return self.head(x)

# %% correct: a dictionary of readers

class VisionTransformer(nn.Module):
    READ = {
        "class": lambda x: x[:, 0], "first": lambda x: x[:, 0],
        "last": lambda x: x[:, x.shape[1] - 1], "mean": lambda x: x.mean(1),
    }

    def __init__(self, image_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool="class",
                 num_channels=3, layer_norm_eps=1e-6):
        super().__init__()
        if pool not in self.READ:
            raise ValueError("unknown pool")
        self.read = self.READ[pool]
        self.height, self.width = image_size if isinstance(image_size, (tuple, list)) else (image_size,) * 2
        if self.height % patch_size + self.width % patch_size:
            raise ValueError("no whole patches")
        extra = int(pool == "class")
        if extra:
            self.class_token = nn.Parameter(torch.randn(1, 1, d_model))
        self.patches = PatchEmbedding(patch_size=patch_size, num_channels=num_channels, d_model=d_model)
        tokens = self.height // patch_size * (self.width // patch_size)
        self.positions = LearnedPositionalEncoding(tokens + extra, d_model)
        self.encoder = TransformerEncoder(d_model, num_heads, d_ff, num_layers, activation=nn.GELU(),
                                          layer_norm_eps=layer_norm_eps)
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images):
        if images.shape[-2] != self.height or images.shape[-1] != self.width:
            raise ValueError("another size")
        tokens = self.patches(images)
        if hasattr(self, "class_token"):
            front = self.class_token + torch.zeros_like(tokens[:, :1])
            tokens = torch.cat([front, tokens], dim=1)
        return self.encoder(self.positions(tokens))

    def forward(self, images):
        return self.head(self.read(self.encode(images)))

# %% correct: logits of every token, then one

# --- before
        return self.head(tokens[:, -1 if self.pool == "last" else 0])  # the class token stands first
# --- after
        return self.head(tokens)[:, -1 if self.pool == "last" else 0]  # the class token stands first

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

# %% correct: the class token as a padded token plus itself

# --- before
            tokens = torch.cat([self.class_token.expand(len(tokens), -1, -1), tokens], dim=1)  # (B, N + 1, D)
# --- after
            tokens = F.pad(tokens, (0, 0, 1, 0)) + F.pad(self.class_token, (0, 0, 0, tokens.shape[1]))  # (B, N + 1, D)
