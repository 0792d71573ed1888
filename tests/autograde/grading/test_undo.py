"""The last run taken back, and exercises' points changed, by the commands."""

import errno
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import Mock

import pytest

from autograde import files, plan
from autograde.gradebook import enter, store
from autograde.gradebook.release import release
from autograde.grading import points, undo
from autograde.grading import run as grading
from autograde.ledger import Ledger
from tests.autograde import toy
from tests.autograde.command import run, said

pytestmark = [pytest.mark.sandbox, pytest.mark.xdist_group("grader")]


@pytest.fixture
def folder(toy_class, tmp_path):
    """A class of the test's own, while the toy assignment stands in the course."""
    with toy.installed(tmp_path):
        yield toy_class.copy(tmp_path / "class")


def file_of(folder, student):
    return folder.submitted / student / toy.NAME / f"{toy.NAME}.ipynb"


def score(folder, student):
    return store.standings(folder, toy.NAME)[student].score


def give(folder, student, number):
    with store.open_gradebook(folder) as book:
        book.find_grade("scale-check", toy.NAME, toy.NAME, student).manual_score = number
        book.db.commit()


def test_a_run_over_what_was_handed_in_again_is_taken_back(folder, one_sandbox):
    """The file that was graded before lies in earlier/ then, as `collect` puts it."""
    where = ("--class", folder.root)
    content = file_of(folder, "untouched").read_bytes()
    kept = folder.earlier / "right" / toy.NAME / "before" / f"{toy.NAME}.ipynb"
    kept.parent.mkdir(parents=True)
    file_of(folder, "right").rename(kept)
    file_of(folder, "right").write_bytes(content)
    run("grade", "--student", "right", *where)
    assert score(folder, "right") == 0
    before = Ledger(folder.ledger).path(toy.NAME).read_bytes()
    shown = said(run("undo", "--dry-run", *where))
    assert "00-toy right: 9 points instead of 0" in shown and "would be taken back (nothing was written)" in shown
    assert score(folder, "right") == 0 and not Ledger(folder.ledger).undone()
    assert run("undo", *where).exit_code == 0
    assert score(folder, "right") == 9 and Ledger(folder.ledger).path(toy.NAME).read_bytes() == before
    assert ", taken back" in said(run("trace", "right", "00", *where))
    assert "1 graded now" in said(run("grade", "--student", "right", *where))  # the new file is still to be graded
    assert score(folder, "right") == 0


def test_what_a_person_gave_stays(folder, one_sandbox):
    where = ("--class", folder.root)
    content = file_of(folder, "untouched").read_bytes()
    for student in ("ada", "bob"):
        file_of(folder, student).parent.mkdir(parents=True)
        file_of(folder, student).write_bytes(content)
    run("grade", "--again", "--student", "right", "--student", "ada", "--student", "bob", *where)
    give(folder, "right", 0.5)
    give(folder, "ada", 1)
    undone = said(run("undo", *where))
    assert "00-toy right: 7.5 points instead of 7.5" in undone and score(folder, "right") == 7.5
    assert "Stays as it is: ada, 00-toy: a person gave points, and there was no grade before" in undone
    assert score(folder, "ada") == 1
    assert "00-toy bob: no grade instead of 0" in undone and "bob" not in store.standings(folder, toy.NAME)
    assert not (folder.autograded / "bob" / toy.NAME).exists()


def test_an_undo_that_was_killed_is_gone_on_with(folder, one_sandbox, monkeypatch):
    where, made = ("--class", folder.root), grading.grade(folder, again=True, students=["right", "untouched"])
    monkeypatch.setattr(undo.enter, "enter", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        undo.undo(folder)
    monkeypatch.undo()
    assert Ledger(folder.ledger).undone() == {made.run: False}
    assert made.run in said(run("undo", *where)) and Ledger(folder.ledger).undone() == {made.run: True}
    first = next(Ledger(folder.ledger).read(toy.NAME)).run
    assert store.entered(folder, toy.NAME, "right")["run"] == first
    assert f"The run {first}" in said(run("undo", "--dry-run", *where))  # and then the one before


def test_an_interrupted_run_that_is_taken_back_is_not_gone_on_with(folder, one_sandbox):
    begun = plan.new([toy.NAME], ["right"], again=True)
    plan.begin(folder.ledger, begun)
    grading.grade(folder, resume=True)
    plan.begin(folder.ledger, begun)
    assert run("undo", "--class", folder.root).exit_code == 0 and plan.unfinished(folder.ledger) is None
    assert grading.grade(folder, again=True, students=["right"]).run != begun.run
    assert score(folder, "right") == 9


def test_a_second_undo_in_a_row_is_asked_about(folder, monkeypatch):
    """The two runs end within one second, as they do on a fast machine."""
    where, now = ("--class", folder.root), datetime.now(UTC)
    monkeypatch.setattr(points, "datetime", Mock(now=lambda zone: now))
    for change in ("0.1=6", "0.1=4"):
        run("points", change, *where)
    assert run("undo", *where).exit_code == 0 and score(folder, "right") == 13
    ledger = (folder.ledger / "undone.jsonl").read_bytes()
    asked = run("undo", *where)
    assert asked.exit_code == 1 and "00-toy right: 9 points instead of 13" in said(asked)
    assert "the run after it was taken back already, so this takes back an earlier one" in said(asked)
    assert "Nothing was written. If you mean it, give the command again with --yes" in said(asked)
    assert score(folder, "right") == 13 and (folder.ledger / "undone.jsonl").read_bytes() == ledger
    assert run("undo", "--yes", *where).exit_code == 0 and score(folder, "right") == 9


def test_an_undo_that_leaves_no_grade_is_asked_about(folder):
    shown = run("undo", "--class", folder.root)
    assert shown.exit_code == 1 and "no grade would be left in the gradebook" in said(shown)
    assert score(folder, "right") == 9 and not Ledger(folder.ledger).undone()


def test_an_undo_on_a_full_disk_names_the_file_and_says_what_stands(folder, monkeypatch):
    where = ("--class", folder.root)
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        files.add(Path("/dev/full"), b"x")
    run("points", "0.1=6", *where)
    monkeypatch.setattr("autograde.ledger.add", lambda path, _: full(path))
    result = run("undo", *where)
    undone = folder.ledger / "undone.jsonl"
    assert result.exit_code == 1 and "Traceback" not in result.output
    assert f"{undone}: No space left on device. Nothing was changed: the grades are what they were" in said(result)
    monkeypatch.undo()
    monkeypatch.setattr(undo, "write_atomically", lambda path, *_, **__: full(path))
    result = run("undo", *where)
    (name,) = Ledger(folder.ledger).undone()
    assert f"No space left on device. The run {name} counts no more, and some of its grades are still in" in said(
        result
    )
    assert "To do: make room, and give the command again" in said(result)
    monkeypatch.undo()
    assert run("undo", *where).exit_code == 0 and score(folder, "right") == 9


def full(path):
    raise OSError(errno.ENOSPC, "No space left on device", str(path))


def test_nothing_to_take_back_is_one_line(toy_released):
    result = run("undo", "--class", toy_released.root)
    assert result.exit_code == 1 and "no run of this class is left to take back" in said(result)


def test_new_points_reach_every_grade_and_are_taken_back(folder):
    where, partly = ("--class", folder.root), score(folder, "wrong-the-sign-is-lost")
    records = Ledger(folder.ledger).latest(toy.NAME)
    (lost,) = [found["scale"] for (who, _), found in records.items() if who == "wrong-the-sign-is-lost"]
    give(folder, "untouched", 1.5)
    shown = said(run("points", "0.1=6", "--dry-run", *where))
    assert "0.1 scale: out of 6 instead of 2" in shown and "00-toy right: 13 points instead of 9" in shown
    assert "(nothing was written)" in shown and score(folder, "right") == 9
    assert "still show the course's own points for these: tell your students" in shown
    assert run("points", "scale=6", *where).exit_code == 0
    assert score(folder, "right") == 13 and score(folder, "untouched") == 1.5
    assert score(folder, "wrong-the-sign-is-lost") == pytest.approx(
        partly - lost.points + 6 * lost.verdict.fraction, abs=0.01
    )
    with store.open_gradebook(folder) as book:
        assert book.find_assignment(toy.NAME).max_score == 13
    assert "13 of 13 points" in said(run("trace", "right", "00", *where))
    again = said(run("points", "0.1=6", *where))
    assert "New points, before penalties: 0 submissions" in again and "tell your students" not in again
    assert run("undo", *where).exit_code == 0
    assert score(folder, "right") == 9 and score(folder, "untouched") == 1.5
    with store.open_gradebook(folder) as book:
        assert book.find_assignment(toy.NAME).max_score == 9


def test_new_points_hold_for_what_is_graded_and_released_later(folder, one_sandbox, tmp_path):
    where = ("--class", folder.root)
    run("points", "0.1=6", *where)
    assert "0 graded now" in said(run("grade", *where))  # nothing has to be run for it
    run("grade", "--again", "--student", "right", *where)
    assert score(folder, "right") == 13
    folder.released(toy.NAME).unlink()
    release(folder, [tmp_path / "notebooks" / f"{toy.NAME}.ipynb"])
    with store.open_gradebook(folder) as book:
        assert book.find_assignment(toy.NAME).max_score == 13
    assert "by exercise" in said(run("summary", "00", *where)) and "6/6" not in said(run("summary", "00", *where))


def test_new_points_that_were_killed_half_way_are_gone_on_with(folder, monkeypatch):
    monkeypatch.setattr(enter, "enter", lambda *_: 1 / 0)
    assert isinstance(run("points", "0.1=6", "--class", folder.root).exception, ZeroDivisionError)
    monkeypatch.undo()
    assert run("points", "0.1=6", "--class", folder.root).exit_code == 0
    assert score(folder, "right") == 13
    assert len({each.run for each in Ledger(folder.ledger).changed_points()}) == 1


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("0.1", "'0.1' says no points: write NUMBER=POINTS"),
        ("0.1=many", "says no points"),
        ("0.1=-1", "says no points"),
        ("0.1=nan", "says no points"),
        ("0.77=2", "no exercise '0.77' in what is released (00-toy)"),
    ],
)
def test_points_that_cannot_be_are_one_line(folder, word, why):
    result = run("points", "--class", folder.root, word)
    assert result.exit_code == 1 and why in said(result) and not Ledger(folder.ledger).changed_points()
