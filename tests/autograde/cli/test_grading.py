"""What `grade`, `regrade` and the commands after them say and do."""

import shutil
import sys

import pytest

from autograde.bank import sample
from autograde.cli import grading
from autograde.terminal import grading as shown
from tests.autograde import toy
from tests.autograde.command import run, said

needs_sandbox = [
    pytest.mark.sandbox,
    pytest.mark.xdist_group("grader"),
    pytest.mark.skipif(sys.platform != "linux" or shutil.which("bwrap") is None, reason="needs Linux and bubblewrap"),
]


def test_a_regrade_before_any_grade_says_so(toy_released):
    assert "Nothing is graded yet: `autograde grade` comes first" in said(run("regrade", "--class", toy_released.root))


def test_showing_and_writing_are_two_things(toy_released):
    result = run("regrade", "--diff", "--write", "--class", toy_released.root)
    assert result.exit_code == 1 and "say one of them" in said(result)


@pytest.mark.sandbox
@pytest.mark.xdist_group("grader")
class TestAClassThatIsGraded:
    @pytest.fixture
    def folder(self, toy_class, tmp_path):
        with toy.installed(tmp_path):
            yield toy_class.copy(tmp_path / "class [2026]")

    def test_a_summary_can_be_had_at_any_time(self, folder):
        output = said(run("summary", "--class", folder.root))
        assert (
            "00-toy, by exercise" in output
            and "0.1 scale" in output
            and "Common mistake: exercise 0.1: the sign is lost (1 student)" in output
        )
        assert "[2026]" in output and folder.summary(toy.NAME).exists()

    def test_a_dry_run_says_what_would_be_done_and_writes_nothing(self, folder):
        (folder.submitted / "right" / toy.NAME / f"{toy.NAME}.ipynb").write_text("another")
        before = {path: path.read_bytes() for path in folder.root.rglob("*") if path.is_file()}
        for command, words in {
            "grade": ["00-toy: 1 submission to grade (right); 15 unchanged", "Nothing was graded"],
            "grade --again": ["00-toy: 16 submissions to grade ("],
            "feedback": ["00-toy: 16 pages (nothing was written)"],
            "export": ["16 rows would be in", "(nothing was written)"],
            "summary": ["00-toy, by exercise", "Nothing was written."],
            "access --owner-only": ["is for its owner alone now; files and folders that would change: "],
        }.items():
            result = run(*command.split(), "--dry-run", "--class", folder.root)
            assert result.exit_code == 0 and all(each in said(result) for each in words), said(result)
            after = {path: path.read_bytes() for path in folder.root.rglob("*") if path.is_file()}
            assert after == before, command

    def test_a_large_class_lists_what_is_unusual(self, toy_class, folder, monkeypatch, capsys):
        monkeypatch.setattr(shown, "LISTED", 3)
        grading._summarize(toy_class.summary, folder)
        output = " ".join(capsys.readouterr().out.split())
        flagged = [line for line in toy_class.summary.lines if line.flags]
        assert f"{len(toy_class.made)} submissions, {len(flagged)} of them unusual" in output
        assert "unreadable" in output or "ended: timeout" in output
        assert "right-other-form-1" not in output


class TestGrading:
    pytestmark = [*needs_sandbox, pytest.mark.usefixtures("one_sandbox")]

    def test_from_submission_to_grades(self, toy_released, toy_notebook, submission):
        sheet = sample.Sheet(toy_notebook.read_bytes(), toy.NAME)
        submission(toy_released, "ada", sheet.filled(sheet.right))
        submission(toy_released, "bob", sheet.filled({}))
        where = ("--class", toy_released.root)
        first = run("grade", "00", *where)
        assert first.exit_code == 0, first.output
        assert "[1/2] 00-toy ada: 9 of 9" in first.output and "5 not answered" in said(first)
        assert "Median 4.5 of 9 points over 2 submissions" in said(first)
        made = toy_released.summary(toy.NAME)
        assert str(made) in said(first).replace(" ", "") and "bob" not in made.read_text("utf-8")
        assert "0 graded now; 2 unchanged" in said(run("grade", *where))
        assert "00-toy: 2 pages" in run("feedback", *where).output
        assert "2 rows in" in said(run("export", *where))
        assert toy_released.grades.read_text().count("\n") == 3

    def test_what_lies_in_no_right_place_is_named(self, toy_released, toy_notebook, submission):
        sheet = sample.Sheet(toy_notebook.read_bytes(), toy.NAME)
        submission(toy_released, "carl", sheet.filled({}), "00-toys")
        (toy_released.submitted / "loose.ipynb").write_text("{}")
        result = run("grade", "--class", toy_released.root)
        assert result.exit_code == 0
        assert "no student/assignment): carl/00-toys, loose.ipynb" in said(result) and "No submissions in" in said(
            result
        )

    def test_an_unknown_student_is_said_with_those_there_are(self, toy_released, toy_notebook, submission):
        result = run("grade", "--student", "nobody", "--class", toy_released.root)
        assert result.exit_code == 1 and "no student nobody; no submissions in" in said(result)
        submission(toy_released, "ada", b"{}")
        result = run("grade", "--student", "nobody", "--class", toy_released.root)
        assert result.exit_code == 1 and "no student nobody; there are ada" in said(result)

    def test_an_interrupted_run_ends_as_one(self, toy_released, monkeypatch):
        from autograde.grading import run as grade

        def interrupted(*args, **kwargs):
            raise KeyboardInterrupt

        monkeypatch.setattr(grade, "grade", interrupted)
        where = ("--class", toy_released.root)
        assert run("grade", *where).exit_code == 130
        assert "say --again once more" in said(run("grade", "--again", *where))

    def test_one_run_at_a_time(self, toy_released):
        from autograde.ledger import Ledger

        with Ledger(toy_released.ledger).alone():
            result = run("grade", "--class", toy_released.root)
        assert result.exit_code == 1 and "another run" in said(result)

    def test_without_a_sandbox_it_says_what_to_install(self, toy_released, monkeypatch):
        monkeypatch.setenv("PATH", "/nonexistent")
        result = run("grade", "--class", toy_released.root)
        assert result.exit_code == 1 and "bubblewrap" in said(result)
