"""The ledger: appended to, read again, whole after a killed run, one run at a time."""

import json

import pytest

from autograde.ledger import Ledger, LedgerBusy, Record
from tests.processes import context, start


def record(student="ada", exercise="scale", points=1.0, **fields):
    values = {
        "run": "r1", "when": "2026-01-01T00:00:00+00:00", "student": student, "assignment": "00-toy",
        "submission": "a" * 64, "release": "b" * 64, "versions": {"python": "3.11"}, "seed": 7, "exercise": exercise,
        "number": "0.1", "points": points, "max": 2.0, "verdict": "part",
    }  # fmt: skip
    return Record(**{**values, **fields})


def test_what_is_appended_is_read_again_in_order(tmp_path):
    ledger = Ledger(tmp_path)
    ledger.append([record(), record(exercise="centre", cases=[{"title": "ü", "passed": True, "message": ""}])])
    ledger.append([record(points=2.0, verdict="pass")])
    assert [(r.exercise, r.points) for r in ledger.read("00-toy")] == [("scale", 1.0), ("centre", 1.0), ("scale", 2.0)]
    latest = ledger.latest("00-toy")[("ada", "a" * 64)]
    assert latest["scale"].points == 2.0
    assert latest["centre"].cases[0]["title"] == "ü"


def test_nothing_that_was_written_is_ever_changed(tmp_path):
    ledger = Ledger(tmp_path)
    ledger.append([record()])
    before = ledger.path("00-toy").read_bytes()
    ledger.append([record(points=0.0, verdict="fail")])
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


def test_a_record_of_an_older_version_is_read_under_the_new_names(tmp_path):
    ledger = Ledger(tmp_path)
    new = record(cases=[{"title": "a"}], diagnosis="the sign is lost", substituted=["centre"])
    ledger.append([new])
    line = json.loads(ledger.path("00-toy").read_text())
    for old, name in (
        ("hand_in", "submission"),
        ("rows", "cases"),
        ("mistake", "diagnosis"),
        ("replaced", "substituted"),
    ):
        line[old] = line.pop(name)
    ledger.path("00-toy").write_text(json.dumps(line) + "\n")
    assert list(ledger.read("00-toy")) == [new]


@pytest.mark.parametrize("wrong", [{"verdict": "maybe"}, {"points": 3.0}, {"points": -1.0}, {"points": float("nan")}])
def test_a_record_that_cannot_be_right_is_refused(wrong):
    with pytest.raises(ValueError):
        record(**wrong)


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
