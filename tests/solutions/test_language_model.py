"""Chapter 07's solutions: what holds for every input. The comparison with GPT-2 stands in test_peers.py."""

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
from solutions.language_model import (
    CausalLanguageModel,
    KeyValueCache,
    bits_per_character,
    generate,
    induction_score,
    prefixes_equal_one_pass,
    sampling_distribution,
    split_windows,
)

SEEDS = st.integers(0, 2**31 - 1)
V, LONGEST, D, H = 11, 12, 12, 3


def generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def small_model(seed: int = 0, layers: int = 2) -> CausalLanguageModel:
    """A model in float64 whose weights are random throughout, biases and norms too."""
    model = CausalLanguageModel(V, LONGEST, D, H, 17, layers).double().eval()
    g = generator(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(0.5 * torch.randn(parameter.shape, generator=g, dtype=torch.float64))
    return model


def tokens_of(seed: int, batch: int, length: int) -> torch.Tensor:
    return torch.randint(V, (batch, length), generator=generator(seed))


# ---- CausalLanguageModel --------------------------------------------------------------------------------------------


@given(seed=SEEDS, length=st.integers(2, LONGEST), data=st.data())
@settings(deadline=None, max_examples=25)
def test_no_row_of_logits_depends_on_a_later_token(seed, length, data):
    place = data.draw(st.integers(1, length - 1))
    model, tokens = small_model(), tokens_of(seed, 2, length)
    changed = tokens.clone()
    changed[:, place:] = (changed[:, place:] + 1 + tokens_of(seed + 1, 2, length - place) % (V - 1)) % V
    before, after = model(tokens), model(changed)
    assert torch.equal(before[:, :place], after[:, :place])
    assert not torch.allclose(before[:, place], after[:, place])


def test_the_model_equals_torchs_own_encoder_with_a_causal_mask():
    model, tokens = small_model(), tokens_of(1, 3, 7)
    layer = nn.TransformerEncoderLayer(
        D, H, 17, dropout=0.0, activation=F.gelu, batch_first=True, norm_first=True, dtype=torch.float64
    )
    peer = nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(D, dtype=torch.float64), enable_nested_tensor=False)
    with torch.no_grad():
        for mine, its in zip(model.layers, peer.layers, strict=True):
            a = mine.self_attention
            its.self_attn.in_proj_weight.copy_(torch.cat([a.W_Q.weight, a.W_K.weight, a.W_V.weight]))
            its.self_attn.in_proj_bias.copy_(torch.cat([a.W_Q.bias, a.W_K.bias, a.W_V.bias]))
            its.self_attn.out_proj.load_state_dict(a.W_O.state_dict())
            for name in ("linear1", "linear2"):
                getattr(its, name).load_state_dict(getattr(mine.feed_forward, name).state_dict())
            for name in ("norm1", "norm2"):
                getattr(its, name).load_state_dict(getattr(mine, name).state_dict())
        peer.norm.load_state_dict(model.norm.state_dict())
    x = model.token_embedding(tokens) + model.positions.weight[:7]
    hidden = peer.eval()(x, mask=torch.ones(7, 7, dtype=torch.bool).triu(1))
    torch.testing.assert_close(model(tokens), hidden @ model.token_embedding.weight.T, atol=1e-10, rtol=0)


def test_input_and_output_share_one_matrix():
    names = [name for name, p in small_model().named_parameters() if p.shape == (V, D)]
    assert names == ["token_embedding.weight"]


def test_the_loss_is_the_mean_surprise_of_every_next_token():
    model, tokens = small_model(), tokens_of(2, 3, 6)
    p = torch.softmax(model(tokens[:, :-1]), dim=-1).detach()
    each = [-math.log(p[b, t, tokens[b, t + 1]]) for b in range(3) for t in range(5)]
    assert model.loss(tokens).item() == pytest.approx(sum(each) / 15, abs=1e-12)


def test_an_untrained_model_knows_nothing_yet():
    torch.manual_seed(0)
    model = CausalLanguageModel(V, LONGEST, 64, 4, 256, 2)
    assert model.loss(tokens_of(3, 50, 12)).item() == pytest.approx(math.log(V), abs=0.7)


def test_more_tokens_than_positions_are_refused_with_the_numbers():
    with pytest.raises(ValueError, match=str(LONGEST)):
        small_model()(tokens_of(0, 1, LONGEST + 1))


# ---- prefixes_equal_one_pass ----------------------------------------------------------------------------------------


class Reader(nn.Module):
    def __init__(self, both: bool):
        super().__init__()
        self.embedding = nn.Embedding(V, 6)
        self.gru = nn.GRU(6, 6, batch_first=True, bidirectional=both)
        self.output = nn.Linear(12 if both else 6, V)

    def forward(self, tokens):
        return self.output(self.gru(self.embedding(tokens))[0])


@pytest.mark.parametrize(
    ("model", "causal"), [(small_model(), True), (Reader(False).double(), True), (Reader(True).double(), False)]
)
def test_prefixes_equal_one_pass_where_the_model_is_causal(model, causal):
    one_pass, prefixes = prefixes_equal_one_pass(model, tokens_of(4, 3, 8))
    assert [g.shape for g in one_pass] == [p.shape for p in model.parameters()]
    close = all(torch.allclose(a, b, atol=1e-11, rtol=0) for a, b in zip(one_pass, prefixes, strict=True))
    assert close == causal
    assert all(p.grad is None for p in model.parameters())


# ---- bits_per_character ---------------------------------------------------------------------------------------------


@given(seed=SEEDS, cut=st.integers(1, 5))
@settings(deadline=None)
def test_bits_do_not_depend_on_how_the_text_is_put_into_batches(seed, cut):
    table = torch.randn(V, V, generator=generator(seed))
    windows = tokens_of(seed, 6, 5)
    whole = bits_per_character(lambda tokens: table[tokens], [windows])
    parts = bits_per_character(lambda tokens: table[tokens], [windows[:cut], windows[cut:]])
    assert whole == pytest.approx(parts, rel=1e-5)
    assert bits_per_character(lambda tokens: torch.zeros(*tokens.shape, V), [windows]) == pytest.approx(math.log2(V))


# ---- sampling -------------------------------------------------------------------------------------------------------


@given(
    seed=SEEDS,
    temperature=st.sampled_from([0.0, 0.3, 1.0, 2.0]),
    top_k=st.one_of(st.none(), st.integers(1, V + 2)),
    top_p=st.one_of(st.none(), st.floats(0.01, 1.0)),
)
@settings(deadline=None)
def test_a_sampling_distribution_keeps_the_most_likely_and_sums_to_one(seed, temperature, top_k, top_p):
    logits = torch.randn(4, V, generator=generator(seed), dtype=torch.float64)
    given_logits = logits.clone()
    p = sampling_distribution(logits, temperature, top_k, top_p)
    assert torch.equal(logits, given_logits)
    torch.testing.assert_close(p.sum(dim=1), torch.ones(4, dtype=torch.float64))
    for row, scores in zip(p, logits, strict=True):
        kept = row > 0
        if not kept.all():
            assert scores[kept].min() > scores[~kept].max()  # what is dropped is less likely than what is kept
    if top_k is not None:
        assert (p > 0).sum(dim=1).max() <= top_k


@given(seed=SEEDS, top_p=st.floats(0.05, 0.99))
@settings(deadline=None)
def test_top_p_keeps_the_fewest_that_reach_p(seed, top_p):
    logits = 2 * torch.randn(1, V, generator=generator(seed), dtype=torch.float64)
    kept = sampling_distribution(logits, top_p=top_p)[0] > 0
    whole = torch.softmax(logits[0], dim=0)[kept]
    assert whole.sum() >= top_p - 1e-12
    assert whole.sum() - whole.min() < top_p + 1e-12  # without the last one it would not be reached


def test_temperature_zero_is_greedy_and_low_temperatures_come_near_it():
    logits = torch.tensor([[0.0, 2.0, 2.0, 1.0]])
    assert sampling_distribution(logits, 0.0).tolist() == [[0.0, 1.0, 0.0, 0.0]]
    logits = torch.tensor([[0.0, 2.0, 1.5, 1.0]])
    torch.testing.assert_close(sampling_distribution(logits, 0.01), sampling_distribution(logits, 0.0))


@pytest.mark.parametrize("wrong", [{"temperature": -0.1}, {"top_k": 0}, {"top_p": 0.0}, {"top_p": 1.01}])
def test_impossible_settings_are_refused(wrong):
    with pytest.raises(ValueError, match=str(next(iter(wrong.values())))):
        sampling_distribution(torch.zeros(1, 3), **wrong)


def test_generate_slides_its_window_and_keeps_what_was_given():
    model, tokens = small_model(), tokens_of(5, 2, 4)
    written = generate(model, tokens, 12, LONGEST, temperature=0.0)
    assert written.shape == (2, 16) and torch.equal(written[:, :4], tokens) and not written.requires_grad
    for t in range(4, 16):
        expected = model(written[:, max(0, t - LONGEST) : t])[:, -1].argmax(dim=1)
        assert torch.equal(written[:, t], expected)


# ---- KeyValueCache --------------------------------------------------------------------------------------------------


@given(seed=SEEDS, data=st.data())
@settings(deadline=None, max_examples=25)
def test_cached_equals_uncached_however_the_text_is_cut(seed, data):
    length = data.draw(st.integers(1, LONGEST))
    pieces = []
    while sum(pieces) < length:
        pieces.append(data.draw(st.integers(1, length - sum(pieces))))
    model, tokens = small_model(), tokens_of(seed, 3, length)
    cache = KeyValueCache(model)
    with torch.no_grad():
        cached = torch.cat([cache(piece) for piece in tokens.split(pieces, dim=1)], dim=1)
        torch.testing.assert_close(cached, model(tokens), atol=1e-10, rtol=0)
    assert cache.length == length and cache.keys[0].shape == cache.values[1].shape == (3, H, length, D // H)


def test_a_full_window_is_refused_and_nothing_is_read():
    model, tokens = small_model(), tokens_of(6, 2, LONGEST)
    cache = KeyValueCache(model)
    cache(tokens[:, :10])
    with pytest.raises(ValueError, match=f"10.*3.*{LONGEST}"):
        cache(tokens[:, :3])
    torch.testing.assert_close(cache(tokens[:, 10:]), model(tokens)[:, 10:], atol=1e-10, rtol=0)


# ---- induction_score and split_windows ------------------------------------------------------------------------------


@given(seed=SEEDS, length=st.integers(3, 8))
@settings(deadline=None)
def test_induction_score_equals_the_docstring_read_with_loops(seed, length):
    g = generator(seed)
    tokens = torch.randint(3, (2, length), generator=g)
    tokens[0, -1] = tokens[0, 0]
    causal = torch.ones(length, length, dtype=torch.bool).tril()
    weights = torch.softmax(torch.randn(2, 2, length, length, generator=g).masked_fill(~causal, -math.inf), dim=3)
    shares = []
    for b in range(2):
        for t in range(length):
            places = [j for j in range(1, length) if tokens[b, j - 1] == tokens[b, t] and j - 1 < t]
            if places:
                shares.append(weights[b, :, t, places].sum(dim=1))
    torch.testing.assert_close(induction_score(weights, tokens), torch.stack(shares).mean(dim=0))
    with pytest.raises(ValueError, match="second time"):
        induction_score(weights[:1, :, :3, :3], torch.tensor([[0, 1, 2]]))


@given(total=st.integers(12, 60), length=st.integers(1, 5), stride=st.integers(1, 7), held_out=st.integers(6, 20))
@settings(deadline=None)
def test_the_parts_share_no_token_and_every_window_is_one_run(total, length, stride, held_out):
    tokens, held_out = torch.arange(total), min(held_out, total)
    if total - held_out <= length:
        with pytest.raises(ValueError, match=f"parts of {total - held_out} "):
            split_windows(tokens, length, stride, held_out)
        return
    training, validation = split_windows(tokens, length, stride, held_out)
    assert not set(training.flatten().tolist()) & set(validation.flatten().tolist())
    for windows, first in ((training, 0), (validation, total - held_out)):
        assert windows.shape[1] == length + 1 and (windows.diff(dim=1) == 1).all()
        assert windows[0, 0] == first and (windows[:, 0].diff() == stride).all()
    assert training.max() < total - held_out <= validation.min()


# ---- the answer bank ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "component",
    [
        "CausalLanguageModel",
        "prefixes_equal_one_pass",
        "bits_per_character",
        "generate",
        "KeyValueCache",
        "induction_score",
        "split_windows",
    ],
)
def test_the_reference_passes_its_own_check(component):
    exercise = of_component(component)
    check = checks.find(exercise.name, exercise.chapter)
    seen = bank.observe(exercise, None, Key.public(5))
    assert len(seen) == len(check.cases) and all(o.raised is None for o in seen)
