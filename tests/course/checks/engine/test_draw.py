"""Drawn inputs and states: the same from the same key, and within what a student may ask for."""

import pytest
import torch

from course.checks.engine.draw import Draw
from course.key import Key


def test_drawn_inputs_are_frozen_and_keep_their_promises():
    draw = Draw(Key.public(1), "frozen", 0)
    assert draw.normal(2).tolist() == Draw(Key.public(1), "frozen", 0).normal(2).tolist()
    assert draw.normal(2).tolist() != Draw(Key.public(2), "frozen", 0).normal(2).tolist()
    for seed in range(50):
        draw = Draw(Key.public(seed), "promises")
        mask = draw.mask(3, 2, 4, keep=0.9)
        assert mask.dtype == torch.bool and mask.any(-1).all() and not mask.all(-1).any()
        lengths = draw.lengths(3, 5)
        assert lengths.max() == 5 and lengths.min() >= 1 and (lengths < 5).any()
        assert sorted(draw.permutation(6).tolist()) == list(range(6))
        assert 2 <= int(draw.integers(2, 4, 5).min()) and int(draw.integers(2, 4, 5).max()) < 4


def test_drawn_state_depends_on_names_and_not_on_their_order():
    one = torch.nn.ModuleDict({"a": torch.nn.Linear(2, 3), "b": torch.nn.Linear(3, 2)})
    two = torch.nn.ModuleDict({"b": torch.nn.Linear(3, 2), "a": torch.nn.Linear(2, 3)})
    first, second = Draw(Key.public(1)).state(one), Draw(Key.public(1)).state(two)
    assert first.keys() == second.keys() and all(torch.equal(first[n], second[n]) for n in first)


def test_a_state_of_any_size_a_student_likes_is_not_drawn():
    with torch.device("meta"):
        enormous = torch.nn.Linear(1 << 20, 1 << 20)
    with pytest.raises(ValueError, match="weight is of shape"):
        Draw(Key.public(1)).state(enormous)
    many = torch.nn.Module()
    for number in range(1000):
        many.register_buffer(f"part{number}", torch.zeros(1).expand(1 << 12, 1 << 11))
    with pytest.raises(ValueError, match="part0 is of shape"):
        Draw(Key.public(1)).state(many)
