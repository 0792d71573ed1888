"""Brightspace: "39786-640693 - Ada Lovelace - Jan 30, 2026 300 PM", a folder for each time that somebody handed in.

D2L publishes neither source nor a description of these names. The form is the one that several public programs for such
downloads read, with the same numbers, blanks and clock (12 hours, no colon); its numbers are not a person's, so two
people of one name look like one who handed in twice: `collect` wants a roster then. Names in other languages' dates are
not known and are put aside. Where a group hands in, its name stands in the person's place: a roster has to say who is
in it.
"""

from __future__ import annotations

import re

from autograde.intake.platforms.scheme import Scheme

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def _moment(mark: re.Match[str]) -> str:
    hour = int(mark["hour"]) % 12 + (12 if mark["half"] == "PM" else 0)
    return f"{mark['year']}-{MONTHS.index(mark['month']) + 1:02}-{int(mark['day']):02} {hour:02}:{mark['minute']}:00"


SCHEMES = (
    Scheme(
        "Brightspace",
        "39786-640693 - Ada Lovelace - Jan 30, 2026 300 PM/02-bahdanau.ipynb",
        re.compile(r"[0-9]+-[0-9]+"),
        re.compile(
            rf" - (?P<name>.+) - (?P<month>{'|'.join(MONTHS)}) (?P<day>[0-9]{{1,2}}), (?P<year>[0-9]{{4}})"
            r" (?P<hour>[0-9]{1,2})(?P<minute>[0-9]{2}) (?P<half>AM|PM)"
        ),
        lambda head, mark: [(mark["name"], mark["name"])],
        loose=False,
        folder=True,
        between=" - ",
        moment=_moment,
    ),
)
