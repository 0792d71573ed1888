"""What a run was asked to do: there until it is done, and never taken for done where it cannot be read."""

import pytest

from autograde import keys, plan


def test_a_run_is_remembered_until_its_end(tmp_path):
    begun = plan.new(["02-bahdanau"], ["ada"], outdated=True)
    plan.begin(tmp_path, begun)
    assert plan.unfinished(tmp_path) == begun
    plan.end(tmp_path)
    assert plan.unfinished(tmp_path) is None


def test_what_cannot_be_read_of_a_run_is_not_taken_for_none(tmp_path):
    begun = plan.new(["02-bahdanau"])
    plan.begin(tmp_path, begun)
    kept = tmp_path / keys.FOLDER / begun.key.digest
    kept.unlink()
    kept.mkdir()
    with pytest.raises(IsADirectoryError):
        plan.unfinished(tmp_path)
