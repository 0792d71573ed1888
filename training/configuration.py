"""Chapter 09's training program: what can be set, by flags or in a TOML file.

Every field of Configuration is a flag (`--d-model 128`) and a key of the file (`d_model = 128`). Flags win over the
file, the file over the defaults, which train each model within minutes on one core.
"""

import argparse
import dataclasses
import difflib
import json
import math
import textwrap
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MODELS = ("vit", "transformer", "language-model")
DTYPES = ("float32", "bfloat16", "float16")


class TrainingError(Exception):
    """What the person at the terminal can mend: shown as one line, without a traceback."""


@contextmanager
def explained(what: str) -> Iterator[None]:
    """Errors of files, settings, sizes and states become one line that begins with `what`."""
    try:
        yield
    except (OSError, ValueError, RuntimeError, KeyError, TypeError, AttributeError) as error:
        raise TrainingError(f"{what}: {textwrap.shorten(str(error), 400)}") from error


def option(default: Any, help: str, of: tuple[str, ...] = MODELS) -> Any:
    """of: the models that have this setting; their names stand before the help where it is not all."""
    help = help if of == MODELS else f"{', '.join(of)}: {help}"
    return dataclasses.field(default=default, metadata={"help": help, "of": of})


@dataclass(frozen=True)
class Configuration:
    """All settings of a run. Sizes mean what they mean in the chapters."""

    model: str = option("vit", f"one of {', '.join(MODELS)}")
    data: str = option("generated", "generated, images:FOLDER (vit), text:FILE (language-model), or hub:NAME")
    out: str = option("", "the run's folder (default: work/runs/MODEL)")

    d_model: int = option(64, "width of the stream")
    num_heads: int = option(4, "heads of each attention; they divide d_model")
    num_layers: int = option(2, "layers (of the encoder and of the decoder)")
    d_ff: int = option(256, "width inside the feed-forward parts")
    dropout: float = option(0.0, "share dropped", of=("transformer", "language-model"))
    image_size: int = option(16, "height and width in pixels", of=("vit",))
    patch_size: int = option(4, "height and width of a patch", of=("vit",))
    max_shift: int = option(4, "each training image is moved by up to so many pixels, afresh each time", of=("vit",))
    numbers: int = option(4, "a sentence has one to so many numbers", of=("transformer",))
    length: int = option(64, "characters in a window", of=("language-model",))

    samples: int = option(0, "training samples to keep (0: all; of generated sentences 20,000)")
    batch_size: int = option(64, "samples in a step, over all processes and pieces together")
    accumulate: int = option(1, "pieces that a process cuts its part of a batch into, where memory is short")
    steps: int = option(1000, "steps in all")
    learning_rate: float = option(2e-3, "of AdamW, at its highest")
    warm_up: int = option(100, "steps over which the rate rises; then it falls along a cosine to a twentieth")
    weight_decay: float = option(0.01, "of AdamW")
    clip: float = option(1.0, "the largest norm of the gradients")
    label_smoothing: float = option(0.0, "share of the target spread over the classes", of=("vit", "transformer"))
    seed: int = option(0, "of the weights, the order and everything drawn while training")

    device: str = option("auto", "auto (a GPU if there is one), cpu, cuda, or one of several, cuda:1")
    dtype: str = option("float32", f"of products under autocast: {', '.join(DTYPES)}")
    tf32: bool = option(False, "on a GPU, float32 products of inputs rounded to 10 bits (TF32): several times faster")
    compile: bool = option(False, "torch.compile the model")
    fused: bool = option(False, "attention by one fused kernel")
    log_every: int = option(10, "steps after which the losses are read off the device and written")
    evaluate_every: int = option(200, "steps between looks at held-out data")
    checkpoint_every: int = option(200, "steps between checkpoints")
    tensorboard: bool = option(True, "write curves that TensorBoard reads")


FIELDS = {field.name: field for field in dataclasses.fields(Configuration)}


def check(config: Configuration) -> None:
    """Raises TrainingError for a value outside its range; what needs the data is checked where they are."""
    for name, among in (("model", MODELS), ("dtype", DTYPES)):
        value = getattr(config, name)
        if value not in among:
            raise TrainingError(f"{name} is one of {', '.join(among)}, got {value!r}{nearest(str(value), among)}")
    at_least_one = ("d_model", "num_heads", "num_layers", "d_ff", "image_size", "patch_size", "numbers", "length",
                    "batch_size", "accumulate", "steps", "log_every", "evaluate_every", "checkpoint_every")  # fmt: skip
    for name in at_least_one:
        if getattr(config, name) < 1:
            raise TrainingError(f"{name} is at least 1, got {getattr(config, name)}")
    for name in ("max_shift", "samples", "warm_up", "weight_decay", "seed"):
        if not getattr(config, name) >= 0:  # so that NaN is refused as well
            raise TrainingError(f"{name} is at least 0, got {getattr(config, name)}")
    for name in ("learning_rate", "clip"):  # clip may be infinite: no clipping
        if not getattr(config, name) > 0:
            raise TrainingError(f"{name} is above 0, got {getattr(config, name)}")
    for name in ("learning_rate", "weight_decay"):
        if math.isinf(getattr(config, name)):
            raise TrainingError(f"{name} is finite, got {getattr(config, name)}")
    if config.seed >= 2**63:  # torch's generators and TOML's integers end there
        raise TrainingError(f"seed is below 2**63, got {config.seed}")
    for name in ("dropout", "label_smoothing"):
        if not 0 <= getattr(config, name) < 1:
            raise TrainingError(f"{name} is from 0 to below 1, got {getattr(config, name)}")
    if config.d_model % config.num_heads:
        raise TrainingError(f"num_heads must divide d_model, got {config.num_heads} and {config.d_model}")
    for name, field in FIELDS.items():  # what would be silently without effect
        if config.model not in field.metadata["of"] and getattr(config, name) != field.default:
            of = " and ".join(field.metadata["of"])
            raise TrainingError(f"{name} is a setting of {of}, not of {config.model}; leave it out")


def nearest(word: str, words: Iterable[str]) -> str:
    """`; did you mean 'steps'?`, or nothing where no word is near."""
    nearest = difflib.get_close_matches(word, list(words), n=1)
    return f"; did you mean {nearest[0]!r}?" if nearest else ""


# ---- a file ---------------------------------------------------------------------------------------------------------


def read_toml(path: str | Path) -> dict[str, Any]:
    """The settings in a TOML file, each of its field's type. Raises TrainingError for what does not fit."""
    with explained(f"cannot read the configuration {path}"):
        settings = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    for name, value in settings.items():
        if name not in FIELDS:
            raise TrainingError(f"{path} has the key {name!r}, which is no setting{nearest(name, FIELDS)}")
        wanted = FIELDS[name].type
        if wanted is float and type(value) is int:
            settings[name] = float(value)
        elif type(value) is not wanted:
            raise TrainingError(f"{path}: {name} is of type {wanted.__name__}, got {value!r}")  # type: ignore[union-attr]
    return settings


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
    path, resume = given.pop("config"), given.pop("resume")
    config = Configuration(**{**(read_toml(path) if path else {}), **given})
    config = dataclasses.replace(config, out=config.out or f"work/runs/{config.model}")
    check(config)
    return config, resume


def differences(old: Configuration, new: Configuration) -> str:
    """What differs, `steps 100 -> 200, ...`; empty where nothing does. The folder itself may have been moved."""
    was, now = dataclasses.asdict(old), dataclasses.asdict(new)
    return ", ".join(
        f"{name} {was[name]} -> {now[name]}" for name in FIELDS if name != "out" and was[name] != now[name]
    )
