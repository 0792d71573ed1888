"""Chapter 02's solutions against what did it first, and the properties that hold for every input."""

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from autograde import bank
from course import checks
from course.exercises import of_component
from course.key import Key
from solutions.bahdanau import (
    AdditiveAttention,
    AttentionDecoder,
    BilinearAttention,
    DotProductAttention,
    alignment_accuracy,
    context_by_hand,
    encode_longest_first,
    masked_softmax,
)
from solutions.seq2seq import Encoder, greedy_decode

TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-10}
SEEDS = st.integers(0, 2**31 - 1)
SIZES = st.integers(1, 6)


def generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def attentions(d_query: int, d_key: int) -> list[nn.Module]:
    """All three score functions for these widths; the dot product where it can."""
    made = [AdditiveAttention(d_query, d_key, 5), BilinearAttention(d_query, d_key)]
    return [*made, DotProductAttention()] if d_query == d_key else made


def problem(seed: int, B: int, S: int, d_query: int, d_key: int, d_value: int):
    """Query, keys, values and a mask in which some rows may allow nothing."""
    g = generator(seed)
    mask = torch.rand(B, S, generator=g) < 0.7
    return (
        torch.randn(B, d_query, generator=g),
        torch.randn(B, S, d_key, generator=g),
        torch.randn(B, S, d_value, generator=g),
        mask,
    )


# ---- masked_softmax -------------------------------------------------------------------------------------------------


@given(seed=SEEDS, shape=st.lists(SIZES, min_size=1, max_size=4), scale=st.sampled_from([1.0, 30.0, 1e4]))
@settings(deadline=None)
def test_rows_sum_to_one_and_forbidden_keys_get_nothing(seed, shape, scale):
    g = generator(seed)
    scores, mask = scale * torch.randn(shape, generator=g), torch.rand(shape, generator=g) < 0.6
    weights = masked_softmax(scores, mask)
    assert weights.shape == scores.shape and (weights >= 0).all()
    assert (weights[~mask] == 0).all()
    torch.testing.assert_close(weights.sum(-1), mask.any(-1).float())


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_masked_softmax_is_softmax_over_the_allowed(dtype):
    g = generator(0)
    scores, mask = torch.randn(3, 4, 6, generator=g, dtype=dtype), torch.rand(3, 4, 6, generator=g) < 0.6
    mask[..., 2] = True
    weights = masked_softmax(scores, mask)
    assert weights.dtype == dtype
    for row, allowed, weight in zip(scores.reshape(-1, 6), mask.reshape(-1, 6), weights.reshape(-1, 6), strict=True):
        torch.testing.assert_close(weight[allowed], torch.softmax(row[allowed], 0), atol=TOLERANCE[dtype], rtol=0)
    torch.testing.assert_close(masked_softmax(scores, None), torch.softmax(scores, -1))


@given(seed=SEEDS, anything=st.sampled_from([0.0, 1e30, -1e30, math.inf, -math.inf, math.nan]))
@settings(deadline=None)
def test_what_stands_in_a_forbidden_score_never_matters(seed, anything):
    g = generator(seed)
    scores, mask = torch.randn(3, 5, generator=g), torch.rand(3, 5, generator=g) < 0.6
    assert torch.equal(masked_softmax(scores, mask), masked_softmax(scores.masked_fill(~mask, anything), mask))


def test_a_row_that_allows_nothing_is_zero_with_zero_gradient():
    scores = torch.randn(3, 5, generator=generator(1)).requires_grad_()
    mask = torch.tensor([[True] * 5, [False] * 5, [True, False, True, False, False]])
    before = scores.detach().clone()
    weights = masked_softmax(scores, mask)
    (weights**2).sum().backward()
    assert (weights[1] == 0).all() and (scores.grad[1] == 0).all()
    assert torch.isfinite(scores.grad).all() and scores.grad[0].abs().sum() > 0
    assert torch.equal(scores, before)


def test_masked_softmax_passes_gradcheck():
    g = generator(2)
    mask = torch.tensor([[True, False, True, True], [False] * 4, [True] * 4])
    scores = torch.randn(3, 4, generator=g, dtype=torch.float64).requires_grad_()
    assert torch.autograd.gradcheck(lambda s: masked_softmax(s, mask), scores)


@pytest.mark.parametrize(
    ("mask", "numbers"),
    [
        (torch.ones(3, 4, dtype=torch.bool), r"\(3, 4\).*\(2, 5\)"),
        (torch.ones(6, 2, 5, dtype=torch.bool), r"\(6, 2, 5\).*\(2, 5\)"),
        (torch.ones(2, 5), "float32"),
    ],
)
def test_a_mask_that_does_not_fit_is_refused_with_the_numbers(mask, numbers):
    with pytest.raises(ValueError, match=numbers):
        masked_softmax(torch.zeros(2, 5), mask)


# ---- context_by_hand ------------------------------------------------------------------------------------------------


@given(seed=SEEDS, S=SIZES, d=SIZES)
@settings(deadline=None)
def test_the_context_by_hand_is_softmax_times_states(seed, S, d):
    g = generator(seed)
    scores, states = torch.randn(S, generator=g), torch.randn(S, d, generator=g)
    context = context_by_hand(scores, states)
    torch.testing.assert_close(context, torch.softmax(scores, 0) @ states)
    assert (context >= states.amin(0) - 1e-5).all() and (context <= states.amax(0) + 1e-5).all()


# ---- the three score functions --------------------------------------------------------------------------------------


@given(seed=SEEDS, B=SIZES, S=SIZES, d_query=SIZES, d_key=SIZES, d_value=SIZES)
@settings(deadline=None, max_examples=50)
def test_every_attention_gives_a_mean_of_the_allowed_values(seed, B, S, d_query, d_key, d_value):
    query, keys, values, mask = problem(seed, B, S, d_query, d_key, d_value)
    for attention in attentions(d_query, d_key):
        output, weights = attention(query, keys, values, mask)
        assert output.shape == (B, d_value) and weights.shape == (B, S)
        torch.testing.assert_close(weights.sum(1), mask.any(1).float())
        assert (weights[~mask] == 0).all() and (output[~mask.any(1)] == 0).all()
        torch.testing.assert_close(output, (weights.unsqueeze(2) * values).sum(1))


@given(seed=SEEDS, S=SIZES, extra=SIZES)
@settings(deadline=None, max_examples=50)
def test_padding_never_matters(seed, S, extra):
    query, keys, values, _ = problem(seed, 3, S, 4, 4, 2)
    g = generator(seed + 1)
    padded_keys = torch.cat([keys, 9 * torch.randn(3, extra, 4, generator=g)], 1)
    padded_values = torch.cat([values, 9 * torch.randn(3, extra, 2, generator=g)], 1)
    mask = torch.arange(S + extra).expand(3, -1) < S
    for attention in attentions(4, 4):
        output, weights = attention(query, keys, values)
        padded_output, padded_weights = attention(query, padded_keys, padded_values, mask)
        torch.testing.assert_close(padded_output, output)
        torch.testing.assert_close(padded_weights[:, :S], weights)
        assert (padded_weights[:, S:] == 0).all()


@given(seed=SEEDS, S=SIZES)
@settings(deadline=None, max_examples=50)
def test_the_order_of_the_keys_does_not_matter(seed, S):
    query, keys, values, mask = problem(seed, 3, S, 4, 4, 2)
    order = torch.randperm(S, generator=generator(seed))
    for attention in attentions(4, 4):
        output, weights = attention(query, keys, values, mask)
        other_output, other_weights = attention(query, keys[:, order], values[:, order], mask[:, order])
        torch.testing.assert_close(other_output, output)
        torch.testing.assert_close(other_weights, weights[:, order])


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("masked", [False, True])
def test_dot_product_equals_torch_at_scale_one(dtype, masked):
    g = generator(3)
    sizes = [(3, 4), (3, 6, 4), (3, 6, 5)]
    leaves = [torch.randn(size, generator=g, dtype=dtype).requires_grad_() for size in sizes]
    twins = [leaf.detach().clone().requires_grad_() for leaf in leaves]
    mask = torch.rand(3, 6, generator=g) < 0.6 if masked else None
    if masked:
        mask[1] = False  # a row that allows nothing: torch agrees that it is zero
    output, weights = DotProductAttention()(*leaves, mask)
    query, keys, values = twins
    torch_mask = None if mask is None else mask.unsqueeze(1)
    expected = F.scaled_dot_product_attention(query.unsqueeze(1), keys, values, attn_mask=torch_mask, scale=1.0)
    cotangent = torch.randn(3, 5, generator=g, dtype=dtype)
    output.backward(cotangent)
    expected.squeeze(1).backward(cotangent)
    close = {"atol": TOLERANCE[dtype], "rtol": 0}
    torch.testing.assert_close(output, expected.squeeze(1), **close)
    for leaf, twin in zip(leaves, twins, strict=True):
        torch.testing.assert_close(leaf.grad, twin.grad, **close)
    assert weights.dtype == dtype


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_bilinear_equals_torch_with_projected_queries(dtype):
    query, keys, values, mask = (x if x.dtype == torch.bool else x.to(dtype) for x in problem(4, 3, 6, 4, 7, 5))
    mask[0] = True
    attention = BilinearAttention(4, 7).to(dtype)
    output, _ = attention(query, keys, values, mask)
    projected = query @ attention.W_a.weight.T
    expected = F.scaled_dot_product_attention(
        projected.unsqueeze(1), keys, values, attn_mask=mask.unsqueeze(1), scale=1.0
    )
    torch.testing.assert_close(output, expected.squeeze(1), atol=TOLERANCE[dtype], rtol=0)


def test_additive_equals_the_equation_and_passes_gradcheck():
    query, keys, values, mask = (x if x.dtype == torch.bool else x.double() for x in problem(5, 3, 6, 4, 7, 2))
    mask[1] = False
    attention = AdditiveAttention(4, 7, 5).double()
    output, weights = attention(query, keys, values, mask)
    W, U, v = (linear.weight for linear in (attention.W_a, attention.U_a, attention.v_a))
    for b in (0, 2):
        allowed = [j for j in range(6) if mask[b, j]]
        scores = torch.stack([v[0] @ torch.tanh(W @ query[b] + U @ keys[b, j]) for j in allowed])
        torch.testing.assert_close(output[b], context_by_hand(scores, values[b, allowed]), atol=1e-10, rtol=0)
    assert (weights[1] == 0).all()
    leaves = [x.requires_grad_() for x in (query, keys, values)]
    assert torch.autograd.gradcheck(lambda *x: attention(*x, mask), leaves)


def test_without_the_tanh_the_query_would_not_matter():
    """The reason for the tanh that the notebook gives."""
    query, keys, values, _ = problem(6, 3, 6, 4, 7, 2)
    attention = AdditiveAttention(4, 7, 5)
    scores = attention.v_a(attention.W_a(query).unsqueeze(1) + attention.U_a(keys)).squeeze(2)
    other = attention.v_a(attention.W_a(query + 1).unsqueeze(1) + attention.U_a(keys)).squeeze(2)
    torch.testing.assert_close(torch.softmax(scores, 1), torch.softmax(other, 1))
    assert not torch.allclose(attention(query, keys, values)[1], attention(query + 1, keys, values)[1], atol=1e-3)


@pytest.mark.parametrize("name", ["AdditiveAttention", "BilinearAttention", "DotProductAttention"])
@pytest.mark.parametrize(
    ("query", "keys", "values", "mask", "numbers"),
    [
        ((3, 5), (3, 6, 4), (3, 6, 2), None, r"\(3, 5\)"),
        ((3, 4), (3, 6, 5), (3, 6, 2), None, r"\(3, 6, 5\)"),
        ((1, 4), (3, 6, 4), (3, 6, 2), None, r"\(1, 4\)"),
        ((3, 4), (3, 6, 4), (3, 5, 2), None, r"\(3, 5, 2\)"),
        ((3, 1, 4), (3, 6, 4), (3, 6, 2), None, r"\(3, 1, 4\)"),
        ((3, 4), (3, 6, 4), (3, 6, 2), (3, 5), r"\(3, 5\)"),
        ((3, 4), (3, 6, 4), (3, 6, 2), (6,), r"\(6,\)"),
    ],
)
def test_shapes_that_do_not_fit_are_refused_with_the_numbers(name, query, keys, values, mask, numbers):
    attention = {
        "AdditiveAttention": AdditiveAttention(4, 4, 5),
        "BilinearAttention": BilinearAttention(4, 4),
        "DotProductAttention": DotProductAttention(),
    }[name]
    given_mask = None if mask is None else torch.ones(mask, dtype=torch.bool)
    with pytest.raises(ValueError, match=numbers):
        attention(torch.zeros(query), torch.zeros(keys), torch.zeros(values), given_mask)


def test_a_mask_of_numbers_is_refused():
    with pytest.raises(ValueError, match="int64"):
        DotProductAttention()(torch.zeros(2, 3), torch.zeros(2, 4, 3), torch.zeros(2, 4, 3), torch.ones(2, 4).long())


# ---- AttentionDecoder -----------------------------------------------------------------------------------------------


def decoder_problem(seed: int, T: int):
    torch.manual_seed(seed)
    decoder = AttentionDecoder(9, 3, 6, 0, 8, AdditiveAttention(6, 7, 5))
    tokens = torch.randint(1, 9, (2, T))
    hidden, keys, values = torch.randn(2, 6), torch.randn(2, 5, 7), torch.randn(2, 5, 8)
    mask = torch.tensor([[True] * 5, [True, True, False, True, False]])
    return decoder, tokens, hidden, keys, values, mask


@given(seed=st.integers(0, 10_000), T=SIZES)
@settings(deadline=None, max_examples=25)
def test_step_by_step_equals_forward(seed, T):
    decoder, tokens, *memory = decoder_problem(seed, T)
    logits, weights = decoder(tokens, *memory)
    assert logits.shape == (2, T, 9) and weights.shape == (2, T, 5)
    state = tuple(memory)
    for t in range(T):
        column, state = decoder.step(tokens[:, t], state)
        torch.testing.assert_close(column, logits[:, t])
    assert all(kept is given for kept, given in zip(state[1:], memory[1:], strict=True))


def test_the_old_state_asks():
    decoder, tokens, hidden, keys, values, mask = decoder_problem(0, 3)
    logits, weights = decoder(tokens, hidden, keys, values, mask)
    context, first = decoder.attention(hidden, keys, values, mask)
    torch.testing.assert_close(weights[:, 0], first)
    state = decoder.cell(torch.cat([decoder.embedding(tokens[:, 0]), context], 1), hidden)
    torch.testing.assert_close(logits[:, 0], decoder.output(torch.cat([state, context], 1)))
    torch.testing.assert_close(weights[:, 1], decoder.attention(state, keys, values, mask)[1])
    assert not torch.allclose(weights[:, 0], weights[:, 1], atol=1e-4)


def test_a_later_token_changes_nothing_before_it():
    decoder, tokens, *memory = decoder_problem(1, 5)
    changed = tokens.clone()
    changed[:, 3] = changed[:, 3] % 8 + 1
    logits, other = decoder(tokens, *memory)[0], decoder(changed, *memory)[0]
    assert torch.equal(logits[:, :3], other[:, :3]) and not torch.equal(logits[:, 3], other[:, 3])


def test_with_torchs_cell_it_is_the_same_decoder():
    """The cell's parameters carry torch.nn.GRUCell's names, so trained weights move over."""
    decoder, tokens, *memory = decoder_problem(2, 4)
    twin = AttentionDecoder(9, 3, 6, 0, 8, AdditiveAttention(6, 7, 5))
    twin.cell = nn.GRUCell(3 + 8, 6)
    twin.load_state_dict(decoder.state_dict())
    torch.testing.assert_close(twin(tokens, *memory), decoder(tokens, *memory), atol=1e-5, rtol=0)


def test_encoder_and_decoder_learn_to_copy():
    """The parts fit together: a few steps bring the loss down, and every parameter takes part."""
    torch.manual_seed(0)
    encoder = Encoder(8, 8, 16, 0)
    decoder = AttentionDecoder(8, 8, 16, 0, 32, AdditiveAttention(16, 32, 16))
    model = nn.ModuleList([encoder, decoder])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    source = torch.randint(3, 8, (16, 4), generator=generator(0))
    lengths, tokens = torch.full((16,), 4), F.pad(source[:, :-1], (1, 0), value=1)
    losses = []
    for _ in range(60):
        outputs, hidden = encoder(source, lengths)
        logits, _ = decoder(tokens, hidden, outputs, outputs, source != 0)
        loss = F.cross_entropy(logits.flatten(0, 1), source.flatten())
        optimizer.zero_grad()
        loss.backward()
        assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in model.parameters())
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.3 * losses[0]
    with torch.no_grad():
        outputs, hidden = encoder(source, lengths)
        written = greedy_decode(decoder.step, (hidden, outputs, outputs, source != 0), 1, 2, 4)
    assert written.shape == (16, 4)


# ---- alignment_accuracy, encode_longest_first -----------------------------------------------------------------------


def test_alignment_accuracy_counts_what_has_a_counterpart():
    weights = torch.tensor([[[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]]])
    assert alignment_accuracy(weights, torch.tensor([[0, 2, -1]])) == 0.5
    assert alignment_accuracy(weights, torch.tensor([[0, 1, 2]])) == 1.0
    assert isinstance(alignment_accuracy(weights, torch.tensor([[-1, 0, -1]])), float)


def test_alignment_accuracy_refuses_what_it_cannot_measure():
    with pytest.raises(ValueError, match="none of the 6"):
        alignment_accuracy(torch.zeros(2, 3, 4), torch.full((2, 3), -1))
    with pytest.raises(ValueError, match=r"\(2, 3, 4\).*\(2, 4\)"):
        alignment_accuracy(torch.zeros(2, 3, 4), torch.zeros(2, 4, dtype=torch.int64))


@given(lengths=st.lists(st.integers(1, 7), min_size=1, max_size=9), seed=SEEDS)
@settings(deadline=None)
def test_every_sentence_comes_back_in_its_own_row(lengths, seed):
    source, given_lengths = torch.randint(3, 99, (len(lengths), 7), generator=generator(seed)), torch.tensor(lengths)
    calls = []

    def encoder(rows, row_lengths):
        calls.append(row_lengths)
        assert (row_lengths[:-1] >= row_lengths[1:]).all()
        return rows.unsqueeze(2).float(), rows[:, :2].float() + row_lengths.unsqueeze(1)

    outputs, state = encode_longest_first(encoder, source, given_lengths)
    assert len(calls) == 1 and given_lengths.tolist() == lengths
    assert torch.equal(outputs, source.unsqueeze(2).float())
    assert torch.equal(state, source[:, :2].float() + given_lengths.unsqueeze(1))


# ---- what the check of masked_softmax promises the learner ----------------------------------------------------------


def test_a_large_negative_number_loses_the_case_of_empty_masks_alone():
    exercise = of_component("masked_softmax")
    table = bank.table(exercise, Key.public(5))
    wrong = next(w for w in bank.find(exercise).wrong if w.name == "a fully masked row is uniform")
    seen = bank.observe(exercise, wrong.source, Key.public(5))
    verdict = checks.find("masked_softmax", "bahdanau").compare(seen, table)
    lost = [case.title for case in verdict.cases if not case.passed]
    assert lost == ["a row whose mask allows nothing: zero weights and a zero gradient"]
    assert verdict.diagnosis == wrong.name
