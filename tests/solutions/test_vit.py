"""Chapter 08's solutions against what did it first, and the properties that hold for every input.

What attention has in general is in test_properties_attention.py, and the published models in peers/.
"""

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score
from torch import nn

from solutions.vit import (
    HybridVisionTransformer,
    PatchEmbedding,
    VisionTransformer,
    attention_rollout,
    augment,
    partial_auc,
    patch_labels,
    patchify,
    resize_positions,
)

SEEDS = st.integers(0, 2**31 - 1)
SIZES = st.integers(1, 4)
POOLS = ("class", "first", "last", "mean")
WIDTHS = {"d_model": 6, "num_heads": 2, "num_layers": 2, "d_ff": 9, "num_classes": 5}


def generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


# ---- patches --------------------------------------------------------------------------------------------------------


@given(seed=SEEDS, batch=SIZES, channels=SIZES, rows=SIZES, columns=SIZES, patch_size=SIZES)
@settings(deadline=None)
def test_patchify_is_torchs_unfold(seed, batch, channels, rows, columns, patch_size):
    images = torch.randn(batch, channels, rows * patch_size, columns * patch_size, generator=generator(seed))
    patches = patchify(images, patch_size)
    assert torch.equal(patches, F.unfold(images, patch_size, stride=patch_size).transpose(1, 2))
    assert torch.equal(patchify(images.transpose(2, 3).contiguous().transpose(2, 3), patch_size), patches)


@given(seed=SEEDS, channels=SIZES, rows=SIZES, columns=SIZES, patch_size=SIZES)
@settings(deadline=None)
def test_every_patch_is_a_square_of_the_picture(seed, channels, rows, columns, patch_size):
    P = patch_size
    image = torch.randn(1, channels, rows * P, columns * P, generator=generator(seed))
    patches = patchify(image, P)[0]
    for row in range(rows):
        for column in range(columns):
            square = image[0, :, row * P : (row + 1) * P, column * P : (column + 1) * P]
            assert torch.equal(patches[row * columns + column], square.flatten())


@pytest.mark.parametrize(
    ("shape", "numbers"),
    [((2, 3, 5, 6), "5 x 6"), ((2, 3, 4, 7), "4 x 7"), ((3, 4, 6), r"\(3, 4, 6\)"), ((1, 1, 1, 8), "1 x 8")],
)
def test_what_does_not_tile_is_refused_with_the_numbers(shape, numbers):
    with pytest.raises(ValueError, match=numbers):
        patchify(torch.zeros(shape), 2)


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-5), (torch.float64, 1e-10)])
def test_patch_embedding_is_a_strided_convolution_gradients_too(dtype, tolerance):
    torch.manual_seed(0)
    ours = PatchEmbedding(4, 3, 7).to(dtype)
    theirs = nn.Conv2d(3, 7, kernel_size=4, stride=4).to(dtype)
    with torch.no_grad():
        theirs.weight.copy_(ours.projection.weight.view_as(theirs.weight))
        theirs.bias.copy_(ours.projection.bias)
    images = torch.randn(2, 3, 8, 12, dtype=dtype, generator=generator(1))
    tokens, features = ours(images), theirs(images).flatten(2).transpose(1, 2)
    torch.testing.assert_close(tokens, features, atol=tolerance, rtol=0)
    tokens.square().sum().backward()
    features.square().sum().backward()
    gradient = ours.projection.weight.grad.view_as(theirs.weight)
    torch.testing.assert_close(gradient, theirs.weight.grad, atol=100 * tolerance, rtol=tolerance)


# ---- the Vision Transformer -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("pool", POOLS)
def test_the_parts_and_the_number_of_tokens(pool):
    model = VisionTransformer((4, 6), 2, **WIDTHS, pool=pool)
    tokens = 6 + (pool == "class")
    assert model.positions.weight.shape == (tokens, 6) and hasattr(model, "class_token") == (pool == "class")
    images = torch.randn(3, 3, 4, 6)
    assert model.encode(images).shape == (3, tokens, 6) and model(images).shape == (3, 5)


@pytest.mark.parametrize("pool", POOLS)
def test_the_logits_are_the_head_of_what_encode_says(pool):
    torch.manual_seed(0)
    model = VisionTransformer((4, 6), 2, **WIDTHS, pool=pool)
    images = torch.randn(3, 3, 4, 6)
    tokens = model.encode(images)
    read = {"class": tokens[:, 0], "first": tokens[:, 0], "last": tokens[:, -1], "mean": tokens.mean(dim=1)}[pool]
    torch.testing.assert_close(model(images), model.head(read))


def test_a_square_size_may_be_one_number():
    torch.manual_seed(0)
    one = VisionTransformer(6, 3, **WIDTHS)
    two = VisionTransformer((6, 6), 3, **WIDTHS)
    two.load_state_dict(one.state_dict())
    images = torch.randn(2, 3, 6, 6)
    assert torch.equal(one(images), two(images))


def test_the_layers_are_different_ones():
    model = VisionTransformer((4, 6), 2, **WIDTHS)
    assert len({id(layer) for layer in model.encoder.layers}) == 2


@pytest.mark.parametrize("size", [(6, 4), (4, 4), (6, 6), (8, 12)])
def test_pictures_of_another_size_are_refused(size):
    model = VisionTransformer((4, 6), 2, **WIDTHS)
    with pytest.raises(ValueError, match=r"\(4, 6\)"):
        model(torch.zeros(1, 3, *size))


def test_impossible_settings_are_refused():
    with pytest.raises(ValueError, match="'max'"):
        VisionTransformer(4, 2, **WIDTHS, pool="max")
    with pytest.raises(ValueError, match="4 x 5"):
        VisionTransformer((4, 5), 2, **WIDTHS)


@pytest.mark.parametrize("pool", POOLS)
def test_a_hybrid_over_the_identity_is_a_vision_transformer(pool):
    torch.manual_seed(0)
    direct = VisionTransformer((4, 6), 2, **WIDTHS, pool=pool, num_channels=2)
    hybrid = HybridVisionTransformer(nn.Identity(), 2, (4, 6), 2, **WIDTHS, pool=pool)
    hybrid.transformer.load_state_dict(direct.state_dict())
    images = torch.randn(3, 2, 4, 6)
    assert torch.equal(hybrid(images), direct(images)) and torch.equal(hybrid.encode(images), direct.encode(images))


# ---- augment --------------------------------------------------------------------------------------------------------


@given(seed=SEEDS, height=st.integers(3, 7), width=st.integers(3, 7), most=st.integers(0, 3))
@settings(deadline=None)
def test_an_augmented_image_is_a_crop_of_the_padded_one(seed, height, width, most):
    images = torch.randn(4, 2, height, width, generator=generator(seed))
    before = images.clone()
    torch.manual_seed(seed)
    moved = augment(images, most)
    windows = F.pad(images, (most,) * 4).unfold(2, height, 1).unfold(3, width, 1)  # (B, C, 2m + 1, 2m + 1, H, W)
    same = (windows == moved[:, :, None, None]).all(dim=5).all(dim=4).all(dim=1)
    assert same.flatten(1).any(dim=1).all() and torch.equal(images, before)


def test_ink_with_a_margin_is_never_lost():
    images = F.pad(torch.rand(200, 1, 3, 4), (2, 2, 2, 2))
    torch.testing.assert_close(augment(images, 2).sum(dim=(1, 2, 3)), images.sum(dim=(1, 2, 3)))


def test_all_shifts_are_equally_likely():
    image = torch.zeros(1, 1, 5, 5)
    image[0, 0, 2, 2] = 1
    torch.manual_seed(0)
    landed = augment(image.expand(9_000, 1, 5, 5), 1).sum(dim=0)[0, 1:4, 1:4]
    assert landed.sum() == 9_000 and landed.min() > 850 and landed.max() < 1_150


# ---- patch_labels ---------------------------------------------------------------------------------------------------


@given(seed=SEEDS, rows=SIZES, columns=SIZES, patch_size=SIZES, background=st.integers(0, 4))
@settings(deadline=None)
def test_patch_labels_count_the_ink(seed, rows, columns, patch_size, background):
    g = generator(seed)
    labels = torch.randint(0, 4, (2, rows * patch_size, columns * patch_size), generator=g)
    labels[torch.rand(labels.shape, generator=g) < 0.5] = background
    classes = patch_labels(labels, patch_size, background)
    assert classes.shape == (2, rows * columns) and classes.dtype == torch.int64
    for picture, row in zip(patchify(labels.unsqueeze(1), patch_size), classes, strict=True):
        for pixels, label in zip(picture, row, strict=True):
            ink = pixels[pixels != background].tolist()
            assert label == (max(sorted(set(ink)), key=ink.count) if ink else background)


# ---- rollout --------------------------------------------------------------------------------------------------------


@given(seed=SEEDS, layers=SIZES, batch=SIZES, heads=SIZES, tokens=st.integers(1, 6))
@settings(deadline=None)
def test_rollout_shares_out_and_reads_layer_after_layer(seed, layers, batch, heads, tokens):
    g = generator(seed)
    weights = [
        torch.softmax(torch.randn(batch, heads, tokens, tokens, generator=g, dtype=torch.float64), dim=-1)
        for _ in range(layers)
    ]
    rollout = attention_rollout(weights)
    assert (rollout >= 0).all()
    torch.testing.assert_close(rollout.sum(dim=-1), torch.ones(batch, tokens, dtype=torch.float64))
    # A value that every layer mixes as assumed ends where the rollout says.
    values = torch.randn(batch, tokens, 3, generator=g, dtype=torch.float64)
    mixed = values
    for layer in weights:
        mixed = 0.5 * mixed + 0.5 * layer.mean(dim=1) @ mixed
    torch.testing.assert_close(rollout @ values, mixed)


# ---- partial area ---------------------------------------------------------------------------------------------------


@given(
    seed=SEEDS,
    count=st.integers(5, 60),
    levels=st.sampled_from([3, 10, 10_000]),
    least=st.sampled_from([0.0, 0.3, 0.8]),
)
@settings(deadline=None)
def test_partial_auc_is_scikit_learns_with_the_axes_exchanged(seed, count, levels, least):
    g = generator(seed)
    scores, positive = torch.randint(levels, (count,), generator=g).float(), torch.rand(count, generator=g) < 0.5
    positive[:2] = torch.tensor([True, False])
    area = partial_auc(scores, positive, least)
    if least == 0:
        assert area == pytest.approx(roc_auc_score(positive.numpy(), scores.numpy()))
        return
    # scikit-learn's partial area is over false positive rates, and rescaled (McClish, 1989): call the negatives
    # positive, turn the scores round, and undo the rescaling.
    limit = 1 - least
    rescaled = roc_auc_score((~positive).numpy(), -scores.numpy(), max_fpr=limit)
    assert area == pytest.approx(((2 * rescaled - 1) * (limit - limit**2 / 2) + limit**2 / 2) / limit)


@given(seed=SEEDS, least=st.floats(0, 0.95))
@settings(deadline=None)
def test_guessing_gets_half_of_what_is_left_and_a_perfect_ranking_all(seed, least):
    positive = torch.rand(20, generator=generator(seed)) < 0.5
    positive[:2] = torch.tensor([True, False])
    assert partial_auc(torch.zeros(20), positive, least) == pytest.approx((1 - least) / 2)
    assert partial_auc(positive.float(), positive, least) == pytest.approx(1.0)


@pytest.mark.parametrize("positive", [[True] * 3, [False] * 3])
def test_one_class_alone_cannot_be_ranked(positive):
    with pytest.raises(ValueError, match="positives"):
        partial_auc(torch.rand(3), torch.tensor(positive), 0.8)


@pytest.mark.parametrize("least", [-0.1, 1.0, 2.0])
def test_an_impossible_rate_is_refused(least):
    with pytest.raises(ValueError, match=str(least)):
        partial_auc(torch.rand(3), torch.tensor([True, False, True]), least)


# ---- positions on another grid --------------------------------------------------------------------------------------


@given(seed=SEEDS, rows=SIZES, columns=SIZES, d_model=SIZES)
@settings(deadline=None)
def test_the_same_grid_gives_the_same_table(seed, rows, columns, d_model):
    table = torch.randn(1 + rows * columns, d_model, generator=generator(seed))
    torch.testing.assert_close(resize_positions(table, (rows, columns), (rows, columns)), table)


@given(rows=st.integers(2, 5), columns=st.integers(2, 5), factor=st.integers(2, 3))
@settings(deadline=None)
def test_a_table_of_places_becomes_a_table_of_places(rows, columns, factor):
    """Each patch's own row and column, as features: on a finer grid they rise along rows and columns alone."""

    def places(height: int, width: int) -> torch.Tensor:
        down, right = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
        return torch.stack([(down.flatten() + 0.5) / height, (right.flatten() + 0.5) / width], dim=1)

    table = torch.cat([torch.zeros(1, 2), places(rows, columns)])
    resized = resize_positions(table, (rows, columns), (factor * rows, factor * columns))[1:]
    edges = torch.tensor([0.5 / rows, 0.5 / columns])
    wanted = places(factor * rows, factor * columns).clamp(min=edges, max=1 - edges)  # no patch lies further out
    torch.testing.assert_close(resized, wanted)
