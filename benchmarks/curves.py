"""Learning curves at size: what the course's own models come to when nobody counts the seconds. Meant for a GPU.

    python -m benchmarks.curves numbers          # the Transformer of chapter 06 on sentences of up to twelve numbers
    python -m benchmarks.curves vit              # the Vision Transformer and the CNN of chapter 08, five sizes of data
    python -m benchmarks.curves text             # the language model of chapter 07; its weights go beside its curve
    python -m benchmarks.curves NAME --seeds 0 1 2 --device cuda
    python -m benchmarks.curves NAME --tiny      # small and short, on any machine: only to see that it runs

Each writes benchmarks/results/curves_<name>.json, after every seed, so that what is cut off keeps its whole seeds;
with --tiny it writes to _build/curves/. Training is chapter 09's step with fused attention, in bfloat16 where the
device has it; what is measured on held-out data is measured in float32.
"""

from __future__ import annotations

import argparse
import io
import math
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from tqdm import tqdm

from benchmarks.experiments import parameter_count, seq2seq
from benchmarks.experiments.vit import CANVAS, MARGIN, MODELS, WIDTH, accuracy, canvas, shuffled_stream
from benchmarks.record import Record, write
from course import data, files
from course.committed import RESULTS
from course.data import digits
from course.data.text import Characters, random_windows, reference_text
from course.training import learning_rate_at
from solutions.cuda import fuse_attention, train_step
from solutions.language_model import CausalLanguageModel, bits_per_character, generate
from solutions.transformer import Transformer

ROOT = Path(__file__).resolve().parent.parent
LARGEST_CHECKPOINT = 2_000_000  # bytes: it is committed
PROMPT = 'The "for" statement '

NUMBERS = {
    "d_model": 256, "num_heads": 8, "d_ff": 1024, "num_layers": 4, "dropout": 0.1, "learning_rate": 1e-3,
    "warm_up": 500, "steps": 8_000, "looks": 16, "batch_size": 256, "sentences": 200_000, "most": 12,
    "tested_each": 200,
}  # fmt: skip
VIT = {
    **WIDTH, "patch_size": 4, "canvas": CANVAS, "learning_rate": 2e-3, "warm_up": 50, "steps": 6_400, "looks": 16,
    "batch_size": 64, "sizes": [100, 200, 400, 800, 1297],
}  # fmt: skip
TEXT = {
    "d_model": 128, "num_heads": 4, "d_ff": 512, "num_layers": 4, "dropout": 0.1, "learning_rate": 2e-3,
    "warm_up": 200, "steps": 10_000, "looks": 20, "batch_size": 64, "window": 128, "prompt": PROMPT,
    "sampled": 400, "temperature": 0.8,
}  # fmt: skip
# --tiny: what makes them small. The models of the ViT's curve are the chapter's own, and stay as they are.
TINY: dict[str, dict[str, Any]] = {
    "numbers": {"d_model": 16, "num_heads": 2, "d_ff": 32, "num_layers": 1, "steps": 6, "looks": 2, "batch_size": 8,
                "sentences": 64, "most": 3, "tested_each": 4},
    "vit": {"steps": 6, "looks": 2, "sizes": [100]},
    "text": {"d_model": 16, "num_heads": 2, "d_ff": 32, "num_layers": 1, "steps": 6, "looks": 2, "batch_size": 8,
             "window": 16, "sampled": 20},
}  # fmt: skip


def training_dtype(device: torch.device) -> torch.dtype:
    """bfloat16 on a GPU that has units for it, so that no scaling is needed; float32 elsewhere."""
    has_units = device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
    return torch.bfloat16 if has_units else torch.float32


def train(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batches: Iterator[Any],
    settings: dict[str, Any],
    look: Callable[[int], list[Record]],
    label: str,
) -> list[Record]:
    """Train the model where it is, and look at it `looks` times, evenly spaced, the last time after the last step.

    look: a function from the number of steps taken to flat records; each gets the step, the mean training loss since
    the last look and the seconds of training so far, without those of looking. Raises FloatingPointError where the
    loss is no longer a number.
    """
    device, steps = next(model.parameters()).device, settings["steps"]
    optimizer = torch.optim.AdamW(model.parameters(), lr=settings["learning_rate"], weight_decay=0.01)
    scaler = torch.amp.GradScaler(device.type, enabled=False)  # bfloat16 reaches as far as float32
    due = {round(steps * (i + 1) / settings["looks"]) for i in range(settings["looks"])}
    curve: list[Record] = []
    losses: list[Tensor] = []
    seconds, since = 0.0, time.perf_counter()
    model.train()
    for step in tqdm(range(1, steps + 1), desc=label):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate_at(step - 1, steps, settings["learning_rate"], settings["warm_up"])
        loss, _ = train_step(model, loss_of, next(batches), optimizer, scaler, 1.0, training_dtype(device))
        losses.append(loss)
        if step not in due:
            continue
        mean = torch.stack(losses).double().mean().item()  # waits for the device, so the clock tells the truth
        if math.isnan(mean):
            raise FloatingPointError(f"{label}: the loss is NaN by step {step}; try a smaller learning_rate")
        seconds += time.perf_counter() - since
        model.eval()
        about = {"step": step, "training_loss": mean, "training_seconds": seconds}
        curve += [{**record, **about} for record in look(step)]
        model.train()
        losses, since = [], time.perf_counter()
    model.eval()
    return curve


# ---- the three curves -----------------------------------------------------------------------------------------------


def numbers(seed: int, settings: dict[str, Any], device: torch.device, folder: Path) -> list[Record]:
    """The Transformer on numbers in words: symbols and whole sentences right by greedy decoding, by how many numbers a
    sentence has. It is trained on all lengths that are tested; the tested sentences are drawn with another seed."""
    source, target = data.numbers_vocabularies()
    torch.manual_seed(seed)
    sizes = (settings[name] for name in ("d_model", "num_heads", "d_ff", "num_layers"))
    model = Transformer(len(source), len(target), *sizes, bos_id=data.BOS_ID, dropout=settings["dropout"])
    fuse_attention(model.to(device))
    examples = data.numbers_in_words(settings["sentences"], 1, settings["most"], seed=1_000 + seed)
    stream = (batch.to(device) for batch in data.batches(examples, source, target, settings["batch_size"], seed))
    tests = {
        k: data.collate(data.numbers_in_words(settings["tested_each"], k, k, seed=9_000 + k), source, target).to(device)
        for k in range(1, settings["most"] + 1)
    }

    def loss_of(model: nn.Module, batch: data.Batch) -> Tensor:
        return seq2seq.loss_of(model)(batch)

    @torch.no_grad()
    def look(step: int) -> list[Record]:
        rows: list[Record] = []
        for k, test in tests.items():
            symbols, exact = seq2seq.greedy_accuracy(model, test)
            rows.append({"seed": seed, "k": k, "symbols": symbols, "exact": exact})
        return rows

    curve = train(model, loss_of, stream, settings, look, f"numbers, seed {seed}")
    return [{**record, "parameters": parameter_count(model)} for record in curve]


def vit(seed: int, settings: dict[str, Any], device: torch.device, folder: Path) -> list[Record]:
    """Digits on a canvas, placed afresh each time: the Vision Transformer and, as the control, the CNN of chapter 08,
    by how many digits there are to learn from."""
    images, labels = digits.handwritten("train")
    images = digits.on_canvas(images, CANVAS, CANVAS)
    test_images, test_labels = (x.to(device) for x in canvas("test", seed=99))
    records: list[Record] = []
    for size in settings["sizes"]:
        few, few_labels = (x.to(device) for x in digits.a_few(images, labels, size, seed))
        for name in ("ViT", "CNN"):
            torch.manual_seed(seed)
            model = fuse_attention(MODELS[name](CANVAS).to(device))

            def loss_of(model: nn.Module, batch: tuple[Tensor, Tensor]) -> Tensor:
                return F.cross_entropy(model(batch[0]), batch[1])

            def look(step: int, model: nn.Module = model, name: str = name, size: int = size) -> list[Record]:
                right = accuracy(model, test_images, test_labels)
                return [{"model": name, "digits": size, "seed": seed, "on_test": right}]

            stream = shuffled_stream(few, few_labels, MARGIN)
            records += train(model, loss_of, stream, settings, look, f"{name}, {size} digits, seed {seed}")
    return records


def text(seed: int, settings: dict[str, Any], device: torch.device, folder: Path) -> list[Record]:
    """The language model on Python's reference topics: bits per character of held-out text, and what it writes. A
    word is known where the training text has it; the held-out text, measured alike, is what to compare with. Kept are
    the weights of the best look, chosen on the held-out text itself, so that their bits flatter a little."""
    training, validation = reference_text()
    characters = Characters(training)
    training_words = words(training)
    torch.manual_seed(seed)
    model = language_model(len(characters), settings)
    if 2 * parameter_count(model) > 0.98 * LARGEST_CHECKPOINT:  # the rest is for names
        raise ValueError(f"{parameter_count(model)} parameters do not fit into {LARGEST_CHECKPOINT} bytes at two each")
    fuse_attention(model.to(device), lambda name: True)
    ids = characters.encode(training).to(device)
    windows = random_windows(ids.cpu(), settings["window"], settings["batch_size"], seed)
    stream = (batch.to(device) for batch in windows)
    held_out = characters.encode(validation).to(device)
    held_out_windows = list(held_out.unfold(0, settings["window"] + 1, settings["window"]).split(64))
    prompt = characters.encode(settings["prompt"]).unsqueeze(0).to(device)
    best: tuple[float, dict[str, Tensor]] = float("inf"), {}

    def look(step: int) -> list[Record]:
        nonlocal best
        bits = bits_per_character(model, held_out_windows)
        if bits < best[0]:
            best = bits, {name: tensor.detach().cpu().half() for name, tensor in model.state_dict().items()}
        return [{"measure": "bits", "seed": seed, "bits": bits}, {"measure": "sample", "seed": seed, **sample()}]

    def sample() -> Record:
        with torch.random.fork_rng():  # looking changes nothing of the training
            torch.manual_seed(seed)
            written = generate(
                model, prompt, settings["sampled"], settings["window"], temperature=settings["temperature"]
            )
        said = characters.decode(written[0].cpu())
        return {"known_words": share_known(said[len(settings["prompt"]) :], training_words), "text": said}

    def loss_of(model: nn.Module, batch: Tensor) -> Tensor:
        return F.cross_entropy(model(batch[:, :-1]).flatten(0, 1), batch[:, 1:].flatten())

    curve = train(model, loss_of, stream, settings, look, f"text, seed {seed}")
    model.load_state_dict(best[1])  # what is kept is measured as it is kept: rounded to half precision
    kept: Record = {"measure": "kept", "seed": seed, "bits": bits_per_character(model, held_out_windows), **sample()}
    if seed == 0:
        kept["bytes"] = save_language_model(folder / "curves_text.pt", best[1], characters, settings)
    held_out_share = share_known(validation, training_words)
    control: Record = {"measure": "held-out text", "seed": seed, "known_words": held_out_share}
    return [*curve, kept, control]


def words(of: str) -> set[str]:
    """The different words of a text, of two letters at least, in small letters."""
    cleaned = "".join(letter if letter.isalpha() else " " for letter in of.lower())
    return {word for word in cleaned.split() if len(word) > 1}


def share_known(of: str, training_words: set[str]) -> float | None:
    """Which share of a text's different words is known; None where it has no word."""
    distinct = words(of)
    return len(distinct & training_words) / len(distinct) if distinct else None


def language_model(vocab_size: int, settings: dict[str, Any]) -> CausalLanguageModel:
    sizes = (settings[name] for name in ("d_model", "num_heads", "d_ff", "num_layers", "dropout"))
    return CausalLanguageModel(vocab_size, settings["window"], *sizes)


def save_language_model(path: Path, state: dict[str, Tensor], characters: Characters, settings: dict[str, Any]) -> int:
    """Write weights, characters and settings into one file, whole or not at all; returns its bytes."""
    content = io.BytesIO()
    torch.save({"model": state, "characters": "".join(characters.characters), "settings": settings}, content)
    files.replace(path, content.getvalue())
    return path.stat().st_size


def read_language_model(path: Path) -> tuple[CausalLanguageModel, Characters]:
    """The model that `text` kept, in float32 and for reading only, and its characters."""
    kept = torch.load(path, map_location="cpu", weights_only=True)
    characters = Characters(kept["characters"])
    model = language_model(len(characters), kept["settings"])
    model.load_state_dict(kept["model"])
    return model.eval(), characters


# ---- the command line -----------------------------------------------------------------------------------------------

CURVES: dict[str, tuple[Callable[..., list[Record]], dict[str, Any]]] = {
    "numbers": (numbers, NUMBERS),
    "vit": (vit, VIT),
    "text": (text, TEXT),
}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=CURVES)
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--tiny", action="store_true", help="seconds on a CPU, into _build/curves/")
    parser.add_argument("--folder", type=Path, help="where the results go; otherwise as above")
    options = parser.parse_args(arguments)
    if len(set(options.seeds)) < len(options.seeds) or min(options.seeds) < 0:
        parser.error(f"seeds are different whole numbers of at least 0, got {options.seeds}")
    has_gpu = torch.cuda.is_available()
    if options.device == "cuda" and not has_gpu:
        raise SystemExit(f"torch {torch.__version__} finds no CUDA device; --device cpu --tiny runs without one")
    device = torch.device("cuda" if has_gpu and options.device != "cpu" else "cpu")
    if device.type == "cpu" and not options.tiny:
        print("on a CPU this takes hours; --tiny only shows that it runs", file=sys.stderr)
    run, settings = CURVES[options.name]
    settings = {**settings, **(TINY[options.name] if options.tiny else {})}
    folder = options.folder or (ROOT / "_build" / "curves" if options.tiny else RESULTS)
    folder.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    records: list[Record] = []
    start = time.perf_counter()
    for count, seed in enumerate(options.seeds, start=1):
        records += run(seed, settings, device, folder)
        done = options.seeds[:count]
        small = " --tiny" if options.tiny else ""
        path = write(
            f"curves_{options.name}",
            run.__doc__ or "",
            records,
            command=f"python -m benchmarks.curves {options.name} --device {device.type}{small} "
            f"--seeds {' '.join(map(str, done))}",
            settings={**settings, "device": device.type, "dtype": str(training_dtype(device)).removeprefix("torch.")},
            seconds=time.perf_counter() - start,
            seeds=done,
            folder=folder,
        )
        print(path)


if __name__ == "__main__":
    main()
