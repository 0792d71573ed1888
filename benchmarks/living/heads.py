"""Heads to switch off: the model of chapter 05 that names hidden words, on sentences that a reader makes.

Trained as its stored results are (`multi_head_look`), with the first of their seeds: a model whose eight heads are
among the 24 of section 5.8's last figure.
"""

import copy
import itertools
import json
import time
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor

from benchmarks.experiments import Record, parameter_count
from benchmarks.experiments.multi_head import (
    LOOK,
    Counter,
    attention_of,
    attentions,
    counting_quality,
    mean_in_place_of,
    trained_counter,
)
from benchmarks.living import STATIC, STILLS, weights
from benchmarks.record import write
from course import files
from course.data import EOS_ID, LARGEST_NUMBER, PAD_ID, numbers_sentence
from course.data.counting import HIDDEN, NUMBERS, CountingBatch, counting_batch, counting_vocabulary
from course.watch import watch_attention
from solutions.multi_head import split_heads

SEED = 0
PATH = STATIC / "heads.js"
TESTED = 200  # sentences, the first of the chapter's test: what a page can answer again at every click
LAST_FIRST = LARGEST_NUMBER - NUMBERS + 1  # the largest number that a sentence can begin with
SHOWN = 41  # which of them the still picture shows: all four words right, and each of three heads is needed for another

Head = tuple[int, int]  # layer, head
HEADS: list[Head] = [(i, h) for i in range(LOOK["num_layers"]) for h in range(LOOK["num_heads"])]


def from_file() -> Counter:
    """The trained model with the weights of its committed file: what the page computes with."""
    model = Counter()
    model.load_state_dict(weights.read(PATH))
    return model.eval()


def tested(sentences: int = TESTED) -> CountingBatch:
    """The first of the chapter's test sentences."""
    batch = counting_batch(LOOK["tested"], torch.Generator().manual_seed(9_000), LOOK["hidden_share"])
    return CountingBatch(*(part[:sentences] for part in (batch.shown, batch.ids, batch.hidden, batch.mask)))


def firsts(batch: CountingBatch) -> list[int]:
    """The number that each sentence counts from."""
    words = counting_vocabulary()
    first_of = {numbers_sentence(range(n, n + NUMBERS)).source: n for n in range(1, LAST_FIRST + 1)}
    return [first_of[tuple(words.decode(ids))] for ids in batch.ids]


def one_sentence(first: int, places: Sequence[int]) -> CountingBatch:
    """One sentence, counting from a number, with some of its places hidden."""
    words = counting_vocabulary()
    ids = torch.tensor([words.encode(numbers_sentence(range(first, first + NUMBERS)).source)])
    hidden = torch.zeros_like(ids, dtype=torch.bool)
    hidden[0, list(places)] = True
    with_hidden = ids.masked_fill(hidden, words.encode([HIDDEN])[0])
    return CountingBatch(with_hidden, ids, hidden, (ids != PAD_ID).unsqueeze(1))


@torch.no_grad()
def means_of(model: Counter, batch: CountingBatch) -> list[list[list[float]]]:
    """What each head finds in the mean over all places, by layer and head: d numbers each, as the page has them."""
    made = []
    for attention, (entered, looks) in zip(attentions(model), attention_of(model, batch), strict=True):
        mixed = looks @ split_heads(attention.W_V(entered), LOOK["num_heads"])  # (B, H, T, d)
        mean = mixed.transpose(1, 2)[batch.mask[:, 0]].mean(dim=0)  # (H, d): over real places
        made.append([[round(number, 4) for number in head] for head in mean.tolist()])
    return made


def without(model: Counter, off: Iterable[Head], means: list[list[list[float]]] | None = None) -> Counter:
    """A copy whose heads in `off` add nothing, or where `means` are given, at every place what they add in the mean."""
    changed = copy.deepcopy(model)
    for i, head in off:
        attention = attentions(changed)[i]
        mean = torch.zeros(LOOK["d_model"] // LOOK["num_heads"]) if means is None else torch.tensor(means[i][head])
        changed.encoder.layers[i].self_attention = mean_in_place_of(attention, head, mean)
    return changed


def missed_least(model: Counter) -> list[Head]:
    """All heads, those first whose loss rises least when they alone are switched off, on other sentences."""
    other = counting_batch(LOOK["tested"], torch.Generator().manual_seed(9_001), LOOK["hidden_share"])
    lost = {head: counting_quality(without(model, [head]), other)["loss"] for head in HEADS}
    return sorted(HEADS, key=lost.__getitem__)


def groups(model: Counter) -> dict[str, list[Head]]:
    """Which heads the measured table switches off together, by the words of its rows."""
    return {
        "none": [],
        "all of layer 0": [head for head in HEADS if head[0] == 0],
        "all of layer 1": [head for head in HEADS if head[0] == 1],
        "the four that are missed least": sorted(missed_least(model)[: len(HEADS) // 2]),
        "all eight": HEADS,
    }


def name_of(heads: Iterable[Head]) -> str:
    """Some heads in words."""
    return " and ".join(f"head {h} of layer {i}" for i, h in heads)


def numbered(heads: Iterable[Head]) -> str:
    """Some heads in a record, each as layer.head: "0.1 1.3"."""
    return " ".join(f"{i}.{h}" for i, h in heads)


def measured(model: Counter, means: list[list[list[float]]]) -> list[Record]:
    """Hidden words right and loss without one head, two or several, with zeros or with means in their place."""
    batch, records = tested(), []
    alone: dict[str, list[Head]] = {name_of([head]): [head] for head in HEADS}
    pairs: dict[str, list[Head]] = {name_of(pair): list(pair) for pair in itertools.combinations(HEADS, 2)}
    for name, off in {**groups(model), **alone, **pairs}.items():
        for place, given in (("zeros", None), ("means", means)):
            quality = counting_quality(without(model, off, given), batch)
            record: Record = {"measure": "off", "name": name, "heads": numbered(off), "in_place": place}
            records.append(record | {"right": round(quality["accuracy"] * int(batch.hidden.sum())), **quality})
    return records


@torch.no_grad()
def answers(model: Counter, batch: CountingBatch) -> tuple[Tensor, list[Tensor]]:
    """The logits (B, T, V) and each layer's weights (B, H, T, T)."""
    with watch_attention(model) as seen:
        logits = model(batch)
    return logits, [seen[f"encoder.layers.{i}.self_attention"] for i in range(LOOK["num_layers"])]


def still(model: Counter) -> dict[str, Any]:
    """What the page shows without a script: one sentence, what is named, and where the heads look from one place."""
    words, batch = counting_vocabulary(), tested()
    first, places = firsts(batch)[SHOWN], batch.hidden[SHOWN].nonzero().flatten().tolist()
    one = one_sentence(first, places)
    logits, looks = answers(model, one)
    named = []
    for t in places:
        shares = logits[0, t].softmax(dim=0)
        named.append([t, words.tokens[int(shares.argmax())], round(shares.max().item(), 6)])
    asked = places[0]
    return {
        "first": first,
        "words": [*words.decode(one.ids[0]), "end"],
        "named": named,
        "asked": asked,
        "weights": [[[round(w, 6) for w in head] for head in layer[0, :, asked].tolist()] for layer in looks],
    }


def header(model: Counter, means: list[list[list[float]]]) -> dict[str, Any]:
    """What the page needs beside the numbers: words, sizes, means, and the tested sentences as number and places."""
    words, batch = counting_vocabulary(), tested()
    places = [row.nonzero().flatten().tolist() for row in batch.hidden]
    return {
        "tokens": words.tokens,
        "hidden_id": words.encode([HIDDEN])[0],
        "end_id": EOS_ID,
        "num_heads": LOOK["num_heads"],
        "epsilon": model.encoder.norm.eps,
        "last_first": LAST_FIRST,
        "hidden_share": LOOK["hidden_share"],
        "means": means,
        "tested": [[first, *hidden] for first, hidden in zip(firsts(batch), places, strict=True)],
    }


def run() -> None:
    """Train it, round it, and write weights, still picture and record."""
    begin = time.perf_counter()
    model, losses, seconds = trained_counter(SEED)
    model.eval()
    whole_test = tested(LOOK["tested"])
    before = counting_quality(model, whole_test)
    means = means_of(model, tested())
    weights.write(PATH, model, header(model, means))
    model.load_state_dict(weights.read(PATH))  # from here on rounded, as the page has it
    after, batch = counting_quality(model, whole_test), tested()
    about = {
        "parameters": parameter_count(model),
        "first_loss": losses[0],
        "last_loss": sum(losses[-50:]) / 50,
        "training_seconds": seconds,
    }
    records: list[Record] = [
        {"measure": "weights", "model": "heads", **about, **weights.sizes(PATH, model)},
        {
            "measure": "whole",
            **after,
            "accuracy_before_rounding": before["accuracy"],
            "hidden_words": int(batch.hidden.sum()),
        },
        *measured(model, means),
    ]
    files.replace(STILLS / "heads.json", json.dumps(still(model)) + "\n")
    write(
        "multi_head_living",
        "The model of the living figure of chapter 05: hidden words right with heads switched off.",
        records,
        command="python -m benchmarks.living heads",
        settings={**LOOK, "page_sentences": TESTED},
        seconds=time.perf_counter() - begin,
        seeds=[SEED],
    )
