# %% wrong: a linear map for grey pictures
# The map has patch_size**2 inputs; the channels are forgotten. With one channel it works, with three the product of
# the matrices fails.
# Hint: how many numbers is a patch of a colour picture?

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(patchify(images, self.patch_size))


# %% wrong: a convolution in the place of the linear map
# The same function, written as most code writes it. But the promised part is an nn.Linear, so a checkpoint does not
# fit, and pixels that do not fill a patch are left out without an error.
# Hint: what is the shape of projection.weight, and what happens to a picture of 17 x 16 pixels?

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.projection = nn.Conv2d(num_channels, d_model, kernel_size=patch_size, stride=patch_size)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(images).flatten(2).transpose(1, 2)


# %% wrong: the edge filled up with zeros
# Pads pictures at the right and at the bottom until patches tile them. A useful habit, but these functions are to
# refuse such pictures, so that the count of patches never comes as a surprise.
# Hint: which error does the docstring promise, and when?

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size * patch_size, d_model)

    def forward(self, images: Tensor) -> Tensor:
        missing_right = -images.shape[3] % self.patch_size
        missing_below = -images.shape[2] % self.patch_size
        images = F.pad(images, (0, missing_right, 0, missing_below))
        return self.projection(patchify(images, self.patch_size))


# %% wrong: pieces of rows in place of patches
# A reshape to (B, N, C * P * P) without moving any pixel. The shapes are right and a model even trains, but each word
# is a piece of memory, some rows of one channel, and not a square.
# Hint: compare the first word before the projection with patchify's, on the picture of numbers.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.num_channels = num_channels
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        height, width = images.shape[-2:]
        if height % self.patch_size or width % self.patch_size:
            raise ValueError("patches do not tile the image")
        words = images.reshape(images.shape[0], -1, self.num_channels * self.patch_size**2)
        return self.projection(words)


# %% correct: the linear map's weights as the kernel of a convolution

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.square = (num_channels, patch_size, patch_size)
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        step = self.square[1]
        if images.dim() != 4 or images.shape[2] % step or images.shape[3] % step:
            raise ValueError(f"patches of {step} x {step} do not tile images of the shape {tuple(images.shape)}")
        kernel = self.projection.weight.unflatten(1, self.square)
        grid = F.conv2d(images, kernel, self.projection.bias, stride=step)
        return grid.flatten(2).mT


# %% correct: patch by patch

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.side = patch_size
        self.add_module("projection", nn.Linear(num_channels * patch_size * patch_size, d_model, bias=True))

    def forward(self, images: Tensor) -> Tensor:
        words = [self.projection(patch) for patch in patchify(images, self.side).unbind(dim=1)]
        return torch.stack(words, dim=1)
