"""The files of the living heads belong together: weights, still picture and record are of one run."""

import json

import pytest
import torch

from benchmarks.experiments.multi_head import counting_quality, trained_counter
from benchmarks.living import STILLS, heads, weights
from course.committed import read
from course.data.counting import counting_vocabulary
from solutions.multi_head import ablate_heads


@pytest.fixture(scope="module")
def model():
    return heads.from_file()


def test_the_still_picture_is_what_the_weights_say(model):
    kept = json.loads((STILLS / "heads.json").read_text("utf-8"))
    made = heads.still(model)
    for one, other in zip(kept.pop("named"), made.pop("named"), strict=True):
        assert one[:2] == other[:2] and one[2] == pytest.approx(other[2], abs=1e-3)
    assert torch.allclose(torch.tensor(kept.pop("weights")), torch.tensor(made.pop("weights")), atol=1e-3)
    assert kept == made
    for place, word, _ in heads.still(model)["named"]:
        assert word == kept["words"][place]


def of(record) -> tuple[heads.Head, ...]:
    """The heads that a record's model is without."""
    return tuple((int(layer), int(head)) for layer, head in (each.split(".") for each in record["heads"].split()))


def test_the_record_is_of_these_weights(model):
    records = read("multi_head_living")["records"]
    (sizes,) = (record for record in records if record["measure"] == "weights")
    assert sizes["bytes"] == heads.PATH.stat().st_size
    assert sizes["parameters"] == sum(parameter.numel() for parameter in model.parameters())
    means, batch = weights.header(heads.PATH)["means"], heads.tested()
    off = [record for record in records if record["measure"] == "off"]
    assert len(off) == 2 * (5 + 8 + 28)
    for record in off:
        if record["name"].count("head ") < 2:  # the 28 pairs would take a minute
            given = means if record["in_place"] == "means" else None
            made = counting_quality(heads.without(model, of(record), given), batch)
            assert made["loss"] == pytest.approx(record["loss"], rel=1e-2)
            assert made["accuracy"] == pytest.approx(record["accuracy"], abs=0.006)


def test_it_is_the_kept_model_of_the_chapter():
    """Trained in the same way; the last digits differ between machines."""
    (kept,) = (r for r in read("multi_head_look")["records"] if r["measure"] == "whole" and r["seed"] == heads.SEED)
    (ours,) = (r for r in read("multi_head_living")["records"] if r["measure"] == "whole")
    assert ours["accuracy_before_rounding"] == pytest.approx(kept["accuracy"], abs=0.005)


def test_what_the_page_says_of_pairs():
    zeros = [r for r in read("multi_head_living")["records"] if r["measure"] == "off" and r["in_place"] == "zeros"]
    right = {of(r): r["right"] for r in zeros}
    lost = {switched: right[()] - count for switched, count in right.items()}
    pairs = [switched for switched in lost if len(switched) == 2]
    assert sum(lost[pair] > sum(lost[head,] for head in pair) for pair in pairs) == 24 and len(pairs) == 28
    assert min(pairs, key=right.__getitem__) == ((1, 0), (1, 1))


def test_training_lowers_the_loss_and_repeats():
    first, second = (trained_counter(seed=0, steps=6) for _ in range(2))
    assert first[1] == second[1] and first[1][-1] < first[1][0]
    states = first[0].state_dict(), second[0].state_dict()
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])


def test_a_sentence_alone_is_answered_as_in_a_batch(model):
    batch, words = heads.tested(8), counting_vocabulary()
    logits, _ = heads.answers(model, batch)
    for i, first in enumerate(heads.firsts(batch)):
        one = heads.one_sentence(first, batch.hidden[i].nonzero().flatten().tolist())
        length = one.ids.shape[1]
        assert words.decode(one.shown[0]) == words.decode(batch.shown[i])
        assert torch.allclose(heads.answers(model, one)[0][0], logits[i, :length], atol=1e-4)


def test_zeros_are_the_ablation_of_exercise_5_8(model):
    batch = heads.tested(20)
    layer = model.encoder.layers[1]
    whole, layer.self_attention = layer.self_attention, ablate_heads(layer.self_attention, [0, 3])
    wanted, _ = heads.answers(model, batch)
    layer.self_attention = whole
    assert torch.equal(heads.answers(heads.without(model, [(1, 0), (1, 3)]), batch)[0], wanted)
