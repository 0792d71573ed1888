# %% wrong: the convolution in place of the linear map
# projection is an nn.Conv2d, as it is often written. Its weight is (D, C, P, P) and not an nn.Linear's (D, C * P * P), so a weight of
# that shape cannot be loaded; an image that patches do not tile raises nothing.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.projection = nn.Conv2d(num_channels, d_model, kernel_size=patch_size, stride=patch_size)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(images).flatten(2).transpose(1, 2)


# %% wrong: times the root of d_model
# Words were scaled by sqrt(d_model) in chapter 06; here the token is E x + b and nothing more. It shows for every image where
# d_model is not 1.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.d_model = d_model
        self.projection = nn.Linear(num_channels * patch_size * patch_size, d_model)

    def forward(self, images: Tensor) -> Tensor:
        words = patchify(images, self.patch_size)
        return self.projection(words) * self.d_model**0.5


# %% wrong: unfold drops what does not fit
# F.unfold cuts in patchify's order but leaves out the last rows or columns where P does not divide the picture: no ValueError for
# 5 x 4 pixels with P = 2.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.cut = nn.Unfold(patch_size, stride=patch_size)
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        patches = self.cut(images).transpose(1, 2)  # (B, N, C * P * P)
        return self.projection(patches)


# %% wrong: pictures made float32
# The pictures are made float32 because they may be bytes. A module in float64 with float64 pictures then stops with an error of
# two dtypes.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size**2, d_model, bias=True)

    def forward(self, images: Tensor) -> Tensor:
        images = images.float()
        return self.projection(patchify(images, self.patch_size))


# %% correct: a convolution with the linear map's numbers

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.window = (num_channels, patch_size, patch_size)
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        P = self.window[-1]
        if images.dim() != 4 or images.shape[2] % P or images.shape[3] % P:
            raise ValueError(f"patches of {P} x {P} do not tile {tuple(images.shape)}")
        kernel = self.projection.weight.unflatten(1, self.window)
        maps = F.conv2d(images, kernel, self.projection.bias, stride=P)
        return maps.flatten(2).mT


# %% correct: one pixel of every patch at a time

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size * patch_size, d_model)

    def forward(self, images: Tensor) -> Tensor:
        P = self.patch_size
        if images.dim() != 4:
            raise ValueError("images (B, C, H, W)")
        if images.size(2) % P != 0 or images.size(3) % P != 0:
            raise ValueError("patches do not tile the image")
        # (D, C, P * P)
        weight = self.projection.weight.reshape(-1, images.size(1), P * P)
        tokens = self.projection.bias
        for place in range(P * P):
            i, j = divmod(place, P)
            # (B, C, h, w), the same pixel of each patch
            pixel = images[:, :, i::P, j::P]
            tokens = tokens + torch.einsum("bchw,dc->bhwd", pixel, weight[:, :, place])
        return tokens.flatten(1, 2)
