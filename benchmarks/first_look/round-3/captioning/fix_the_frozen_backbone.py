# %% wrong: train gives nothing back
# train() keeps the backbone in evaluation but returns None in place of this module, and so does eval(), which calls it.
# Hint: what does `model = FrozenBackbone(b).eval()` leave in model?

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def train(self, mode=True):
        super().train(mode)
        self.backbone.eval()

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% wrong: train without its argument
# train() takes no mode, but a model that holds this module calls train(mode) on it, and eval() calls train(False): TypeError.
# Hint: with which argument does nn.Module call train of the modules inside it?

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


# %% wrong: only the batch normalisation of pictures
# Only BatchNorm2d layers are put back into evaluation; dropout and every other layer with a mode (BatchNorm1d, say) go on training.
# Hint: the docstring says "any module"; freeze one that has a dropout in it, and call it twice.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def train(self, mode=True):
        super().train(mode)
        for layer in self.backbone.modules():
            if isinstance(layer, nn.BatchNorm2d):
                layer.eval()
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% wrong: no gradient to the input either
# forward runs under no_grad, which cuts the way to the input; the docstring says that gradients flow through to it.
# Hint: frozen parameters take no gradient; who else in front of the backbone may want one?

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def train(self, mode=True):
        super().train(mode)
        self.backbone.eval()
        return self

    @torch.no_grad()
    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% correct: the mode set by hand, layer by layer

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone
        for parameter in self.backbone.parameters():
            parameter.requires_grad = False
        self.train(self.training)

    def train(self, mode: bool = True):
        self.training = mode
        for layer in self.backbone.modules():
            layer.training = False
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)
