"""The sample class of every assignment of the course: whole, stated, and graded as stated."""

import shutil
import sys
from pathlib import Path

import pytest

from autograde.bank import sample
from autograde.folders import ClassFolder
from autograde.gradebook import store
from autograde.gradebook.release import release
from autograde.reports import export, feedback

COMMITTED = sorted((Path(__file__).resolve().parents[3] / "notebooks").glob("[0-9][0-9]-*.ipynb"))
KINDS = ("right", "right-other-form-1", "right-other-form-2", "partly-right", "untouched", "syntax-error",
         "unreadable-file", "deleted-cells", "duplicated-cells", "hostile-patches-the-tests", "hostile-reads-the-disk",
         "hostile-never-ends")  # fmt: skip


@pytest.mark.sandbox
@pytest.mark.usefixtures("observed_once")
@pytest.mark.skipif(sys.platform != "linux" or shutil.which("bwrap") is None, reason="needs Linux and bubblewrap")
@pytest.mark.parametrize("notebook", COMMITTED, ids=lambda path: path.stem)
def test_the_gradebook_holds_the_stated_points(tmp_path, notebook):
    from autograde.grading import run

    name, folder = notebook.stem, ClassFolder.at(tmp_path / "class")
    release(folder, [notebook])
    made = sample.sample(folder, name)
    students = {submission.student for submission in made}
    assert len(made) == len(students) >= 16
    assert students >= set(KINDS)
    assert sum(student.startswith("wrong-") for student in students) == 4
    right = next(submission for submission in made if submission.student == "right").score
    lower = [each for each in made if each.student.startswith(("wrong", "hostile", "syntax"))]
    assert all(each.score < right for each in lower)

    summary = run.grade(folder)
    assert not summary.refused
    assert not [line.student for line in summary.lines if line.needs_person]
    assert store.scores(folder, name) == {submission.student: submission.expected for submission in made}
    flagged = {line.student: set(line.flags) for line in summary.lines}
    assert all(set(submission.flags) <= flagged[submission.student] for submission in made)
    assert not flagged["right"] | flagged["right-other-form-1"] | flagged["right-other-form-2"]
    assert feedback.feedback(folder, name) == len(made)
    assert export.export(folder)[1] == len(made)
