"""Names as Moodle's downloader gives them."""

import pytest

from tests.autograde.intake.test_whose import read

NAMES = [
    # a folder for each (4.1 and later), before that with _ behind, or all in one folder
    ("Ada Lovelace_1234_assignsubmission_file/x.ipynb", "Ada Lovelace", "x.ipynb"),
    ("Ada Lovelace_1234_assignsubmission_file_/x.ipynb", "Ada Lovelace", "x.ipynb"),
    ("Ada Lovelace_1234_assignsubmission_file_x_1_y.ipynb", "Ada Lovelace", "x_1_y.ipynb"),
    # blind marking: a word and the number
    ("Participant_77_assignsubmission_file_/x.ipynb", "Participant 77", "x.ipynb"),
    ("Participant_78_assignsubmission_file_/x.ipynb", "Participant 78", "x.ipynb"),
    # a team: the group's name and number
    ("Group 1_17_assignsubmission_file/x.ipynb", "Group 1", "x.ipynb"),
]


@pytest.mark.parametrize(("name", "student", "own"), NAMES)
def test_names(name, student, own):
    assert read(name, platform="moodle") == (student, own)


def test_those_without_a_group_are_put_aside():
    assert "not a name that Moodle gives" in read("Default group_assignsubmission_file/x.ipynb", platform="moodle")
