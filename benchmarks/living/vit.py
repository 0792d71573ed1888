"""Draw a digit: the Vision Transformer of chapter 08, on what a reader draws.

Trained as its stored results are (`vit_tokens`), with the first of their seeds: the model that reads a class token, of
the first row of section 8.5's table, whose maps section 8.11 puts to the test (`vit_maps`).
"""

import json
import time
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from benchmarks.experiments import Record, parameter_count
from benchmarks.experiments.vit import TOKENS, accuracy, shuffled_stream, transformer
from benchmarks.living import STATIC, STILLS, weights
from benchmarks.record import write
from course import files
from course.data import digits
from course.training import fit
from course.watch import watch_attention
from solutions.vit import VisionTransformer, attention_rollout

SEED, SIZE = 0, 8
PATH = STATIC / "vit.js"
START = 6  # the digit of the still picture, where the live figure begins
MOST_MOVED = 2  # pixels each way, in the table of moved test digits


def from_file() -> VisionTransformer:
    """The trained model with the weights of its committed file: what the page computes with."""
    model = transformer(SIZE, "class")
    model.load_state_dict(weights.read(PATH))
    return model.eval()


def train(seed: int, steps: int) -> tuple[VisionTransformer, list[float], float]:
    """The model after its training, each step's loss, and the seconds."""
    images, labels = digits.handwritten("train")
    torch.manual_seed(seed)
    model = transformer(SIZE, "class")
    stream = shuffled_stream(images, labels)
    start = time.perf_counter()
    losses = fit(
        model,
        lambda batch: F.cross_entropy(model(batch[0]), batch[1]),
        stream,
        steps,
        TOKENS["learning_rate"],
        label="vit",
    )
    return model.eval(), losses, time.perf_counter() - start


def moved(images: Tensor, down: int, right: int) -> Tensor:
    """All images (B, C, H, W) moved alike by whole pixels; what leaves the picture is lost, and zeros come in."""
    height, width = images.shape[2:]
    margin = max(abs(down), abs(right))
    padded = F.pad(images, (margin,) * 4)
    top, left = margin - down, margin - right
    return padded[:, :, top : top + height, left : left + width]


def examples() -> list[tuple[int, Tensor]]:
    """The first test digit of each kind: its label and its image (1, H, W)."""
    images, labels = digits.handwritten("test")
    return [(digit, images[labels == digit][0]) for digit in range(10)]


@torch.no_grad()
def reading(model: VisionTransformer, images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Of images (B, 1, H, W): probabilities (B, 10); on each patch, attention of the class token in the last layer, the
    mean of the heads (B, N), and its rollout over all layers (B, N)."""
    with watch_attention(model) as seen:
        probabilities = model(images).softmax(dim=1)
    layers = [seen[f"encoder.layers.{index}.self_attention"] for index in range(TOKENS["num_layers"])]
    return probabilities, layers[-1].mean(dim=1)[:, 0, 1:], attention_rollout(layers)[:, 0, 1:]


def alike(model: VisionTransformer) -> Tensor:
    """The cosine of each patch's learned position with each (N, N), without the class token's."""
    table = F.normalize(model.positions.weight.detach()[1:], dim=1)
    return table @ table.T


def neighbors_alike(model: VisionTransformer) -> tuple[float, float]:
    """The mean cosine of the positions of two patches with a side in common, and of all other pairs."""
    side = SIZE // TOKENS["patch_size"]
    row, column = torch.arange(side**2) // side, torch.arange(side**2) % side
    apart = (row - row[:, None]).abs() + (column - column[:, None]).abs()
    cosines = alike(model)
    return cosines[apart == 1].mean().item(), cosines[apart > 1].mean().item()


def still(model: VisionTransformer) -> dict[str, Any]:
    """What the page shows without a script: one test digit, what the model makes of it, and one patch's position."""
    _, image = examples()[START]
    probabilities, attention, rollout = (part[0].tolist() for part in reading(model, image.unsqueeze(0)))
    patch = max(range(len(attention)), key=attention.__getitem__)
    return {
        "digit": START,
        "ink": [round(16 * ink) for ink in image.flatten().tolist()],
        "patch": patch,
        "probabilities": [round(share, 4) for share in probabilities],
        "attention": [round(share, 4) for share in attention],
        "rollout": [round(share, 4) for share in rollout],
        "positions": [round(cosine, 4) for cosine in alike(model)[patch].tolist()],
    }


def header(model: VisionTransformer) -> dict[str, Any]:
    """What the page needs beside the numbers: sizes, examples in sixteenths of ink, and how much ink digits have."""
    ink = digits.handwritten("train")[0].sum(dim=(1, 2, 3))
    return {
        "patch_size": TOKENS["patch_size"],
        "num_heads": TOKENS["num_heads"],
        "epsilon": model.encoder.norm.eps,
        "least_ink": ink.min().item(),
        "most_ink": ink.max().item(),
        "examples": [[label, [round(16 * pixel) for pixel in image.flatten().tolist()]] for label, image in examples()],
    }


def run() -> None:
    """Train it, round it, and write weights, still picture and record."""
    begin = time.perf_counter()
    model, losses, seconds = train(SEED, TOKENS["steps"])
    images, labels = digits.handwritten("test")
    before = accuracy(model, images, labels)
    weights.write(PATH, model, header(model))
    model.load_state_dict(weights.read(PATH))  # from here on rounded, as the page has it
    about = {
        "parameters": parameter_count(model),
        "first_loss": losses[0],
        "last_loss": sum(losses[-50:]) / 50,
        "training_seconds": seconds,
    }
    records: list[Record] = [{"measure": "weights", "model": "vit", **about, **weights.sizes(PATH, model)}]
    records.append({"measure": "accuracy", "accuracy_before_rounding": before})
    steps = range(-MOST_MOVED, MOST_MOVED + 1)
    for down in steps:
        for right in steps:
            right_answers = accuracy(model, moved(images, down, right), labels)
            records.append({"measure": "moved", "down": down, "right": right, "accuracy": right_answers})
    neighbors, others = neighbors_alike(model)
    records.append({"measure": "positions", "cosine_of_neighbors": neighbors, "cosine_of_others": others})
    files.replace(STILLS / "vit.json", json.dumps(still(model)) + "\n")
    write(
        "vit_living",
        "The model of the living figure of chapter 08: test digits right where they stand, and moved by some pixels.",
        records,
        command="python -m benchmarks.living vit",
        settings=TOKENS,
        seconds=time.perf_counter() - begin,
        seeds=[SEED],
    )
