"""Chapter 01's parts against PyTorch's own, and their properties under drawn shapes."""

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from solutions.seq2seq import (
    Decoder,
    Encoder,
    GRUCell,
    Seq2Seq,
    fit_the_vector,
    gradient_reach,
    greedy_decode,
    masked_cross_entropy,
    reverse_source,
)

PAD, BOS, EOS = 0, 1, 2
PRECISIONS = [(torch.float32, 1e-5), (torch.float64, 1e-10)]


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(0)


def seq2seq(source_words: int = 11, target_words: int = 9, width: int = 4) -> Seq2Seq:
    encoder = Encoder(source_words, 3, width, PAD)
    return Seq2Seq(encoder, Decoder(target_words, 3, width, PAD), BOS)


def padded(lengths: list[int], words: int, longest: int | None = None, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    longest = longest or max(lengths)
    ids = torch.randint(3, words, (len(lengths), longest), generator=generator)
    return ids.masked_fill(torch.arange(longest) >= torch.tensor(lengths).unsqueeze(1), PAD)


# ---- GRUCell --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
def test_gru_cell_equals_torchs_with_its_gradients(dtype, tolerance):
    ours, theirs = GRUCell(3, 5).to(dtype), nn.GRUCell(3, 5, dtype=dtype)
    theirs.load_state_dict(ours.state_dict())
    x, h, cotangent = torch.randn(4, 3, dtype=dtype), torch.randn(4, 5, dtype=dtype), torch.randn(4, 5, dtype=dtype)
    results = []
    for cell in (ours, theirs):
        x_, h_ = x.clone().requires_grad_(), h.clone().requires_grad_()
        out = cell(x_, h_)
        gradients = torch.autograd.grad(out, [x_, h_, *cell.parameters()], cotangent)
        results.append([out, *gradients])
    for a, b in zip(*results, strict=True):
        torch.testing.assert_close(a, b, atol=tolerance, rtol=0)


@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
def test_gru_cell_looped_over_time_equals_torchs_gru(dtype, tolerance):
    cell, gru = GRUCell(3, 5).to(dtype), nn.GRU(3, 5, batch_first=True, dtype=dtype)
    gru.load_state_dict({f"{name}_l0": value for name, value in cell.state_dict().items()})
    inputs = torch.randn(4, 7, 3, dtype=dtype)
    hidden, states = torch.zeros(4, 5, dtype=dtype), []
    for x in inputs.unbind(1):
        hidden = cell(x, hidden)
        states.append(hidden)
    torch.testing.assert_close(torch.stack(states, 1), gru(inputs)[0], atol=tolerance, rtol=0)


def test_gru_cell_has_torchs_parameters_and_start():
    ours, theirs = GRUCell(6, 100).state_dict(), nn.GRUCell(6, 100).state_dict()
    assert {n: p.shape for n, p in ours.items()} == {n: p.shape for n, p in theirs.items()}
    for value in ours.values():
        assert 0.09 < value.abs().max() <= 0.1 and value.abs().mean() == pytest.approx(0.05, abs=0.01)


@pytest.mark.parametrize(("x", "h"), [((4, 2), (4, 5)), ((4, 3), (4, 6)), ((4, 3), (1, 5)), ((4, 1, 3), (4, 5))])
def test_gru_cell_refuses_other_shapes_with_the_numbers(x, h):
    with pytest.raises(ValueError, match=r"need input \(B, 3\) and hidden \(B, 5\), got \(4, "):
        GRUCell(3, 5)(torch.zeros(x), torch.zeros(h))


# ---- Encoder --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
def test_encoder_gives_each_sentence_what_it_gets_alone(dtype, tolerance):
    encoder = Encoder(11, 3, 4, PAD).to(dtype)
    lengths = [3, 7, 1, 5]
    source = padded(lengths, 11)
    outputs, state = encoder(source, torch.tensor(lengths))
    assert outputs.shape == (4, 7, 8) and state.shape == (4, 4)
    for b, n in enumerate(lengths):
        alone, last = encoder.gru(encoder.embedding(source[b : b + 1, :n]))
        torch.testing.assert_close(outputs[b, :n], alone[0], atol=tolerance, rtol=0)
        assert not outputs[b, n:].any()
        both = torch.cat([last[0], last[1]], dim=1)
        torch.testing.assert_close(state[b : b + 1], torch.tanh(encoder.bridge(both)), atol=tolerance, rtol=0)
        torch.testing.assert_close(last[0, 0], alone[0, -1, :4])
        torch.testing.assert_close(last[1, 0], alone[0, 0, 4:])


@given(lengths=st.lists(st.integers(1, 6), min_size=1, max_size=5), extra=st.integers(0, 4), noise=st.integers(0, 9))
@settings(max_examples=30, deadline=None)
def test_encoder_padding_never_matters(lengths, extra, noise):
    encoder = Encoder(11, 3, 4, PAD).double()
    source = padded(lengths, 11)
    outputs, state = encoder(source, torch.tensor(lengths))
    longer = F.pad(source, (0, extra))
    padding = torch.arange(longer.shape[1]) >= torch.tensor(lengths).unsqueeze(1)
    filled = longer.masked_fill(padding, noise)
    outputs_filled, state_filled = encoder(filled, torch.tensor(lengths))
    torch.testing.assert_close(state, state_filled, atol=1e-12, rtol=0)
    torch.testing.assert_close(F.pad(outputs, (0, 0, 0, extra)), outputs_filled, atol=1e-12, rtol=0)


@pytest.mark.parametrize("lengths", [[0, 3], [3, 6], [3], [[3, 3]]])
def test_encoder_refuses_impossible_lengths_with_the_numbers(lengths):
    with pytest.raises(ValueError, match=r"source \(2, 5\) needs 2 lengths from 1 to 5, got \["):
        Encoder(11, 3, 4, PAD)(torch.ones(2, 5, dtype=torch.int64), torch.tensor(lengths))


# ---- Decoder, Seq2Seq -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
def test_decoder_equals_torchs_cell_step_by_step(dtype, tolerance):
    decoder, cell = Decoder(9, 3, 4, PAD).to(dtype), nn.GRUCell(7, 4, dtype=dtype)
    cell.load_state_dict({name.removesuffix("_l0"): value for name, value in decoder.gru.state_dict().items()})
    tokens, hidden, context = (
        torch.randint(0, 9, (5, 6)),
        torch.randn(5, 4, dtype=dtype),
        torch.randn(5, 4, dtype=dtype),
    )
    logits, last = decoder(tokens, hidden, context)
    assert logits.shape == (5, 6, 9)
    for t in range(6):
        hidden = cell(torch.cat([decoder.embedding(tokens[:, t]), context], 1), hidden)
        expected = decoder.output(torch.cat([hidden, context], 1))
        torch.testing.assert_close(logits[:, t], expected, atol=tolerance, rtol=0)
    torch.testing.assert_close(last, hidden, atol=tolerance, rtol=0)


@pytest.mark.parametrize(("hidden", "context"), [((5, 3), (5, 4)), ((5, 4), (1, 4)), ((4, 4), (5, 4))])
def test_decoder_refuses_other_shapes_with_the_numbers(hidden, context):
    with pytest.raises(ValueError, match=r"tokens \(5, 6\) need hidden and context \(5, 4\), got \("):
        Decoder(9, 3, 4, PAD)(torch.ones(5, 6, dtype=torch.int64), torch.zeros(hidden), torch.zeros(context))


@given(batch=st.integers(1, 4), length=st.integers(1, 6), seed=st.integers(0, 1_000))
@settings(max_examples=30, deadline=None)
def test_seq2seq_stepwise_equals_parallel(batch, length, seed):
    torch.manual_seed(seed)
    model = seq2seq().double()
    lengths = torch.randint(1, 6, (batch,))
    source = padded(lengths.tolist(), 11, longest=6, seed=seed)
    targets = torch.randint(0, 9, (batch, length))
    expected = model(source, lengths, targets)
    state, token = model.start(source, lengths), torch.full((batch,), BOS)
    context = state[1].clone()
    for t in range(length):
        logits, state = model.step(token, state)
        torch.testing.assert_close(logits, expected[:, t], atol=1e-12, rtol=0)
        token = targets[:, t]
    assert torch.equal(state[1], context)


def test_seq2seq_never_sees_the_token_it_predicts():
    model, vector, targets = seq2seq(), torch.randn(3, 4), torch.randint(3, 9, (3, 6))
    before = model.decode(vector, targets)
    for t in range(6):
        other = targets.clone()
        other[:, t] = 3 + (targets[:, t] - 2) % 6
        changed = ((model.decode(vector, other) - before).abs() > 1e-7).any(dim=2).any(dim=0)
        assert not changed[: t + 1].any() and (t == 5 or changed[t + 1])


@pytest.mark.parametrize("bos_id", [1, 5])
def test_decode_begins_with_the_models_own_token_and_leaves_the_targets(bos_id):
    model, vector, targets = seq2seq(), torch.randn(3, 4), padded([4, 2, 3], 9)
    model.bos_id, before = bos_id, targets.clone()
    goes_in = torch.cat([torch.full((3, 1), bos_id), targets[:, :-1]], dim=1)
    torch.testing.assert_close(model.decode(vector, targets), model.decoder(goes_in, vector, vector)[0])
    assert torch.equal(targets, before)


def test_seq2seq_carries_gradients_to_every_weight():
    model, targets = seq2seq(), padded([4, 2, 3], 9)
    lengths = torch.tensor([3, 5, 2])
    masked_cross_entropy(model(padded([3, 5, 2], 11), lengths, targets), targets, PAD).backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in model.parameters())


def test_seq2seq_learns_a_batch_by_heart_and_decodes_it():
    model, lengths = seq2seq(width=16), torch.tensor([3, 5, 2])
    source = padded([3, 5, 2], 11)
    targets = torch.tensor([[3, 4, 5, EOS], [6, EOS, PAD, PAD], [7, 7, EOS, PAD]])
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(120):
        loss = masked_cross_entropy(model(source, lengths, targets), targets, PAD)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        written = greedy_decode(model.step, model.start(source, lengths), BOS, EOS, 10)
    assert written.tolist() == [[3, 4, 5, EOS], [6, EOS, EOS, EOS], [7, 7, EOS, EOS]]


# ---- masked_cross_entropy -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
def test_loss_equals_torchs_with_its_gradients(dtype, tolerance):
    logits, targets = torch.randn(4, 6, 9, dtype=dtype, requires_grad=True), padded([6, 2, 1, 4], 9)
    ours = masked_cross_entropy(logits, targets, PAD)
    theirs = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=PAD)
    torch.testing.assert_close(ours, theirs, atol=tolerance, rtol=0)
    (a,), (b,) = torch.autograd.grad(ours, logits), torch.autograd.grad(theirs, logits)
    torch.testing.assert_close(a, b, atol=tolerance, rtol=0)


@given(lengths=st.lists(st.integers(0, 5), min_size=1, max_size=4), columns=st.integers(0, 4), rows=st.integers(0, 3))
@settings(max_examples=40, deadline=None)
def test_loss_is_not_moved_by_padding(lengths, columns, rows):
    targets = padded(lengths, 9, longest=5)
    logits = torch.randn(len(lengths), 5, 9, dtype=torch.float64)
    wide_targets = F.pad(targets, (0, columns, 0, rows), value=PAD)
    wide_logits = torch.randn(*wide_targets.shape, 9, dtype=torch.float64)
    wide_logits[: len(lengths), :5] = logits
    a, b = masked_cross_entropy(logits, targets, PAD), masked_cross_entropy(wide_logits, wide_targets, PAD)
    torch.testing.assert_close(a, b, atol=1e-12, rtol=0)


def test_loss_of_nothing_is_zero_with_zero_gradients():
    logits = torch.randn(2, 3, 5, requires_grad=True)
    loss = masked_cross_entropy(logits, torch.full((2, 3), 4), 4)
    loss.backward()
    assert loss.item() == 0 and not logits.grad.any()


def test_loss_is_finite_for_large_logits():
    loss = masked_cross_entropy(torch.tensor([[[1e4, -1e4, 0.0]]]), torch.tensor([[1]]), PAD)
    assert loss.item() == pytest.approx(2e4)


def test_loss_shows_a_nan_at_a_real_token_and_none_at_padding():
    logits, targets = torch.randn(2, 3, 5), padded([3, 1], 5)
    logits[1, 2] = torch.nan
    assert math.isfinite(masked_cross_entropy(logits, targets, PAD))
    logits[0, 1, 4] = torch.nan
    assert math.isnan(masked_cross_entropy(logits, targets, PAD))


def test_loss_knows_nothing_at_first():
    assert masked_cross_entropy(torch.zeros(2, 3, 34), torch.ones(2, 3).long(), PAD).item() == pytest.approx(
        math.log(34)
    )


@pytest.mark.parametrize("shape", [(4, 9), (4, 5, 9), (3, 6, 9)])
def test_loss_refuses_other_shapes_with_the_numbers(shape):
    with pytest.raises(ValueError, match=r"targets \(B, T\), got \([0-9, ]+\), \(4, 6\)"):
        masked_cross_entropy(torch.zeros(shape), torch.ones(4, 6).long(), PAD)


# ---- greedy_decode --------------------------------------------------------------------------------------------------


@given(
    words=st.lists(st.lists(st.integers(3, 7), max_size=5), min_size=1, max_size=4),
    max_length=st.integers(1, 7),
)
@settings(max_examples=60, deadline=None)
def test_greedy_decode_writes_what_step_wants(words, max_length):
    script = torch.full((len(words), 8), EOS)
    for row, sentence in zip(script, words, strict=True):
        row[: len(sentence)] = torch.tensor(sentence, dtype=torch.int64)
        row[len(sentence) + 1 :] = 5  # babble after the end, never to be written
    fed = []

    def step(token, state):
        fed.append(token.clone())
        rows, time = state
        return F.one_hot(script[rows, time], 8).float(), (rows, time + 1)

    state = (torch.arange(len(words)), torch.zeros(len(words), dtype=torch.int64))
    written = greedy_decode(step, state, BOS, EOS, max_length)
    needed = min(max_length, max(len(sentence) + 1 for sentence in words))
    expected = torch.full((len(words), needed), EOS)
    for row, sentence in zip(expected, words, strict=True):
        kept = sentence[:needed]
        row[: len(kept)] = torch.tensor(kept, dtype=torch.int64)
    assert torch.equal(written, expected)
    assert (fed[0] == BOS).all() and len(fed) == needed
    for t in range(1, needed):
        assert torch.equal(fed[t], written[:, t - 1])


def test_greedy_decode_takes_one_tensor_as_state():
    written = greedy_decode(lambda token, state: (F.one_hot(token + 1, 9).float(), state), torch.zeros(2, 5), BOS, 4, 6)
    assert written.tolist() == [[2, 3, 4], [2, 3, 4]]


def test_greedy_decode_is_not_ended_by_the_begin_token():
    script = F.one_hot(torch.tensor([3, 4, 1, 5]), 6).float()
    written = greedy_decode(lambda _, time: (script[time[:, 0]], time + 1), torch.zeros(2, 1).long(), 1, 1, 4)
    assert written.tolist() == [[3, 4, 1], [3, 4, 1]]


def test_greedy_decode_refuses_no_length():
    with pytest.raises(ValueError, match="max_length must be at least 1, got 0"):
        greedy_decode(lambda token, state: (token, state), torch.zeros(2, 5), BOS, EOS, 0)


# ---- reverse_source, gradient_reach, fit_the_vector -----------------------------------------------------------------


@given(lengths=st.lists(st.integers(1, 6), min_size=1, max_size=5), extra=st.integers(0, 3))
@settings(max_examples=40, deadline=None)
def test_reverse_source_turns_each_row_and_twice_is_nothing(lengths, extra):
    source = torch.randint(0, 50, (len(lengths), max(lengths) + extra))
    before = source.clone()
    turned = reverse_source(source, torch.tensor(lengths))
    for row, old, n in zip(turned, source, lengths, strict=True):
        assert row.tolist() == old[:n].tolist()[::-1] + old[n:].tolist()
    assert torch.equal(reverse_source(turned, torch.tensor(lengths)), source) and torch.equal(source, before)


@pytest.mark.parametrize("kind", [nn.RNN, nn.GRU, nn.LSTM])
def test_gradient_reach_equals_the_norm_of_the_jacobian(kind):
    network, inputs = kind(3, 5, batch_first=True).double(), torch.randn(2, 4, 3, dtype=torch.float64)
    reach = gradient_reach(network, inputs)
    jacobian = torch.autograd.functional.jacobian(lambda x: network(x)[0][:, -1].sum(), inputs)
    torch.testing.assert_close(reach, jacobian.norm(dim=2).mean(0), atol=1e-12, rtol=0)
    assert not inputs.requires_grad and all(p.grad is None for p in network.parameters())


def test_gradients_that_stand_on_a_module_stay():
    network, model, targets = nn.GRU(3, 5, batch_first=True), seq2seq().train(), padded([4, 2, 5], 9)
    for parameter in (*network.parameters(), *model.parameters()):
        parameter.grad = torch.full_like(parameter, 7.0)
    gradient_reach(network, torch.randn(2, 4, 3))
    fit_the_vector(model, targets, torch.zeros(3, 4), PAD, 2, 0.1)
    assert all((p.grad == 7).all() and p.requires_grad for p in (*network.parameters(), *model.parameters()))
    assert model.training


def test_gradient_reach_takes_a_network_without_a_state():
    reach = gradient_reach(nn.Linear(3, 5), torch.randn(2, 4, 3))
    assert not reach[:3].any() and reach[3] > 0


def test_fit_the_vector_lowers_the_loss_and_touches_nothing_else():
    model, targets, start = seq2seq(), padded([4, 2, 5], 9), torch.zeros(3, 4)
    weights = {name: value.clone() for name, value in model.state_dict().items()}
    vector, losses = fit_the_vector(model, targets, start, PAD, 60, 0.1)
    first = masked_cross_entropy(model.decode(start, targets), targets, PAD)
    assert losses.shape == (60,) and losses[0].item() == pytest.approx(first.item()) and losses[-1] < losses[0] - 0.1
    assert not start.any() and not vector.requires_grad and vector.shape == (3, 4)
    assert all(torch.equal(value, weights[name]) for name, value in model.state_dict().items())
    assert all(p.grad is None for p in model.parameters())
