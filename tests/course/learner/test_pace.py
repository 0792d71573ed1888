"""Right answers that are many times slower than the reference are told so: by a clock that the test moves."""

import pytest
import torch

from course import check, checks, use_reference
from course.exercises import of_component
from course.learner import components, pace
from course.learner.components import component
from solutions import seq2seq

EXERCISE = of_component("masked_cross_entropy")
CHECK = checks.find(EXERCISE.name, EXERCISE.chapter)


def loops(logits, targets, pad_id):
    """As the docstring of exercise 1.4 reads."""
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError("logits (B, T, V) and targets (B, T) do not fit")
    total, count = logits.sum() * 0, 0
    for row, wanted in zip(logits.flatten(0, 1), targets.flatten(), strict=True):
        if wanted != pad_id:
            total, count = total - torch.log_softmax(row, 0)[wanted], count + 1
    return total / max(count, 1)


@pytest.fixture
def learner(tmp_path, monkeypatch):
    for name in ("COURSE_STRICT", "NBGRADER_EXECUTION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COURSE_HOME", str(tmp_path))
    monkeypatch.setattr(loops, "__module__", "__main__")


@pytest.fixture
def taking(monkeypatch):
    """Makes a right answer of which a call takes so many seconds a sentence, and so many whatever it is given."""
    now = [0.0]
    monkeypatch.setattr(pace, "clock", lambda: now[0])

    def made(each: float, always: float = 0.0):
        def masked_cross_entropy(logits, targets, pad_id):
            now[0] += always + each * len(logits)
            return seq2seq.masked_cross_entropy(logits, targets, pad_id)

        return {"masked_cross_entropy": masked_cross_entropy}

    return made


def test_many_times_slower_with_many_sentences_is_told(taking):
    name, times = pace.times_slower(CHECK, taking(1e-3), taking(0.0, 1e-3))
    assert name == "masked_cross_entropy" and times == pytest.approx(70)


@pytest.mark.parametrize(
    ("own", "reference"),
    [((0.0, 0.04), (0.0, 0.01)), ((1e-5, 0.0), (0.0, 1e-5)), ((0.0, 0.01), (0.0, 0.01))],
    ids=["four times as long", "times that nobody notices", "as fast"],
)
def test_nothing_else_is(taking, own, reference):
    assert pace.times_slower(CHECK, taking(*own), taking(*reference)) == ("", 1.0)


def test_the_faster_call_counts(taking, monkeypatch):
    """What is slow once, as a first call is, is not slow."""
    right, calls = taking(0.0, 1e-3)["masked_cross_entropy"], []

    def slow_at_first(*given):
        calls.append(given)
        return taking(1.0)["masked_cross_entropy"](*given) if len(calls) % pace.CALLS == 1 else right(*given)

    assert pace.times_slower(CHECK, {"masked_cross_entropy": slow_at_first}, taking(0.0, 1e-3)) == ("", 1.0)
    assert len(calls) == 2 * pace.CALLS and isinstance(calls[0][0], torch.Tensor)


def test_a_slow_answer_keeps_its_points_and_the_reference_may_go_on(learner, monkeypatch):
    monkeypatch.setattr(pace, "times_slower", lambda *_: ("masked_cross_entropy", 41.7))
    points = check("1.4", loops)
    assert points == 2 and "`masked_cross_entropy` takes about 40 times as long as the reference" in points.text()
    assert component("masked_cross_entropy") is not seq2seq.masked_cross_entropy
    use_reference("masked_cross_entropy")
    assert component("masked_cross_entropy") is seq2seq.masked_cross_entropy
    check("1.4", loops)
    assert component("masked_cross_entropy") is not seq2seq.masked_cross_entropy


def test_without_a_reference_or_with_one_that_fails_nothing_is_said(learner, monkeypatch):
    def missing(_):
        raise ImportError("not installed here")

    monkeypatch.setattr(components, "references", missing)
    assert "slow" not in check("1.4", loops).text()
