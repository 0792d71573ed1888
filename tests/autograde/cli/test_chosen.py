"""Which class, assignments and students a command's words mean."""

import os

import pytest
import typer

from autograde import layout
from autograde.cli import chosen, handing_out
from autograde.folders import ClassFolder
from autograde.ledger import Ledger, LedgerBusy
from tests.autograde import toy
from tests.autograde.command import run, said


@pytest.mark.parametrize("command", ["grade", "feedback", "sample", "export", "summary", "similar"])
def test_nothing_released_is_said_in_one_line(tmp_path, command):
    result = run(command, "--class", tmp_path)
    assert result.exit_code == 1
    assert "run `autograde release` first" in said(result) and "Traceback" not in result.output
    assert "or say --class" in said(result)


def test_an_unknown_assignment_is_said_with_those_there_are(toy_released):
    result = run("grade", "07", "--class", toy_released.root)
    assert result.exit_code == 1
    assert "no assignment '07'; there are 00-toy" in said(result)


def test_an_assignment_that_is_named_twice_is_meant_once(toy_released):
    assert chosen.assignments(toy_released, ["00", toy.NAME, "00"]) == [toy.NAME]


def test_an_unknown_notebook_is_said_with_those_there_are(tmp_path):
    result = run("release", "77", "--class", tmp_path)
    assert result.exit_code == 1
    assert "no notebook '77'; there are 00-warm-up" in said(result)


def test_an_unknown_due_is_one_line(tmp_path):
    result = run("release", "--due", "9", "--class", tmp_path)
    assert result.exit_code == 1 and result.output.count("autograde:") == 1


def test_a_file_that_is_not_there(tmp_path):
    result = run("check", tmp_path / "nothing.ipynb")
    assert result.exit_code == 1 and "does not exist" in said(result)


@pytest.mark.parametrize("words", [(), ("--assignment", "77")])
def test_a_file_of_another_name_asks_which_assignment(toy_released, tmp_path, words):
    file = tmp_path / "final version.ipynb"
    file.write_text("{}")
    result = run("check", file, *words)
    assert result.exit_code == 1 and "there are" in said(result) and "00-toy" in said(result)
    assert ("which assignment is final version.ipynb? Say --assignment" in said(result)) == (not words)


def test_a_number_or_a_folder_says_which_assignment(toy_released, tmp_path):
    assert (
        chosen.assignment_of(tmp_path / "x.ipynb", "00")
        == chosen.assignment_of(tmp_path / toy.NAME / "x.ipynb", None)
        == toy.NAME
    )


@pytest.mark.parametrize("damage", ["", "[cut off"])
def test_a_file_says_by_its_cells_which_chapter_it_is(tmp_path, damage):
    """Whatever it is called, and as far as it can be read."""
    content = (handing_out.NOTEBOOKS / "04-dot-product.ipynb").read_text("utf-8")
    file = tmp_path / "05-multi-head" / "02-bahdanau (3).ipynb"
    file.parent.mkdir()
    file.write_text(damage + (content[: len(content) // 2] if damage else content), "utf-8")
    assert chosen.assignment_of(file, None) == chosen.assignment_of(file.parent, None) == "04-dot-product"
    assert chosen.assignment_of(file, "05") == "05-multi-head", "but what is said counts"


def test_a_pipe_among_a_students_notebooks_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.ipynb")
    with pytest.raises(typer.Exit):
        chosen.assignment_of(tmp_path, None)


def test_nothing_is_released_into_a_class_that_is_at_work(toy_released, monkeypatch):
    monkeypatch.setattr("autograde.gradebook.hand_out.hand_out", lambda *words: None)
    monkeypatch.setattr("autograde.gradebook.release._release", lambda *words: pytest.fail("it was released"))
    new = ClassFolder.at(toy_released.root.with_name("new"))
    layout.write(new)  # as a first release does that has only begun
    for folder in (toy_released, new):
        with Ledger(folder.ledger).alone():
            result = run("release", "00", "--class", folder.root)
        assert result.exit_code == 1 and "is at work on this class: wait for it" in said(result)


def test_a_class_is_held_until_its_folders_to_publish_are_written(toy_released, monkeypatch, tmp_path):
    held = []

    def put(folder, assignments):
        with pytest.raises(LedgerBusy), Ledger(toy_released.ledger).alone():
            pass
        held.append(folder)
        return []

    monkeypatch.setattr("autograde.gradebook.hand_out.hand_out", lambda *words: None)
    monkeypatch.setattr("autograde.gradebook.release._release", lambda *words: [])
    monkeypatch.setattr("autograde.gradebook.hand_out.put", put)
    monkeypatch.setattr(handing_out, "show_handed_out", lambda *words: None)
    result = run("release", "00", "--to", tmp_path, "--class", toy_released.root)
    assert result.exit_code == 0 and held == [tmp_path]


def test_a_student_whose_name_was_typed_in_other_characters_is_told_how_it_is_written(toy_released, submission):
    submission(toy_released, "Jose\u0301", b"{}")
    twins = "did you mean Jose\u0301 (Jose\\u0301)? What was typed is Jos\\xe9: copy the name from there"
    for words in (["extend", "Jos\u00e9", "00", "+1d"], ["forget", "Jos\u00e9"], ["trace", "Jos\u00e9", "00"]):
        result = run(*words, "--class", toy_released.root)
        assert result.exit_code == 1 and twins in said(result), words
    result = run("grade", "--dry-run", "--student", "Jos\u00e9", "--class", toy_released.root)
    assert "no student Jos\u00e9 (Jos\\xe9); there are Jose\u0301 (Jose\\u0301)" in said(result)
