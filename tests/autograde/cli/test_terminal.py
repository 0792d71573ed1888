"""What a terminal shows: progress that can be read where there is none, and names that cannot move a line."""

import io
import itertools
import re

import pytest
from rich.console import Console

from autograde import terminal
from autograde.grading.run import Line
from autograde.reports.summary import Row, Summary
from autograde.terminal import looking, progress


def test_a_few_submissions_promise_no_minutes(capsys, monkeypatch):
    """One handed in again among thirty: the time that the start took says nothing about the rest."""
    clock = iter(range(0, 10_000, 60))
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    line = Line("00-toy", "ada", 1, 1, {}, (), False, 0.5, fresh=True)
    with progress.RunProgress() as bar:
        for done in range(8):
            bar.submission("00-toy", done, 30, line if done else None)
    lines = capsys.readouterr().out.splitlines()
    assert ["min left" in each for each in lines] == [False] * 4 + [True] * 3


def test_nothing_is_left_when_a_run_is_over(monkeypatch):
    """The bar that stays says how long it took, and not that as long is left."""
    screen, clock = io.StringIO(), itertools.count(0, 60)
    shown = Console(file=screen, force_terminal=True, width=120, get_time=lambda: next(clock))
    monkeypatch.setattr(progress, "console", shown)
    with progress.RunProgress() as bar:
        for done in range(5):
            bar.update("00-toy", done, 4)
    last = [line for line in screen.getvalue().splitlines() if "4/4" in line][-1]
    assert re.search(r"left:\D* 0:00:00", re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", last)), last


@pytest.mark.parametrize("width", [40, 80])
def test_a_narrow_terminal_shows_every_mean_and_count(monkeypatch, width):
    screen = io.StringIO()
    monkeypatch.setattr(looking, "console", Console(file=screen, width=width))
    monkeypatch.setattr(looking, "say", lambda *words: None)
    row = Row("2.q1", "question_which_broadcast", 2.0, 1.25, {"all": 3, "none": 1})
    looking.show_summary("02-bahdanau", Summary("02-bahdanau", [], 2.0, [row], [], [], [], [], []), None)
    shown = "".join(re.findall(r"[^\s\u2500-\u257f]", screen.getvalue()))
    assert "1.25/2" in shown and "3all" in shown and "1" in shown and "\u2026" not in shown


def test_nothing_in_a_name_moves_the_line():
    hostile = "a\u202eb\x1b[2Jc\rd\u2028e\x9bf\udcffg"
    assert terminal.printable_text(hostile) == "a\\u202eb\\u001b[2Jc\\u000dd\\u2028e\\u009bf\\udcffg"
    for name in ("Łukasz, محمد", "👩🏽\u200d🎓", "[bold]x[/bold]", "=1+2"):
        assert terminal.printable_text(name) == name
