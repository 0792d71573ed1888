# %% wrong: tokens times the root of d_model
# The habit from word embeddings: the tokens are multiplied by sqrt(d_model), which the map does not have.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.d_model = d_model
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        patches = patchify(images, self.patch_size)
        return self.projection(patches) * self.d_model**0.5


# %% wrong: three channels written in
# num_channels is not used; right for photographs, and it breaks with one grey channel or with a feature map.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(3 * patch_size * patch_size, d_model)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(patchify(images, self.patch_size))


# %% wrong: the edge is cropped off
# An image that patches do not tile is cropped until they do, where a ValueError is asked for.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        P = self.patch_size
        height = images.shape[2] // P * P
        width = images.shape[3] // P * P
        images = images[:, :, :height, :width]
        return self.projection(patchify(images, P))


# %% wrong: a strided convolution under the name projection
# projection is an nn.Conv2d and not an nn.Linear; its weight has four axes, and an image that does not fit is cut off without an error.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.projection = nn.Conv2d(num_channels, d_model, kernel_size=patch_size, stride=patch_size)

    def forward(self, images: Tensor) -> Tensor:
        x = self.projection(images)  # (B, D, H / P, W / P)
        return x.flatten(2).transpose(1, 2)


# %% wrong: each patch is standardised first
# Mean and spread of every patch are taken out before the linear map, so it is not the map of the patch any more.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.num_inputs = num_channels * patch_size * patch_size
        self.projection = nn.Linear(self.num_inputs, d_model, bias=True)

    def forward(self, images: Tensor) -> Tensor:
        patches = patchify(images, self.patch_size)
        patches = F.layer_norm(patches, (self.num_inputs,))
        return self.projection(patches)


# %% correct: a convolution with the folded weights

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.kernel_shape = (d_model, num_channels, patch_size, patch_size)
        self.projection = nn.Linear(num_channels * patch_size * patch_size, d_model)

    def forward(self, images: Tensor) -> Tensor:
        step = self.kernel_shape[-1]
        if images.dim() != 4 or images.size(2) % step or images.size(3) % step:
            raise ValueError(f"patches of {step} x {step} do not tile images {tuple(images.shape)}")
        kernel = self.projection.weight.view(self.kernel_shape)
        grid = torch.conv2d(images, kernel, self.projection.bias, stride=step)
        return grid.flatten(2).mT


# %% correct: one sum over channel, row and column

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.side = patch_size
        self.channels = num_channels
        self.projection = nn.Linear(in_features=num_channels * patch_size**2, out_features=d_model)

    def forward(self, images: Tensor) -> Tensor:
        side = self.side
        if images.ndim != 4:
            raise ValueError("images must be (B, C, H, W)")
        rows, lost_rows = divmod(images.shape[2], side)
        columns, lost_columns = divmod(images.shape[3], side)
        if lost_rows or lost_columns:
            raise ValueError("the patches do not tile the image")
        squares = images.unflatten(3, (columns, side)).unflatten(2, (rows, side))  # (B, C, h, P, w, P)
        weight = self.projection.weight.unflatten(1, (self.channels, side, side))
        tokens = torch.einsum("bchywx,dcyx->bhwd", squares, weight) + self.projection.bias
        return tokens.flatten(1, 2)
