# %% wrong: twice the side instead of its square
# patch_size * 2 numbers a channel instead of patch_size**2: the two agree for patches of 2 x 2 (and nowhere else), such as
# the digits'. For every other size forward fails.


class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size * 2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(patchify(images, self.patch_size))


# %% wrong: LazyLinear counts for itself
# nn.LazyLinear finds the number of inputs at the first call. Until then projection.weight has no shape: it cannot be
# read, counted or initialized, and there is no (d_model, num_channels * patch_size**2) for an optimizer.


class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.LazyLinear(d_model)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(patchify(images, self.patch_size))


# %% wrong: the channels last, as in a well-known implementation
# Lays a patch out as (p1 p2 c), pixel by pixel: the columns of the weight do not follow patchify's order. The same with
# one channel or patches of one pixel, wrong with several channels.


class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        P = self.patch_size
        words = patchify(images, P)  # raises ValueError where patches do not tile the image
        words = words.unflatten(2, (-1, P, P)).permute(0, 1, 3, 4, 2)
        return self.projection(words.flatten(2))


# %% wrong: pixels made float32
# .float(), in case the pictures are bytes: a module in float64 then fails, though pictures and weights are both float64.


class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size * patch_size, d_model)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(patchify(images, self.patch_size).float())


# %% correct: the linear map's weight as the kernel of a convolution


class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.shape = (d_model, num_channels, patch_size, patch_size)
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        side = self.shape[-1]
        if images.ndim != 4 or images.shape[2] % side or images.shape[3] % side:
            raise ValueError(f"patches of {side} do not tile {tuple(images.shape)}")
        features = F.conv2d(images, self.projection.weight.reshape(self.shape), self.projection.bias, stride=side)
        return features.flatten(2).transpose(1, 2)


# %% correct: a sum over the channels, each with its share of the columns


class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size, self.num_channels = patch_size, num_channels
        self.projection = nn.Linear(self.num_channels * self.patch_size**2, d_model, bias=True)

    def forward(self, images: Tensor) -> Tensor:
        shares = self.projection.weight.chunk(self.num_channels, dim=1)
        tokens = self.projection.bias
        for channel, share in zip(images.split(1, dim=1), shares, strict=True):
            tokens = tokens + patchify(channel, self.patch_size) @ share.T
        return tokens
