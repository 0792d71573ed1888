"""Time in a class, by its commands: stamps, marks of lateness, extensions and the policy are part of a grade."""

import json
from datetime import datetime

import pytest

from autograde.gradebook import store
from autograde.grading import lateness
from tests.autograde import toy
from tests.autograde.command import run, said

pytestmark = [pytest.mark.sandbox, pytest.mark.xdist_group("grader")]
DUE = datetime(2026, 2, 1, 12)


@pytest.fixture
def folder(toy_class, tmp_path):
    """A class of the test's own in which 00-toy was due, and late work loses half for each day."""
    copy = toy_class.copy(tmp_path / "class")
    with copy.config.open("a") as file:
        file.write('\nc.LatePolicy.penalty_method = "share"\nc.LatePolicy.share_a_day = 0.5\n')
    with store.open_gradebook(copy) as book:
        book.find_assignment(toy.NAME).duedate = DUE
        book.db.commit()
    return copy


def stamped(folder, student, stamp):
    (folder.submitted / student / toy.NAME / "timestamp.txt").write_text(f"{stamp}\n")


def penalty(folder, student):
    with store.open_gradebook(folder) as book:
        (notebook,) = book.find_submission(toy.NAME, student).notebooks
        return notebook.late_submission_penalty or 0.0


def test_a_stamp_that_comes_later_counts_and_nothing_is_run_for_it(folder, tmp_path, one_sandbox):
    stamped(folder, "right", "2026-02-01 13:00:00 UTC")
    with toy.installed(tmp_path):
        graded = run("grade", "--class", folder.root)
        assert graded.exit_code == 0 and "0 graded now" in said(graded)
        assert "00-toy right: 4.5 points after the late penalty, instead of 9" in said(graded)
        assert "00-toy: 15 submissions without a time, so taken as on time (" in said(graded)
        assert penalty(folder, "right") == 4.5
        assert "after the late penalty" not in said(run("grade", "--class", folder.root))  # once is enough
        assert "Handed in: 2026-02-01 13:00 UTC, 1 h late; 4.5 points" in said(
            run("trace", "right", "00", "--class", folder.root)
        )


def test_more_time_is_given_shown_first_and_taken_back(folder, tmp_path, one_sandbox):
    stamped(folder, "right", "2026-02-03 11:00:00 UTC")
    lateness.settle(folder, toy.NAME)
    assert penalty(folder, "right") == 9
    where = ("--class", folder.root)
    shown = said(run("extend", "right", "00", "+1d", "--dry-run", *where))
    assert "without a time" not in shown  # others' are no news here
    assert "right, 00-toy: due 2026-02-02 12:00 UTC instead of 2026-02-01 12:00 UTC (nothing was written)" in shown
    assert "4.5 points after the late penalty, instead of 0" in shown
    assert penalty(folder, "right") == 9 and not folder.extensions.exists()
    assert run("extend", "right", "00", "+1d", *where).exit_code == 0
    assert penalty(folder, "right") == 4.5
    assert run("extend", "right", "00", "+2d", *where).exit_code == 0  # in place of the first
    assert penalty(folder, "right") == 0 and folder.extensions.read_text().count("right") == 1
    with toy.installed(tmp_path):  # a new grade of it keeps the time that was given
        run("grade", "--again", "--student", "right", *where)
    assert penalty(folder, "right") == 0
    assert "no extension, due 2026-02-01" in said(run("extend", "right", "00", "0d", *where))
    assert penalty(folder, "right") == 9


def test_more_time_before_anything_is_handed_in(folder, tmp_path, one_sandbox):
    content = (folder.submitted / "right" / toy.NAME / f"{toy.NAME}.ipynb").read_bytes()
    with store.open_gradebook(folder) as book:
        book.update_or_create_student("ada")
    assert run("extend", "ada", "00", "+2d", "--class", folder.root).exit_code == 0
    path = folder.submitted / "ada" / toy.NAME / f"{toy.NAME}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    stamped(folder, "ada", "2026-02-02 12:00:00 UTC")
    with toy.installed(tmp_path):
        run("grade", "--student", "ada", "--class", folder.root)
    assert penalty(folder, "ada") == 0


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("rigth", "00", "+2d"), "no student 'rigth' in submissions/, the gradebook or the roster; did you mean right"),
        (("right", "00", "two days"), "'two days' is no length of time: write +2d"),
        (("right", "07", "+2d"), "no assignment '07'"),
        (("right", "00", "+" + "9" * 5000 + "d"), "is no length of time: write +2d"),
        (("--", "right", "00", "-2d"), "'-2d' is negative"),
        (("right", "00", "-2d"), "'-2d' is negative"),
    ],
)
def test_an_extension_that_cannot_be_is_one_line(folder, words, why):
    result = run("extend", "--class", folder.root, *words)
    assert result.exit_code == 1 and why in said(result) and not folder.extensions.exists()


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ("student,minutes\nright,5\n", "row 1 has no column assignment"),
        ("student,assignment,minutes\nright,00-toy,-5\n", "row 2: minutes must be a whole number"),
        ("student,assignment,minutes\nright,00-toy,60\nright\n", "row 3: it is cut off"),
        ("student,assignment,minutes\nright,00-toy,99999999999999999999\n", "row 2: minutes must be a whole number"),
        ("student,assignment,minutes\nright,00-toy,5\n" + "x" * 200_000, "row 3 cannot be read (field larger"),
        (b"student,assignment,minutes\n\xff,00-toy,60\n", "not written in UTF-8"),
    ],
)
def test_a_damaged_table_of_extensions_stops_with_its_row(folder, table, why):
    folder.extensions.write_bytes(table if isinstance(table, bytes) else table.encode())
    for command in (("extend", "right", "00", "+2d"), ("grade",), ("regrade",)):
        result = run(*command, "--class", folder.root)
        assert result.exit_code == 1 and f"{folder.extensions}" in said(result) and why in said(result)
    assert folder.extensions.read_bytes() == (table if isinstance(table, bytes) else table.encode())


def test_a_policy_that_cannot_be_stops_before_anything_is_graded(folder):
    with folder.config.open("a") as file:
        file.write("c.LatePolicy.share_a_day = 10\n")
    result = run("grade", "--class", folder.root)
    assert result.exit_code == 1 and f"{folder.config}: share_a_day is 10: write a share from 0 to 1" in said(result)


def test_stamps_that_cannot_be_are_said_and_cost_nothing(folder):
    came = {"collected": "2026-02-01 11:00:00 UTC", "late": False}
    for student, stamp in (("right", "2027-01-01 00:00:00 UTC"), ("partly-right", "yesterday"), ("untouched", "")):
        stamped(folder, student, stamp)
        (folder.submitted / student / toy.NAME / "provenance.json").write_text(json.dumps(came))
    settled = lateness.settle(folder, toy.NAME)
    (partly, unread), (right, ahead) = settled.remarks
    assert (partly, right) == ("partly-right", "right")
    assert "its stamp '2027-01-01 00:00:00 UTC' lies after the day on which it was received" in ahead
    assert "its stamp 'yesterday' cannot be read: it counts as one without" in unread
    assert settled.silent[0] == "deleted-cells" and "right" not in settled.silent
    assert not settled.changes and penalty(folder, "right") == 0
    assert (folder.submitted / "right" / toy.NAME / "timestamp.txt").read_text() == "2027-01-01 00:00:00 UTC\n"


def test_a_mark_of_lateness_without_a_time_counts_as_the_least_and_an_extension_excuses_it(folder, tmp_path):
    (folder.submitted / "right" / toy.NAME / "provenance.json").write_text('{"late": true}')
    lateness.settle(folder, toy.NAME)
    assert penalty(folder, "right") == 4.5  # one day that has begun
    where = ("--class", folder.root)
    with toy.installed(tmp_path):
        assert "right (nobody knows how late)" in said(run("summary", "00", *where))
        assert "late, as the platform says without saying when; 4.5 points" in said(run("trace", "right", "00", *where))
    run("extend", "right", "00", "+1h", *where)
    assert penalty(folder, "right") == 0


def test_a_mark_of_lateness_where_no_due_date_is_set_is_said_and_an_extension_excuses_it(folder, tmp_path):
    stamped(folder, "right", "2026-02-01 13:00:00 UTC")
    (folder.submitted / "right" / toy.NAME / "provenance.json").write_text('{"late": true}')
    with store.open_gradebook(folder) as book:
        book.find_assignment(toy.NAME).duedate = None
        book.db.commit()
    lateness.settle(folder, toy.NAME)
    where = ("--class", folder.root)
    with toy.installed(tmp_path):
        assert "right (as the platform says; no due date is set here)" in said(run("summary", "00", *where))
        traced = said(run("trace", "right", "00", *where))
    assert "late, as the platform says and no due date is set here; 4.5 points are taken off for it" in traced
    assert "2026-02-01 13:00 UTC" in traced and traced.count("are taken off") == 1
    run("extend", "right", "00", "+1h", *where)
    assert penalty(folder, "right") == 0


def test_a_due_date_a_policy_and_a_persons_points_that_change_count_with_the_next_run(folder, tmp_path, one_sandbox):
    stamped(folder, "right", "2026-02-01 13:00:00 UTC")
    lateness.settle(folder, toy.NAME)
    with store.open_gradebook(folder) as book:
        book.find_grade("scale-check", toy.NAME, toy.NAME, "right").extra_credit = 1
        book.db.commit()
    with toy.installed(tmp_path):
        run("grade", "--class", folder.root)
        assert penalty(folder, "right") == 5
        with folder.config.open("a") as file:
            file.write('c.LatePolicy.penalty_method = "zero"\n')
        shown = said(run("regrade", "00", "--student", "right", "--class", folder.root))
        assert "Points after penalties, with what people gave" in shown and "right │ 5 │ 0" in shown
        assert penalty(folder, "right") == 5
        run("grade", "--class", folder.root)
        assert penalty(folder, "right") == 10
        with store.open_gradebook(folder) as book:
            book.find_assignment(toy.NAME).duedate = datetime(2026, 2, 2)
            book.db.commit()
        run("grade", "--class", folder.root)
        assert penalty(folder, "right") == 0


def test_the_best_of_several_attempts_counts_after_its_own_penalty(folder, tmp_path, one_sandbox):
    """The late attempt is right, and loses half; the one in time is worth more than what is left of it, or less."""
    for student, label in (("partly-right", "2026-01-first"), ("untouched", "2026-01-second")):
        kept = folder.earlier / "right" / toy.NAME / label / f"{toy.NAME}.ipynb"
        kept.parent.mkdir(parents=True)
        kept.write_bytes((folder.submitted / student / toy.NAME / f"{toy.NAME}.ipynb").read_bytes())
    stamped(folder, "right", "2026-02-01 13:00:00 UTC")
    where, partly = ("--class", folder.root), store.standings(folder, toy.NAME)["partly-right"].score
    with toy.installed(tmp_path):
        run("grade", "--student", "right", *where)
        assert store.held(folder, toy.NAME)["right"].net == 4.5
        with folder.config.open("a") as file:
            file.write('c.LatePolicy.attempts = "best"\nc.LatePolicy.share_a_day = 0.9\n')
        graded = run("grade", "--student", "right", *where)
        assert graded.exit_code == 0 and "right" in said(graded)
        assert partly > 0.9 and store.held(folder, toy.NAME)["right"].net == partly
        assert "kept in earlier/right/00-toy/2026-01-first" in said(run("trace", "right", "00", *where))
        assert "0 graded now" in said(run("grade", *where))
        assert "Nobody's points after penalties change" in said(run("regrade", "00", "--student", "right", *where))
        run("extend", "right", "00", "+2h", *where)  # now the late one is in time
        run("grade", *where)
        assert store.held(folder, toy.NAME)["right"].net == 9
