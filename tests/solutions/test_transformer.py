"""Chapter 06's solutions against what did it first, and the properties that hold for every input."""

import itertools
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
from course.protocol import device
from solutions.dot_product import causal_mask, padding_mask
from solutions.multi_head import MultiHeadAttention, sinusoidal_encoding
from solutions.seq2seq import greedy_decode, masked_cross_entropy
from solutions.transformer import (
    DecoderLayer,
    EncoderLayer,
    FeedForward,
    Transformer,
    TransformerDecoder,
    TransformerEncoder,
    beam_search,
    label_smoothing_loss,
    layer_norm,
    parameter_count,
    token_spread,
    warmup_schedule,
)

TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-10}
SEEDS = st.integers(0, 2**31 - 1)
SIZES = st.integers(1, 6)
BOS, EOS = 1, 2


def generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def scrambled(module: nn.Module, seed: int) -> nn.Module:
    """The module with all parameters drawn anew, norms included, so that none is at its default."""
    g = generator(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(0.5 * torch.randn(parameter.shape, generator=g, dtype=torch.float64))
    return module


# ---- the layers are PyTorch's ---------------------------------------------------------------------------------------


def copy_attention(mine: MultiHeadAttention, theirs: nn.MultiheadAttention) -> None:
    maps = (mine.W_Q, mine.W_K, mine.W_V)
    theirs.in_proj_weight.copy_(torch.cat([linear.weight for linear in maps]))
    theirs.in_proj_bias.copy_(torch.cat([linear.bias for linear in maps]))
    theirs.out_proj.load_state_dict(mine.W_O.state_dict())


@torch.no_grad()
def copy_layer(mine: nn.Module, theirs: nn.Module) -> None:
    copy_attention(mine.self_attention, theirs.self_attn)
    if isinstance(mine, DecoderLayer):
        copy_attention(mine.cross_attention, theirs.multihead_attn)
        theirs.norm3.load_state_dict(mine.norm3.state_dict())
    theirs.norm1.load_state_dict(mine.norm1.state_dict())
    theirs.norm2.load_state_dict(mine.norm2.state_dict())
    theirs.linear1.load_state_dict(mine.feed_forward.linear1.state_dict())
    theirs.linear2.load_state_dict(mine.feed_forward.linear2.state_dict())


def gradients(output: torch.Tensor, cotangent: torch.Tensor, inputs: list[torch.Tensor]) -> list[torch.Tensor]:
    return list(torch.autograd.grad((output * cotangent).sum(), inputs))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("activation", [F.relu, F.gelu])
def test_an_encoder_layer_is_pytorchs(dtype, norm_first, activation):
    mine = scrambled(EncoderLayer(12, 3, 20, activation=activation, norm_first=norm_first).to(dtype), 0)
    options = {"dropout": 0.0, "activation": activation, "batch_first": True, "norm_first": norm_first}
    theirs = nn.TransformerEncoderLayer(12, 3, 20, **options).to(dtype)
    copy_layer(mine, theirs)
    g = generator(1)
    x, cotangent = (torch.randn(3, 5, 12, generator=g, dtype=dtype) for _ in range(2))
    x.requires_grad_()
    mask = padding_mask(torch.tensor([5, 2, 4]), 5) & causal_mask(5)
    out = mine(x, mask)
    blocked = (~mask).repeat_interleave(3, dim=0)  # theirs wants a mask for each head
    expected = theirs(x, src_mask=blocked)
    torch.testing.assert_close(out, expected, atol=TOLERANCE[dtype], rtol=TOLERANCE[dtype])
    weights = [mine.self_attention.W_O.weight, mine.feed_forward.linear1.weight, mine.norm1.weight]
    theirs_weights = [theirs.self_attn.out_proj.weight, theirs.linear1.weight, theirs.norm1.weight]
    pairs = zip(
        gradients(out, cotangent, [x, *weights]), gradients(expected, cotangent, [x, *theirs_weights]), strict=True
    )
    for ours, wanted in pairs:
        torch.testing.assert_close(ours, wanted, atol=100 * TOLERANCE[dtype], rtol=100 * TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("norm_first", [False, True])
def test_a_decoder_layer_is_pytorchs(dtype, norm_first):
    mine = scrambled(DecoderLayer(12, 3, 20, norm_first=norm_first).to(dtype), 0)
    options = {"dropout": 0.0, "batch_first": True, "norm_first": norm_first}
    theirs = nn.TransformerDecoderLayer(12, 3, 20, **options).to(dtype)
    copy_layer(mine, theirs)
    g = generator(1)
    x, cotangent = (torch.randn(3, 4, 12, generator=g, dtype=dtype) for _ in range(2))
    memory = torch.randn(3, 6, 12, generator=g, dtype=dtype)
    x.requires_grad_(), memory.requires_grad_()
    memory_mask = padding_mask(torch.tensor([6, 2, 4]), 6)
    out = mine(x, memory, causal_mask(4), memory_mask)
    expected = theirs(x, memory, tgt_mask=~causal_mask(4), memory_key_padding_mask=~memory_mask.squeeze(1))
    torch.testing.assert_close(out, expected, atol=TOLERANCE[dtype], rtol=TOLERANCE[dtype])
    pairs = zip(gradients(out, cotangent, [x, memory]), gradients(expected, cotangent, [x, memory]), strict=True)
    for ours, wanted in pairs:
        torch.testing.assert_close(ours, wanted, atol=100 * TOLERANCE[dtype], rtol=100 * TOLERANCE[dtype])


@pytest.mark.parametrize("norm_first", [False, True])
def test_a_tower_is_pytorchs(norm_first):
    mine = scrambled(TransformerEncoder(8, 2, 12, 3, norm_first=norm_first).double(), 0)
    layer = nn.TransformerEncoderLayer(8, 2, 12, 0.0, batch_first=True, norm_first=norm_first)
    norm = nn.LayerNorm(8) if norm_first else None
    theirs = nn.TransformerEncoder(layer, 3, norm, enable_nested_tensor=False).double()
    for ours, wanted in zip(mine.layers, theirs.layers, strict=True):
        copy_layer(ours, wanted)
    if norm_first:
        theirs.norm.load_state_dict(mine.norm.state_dict())
    x = torch.randn(2, 5, 8, generator=generator(1), dtype=torch.float64)
    torch.testing.assert_close(mine(x, causal_mask(5)), theirs(x, mask=~causal_mask(5)), atol=1e-10, rtol=1e-10)


@given(seed=SEEDS, B=SIZES, T=SIZES, half=SIZES, scale=st.sampled_from([1e-3, 1.0, 100.0]))
@settings(deadline=None, max_examples=30)
def test_layer_norm_is_pytorchs(seed, B, T, half, scale):
    g, D = generator(seed), 2 * half
    x = scale * torch.randn(B, T, D, generator=g, dtype=torch.float64)
    weight, bias = (torch.randn(D, generator=g, dtype=torch.float64) for _ in range(2))
    torch.testing.assert_close(layer_norm(x, weight, bias, 1e-3), F.layer_norm(x, (D,), weight, bias, 1e-3))


# ---- the stream -----------------------------------------------------------------------------------------------------


@given(seed=SEEDS, B=SIZES, T=SIZES, D=SIZES)
@settings(deadline=None, max_examples=30)
def test_spread_lies_between_nought_and_one(seed, B, T, D):
    x = torch.randn(B, T, D, generator=generator(seed), dtype=torch.float64)
    spread = token_spread(x)
    assert spread.shape == (B,) and (spread >= 0).all() and (spread <= 1 + 1e-12).all()
    torch.testing.assert_close(token_spread(-3 * x), spread)
    shared = x[:, :1].expand(B, T, D)
    torch.testing.assert_close(token_spread(shared), torch.zeros(B, dtype=torch.float64), atol=1e-12, rtol=0)


def test_a_feed_forward_network_sees_one_position():
    network, x = FeedForward(6, 10), torch.randn(2, 5, 6)
    torch.testing.assert_close(network(x), torch.stack([network(column) for column in x.unbind(1)], dim=1))


def test_parts_that_add_nothing_leave_a_pre_norm_stream_alone():
    x, memory = torch.randn(2, 5, 8), torch.randn(2, 3, 8)
    for layer in (EncoderLayer(8, 2, 12, norm_first=True), DecoderLayer(8, 2, 12, norm_first=True)):
        for name, parameter in layer.named_parameters():
            if "W_O" in name or "linear2" in name:
                nn.init.zeros_(parameter)
        out = layer(x) if isinstance(layer, EncoderLayer) else layer(x, memory)
        assert torch.equal(out, x)


def test_layers_of_a_tower_are_distinct():
    for tower in (TransformerEncoder(8, 2, 12, 3), TransformerDecoder(8, 2, 12, 3)):
        one = sum(p.numel() for p in tower.layers[0].parameters())
        assert sum(p.numel() for p in tower.parameters()) == 3 * one + 16


@pytest.mark.parametrize(
    "make",
    [
        lambda: FeedForward(6, 10, F.gelu),
        lambda: EncoderLayer(8, 2, 12, 0.1),
        lambda: DecoderLayer(8, 2, 12, 0.1),
        lambda: TransformerEncoder(8, 2, 12, 3, 0.1),
        lambda: TransformerDecoder(8, 2, 12, 3, 0.1),
        lambda: Transformer(11, 9, 8, 2, 12, 2, BOS),
    ],
)
def test_what_follows_the_sizes_is_named(make):
    with pytest.raises(TypeError, match="positional"):
        make()


# ---- the Transformer ------------------------------------------------------------------------------------------------


def translator(seed: int, dropout: float = 0.0) -> Transformer:
    torch.manual_seed(seed)
    return Transformer(11, 9, 8, 2, 12, 2, bos_id=BOS, dropout=dropout).eval()


def sentences(seed: int, B: int, S: int, T: int):
    g = generator(seed)
    lengths = torch.randint(1, S + 1, (B,), generator=g)
    return torch.randint(3, 11, (B, S), generator=g), lengths, torch.randint(3, 9, (B, T), generator=g)


@given(seed=SEEDS, B=SIZES, S=SIZES, T=SIZES)
@settings(deadline=None, max_examples=20)
def test_one_pass_is_a_pass_for_every_beginning(seed, B, S, T):
    model, (source, lengths, targets) = translator(seed), sentences(seed, B, S, T)
    whole = model(source, lengths, targets)
    state = model.start(source, lengths)
    tokens = F.pad(targets[:, :-1], (1, 0), value=BOS)
    for t in range(T):
        beginning = model(source, lengths, targets[:, : t + 1])
        torch.testing.assert_close(beginning, whole[:, : t + 1], atol=1e-5, rtol=1e-4)
        logits, state = model.step(tokens[:, t], state)
        torch.testing.assert_close(logits, whole[:, t], atol=1e-5, rtol=1e-4)


@given(seed=SEEDS, B=SIZES, S=SIZES, T=SIZES, more=SIZES)
@settings(deadline=None, max_examples=20)
def test_a_sentence_does_not_notice_its_company(seed, B, S, T, more):
    model, (source, lengths, targets) = translator(seed), sentences(seed, B, S, T)
    longer = torch.cat([source, torch.randint(0, 11, (B, more), generator=generator(seed))], dim=1)
    torch.testing.assert_close(model(longer, lengths, targets), model(source, lengths, targets), atol=1e-5, rtol=1e-4)


def test_embeddings_are_scaled_before_positions_are_added():
    model = translator(0)
    tokens = torch.tensor([[3, 4, 3]])
    expected = model.source_embedding.weight[tokens] * 8**0.5 + sinusoidal_encoding(3, 8)
    torch.testing.assert_close(model.embed(model.source_embedding, tokens), expected)


def test_dropout_is_off_in_evaluation_and_on_in_training():
    model, data = translator(0, dropout=0.5), sentences(0, 2, 4, 3)
    assert torch.equal(model(*data), model(*data))
    model.train()
    assert not torch.equal(model(*data), model(*data))


# ---- the schedule, the count, the loss ------------------------------------------------------------------------------


def test_the_schedule_rises_in_a_line_and_falls_with_the_root():
    rates = [warmup_schedule(step, 512, 4_000) for step in range(20_001)]
    assert rates[0] == 0 and rates.index(max(rates)) == 4_000
    assert rates[2_000] == pytest.approx(max(rates) / 2) and rates[16_000] == pytest.approx(max(rates) / 2)
    assert max(rates) == pytest.approx(7e-4, rel=0.01)


@given(half=SIZES, heads=st.sampled_from([1, 2]), d_ff=st.integers(1, 20), layers=st.integers(0, 3), vocabulary=SIZES)
@settings(deadline=None, max_examples=20)
def test_the_count_is_that_of_the_towers(half, heads, d_ff, layers, vocabulary):
    d_model = 2 * half
    sizes = (d_model, heads, d_ff, layers)
    towers = [tower(*sizes, norm_first=False) for tower in (TransformerEncoder, TransformerDecoder)]
    counted = sum(p.numel() for tower in towers for p in tower.parameters())
    assert parameter_count(d_model, d_ff, layers, vocabulary) == counted + vocabulary * d_model


def test_the_papers_models():
    assert parameter_count(512, 2048, 6, 37_000) == 63_082_496
    assert parameter_count(1024, 4096, 6, 37_000) == 214_245_376


@given(seed=SEEDS, B=SIZES, T=SIZES, V=st.integers(2, 7), smoothing=st.floats(0, 0.9))
@settings(deadline=None, max_examples=30)
def test_label_smoothing_is_a_cross_entropy_with_shares(seed, B, T, V, smoothing):
    g = generator(seed)
    logits = torch.randn(B, T, V, generator=g, dtype=torch.float64)
    targets = torch.randint(0, V, (B, T), generator=g)
    loss = label_smoothing_loss(logits, targets, 0, smoothing)
    wanted = F.one_hot(targets, V) * (1 - smoothing) + smoothing / (V - 1)
    wanted[:, :, 0] = 0
    real = targets != 0
    expected = F.cross_entropy(logits[real], wanted[real]) if real.any() else torch.zeros(())
    torch.testing.assert_close(loss, expected.double())
    torch.testing.assert_close(label_smoothing_loss(logits, targets, 0, 0.0), masked_cross_entropy(logits, targets, 0))


# ---- beam search ----------------------------------------------------------------------------------------------------


def writer(seed: int, V: int = 5):
    """A random writer whose state remembers what was written."""
    g = generator(seed)
    inwards, onwards, outwards = (torch.randn(size, generator=g) for size in ((V, 3), (3, 3), (3, V)))

    def step(token, state):
        hidden, kept = state
        hidden = torch.tanh(hidden @ onwards + inwards[token] + kept)
        return 2 * hidden @ outwards, (hidden, kept)

    return step, (torch.randn(1, 3, generator=g), torch.randn(1, 3, generator=g))


@given(seed=SEEDS, length=st.integers(1, 7))
@settings(deadline=None, max_examples=30)
def test_a_beam_of_one_is_greedy(seed, length):
    step, state = writer(seed)
    tokens, _ = beam_search(step, state, BOS, EOS, 1, length)
    assert torch.equal(tokens, greedy_decode(step, state, BOS, EOS, length)[0])


def best_by_trying_all(step, state, length: int, penalty: float, V: int = 5) -> float:
    """The highest score of all sentences that end with EOS, or have `length` tokens and none."""
    best = -math.inf
    for size in range(1, length + 1):
        for tokens in itertools.product(range(V), repeat=size):
            if EOS in tokens[:-1] or (size < length and tokens[-1] != EOS):
                continue
            total, now, token = 0.0, state, torch.tensor([BOS])
            for chosen in tokens:
                logits, now = step(token, now)
                total += F.log_softmax(logits, dim=1)[0, chosen].item()
                token = torch.tensor([chosen])
            best = max(best, total / size**penalty)
    return best


@given(seed=SEEDS, penalty=st.sampled_from([0.0, 1.0]))
@settings(deadline=None, max_examples=8)
def test_a_beam_wide_enough_finds_the_best_of_all(seed, penalty):
    step, state = writer(seed)
    _, score = beam_search(step, state, BOS, EOS, 125, 3, penalty)
    assert score == pytest.approx(best_by_trying_all(step, state, 3, penalty), abs=1e-4)


@given(seed=SEEDS, beam=st.integers(1, 6), length=st.integers(1, 6))
@settings(deadline=None, max_examples=30)
def test_the_score_is_that_of_the_tokens(seed, beam, length):
    step, state = writer(seed)
    tokens, score = beam_search(step, state, BOS, EOS, beam, length, 0.7)
    assert 1 <= len(tokens) <= length and EOS not in tokens[:-1]
    assert len(tokens) == length or tokens[-1] == EOS
    total, token = 0.0, torch.tensor([BOS])
    for chosen in tokens:
        logits, state = step(token, state)
        total += F.log_softmax(logits, dim=1)[0, chosen].item()
        token = chosen.unsqueeze(0)
    assert score == pytest.approx(total / len(tokens) ** 0.7, abs=1e-4)


@pytest.mark.parametrize(("beam", "length"), [(0, 3), (2, 0)])
def test_impossible_searches_are_refused(beam, length):
    with pytest.raises(ValueError, match="at least 1"):
        beam_search(*writer(0), BOS, EOS, beam, length)


def test_a_search_makes_its_tensors_where_the_state_is():
    def step(token, state):
        return state + 0.1 * token.unsqueeze(1), state

    with device._Numbers(), device._OneDevice():
        tokens, _ = beam_search(step, device._moved(torch.randn(1, 5)), BOS, EOS, 3, 4)
    assert tokens.device.type == device.OTHER


# ---- what a message may say -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("component", ["EncoderLayer", "DecoderLayer"])
def test_a_replaced_stream_gets_its_sentence(component):
    """Code outside the bank whose parts add nothing gets the sentence about the stream."""
    exercise = of_component(component)
    wrong = next(answer for answer in bank.find(exercise).wrong if answer.name == "no dropout")
    source = wrong.source.replace("return ", "return 1.5 * ", 1)
    verdict = checks.find(exercise.name, exercise.chapter).compare(
        bank.observe(exercise, source, Key.public(5)), bank.table(exercise, Key.public(5))
    )
    assert verdict.outcome in ("partial", "fail")
    assert any("pass the stream on" in case.message for case in verdict.cases)
