"""Small pictures of digits: 1,797 handwritten ones, larger canvases to put them on, and digits drawn from fonts.

The handwritten digits come with scikit-learn (E. Alpaydin and C. Kaynak, 1998, UCI Machine Learning Repository,
doi:10.24432/C50P49): 8 x 8 pixels, gray. The fonts come with matplotlib. Nothing is downloaded. Images are
(n, 1, H, W) float32 from 0 (paper) to 1 (ink), labels (n,) int64; every function that draws takes a seed or a
generator. Not safe to change: the split, or the order of draws, since committed results rest on them.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import matplotlib
import numpy as np
import torch
import torch.nn.functional as F
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path as Outline
from matplotlib.textpath import TextPath
from sklearn.datasets import load_digits
from torch import Tensor

TESTED = 500  # handwritten digits that are kept for testing; 1,297 are left to train on
BACKGROUND = 10  # the label of paper in a scene, after the ten digits'
# Text fonts of matplotlib's; its others hold symbols, and "Display" ones have no digits.
FONTS = ("DejaVu*.ttf", "STIXGeneral*.ttf", "cmb10.ttf", "cmr10.ttf", "cmss10.ttf", "cmti10.ttf", "cmtt10.ttf")


# ---- handwritten ----------------------------------------------------------------------------------------------------


@cache
def _handwritten() -> tuple[Tensor, Tensor]:
    loaded = load_digits()
    images = torch.tensor(loaded.images / 16, dtype=torch.float32).unsqueeze(1)
    order = torch.randperm(len(images), generator=torch.Generator().manual_seed(0))
    return images[order], torch.tensor(loaded.target, dtype=torch.int64)[order]


def handwritten(split: str) -> tuple[Tensor, Tensor]:
    """Images (n, 1, 8, 8) and labels (n,) of the "train" digits (1,297) or the "test" digits (500).

    The split is drawn at random once and for all, so the same writers are in both. Raises ValueError for another name.
    """
    if split not in ("train", "test"):
        raise ValueError(f'split is "train" or "test", got {split!r}')
    images, labels = _handwritten()
    chosen = slice(TESTED, None) if split == "train" else slice(TESTED)
    return images[chosen].clone(), labels[chosen].clone()


def a_few(images: Tensor, labels: Tensor, count: int, seed: int) -> tuple[Tensor, Tensor]:
    """`count` of the digits, as many of each of the ten classes; all of them, in order, where there are no more.

    Raises ValueError where count is no multiple of ten, or where a class has too few.
    """
    if count >= len(images):
        return images, labels
    order = torch.randperm(len(images), generator=torch.Generator().manual_seed(seed))
    per_class = [order[labels[order] == digit][: count // 10] for digit in range(10)]
    if count % 10 or any(len(of_class) < count // 10 for of_class in per_class):
        raise ValueError(f"cannot take {count} digits, as many of each of ten classes, from {len(images)}")
    chosen = torch.cat(per_class)
    return images[chosen], labels[chosen]


def on_canvas(images: Tensor, height: int, width: int) -> Tensor:
    """Each image in the middle of an empty canvas: (n, C, h, w) to (n, C, height, width).

    Raises ValueError where the margins are not whole pixels, the same on both sides.
    """
    down, right = height - images.shape[2], width - images.shape[3]
    if down % 2 or right % 2 or min(down, right) < 0:
        raise ValueError(f"images {tuple(images.shape)} do not fit in the middle of {height} x {width} pixels")
    return F.pad(images, (right // 2, right // 2, down // 2, down // 2))


def shuffle_pixels(images: Tensor, seed: int) -> Tensor:
    """The pixels of every image in one other order, drawn once from the seed: the same for all images."""
    pixels = images.flatten(2)
    order = torch.randperm(pixels.shape[2], generator=torch.Generator().manual_seed(seed))
    return pixels[:, :, order].reshape(images.shape)


# ---- scenes: several digits in one picture --------------------------------------------------------------------------


def digit_scenes(
    images: Tensor, labels: Tensor, count: int, generator: torch.Generator, rows: int = 3, columns: int = 3
) -> tuple[Tensor, Tensor]:
    """Pictures of three digits each, in different cells of a grid of 8 x 8 pixels, and a label for every pixel.

    Returns pictures (count, 1, 8 * rows, 8 * columns) and pixel labels (count, 8 * rows, 8 * columns): the digit where
    there is ink, BACKGROUND on paper.
    """
    pictures = torch.zeros(count, rows * columns, 8, 8)
    pixel_labels = torch.full((count, rows * columns, 8, 8), BACKGROUND)
    cells = torch.rand(count, rows * columns, generator=generator).argsort(dim=1)[:, :3]  # three different ones each
    chosen = torch.randint(len(images), (count, 3), generator=generator)
    scene = torch.arange(count).unsqueeze(1)
    pictures[scene, cells] = images[chosen, 0]
    pixel_labels[scene, cells] = torch.where(images[chosen, 0] > 0, labels[chosen][:, :, None, None], BACKGROUND)

    def as_picture(grid: Tensor) -> Tensor:
        grid = grid.reshape(count, rows, columns, 8, 8).transpose(2, 3)  # (n, rows, 8, columns, 8)
        return grid.reshape(count, 8 * rows, 8 * columns)

    return as_picture(pictures).unsqueeze(1), as_picture(pixel_labels)


# ---- rendered from fonts --------------------------------------------------------------------------------------------


@cache
def rendered(size: int = 32) -> tuple[Tensor, Tensor, tuple[str, ...]]:
    """The ten digits of each text font that matplotlib brings: images (n, 1, size, size), labels (n,), font names.

    A digit fills 0.92 of the height and stands in the middle; a pixel is ink where its center lies inside the outline.
    """
    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    files = sorted(path for pattern in FONTS for path in folder.glob(pattern) if "Display" not in path.stem)
    centers = (np.arange(size) + 0.5) / size - 0.5
    across, up = np.meshgrid(centers, -centers)
    points = np.stack([across.ravel(), up.ravel()], axis=1)  # of a picture one unit wide and high, y upwards
    images = []
    for file in files:
        for digit in "0123456789":
            outline = TextPath((0, 0), digit, size=100, prop=FontProperties(fname=file))
            low, high = outline.vertices.min(axis=0), outline.vertices.max(axis=0)
            where = points * (high - low)[1] / 0.92 + (low + high) / 2
            ink = np.zeros(len(where), dtype=bool)
            for polygon in outline.to_polygons():
                ink ^= Outline(polygon).contains_points(where)  # a contour inside another cuts a hole
            images.append(ink.reshape(size, size))
    return (
        torch.tensor(np.stack(images), dtype=torch.float32).unsqueeze(1),
        torch.arange(10).repeat(len(files)),
        tuple(file.stem for file in files),
    )


def rendered_batches(batch_size: int, seed: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Endless batches of font digits made to look like handwritten ones: images (B, 1, 8, 8) and labels (B,).

    Each is thickened, turned, stretched, slanted and moved at random at 32 x 32 pixels, then averaged down to 8 x 8,
    given another contrast and a little noise. No two are alike.
    """
    images, labels, _ = rendered()
    thin_and_thick = torch.stack([images, F.max_pool2d(images, 3, 1, 1)])
    generator = torch.Generator().manual_seed(seed)
    while True:
        chosen = torch.randint(len(images), (batch_size,), generator=generator)
        thick = torch.randint(2, (batch_size,), generator=generator)
        small = F.avg_pool2d(_distorted(thin_and_thick[thick, chosen], generator), 4)
        contrast = 1 + 0.8 * torch.rand(batch_size, 1, 1, 1, generator=generator)
        noise = 0.05 * torch.randn(small.shape, generator=generator)
        yield ((small * contrast).clamp(max=1) + noise).clamp(0, 1), labels[chosen]


def _distorted(images: Tensor, generator: torch.Generator) -> Tensor:
    """Each image under a random affine map of its own: turned by up to 17 degrees, slanted by up to a third, made
    narrower by up to a half, stretched by up to a seventh in height, moved by up to a tenth of the picture."""
    angle, slant, narrow, high, right, down = 2 * torch.rand(6, len(images), generator=generator) - 1
    angle, slant, narrow, high = 0.3 * angle, 0.33 * slant, 1.25 + 0.25 * narrow, 1 + 0.15 * high
    first = torch.stack([angle.cos() * narrow, -angle.sin() + slant, 0.2 * right], dim=1)
    second = torch.stack([angle.sin() * narrow, angle.cos() * high, 0.2 * down], dim=1)
    grid = F.affine_grid(torch.stack([first, second], dim=1), list(images.shape), align_corners=False)
    return F.grid_sample(images, grid, align_corners=False)
