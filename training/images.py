"""Folders of images and images of the Hugging Face hub, decoded when a batch asks for them.

In memory are the names and the labels alone, however large the data. Letters: B batch, S height and width in pixels.
"""

import os
import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image, ImageOps
from torch import Tensor

from course.wording import listed
from training.augment import flip, rand_augment, random_resized_crop
from training.configuration import Configuration, TrainingError

PARTS = {"train", "training", "val", "valid", "validation", "dev", "test"}  # of a data set; not names of its classes


@dataclass(frozen=True)
class Files:
    """Images in a folder. names: paths in it as bytes, which an array holds at one byte a letter."""

    folder: Path
    names: np.ndarray

    def __len__(self) -> int:
        return len(self.names)

    def name(self, number: int) -> str:
        return str(self.folder / os.fsdecode(self.names[number]))

    def opened(self, number: int) -> Image.Image:
        return Image.open(self.name(number))


@dataclass(frozen=True)
class Rows:
    """Images in a column of a hub's data set, which reads them from the disk itself."""

    rows: Any
    column: str

    def __len__(self) -> int:
        return len(self.rows)

    def name(self, number: int) -> str:
        return f"row {number}"

    def opened(self, number: int) -> Image.Image:
        return self.rows[number][self.column]


@dataclass(frozen=True)
class Pictures:
    """Numbers of samples -> images (B, 3, S, S) uint8 and labels (B,), decoded now.

    source: Files or Rows; kept (n,): which of its images are samples; labels (n,). With augmented=True every image is
    cropped, flipped and changed as configured, else scaled and cut from the middle.
    """

    source: Files | Rows
    kept: Tensor
    labels: Tensor
    config: Configuration
    augmented: bool

    def __len__(self) -> int:
        return len(self.kept)

    def __call__(self, numbers: list[int]) -> tuple[Tensor, Tensor]:
        images, broken = [], []
        for number in self.kept[numbers].tolist():
            try:
                with self.source.opened(number) as image:
                    images.append(self.view(as_rgb(image)))
            except Exception as error:  # a damaged file: Pillow's decoders raise half a dozen kinds
                broken.append(f"{self.source.name(number)} ({' '.join(str(error).split())})")
        if broken:
            raise TrainingError(f"cannot read {listed(sorted(broken), 5)}; mend them, by the same names")
        return torch.from_numpy(np.stack(images)).permute(0, 3, 1, 2).contiguous(), self.labels[numbers]

    def view(self, image: Image.Image) -> np.ndarray:
        """(S, S, 3) uint8."""
        config = self.config
        if self.augmented and config.crop_scale < 1:
            image = random_resized_crop(image, config.image_size, config.crop_scale)
        else:
            image = ImageOps.fit(image, (config.image_size, config.image_size), Image.Resampling.BILINEAR)
        if self.augmented and config.flip:
            image = flip(image, config.flip)
        if self.augmented and config.rand_augment:
            image = rand_augment(image, config.rand_augment)
        return np.asarray(image)

    def fingerprint(self) -> str:
        """What the images are called and what they show; not their pixels, so that a broken file may be mended."""
        names = self.source.names.tobytes() if isinstance(self.source, Files) else b""
        checksum = zlib.crc32(self.labels.numpy().tobytes(), zlib.crc32(self.kept.numpy().tobytes() + names))
        return f"{len(self)} images, checksum {checksum:08x}"


def verify(*parts: Pictures) -> None:
    """Decodes every file once. Raises TrainingError that names all that cannot be read: they are not skipped, since
    what an accuracy is an accuracy of must not depend on what happened to be legible."""

    def broken(what: tuple[Files, int]) -> str | None:
        source, number = what
        try:
            with source.opened(number) as image:
                as_rgb(image)
                return None
        except Exception as error:
            return f"{source.name(number)} ({' '.join(str(error).split())})"

    files = [(part.source, number) for part in parts if isinstance(part.source, Files) for number in part.kept.tolist()]
    with ThreadPoolExecutor() as pool:
        names = sorted(name for name in pool.map(broken, files) if name)
    if names:
        raise TrainingError(f"data: cannot read {listed(names, 5)}; mend them or move them away")


def as_rgb(image: Image.Image) -> Image.Image:
    """Decoded, turned as the camera meant it, with three channels of 8 bits."""
    if image.mode.startswith("I;16"):  # 16 bits: the higher 8, where convert would cut off at 255
        image = Image.fromarray((np.asarray(image) >> 8).astype(np.uint8))
    elif image.mode in ("I", "F"):
        raise ValueError(f"its pixels, of mode {image.mode}, have no known range: save it with 8 bits")
    elif "transparency" in image.info:
        image = image.convert("RGBA")  # a palette may have it, and only so is it read without complaint
    return ImageOps.exif_transpose(image).convert("RGB")


# ---- what there is --------------------------------------------------------------------------------------------------


def image_folder(where: str) -> tuple[Files, Tensor, Files | None, Tensor]:
    """FOLDER/train and FOLDER/val, each with a folder for each class; or those in FOLDER itself, and no second part.

    Returns files and labels of both parts. Raises TrainingError where there are no two classes.
    """
    root = Path(where)
    if not root.is_dir():
        raise TrainingError(f"data: there is no folder {root}")
    split = (root / "train").is_dir() and (root / "val").is_dir()
    folder = root / "train" if split else root
    classes = sorted(path.name for path in visible_folders(folder))
    if len(classes) < 2:
        raise TrainingError(
            f"data: {folder} needs a folder of images for each of two or more classes, has {len(classes)}"
        )
    if not split and set(classes) <= PARTS:  # else it would be learned which image is of which part
        raise TrainingError(f"data: {root} has {', '.join(classes)}; name the parts train and val")
    if split and (others := sorted({path.name for path in visible_folders(root / "val")} - set(classes))):
        raise TrainingError(f"data: {root / 'val'} has classes that {folder} has not: {', '.join(others[:5])}")
    train = files_of(folder, classes)
    return (*train, *files_of(root / "val", classes)) if split else (*train, None, torch.empty(0))


def visible_folders(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_dir() and not path.name.startswith(".")]


def files_of(folder: Path, classes: Sequence[str]) -> tuple[Files, Tensor]:
    """The images in the classes' folders, in order, and their labels (n,). Hidden files, and those whose names are not
    an image's, are passed over."""
    suffixes = Image.registered_extensions()
    names: list[bytes] = []
    counts = []
    for of_class in classes:
        paths = [
            os.fsencode(os.path.relpath(os.path.join(parent, name), folder))
            for parent, _, inside in os.walk(folder / of_class)
            for name in inside
            if os.path.splitext(name)[1].lower() in suffixes and not name.startswith(".")  # no ._photo.jpg
        ]
        if not paths:
            raise TrainingError(f"data: no images in {folder / of_class}")
        names += sorted(paths)
        counts.append(len(paths))
    return Files(folder, np.array(names)), torch.arange(len(classes)).repeat_interleave(torch.tensor(counts))


def hold_out(count: int) -> tuple[Tensor, Tensor]:
    """Numbers of images to train on, and of a tenth that is held out: drawn once and for all."""
    order = torch.randperm(count, generator=torch.Generator().manual_seed(0))
    tested = max(1, count // 10)
    if count <= tested:
        raise TrainingError(f"data: {count} images are too few to train on some and hold out others")
    return order[tested:], order[:tested]
