# %% wrong: no_grad around the backbone
# train() is mended, but forward runs under no_grad: no gradient reaches the input. It shows for images that require a
# gradient.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def train(self, mode: bool = True):
        super().train(mode)
        self.backbone.eval()
        return self

    def forward(self, images: Tensor) -> Tensor:
        with torch.no_grad():
            return self.backbone(images)


# %% wrong: train returns nothing
# The mode is right, but train() (and with it eval(), which calls it) returns None and not the module: frozen.train()(images)
# or frozen = FrozenBackbone(net).eval() fail.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def train(self, mode: bool = True):
        super().train(mode)
        self.backbone.eval()

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% wrong: only the batch norms are put into evaluation
# After train() the BatchNorm2d layers alone go back to evaluation. A backbone with dropout (or another norm with running
# values, such as BatchNorm1d) still works as in training.

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


# %% wrong: hidden from train() in a list
# In a list the backbone is no submodule, so train() does not find it, but neither do state_dict(), to() and double(): its
# values are missing in state_dict().

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.kept = [backbone.requires_grad_(False).eval()]

    def forward(self, images: Tensor) -> Tensor:
        return self.kept[0](images)


# %% correct: train() never goes down

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.network = backbone
        for parameter in self.network.parameters():
            parameter.requires_grad = False
        self.network.train(False)

    def train(self, mode: bool = True):
        self.training = bool(mode)  # nn.Module.train would call train(mode) of every child
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.network(images)


# %% correct: a hook sets the mode before each use

def to_evaluation(module: nn.Module, inputs: tuple) -> None:
    module.eval()


class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.still = backbone.eval()
        self.still.requires_grad_(False)
        self.still.register_forward_pre_hook(to_evaluation)

    def forward(self, images: Tensor) -> Tensor:
        return self.still(images)
