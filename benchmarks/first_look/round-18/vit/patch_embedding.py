# %% wrong: a map without bias
# The paper's E has no bias, but the docstring asks for one: projection.bias is None.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size**2, d_model, bias=False)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(patchify(images, self.patch_size))


# %% wrong: projection is a convolution
# nn.Conv2d in place of nn.Linear: the weight is (D, C, P, P) and not (D, C * P * P), and an image that does not tile is cut off silently.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.projection = nn.Conv2d(num_channels, d_model, kernel_size=patch_size, stride=patch_size)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(images).flatten(2).transpose(1, 2)


# %% wrong: the convolution of the text, without the error
# conv2d with the Linear's weights leaves out what is over: an image of 9 x 8 with P = 4 raises no ValueError.

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


# %% wrong: columns of the weight with the channels last
# The columns go pixel by pixel with channels last and not in patchify's order: with C of 2 or more the same weights give other tokens.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.num_channels = num_channels
        self.projection = nn.Linear(patch_size * patch_size * num_channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        patches = patchify(images, self.patch_size)
        patches = patches.unflatten(2, (self.num_channels, -1)).transpose(2, 3).flatten(2)
        return self.projection(patches)


# %% correct: a strided convolution after the test

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)
        self.kernel_shape = (d_model, num_channels, patch_size, patch_size)

    def forward(self, images: Tensor) -> Tensor:
        P = self.kernel_shape[-1]
        if images.shape[-2] % P or images.shape[-1] % P:
            raise ValueError(f"patches of {P} do not tile {tuple(images.shape)}")
        kernel = self.projection.weight.reshape(self.kernel_shape)
        grid = F.conv2d(images, kernel, stride=P)  # (B, D, H / P, W / P)
        return grid.permute(0, 2, 3, 1).flatten(1, 2) + self.projection.bias


# %% correct: one einsum over the split axes

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.size = patch_size
        self.projection = nn.Linear(num_channels * patch_size * patch_size, d_model)

    def forward(self, images: Tensor) -> Tensor:
        P = self.size
        B, C, H, W = images.shape
        if H % P or W % P:
            raise ValueError(f"patches of {P} x {P} do not tile {H} x {W}")
        cut = images.reshape(B, C, H // P, P, W // P, P)
        weight = self.projection.weight.unflatten(1, (C, P, P))
        words = torch.einsum("bchpwq,dcpq->bhwd", cut, weight) + self.projection.bias
        return words.reshape(B, -1, words.shape[-1])
