"""Python's reference text, the n-gram baseline, and strings that repeat."""

import math
from itertools import islice

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course.data.text import (
    UNKNOWN,
    Characters,
    ngram_bits,
    paragraph_key,
    random_windows,
    reference_text,
    repeated_share,
    repeating_strings,
    topic_paragraphs,
)


def paragraphs(text: str) -> set[str]:
    return {paragraph_key(p) for p in text.split("\n\n")} - {""}


def test_without_repeats_no_paragraph_stands_in_both_parts():
    training, validation = reference_text()
    assert not paragraphs(training) & paragraphs(validation)
    everything = [paragraph_key(p) for kept in topic_paragraphs().values() for p in kept]
    assert len(everything) == len(set(everything)) and all(everything)


def test_as_it_comes_a_good_part_of_the_text_repeats_and_leaks():
    training, validation = reference_text(repeats=True)
    assert paragraphs(training) & paragraphs(validation)
    assert 0.1 < repeated_share() < 0.4


@pytest.mark.parametrize("repeats", [False, True])
def test_about_a_tenth_validates(repeats):
    training, validation = reference_text(repeats)
    assert 0.08 < len(validation) / (len(training) + len(validation)) < 0.15


@given(text=st.text(alphabet="abc \n“é", max_size=30))
@settings(deadline=None)
def test_characters_come_back_and_unknown_ones_are_marked(text):
    characters = Characters("cab \n")
    back = characters.decode(characters.encode(text))
    assert back == "".join(c if c in "abc \n" else UNKNOWN for c in text)
    assert len(characters) == 6 and characters.characters == [UNKNOWN, "\n", " ", "a", "b", "c"]


def test_random_windows_are_pieces_of_the_text_and_follow_the_seed():
    ids = torch.arange(50)
    one, other = (list(islice(random_windows(ids, 7, 4, seed), 3)) for seed in (0, 1))
    again = list(islice(random_windows(ids, 7, 4, 0), 3))
    for windows in one:
        assert windows.shape == (4, 8) and (windows.diff(dim=1) == 1).all()
    assert all(torch.equal(a, b) for a, b in zip(one, again, strict=True))
    assert not torch.equal(one[0], other[0])
    every = torch.cat(list(islice(random_windows(torch.arange(10), 7, 50, 2), 4)))
    assert set(every[:, 0].tolist()) == {0, 1, 2}  # the last window that fits is drawn, and none beyond
    with pytest.raises(ValueError, match="8"):
        next(random_windows(torch.arange(7), 7, 1, 0))


def counted(training: list[int], validation: list[int], vocab_size: int, order: int) -> list[float]:
    """Witten and Bell's interpolation as the formula reads, with dictionaries."""

    def probability(context: tuple[int, ...], x: int) -> float:
        lower = 1 / vocab_size if not context else None
        n = len(context)
        followed = [training[i + n] for i in range(len(training) - n) if tuple(training[i : i + n]) == context]
        below = lower if lower is not None else probability(context[1:], x)
        if not followed:
            return below
        kinds = len(set(followed))
        return (followed.count(x) + kinds * below) / (len(followed) + kinds)

    places = range(order - 1, len(validation))
    return [
        -sum(math.log2(probability(tuple(validation[i - n : i]), validation[i])) for i in places) / len(places)
        for n in range(order)
    ]


@given(seed=st.integers(0, 2**31 - 1), order=st.integers(1, 4), vocab_size=st.integers(2, 5))
@settings(deadline=None, max_examples=30)
def test_ngram_bits_equals_the_formula_counted_with_lists(seed, order, vocab_size):
    g = torch.Generator().manual_seed(seed)
    training, validation = (torch.randint(vocab_size, (n,), generator=g) for n in (40, 12))
    expected = counted(training.tolist(), validation.tolist(), vocab_size, order)
    assert ngram_bits(training, validation, vocab_size, order) == pytest.approx(expected, abs=1e-12)


def test_ngram_bits_refuses_what_it_cannot_number():
    ids = torch.zeros(20, dtype=torch.int64)
    with pytest.raises(ValueError, match="order 12"):
        ngram_bits(ids, ids, 100, 12)
    with pytest.raises(ValueError, match="2 to score"):
        ngram_bits(ids, ids[:2], 3, 3)


@given(seed=st.integers(0, 2**31 - 1), shortest=st.integers(1, 6), more=st.integers(0, 4))
@settings(deadline=None)
def test_strings_repeat_with_their_period_and_a_period_holds_no_symbol_twice(seed, shortest, more):
    longest = shortest + more
    tokens, periods = repeating_strings(20, 23, 11, shortest, longest, torch.Generator().manual_seed(seed))
    assert tokens.shape == (20, 23) and periods.shape == (20,)
    assert periods.min() >= shortest and periods.max() <= longest
    for string, period in zip(tokens, periods.tolist(), strict=True):
        assert torch.equal(string[period:], string[:-period])
        assert len(set(string[:period].tolist())) == period
    with pytest.raises(ValueError, match="symbols"):
        repeating_strings(1, 23, longest - 1, shortest, longest, torch.Generator())
