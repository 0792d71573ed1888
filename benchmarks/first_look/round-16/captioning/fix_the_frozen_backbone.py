# %% wrong: hides the backbone in a list
# train() does not reach a module in a list, but neither does anything else: state_dict() lacks its values, and to() does not move it.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.hidden = [backbone.requires_grad_(False).eval()]

    def forward(self, images: Tensor) -> Tensor:
        return self.hidden[0](images)


# %% wrong: a momentum of zero
# The running statistics no longer drift, but in training mode the batch's own mean is still used (and dropout still drops):
# after train() an image's output depends on the others of the batch.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()
        for module in self.backbone.modules():
            if isinstance(module, nn.modules.batchnorm._BatchNorm):
                module.momentum = 0.0

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% wrong: sets requires_grad as an attribute of the module
# The mode is mended, but `backbone.requires_grad = False` only makes a new attribute: the parameters still take gradients.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone
        self.backbone.requires_grad = False
        self.backbone.eval()

    def train(self, mode: bool = True):
        super().train(mode)
        self.backbone.eval()
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


# %% wrong: only batch normalization is put into evaluation
# train() leaves other modules in training mode: a backbone with dropout gives random outputs after train().

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


# %% correct: train goes no further than this module

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        for parameter in backbone.parameters():
            parameter.requires_grad = False
        self.add_module("frozen", backbone.eval())

    def train(self, mode: bool = True):
        self.training = mode  # the backbone keeps the mode that it has
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.frozen(images)


# %% correct: sets the mode before each use

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.net = backbone
        for parameter in self.parameters():
            parameter.requires_grad_(False)

    def forward(self, images: Tensor) -> Tensor:
        for module in self.net.modules():
            module.training = False
        return self.net(images)
