# %% wrong: no gradient at all
# forward runs under no_grad, so that none flows through to the input. Shows for an input that requires gradients.


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
# The backbone stays as it is, but train() and eval() return None in place of the module.


class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def train(self, mode: bool = True):
        super().train(mode)
        self.backbone.eval()

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% wrong: only batch normalisation put back
# train() sets the rest of the backbone to training: with dropout in it, or a BatchNorm1d, it works as in training.


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


# %% wrong: hidden in a tuple
# train() does not find the backbone there, but state_dict() does not either, nor does double(): it is no submodule.


class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.hidden = (backbone.requires_grad_(False).eval(),)  # modules() does not look into tuples

    @property
    def backbone(self):
        return self.hidden[0]

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% correct: always evaluation, whatever is asked for


class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        for parameter in backbone.parameters():
            parameter.requires_grad = False
        self.add_module("backbone", backbone)
        self.train()

    def train(self, mode: bool = True):
        return super().train(False)

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% correct: only the own flag follows


class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone
        backbone.eval()
        backbone.requires_grad_(False)

    def train(self, mode: bool = True):
        self.training = bool(mode)
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self._modules["backbone"](images)
