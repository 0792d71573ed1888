"""What late work costs: nbgrader's plugin for late penalties, set by a few lines of the class's nbgrader_config.py.

    c.LatePolicy.penalty_method = "share"   # "none" (as it is where nothing is said), "zero", or a share for each day
    c.LatePolicy.share_a_day = 0.1          # of the points that the submission earned, for each day begun
    c.LatePolicy.grace = "15 min"           # so much late is not late; after it, days count from the due date
    c.LatePolicy.zone = "Europe/Berlin"     # where stamps without a zone were written; UTC where nothing is said
    c.LatePolicy.attempts = "best"          # of several attempts, the one with most points after its penalty; or "last"

`c.LateSubmissionPlugin.penalty_method`, nbgrader's own, is heard too.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from nbgrader.plugins import LateSubmissionPlugin
from traitlets import Enum, Float, TraitError, Unicode, validate

from autograde import moments
from autograde.moments import in_utc

_UNITS = {"w": 10080, "d": 1440, "h": 60, "min": 1}
_LENGTH = re.compile(r"(?:([0-9]{1,9}) *(w|d|h|min) *)+")
_MOST = 366 * 1440  # minutes
_DAY = 86_400


class LatePolicy(LateSubmissionPlugin):
    """The class's policy on late work. nbgrader asks it for the penalty of each late notebook; `zone` and `attempts`
    are the grader's to ask for."""

    penalty_method = Enum(("none", "zero", "share"), "none", help="what late work loses").tag(config=True)
    share_a_day = Float(0.1, help="of the points earned, for each day begun; from 0 to 1").tag(config=True)
    grace = Unicode("", help="so much late is not late: '15 min', '1 h'").tag(config=True)
    zone = Unicode("UTC", help="where stamps without a zone were written, such as Europe/Berlin").tag(config=True)
    attempts = Enum(("last", "best"), "last", help="which of several attempts counts").tag(config=True)

    @validate("share_a_day")
    def _a_share(self, proposal):
        if not 0 <= proposal["value"] <= 1:
            raise TraitError(f"share_a_day is {proposal['value']:g}: write a share from 0 to 1, such as 0.1")
        return proposal["value"]

    @validate("grace")
    def _a_length(self, proposal):
        try:
            length(proposal["value"] or "0 min")
        except ValueError:
            raise TraitError(f"grace is {proposal['value']!r}: write a length of time, such as '15 min'") from None
        return proposal["value"]

    @validate("zone")
    def _a_zone(self, proposal):
        try:
            ZoneInfo(proposal["value"])
        except (OSError, ValueError, KeyError):
            raise TraitError(f"there is no time zone {proposal['value']!r}: write one such as Europe/Berlin") from None
        return proposal["value"]

    def late_submission_penalty(self, student_id: str, score: float, total_seconds_late: float) -> float | None:
        """The points that are taken off a notebook's `score`; None for none."""
        grace = length(self.grace or "0 min").usual
        if total_seconds_late <= grace.total_seconds() or self.penalty_method == "none":
            return None
        if self.penalty_method == "zero":
            return score
        return round(score * min(1.0, self.share_a_day * math.ceil(total_seconds_late / _DAY)), 2)

    def moment(self, stamp: str) -> datetime | None:
        """A stamp's moment in UTC, without a zone as nbgrader keeps it; None where it cannot be read. One without a
        zone is on the clock of `zone`."""
        return moments.read(stamp, ZoneInfo(self.zone))


def later(due: datetime, extra: Length, zone: tzinfo) -> datetime:
    """A moment in UTC so much later: days and weeks by the zone's clock, hours and minutes as they pass."""
    if not extra.days:  # a clock that shows an hour twice does not say which of the two is meant
        return due + extra.rest
    there = due.replace(tzinfo=UTC).astimezone(zone).replace(tzinfo=None)
    return in_utc((there + extra.days).replace(fold=there.fold), zone) + extra.rest


def local(moment: datetime, zone: str) -> str:
    """A moment in UTC as a clock in the zone shows it."""
    return f"{moment.replace(tzinfo=UTC).astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M %Z}"


@dataclass(frozen=True)
class Length:
    """A length of time: `days` of a calendar, of which one may have 23 or 25 hours, and the `rest` by the hour."""

    days: timedelta
    rest: timedelta

    @property
    def usual(self) -> timedelta:
        """As long as it is where no clock is changed."""
        return self.days + self.rest


def length(words: str) -> Length:
    """A length of time in words: "2d", "1d 12h", "90 min", "1w". Raises ValueError, with what to write, for others."""
    written = words.strip().removeprefix("+").strip().lower()
    if written.startswith(("-", "\N{MINUS SIGN}")):
        raise ValueError(f"{words!r} is negative: an extension moves a due date later, and 0d takes one back")
    if not _LENGTH.fullmatch(written):
        raise ValueError(f"{words!r} is no length of time: write +2d, +36h, +90min, +1w or +1d12h; 0d takes one back")
    parts = [(unit, int(number) * _UNITS[unit]) for number, unit in re.findall(r"([0-9]+) *(w|d|h|min)", written)]
    if sum(minutes for _, minutes in parts) > _MOST:
        raise ValueError(f"{words!r} is more than a year: write a shorter one")
    days, rest = (sum(m for unit, m in parts if (unit in ("w", "d")) == whole) for whole in (True, False))
    return Length(timedelta(minutes=days), timedelta(minutes=rest))
