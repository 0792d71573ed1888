"""A class of before version 1.0 becomes one of today's, and comes back as it was; one of a later version is refused."""

import hashlib
import json

import pytest

import course
from autograde import layout
from autograde.folders import ClassFolder
from autograde.gradebook import configuration, examination, store, upgrade
from autograde.ledger import Ledger
from tests.autograde import toy
from tests.autograde.command import run, said

# What the first versions wrote into a class, to the byte.
FIRST = '''\
"""nbgrader's configuration for this class. Written once by `autograde release`; yours to edit from then on.

To keep the gradebook in PostgreSQL, put its URL in `db_url`. Late penalties: `c.LateSubmissionPlugin.penalty_method =
"zero"`, or a plugin of your own (`c.AssignLatePenalties.plugin_class`). Grade with `autograde grade`, which runs
hand-ins in a sandbox: `nbgrader autograde` and formgrader's own autograde button run them on this machine, unprotected.
"""

from pathlib import Path

from autograde.export import GradesCsv
from autograde.gradebook import RELEASE_PREPROCESSORS

c = get_config()  # noqa: F821
here = Path(__file__).resolve().parent
c.CourseDirectory.root = str(here)
c.CourseDirectory.db_url = f"sqlite:///{here}/gradebook.db"
c.GenerateAssignment.preprocessors = RELEASE_PREPROCESSORS
c.ExportApp.plugin_class = GradesCsv
'''
COMMANDS = (
    ("grade",), ("regrade",), ("undo",), ("points", "0.1=3"), ("collect", "nothing.zip"),
    ("extend", "right", "00", "+1d"), ("summary",), ("similar",), ("trace", "right", "00"), ("feedback",), ("export",),
    ("push",), ("forget", "right"), ("release",), ("sample",),
)  # fmt: skip


@pytest.fixture
def folder(toy_class, tmp_path):
    """As the version before 1.0 left it: no more than that the class does not say what it is."""
    folder = toy_class.copy(tmp_path / "spring")
    folder.layout.unlink()
    return folder


@pytest.fixture
def first(folder):
    """As the first versions left it: submissions in nbgrader's own folder, names in the ledger, files for everybody."""
    folder.unprotected.unlink()
    folder.submitted.rename(folder.unprotected)
    (folder.root / ".gitignore").unlink()
    folder.config.write_text(FIRST)
    ledger = folder.ledger / f"{toy.NAME}.jsonl"
    people = Ledger(folder.ledger).people()
    lines = [json.loads(line) for line in ledger.read_text().splitlines()]
    ledger.write_text("".join(json.dumps(line | {"student": people[line["student"]]}) + "\n" for line in lines))
    (folder.ledger / "people.json").unlink()
    ledger.chmod(0o644)
    return folder


def whole(root):
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.name != ".lock"
    }


def grades(folder):
    return store.scores(folder, toy.NAME), store.standings(folder, toy.NAME)


def verdicts(folder):
    return {who: {e: r.as_json() for e, r in of.items()} for who, of in Ledger(folder.ledger).latest(toy.NAME).items()}


def test_a_new_class_has_todays_layout(toy_class):
    assert layout.VERSION == course.__version__
    assert json.loads(toy_class.folder.layout.read_text()) == {"layout": layout.LAYOUT, "version": course.__version__}


def test_the_last_versions_class_is_upgraded(folder):
    before, points, records = whole(folder.root), grades(folder), verdicts(folder)
    shown = run("upgrade", "--dry-run", "--class", folder.root)
    assert shown.exit_code == 0 and "layout.json" in said(shown) and "Nothing was written" in said(shown)
    assert whole(folder.root) == before and not list(folder.root.parent.glob("*.gz"))
    done = run("upgrade", "--class", folder.root)
    assert done.exit_code == 0, done.output
    after = whole(folder.root)
    added = {name: after.pop(name) for name in ("layout.json", "ledger/archives.jsonl")}
    assert after == before and added and (grades(folder), verdicts(folder)) == (points, records)
    assert "nothing to do" in said(run("upgrade", "--class", folder.root))


def test_the_first_versions_class_is_upgraded_and_comes_back(first, tmp_path):
    before = whole(first.root)
    submitted = {name.partition("/")[2]: digest for name, digest in before.items() if name.startswith("submitted/")}
    shown = said(run("upgrade", "--dry-run", "--class", first.root))
    for part in ("moves to submissions/ (16 submissions)", "nobody edited it", "students become numbers",
                 "open to others", ".gitignore", "layout.json"):  # fmt: skip
        assert part in shown
    assert whole(first.root) == before
    done = run("upgrade", "--class", first.root)
    assert done.exit_code == 0, done.output
    assert "all as before" in said(done) and "NO " not in done.output
    assert first.config.read_text() == configuration.CONFIGURATION and first.unprotected.is_file()
    assert {f"{path.relative_to(first.submitted)}" for path in first.submitted.rglob("*") if path.is_file()} == {
        *submitted
    }
    lines = (first.ledger / f"{toy.NAME}.jsonl").read_text().splitlines()
    assert lines and all(isinstance(json.loads(line)["student"], int) for line in lines)
    assert set(grades(first)[0]) == {student for student, _ in first.submissions(toy.NAME)}
    # the way back, as it was said
    first.root.rename(tmp_path / "spring-not-upgraded")
    assert "older version of the course" in said(
        run("restore", tmp_path / "spring-before-upgrade.tar.gz", "--class", first.root)
    )
    assert {k: v for k, v in whole(first.root).items() if k != "gradebook.db"} == {
        k: v for k, v in before.items() if k != "gradebook.db"
    }


def test_an_upgrade_that_is_killed_is_gone_on_with(first, monkeypatch):
    points = whole(first.root)["gradebook.db"]
    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "number", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        run("upgrade", "--class", first.root)
    assert layout.of(first).layout == 0 and first.submitted.is_dir()
    assert run("upgrade", "--class", first.root).exit_code == 0
    assert layout.of(first).layout == layout.LAYOUT and whole(first.root)["gradebook.db"] == points
    assert {path.name for path in first.root.parent.glob("*.gz")} == {
        "spring-before-upgrade.tar.gz", "spring-before-upgrade-2.tar.gz"
    }  # fmt: skip


def test_a_change_that_changes_more_than_it_should_is_told(folder, monkeypatch):
    def wrong():
        with store.open_gradebook(folder) as book:
            book.find_grade("scale-check", toy.NAME, toy.NAME, "right").auto_score = 0
            book.db.commit()

    monkeypatch.setattr(upgrade, "_from_0", lambda _: iter([upgrade.Change("grades change", wrong)]))
    result = run("upgrade", "--class", folder.root)
    assert result.exit_code == 1 and "the gradebook's table grade" in said(result)
    assert "&& autograde restore" in said(result) and layout.of(folder).layout == 0


def test_submissions_in_both_places_are_left_to_a_person(first):
    other = first.submitted / "right" / toy.NAME / "other.ipynb"
    other.parent.mkdir(parents=True)
    other.write_text("{}")
    before = whole(first.root)
    result = run("upgrade", "--class", first.root)
    assert result.exit_code == 1 and "are both there: move away the one" in said(result)
    assert whole(first.root) == before


def test_a_configuration_that_stops_is_mended_first(folder):
    folder.config.write_text("import nothing_of_this_name\n")
    before = whole(folder.root)
    result = run("upgrade", "--class", folder.root)
    assert result.exit_code == 1 and "Mend it" in said(result) and whole(folder.root) == before


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_every_command_says_what_to_type_in_an_older_class(folder, words):
    before = whole(folder.root)
    result = run(*words, "--class", folder.root)
    assert result.exit_code == 1 and f"autograde upgrade --class {folder.root} --dry-run" in said(result)
    assert whole(folder.root) == before


@pytest.mark.parametrize("words", [*COMMANDS, ("upgrade",)], ids=lambda words: words[0])
def test_every_command_says_what_to_type_in_a_newer_class(folder, words):
    folder.layout.write_text(json.dumps({"layout": layout.LAYOUT + 1, "version": "7.0.0"}))
    before = whole(folder.root)
    result = run(*words, "--class", folder.root)
    assert result.exit_code == 1 and "newer version of the course (7.0.0" in said(result)
    assert "update the course" in said(result) and whole(folder.root) == before


def test_no_command_that_takes_a_class_is_left_out():
    from autograde.cli import app

    taking = {
        (command.name or command.callback.__name__)
        for command in app.registered_commands
        if "where" in command.callback.__annotations__
    }
    anyway = {"doctor", "access", "archive", "restore", "upgrade"}  # a class of any layout
    assert taking - anyway == {words[0] for words in COMMANDS}


def test_the_doctor_says_it_too(folder):
    *others, finding = examination.examine(folder)
    assert (finding.name, finding.ok) == ("layout", False) and all(other.ok for other in others)
    assert finding.remedy.startswith(f"autograde upgrade --class {folder.root}")


def test_a_class_that_cannot_say_what_it_is(folder):
    folder.layout.write_text("{")
    result = run("grade", "--class", folder.root)
    assert result.exit_code == 1 and "layout.json cannot be read" in said(result) and "backup" in said(result)


def test_no_class_is_no_older_class(tmp_path):
    assert layout.explained(ClassFolder.at(tmp_path)) == ""


def test_todays_configuration_is_among_those_that_nobody_edited():
    assert hashlib.sha256(configuration.CONFIGURATION.encode()).hexdigest()[:16] in configuration.WRITTEN
    assert hashlib.sha256(FIRST.encode()).hexdigest()[:16] in configuration.WRITTEN
