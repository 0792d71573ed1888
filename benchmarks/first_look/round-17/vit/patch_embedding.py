# %% wrong: a strided convolution with the map's weight, which drops what is left over
# The numbers are right where patches tile the image. Where they do not, conv2d leaves out the last rows and columns in place
# of raising ValueError: 5 x 8 pixels with patches of 2.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.num_channels = num_channels
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        P = self.patch_size
        kernel = self.projection.weight.view(-1, self.num_channels, P, P)
        features = F.conv2d(images, kernel, self.projection.bias, stride=P)
        return features.flatten(2).transpose(1, 2)


# %% wrong: the width of a patch is left to LazyLinear
# The map has no weights before the first forward: its parameters cannot be counted or read, in_features is 0, and it takes
# any number of channels.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.LazyLinear(d_model)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(patchify(images, self.patch_size))


# %% wrong: three channels, always
# num_channels is not used. Shows for every other number of channels, such as the gray digits' one.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(3 * patch_size * patch_size, d_model)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(patchify(images, self.patch_size))


# %% wrong: the images are made float32 first
# .float(), "because patchify takes any dtype". In float64 the linear map then raises RuntimeError: shows for
# PatchEmbedding(...).double() with float64 images.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        words = patchify(images, self.patch_size).float()
        return self.projection(words)


# %% correct: one patch at a time

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.side = patch_size
        self.projection = nn.Linear(num_channels * patch_size * patch_size, d_model)

    def forward(self, images: Tensor) -> Tensor:
        if images.dim() != 4 or images.shape[2] % self.side or images.shape[3] % self.side:
            raise ValueError(f"no patches of {self.side} x {self.side} in {tuple(images.shape)}")
        tokens = [
            self.projection(square.flatten(1))
            for line in images.split(self.side, dim=2)
            for square in line.split(self.side, dim=3)
        ]
        return torch.stack(tokens, dim=1)


# %% correct: six axes, and one einsum with the folded weight

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.shape = (num_channels, patch_size, patch_size)
        self.projection = nn.Linear(num_channels * patch_size**2, d_model, bias=True)

    def forward(self, images: Tensor) -> Tensor:
        _, P, _ = self.shape
        if images.ndim != 4 or any(side % P for side in images.shape[2:]):
            raise ValueError(f"patches of {P} do not tile {tuple(images.shape)}")
        kernel = self.projection.weight.unflatten(1, self.shape)
        squares = images.unflatten(3, (-1, P)).unflatten(2, (-1, P))  # (B, C, rows, P, columns, P)
        tokens = torch.einsum("bcriwj,dcij->brwd", squares, kernel)
        return tokens.flatten(1, 2) + self.projection.bias
