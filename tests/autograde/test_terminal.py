"""What a terminal shows: progress that can be read where there is none, and names that cannot move a line."""

from autograde import terminal
from autograde.grading.run import Line


def test_a_few_submissions_promise_no_minutes(capsys, monkeypatch):
    """One handed in again among thirty: the time that the start took says nothing about the rest."""
    clock = iter(range(0, 10_000, 60))
    monkeypatch.setattr(terminal.time, "monotonic", lambda: next(clock))
    line = Line("00-toy", "ada", 1, 1, {}, (), False, 0.5, fresh=True)
    with terminal.RunProgress() as progress:
        for done in range(8):
            progress.submission("00-toy", done, 30, line if done else None)
    lines = capsys.readouterr().out.splitlines()
    assert ["min left" in each for each in lines] == [False] * 4 + [True] * 3


def test_nothing_in_a_name_moves_the_line():
    hostile = "a\u202eb\x1b[2Jc\rd\u2028e\x9bf\udcffg"
    assert terminal.plain(hostile) == "a\\u202eb\\u001b[2Jc\\u000dd\\u2028e\\u009bf\\udcffg"
    for name in ("Łukasz, محمد", "👩🏽\u200d🎓", "[bold]x[/bold]", "=1+2"):
        assert terminal.plain(name) == name
