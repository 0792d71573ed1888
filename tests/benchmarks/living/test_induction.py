"""The files of the living induction head belong together, and its page says what the model does."""

import json

import pytest
import torch

from benchmarks.experiments.language_model import RECALL, recall_accuracy, recall_model, recall_strings, trained
from benchmarks.living import STILLS, induction, weights
from course.committed import read
from solutions.language_model import induction_score


@pytest.fixture(scope="module")
def model():
    return induction.from_file()


def expects(model, text: str, look: str = induction.EVERYWHERE) -> tuple[str, float]:
    """What the model expects after a string, and with what probability."""
    tokens = torch.tensor([induction.SYMBOLS.index(symbol) for symbol in text])
    share, best = induction.read(model, tokens, look)[0][-1].softmax(dim=0).max(dim=0)
    return induction.SYMBOLS[int(best)], share.item()


def test_the_still_picture_is_what_the_weights_say(model):
    kept = json.loads((STILLS / "induction.json").read_text("utf-8"))
    made = induction.still(model)
    assert torch.allclose(torch.tensor(kept.pop("weights")), torch.tensor(made.pop("weights")), atol=1e-3)
    for (symbol, share), (again, other) in zip(kept.pop("expected"), made.pop("expected"), strict=True):
        assert share == pytest.approx(other, abs=1e-3) and (symbol == again or share < 0.2)
    assert kept == made


def test_the_record_is_of_these_weights(model):
    records = read("language_model_induction")["records"]
    (sizes,) = (record for record in records if record["measure"] == "weights")
    assert sizes["bytes"] == induction.PATH.stat().st_size < 500_000
    assert sizes["parameters"] == sum(parameter.numel() for parameter in model.parameters())
    kept = [record for record in records if record["measure"] == "look"]
    for record, again in zip(kept, induction.measured(model), strict=True):
        assert record["layer_0"] == again["layer_0"]
        assert record["accuracy"] == pytest.approx(again["accuracy"], abs=0.003)


def test_it_is_the_kept_model_of_the_chapter():
    """Trained in the same way; the last digits differ between machines."""
    (kept,) = (
        r
        for r in read("language_model_recall")["records"]
        if (r["model"], r["trained_on"], r["seed"]) == (induction.KIND, "random", induction.SEED)
    )
    (ours,) = (r for r in read("language_model_induction")["records"] if r["measure"] == "heads")
    assert ours["accuracy_before_rounding"] == pytest.approx(kept["random_period"], abs=0.01)
    assert ours["induction_1"] == pytest.approx(kept["induction_1"], abs=0.02)


def test_a_mask_for_layer_0_changes_layer_0_alone(model):
    tokens = induction.example()
    for look in induction.LOOKS:
        _, (first, second) = induction.read(model, tokens, look)
        mask = induction.layer_0_mask(look, len(tokens))
        assert not first[~mask].any() and torch.allclose(first.sum(dim=1), torch.ones(len(tokens)))
        assert not second.triu(1).any()
    plain = model(tokens.unsqueeze(0))
    assert torch.equal(plain, model(tokens.unsqueeze(0), induction.layer_0_mask(induction.EVERYWHERE, len(tokens))))


def test_training_lowers_the_loss_and_repeats():
    states = []
    for _ in range(2):
        torch.manual_seed(induction.SEED)
        made = recall_model(induction.KIND)
        trained(made, recall_strings(induction.SEED, tuple(RECALL["periods"])), 4, RECALL["learning_rate"], "test")
        states.append(made.state_dict())
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])
    assert recall_accuracy(made, *RECALL["periods"]) < 0.5  # four steps are not enough


# ---------------------------------------------------------------- what the page says


def test_it_expects_what_followed(model):
    assert expects(model, "abcdeabcd")[0] == "e" and expects(model, "abcdeabcd")[1] > 0.9
    for text in ("abcdeab", "abcdefpab", "abcdecfab"):
        assert expects(model, text)[0] == "c" and expects(model, text)[1] > 0.9
    symbol, share = expects(model, "abab")
    assert symbol == "a" and 0.2 < share < 0.5
    assert expects(model, "aaaa")[1] < 0.2


def test_a_first_round_is_guessing_until_it_is_as_long_as_the_longest(model):
    generator, longest = torch.Generator().manual_seed(4), RECALL["periods"][1]
    best, again = [], []
    for _ in range(100):
        tokens = torch.randperm(RECALL["num_symbols"], generator=generator)[:longest]
        shares = induction.read(model, tokens)[0].softmax(dim=1)
        best.append(shares[:6].max(dim=1).values.mean().item())
        again.append(int(shares[-1].argmax() == tokens[0]))
    assert 0.08 < sum(best) / 100 < 0.15
    assert sum(again) > 60  # of 100; by chance 6


def test_layer_0s_stripe_is_needed(model):
    accuracy = {r["layer_0"]: r["accuracy"] for r in read("language_model_induction")["records"] if "layer_0" in r}
    before, two_before = induction.FORBIDDEN
    assert accuracy[before] < 0.1 < 0.95 < accuracy[two_before]
    assert 0.9 < accuracy[induction.ONLY] < accuracy[induction.EVERYWHERE]
    for look in induction.LOOKS:
        _, (_, second) = induction.read(model, induction.example(), look)
        inside = induction_score(second[None, None], induction.example().unsqueeze(0)).item()
        assert (inside < 0.1) == (look == before)
    assert expects(model, "abcdabcdab") == ("c", pytest.approx(0.99, abs=0.02))
    assert expects(model, "abcdabcdab", induction.ONLY)[1] < 0.3


def test_the_header_says_what_the_page_needs():
    assert weights.header(induction.PATH)["symbols"] == induction.SYMBOLS
