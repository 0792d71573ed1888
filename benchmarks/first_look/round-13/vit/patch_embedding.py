# %% wrong: the projection is a convolution
# The same function, but `projection` has to be an nn.Linear of C * P * P to D: here its weight is (D, C, P, P), a
# state dict of the asked form does not load, and images that patches do not tile are cropped without an error.


class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.projection = nn.Conv2d(
            num_channels, d_model, kernel_size=patch_size, stride=patch_size
        )

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(images).flatten(2).transpose(1, 2)


# %% wrong: a border that does not fit is cut off
# Images are cropped to a multiple of the patch size first. The text wants ValueError: 5 by 6 pixels with P = 2.


class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        P = self.patch_size
        height, width = images.shape[-2] // P * P, images.shape[-1] // P * P
        return self.projection(patchify(images[..., :height, :width], P))


# %% wrong: no bias
# "An nn.Linear with bias": there is none here, so a black image gives zeros, and projection.bias is None. Shows with
# any bias that is not zero, and when a state dict is loaded.


class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size * patch_size, d_model, bias=False)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(patchify(images, self.patch_size))


# %% wrong: scaled like the word embeddings of chapter 06
# The vectors are multiplied by the square root of d_model, as the Transformer's embeddings were. The tokens are the
# linear map's output alone: shows for every image where d_model > 1.


class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.scale = d_model**0.5
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(patchify(images, self.patch_size)) * self.scale


# %% correct: the linear map folded into a strided convolution


class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.kernel_shape = (d_model, num_channels, patch_size, patch_size)
        self.projection = nn.Linear(num_channels * patch_size * patch_size, d_model)

    def forward(self, images: Tensor) -> Tensor:
        size = self.kernel_shape[-1]
        if images.dim() != 4 or images.shape[-2] % size or images.shape[-1] % size:
            raise ValueError(f"squares of {size} do not tile {tuple(images.shape)}")
        kernel = self.projection.weight.reshape(self.kernel_shape)
        found = F.conv2d(images, kernel, self.projection.bias, stride=size)
        return found.permute(0, 2, 3, 1).flatten(1, 2)


# %% correct: pixel by pixel, every patch at once


class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.side, self.channels = patch_size, num_channels
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        P = self.side
        if images.dim() != 4 or images.shape[2] % P or images.shape[3] % P:
            raise ValueError("the patches do not tile the images")
        columns = iter(self.projection.weight.unbind(dim=1))
        tokens = self.projection.bias
        for channel in range(self.channels):
            for i in range(P):
                for j in range(P):
                    grid = images[:, channel, i::P, j::P]  # (B, H / P, W / P)
                    tokens = tokens + grid.unsqueeze(3) * next(columns)
        return tokens.flatten(1, 2)
