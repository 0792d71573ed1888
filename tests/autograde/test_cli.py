"""The command line: errors in one line that say what to do, and what each command says."""

import errno
import os
import shutil
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from autograde import cli, terminal
from autograde.bank import sample
from autograde.cli import app
from tests.autograde import toy

needs_sandbox = [
    pytest.mark.sandbox,
    pytest.mark.xdist_group("grader"),
    pytest.mark.skipif(sys.platform != "linux" or shutil.which("bwrap") is None, reason="needs Linux and bubblewrap"),
]


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def said(result):
    return " ".join(result.output.split())


def test_help_names_every_command():
    result = run("--help")
    assert result.exit_code == 0
    for command in (
        "doctor",
        "release",
        "sample",
        "collect",
        "grade",
        "regrade",
        "check",
        "summary",
        "similar",
        "trace",
        "feedback",
        "export",
    ):
        assert command in result.output


def test_what_judges_nothing_starts_without_pytorch():
    """Which takes each start of a command, and of nbgrader's own, two seconds of a processor."""
    modules = "autograde.gradebook.release, autograde.gradebook.late, autograde.reports.export, autograde.terminal"
    program = f"import sys, {modules}; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_one_file_is_checked_without_nbgrader():
    """Whose import takes as long as PyTorch's."""
    program = "import sys, autograde.cli, autograde.grading.one, autograde.terminal; print('nbgrader' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("command", ["grade", "feedback", "sample", "export", "summary", "similar"])
def test_nothing_released_is_said_in_one_line(tmp_path, command):
    result = run(command, "--class", tmp_path)
    assert result.exit_code == 1
    assert "run `autograde release` first" in said(result) and "Traceback" not in result.output
    assert "or say --class" in said(result)


@pytest.mark.parametrize(
    ("code", "to_do"),
    [(errno.ENOSPC, "make room"), (errno.EROFS, "make that place writable"), (errno.EACCES, "see that you may")],
)
def test_what_the_disk_refuses_is_one_line_with_the_file(toy_released, monkeypatch, code, to_do):
    def refuse(*args, **kwargs):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", refuse)
    result = run("export", "--class", toy_released.root)
    assert result.exit_code == 1 and result.exception.code == 1  # no traceback
    assert f"autograde: {toy_released.grades}: {os.strerror(code)}. To do: {to_do}" in said(result)
    assert not list(toy_released.root.glob(".grades.csv.*"))


def test_other_errors_of_the_system_are_no_fault_of_a_disk(toy_released, monkeypatch):
    def broken(*args, **kwargs):
        raise OSError(errno.EBADF, "bad file descriptor")

    monkeypatch.setattr(os, "fsync", broken)
    assert isinstance(run("export", "--class", toy_released.root).exception, OSError)


def test_a_folder_is_no_file_for_the_grades(toy_released, tmp_path):
    result = run("export", "--to", tmp_path, "--class", toy_released.root)
    assert result.exit_code == 1 and f"{tmp_path} is a folder: name a file in it" in said(result)


def test_a_regrade_before_any_grade_says_so(toy_released):
    assert "Nothing is graded yet: `autograde grade` comes first" in said(run("regrade", "--class", toy_released.root))


def test_an_unknown_assignment_is_said_with_those_there_are(toy_released):
    result = run("grade", "07", "--class", toy_released.root)
    assert result.exit_code == 1
    assert "no assignment '07'; there are 00-toy" in said(result)


def test_showing_and_writing_are_two_things(toy_released):
    result = run("regrade", "--diff", "--write", "--class", toy_released.root)
    assert result.exit_code == 1 and "say one of them" in said(result)


def test_an_unknown_notebook_is_said_with_those_there_are(tmp_path):
    result = run("release", "77", "--class", tmp_path)
    assert result.exit_code == 1
    assert "no notebook '77'; there are 00-warm-up" in said(result)


def test_a_file_that_is_not_there(tmp_path):
    result = run("check", tmp_path / "nothing.ipynb")
    assert result.exit_code == 1 and "does not exist" in said(result)


class TestCollecting:
    def test_what_is_done_is_what_was_said(self, toy_released, tmp_path):
        back = tmp_path / "back"
        for name in ("ada/00-toy.ipynb", "bob/final [v2].ipynb", "bob/notes.txt", "00-toy.ipynb"):
            (back / name).parent.mkdir(parents=True, exist_ok=True)
            (back / name).write_text("{}")
        where = ("--class", toy_released.root)
        said_before = said(run("collect", back, "--assignment", "00", "--dry-run", *where))
        assert "ada/00-toy: new, from ada/00-toy.ipynb" in said_before and "2 new (nothing was written)" in said_before
        assert not list(toy_released.submitted.iterdir())
        result = run("collect", back, "--assignment", "00", *where)
        assert result.exit_code == 0 and "00-toy: 2 new" in said(result)
        assert "Left aside: 00-toy.ipynb: its name does not say whose it is" in said(result)
        assert "final [v2].ipynb is kept as 00-toy.ipynb" in said(result)
        assert toy_released.submissions(toy.NAME)[1] == ("bob", toy_released.submitted / "bob" / toy.NAME)
        assert "2 unchanged" in said(run("collect", back, "--assignment", "00", *where))

    def test_a_platform_can_be_named(self, toy_released, tmp_path):
        (tmp_path / "back").mkdir()
        name = "eve_666_900_HW_bob_attempt_2026-01-30-15-00-00_00-toy.ipynb"
        (tmp_path / "back" / name).write_text("{}")
        words = ("collect", tmp_path / "back", "--dry-run", "--class", toy_released.root)
        result = run(*words)
        assert result.exit_code == 1 and "as Blackboard or Canvas gives them" in said(result)
        assert f"collect {tmp_path / 'back'} --platform blackboard or --platform canvas;" in said(result)
        assert "eve_666/00-toy: new" in said(run(*words, "--platform", "canvas"))
        assert "no platform 'x'; there are moodle" in said(run(*words, "--platform", "x"))

    def test_what_cannot_be_is_one_line(self, toy_released, tmp_path):
        where = ("--class", toy_released.root)
        (tmp_path / "x.zip").write_bytes(b"PK")
        (tmp_path / "empty").mkdir()
        for words, message in (
            (("nothing.zip",), "does not exist"),
            ((tmp_path / "x.zip",), "damaged"),
            ((tmp_path / "empty",), "no submission was found"),
            ((tmp_path, "--assignment", "7"), "no assignment '7'"),
        ):
            result = run("collect", *words, *where)
            assert result.exit_code == 1 and message in said(result) and "Traceback" not in result.output


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
        monkeypatch.setattr(terminal, "LISTED", 3)
        cli._summarise(toy_class.summary, folder)
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


@pytest.mark.parametrize("words", [(), ("--assignment", "77")])
def test_a_file_of_another_name_asks_which_assignment(toy_released, tmp_path, words):
    file = tmp_path / "final version.ipynb"
    file.write_text("{}")
    result = run("check", file, *words)
    assert result.exit_code == 1 and "there are" in said(result) and "00-toy" in said(result)
    assert ("which assignment is final version.ipynb? Say --assignment" in said(result)) == (not words)


def test_a_number_or_a_folder_says_which_assignment(toy_released, tmp_path):
    from autograde.cli import _which

    assert _which(tmp_path / "x.ipynb", "00") == _which(tmp_path / toy.NAME / "x.ipynb", None) == toy.NAME


@pytest.mark.parametrize("damage", ["", "[cut off"])
def test_a_file_says_by_its_cells_which_chapter_it_is(tmp_path, damage):
    """Whatever it is called, and as far as it can be read."""
    from autograde.cli import _which

    content = (cli.ROOT / "notebooks" / "04-dot-product.ipynb").read_text("utf-8")
    file = tmp_path / "05-multi-head" / "02-bahdanau (3).ipynb"
    file.parent.mkdir()
    file.write_text(damage + (content[: len(content) // 2] if damage else content), "utf-8")
    assert _which(file, None) == _which(file.parent, None) == "04-dot-product"
    assert _which(file, "05") == "05-multi-head", "but what is said counts"


def test_an_unknown_due_is_one_line(tmp_path):
    result = run("release", "--due", "9", "--class", tmp_path)
    assert result.exit_code == 1 and result.output.count("autograde:") == 1
