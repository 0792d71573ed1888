"""Chapter 09's training program: its three tasks, each a model with its data, its loss and its scores.

All data are held in memory, decoded once, so that a batch is one indexing away and a broken file is found before the
first step. Letters: B batch, C channels, S source length, T target length or window, V vocabulary.
"""

import importlib
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image, ImageOps
from torch import Tensor, nn

from course.data import BOS_ID, PAD_ID, numbers_in_words, numbers_vocabularies, pad
from course.data.digits import a_few, handwritten, on_canvas
from course.data.text import HELD_OUT, Characters, reference_text
from course.wording import listed
from solutions.language_model import CausalLanguageModel
from solutions.transformer import Transformer, label_smoothing_loss
from solutions.vit import VisionTransformer, augment
from training.configuration import Configuration, TrainingError, nearest

Batch = tuple[Tensor, ...]
KINDS = {
    "vit": ("generated", "images:FOLDER", "hub:NAME"),
    "transformer": ("generated",),
    "language-model": ("generated", "text:FILE", "hub:NAME"),
}
PARTS = {"train", "training", "val", "valid", "validation", "dev", "test"}  # of a data set; not names of its classes


@dataclass(frozen=True)
class Task:
    """What the training loop asks of a model and its data.

    batch_of: numbers of training samples -> a batch, on the CPU. loss_sum: (model, batch) -> the sum of the losses of
    all predictions in the batch and their number, both scalars on the batch's device. scores: (model, batch) ->
    (len(score_names), 2) float64, a sum and a count for each name; the score is sum / count over all of held_out.
    """

    model: nn.Module
    num_samples: int
    fingerprint: str  # of the data: a run is not continued on other data
    batch_of: Callable[[list[int]], Batch]
    held_out: list[Batch]
    loss_sum: Callable[[Any, Batch], tuple[Tensor, Tensor]]
    score_names: tuple[str, ...]
    scores: Callable[[Any, Batch], Tensor]
    is_causal: Callable[[str], bool] = lambda name: False  # which of the model's attentions, for `fuse_attention`


def make_task(config: Configuration) -> Task:
    """The model, freshly drawn from config.seed, and its data. Raises TrainingError, ValueError or OSError."""
    kind, _, where = config.data.partition(":")
    allowed = KINDS[config.model]
    if (kind, bool(where)) not in [(name.partition(":")[0], ":" in name) for name in allowed]:
        names = [name.partition(":")[0] for name in allowed]
        hint = "" if kind in names else nearest(kind, names)
        raise TrainingError(f"data for {config.model} is one of {', '.join(allowed)}, got {config.data!r}{hint}")
    torch.manual_seed(config.seed)
    return {"vit": vision, "transformer": translation, "language-model": language}[config.model](config, kind, where)


def fingerprint(*tensors: Tensor) -> str:
    """Sizes and a checksum, the same for the same data."""
    checksum = 0
    for tensor in tensors:
        for rows in tensor.split(1024):  # copies of a few at a time
            checksum = zlib.crc32(rows.numpy().tobytes(), checksum)
    return f"{' and '.join(str(len(tensor)) for tensor in tensors)} samples, checksum {checksum:08x}"


def keep(count: int, of: int) -> int:
    """How many of the training samples to keep, 0 meaning all."""
    if count > of:
        raise TrainingError(f"samples is at most {of} with these data, got {count}")
    return count or of


# ---- images ---------------------------------------------------------------------------------------------------------


def vision(config: Configuration, kind: str, where: str) -> Task:
    """Images and their classes; the loss is cross-entropy, with label smoothing in training."""
    if kind == "generated":
        (images, labels), (test_images, test_labels) = digits(config)
    else:
        read = image_folder if kind == "images" else hub_images
        (images, labels), (test_images, test_labels) = read(where, config.image_size)
        kept = torch.randperm(len(images), generator=torch.Generator().manual_seed(0))[
            : keep(config.samples, len(images))
        ]
        images, labels = images[kept], labels[kept]
    model = VisionTransformer(
        config.image_size,
        config.patch_size,
        config.d_model,
        config.num_heads,
        config.num_layers,
        config.d_ff,
        num_classes=int(max(labels.max(), test_labels.max())) + 1,
        num_channels=images.shape[1],
    )

    def batch_of(numbers: list[int]) -> Batch:
        return images[numbers], labels[numbers]

    def loss_sum(model, batch: Batch) -> tuple[Tensor, Tensor]:
        pixels, targets = as_floats(batch[0]), batch[1]
        if config.max_shift:
            pixels = augment(pixels, config.max_shift)
        losses = F.cross_entropy(model(pixels), targets, reduction="sum", label_smoothing=config.label_smoothing)
        return losses, torch.full_like(losses, len(targets))

    def scores(model, batch: Batch) -> Tensor:
        logits, targets = model(as_floats(batch[0])), batch[1]
        right = (logits.argmax(dim=1) == targets).sum()
        return with_counts(len(targets), F.cross_entropy(logits, targets, reduction="sum"), right)

    return Task(
        model,
        len(images),
        fingerprint(images, labels),
        batch_of,
        list(zip(test_images.split(config.batch_size), test_labels.split(config.batch_size), strict=True)),
        loss_sum,
        ("loss", "accuracy"),
        scores,
    )


def as_floats(images: Tensor) -> Tensor:
    """Bytes to numbers from -1 to 1 (Dosovitskiy et al., 2021, as published); what is float already stays."""
    return images.float() / 127.5 - 1 if images.dtype == torch.uint8 else images


def with_counts(count: int | Tensor, *sums: Tensor) -> Tensor:
    """Sums over the same number of predictions -> (len(sums), 2)."""
    return torch.stack(
        [torch.stack([one.double(), torch.as_tensor(count, device=one.device).double()]) for one in sums]
    )


def digits(config: Configuration) -> tuple[Batch, Batch]:
    """scikit-learn's digits on a larger canvas; those held out are moved too, once and for all."""
    size = config.image_size
    train, test = (on_canvas(handwritten(split)[0], size, size) for split in ("train", "test"))
    train_labels, test_labels = handwritten("train")[1], handwritten("test")[1]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        test = augment(test, config.max_shift) if config.max_shift else test
    return a_few(train, train_labels, keep(config.samples, len(train)), seed=0), (test, test_labels)


def image_folder(where: str, size: int) -> tuple[Batch, Batch]:
    """FOLDER/train and FOLDER/val, each with a folder for each class; or those in FOLDER itself, a tenth held out.

    Raises TrainingError where there are no two classes, or where a file cannot be read: all such files are found at
    once. They are not skipped, since what an accuracy is an accuracy of must not depend on what happened to be legible.
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
    train = images_of(folder, classes, size)
    return (train, images_of(root / "val", classes, size)) if split else hold_out(*train)


def visible_folders(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_dir() and not path.name.startswith(".")]


def images_of(folder: Path, classes: list[str], size: int) -> Batch:
    """All images of the classes' folders as bytes (n, 3, size, size), and labels (n,)."""
    suffixes = Image.registered_extensions()
    files: list[tuple[Path, int]] = []
    for label, name in enumerate(classes):
        inside = (path for path in (folder / name).rglob("*") if path.suffix.lower() in suffixes)
        of_class = sorted(path for path in inside if path.is_file() and not path.name.startswith("."))  # no ._photo.jpg
        if not of_class:
            raise TrainingError(f"data: no images in {folder / name}")
        files += [(path, label) for path in of_class]
    broken: list[str] = []

    def decoded(path: Path) -> np.ndarray | None:
        try:
            with Image.open(path) as image:
                return as_bytes(image, size)
        except Exception as error:  # a damaged file: Pillow's decoders raise half a dozen kinds
            broken.append(f"{path} ({' '.join(str(error).split())})")
            return None

    with ThreadPoolExecutor() as pool:
        images = list(pool.map(decoded, [path for path, _ in files]))
    if broken:
        raise TrainingError(f"data: cannot read {listed(sorted(broken), 5)}; mend them or move them away")
    stacked = torch.from_numpy(np.stack([image for image in images if image is not None]))
    return stacked.permute(0, 3, 1, 2).contiguous(), torch.tensor([label for _, label in files])  # (n, S, S, 3) before


def as_bytes(image: Image.Image, size: int) -> np.ndarray:
    """Turned as the camera meant it, scaled and cut from the middle: (size, size, 3) uint8."""
    if image.mode.startswith("I;16"):  # 16 bits: the higher 8, where convert would cut off at 255
        image = Image.fromarray((np.asarray(image) >> 8).astype(np.uint8))
    elif image.mode in ("I", "F"):
        raise ValueError(f"its pixels, of mode {image.mode}, have no known range: save it with 8 bits")
    elif "transparency" in image.info:
        image = image.convert("RGBA")  # a palette may have it, and only so is it read without complaint
    upright = ImageOps.exif_transpose(image).convert("RGB")
    return np.asarray(ImageOps.fit(upright, (size, size), Image.Resampling.BILINEAR))


def hold_out(images: Tensor, labels: Tensor) -> tuple[Batch, Batch]:
    """A tenth of the samples, drawn once and for all, and the others before it."""
    order = torch.randperm(len(images), generator=torch.Generator().manual_seed(0))
    tested = max(1, len(images) // 10)
    if len(images) <= tested:
        raise TrainingError(f"data: {len(images)} images are too few to train on some and hold out others")
    return (images[order[tested:]], labels[order[tested:]]), (images[order[:tested]], labels[order[:tested]])


def hub_data(name: str) -> tuple[Any, Any]:
    """A data set of the Hugging Face hub: its training rows, and its validation or test rows or None."""
    try:
        datasets = importlib.import_module("datasets")  # asked for by nobody else, so no dependency of the course
    except ImportError:
        raise TrainingError(f"data hub:{name} needs the library datasets: pip install datasets") from None
    try:
        splits = datasets.load_dataset(name)
    except Exception as error:  # network, spelling, access: the library's own kinds of errors
        raise TrainingError(f"data: cannot load hub:{name}: {' '.join(str(error).split())}") from error
    if "train" not in splits:
        raise TrainingError(f"data: hub:{name} has no split named train, only {', '.join(splits)}")
    return splits["train"], next((splits[s] for s in ("validation", "valid", "test") if s in splits), None)


def column(rows: Any, names: tuple[str, ...]) -> str:
    column = next((name for name in names if name in rows.column_names), None)
    if column is None:
        raise TrainingError(f"data: need a column named {' or '.join(names)}, got {', '.join(rows.column_names)}")
    return column


def hub_images(name: str, size: int) -> tuple[Batch, Batch]:
    """Images and labels from a hub's data set; a tenth is held out where it has no other split."""

    def tensors(rows: Any) -> Batch:
        images, labels = column(rows, ("image", "img")), column(rows, ("label", "labels", "fine_label"))
        stacked = torch.from_numpy(np.stack([as_bytes(row[images], size) for row in rows]))
        return stacked.permute(0, 3, 1, 2).contiguous(), torch.tensor(rows[labels])

    train, test = hub_data(name)
    return (tensors(train), tensors(test)) if test is not None else hold_out(*tensors(train))


# ---- translation ----------------------------------------------------------------------------------------------------


def translation(config: Configuration, kind: str, where: str) -> Task:
    """Numbers in words, English to German. Sentences held out are not among those trained on."""
    if config.d_model % 2:
        raise TrainingError(f"positions come as sines and cosines: d_model must be even, got {config.d_model}")
    english, german = numbers_vocabularies()
    sentences = numbers_in_words(config.samples or 20_000, 1, config.numbers, seed=1)
    seen = {sentence.source for sentence in sentences}
    unseen = [one for one in numbers_in_words(1000, 1, config.numbers, seed=2) if one.source not in seen]
    if not unseen:
        raise TrainingError(f"no sentence is left to hold out: raise numbers (now {config.numbers}) or lower samples")
    sources, targets = ([v.encode(words) for words in side] for v, side in (
        (english, [one.source for one in sentences]), (german, [one.target for one in sentences])))  # fmt: skip
    model = Transformer(
        len(english),
        len(german),
        config.d_model,
        config.num_heads,
        config.d_ff,
        config.num_layers,
        bos_id=BOS_ID,
        dropout=config.dropout,
    )

    def padded(sources: list[list[int]], targets: list[list[int]]) -> Batch:
        return (*pad(sources), pad(targets)[0])  # source (B, S), lengths (B,), targets (B, T)

    def batch_of(numbers: list[int]) -> Batch:
        return padded([sources[i] for i in numbers], [targets[i] for i in numbers])

    def loss_sum(model, batch: Batch) -> tuple[Tensor, Tensor]:
        source, lengths, targets = batch
        tokens = (targets != PAD_ID).sum()
        mean = label_smoothing_loss(model(source, lengths, targets), targets, PAD_ID, config.label_smoothing)
        return mean * tokens, tokens.float()

    def scores(model, batch: Batch) -> Tensor:
        source, lengths, targets = batch
        logits, real = model(source, lengths, targets), targets != PAD_ID
        loss = label_smoothing_loss(logits, targets, PAD_ID, 0.0) * real.sum()
        right = (logits.argmax(dim=2) == targets) | ~real
        # A sentence is right here where every token is, given the true ones before it: then, token by token, greedy
        # decoding would have written the very same ones. So this is exact match without decoding.
        whole = with_counts(len(targets), right.all(dim=1).sum())
        return torch.cat([with_counts(real.sum(), loss, (right & real).sum()), whole])

    def held_out(rows: list) -> Batch:
        return padded([english.encode(one.source) for one in rows], [german.encode(one.target) for one in rows])

    size = config.batch_size
    return Task(
        model,
        len(sentences),
        fingerprint(pad(sources)[0], pad(targets)[0]),
        batch_of,
        [held_out(unseen[i : i + size]) for i in range(0, len(unseen), size)],
        loss_sum,
        ("loss", "accuracy", "exact_match"),
        scores,
        lambda name: name.startswith("decoder.") and name.endswith(".self_attention"),
    )


# ---- text -----------------------------------------------------------------------------------------------------------


def texts(kind: str, where: str) -> tuple[str, str]:
    """The text to train on, and the text held out: the last tenth where nothing else says."""
    if kind == "generated":
        return reference_text()
    if kind == "text":
        text = Path(where).read_text(encoding="utf-8")
    else:
        train, test = hub_data(where)
        parts = ["\n\n".join(rows[column(rows, ("text",))]) for rows in (train, test) if rows is not None]
        if len(parts) == 2:
            return parts[0], parts[1]
        text = parts[0]
    cut = int(len(text) * (1 - HELD_OUT))
    return text[:cut], text[cut:]


def language(config: Configuration, kind: str, where: str) -> Task:
    """The next character, everywhere. Text is laid out in stretches of `length`, and a sample is a window that begins
    somewhere in its stretch, at another place each time."""
    training, validation = texts(kind, where)
    characters, length = Characters(training), config.length
    ids, test_ids = characters.encode(training), characters.encode(validation)
    stretches = len(ids) // length - 1
    if stretches < 1 or len(test_ids) <= length:
        raise TrainingError(
            f"data: windows of {length} + 1 characters need {2 * length} to train on and {length + 1} to hold out, "
            f"got {len(ids)} and {len(test_ids)}; lower length or take a longer text"
        )
    windows = test_ids.unfold(0, length + 1, length)  # (n, T + 1): the last token of one is the first of the next
    model = CausalLanguageModel(
        len(characters), length, config.d_model, config.num_heads, config.d_ff, config.num_layers, config.dropout
    )

    def batch_of(numbers: list[int]) -> Batch:
        starts = torch.tensor(numbers) * length + torch.randint(length, (len(numbers),))
        return (ids[starts.unsqueeze(1) + torch.arange(length + 1)],)  # (B, T + 1)

    def loss_sum(model, batch: Batch) -> tuple[Tensor, Tensor]:
        (tokens,) = batch
        logits, targets = model(tokens[:, :-1]), tokens[:, 1:]
        losses = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="sum")
        return losses, torch.full_like(losses, targets.numel())

    def scores(model, batch: Batch) -> Tensor:
        losses, count = loss_sum(model, batch)
        return with_counts(count, losses, losses / np.log(2))

    return Task(
        model,
        keep(config.samples, stretches),
        fingerprint(ids),
        batch_of,
        [(batch,) for batch in windows.split(config.batch_size)],
        loss_sum,
        ("loss", "bits_per_character"),
        scores,
        lambda name: True,
    )
