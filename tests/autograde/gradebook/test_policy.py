"""What late work costs, and how moments and lengths of time are read."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from traitlets import TraitError
from traitlets.config import Config

from autograde.gradebook.policy import LatePolicy, later, length, local

DAY = 86_400
BERLIN = ZoneInfo("Europe/Berlin")


def policy(**settings):
    config = Config()
    for name, value in settings.items():
        config.LatePolicy[name] = value
    return LatePolicy(config=config)


def test_nothing_is_lost_unless_the_class_says_so():
    assert policy().late_submission_penalty("ada", 8, 30 * DAY) is None


@pytest.mark.parametrize(
    ("late", "taken"), [(1, 0.8), (DAY, 0.8), (DAY + 1, 1.6), (9 * DAY + 1, 8), (40 * DAY, 8)]
)  # a day that has begun counts, and no more is lost than there is
def test_a_share_for_each_day(late, taken):
    assert policy(penalty_method="share", share_a_day=0.1).late_submission_penalty("ada", 8, late) == taken


def test_within_the_grace_nothing_is_late_and_after_it_days_count_from_the_due_date():
    of = policy(penalty_method="share", share_a_day=0.5, grace="1d")
    assert of.late_submission_penalty("ada", 8, DAY) is None
    assert of.late_submission_penalty("ada", 8, DAY + 1) == 8


def test_nbgraders_own_setting_is_heard():
    config = Config()
    config.LateSubmissionPlugin.penalty_method = "zero"
    assert LatePolicy(config=config).late_submission_penalty("ada", 8, 1) == 8


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"share_a_day": 10}, "a share from 0 to 1"),
        ({"grace": "soon"}, "grace is 'soon': write a length of time"),
        ({"grace": "-5 min"}, "grace is '-5 min': write a length of time"),
        ({"zone": "Mars/Olympus"}, "such as Europe/Berlin"),
        ({"zone": "../etc"}, "such as Europe/Berlin"),
        ({"penalty_method": "half"}, "half"),
    ],
)
def test_a_setting_that_cannot_be_is_said(setting, words):
    with pytest.raises(TraitError, match=words):
        policy(**setting)


def test_a_stamp_without_a_zone_is_on_the_classs_clock():
    berlin = policy(zone="Europe/Berlin")
    assert policy().moment("2026-02-03 18:00:00") == datetime(2026, 2, 3, 18)
    assert berlin.moment("2026-02-03 18:00:00") == datetime(2026, 2, 3, 17)
    assert berlin.moment("2026-07-03 18:00") == datetime(2026, 7, 3, 16)
    assert berlin.moment("2026-02-03 18:00:00 UTC") == datetime(2026, 2, 3, 18)
    assert berlin.moment("2026-10-25 02:30:00") == datetime(2026, 10, 25, 0, 30)  # shown twice: the earlier one
    assert berlin.moment("2026-03-29 02:30:00") == datetime(2026, 3, 29, 1, 30)  # never shown: as if it had gone on
    assert berlin.moment("yesterday evening") is None and berlin.moment("2026-02-30 18:00") is None


@pytest.mark.parametrize(
    ("stamp", "moment"),
    [
        (
            "2026-01-30 15:00:00.250000000 -08:00",
            datetime(2026, 1, 30, 23, 0, 0, 250000),
        ),  # of Gradescope
        ("2026-01-30 15:00:00.000000000 Z", datetime(2026, 1, 30, 15)),
        ("2026-01-30 15:00:00 +0530", datetime(2026, 1, 30, 9, 30)),
        ("2026-01-30 15:00 utc", datetime(2026, 1, 30, 15)),
        ("2026-01-30T15:00:00+01:00", datetime(2026, 1, 30, 14)),
        ("2026-07-30 15:00:00 America/New_York", datetime(2026, 7, 30, 19)),
        ("2026-01-30 15:00:00 CET", datetime(2026, 1, 30, 14)),
        ("2026-01-30 3:00 PM", datetime(2026, 1, 30, 14)),  # on the class's clock, as the next ones
        ("30 January 2026, 15:00", datetime(2026, 1, 30, 14)),
        ("30.01.2026 15:00", datetime(2026, 1, 30, 14)),
        ("2026-01-02 15:00", datetime(2026, 1, 2, 14)),
        ("01.02.2026 15:00", None),  # in January or in February
        ("2026-01-30 15:00:00 PST", None),  # as nbgrader's exchange writes a zone, which nobody can look up
        ("2026-07-30 15:00 AEST", None),
        ("Fri Jan 30 15:00:00 PST 2026", None),
        ("15:00", None),
        ("Friday, 15:00", None),
        ("30", None),
        ("", None),
    ],
)
def test_an_hour_is_never_guessed(stamp, moment):
    assert policy(zone="Europe/Berlin").moment(stamp) == moment


def test_days_more_end_at_the_same_hour_where_clocks_were_changed():
    due = datetime(2026, 3, 28, 17)  # 18:00 in Berlin, in winter
    assert later(due, length("+2d"), BERLIN) == datetime(2026, 3, 30, 16)
    assert local(datetime(2026, 3, 30, 16), "Europe/Berlin") == "2026-03-30 18:00 CEST"
    assert later(due, length("+20h"), BERLIN) == datetime(2026, 3, 29, 13)


@pytest.mark.parametrize(
    ("words", "ends"),
    [("0d", "02:30 CET"), ("+1h", "03:30 CET"), ("+24h", "02:30 CET"), ("+1d", "02:30 CET"), ("+1d1h", "03:30 CET")],
)
def test_of_an_hour_that_a_clock_shows_twice_the_second_stays_the_second(words, ends):
    second = datetime(2026, 10, 25, 1, 30)
    assert local(second, "Europe/Berlin") == "2026-10-25 02:30 CET"
    assert local(later(second, length(words), BERLIN), "Europe/Berlin").endswith(ends)
    assert later(second, length(words), BERLIN) >= second


@pytest.mark.parametrize(
    ("due", "day", "hours"), [("2026-10-24 16:00", 25, 24), ("2026-03-28 17:00", 23, 24), ("2026-06-01 16:00", 24, 24)]
)
def test_a_day_is_the_calendars_and_24_hours_are_24_hours(due, day, hours):
    due = datetime.fromisoformat(due)
    assert later(due, length("+1d"), BERLIN) - due == timedelta(hours=day)
    assert later(due, length("+24h"), BERLIN) - due == timedelta(hours=hours)


@pytest.mark.parametrize(
    ("words", "hours"), [("+2d", 48), ("36h", 36), ("+1d 12h", 36), ("90 min", 1.5), ("1W", 168), ("0d", 0)]
)
def test_lengths_of_time(words, hours):
    assert length(words).usual == timedelta(hours=hours)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("-2d", "negative"),
        ("\N{MINUS SIGN}2d", "negative"),
        ("two days", r"\+2d"),
        ("2", r"\+2d"),
        ("", r"\+2d"),
        ("99w", "a year"),
    ],
)
def test_what_is_no_length_of_time_is_said(words, why):
    with pytest.raises(ValueError, match=why):
        length(words)
