"""Moments in time, as platforms, nbgrader and people write them.

nbgrader's own reading takes a zone that it does not know for UTC ("PST", and the "PM" of a clock of twelve hours); of
an offset that stands apart ("15:00:00 -08:00", as Gradescope's list has it) it makes seconds, or nothing; and what is
left out it takes from today's date. Hours are points here: what can be read in two ways is not read at all.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from dateutil import parser

_UTC = re.compile(r"(?: |(?<=[0-9]))(?:UTC|GMT|Z)$", re.IGNORECASE)
_APART = re.compile(r" (?=[+-][0-9]{2}:?[0-9]{2}$)")  # the blank before an offset
_REGION = re.compile(r"(.+) ([A-Z][A-Za-z_]+/[\w/+-]+)")


def read(text: str, zone: tzinfo = UTC) -> datetime | None:
    """The moment in UTC, without a zone as nbgrader keeps it; None where it cannot be read. One that names no zone is
    on the clock of `zone`: the earlier moment where that clock showed it twice."""
    try:
        text = _APART.sub("", _UTC.sub("+00:00", text.strip()))
        if region := _REGION.fullmatch(text):
            text, zone = region[1], ZoneInfo(region[2])
        moment = _parsed(text)
        moment = in_utc(moment, moment.tzinfo or zone)
    except Exception:  # dateutil raises many kinds
        return None
    return moment if moment.year > 1900 else None


def _parsed(text: str) -> datetime:
    """Raises an exception of any kind where nothing, or more than one thing, can be meant."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        ways = {"default": datetime(2000, 1, 1)}, {"default": datetime(2001, 2, 2), "dayfirst": not text[:4].isdigit()}
        (moment,) = {parser.parse(text, tzinfos=_zone, **way) for way in ways}
        return moment


def _zone(name: str | None, offset: int | None) -> tzinfo | None:
    if offset is not None:
        return timezone(timedelta(seconds=offset))
    return ZoneInfo(name) if name else None


def now() -> datetime:
    """In UTC, without a zone as nbgrader keeps it."""
    return datetime.now(UTC).replace(tzinfo=None)


def in_utc(local: datetime, zone: tzinfo) -> datetime:
    """A clock's time as UTC without a zone."""
    return local.replace(tzinfo=zone).astimezone(UTC).replace(tzinfo=None)
