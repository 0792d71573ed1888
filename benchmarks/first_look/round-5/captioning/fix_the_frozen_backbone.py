# %% wrong: requires_grad is set on the module
# backbone.requires_grad = False makes a new attribute of the module and touches no parameter: they go on taking
# gradients. The mode is mended.

class FrozenBackbone(nn.Module):
    """A trained network that stays as it is while the model around it trains."""

    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone
        self.backbone.requires_grad = False
        self.backbone.eval()

    def train(self, mode=True):
        super().train(mode)
        self.backbone.eval()
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% wrong: only batchnorm2d is put back into evaluation
# After train() the layers of that one class go back to eval; Dropout, and batch normalisation of other kinds, stay in
# training. The backbone may be any module.

class FrozenBackbone(nn.Module):
    """A trained network that stays as it is while the model around it trains."""

    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def train(self, mode: bool = True):
        super().train(mode)
        for layer in self.backbone.modules():
            if isinstance(layer, nn.BatchNorm2d):
                layer.eval()
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% wrong: no gradient goes through to the input
# forward runs under no_grad, as frozen networks often do. The parameters need no gradient, but the input must get one.

class FrozenBackbone(nn.Module):
    """A trained network that stays as it is while the model around it trains."""

    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def train(self, mode=True):
        self.training = mode
        self.backbone.eval()
        return self

    @torch.no_grad()
    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% wrong: train returns the backbone
# The last line gives back what backbone.eval() returns, which is the backbone, and not this module; the same goes for
# eval(), which calls train(False).

class FrozenBackbone(nn.Module):
    """A trained network that stays as it is while the model around it trains."""

    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def train(self, mode=True):
        super().train(mode)
        return self.backbone.eval()

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% wrong: hidden in a list, where train does not find it
# A module in a plain list is no submodule: train() does not reach it, but neither do state_dict(), to() and
# parameters().

class FrozenBackbone(nn.Module):
    """A trained network that stays as it is while the model around it trains."""

    def __init__(self, backbone):
        super().__init__()
        self.hidden = [backbone.requires_grad_(False).eval()]

    @property
    def backbone(self):
        return self.hidden[0]

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% correct: train always means evaluation

class FrozenBackbone(nn.Module):
    """A trained network that stays as it is while the model around it trains."""

    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone
        for parameter in self.parameters():
            parameter.requires_grad_(False)
        self.train()

    def train(self, mode=True):
        return super().train(False)

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% correct: the flags of all parts are set by hand

def _still(module):
    for part in module.modules():
        part.training = False
    return module


class FrozenBackbone(nn.Module):
    """A trained network that stays as it is while the model around it trains."""

    def __init__(self, backbone):
        super().__init__()
        backbone.requires_grad_(requires_grad=False)
        self.add_module("backbone", _still(backbone))

    def train(self, mode: bool = True):
        self.training = bool(mode)
        _still(self.backbone)
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)
