"""The generated data: right German, right alignment, reproducible draws, padded batches."""

import random

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from num2words import num2words

from course import data
from course.data import BOS_ID, EOS_ID, PAD_ID


def test_reserved_ids_are_for_ever():
    assert (PAD_ID, BOS_ID, EOS_ID) == (0, 1, 2)
    for vocabulary in (*data.numbers_vocabularies(), data.copying_vocabulary(10)):
        assert vocabulary.tokens[:3] == ["<pad>", "<s>", "</s>"] and vocabulary.tokens[3:] == sorted(
            vocabulary.tokens[3:]
        )


def test_every_number_is_num2words_own_in_both_languages():
    for number in range(1, 1000):
        example = data.number_in_words(number)
        assert " ".join(example.source) == num2words(number).replace("-", " ").replace(" and ", " "), number
        assert "".join(example.target) == num2words(number, lang="de"), number


@pytest.mark.parametrize(
    ("number", "source", "target", "alignment"),
    [
        (1, "one", "eins", (0,)),
        (16, "sixteen", "sechzehn", (0,)),
        (100, "one hundred", "ein hundert", (0, 1)),
        (303, "three hundred three", "drei hundert drei", (0, 1, 2)),
        (321, "three hundred twenty one", "drei hundert ein und zwanzig", (0, 1, 3, -1, 2)),
        (333, "three hundred thirty three", "drei hundert drei und dreißig", (0, 1, 3, -1, 2)),
    ],
)
def test_known_numbers(number, source, target, alignment):
    assert data.number_in_words(number) == data.Example(tuple(source.split()), tuple(target.split()), alignment)


def test_alignment_covers_the_source_but_for_und():
    for number in range(1, 1000):
        example = data.number_in_words(number)
        aligned = [j for j in example.alignment if j >= 0]
        assert sorted(aligned) == list(range(len(example.source)))
        assert all((j < 0) == (word == "und") for word, j in zip(example.target, example.alignment, strict=True))


@pytest.mark.parametrize("number", [0, 1000, -3])
def test_numbers_outside_are_refused_with_the_number(number):
    with pytest.raises(ValueError, match=f"from 1 to 999, got {number}"):
        data.number_in_words(number)


@given(st.lists(st.integers(1, 999), min_size=1, max_size=6))
@settings(max_examples=50, deadline=None)
def test_sentences_join_numbers_with_aligned_commas(numbers):
    sentence = data.numbers_sentence(numbers)
    assert sentence.source.count(",") == sentence.target.count(",") == len(numbers) - 1
    assert len(sentence.alignment) == len(sentence.target)
    for word, j in zip(sentence.target, sentence.alignment, strict=True):
        assert (word == ",") == (j >= 0 and sentence.source[j] == ",")
    english, german = data.numbers_vocabularies()
    assert german.decode(german.encode(sentence.target)) == list(sentence.target)
    assert english.encode(sentence.source)[-1] == EOS_ID


def test_draws_repeat_for_a_seed_and_leave_the_global_ones_alone():
    random.seed(7)
    torch.manual_seed(7)
    states = random.getstate(), torch.get_rng_state()
    assert data.numbers_in_words(20, 1, 6, seed=3) == data.numbers_in_words(20, 1, 6, seed=3)
    assert data.numbers_in_words(20, 1, 6, seed=3) != data.numbers_in_words(20, 1, 6, seed=4)
    examples = data.copying(30, 1, 5, 4, seed=3)
    vocabulary = data.copying_vocabulary(4)
    first, second = (next(data.batches(examples, vocabulary, vocabulary, 8, seed=1)) for _ in range(2))
    assert torch.equal(first.source, second.source)
    assert random.getstate() == states[0] and torch.equal(torch.get_rng_state(), states[1])


def test_draws_are_what_they_were_when_results_were_committed():
    assert data.numbers_in_words(1, 2, 2, seed=1_000)[0].target == tuple(
        "sechs hundert sechs und achtzig , sieben hundert neun und siebzig".split()
    )
    assert data.copying(1, 8, 8, 10, seed=2_000)[0].source == tuple("00 07 04 02 09 02 06 03".split())


def test_counts_lie_in_their_range():
    sentences = data.numbers_in_words(300, 2, 4, seed=0)
    assert {s.source.count(",") + 1 for s in sentences} == {2, 3, 4}
    assert {len(s.source) for s in data.copying(300, 3, 5, 6, seed=0)} == {3, 4, 5}
    assert all(s.source == s.target and s.alignment == tuple(range(len(s.source))) for s in data.copying(9, 3, 5, 6, 0))


def test_batches_pad_at_the_right_and_use_every_example_once_a_pass():
    english, german = data.numbers_vocabularies()
    examples = data.numbers_in_words(50, 1, 3, seed=0)
    stream = data.batches(examples, english, german, 16, seed=0)
    seen = []
    for batch in (next(stream) for _ in range(4)):  # 16 + 16 + 16 + 2 in some order
        for ids, lengths in ((batch.source, batch.source_lengths), (batch.targets, batch.target_lengths)):
            assert ids.dtype == lengths.dtype == torch.int64 and ids.shape[1] == lengths.max()
            real = torch.arange(ids.shape[1]) < lengths.unsqueeze(1)
            assert ((ids != PAD_ID) == real).all()
            assert (ids.gather(1, lengths.unsqueeze(1) - 1) == EOS_ID).all()
        seen += [tuple(german.decode(row)) for row in batch.targets]
    assert sorted(seen) == sorted(e.target for e in examples)


def test_pad_and_vocabulary_refuse_what_they_cannot_hold():
    with pytest.raises(ValueError, match="empty list"):
        data.pad([])
    with pytest.raises(ValueError, match="'vierzig' is not among the 13 tokens"):
        data.copying_vocabulary(10).encode(["01", "vierzig"])
    with pytest.raises(ValueError, match="fewest=3, most=2"):
        data.numbers_in_words(1, 3, 2, 0)


def test_translation_accuracy_counts_places_and_whole_sentences():
    targets = torch.tensor([[5, 6, EOS_ID, PAD_ID], [7, EOS_ID, PAD_ID, PAD_ID]])
    assert data.translation_accuracy(targets, targets) == (1.0, 1.0)
    babble = torch.tensor([[5, 6, EOS_ID, 9, 9], [7, EOS_ID, EOS_ID, EOS_ID, EOS_ID]])
    assert data.translation_accuracy(babble, targets) == (1.0, 1.0)
    assert data.translation_accuracy(torch.tensor([[5], [8]]), targets) == (pytest.approx(1 / 5), 0.0)
    symbols, exact = data.translation_accuracy(torch.tensor([[5, 9, EOS_ID], [7, EOS_ID, EOS_ID]]), targets)
    assert (symbols, exact) == (pytest.approx(4 / 5), 0.5)
    with pytest.raises(ValueError, match=r"got \(2, 3\) and \(3, 3\)"):
        data.translation_accuracy(torch.zeros(2, 3), torch.zeros(3, 3))
