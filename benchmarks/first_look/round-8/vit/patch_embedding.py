# %% wrong: a convolution under the name projection
# The same function as far as shapes go, but projection is an nn.Conv2d with weight (D, C, P, P) and not an nn.Linear:
# weights of the promised shape do not load. And where patches do not tile, it cuts the rest off without a ValueError.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.projection = nn.Conv2d(num_channels, d_model, kernel_size=patch_size, stride=patch_size)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(images).flatten(2).transpose(1, 2)


# %% wrong: multiplied by the root of d_model
# The factor that chapters on text put behind a word's embedding is applied to the patches too. Shows for any d_model
# above 1.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.d_model = d_model
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(patchify(images, self.patch_size)) * self.d_model**0.5


# %% wrong: a convolution with the map's weights, and no refusal
# projection is right and so are the numbers, but conv2d with a stride drops the pixels that do not fill a patch: no
# ValueError for 9 x 8 pixels in patches of 4, whose last row is not looked at.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        P = self.patch_size
        kernel = self.projection.weight.view(-1, images.shape[1], P, P)
        return F.conv2d(images, kernel, self.projection.bias, stride=P).flatten(2).transpose(1, 2)


# %% wrong: without the bias
# projection is made with bias=False, as for a table of words: there is no projection.bias, and a black image gives zeros.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size * patch_size, d_model, bias=False)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(patchify(images, self.patch_size))


# %% correct: summed over the places within a patch

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size, self.num_channels = patch_size, num_channels
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        P = self.patch_size
        if images.ndim != 4 or images.shape[2] % P or images.shape[3] % P:
            raise ValueError("patches do not tile the image")
        weight = self.projection.weight.view(-1, self.num_channels, P, P)
        tokens = self.projection.bias
        for down in range(P):
            for across in range(P):
                every = images[:, :, down::P, across::P]  # this pixel of every patch, (B, C, H / P, W / P)
                tokens = tokens + torch.einsum("bchw,dc->bhwd", every, weight[:, :, down, across])
        return tokens.flatten(1, 2)


# %% correct: one band of patches at a time, each word a column

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(in_features=num_channels * patch_size**2, out_features=d_model, bias=True)

    def forward(self, images: Tensor) -> Tensor:
        if images.ndim != 4:
            raise ValueError("images must be (B, C, H, W)")
        height, width = images.shape[2:]
        if height % self.patch_size or width % self.patch_size:
            raise ValueError(f"{self.patch_size} does not divide {height} x {width}")
        bands = images.split(self.patch_size, dim=2)  # each (B, C, P, W)
        rows = [F.unfold(band, self.patch_size, stride=self.patch_size) for band in bands]  # (B, C * P * P, W / P)
        across = [torch.matmul(self.projection.weight, row) for row in rows]  # (B, D, W / P)
        return torch.cat(across, dim=2).transpose(1, 2) + self.projection.bias
