"""What an instructor can mend is one line that says how, and anything else is not hidden."""

import errno
import os

import pytest
from nbgrader.api import Student
from sqlalchemy import text

from autograde.gradebook import store
from tests.autograde.command import run, said


@pytest.mark.parametrize(
    ("code", "to_do"),
    [
        (errno.ENOSPC, "make room"),
        (errno.EROFS, "make that place writable"),
        (errno.ENAMETOOLONG, "name a shorter one"),
        (errno.EACCES, "see that you may"),
        (errno.ENOENT, "see that it is there, and that nothing else moves it"),
    ],
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


def test_a_link_that_leads_back_to_itself_is_one_line(toy_released, tmp_path):
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    todo = f"autograde: {loop}: Too many levels of symbolic links. To do: name another file or folder"
    for words in (["archive", "--to", loop, "--class", toy_released.root], ["undo", "--class", loop]):
        result = run(*words)
        assert result.exit_code == 1 and todo in said(result) and loop.is_symlink()


@pytest.mark.parametrize("command", ["archive", "upgrade"])
def test_a_folder_without_a_class_is_named_and_left_alone(tmp_path, command):
    (tmp_path / "notes.txt").touch()
    for where in ("/", tmp_path):
        result = run(command, "--dry-run", "--class", where)
        assert result.exit_code == 1 and f"there is no class in {where}: run `autograde release`" in said(result)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_folder_is_no_file_for_the_grades(toy_released, tmp_path):
    result = run("export", "--to", tmp_path, "--class", toy_released.root)
    assert result.exit_code == 1 and f"{tmp_path} is a folder: name a file in it" in said(result)


READ_THE_GRADEBOOK = ["summary", "feedback", "export", "export --for moodle", "trace ada 00", "extend ada 00 +1d",
                      "points 0.1=1", "forget ada"]  # fmt: skip


def one_line(folder, command, message):
    result = run(*command.split(), "--class", folder.root)
    assert isinstance(result.exception, SystemExit) and result.exit_code == 1, result.exception
    assert message in said(result) and result.output.count("autograde:") == 1


@pytest.mark.parametrize("command", [*READ_THE_GRADEBOOK, "push --for canvas", "grade"])
@pytest.mark.parametrize(("text", "message"), [("", "nbgrader_config.py"), ("c = (", "stops with SyntaxError")])
def test_a_configuration_that_is_missing_or_broken_is_one_line(toy_released, command, text, message):
    if text:
        toy_released.config.write_text(text)
    else:
        toy_released.config.unlink()
    one_line(toy_released, command, message)


@pytest.mark.parametrize("command", READ_THE_GRADEBOOK)
def test_a_gradebook_that_is_none_is_one_line(toy_released, command):
    (toy_released.root / "gradebook.db").write_bytes(b"no database" * 99)
    one_line(toy_released, command, "file is not a database. To do: bring it back from a backup")


@pytest.mark.parametrize("database", ["sqlite"])
def test_a_gradebook_that_has_no_room_left_says_what_to_do(toy_released):
    todo = "cannot be used: database or disk is full. To do: make room, and give the command again"
    with pytest.raises(store.GradebookError, match=todo), store.open_gradebook(toy_released) as book:
        book.db.execute(text("PRAGMA max_page_count = 1"))  # no more than there are
        for number in range(2000):
            book.db.add(Student(id=f"student {number}"))
        book.db.commit()


@pytest.mark.parametrize(
    ("command", "at"),
    [
        ("release 00", "autograde.gradebook.hand_out.hand_out"),
        ("collect {class}/release", "autograde.intake.collect.collect"),
        ("feedback", "autograde.reports.feedback.feedback"),
        ("access", "autograde.access.close"),
        ("doctor", "autograde.sandbox.doctor.report"),
        ("summary", "autograde.reports.summary_page.write"),
    ],
)
def test_a_command_that_is_interrupted_says_how_it_goes_on(toy_released, monkeypatch, command, at):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(at, interrupt)
    words = command.replace("{class}", str(toy_released.root)).split()
    result = run(*words, *([] if command == "doctor" else ["--class", toy_released.root]))
    assert result.exit_code == 130 and "interrupted. The same command once more does what is still" in said(result)
