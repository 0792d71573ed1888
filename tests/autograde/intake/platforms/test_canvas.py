"""Names as Canvas's content zipper gives them."""

import pytest

from autograde.intake.whose import Place
from tests.autograde.intake.test_whose import place, read

NAMES = [
    # name, student, own, late
    ("lovelaceada_1234_56789_02-bahdanau.ipynb", "lovelaceada_1234", "02-bahdanau.ipynb", False),
    ("lovelaceada_LATE_1234_56789_x.ipynb", "lovelaceada_1234", "x.ipynb", True),
    ("lovelaceada_1234_56789_02-bahdanau-1.ipynb", "lovelaceada_1234", "02-bahdanau-1.ipynb", False),  # handed in again
    # graded anonymously: five letters and digits in place of the person, and LATE before them
    ("anon_aB3dE_56789_02-bahdanau.ipynb", "anonymous_aB3dE", "02-bahdanau.ipynb", False),
    ("LATE_anon_aB3dE_56789_x_1_y.ipynb", "anonymous_aB3dE", "x_1_y.ipynb", True),
    # a text that was typed in, or an address
    ("carolc_1236_text.html", "carolc_1236", "text.html", False),
    ("carolc_LATE_1236_link.html", "carolc_1236", "link.html", True),
    ("anon_aB3dE_text.html", "anonymous_aB3dE", "text.html", False),
    ("LATE_anon_aB3dE_link.html", "anonymous_aB3dE", "link.html", True),
]


@pytest.mark.parametrize(("name", "student", "own", "late"), NAMES)
def test_names(name, student, own, late):
    assert read(name, platform="canvas") == (student, own)
    placed = place(name, platform="canvas")
    assert isinstance(placed, Place) and placed.late == late and placed.outer == name


@pytest.mark.parametrize("name", ["carolc_1236_text.html", "carolc_1236_link.html"])
def test_what_was_typed_in_says_so(name):
    placed = place(name, platform="canvas")
    assert isinstance(placed, Place) and "that was typed into Canvas, and no file" in placed.note


@pytest.mark.parametrize("name", ["carolc_1236.html", "carolc_text.html", "carolc_1236_text.htm", "c_1_essay.html"])
def test_no_other_page_is_what_was_typed_in(name):
    assert read(name, platform="canvas") == "not a name that Canvas gives"


@pytest.mark.parametrize("name", ["carolc_1236_100_text.html", "bob_8_9_text.html", "bob_8_800_x_9_link.html"])
def test_an_upload_that_is_called_as_what_was_typed_in_is_nobodys(name):
    assert "can be read as that of" in read(name, platform="canvas")


@pytest.mark.parametrize("name", ["anon_12345_56789_x.ipynb", "anon_ab3de_56789_900_x.ipynb"])
def test_one_who_is_called_anon_is_not_taken_for_somebody_anonymous(name):
    """Either may have been meant: a student's name, or the file's, makes nobody's work another's."""
    assert "can be read as that of" in read(name, platform="canvas")
