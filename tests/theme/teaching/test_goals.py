"""Each goal of a chapter has an exercise that tests it, and each exercise a goal; a wrong list says what is wrong."""

import re
from pathlib import Path

import pytest

from course.exercises import exercises
from theme.teaching import goals

STEMS = list(dict.fromkeys(e.notebook for e in exercises()))


@pytest.mark.parametrize("stem", STEMS)
def test_every_exercise_has_a_goal_and_every_goal_an_exercise(stem: str) -> None:
    assert not goals.untested(stem), "name these in book/instructors/goals.toml, at goals that they test"
    assert all(goal.exercises for goal in goals.of_chapter(stem)) and goals.announced(stem)


def test_an_exercise_without_a_goal_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = tmp_path / "goals.toml"
    changed.write_text(goals.FILE.read_text("utf-8").replace(', "2.7"]', "]"), "utf-8")
    monkeypatch.setattr(goals, "FILE", changed)
    assert goals.untested("02-bahdanau") == ["2.7"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('["2.q5"]', "[]", "'say when a difference between models is noise': nothing tests it"),
        ('["2.q5"]', '["2.q5", "4.1"]', r"4\.1 is no exercise of 02-bahdanau"),
        ("between models is noise", "is noise", "look at: 'say when a difference between models is noise'"),
    ],
)
def test_a_wrong_list_is_refused_by_name(
    old: str, new: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = goals.FILE.read_text("utf-8")
    assert text.count(old) == 1
    changed = tmp_path / "goals.toml"
    changed.write_text(text.replace(old, new), "utf-8")
    monkeypatch.setattr(goals, "FILE", changed)
    with pytest.raises(ValueError, match=said):
        goals.of_chapter("02-bahdanau")


def test_the_page_has_a_table_for_each_chapter(built: Path) -> None:
    page = (built / "book/instructors/classroom.html").read_text("utf-8")
    for stem in STEMS:
        table = re.search(rf'<table[^>]* id="goals-{stem}".*?</table>', page, re.DOTALL)
        assert table and table[0].count("<tr") == 1 + len(goals.of_chapter(stem)), stem
        assert f'href="../../notebooks/{stem}.html#exercise-' in table[0]
