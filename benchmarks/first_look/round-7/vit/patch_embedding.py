# %% wrong: a Conv2d for the projection
# `projection` is no nn.Linear and its weight is (D, C, P, P); and a convolution cuts off what does not tile, without
# an error.


class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.projection = nn.Conv2d(num_channels, d_model, kernel_size=patch_size, stride=patch_size)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(images).flatten(2).transpose(1, 2)


# %% wrong: times the root of d_model
# The factor of chapter 05's word embeddings, taken over. Shows for d_model above 1.


class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.scale = d_model**0.5
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(patchify(images, self.patch_size)) * self.scale


# %% wrong: a convolution that drops the rest
# The Linear's weight as a strided convolution: the numbers are right, but an image of 5 x 8 in patches of 4 is cut
# short in place of a ValueError.


class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.kernel_shape = (d_model, num_channels, patch_size, patch_size)
        self.projection = nn.Linear(num_channels * patch_size * patch_size, d_model)

    def forward(self, images: Tensor) -> Tensor:
        kernel = self.projection.weight.view(self.kernel_shape)
        features = F.conv2d(images, kernel, self.projection.bias, stride=self.kernel_shape[-1])
        return features.flatten(2).transpose(1, 2)


# %% wrong: the feature map reshaped
# (B, D, rows, columns) is reshaped to (B, N, D), and the axis D is never moved. Shows for more than one patch, d_model
# above 1.


class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size, self.d_model = patch_size, d_model
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        batch, channels, height, width = images.shape
        if height % self.patch_size or width % self.patch_size:
            raise ValueError("patches do not tile the image")
        kernel = self.projection.weight.view(self.d_model, channels, self.patch_size, self.patch_size)
        features = F.conv2d(images, kernel, self.projection.bias, stride=self.patch_size)
        return features.reshape(batch, -1, self.d_model)


# %% correct: one contraction over six axes


class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.size = patch_size
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        if images.dim() != 4 or images.shape[2] % self.size or images.shape[3] % self.size:
            raise ValueError(f"patches of {self.size} do not tile images of {tuple(images.shape)}")
        cut = images.unflatten(2, (-1, self.size)).unflatten(4, (-1, self.size))  # (B, C, rows, P, columns, P)
        kernel = self.projection.weight.unflatten(1, (images.shape[1], self.size, self.size))
        return torch.einsum("bcrpsq,dcpq->brsd", cut, kernel).flatten(1, 2) + self.projection.bias


# %% correct: one patch after the other


class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(patch_size * patch_size * num_channels, d_model, bias=True)

    def forward(self, images: Tensor) -> Tensor:
        side = self.patch_size
        rows, rest_below = divmod(images.shape[2], side)
        columns, rest_right = divmod(images.shape[3], side)
        if rest_below or rest_right:
            raise ValueError("patches do not tile the image")
        tokens = []
        for n in range(rows * columns):
            top, left = side * (n // columns), side * (n % columns)
            square = images.narrow(2, top, side).narrow(3, left, side)
            tokens.append(self.projection(square.reshape(len(images), -1)))
        return torch.stack(tokens, dim=1)
