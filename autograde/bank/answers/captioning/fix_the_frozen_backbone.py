# %% wrong: as it was found
# In training the grid is another one: train() on a model reaches every module inside it, this backbone too, and its
# batch normalisation then goes by the batch and moves its running values. Say what train() is to do here (in `train`,
# not in `eval`), and let evaluation have the last word.

# --- before
    def train(self, mode=True):
        super().train(mode)
        self.backbone.eval()
        return self

    def forward(self, images: Tensor) -> Tensor:
# --- after
    def forward(self, images: Tensor) -> Tensor:

# %% wrong: no gradient to the image
# Nothing in the backbone moves any more, but no gradient passes through it to the image either, which the docstring
# promises. That its parameters take none is enough.

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
# The running values no longer move, but in training the normalisation still goes by the batch, so a picture's grid
# depends on its company. It has to work as in evaluation.

# --- before
        self.backbone.eval()
# --- after
        for module in self.backbone.modules():
            module.training = module.training and isinstance(module, nn.modules.batchnorm._BatchNorm)
            if module.training:
                module.momentum = 0.0

# %% wrong: it is put into evaluation only when train is called
# It is right after a call of train() or eval(), and wrong before the first one: the backbone was handed over in
# training mode. See to it in the constructor too.

# --- before
        self.backbone = backbone.requires_grad_(False).eval()
# --- after
        self.backbone = backbone.requires_grad_(False)

# %% wrong: only its outermost layers are put into evaluation
# The backbone's own layers are in evaluation, those inside its blocks are not, and the batch normalisation stands
# inside one. Call eval(), which reaches all of them.

# --- before
        self.backbone = backbone.requires_grad_(False).eval()
# --- after
        self.backbone = backbone.requires_grad_(False)
        self.train()
# --- before
        self.backbone.eval()
# --- after
        self.backbone.training = False
        for layer in self.backbone.children():
            layer.training = False

# %% wrong: normalised by the batch for good
# The running values were thrown away, so now even in evaluation a picture's grid goes by its batch. They are what the
# backbone learned: keep them, and use them always.

# --- before
        self.backbone.eval()
# --- after
        for module in self.backbone.modules():
            module.training = False
            if isinstance(module, nn.modules.batchnorm._BatchNorm):
                module.track_running_stats = False
                module.running_mean = module.running_var = None

# %% wrong: the running values are put back after each batch
# What the batch did to the running values is undone, but in training the grid itself was still made with the batch's
# own mean and variance. Let it work as in evaluation.

# --- before
    def train(self, mode=True):
        super().train(mode)
        self.backbone.eval()
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)
# --- after
    def forward(self, images: Tensor) -> Tensor:
        kept = {name: value.clone() for name, value in self.backbone.state_dict().items()}
        grid = self.backbone(images)
        self.backbone.load_state_dict(kept)
        return grid

# %% wrong: the grid is computed in training, and in evaluation on top
# The backbone is put into evaluation only after it has been run once in training, and that run has moved its running
# values already.

# --- before
    def train(self, mode=True):
        super().train(mode)
# --- after
    def forward(self, images: Tensor) -> Tensor:
        self.backbone(images)
# --- before
        return self

    def forward(self, images: Tensor) -> Tensor:
# --- after

# %% wrong: it stops normalising
# The normalisation was taken out, and with it a part of what the backbone learned: its outputs are no longer those it
# had in evaluation. Leave it in, and keep it in evaluation.

# --- before
        self.backbone = backbone.requires_grad_(False).eval()
# --- after
        self.backbone = backbone.requires_grad_(False).eval()
        for module in list(self.backbone.modules()):
            for name, child in list(module.named_children()):
                if isinstance(child, nn.modules.batchnorm._BatchNorm):
                    setattr(module, name, nn.Identity())

# %% wrong: only batch normalisations are put into evaluation
# One kind of batch normalisation was put into evaluation, and nothing else. Dropout has a mode as well, and so have
# other normalisations: put the backbone as a whole into evaluation.

# --- before
        self.backbone.eval()
# --- after
        for module in self.backbone.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.eval()

# %% wrong: its parts are put into evaluation, and not itself
# Every part of the backbone is in evaluation, and the backbone itself is not: a module may use its own mode too, in a
# dropout that is a function. Call eval() on the backbone.

# --- before
        self.backbone.eval()
# --- after
        for part in self.backbone.children():
            part.eval()

# %% wrong: train gives nothing back
# `train` returned None, and eval() returns what `train` does, so `model = model.eval()` would lose the model. Return
# self.

# --- before
        return self
# --- after

# %% wrong: only the backbone's flag is set
# The backbone's own flag says evaluation, and the modules inside it are still in training. eval() reaches all of them.

# --- before
        self.backbone.eval()
# --- after
        self.backbone.training = False

# %% wrong: train takes no mode
# `train` must take a mode: eval() calls train(False), and a model passes its own mode on to the modules inside.

# --- before
    def train(self, mode=True):
        super().train(mode)
# --- after
    def train(self):
        super().train()

# %% wrong: kept in a list
# In a list the backbone is out of train()'s reach, and out of everything else's too: state_dict() would not save it,
# and to(device) not move it. Keep it as an attribute, and say what `train` is to do.

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

# %% correct: written out

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        for parameter in backbone.parameters():
            parameter.requires_grad = False
        self.backbone = backbone
        self.train(False)

    def train(self, mode=True):
        self.training = mode
        for module in self.backbone.modules():
            module.training = False
        return self

    def forward(self, images):
        return self.backbone(images)

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

# %% correct: the batch normalisations' own train is replaced

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.eval()
        for p in self.backbone.parameters():
            p.requires_grad_(False)

    def train(self, mode=True):
        super().train(mode)
        for m in self.backbone.modules():
            m.train(False)
        return self

    def forward(self, images):
        grid = self.backbone(images)
        return grid
