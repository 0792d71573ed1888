"""The sample class of every assignment of the course: whole, stated, and graded as stated.

From the key whose tables the bank's other tests have observed in this worker, in the sandbox that they have used, and
an answer that never ends is given up sooner than a student's; with `--full` as in a class.
"""

import shutil
import sys

import pytest

from autograde.bank import sample
from autograde.folders import ClassFolder
from autograde.gradebook import store
from autograde.gradebook.release import release
from autograde.reports import export, feedback
from autograde.sandbox.limits import Limits
from course.key import Key
from tools.notebooks import files

KINDS = ("right", "right-other-form-1", "right-other-form-2", "partly-right", "untouched", "syntax-error",
         "unreadable-file", "deleted-cells", "duplicated-cells", "hostile-patches-the-tests", "hostile-reads-the-disk",
         "hostile-never-ends")  # fmt: skip


@pytest.mark.sandbox
@pytest.mark.usefixtures("observed_once")
@pytest.mark.skipif(sys.platform != "linux" or shutil.which("bwrap") is None, reason="needs Linux and bubblewrap")
def test_the_gradebook_holds_the_stated_points(tmp_path, chapter_worker, in_place, full, monkeypatch):
    from autograde.grading import run

    if not full:
        sandbox = chapter_worker.sandbox()
        in_place(sandbox)
        monkeypatch.setattr(sandbox, "limits", Limits(request_seconds=3, grace=0.5))
        monkeypatch.setattr(Key, "fresh", lambda: chapter_worker.key)
    name, folder = chapter_worker.name, ClassFolder.at(tmp_path / "class")
    release(folder, files.paths([name]))
    made = sample.sample(folder, name)
    students = {submission.student for submission in made}
    wrong = sum(student.startswith("wrong-") for student in students)
    assert wrong == 4 or (wrong and len(chapter_worker.exercises) < 4)  # a short bank may have no four
    assert len(made) == len(students) == len(KINDS) + wrong
    assert students >= set(KINDS)
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
