"""What is slow is what took long when it was measured: the stored durations, and what they decide."""

import json
from types import SimpleNamespace

import pytest

from tests import conftest


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """Durations of a place of their own, with two test files in it."""
    for name in ("test_new", "test_old"):
        (tmp_path / "tests").mkdir(exist_ok=True)
        (tmp_path / "tests" / f"{name}.py").touch()
    monkeypatch.setattr(conftest, "TESTS", tmp_path / "tests")
    monkeypatch.setattr(conftest, "DURATIONS", tmp_path / "tests" / "durations.json")
    clear()
    yield conftest.DURATIONS
    clear()


def clear():
    conftest.durations.cache_clear()
    conftest.slow_files.cache_clear()


def report(nodeid, seconds):
    return SimpleNamespace(nodeid=nodeid, duration=seconds)


def test_files_that_ran_are_written_anew_and_others_kept(stored):
    stored.write_text(json.dumps({
        "tests/test_new.py::test_renamed": 9.0, "tests/test_old.py::test_a": 1.5, "tests/test_gone.py::test_b": 1.0,
    }))  # fmt: skip
    phases = [report("tests/test_new.py::test_a[x@y]@chapter 02", seconds) for seconds in (0.5, 2.0)]
    conftest.store_durations([*phases, report("tests/test_new.py::test_quick", 0.01)])
    assert json.loads(stored.read_text()) == {"tests/test_new.py::test_a[x@y]": 2.5, "tests/test_old.py::test_a": 1.5}


def test_a_file_is_slow_by_its_sum_and_a_new_one_is_fast(stored):
    assert conftest.slow_files() == set()
    stored.write_text(
        json.dumps({f"tests/test_old.py::test_{i}": 0.5 for i in range(5)} | {"tests/test_new.py::test": 1.9})
    )
    clear()
    assert conftest.slow_files() == {"tests/test_old.py"}


@pytest.mark.parametrize(
    ("marker", "fixture", "expected"), [("", "tmp_path", False), ("sandbox", "tmp_path", True), ("", "built", True)]
)
def test_what_shares_something_slow_is_never_fast(marker, fixture, expected):
    item = SimpleNamespace(get_closest_marker=lambda name: name == marker or None, fixturenames=[fixture])
    assert conftest.never_fast(item) == expected


def test_what_is_stored_is_of_files_that_there_are():
    files = {test.partition("::")[0] for test in conftest.durations()}
    assert files and all((conftest.TESTS.parent / file).is_file() for file in files), "make test ARGS=--store-durations"
