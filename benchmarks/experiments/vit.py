"""Chapter 08: what a Vision Transformer reads from, what data does for it, and what it assumes about pictures."""

import itertools
from collections.abc import Callable, Iterator

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.experiments import Record, Settings, experiment, parameter_count
from course.data import digits
from course.training import fit
from course.watch import watch_attention
from solutions.multi_head import sinusoidal_encoding
from solutions.vit import (
    HybridVisionTransformer,
    VisionTransformer,
    attention_rollout,
    augment,
    patch_labels,
    patchify,
)

BATCH_SIZE = 64
# One model for all of them: sixteen patches, two layers of width 48.
WIDTH: Settings = {"d_model": 48, "num_heads": 4, "num_layers": 2, "d_ff": 96}
CANVAS, MARGIN = 16, 4  # an 8 x 8 digit in the middle of a 16 x 16 canvas can move by 4 pixels and stay on it


class FixedPositions(nn.Module):
    """A table of positions that is not learned, added to the tokens."""

    table: Tensor

    def __init__(self, table: Tensor):
        super().__init__()
        self.register_buffer("table", table)

    def forward(self, tokens: Tensor) -> Tensor:
        return tokens + self.table[: tokens.shape[1]]


class RowAndColumn(nn.Module):
    """Learned positions of a grid: a vector for each row plus one for each column."""

    def __init__(self, rows: int, columns: int, d_model: int):
        super().__init__()
        self.rows = nn.Parameter(0.02 * torch.randn(rows, 1, d_model))
        self.columns = nn.Parameter(0.02 * torch.randn(1, columns, d_model))

    def forward(self, tokens: Tensor) -> Tensor:
        return tokens + (self.rows + self.columns).flatten(0, 1)


class SmallCNN(nn.Sequential):
    """Two convolutions with pooling, then one linear map over all that is left."""

    def __init__(self, size: int):
        super().__init__(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(32 * (size // 4) ** 2, 10),
        )  # fmt: skip


def transformer(size: int, pool: str = "mean") -> VisionTransformer:
    """The chapter's Vision Transformer for square images of one channel: sixteen patches, whatever the size."""
    return VisionTransformer(size, size // 4, **WIDTH, num_classes=10, pool=pool, num_channels=1)


def hybrid(size: int) -> HybridVisionTransformer:
    """The CNN's first convolution and pooling as tokenizer: the grid is half as wide, and so are the patches."""
    stem = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2))
    return HybridVisionTransformer(stem, 16, (size // 2, size // 2), size // 8, **WIDTH, num_classes=10, pool="mean")


def flat(size: int) -> nn.Module:
    """The control that knows nothing of pictures: every pixel is an input of its own to an MLP."""
    return nn.Sequential(nn.Flatten(), nn.Linear(size**2, 64), nn.ReLU(), nn.Linear(64, 10))


MODELS: dict[str, Callable[[int], nn.Module]] = {"CNN": SmallCNN, "ViT": transformer, "hybrid": hybrid, "MLP": flat}


def shuffled_stream(images: Tensor, labels: Tensor, max_shift: int = 0) -> Iterator[tuple[Tensor, Tensor]]:
    """Endless random batches; with a max_shift every image is moved afresh each time it comes."""
    while True:
        chosen = torch.randint(len(images), (BATCH_SIZE,))
        batch = images[chosen]
        yield (augment(batch, max_shift) if max_shift else batch), labels[chosen]


def train(model: nn.Module, stream: Iterator[tuple[Tensor, Tensor]], steps: int, rate: float, label: str) -> None:
    fit(model, lambda batch: F.cross_entropy(model(batch[0]), batch[1]), stream, steps, rate, label=label)


@torch.no_grad()
def accuracy(model: nn.Module, images: Tensor, labels: Tensor) -> float:
    return (model(images).argmax(dim=1) == labels).double().mean().item()


# ---- where to read, and where things stand --------------------------------------------------------------------------

TOKENS: Settings = {"steps": 400, "learning_rate": 3e-3, "batch_size": BATCH_SIZE, "patch_size": 2, **WIDTH}


@experiment("vit_tokens", TOKENS)
def vit_tokens(seed: int) -> list[Record]:
    """Plain 8 x 8 digits: four tokens to read the class from, and four kinds of position."""
    images, labels = digits.handwritten("train")
    records: list[Record] = []
    settings = [(pool, "learned") for pool in ("class", "first", "last", "mean")]
    settings += [("mean", positions) for positions in ("rows and columns", "sinusoidal", "none")]
    for pool, positions in settings:
        torch.manual_seed(seed)
        model = transformer(8, pool)
        if positions == "rows and columns":
            model.set_submodule("positions", RowAndColumn(4, 4, WIDTH["d_model"]))
        elif positions == "sinusoidal":
            model.set_submodule("positions", FixedPositions(sinusoidal_encoding(16, WIDTH["d_model"])))
        elif positions == "none":
            model.set_submodule("positions", nn.Identity())
        train(model, shuffled_stream(images, labels), TOKENS["steps"], TOKENS["learning_rate"], f"{pool}, {positions}")
        right = accuracy(model, *digits.handwritten("test"))
        records.append({"pool": pool, "positions": positions, "seed": seed, "accuracy": right})
    return records


@experiment("vit_maps", TOKENS)
def vit_maps(seed: int) -> list[Record]:
    """The class-token model of `vit_tokens`: how often its answer changes when one patch of a test digit is wiped."""
    torch.manual_seed(seed)
    model = transformer(8, "class")
    train(model, shuffled_stream(*digits.handwritten("train")), TOKENS["steps"], TOKENS["learning_rate"], "class")
    images, _ = digits.handwritten("test")
    with torch.no_grad(), watch_attention(model) as watched:
        answers = model(images).argmax(dim=1)
    layers = [watched[f"encoder.layers.{index}.self_attention"] for index in range(WIDTH["num_layers"])]
    patches = patchify(images, 2)  # (B, 16, 4)
    ink = patches.sum(dim=2)
    chances = torch.rand(ink.shape, generator=torch.Generator().manual_seed(seed)) * (ink > 0)
    maps = {
        "a random patch with ink": chances,
        "the patch with most ink": ink,
        "most attention, last layer": layers[-1].mean(dim=1)[:, 0, 1:],
        "most rollout": attention_rollout(layers)[:, 0, 1:],
    }
    records: list[Record] = []
    for name, importance in maps.items():
        wiped = patches.clone()
        wiped[torch.arange(len(wiped)), importance.argmax(dim=1)] = 0
        with torch.no_grad():
            without = model(F.fold(wiped.transpose(1, 2), (8, 8), 2, stride=2)).argmax(dim=1)
        records.append({"wiped": name, "seed": seed, "changed": (without != answers).double().mean().item()})
    return records


# ---- data -----------------------------------------------------------------------------------------------------------

DATA: Settings = {
    "steps": 400,
    "learning_rate": 2e-3,
    "batch_size": BATCH_SIZE,
    "patch_size": 4,
    "canvas": CANVAS,
    **WIDTH,
}
SIZES = (100, 400, 1297)


def canvas(split: str, seed: int) -> tuple[Tensor, Tensor]:
    """Handwritten digits, each at a random place of a 16 x 16 canvas, the same at every call with this seed."""
    images, labels = digits.handwritten(split)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return augment(digits.on_canvas(images, CANVAS, CANVAS), MARGIN), labels


@experiment("vit_data", {**DATA, "sizes": list(SIZES)})
def vit_data(seed: int) -> list[Record]:
    """Digits at random places on a 16 x 16 canvas: CNN, ViT and hybrid, few digits and many, placed once or afresh."""
    test = canvas("test", seed=99)
    centered, labels = digits.handwritten("train")
    centered = digits.on_canvas(centered, CANVAS, CANVAS)
    records: list[Record] = []
    for size in SIZES:
        few, few_labels = digits.a_few(centered, labels, size, seed)
        torch.manual_seed(1_000 + seed)
        placed = augment(few, MARGIN)
        for name in ("CNN", "ViT", "hybrid"):
            for fresh in (False, True):
                torch.manual_seed(seed)
                model = MODELS[name](CANVAS)
                stream = shuffled_stream(few, few_labels, MARGIN) if fresh else shuffled_stream(placed, few_labels)
                train(model, stream, DATA["steps"], DATA["learning_rate"], f"{name}, {size}, {fresh=}")
                records.append(
                    {
                        "model": name,
                        "digits": size,
                        "placed": "afresh each time" if fresh else "once",
                        "seed": seed,
                        "on_training": accuracy(model, placed, few_labels),
                        "on_test": accuracy(model, *test),
                        "parameters": parameter_count(model),
                    }
                )
    return records


LONGER: Settings = {**DATA, "steps": 4 * DATA["steps"], "digits": 1297}


@experiment("vit_longer", LONGER)
def vit_longer(seed: int) -> list[Record]:
    """CNN and ViT of `vit_data` on all digits, placed afresh each time, with four times the training."""
    images, labels = digits.handwritten("train")
    images = digits.on_canvas(images, CANVAS, CANVAS)
    records: list[Record] = []
    for name in ("CNN", "ViT"):
        torch.manual_seed(seed)
        model = MODELS[name](CANVAS)
        stream = shuffled_stream(images, labels, MARGIN)
        train(model, stream, LONGER["steps"], LONGER["learning_rate"], f"{name}, longer")
        records.append({"model": name, "seed": seed, "on_test": accuracy(model, *canvas("test", seed=99))})
    return records


# ---- what a model assumes -------------------------------------------------------------------------------------------


@experiment("vit_bias", DATA)
def vit_bias(seed: int) -> list[Record]:
    """One fixed shuffle of the pixels of all images: plain digits and digits placed on a canvas; CNN, ViT, MLP."""
    pictures = [digits.handwritten(split) for split in ("train", "test")]
    placed = [canvas("train", seed=1_000 + seed), canvas("test", seed=99)]
    records: list[Record] = []
    for where, ((images, labels), (test, test_labels)) in (("plain", pictures), ("canvas", placed)):
        for name in ("CNN", "ViT", "MLP"):
            for shuffled in (False, True):
                seen = [digits.shuffle_pixels(x, seed=7) if shuffled else x for x in (images, test)]
                torch.manual_seed(seed)
                model = MODELS[name](images.shape[2])
                stream = shuffled_stream(seen[0], labels)
                train(model, stream, DATA["steps"], DATA["learning_rate"], f"{name}, {where}, {shuffled=}")
                records.append(
                    {
                        "images": where,
                        "model": name,
                        "pixels": "shuffled" if shuffled else "in place",
                        "seed": seed,
                        "accuracy": accuracy(model, seen[1], test_labels),
                    }
                )
    return records


# ---- a head on every patch ------------------------------------------------------------------------------------------

SCENES: Settings = {
    "steps": 400,
    "learning_rate": 4e-3,
    "batch_size": 32,
    "patch_size": 4,
    "d_model": 64,
    "num_layers": 3,
}


@experiment("vit_scenes", SCENES)
def vit_scenes(seed: int) -> list[Record]:
    """Three digits in a 24 x 24 picture: what each of 36 patches shows, with attention and without."""
    images, labels = digits.handwritten("train")
    generator = torch.Generator().manual_seed(9)
    pictures, pixels = digits.digit_scenes(*digits.handwritten("test"), 300, generator)
    wanted = patch_labels(pixels, 4, digits.BACKGROUND)
    ink = wanted != digits.BACKGROUND
    records: list[Record] = []
    for name, num_layers in (("with attention", SCENES["num_layers"]), ("each patch alone", 0)):
        torch.manual_seed(seed)
        model = VisionTransformer(24, 4, SCENES["d_model"], 4, num_layers, 128, 11, pool="mean", num_channels=1)
        if not num_layers:  # the control sees the patch and its place, through an MLP as wide
            model.set_submodule("encoder", nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 64)))

        def loss_of(batch: tuple[Tensor, Tensor], model: VisionTransformer = model) -> Tensor:
            return F.cross_entropy(model.head(model.encode(batch[0])).flatten(0, 1), batch[1].flatten())

        def scenes(seed: int = seed) -> Iterator[tuple[Tensor, Tensor]]:
            drawn = torch.Generator().manual_seed(seed)
            while True:
                seen, pixels = digits.digit_scenes(images, labels, SCENES["batch_size"], drawn)
                yield seen, patch_labels(pixels, 4, digits.BACKGROUND)

        fit(model, loss_of, scenes(), SCENES["steps"], SCENES["learning_rate"], label=name)
        with torch.no_grad():
            symbols = model.head(model.encode(pictures)).argmax(dim=2)
        records.append(
            {
                "model": name,
                "seed": seed,
                "of_digit_patches": (symbols == wanted)[ink].double().mean().item(),
                "of_paper_patches": (symbols == wanted)[~ink].double().mean().item(),
            }
        )
    return records


# ---- pre-training ---------------------------------------------------------------------------------------------------

FONTS: Settings = {
    "pretraining_steps": 800,
    "steps": 200,
    "learning_rate": 2e-3,  # on the fonts
    "learning_rates": [5e-4, 2e-3, 8e-3, 3.2e-2, 1.28e-1],  # on handwritten digits, whatever the start
    "validated": 500,  # of the training digits, kept apart: the rate is chosen by these, not by the test digits
    "batch_size": BATCH_SIZE,
    "patch_size": 2,
}


def few_and_validation(count: int, seed: int) -> tuple[tuple[Tensor, Tensor], tuple[Tensor, Tensor]]:
    """`count` handwritten training digits, and those kept apart to choose a rate by."""
    images, labels = digits.handwritten("train")
    kept = FONTS["validated"]
    return digits.a_few(images[:-kept], labels[:-kept], count, seed), (images[-kept:], labels[-kept:])


@experiment("vit_fonts", {**FONTS, **WIDTH})
def vit_fonts(seed: int) -> list[Record]:
    """Digits drawn from fonts first, then a few handwritten ones at five rates: ViT and CNN, against starting from
    nothing."""
    test = digits.handwritten("test")
    records: list[Record] = []
    for name in ("ViT", "CNN"):
        torch.manual_seed(seed)
        pretrained = MODELS[name](8)
        stream = digits.rendered_batches(BATCH_SIZE, seed)
        train(pretrained, stream, FONTS["pretraining_steps"], FONTS["learning_rate"], f"{name}, fonts")
        records.append(
            {"model": name, "start": "fonts", "digits": 0, "seed": seed, "accuracy": accuracy(pretrained, *test)}
        )
        for count in (50, 200):
            few, validation = few_and_validation(count, seed)
            for start, rate in itertools.product(("fonts", "nothing"), FONTS["learning_rates"]):
                torch.manual_seed(seed)
                model = MODELS[name](8)
                if start == "fonts":
                    model.load_state_dict(pretrained.state_dict())
                train(model, shuffled_stream(*few), FONTS["steps"], rate, f"{name}, {start}, {count}, {rate}")
                records.append(
                    {
                        "model": name,
                        "start": start,
                        "digits": count,
                        "rate": rate,
                        "seed": seed,
                        "on_validation": accuracy(model, *validation),
                        "accuracy": accuracy(model, *test),
                    }
                )
    return records


ALL_AT_ONCE: Settings = {
    **FONTS,
    "pretraining_steps": 0,
    "steps": FONTS["pretraining_steps"] + FONTS["steps"],
    "digits": 50,
}


@experiment("vit_fonts_control", {**ALL_AT_ONCE, **WIDTH})
def vit_fonts_control(seed: int) -> list[Record]:
    """The control of `vit_fonts`: from nothing on 50 handwritten digits, with the fonts' steps added to its own, at the
    same five rates."""
    test, (few, validation) = digits.handwritten("test"), few_and_validation(ALL_AT_ONCE["digits"], seed)
    records: list[Record] = []
    for rate in ALL_AT_ONCE["learning_rates"]:
        torch.manual_seed(seed)
        model = transformer(8)
        train(model, shuffled_stream(*few), ALL_AT_ONCE["steps"], rate, f"ViT, nothing, longer, {rate}")
        right = {"on_training": accuracy(model, *few), "on_validation": accuracy(model, *validation)}
        right["accuracy"] = accuracy(model, *test)
        records.append({"model": "ViT", "rate": rate, "seed": seed, **right})
    return records
