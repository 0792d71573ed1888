# %% wrong: no_grad in forward
# The mode is kept, but forward runs under no_grad: no gradient flows through to the input. A good message: "the input's gradient is None: frozen parameters need no no_grad".

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

# %% wrong: hidden in a list
# A list hides the backbone from train(), and from everything else: it is no submodule, state_dict() has none of its values, and to("cuda") leaves it behind. A good message: "state_dict() has no backbone".

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.hidden = [backbone.requires_grad_(False).eval()]

    def forward(self, images: Tensor) -> Tensor:
        return self.hidden[0](images)

# %% wrong: momentum 0
# With momentum 0 the running values stand still; in training mode the batch's own mean is used all the same, so that a picture depends on its company (and dropout works on). A good message: "the buffers stay, but the features of one image change with the others of the batch".

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()
        for module in self.backbone.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.momentum = 0.0

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)

# %% wrong: train gives nothing back
# The mode is kept, but train() ends without return: model = model.train(), and eval(), which calls it, give None. A good message: "train() returns None and not the module".

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def train(self, mode=True):
        self.training = mode
        self.backbone.eval()

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)

# %% correct: train stops at this module

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone
        self.backbone.eval()
        for parameter in self.backbone.parameters():
            parameter.requires_grad = False

    def train(self, mode: bool = True):
        """Sets the flag of this module alone; nothing is passed on to the backbone."""
        self.training = mode
        return self

    def forward(self, *inputs, **named):
        return self.backbone(*inputs, **named)

# %% correct: always asks for evaluation

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.add_module("backbone", backbone)
        self.requires_grad_(False)
        self.train()

    def train(self, mode=True):
        return super().train(False)

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)
