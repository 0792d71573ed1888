"""Generated sentences in which one word means what another word says: chapter 06's "it" and "bank".

"the dog did not cross the road because it was too tired": *it* is the dog; with *wide* in place of *tired* it is the
road, and a language with two genders has to choose between them. Every function that draws takes a seed and uses a
`random.Random` of its own. Safe to change: words of a list by others of its kind. Not safe: the order of the lists or
of the draws, since committed results and stored outputs rest on them.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from torch import Tensor

from course.data import Example, Vocabulary, pad

# English noun: French article and noun, and the pronoun that stands for it
WALKERS = {
    "animal": ("l'", "animal", "il"),
    "dog": ("le", "chien", "il"),
    "cat": ("le", "chat", "il"),
    "horse": ("le", "cheval", "il"),
    "mouse": ("la", "souris", "elle"),
    "cow": ("la", "vache", "elle"),
    "hen": ("la", "poule", "elle"),
}
WAYS = {
    "bridge": ("le", "pont", "il"),
    "field": ("le", "champ", "il"),
    "path": ("le", "chemin", "il"),
    "street": ("la", "rue", "elle"),
    "road": ("la", "route", "elle"),
    "river": ("la", "rivière", "elle"),
    "forest": ("la", "forêt", "elle"),
}
# English adjective: French for what is *il* and for what is *elle*. The first five can only be said of a walker here,
# the others only of a way.
OF_WALKERS = {
    "tired": ("fatigué", "fatiguée"),
    "hungry": ("affamé", "affamée"),
    "scared": ("effrayé", "effrayée"),
    "old": ("vieux", "vieille"),
    "ill": ("malade", "malade"),
}
OF_WAYS = {
    "wide": ("large", "large"),
    "long": ("long", "longue"),
    "narrow": ("étroit", "étroite"),
    "steep": ("raide", "raide"),
    "crowded": ("bondé", "bondée"),
}
# What may stand between *it was* and *too*: as many words in both languages
ASIDES = (
    ((), ()),
    (("clearly",), ("clairement",)),
    (("that", "morning"), ("ce", "matin-là")),
    (("as", "everybody", "saw"), ("comme", "chacun", "voyait")),
)
IT, PRONOUN = 8, 10  # where *it* stands in every sentence, and where *il* or *elle* in its translation

MONEY = ("open an account", "borrow some money", "pay a cheque", "change coins", "ask for credit")
WATER = ("feed the ducks", "catch a fish", "watch the boats", "cut some reeds", "swim a little")
VISITORS = ("she", "he", "they", "we", "you")


@dataclass(frozen=True)
class Sentence:
    """A sentence, the position of the word that is asked about, and what it means there."""

    words: tuple[str, ...]
    asked: int
    meaning: str
    translation: tuple[str, ...] = ()


def it_sentence(walker: str, way: str, adjective: str, aside: int = 0) -> Sentence:
    """`the {walker} did not cross the {way} because it was {aside} too {adjective}`, and its French.

    The meaning of *it* is the noun that the adjective can be said of. Raises ValueError for a word of no list.
    """
    if walker not in WALKERS or way not in WAYS or adjective not in OF_WALKERS | OF_WAYS:
        raise ValueError(f"no such sentence: {walker!r}, {way!r}, {adjective!r}")
    english, french = ASIDES[aside]
    meaning = walker if adjective in OF_WALKERS else way
    pronoun = (WALKERS | WAYS)[meaning][2]
    agreeing = (OF_WALKERS | OF_WAYS)[adjective][("il", "elle").index(pronoun)]
    words = ("the", walker, "did", "not", "cross", "the", way, "because", "it", "was", *english, "too", adjective)
    translation = (
        *(*WALKERS[walker][:2], "n'", "a", "pas", "traversé", *WAYS[way][:2]),
        *("parce", "qu'", pronoun, "était", *french, "trop", agreeing),
    )
    return Sentence(words, IT, meaning, translation)


@cache
def _it_choices(held_out: bool) -> tuple[tuple[str, str, str], ...]:
    """Walker, way and adjective, where the two nouns have unlike pronouns; one triple in five is held out."""
    triples = [
        (i + j + k, (walker, way, adjective))
        for i, walker in enumerate(WALKERS)
        for j, way in enumerate(WAYS)
        for k, adjective in enumerate(OF_WALKERS | OF_WAYS)
        if WALKERS[walker][2] != WAYS[way][2]
    ]
    return tuple(triple for total, triple in triples if (total % 5 == 0) == held_out)


def it_sentences(count: int, seed: int, held_out: bool = False) -> list[Sentence]:
    """`count` sentences; the nouns always differ in gender, so that *il* or *elle* hangs on the adjective alone.

    No triple of walker, way and adjective is drawn both with held_out=False (for training) and with True (for tests).
    """
    draw = random.Random(seed)
    choices = _it_choices(held_out)
    return [it_sentence(*draw.choice(choices), draw.randrange(len(ASIDES))) for _ in range(count)]


def bank_sentence(visitor: str, purpose: str, purpose_first: bool) -> Sentence:
    """A visit to the bank, to borrow money or to feed ducks; the purpose, which tells, stands before or behind."""
    if purpose not in MONEY + WATER:
        raise ValueError(f"no such purpose: {purpose!r}")
    visit, why = (visitor, "went", "to", "the", "bank"), ("to", *purpose.split())
    words = (*why, ",", *visit) if purpose_first else (*visit, *why)
    return Sentence(words, words.index("bank"), "money" if purpose in MONEY else "water")


def bank_sentences(count: int, seed: int) -> list[Sentence]:
    """`count` visits to the bank."""
    draw = random.Random(seed)
    return [bank_sentence(draw.choice(VISITORS), draw.choice(MONEY + WATER), draw.random() < 0.5) for _ in range(count)]


@cache
def sentence_vocabularies() -> tuple[Vocabulary, Vocabulary]:
    """The words of all these sentences, and the French ones: from the lists, not from any sample."""
    its = [it_sentence(*triple, aside) for held in (False, True) for triple in _it_choices(held) for aside in range(4)]
    purposes = [(purpose, first) for purpose in MONEY + WATER for first in (False, True)]
    banks = [bank_sentence(visitor, *purpose) for visitor in VISITORS for purpose in purposes]
    english = [word for sentence in its + banks for word in sentence.words]
    return Vocabulary(english), Vocabulary([word for sentence in its for word in sentence.translation])


def clauses(sentences: Sequence[Sentence]) -> list[Example]:
    """The sentences, and of their translations what begins with the pronoun: `il était trop fatigué`.

    As `course.data.batches` and `collate` want them; without an alignment.
    """
    translations = [sentence.translation[PRONOUN:] for sentence in sentences]
    return [Example(s.words, clause, (-1,) * len(clause)) for s, clause in zip(sentences, translations, strict=True)]


def reading(sentences: Sequence[Sentence]) -> tuple[Tensor, Tensor, Tensor]:
    """Ids (B, S) padded at the right, lengths (B,), and the position asked about (B,)."""
    english, _ = sentence_vocabularies()
    ids, lengths = pad([english.encode(sentence.words) for sentence in sentences])
    return ids, lengths, lengths.new_tensor([sentence.asked for sentence in sentences])
