"""Names in the Drive folder of an assignment in Google Classroom."""

import pytest

from autograde.intake.platforms.classroom import is_a_copy, names_in, titled
from autograde.intake.whose import Place
from tests.autograde.intake.test_whose import ONE, TWO, place, read

TITLES = (ONE, TWO)
NAMES = [
    # the file's name but for its ending, the likeliest name in it
    ("Ada Lovelace - 02-bahdanau", "Ada Lovelace"),
    ("02-bahdanau - Ada Lovelace", "Ada Lovelace"),
    ("02-bahdanau_ada-lovelace", "ada-lovelace"),
    ("Ada Lovelace 02-bahdanau (1)", "Ada Lovelace"),
    ("Ada Lovelace \u2013 Bahdanau", "Ada Lovelace"),
    ("Ada Lovelace - 02 Bahdanau", "Ada Lovelace"),
    ("Mary-Ann Smith - 02-bahdanau", "Mary-Ann Smith"),
    ("Ada Lovelace - Homework 2", "Ada Lovelace"),
    ("Ada Lovelace", "Ada Lovelace"),
]


@pytest.mark.parametrize(("stem", "name"), NAMES)
def test_names(stem, name):
    assert names_in(stem, TITLES)[0] == name
    placed = place(f"{stem}.ipynb", platform="classroom")
    assert (
        isinstance(placed, Place) and placed.names[0] == name and (placed.key, placed.rest) == ("", (f"{stem}.ipynb",))
    )


@pytest.mark.parametrize(
    "stem",
    [
        "02-bahdanau", "02-bahdanau (1)", "Bahdanau", "02 bahdanau", "02-bahdanau-1", "2026-01-30", "(1)",
        "Copy of 02-bahdanau", "Copy of Ada Lovelace - 02-bahdanau", "Copy of Copy of x", "Kopie von 02-bahdanau",
        "Copie de 02-bahdanau", "Copia di 02-bahdanau", "C\u00f3pia de 02-bahdanau",
    ],
)  # fmt: skip
def test_a_bare_title_and_a_copy_say_nobodys_name(stem):
    assert names_in(stem, TITLES) == ()
    assert "its name does not say whose it is" in read(f"{stem}.ipynb", platform="classroom")
    assert ("Drive writes" in read(f"{stem}.ipynb", platform="classroom")) == is_a_copy(stem)


@pytest.mark.parametrize("stem", ["Copy of 02-bahdanau", "Copy of ada", "copy of ada_02-bahdanau", "Copy of"])
def test_a_copy_is_nobodys_where_the_names_are_the_instructors_either(stem):
    assert 'its name begins with "Copy of"' in read(f"{stem}.ipynb", platform="folders")
    assert read(f"ada/{stem}.ipynb", ["bo/x.ipynb"]) == ("ada", f"{stem}.ipynb")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Bahdanau", TWO),
        ("Unit 3: Bahdanau", TWO),
        ("Ada - 01-seq2seq", ONE),
        ("Bahdanaus", ""),
        ("seq2seq bahdanau", ""),
    ],
)
def test_titles(text, title):
    assert titled(text, TITLES) == title


def test_the_folder_says_which_assignment_where_the_name_does_not():
    names = [
        "Class/Bahdanau/Ada - mine.ipynb",
        "Class/Seq2seq/Ada - mine.ipynb",
        "Class/Seq2seq/Ada - 02-bahdanau.ipynb",
    ]
    assert [place(name, names, "classroom").assignment for name in names] == [TWO, ONE, TWO]


def test_a_long_name_costs_no_time():
    for part in ("_", " - ", "a", "02-bahdanau", "02-bahdanau - ", "-a"):
        names_in(part * (2000 // len(part)), TITLES)
        titled(part * (2000 // len(part)), TITLES)
