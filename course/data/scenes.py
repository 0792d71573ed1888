"""Generated pictures with captions: two objects each, and the box of the object that every word names.

`a red circle above a blue square`: six colors, four shapes, and one of the relations "above" and "left of". The object
that lies higher (or further left) is named first. Every function that draws takes a seed and uses a generator of its
own. Safe to change: new kinds of pictures beside these. Not safe: the words, or the order of draws, since committed
results, recorded checks and stored outputs rest on them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn

from course.data import PAD_ID, Vocabulary

COLORS = {
    "red": (1.0, 0.1, 0.1),
    "green": (0.1, 0.8, 0.1),
    "blue": (0.15, 0.25, 1.0),
    "yellow": (1.0, 0.9, 0.1),
    "purple": (0.6, 0.1, 0.7),
    "white": (1.0, 1.0, 1.0),
}
SHAPES = ("circle", "square", "triangle", "cross")
LONGEST_CAPTION = 9  # "a red circle left of a blue square" and the end token
CELL = 4  # pixels to a side of a grid cell, after the two strides of `small_cnn`

_GROUND, _NOISE = 0.25, 0.08
_RADII = (4.0, 5.5)
_APART, _CLEAR = 11, 4  # pixels between two centers along one axis; by how much that axis must win over the other


@dataclass(frozen=True)
class Scenes:
    """Pictures, what is to be said of them, and where the things are that are said.

    images (B, 3, H, W) float32, about 0 to 1, row 0 at the top; captions (B, T) int64 ids of `scenes_vocabulary`, each
    with its end token, then PAD_ID; boxes (B, T, 4) int64: left, top, right and bottom edge, in pixels, of the box
    around the object that token t names (its color or its shape), -1 four times where it names none.
    """

    images: Tensor
    captions: Tensor
    boxes: Tensor

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, index: slice | Tensor) -> "Scenes":
        return Scenes(self.images[index], self.captions[index], self.boxes[index])


@cache
def scenes_vocabulary() -> Vocabulary:
    """All the words that captions are made of."""
    return Vocabulary(["a", "above", "left", "of", *COLORS, *SHAPES])


def scenes(count: int, seed: int, height: int = 32, width: int = 32) -> Scenes:
    """`count` pictures of two objects with their captions. Raises ValueError where two objects would not fit."""
    if height < 32 or width < 32:
        raise ValueError(f"two objects need pictures of at least 32 x 32 pixels, got {height} x {width}")
    random = np.random.RandomState(seed)
    centers, across = _two_centers(random, count, height, width)
    colors = random.randint(len(COLORS), size=(count, 2))
    shapes = random.randint(len(SHAPES), size=(count, 2))
    painted = _painted(centers, random.uniform(*_RADII, size=(count, 2)), shapes, height, width)
    images = _colored(random, painted, colors)
    captions = [_caption(*scene) for scene in zip(across, colors.tolist(), shapes.tolist(), strict=True)]
    ids = torch.full((count, LONGEST_CAPTION), PAD_ID)
    boxes = torch.full((count, LONGEST_CAPTION, 4), -1)
    around = _boxes(painted)
    for i, (words, named) in enumerate(captions):
        encoded = scenes_vocabulary().encode(words)
        ids[i, : len(encoded)] = torch.tensor(encoded)
        for t, which in named.items():
            boxes[i, t] = around[i, which]
    return Scenes(images, ids, boxes)


def single_objects(count: int, seed: int, height: int = 32, width: int = 32) -> tuple[Tensor, Tensor]:
    """Pictures (B, 3, H, W) of one object anywhere, and which it is, (B,) int64: 4 times its color plus its shape."""
    random = np.random.RandomState(seed)
    centers = random.uniform(5, [width - 5, height - 5], size=(count, 1, 2))
    colors = random.randint(len(COLORS), size=(count, 1))
    shapes = random.randint(len(SHAPES), size=(count, 1))
    painted = _painted(centers, random.uniform(*_RADII, size=(count, 1)), shapes, height, width)
    return _colored(random, painted, colors), torch.from_numpy((len(SHAPES) * colors + shapes)[:, 0])


def scene_batches(examples: Scenes, batch_size: int, seed: int) -> Iterator[Scenes]:
    """Batches without end, pass after pass, each pass in a new order; what does not fill a batch is left out."""
    if not 1 <= batch_size <= len(examples):
        raise ValueError(f"need a batch_size of 1 to {len(examples)}, got {batch_size}")
    generator = torch.Generator().manual_seed(seed)
    while True:
        order = torch.randperm(len(examples), generator=generator)
        for chosen in order[: len(order) // batch_size * batch_size].split(batch_size):
            yield examples[chosen]


def small_cnn(channels: int, padding_mode: Literal["zeros", "circular"] = "zeros") -> nn.Sequential:
    """Three convolutions, images (B, 3, H, W) to a grid (B, channels, H / 4, W / 4); H and W are multiples of 4.

    A cell of the grid stands for 4 x 4 pixels and has seen 15 x 15 around them. Beyond the picture's edge it sees
    zeros; with padding_mode="circular" the picture goes on round its edges, as torch's convolutions have it.
    """
    return nn.Sequential(
        nn.Conv2d(3, 16, kernel_size=3, stride=2, padding=1, padding_mode=padding_mode),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.Conv2d(16, 32, kernel_size=3, stride=2, padding=1, padding_mode=padding_mode),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.Conv2d(32, channels, kernel_size=3, padding=1, padding_mode=padding_mode),
        nn.BatchNorm2d(channels),
        nn.ReLU(),
    )


def words_of_kind(kind: str) -> tuple[str, ...]:
    """The vocabulary's words for "color" or "shape". Raises KeyError for another kind."""
    return {"color": tuple(COLORS), "shape": SHAPES}[kind]


def _two_centers(random: np.random.RandomState, count: int, height: int, width: int) -> tuple[np.ndarray, list[bool]]:
    """Centers (count, 2, 2) as x, y, the first-named object first, and whether the pair lies across (left of)."""
    kept = np.empty((0, 2, 2))
    while len(kept) < count:
        drawn = random.uniform(5, [width - 5, height - 5], size=(2 * count, 2, 2))
        gaps = np.abs(drawn[:, 1] - drawn[:, 0])
        clear = (gaps.max(1) > _APART) & (np.abs(gaps[:, 0] - gaps[:, 1]) > _CLEAR)
        kept = np.concatenate([kept, drawn[clear]])
    kept = kept[:count]
    gaps = np.abs(kept[:, 1] - kept[:, 0])
    across = gaps[:, 0] > gaps[:, 1]
    axis = np.where(across, 0, 1)
    rows = np.arange(count)
    turned = kept[rows, 0, axis] > kept[rows, 1, axis]
    kept[turned] = kept[turned, ::-1]
    return kept, across.tolist()


def _painted(centers: np.ndarray, radii: np.ndarray, shapes: np.ndarray, height: int, width: int) -> np.ndarray:
    """Which pixels (count, objects, H, W) each object covers; a pixel's center is at half a pixel."""
    x = np.arange(width) + 0.5
    y = np.arange(height)[:, None] + 0.5
    dx = x - centers[..., 0, None, None]
    dy = y - centers[..., 1, None, None]
    r, kind = radii[..., None, None], shapes[..., None, None]
    wide, high = np.abs(dx), np.abs(dy)
    circle = dx**2 + dy**2 < r**2
    square = np.maximum(wide, high) < 0.88 * r
    triangle = (high < r) & (wide < 0.55 * (dy + r))
    cross = (np.minimum(wide, high) < 0.33 * r) & (np.maximum(wide, high) < r)
    return np.select([kind == 0, kind == 1, kind == 2], [circle, square, triangle], cross)


def _colored(random: np.random.RandomState, painted: np.ndarray, colors: np.ndarray) -> Tensor:
    """Images (count, 3, H, W): the objects on a gray ground, with noise."""
    count, objects, height, width = painted.shape
    palette = np.array(list(COLORS.values()))
    images = np.full((count, height, width, 3), _GROUND)
    for i in range(objects):
        images = np.where(painted[:, i, :, :, None], palette[colors[:, i]][:, None, None], images)
    images = images + _NOISE * random.standard_normal(images.shape)
    return torch.from_numpy(images.transpose(0, 3, 1, 2).astype(np.float32))


def _boxes(painted: np.ndarray) -> Tensor:
    """Left, top, right, bottom (count, objects, 4) around the painted pixels; right and bottom are just past them."""
    columns, rows = np.asarray(painted.any(axis=2)), np.asarray(painted.any(axis=3))
    edges = [
        columns.argmax(-1),
        rows.argmax(-1),
        columns.shape[-1] - columns[..., ::-1].argmax(-1),
        rows.shape[-1] - rows[..., ::-1].argmax(-1),
    ]
    return torch.from_numpy(np.stack(edges, axis=-1))


def _caption(across: bool, colors: list[int], shapes: list[int]) -> tuple[list[str], dict[int, int]]:
    """The words, and for the position of each word that names one, which object."""
    first, second = ([list(COLORS)[c], SHAPES[s]] for c, s in zip(colors, shapes, strict=True))
    relation = ["left", "of"] if across else ["above"]
    words = ["a", *first, *relation, "a", *second]
    at = 4 + len(relation)
    return words, {1: 0, 2: 0, at: 1, at + 1: 1}


def caption(ids: Tensor) -> str:
    """A caption's words as one line, up to its end token."""
    return " ".join(scenes_vocabulary().decode(ids))
