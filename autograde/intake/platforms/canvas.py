"""Canvas: "lastnamefirst_person_upload_file", and "anon_id_upload_file" where an assignment is graded anonymously.

From Canvas's lib/content_zipper.rb (`get_filename`, `sanitize_user_name`) and lib/anonymity.rb. LATE stands before the
person's number where it came late, and before "anon". Canvas counts without leading noughts. Small letters, digits and
_ are all that is left of a name. The _ round digits go before the rest does, so one who is called "bob_8-_800" has the
name of bob's file: what may be two marks is never the first. What begins with "gradebook_" is what Blackboard calls a
whole class's. A file that was handed in again has "-1" before its ending: that is the file's own name. A group's file
has the group's name and the number of the one who stands for it.

A text that was typed in is "lastnamefirst_person_text.html", and an address that was handed in "…_link.html", without
an upload's number (`add_text_or_url`). No notebook is in them: they are put down so that the student is told.

The Test Student of a course's student view is "Student, Test" in the gradebook and "studenttest" in names: nobody.
"""

from __future__ import annotations

import re

from autograde.intake.platforms.scheme import Scheme

TEST_STUDENT = "Student, Test"
TEST_NAME = "studenttest"  # what is left of it in the name of a file
_WHAT = r"(?:[1-9][0-9]*_(?P<file>.+)|(?P<typed>text|link)\.html)"  # an upload's number and name, or what was typed

SCHEMES = (
    Scheme(
        "Canvas",
        "lovelaceada_1234_56789_02-bahdanau.ipynb",
        re.compile(r"(?!gradebook$)[^\x00-/:-^`{-\x7f\s]*(?<!_LATE)(?<!_late)"),
        re.compile(rf"_(?:(?P<late>LATE|late)_)?(?P<id>[1-9][0-9]*)_{_WHAT}", re.DOTALL),
        lambda head, mark: [(f"{head}_{mark['id']}", mark["id"])],
        loose=True,
        folder=False,
        distinct=False,
    ),
    Scheme(
        "Canvas",
        "anon_aB3dE_56789_02-bahdanau.ipynb",
        re.compile(r"(?:LATE_)?anon"),
        re.compile(rf"_(?P<id>[1-9A-HJ-NP-Za-km-z]{{5}})_{_WHAT}", re.DOTALL),
        lambda head, mark: [(f"anonymous_{mark['id']}", f"anon_{mark['id']}")],
        loose=True,
        folder=False,
        distinct=False,
    ),
)
