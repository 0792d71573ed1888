# %% wrong: a convolution under the name
# The numbers are those of a convolution and could be the same, but projection is to be an nn.Linear of shape (D, C * P * P); saved weights do not fit, and leftovers at the edges are dropped in silence. A good message: "projection.weight is (D, C, P, P), promised (D, C * P * P); H = 9, P = 4 must raise ValueError".

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.projection = nn.Conv2d(num_channels, d_model, kernel_size=patch_size, stride=patch_size)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(images).flatten(2).transpose(1, 2)

# %% wrong: a patch of one channel
# in_features is patch_size**2, the channels are forgotten: right for grey pictures. A good message: "with 3 channels a patch has 3 * P * P numbers".

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(patchify(images, self.patch_size))

# %% wrong: an activation and no bias
# The map is to be linear, with a bias; here it has none and a gelu behind. A good message: "projection.bias is None"; "twice the patch less the bias must give twice the token: the map is linear".

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size * patch_size, d_model, bias=False)

    def forward(self, images: Tensor) -> Tensor:
        return F.gelu(self.projection(patchify(images, self.patch_size)))

# %% correct: the linear map, run as a convolution

class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size, self.num_channels = patch_size, num_channels
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        P = self.patch_size
        if images.ndim != 4 or images.shape[2] % P or images.shape[3] % P:
            raise ValueError(f"patches of {P} do not tile images {tuple(images.shape)}")
        kernel = self.projection.weight.view(-1, self.num_channels, P, P)
        return F.conv2d(images, kernel, self.projection.bias, stride=P).flatten(2).mT
