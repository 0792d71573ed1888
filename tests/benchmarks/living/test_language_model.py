"""The living language model's files belong together: weights, still picture and record are of one run."""

import json
from itertools import islice

import pytest
import torch

from benchmarks.living import STILLS, language_model
from course.committed import read


@pytest.fixture(scope="module")
def model():
    return language_model.from_file()


def test_the_still_picture_is_what_the_weights_say(model):
    kept = json.loads((STILLS / "language-model.json").read_text("utf-8"))
    made = json.loads(json.dumps(language_model.still(model)))
    for name in ("rows", "rest"):
        ours, theirs = kept.pop(name), made.pop(name)
        numbers = [[x for row in part for x in (row[1:] if name == "rows" else [row])] for part in (ours, theirs)]
        assert numbers[0] == pytest.approx(numbers[1], abs=1e-3)
        assert name == "rest" or [row[0] for row in ours] == [row[0] for row in theirs]
    assert kept == made


def test_the_record_is_of_these_weights(model):
    records = {record["measure"]: record for record in read("language_model_living")["records"]}
    assert records["weights"]["bytes"] == language_model.PATH.stat().st_size
    assert records["weights"]["parameters"] == sum(parameter.numel() for parameter in model.parameters())
    # the text differs a little between releases of Python
    assert records["bits"]["bits"] == pytest.approx(language_model.bits(model), abs=0.05)
    assert abs(records["bits"]["bits"] - records["bits"]["bits_before_rounding"]) < 0.01


def test_training_lowers_the_loss_and_repeats():
    first, second = (language_model.train(seed=0, steps=4) for _ in range(2))
    assert first[1] == second[1] and first[1][-1] < first[1][0]
    states = first[0].state_dict(), second[0].state_dict()
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])


def test_draws_are_even_and_the_seed_decides():
    numbers = torch.tensor(list(islice(language_model.uniforms(3), 4_000)))
    assert 0 <= numbers.min() and numbers.max() < 1
    assert torch.histc(numbers, 10, 0, 1) == pytest.approx([400] * 10, abs=80)
    assert list(islice(language_model.uniforms(3), 5)) != list(islice(language_model.uniforms(4), 5))


def test_greedy_writing_needs_no_seed(model):
    tokens = torch.tensor([40, 41, 42])
    first, second = (language_model.write_on(model, tokens, 20, seed, temperature=0.0) for seed in (1, 2))
    assert torch.equal(first, second) and len(first) == 23
