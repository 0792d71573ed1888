"""What an instructor can mend is one line that says how, and anything else is not hidden."""

import errno
import os

import pytest

from tests.autograde.command import run, said


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
