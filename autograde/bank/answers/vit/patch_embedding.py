# %% wrong: no bias
# The map has no bias; the docstring asks for one.

# --- before
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)
# --- after
        self.projection = nn.Linear(num_channels * patch_size**2, d_model, bias=False)

# %% wrong: the channels are forgotten in the map's width
# The map is as wide as the pixels of one channel. A patch's line holds all channels: C * P * P numbers.

# --- before
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)
# --- after
        self.projection = nn.Linear(patch_size**2, d_model)

# %% wrong: P instead of P squared
# The map's width has P where a patch has P rows and P columns of pixels: P * P for each channel.

# --- before
    The map is `projection`, an nn.Linear with bias from num_channels * patch_size**2 to d_model
# --- after
    The map is `projection`, an nn.Linear with bias from num_channels * patch_size to d_model
# --- before
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)
# --- after
        self.projection = nn.Linear(num_channels * patch_size, d_model)

# %% wrong: a convolution holds the map
# `projection` is a convolution. That computes the right thing, and its weight has four axes, so weights made for this
# course's model do not fit in. The docstring asks for an nn.Linear.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Conv2d(num_channels, d_model, patch_size, stride=patch_size)

    def forward(self, images):
        if images.shape[2] % self.patch_size or images.shape[3] % self.patch_size:
            raise ValueError("not tiled")
        return self.projection(images).flatten(2).transpose(1, 2)

# %% wrong: in and out exchanged
# The map goes from d_model to the patch's width. nn.Linear takes the width that goes in first.

# --- before
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)
# --- after
        self.projection = nn.Linear(d_model, num_channels * patch_size**2)

# %% wrong: a nonlinearity after the map
# There is a nonlinearity after the map. The words of an image are a linear map of its pixels, no more: the encoder's
# feed-forward parts bring the rest.

# --- before
        return self.projection(patchify(images, self.patch_size))  # (B, N, C * P * P) -> (B, N, D)
# --- after
        return F.gelu(self.projection(patchify(images, self.patch_size)))  # (B, N, C * P * P) -> (B, N, D)

# %% wrong: the norm of the patch first
# The pixels were normalised before the map. That takes each patch's brightness away; equation 1 has the linear map
# alone.

# --- before
        return self.projection(patchify(images, self.patch_size))  # (B, N, C * P * P) -> (B, N, D)
# --- after
        patches = patchify(images, self.patch_size)
        return self.projection(F.layer_norm(patches, patches.shape[-1:]))  # (B, N, C * P * P) -> (B, N, D)

# %% wrong: only a reshape, no patches
# The pixels were read off in memory's order, so a token holds pieces of rows and no square. Use patchify.

# --- before
        return self.projection(patchify(images, self.patch_size))  # (B, N, C * P * P) -> (B, N, D)
# --- after
        return self.projection(images.reshape(len(images), -1, self.projection.in_features))  # (B, N, C * P * P) -> (B, N, D)

# %% wrong: no map
# The patches came back as they are. They still have to go through `projection`.

# --- before
        return self.projection(patchify(images, self.patch_size))  # (B, N, C * P * P) -> (B, N, D)
# --- after
        return patchify(images, self.patch_size)  # (B, N, C * P * P) -> (B, N, D)

# %% wrong: the tokens' axes exchanged
# The result is (B, D, N), as a convolution leaves it. The encoder wants (B, N, D).

# --- before
        return self.projection(patchify(images, self.patch_size))  # (B, N, C * P * P) -> (B, N, D)
# --- after
        return self.projection(patchify(images, self.patch_size)).transpose(1, 2)  # (B, N, C * P * P) -> (B, N, D)

# %% wrong: detached pixels
# No gradient reaches the images: something cut the graph. In a hybrid, a backbone before this could not learn.

# --- before
        return self.projection(patchify(images, self.patch_size))  # (B, N, C * P * P) -> (B, N, D)
# --- after
        return self.projection(patchify(images, self.patch_size).detach())  # (B, N, C * P * P) -> (B, N, D)

# %% wrong: a relu after the map
# There is a relu after the map. The words of an image are a linear map of its pixels, no more.

# --- before
        return self.projection(patchify(images, self.patch_size))  # (B, N, C * P * P) -> (B, N, D)
# --- after
        return self.projection(patchify(images, self.patch_size)).relu()  # (B, N, C * P * P) -> (B, N, D)

# %% wrong: times the root of the width
# The tokens were multiplied by the root of d_model, as chapter 06's word embeddings are. Here the map's result goes on
# as it is.

# --- before
        return self.projection(patchify(images, self.patch_size))  # (B, N, C * P * P) -> (B, N, D)
# --- after
        return self.projection(patchify(images, self.patch_size)) * self.projection.out_features**0.5  # (B, N, C * P * P) -> (B, N, D)

# %% correct: a strided convolution with the same weights

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.kernel = (d_model, num_channels, patch_size, patch_size)
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images):
        P = self.kernel[-1]
        if images.shape[2] % P or images.shape[3] % P:
            raise ValueError(f"{tuple(images.shape)} has no whole patches of {P}")
        features = F.conv2d(images, self.projection.weight.view(self.kernel), self.projection.bias, stride=P)
        return features.flatten(2).transpose(1, 2)

# %% correct: weight and bias by hand

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.P = patch_size
        self.projection = nn.Linear(num_channels * patch_size * patch_size, d_model, bias=True)

    def forward(self, images):
        return patchify(images, self.P) @ self.projection.weight.T + self.projection.bias

# %% correct: einsum over the cut image

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size, self.num_channels = patch_size, num_channels
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images):
        P = self.patch_size
        B, C, H, W = images.shape
        if H % P or W % P:
            raise ValueError("not tiled")
        cut = images.reshape(B, C, H // P, P, W // P, P)
        kernel = self.projection.weight.view(-1, C, P, P)
        out = torch.einsum("bcrpsq,dcpq->brsd", cut, kernel) + self.projection.bias
        return out.flatten(1, 2)

# %% correct: unfold

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images):
        P = self.patch_size
        if images.size(2) % P != 0 or images.size(3) % P != 0:
            raise ValueError("not tiled")
        return self.projection(F.unfold(images, P, stride=P).mT)

# %% correct: one patch at a time

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(patch_size * patch_size * num_channels, d_model)

    def forward(self, images):
        patches = patchify(images, self.patch_size)
        return torch.stack([self.projection(patch) for patch in patches.unbind(dim=1)], dim=1)
