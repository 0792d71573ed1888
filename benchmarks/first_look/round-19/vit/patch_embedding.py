# %% wrong: the map is a convolution
# The numbers are right, but `projection` is an nn.Conv2d (weight (D, C, P, P)) where an
# nn.Linear is asked for, and 6 x 8 pixels with P = 4 raise nothing.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.projection = nn.Conv2d(
            num_channels, d_model, kernel_size=patch_size, stride=patch_size
        )

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(images).flatten(2).transpose(1, 2)


# %% wrong: F.unfold cuts off what is left over
# F.unfold lays a patch out as patchify does, but a picture of 6 x 8 pixels with P = 4 loses its
# last rows instead of raising ValueError.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        patches = F.unfold(images, self.patch_size, stride=self.patch_size)
        return self.projection(patches.transpose(1, 2))


# %% wrong: no bias, as in the paper's equation
# Equation 1 has no bias, so the Linear has none; the docstring asks for one. Shows in the
# parameters of every model.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(
            num_channels * patch_size * patch_size, d_model, bias=False
        )

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(patchify(images, self.patch_size))


# %% wrong: a patch has P * P numbers
# Forgets the channels in the map's width: right for digits (one channel), but a picture with
# three channels does not fit the map.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.num_channels = num_channels
        self.projection = nn.Linear(patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(patchify(images, self.patch_size))


# %% correct: the Linear's weight as a convolution
# Keeps an nn.Linear and folds its rows into squares for conv2d; the sizes are checked by hand.
class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.kernel_shape = (d_model, num_channels, patch_size, patch_size)
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        side = self.kernel_shape[-1]
        if images.dim() != 4 or images.shape[-1] % side or images.shape[-2] % side:
            raise ValueError(f"patches of {side} do not tile {tuple(images.shape)}")
        kernel = self.projection.weight.view(self.kernel_shape)
        cells = F.conv2d(images, kernel, self.projection.bias, stride=side)
        return cells.flatten(2).mT


# %% correct: an einsum over the pixels of a patch
# Splits the two picture axes and sums over channel, row and column without laying patches out.
class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.side, self.channels = patch_size, num_channels
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        if images.dim() != 4:
            raise ValueError("images must be (B, C, H, W)")
        if images.size(2) % self.side or images.size(3) % self.side:
            raise ValueError("the patches do not tile the image")
        split = images.unflatten(3, (-1, self.side)).unflatten(2, (-1, self.side))
        squares = self.projection.weight.unflatten(1, (self.channels, self.side, self.side))
        tokens = torch.einsum("bcipjq,dcpq->bijd", split, squares)
        return tokens.flatten(1, 2) + self.projection.bias
