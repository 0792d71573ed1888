"""The course's generated data: numbers in words (English to German), copying, vocabularies, padded batches.

Every function that draws takes a seed and uses a `random.Random` of its own; nothing here touches a global seed.
Safe to change: new tasks beside these. Not safe: the three reserved ids, the order of a vocabulary's tokens, or the
order of draws in a generator, since committed results and stored outputs rest on them.
"""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import torch
from num2words import num2words
from torch import Tensor

PAD_ID, BOS_ID, EOS_ID = 0, 1, 2
RESERVED = ("<pad>", "<s>", "</s>")
LARGEST_NUMBER = 999


@dataclass(frozen=True)
class Example:
    """One sentence pair. `alignment[t]` is the source position that target token t renders, -1 where there is none."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    alignment: tuple[int, ...]


class Vocabulary:
    """Tokens and their ids. The first three ids are reserved: padding 0, begin 1, end 2; the rest is sorted."""

    def __init__(self, tokens: Sequence[str]):
        self.tokens = [*RESERVED, *sorted(set(tokens) - set(RESERVED))]
        self._ids = {token: i for i, token in enumerate(self.tokens)}

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, tokens: Sequence[str]) -> list[int]:
        """Ids of the tokens, with the end token's id appended. Raises ValueError for a token it does not hold."""
        unknown = [token for token in tokens if token not in self._ids]
        if unknown:
            raise ValueError(f"{unknown[0]!r} is not among the {len(self)} tokens of this vocabulary")
        return [self._ids[token] for token in tokens] + [EOS_ID]

    def decode(self, ids: Sequence[int] | Tensor) -> list[str]:
        """Tokens up to the first end token; padding is left out."""
        tokens = []
        for i in ids.tolist() if isinstance(ids, Tensor) else ids:
            if i == EOS_ID:
                break
            if i != PAD_ID:
                tokens.append(self.tokens[i])
        return tokens


# ---- numbers in words -----------------------------------------------------------------------------------------------

# fmt: off
_GERMAN_SMALL = [
    "null", "ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf",
    "dreizehn", "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn",
]
_GERMAN_TENS = ["zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"]
# fmt: on
# What each German morpheme is worth; "und" stands for no number of its own.
_GERMAN_VALUES: dict[str, int | None] = {
    **{word: value for value, word in enumerate(_GERMAN_SMALL)},
    **{word: 10 * tens for tens, word in enumerate(_GERMAN_TENS, start=2)},
    "eins": 1,
    "hundert": 100,
    "und": None,
}
_LONGEST_FIRST = sorted(_GERMAN_VALUES, key=len, reverse=True)


@cache
def _english_values() -> dict[str, int]:
    values = {num2words(n): n for n in (*range(20), *range(20, 100, 10))}
    return {**values, "hundred": 100}


def _split_german(word: str) -> list[str] | None:
    """The morphemes of a German number, longest first with a way back ('eins' before 'ein' may be a dead end)."""
    if not word:
        return []
    for morpheme in _LONGEST_FIRST:
        if word.startswith(morpheme):
            rest = _split_german(word[len(morpheme) :])
            if rest is not None:
                return [morpheme, *rest]
    return None


@cache
def number_in_words(number: int) -> Example:
    """One number from 1 to 999: `three hundred twenty one` to `drei hundert ein und zwanzig`, with its alignment.

    English leaves out "and"; German is cut into morphemes, and its units stand before its tens.
    """
    if not 1 <= number <= LARGEST_NUMBER:
        raise ValueError(f"number must be from 1 to {LARGEST_NUMBER}, got {number}")
    source = [word for word in re.split("[ -]", num2words(number)) if word != "and"]
    target = _split_german(num2words(number, lang="de"))
    assert target is not None, f"num2words' German for {number} has a morpheme this module does not know"

    free = list(range(len(source)))
    alignment = []
    for morpheme in target:
        value = _GERMAN_VALUES[morpheme]
        position = next((j for j in free if _english_values()[source[j]] == value), -1)
        if position >= 0:
            free.remove(position)
        alignment.append(position)
    return Example(tuple(source), tuple(target), tuple(alignment))


def numbers_sentence(numbers: Sequence[int]) -> Example:
    """Several numbers joined by commas, each comma aligned with its own."""
    source: list[str] = []
    target: list[str] = []
    alignment: list[int] = []
    for i, number in enumerate(numbers):
        if i:
            alignment.append(len(source))
            source.append(",")
            target.append(",")
        one = number_in_words(number)
        alignment += [j + len(source) if j >= 0 else -1 for j in one.alignment]
        source += one.source
        target += one.target
    return Example(tuple(source), tuple(target), tuple(alignment))


def numbers_in_words(count: int, fewest: int, most: int, seed: int) -> list[Example]:
    """`count` sentences of `fewest` to `most` numbers each, drawn evenly from 1 to 999."""
    if not 1 <= fewest <= most:
        raise ValueError(f"need 1 <= fewest <= most, got fewest={fewest}, most={most}")
    draw = random.Random(seed)
    return [
        numbers_sentence([draw.randint(1, LARGEST_NUMBER) for _ in range(draw.randint(fewest, most))])
        for _ in range(count)
    ]


@cache
def numbers_vocabularies() -> tuple[Vocabulary, Vocabulary]:
    """English and German vocabularies of the task: from its rules, not from any sample."""
    pairs = [number_in_words(n) for n in range(1, LARGEST_NUMBER + 1)]
    english = [token for pair in pairs for token in pair.source] + [","]
    german = [token for pair in pairs for token in pair.target] + [","]
    return Vocabulary(english), Vocabulary(german)


def german_kinds() -> dict[str, tuple[str, ...]]:
    """The German words of the task by kind; together they are its vocabulary without the reserved tokens."""
    below_ten = ("eins", *_GERMAN_SMALL[1:10])
    return {
        "one to nine": below_ten,
        "ten to nineteen": tuple(_GERMAN_SMALL[10:]),
        "tens": tuple(_GERMAN_TENS),
        "hundert": ("hundert",),
        "und": ("und",),
        "comma": (",",),
    }


# ---- copying --------------------------------------------------------------------------------------------------------


def copying(count: int, fewest: int, most: int, num_symbols: int, seed: int) -> list[Example]:
    """`count` strings of `fewest` to `most` random symbols, to be repeated as they are."""
    if not 1 <= fewest <= most or num_symbols < 1:
        raise ValueError(f"need 1 <= fewest <= most and num_symbols >= 1, got {fewest}, {most}, {num_symbols}")
    draw = random.Random(seed)
    examples = []
    for _ in range(count):
        length = draw.randint(fewest, most)
        symbols = tuple(symbol_name(draw.randrange(num_symbols)) for _ in range(length))
        examples.append(Example(symbols, symbols, tuple(range(length))))
    return examples


def symbol_name(i: int) -> str:
    """The name of copying's symbol i: two digits at least, so that names sort as their numbers do."""
    return f"{i:02d}"


def copying_vocabulary(num_symbols: int) -> Vocabulary:
    return Vocabulary([symbol_name(i) for i in range(num_symbols)])


# ---- batches --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Batch:
    """Padded ids. Both sides end with the end token; the target has no begin token (a model shifts by itself)."""

    source: Tensor  # (B, S) int64, PAD_ID after each sentence's end
    source_lengths: Tensor  # (B,) int64, end token counted
    targets: Tensor  # (B, T) int64, PAD_ID after each sentence's end
    target_lengths: Tensor  # (B,) int64, end token counted

    def to(self, device: torch.device | str) -> "Batch":
        return Batch(**{name: x.to(device) for name, x in vars(self).items()})


def pad(rows: Sequence[Sequence[int]], pad_id: int = PAD_ID) -> tuple[Tensor, Tensor]:
    """Rows of unequal length to (ids (B, longest), lengths (B,)), padded at the right."""
    if not rows:
        raise ValueError("cannot pad an empty list of rows")
    lengths = torch.tensor([len(row) for row in rows])
    ids = torch.full((len(rows), int(lengths.max())), pad_id)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = torch.tensor(row, dtype=torch.int64)
    return ids, lengths


def collate(examples: Sequence[Example], source: Vocabulary, target: Vocabulary) -> Batch:
    """One batch of the examples, in their order."""
    return Batch(
        *pad([source.encode(example.source) for example in examples]),
        *pad([target.encode(example.target) for example in examples]),
    )


def batches(
    examples: Sequence[Example], source: Vocabulary, target: Vocabulary, batch_size: int, seed: int
) -> Iterator[Batch]:
    """Batches without end, pass after pass over the examples, each pass in a new order.

    Sentences of like length are put together (sorted within pools of 20 batches, then the batches are shuffled): less
    padding, about the same randomness. The last batch of a pass may be smaller.
    """
    if not examples or batch_size < 1:
        raise ValueError(f"need examples and batch_size >= 1, got {len(examples)} examples and {batch_size}")
    draw = random.Random(seed)
    pool = 20 * batch_size
    while True:
        order = list(range(len(examples)))
        draw.shuffle(order)
        groups = []
        for start in range(0, len(order), pool):
            like = sorted(order[start : start + pool], key=lambda i: len(examples[i].target))
            groups += [like[i : i + batch_size] for i in range(0, len(like), batch_size)]
        draw.shuffle(groups)
        for group in groups:
            yield collate([examples[i] for i in group], source, target)


def translation_accuracy(predicted: Tensor, targets: Tensor, pad_id: int = PAD_ID) -> tuple[float, float]:
    """(symbol accuracy, exact match) of decoded tokens `predicted` (B, T') against `targets` (B, T).

    A symbol is right when it stands at its own place; the end token counts, padding does not. A sentence is right when
    all its symbols are, the end token among them. `predicted` may be shorter or longer than `targets`.
    """
    if predicted.ndim != 2 or targets.ndim != 2 or len(predicted) != len(targets):
        raise ValueError(f"need (B, T') and (B, T), got {tuple(predicted.shape)} and {tuple(targets.shape)}")
    length = targets.shape[1]
    fitted = torch.full_like(targets, -1)
    fitted[:, : predicted.shape[1]] = predicted[:, :length]
    real = targets != pad_id
    right = (fitted == targets) & real
    return (right.sum() / real.sum()).item(), (right | ~real).all(dim=1).double().mean().item()
