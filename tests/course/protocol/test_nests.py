"""Tensors are found, and changed, wherever they stand in lists, tuples and dicts."""

import torch

from course.protocol import nests

ONE, TWO, THREE = (torch.full((2,), float(i)) for i in (1, 2, 3))


def test_tensors_come_in_order_and_nothing_else_does():
    assert all(map(torch.equal, nests.tensors([ONE, {"a": (TWO, 4)}, "b", None, [THREE]]), (ONE, TWO, THREE)))
    assert nests.tensors(ONE)[0] is ONE and nests.tensors("text") == nests.tensors({}) == []


def test_the_nest_keeps_its_form_and_all_that_is_no_tensor():
    nest = [ONE, {"a": (TWO, 4)}, "b", None]
    made = nests.changed(nest, lambda x: x + 1)
    assert type(made[1]["a"]) is tuple and made[1]["a"][1:] == (4,) and made[2:] == ["b", None]
    assert torch.equal(made[0], TWO) and torch.equal(made[1]["a"][0], THREE) and torch.equal(ONE, torch.ones(2))
