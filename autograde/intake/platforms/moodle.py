"""Moodle: "Full Name_participant_assignsubmission_file_", a folder or before the file's name.

From Moodle's mod/assign/classes/downloader.php (4.1 and later; before, mod/assign/locallib.php). It writes a blank for
each _ in a name. The number is another one in every assignment. Under blind marking the name is the word "Participant",
in English here; in other languages the worksheet's numbers say who it is. Of a team it is the group's name and number,
and of those without a group "Default group" without a number: that is put aside.

Names say nothing of time; the grading worksheet does, in its columns Status and "Last modified (submission)", as
`col_status` and `col_timesubmitted` of mod/assign/gradingtable.php write them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from autograde.intake.platforms.scheme import Scheme

BLIND = "Participant"
NONE = ("", "-", "'-")  # a cell without a time; Moodle's export puts a quote before a sign that begins a formula
_MOMENTS = ("%A, %d %B %Y, %I:%M %p", "%A, %B %d, %Y, %I:%M %p")  # userdate() in English and in American English
_LATE = re.compile(r"(?:^| - )\d[^-]* late(?: - |$)")  # "1 hour 5 mins late"; "overdue by" is said of nothing


def is_late(status: str) -> bool:
    """Whether a row of the worksheet says that its submission came late."""
    return bool(_LATE.search(status))


def moment(modified: str) -> str:
    """When a row's submission came, for timestamp.txt: to the minute, on the clock of whoever downloaded the worksheet;
    "" where there is none. Raises ValueError for one in another form."""
    said = " ".join(modified.split())  # some put a narrow space before AM and PM
    if said in NONE:
        return ""
    for form in _MOMENTS:
        try:
            return f"{datetime.strptime(said, form):%Y-%m-%d %H:%M:%S}"
        except ValueError:
            continue
    raise ValueError(f"{modified!r} is no time as Moodle writes it in English")


def _whose(head: str, mark: re.Match[str]) -> Sequence[tuple[str, str]]:
    return [(f"{head} {mark['id']}" if head == BLIND else head, mark["id"])]


SCHEMES = (
    Scheme(
        "Moodle",
        "Ada Lovelace_1234_assignsubmission_file_/02-bahdanau.ipynb",
        re.compile(r"[^_]+"),
        re.compile(r"_(?P<id>[0-9]+)_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>.*))?", re.DOTALL),
        _whose,
        loose=True,
        folder=True,
    ),
)
