"""The sample class of every assignment of the course: whole, stated, and graded as stated."""

import shutil
import sys
from pathlib import Path

import pytest

from autograde import export, feedback, gradebook, sample
from autograde.folders import ClassFolder
from autograde.release import release

COMMITTED = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("[0-9][0-9]-*.ipynb"))
KINDS = ("right", "right-other-form-1", "right-other-form-2", "partly-right", "untouched", "syntax-error",
         "unreadable-file", "deleted-cells", "duplicated-cells", "hostile-patches-the-tests", "hostile-reads-the-disk",
         "hostile-never-ends")  # fmt: skip


@pytest.mark.sandbox
@pytest.mark.usefixtures("observed_once")
@pytest.mark.skipif(sys.platform != "linux" or shutil.which("bwrap") is None, reason="needs Linux and bubblewrap")
@pytest.mark.parametrize("notebook", COMMITTED, ids=lambda path: path.stem)
def test_the_gradebook_holds_the_stated_points(tmp_path, notebook):
    from autograde import grade

    name, folder = notebook.stem, ClassFolder.at(tmp_path / "class")
    release(folder, [notebook])
    made = sample.sample(folder, name)
    students = {hand_in.student for hand_in in made}
    assert len(made) == len(students) >= 16
    assert students >= set(KINDS)
    assert sum(student.startswith("wrong-") for student in students) == 4
    right = next(hand_in for hand_in in made if hand_in.student == "right").score
    assert all(hand_in.score < right for hand_in in made if hand_in.student.startswith(("wrong", "hostile", "syntax")))

    summary = grade.grade(folder)
    assert not summary.refused
    assert not [line.student for line in summary.lines if line.needs_person]
    assert gradebook.scores(folder, name) == {hand_in.student: hand_in.expected for hand_in in made}
    flagged = {line.student: set(line.flags) for line in summary.lines}
    assert all(set(hand_in.flags) <= flagged[hand_in.student] for hand_in in made)
    assert not flagged["right"] | flagged["right-other-form-1"] | flagged["right-other-form-2"]
    assert feedback.feedback(folder, name) == len(made)
    assert export.export(folder)[1] == len(made)
