"""Chapter 08: the Vision Transformer, "an image is worth 16x16 words"
(Dosovitskiy et al., 2021).

The reference answers of notebook 08. Names, parameter names, shapes and docstrings are
the course's public contract and stand in the notebook's stubs as they stand here; what
is inside the functions may be rewritten freely.
Letters: B batch, C channels, H and W height and width in pixels, P patch size, N
patches, T tokens, D model width, L layers. Images are (B, C, H, W), and need not be
square.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from solutions.multi_head import LearnedPositionalEncoding
from solutions.transformer import TransformerEncoder


def patchify(images: Tensor, patch_size: int) -> Tensor:
    """Cut images into squares of P by P pixels, each laid out in a line:
    (B, N, C * P * P).

    images (B, C, H, W), of any dtype; N = (H / P) * (W / P). The patches come as one
    reads: left to right, then the next row of patches. Inside a patch all pixels of the
    first channel come first, row by row, then those of the second. Raises ValueError
    where images does not have four axes or P does not divide H and W.
    """
    if images.ndim != 4:
        raise ValueError(f"need images (B, C, H, W), got {tuple(images.shape)}")
    batch, channels, height, width = images.shape
    if height % patch_size or width % patch_size:
        raise ValueError(
            f"patches of {patch_size} x {patch_size} pixels do not tile "
            f"{height} x {width} pixels"
        )
    rows, columns = height // patch_size, width // patch_size
    squares = images.reshape(batch, channels, rows, patch_size, columns, patch_size)
    squares = squares.permute(0, 2, 4, 1, 3, 5)  # to (B, rows, columns, C, P, P)
    return squares.reshape(batch, rows * columns, channels * patch_size * patch_size)


class PatchEmbedding(nn.Module):
    """The words of an image: each patch, laid out by patchify, through one linear map.

    The map is `projection`, an nn.Linear with bias from num_channels * patch_size**2 to
    d_model (Dosovitskiy et al., 2021, equation 1).

    forward: images (B, C, H, W) -> (B, N, D). Raises ValueError where patches do not
    tile the image.
    """

    def __init__(self, patch_size, num_channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(num_channels * patch_size**2, d_model)

    def forward(self, images: Tensor) -> Tensor:
        # (B, N, C * P * P) -> (B, N, D)
        return self.projection(patchify(images, self.patch_size))


class VisionTransformer(nn.Module):
    """An image as a sequence of patches, read by an encoder (Dosovitskiy et al., 2021).

    image_size: one number of pixels for a square, or (height, width).
    pool says which of the encoder's outputs the head reads:
      "class": that of a learned token, put before the patches and given the first
        position;
      "first", "last": that of the first or the last patch; "mean": the mean over all
        patches.
      These three have no class token, and one token fewer.
    The parts are patches (PatchEmbedding), class_token (nn.Parameter, (1, 1, D), only
    with "class", initialized as you like), positions (LearnedPositionalEncoding, one
    row per token, the class token's first), encoder (TransformerEncoder, pre-norm,
    gelu, no dropout, with this layer_norm_eps) and head (nn.Linear with bias, d_model
    to num_classes).

    encode: images (B, C, H, W) -> (B, T, D), the encoder's output for each of the T
      tokens, N or N + 1.
    forward: images (B, C, H, W) -> logits (B, num_classes).
    The constructor raises ValueError for any other pool and for patches that do not
    tile image_size. encode and forward raise it for images of another height or width.
    """

    def __init__(
        self,
        image_size,
        patch_size,
        d_model,
        num_heads,
        num_layers,
        d_ff,
        num_classes,
        pool="class",
        num_channels=3,
        layer_norm_eps=1e-6,
    ):
        super().__init__()
        if pool not in ("class", "first", "last", "mean"):
            raise ValueError(
                f'pool is "class", "first", "last" or "mean", got {pool!r}'
            )
        height, width = (
            (image_size, image_size) if isinstance(image_size, int) else image_size
        )
        if height % patch_size or width % patch_size:
            raise ValueError(
                f"patches of {patch_size} x {patch_size} pixels do not tile "
                f"{height} x {width} pixels"
            )
        self.image_size, self.pool = (height, width), pool
        num_tokens = (height // patch_size) * (width // patch_size) + (pool == "class")
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(num_tokens, d_model)
        self.encoder = TransformerEncoder(
            d_model,
            num_heads,
            d_ff,
            num_layers,
            activation=F.gelu,
            layer_norm_eps=layer_norm_eps,
            norm_first=True,
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        # Fewer patches would silently get other patches' positions.
        if images.shape[2:] != self.image_size:
            raise ValueError(
                f"made for images of {self.image_size} pixels, "
                f"got {tuple(images.shape)}"
            )
        tokens = self.patches(images)  # (B, C, H, W) -> (B, N, D)
        if self.pool == "class":
            # (B, N + 1, D)
            tokens = torch.cat(
                [self.class_token.expand(len(tokens), -1, -1), tokens], dim=1
            )
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        # The class token stands first.
        if self.pool == "mean":
            return self.head(tokens.mean(dim=1))
        return self.head(tokens[:, -1 if self.pool == "last" else 0])


class HybridVisionTransformer(nn.Module):
    """A Vision Transformer over a CNN's feature map (Dosovitskiy et al., 2021,
    section 3.1).

    backbone: a module, images -> features (B, feature_channels, h, w), with
    feature_size = (h, w). The feature map takes the image's place: squares of
    patch_size by patch_size of its cells are the patches.
    The parts are backbone, as given, and transformer (VisionTransformer, with its
    default layer_norm_eps).

    encode: images -> (B, T, D), and forward: images -> logits (B, num_classes), as in
    VisionTransformer.
    """

    def __init__(
        self,
        backbone,
        feature_channels,
        feature_size,
        patch_size,
        d_model,
        num_heads,
        num_layers,
        d_ff,
        num_classes,
        pool="class",
    ):
        super().__init__()
        self.backbone = backbone
        sizes = feature_size, patch_size, d_model, num_heads, num_layers, d_ff
        self.transformer = VisionTransformer(
            *sizes, num_classes, pool, feature_channels
        )

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer(self.backbone(images))


def augment(images: Tensor, max_shift: int) -> Tensor:
    """Each image moved by a random number of pixels of its own, afresh at every call.

    images (B, C, H, W); max_shift is at least 0 and less than H and W. An image moves,
    with all its channels, down by one whole number from -max_shift to max_shift and to
    the right by another, both ends included and all equally likely, drawn from torch's
    global random state. What moves out of the picture is lost; zeros come in at the
    other side. Returns a new tensor of the same shape and dtype; images is left as it
    was.
    """
    batch, channels, height, width = images.shape
    device = images.device
    padded = F.pad(images, (max_shift,) * 4)
    down, right = torch.randint(0, 2 * max_shift + 1, (2, batch, 1), device=device)
    # (B, 1, H, 1) and (B, 1, 1, W)
    rows = (torch.arange(height, device=device) + down)[:, None, :, None]
    columns = (torch.arange(width, device=device) + right)[:, None, None, :]
    of_batch = torch.arange(batch, device=device)[:, None, None, None]
    of_channel = torch.arange(channels, device=device)[None, :, None, None]
    return padded[of_batch, of_channel, rows, columns]


def patch_labels(labels: Tensor, patch_size: int, background: int) -> Tensor:
    """What each patch shows: the targets of a head on every patch.

    labels (B, H, W) int64, for every pixel a class or background; all are numbers from
    0, and background may be any of them, below, between or above the classes. Returns
    (B, N) int64, the patches in the order of patchify: background where all pixels of
    the patch are background; otherwise the class that most of its other pixels have,
    the lower number where two have equally many. Leaves labels as they were. Raises
    ValueError where P does not divide H and W.
    """
    pixels = patchify(labels.unsqueeze(1), patch_size)  # (B, H, W) -> (B, N, P * P)
    # (B, N, classes)
    counts = F.one_hot(pixels, max(int(labels.max()), background) + 1).sum(dim=2)
    counts[..., background] = 0
    majority = counts.argmax(dim=2)  # the first of equals, that is the lower number
    return torch.where(counts.sum(dim=2) > 0, majority, background)


def attention_rollout(weights: list[Tensor]) -> Tensor:
    """How much of each input token is in each output token (Abnar and Zuidema, 2020).

    weights: L tensors (B, H, T, T), the first layer's first; their rows sum to one. A
    layer mixes by half the mean over its heads and half the identity, which stands for
    the residual.
    Returns the product of all layers (B, T, T): row t says what token t of the last
    layer is made of. weights, the list and its tensors, are left as they were.
    """
    identity = torch.eye(
        weights[0].shape[-1], dtype=weights[0].dtype, device=weights[0].device
    )
    mixed = identity
    for layer in weights:
        step = 0.5 * layer.mean(dim=1) + 0.5 * identity  # (B, H, T, T) -> (B, T, T)
        mixed = step @ mixed  # later layers read what earlier ones wrote
    return mixed


def partial_auc(
    scores: Tensor, positive: Tensor, min_true_positive_rate: float
) -> float:
    """The mean true negative rate where the true positive rate is at least the given
    one.

    The mean runs over the true positive rates from min_true_positive_rate to 1.
    scores (n,), higher for what looks more like a positive; positive (n,) boolean. The
    curve goes through one point for each threshold, `score >= threshold`, so equal
    scores pass together; straight lines join the points, from "nothing passes" to
    "everything passes".
    Returns 1.0 for a perfect ranking, and half of 1 - min_true_positive_rate where all
    scores are equal.
    Raises ValueError where there is no positive or no negative, or where the rate is
    below 0, or is 1 or more.
    """
    least = min_true_positive_rate
    if not positive.any() or positive.all():
        raise ValueError(
            f"need positives and negatives, got {int(positive.sum())} positives "
            f"of {len(positive)}"
        )
    if not 0 <= least < 1:
        raise ValueError(
            f"the least true positive rate is from 0 to below 1, got {least}"
        )
    order = scores.argsort(descending=True)
    scores, positive = scores[order], positive[order]
    last_of_equals = torch.cat(
        [scores[1:] != scores[:-1], scores.new_ones(1, dtype=torch.bool)]
    )
    zero = scores.new_zeros(1, dtype=torch.float64)
    # True positive rate.
    sensitivity = torch.cat(
        [zero, positive.double().cumsum(0)[last_of_equals] / positive.sum()]
    )
    specificity = 1 - torch.cat(
        [zero, (~positive).double().cumsum(0)[last_of_equals] / (~positive).sum()]
    )
    # Where the curve runs level no width is added. A width is the part of a rise that
    # lies above the least rate.
    rises = sensitivity.diff().clamp(min=1e-12)
    widths = sensitivity.clamp(min=least).diff()
    means = specificity[1:] - specificity.diff() / rises * widths / 2
    return (means * widths).sum().item() / (1 - least)


def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    """A table of positions for another grid of patches (Dosovitskiy et al., 2021, 3.2).

    table (1 + h * w, D): the class token's row, then those of a grid of h rows and w
    columns of patches, row by row; old_grid (h, w), new_grid (h', w'). Returns
    (1 + h' * w', D): the class token's row as it was, the patches' rows interpolated
    over the picture, bilinearly as by F.interpolate with align_corners=False. The table
    is left as it was.
    """
    class_row, patch_rows = table[:1], table[1:]
    # (h * w, D) -> (1, D, h, w); at the end (1, D, h', w') -> (h' * w', D)
    grid = patch_rows.reshape(1, *old_grid, -1).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.permute(0, 2, 3, 1).flatten(0, 2)])
