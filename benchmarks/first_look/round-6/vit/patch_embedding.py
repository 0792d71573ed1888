# %% wrong: as a convolution that crops the edge
# The weights are folded into a strided convolution. Where patches do not tile the image it leaves out
# the rest at the edge without a word, and no ValueError is raised.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.num_channels = num_channels
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        P = self.patch_size
        kernel = self.projection.weight.view(-1, self.num_channels, P, P)
        return F.conv2d(images, kernel, self.projection.bias, stride=P).flatten(2).transpose(1, 2)


# %% wrong: the size of a patch is found out later
# LazyLinear has no weights before the first image comes, so parameters cannot be counted, copied or
# given to an optimiser, and num_channels is not used.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.LazyLinear(d_model)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(patchify(images, self.patch_size))


# %% wrong: scaled by the root of the width
# The tokens are multiplied by the square root of d_model, as the Transformer does with its embeddings
# of words. Here the map is linear and nothing else.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.scale = d_model**0.5
        self.projection = nn.Linear(num_channels * patch_size * patch_size, d_model)

    def forward(self, images: Tensor) -> Tensor:
        return self.scale * self.projection(patchify(images, self.patch_size))


# %% wrong: three channels in any case
# The input size of the map is written for colour images. With one channel, or with a feature map's 32,
# the sizes do not fit.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.P = patch_size
        self.projection = nn.Linear(3 * patch_size**2, d_model, bias=True)

    def forward(self, images: Tensor) -> Tensor:
        words = patchify(images, self.P)
        return self.projection(words)


# %% wrong: the channels of a pixel side by side
# The images are cut here with the channels last, as image files have them, and not laid out as patchify
# does. With one channel it makes no difference.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        P = self.patch_size
        B, C, H, W = images.shape
        if H % P or W % P:
            raise ValueError("patches do not tile the image")
        cut = images.permute(0, 2, 3, 1).reshape(B, H // P, P, W // P, P, C)
        return self.projection(cut.transpose(2, 3).reshape(B, -1, P * P * C))


# %% correct: a strided convolution that refuses a rest

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.kernel_shape = (d_model, num_channels, patch_size, patch_size)
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        size = self.kernel_shape[-1]
        if images.dim() != 4 or images.shape[2] % size or images.shape[3] % size:
            raise ValueError(f"patches of {size} x {size} do not tile {tuple(images.shape)}")
        kernel = self.projection.weight.reshape(self.kernel_shape)
        grid = F.conv2d(images, kernel, bias=self.projection.bias, stride=size)
        return torch.einsum("bdn->bnd", grid.flatten(start_dim=2))


# %% correct: one patch after the other

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.side = patch_size
        numbers = num_channels * patch_size * patch_size
        self.projection = nn.Linear(in_features=numbers, out_features=d_model)

    def word(self, images, top, left):
        square = images[..., top : top + self.side, left : left + self.side]
        return self.projection(square.flatten(1))

    def forward(self, images: Tensor) -> Tensor:
        if images.ndim != 4:
            raise ValueError("images need the axes batch, channel, row and column")
        height, width = images.shape[2:]
        if height % self.side or width % self.side:
            raise ValueError("patches do not tile the image")
        corners = [(y, x) for y in range(0, height, self.side) for x in range(0, width, self.side)]
        return torch.stack([self.word(images, *corner) for corner in corners], dim=1)
