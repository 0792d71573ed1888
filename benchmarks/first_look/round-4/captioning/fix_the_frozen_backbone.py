# %% wrong: no gradient gets through to the input
# The mode is kept, but forward runs under no_grad, so nothing that lies before the backbone can learn. Parameters without gradients do not need that.
# Hint: give it images that require a gradient, and call backward on the sum of the grid.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def train(self, mode=True):
        super().train(mode)
        self.backbone.eval()
        return self

    def forward(self, images: Tensor) -> Tensor:
        with torch.no_grad():
            return self.backbone(images)


# %% wrong: train returns nothing
# The backbone stays in evaluation, but train() gives None back. frozen = frozen.train() or FrozenBackbone(net).eval() leaves nothing behind.
# Hint: print what train() and eval() of your module return.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def train(self, mode=True):
        super().train(mode)
        self.backbone.eval()

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% wrong: the backbone is hidden in a list
# A module in a plain list is no submodule: train() does not reach it, but neither do state_dict() and to(), so its values are not saved and it stays behind on the CPU.
# Hint: print the keys of state_dict().

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.hidden_away = [backbone.requires_grad_(False).eval()]

    def forward(self, images: Tensor) -> Tensor:
        return self.hidden_away[0](images)


# %% wrong: batch normalisation alone is kept in evaluation
# Only the modules of batch normalisation are set back to evaluation after train(). Any other part with a mode, such as dropout, works as in training.
# Hint: try a backbone with dropout in it. What does the docstring say of the backbone's kind?

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def train(self, mode=True):
        super().train(mode)
        for module in self.backbone.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.eval()
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% wrong: the running statistics are stopped but the mode is not
# The momentum of batch normalisation is set to zero, so the buffers no longer move. After train() it still normalises by the batch, and an image's features depend on its company.
# Hint: after train(), compare the features of two images alone with their features in a batch of eight.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()
        for module in self.backbone.modules():
            if isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d)):
                module.momentum = 0.0

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% correct: train is the same as eval for the whole module

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        for parameter in backbone.parameters():
            parameter.requires_grad = False
        self.backbone = backbone
        self.eval()

    def train(self, mode: bool = True):
        return super().train(False)

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% correct: the module takes the mode and its children are sent to evaluation

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone
        self.backbone.requires_grad_(False)
        self.train(self.training)

    def train(self, mode=True):
        self.training = mode
        for child in self.children():
            child.train(False)
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)
