"""A file is replaced whole or not at all, and keeps what it was."""

import os
import stat

import pytest

from course import files


@pytest.fixture
def umask():
    before = os.umask(0o027)
    yield
    os.umask(before)


def test_a_new_file_is_as_any_other_and_a_replaced_one_as_it_was(tmp_path, umask):
    path = tmp_path / "progress.json"
    files.replace(path, "first")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o604)
    files.replace(path, b"second", 0o600)
    assert stat.S_IMODE(path.stat().st_mode) == 0o604 and path.read_bytes() == b"second"
    other = tmp_path / "grades.csv"
    files.replace(other, "first", 0o660)
    assert stat.S_IMODE(other.stat().st_mode) == 0o660


def test_what_fails_half_way_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "grades.csv"
    files.replace(path, "first")

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as error:
        files.replace(path, "second", lasting=True)
    assert error.value.filename == str(path)
    assert path.read_text() == "first" and list(tmp_path.iterdir()) == [path]


def test_what_is_to_last_is_on_the_disk_before_it_takes_the_others_place(tmp_path, monkeypatch):
    path, steps = tmp_path / "grades.csv", []
    synced, replaced = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda handle: (steps.append("sync"), synced(handle))[1])
    monkeypatch.setattr(os, "replace", lambda *names: (steps.append("replace"), replaced(*names))[1])
    files.replace(path, "quickly")
    assert steps == ["replace"]
    files.replace(path, "for good", lasting=True)
    assert steps == ["replace", "sync", "replace", "sync"]  # the file, and at the end the folder's list of files


def test_the_longest_name_that_a_folder_takes_is_replaced_in_any_script(tmp_path):
    path = tmp_path / ("注" * 85)  # 255 bytes
    files.replace(path, "first")
    files.replace(path, "second")
    assert path.read_text() == "second" and list(tmp_path.iterdir()) == [path]
