"""Counting sentences: what is hidden, and what every place is to every other."""

import torch

from course.data import EOS_ID, PAD_ID, number_in_words
from course.data.counting import HIDDEN, KINDS_OF_PLACE, NUMBERS, counting_batch, counting_vocabulary, kinds_of_place


def test_a_sentence_counts_on_and_shows_all_that_is_not_hidden():
    words = counting_vocabulary()
    batch = counting_batch(50, torch.Generator().manual_seed(0))
    first_words = {" ".join(number_in_words(n).source): n for n in range(1, 1_000)}
    for row in batch.ids:
        numbers = [first_words[text.strip()] for text in " ".join(words.decode(row)).split(",")]
        assert len(numbers) == NUMBERS and numbers == list(range(numbers[0], numbers[0] + NUMBERS))
    hidden_id = words.encode([HIDDEN])[0]
    assert (batch.shown[batch.hidden] == hidden_id).all() and (batch.ids != hidden_id).all()
    assert torch.equal(batch.shown[~batch.hidden], batch.ids[~batch.hidden])
    assert not (batch.hidden & ((batch.ids == PAD_ID) | (batch.ids == EOS_ID))).any()
    assert torch.equal(batch.mask, (batch.ids != PAD_ID).unsqueeze(1))
    assert 0.1 < batch.hidden.sum() / batch.mask.sum() < 0.2


def test_the_same_seed_draws_the_same_batch():
    first, second = (counting_batch(8, torch.Generator().manual_seed(3)) for _ in range(2))
    assert torch.equal(first.shown, second.shown)
    assert not torch.equal(first.shown[:, :9], counting_batch(8, torch.Generator().manual_seed(4)).shown[:, :9])


def test_from_a_number_word_every_real_place_is_of_one_kind():
    words = counting_vocabulary()
    batch = counting_batch(20, torch.Generator().manual_seed(1))
    kinds = kinds_of_place(batch)
    assert tuple(kinds) == KINDS_OF_PLACE
    comma = words.encode([","])[0]
    asked = (batch.ids != PAD_ID) & (batch.ids != EOS_ID) & (batch.ids != comma)
    count = sum(kind.long() for kind in kinds.values())
    expected = batch.mask.expand(-1, batch.ids.shape[1], -1).long()
    assert torch.equal(count[asked], expected[asked])


def test_kinds_of_one_sentence_by_hand():
    """twenty one , twenty two , ..., seen from the second `twenty`."""
    words = counting_vocabulary()
    generator = torch.Generator().manual_seed(0)
    while True:
        batch = counting_batch(1, generator)
        if words.decode(batch.ids[0])[0] == "twenty" and words.decode(batch.ids[0])[1] == "one":
            break
    assert words.decode(batch.ids[0])[:5] == ["twenty", "one", ",", "twenty", "two"]
    seen = {name: kind[0, 3].nonzero().flatten().tolist() for name, kind in kinds_of_place(batch).items()}
    assert seen["itself"] == [3] and seen["word after"] == [4] and seen["word before"] == []
    assert seen["a comma"][0] == 2 and seen["a number before"] == [0, 1] and seen["a number after"][0] == 6
