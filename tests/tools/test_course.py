"""`make course` makes again what changed, and only that; an interrupted step counts as not made."""

import dataclasses

import pytest

from autograde import layout
from autograde.folders import ClassFolder
from tests.autograde.command import run, said
from tools import course


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A course directory with one source, and a step that turns it into a target."""
    build = tmp_path / "_build"
    for name, path in {"ROOT": tmp_path, "BUILD": build, "STAMPS": build / "made", "HTML": build / "html"}.items():
        monkeypatch.setattr(course, name, path)
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "page.md").write_text("one")
    return tmp_path


def step_of(place, made, after=(), name="step"):
    """A step that counts how often it was made."""

    def make():
        made.append(name)
        (place / name).write_text("target")

    return course.Step(name, name, ("book",) if not after else (), place / name, make, after)


def test_a_second_run_makes_nothing(place, capsys):
    made = []
    for _ in range(2):
        step_of(place, made).bring_up_to_date("1/1")
    assert made == ["step"]
    assert "unchanged" in capsys.readouterr().out


def test_contents_count_not_times(place):
    made = []
    step_of(place, made).bring_up_to_date("1/1")
    (place / "book" / "page.md").write_text("one")
    (place / "book" / "__pycache__").mkdir()
    (place / "book" / "__pycache__" / "x.pyc").write_text("made by running")
    step_of(place, made).bring_up_to_date("1/1")
    assert len(made) == 1
    (place / "book" / "page.md").write_text("two")
    step_of(place, made).bring_up_to_date("1/1")
    assert len(made) == 2


def test_another_answer_of_the_environment_is_seen(place, monkeypatch):
    made = []
    monkeypatch.setenv("COURSE_SOLUTIONS", "yes")
    step = dataclasses.replace(step_of(place, made), environment=("COURSE_SOLUTIONS",))
    step.bring_up_to_date("1/1")
    monkeypatch.setenv("COURSE_SOLUTIONS", "no")
    step.bring_up_to_date("1/1")
    assert len(made) == 2, "a book without solutions is another book"


def test_a_renamed_source_and_a_lost_target_are_seen(place):
    made = []
    step_of(place, made).bring_up_to_date("1/1")
    (place / "book" / "page.md").rename(place / "book" / "other.md")
    step_of(place, made).bring_up_to_date("1/1")
    (place / "step").unlink()
    step_of(place, made).bring_up_to_date("1/1")
    assert len(made) == 3


def test_a_change_reaches_the_steps_after(place):
    made = []
    first = step_of(place, made)
    second = step_of(place, made, after=(first,), name="second")
    for _ in range(2):
        first.bring_up_to_date("1/2")
        second.bring_up_to_date("2/2")
    assert made == ["step", "second"]
    (place / "book" / "page.md").write_text("two")
    first.bring_up_to_date("1/2")
    second.bring_up_to_date("2/2")
    assert made == ["step", "second"] * 2


def test_an_interrupted_step_is_made_again(place):
    made = []
    step_of(place, made).bring_up_to_date("1/1")
    (place / "book" / "page.md").write_text("two")

    def dies():
        (place / "step").write_text("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        course.Step("step", "step", ("book",), place / "step", dies).bring_up_to_date("1/1")
    (place / "book" / "page.md").write_text("one")  # even back at what the last whole one was made from
    step_of(place, made).bring_up_to_date("1/1")
    assert len(made) == 2 and (place / "step").read_text() == "target"


def test_a_failed_book_leaves_the_old_one_and_reads_everything_again(place, monkeypatch):
    pages = place / "_build" / "book" / "_build" / "html"
    seen = []

    def build(ends_well):
        def run(*command):
            seen.append(pages.exists())
            pages.mkdir(parents=True, exist_ok=True)
            (pages / "index.html").write_text("whole" if ends_well else "half")
            if not ends_well:
                raise course.StepFailed("warnings")

        return run

    monkeypatch.setattr(course, "run", build(True))
    course.build_book()
    monkeypatch.setattr(course, "run", build(False))
    with pytest.raises(course.StepFailed):
        course.build_book()
    assert (place / "_build" / "html" / "index.html").read_text() == "whole"
    monkeypatch.setattr(course, "run", build(True))
    course.build_book()
    assert seen == [False, True, False]  # the third started from nothing


def test_what_a_busy_machine_left_is_graded_once_more(monkeypatch):
    ended = [course.StepFailed("`autograde grade` ended with 1"), None]
    given = []

    def run(*command):
        given.append([str(word) for word in command[1:]])
        if failure := ended.pop(0):
            raise failure

    monkeypatch.setattr(course, "run", run)
    course.GRADES.make()
    assert given == [["grade", "--outdated"]] * 2
    ended[:] = [course.StepFailed("ended with 1"), course.StepFailed("ended with 3")]
    with pytest.raises(course.StepFailed, match="3"):
        course.GRADES.make()


def test_an_older_class_is_archived_and_upgraded(tmp_path, monkeypatch):
    """Layout 0 has no file that says so, as classes of before 1.0."""
    folder = ClassFolder.at(tmp_path / "class")
    monkeypatch.setattr(course, "CLASS", folder.root)
    commands = []
    monkeypatch.setattr(course, "run", lambda program, *words: commands.append(words) or run(*words))
    course.upgrade_an_older_class()
    assert not commands  # nothing is there
    folder.ledger.mkdir(parents=True)
    assert "autograde upgrade" in said(run("release", "--class", folder.root))
    course.upgrade_an_older_class()
    assert commands == [("upgrade", "--class", folder.root)] and layout.of(folder).layout == layout.LAYOUT
    assert (tmp_path / "class-before-upgrade.tar.gz").is_file()
    course.upgrade_an_older_class()
    assert len(commands) == 1
    folder.layout.write_text("{")
    with pytest.raises(course.StepFailed, match="cannot be read"):
        course.upgrade_an_older_class()
