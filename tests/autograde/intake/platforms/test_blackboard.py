"""Names as Blackboard's download of an assignment gives them."""

import pytest

from autograde.intake.whose import Place
from tests.autograde.intake.test_whose import place, read

NAMES = [
    ("Homework 2_ada_attempt_2026-01-30-15-00-00_02-bahdanau.ipynb", "ada", "02-bahdanau.ipynb"),
    ("Homework 2_ada_attempt_2026-01-30-15-00-00_x_y.ipynb", "ada", "x_y.ipynb"),
    ("Homework 2_ada@example.org_attempt_2026-01-30-15-00-00/x.ipynb", None, None),
    ("Homework 2_ada_attempt_2026-01-30-15-00-00_work/x.ipynb", "ada", "x.ipynb"),  # unpacked by hand
    ("Homework 2_Group 3_attempt_2026-01-30-15-00-00_x.ipynb", "Group 3", "x.ipynb"),  # a group's: a roster says whose
]


@pytest.mark.parametrize(("name", "student", "own"), NAMES)
def test_names(name, student, own):
    if student is None:
        assert "not a name that Blackboard gives" in read(name, platform="blackboard")
        return
    assert read(name, platform="blackboard") == (student, own)
    placed = place(name, platform="blackboard")
    assert isinstance(placed, Place) and placed.when == "2026-01-30 15:00:00"
