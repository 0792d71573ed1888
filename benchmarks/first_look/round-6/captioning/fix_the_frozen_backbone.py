# %% wrong: only the outermost flag is set back
# After super().train the backbone's own `training` is set to False, but not that of the modules inside
# it: the batch normalisations of a Sequential go on training.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def train(self, mode=True):
        super().train(mode)
        self.backbone.training = False
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% wrong: only two-dimensional batch norms are kept still
# After train() the BatchNorm2d layers alone are put back. Any module may be a backbone: dropout, or
# batch normalisation of another kind, works as in training again.

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


# %% wrong: the buffers are put back after each call
# The running means are saved before and restored after each forward, so they do not move. The mode is
# still that of training, and what is said of one image depends on the others.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def forward(self, images: Tensor) -> Tensor:
        saved = {name: buffer.clone() for name, buffer in self.backbone.named_buffers()}
        features = self.backbone(images)
        with torch.no_grad():
            for name, buffer in self.backbone.named_buffers():
                buffer.copy_(saved[name])
        return features


# %% wrong: no gradient gets through to the input
# The mode is kept, but forward runs under no_grad as frozen parts often do: the docstring wants the
# gradients to flow through to the input.

class FrozenBackbone(nn.Module):
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


# %% wrong: train cannot be called without a mode
# train is overridden without the default of its argument. Inside a model it works, since the model
# hands the mode on, but train() on this module itself is a TypeError.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def train(self, mode):
        super().train(mode)
        self.backbone.eval()
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% correct: the mode goes to this module and not below it

def asleep(module: nn.Module) -> nn.Module:
    for parameter in module.parameters():
        parameter.requires_grad = False
    return module.train(False)


class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.add_module("backbone", asleep(backbone))

    def train(self, mode: bool = True):
        self.training = mode
        asleep(self.backbone)
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% correct: a mixin that keeps named parts in evaluation

class KeepsInEvaluation:
    kept = ()

    def train(self, mode=True):
        result = super().train(mode)
        for name in self.kept:
            getattr(self, name).eval()
        return result


class FrozenBackbone(KeepsInEvaluation, nn.Module):
    kept = ("backbone",)

    def __init__(self, backbone):
        super().__init__()
        backbone.eval()
        backbone.requires_grad_(False)
        self.backbone = backbone

    def forward(self, images: Tensor) -> Tensor:
        features = self.backbone(images)
        return features
