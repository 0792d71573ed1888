# %% wrong: three channels, always
# The linear map is made for colour pictures.
# Promise: projection goes from num_channels * patch_size**2 to d_model. Shows for num_channels other than 3.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(3 * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(patchify(images, self.patch_size))


# %% wrong: a convolution that cuts off the rest
# The strided convolution with the same weights gives the same numbers, but it asks nothing.
# Promise: ValueError where patches do not tile the image. Shows for 7 x 8 pixels and P = 2: the last row is dropped.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.num_channels = num_channels
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        size = (self.num_channels, self.patch_size, self.patch_size)
        kernel = self.projection.weight.unflatten(1, size)
        features = F.conv2d(images, kernel, self.projection.bias, stride=self.patch_size)
        return features.flatten(2).transpose(1, 2)


# %% wrong: all pictures become float32
# patches.float(), so that uint8 pictures would go too.
# Promise: float64 stays float64. Shows for a module and images in float64: RuntimeError for the two dtypes.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size * patch_size, d_model)

    def forward(self, images: Tensor) -> Tensor:
        patches = patchify(images, self.patch_size)
        return self.projection(patches.float())


# %% wrong: a batch of one loses its axis
# squeeze() is to remove the axis of one that some shapes have.
# Promise: (B, C, H, W) -> (B, N, D), for every size, 1 included. Shows for B = 1, for N = 1 and for D = 1.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        words = patchify(images, self.patch_size).unsqueeze(2)  # (B, N, 1, C * P * P)
        return self.projection(words).squeeze()


# %% correct: one einsum over the six axes

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.shape = (num_channels, patch_size, patch_size)
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        _, P, _ = self.shape
        if images.ndim != 4 or images.shape[2] % P or images.shape[3] % P:
            raise ValueError(f"patches of {P} x {P} do not tile images of {tuple(images.shape)}")
        cut = images.unflatten(3, (-1, P)).unflatten(2, (-1, P))  # (B, C, h, P, w, P)
        E = self.projection.weight.unflatten(1, self.shape)
        tokens = torch.einsum("bchpwq,dcpq->bhwd", cut, E) + self.projection.bias
        return tokens.flatten(1, 2)


# %% correct: a convolution that asks first

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)
        self.patch_size, self.num_channels = patch_size, num_channels

    def forward(self, images: Tensor) -> Tensor:
        if images.dim() != 4 or any(side % self.patch_size for side in images.shape[2:]):
            raise ValueError("patches do not tile the image")
        kernel = self.projection.weight.view(-1, self.num_channels, self.patch_size, self.patch_size)
        grid = F.conv2d(images, kernel, stride=self.patch_size)
        batch, width, rows, columns = grid.shape
        return grid.permute(0, 2, 3, 1).reshape(batch, rows * columns, width) + self.projection.bias
