"""The cheat sheet says what is so: its einsums, its masks, and its names."""

import re
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import einsum, nn

from course.exercises import exercises
from solutions.dot_product import causal_mask, padding_mask, scaled_dot_product_attention

PAGE = (Path(__file__).resolve().parents[2] / "book" / "cheat-sheet.md").read_text("utf-8")
EINSUMS = re.findall(r"^\| [^|]+ \| `(einsum\(.+?\))` \| `(.+?)` \|$", PAGE, re.MULTILINE)


@pytest.mark.parametrize(("short", "long"), EINSUMS)
def test_an_einsum_is_what_stands_beside_it(short, long):
    names = {"q": torch.randn(2, 3, 5), "k": torch.randn(2, 4, 5), "v": torch.randn(2, 4, 5), "w": torch.rand(2, 3, 4)}
    assert len(EINSUMS) == 7
    torch.testing.assert_close(eval(short, {"einsum": einsum}, dict(names)), eval(long, {}, dict(names)))


def test_true_points_where_the_table_says():
    x = torch.randn(1, 3, 4)
    mask = torch.tensor([[True, False, False], [False, False, False], [True, True, False]])
    output, weights = scaled_dot_product_attention(x, x, x, mask)
    assert not weights[0, 0, 1:].any() and not weights[0, 1].any() and not output[0, 1].any()
    torch.testing.assert_close(F.scaled_dot_product_attention(x, x, x, attn_mask=mask), output)
    of_numbers = torch.zeros(3, 3).masked_fill(~mask, float("-inf"))
    torch.testing.assert_close(F.scaled_dot_product_attention(x, x, x, attn_mask=of_numbers)[:, ::2], output[:, ::2])

    theirs = nn.MultiheadAttention(4, 1, batch_first=True)
    _, weights = theirs(x, x, x, attn_mask=~mask)
    assert weights[0, 0].tolist() == [1, 0, 0] and weights[0, 1].isnan().all() and weights[0, 2, 2] == 0
    _, weights = theirs(x, x, x, key_padding_mask=torch.tensor([[False, False, True]]))
    assert not weights[0, :, 2].any() and weights[0, :, :2].all()
    layer = nn.TransformerEncoderLayer(4, 1, batch_first=True).train()
    changed = x.clone()
    changed[0, 2] += 1
    seen = torch.tensor([[False, True, True]] * 3)  # True hides the last two
    assert torch.equal(
        *(
            nn.TransformerEncoder(layer.eval(), 1, enable_nested_tensor=False)(each, mask=seen)[0, 0]
            for each in (x, changed)
        )
    )


def test_masks_are_made_and_combined_as_it_says():
    lengths = torch.tensor([2, 3])
    assert causal_mask(3).tolist() == torch.ones(3, 3).tril().bool().tolist()
    assert padding_mask(lengths, 3).tolist() == [[[True, True, False]], [[True, True, True]]]
    assert (causal_mask(3) & padding_mask(lengths, 3)).shape == (2, 3, 3)
    x = torch.randn(1, 3, 4)
    ours, _ = scaled_dot_product_attention(x, x, x, causal_mask(3))
    torch.testing.assert_close(F.scaled_dot_product_attention(x, x, x, is_causal=True), ours)


def test_every_component_of_the_shapes_is_one_of_its_chapter():
    rows = re.findall(r"^\| (\d\d) \| (.+?) \|", PAGE, re.MULTILINE)
    of = {name: exercise.notebook[:2] for exercise in exercises() for name in exercise.components}
    named = [(chapter, name) for chapter, cell in rows for name in re.findall(r"`(\w+)`", cell)]
    assert len(named) > 20 and [(of.get(name), name) for _, name in named] == named


def test_gates_and_patches_are_named_rightly():
    cell = nn.GRUCell(2, 3)
    with torch.no_grad():
        cell.bias_ih[3:6] = 50.0  # the update gate z at one
        state = torch.randn(1, 3)
        torch.testing.assert_close(cell(torch.randn(1, 2), state), state)
        images, P = torch.randn(1, 3, 4, 6), 2
        convolution = nn.Conv2d(3, 5, P, stride=P)
        patches = F.unfold(images, P, stride=P).transpose(1, 2)  # as patchify lays them out: channel, row, column
        by_patch = F.linear(patches, convolution.weight.flatten(1), convolution.bias)
        torch.testing.assert_close(convolution(images).flatten(2).transpose(1, 2), by_patch)
