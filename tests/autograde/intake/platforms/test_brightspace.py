"""Names as Brightspace's download of submissions gives them."""

import pytest

from autograde.intake.whose import Place
from tests.autograde.intake.test_whose import place, read

NAMES = [
    ("397063-2557369 - Mary-Ann Smith - Sep 24, 2024 926 PM/x.ipynb", "Mary-Ann Smith", "2024-09-24 21:26:00"),
    ("39786-640693 - Ada Lovelace - Oct 10, 2025 1022 AM/x.ipynb", "Ada Lovelace", "2025-10-10 10:22:00"),
    ("1-2 - Åsa - Li - Jan 1, 2026 1205 AM/a/x.ipynb", "Åsa - Li", "2026-01-01 00:05:00"),
    # a group's: a roster says who is in it
    ("1-2 - Group 3 - Jan 1, 2026 1205 AM/x.ipynb", "Group 3", "2026-01-01 00:05:00"),
    ("1-2 - Bo - Dec 31, 2026 1200 PM/x.ipynb", "Bo", "2026-12-31 12:00:00"),
    # one who calls herself as a platform would: the last date is the platform's
    ("1-2 - Bo - Jan 1, 2026 900 AM - Jan 2, 2026 900 PM/x.ipynb", "Bo - Jan 1, 2026 900 AM", "2026-01-02 21:00:00"),
]


@pytest.mark.parametrize(("name", "student", "when"), NAMES)
def test_names(name, student, when):
    placed = place(name, platform="brightspace")
    assert isinstance(placed, Place) and (placed.student, placed.when) == (student, when)


@pytest.mark.parametrize(
    "name", ["index.html", "Ada - Jan 1, 2026 900 AM/x.ipynb", "1-2 - Ada - 1 jan 2026 0900/x.ipynb"]
)
def test_other_names_are_put_aside(name):
    assert "not a name that Brightspace gives" in read(name, platform="brightspace")
