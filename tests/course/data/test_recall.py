"""The recall task: what is asked can be answered from what is there, and from nothing else."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course.data.recall import RecallModel, recall_accuracy, recall_batch


def generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@given(seed=st.integers(0, 2**31 - 1), offset=st.integers(0, 3), pairs=st.integers(1, 6), more=st.integers(0, 5))
@settings(deadline=None, max_examples=50)
def test_the_answer_stands_beside_the_symbol_that_is_meant(seed, offset, pairs, more):
    batch = recall_batch(20, generator(seed), offset, pairs, pairs + more)
    assert batch.symbols.shape == batch.numbers.shape == (20, pairs)
    assert all(len(set(row)) == pairs for row in batch.symbols.tolist())
    meant = batch.symbols == ((batch.asked + offset) % (pairs + more)).unsqueeze(1)
    assert (meant.sum(dim=1) == 1).all()
    assert torch.equal(batch.numbers[meant], batch.answers)


def test_every_place_is_asked_for_and_a_seed_says_which():
    batch, again = (recall_batch(500, generator(3)) for _ in range(2))
    places = (batch.symbols == batch.asked.unsqueeze(1)).int().argmax(dim=1)
    assert places.bincount(minlength=8).min() > 30
    assert torch.equal(batch.symbols, again.symbols) and torch.equal(batch.answers, again.answers)


def test_more_pairs_than_symbols_are_refused():
    with pytest.raises(ValueError, match=r"9 pairs.* got 8"):
        recall_batch(2, generator(0), num_pairs=9, num_symbols=8)


def test_the_model_gives_logits_and_the_weights_of_its_mixing():
    class Mean(torch.nn.Module):
        def forward(self, query, memory):
            weights = torch.full((len(memory), 1, memory.shape[1]), 1 / memory.shape[1])
            return weights @ memory, weights

    torch.manual_seed(0)
    model, batch = RecallModel(12, Mean()), recall_batch(200, generator(1))
    logits, weights = model(batch)
    assert logits.shape == (200, 10) and weights.shape == (200, 1, 8)
    assert 0 <= recall_accuracy(model, batch) < 0.4
