# %% wrong: no bias
# The map is made without the bias that the docstring names. It shows by its parameters:
# projection.bias is None, and a state with "projection.bias" cannot be loaded.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size**2, d_model, bias=False)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(patchify(images, self.patch_size))

# %% wrong: a convolution that leaves a rest
# conv2d with the stride of its window gives the same numbers, but where the patches do not tile the
# image it drops the rest. It shows for P = 4 and an image of 8 x 10: no ValueError.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size, self.num_channels = patch_size, num_channels
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        P = self.patch_size
        kernel = self.projection.weight.view(-1, self.num_channels, P, P)
        features = F.conv2d(images, kernel, self.projection.bias, stride=P)
        return features.flatten(2).transpose(1, 2)

# %% wrong: everything to float32
# .float() was meant for images of whole numbers. In a model in float64 it meets weights in float64.
# It shows after .double(), for images in float64: an error about the dtypes.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size * patch_size, d_model)

    def forward(self, images: Tensor) -> Tensor:
        words = patchify(images, self.patch_size).float()
        return self.projection(words)

# %% wrong: scaled like a word's vector
# The tokens are multiplied by the root of d_model, as the embedding of chapter 06 was. The patch
# embedding is the linear map alone. It shows for every d_model above 1.

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.scale = d_model**0.5
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(patchify(images, self.patch_size)) * self.scale

# %% correct: one pixel of the patch after the other, from slices with a step
class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size, self.num_channels = patch_size, num_channels
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        P, C = self.patch_size, self.num_channels
        if images.ndim != 4 or images.shape[1] != C or images.shape[2] % P or images.shape[3] % P:
            raise ValueError(f"cannot cut {tuple(images.shape)} into patches {C} x {P} x {P}")
        tokens, columns = self.projection.bias, iter(self.projection.weight.unbind(1))
        for channel in range(C):
            for row in range(P):
                for column in range(P):
                    pixels = images[:, channel, row::P, column::P].flatten(1)  # (B, N)
                    tokens = tokens + pixels.unsqueeze(2) * next(columns)
        return tokens

# %% correct: the patches in one long batch, through addmm
class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        numbers = num_channels
        for _ in range(2):
            numbers = numbers * patch_size
        self.add_module("projection", nn.Linear(numbers, d_model))
        self.cut = lambda images: patchify(images, patch_size)

    def forward(self, images: Tensor) -> Tensor:
        words = self.cut(images)
        flat = torch.addmm(self.projection.bias, words.flatten(0, 1), self.projection.weight.T)
        return flat.unflatten(0, words.shape[:2])
