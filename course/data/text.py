"""Text for language models that comes with Python itself, strings that repeat, and counting as the baseline.

The text is the language reference that `help("for")` prints (`pydoc_data.topics`); it differs a little between Python's
patch releases, so what is measured on it is stated as inequalities. Everything that draws takes a seed and touches no
global one. Safe to change: new texts beside these. Not safe: the split, the vocabulary's order, or the order of draws
in a generator, since committed results and stored outputs rest on them.
"""

import random
from collections.abc import Iterator
from functools import cache
from pydoc_data.topics import topics

import numpy as np
import torch
from torch import Tensor

HELD_OUT = 0.1  # share of the characters that validate
LONGEST_HELD_OUT = 15_000  # a topic longer than this trains: one topic must not be all of the validation
UNKNOWN = "\ufffd"  # stands for every character that the training text does not have

# ---- Python's reference topics --------------------------------------------------------------------------------------


def paragraph_key(paragraph: str) -> str:
    """What makes two paragraphs the same: their words, whatever the white space between them."""
    return " ".join(paragraph.split())


@cache
def topic_paragraphs(repeats: bool = False) -> dict[str, tuple[str, ...]]:
    """The paragraphs of each topic, topics in the order of the alphabet; without the repeats unless asked for.

    A paragraph is what stands between empty lines. Of those that are the same (`paragraph_key`), the first stays.
    """
    seen: set[str] = set()
    kept: dict[str, tuple[str, ...]] = {}
    for name in sorted(topics):
        chosen = []
        for paragraph in topics[name].split("\n\n"):
            key = paragraph_key(paragraph)
            if key and (repeats or key not in seen):
                chosen.append(paragraph.strip("\n"))
            seen.add(key)
        if chosen:
            kept[name] = tuple(chosen)
    return kept


def repeated_share() -> float:
    """The share of the text's characters that stand in a paragraph which stood before, in this topic or another."""
    total, first = (
        sum(len(p) for paragraphs in topic_paragraphs(repeats).values() for p in paragraphs)
        for repeats in (True, False)
    )
    return 1 - first / total


@cache
def reference_text(repeats: bool = False) -> tuple[str, str]:
    """The training text and the validation text: whole topics, drawn at random, about a tenth of them to validate.

    With repeats=True the text is as it comes, and a paragraph of the one may stand in the other too.
    """
    texts = {name: "\n\n".join(paragraphs) for name, paragraphs in topic_paragraphs(repeats).items()}
    names = list(texts)
    random.Random(0).shuffle(names)
    wanted = HELD_OUT * sum(map(len, texts.values()))
    training, validation, count = [], [], 0
    for name in names:
        if count < wanted and len(texts[name]) < LONGEST_HELD_OUT:
            validation.append(texts[name])
            count += len(texts[name])
        else:
            training.append(texts[name])
    return "\n\n\n".join(training), "\n\n\n".join(validation)


class Characters:
    """The characters of a training text and their ids, sorted; id 0 is UNKNOWN, for every other character."""

    def __init__(self, training: str):
        self.characters = [UNKNOWN, *sorted(set(training) - {UNKNOWN})]
        self._ids = {character: i for i, character in enumerate(self.characters)}

    def __len__(self) -> int:
        return len(self.characters)

    def encode(self, text: str) -> Tensor:
        """The ids of a text, (length,) int64."""
        return torch.tensor([self._ids.get(character, 0) for character in text], dtype=torch.int64)

    def decode(self, ids: Tensor) -> str:
        """The text of ids (length,)."""
        return "".join(self.characters[i] for i in ids.tolist())


def random_windows(ids: Tensor, length: int, batch_size: int, seed: int) -> Iterator[Tensor]:
    """Windows (batch_size, length + 1) of a text's ids (N,), drawn evenly and without end.

    Raises ValueError where the text is too short for one.
    """
    starts = len(ids) - length
    if starts < 1:
        raise ValueError(f"need at least {length + 1} ids for windows of {length + 1}, got {len(ids)}")
    generator = torch.Generator().manual_seed(seed)
    offsets = torch.arange(length + 1)
    while True:
        first = torch.randint(starts, (batch_size, 1), generator=generator)
        yield ids[first + offsets]


# ---- counting -------------------------------------------------------------------------------------------------------


def ngram_bits(training: Tensor, validation: Tensor, vocab_size: int, order: int) -> list[float]:
    """Bits per character of interpolated n-gram models of the orders 1 to `order`, on the validation ids (N,).

    An n-gram model looks at the n - 1 characters before. After a context h that was followed c(h) times, by u(h)
    different characters, the estimate of order n is (c(h, x) + u(h) p_{n-1}(x)) / (c(h) + u(h)), where p_{n-1} is that
    of the order below and p_0 is uniform (method C of Witten and Bell, 1991). All orders are scored on the same
    characters: those with order - 1 before them.
    Raises ValueError where contexts are too many to number in 64 bits, or the validation is too short.
    """
    if vocab_size**order >= 2**63 or len(validation) < order:
        raise ValueError(f"cannot count order {order} over {vocab_size} characters and {len(validation)} to score")
    seen, scored = training.numpy(), validation.numpy()
    probability = np.full(len(scored) - order + 1, 1 / vocab_size)
    bits = []
    for n in range(1, order + 1):
        grams, contexts = _numbered(seen, vocab_size, n), _numbered(scored, vocab_size, n)[order - n :]
        kinds, counts = np.unique(grams, return_counts=True)
        heads, first = np.unique(kinds // vocab_size, return_index=True)  # kinds are sorted, so are their contexts
        totals, followers = np.add.reduceat(counts, first), np.diff(np.append(first, len(kinds)))
        head = np.minimum(np.searchsorted(heads, contexts // vocab_size), len(heads) - 1)
        met_before = heads[head] == contexts // vocab_size
        gram = np.minimum(np.searchsorted(kinds, contexts), len(kinds) - 1)
        count = np.where(kinds[gram] == contexts, counts[gram], 0)
        mixed = (count + followers[head] * probability) / (totals[head] + followers[head])
        probability = np.where(met_before, mixed, probability)
        bits.append(float(-np.log2(probability).mean()))
    return bits


def _numbered(ids: np.ndarray, vocab_size: int, n: int) -> np.ndarray:
    """Every run of n ids as one number, (len(ids) - n + 1,): its ids are the number's digits, the last one lowest."""
    runs = np.zeros(len(ids) - n + 1, dtype=np.int64)
    for place in range(n):
        runs = runs * vocab_size + ids[place : len(ids) - n + 1 + place]
    return runs


# ---- strings that repeat --------------------------------------------------------------------------------------------


def repeating_strings(
    count: int, length: int, num_symbols: int, shortest: int, longest: int, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Strings that repeat with a period: ids (count, length) and each one's period (count,), both int64.

    Each period is drawn evenly from shortest to longest, and its symbols are that many different ones out of
    num_symbols, in a random order. From place `period` on, each next symbol can be known from what came before.
    Raises ValueError where a period would not fit or needs more symbols than there are.
    """
    if not 1 <= shortest <= longest <= min(length, num_symbols):
        raise ValueError(
            f"need 1 <= shortest <= longest <= length and num_symbols, got periods {shortest} to {longest}, "
            f"length {length}, {num_symbols} symbols"
        )
    periods = torch.randint(shortest, longest + 1, (count,), generator=generator)
    symbols = torch.rand(count, num_symbols, generator=generator).argsort(dim=1)
    return symbols.gather(1, torch.arange(length) % periods.unsqueeze(1)), periods
