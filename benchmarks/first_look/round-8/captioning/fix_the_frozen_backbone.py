# %% wrong: frozen with no_grad in forward as well
# train() is mended, but forward runs under no_grad, so no gradient reaches the input. Shows for images that require
# gradients (a patch of pixels or a layer before the backbone that is to be learned).

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


# %% wrong: only the batch normalisations are kept in evaluation
# After train() the BatchNorm layers are set back to eval and all else is left in training: a backbone with dropout
# draws at random after train(), and its other modules say training = True.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def train(self, mode: bool = True):
        super().train(mode)
        for module in self.backbone.modules():
            if isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)):
                module.eval()
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% wrong: a train() that takes no mode
# train(self) without the argument: eval() of this module, and train() or eval() of any model that holds it, call
# train(mode) and fail with a TypeError.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def train(self):
        super().train()
        self.backbone.eval()
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% wrong: the layers inside the backbone, and not the backbone itself
# After train() each child of the backbone is set to eval, but not the backbone: one that is a single BatchNorm2d, or
# that calls F.dropout(x, training=self.training) or looks at its own mode, is in training mode.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def train(self, mode=True):
        super().train(mode)
        for layer in self.backbone.children():
            layer.eval()
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% correct: whatever is asked, train(False) is what is handed down

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        for parameter in backbone.parameters():
            parameter.requires_grad = False
        self.add_module("backbone", backbone)
        self.train(False)

    def train(self, mode: bool = True):
        super().train(False)
        self.training = mode
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% correct: the mode set by hand, module by module

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone
        backbone.requires_grad_(False)
        self.train(self.training)

    def train(self, mode: bool = True):
        waiting = [self.backbone]
        while waiting:
            module = waiting.pop()
            module.training = False
            waiting.extend(module.children())
        self.training = mode
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)
