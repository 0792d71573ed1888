"""What the page for the classroom says of a chapter stands in the chapter: numbers, sections and exercises."""

import json
import re
from pathlib import Path

import pytest

from course.exercises import exercises
from theme.notebooks import titles

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "book" / "instructors" / "classroom.md"
STEMS = list(dict.fromkeys(e.notebook for e in exercises()))
# Where a number leads rather than says: it is followed, not looked for among the chapter's numbers.
REFERENCE = re.compile(r"\b(?:[Ss]ection|[Ee]xercises?|[Qq]uestion|Figure|[Cc]hapter) (\d+(?:\.q?\d+)?)")
NUMBER = re.compile(r"(?<![\w.,])\d+(?:,\d{3})*(?:\.\d+)?(?:e-\d+)?(?![\w,]*\d)")


def parts() -> dict[str, str]:
    """What the page says of each chapter."""
    found = re.split(r"^## Chapter (\d\d): .*\n", PAGE.read_text("utf-8"), flags=re.MULTILINE)[1:]
    by_number = dict(zip(found[::2], found[1::2], strict=True))
    missing = [stem for stem in STEMS if stem[:2] not in by_number]
    assert not missing, f"book/instructors/classroom.md has no section for {', '.join(missing)}"
    return {stem: by_number[stem[:2]] for stem in STEMS}


def chapter(stem: str) -> str:
    """A chapter's prose, and what its cells print and show as text."""
    texts = []
    for cell in json.loads((ROOT / "notebooks" / f"{stem}.ipynb").read_text("utf-8"))["cells"]:
        texts += cell["source"] if cell["cell_type"] == "markdown" else []
        for output in cell.get("outputs", []):
            texts += output.get("text", []), output.get("data", {}).get("text/plain", [])
    return "\n".join("".join(text) for text in texts)


def unknown(said: str, there: str) -> list[str]:
    """The numbers of a text that another has not; whole numbers below ten are words."""
    listed = set(NUMBER.findall(there))
    return [n for n in NUMBER.findall(REFERENCE.sub("", said)) if n not in listed and (len(n) > 1 or "." in n)]


@pytest.mark.parametrize("stem", STEMS)
def test_every_number_is_the_chapters(stem: str) -> None:
    assert not unknown(parts()[stem].replace(f"{{goals}} {stem}", ""), chapter(stem))


def test_a_wrong_number_would_be_seen() -> None:
    there = "| 1,024 | 0.95 |\n3e-05, 0.81 (0.72-0.88), 14 × 14."
    assert unknown("1,024 has 0.95 and 3e-05, section 9.9; 14 × 14 and 0.88", there) == []
    assert unknown("1,204 has 0.96, 4e-05 and 15 in all", there) == ["1,204", "0.96", "4e-05", "15"]


@pytest.mark.parametrize("stem", STEMS)
def test_sections_and_exercises_are_there_and_there_is_enough_to_say(stem: str) -> None:
    said = parts()[stem]
    headings = set(re.findall(r"^## (\d+\.\d+) ", chapter(stem), re.MULTILINE))
    numbers = {e.number for e in exercises()}
    for word, number in re.findall(r"\b([Ss]ection|[Ee]xercise|[Qq]uestion) (\d+\.q?\d+)", said):
        assert number in (headings if word.lower() == "section" else numbers), f"{word} {number}"
    assert f"```{{goals}} {stem}\n" in said
    assert 5 <= len(re.findall(r"^- \*\*", said, re.MULTILINE)) <= 8
    assert 3 <= len(re.findall(r"^: ", said, re.MULTILINE)) <= 5


def test_chapters_have_their_own_names() -> None:
    found = re.findall(r"^## Chapter (\d\d): (.*)$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert found == [
        (stem[:2], title.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")) for stem, title in titles().items()
    ]
