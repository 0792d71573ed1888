"""The scoreboard says what the committed results say, and no chapter tells of a later one."""

import pytest

from course import committed
from course.scoreboard import LINES, exact_match, scoreboard


@pytest.mark.parametrize("how, chapter, experiment, model", LINES)
def test_lines_are_means_over_the_seeds(how, chapter, experiment, model):
    kept = committed.read(experiment)
    exact, steps, parameters = exact_match(experiment, model)
    assert len(kept["seeds"]) >= 3 and steps == kept["settings"]["steps"] and parameters > 0
    for k, share in enumerate(exact, start=1):
        rows = [r["exact"] for r in kept["records"] if r.get("k") == k and "exact" in r and model in (None, r["model"])]
        assert len(rows) == len(kept["seeds"]) and share == pytest.approx(sum(rows) / len(rows))


@pytest.mark.parametrize("chapter", range(11))
def test_what_is_later_is_to_come(chapter, capsys):
    scoreboard(chapter)
    lines = capsys.readouterr().out.splitlines()[2:]
    assert [line.endswith("to come") for line in lines] == [reached > chapter for _, reached, _, _ in LINES]
