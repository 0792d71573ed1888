"""The hours of the formats are sums of what the notebooks say."""

import re
from html import unescape
from pathlib import Path

import pytest

from course.exercises import exercises
from theme import notebooks, ways
from theme.teaching import syllabus

STEMS = list(dict.fromkeys(e.notebook for e in exercises()))


def test_each_chapter_says_how_long_to_plan() -> None:
    said = {stem: syllabus.planned(stem) for stem in STEMS}
    assert said["00-warm-up"] == 120 and said["01-seq2seq"] == 210, "two hours; three and a half hours"
    assert said["03-captioning"] == 180, "of 'two and a half to three hours' the larger"
    for stem, minutes in said.items():
        assert minutes > sum(e.minutes for e in ways.chosen(stem, exercises())), f"{stem} leaves no time for reading"


@pytest.mark.parametrize(("name", "sessions"), [("semester", 14), ("week", 5), ("group", 11)])
def test_a_format_has_every_exercise_of_its_chapters_once(name: str, sessions: int) -> None:
    plan = syllabus.plan(name)
    there = [e.number for session in plan.sessions for e in session.exercises]
    chapters = list(dict.fromkeys(part.chapter for session in plan.sessions for part in session.parts))
    assert len(plan.sessions) == sessions and len(set(there)) == len(there)
    assert set(there) == {e.number for e in exercises() if e.notebook in chapters}
    assert sum(session.minutes for session in plan.sessions) == pytest.approx(sum(map(syllabus.planned, chapters)))
    assert chapters == sorted(chapters) and (name == "week" or chapters == STEMS)


def test_a_chapter_that_is_left_out_is_needed_by_none_that_is_taught() -> None:
    taught = {part.chapter for session in syllabus.plan("week").sessions for part in session.parts}
    needed = {e.notebook: later for _, e, later in notebooks.used_again()}
    assert not {stem for stem, later in needed.items() if stem not in taught and taught & set(later)}


def test_a_wrong_format_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="no format 'year'; there are semester, week, group"):
        syllabus.plan("year")
    text = syllabus.FILE.read_text("utf-8").replace('"1.1", "1.2"', '"1.1", "1.99"', 1)
    (tmp_path / "syllabus.toml").write_text(text, "utf-8")
    monkeypatch.setattr(syllabus, "FILE", tmp_path / "syllabus.toml")
    with pytest.raises(ValueError, match=r"01-seq2seq has no exercise 1\.99"):
        syllabus.plan("semester")


def test_the_page_says_so(built: Path) -> None:
    page = unescape((built / "book/instructors/teaching.html").read_text("utf-8")).replace("\N{NO-BREAK SPACE}", " ")
    for name in ("semester", "week", "group"):
        table = re.search(rf'<table[^>]* id="syllabus-{name}".*?</table>', page, re.DOTALL)
        assert table and table[0].count("<tr") == 2 + len(syllabus.plan(name).sessions), name
        minutes = sum(session.minutes for session in syllabus.plan(name).sessions)
        assert ways.duration(round(minutes)) in table[0]
    for stem in STEMS:
        assert f'href="../../slides/{stem}.html"' in page and (built / f"slides/{stem}.html").is_file()
