# %% wrong: train returns nothing
# train() gives None: model.train().x or eval() chains on this module fail.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def train(self, mode: bool = True):
        super().train(mode)
        self.backbone.eval()

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)

# %% wrong: no gradient at all
# forward under no_grad: no gradient reaches the input.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def forward(self, images: Tensor) -> Tensor:
        self.backbone.eval()
        with torch.no_grad():
            return self.backbone(images)

# %% wrong: only batch normalization is held
# Dropout inside the backbone works as in training after train().

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def train(self, mode: bool = True):
        super().train(mode)
        for module in self.backbone.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.eval()
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)

# %% wrong: kept out of the modules
# The backbone is hidden in a list, so state_dict() lacks its values.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.kept = [backbone.requires_grad_(False).eval()]

    def forward(self, images: Tensor) -> Tensor:
        return self.kept[0](images)

# %% correct: train asks for evaluation

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def train(self, mode: bool = True):
        self.training = mode
        for child in self.children():
            child.train(False)
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)

# %% correct: each submodule set before each use

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.network = backbone
        for parameter in backbone.parameters():
            parameter.requires_grad = False
        self.train(self.training)

    def train(self, mode: bool = True):
        super().train(mode)
        for module in self.network.modules():
            module.training = False
        return self

    def forward(self, images: Tensor) -> Tensor:
        self.network.eval()
        return self.network(images)

