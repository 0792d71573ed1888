"""The files of the living beam search belong together: still picture and record are of the weights of the page."""

import json
from itertools import chain

import pytest

from benchmarks.living import STILLS, beam, stream
from course.committed import read


@pytest.fixture(scope="module")
def model():
    return stream.from_file()


def test_the_still_picture_is_what_the_search_finds(model):
    kept, made = json.loads((STILLS / "beam.json").read_text("utf-8")), json.loads(json.dumps(beam.still(model)))
    assert len(kept["steps"]) == len(made["steps"])
    for one, other in zip(chain(*kept.pop("steps")), chain(*made.pop("steps")), strict=True):
        assert (one.pop("total"), one.pop("score")) == pytest.approx((other.pop("total"), other.pop("score")), abs=1e-3)
        assert one == other
    assert kept == made


@pytest.mark.parametrize("numbers", [*beam.SENTENCES, (999, 20)])
@pytest.mark.parametrize("penalty", beam.PENALTIES)
def test_the_unfolded_search_is_the_chapters(model, numbers, penalty):
    for width in (1, 2, 5):
        tokens, score = beam.searched(model, numbers, width, penalty)
        (best, *_) = beam.unfolded(model, numbers, width, penalty)[-1]
        assert best.tokens == tokens and best.score == pytest.approx(score, abs=1e-5)


def test_the_record_counts_every_sentence():
    records = read("transformer_beam")["records"]
    assert [record["width"] for record in records] == [1, 2, 2, 5, 5]
    assert all(record["of"] == beam.TESTED for record in records)
    assert all(record["right"] + record["too_short"] + record["too_long"] <= record["of"] for record in records)
