"""Every grade leads back to its file, run, key and versions, and says what a person changed."""

import csv
import hashlib
import json
import os
import shlex
import subprocess
import sys
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Configurable

from autograde import terminal
from autograde.gradebook import configuration, store
from autograde.grading import run as grade
from autograde.grading import versions
from autograde.ledger import Ledger
from autograde.reports import export, trace
from tests.autograde import toy
from tests.autograde.command import run, said

pytestmark = [pytest.mark.sandbox, pytest.mark.xdist_group("grader")]


def test_every_submission_of_the_class_can_be_traced(toy_class):
    traced = trace.traces(toy_class.folder, toy.NAME)
    assert set(traced) == {submission.student for submission in toy_class.made}
    for submission in toy_class.made:
        one = traced[submission.student]
        assert one.submission == hashlib.sha256(submission.content).hexdigest() and one.run == toy_class.summary.run
        assert {name: given.points for name, given in one.given.items()} == submission.expected
        assert {name: record.points for name, record in one.records.items()} == submission.expected
        assert (one.points, one.max) == (submission.score, 9) and not one.changed and not one.waits


@pytest.mark.parametrize(
    ("late", "words"),
    [
        (timedelta(seconds=20), "1 min"),
        (timedelta(hours=3, minutes=20), "3 h 20 min"),
        (timedelta(hours=23, minutes=59, seconds=50), "1 day"),
        (timedelta(days=2, hours=21, minutes=9), "2 days 21 h"),
    ],
)
def test_how_late_in_words(late, words):
    assert trace.how_long(late) == words


def test_what_went_wrong_at_any_exercise_is_told(toy_class):
    one = trace.traces(toy_class.folder, toy.NAME, ["right"])["right"]
    names = list(one.records)
    for name in names:  # which of them stands for the whole, nobody needs to know
        records = one.records | {name: replace(one.records[name], details=[f"the judge failed at {name}"])}
        words = trace.in_words(toy_class.folder, replace(one, records=records))
        assert ("Noted", f"the judge failed at {name}") in words


def test_the_gradebooks_own_sums_are_the_same(toy_class):
    traced = trace.traces(toy_class.folder, toy.NAME, ["right", "partly-right"])
    assert set(traced) == {"right", "partly-right"}
    with store.open_gradebook(toy_class.folder) as book:
        for student, one in traced.items():
            submission = book.find_submission(toy.NAME, student)
            assert (one.points, one.max) == (submission.score, submission.max_score)


def test_it_says_where_a_grade_comes_from(toy_class, tmp_path):
    folder = toy_class.copy(tmp_path / "class")
    where = ("--class", folder.root)
    with toy.installed(tmp_path):
        output = said(run("trace", "right", "00", *where))
        record = next(Ledger(folder.ledger).read(toy.NAME))
        for value in (
            record.run,
            f"the key with the sha256 {record.key}, kept",
            record.release,
            record.versions["torch"],
            record.versions["grader"],
        ):
            assert value in output
        digest = hashlib.sha256((folder.submitted / "right" / toy.NAME / f"{toy.NAME}.ipynb").read_bytes()).hexdigest()
        assert f"sha256 {digest}, still the file in submissions/: {toy.NAME}.ipynb" in output
        assert (
            "still the class's" in output
            and "the same here now" in output
            and "regrade 00-toy --student right" in output
        )


def test_what_changed_since_is_said(toy_class, tmp_path, monkeypatch):
    folder = toy_class.copy(tmp_path / "class")
    with store.open_gradebook(folder) as book:
        given = book.find_grade("scale-check", toy.NAME, toy.NAME, "untouched")
        given.manual_score, given.extra_credit, given.needs_manual_grade = 1.5, 0.25, False
        book.find_grade("centre-check", toy.NAME, toy.NAME, "untouched").needs_manual_grade = True
        book.find_comment("scale-answer", toy.NAME, toy.NAME, "untouched").manual_comment = "after we spoke"
        book.find_assignment(toy.NAME).duedate = datetime(2026, 2, 1)
        submission = book.find_submission(toy.NAME, "untouched")
        submission.timestamp, submission.notebooks[0].late_submission_penalty = datetime(2026, 2, 2), 0.5
        book.db.commit()
    (folder.submitted / "untouched" / toy.NAME / f"{toy.NAME}.ipynb").write_text("{}")
    with folder.released(toy.NAME).open("a") as file:
        file.write("\n")
    monkeypatch.setattr(versions, "versions", lambda *_: {"python": "9", "torch": "9", "grader": "other"})
    with toy.installed(tmp_path):
        one = trace.traces(folder, toy.NAME, ["untouched"])["untouched"]
        fields = dict(trace.in_words(folder, one))
    assert (one.points, one.changed, one.waits) == (1.75, ["scale"], ["centre"])
    assert "another file lies in submissions/ now" in fields["Submission"] and one.submission in fields["Submission"]
    assert fields["Handed in"] == "2026-02-02 00:00 UTC, 1 day late; 0.5 points are taken off for it"
    assert (
        "grader is other here now" in fields["Versions"] and "another one than the class has now" in fields["Release"]
    )
    assert trace.by_hand(one, "scale") == "1.5 in place of 0; +0.25 on top; commented: after we spoke"
    assert trace.by_hand(one, "centre") == "waits for a person" and not trace.by_hand(one, "standardise")
    (folder.submitted / "untouched" / toy.NAME / f"{toy.NAME}.ipynb").unlink()
    (folder.submitted / "untouched" / toy.NAME).rmdir()
    with toy.installed(tmp_path):
        assert "nothing lies in submissions/ any more" in dict(trace.in_words(folder, one))["Submission"]


def test_every_earlier_time_is_listed(toy_class, tmp_path, one_sandbox):
    folder = toy_class.copy(tmp_path / "class")
    with toy.installed(tmp_path):
        assert trace.history(folder, "untouched", toy.NAME) == []
        again = grade.grade(folder, again=True, students=["untouched"])
        first, second = trace.history(folder, "untouched", toy.NAME)
        assert toy_class.summary.run in first and again.run in second and "0 of 9 by the machine" in second
        assert trace.traces(folder, toy.NAME, ["untouched"])["untouched"].run == again.run


def test_any_name_can_be_traced_summed_and_shown(toy_released, toy_notebook, submission, one_sandbox):
    names = [
        "=1+2, x",
        "-rf",
        "@sum",
        "+1",
        'say "hi"',
        "<b>x<b>",
        "[red]x",
        "a\\b",
        "Łukasz, محمد",
    ]
    for name in names:
        submission(toy_released, name, toy_notebook.read_bytes())
    where = ("--class", toy_released.root)
    result = run("grade", *where)
    assert result.exit_code == 0 and "\u202e" not in result.output
    assert all(terminal.printable_text(name) in result.output for name in names)
    html = toy_released.summary(toy.NAME).read_text("utf-8")
    assert "<b>x" not in html and f"{len(names)}</strong> submissions graded" in html
    traced = trace.traces(toy_released, toy.NAME)
    assert set(traced) == set(names) and all(one.records for one in traced.values())
    for name in names:
        result = run("trace", *where, "--", name, "00")
        assert result.exit_code == 0 and f"{terminal.printable_text(name)}, 00-toy: 0 of 9 points" in result.output
        assert terminal.printable_text(f"--student {shlex.quote(name)} --diff") in result.output
    export.export(toy_released)
    rows = list(csv.DictReader(toy_released.grades.open(newline="")))
    assert {row["student_id"].removeprefix("'") for row in rows} == set(names)
    assert not any(row["student_id"][0] in "=+-@" for row in rows)


def test_who_is_not_there_is_said_in_one_line(toy_class):
    result = run("trace", "nobody; here", "00", "--class", toy_class.folder.root)
    assert result.exit_code == 1 and "no submission of nobody; here to 00-toy is in the gradebook" in said(result)
    assert "nor is there one in submissions/" in said(result) and "autograde grade" not in said(result)
    result = run("trace", "Untouchd", "00", "--class", toy_class.folder.root)
    assert result.exit_code == 1 and "did you mean untouched?" in said(result)


def test_what_stock_nbgrader_graded_has_no_record(toy_class, tmp_path):
    folder = toy_class.copy(tmp_path / "class")
    path = folder.autograded / "right" / toy.NAME / f"{toy.NAME}.ipynb"
    notebook = json.loads(path.read_text())
    del notebook["metadata"]["autograde"]
    path.write_text(json.dumps(notebook))
    one = trace.traces(folder, toy.NAME, ["right"])["right"]
    assert (one.submission, one.run, one.records, one.points) == ("", "", {}, 9)
    assert trace.in_words(folder, one)[-1][1].startswith("by stock nbgrader")
    with toy.installed(tmp_path):
        assert "by stock nbgrader" in said(run("trace", "right", "00", "--class", folder.root))


def test_the_table_of_grades_names_file_and_run(toy_class, tmp_path):
    folder = toy_class.copy(tmp_path / "class")
    with store.open_gradebook(folder) as book:
        book.find_grade("scale-check", toy.NAME, toy.NAME, "untouched").manual_score = 1.5
        book.db.commit()
    target, _ = export.export(folder)
    rows = {row["student_id"]: row for row in csv.DictReader(target.open(newline=""))}
    for submission in toy_class.made:
        row = rows[submission.student]
        assert (
            row["submission"] == hashlib.sha256(submission.content).hexdigest() and row["run"] == toy_class.summary.run
        )
        assert row["by_hand"] == ("yes" if submission.student == "untouched" else "no")


def test_nbgraders_own_command_writes_the_same(toy_class, tmp_path, full):
    target, theirs = toy_class.folder.grades, tmp_path / "theirs.csv"
    if full:  # the command itself takes seconds to start
        programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        root = Path(export.__file__).resolve().parents[1]
        environment = {**os.environ, "PATH": programs, "PYTHONPATH": str(root)}
        command = [Path(sys.executable).parent / "nbgrader", "export", "--to", theirs]
        done = subprocess.run(command, cwd=toy_class.folder.root, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    else:

        class App(Configurable):
            coursedir = CourseDirectory(config=configuration.read(toy_class.folder))

        plugin = export.GradesCsv(parent=App())
        plugin.to = str(theirs)
        with store.open_gradebook(toy_class.folder) as book:
            plugin.export(book)
    assert theirs.read_bytes() == target.read_bytes()
