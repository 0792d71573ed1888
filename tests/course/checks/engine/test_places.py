"""Where the wrong numbers of a result are, in words."""

import pytest
import torch

from course.checks.engine.places import LONGEST, where


def off(shape, *index):
    wrong = torch.zeros(shape, dtype=torch.bool)
    wrong[index] = True
    return wrong


@pytest.mark.parametrize("wrong, place", [
    (off((3, 4), slice(None), 0), "at place 0 of axis 1 (places count from 0)."),
    (off((3, 4), slice(None), 3), "at the last place of axis 1 (places count from 0)."),
    (off((3, 4), slice(None), slice(1, None)), "at place 1 of axis 1 and after it (places count from 0)."),
    (off((3, 5), slice(None), slice(0, 3)), "before place 3 of axis 1 (places count from 0)."),
    (off((4, 5), slice(None), slice(1, 4, 2)), "at places 1 and 3 of axis 1 (places count from 0)."),
    (off((2, 5, 3), 1, 2, 0), "at place 2 of axis 1 (places count from 0)."),  # where it is the smallest share
    (off(5, 2), "at place 2 (places count from 0)."),
    (torch.eye(4, dtype=torch.bool), "on the diagonal of the last two axes."),
    (torch.ones(2, 4, 4).triu(1).bool(), "above the diagonal of the last two axes."),
    (torch.ones(4, 4).tril(-2).bool(), "below the diagonal of the last two axes."),
])  # fmt: skip
def test_what_they_have_in_common_is_said(wrong, place):
    assert where(wrong) == f"All that differs is {place}"


@pytest.mark.parametrize("wrong", [
    off((3, 4)),  # none
    off((3, 4), slice(None)),  # all
    off(3, 1),  # of three
    off(7, slice(0, 6, 2)),  # many, with gaps
    off(LONGEST + 1, 3),  # laid end to end
    torch.tensor(True),
    torch.zeros(0, 3, dtype=torch.bool),
])  # fmt: skip
def test_what_says_nothing_is_not_said(wrong):
    assert where(wrong) == ""
