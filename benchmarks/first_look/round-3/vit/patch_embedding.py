# %% wrong: a linear map without bias
# The docstring asks for an nn.Linear with bias; here there is none, so a checkpoint does not fit and a black patch gives zero.
# Hint: read the formula again: what stands behind E patch?

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size**2, d_model, bias=False)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(patchify(images, self.patch_size))


# %% wrong: three channels for ever
# The number of channels is written as the constant 3, so a grey picture or a feature map of 16 channels does not fit.
# Hint: which argument of the constructor have you not used?

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(3 * patch_size * patch_size, d_model)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(patchify(images, self.patch_size))


# %% wrong: the projection is a convolution
# The numbers are those of a patch embedding, but `projection` is an nn.Conv2d with weights (D, C, P, P) and not the nn.Linear that the docstring fixes.
# Hint: what shape has projection.weight in the cell that compares you with a convolution?

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Conv2d(num_channels, d_model, kernel_size=patch_size, stride=patch_size)

    def forward(self, images: Tensor) -> Tensor:
        if images.dim() != 4 or images.shape[2] % self.patch_size or images.shape[3] % self.patch_size:
            raise ValueError("patches do not tile the image")
        return self.projection(images).flatten(2).transpose(1, 2)


# %% wrong: a convolution that drops the edge
# A strided convolution leaves out the pixels that fill no whole patch, so the ValueError for patches that do not tile never comes.
# Hint: patchify refused such pictures; who does it now?

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


# %% correct: the same by a strided convolution

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.size, self.channels = patch_size, num_channels
        self.projection = nn.Linear(in_features=num_channels * patch_size * patch_size, out_features=d_model)

    def forward(self, images: Tensor) -> Tensor:
        if images.dim() != 4 or images.shape[-1] % self.size or images.shape[-2] % self.size:
            raise ValueError(f"patches of {self.size} do not tile images of shape {tuple(images.shape)}")
        kernel = self.projection.weight.unflatten(1, (self.channels, self.size, self.size))
        return F.conv2d(images, kernel, self.projection.bias, stride=self.size).flatten(2).mT
