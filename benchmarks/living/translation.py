"""Numbers in words, by one vector and by attention: the living figure of chapters 01 and 02.

Both are trained as their chapters' stored results are, with the first of their seeds: chapter 01's model for 2,400
steps (`seq2seq_numbers`), chapter 02's with the additive score for 400 (`bahdanau_numbers`), on the same sentences in
the same order.
"""

import json
import time
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks.experiments import Record, Settings, parameter_count
from benchmarks.experiments.bahdanau import ATTENTION, ATTENTION_STEPS, AttentionTranslator
from benchmarks.experiments.seq2seq import (
    NUMBERS,
    NUMBERS_STEPS,
    NUMBERS_TESTED,
    NUMBERS_TRAINED,
    TESTED_EACH,
    greedy_accuracy,
    loss_of,
    vector_model,
)
from benchmarks.living import STATIC, STILLS, weights
from benchmarks.record import write
from course import data, files
from course.training import fit
from solutions.seq2seq import greedy_decode

SEED = 0
# How each is trained; the sizes are the same.
SETTINGS: dict[str, Settings] = {
    "vector": {**NUMBERS, "steps": NUMBERS_STEPS},
    "attention": {**ATTENTION, "steps": ATTENTION_STEPS},
}
# What the still picture shows: short enough for both, and long enough that one of them fails.
SHOWN = ((321,), (321, 47, 508, 96))
# The longest translation of eight numbers has 47 words and an end: a model that does not end is stopped there.
MOST_WORDS = 48


def model_of(name: str) -> nn.Module:
    """A new model: chapter 01's for "vector", chapter 02's for "attention"."""
    source, target = data.numbers_vocabularies()
    sizes = (SETTINGS[name]["embedding_size"], SETTINGS[name]["hidden_size"])
    if name == "vector":
        return vector_model(source, target, *sizes)
    return AttentionTranslator("additive", len(source), len(target), *sizes)


def from_file(name: str) -> nn.Module:
    """The trained model with the weights of its committed file: what the page computes with."""
    model = model_of(name)
    model.load_state_dict(weights.read(STATIC / f"translation-{name}.js"))
    return model.eval()


def train(name: str, seed: int, steps: int | None = None) -> tuple[nn.Module, list[float], float]:
    """The model after its training, of `steps` steps or as many as its chapter's; each step's loss; the seconds."""
    settings = SETTINGS[name]
    source, target = data.numbers_vocabularies()
    torch.manual_seed(seed)
    model = model_of(name)
    examples = data.numbers_in_words(settings["sentences"], 1, NUMBERS_TRAINED, seed=1_000 + seed)
    stream = data.batches(examples, source, target, settings["batch_size"], seed)
    start = time.perf_counter()
    losses = fit(model, loss_of(model), stream, steps or settings["steps"], settings["learning_rate"], label=name)
    return model, losses, time.perf_counter() - start


def accuracy(model: nn.Module) -> dict[int, tuple[float, float]]:
    """(symbol accuracy, exact match) by the count of numbers in a sentence, in new sentences."""
    source, target = data.numbers_vocabularies()
    tests = {k: data.numbers_in_words(TESTED_EACH, k, k, seed=9_000 + k) for k in range(1, NUMBERS_TESTED + 1)}
    return {k: greedy_accuracy(model, data.collate(test, source, target)) for k, test in tests.items()}


@torch.no_grad()
def translated(model: nn.Module, numbers: tuple[int, ...]) -> tuple[list[str], Tensor | None]:
    """What a model writes for one sentence without its end token, and each word's attention weights (T, S), or None."""
    source, target = data.numbers_vocabularies()
    example = data.numbers_sentence(numbers)
    batch = data.collate([example], source, target)
    state = model.start(batch.source, batch.source_lengths)
    ids = greedy_decode(model.step, state, data.BOS_ID, data.EOS_ID, MOST_WORDS)
    words = target.decode(ids[0])
    if not isinstance(model, AttentionTranslator):
        return words, None
    return words, model.look(batch.source, batch.source_lengths, ids)[1][0, : len(words)]


def still(models: dict[str, nn.Module]) -> dict[str, Any]:
    """What the page shows without a script: a few sentences, both translations, and the weights of one of them."""
    sentences = []
    for numbers in SHOWN:
        example = data.numbers_sentence(numbers)
        sentence: dict[str, Any] = {"numbers": numbers, "source": example.source, "target": example.target}
        for name, model in models.items():
            words, looks = translated(model, numbers)
            sentence[name] = {"words": words}
            if looks is not None:
                sentence[name]["weights"] = [[round(weight, 4) for weight in row] for row in looks.tolist()]
        sentences.append(sentence)
    return {"seed": SEED, "trained_k": [1, NUMBERS_TRAINED], "sentences": sentences}


def header() -> dict[str, Any]:
    """What the page needs beside the numbers: vocabularies, reserved ids, and where training ended."""
    source, target = data.numbers_vocabularies()
    return {
        "source": source.tokens,
        "target": target.tokens,
        "bos": data.BOS_ID,
        "eos": data.EOS_ID,
        "most_words": MOST_WORDS,
    }


def run() -> None:
    """Train both, round them, and write weights, still picture and record."""
    begin = time.perf_counter()
    models: dict[str, nn.Module] = {}
    records: list[Record] = []
    for name in SETTINGS:
        model, losses, seconds = train(name, SEED)
        before = accuracy(model)
        path = STATIC / f"translation-{name}.js"
        weights.write(path, model, header())
        model.load_state_dict(weights.read(path))  # from here on rounded, as the page has it
        after = accuracy(model)
        records.append(
            {
                "measure": "weights",
                "model": name,
                "parameters": parameter_count(model),
                "first_loss": losses[0],
                "last_loss": sum(losses[-50:]) / 50,
                "training_seconds": seconds,
                **weights.sizes(path, model),
            }
        )
        for k, (symbols, exact) in after.items():
            measured = {"symbols": symbols, "exact": exact, "exact_before_rounding": before[k][1]}
            records.append({"measure": "accuracy", "model": name, "k": k, **measured})
        models[name] = model
    files.replace(STILLS / "translation.json", json.dumps(still(models), ensure_ascii=False) + "\n")
    write(
        "bahdanau_living",
        "The models of the living figures of chapters 01 and 02: one vector and attention, by how many numbers.",
        records,
        command="python -m benchmarks.living translation",
        settings={**SETTINGS, "trained_k": [1, NUMBERS_TRAINED], "tested_each": TESTED_EACH},
        seconds=time.perf_counter() - begin,
        seeds=[SEED],
    )
