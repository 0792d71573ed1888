"""A student forgotten: nothing of theirs is left in the class, and nothing of anybody else's is lost."""

import json
from datetime import timedelta

import pytest

from autograde.folders import ClassFolder
from autograde.gradebook import extensions, store
from autograde.grading import forget
from autograde.grading import run as grading
from autograde.intake.people import People
from autograde.ledger import Ledger
from autograde.sent import Sent, Target
from tests.autograde import toy
from tests.autograde.command import run, said

pytestmark = [pytest.mark.sandbox, pytest.mark.xdist_group("grader")]
NAME, EMAIL = "Ada Lövelace", "ada.lovelace@example.org"


@pytest.fixture
def folder(toy_class, tmp_path, submission, one_sandbox):
    """The sample class with a student who handed in under a name, and stands everywhere."""
    folder = toy_class.copy(tmp_path / "class")
    with toy.installed(tmp_path):
        content = (folder.submitted / "right" / toy.NAME / f"{toy.NAME}.ipynb").read_bytes()
        path = submission(folder, NAME, content)
        path.rename(path.with_name(f"{NAME} final.ipynb"))  # noted by this name in the records
        came = {"platform": "Moodle", "key": "77", "with": ["right"], "name": f"{NAME}_77_file"}
        (path.parent / "provenance.json").write_text(json.dumps(came))
        (folder.submitted / "right" / toy.NAME / "provenance.json").write_text(
            json.dumps({"platform": "Moodle", "key": "9", "with": [NAME, "bob"], "name": f"{NAME}_77_file"})
        )
        kept = folder.earlier / NAME / toy.NAME / "before" / f"{toy.NAME}.ipynb"
        kept.parent.mkdir(parents=True)
        kept.write_bytes(b"{}")
        folder.roster().parent.mkdir()
        folder.roster().write_text(f'id,name,email\n1,right,r@example.org\n77,"{NAME}",{EMAIL}\n3,bob,b@example.org\n')
        (folder.ledger / "collected.json").write_text(
            json.dumps({f"{NAME}/{toy.NAME}": ["Moodle", "77"], f"right/{toy.NAME}": ["Moodle", "9"]})
        )
        grading.grade(folder, students=[NAME])
        for student in (NAME, "right"):
            number = Ledger(folder.ledger).numbers({student})[student]
            to = Target("canvas", "https://canvas.example.org", "11", "4321")
            Sent(folder.ledger).add(to, number, f"platform-{number}", 1.0, "", confirmed=True)
        run("extend", NAME, "00", "+2d", "--class", folder.root)
        for command in ("feedback", "summary", "similar", "export"):
            assert run(command, "--class", folder.root).exit_code == 0
        yield folder


def standing(folder, *words):
    """Files of the class in whose name or bytes a word stands, as it is or as JSON has it."""
    found = []
    for path in folder.root.rglob("*"):
        data = path.read_bytes() if path.is_file() else b""
        if any(
            word in str(path.relative_to(folder.root))
            or word.encode() in data
            or json.dumps(word)[1:-1].encode() in data
            for word in words
        ):
            found.append(path)
    return found


def test_nothing_of_theirs_is_left_and_nobody_elses_is_lost(folder):
    where, others = ("--class", folder.root), {k: v for k, v in store.scores(folder, toy.NAME).items() if k != NAME}
    before = list(Ledger(folder.ledger).read(toy.NAME))
    mine = f"platform-{Ledger(folder.ledger).numbers({NAME})[NAME]}"
    assert len(standing(folder, NAME, EMAIL)) > 10 and standing(folder, mine)
    shown = said(run("forget", NAME, "--dry-run", *where))
    assert f"Would be taken away: submissions/{NAME}" in shown and "rosters/class.csv: row 3" in shown
    assert f"Would be changed: extensions.csv: more time for {toy.NAME}" in shown
    assert f"{NAME} would be forgotten (nothing was taken away)" in shown and len(standing(folder, NAME)) > 10
    done = run("forget", NAME, *where)
    assert done.exit_code == 0 and "still stands" not in said(done)
    assert (
        standing(folder, NAME, EMAIL, mine) == [] and len((folder.ledger / "sent.jsonl").read_text().split("\n")) == 2
    )
    assert store.scores(folder, toy.NAME) == others
    after = list(Ledger(folder.ledger).read(toy.NAME))
    assert [(r.run, r.exercise, r.points) for r in after] == [(r.run, r.exercise, r.points) for r in before]
    assert [r for r in after if not r.student.startswith("/")] == [r for r in before if r.student != NAME]
    assert {(r.submission, tuple(r.notes), r.verdict.cases) for r in after if r.student.startswith("/")} == {
        ("", (), ())
    }
    assert folder.roster().read_text() == "id,name,email\n1,right,r@example.org\n3,bob,b@example.org\n"
    came = json.loads((folder.submitted / "right" / toy.NAME / "provenance.json").read_text())
    assert came["with"] == ["bob"] and came["name"] == "" and came["key"] == "9"
    for command in ("grade", "summary", "export", "feedback"):
        result = run(command, *where)
        assert result.exit_code == 0, result.output
    assert standing(folder, NAME, EMAIL) == []


def test_a_number_is_given_once(folder, submission):
    ledger = Ledger(folder.ledger)
    (number,) = [number for number, student in ledger.people().items() if student == NAME]
    assert number == max(ledger.people())
    forget.forget(folder, NAME)
    assert ledger.people()[number] is None and ledger.numbers(["eve"]) == {"eve": number + 1}


def test_a_ledger_with_names_gets_numbers_first(folder):
    """As the ledger was before there were numbers."""
    ledger = Ledger(folder.ledger)
    path, people = ledger.path(toy.NAME), ledger.people()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(line | {"student": people[line["student"]]}) + "\n" for line in lines))
    (folder.ledger / "people.json").unlink()
    before = list(ledger.read(toy.NAME))
    forget.forget(folder, NAME)
    after = list(ledger.read(toy.NAME))
    assert [r for r in after if not r.student.startswith("/")] == [r for r in before if r.student != NAME]
    assert standing(folder, NAME, EMAIL) == []


def test_a_forgetting_that_was_killed_is_given_again(folder, monkeypatch):
    monkeypatch.setattr(Ledger, "forget", lambda *_: 1 / 0)
    assert isinstance(run("forget", NAME, "--class", folder.root).exception, ZeroDivisionError)
    monkeypatch.undo()
    assert run("forget", NAME, "--class", folder.root).exit_code == 0 and standing(folder, NAME, EMAIL) == []
    again = run("forget", NAME, "--class", folder.root)
    assert again.exit_code == 1 and "no student" in said(again)


@pytest.mark.parametrize("stage", [(extensions, "forget"), (People, "forget")], ids=["extensions", "people"])
def test_one_who_was_never_graded_can_be_forgotten_again(toy_released, submission, monkeypatch, stage):
    """Neither submissions/, the gradebook nor the roster knows the name then, when a forgetting was killed late."""
    folder = toy_released
    submission(folder, NAME, b"{}")
    folder.ledger.mkdir(exist_ok=True)
    (folder.ledger / "collected.json").write_text(json.dumps({f"{NAME}/{toy.NAME}": ["Moodle", "77"]}))
    extensions.grant(folder, NAME, toy.NAME, timedelta(days=1))
    monkeypatch.setattr(*stage, lambda *_: 1 / 0)
    assert isinstance(run("forget", NAME, "--class", folder.root).exception, ZeroDivisionError)
    monkeypatch.undo()
    assert standing(folder, NAME)
    assert run("forget", NAME, "--class", folder.root).exit_code == 0 and standing(folder, NAME) == []


def test_one_of_several_of_a_name_is_suggested(folder):
    (folder.root / "submissions" / NAME).rename(folder.root / "submissions" / f"{NAME} (ada@example.org)")
    shown = said(run("forget", "Ada", "--class", folder.root))
    assert "no student 'Ada'" in shown
    shown = said(run("extend", "ada lövelace", "00", "+1d", "--class", folder.root))
    assert f"did you mean {NAME} (ada@example.org)?" in shown


def test_where_a_name_still_stands_and_which_archives_hold_it_is_said(folder, tmp_path):
    (folder.root / "notes.txt").write_text(f"talk to {NAME}")
    run("archive", "--to", tmp_path / "spring.tar.gz", "--class", folder.root)
    shown = said(run("forget", NAME, "--class", folder.root))
    assert "still stands in notes.txt: look" in shown
    assert f"Archives made before still hold {NAME}: {tmp_path / 'spring.tar.gz'} (" in shown


def test_a_line_on_an_archive_that_was_cut_short_hides_none(tmp_path):
    """A full disk: the archive was not made, and the next one's line stands behind."""
    folder, line = ClassFolder.at(tmp_path), '{"when": "2026-11-27T00:00:00+00:00", "file": "/spring.tar.gz"}\n'
    folder.ledger.mkdir()
    (folder.ledger / "archives.jsonl").write_text(f'{line}{{"when": "2026-\n{line}')
    assert forget.archives(folder) == ["/spring.tar.gz (2026-11-27)"] * 2


def test_a_damaged_file_of_people_stops_before_anything_is_taken_away(folder):
    (folder.ledger / "people.json").write_text("{")
    result = run("forget", NAME, "--class", folder.root)
    assert result.exit_code == 1 and "people.json cannot be read" in said(result)
    assert (folder.submitted / NAME).is_dir()


@pytest.mark.parametrize("name", ["", ".", "..", "../class", "ada/.."])
def test_a_name_that_leads_out_of_a_folder_takes_nothing_away(tmp_path, name):
    """A gradebook's students may have any names."""
    folder = ClassFolder.at(tmp_path / "class")
    (folder.submitted / "ada").mkdir(parents=True)
    folder.feedback.mkdir()
    with pytest.raises(ValueError, match="names no folder of one student"):
        forget.forget(folder, name)
    assert (folder.submitted / "ada").is_dir() and folder.feedback.is_dir()
