"""Chapter 04's solutions against PyTorch's own, and the properties that hold for every input."""

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from autograde import bank
from course import checks
from course.exercises import of_component
from course.key import Key
from solutions.bahdanau import DotProductAttention
from solutions.dot_product import (
    SelfAttention,
    attend_to_the_past,
    attention_backward,
    attention_matrix_bytes,
    causal_mask,
    hand_set_lookup,
    padding_mask,
    scaled_dot_product_attention,
)

TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-10}
SEEDS = st.integers(0, 2**31 - 1)
SIZES = st.integers(1, 6)
LEADING = st.lists(st.integers(1, 3), max_size=3)


def generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def problem(seed: int, leading: list[int], T: int, S: int, d_k: int, d_v: int, dtype=torch.float32):
    """Query, key, value and a mask in which some rows may allow nothing."""
    g = generator(seed)
    query = torch.randn(*leading, T, d_k, generator=g, dtype=dtype)
    key = torch.randn(*leading, S, d_k, generator=g, dtype=dtype)
    value = torch.randn(*leading, S, d_v, generator=g, dtype=dtype)
    return query, key, value, torch.rand(*leading, T, S, generator=g) < 0.6


# ---- scaled_dot_product_attention -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("masked", ["no mask", "a mask", "a mask with empty rows"])
@pytest.mark.parametrize("leading", [[2], [2, 3]])
def test_outputs_and_gradients_equal_torch(dtype, masked, leading):
    query, key, value, mask = problem(0, leading, 5, 7, 4, 6, dtype)
    mask[..., 0] = True
    if masked == "a mask with empty rows":
        mask[..., 2, :] = False
    given_mask = None if masked == "no mask" else mask
    cotangent = torch.randn(*leading, 5, 6, generator=generator(1), dtype=dtype)
    results = []
    for attend in (
        lambda q, k, v: scaled_dot_product_attention(q, k, v, given_mask)[0],
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=given_mask),
    ):
        inputs = [x.clone().requires_grad_() for x in (query, key, value)]
        output = attend(*inputs)
        results.append([output, *torch.autograd.grad(output, inputs, cotangent)])
    for ours, theirs in zip(*results, strict=True):
        assert ours.dtype == dtype and torch.isfinite(ours).all()
        torch.testing.assert_close(ours, theirs, atol=TOLERANCE[dtype], rtol=0)


@given(seed=SEEDS, leading=LEADING, T=SIZES, S=SIZES, d_k=SIZES, d_v=SIZES)
@settings(deadline=None, max_examples=50)
def test_each_output_is_a_mean_of_the_allowed_values(seed, leading, T, S, d_k, d_v):
    query, key, value, mask = problem(seed, leading, T, S, d_k, d_v)
    output, weights = scaled_dot_product_attention(query, key, value, mask)
    assert output.shape == (*leading, T, d_v) and weights.shape == (*leading, T, S)
    torch.testing.assert_close(weights.sum(-1), mask.any(-1).float())
    assert (weights >= 0).all() and (weights[~mask] == 0).all() and (output[~mask.any(-1)] == 0).all()
    torch.testing.assert_close(output, torch.einsum("...ts,...sv->...tv", weights, value))


@given(seed=SEEDS, T=SIZES, S=SIZES)
@settings(deadline=None, max_examples=50)
def test_shuffled_keys_change_nothing_and_shuffled_queries_shuffle_the_output(seed, T, S):
    query, key, value, mask = problem(seed, [2], T, S, 4, 3)
    output, _ = scaled_dot_product_attention(query, key, value, mask)
    rows, columns = torch.randperm(T, generator=generator(seed)), torch.randperm(S, generator=generator(seed + 1))
    shuffled, _ = scaled_dot_product_attention(
        query[:, rows], key[:, columns], value[:, columns], mask[:, rows][:, :, columns]
    )
    torch.testing.assert_close(shuffled, output[:, rows])


def test_chapter_two_is_the_case_of_one_unscaled_query():
    query, key, value, mask = problem(3, [4], 1, 6, 5, 2)
    output, weights = scaled_dot_product_attention(query * math.sqrt(5), key, value, mask)
    expected, expected_weights = DotProductAttention()(query.squeeze(1), key, value, mask.squeeze(1))
    torch.testing.assert_close(output.squeeze(1), expected)
    torch.testing.assert_close(weights.squeeze(1), expected_weights)


@pytest.mark.parametrize(
    ("shapes", "mask", "numbers"),
    [
        (((2, 4, 5), (2, 6, 3), (2, 6, 3)), None, r"\(2, 4, 5\).*\(2, 6, 3\)"),
        (((2, 4, 5), (2, 6, 5), (2, 7, 5)), None, r"\(2, 6, 5\).*\(2, 7, 5\)"),
        (((2, 4, 5), (1, 6, 5), (1, 6, 5)), None, r"\(2, 4, 5\).*\(1, 6, 5\)"),
        (((5,), (6, 5), (6, 5)), None, r"\(5,\)"),
        (((2, 4, 5), (2, 6, 5), (2, 6, 5)), torch.ones(6, 4, dtype=torch.bool), r"\(6, 4\).*\(2, 4, 6\)"),
        (((2, 4, 5), (2, 6, 5), (2, 6, 5)), torch.ones(4, 6), "float32"),
    ],
)
def test_shapes_that_do_not_fit_are_refused_with_the_numbers(shapes, mask, numbers):
    with pytest.raises(ValueError, match=numbers):
        scaled_dot_product_attention(*(torch.zeros(shape) for shape in shapes), mask)


def test_a_large_negative_number_loses_the_case_of_the_empty_row_alone():
    exercise = of_component("scaled_dot_product_attention")
    table = bank.table(exercise, Key.public(5))
    name = "a large negative number in place of minus infinity"
    wrong = next(w for w in bank.find(exercise).wrong if w.name == name)
    seen = bank.observe(exercise, wrong.source, Key.public(5))
    verdict = checks.find(exercise.name, exercise.chapter).compare(seen, table)
    assert [case.title.split(":")[0] for case in verdict.cases if not case.passed] == [
        "a query whose mask allows nothing"
    ]


@pytest.mark.parametrize("component", ["scaled_dot_product_attention", "SelfAttention", "attend_to_the_past"])
def test_the_library_function_is_refused(component):
    exercise = of_component(component)
    call = "F.scaled_dot_product_attention(query, key, value)"
    sources = {
        "scaled_dot_product_attention": f"def {component}(query, key, value, mask=None):\n    return {call}, None",
        "attend_to_the_past": f"def {component}(query, key, value):\n    return {call}, None",
        "SelfAttention": (
            f"class {component}(nn.Module):\n"
            "    def __init__(self, d_model):\n"
            "        super().__init__()\n"
            "        self.W_Q, self.W_K, self.W_V = (nn.Linear(d_model, d_model, bias=False) for _ in range(3))\n"
            "    def forward(self, x, mask=None):\n"
            "        query, key, value = self.W_Q(x), self.W_K(x), self.W_V(x)\n"
            f"        return {call}, None"
        ),
    }
    source = "import torch.nn.functional as F\n" + sources[component]
    raised = [o.raised for o in bank.observe(exercise, source, Key.public(5)) if o.raised]
    assert raised and all(kind == "Blocked" for kind, _ in raised)


# ---- masks ----------------------------------------------------------------------------------------------------------


@given(length=st.integers(1, 12))
def test_causal_mask_allows_what_is_not_later(length):
    mask = causal_mask(length)
    assert mask.dtype == torch.bool and mask.shape == (length, length)
    assert all(mask[t, s] == (s <= t) for t in range(length) for s in range(length))


@given(lengths=st.lists(st.integers(0, 8), min_size=1, max_size=5), extra=st.integers(0, 3))
def test_padding_mask_allows_the_first_keys(lengths, extra):
    mask = padding_mask(torch.tensor(lengths), 8 + extra)
    assert mask.dtype == torch.bool and mask.shape == (len(lengths), 1, 8 + extra)
    assert mask.sum(-1).flatten().tolist() == lengths
    assert (mask.long().diff(dim=-1) <= 0).all()  # all True first


@given(seed=SEEDS, T=st.integers(2, 7), place=st.integers(1, 6))
@settings(deadline=None, max_examples=50)
def test_under_a_causal_mask_the_future_never_matters(seed, T, place):
    place = min(place, T - 1)
    x = torch.randn(2, T, 5, generator=generator(seed))
    other = torch.cat([x[:, :place], torch.randn(2, T - place, 5, generator=generator(seed + 1))], dim=1)
    attention = SelfAttention(5)
    with torch.no_grad():
        before, after = attention(x, causal_mask(T))[0], attention(other, causal_mask(T))[0]
    torch.testing.assert_close(before[:, :place], after[:, :place])


# ---- self-attention -------------------------------------------------------------------------------------------------


@given(seed=SEEDS, T=SIZES, d_model=SIZES)
@settings(deadline=None, max_examples=50)
def test_self_attention_is_equivariant_and_follows_a_shuffled_mask(seed, T, d_model):
    g = generator(seed)
    attention, x = SelfAttention(d_model), torch.randn(2, T, d_model, generator=g)
    order, mask = torch.randperm(T, generator=g), torch.rand(T, T, generator=g) < 0.6
    with torch.no_grad():
        for before, after in ((None, None), (mask, mask[order][:, order])):
            output, weights = attention(x, before)
            shuffled, shuffled_weights = attention(x[:, order], after)
            torch.testing.assert_close(shuffled, output[:, order])
            torch.testing.assert_close(shuffled_weights, weights[:, order][:, :, order])


def test_self_attention_has_three_maps_without_bias():
    shapes = {name: tuple(p.shape) for name, p in SelfAttention(6).named_parameters()}
    assert shapes == {f"{name}.weight": (6, 6) for name in ("W_Q", "W_K", "W_V")}


# ---- hand_set_lookup ------------------------------------------------------------------------------------------------


@given(seed=SEEDS, K=st.integers(2, 100), extra=st.integers(0, 20))
@settings(deadline=None, max_examples=30)
def test_every_symbol_finds_the_next_among_any_of_them(seed, K, extra):
    g = generator(seed)
    codes = torch.linalg.qr(torch.randn(K + extra, K + extra, generator=g)).Q[:K]
    W_Q, W_K = hand_set_lookup(codes)
    present = torch.randperm(K, generator=g)[: max(1, K // 2)]
    query, key = codes[(present - 1) % K] @ W_Q.T, codes[present] @ W_K.T
    _, weights = scaled_dot_product_attention(query, key, codes[present])
    assert (weights.diagonal() >= 0.99).all()


# ---- attention_matrix_bytes -----------------------------------------------------------------------------------------


def test_the_figures_of_the_chapter():
    assert attention_matrix_bytes(14 * 14, 16, 48) / 2**20 == pytest.approx(112.5, abs=0.05)
    assert attention_matrix_bytes(16 * 16, 16, 48) == 192 * 2**20
    assert attention_matrix_bytes(128 * 128, 16, 48) == 768 * 2**30


def test_bytes_are_those_of_the_weights_themselves():
    weights = torch.empty(3, 2, 5, 5, dtype=torch.bfloat16)
    assert attention_matrix_bytes(5, 2, 3, bytes_per_element=2) == weights.numel() * weights.element_size()


# ---- attention_backward ---------------------------------------------------------------------------------------------


@given(seed=SEEDS, leading=LEADING, T=SIZES, S=SIZES, d_k=SIZES, d_v=SIZES)
@settings(deadline=None, max_examples=50)
def test_the_backward_pass_by_hand_is_autograd(seed, leading, T, S, d_k, d_v):
    *inputs, _ = problem(seed, leading, T, S, d_k, d_v, torch.float64)
    inputs = [x.requires_grad_() for x in inputs]
    output, _ = scaled_dot_product_attention(*inputs)
    cotangent = torch.randn(output.shape, generator=generator(seed), dtype=torch.float64)
    expected = torch.autograd.grad(output, inputs, cotangent)
    with torch.no_grad():
        gradients = attention_backward(*inputs, cotangent)
    for ours, theirs in zip(gradients, expected, strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-10, rtol=0)


def test_forward_and_backward_pass_gradcheck_together():
    class ByHand(torch.autograd.Function):
        @staticmethod
        def forward(ctx, query, key, value):
            ctx.save_for_backward(query, key, value)
            return scaled_dot_product_attention(query, key, value)[0]

        @staticmethod
        def backward(ctx, grad_output):
            return attention_backward(*ctx.saved_tensors, grad_output)

    *inputs, _ = problem(2, [2], 3, 5, 4, 6, torch.float64)
    assert torch.autograd.gradcheck(ByHand.apply, [x.requires_grad_() for x in inputs])


# ---- fix_the_leak ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_attending_to_the_past_equals_torch(dtype):
    query, key, value, _ = problem(4, [2], 6, 6, 4, 3, dtype)
    output, weights = attend_to_the_past(query, key, value)
    expected = F.scaled_dot_product_attention(query, key, value, is_causal=True)
    torch.testing.assert_close(output, expected, atol=TOLERANCE[dtype], rtol=0)
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 6, dtype=dtype))


def test_the_bug_leaks_although_no_weight_points_forward():
    exercise = of_component("attend_to_the_past")
    wrong = next(w for w in bank.find(exercise).wrong if w.name == "as it was found")
    leaky = bank.namespace(exercise, wrong.source)["attend_to_the_past"]
    query, key, value, _ = problem(6, [2], 5, 5, 4, 3)
    before, weights = leaky(query, key, value)
    after, _ = leaky(torch.cat([query[:, :4], query[:, 4:] + 1], dim=1), key, value)
    assert not weights.triu(1).any() and not torch.allclose(before[:, :4], after[:, :4], atol=1e-3)
