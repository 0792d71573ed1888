"""Chapter 03's reference answers: oracles, and the properties that the notebook claims."""

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from course.data.scenes import scene_batches, scenes, scenes_vocabulary, small_cnn
from solutions import captioning
from solutions.bahdanau import AttentionDecoder
from solutions.captioning import CaptionDecoder, FrozenBackbone, GridEncoder, pointing_accuracy, pooled_baseline
from solutions.seq2seq import greedy_decode

SIZES = st.integers(1, 6)
SEEDS = st.integers(0, 10_000)


def generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


# ---- GridEncoder ----------------------------------------------------------------------------------------------------


@given(rows=SIZES, columns=SIZES, coordinates=st.booleans(), seed=SEEDS)
@settings(deadline=None, max_examples=50)
def test_each_cell_is_projected_with_its_own_place(rows, columns, coordinates, seed):
    torch.manual_seed(seed)
    encoder = GridEncoder(nn.Identity(), 3, 5, coordinates)
    images = torch.randn(2, 3, rows, columns, generator=generator(seed))
    features = encoder(images)
    assert features.shape == (2, rows * columns, 5) and features.min() >= 0
    for n in range(rows * columns):
        row, column = divmod(n, columns)
        cell = images[:, :, row, column]
        if coordinates:
            x = 2 * column / (columns - 1) - 1 if columns > 1 else -1.0
            y = 2 * row / (rows - 1) - 1 if rows > 1 else -1.0
            cell = torch.cat([cell, torch.tensor([[x, y]]).expand(2, 2)], dim=1)
        torch.testing.assert_close(features[:, n], torch.relu(encoder.project(cell)))


def test_projecting_is_a_convolution_of_one_by_one():
    torch.manual_seed(0)
    encoder = GridEncoder(nn.Identity(), 4, 6, coordinates=False).double()
    grid = torch.randn(2, 4, 3, 5, dtype=torch.float64)
    weight, bias = encoder.project.weight[:, :, None, None], encoder.project.bias
    expected = F.conv2d(grid, weight, bias).relu().flatten(2).transpose(1, 2)
    torch.testing.assert_close(encoder(grid), expected, atol=1e-10, rtol=0)


def test_a_pixel_is_noticed_by_the_cells_around_it_alone():
    torch.manual_seed(0)
    encoder = GridEncoder(small_cnn(8), 8, 8).eval()
    image = torch.rand(3, 32, 48)
    touched = image.clone()
    touched[:, 9, 30] += 1
    before, after = encoder(torch.stack([image, touched]))
    noticed = (before != after).any(1).view(8, 12)
    assert noticed[2, 7] and not noticed[:, :5].any() and not noticed[5:].any() and not noticed[:, 10:].any()


def test_the_encoder_works_in_double_precision():
    assert GridEncoder(small_cnn(4), 4, 4).double()(torch.zeros(1, 3, 8, 8).double()).dtype == torch.float64


# ---- CaptionDecoder -------------------------------------------------------------------------------------------------


def decoder_problem(seed: int, B: int, N: int, T: int):
    torch.manual_seed(seed)
    return CaptionDecoder(9, 3, 6, 0, 5, 4), torch.randn(B, N, 5), torch.randint(1, 9, (B, T))


@given(seed=SEEDS, B=SIZES, N=SIZES, T=SIZES)
@settings(deadline=None, max_examples=25)
def test_step_by_step_equals_forward(seed, B, N, T):
    decoder, features, tokens = decoder_problem(seed, B, N, T)
    logits, weights = decoder(features, tokens)
    assert logits.shape == (B, T, 9) and weights.shape == (B, T, N)
    torch.testing.assert_close(weights.sum(2), torch.ones(B, T))
    state = decoder.start(features)
    for t in range(T):
        column, state = decoder.step(tokens[:, t], state)
        torch.testing.assert_close(column, logits[:, t])
    assert state[1] is features


@given(seed=SEEDS, N=SIZES)
@settings(deadline=None, max_examples=25)
def test_the_order_of_the_cells_does_not_matter(seed, N):
    decoder, features, tokens = decoder_problem(seed, 3, N, 4)
    order = torch.randperm(N, generator=generator(seed))
    logits, weights = decoder(features, tokens)
    other_logits, other_weights = decoder(features[:, order], tokens)
    torch.testing.assert_close(other_logits, logits)
    torch.testing.assert_close(other_weights, weights[:, :, order])


def test_it_is_the_decoder_of_chapter_02_with_another_first_state():
    decoder, features, tokens = decoder_problem(0, 3, 7, 4)
    twin = AttentionDecoder(9, 3, 6, 0, 5, decoder.attention)
    twin.load_state_dict({name: value for name, value in decoder.state_dict().items() if "initial" not in name})
    hidden, _ = decoder.start(features)
    for mine, other in zip(decoder(features, tokens), twin(tokens, hidden, features, features), strict=True):
        torch.testing.assert_close(mine, other)


def test_pictures_do_not_notice_each_other():
    decoder, features, tokens = decoder_problem(1, 4, 5, 3)
    together = decoder(features, tokens)[0]
    for b in range(4):
        torch.testing.assert_close(decoder(features[b : b + 1], tokens[b : b + 1])[0][0], together[b])


def test_encoder_and_decoder_learn():
    """The parts fit together: a few steps bring the loss down, and every parameter takes part."""
    torch.manual_seed(0)
    model = nn.ModuleList(
        [GridEncoder(small_cnn(16), 16, 16), CaptionDecoder(len(scenes_vocabulary()), 8, 24, 0, 16, 12)]
    )
    encoder, decoder = model
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    losses = []
    for _, batch in zip(range(25), scene_batches(scenes(64, seed=0), 32, seed=0), strict=False):
        logits, _ = decoder(encoder(batch.images), F.pad(batch.captions[:, :-1], (1, 0), value=1))
        loss = F.cross_entropy(logits.flatten(0, 1), batch.captions.flatten(), ignore_index=0)
        optimizer.zero_grad()
        loss.backward()
        assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in model.parameters())
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.6 * losses[0]
    with torch.no_grad():
        written = greedy_decode(decoder.step, decoder.start(encoder(batch.images)), 1, 2, 9)
    assert len(written) == 32


# ---- pooled_baseline, pointing_accuracy -----------------------------------------------------------------------------


@given(seed=SEEDS, B=SIZES, N=SIZES, D=SIZES)
@settings(deadline=None)
def test_pooling_forgets_the_order_and_keeps_the_mean(seed, B, N, D):
    features = torch.randn(B, N, D, generator=generator(seed))
    pooled = pooled_baseline(features)
    assert pooled.shape == (B, 1, D)
    torch.testing.assert_close(pooled, features.flip(1).mean(1, keepdim=True))


def test_over_one_cell_every_context_is_the_same():
    decoder, features, tokens = decoder_problem(2, 3, 6, 4)
    assert (decoder(pooled_baseline(features), tokens)[1] == 1).all()


@given(seed=SEEDS, rows=SIZES, columns=SIZES, cell=st.integers(1, 5))
@settings(deadline=None, max_examples=50)
def test_pointing_equals_counting_pixels(seed, rows, columns, cell):
    g = generator(seed)
    weights = torch.rand(2, 3, rows * columns, generator=g)
    corner = torch.stack([torch.randint(0, n * cell, (2, 3), generator=g) for n in (columns, rows)], 2)
    boxes = torch.cat([corner, corner + torch.randint(1, 6, (2, 3, 2), generator=g)], 2)
    boxes[0, 1] = -1
    hits = []
    for look, (left, top, right, bottom) in zip(weights.flatten(0, 1), boxes.flatten(0, 1).tolist(), strict=True):
        if left < 0:
            continue
        row, column = divmod(look.argmax().item(), columns)
        across = set(range(left, right)) & set(range(column * cell, column * cell + cell))
        down = set(range(top, bottom)) & set(range(row * cell, row * cell + cell))
        hits.append(bool(across) and bool(down))
    assert pointing_accuracy(weights, boxes, columns, cell) == pytest.approx(sum(hits) / 5)


def test_pointing_is_perfect_on_the_scenes_own_boxes():
    """Weights that lie on the middle of the named object always hit it: boxes, cells and rows agree."""
    drawn = scenes(30, seed=4, width=48)
    left, top, right, bottom = drawn.boxes.unbind(2)
    middle = ((top + bottom) // 2 // 4 * 12 + (left + right) // 2 // 4).clamp(min=0)
    weights = F.one_hot(middle, 8 * 12).float()
    assert pointing_accuracy(weights, drawn.boxes, 12, 4) == 1.0


def test_pointing_refuses_what_it_cannot_measure():
    with pytest.raises(ValueError, match="none of the 6"):
        pointing_accuracy(torch.rand(2, 3, 4), torch.full((2, 3, 4), -1), 2, 4)


def test_the_test_lets_the_right_one_pass_and_finds_a_wrong_one():
    assert captioning.test_pointing_accuracy(pointing_accuracy) is True
    assert captioning.test_pointing_accuracy(lambda *looks: round(pointing_accuracy(*looks))) is False


# ---- FrozenBackbone -------------------------------------------------------------------------------------------------


def test_frozen_is_parameters_buffers_and_mode():
    torch.manual_seed(0)
    backbone = small_cnn(6)
    backbone(torch.rand(4, 3, 16, 16))  # running values of its own
    frozen = FrozenBackbone(backbone.train())
    images = torch.rand(3, 3, 16, 16)
    before, state = frozen(images), {name: value.clone() for name, value in frozen.state_dict().items()}
    model = nn.ModuleList([frozen, nn.Linear(2, 2)]).train()
    for _ in range(3):
        frozen(5 * torch.rand(4, 3, 16, 16))
    torch.testing.assert_close(frozen(images), before)
    torch.testing.assert_close(frozen(images[:1]), before[:1])
    assert all(torch.equal(value, state[name]) for name, value in frozen.state_dict().items())
    assert model.training and model[1].training and not backbone.training
    assert not any(p.requires_grad for p in frozen.parameters())


def test_gradients_pass_through_the_frozen_to_the_image():
    frozen = FrozenBackbone(small_cnn(4)).train()
    image = torch.rand(2, 3, 8, 8).requires_grad_()
    frozen(image).sum().backward()
    assert image.grad.abs().sum() > 0 and all(p.grad is None for p in frozen.parameters())
