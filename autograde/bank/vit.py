"""Wrong and correct answers of chapter 08."""

from autograde.bank import Bank, Correct, Wrong, edit

# ---- patchify -------------------------------------------------------------------------------------------------------

_CUT = "squares = images.reshape(batch, channels, rows, patch_size, columns, patch_size)"
_TURN = "squares = squares.permute(0, 2, 4, 1, 3, 5)"

patchify = Bank(
    "patchify",
    wrong=[
        Wrong(
            "only a reshape",
            edit((f"    {_CUT}\n", ""), (_TURN, "squares = images")),
            "The pixels were read off in the order in which they lie in memory, so a patch holds whole rows of the image."
            " A square's pixels lie apart in memory: cut the height and the width into two axes each, and bring the two"
            " patch axes together. See section 8.2.",
        ),
        Wrong(
            "pixels before channels",
            edit((_TURN, "squares = squares.permute(0, 2, 4, 3, 5, 1)")),
            "Inside a patch the channels of one pixel stand together. The docstring asks for all pixels of the first "
            "channel, then all of the second: the channel's axis goes before the pixel's two.",
        ),
        Wrong(
            "columns of patches before rows",
            edit((_TURN, "squares = squares.permute(0, 4, 2, 1, 3, 5)")),
            "The patches come column by column. They are to be read as text is: along the first row of patches, then "
            "the next row.",
        ),
        Wrong(
            "pixels column by column",
            edit((_TURN, "squares = squares.permute(0, 2, 4, 1, 5, 3)")),
            "The patches are the right ones, and inside each the pixels come column by column. Row by row is asked for.",
        ),
        Wrong(
            "rows and columns of patches share one count",
            edit(
                ("rows, columns = height // patch_size, width // patch_size", "rows = columns = height // patch_size")
            ),
            "The count of rows was used for the columns too, which fits square images only. Height and width have a "
            "count each.",
        ),
        Wrong(
            "height and width named the wrong way round",
            edit(("batch, channels, height, width", "batch, channels, width, height")),
            "Height and width have changed places: images are (B, C, H, W), the height first. On square images nobody "
            "would notice.",
        ),
        Wrong(
            "the channels are averaged",
            edit(
                (
                    "squares.reshape(batch, rows * columns, channels * patch_size * patch_size)",
                    "squares.mean(dim=3).reshape(batch, rows * columns, patch_size * patch_size)",
                ),
            ),
            "The channels were averaged away. A patch keeps them all: its line is C * P * P long.",
        ),
        Wrong(
            "a grid of patches",
            edit(
                (
                    "squares.reshape(batch, rows * columns, channels * patch_size * patch_size)",
                    "squares.reshape(batch, rows, columns, channels * patch_size * patch_size)",
                ),
            ),
            "The patches still stand in a grid, rows by columns. A sequence is asked for: one axis of N.",
        ),
        Wrong(
            "the batch is joined to the patches",
            edit(
                (
                    "squares.reshape(batch, rows * columns, channels * patch_size * patch_size)",
                    "squares.reshape(-1, channels * patch_size * patch_size)",
                )
            ),
            "The patches of all images stand in one long row, and nobody knows any more whose they are. Keep the batch's "
            "axis: (B, N, C * P * P).",
        ),
        Wrong(
            "overlapping patches",
            """
def patchify(images, patch_size):
    if images.ndim != 4:
        raise ValueError("need four axes")
    if images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError("patches do not tile")
    return F.unfold(images, patch_size).transpose(1, 2)
""",
            "There are more patches than (H / P) * (W / P): they overlap. One patch ends where the next begins, so the "
            "step from patch to patch is P.",
        ),
        Wrong(
            "unfold, not transposed",
            """
def patchify(images, patch_size):
    if images.ndim != 4:
        raise ValueError("need four axes")
    if images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError("patches do not tile")
    return F.unfold(images, patch_size, stride=patch_size)
""",
            "What came back is (B, C * P * P, N): one column a patch. A sequence has its positions before its features,"
            " (B, N, C * P * P).",
        ),
        Wrong(
            "what does not tile is cut off",
            edit(
                (
                    "if height % patch_size or width % patch_size:",
                    "images = images[:, :, : height // patch_size * patch_size, : width // patch_size * patch_size]\n    if False:",
                )
            ),
            "Pixels at the edge that fill no patch were dropped without a word. The docstring promises a ValueError.",
        ),
        Wrong(
            "only the area is tested",
            edit(
                ("if height % patch_size or width % patch_size:", "if height * width % patch_size**2:"),
                (
                    "squares = images.reshape(",
                    "images = images[:, :, : rows * patch_size, : columns * patch_size]\n    squares = images.reshape(",
                ),
            ),
            "It was tested whether the number of pixels is a multiple of a patch's. 2 x 8 pixels pass that, and no "
            "patch of 4 x 4 fits in. Test height and width each.",
        ),
        Wrong(
            "whole numbers are refused",
            """
def patchify(images, patch_size):
    if images.ndim != 4 or images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError("no whole patches")
    return F.unfold(images, patch_size, stride=patch_size).transpose(1, 2)
""",
            "Cutting is right, and F.unfold takes floating-point numbers only. Labels are whole numbers and will be cut too "
            "(section 8.9): move the pixels without computing with them.",
        ),
        Wrong(
            "whole numbers come back as floating-point ones",
            """
def patchify(images, patch_size):
    if images.ndim != 4 or images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError("no whole patches")
    return F.unfold(images.float(), patch_size, stride=patch_size).transpose(1, 2)
""",
            "The pixels changed their dtype. They are to be moved and nothing else: whole numbers stay whole numbers.",
        ),
        Wrong(
            "P is the slow half of the cut",
            """
def patchify(images, patch_size):
    if images.ndim != 4 or images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError("no whole patches")
    batch, channels, height, width = images.shape
    rows, columns = height // patch_size, width // patch_size
    squares = images.reshape(batch, channels, patch_size, rows, patch_size, columns)
    return squares.permute(0, 3, 5, 1, 2, 4).reshape(batch, rows * columns, -1)
""",
            "The height was cut into (P, rows of patches), so a patch's pixels are picked from all over the picture. "
            "Neighbours change fastest: (rows of patches, P), and the width likewise.",
        ),
        Wrong(
            "a reshape where a transpose is due",
            """
def patchify(images, patch_size):
    if images.ndim != 4 or images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError("no whole patches")
    columns = F.unfold(images.double(), patch_size, stride=patch_size).to(images.dtype)
    return columns.reshape(len(images), columns.shape[2], columns.shape[1])
""",
            "F.unfold gives (B, C * P * P, N). A reshape to (B, N, C * P * P) has the right shape and leaves every number "
            "where it lies; the two axes have to be transposed.",
        ),
    ],
    correct=[
        Correct(
            "F.unfold, and the dtype back",
            """
def patchify(images, patch_size):
    if images.ndim != 4 or images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError(f"cannot cut {tuple(images.shape)} into patches of {patch_size}")
    return F.unfold(images.double(), patch_size, stride=patch_size).transpose(1, 2).to(images.dtype)
""",
        ),
        Correct(
            "F.pixel_unshuffle",
            """
def patchify(images, patch_size):
    if images.ndim != 4 or images.shape[2] % patch_size or images.shape[3] % patch_size:
        raise ValueError("no whole patches")
    return F.pixel_unshuffle(images, patch_size).flatten(2).transpose(1, 2)
""",
        ),
        Correct(
            "Tensor.unfold along both axes",
            """
def patchify(images, patch_size):
    if images.dim() != 4:
        raise ValueError("(B, C, H, W), please")
    b, c, h, w = images.size()
    if h % patch_size != 0 or w % patch_size != 0:
        raise ValueError(f"{patch_size} does not divide {h} and {w}")
    windows = images.unfold(2, patch_size, patch_size).unfold(3, patch_size, patch_size)
    return windows.permute(0, 2, 3, 1, 4, 5).flatten(3).flatten(1, 2)
""",
        ),
        Correct(
            "loops over rows and columns of patches",
            """
def patchify(images, patch_size):
    if images.ndim != 4 or any(size % patch_size for size in images.shape[2:]):
        raise ValueError("no whole patches")
    P = patch_size
    patches = []
    for row in range(0, images.shape[2], P):
        for column in range(0, images.shape[3], P):
            patches.append(images[:, :, row : row + P, column : column + P].flatten(1))
    return torch.stack(patches, dim=1)
""",
        ),
        Correct(
            "chunks",
            """
def patchify(images, patch_size):
    if images.ndim != 4:
        raise ValueError(tuple(images.shape))
    if images.shape[-1] % patch_size or images.shape[-2] % patch_size:
        raise ValueError(tuple(images.shape))
    strips = images.split(patch_size, dim=2)
    return torch.cat([torch.stack([s.flatten(1) for s in strip.split(patch_size, dim=3)], 1) for strip in strips], 1)
""",
        ),
        Correct(
            "transposes, one at a time",
            """
def patchify(images, patch_size):
    if images.ndim != 4:
        raise ValueError("four axes")
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError("P must divide H and W")
    x = images.reshape(B, C, H // P, P, W // P, P)
    x = x.transpose(3, 4).movedim(1, 3)
    return x.reshape(B, (H // P) * (W // P), C * P * P)
""",
        ),
    ],
)

# ---- PatchEmbedding -------------------------------------------------------------------------------------------------

_EMBED = "return self.projection(patchify(images, self.patch_size))"

patch_embedding = Bank(
    "patch_embedding",
    wrong=[
        Wrong(
            "no bias",
            edit(
                (
                    "nn.Linear(num_channels * patch_size**2, d_model)",
                    "nn.Linear(num_channels * patch_size**2, d_model, bias=False)",
                )
            ),
            "The map has no bias; the docstring asks for one.",
        ),
        Wrong(
            "the channels are forgotten in the map's width",
            edit(("nn.Linear(num_channels * patch_size**2", "nn.Linear(patch_size**2")),
            "The map is as wide as the pixels of one channel. A patch's line holds all channels: C * P * P numbers.",
        ),
        Wrong(
            "P instead of P squared",
            edit(("num_channels * patch_size**2", "num_channels * patch_size")),
            "The map's width has P where a patch has P rows and P columns of pixels: P * P for each channel.",
        ),
        Wrong(
            "a convolution holds the map",
            """
class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Conv2d(num_channels, d_model, patch_size, stride=patch_size)

    def forward(self, images):
        if images.shape[2] % self.patch_size or images.shape[3] % self.patch_size:
            raise ValueError("not tiled")
        return self.projection(images).flatten(2).transpose(1, 2)
""",
            "`projection` is a convolution. That computes the right thing, and its weight has four axes, so weights made "
            "for this course's model do not fit in. The docstring asks for an nn.Linear.",
        ),
        Wrong(
            "in and out exchanged",
            edit(
                ("nn.Linear(num_channels * patch_size**2, d_model)", "nn.Linear(d_model, num_channels * patch_size**2)")
            ),
            "The map goes from d_model to the patch's width. nn.Linear takes the width that goes in first.",
        ),
        Wrong(
            "a nonlinearity after the map",
            edit((_EMBED, "return F.gelu(self.projection(patchify(images, self.patch_size)))")),
            "There is a nonlinearity after the map. The words of an image are a linear map of its pixels, no more: the"
            " encoder's feed-forward parts bring the rest.",
        ),
        Wrong(
            "the norm of the patch first",
            edit(
                (
                    _EMBED,
                    "patches = patchify(images, self.patch_size)\n        return self.projection(F.layer_norm(patches, patches.shape[-1:]))",
                )
            ),
            "The pixels were normalised before the map. That takes each patch's brightness away; equation 1 has the "
            "linear map alone.",
        ),
        Wrong(
            "only a reshape, no patches",
            edit((_EMBED, "return self.projection(images.reshape(len(images), -1, self.projection.in_features))")),
            "The pixels were read off in memory's order, so a token holds pieces of rows and no square. Use patchify.",
        ),
        Wrong(
            "no map",
            edit((_EMBED, "return patchify(images, self.patch_size)")),
            "The patches came back as they are. They still have to go through `projection`.",
        ),
        Wrong(
            "the tokens' axes exchanged",
            edit((_EMBED, "return self.projection(patchify(images, self.patch_size)).transpose(1, 2)")),
            "The result is (B, D, N), as a convolution leaves it. The encoder wants (B, N, D).",
        ),
        Wrong(
            "detached pixels",
            edit((_EMBED, "return self.projection(patchify(images, self.patch_size).detach())")),
            "No gradient reaches the images: something cut the graph. In a hybrid, a backbone before this could not "
            "learn.",
        ),
        Wrong(
            "a relu after the map",
            edit((_EMBED, "return self.projection(patchify(images, self.patch_size)).relu()")),
            "There is a relu after the map. The words of an image are a linear map of its pixels, no more.",
        ),
        Wrong(
            "times the root of the width",
            edit(
                (
                    _EMBED,
                    "return self.projection(patchify(images, self.patch_size)) * self.projection.out_features**0.5",
                )
            ),
            "The tokens were multiplied by the root of d_model, as chapter 06's word embeddings are. Here the map's result "
            "goes on as it is.",
        ),
    ],
    correct=[
        Correct(
            "a strided convolution with the same weights",
            """
class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.kernel = (d_model, num_channels, patch_size, patch_size)
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images):
        P = self.kernel[-1]
        if images.shape[2] % P or images.shape[3] % P:
            raise ValueError(f"{tuple(images.shape)} has no whole patches of {P}")
        features = F.conv2d(images, self.projection.weight.view(self.kernel), self.projection.bias, stride=P)
        return features.flatten(2).transpose(1, 2)
""",
        ),
        Correct(
            "weight and bias by hand",
            """
class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.P = patch_size
        self.projection = nn.Linear(num_channels * patch_size * patch_size, d_model, bias=True)

    def forward(self, images):
        return patchify(images, self.P) @ self.projection.weight.T + self.projection.bias
""",
        ),
        Correct(
            "einsum over the cut image",
            """
class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size, self.num_channels = patch_size, num_channels
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images):
        P = self.patch_size
        B, C, H, W = images.shape
        if H % P or W % P:
            raise ValueError("not tiled")
        cut = images.reshape(B, C, H // P, P, W // P, P)
        kernel = self.projection.weight.view(-1, C, P, P)
        out = torch.einsum("bcrpsq,dcpq->brsd", cut, kernel) + self.projection.bias
        return out.flatten(1, 2)
""",
        ),
        Correct(
            "unfold",
            """
class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images):
        P = self.patch_size
        if images.size(2) % P != 0 or images.size(3) % P != 0:
            raise ValueError("not tiled")
        return self.projection(F.unfold(images, P, stride=P).mT)
""",
        ),
        Correct(
            "one patch at a time",
            """
class PatchEmbedding(nn.Module):
    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(patch_size * patch_size * num_channels, d_model)

    def forward(self, images):
        patches = patchify(images, self.patch_size)
        return torch.stack([self.projection(patch) for patch in patches.unbind(dim=1)], dim=1)
""",
        ),
    ],
)

# ---- VisionTransformer ----------------------------------------------------------------------------------------------

_FRONT = "torch.cat([self.class_token.expand(len(tokens), -1, -1), tokens], dim=1)"
_ENCODE = "return self.encoder(self.positions(tokens))"
_POOL = 'return self.head(tokens[:, -1 if self.pool == "last" else 0])'

vision_transformer = Bank(
    "vision_transformer",
    wrong=[
        Wrong(
            "the class token comes last",
            edit(
                (_FRONT, "torch.cat([tokens, self.class_token.expand(len(tokens), -1, -1)], dim=1)"),
                (_POOL, """return self.head(tokens[:, -1 if self.pool in ("last", "class") else 0])"""),
            ),
            "The class token stands after the patches, so every patch got another position. It goes first, before the "
            "patches.",
        ),
        Wrong(
            "read from the first patch instead of the class token",
            edit((_POOL, 'return self.head(tokens[:, {"class": 1, "first": 0, "last": -1}[self.pool]])')),
            "The encoder's tokens are right and the head reads token 1, the first patch. The class token is token 0.",
        ),
        Wrong(
            "a class token without its axes",
            edit(("0.02 * torch.randn(1, 1, d_model)", "0.02 * torch.randn(d_model)")),
            "The class token's shape is (D,). The docstring says (1, 1, D): one image, one token, D features, so that it "
            "only has to be repeated over the batch.",
        ),
        Wrong(
            "one class token for the whole batch",
            edit((_FRONT, "torch.cat([self.class_token, tokens], dim=1)")),
            "The class token was joined to the patches as it is, one for all images. Each image needs it in front: "
            "repeat it over the batch first.",
        ),
        Wrong(
            "no row for the class token",
            edit(
                (
                    '(height // patch_size) * (width // patch_size) + (pool == "class")',
                    "(height // patch_size) * (width // patch_size)",
                ),
            ),
            "The table of positions is a row short: with a class token there are N + 1 tokens, and each has a row.",
        ),
        Wrong(
            "positions before the class token",
            edit(
                (
                    '(height // patch_size) * (width // patch_size) + (pool == "class")',
                    "(height // patch_size) * (width // patch_size)",
                ),
                (
                    '        if self.pool == "class":\n            tokens = ',
                    '        tokens = self.positions(tokens)\n        if self.pool == "class":\n            tokens = ',
                ),
                (_ENCODE, "return self.encoder(tokens)"),
            ),
            "The positions were added before the class token joined: it has none, and the table is a row short. Put it in"
            " front first, then add positions to all N + 1 tokens.",
        ),
        Wrong(
            "no positions",
            edit((_ENCODE, "return self.encoder(tokens)")),
            "The positions are made and never added, so the encoder sees a bag of patches. Add them before the encoder.",
        ),
        Wrong(
            "positions after the encoder",
            edit((_ENCODE, "return self.positions(self.encoder(tokens))")),
            "The positions were added to what the encoder says, and not to what it reads. They go in front of it.",
        ),
        Wrong(
            "the mean includes the class token",
            edit(
                (
                    _POOL,
                    'return self.head(tokens.mean(dim=1) if self.pool == "class" else tokens[:, -1 if self.pool == "last" else 0])',
                )
            ),
            'With pool = "class" the head reads the mean over all tokens. It is to read the class token alone, which has'
            " gathered what it needs by attention.",
        ),
        Wrong(
            "a class token whatever the pool",
            edit(
                ('+ (pool == "class")', "+ 1"),
                ('if pool == "class":', "if True:"),
                ('        if self.pool == "class":\n', "        if True:\n"),
            ),
            'There is a class token with every pool. "first", "last" and "mean" have none, and one token fewer.',
        ),
        Wrong(
            "the mean over features",
            edit(
                (
                    "self.head(tokens.mean(dim=1))",
                    "self.head(tokens.mean(dim=2, keepdim=True).expand(-1, -1, self.head.in_features).mean(dim=1))",
                )
            ),
            "The mean was taken over the features and not over the patches. Average along the axis of the tokens.",
        ),
        Wrong(
            "the last patch is the first",
            edit((_POOL, "return self.head(tokens[:, 0])")),
            '"last" reads the first patch. The last patch is the last token.',
        ),
        Wrong(
            "post-norm",
            edit(("norm_first=True", "norm_first=False")),
            "The encoder norms after each part, as in Vaswani et al. (2017), and has no norm at its end. A Vision "
            "Transformer norms first: norm_first=True.",
        ),
        Wrong(
            "relu in the place of gelu",
            edit(("activation=F.gelu", "activation=F.relu")),
            "The parts' names and shapes are right, and the feed-forward parts use relu. The docstring asks for gelu.",
        ),
        Wrong(
            "a fixed epsilon",
            edit(("layer_norm_eps=layer_norm_eps", "layer_norm_eps=1e-6")),
            "layer_norm_eps is not handed on to the encoder. Models that were trained with another epsilon would differ "
            "a little everywhere.",
        ),
        Wrong(
            "the same layer over and over",
            edit(
                (
                    "        self.head = nn",
                    "        self.encoder.layers = nn.ModuleList([self.encoder.layers[0]] * num_layers)\n        self.head = nn",
                )
            ),
            "All layers of the tower are one and the same object. Each layer has weights of its own: let "
            "TransformerEncoder make them.",
        ),
        Wrong(
            "the table holds a row for any larger image",
            edit(
                ('(height // patch_size) * (width // patch_size) + (pool == "class")', "height * width + 1"),
            ),
            "The table of positions has more rows than there are tokens. One row a token: N, and one more with a class "
            "token.",
        ),
        Wrong(
            "square grids only",
            edit(
                (
                    '(height // patch_size) * (width // patch_size) + (pool == "class")',
                    '(height // patch_size) ** 2 + (pool == "class")',
                ),
            ),
            "The number of patches was taken for the square of the rows. An image of 4 x 6 pixels has 2 rows and 3 "
            "columns of patches.",
        ),
        Wrong(
            "images of another size are let in",
            edit(("if images.shape[2:] != self.image_size:", "if False:")),
            "Images of another size are not refused. Smaller ones would get the positions of other patches, and "
            "nothing would tell.",
        ),
        Wrong(
            "only the number of patches is tested",
            edit(
                (
                    "if images.shape[2:] != self.image_size:",
                    "if images.shape[2] * images.shape[3] != self.image_size[0] * self.image_size[1]:",
                )
            ),
            "An image turned round has as many patches, and it was let in: its patches get the positions of another grid."
            " Compare height and width.",
        ),
        Wrong(
            "softmax at the end",
            edit(
                (_POOL, 'return self.head(tokens[:, -1 if self.pool == "last" else 0]).softmax(dim=-1)'),
                ("self.head(tokens.mean(dim=1))", "self.head(tokens.mean(dim=1)).softmax(dim=-1)"),
            ),
            "What came back sums to one over the classes. Logits are asked for: the loss takes the softmax itself.",
        ),
        Wrong(
            "the class token is no parameter",
            edit(("nn.Parameter(0.02 * torch.randn(1, 1, d_model))", "0.02 * torch.randn(1, 1, d_model)")),
            "The class token is a plain tensor: no optimiser sees it, and it is not saved. Make it an nn.Parameter.",
        ),
        Wrong(
            "a row for the class token with every pool",
            edit(('+ (pool == "class")', "+ 1")),
            'The table of positions has N + 1 rows with every pool. "first", "last" and "mean" have N tokens.',
        ),
        Wrong(
            "an unused class token",
            edit(('if pool == "class":', "if True:")),
            'The class token is made with every pool and used with "class" only: a parameter that is never trained. Make '
            "it where it is used.",
        ),
        Wrong(
            "a class token of two axes",
            edit(("0.02 * torch.randn(1, 1, d_model)", "0.02 * torch.randn(1, d_model)")),
            "The class token's shape is (1, D). The docstring says (1, 1, D): one image, one token, D features.",
        ),
        Wrong(
            "a second norm at the end",
            edit(
                ("        self.head = nn", "        self.norm = nn.LayerNorm(d_model)\n        self.head = nn"),
                (_ENCODE, "return self.norm(self.encoder(self.positions(tokens)))"),
            ),
            "There is a norm of its own after the encoder. A pre-norm TransformerEncoder ends with one already.",
        ),
        Wrong(
            "num_layers and d_ff exchanged",
            edit(("d_model, num_heads, d_ff, num_layers,", "d_model, num_heads, num_layers, d_ff,")),
            "The encoder has as many layers as d_ff says. TransformerEncoder takes d_ff before num_layers: hand both on by "
            "name.",
        ),
        Wrong(
            "the class token comes last and token 0 is read",
            edit((_FRONT, "torch.cat([tokens, self.class_token.expand(len(tokens), -1, -1)], dim=1)")),
            "The class token stands after the patches, and what is read is token 0, the first patch. Put it in front: then "
            "both are right.",
        ),
        Wrong(
            "always three channels",
            edit(("PatchEmbedding(patch_size, num_channels, d_model)", "PatchEmbedding(patch_size, 3, d_model)")),
            "num_channels is not handed on to the patch embedding, so images of another number of channels do not fit.",
        ),
        Wrong(
            "the mean without the first patch",
            edit(("tokens.mean(dim=1)", "tokens[:, 1:].mean(dim=1)")),
            'With pool = "mean" the first token was left out. There is no class token then: token 0 is a patch.',
        ),
        Wrong(
            "the mean over the batch",
            edit(("tokens.mean(dim=1)", "tokens.mean(dim=0)")),
            "The mean was taken over the images of the batch. Average along the axis of the tokens.",
        ),
        Wrong(
            "the last patch but one",
            edit((_POOL, 'return self.head(tokens[:, -2 if self.pool == "last" else 0])')),
            '"last" reads the last patch but one. Without a class token the last patch is token -1.',
        ),
        Wrong(
            "dropout in training",
            edit((_ENCODE, "return self.encoder(F.dropout(self.positions(tokens), 0.1, self.training))")),
            "In training mode something is dropped: chapter 06's habit. This model has no dropout; leave it at 0 in the "
            "encoder too.",
        ),
    ],
    correct=[
        Correct(
            "the encoder's parts one after another, repeat",
            """
class VisionTransformer(nn.Module):
    def __init__(self, image_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool="class",
                 num_channels=3, layer_norm_eps=1e-6):
        super().__init__()
        if pool not in {"class", "mean", "first", "last"}:
            raise ValueError(pool)
        self.size = [image_size, image_size] if isinstance(image_size, int) else list(image_size)
        if any(side % patch_size for side in self.size):
            raise ValueError(f"{patch_size} does not divide {self.size}")
        self.pool = pool
        n = self.size[0] * self.size[1] // patch_size**2
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
            n += 1
        self.positions = LearnedPositionalEncoding(n, d_model)
        self.encoder = TransformerEncoder(d_model, num_heads, d_ff, num_layers, 0.0, F.gelu, layer_norm_eps, True)
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images):
        if list(images.shape[2:]) != self.size:
            raise ValueError(f"want {self.size}")
        x = self.patches(images)
        if self.pool == "class":
            x = torch.cat((self.class_token.repeat(x.size(0), 1, 1), x), 1)
        x = self.positions(x)
        for layer in self.encoder.layers:
            x = layer(x)
        return self.encoder.norm(x)

    def forward(self, images):
        x = self.encode(images)
        if self.pool in ("class", "first"):
            x = x[:, 0]
        elif self.pool == "last":
            x = x[:, -1]
        else:
            x = x.sum(dim=1) / x.shape[1]
        return self.head(x)
""",
        ),
        Correct(
            "a dictionary of readers",
            """
class VisionTransformer(nn.Module):
    READ = {
        "class": lambda x: x[:, 0], "first": lambda x: x[:, 0],
        "last": lambda x: x[:, x.shape[1] - 1], "mean": lambda x: x.mean(1),
    }

    def __init__(self, image_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool="class",
                 num_channels=3, layer_norm_eps=1e-6):
        super().__init__()
        if pool not in self.READ:
            raise ValueError("unknown pool")
        self.read = self.READ[pool]
        self.height, self.width = image_size if isinstance(image_size, (tuple, list)) else (image_size,) * 2
        if self.height % patch_size + self.width % patch_size:
            raise ValueError("no whole patches")
        extra = int(pool == "class")
        if extra:
            self.class_token = nn.Parameter(torch.randn(1, 1, d_model))
        self.patches = PatchEmbedding(patch_size=patch_size, num_channels=num_channels, d_model=d_model)
        tokens = self.height // patch_size * (self.width // patch_size)
        self.positions = LearnedPositionalEncoding(tokens + extra, d_model)
        self.encoder = TransformerEncoder(d_model, num_heads, d_ff, num_layers, activation=nn.GELU(),
                                          layer_norm_eps=layer_norm_eps)
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images):
        if images.shape[-2] != self.height or images.shape[-1] != self.width:
            raise ValueError("another size")
        tokens = self.patches(images)
        if hasattr(self, "class_token"):
            front = self.class_token + torch.zeros_like(tokens[:, :1])
            tokens = torch.cat([front, tokens], dim=1)
        return self.encoder(self.positions(tokens))

    def forward(self, images):
        return self.head(self.read(self.encode(images)))
""",
        ),
        Correct(
            "logits of every token, then one",
            edit((_POOL, 'return self.head(tokens)[:, -1 if self.pool == "last" else 0]')),
        ),
        Correct("the mean of the logits", edit(("self.head(tokens.mean(dim=1))", "self.head(tokens).mean(dim=1)"))),
        Correct(
            "positions added by hand",
            edit((_ENCODE, "return self.encoder(tokens + self.positions.weight.unsqueeze(0))")),
        ),
        Correct(
            "the class token as a padded token plus itself",
            edit((_FRONT, "F.pad(tokens, (0, 0, 1, 0)) + F.pad(self.class_token, (0, 0, 0, tokens.shape[1]))")),
        ),
    ],
)

# ---- augment --------------------------------------------------------------------------------------------------------

_DRAW = "down, right = torch.randint(0, 2 * max_shift + 1, (2, batch, 1), device=images.device)"

augment = Bank(
    "augment",
    wrong=[
        Wrong(
            "what moves out comes back in",
            """
def augment(images, max_shift):
    moved = []
    for image in images:
        down, right = torch.randint(-max_shift, max_shift + 1, (2,)).tolist()
        moved.append(image.roll((down, right), (1, 2)))
    return torch.stack(moved)
""",
            "What leaves the picture on one side comes in again on the other: torch.roll turns a picture into a ring. "
            "Zeros are to come in.",
        ),
        Wrong(
            "one shift for the whole batch",
            edit(
                (
                    _DRAW,
                    "down, right = torch.randint(0, 2 * max_shift + 1, (2, 1, 1), device=images.device).expand(2, batch, 1)",
                )
            ),
            "All images of the batch moved by the same shift. Draw one for each image.",
        ),
        Wrong(
            "never to the far side",
            edit(("2 * max_shift + 1, (2, batch", "2 * max_shift, (2, batch")),
            "The largest shift on one side never occurs: the upper end of torch.randint is exclusive.",
        ),
        Wrong(
            "only down and to the right",
            """
def augment(images, max_shift):
    batch, channels, height, width = images.shape
    moved = torch.zeros_like(images)
    for b in range(batch):
        down, right = torch.randint(0, max_shift + 1, (2,)).tolist()
        moved[b, :, down:, right:] = images[b, :, : height - down, : width - right]
    return moved
""",
            "The images move one way only, down and to the right. Shifts run from -max_shift to max_shift.",
        ),
        Wrong(
            "the same shift down and to the right",
            edit((_DRAW, "down = right = torch.randint(0, 2 * max_shift + 1, (batch, 1), device=images.device)")),
            "Down and to the right are always the same number, so images move along one diagonal. Draw two numbers for "
            "each image.",
        ),
        Wrong(
            "a border of zeros stays on",
            """
def augment(images, max_shift):
    return F.pad(images, (max_shift,) * 4)
""",
            "The pictures were padded and not cropped again: they have grown. Cut a picture of the old size out of each, "
            "at a random place.",
        ),
        Wrong(
            "only sideways",
            edit((_DRAW, _DRAW + "\n    down = torch.full_like(down, max_shift)")),
            "Images move to the left and right and never up or down.",
        ),
        Wrong(
            "a seed of its own",
            edit(
                (
                    _DRAW,
                    "own = torch.Generator().manual_seed(0)\n    down, right = torch.randint(0, 2 * max_shift + 1, (2, batch, 1), generator=own)",
                )
            ),
            "Every call gives the same shifts: the generator is seeded inside. Then nothing is fresh. Draw from torch's "
            "global state and leave seeding to the caller.",
        ),
        Wrong(
            "in place",
            """
def augment(images, max_shift):
    kept = images.clone()
    images.zero_()
    height, width = images.shape[2:]
    for b in range(len(images)):
        down, right = torch.randint(-max_shift, max_shift + 1, (2,)).tolist()
        to_rows = slice(max(0, down), height + min(0, down))
        to_columns = slice(max(0, right), width + min(0, right))
        from_rows = slice(max(0, -down), height + min(0, -down))
        from_columns = slice(max(0, -right), width + min(0, -right))
        images[b, :, to_rows, to_columns] = kept[b, :, from_rows, from_columns]
    return images
""",
            "The caller's images were overwritten, so the next time they come they start from where they ended, and wander"
            " off. Return a new tensor.",
        ),
        Wrong(
            "mirrored at random",
            edit(
                (
                    "return padded[of_batch, of_channel, rows, columns]",
                    "moved = padded[of_batch, of_channel, rows, columns]\n    return torch.where(torch.rand(batch, 1, 1, 1) < 0.5, moved.flip(3), moved)",
                )
            ),
            "Half of the images are mirrored. A cat may be, a digit may not: which changes keep the label depends on what "
            "is in the picture. Shifts alone are asked for.",
        ),
        Wrong(
            "the edge is repeated",
            edit(("F.pad(images, (max_shift,) * 4)", 'F.pad(images, (max_shift,) * 4, mode="replicate")')),
            "What comes in at the side is the edge, repeated. Zeros are asked for: paper.",
        ),
        Wrong(
            "nothing moves",
            """
def augment(images, max_shift):
    return images.clone()
""",
            "The images came back where they were. Draw a shift for each of them, and crop there.",
        ),
        Wrong(
            "the channels move apart",
            """
def augment(images, max_shift):
    batch, channels, height, width = images.shape
    moved = torch.zeros_like(images)
    padded = F.pad(images, (max_shift,) * 4)
    for b in range(batch):
        for c in range(channels):
            down, right = torch.randint(0, 2 * max_shift + 1, (2,)).tolist()
            moved[b, c] = padded[b, c, down : down + height, right : right + width]
    return moved
""",
            "The channels of an image move apart. One shift for an image, and all its channels.",
        ),
        Wrong(
            "fractions of a pixel",
            """
def augment(images, max_shift):
    batch, _, height, width = images.shape
    down, right = max_shift * (2 * torch.rand(2, batch) - 1)
    ones, zeros = torch.ones(batch), torch.zeros(batch)
    maps = torch.stack(
        [torch.stack([ones, zeros, -2 * right / width], 1), torch.stack([zeros, ones, -2 * down / height], 1)], 1
    )
    return F.grid_sample(images, F.affine_grid(maps, images.shape, align_corners=False), align_corners=False)
""",
            "The shifts have fractions, so pixels are blended and the ink blurs. Whole pixels are asked for.",
        ),
        Wrong(
            "ones come in",
            edit(("F.pad(images, (max_shift,) * 4)", "F.pad(images, (max_shift,) * 4, value=1.0)")),
            "A digit's paper is 0 here: pad with zeros.",
        ),
        Wrong(
            "the image is mirrored at its edge",
            edit(("F.pad(images, (max_shift,) * 4)", 'F.pad(images, (max_shift,) * 4, mode="reflect")')),
            "A second, mirrored piece of the digit comes into the picture. Pad with zeros.",
        ),
        Wrong(
            "one axis at a time",
            """
def augment(images, max_shift):
    height, width = images.shape[2:]
    moved = []
    for image in F.pad(images, (max_shift,) * 4):
        down = right = max_shift
        if torch.rand(()) < 0.5:
            down = int(torch.randint(2 * max_shift + 1, ()))
        else:
            right = int(torch.randint(2 * max_shift + 1, ()))
        moved.append(image[:, down : down + height, right : right + width])
    return torch.stack(moved)
""",
            "An image moves either up and down or to the sides. Draw both numbers for each image.",
        ),
        Wrong(
            "the ends come half as often",
            edit((_DRAW, "down, right = (2 * max_shift * torch.rand(2, batch, 1)).round().long()")),
            "The furthest shifts come too rarely. Rounding a uniform number, for one, gives the two ends half an interval each. "
            "torch.randint draws whole numbers that are all equally likely.",
        ),
        Wrong(
            "nought comes twice as often",
            edit(
                (
                    _DRAW,
                    "down, right = max_shift + ((2 * torch.rand(2, batch, 1) - 1) * (max_shift + 1)).trunc().long()",
                )
            ),
            "The shift by zero comes too often. Cutting off fractions, for one, rounds towards zero from both sides. "
            "torch.randint draws whole numbers that are all equally likely.",
        ),
        Wrong(
            "numbers that torch does not draw",
            """
def augment(images, max_shift):
    import random

    height, width = images.shape[2:]
    moved = []
    for image in F.pad(images, (max_shift,) * 4):
        down, right = random.randint(0, 2 * max_shift), random.randint(0, 2 * max_shift)
        moved.append(image[:, down : down + height, right : right + width])
    return torch.stack(moved)
""",
            "The numbers come from elsewhere (Python's random, NumPy, a generator of your own), so torch.manual_seed does "
            "not repeat them. Draw with torch and no generator.",
        ),
    ],
    correct=[
        Correct(
            "crops of a padded image, one at a time",
            """
def augment(images, max_shift):
    height, width = images.shape[2:]
    padded = F.pad(images, (max_shift, max_shift, max_shift, max_shift))
    tops = torch.randint(2 * max_shift + 1, (len(images),)).tolist()
    lefts = torch.randint(2 * max_shift + 1, (len(images),)).tolist()
    crops = [p[:, t : t + height, l : l + width] for p, t, l in zip(padded, tops, lefts)]
    return torch.stack(crops)
""",
        ),
        Correct(
            "written into zeros",
            """
def augment(images, max_shift):
    moved = torch.zeros_like(images)
    H, W = images.shape[2:]
    for b in range(len(images)):
        dy, dx = (torch.randint(-max_shift, max_shift + 1, (2,))).tolist()
        moved[b, :, max(dy, 0) : H + min(dy, 0), max(dx, 0) : W + min(dx, 0)] = images[
            b, :, max(-dy, 0) : H + min(-dy, 0), max(-dx, 0) : W + min(-dx, 0)
        ]
    return moved
""",
        ),
        Correct(
            "rolled, then wiped",
            """
def augment(images, max_shift):
    out = []
    for image in images:
        d, r = (torch.rand(2) * (2 * max_shift + 1)).long().tolist()
        d, r = d - max_shift, r - max_shift
        image = image.roll((d, r), dims=(1, 2))
        if d > 0:
            image[:, :d] = 0
        if d < 0:
            image[:, d:] = 0
        if r > 0:
            image[:, :, :r] = 0
        if r < 0:
            image[:, :, r:] = 0
        out.append(image)
    return torch.stack(out)
""",
        ),
        Correct(
            "gather along both axes",
            """
def augment(images, max_shift):
    B, C, H, W = images.shape
    m = max_shift
    padded = F.pad(images, (m, m, m, m))
    top = torch.randint(0, 2 * m + 1, (B,))
    left = torch.randint(0, 2 * m + 1, (B,))
    rows = (top[:, None] + torch.arange(H))[:, None, :, None].expand(B, C, H, W + 2 * m)
    columns = (left[:, None] + torch.arange(W))[:, None, None, :].expand(B, C, H, W)
    return padded.gather(2, rows).gather(3, columns)
""",
        ),
        Correct(
            "windows of the padded images",
            """
def augment(images, max_shift):
    padded = F.pad(images, [max_shift] * 4)
    windows = padded.unfold(2, images.shape[2], 1).unfold(3, images.shape[3], 1)
    down = torch.randint(windows.shape[2], (len(images),))
    right = torch.randint(windows.shape[3], (len(images),))
    return windows[torch.arange(len(images)), :, down, right].clone()
""",
        ),
        Correct(
            "negative padding",
            """
def augment(images, max_shift):
    moved = []
    for image in images:
        down, right = torch.randint(-max_shift, max_shift + 1, (2,)).tolist()
        moved.append(F.pad(image, (right, -right, down, -down)))
    return torch.stack(moved)
""",
        ),
        Correct(
            "all shifts in a list, drawn with multinomial",
            """
def augment(images, max_shift):
    side = 2 * max_shift + 1
    drawn = torch.multinomial(torch.ones(side * side), len(images), replacement=True)
    H, W = images.shape[-2:]
    padded = F.pad(images, (max_shift,) * 4)
    return torch.stack([p[:, k // side : k // side + H, k % side : k % side + W] for p, k in zip(padded, drawn)])
""",
        ),
    ],
)

# ---- HybridVisionTransformer ----------------------------------------------------------------------------------------

_INNER = "feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool, feature_channels"

hybrid_vision_transformer = Bank(
    "hybrid_vision_transformer",
    wrong=[
        Wrong(
            "the backbone is left out",
            edit(
                ("self.transformer(self.backbone(images))", "self.transformer(images)"),
                ("self.transformer.encode(self.backbone(images))", "self.transformer.encode(images)"),
            ),
            "The transformer was given the images themselves, and they are not of feature_size. The backbone comes first.",
        ),
        Wrong(
            "the backbone is frozen",
            edit(
                (
                    "return self.transformer(self.backbone(images))",
                    "return self.transformer(self.backbone(images).detach())",
                )
            ),
            "No gradient reaches the backbone, so it stays as it was made. Backbone and transformer are to be trained "
            "together.",
        ),
        Wrong(
            "the pool is not handed on",
            edit(("num_classes, pool, feature_channels", 'num_classes, "class", feature_channels')),
            "The hybrid has a class token whatever `pool` says: hand the pool on to the transformer.",
        ),
        Wrong(
            "the features' channels are not handed on",
            edit(("num_classes, pool, feature_channels", "num_classes, pool")),
            "The transformer was made for three channels, its default, as if it read images. It reads features, and they "
            "have feature_channels.",
        ),
        Wrong(
            "height and width of the features exchanged",
            edit((_INNER, _INNER.replace("feature_size,", "feature_size[::-1],"))),
            "feature_size is (h, w), height first, and was handed on the other way round. A square map would not show it.",
        ),
        Wrong(
            "a patch size of one",
            edit((_INNER, _INNER.replace("patch_size,", "1,"))),
            "Every cell of the features became a token, whatever patch_size says. Hand patch_size on.",
        ),
        Wrong(
            "a rectified backbone",
            edit(
                ("self.transformer(self.backbone(images))", "self.transformer(F.relu(self.backbone(images)))"),
                (
                    "self.transformer.encode(self.backbone(images))",
                    "self.transformer.encode(F.relu(self.backbone(images)))",
                ),
            ),
            "Something was done to the features between backbone and transformer. They go over as they are.",
        ),
        Wrong(
            "encode gives the backbone's features",
            edit(
                (
                    "return self.transformer.encode(self.backbone(images))",
                    "return self.transformer.patches(self.backbone(images))",
                )
            ),
            "encode stops at the patches of the feature map. It is to say what the transformer's encoder makes of them.",
        ),
        Wrong(
            "one layer, whatever is asked",
            edit((_INNER, _INNER.replace("num_layers,", "max(1, num_layers - 1),"))),
            "The transformer has another number of layers than num_layers says.",
        ),
        Wrong(
            "heads and layers exchanged",
            edit((_INNER, _INNER.replace("num_heads, num_layers", "num_layers, num_heads"))),
            "num_heads and num_layers have changed places on the way to the transformer. Hand them on by name.",
        ),
        Wrong(
            "the features taken for a square",
            edit((_INNER, _INNER.replace("feature_size,", "feature_size[0],"))),
            "The transformer was made for a square, h by h. feature_size is (h, w): hand both on.",
        ),
        Wrong(
            "the image's size in the place of the features'",
            edit((_INNER, _INNER.replace("feature_size,", "[patch_size * side for side in feature_size],"))),
            "The transformer was made for patch_size times feature_size. feature_size is what the backbone gives, in cells, "
            "and the patches are cut from that.",
        ),
        Wrong(
            "encode without the backbone",
            edit(("self.transformer.encode(self.backbone(images))", "self.transformer.encode(images)")),
            "forward is right, and encode hands the images themselves to the transformer. The backbone comes first there "
            "too.",
        ),
        Wrong(
            "token 0 whatever the pool",
            edit(
                (
                    "return self.transformer(self.backbone(images))",
                    "return self.transformer.head(self.encode(images)[:, 0])",
                )
            ),
            "forward reads token 0 whatever the pool says. The transformer knows its pool: let its forward do it.",
        ),
        Wrong(
            "channels and pool exchanged",
            edit(("num_classes, pool, feature_channels", "num_classes, feature_channels, pool")),
            "The pool and the number of channels have changed places on the way to the transformer. Hand them on by name.",
        ),
        Wrong(
            "the backbone in a list",
            edit(("self.backbone = backbone", "self.backbones = [backbone]"), ("self.backbone(", "self.backbones[0](")),
            "The backbone's parameters are not among the model's: a plain list hides a module from PyTorch. Keep it as "
            "`backbone`.",
        ),
    ],
    correct=[
        Correct(
            "keyword arguments",
            edit(
                (
                    "            " + _INNER,
                    "            image_size=feature_size, patch_size=patch_size, d_model=d_model, num_heads=num_heads, num_layers=num_layers,\n            d_ff=d_ff, num_classes=num_classes, pool=pool, num_channels=feature_channels",
                )
            ),
        ),
        Correct(
            "the image size made a tuple",
            edit((_INNER, _INNER.replace("feature_size,", "(feature_size[0], feature_size[1]),"))),
        ),
        Correct(
            "forward by the transformer's parts",
            edit(
                (
                    "return self.transformer(self.backbone(images))",
                    "tokens = self.encode(images)\n        pool = self.transformer.pool\n        read = tokens.mean(1) if pool == 'mean' else tokens[:, -1 if pool == 'last' else 0]\n        return self.transformer.head(read)",
                )
            ),
        ),
        Correct(
            "features kept in a variable",
            edit(
                (
                    "return self.transformer(self.backbone(images))",
                    "features = self.backbone(images)\n        return self.transformer.forward(features)",
                )
            ),
        ),
        Correct(
            "all arguments passed through",
            """
class HybridVisionTransformer(nn.Module):
    def __init__(self, backbone, feature_channels, feature_size, *sizes, **named):
        super().__init__()
        self.backbone = backbone
        self.transformer = VisionTransformer(feature_size, *sizes, **named, num_channels=feature_channels)

    def encode(self, images):
        return self.transformer.encode(self.backbone(images))

    def forward(self, images):
        return self.transformer(self.backbone(images))
""",
        ),
    ],
)

# ---- patch_labels ---------------------------------------------------------------------------------------------------

patch_labels = Bank(
    "patch_labels",
    wrong=[
        Wrong(
            "background has a vote",
            edit(
                ("    counts[..., background] = 0\n", ""),
                ("return torch.where(counts.sum(dim=2) > 0, found, background)", "return found"),
            ),
            "A patch with a thin stroke is called background, because most of its pixels are. Background counts only "
            "where there is nothing else.",
        ),
        Wrong(
            "an empty patch is class 0",
            edit(("return torch.where(counts.sum(dim=2) > 0, found, background)", "return found")),
            "A patch with nothing but background comes back as class 0: argmax over counts that are all zero says 0. "
            "Say background there.",
        ),
        Wrong(
            "the pixel in the middle",
            edit(("found = counts.argmax(dim=2)", "found = pixels[:, :, pixels.shape[2] // 2]")),
            "One pixel speaks for the whole patch. Count all of them.",
        ),
        Wrong(
            "the lowest class in the patch",
            edit(("found = counts.argmax(dim=2)", "found = (counts > 0).int().argmax(dim=2)")),
            "The patch is given the lowest class that occurs in it, not the one with most pixels.",
        ),
        Wrong(
            "the highest class in the patch",
            edit(("found = counts.argmax(dim=2)", "found = pixels.masked_fill(pixels == background, -1).amax(dim=2)")),
            "The patch is given the highest class that occurs in it, not the one with most pixels. A class's number is a "
            "name, not a size.",
        ),
        Wrong(
            "the higher number of equals",
            edit(("found = counts.argmax(dim=2)", "found = counts.shape[2] - 1 - counts.flip(2).argmax(dim=2)")),
            "Where two classes have equally many pixels the higher number was taken; the lower one is asked for.",
        ),
        Wrong(
            "the mean of the labels",
            edit(("found = counts.argmax(dim=2)", "found = pixels.float().mean(dim=2).round().long()")),
            "The labels were averaged. Between class 3 and class 9 there is no class 6: labels are names.",
        ),
        Wrong(
            "background is always the last number",
            edit(("counts[..., background] = 0", "counts[..., -1] = 0")),
            "The last of the numbers was taken for the background. It is whatever number `background` says.",
        ),
        Wrong(
            "background is always 0",
            edit(("counts[..., background] = 0", "counts[..., 0] = 0"), ("found, background)", "found, 0)")),
            "0 was taken for the background. It is whatever number `background` says.",
        ),
        Wrong(
            "columns of patches before rows",
            edit(
                (
                    "pixels = patchify(labels.unsqueeze(1), patch_size)",
                    "pixels = patchify(labels.unsqueeze(1).transpose(2, 3), patch_size)",
                )
            ),
            "The patches come column by column, so labels and tokens belong to different patches. The order is "
            "patchify's.",
        ),
        Wrong(
            "a grid of labels",
            edit(
                (
                    "return torch.where(counts.sum(dim=2) > 0, found, background)",
                    "grid = torch.where(counts.sum(dim=2) > 0, found, background)\n    return grid.reshape(len(labels), labels.shape[1] // patch_size, -1)",
                )
            ),
            "The labels stand in a grid. One axis of N is asked for, as the encoder's tokens have.",
        ),
        Wrong(
            "only a reshape, no patches",
            edit(
                (
                    "pixels = patchify(labels.unsqueeze(1), patch_size)",
                    "patchify(labels.unsqueeze(1), patch_size)\n    pixels = labels.reshape(len(labels), -1, patch_size**2)",
                )
            ),
            "The pixels were read off in memory's order, so each label speaks of pieces of rows and of no patch. Use "
            "patchify on the labels, with an axis for the channel.",
        ),
        Wrong(
            "the first ink in the patch",
            edit(
                (
                    "found = counts.argmax(dim=2)",
                    "found = pixels.gather(2, (pixels != background).int().argmax(dim=2, keepdim=True)).squeeze(2)",
                )
            ),
            "The first pixel that is not background speaks for the whole patch. Count all of them.",
        ),
        Wrong(
            "the first of equals in the patch",
            """
def patch_labels(labels, patch_size, background):
    from collections import Counter

    rows = []
    for picture in patchify(labels.unsqueeze(1), patch_size).tolist():
        ink = [Counter(label for label in patch if label != background) for patch in picture]
        rows.append([count.most_common(1)[0][0] if count else background for count in ink])
    return torch.tensor(rows)
""",
            "Where two classes have equally many pixels, the one that comes first in the patch was taken. The lower number is "
            "asked for.",
        ),
        Wrong(
            "equals in the order of a set",
            """
def patch_labels(labels, patch_size, background):
    cut = patchify(labels.unsqueeze(1), patch_size)
    out = torch.empty(cut.shape[:2], dtype=torch.int64)
    for b in range(cut.shape[0]):
        for n in range(cut.shape[1]):
            ink = [label for label in cut[b, n].tolist() if label != background]
            out[b, n] = max(set(ink), key=ink.count) if ink else background
    return out
""",
            "Where two classes have equally many pixels it is the order of a set that decides, and a set has none to rely on: "
            "{7, 8} begins with 8. Sort it first.",
        ),
        Wrong(
            "another dtype than int64",
            edit(
                (
                    "return torch.where(counts.sum(dim=2) > 0, found, background)",
                    "return torch.where(counts.sum(dim=2) > 0, found, background).int()",
                )
            ),
            "F.cross_entropy wants its targets as int64, and that is what the docstring promises.",
        ),
        Wrong(
            "the caller's labels are overwritten",
            edit(
                (
                    "return torch.where(counts.sum(dim=2) > 0, found, background)",
                    "labels[labels == background] = -1\n    return torch.where(counts.sum(dim=2) > 0, found, background)",
                )
            ),
            "The labels that were given have changed. Work on a copy.",
        ),
        Wrong(
            "as many classes as the background says",
            edit(("max(int(labels.max()), background) + 1", "background + 1")),
            "Classes above the background were not counted: F.one_hot was told of background + 1 classes. Background may be "
            "any number, also one below the classes.",
        ),
        Wrong(
            "the classes below the background alone",
            edit(
                ("max(int(labels.max()), background) + 1", "max(int(labels.max()), background) + 1"),
                ("found = counts.argmax(dim=2)", "found = counts[:, :, :background].argmax(dim=2)"),
            ),
            "Only the classes below the background were looked at. Background may be any number, also 0.",
        ),
        Wrong(
            "no class for the background",
            edit((", max(int(labels.max()), background) + 1).sum", ").sum")),
            "Without a number of classes F.one_hot makes one for each up to the largest label it meets, and the background "
            "may be larger than all of them. Tell it how many there are.",
        ),
    ],
    correct=[
        Correct(
            "mode of each patch, in a loop",
            """
def patch_labels(labels, patch_size, background):
    rows = []
    for picture in patchify(labels[:, None], patch_size):
        row = []
        for patch in picture:
            ink = patch[patch != background]
            row.append(int(ink.mode().values) if len(ink) else background)
        rows.append(row)
    return torch.tensor(rows)
""",
        ),
        Correct(
            "one comparison a class",
            """
def patch_labels(labels, patch_size, background):
    pixels = patchify(labels.unsqueeze(1), patch_size)
    best = torch.zeros(pixels.shape[:2], dtype=torch.int64)
    found = torch.full(pixels.shape[:2], background)
    for number in range(int(labels.max()) + 1):
        if number == background:
            continue
        count = (pixels == number).sum(dim=-1)
        better = count > best
        best, found = torch.where(better, count, best), torch.where(better, number, found)
    return found
""",
        ),
        Correct(
            "bincount",
            """
def patch_labels(labels, patch_size, background):
    patches = patchify(labels.unsqueeze(1), patch_size)
    flat = patches.flatten(0, 1)
    out = []
    for patch in flat:
        counts = torch.bincount(patch, minlength=background + 1)
        counts[background] = 0
        out.append(counts.argmax() if counts.any() else torch.tensor(background))
    return torch.stack(out).reshape(patches.shape[:2])
""",
        ),
        Correct(
            "background as half a vote",
            edit(
                (
                    "    counts[..., background] = 0\n",
                    "    counts = 2 * counts\n    counts[..., background] = counts[..., background].clamp(max=1)\n",
                ),
                ("return torch.where(counts.sum(dim=2) > 0, found, background)", "return found"),
            ),
        ),
        Correct(
            "scatter_add",
            """
def patch_labels(labels, patch_size, background):
    pixels = patchify(labels.unsqueeze(1), patch_size)
    size = int(max(labels.max(), background)) + 1
    votes = torch.zeros(*pixels.shape[:2], size).scatter_add(2, pixels, (pixels != background).float())
    most, found = votes.max(dim=2)
    return torch.where(most == 0, torch.full_like(found, background), found)
""",
        ),
        Correct(
            "the most frequent of the sorted labels",
            """
def patch_labels(labels, patch_size, background):
    rows = []
    for picture in patchify(labels.unsqueeze(1), patch_size).tolist():
        inks = [[label for label in patch if label != background] for patch in picture]
        rows.append([max(sorted(set(ink)), key=ink.count) if ink else background for ink in inks])
    return torch.tensor(rows)
""",
        ),
    ],
)

# ---- attention_rollout ----------------------------------------------------------------------------------------------

_STEP = "step = 0.5 * layer.mean(dim=1) + 0.5 * identity"

attention_rollout = Bank(
    "attention_rollout",
    wrong=[
        Wrong(
            "no residual",
            edit((_STEP, "step = layer.mean(dim=1)")),
            "The identity is missing: the residual hands half of every token on as it is. The rows sum to one without it "
            "too, so the sums do not show it.",
        ),
        Wrong(
            "the identity whole, not half",
            edit((_STEP, "step = layer.mean(dim=1) + identity")),
            "The rows sum to 2 to the power of the layers: attention and identity were added without halving. Each "
            "counts half.",
        ),
        Wrong(
            "the layers the other way round",
            edit(("step @ mixed", "mixed @ step")),
            "The product runs from the last layer to the first. With one layer it is right; with two, the later layer's "
            "matrix stands on the left, because it reads what the earlier one wrote.",
        ),
        Wrong(
            "the sum of the layers",
            edit(("mixed = identity", "mixed = torch.zeros_like(identity)"), ("step @ mixed", "step + mixed")),
            "The layers were added. Information passes through one after another: multiply the matrices.",
        ),
        Wrong(
            "number by number, not as matrices",
            edit(("mixed = identity", "mixed = torch.ones_like(identity)"), ("step @ mixed", "step * mixed")),
            "The layers were multiplied number by number. A token reads tokens that have read tokens: a product of "
            "matrices.",
        ),
        Wrong(
            "the last layer alone",
            edit(("step @ mixed", "step")),
            "Only the last layer is in the result. The tokens that it reads are mixtures already.",
        ),
        Wrong(
            "the first head alone",
            edit(("layer.mean(dim=1)", "layer[:, 0]")),
            "One head was taken for all. Take the mean over the heads.",
        ),
        Wrong(
            "the sum over the heads",
            edit(("layer.mean(dim=1)", "layer.sum(dim=1)")),
            "The heads were summed, so the rows sum to more than one. Take their mean.",
        ),
        Wrong(
            "the strongest head",
            edit(("layer.mean(dim=1)", "layer.amax(dim=1)")),
            "The largest weight of any head was taken, and the rows sum to more than one. Take the mean over the heads.",
        ),
        Wrong(
            "the batch is averaged",
            edit(("layer.mean(dim=1)", "layer.mean(dim=0)")),
            "The mean was taken over the images of the batch and not over the heads. Axis 0 is the batch's.",
        ),
        Wrong(
            "transposed",
            edit(("return mixed", "return mixed.transpose(1, 2)")),
            "The columns sum to one and not the rows. Row t is what token t is made of.",
        ),
        Wrong(
            "the class token's row alone",
            edit(("return mixed", "return mixed[:, 0]")),
            "Only row 0 came back. The whole matrix (B, T, T) is asked for; the caller chooses the row.",
        ),
        Wrong(
            "each head by itself, and the mean at the end",
            """
def attention_rollout(weights):
    identity = torch.eye(weights[0].shape[-1])
    mixed = identity
    for layer in weights:
        mixed = (0.5 * layer + 0.5 * identity) @ mixed
    return mixed.mean(dim=1)
""",
            "Every head was followed through the layers by itself, and the mean taken at the end. The heads of a layer write "
            "into one token, which the next layer reads: take their mean in each layer.",
        ),
        Wrong(
            "the mean of the layers",
            edit(
                ("mixed = identity", "mixed = torch.zeros_like(identity)"),
                ("step @ mixed", "mixed + step / len(weights)"),
            ),
            "The layers were averaged. Information passes through one after another: multiply the matrices.",
        ),
        Wrong(
            "the caller's weights are changed",
            edit((_STEP, "layer *= 0.5\n        step = layer.mean(dim=1) + 0.5 * identity")),
            "The tensors, or the list, that were given are not what they were: something was computed in place, or taken out "
            "of the list. Whoever draws the weights afterwards draws others.",
        ),
    ],
    correct=[
        Correct(
            "from the identity on",
            """
def attention_rollout(weights):
    B, H, T, _ = weights[0].shape
    eye = torch.eye(T)
    rollout = eye.repeat(B, 1, 1)
    for layer in weights:
        rollout = torch.bmm((layer.mean(1) + eye) / 2, rollout)
    return rollout
""",
        ),
        Correct(
            "normed by its rows",
            """
def attention_rollout(weights):
    rollout = None
    for layer in weights:
        step = layer.mean(dim=1) + torch.eye(layer.shape[-1])
        step = step / step.sum(dim=-1, keepdim=True)
        rollout = step if rollout is None else torch.einsum("bij,bjk->bik", step, rollout)
    return rollout
""",
        ),
        Correct(
            "reduce, from the last layer back",
            """
def attention_rollout(weights):
    steps = [0.5 * w.mean(1) + 0.5 * torch.eye(w.shape[-1]) for w in weights]
    product = steps[-1]
    for step in reversed(steps[:-1]):
        product = product @ step
    return product
""",
        ),
        Correct(
            "read, then keep half",
            """
def attention_rollout(weights):
    state = torch.eye(weights[0].shape[-1]).expand(weights[0].shape[0], -1, -1)
    for layer in weights:
        state = state + 0.5 * (layer.mean(dim=1) @ state - state)
    return state
""",
        ),
        Correct(
            "heads in a loop",
            """
def attention_rollout(weights):
    rollout = torch.eye(weights[0].shape[-1]).expand(weights[0].shape[0], -1, -1)
    for layer in weights:
        heads = layer.unbind(dim=1)
        rollout = sum(head @ rollout for head in heads) / (2 * len(heads)) + rollout / 2
    return rollout
""",
        ),
        Correct(
            "the list turned round in a copy, one chain of products",
            """
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    out = []
    for b in range(len(weights[0])):
        steps = [(layer[b].mean(0) + eye) / 2 for layer in weights][::-1]
        out.append(torch.linalg.multi_dot(steps) if len(steps) > 1 else steps[0])
    return torch.stack(out)
""",
        ),
    ],
)

# ---- partial_auc ----------------------------------------------------------------------------------------------------

partial_auc = Bank(
    "partial_auc",
    wrong=[
        Wrong(
            "not divided by what is left of the axis",
            edit((".item() / (1 - least)", ".item()")),
            "The area was not divided by the width of the interval, 1 minus the least rate: a perfect ranking gets "
            "that width and not 1.",
        ),
        Wrong(
            "the whole area",
            edit(("found.clamp(min=least).diff()", "found.diff()"), (".item() / (1 - least)", ".item()")),
            "The whole area under the curve came back, as for a least rate of 0. Only what lies above the rate counts.",
        ),
        Wrong(
            "below the rate instead of above",
            edit(
                ("found.clamp(min=least).diff()", "found.clamp(max=max(least, 1e-9)).diff()"),
                (".item() / (1 - least)", ".item() / max(least, 1e-9)"),
            ),
            "The area was taken over the true positive rates below the given one. The part from there up to 1 is asked for.",
        ),
        Wrong(
            "over false positive rates",
            """
def partial_auc(scores, positive, min_true_positive_rate):
    if not positive.any() or positive.all() or not 0 <= min_true_positive_rate < 1:
        raise ValueError
    limit = 1 - min_true_positive_rate
    thresholds = scores.unique().flip(0)
    tpr = torch.stack([torch.tensor(0.0)] + [(scores[positive] >= t).float().mean() for t in thresholds]).double()
    fpr = torch.stack([torch.tensor(0.0)] + [(scores[~positive] >= t).float().mean() for t in thresholds]).double()
    widths = fpr.clamp(max=limit).diff()
    left = tpr[:-1]
    slopes = tpr.diff() / fpr.diff().clamp(min=1e-12)
    return ((left + slopes * widths / 2) * widths).sum().item() / limit
""",
            "The interval was taken on the axis of the false positive rates. That answers another question, how much is "
            "found at few false alarms; here it is how many false alarms there are where most is found.",
        ),
        Wrong(
            "low scores are taken for the positive ones",
            edit(("scores.argsort(descending=True)", "scores.argsort()")),
            "The ranking is upside down: the lowest scores pass first. A high score means positive, so sort downwards.",
        ),
        Wrong(
            "the false alarms themselves",
            edit(("spared = 1 - torch.cat", "spared = torch.cat")),
            "The mean false positive rate came back. The mean true negative rate is asked for, 1 minus it.",
        ),
        Wrong(
            "equal scores in the order in which they stand",
            edit(
                (
                    "torch.cat([scores[1:] != scores[:-1], torch.ones(1, dtype=torch.bool)])",
                    "torch.ones(len(scores), dtype=torch.bool)",
                )
            ),
            "Among equal scores the result depends on the order in which they stand. No threshold can part them: they pass"
            " together, one point of the curve.",
        ),
        Wrong(
            "steps instead of straight lines",
            edit(("spared[1:] - spared.diff() / rises * widths / 2", "spared[1:]")),
            "The points were joined by steps. Between them the curve is a straight line: take the mean height of each piece.",
        ),
        Wrong(
            "points above the rate only",
            edit(("widths = found.clamp(min=least).diff()", "widths = found.diff() * (found[:-1] >= least)")),
            "A piece of the curve that begins below the rate was dropped whole. The part of it above the rate counts: "
            "interpolate.",
        ),
        Wrong(
            "the accuracy at that rate",
            """
def partial_auc(scores, positive, min_true_positive_rate):
    if not positive.any() or positive.all() or not 0 <= min_true_positive_rate < 1:
        raise ValueError
    threshold = scores[positive].quantile(1 - min_true_positive_rate)
    return ((scores >= threshold) == positive).float().mean().item()
""",
            "That is one threshold's accuracy. The mean true negative rate is asked for, over all true positive rates from "
            "the least one up.",
        ),
        Wrong(
            "no error for what cannot be ranked",
            edit(("if not positive.any() or positive.all():", "if False:")),
            "Without a positive and a negative there is no curve; the docstring promises a ValueError.",
        ),
        Wrong(
            "stretched so that guessing is zero",
            edit((".item() / (1 - least)", ".item() / (1 - least) * 2 - (1 - least)")),
            "The area was rescaled. The plain mean is asked for: 1 for a perfect ranking, half of 1 minus the rate where "
            "all scores are equal.",
        ),
        Wrong(
            "a mean over thresholds",
            """
def partial_auc(scores, positive, min_true_positive_rate):
    if not positive.any() or positive.all() or not 0 <= min_true_positive_rate < 1:
        raise ValueError
    rates = []
    for threshold in scores.unique().flip(0):
        said = scores >= threshold
        if said[positive].double().mean().item() >= min_true_positive_rate:
            rates.append(1 - said[~positive].double().mean().item())
    return sum(rates) / len(rates)
""",
            "The mean was taken over the thresholds, so it depends on how many scores there are where. It runs over the true "
            "positive rates: an area, width times height, piece by piece.",
        ),
        Wrong(
            "the first piece with the height of the whole piece",
            edit(("spared[1:] - spared.diff() / rises * widths / 2", "(spared[1:] + spared[:-1]) / 2")),
            "The piece that begins below the least rate was cut to the right width and kept the mean height of the whole. "
            "Its left end now lies on the least rate: interpolate the height there.",
        ),
        Wrong(
            "as scikit-learn rescales it",
            edit(
                (
                    "return (means * widths).sum().item() / (1 - least)",
                    "limit = 1 - least\n    area, chance = (means * widths).sum().item(), limit**2 / 2\n    return 0.5 + (area - chance) / (limit - chance) / 2",
                )
            ),
            "The area was rescaled so that guessing gets 0.5, as scikit-learn's roc_auc_score does with max_fpr (McClish, "
            "1989). The plain mean is asked for.",
        ),
    ],
    correct=[
        Correct(
            "NumPy's trapezoids over an interpolated curve",
            """
def partial_auc(scores, positive, min_true_positive_rate):
    if positive.all() or not positive.any() or not 0 <= min_true_positive_rate < 1:
        raise ValueError("cannot")
    thresholds = sorted(set(scores.tolist()), reverse=True)
    p, n = scores[positive].tolist(), scores[~positive].tolist()
    points = [(0.0, 1.0)]
    for t in thresholds:
        points.append((sum(s >= t for s in p) / len(p), 1 - sum(s >= t for s in n) / len(n)))
    area, low = 0.0, min_true_positive_rate
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x1 <= low or x1 == x0:
            continue
        if x0 < low:
            y0, x0 = y0 + (y1 - y0) * (low - x0) / (x1 - x0), low
        area += (x1 - x0) * (y0 + y1) / 2
    return area / (1 - low)
""",
        ),
        Correct(
            "the curve on its side",
            """
def partial_auc(scores, positive, min_true_positive_rate):
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError("rate")
    negatives, positives = scores[~positive].double(), scores[positive].double()
    if not len(negatives) or not len(positives):
        raise ValueError("one class")
    cuts = torch.cat([scores.double().unique(), torch.tensor([torch.inf])])
    missed = (positives[None] < cuts[:, None]).double().mean(1)  # 1 - true positive rate, rising
    spared = (negatives[None] < cuts[:, None]).double().mean(1)
    limit = 1 - min_true_positive_rate
    inside = missed <= limit
    xs, ys = missed[inside], spared[inside]
    if xs[-1] < limit:
        k = int(inside.sum())
        share = (limit - missed[k - 1]) / (missed[k] - missed[k - 1])
        xs = torch.cat([xs, torch.tensor([limit], dtype=torch.float64)])
        ys = torch.cat([ys, (spared[k - 1] + share * (spared[k] - spared[k - 1]))[None]])
    return float(torch.trapezoid(ys, xs) / limit)
""",
        ),
        Correct(
            "a fine grid of rates",
            """
def partial_auc(scores, positive, min_true_positive_rate):
    low = min_true_positive_rate
    if low < 0 or low >= 1:
        raise ValueError("rate")
    if positive.sum() in (0, len(positive)):
        raise ValueError("one class")
    values = sorted(scores.unique().tolist(), reverse=True)
    found = [0.0] + [(scores[positive] >= v).double().mean().item() for v in values]
    spared = [1.0] + [(scores[~positive] < v).double().mean().item() for v in values]
    knots = [low] + [f for f in found if f > low]

    def height(rate, side):
        pairs = list(zip(found, spared))
        for (f0, s0), (f1, s1) in zip(pairs, pairs[1:]):
            if f0 < f1 and f0 <= rate <= f1 and (rate < f1 if side == "right" else rate > f0):
                return s0 + (s1 - s0) * (rate - f0) / (f1 - f0)
        return 0.0

    area = 0.0
    for a, b in zip(knots, knots[1:]):
        if b > a:
            area += (b - a) * (height(a, "right") + height(b, "left")) / 2
    return area / (1 - low)
""",
        ),
        Correct(
            "all pieces at once, clipped",
            """
def partial_auc(scores, positive, min_true_positive_rate):
    low = min_true_positive_rate
    if positive.all() or (~positive).all() or not 0 <= low < 1:
        raise ValueError("nothing to measure")
    levels = scores.unique().flip(0).unsqueeze(1)
    found = F.pad((scores[positive] >= levels).double().mean(1), (1, 0), value=0.0)
    spared = F.pad((scores[~positive] < levels).double().mean(1), (1, 0), value=1.0)
    rising = found[1:] > found[:-1]
    x0, x1, y0, y1 = found[:-1][rising], found[1:][rising], spared[:-1][rising], spared[1:][rising]
    start = x0.clamp(min=low)
    at_start = y0 + (y1 - y0) * (start - x0) / (x1 - x0)
    return float(((x1 - start).clamp(min=0) * (at_start + y1) / 2).sum() / (1 - low))
""",
        ),
        Correct(
            "one negative at a time",
            """
def partial_auc(scores, positive, min_true_positive_rate):
    low = min_true_positive_rate
    if not 0 <= low < 1 or len(set(positive.tolist())) < 2:
        raise ValueError("nothing to measure")
    found = scores[positive]
    total = 0.0
    for score in scores[~positive]:
        above = (found > score).double().mean().item()  # below this rate the negative is spared for certain
        reached = (found >= score).double().mean().item()  # from this rate on it is a false alarm
        total += max(0.0, above - low)
        start = max(above, low)
        if reached > start:
            total += (reached - start) ** 2 / (2 * (reached - above))
    return total / int((~positive).sum()) / (1 - low)
""",
        ),
    ],
)

# ---- fix_the_resized_positions --------------------------------------------------------------------------------------

_GRID = "patch_rows.reshape(1, *old_grid, -1).permute(0, 3, 1, 2)"
_BACK = "torch.cat([class_row, grid.permute(0, 2, 3, 1).flatten(0, 2)])"

fix_the_resized_positions = Bank(
    "fix_the_resized_positions",
    wrong=[
        Wrong(
            "as it was found",
            edit(
                (_GRID, "patch_rows.reshape(1, -1, *old_grid)"),
                (_BACK, "torch.cat([class_row, grid.reshape(-1, table.shape[1])])"),
            ),
            "The function is as it was found. Follow one number of the table, row 5, feature 2: where does the first "
            "reshape put it?",
        ),
        Wrong(
            "mended on the way in alone",
            edit((_BACK, "torch.cat([class_row, grid.reshape(-1, table.shape[1])])")),
            "The way into the grid is mended. On the way back the features are still the first axis, and the reshape cuts "
            "across them.",
        ),
        Wrong(
            "mended on the way back alone",
            edit((_GRID, "patch_rows.reshape(1, -1, *old_grid)")),
            "The way back is mended. On the way in, the reshape still takes the first features for the whole picture of "
            "the first row.",
        ),
        Wrong(
            "rows and columns exchanged",
            edit((_GRID, "patch_rows.reshape(1, *old_grid[::-1], -1).permute(0, 3, 2, 1)")),
            "Rows and columns of the grid have changed places: the patches come row by row.",
        ),
        Wrong(
            "the result is read column by column",
            edit((_BACK, "torch.cat([class_row, grid.permute(0, 3, 2, 1).flatten(0, 2)])")),
            "The new rows come column by column of the grid. The patches are numbered row by row.",
        ),
        Wrong(
            "along the line, not over the picture",
            edit(
                (f"grid = {_GRID}", "grid = patch_rows.T.unsqueeze(0)"),
                (
                    'F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)',
                    'F.interpolate(grid, size=new_grid[0] * new_grid[1], mode="linear", align_corners=False)',
                ),
                (_BACK, "torch.cat([class_row, grid[0].T])"),
            ),
            "The rows were stretched along the line of patches, so the end of one row of the picture is blended with the "
            "beginning of the next. Interpolate over the grid.",
        ),
        Wrong(
            "the nearest patch",
            edit(('mode="bilinear", align_corners=False', 'mode="nearest"')),
            "Every new patch got the row of one old patch. The docstring asks for bilinear interpolation.",
        ),
        Wrong(
            "the class token is interpolated too",
            """
def resize_positions(table, old_grid, new_grid):
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.reshape(1, *old_grid, -1).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    rows = grid.permute(0, 2, 3, 1).flatten(0, 2)
    return torch.cat([(class_row + rows[:1]) / 2, rows])
""",
            "The class token has no place in the picture. Its row is to stay as it was.",
        ),
        Wrong(
            "the class token is left out",
            edit((_BACK, "grid.permute(0, 2, 3, 1).flatten(0, 2)")),
            "The class token's row is missing: the table is a row short.",
        ),
        Wrong(
            "the class token comes last",
            edit((_BACK, "torch.cat([grid.permute(0, 2, 3, 1).flatten(0, 2), class_row])")),
            "The class token's row stands at the end. It is the first token.",
        ),
        Wrong(
            "corner to corner",
            edit(("align_corners=False", "align_corners=True")),
            "The grids were laid corner on corner. A patch covers an area, so the pictures' edges are what falls together:"
            " leave align_corners as it was found.",
        ),
        Wrong(
            "in place",
            edit(("    return torch.cat", "    table[1:] *= 0.5\n    return torch.cat")),
            "The caller's table was changed. Make a new one, or work on a copy.",
        ),
        Wrong(
            "height and width of the grids exchanged",
            """
def resize_positions(table, old_grid, new_grid):
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.reshape(1, *old_grid[::-1], -1).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=new_grid[::-1], mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.permute(0, 2, 3, 1).flatten(0, 2)])
""",
            "The grids were read as (width, height). They are (rows, columns), the height first, as in (B, C, H, W).",
        ),
        Wrong(
            "turned on the way, and the new size is not",
            edit(
                (_GRID, "patch_rows.reshape(1, *old_grid, -1).transpose(1, 3)"),
                (_BACK, "torch.cat([class_row, grid.transpose(1, 3).flatten(0, 2)])"),
            ),
            "transpose(1, 3) brings the features to the front and also exchanges rows and columns, (1, D, w, h), and the new "
            "size is still (h', w'). Keep the rows before the columns.",
        ),
        Wrong(
            "bicubic",
            edit(('mode="bilinear"', 'mode="bicubic"')),
            "The interpolation is bicubic, as much published code has it. The docstring asks for bilinear.",
        ),
        Wrong(
            "a square grid, whatever is said",
            edit(
                (
                    _GRID,
                    "patch_rows.reshape(1, int(len(patch_rows) ** 0.5), -1, table.shape[1]).permute(0, 3, 1, 2)",
                )
            ),
            "The grid's side was taken from the root of the number of patches. The grid need not be square: old_grid says "
            "what it is.",
        ),
    ],
    correct=[
        Correct(
            "transposed before the reshape",
            """
def resize_positions(table, old_grid, new_grid):
    d_model = table.shape[1]
    grid = table[1:].T.reshape(1, d_model, *old_grid)
    grid = F.interpolate(grid, size=tuple(new_grid), mode="bilinear", align_corners=False)
    return torch.cat([table[:1], grid.reshape(d_model, -1).T], dim=0)
""",
        ),
        Correct(
            "one feature at a time",
            """
def resize_positions(table, old_grid, new_grid):
    columns = []
    for feature in table[1:].unbind(dim=1):
        picture = feature.reshape(1, 1, *old_grid)
        resized = F.interpolate(picture, size=new_grid, mode="bilinear", align_corners=False)
        columns.append(resized.flatten())
    return torch.cat([table[:1], torch.stack(columns, dim=1)])
""",
        ),
        Correct(
            "features as a batch",
            """
def resize_positions(table, old_grid, new_grid):
    grid = table[1:].reshape(old_grid[0], old_grid[1], -1).movedim(2, 0).unsqueeze(1)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    rows = grid.squeeze(1).flatten(1).transpose(0, 1)
    return torch.cat((table[0:1], rows))
""",
        ),
        Correct(
            "view and movedim",
            """
def resize_positions(table, old_grid, new_grid):
    grid = table[1:].reshape(*old_grid, table.shape[1]).permute(2, 0, 1)[None]
    new = F.interpolate(grid, new_grid, mode="bilinear")[0]
    return torch.cat([table[:1], new.movedim(0, -1).reshape(-1, table.shape[1])])
""",
        ),
        Correct(
            "an empty table filled",
            """
def resize_positions(table, old_grid, new_grid):
    new = table.new_empty(1 + new_grid[0] * new_grid[1], table.shape[1])
    new[0] = table[0]
    grid = table[1:].t().contiguous().view(1, -1, old_grid[0], old_grid[1])
    new[1:] = F.interpolate(grid, size=new_grid, mode="bilinear").flatten(2)[0].t()
    return new
""",
        ),
        Correct(
            "turned on both ways, with the size turned",
            edit(
                (_GRID, "patch_rows.reshape(1, *old_grid, -1).transpose(1, 3)"),
                ("size=new_grid", "size=new_grid[::-1]"),
                (_BACK, "torch.cat([class_row, grid.transpose(1, 3).flatten(0, 2)])"),
            ),
        ),
    ],
)
