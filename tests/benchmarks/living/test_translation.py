"""The living translation's files belong together: weights, still picture and record are of one run."""

import json

import pytest
import torch

from benchmarks.living import STATIC, STILLS, translation, weights
from course.committed import read


@pytest.fixture(scope="module")
def models():
    return {name: translation.from_file(name) for name in translation.SETTINGS}


def test_the_still_picture_is_what_the_weights_say(models):
    kept = json.loads((STILLS / "translation.json").read_text("utf-8"))
    made = json.loads(json.dumps(translation.still(models)))
    looks = [sentence["attention"].pop("weights") for of in (kept, made) for sentence in of["sentences"]]
    assert kept == made and len(looks) == 2 * len(translation.SHOWN)
    for ours, theirs in zip(looks[: len(looks) // 2], looks[len(looks) // 2 :], strict=True):
        assert torch.allclose(torch.tensor(ours), torch.tensor(theirs), atol=1e-3)


def test_the_still_picture_shows_one_that_fails_where_the_other_does_not(models):
    short, long = translation.still(models)["sentences"]
    target = list(long["target"])
    assert all(short[name]["words"] == list(short["target"]) for name in translation.SETTINGS)
    assert long["vector"]["words"] != target and long["attention"]["words"] == target


def test_the_record_is_of_these_weights(models):
    records = read("bahdanau_living")["records"]
    for name, model in models.items():
        (record,) = (r for r in records if r["measure"] == "weights" and r["model"] == name)
        assert record["bytes"] == (STATIC / f"translation-{name}.js").stat().st_size
        assert record["parameters"] == sum(parameter.numel() for parameter in model.parameters())
        accuracy = {r["k"]: r for r in records if r["measure"] == "accuracy" and r["model"] == name}
        for k, (symbols, exact) in translation.accuracy(model).items():
            assert accuracy[k]["symbols"] == pytest.approx(symbols, abs=0.005)
            assert accuracy[k]["exact"] == pytest.approx(exact, abs=0.011)


def test_training_lowers_the_loss_and_repeats(tmp_path):
    runs = [translation.train("attention", seed=0, steps=6)[:2] for _ in range(2)]
    assert runs[0][1] == runs[1][1] and runs[0][1][-1] < runs[0][1][0]
    paths = [tmp_path / f"{run}.js" for run in "ab"]
    for path, (model, _) in zip(paths, runs, strict=True):
        weights.write(path, model, {})
    first, second = (weights.read(path) for path in paths)
    assert all(torch.equal(first[name], second[name]) for name in first)
