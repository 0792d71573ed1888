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

# %% wrong: a convolution holds the map
# `projection` is a convolution. That computes the right thing, but its weight has four axes, so weights made for this
# course's model do not fit. The docstring asks for an nn.Linear.

# --- before
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)
# --- after
        self.projection = nn.Conv2d(num_channels, d_model, patch_size, stride=patch_size)
# --- before
        return self.projection(patchify(images, self.patch_size))
# --- after
        patchify(images, self.patch_size)
        return self.projection(images).flatten(2).transpose(1, 2)

# %% wrong: a nonlinearity after the map
# There is a nonlinearity after the map. The words of an image are a linear map of its pixels, no more: the encoder's
# feed-forward parts bring the rest.

# --- before
        return self.projection(patchify(images, self.patch_size))
# --- after
        return F.gelu(self.projection(patchify(images, self.patch_size)))

# %% wrong: only a reshape, no patches
# The pixels were read off in memory's order, so a token holds pieces of rows and no square. Use patchify.

# --- before
        return self.projection(patchify(images, self.patch_size))
# --- after
        return self.projection(images.reshape(len(images), -1, self.projection.in_features))

# %% wrong: no map
# The patches came back as they are. They still have to go through `projection`.

# --- before
        return self.projection(patchify(images, self.patch_size))
# --- after
        return patchify(images, self.patch_size)

# %% wrong: the tokens' axes exchanged
# The result is (B, D, N), as a convolution leaves it. The encoder wants (B, N, D).

# --- before
        return self.projection(patchify(images, self.patch_size))
# --- after
        return self.projection(patchify(images, self.patch_size)).transpose(1, 2)

# %% wrong: times the root of the width
# The tokens were multiplied by the root of d_model, as chapter 06's word embeddings are. Here the map's result goes on
# as it is.

# --- before
        return self.projection(patchify(images, self.patch_size))
# --- after
        return self.projection(patchify(images, self.patch_size)) * self.projection.out_features**0.5

# %% correct: a strided convolution with the same weights
# --- before
        return self.projection(patchify(images, self.patch_size))
# --- after
        P = self.patch_size
        if images.shape[2] % P or images.shape[3] % P:
            raise ValueError(f"{tuple(images.shape)} has no whole patches of {P}")
        kernel = self.projection.weight.view(-1, images.shape[1], P, P)
        return F.conv2d(images, kernel, self.projection.bias, stride=P).flatten(2).transpose(1, 2)

# %% correct: weight and bias by hand
# --- before
        return self.projection(patchify(images, self.patch_size))
# --- after
        return patchify(images, self.patch_size) @ self.projection.weight.T + self.projection.bias

# %% correct: einsum over the cut image
# --- before
        return self.projection(patchify(images, self.patch_size))
# --- after
        P = self.patch_size
        B, C, H, W = images.shape
        if H % P or W % P:
            raise ValueError("not tiled")
        kernel = self.projection.weight.view(-1, C, P, P)
        cut = images.reshape(B, C, H // P, P, W // P, P)
        return torch.einsum("bcrpsq,dcpq->brsd", cut, kernel).flatten(1, 2) + self.projection.bias

# %% correct: unfold
# --- before
        return self.projection(patchify(images, self.patch_size))
# --- after
        if images.size(2) % self.patch_size != 0 or images.size(3) % self.patch_size != 0:
            raise ValueError("not tiled")
        return self.projection(F.unfold(images, self.patch_size, stride=self.patch_size).mT)

# %% correct: one patch at a time
# --- before
        return self.projection(patchify(images, self.patch_size))
# --- after
        return torch.stack([self.projection(patch) for patch in patchify(images, self.patch_size).unbind(dim=1)], dim=1)
