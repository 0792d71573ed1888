"""The next character, live: the language model of chapter 07, on the text that a reader types.

Trained as its stored results are (`language_model_text`), with the first of their seeds: the model of the first table
of section 7.5, which writes the samples of section 7.7.
"""

import json
import time
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from benchmarks.experiments import Record, parameter_count
from benchmarks.experiments.language_model import PROMPT, TEXT, bits_by_position, loss_of, small_model, text_ids
from benchmarks.living import STATIC, STILLS, weights
from benchmarks.record import write
from course import files
from course.data.text import random_windows
from course.training import fit
from course.watch import watch_attention
from solutions.language_model import CausalLanguageModel, induction_score, sampling_distribution

SEED = 0
PATH = STATIC / "language-model.js"
# What the still picture shows, and where the live figure begins.
START: dict[str, Any] = {"temperature": 0.7, "top_k": 8, "top_p": 0.9}
DRAW_SEED, WRITTEN, SHOWN = 1, 100, 10


def from_file() -> CausalLanguageModel:
    """The trained model with the weights of its committed file: what the page computes with."""
    model = small_model(len(weights.header(PATH)["characters"]), TEXT["window"])
    model.load_state_dict(weights.read(PATH))
    return model.eval()


def train(seed: int, steps: int) -> tuple[CausalLanguageModel, list[float], float]:
    """The model after its training, each step's loss, and the seconds."""
    characters, training, _ = text_ids()
    torch.manual_seed(seed)
    model = small_model(len(characters), TEXT["window"])
    windows = random_windows(training, TEXT["window"], TEXT["batch_size"], seed)
    start = time.perf_counter()
    losses = fit(model, loss_of(model), windows, steps, TEXT["learning_rate"], label="language model")
    return model.eval(), losses, time.perf_counter() - start


def bits(model: CausalLanguageModel) -> float:
    """Bits per character of the validation text, each character with half a window before it at least."""
    _, _, validation = text_ids()
    return bits_by_position(model, validation, TEXT["window"])[TEXT["window"] // 2 :].mean().item()


@torch.no_grad()
def heads(model: CausalLanguageModel) -> list[Record]:
    """For each head, its weight on the character before and its induction score, over windows of validation text."""
    _, _, validation = text_ids()
    tokens = validation.unfold(0, TEXT["window"], TEXT["window"])
    with watch_attention(model) as seen:
        model(tokens)
    records = []
    for i in range(len(model.layers)):
        looks = seen[f"layers.{i}.self_attention"]  # (B, H, T, T)
        before = looks.diagonal(-1, dim1=2, dim2=3).mean(dim=(0, 2)).tolist()
        for h, induction in enumerate(induction_score(looks, tokens).tolist()):
            records.append({"measure": "head", "layer": i, "head": h, "previous": before[h], "induction": induction})
    return records


def uniforms(seed: int) -> Iterator[float]:
    """Numbers from 0 to 1 without end, the same in Python and in the page: mulberry32 (Tommy Ettinger, 2017)."""
    state = seed
    while True:
        state = (state + 0x6D2B79F5) % 2**32
        mixed = (state ^ state >> 15) * (state | 1) % 2**32
        mixed ^= (mixed + (mixed ^ mixed >> 7) * (mixed | 61)) % 2**32
        yield (mixed ^ mixed >> 14) / 2**32


@torch.no_grad()
def write_on(model: CausalLanguageModel, tokens: Tensor, count: int, seed: int, **how: Any) -> Tensor:
    """`generate` for tokens (T,), with draws that the page repeats: the likeliest has the first piece of 0 to 1."""
    draws = uniforms(seed)
    for _ in range(count):
        logits = model(tokens[-TEXT["window"] :].unsqueeze(0))[:, -1]
        ordered, order = sampling_distribution(logits, **how)[0].double().sort(descending=True, stable=True)
        place = int((ordered.cumsum(0) <= next(draws)).sum().clamp(max=int((ordered > 0).sum()) - 1))
        tokens = torch.cat([tokens, order[place : place + 1]])
    return tokens


@torch.no_grad()
def still(model: CausalLanguageModel) -> dict[str, Any]:
    """What the page shows without a script: the ten likeliest next characters of one text, and how it goes on."""
    characters = weights.header(PATH)["characters"]
    tokens = torch.tensor([characters.index(character) for character in PROMPT])
    logits = model(tokens.unsqueeze(0))[:, -1]
    before, after = (sampling_distribution(logits, **how)[0] for how in ({}, START))
    top = before.argsort(descending=True, stable=True)[:SHOWN].tolist()
    written = write_on(model, tokens, WRITTEN, DRAW_SEED, **START)[len(tokens) :].tolist()
    return {
        "text": PROMPT,
        "settings": START,
        "rows": [[characters[i], round(before[i].item(), 4), round(after[i].item(), 4)] for i in top],
        "rest": [round(1 - part[top].sum().item(), 4) for part in (before, after)],
        "kept": int((after > 0).sum()),
        "characters": len(characters),
        "window": TEXT["window"],
        "seed": DRAW_SEED,
        "written": "".join(characters[i] for i in written),
    }


def run() -> None:
    """Train it, round it, and write weights, still picture and record."""
    begin = time.perf_counter()
    characters, _, _ = text_ids()
    model, losses, seconds = train(SEED, TEXT["steps"])
    before = bits(model)
    weights.write(PATH, model, {"characters": characters.characters, "num_heads": TEXT["num_heads"]})
    model.load_state_dict(weights.read(PATH))  # from here on rounded, as the page has it
    about = {
        "parameters": parameter_count(model),
        "first_loss": losses[0],
        "last_loss": sum(losses[-50:]) / 50,
        "training_seconds": seconds,
    }
    records: list[Record] = [
        {"measure": "weights", "model": "language-model", **about, **weights.sizes(PATH, model)},
        {"measure": "bits", "bits": bits(model), "bits_before_rounding": before},
        *heads(model),
    ]
    files.replace(STILLS / "language-model.json", json.dumps(still(model), ensure_ascii=False) + "\n")
    write(
        "language_model_living",
        "The model of the living figure of chapter 07: bits per character on held-out text, and its heads.",
        records,
        command="python -m benchmarks.living language-model",
        settings=TEXT,
        seconds=time.perf_counter() - begin,
        seeds=[SEED],
    )
