"""Chapter 10's training program: what can be set, by flags, in a TOML file or by a preset.

Every field of Configuration is a flag (`--d-model 128`) and a key of the file (`d_model = 128`). Flags win over the
file, the file over a preset (a file in `training/presets`), a preset over the defaults, which train each model within
minutes on one core. All of it rests on the standard library, so that the program runs with what the notebooks need.
"""

import argparse
import dataclasses
import difflib
import json
import math
import textwrap
import tomllib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MODELS = ("vit", "transformer", "language-model")
VIT, TEXT = ("vit",), ("language-model",)
DTYPES = ("float32", "bfloat16", "float16")
PRESETS = {path.stem: path for path in sorted((Path(__file__).parent / "presets").glob("*.toml"))}

# Ranges: in words, and whether a value is within. NaN is within none.
Range = tuple[str, Callable[[Any], bool]]
AT_LEAST_1: Range = ("at least 1", lambda value: value >= 1)
AT_LEAST_0: Range = ("at least 0 and finite", lambda value: 0 <= value < math.inf)
ABOVE_0: Range = ("above 0", lambda value: value > 0)
ABOVE_0_FINITE: Range = ("above 0 and finite", lambda value: 0 < value < math.inf)
SHARE: Range = ("from 0 to 1", lambda value: 0 <= value <= 1)
PART: Range = ("from 0 to below 1", lambda value: 0 <= value < 1)
ANY: Range = ("anything", lambda value: True)


def one_of(*words: str) -> Range:
    return f"one of {', '.join(words)}", lambda value: value in words


class TrainingError(Exception):
    """What the person at the terminal can mend: shown as one line, without a traceback."""


@contextmanager
def explained(what: str) -> Iterator[None]:
    """Errors of files, settings, sizes and states become one line that begins with `what`."""
    try:
        yield
    except (OSError, ValueError, RuntimeError, KeyError, TypeError, AttributeError) as error:
        raise TrainingError(f"{what}: {textwrap.shorten(str(error), 400)}") from error


def option(default: Any, within: Range, help: str, of: tuple[str, ...] = MODELS, words: tuple[str, ...] = ()) -> Any:
    """of: the models that have this setting; their names stand before the help where it is not all."""
    help = help if of == MODELS else f"{', '.join(of)}: {help}"
    return dataclasses.field(default=default, metadata={"help": help, "of": of, "within": within, "words": words})


def choice(default: str, words: tuple[str, ...], help: str, of: tuple[str, ...] = MODELS) -> Any:
    return option(default, one_of(*words), f"{help}: {', '.join(words)}", of, words)


@dataclass(frozen=True)
class Configuration:
    """All settings of a run. Sizes mean what they mean in the chapters."""

    model: str = choice("vit", MODELS, "what is trained")
    data: str = option(
        "generated", ANY, "generated, images:FOLDER (vit), text:FILE or text:FOLDER (language-model), or hub:NAME"
    )
    out: str = option("", ANY, "the run's folder (default: work/runs/ and the preset's or the model's name)")

    d_model: int = option(64, AT_LEAST_1, "width of the stream")
    num_heads: int = option(4, AT_LEAST_1, "heads of each attention; they divide d_model")
    num_layers: int = option(2, AT_LEAST_1, "layers (of the encoder and of the decoder)")
    d_ff: int = option(256, AT_LEAST_1, "width inside the feed-forward parts")
    dropout: float = option(0.0, PART, "share dropped", of=("transformer", "language-model"))
    image_size: int = option(16, AT_LEAST_1, "height and width in pixels", of=VIT)
    patch_size: int = option(4, AT_LEAST_1, "height and width of a patch", of=VIT)
    numbers: int = option(4, AT_LEAST_1, "a sentence has one to so many numbers", of=("transformer",))
    length: int = option(64, AT_LEAST_1, "tokens in a window", of=TEXT)
    tokens: str = choice("characters", ("characters", "bpe"), "what a token is", of=TEXT)
    vocab_size: int = option(4096, ("at least 257", lambda size: size > 256), "tokens of a BPE, at most", of=TEXT)

    # What is done to images while training; training/augment.py says what each is and where it comes from.
    max_shift: int = option(4, AT_LEAST_0, "each image is moved by up to so many pixels, afresh each time", of=VIT)
    crop_scale: float = option(
        1.0, ("above 0, at most 1", lambda share: 0 < share <= 1), "the least share of an image that a crop keeps (1: "
        "all are cut from the middle)", of=VIT)  # fmt: skip
    flip: float = option(0.0, SHARE, "share of images turned left to right", of=VIT)
    rand_augment: float = option(
        0.0, ("from 0 to 10", lambda magnitude: 0 <= magnitude <= 10), "magnitude of RandAugment (0: none)", of=VIT
    )
    erasing: float = option(0.0, SHARE, "share of images in which a box is erased", of=VIT)
    mixup: float = option(0.0, AT_LEAST_0, "alpha of mixup: how far two images are blended (0: not)", of=VIT)
    cutmix: float = option(0.0, AT_LEAST_0, "alpha of CutMix: a box comes from another image (0: not)", of=VIT)
    stochastic_depth: float = option(0.0, PART, "share of images that the last layer is left out for", of=VIT)

    samples: int = option(0, AT_LEAST_0, "training samples to keep (0: all; of generated sentences 20,000)")
    batch_size: int = option(64, AT_LEAST_1, "samples in a step, over all processes and pieces together")
    accumulate: int = option(
        1, AT_LEAST_1, "pieces that a process cuts its part of a batch into, where memory is short"
    )
    steps: int = option(1000, AT_LEAST_1, "steps in all")
    learning_rate: float = option(2e-3, ABOVE_0_FINITE, "of AdamW, at its highest")
    warm_up: int = option(100, AT_LEAST_0, "steps over which the rate rises; then it falls along a cosine to a 20th")
    beta2: float = option(0.999, PART, "of AdamW: how slowly it forgets squared gradients")
    weight_decay: float = option(0.01, AT_LEAST_0, "of AdamW, for matrices alone")
    clip: float = option(1.0, ABOVE_0, "the largest norm of the gradients (inf: any)")
    label_smoothing: float = option(0.0, PART, "share of the target spread over the classes", of=("vit", "transformer"))
    seed: int = option(0, ("at least 0 and below 2**63", lambda seed: 0 <= seed < 2**63), "of all that is drawn")

    device: str = option("auto", ANY, "auto (a GPU if there is one), cpu, cuda, or one of several, cuda:1")
    dtype: str = choice("float32", DTYPES, "of products under autocast")
    tf32: bool = option(False, ANY, "on a GPU, float32 products of inputs rounded to 10 bits (TF32): faster")
    compile: bool = option(False, ANY, "torch.compile the model")
    fused: bool = option(False, ANY, "attention by one fused kernel")
    num_workers: int = option(
        -1, ("at least -1", lambda count: count >= -1), "processes that make batches (-1: as it fits the data)"
    )
    prefetch_factor: int = option(2, AT_LEAST_1, "batches that each of them makes ahead")
    verify: bool = option(True, ANY, "look at every image of a folder before the first step", of=VIT)
    log_every: int = option(10, AT_LEAST_1, "steps after which the losses are read off the device and written")
    evaluate_every: int = option(200, AT_LEAST_1, "steps between looks at held-out data")
    checkpoint_every: int = option(200, AT_LEAST_1, "steps between checkpoints")
    tensorboard: bool = option(True, ANY, "write curves that TensorBoard reads")


FIELDS = {field.name: field for field in dataclasses.fields(Configuration)}
MAY_CHANGE = ("out", "num_workers", "prefetch_factor", "verify")  # when a run goes on: no number depends on them


def check(config: Configuration) -> None:
    """Raises TrainingError for a value outside its range; what needs the data is checked where they are."""
    for name, field in FIELDS.items():
        value, (range_in_words, within) = getattr(config, name), field.metadata["within"]
        if not within(value):
            got = repr(value) if isinstance(value, str) else value
            raise TrainingError(f"{name} is {range_in_words}, got {got}{nearest(str(value), field.metadata['words'])}")
    if config.d_model % config.num_heads:
        raise TrainingError(f"num_heads must divide d_model, got {config.num_heads} and {config.d_model}")
    for name, field in FIELDS.items():  # what would be silently without effect
        if config.model not in field.metadata["of"] and getattr(config, name) != field.default:
            of = " and ".join(field.metadata["of"])
            raise TrainingError(f"{name} is a setting of {of}, not of {config.model}; leave it out")
    if config.tokens != "bpe" and config.vocab_size != FIELDS["vocab_size"].default:
        raise TrainingError("vocab_size is a setting of --tokens bpe: characters are as many as the text has")


def nearest(word: str, words: Iterable[str]) -> str:
    """`; did you mean 'steps'?`, or nothing where no word is near."""
    matches = difflib.get_close_matches(word, words, n=1)
    return f"; did you mean {matches[0]!r}?" if matches else ""


# ---- a file ---------------------------------------------------------------------------------------------------------


def read_toml(path: str | Path) -> dict[str, Any]:
    """The settings in a TOML file, each of its field's type. Raises TrainingError for what does not fit."""
    with explained(f"cannot read the configuration {path}"):
        settings = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    for name, value in settings.items():
        if name not in FIELDS:
            raise TrainingError(f"{path} has the key {name!r}, which is no setting{nearest(name, FIELDS)}")
        wanted = type(FIELDS[name].default)
        if wanted is float and type(value) is int:
            settings[name] = float(value)
        elif type(value) is not wanted:
            raise TrainingError(f"{path}: {name} is of type {wanted.__name__}, got {value!r}")
    return settings


def read_preset(name: str) -> dict[str, Any]:
    if name not in PRESETS:
        raise TrainingError(f"preset is one of {', '.join(PRESETS)}, got {name!r}{nearest(name, PRESETS)}")
    return read_toml(PRESETS[name])


def as_toml(config: Configuration) -> str:
    """The configuration as read_toml reads it: JSON's strings and booleans are TOML's too, and Python's numbers."""
    lines = []
    for name, value in dataclasses.asdict(config).items():
        text = json.dumps(value, ensure_ascii=False) if isinstance(value, str | bool) else repr(value)
        lines.append(f"{name} = {text}\n")
    return "".join(lines)


# ---- flags ----------------------------------------------------------------------------------------------------------


class Parser(argparse.ArgumentParser):
    """argparse, but a mistake is one line."""

    def error(self, message: str):
        raise TrainingError(f"{message} (--help lists all flags)")


def parse(arguments: list[str] | None = None) -> tuple[Configuration, bool]:
    """The configuration that the arguments ask for, checked, and whether --resume was given."""
    parser = Parser(
        prog="python -m training",
        description="Train one of the course's models. The same command again goes on from the last checkpoint.",
        allow_abbrev=False,
    )
    parser.add_argument("--preset", metavar="NAME", help=f"a known model and recipe: {', '.join(PRESETS)}")
    parser.add_argument("--config", metavar="FILE", help="settings from a TOML file; flags win")
    parser.add_argument(
        "--resume", action="store_true", help="insist on going on: an error where there is no checkpoint"
    )
    for name, field in FIELDS.items():
        flag, text = f"--{name.replace('_', '-')}", f"{field.metadata['help']} [{field.default}]"
        if field.type is bool:
            parser.add_argument(flag, action=argparse.BooleanOptionalAction, default=argparse.SUPPRESS, help=text)
        else:
            parser.add_argument(flag, type=field.type, default=argparse.SUPPRESS, metavar="...", help=text)
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        flags = [flag for action in parser._actions for flag in action.option_strings]
        parser.error(f"unknown argument {unknown[0]}{nearest(unknown[0], flags)}")
    given = vars(options)
    preset, path, resume = given.pop("preset"), given.pop("config"), given.pop("resume")
    settings = {**(read_preset(preset) if preset else {}), **(read_toml(path) if path else {}), **given}
    config = Configuration(**settings)
    config = dataclasses.replace(config, out=config.out or f"work/runs/{preset or config.model}")
    check(config)
    return config, resume


def differences(old: Configuration, new: Configuration) -> str:
    """What differs, `steps 100 -> 200, ...`; empty where nothing does that may not (MAY_CHANGE)."""
    was, now = dataclasses.asdict(old), dataclasses.asdict(new)
    return ", ".join(
        f"{name} {was[name]} -> {now[name]}" for name in FIELDS if name not in MAY_CHANGE and was[name] != now[name]
    )
