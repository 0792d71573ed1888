"""nbgrader's conversion of what is staged: what its own `init_assignment` does, in one gradebook for all of a run."""

import shutil

import pytest
from nbgrader.api import Gradebook

from autograde.gradebook import enter, store
from autograde.gradebook.run_gradebook import RunGradebook
from tests.autograde import toy


@pytest.fixture
def staged(toy_class, tmp_path):
    """A copy of the graded class in which two of its submissions are on their way into the gradebook again."""
    folder = toy_class.copy(tmp_path / "class")
    for student in ("right", "untouched"):
        shutil.copytree(folder.autograded / student, folder.staged / student)
    return folder


def test_a_run_opens_one_gradebook(staged, monkeypatch):
    opened, real = [], Gradebook.__init__
    monkeypatch.setattr(Gradebook, "__init__", lambda self, *words, **more: opened.append(self) or real(self, *words))
    before = store.scores(staged, toy.NAME)
    opened.clear()
    assert enter.enter(staged, toy.NAME) == []
    assert [type(each) for each in opened] == [RunGradebook]
    assert store.scores(staged, toy.NAME) == before and not list(staged.staged.iterdir())


def test_progress_comes_to_its_end(staged):
    """The bar stays where it stands when a run is over."""
    told = []
    assert enter.enter(staged, toy.NAME, lambda what, done, of: told.append((done, of))) == []
    assert told == [(0, 2), (1, 2), (2, 2)]


def test_the_assignments_own_files_replace_the_students(staged):
    with staged.config.open("a") as file:
        file.write(f"\nc.Autograde.exclude_overwriting = {{{toy.NAME!r}: ['kept.txt']}}\n")
    for folder, text in ((staged.source, "ours"), (staged.staged / "right", "theirs")):
        (folder / toy.NAME / "data").mkdir()
        for name in ("data/table.csv", "kept.txt"):
            (folder / toy.NAME / name).write_text(text)
    assert enter.enter(staged, toy.NAME) == []
    graded = staged.autograded / "right" / toy.NAME
    assert ((graded / "data/table.csv").read_text(), (graded / "kept.txt").read_text()) == ("ours", "theirs")
    assert (staged.autograded / "untouched" / toy.NAME / "data/table.csv").read_text() == "ours"


def test_a_notebook_that_was_not_handed_in_scores_zero(staged):
    with store.open_gradebook(staged) as book:
        for student in ("right", "untouched"):
            book.remove_submission(toy.NAME, student)
        book.add_notebook("second", toy.NAME)
        book.add_grade_cell("second-check", "second", toy.NAME, max_score=3, cell_type="code")
    assert enter.enter(staged, toy.NAME) == []
    with store.open_gradebook(staged) as book:
        grade = book.find_grade("second-check", "second", toy.NAME, "right")
        assert (grade.auto_score, grade.needs_manual_grade) == (0, False)


def test_nobody_is_made_a_student_where_the_class_says_so(staged):
    with staged.config.open("a") as file:
        file.write("\nc.Autograde.create_student = False\n")
    (staged.staged / "untouched").rename(staged.staged / "nobody")
    assert enter.enter(staged, toy.NAME) == ["nobody"]
    assert "nobody" not in store.scores(staged, toy.NAME)


def test_what_the_grader_flags_has_nbgraders_flag(toy_class):
    flagged = {line.student for line in toy_class.summary.lines if line.flags}
    with store.open_gradebook(toy_class.folder) as book:
        notebooks = {one.student.id: one.notebooks[0] for one in book.find_assignment(toy.NAME).submissions}
        assert flagged and {student for student, one in notebooks.items() if one.flagged} == flagged


def flagged(folder, student):
    with store.open_gradebook(folder) as book:
        return book.find_submission(toy.NAME, student).notebooks[0].flagged


def test_a_flag_that_a_person_took_away_stays_away_until_there_is_another_submission(toy_class, tmp_path):
    folder = toy_class.copy(tmp_path / "class")
    student = next(line.student for line in toy_class.summary.lines if line.flags)
    graded = folder.autograded / student / toy.NAME / f"{toy.NAME}.ipynb"

    def cleared_and_entered_again(edit=None):
        shutil.copytree(folder.autograded / student, folder.staged / student)
        with store.open_gradebook(folder) as book:
            book.find_submission(toy.NAME, student).notebooks[0].flagged = False
            book.db.commit()
        if edit:
            graded.write_text(edit(graded.read_text()))
        assert enter.enter(folder, toy.NAME) == []
        return flagged(folder, student)

    submission = store.entered(folder, toy.NAME, student)["submission"]
    assert not cleared_and_entered_again()
    assert not cleared_and_entered_again()
    assert cleared_and_entered_again(lambda text: text.replace(submission, "0" * 64))  # what was there was another one
    assert cleared_and_entered_again(lambda text: text.replace('"flags"', '"nothing"'))  # it had not been flagged yet
    assert cleared_and_entered_again(lambda text: "{")
    shutil.copytree(folder.autograded / student, folder.staged / student)
    with store.open_gradebook(folder) as book:
        book.remove_submission(toy.NAME, student)
    assert enter.enter(folder, toy.NAME) == [] and flagged(folder, student)
