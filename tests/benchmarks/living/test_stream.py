"""The files of the living residual stream belong together: weights, still picture and record are of one run."""

import json

import pytest
import torch

from benchmarks.living import STILLS, stream
from course import data
from course.committed import read


@pytest.fixture(scope="module")
def model():
    return stream.from_file()


def test_the_still_picture_is_what_the_weights_say(model):
    kept, made = json.loads((STILLS / "stream.json").read_text("utf-8")), stream.still(model)
    for one, other in zip(kept.pop("rows"), made.pop("rows"), strict=True):
        assert (one["part"], one["layer"], one["says"]) == (other["part"], other["layer"], other["says"])
        assert (one["added"], one["share"]) == pytest.approx((other["added"], other["share"]), abs=2e-3)
        assert (one["weights"] or []) == pytest.approx(other["weights"] or [], abs=1e-3)
    assert kept == made and made["words"] == list(data.numbers_sentence((stream.SHOWN,)).target)


def test_the_record_is_of_these_weights(model):
    records = read("transformer_living")["records"]
    (sizes,) = (record for record in records if record["measure"] == "weights")
    assert sizes["bytes"] == stream.PATH.stat().st_size < 500_000
    assert sizes["parameters"] == sum(parameter.numel() for parameter in model.parameters())
    settled = [record for record in records if record["measure"] == "settled"]
    assert len(settled) == 7 and sum(record["share"] for record in settled) == pytest.approx(1, abs=0.002)


def test_it_is_the_kept_model_of_the_chapter():
    """Trained in the same way; the last digits differ between machines."""
    kept = {r["k"]: r["exact"] for r in read("transformer_numbers")["records"] if r["seed"] == stream.SEED}
    ours = {r["k"]: r["exact_before_rounding"] for r in read("transformer_living")["records"] if "exact" in r}
    assert len(ours) == 6 and all(exact == pytest.approx(kept[k], abs=0.15) for k, exact in ours.items())


def test_the_last_stage_is_the_models_answer(model):
    for numbers in ((7,), (321,), (98, 640)):
        ids = stream.written(model, numbers)
        batch = data.collate([data.numbers_sentence(numbers)], *data.numbers_vocabularies())
        with torch.no_grad():
            wanted = model(batch.source, batch.source_lengths, ids.unsqueeze(0))[0].softmax(dim=1)
        for stages, probabilities in zip(stream.stages(model, numbers, ids), wanted, strict=True):
            assert torch.allclose(stages[-1].probabilities, probabilities, atol=1e-5)
            assert torch.allclose(sum(stage.added for stage in stages), stages[-1].stream, atol=1e-4)
