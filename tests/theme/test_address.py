"""Where the site says that it and its sources are."""

from pathlib import Path

import pytest

from theme import address


@pytest.mark.parametrize(
    ("remote", "expected"),
    [
        ("https://github.com/owner/course.git", "https://github.com/owner/course"),
        ("https://user:secret@github.com/owner/course", "https://github.com/owner/course"),
        ("git@github.com:owner/course.git", "https://github.com/owner/course"),
        ("ssh://git@gitlab.com:22/group/sub/course.git", "https://gitlab.com/group/sub/course"),
        ("/home/me/course", None),
        ("../course.git", None),
        ("https://git.example.org/owner/course", None),
        ("", None),
    ],
)
def test_web_address_of_a_remote(remote: str, expected: str | None) -> None:
    assert address.web_address(remote) == expected


def test_the_most_explicit_address_wins(tmp_path: Path) -> None:
    named = {"COURSE_REPOSITORY": "https://git.example.org/a/b.git", "GITHUB_REPOSITORY": "owner/course"}
    assert address.repository(tmp_path, named) == "https://git.example.org/a/b"
    assert address.repository(tmp_path, {"GITHUB_REPOSITORY": "owner/course"}) == "https://github.com/owner/course"
    assert address.repository(tmp_path, {}) is None
    assert address.branch(tmp_path, {"GITHUB_REF_NAME": "term-2"}) == "term-2"
    assert address.branch(tmp_path, {}) == "main"


def test_site_ends_in_one_slash() -> None:
    assert address.site({"COURSE_SITE": "https://example.org/course"}) == "https://example.org/course/"
    assert address.site({"COURSE_SITE": "https://example.org/course//"}) == "https://example.org/course/"
    assert address.site({}) is None
