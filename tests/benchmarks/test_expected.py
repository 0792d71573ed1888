"""What arithmetic expects of a GPU, by hand where that is possible, and what of a result is called strange."""

from dataclasses import asdict, replace

import pytest
import torch

from benchmarks import decoding, expected, models
from benchmarks.cards import CARDS, LAUNCH, on_card
from benchmarks.peers import MODELS

A100 = CARDS["a100"]
META = torch.device("meta")


def test_two_layers_say_what_twelve_take():
    """Nearly: the kernels whose bytes are few are not quite alike."""
    rung = models.RUNGS["bfloat16, fused attention"]
    size = replace(MODELS["vit"].sizes["small"], batch=64)
    assert size.num_layers == 4
    clock, products = expected.seconds_of_step(A100, "vit", size, "training", rung)
    with on_card(A100) as whole:
        step = models.make_step(MODELS["vit"], "course", size, "training", rung, META)
        step()
        whole.wait()
        before, operations = whole.now, whole.operations
        step()
        whole.wait()
    assert clock == pytest.approx(whole.now - before, rel=0.02)
    assert products == pytest.approx((whole.operations - operations) / 312e12, rel=0.02)
    # by hand: 6 operations a weight and token, and the attentions' products with what backward makes once more
    weights = 3 * 64 * 192 + 4 * (4 * 192**2 + 2 * 192 * 768)
    assert products * 312e12 == pytest.approx(6 * weights * 65 * 64, rel=0.15)


def test_a_token_waits_for_its_weights_or_for_launches():
    """Of GPT-2's smallest: 124.4 million weights of four bytes but for 1,024 positions; some kernels in each layer."""
    size = decoding.SIZES["base"]
    read_once = 4 * (124_439_808 - 1024 * 768)
    for card, bound in ((CARDS["t4"], "weights"), (CARDS["h100"], "launches")):
        clock, weights = expected.seconds_of_token(card, "with room from the start", size, batch=1, read=248)
        assert weights == pytest.approx(read_once / card.bandwidth)
        if bound == "weights":
            assert weights < clock < 2 * weights
        else:
            assert 12 * 10 * LAUNCH < clock < 12 * 40 * LAUNCH and clock > 2 * weights


@pytest.mark.parametrize("which", ["a100", "t4"])
def test_a_preset_is_held_against_the_rung_with_its_settings(which):
    """By hand: 6 operations a weight and token, and attention's, at the card's peak; a T4 has float32's."""
    most = CARDS[which].peak(torch.bfloat16) / (6 * 10.65e6 * 256)
    of_preset = expected.of_training(CARDS[which])
    assert 0.8 * most < of_preset.high < most
    assert of_preset.low < of_preset.high / expected.SLOWEST


def test_the_courses_rungs_are_held_against_the_clock(monkeypatch):
    monkeypatch.setattr(expected, "seconds_of_step", lambda *_: (1.0, 0.25))
    settings = {"vit": asdict(MODELS["vit"].sizes["tiny"])}  # two images a step: 0.5 to 8 a second
    rows = [
        {"measure": "vit training", "rung": "+ torch.compile", "peer": peer, "per_second": rate}
        for peer, rate in (("course", 9.0), ("course", 7.0), ("course", 0.4), ("timm", 99.0))
    ]
    judged = expected.judged("models_cuda", {"records": rows, "settings": settings}, A100)
    assert [row.get("strange") for row in judged] == [True, False, True, None]
    assert expected.judged("models_cuda", {"records": rows, "settings": settings}, None) == rows


def test_what_is_written_and_trained_is_held_against_the_clock(monkeypatch):
    monkeypatch.setattr(expected, "seconds_of_token", lambda card, cache, size, batch, read: (1.0, 0.25))
    monkeypatch.setattr(expected, "of_training", lambda card: expected.Expected("", 10.0, 20.0, ""))
    size = decoding.SIZES["base"]
    settings = {models.DECODING: asdict(size)}  # of a batch of 8: 2 to 32 tokens a second
    (measure,) = (name for name, which in models.decoding_measures(size).items() if which == (8, 248))
    rows = [{"measure": measure, "rung": "chapter 07's cache", "peer": peer, "per_second": rate}
            for peer, rate in (("course", 33.0), ("course", 31.0), ("transformers, StaticCache", 99.0))]  # fmt: skip
    judged = expected.judged("models_cuda", {"records": rows, "settings": settings}, A100)
    assert [row.get("strange") for row in judged] == [True, False, None]
    rows = [{"model": name, "samples_per_second": 9.0, "strange": False} for name in (expected.gpu_parts.GPT, "other")]
    judged = expected.judged("gpu_training", {"records": rows, "settings": {}}, A100)
    assert [row["strange"] for row in judged] == [True, False]


def test_a_graph_that_was_left_out_is_strange():
    row = {"measure": "vit training", "rung": "+ CUDA graphs", "peer": "timm", "per_second": 9.0}
    rows = [{**row, "graphs_left_out": count} for count in (0, 2)]
    judged = expected.judged("models_cuda", {"records": rows, "settings": {}}, A100)
    assert [row.get("strange", False) for row in judged] == [False, True]
