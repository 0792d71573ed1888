# %% wrong: train that returns nothing
# Sets the mode rightly, and forgets to return self. Shows for model = FrozenBackbone(...).eval(), which is None, and
# for a chained train().

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)

    def train(self, mode: bool = True):
        super().train(mode)
        self.backbone.eval()


# %% wrong: hidden in a list
# Keeps the backbone in a list, where train() does not find it. Nor does state_dict(), nor to(): it is no submodule any
# more. Shows by state_dict(), which is empty.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.frozen = [backbone.requires_grad_(False).eval()]

    def forward(self, images: Tensor) -> Tensor:
        return self.frozen[0](images)


# %% wrong: batch normalization alone in evaluation
# Puts the BatchNorm2d layers back into evaluation after each train(), and only those. Shows for a backbone with
# dropout, or with another kind of normalization such as BatchNorm1d: it works as in training.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)

    def train(self, mode: bool = True):
        super().train(mode)
        for module in self.backbone.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.eval()
        return self


# %% wrong: no record at all
# Mode and parameters are right, but forward runs under no_grad, so the output has no record. Shows for an input that
# requires a gradient: none flows through to it.

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


# %% correct: every flag by hand in train

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.network = backbone
        for parameter in self.network.parameters():
            parameter.requires_grad = False
        self.train(self.training)

    def train(self, mode: bool = True):
        self.training = mode  # this module's own flag may follow
        for module in self.network.modules():
            module.training = False
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.network(images)


# %% correct: a hook that looks at the mode before each use

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.add_module("frozen", backbone)
        self.frozen.requires_grad_(False)
        self.frozen.eval()
        self.register_forward_pre_hook(self.as_in_evaluation)

    @staticmethod
    def as_in_evaluation(module, inputs):
        module.frozen.eval()  # returns nothing: the inputs stay as they are

    def forward(self, *args, **kwargs):
        return self.frozen(*args, **kwargs)
