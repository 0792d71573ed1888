"""Texts for people: points, many names in few words, and code among words."""

import pytest

from course.wording import listed, marked, points


@pytest.mark.parametrize(
    ("most", "expected"), [(1, "a and 2 more"), (2, "a, b and 1 more"), (3, "a, b, c"), (9, "a, b, c")]
)
def test_many_names_are_the_first_and_how_many_more(most, expected):
    assert listed(["a", "b", "c"], most) == expected


def test_names_may_stand_apart_in_another_way():
    assert listed(["a, b", "c", "d"], 2, "; ") == "a, b; c and 1 more" and listed([], 2) == ""


def test_what_is_marked_is_escaped_and_its_code_set_as_code():
    assert marked("`x < 1` & <b>`") == "<code>x &lt; 1</code> &amp; &lt;b&gt;`"


@pytest.mark.parametrize(("value", "expected"), [(3.0, "3"), (1.5, "1.5"), (2 / 3, "0.67"), (0, "0")])
def test_points_are_written_as_people_write_them(value, expected):
    assert points(value) == expected
