# %% wrong: train returns nothing
# The backbone stays in evaluation, but train() and eval() return None instead of the module: FrozenBackbone(b).eval() is None.

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def train(self, mode=True):
        super().train(mode)
        self.backbone.eval()

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)

# %% wrong: without gradients at all
# torch.no_grad freezes the way back to the input too: for images that take gradients the output takes none.

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

# %% wrong: only the batch normalization is put into evaluation
# The figures of the chapter come out right, as small_cnn has nothing else. A backbone with dropout drops numbers
# after train(), or BatchNorm1d drifts.

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

# %% wrong: hidden from train() in a list
# A module in a list is no submodule: train() does not reach it, but neither do state_dict(), to() and double(). The frozen
# values are missing from state_dict().

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.hidden = [backbone.requires_grad_(False).eval()]

    def forward(self, images: Tensor) -> Tensor:
        return self.hidden[0](images)

# %% correct: put into evaluation before each use
# A hook of the backbone itself: whatever mode it is in, it goes into evaluation just before it works.
def into_evaluation(module, arguments):
    module.eval()


class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone
        for parameter in backbone.parameters():
            parameter.requires_grad = False
        backbone.eval()
        backbone.register_forward_pre_hook(into_evaluation)

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)

# %% correct: train stops here
# The module takes the mode for itself and passes it on to nothing below.
class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.add_module("frozen", backbone)
        self.frozen.requires_grad_(False)
        self.frozen.eval()

    def train(self, mode: bool = True):
        self.training = mode
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.frozen(images)
