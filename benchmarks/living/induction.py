"""An induction head, live: chapter 07's two layers of attention on a string that a reader types.

Trained as its stored results are (`language_model_recall`), with the first of their seeds: the first row "kept seed" of
the table in section 7.6.
"""

import json
import time
from typing import Any

import torch
from torch import Tensor

from benchmarks.experiments import Record
from benchmarks.experiments.language_model import (
    RECALL,
    AttentionReader,
    looks,
    recall_accuracy,
    recall_model,
    recall_strings,
    trained,
)
from benchmarks.living import STATIC, STILLS, weights
from benchmarks.record import write
from course import files
from course.data.text import repeating_strings
from course.watch import watch_attention
from solutions.dot_product import causal_mask

SEED, KIND = 0, "two layers"
PATH = STATIC / "induction.js"
SYMBOLS = "abcdefghijklmnop"
PERIOD, ASKED = 7, 17  # of the still picture: how its string repeats, and the place that is looked from
# Where layer 0 may look, by the words of the figure's buttons.
EVERYWHERE, ONLY = "everywhere", "only at the place before"
FORBIDDEN = {"not at the place before": 1, "not at the place two before": 2}
LOOKS = (EVERYWHERE, *FORBIDDEN, ONLY)


def from_file() -> AttentionReader:
    """The trained model with the weights of its committed file: what the page computes with."""
    model = recall_model(KIND)
    assert isinstance(model, AttentionReader)
    model.load_state_dict(weights.read(PATH))
    return model.eval()


def layer_0_mask(look: str, length: int) -> Tensor:
    """Where layer 0 may look, (length, length). The first place has none before it, and keeps itself."""
    causal = causal_mask(length)
    distance = torch.arange(length).unsqueeze(1) - torch.arange(length)
    first = torch.zeros_like(causal)
    first[0, 0] = True
    if look == EVERYWHERE:
        return causal
    return ((distance == 1) if look == ONLY else causal & (distance != FORBIDDEN[look])) | first


@torch.no_grad()
def read(model: AttentionReader, tokens: Tensor, look: str = EVERYWHERE) -> tuple[Tensor, Tensor]:
    """One string (T,): the logits (T, V) of what follows each place, and each layer's weights (L, T, T)."""
    with watch_attention(model) as seen:
        logits = model(tokens.unsqueeze(0), layer_0_mask(look, len(tokens)))[0]
    return logits, torch.stack([seen[f"attentions.{i}"][0, 0] for i in range(len(model.attentions))])


def example() -> Tensor:
    """The string of the still picture, (T,): the first of the tested ones with its period."""
    shortest, longest = RECALL["periods"]
    generator = torch.Generator().manual_seed(77)
    tokens, periods = repeating_strings(400, RECALL["length"], RECALL["num_symbols"], shortest, longest, generator)
    return tokens[int((periods == PERIOD).nonzero()[0])]


def still(model: AttentionReader) -> dict[str, Any]:
    """What the page shows without a script: one string, what is expected at each place, where one place looks."""
    tokens = example()
    logits, attention = read(model, tokens)
    shares, expected = logits.softmax(dim=1).max(dim=1)
    return {
        "text": "".join(SYMBOLS[i] for i in tokens),
        "asked": ASKED,
        "expected": [
            [SYMBOLS[i], round(share, 6)] for i, share in zip(expected.tolist(), shares.tolist(), strict=True)
        ],
        "weights": [[round(weight, 6) for weight in layer[ASKED].tolist()] for layer in attention],
    }


def measured(model: AttentionReader) -> list[Record]:
    """Symbols right on the tested strings, by where layer 0 may look."""
    shortest, longest = RECALL["periods"]
    mask = {look: layer_0_mask(look, RECALL["length"] - 1) for look in LOOKS}
    return [
        {"measure": "look", "layer_0": look, "accuracy": recall_accuracy(model, shortest, longest, mask[look])}
        for look in LOOKS
    ]


def run() -> None:
    """Train it, round it, and write weights, still picture and record."""
    begin = time.perf_counter()
    torch.manual_seed(SEED)
    model = recall_model(KIND)
    assert isinstance(model, AttentionReader)
    shortest, longest = RECALL["periods"]
    strings = recall_strings(SEED, (shortest, longest))
    about = trained(model, strings, RECALL["steps"], RECALL["learning_rate"], KIND)
    before = recall_accuracy(model, shortest, longest)
    weights.write(PATH, model, {"symbols": SYMBOLS})
    model.load_state_dict(weights.read(PATH))  # from here on rounded, as the page has it
    records: list[Record] = [
        {"measure": "weights", "model": "induction", **about, **weights.sizes(PATH, model)},
        {"measure": "heads", **looks(model), "accuracy_before_rounding": before},
        *measured(model),
    ]
    files.replace(STILLS / "induction.json", json.dumps(still(model)) + "\n")
    write(
        "language_model_induction",
        "The model of the living induction head of chapter 07: symbols right where the string has repeated.",
        records,
        command="python -m benchmarks.living induction",
        settings=RECALL,
        seconds=time.perf_counter() - begin,
        seeds=[SEED],
    )
