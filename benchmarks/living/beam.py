"""Beam search unfolding: the trained Transformer of the residual stream's figure, searched with a beam.

Nothing is trained and no weights are written: the page takes those of `benchmarks.living.stream`.
"""

import json
import time
from dataclasses import dataclass
from typing import Any

import torch

from benchmarks.experiments import Record
from benchmarks.experiments.seq2seq import NUMBERS_TRAINED
from benchmarks.living import STILLS, stream
from benchmarks.record import write
from course import data, files
from solutions.transformer import Transformer, beam_search

DROPPED = 2  # of what each step drops, so many are shown
WIDTHS, TESTED = (1, 2, 5), 200  # measured: these beams, on so many sentences
PENALTIES = (0.0, 1.0)  # the score is the sum of the log-probabilities, or their mean
# What the page offers. Greedy decoding misses the first; a beam of 2 drops the last number of the second, which the
# mean brings back; the mean adds a ten to the third's last number. Found among drawn sentences of three numbers.
SENTENCES = ((4, 5, 13), (20, 10, 16), (90, 20, 4))
SHOWN, WIDTH = SENTENCES[0], 2  # the still picture: its last step


@dataclass
class Hypothesis:
    """A beginning of a sentence that competes at one step of the search."""

    tokens: list[int]
    total: float  # the sum of its tokens' log-probabilities
    score: float
    parent: int  # the place of what it extends, or stays, among those kept at the step before
    kept: bool = True


def started(model: Transformer, numbers: tuple[int, ...]) -> Any:
    """The state from which a sentence is written."""
    batch = data.collate([data.numbers_sentence(numbers)], *data.numbers_vocabularies())
    return model.start(batch.source, batch.source_lengths)


@torch.no_grad()
def searched(model: Transformer, numbers: tuple[int, ...], width: int, penalty: float) -> tuple[list[int], float]:
    """What the chapter's beam search writes, with its score."""
    state = started(model, numbers)
    tokens, score = beam_search(model.step, state, data.BOS_ID, data.EOS_ID, width, stream.MOST_WORDS, penalty)
    return tokens.tolist(), score


@torch.no_grad()
def unfolded(model: Transformer, numbers: tuple[int, ...], width: int, penalty: float) -> list[list[Hypothesis]]:
    """The same search, with what it kept at each step, best first, and the first DROPPED that it did not keep."""
    state, kept = started(model, numbers), [Hypothesis([], 0.0, 0.0, 0)]
    steps: list[list[Hypothesis]] = []
    while len(steps) < stream.MOST_WORDS:
        going = [place for place, one in enumerate(kept) if one.tokens[-1:] != [data.EOS_ID]]
        if not going:
            break
        last = torch.tensor([kept[place].tokens[-1] if kept[place].tokens else data.BOS_ID for place in going])
        logits, state = model.step(last, state)
        candidates = [
            Hypothesis(one.tokens, one.total, one.score, place) for place, one in enumerate(kept) if place not in going
        ]
        for place, shares in zip(going, logits.log_softmax(dim=1), strict=True):
            highest, tokens = shares.topk(width + DROPPED)
            for more, token in zip(highest.tolist(), tokens.tolist(), strict=True):
                tokens_now, total = [*kept[place].tokens, token], kept[place].total + more
                candidates.append(Hypothesis(tokens_now, total, total / len(tokens_now) ** penalty, place))
        candidates = sorted(candidates, key=lambda one: one.score, reverse=True)[: width + DROPPED]
        for one in candidates[width:]:
            one.kept = False
        steps.append(candidates)
        rows = [going.index(one.parent) for one in candidates[:width] if one.tokens[-1] != data.EOS_ID]
        state = tuple(part[rows] for part in state)
        kept = candidates[:width]
    return steps


def still(model: Transformer) -> dict[str, Any]:
    """What the page shows without a script: one sentence, all steps of its search, and what greedy decoding writes."""
    _, target = data.numbers_vocabularies()

    def as_json(one: Hypothesis) -> dict[str, Any]:
        words = target.decode(one.tokens) + ["end"] * (one.tokens[-1] == data.EOS_ID)
        numbers = {"total": round(one.total, 6), "score": round(one.score, 6)}
        return {"words": words, **numbers, "parent": one.parent, "kept": one.kept}

    sentence = data.numbers_sentence(SHOWN)
    return {
        "numbers": SHOWN,
        "sentences": SENTENCES,
        "width": WIDTH,
        "source": [*sentence.source, "end"],
        "target": list(sentence.target),
        "greedy": target.decode(searched(model, SHOWN, 1, 0.0)[0]),
        "steps": [[as_json(one) for one in step] for step in unfolded(model, SHOWN, WIDTH, 0.0)],
    }


def measured(model: Transformer) -> list[Record]:
    """New sentences of as many numbers as the longest of training: how many are right by each beam and score."""
    _, target = data.numbers_vocabularies()
    tested = data.numbers_in_words(TESTED, NUMBERS_TRAINED, NUMBERS_TRAINED, seed=9_000 + NUMBERS_TRAINED)
    records: list[Record] = []
    for width in WIDTHS:
        for penalty in PENALTIES if width > 1 else PENALTIES[:1]:  # greedy decoding compares no lengths
            right = shorter = longer = 0
            for example in tested:
                batch = data.collate([example], *data.numbers_vocabularies())
                state = model.start(batch.source, batch.source_lengths)
                tokens, _ = beam_search(model.step, state, data.BOS_ID, data.EOS_ID, width, stream.MOST_WORDS, penalty)
                words = target.decode(tokens)
                right += words == list(example.target)
                shorter += len(words) < len(example.target)
                longer += len(words) > len(example.target)
            counts = {"right": right, "too_short": shorter, "too_long": longer, "of": len(tested)}
            records.append({"measure": "beam", "width": width, "length_penalty": penalty, **counts})
    return records


def run() -> None:
    """Search with every beam, and write still picture and record."""
    begin, model = time.perf_counter(), stream.from_file()
    files.replace(STILLS / "beam.json", json.dumps(still(model), ensure_ascii=False) + "\n")
    write(
        "transformer_beam",
        "Beam search over the model of chapter 06's living figures: sentences of six numbers right by width and score.",
        measured(model),
        command="python -m benchmarks.living beam",
        settings={"numbers": NUMBERS_TRAINED, "sentences": TESTED, "most_words": stream.MOST_WORDS},
        seconds=time.perf_counter() - begin,
        seeds=[stream.SEED],
    )
