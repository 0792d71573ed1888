# %% wrong: the backbone is hidden in a list
# train() does not reach it there, but neither does state_dict(): the backbone is no submodule any more, and its values are
# not saved (nor moved to another device).

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.hidden_away = [backbone.requires_grad_(False).eval()]

    def forward(self, images: Tensor) -> Tensor:
        return self.hidden_away[0](images)


# %% wrong: train takes no mode
# nn.Module.train is called with a mode, by eval() and by the model around it: module.eval() and model.train() raise a
# TypeError.

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


# %% wrong: only batch normalization is put into evaluation
# The buffers stay, but dropout in the backbone goes on dropping after train(), and from the start where the backbone came in
# training mode. Other norms, such as BatchNorm1d, are forgotten too.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False)
        self.still()

    def still(self):
        for module in self.backbone.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.eval()

    def train(self, mode: bool = True):
        super().train(mode)
        self.still()
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% wrong: the flag is set on the backbone alone
# `training = False` on the outer module does not reach the layers inside it: after train() its batch norms and dropouts are
# in training mode. Right only for a backbone that is itself a single layer.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def train(self, mode: bool = True):
        super().train(mode)
        self.backbone.training = False
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% correct: the mode is set before each use

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.add_module("network", backbone)
        for parameter in self.network.parameters():
            parameter.requires_grad = False
        self.network.eval()

    def forward(self, images: Tensor) -> Tensor:
        return self.network.eval()(images)


# %% correct: train hands every call down as an evaluation

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.frozen = backbone
        self.frozen.requires_grad_(False)
        self.train(self.training)

    def train(self, mode: bool = True):
        for child in self.children():
            child.train(False)
        self.training = bool(mode)
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.frozen(images)
