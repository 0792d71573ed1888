"""The pictures of digits: a split for ever, canvases, scenes with labels, and digits drawn from fonts."""

import pytest
import torch

from course.data import digits


def test_the_split_is_fixed_and_its_halves_share_no_picture():
    (images, labels), (test, test_labels) = digits.handwritten("train"), digits.handwritten("test")
    assert images.shape == (1_297, 1, 8, 8) and test.shape == (digits.TESTED, 1, 8, 8)
    assert images.dtype == torch.float32 and labels.dtype == torch.int64
    assert images.min() == 0 and images.max() == 1
    assert labels[:8].tolist() == digits.handwritten("train")[1][:8].tolist()
    assert (labels.bincount(minlength=10) > 100).all() and (test_labels.bincount(minlength=10) > 30).all()
    distance = torch.cdist(images.flatten(1), test.flatten(1))
    assert distance.min() > 0


def test_what_is_handed_out_may_be_changed():
    images, _ = digits.handwritten("train")
    images.zero_()
    assert digits.handwritten("train")[0].sum() > 0


def test_an_unknown_split_is_refused():
    with pytest.raises(ValueError, match="'validation'"):
        digits.handwritten("validation")


def test_a_few_have_as_many_of_each():
    images, labels = digits.handwritten("train")
    few, few_labels = digits.a_few(images, labels, 50, seed=0)
    assert few.shape == (50, 1, 8, 8) and (few_labels.bincount() == 5).all()
    assert not torch.equal(few, digits.a_few(images, labels, 50, seed=1)[0])
    assert torch.equal(digits.a_few(images, labels, 2_000, seed=0)[0], images)
    with pytest.raises(ValueError, match="55"):
        digits.a_few(images, labels, 55, seed=0)


def test_a_canvas_has_the_digit_in_the_middle():
    images = torch.rand(3, 1, 8, 8)
    canvas = digits.on_canvas(images, 12, 16)
    assert canvas.shape == (3, 1, 12, 16) and torch.equal(canvas[:, :, 2:10, 4:12], images)
    torch.testing.assert_close(canvas.sum(), images.sum())
    for size in ((12, 15), (7, 16)):
        with pytest.raises(ValueError, match=f"{size[0]} x {size[1]}"):
            digits.on_canvas(images, *size)


def test_a_shuffle_is_one_permutation_for_all_images():
    images = torch.rand(4, 1, 6, 5)
    shuffled = digits.shuffle_pixels(images, seed=7)
    assert torch.equal(shuffled.flatten(1).sort().values, images.flatten(1).sort().values)
    assert not torch.equal(shuffled, images)
    assert torch.equal(shuffled[2:], digits.shuffle_pixels(images[2:], seed=7))


def test_a_scene_has_three_digits_and_says_where_their_ink_is():
    images, labels = digits.handwritten("train")
    pictures, pixels = digits.digit_scenes(images, labels, 40, torch.Generator().manual_seed(0), rows=2, columns=3)
    assert pictures.shape == (40, 1, 16, 24) and pixels.shape == (40, 16, 24) and pixels.dtype == torch.int64
    assert torch.equal(pictures[:, 0] > 0, pixels != digits.BACKGROUND)
    cells = pixels.reshape(40, 2, 8, 3, 8).transpose(2, 3).flatten(3).flatten(1, 2)  # (40, 6, 64)
    assert ((cells != digits.BACKGROUND).any(dim=2).sum(dim=1) == 3).all()
    for scene, drawn in zip(
        cells, pictures[:, 0].reshape(40, 2, 8, 3, 8).transpose(2, 3).reshape(40, 6, 8, 8), strict=True
    ):
        for cell, picture in zip(scene, drawn, strict=True):
            digit = cell[cell != digits.BACKGROUND].unique()
            assert len(digit) <= 1  # one digit a cell, and it is one of that class
            if len(digit):
                assert (images[labels == digit] == picture).flatten(1).all(dim=1).any()


def test_the_fonts_have_all_digits_and_none_is_for_display():
    images, labels, fonts = digits.rendered()
    assert len(fonts) == 21 and not any("Display" in font for font in fonts)
    assert images.shape == (210, 1, 32, 32) and torch.equal(labels, torch.arange(10).repeat(21))
    share = images.mean(dim=(1, 2, 3))
    assert share.min() > 0.05 and share.max() < 0.6  # neither empty nor a box
    zeros, ones = images[labels == 0].mean(), images[labels == 1].mean()
    assert zeros > ones


def test_rendered_batches_are_reproducible_and_never_twice_the_same():
    first, again = (digits.rendered_batches(16, seed=3) for _ in range(2))
    images, labels = next(first)
    assert images.shape == (16, 1, 8, 8) and 0 <= images.min() and images.max() <= 1 and labels.dtype == torch.int64
    assert torch.equal(images, next(again)[0]) and not torch.equal(images, next(first)[0])
