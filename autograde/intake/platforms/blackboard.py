"""Blackboard: "Title_username_attempt_time_file", and "Title_username_attempt_time.txt" about the attempt.

From the files that Blackboard Learn's "Assignment File Download" gives, which its help describes without the form of
their names; no source is public. Both title and user name may hold _: `whose.Names` tells them apart by what all names
of a source share. Where a group hands in, the group's name stands in the user's place, as programs that read such
downloads have it: a roster has to say who is in it. A folder where an archive of that name was unpacked by hand.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from autograde.intake.platforms.scheme import Scheme

_STAMP = "[0-9]{4}(?:-[0-9][0-9]){5}"


def titles(head: str) -> Sequence[tuple[str, str]]:
    """(assignment's title, user name) for each way to part the two."""
    return [(head[: match.start()], head[match.end() :]) for match in re.finditer("_", head) if head[match.end() :]]


def _moment(mark: re.Match[str]) -> str:
    return f"{mark['when'][:10]} {mark['when'][11:].replace('-', ':')}"


SCHEMES = (
    Scheme(
        "Blackboard",
        "Homework 2_ada_attempt_2026-01-30-15-00-00_02-bahdanau.ipynb",
        re.compile(rf"(?!.*_attempt_{_STAMP}).+", re.DOTALL),
        re.compile(rf"_attempt_(?P<when>{_STAMP})(?:_(?P<file>.+)|\.txt)", re.DOTALL),
        lambda head, mark: [(who, who) for _, who in titles(head)],
        loose=True,
        folder=True,
        moment=_moment,
    ),
)
