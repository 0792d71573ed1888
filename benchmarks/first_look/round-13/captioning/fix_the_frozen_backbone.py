# %% wrong: no gradient at all
# forward runs under no_grad: the backbone stays as it is, but no gradient flows through it to the input any more. Shows
# for an input that requires a gradient.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def train(self, mode: bool = True):
        super().train(mode)
        self.backbone.eval()
        return self

    @torch.no_grad()
    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)

# %% wrong: train returns nothing
# The mode is kept, but train() forgets to return the module, and eval(), which calls it, returns None too: shows in
# `model = FrozenBackbone(backbone).eval()`.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def train(self, mode=True):
        super().train(mode)
        self.backbone.eval()

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)

# %% wrong: batch normalization alone is put to sleep
# After train() only the BatchNorm2d layers are set back to evaluation. A dropout layer in the backbone works as in
# training then, and two calls give two outputs.

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

# %% wrong: only the parts of the backbone
# After train() the children of the backbone are set to evaluation, the backbone itself is not: shows for a backbone that
# is a single BatchNorm2d or Dropout, or whose own forward reads self.training.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def train(self, mode: bool = True):
        super().train(mode)
        for layer in self.backbone.children():
            layer.eval()
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)

# %% correct: a hook puts the backbone to evaluation before each use

def to_evaluation(module: nn.Module, arguments: tuple) -> None:
    module.eval()


class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone
        self.backbone.eval()
        for parameter in self.backbone.parameters():
            parameter.requires_grad = False
        self.backbone.register_forward_pre_hook(to_evaluation)

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)

# %% correct: train sets the flags of every module by itself

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.add_module("network", backbone)
        for parameter in backbone.parameters():
            parameter.requires_grad_(False)
        self.train(self.training)

    def train(self, mode: bool = True):
        self.training = mode
        for module in self.network.modules():
            module.training = False
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.network(images)
