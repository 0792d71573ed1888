"""Moodle: "Full Name_participant_assignsubmission_file_", a folder or before the file's name.

From Moodle's mod/assign/classes/downloader.php (4.1 and later; before, mod/assign/locallib.php). It writes a blank for
each _ in a name. The number is another one in every assignment. Under blind marking the name is the word "Participant",
in English here; in other languages the worksheet's numbers say who it is. Of a team it is the group's name and number,
and of those without a group "Default group" without a number: that is put aside.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from autograde.intake.platforms.scheme import Scheme

BLIND = "Participant"


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
