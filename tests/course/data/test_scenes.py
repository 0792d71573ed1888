"""The generated scenes: captions that are true of their pictures, boxes that are where they say."""

import pytest
import torch

from course.data import EOS_ID, PAD_ID
from course.data.scenes import (
    COLORS,
    LONGEST_CAPTION,
    SHAPES,
    caption,
    scene_batches,
    scenes,
    scenes_vocabulary,
    single_objects,
    small_cnn,
    words_of_kind,
)


@pytest.fixture(scope="module")
def drawn():
    return scenes(200, seed=0)


def test_shapes_and_the_end_of_every_caption(drawn):
    assert drawn.images.shape == (200, 3, 32, 32) and drawn.images.dtype == torch.float32
    assert drawn.captions.shape == (200, LONGEST_CAPTION) and drawn.boxes.shape == (200, LONGEST_CAPTION, 4)
    assert ((drawn.captions == EOS_ID).sum(1) == 1).all() and len(drawn) == 200
    ended = (drawn.captions == EOS_ID).cumsum(1) - (drawn.captions == EOS_ID).long() > 0
    assert (drawn.captions[ended] == PAD_ID).all() and (drawn.captions[~ended] != PAD_ID).all()


def test_the_caption_is_true_of_the_boxes(drawn):
    for ids, boxes in zip(drawn.captions, drawn.boxes, strict=True):
        words = caption(ids).split()
        named = [t for t in range(LONGEST_CAPTION) if boxes[t, 0] >= 0]
        assert [words[t] in COLORS for t in named] == [True, False, True, False]
        assert [words[t] in SHAPES for t in named] == [False, True, False, True]
        first, second = boxes[named[0]], boxes[named[2]]
        assert torch.equal(first, boxes[named[1]]) and torch.equal(second, boxes[named[3]])
        axis = 1 if "above" in words else 0
        assert first[axis] + first[axis + 2] < second[axis] + second[axis + 2]  # centers, doubled
        assert words.count("a") == 2 and ("above" in words) != ("left" in words)


def test_the_named_color_fills_the_box_and_nothing_stands_outside(drawn):
    for image, ids, boxes in zip(drawn.images, drawn.captions, drawn.boxes, strict=True):
        words = caption(ids).split()
        outside = torch.ones(32, 32, dtype=torch.bool)
        for t, word in enumerate(words):
            if word in COLORS:
                left, top, right, bottom = boxes[t].tolist()
                assert 0 <= left < right <= 32 and 0 <= top < bottom <= 32
                outside[top:bottom, left:right] = False
                distance = (image[:, top:bottom, left:right] - torch.tensor(COLORS[word]).view(3, 1, 1)).norm(dim=0)
                assert (distance < 0.4).float().mean() > 0.3  # a cross and a triangle leave some ground in the box
        assert (image[:, outside] - 0.25).abs().max() < 0.5


def test_a_seed_is_a_drawing_for_good(drawn):
    again, other = scenes(200, seed=0), scenes(200, seed=1)
    assert torch.equal(again.images, drawn.images) and torch.equal(again.captions, drawn.captions)
    assert not torch.equal(other.captions, drawn.captions)


def test_all_words_turn_up_and_are_the_vocabulary():
    words = {word for ids in scenes(300, seed=2).captions for word in caption(ids).split()}
    assert words == set(scenes_vocabulary().tokens[3:])
    assert words_of_kind("color") == tuple(COLORS) and words_of_kind("shape") == SHAPES


def test_pictures_that_are_not_square():
    wide = scenes(20, seed=3, height=32, width=48)
    assert wide.images.shape == (20, 3, 32, 48) and wide.boxes[..., 2].max() > 32
    with pytest.raises(ValueError, match="16 x 32"):
        scenes(1, seed=0, height=16)


def test_single_objects_are_told_by_color_and_shape():
    images, labels = single_objects(300, seed=0)
    assert images.shape == (300, 3, 32, 32) and set(labels.tolist()) == set(range(24))
    for image, label in zip(images[:40], labels[:40], strict=True):
        color = torch.tensor(list(COLORS.values())[label // 4]).view(3, 1, 1)
        assert ((image - color).norm(dim=0) < 0.3).sum() > 15


def test_batches_pass_over_everything_and_come_the_same_again(drawn):
    first, second = scene_batches(drawn, 64, seed=0), scene_batches(drawn, 64, seed=0)
    some = [next(first) for _ in range(4)]
    assert all(len(batch) == 64 for batch in some)
    assert all(torch.equal(batch.images, next(second).images) for batch in some)
    assert not torch.equal(some[0].captions, some[3].captions)
    with pytest.raises(ValueError, match="201"):
        next(scene_batches(drawn, 201, seed=0))


@pytest.mark.parametrize(("height", "width"), [(32, 32), (16, 48)])
def test_the_network_makes_a_grid_of_quarter_the_size(height, width):
    assert small_cnn(5)(torch.zeros(2, 3, height, width)).shape == (2, 5, height // 4, width // 4)


def test_going_round_the_edges_leaves_no_edge():
    """What the notebook says of padding: zeros mark the edge, a picture that goes on does not."""
    even = torch.full((1, 3, 32, 32), 0.3)
    for padding_mode, same in (("zeros", False), ("circular", True)):
        torch.manual_seed(0)
        grid = small_cnn(6, padding_mode).eval()(even)[0]
        assert torch.allclose(grid, grid[:, 4:5, 4:5].expand_as(grid), atol=1e-5) == same


def test_a_cell_has_seen_fifteen_pixels_each_way():
    torch.manual_seed(0)
    network = small_cnn(6).eval()
    image = torch.rand(1, 3, 32, 32).requires_grad_()
    network(image)[0, :, 4, 4].sum().backward()
    seen = image.grad[0].abs().sum(0) > 0
    rows, columns = seen.any(1).nonzero(), seen.any(0).nonzero()
    assert rows.max() - rows.min() + 1 <= 15 and columns.max() - columns.min() + 1 <= 15
    assert rows.min() <= 16 and rows.max() >= 19  # its own four pixels are among them
