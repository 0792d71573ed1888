"""Gradescope's list of who handed in what."""

import pytest

from autograde.intake.platforms.gradescope import Submitter, listed

LIST = """\
---
submission_101:
  :submitters:
  - :name: Ada Lovelace
    :sid: '2001'
    :email: ada@example.org
  :created_at: 2026-01-30 15:00:00.000000000 Z
  :score: 3.0
  :results:
    tests:
    - output: |-
        submission_102:
          :submitters:
          - :name: Eve
  :history:
  - :id: 99
    :created_at: 2026-01-29 15:00:00.000000000 Z
submission_102:
  :submitters:
  - :name: "Bo \\"B\\" Li"
    :sid:
    :email: bo@example.org
  - :name: Åsa
    :sid: '2003'
    :email: Asa@Example.org
  :created_at: 2026-01-31 15:00:00.000000000 Z
"""


def test_who_and_when():
    read = listed(LIST)
    assert list(read) == ["submission_101", "submission_102"]
    assert read["submission_101"].submitters == (Submitter("Ada Lovelace", "2001", "ada@example.org"),)
    assert read["submission_101"].when.startswith("2026-01-30 15:00:00")
    assert [each.key for each in read["submission_102"].submitters] == ["bo@example.org", "asa@example.org"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "row 1 names no submission"),
        ("[]", "row 1 names no submission"),
        (LIST.replace("submission_102", "submission_101"), "row 18 names 'submission_101' again, as row 2"),
        (LIST.replace("- :name: Ada", "- :name: 'Ada"), "damaged, or the file is cut off"),
        ("submission_1:\n  :score: 3\n", "row 1 says of no submitter"),
        ("submission_1:\n  :submitters:\n  - :sid:\n", "neither name, number nor e-mail"),
        ("submission_1:\n  :submitters: " + "[" * 5000, "damaged, or the file is cut off"),
    ],
)
def test_what_cannot_be_read_names_its_row(text, why):
    with pytest.raises(ValueError, match=why):
        listed(text)


def test_a_tag_makes_no_object():
    (one,) = listed("submission_1:\n  :submitters:\n  - :name: !ruby/object:Gem::Installer x\n").values()
    assert one.submitters == (Submitter("x", "", ""),)
