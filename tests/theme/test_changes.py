"""What has changed, by chapter: every entry of the change log under each chapter that it names, or at the end."""

import re
from pathlib import Path

import pytest

from theme import changes

LOG = """# Change log

Words.

## Unreleased

### Added

- **A figure** in chapter 04, and one in 07,
  over two lines. See [a page](book/index.md).
- Models of 10 million parameters, since version 0.10 of a library.

## 0.1.0

- Chapters 09 and 10 are two (`notebooks/10-scale.ipynb`).
"""


def test_entries_name_their_chapters() -> None:
    figure, models, two = changes.changes(LOG)
    assert (figure.version, figure.kind, figure.chapters) == ("Unreleased", "Added", ["04", "07"])
    assert figure.text.endswith("over two lines. See [a page](book/index.md).")
    assert models.chapters == [] and (two.version, two.kind, two.chapters) == ("0.1.0", "", ["09", "10"])
    with pytest.raises(ValueError, match="under no version: - an entry"):
        changes.changes("# Change log\n\n- an entry\n")


def test_the_page_has_each_under_its_chapters_and_the_rest_at_the_end() -> None:
    titles = {"04-dot-product": "Dot", "05-multi-head": "Heads", "07-language-model": "Text", "10-scale": "Scale"}
    text = changes.page(changes.changes(LOG), titles)
    parts = dict(re.findall(r"^## (.*)\n((?:(?!## ).*\n)*)", text, re.MULTILINE))
    four, seven, silent, rest = (
        parts[title]
        for title in (
            "[04 Dot](../notebooks/04-dot-product.ipynb)",
            "[07 Text](../notebooks/07-language-model.ipynb)",
            "Chapters without an entry of their own",
            "The rest of the course",
        )
    )
    assert (
        "**A figure**" in four and "**A figure**" in seven and "](index.md)" in four and "*Unreleased, added*" in four
    )
    assert "05." in silent and "10 million" in rest and "**A figure**" not in rest
    assert "Chapters 09 and 10" in parts["[10 Scale](../notebooks/10-scale.ipynb)"]


def test_the_log_of_this_course_is_on_its_page(built: Path) -> None:
    log = changes.SOURCE.read_text("utf-8")
    found = changes.changes(log)
    assert len(found) == len(re.findall(r"^- ", log, re.MULTILINE))
    page = re.sub(r"<[^>]+>", "", (built / "book" / "changes.html").read_text("utf-8"))
    leads = [match[1] for change in found if (match := re.match(r"\*\*([\w ,]+?)\.?\*\*", change.text))]
    assert len(leads) > 10 and not [lead for lead in leads if lead not in page]
