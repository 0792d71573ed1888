# %% wrong: a convolution as the projection
# The same map, but as nn.Conv2d: projection.weight is (D, C, P, P) and not (D, C * P * P), so the
# weights of the class that was asked for do not fit. And images that the patches do not tile are
# cut off without an error.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.projection = nn.Conv2d(num_channels, d_model, patch_size, stride=patch_size)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(images).flatten(2).transpose(1, 2)


# %% wrong: what is left over at the border is cropped
# Images whose sides P does not divide lose their last rows and columns, where ValueError was
# promised: 5 x 4 pixels with P = 2.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        rows, columns = (side // self.patch_size for side in images.shape[-2:])
        whole = images[..., : rows * self.patch_size, : columns * self.patch_size]
        return self.projection(patchify(whole, self.patch_size))


# %% wrong: images are made float32
# Meant for pictures of bytes. A model in float64 then fails on float64 images, as the linear map
# gets float32.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size * patch_size, d_model)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(patchify(images.float(), self.patch_size))


# %% wrong: one map for every channel
# A Linear of P * P numbers, applied to each channel and summed: the parameter has the wrong shape,
# and which channel a number came from is lost. Right with one channel.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size, self.num_channels = patch_size, num_channels
        self.projection = nn.Linear(patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        patches = patchify(images, self.patch_size).unflatten(2, (self.num_channels, -1))
        return self.projection(patches.sum(dim=2))


# %% correct: conv2d with the linear map's weight folded back

import math


class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.square = (num_channels, patch_size, patch_size)
        self.projection = nn.Linear(math.prod(self.square), d_model)

    def forward(self, images: Tensor) -> Tensor:
        side = self.square[1]
        if images.ndim != 4 or images.shape[2] % side or images.shape[3] % side:
            raise ValueError(f"squares of {side} do not tile {tuple(images.shape)}")
        kernel = self.projection.weight.unflatten(1, self.square)
        cells = F.conv2d(images, kernel, self.projection.bias, stride=side)
        return cells.permute(0, 2, 3, 1).flatten(1, 2)


# %% correct: a share of the map for each channel, added up

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.side = patch_size
        self.projection = nn.Linear(num_channels * self.side * self.side, d_model, bias=True)

    def forward(self, images: Tensor) -> Tensor:
        columns = self.projection.weight.split(self.side**2, dim=1)
        if images.ndim != 4:
            return self.projection(patchify(images, self.side))  # whose error it is
        tokens = self.projection.bias
        for channel, weight in zip(images.split(1, dim=1), columns, strict=True):
            tokens = tokens + patchify(channel, self.side) @ weight.mT
        return tokens
