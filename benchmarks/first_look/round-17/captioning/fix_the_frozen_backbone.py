# %% wrong: only the children are told
# train sets the mode of the backbone's children, not its own. Shows where the backbone itself is the layer with
# a mode: a BatchNorm2d or a Dropout, or a module whose forward asks for self.training.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False)
        self.train(self.training)

    def train(self, mode: bool = True):
        super().train(mode)
        for layer in self.backbone.children():
            layer.eval()
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)

# %% wrong: stops the running means, not the batch's
# momentum = 0 keeps the running mean and variance as they are, but after train() the layers still use the mean
# of the batch: an image's output depends on the others, and dropout drops. Shows after model.train().

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()
        for layer in self.backbone.modules():
            if isinstance(layer, nn.modules.batchnorm._BatchNorm):
                layer.momentum = 0.0

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)

# %% wrong: train without its mode
# A module's eval() calls train(False), and train(mode) of the model around it hands the mode on: with this
# signature both raise TypeError. Shows for eval() here, and for train() or eval() of a model that holds it.

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

# %% wrong: an attribute named requires_grad
# backbone.requires_grad = False makes a new attribute of the module and does nothing to its parameters: they
# still take gradients. Shows in backward, for every backbone with parameters.

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

# %% correct: whatever it is told, the whole module goes to evaluation

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.add_module("kept", backbone)
        for parameter in self.parameters():
            parameter.requires_grad_(False)
        self.eval()

    def train(self, mode: bool = True):
        return super().train(False)

    def forward(self, *images):
        return self.kept(*images)

# %% correct: each module's flag, before each use

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone
        self.freeze()

    def freeze(self):
        for module in self.backbone.modules():
            module.training = False
            for parameter in module.parameters(recurse=False):
                parameter.requires_grad = False

    def forward(self, images: Tensor) -> Tensor:
        self.freeze()
        return self.backbone(images)
