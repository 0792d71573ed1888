# %% wrong: as it was found
# In training the grid changes: train() on a model reaches every module inside it, this backbone too, and its batch
# normalization then goes by the batch and moves its running values. Give this module a `train` of its own (`eval` calls
# it too) that ends with the backbone in evaluation mode.

# --- before
    def train(self, mode=True):
        super().train(mode)
        self.backbone.eval()
        return self

    def forward(self, images: Tensor) -> Tensor:
# --- after
    def forward(self, images: Tensor) -> Tensor:

# %% wrong: no gradient to the image
# Nothing in the backbone moves any more, but no gradient passes through it to the image either, and the docstring
# promises one. It is enough that its parameters take none: leave out `no_grad` and `detach`.

# --- before
        return self.backbone(images)
# --- after
        with torch.no_grad():
            return self.backbone(images)

# %% wrong: its parameters still learn
# Its running values stay, and its parameters still take gradients. Freezing needs both.

# --- before
        self.backbone = backbone.requires_grad_(False).eval()
# --- after
        self.backbone = backbone.eval()

# %% wrong: the running values stay, the batch still matters
# The running values no longer move, but in training the normalization still goes by the batch, so a picture's grid
# depends on the other pictures. Put the backbone into evaluation mode.

# --- before
        self.backbone.eval()
# --- after
        for module in self.backbone.modules():
            module.training = module.training and isinstance(module, nn.modules.batchnorm._BatchNorm)
            if module.training:
                module.momentum = 0.0

# %% wrong: it is put into evaluation only when train is called
# It is right after a call of train() or eval(), and wrong before the first one: the backbone came in training mode. Put
# it into evaluation mode in the constructor too.

# --- before
        self.backbone = backbone.requires_grad_(False).eval()
# --- after
        self.backbone = backbone.requires_grad_(False)

# %% wrong: only batch normalizations are put into evaluation
# One kind of batch normalization was put into evaluation, and nothing else. Dropout has a mode as well, and so have
# other normalizations: put the backbone as a whole into evaluation.

# --- before
        self.backbone.eval()
# --- after
        for module in self.backbone.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.eval()

# %% wrong: train gives nothing back
# `train` returned None, and eval() returns what `train` does, so `model = model.eval()` would lose the model. Return
# self.

# --- before
        return self
# --- after

# %% wrong: kept in a list
# In a list the backbone is out of train()'s reach, and out of everything else's too: state_dict() would not save it,
# and to(device) would not move it. Keep it as an attribute, and give this module a `train` of its own.

# --- before
        self.backbone = backbone.requires_grad_(False).eval()

    def train(self, mode=True):
        super().train(mode)
        self.backbone.eval()
        return self
# --- after
        self.kept = [backbone.requires_grad_(False).eval()]
# --- before
        return self.backbone(images)
# --- after
        return self.kept[0](images)

# %% correct: train that always says False
# --- before
        super().train(mode)
        self.backbone.eval()
        return self
# --- after
        return super().train(False)

# %% correct: train that passes nothing on
# --- before
        super().train(mode)
        self.backbone.eval()
# --- after
        self.training = mode

# %% correct: evaluation before each use
# --- before
    def train(self, mode=True):
        super().train(mode)
# --- after
    def forward(self, images: Tensor) -> Tensor:
# --- before
        return self

    def forward(self, images: Tensor) -> Tensor:
# --- after

# %% correct: a copy that does not listen
import copy

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        own = copy.deepcopy(backbone)
        own.requires_grad_(False)
        own.eval()
        own.train = lambda mode=True: own
        self.net = own

    def forward(self, images):
        return self.net(images)

# %% correct: written out
# --- before
        self.backbone.eval()
# --- after
        for module in self.backbone.modules():
            module.training = False
