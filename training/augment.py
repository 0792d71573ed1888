"""What is done to images while a vision transformer trains, as DeiT names it (Touvron et al., 2021, section 6).

Two kinds: what is done to one picture, where it is decoded (random_resized_crop, flip, rand_augment), and what is done
to a batch, on the device (erase, mix). Everything is drawn from torch's global random numbers.
torchvision has most of these, but its wheels on PyPI do not load beside torch's build for the CPU.
"""

import math
from collections.abc import Callable

import torch
from PIL import Image, ImageEnhance, ImageOps
from torch import Tensor, nn
from torch.distributions import Beta

GRAY = (128, 128, 128)  # what comes in from outside the picture


def uniform(low: float, high: float) -> float:
    return low + (high - low) * torch.rand(()).item()


def either(probability: float) -> bool:
    """True with that probability."""
    return torch.rand(()).item() < probability


# ---- one picture ----------------------------------------------------------------------------------------------------


def random_resized_crop(image: Image.Image, size: int, least: float) -> Image.Image:
    """A part of the picture, scaled to size by size pixels (Szegedy et al., 2015, section 6).

    Its area is a share of the picture's from `least` to 1, its shape from 3:4 to 4:3, in proportion. Where no such part
    was found in ten tries, which happens with very long pictures, it is the square in the middle.
    """
    width, height = image.size
    for _ in range(10):
        area, shape = width * height * uniform(least, 1), math.exp(uniform(math.log(3 / 4), math.log(4 / 3)))
        w, h = round(math.sqrt(area * shape)), round(math.sqrt(area / shape))
        if 1 <= w <= width and 1 <= h <= height:
            left, top = round(uniform(0, width - w)), round(uniform(0, height - h))
            return image.resize((size, size), Image.Resampling.BICUBIC, box=(left, top, left + w, top + h))
    return ImageOps.fit(image, (size, size), Image.Resampling.BICUBIC)


def flip(image: Image.Image, probability: float) -> Image.Image:
    """Left to right, with that probability."""
    return ImageOps.mirror(image) if either(probability) else image


def signed(value: float) -> float:
    return value if either(0.5) else -value


def affine(image: Image.Image, *matrix: float) -> Image.Image:
    """The pixel at (x, y) comes from (a x + b y + c, d x + e y + f) of the picture."""
    return image.transform(image.size, Image.Transform.AFFINE, matrix, Image.Resampling.BILINEAR, fillcolor=GRAY)


def enhanced(kind: Callable[[Image.Image], ImageEnhance._Enhance]) -> Callable[[Image.Image, float], Image.Image]:
    return lambda image, m: kind(image).enhance(max(0.1, 1 + signed(0.9 * m)))


# m, from 0 to 1, says how strongly. These fifteen and their ranges are DeiT's, "increasing": 0 leaves a picture as it
# is, for all that have a strength (Cubuk et al., 2020, have some that grow weaker with m).
OPERATIONS: dict[str, Callable[[Image.Image, float], Image.Image]] = {
    "auto contrast": lambda image, m: ImageOps.autocontrast(image),
    "equalize": lambda image, m: ImageOps.equalize(image),
    "invert": lambda image, m: ImageOps.invert(image),
    "rotate": lambda image, m: image.rotate(signed(30 * m), Image.Resampling.BILINEAR, fillcolor=GRAY),
    "posterize": lambda image, m: ImageOps.posterize(image, max(1, 4 - int(4 * m))),
    "solarize": lambda image, m: ImageOps.solarize(image, 256 - int(256 * m)),
    "solarize, add": lambda image, m: image.point(
        [min(255, i + int(110 * m)) if i < 128 else i for i in range(256)] * 3
    ),
    "color": enhanced(ImageEnhance.Color),
    "contrast": enhanced(ImageEnhance.Contrast),
    "brightness": enhanced(ImageEnhance.Brightness),
    "sharpness": enhanced(ImageEnhance.Sharpness),
    "shear x": lambda image, m: affine(image, 1, signed(0.3 * m), 0, 0, 1, 0),
    "shear y": lambda image, m: affine(image, 1, 0, 0, signed(0.3 * m), 1, 0),
    "move x": lambda image, m: affine(image, 1, 0, signed(0.45 * m) * image.width, 0, 1, 0),
    "move y": lambda image, m: affine(image, 1, 0, 0, 0, 1, signed(0.45 * m) * image.height),
}


def rand_augment(image: Image.Image, magnitude: float) -> Image.Image:
    """Two operations in a row, each drawn from OPERATIONS and applied half of the time (Cubuk et al., 2020).

    magnitude, from 0 to 10; each time it varies by a standard deviation of .5, as in DeiT's code. RGB in, RGB out, of
    the same size.
    """
    names = list(OPERATIONS)
    for _ in range(2):
        operation = OPERATIONS[names[int(torch.randint(len(names), ()))]]
        strength = min(10.0, max(0.0, magnitude + 0.5 * torch.randn(()).item())) / 10
        if either(0.5):
            image = operation(image, strength)
    return image


# ---- a batch --------------------------------------------------------------------------------------------------------


def erase(images: Tensor, probability: float) -> Tensor:
    """Random erasing (Zhong et al., 2020): with that probability, a box of an image becomes noise.

    images (B, C, H, W), float. A box has 2% to a third of the area and is up to 3.3 times as high as wide, or as wide
    as high; where it does not fit it is cut off, and not drawn again as in the paper, so that no number is waited for.
    """
    batch, _, height, width = images.shape
    chosen, area, shape, top, left = torch.rand(5, batch, 1, 1, 1, device=images.device)
    area, shape = height * width * (0.02 + (1 / 3 - 0.02) * area), 3.3 ** (2 * shape - 1)
    h = (area * shape).sqrt().round().clamp(1, height)
    w = (area / shape).sqrt().round().clamp(1, width)
    top, left = (top * (height - h + 1)).floor(), (left * (width - w + 1)).floor()
    rows = torch.arange(height, device=images.device).view(-1, 1)
    columns = torch.arange(width, device=images.device)
    box = (rows >= top) & (rows < top + h) & (columns >= left) & (columns < left + w)  # (B, 1, H, W)
    return torch.where(box & (chosen < probability), torch.randn_like(images), images)


def mix(images: Tensor, mixup: float, cutmix: float) -> tuple[Tensor, float]:
    """Each image mixed with its partner, which is the one at the same place from the end of the batch.

    images (B, C, H, W). With mixup (Zhang et al., 2018) all pixels are blended, share x image + (1 - share) x partner;
    with cutmix (Yun et al., 2019) a box of 1 - share of the area is the partner's. The share, one for the whole batch,
    is drawn from Beta(alpha, alpha), alpha being `mixup` or `cutmix`; 0 is never. Of both, one is drawn for each batch,
    as in DeiT's code. Returns the images and the share: the loss is
    share x the loss with the images' labels + (1 - share) x that with the partners'.
    """
    if not mixup and not cutmix:
        return images, 1.0
    cuts = bool(cutmix) and (not mixup or either(0.5))
    alpha = cutmix if cuts else mixup
    share = Beta(alpha, alpha).sample().item()
    partners = images.flip(0)
    if not cuts:
        return share * images + (1 - share) * partners, share
    height, width = images.shape[2:]
    h, w = height * math.sqrt(1 - share), width * math.sqrt(1 - share)
    y, x = uniform(0, height), uniform(0, width)  # the middle of the box: at an edge it is cut off
    top, bottom = (min(height, max(0, round(edge))) for edge in (y - h / 2, y + h / 2))
    left, right = (min(width, max(0, round(edge))) for edge in (x - w / 2, x + w / 2))
    images = images.clone()
    images[:, :, top:bottom, left:right] = partners[:, :, top:bottom, left:right]
    return images, 1 - (bottom - top) * (right - left) / (height * width)


# ---- the model ------------------------------------------------------------------------------------------------------


class StochasticDepth(nn.Module):
    """What a layer adds to the stream, left out for some samples of a batch (Huang et al., 2016).

    forward: x (B, ...) -> the same, in training with `probability` zeros for all of a sample, the others scaled so
    that the mean stays.
    """

    def __init__(self, probability: float):
        super().__init__()
        self.probability = probability

    def forward(self, x: Tensor) -> Tensor:
        kept = nn.functional.dropout(x.new_ones(len(x), *[1] * (x.ndim - 1)), self.probability, self.training)
        return x * kept


def with_stochastic_depth(model: nn.Module, probability: float) -> nn.Module:
    """The layers of the model's encoder leave out more the later they come, the last one `probability`; none where it
    is 0. It takes the place of the layers' dropout, which is applied to just what they add. Returns the model."""
    layers = model.encoder.layers  # type: ignore[union-attr]
    if probability:
        for i, layer in enumerate(layers):  # type: ignore[arg-type]
            layer.dropout = StochasticDepth(probability * i / max(1, len(layers) - 1))  # type: ignore[arg-type]
    return model
