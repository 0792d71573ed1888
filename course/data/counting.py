"""Counting in words, with some of the words hidden: a small task that needs looking around, for chapter 05.

A sentence counts four numbers on, `ninety eight , ninety nine , one hundred , one hundred one`; some of its words are
replaced by HIDDEN and are to be named. Almost always the others determine them: the words beside, the commas, and the
same place in the number before or after. Safe to change: nothing that is drawn, since committed results rest on it.
"""

from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

from course.data import EOS_ID, LARGEST_NUMBER, PAD_ID, Vocabulary, numbers_sentence, numbers_vocabularies, pad

HIDDEN, COMMA = "[hidden]", ","
NUMBERS = 4  # in each sentence
KINDS_OF_PLACE = ("itself", "word before", "word after", "rest of its number", "a comma", "the end", "a number before",
                  "a number after")  # fmt: skip


@cache
def counting_vocabulary() -> Vocabulary:
    """The English words of the numbers, the comma and HIDDEN, behind the three reserved tokens."""
    english, _ = numbers_vocabularies()
    return Vocabulary([*english.tokens, HIDDEN])


@dataclass(frozen=True)
class CountingBatch:
    """Padded ids: what is shown and what is to be named there; B sentences, T tokens with the end token."""

    shown: Tensor  # (B, T) int64, with HIDDEN's id at the hidden places
    ids: Tensor  # (B, T) int64, with nothing hidden
    hidden: Tensor  # (B, T) boolean, True where a word is hidden; never the end token, never padding
    mask: Tensor  # (B, 1, T) boolean, True = may attend: all but padding


def counting_batch(count: int, generator: torch.Generator, share: float = 0.15) -> CountingBatch:
    """`count` sentences, each word (commas too) hidden with probability `share`."""
    words = counting_vocabulary()
    firsts = torch.randint(1, LARGEST_NUMBER - NUMBERS + 2, (count,), generator=generator).tolist()
    ids, _ = pad([words.encode(numbers_sentence(range(first, first + NUMBERS)).source) for first in firsts])
    real = ids != PAD_ID
    hidden = (torch.rand(ids.shape, generator=generator) < share) & real & (ids != EOS_ID)
    with_hidden = ids.masked_fill(hidden, words.encode([HIDDEN])[0])
    return CountingBatch(with_hidden, ids, hidden, real.unsqueeze(1))


def kinds_of_place(batch: CountingBatch) -> dict[str, Tensor]:
    """What every key is, seen from every query: boolean (B, T, T) for each of KINDS_OF_PLACE.

    For a query inside a number each real key is of exactly one kind; a comma beside it counts as a comma.
    """
    comma, end, real = batch.ids == counting_vocabulary().encode([COMMA])[0], batch.ids == EOS_ID, batch.mask[:, 0]
    word = real & ~comma & ~end
    number = comma.long().cumsum(dim=1)  # which of the sentence's numbers a word belongs to
    offset = torch.arange(word.shape[1]) - torch.arange(word.shape[1]).unsqueeze(1)  # key minus query
    is_word = word.unsqueeze(1).expand(-1, word.shape[1], -1)
    apart = number.unsqueeze(1) - number.unsqueeze(2)  # (B, T, T): positive where the key's number comes later
    own = is_word & (apart == 0)
    kinds = (
        own & (offset == 0),
        own & (offset == -1),
        own & (offset == 1),
        own & (offset.abs() > 1),
        comma.unsqueeze(1).expand_as(own),
        end.unsqueeze(1).expand_as(own),
        is_word & (apart < 0),
        is_word & (apart > 0),
    )
    return dict(zip(KINDS_OF_PLACE, kinds, strict=True))
