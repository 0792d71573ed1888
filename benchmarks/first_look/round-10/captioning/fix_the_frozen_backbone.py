# %% wrong: no_grad in forward
# The mode is mended, and forward is wrapped in no_grad "since nothing is trained here".
# Promise: gradients flow through to the input. Shows for an input that requires gradients.

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


# %% wrong: hidden in a list
# In a list the backbone is no submodule, so train() does not reach it.
# Promise: it stays a submodule, so that state_dict() has its values. Shows for every backbone with parameters or buffers.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.hidden = [backbone.requires_grad_(False).eval()]

    @property
    def backbone(self):
        return self.hidden[0]

    def forward(self, images: Tensor) -> Tensor:
        return self.hidden[0](images)


# %% wrong: only the batch normalisation is put back
# After train() the BatchNorm2d layers are set to evaluation, and nothing else.
# Promise: ANY module works as in evaluation after train(). Shows for a backbone with dropout, or with BatchNorm1d.

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


# %% wrong: the backbone's children, but not the backbone itself
# The parts of the backbone are set to evaluation, the outermost module stays in training.
# Promise: any module works as in evaluation after train(). Shows where the backbone has no parts (nn.Dropout, nn.BatchNorm2d) or asks its own `training`.

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


# %% correct: train sets its own flag alone

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone
        for parameter in backbone.parameters():
            parameter.requires_grad_(False)
        self.train()

    def train(self, mode: bool = True):
        self.training = mode
        self.backbone.eval()  # and super().train is not asked at all
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% correct: every call of train is one of eval

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.add_module("backbone", backbone)
        self.requires_grad_(False)
        self.eval()

    def train(self, mode=True):
        return super().train(mode and False)

    def forward(self, images: Tensor) -> Tensor:
        return self.get_submodule("backbone")(images)
