"""The living Vision Transformer's files belong together: weights, still picture and record are of one run."""

import json

import pytest
import torch

from benchmarks.experiments.vit import accuracy
from benchmarks.living import STILLS, vit
from course.committed import read
from course.data import digits
from solutions.vit import augment


@pytest.fixture(scope="module")
def model():
    return vit.from_file()


def test_the_still_picture_is_what_the_weights_say(model):
    kept = json.loads((STILLS / "vit.json").read_text("utf-8"))
    made = vit.still(model)
    for name in ("probabilities", "attention", "rollout", "positions"):
        assert kept.pop(name) == pytest.approx(made.pop(name), abs=1e-3)
    assert kept == made


def test_the_record_is_of_these_weights(model):
    records = read("vit_living")["records"]
    (sizes,) = (record for record in records if record["measure"] == "weights")
    assert sizes["bytes"] == vit.PATH.stat().st_size
    assert sizes["parameters"] == sum(parameter.numel() for parameter in model.parameters())
    moved = {(r["down"], r["right"]): r["accuracy"] for r in records if r["measure"] == "moved"}
    assert len(moved) == (2 * vit.MOST_MOVED + 1) ** 2
    images, labels = digits.handwritten("test")
    for (down, right), measured in moved.items():
        assert measured == pytest.approx(accuracy(model, vit.moved(images, down, right), labels), abs=0.005)
    (positions,) = (record for record in records if record["measure"] == "positions")
    made = vit.neighbors_alike(model)
    assert (positions["cosine_of_neighbors"], positions["cosine_of_others"]) == pytest.approx(made, abs=1e-3)


def test_it_is_the_kept_model_of_the_chapter():
    (kept,) = (r for r in read("vit_tokens")["records"] if r["pool"] == "class" and r["seed"] == vit.SEED)
    records = read("vit_living")["records"]
    (ours,) = (r["accuracy_before_rounding"] for r in records if r["measure"] == "accuracy")
    assert ours == kept["accuracy"]


def test_training_lowers_the_loss_and_repeats():
    first, second = (vit.train(seed=0, steps=12) for _ in range(2))
    assert first[1] == second[1] and first[1][-1] < first[1][0]
    states = first[0].state_dict(), second[0].state_dict()
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])


def test_moved_is_one_of_the_places_of_augment():
    image = torch.arange(1.0, 65.0).reshape(1, 1, 8, 8)
    assert torch.equal(vit.moved(image, 0, 0), image)
    assert torch.equal(vit.moved(image, 2, -1)[0, 0, 2:, :-1], image[0, 0, :-2, 1:])
    places = {vit.moved(image, down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)}
    torch.manual_seed(0)
    drawn = augment(image.repeat(40, 1, 1, 1), 1)
    assert all(any(torch.equal(place[0], one) for place in places) for one in drawn)
