"""Hours and the map of components are what the notebooks say."""

import re
from html import unescape
from pathlib import Path

import pytest

from course.exercises import SPINE, exercises
from theme import notebooks, ways


@pytest.mark.parametrize(
    ("minutes", "said"),
    [
        (2, "0 min"),
        (52, "50 min"),
        (58, "1 h"),
        (60, "1 h"),
        (124, "2 h 5 min"),
        (594, "9 h 55 min"),
        (1157, "about 19 hours"),
    ],
)
def test_minutes_in_words(minutes: int, said: str) -> None:
    assert ways.duration(minutes) == said


def test_core_and_stretch_are_all_exercises() -> None:
    listed = exercises()
    core, stretch = ways.chosen("all", listed), ways.chosen("stretch", listed)
    assert len(core) + len(stretch) == len(listed) and not set(core) & set(stretch)
    chapters = [ways.chosen(stem, listed) for stem in dict.fromkeys(e.notebook for e in listed)]
    assert [e for chapter in chapters for e in chapter] == core
    assert {e.notebook for e in ways.chosen("spine", listed)} == set(SPINE)
    with pytest.raises(ValueError, match=r"12-nothing.*say all, stretch, spine"):
        ways.chosen("12-nothing", listed)


def test_the_spine_is_what_its_page_lists() -> None:
    page = (notebooks.ROOT / "book" / "start" / "ways.md").read_text("utf-8")
    listed = page.split("\n## The spine\n")[1].split("\n## ")[0]
    assert tuple(re.findall(r"^\| \[.*?/([\w-]+)\.ipynb\)", listed, re.MULTILINE)) == SPINE
    said = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven"}[len(SPINE)]
    assert f"*spine*, {said} chapters" in page
    assert set(SPINE) < {e.notebook for e in exercises()}


def test_a_component_that_a_later_chapter_imports_is_on_the_map() -> None:
    rows = {name: (exercise.number, later) for name, exercise, later in notebooks.used_again()}
    assert rows["masked_softmax"] == ("2.2", ["04-dot-product", "05-multi-head"])
    assert "context_by_hand" not in rows  # nothing imports it
    stems = {exercise.number: exercise.notebook for exercise in exercises()}
    assert all(later and stems[number] < min(later) for number, later in rows.values())


def test_the_pages_show_them(built: Path) -> None:
    home = (built / "book" / "index.html").read_text("utf-8")
    for stem in dict.fromkeys(e.notebook for e in exercises()):
        row = re.search(
            rf'href="\.\./notebooks/{stem}\.html".*?</tr>', home.split('id="what-you-will-build"')[1], re.DOTALL
        )
        said = ways.duration(sum(e.minutes for e in ways.chosen(stem, exercises())))
        assert row and said in unescape(row[0]).replace("\N{NO-BREAK SPACE}", " ")
    page = (built / "book" / "start" / "ways.html").read_text("utf-8")
    for name, exercise, _ in notebooks.used_again():
        assert f"<code>{name}</code>" in page and f"<strong>{exercise.number}</strong>" in page
