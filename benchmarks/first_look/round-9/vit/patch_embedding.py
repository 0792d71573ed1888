# %% wrong: a convolution under the name projection
# projection is an nn.Conv2d, and not the nn.Linear that is asked for: its weight is (D, C, P, P).
# Shows for projection.weight and for loading a state_dict of the linear map; it also takes pictures that do not tile.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.projection = nn.Conv2d(num_channels, d_model, kernel_size=patch_size, stride=patch_size)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(images).flatten(2).transpose(1, 2)


# %% wrong: times the root of the width
# The embeddings of words are multiplied by the root of d_model before positions are added; here nothing asks for it.
# Shows for every d_model greater than 1.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.d_model = d_model
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(patchify(images, self.patch_size)) * self.d_model**0.5


# %% wrong: the convolution drops what is left over
# The linear map's weights are used as a strided convolution, without a look at the size of the images.
# Shows for images of 9 x 8 pixels with patches of 4: the last row is dropped and no ValueError comes.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.num_channels = num_channels
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        kernel = self.projection.weight.view(-1, self.num_channels, self.patch_size, self.patch_size)
        features = F.conv2d(images, kernel, self.projection.bias, stride=self.patch_size)
        return features.flatten(2).transpose(1, 2)


# %% wrong: float, for pictures that hold bytes
# The pixels are cast to float32 before the map, in case they are bytes.
# Shows for a module and images in float64: the dtypes of the patches and the weight do not agree.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        patches = patchify(images, self.patch_size).float()
        return self.projection(patches)


# %% correct: the places within a patch one by one

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size**2, d_model, bias=True)

    def forward(self, images: Tensor) -> Tensor:
        size = self.patch_size
        _, channels, height, width = images.shape
        if height % size or width % size:
            raise ValueError(f"patches of {size} do not tile {height} x {width} pixels")
        by_place = self.projection.weight.unflatten(1, (channels, size, size))
        total = self.projection.bias.view(1, -1, 1, 1)
        for down in range(size):
            for right in range(size):
                pixels = images[:, :, down::size, right::size]  # (B, C, h, w): this pixel of every patch
                total = total + torch.einsum("dc,bchw->bdhw", by_place[:, :, down, right], pixels)
        return total.flatten(2).transpose(1, 2)


# %% correct: one wide patch for each strip, contracted without a copy

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.shape = (num_channels, patch_size, patch_size)
        self.projection = nn.Linear(num_channels * patch_size * patch_size, d_model)

    def forward(self, images: Tensor) -> Tensor:
        p = self.shape[-1]
        if images.ndim != 4 or images.size(-1) % p != 0 or images.size(-2) % p != 0:
            raise ValueError("patches do not tile the image")
        windows = images.unfold(2, p, p).unfold(3, p, p)  # (B, C, h, w, P, P), a view
        squares = self.projection.weight.view(-1, *self.shape)  # (D, C, P, P)
        tokens = torch.tensordot(windows, squares, dims=([1, 4, 5], [1, 2, 3]))  # (B, h, w, D)
        return (tokens + self.projection.bias).flatten(1, 2)
