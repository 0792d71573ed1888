"""The residual stream of a translation: the Transformer of chapter 06, on numbers that a reader types.

Trained as its stored results are (`transformer_numbers`), with the first of their seeds: the model of section 6.7.
"""

import json
import time
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from benchmarks.experiments import Record, parameter_count
from benchmarks.experiments.bahdanau import ATTENTION_STEPS
from benchmarks.experiments.seq2seq import NUMBERS_TRAINED, TESTED_EACH, greedy_accuracy, loss_of
from benchmarks.experiments.transformer import NUMBERS, numbers_model
from benchmarks.living import STATIC, STILLS, weights
from benchmarks.record import write
from course import data, files
from course.training import fit
from course.watch import watch_attention
from solutions.seq2seq import greedy_decode
from solutions.transformer import Transformer

SEED = 0
PATH = STATIC / "stream.js"
SHOWN, ASKED = 321, 2  # the still picture: drei hundert EIN und zwanzig, where German turns the order round
MOST_WORDS = 48  # the longest translation of eight numbers has 47 words and an end
PARTS = ("self-attention", "cross-attention", "network")  # of a layer, in their order


@dataclass
class Stage:
    """What one part read and added at one place, and what the stream would say after it."""

    part: str
    layer: int | None  # None for the word and its position
    added: Tensor  # (D,)
    stream: Tensor  # (D,), with what it added
    weights: Tensor | None  # (T or S,), the mean of the heads, or None where a part reads its own stream alone
    probabilities: Tensor  # (V,): the last norm and the output layer, on the stream as it is here


def new_model() -> Transformer:
    return numbers_model(*data.numbers_vocabularies())


def from_file() -> Transformer:
    """The trained model with the weights of its committed file: what the page computes with."""
    model = new_model()
    model.load_state_dict(weights.read(PATH))
    return model.eval()


def train(seed: int, steps: int) -> tuple[Transformer, list[float], float]:
    """The model after its training, each step's loss, and the seconds."""
    source, target = data.numbers_vocabularies()
    torch.manual_seed(seed)
    model = new_model()
    examples = data.numbers_in_words(NUMBERS["sentences"], 1, NUMBERS_TRAINED, seed=1_000 + seed)
    stream = data.batches(examples, source, target, NUMBERS["batch_size"], seed)
    start = time.perf_counter()
    losses = fit(model, loss_of(model), stream, steps, NUMBERS["learning_rate"], label="Transformer")
    return model.eval(), losses, time.perf_counter() - start


def accuracy(model: Transformer) -> dict[int, float]:
    """Whole sentences right by the count of numbers in them, in new sentences."""
    source, target = data.numbers_vocabularies()
    exact = {}
    for k in range(1, NUMBERS_TRAINED + 1):
        test = data.collate(data.numbers_in_words(TESTED_EACH, k, k, seed=9_000 + k), source, target)
        exact[k] = greedy_accuracy(model, test)[1]
    return exact


@torch.no_grad()
def written(model: Transformer, numbers: tuple[int, ...]) -> Tensor:
    """What the model writes, ids (T,) with the end token where it wrote one."""
    batch = data.collate([data.numbers_sentence(numbers)], *data.numbers_vocabularies())
    state = model.start(batch.source, batch.source_lengths)
    return greedy_decode(model.step, state, data.BOS_ID, data.EOS_ID, MOST_WORDS)[0]


@torch.no_grad()
def stages(model: Transformer, numbers: tuple[int, ...], ids: Tensor) -> list[list[Stage]]:
    """For each of the words `ids` (T,) that were written: the stages of the decoder's stream where it is written."""
    batch = data.collate([data.numbers_sentence(numbers)], *data.numbers_vocabularies())
    entered: list[Tensor] = []
    added: dict[str, Tensor] = {}

    def note(name: str):
        def hook(module: torch.nn.Module, inputs: tuple, output: Any) -> None:
            added[name] = (output[0] if isinstance(output, tuple) else output)[0]  # (T, D)

        return hook

    layers = model.decoder.layers
    hooks = [layers[0].register_forward_pre_hook(lambda _, inputs: entered.append(inputs[0][0]))]
    for i, layer in enumerate(layers):
        parts: list[Any] = [layer.self_attention, layer.cross_attention, layer.feed_forward]
        hooks += [module.register_forward_hook(note(f"{i} {part}")) for part, module in zip(PARTS, parts, strict=True)]
    with watch_attention(model) as seen:
        model(batch.source, batch.source_lengths, ids.unsqueeze(0))
    for handle in hooks:
        handle.remove()

    def said(stream: Tensor) -> Tensor:
        return model.output(model.decoder.norm(stream)).softmax(dim=0)

    made = []
    for t in range(len(ids)):
        x = entered[0][t]
        of_word = [Stage("word and position", None, x, x, None, said(x))]
        for i in range(len(layers)):
            for part in PARTS:
                x = x + added[f"{i} {part}"][t]
                looks = None
                if part != "network":
                    heads = seen[f"decoder.layers.{i}.{part.replace('-', '_')}"][0, :, t]  # (H, T or S)
                    looks = heads.mean(dim=0)[: t + 1] if part == "self-attention" else heads.mean(dim=0)
                of_word.append(Stage(part, i, added[f"{i} {part}"][t], x, looks, said(x)))
        made.append(of_word)
    return made


def still(model: Transformer) -> dict[str, Any]:
    """What the page shows without a script: one number, and what happens to the stream of one of its German words."""
    _, target = data.numbers_vocabularies()
    ids = written(model, (SHOWN,))
    rows = []
    for stage in stages(model, (SHOWN,), ids)[ASKED]:
        best = int(stage.probabilities.argmax())
        rows.append(
            {
                "part": stage.part,
                "layer": stage.layer,
                "added": round(stage.added.norm().item(), 6),
                "weights": None if stage.weights is None else [round(w, 6) for w in stage.weights.tolist()],
                "says": target.tokens[best],
                "share": round(stage.probabilities[best].item(), 6),
            }
        )
    return {
        "number": SHOWN,
        "asked": ASKED,
        "source": [*data.numbers_sentence((SHOWN,)).source, "end"],
        "words": target.decode(ids),
        "rows": rows,
    }


def first_right(model: Transformer) -> list[Record]:
    """After which part the stream says the word that is written, and goes on saying it, over all numbers to 999."""
    names = [f"layer {i} {part}" for i in range(NUMBERS["num_layers"]) for part in PARTS]
    names = ["word and position", *names]
    counts, words = dict.fromkeys(names, 0), 0
    for number in range(1, data.LARGEST_NUMBER + 1):
        ids = written(model, (number,))
        for word, of_word in zip(ids.tolist(), stages(model, (number,), ids), strict=True):
            says = [int(stage.probabilities.argmax()) == word for stage in of_word]
            settled = len(says) - next((i for i, fits in enumerate(reversed(says)) if not fits), len(says))
            counts[names[settled]] += 1
            words += 1
    return [
        {"measure": "settled", "after": name, "words": count, "share": count / words} for name, count in counts.items()
    ]


def header(model: Transformer) -> dict[str, Any]:
    """What the page needs beside the numbers: vocabularies, reserved ids, sizes."""
    source, target = data.numbers_vocabularies()
    return {
        "source": source.tokens,
        "target": target.tokens,
        "bos": data.BOS_ID,
        "eos": data.EOS_ID,
        "most_words": MOST_WORDS,
        "num_heads": NUMBERS["num_heads"],
        "epsilon": model.decoder.norm.eps,
    }


def run() -> None:
    """Train it, round it, and write weights, still picture and record."""
    begin = time.perf_counter()
    model, losses, seconds = train(SEED, ATTENTION_STEPS)
    before = accuracy(model)
    weights.write(PATH, model, header(model))
    model.load_state_dict(weights.read(PATH))  # from here on rounded, as the page has it
    about = {
        "parameters": parameter_count(model),
        "first_loss": losses[0],
        "last_loss": sum(losses[-50:]) / 50,
        "training_seconds": seconds,
    }
    records: list[Record] = [{"measure": "weights", "model": "stream", **about, **weights.sizes(PATH, model)}]
    for k, exact in accuracy(model).items():
        records.append({"measure": "accuracy", "k": k, "exact": exact, "exact_before_rounding": before[k]})
    records += first_right(model)
    files.replace(STILLS / "stream.json", json.dumps(still(model), ensure_ascii=False) + "\n")
    write(
        "transformer_living",
        "The model of the living figure of chapter 06: numbers by a Transformer, and when a word is settled.",
        records,
        command="python -m benchmarks.living stream",
        settings={**NUMBERS, "steps": ATTENTION_STEPS, "trained_k": [1, NUMBERS_TRAINED], "tested_each": TESTED_EACH},
        seconds=time.perf_counter() - begin,
        seeds=[SEED],
    )
