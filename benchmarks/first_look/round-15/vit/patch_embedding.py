# %% wrong: a strided convolution that drops the rest
# conv2d with the map's weight gives the same numbers, but where patches do not tile the image it
# leaves the margin out without a word: no ValueError for 5 x 6 pixels with P = 2.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        P = self.patch_size
        kernel = self.projection.weight.view(-1, images.shape[1], P, P)
        features = F.conv2d(images, kernel, self.projection.bias, stride=P)
        return features.flatten(2).transpose(1, 2)

# %% wrong: the pixels' channels side by side
# An own cut, with the channels last inside a patch, as picture files have them. The columns of the
# weight then do not follow patchify's order. Shows with two channels and P above 1; one channel is right.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        P = self.patch_size
        B, C, H, W = images.shape
        if H % P or W % P:
            raise ValueError("patches do not tile the image")
        x = images.reshape(B, C, H // P, P, W // P, P).permute(0, 2, 4, 3, 5, 1)
        return self.projection(x.reshape(B, -1, P * P * C))

# %% wrong: a map without a bias
# "One linear map" taken as a matrix alone. projection has no bias, so state dicts with one do not
# load, and images of zeros give zeros.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size * patch_size, d_model, bias=False)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(patchify(images, self.patch_size))

# %% wrong: scaled like the translator's embedding
# The tokens are multiplied by the root of d_model, as chapter 06 does with its embeddings.
# Shows for every d_model but 1.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.d_model = d_model
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(patchify(images, self.patch_size)) * self.d_model**0.5

# %% correct: a convolution with the map's rows as kernels, after a look at the size

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.sizes = num_channels, patch_size, patch_size
        self.projection = nn.Linear(num_channels * patch_size * patch_size, d_model)

    def forward(self, images: Tensor) -> Tensor:
        side = self.sizes[-1]
        if images.ndim != 4 or images.shape[2] % side or images.shape[3] % side:
            raise ValueError(f"squares of {side} do not tile {tuple(images.shape)}")
        kernels = self.projection.weight.unflatten(1, self.sizes)
        return F.conv2d(images, kernels, self.projection.bias, stride=side).flatten(2).mT

# %% correct: a sum over the pixels of a patch, one place in the patch at a time

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size**2, d_model, bias=True)

    def forward(self, images: Tensor) -> Tensor:
        P = self.patch_size
        if images.dim() != 4 or images.size(2) % P != 0 or images.size(3) % P != 0:
            raise ValueError("patches do not tile these images")
        weight = self.projection.weight.unflatten(1, (images.size(1), P, P))  # (D, C, P, P)
        tokens = self.projection.bias
        for i in range(P):
            for j in range(P):
                pixels = images[:, :, i::P, j::P].flatten(2)  # (B, C, N)
                tokens = tokens + torch.einsum("bcn,dc->bnd", pixels, weight[:, :, i, j])
        return tokens
