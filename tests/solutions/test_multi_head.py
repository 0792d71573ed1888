"""Chapter 05's solutions against what did it first, and the properties that hold for every input."""

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from course.fixtures.multi_head import four_maps
from solutions import multi_head
from solutions.dot_product import SelfAttention, causal_mask
from solutions.multi_head import (
    LearnedPositionalEncoding,
    MultiHeadAttention,
    ablate_heads,
    attend_with_torch,
    convolution_as_attention,
    merge_heads,
    previous_token_head,
    sinusoidal_encoding,
    split_heads,
)

TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-10}
SEEDS = st.integers(0, 2**31 - 1)
SIZES = st.integers(1, 5)


def generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def twins(d_model: int, num_heads: int, dtype: torch.dtype = torch.float32) -> tuple[MultiHeadAttention, nn.Module]:
    """The course's attention and torch's with the same numbers, biases too."""
    torch.manual_seed(0)
    ours = MultiHeadAttention(d_model, num_heads).to(dtype)
    theirs = nn.MultiheadAttention(d_model, num_heads, batch_first=True).to(dtype)
    with torch.no_grad():
        for parameter in ours.parameters():
            parameter.normal_(std=0.5)
        maps = (ours.W_Q, ours.W_K, ours.W_V)
        theirs.in_proj_weight.copy_(torch.cat([W.weight for W in maps]))
        theirs.in_proj_bias.copy_(torch.cat([W.bias for W in maps]))
        theirs.out_proj.load_state_dict(ours.W_O.state_dict())
    return ours, theirs


def some_mask(seed: int, *shape: int) -> Tensor:
    """A boolean mask in which every row allows at least one key."""
    mask = torch.rand(shape, generator=generator(seed)) < 0.6
    mask[..., seed % shape[-1]] = True
    return mask


# ---- split_heads, merge_heads ---------------------------------------------------------------------------------------


@given(seed=SEEDS, B=SIZES, T=SIZES, H=SIZES, d=SIZES)
@settings(deadline=None)
def test_a_head_is_a_block_of_features_and_merging_undoes_it(seed, B, T, H, d):
    x = torch.randn(B, T, H * d, generator=generator(seed))
    heads = split_heads(x, H)
    assert heads.shape == (B, H, T, d)
    for h in range(H):
        assert torch.equal(heads[:, h], x[:, :, h * d : (h + 1) * d])
    assert torch.equal(merge_heads(heads), x)


@pytest.mark.parametrize("make", [lambda: split_heads(torch.zeros(2, 3, 8), 3), lambda: MultiHeadAttention(8, 3)])
def test_heads_that_do_not_divide_the_width_are_refused_with_the_numbers(make):
    with pytest.raises(ValueError, match=r"3.*8"):
        make()


def test_the_reference_test_passes_the_right_one_and_no_view():
    assert multi_head.test_split_heads(split_heads) is True
    assert multi_head.test_split_heads(lambda x, H: x.reshape(len(x), H, x.shape[1], -1)) is False


# ---- MultiHeadAttention ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("cross", [False, True])
def test_output_weights_and_gradients_are_those_of_torchs_module(dtype, masked, cross):
    ours, theirs = twins(12, 3, dtype)
    g = generator(1)
    T, S = 5, 6 if cross else 5
    query = torch.randn(2, T, 12, generator=g, dtype=dtype)
    key, value = (torch.randn(2, S, 12, generator=g, dtype=dtype) if cross else query for _ in range(2))
    mask = some_mask(2, 2, T, S) if masked else None
    blocked = None if mask is None else (~mask).repeat_interleave(3, dim=0)
    leaves = [[x.clone().requires_grad_() for x in (query, key, value)] for _ in range(2)]
    output, weights = ours(*leaves[0], mask)
    expected, expected_weights = theirs(*leaves[1], attn_mask=blocked, average_attn_weights=False)
    close = {"atol": TOLERANCE[dtype], "rtol": 0}
    torch.testing.assert_close(output, expected, **close)
    torch.testing.assert_close(weights, expected_weights, **close)
    cotangent, on_weights = (torch.randn(x.shape, generator=g, dtype=dtype) for x in (output, weights))
    ((output * cotangent).sum() + (weights * on_weights).sum()).backward()
    ((expected * cotangent).sum() + (expected_weights * on_weights).sum()).backward()
    close["rtol"] = TOLERANCE[dtype]
    for leaf, twin in zip(*leaves, strict=True):
        torch.testing.assert_close(leaf.grad, twin.grad, **close)
    maps = (ours.W_Q, ours.W_K, ours.W_V)
    torch.testing.assert_close(torch.cat([W.weight.grad for W in maps]), theirs.in_proj_weight.grad, **close)
    torch.testing.assert_close(torch.cat([W.bias.grad for W in maps]), theirs.in_proj_bias.grad, **close)
    torch.testing.assert_close(ours.W_O.weight.grad, theirs.out_proj.weight.grad, **close)
    torch.testing.assert_close(ours.W_O.bias.grad, theirs.out_proj.bias.grad, **close)


def test_a_query_that_may_look_at_nothing_gets_the_bias_and_finite_gradients():
    """Here torch's module gives NaN, so it is no oracle."""
    ours, _ = twins(6, 2)
    mask = torch.tensor([[True, False, True], [False] * 3, [True] * 3]).unsqueeze(0)
    x = torch.randn(1, 3, 6, generator=generator(3)).requires_grad_()
    output, weights = ours(x, x, x, mask)
    assert (weights[0, :, 1] == 0).all()
    torch.testing.assert_close(output[0, 1], ours.W_O.bias)
    output.sum().backward()
    assert torch.isfinite(x.grad).all()


@given(seed=SEEDS, T=SIZES, S=SIZES)
@settings(deadline=None, max_examples=30)
def test_masks_broadcast_over_sentences_queries_and_heads(seed, T, S):
    ours, _ = twins(6, 3)
    g = generator(seed)
    query, memory = torch.randn(2, T, 6, generator=g), torch.randn(2, S, 6, generator=g)
    for mask in (some_mask(seed, T, S), some_mask(seed, 2, 1, S), some_mask(seed, 1, T, S)):
        output, weights = ours(query, memory, memory, mask)
        full, full_weights = ours(query, memory, memory, mask.expand(2, T, S))
        assert torch.equal(output, full) and torch.equal(weights, full_weights)
        torch.testing.assert_close(weights.sum(-1), torch.ones(2, 3, T))
        assert (weights.masked_select(~mask.expand(2, T, S).unsqueeze(1)) == 0).all()


def test_one_head_is_chapter_04s_self_attention_and_a_linear_map():
    torch.manual_seed(1)
    one, chapter_04 = MultiHeadAttention(8, 1), SelfAttention(8)
    with torch.no_grad():
        for ours, theirs in zip((one.W_Q, one.W_K, one.W_V), chapter_04.children(), strict=True):
            ours.weight.copy_(theirs.weight)
            ours.bias.zero_()
    x = torch.randn(2, 5, 8)
    output, weights = chapter_04(x, causal_mask(5))
    mine, my_weights = one(x, x, x, causal_mask(5))
    torch.testing.assert_close(mine, one.W_O(output))
    torch.testing.assert_close(my_weights[:, 0], weights)


def test_twice_the_heads_are_the_same_number_of_parameters():
    counts = {H: sum(p.numel() for p in MultiHeadAttention(64, H).parameters()) for H in (1, 4, 8)}
    assert set(counts.values()) == {4 * (64 * 64 + 64)} == {16_640}


@given(seed=SEEDS)
@settings(deadline=None, max_examples=20)
def test_the_order_of_the_heads_does_not_matter(seed):
    ours, _ = twins(12, 3)
    order = torch.randperm(3, generator=generator(seed))
    features = torch.arange(12).view(3, 4)[order].flatten()
    other = MultiHeadAttention(12, 3)
    with torch.no_grad():
        for name in ("W_Q", "W_K", "W_V"):
            getattr(other, name).weight.copy_(getattr(ours, name).weight[features])
            getattr(other, name).bias.copy_(getattr(ours, name).bias[features])
        other.W_O.weight.copy_(ours.W_O.weight[:, features])
        other.W_O.bias.copy_(ours.W_O.bias)
    x = torch.randn(2, 5, 12, generator=generator(seed))
    output, weights = ours(x, x, x)
    moved, moved_weights = other(x, x, x)
    torch.testing.assert_close(moved, output)
    torch.testing.assert_close(moved_weights, weights[:, order])


# ---- positions ------------------------------------------------------------------------------------------------------


@given(length=st.integers(1, 40), half=SIZES)
@settings(deadline=None)
def test_the_encoding_is_the_formula_one_number_at_a_time(length, half):
    d_model = 2 * half
    encoding = sinusoidal_encoding(length, d_model)
    assert encoding.shape == (length, d_model) and encoding.dtype == torch.float32
    for t in range(length):
        for i in range(half):
            angle = t / 10_000 ** (2 * i / d_model)
            assert encoding[t, 2 * i] == pytest.approx(math.sin(angle), abs=1e-5)
            assert encoding[t, 2 * i + 1] == pytest.approx(math.cos(angle), abs=1e-5)


def test_dot_products_of_positions_depend_on_their_difference():
    products = sinusoidal_encoding(200, 32) @ sinusoidal_encoding(200, 32).T
    for distance in (0, 1, 7, 150):
        along = products.diagonal(distance)
        torch.testing.assert_close(along, along[:1].expand_as(along), atol=1e-3, rtol=0)


@pytest.mark.parametrize("make", [lambda: sinusoidal_encoding(4, 7), lambda: previous_token_head(7, 1.0)])
def test_an_odd_width_is_refused_with_the_number(make):
    with pytest.raises(ValueError, match="7"):
        make()


def test_the_table_adds_its_first_rows_and_ends():
    table = LearnedPositionalEncoding(6, 4)
    x = torch.randn(3, 5, 4)
    torch.testing.assert_close(table(x), x + table.weight[:5])
    table(x).sum().backward()
    assert (table.weight.grad[:5] == 3).all() and (table.weight.grad[5] == 0).all()
    with pytest.raises(ValueError, match=r"6 positions.*\(3, 7, 4\)"):
        table(torch.zeros(3, 7, 4))


# ---- heads set by hand ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [2, 16, 300, 2_048])
def test_the_previous_token_head_holds_at_every_length(length):
    W_Q, W_K = previous_token_head(32, 50.0)
    encoding = sinusoidal_encoding(length, 32)
    weights = torch.softmax((encoding @ W_Q.T) @ (encoding @ W_K.T).T / math.sqrt(32), dim=1)
    assert weights.diagonal(-1).min() > 0.995
    assert weights[0].argmax() == 0


@given(half=st.integers(1, 20), gain=st.floats(0.5, 60), t=st.integers(0, 500))
@settings(deadline=None)
def test_its_query_is_gain_times_the_position_before(half, gain, t):
    W_Q, W_K = previous_token_head(2 * half, gain)
    encoding = sinusoidal_encoding(t + 2, 2 * half)
    torch.testing.assert_close(encoding[t + 1] @ W_Q.T, gain * encoding[t], atol=gain * 2e-4, rtol=0)
    assert torch.equal(W_K, torch.eye(2 * half)) and W_Q.dtype == torch.float32


@given(seed=SEEDS, B=SIZES, T=SIZES, C_in=SIZES, C_out=SIZES, K=st.sampled_from([1, 3, 5, 7]))
@settings(deadline=None)
def test_the_heads_are_a_convolution_edges_too(seed, B, T, C_in, C_out, K):
    g = generator(seed)
    x, weight, bias = (
        torch.randn(shape, generator=g, dtype=torch.float64).requires_grad_()
        for shape in ((B, T, C_in), (C_out, C_in, K), (C_out,))
    )
    output, weights = convolution_as_attention(x, weight, bias)
    expected = F.conv1d(x.transpose(1, 2), weight, bias, padding=K // 2).transpose(1, 2)
    torch.testing.assert_close(output, expected, atol=1e-10, rtol=0)
    assert weights.shape == (K, T, T) and ((weights == 0) | (weights == 1)).all() and weights.sum(2).max() <= 1
    cotangent = torch.randn(output.shape, generator=g, dtype=torch.float64)
    gradients, wanted = (torch.autograd.grad((y * cotangent).sum(), (x, weight, bias)) for y in (output, expected))
    for mine, theirs in zip(gradients, wanted, strict=True):
        torch.testing.assert_close(mine, theirs, atol=1e-9, rtol=0)


# ---- heads switched off, torch's attention borrowed -----------------------------------------------------------------


@given(seed=SEEDS, off=st.sets(st.integers(0, 3)))
@settings(deadline=None, max_examples=30)
def test_the_output_is_a_sum_over_the_heads(seed, off):
    ours, _ = twins(8, 4)
    x = torch.randn(2, 5, 8, generator=generator(seed))
    before = {name: value.clone() for name, value in ours.state_dict().items()}
    whole, weights = ours(x, x, x)
    bias = ours.W_O.bias
    alone = [ablate_heads(ours, [h for h in range(4) if h != kept])(x, x, x)[0] - bias for kept in range(4)]
    torch.testing.assert_close(sum(alone) + bias, whole)
    without, same_weights = ablate_heads(ours, off)(x, x, x)
    torch.testing.assert_close(without, whole - sum(alone[h] for h in off))
    assert torch.equal(same_weights, weights)
    assert all(torch.equal(value, before[name]) for name, value in ours.state_dict().items())


@pytest.mark.parametrize("head", [-1, 4])
def test_a_head_that_is_not_there_is_refused(head):
    with pytest.raises(ValueError, match=rf"0 to 3, got {head}"):
        ablate_heads(MultiHeadAttention(8, 4), [0, head])


def test_heads_may_come_from_a_generator():
    ours, _ = twins(8, 4)
    x = torch.randn(2, 5, 8, generator=generator(6))
    assert torch.equal(ablate_heads(ours, (h for h in (3, 1)))(x, x, x)[0], ablate_heads(ours, [1, 3])(x, x, x)[0])


def test_the_attention_that_the_check_hands_out_is_the_courses_and_calls_its_maps():
    ours, _ = twins(8, 4)
    handed = four_maps(8, 4)
    handed.load_state_dict(ours.state_dict())
    query, memory = (torch.randn(2, length, 8, generator=generator(7)) for length in (5, 6))
    for mine, theirs in zip(ours(query, memory, memory), handed(query, memory, memory), strict=True):
        torch.testing.assert_close(mine, theirs)
    handed.W_O.register_forward_pre_hook(lambda module, given: (0 * given[0],))
    torch.testing.assert_close(handed(query, memory, memory)[0], ours.W_O.bias.expand(2, 5, 8))


@given(seed=SEEDS, B=SIZES, T=SIZES, S=SIZES)
@settings(deadline=None, max_examples=30)
def test_borrowed_from_torch_it_is_the_same_attention(seed, B, T, S):
    ours, theirs = twins(6, 3)
    g = generator(seed)
    query, memory, mask = torch.randn(B, T, 6, generator=g), torch.randn(B, S, 6, generator=g), some_mask(seed, B, T, S)
    output, weights = attend_with_torch(theirs, query, memory, memory, mask)
    expected, expected_weights = ours(query, memory, memory, mask)
    torch.testing.assert_close(output, expected, atol=1e-5, rtol=0)
    torch.testing.assert_close(weights, expected_weights, atol=1e-5, rtol=0)


# ---- what the notebook says -----------------------------------------------------------------------------------------


@given(seed=SEEDS, p=st.floats(0.5, 1.0))
@settings(deadline=None, max_examples=50)
def test_no_linear_read_out_of_one_mean_names_the_lighter_neighbor(seed, p):
    """The proof in section 5.1. A read-out f would need all its margins positive, and these two sums of them, neither
    of which has a negative factor, cancel whatever f is."""
    q = 1 - p
    f = torch.randn(3, 3, generator=generator(seed), dtype=torch.float64)
    over_the_heavier = over_the_third = 0.0
    for a in range(3):
        for b in range(3):
            if a != b:
                logits = p * f[a] + q * f[b]  # a on the left, b on the right; b is to be named
                over_the_heavier += logits[b] - logits[a]
                over_the_third += logits[b] - logits[3 - a - b]
    assert abs(q * over_the_heavier + (p - q) * over_the_third) < 1e-9
