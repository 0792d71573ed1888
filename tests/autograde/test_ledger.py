"""The ledger: appended to, read again, whole after a killed run, one run at a time."""

import json

import pytest

from autograde.ledger import Ledger, LedgerBusy, Record
from course.checks.engine import CaseVerdict, Outcome, Verdict
from tests.processes import context, start


def record(student="ada", exercise="scale", points=1.0, **fields):
    values = {
        "run": "r1", "when": "2026-01-01T00:00:00+00:00", "student": student, "assignment": "00-toy",
        "submission": "a" * 64, "release": "b" * 64, "versions": {"python": "3.11"}, "exercise": exercise,
        "number": "0.1", "points": points, "max": 2.0, "verdict": Verdict(Outcome.PARTIAL, 0.5), "key": "c" * 64,
    }  # fmt: skip
    return Record(**{**values, **fields})


def test_what_is_appended_is_read_again_in_order(tmp_path):
    ledger = Ledger(tmp_path)
    cases = CaseVerdict("ü", True), CaseVerdict("b", False, 2.0, "It is 3.", "the sign is lost")
    seen = Verdict(Outcome.PARTIAL, 0.5, cases, "the sign is lost", "Look again.", ("scale",))
    ledger.append([record(), record(exercise="centre", verdict=seen)])
    ledger.append([record(points=2.0, verdict=Verdict(Outcome.PASS, 1.0))])
    assert [(r.exercise, r.points) for r in ledger.read("00-toy")] == [("scale", 1.0), ("centre", 1.0), ("scale", 2.0)]
    latest = ledger.latest("00-toy")[("ada", "a" * 64)]
    assert latest["scale"].points == 2.0
    assert latest["centre"].verdict == seen


def test_nothing_that_was_written_is_ever_changed(tmp_path):
    ledger = Ledger(tmp_path)
    ledger.append([record()])
    before = ledger.path("00-toy").read_bytes()
    ledger.append([record(points=0.0, verdict=Verdict(Outcome.FAIL))])
    assert ledger.path("00-toy").read_bytes().startswith(before)


def test_a_line_cut_short_by_a_killed_run_is_passed_over_and_ended(tmp_path):
    ledger = Ledger(tmp_path)
    ledger.append([record()])
    with ledger.path("00-toy").open("ab") as file:
        file.write(b'{"run": "r2", "stud')
    assert len(list(ledger.read("00-toy"))) == 1
    ledger.append([record("bob")])
    assert [r.student for r in ledger.read("00-toy")] == ["ada", "bob"]


def test_a_field_of_a_later_version_does_not_hide_a_record(tmp_path):
    ledger = Ledger(tmp_path)
    ledger.append([record()])
    line = json.loads(ledger.path("00-toy").read_text()) | {"a field of tomorrow": 1}
    ledger.path("00-toy").write_text(json.dumps(line) + "\n")
    assert len(list(ledger.read("00-toy"))) == 1


def test_what_is_no_verdict_is_no_record(tmp_path):
    ledger = Ledger(tmp_path)
    ledger.append([record()])
    good = json.loads(ledger.path("00-toy").read_text())
    bad = [{"outcome": "maybe"}, {"fraction": 2}, {"fraction": None}, {"cases": [1]}, {"cases": None}]
    lines = [good | {"verdict": verdict} for verdict in ("pass", None, {}, *(good["verdict"] | one for one in bad))]
    ledger.path("00-toy").write_text("".join(json.dumps(line) + "\n" for line in [*lines, good]))
    assert list(ledger.read("00-toy")) == [record()]


@pytest.mark.parametrize("points", [3.0, -1.0, float("nan")])
def test_a_record_that_cannot_be_right_is_refused(points):
    with pytest.raises(ValueError, match="not between"):
        record(points=points)


@pytest.mark.parametrize("fraction", [1.01, -0.1, float("nan")])
def test_a_verdict_that_cannot_be_right_is_refused(fraction):
    with pytest.raises(ValueError, match="between 0 and 1"):
        Verdict(Outcome.PARTIAL, fraction)


def test_an_assignment_without_a_ledger_has_no_records(tmp_path):
    assert list(Ledger(tmp_path).read("00-toy")) == []


def _try_to_grade(folder, answer):
    try:
        with Ledger(folder).alone():
            answer.put("alone")
    except LedgerBusy as error:
        answer.put(str(error))


def test_two_runs_at_once_are_refused_and_the_lock_goes_with_its_process(tmp_path):
    answer = context().Queue()
    with Ledger(tmp_path).alone():
        other = start(_try_to_grade, tmp_path, answer)
        assert "another run" in answer.get(timeout=20)
        other.join()
    other = start(_try_to_grade, tmp_path, answer)
    assert answer.get(timeout=20) == "alone"
    other.join()
