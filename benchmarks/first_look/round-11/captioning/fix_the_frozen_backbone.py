# %% wrong: the backbone runs without a record
# Frozen is taken to mean no_grad in forward. The mode is right, but gradients do not flow through to the input. Shows
# for images that require gradients, or come from a module that learns.

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


# %% wrong: eval first, and train after it
# train() is overridden, but calls the parent's train last, which puts the backbone back in training mode. Shows after
# train(), with BatchNorm or dropout.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def train(self, mode: bool = True):
        self.backbone.eval()
        return super().train(mode)

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% wrong: only batch normalisation is held
# The layers of the bug, BatchNorm2d, are kept in evaluation; everything else follows train(). Shows for a backbone with
# dropout (or another kind of BatchNorm): after train() its output is random.

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


# %% wrong: the backbone is hidden from train()
# In a list the backbone is no submodule, so train() does not reach it, and neither do state_dict() and to(): its values
# are missing in what is saved. Shows in state_dict(), which is empty.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.hidden = [backbone.requires_grad_(False).eval()]

    def forward(self, images: Tensor) -> Tensor:
        return self.hidden[0](images)


# %% correct: train() stops here

# train sets this module's own flag and does not go on to the backbone, which stays as __init__ left it.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.frozen = backbone
        for parameter in self.frozen.parameters():
            parameter.requires_grad = False
        self.frozen.train(False)

    def train(self, mode: bool = True):
        self.training = mode
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.frozen(images)


# %% correct: back to evaluation before each use

# train() may do what it likes: forward looks at the flags of all modules inside and clears those that are set.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.inside = backbone.requires_grad_(False)
        self._rest()

    def _rest(self):
        awake = [module for module in self.inside.modules() if module.training]
        for module in awake:
            module.training = False

    def forward(self, images: Tensor) -> Tensor:
        self._rest()
        return self.inside(images)
