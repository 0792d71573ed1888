"""Every chapter stands wherever chapters are named or counted: in the contents, and on three pages."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
STEMS = sorted(path.stem for path in (ROOT / "notebooks").glob("[0-9][0-9]-*.ipynb"))
NUMBERS = [stem.split("-")[0] for stem in STEMS]
WORDS = """no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen twenty""".split()
COUNT = WORDS[len(STEMS)]


def page(name: str) -> str:
    return " ".join((ROOT / name).read_text(encoding="utf-8").split())


def part(caption: str) -> list[str]:
    """The pages that `_toc.yml` has under a caption, without those below them."""
    parts = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]
    return [entry["file"] for each in parts if each["caption"] == caption for entry in each["chapters"]]


@pytest.mark.parametrize(("caption", "folder"), [("Chapters", "notebooks"), ("Solutions", "book/solutions")])
def test_every_chapter_stands_in_the_contents(caption, folder):
    wanted = [f"{folder}/{stem}" for stem in STEMS]
    held = [entry for entry in part(caption) if not entry.endswith("/index")]
    missing, unknown = sorted(set(wanted) - set(held)), sorted(set(held) - set(wanted))
    assert not missing, f"_toc.yml has no line for {', '.join(missing)} under {caption}"
    assert not unknown, f"_toc.yml has {', '.join(unknown)} under {caption}, which is no chapter"
    assert held == wanted, f"_toc.yml has the pages under {caption} in another order than their numbers"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("README.md", [f"All {COUNT} chapters", f"the {COUNT} chapters, `{STEMS[0]}.ipynb` to `{STEMS[-1]}.ipynb`"]),
        ("README.md", [f" and {NUMBERS[-1]} ("]),
        ("book/index.md", [f"{COUNT.capitalize()} notebooks", *(f"](../notebooks/{stem}.ipynb)" for stem in STEMS)]),
        ("book/start/ways.md", [f"from {NUMBERS[0]} to {NUMBERS[-1]}"]),
    ],
)
def test_pages_that_name_the_chapters(name, words):
    missing = [each for each in words if each not in page(name)]
    assert not missing, f"{name} does not say {missing}: mend it, as there are {COUNT} chapters, to {STEMS[-1]}"


def test_the_questions_of_the_whole_course_are_those_of_every_chapter():
    """The table on the page on ways through the course has each chapter in one row."""
    name = "book/start/ways.md"
    table = (ROOT / name).read_text(encoding="utf-8").split("## The whole course")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (\d\d(?:, \d\d)*) \|", table, re.MULTILINE)
    listed = [number for row in rows for number in row.split(", ")]
    assert listed == NUMBERS, f"{name} has {', '.join(listed)} in the table of the whole course: mend it"
