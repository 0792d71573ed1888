# %% wrong: train returns nothing
# train() puts the backbone back, but does not return the module; eval() returns what train(False) does.
# Shows for frozen.train() and frozen.eval(), which are None, so that model = FrozenBackbone(b).eval() is lost.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def train(self, mode=True):
        super().train(mode)
        self.backbone.eval()

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% wrong: only the batch normalisations
# After train() only the BatchNorm2d inside go back to evaluation; everything else is in training mode.
# Shows for a backbone with dropout, or with BatchNorm1d: it says something else after train().

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


# %% wrong: an attribute in place of the method
# backbone.requires_grad = False makes a new attribute of the module; its parameters take gradients as before.
# Shows for every backbone with parameters: p.requires_grad is True, and backward fills p.grad.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone
        self.backbone.requires_grad = False
        self.backbone.eval()

    def train(self, mode: bool = True):
        super().train(mode)
        self.backbone.eval()
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% wrong: outside the modules, so that train does not reach it
# The backbone is hidden in a list: no train() finds it, and neither do state_dict(), to() and double().
# Shows for state_dict(), which has none of its values.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self._frozen = [backbone.requires_grad_(False).eval()]

    @property
    def backbone(self):
        return self._frozen[0]

    def forward(self, images: Tensor) -> Tensor:
        return self._frozen[0](images)


# %% correct: the backbone never hears of the new mode

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        for parameter in backbone.parameters():
            parameter.requires_grad = False
        self.backbone = backbone.train(False)

    def train(self, mode: bool = True):
        self.training = mode
        for child in self.children():
            child.train(mode and child is not self.backbone)
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% correct: a base class that walks the modules by hand

class StaysInEvaluation(nn.Module):
    """A module of which everything below it keeps the mode of evaluation."""

    def calm(self):
        waiting = list(self._modules.values())
        while waiting:
            module = waiting.pop()
            if module is not None:
                module.training = False
                waiting.extend(module._modules.values())

    def train(self, mode: bool = True):
        module = super().train(mode)
        self.calm()
        return module


class FrozenBackbone(StaysInEvaluation):
    def __init__(self, backbone):
        super().__init__()
        self.add_module("backbone", backbone)
        self.requires_grad_(False)
        self.calm()

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)
