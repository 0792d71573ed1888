"""The page "How it is built": its picture is the code's, and what it names is there."""

import re
from pathlib import Path

from course.wording import marked
from theme import packages
from theme.imports import PACKAGES

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "book" / "how-it-is-built.md"


def test_every_path_that_the_page_names_is_there() -> None:
    named = re.findall(r"`([\w.-]+/[\w./-]*|[\w-]+\.md)`", PAGE.read_text("utf-8"))
    made = {"submissions/"}  # in a class's folder
    assert len(named) > 40
    assert not [path for path in named if path not in made and not (ROOT / path).exists()]


def test_the_page_shows_each_package_with_its_purpose(built: Path) -> None:
    page = (built / "book" / "how-it-is-built.html").read_text("utf-8")
    for name in PACKAGES:
        assert f">{name}</text>" in page and f"<th scope='row'><code>{name}</code></th>" in page
        assert marked(packages.purpose(name)) in page and packages.purpose(name)
