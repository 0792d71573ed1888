"""Who may read a class: its owner, a group where one is named, and nobody else, whatever the umask."""

import grp
import os
import shutil
import stat
from pathlib import Path

import pytest

from autograde import access, files
from autograde.bank import sample
from autograde.folders import ClassFolder
from autograde.gradebook import configuration, examination
from autograde.gradebook.release import release
from autograde.grading import regrade, run
from autograde.intake import collect
from autograde.reports import export, feedback, summary_page
from autograde.sandbox import doctor
from tests.autograde import toy
from tests.autograde.command import run as command


@pytest.fixture(params=[0o022, 0o000, 0o077], ids=lambda umask: f"umask {umask:03o}")
def umask(request):
    before = os.umask(request.param)
    yield request.param
    assert os.umask(before) == request.param, "the umask of the process was left changed"


@pytest.fixture
def group():
    """A group that we may give files to, where there is one beside our own."""
    mine = set(os.getgroups()) if os.geteuid() else {entry.gr_gid for entry in grp.getgrall()}
    others = sorted(gid for gid in mine - {os.getgid()})
    if not others:
        pytest.skip("needs a second group")
    return grp.getgrgid(others[0])


def a_term(folder, notebook, handed_in):
    """All that a class goes through, by every way that writes: what is there afterwards is all that can be there."""
    release(folder, [notebook], due=[])
    made = sample.sample(folder, toy.NAME)
    sample.write_expected(folder, {toy.NAME: made})
    for student in [submission.student for submission in made][3:]:
        shutil.rmtree(folder.submitted / student)
    collect.collect(folder, handed_in, toy.NAME)
    run.grade(folder)
    regrade.regrade(folder, write=True)
    feedback.feedback(folder, toy.NAME)
    export.export(folder)
    summary_page.write(folder, toy.NAME)


def modes(root):
    """path -> mode of everything below, and of the root."""
    states = {}
    for path in [root, *root.rglob("*")]:
        states[str(path.relative_to(root.parent))] = path.lstat()
    return states


@pytest.fixture
def handed_in(tmp_path, toy_notebook):
    """A folder as another person has it: readable by all, and not to be written."""
    source = tmp_path / "theirs"
    place = source / "ada" / toy.NAME
    place.mkdir(parents=True)
    shutil.copyfile(toy_notebook, place / f"{toy.NAME}.ipynb")
    (place / f"{toy.NAME}.ipynb").chmod(0o444)
    (place / "timestamp.txt").write_text("2026-01-30 15:00:00 UTC\n")
    place.chmod(0o555)
    yield source
    place.chmod(0o755)


def test_nobody_else_may_read_anything_of_a_class(tmp_path, toy_notebook, handed_in, umask, one_sandbox):
    folder, before = ClassFolder.at(tmp_path / "class"), modes(handed_in)
    a_term(folder, toy_notebook, handed_in)
    states = modes(folder.root)
    of_ada = f"ada/{toy.NAME}"
    for name in ("gradebook.db", "grades.csv", "nbgrader_config.py", f"ledger/{toy.NAME}.jsonl",
                 f"submissions/{of_ada}/timestamp.txt", f"autograded/{of_ada}/{toy.NAME}.ipynb",
                 f"feedback/{of_ada}/{toy.NAME}.html", f"archives/{toy.NAME}.zip",
                 f"summary/{toy.NAME}.html"):  # fmt: skip
        assert f"class/{name}" in states
    open_to_others = {name: oct(state.st_mode) for name, state in states.items() if state.st_mode & 0o077}
    assert not open_to_others
    after = modes(handed_in)
    kept = ("st_mode", "st_uid", "st_gid", "st_mtime_ns", "st_ino")
    assert [[getattr(s, k) for k in kept] for s in after.values()] == [
        [getattr(s, k) for k in kept] for s in before.values()
    ]
    assert not list(access.opened(folder))


def test_a_class_that_is_shared_is_for_its_group_too(tmp_path, toy_notebook, handed_in, umask, one_sandbox, group):
    folder = ClassFolder.at(tmp_path / "class")
    files.make_folder(folder.root)
    access.close(folder, group.gr_name)
    a_term(folder, toy_notebook, handed_in)
    wrong = {}
    for name, state in modes(folder.root).items():
        wanted = 0o2770 if stat.S_ISDIR(state.st_mode) else 0o660
        if stat.S_IMODE(state.st_mode) != wanted or state.st_gid != group.gr_gid:
            wrong[name] = oct(state.st_mode), state.st_gid
    assert not wrong
    assert access.whose(folder) == f"its owner and the group {group.gr_name}"


def test_what_goes_while_a_class_is_looked_at_stops_nothing(tmp_path, monkeypatch):
    """A database's journal comes and goes while another command writes."""
    (tmp_path / "class").mkdir(0o755)
    (tmp_path / "class" / "grades.csv").touch(0o644)
    real = os.fwalk
    gone = lambda root: ((b, folders, ["gradebook.db-journal", *names], f) for b, folders, names, f in real(root))  # noqa: E731
    monkeypatch.setattr(access.os, "fwalk", gone)
    folder = ClassFolder.at(tmp_path / "class")
    assert len(list(access.opened(folder))) == access.close(folder) == 2


def test_a_class_is_shared_and_closed_again(tmp_path, toy_class, group):
    folder = toy_class.copy(tmp_path / "class")
    folder.grades.chmod(0o644)
    folder.released(toy.NAME).chmod(0o400)
    assert access.close(folder, group.gr_name) > 10
    assert not list(access.opened(folder))
    assert stat.S_IMODE(folder.grades.stat().st_mode) == 0o660
    assert stat.S_IMODE(folder.released(toy.NAME).stat().st_mode) == 0o440
    assert access.close(folder) == 0
    (folder.root / "by-hand.csv").write_text("ada,3")
    (folder.root / "by-hand.csv").chmod(0o664)
    assert [each.to for each in access.opened(folder)] == ["everybody"]
    assert access.close(folder) == 1  # the group stays
    assert access.close(folder, "") > 10
    assert not any(state.st_mode & 0o077 for state in modes(folder.root).values())
    with pytest.raises(ValueError, match="there is no group 'nobody-has-this'"):
        access.close(folder, "nobody-has-this")


@pytest.mark.parametrize("way", ["file", "folder"])
def test_what_becomes_a_link_while_it_is_looked_at_changes_nothing_elsewhere(tmp_path, monkeypatch, way):
    """In a class that is shared, an assistant may put a link where the owner's command has just looked."""
    folder, mine = ClassFolder.at(tmp_path / "class"), tmp_path / "mine"
    for root in (folder.root / "sub", mine):
        root.mkdir(parents=True)
        (root / "x.ipynb").write_text("{}")
        (root / "x.ipynb").chmod(0o644)
        root.chmod(0o755)
    real, which = access._set, folder.root / "sub" / ("x.ipynb" if way == "file" else "")

    def swapped(path, *rest):
        if path == which:
            path.rename(tmp_path / "away")
            path.symlink_to(mine / which.relative_to(folder.root / "sub"))
        return real(path, *rest)

    monkeypatch.setattr(access, "_set", swapped)
    access.close(folder, "")
    assert which.is_symlink()
    assert [stat.S_IMODE(path.stat().st_mode) for path in (mine, mine / "x.ipynb")] == [0o755, 0o644]
    assert stat.S_IMODE((tmp_path / "away").stat().st_mode) in (0o600, 0o700)


def test_a_file_that_is_replaced_keeps_its_mode_owner_and_group(tmp_path, umask, group):
    path = tmp_path / "grades.csv"
    files.write_atomically(path, "first")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for mode in (0o640, 0o644, 0o400):
        path.chmod(mode)
        os.chown(path, -1 if os.geteuid() else 4321, group.gr_gid)
        before = path.stat()
        files.write_atomically(path, f"with mode {mode:o}")
        after = path.stat()
        assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
        assert path.read_text() == f"with mode {mode:o}" and after.st_ino != before.st_ino
    assert list(tmp_path.iterdir()) == [path]


def test_a_group_that_cannot_be_kept_is_not_changed_for_another(tmp_path, monkeypatch, group):
    path = tmp_path / "grades.csv"
    files.write_atomically(path, "first")
    path.chmod(0o640)
    os.chown(path, -1, group.gr_gid)

    def refused(*_):
        raise PermissionError

    monkeypatch.setattr(os, "fchown", refused)
    files.write_atomically(path, "second")
    assert path.read_text() == "second" and stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_link_is_replaced_and_not_followed(tmp_path):
    other = tmp_path / "other"
    other.write_text("mine")
    link = tmp_path / "grades.csv"
    link.symlink_to(other)
    files.write_atomically(link, "grades")
    assert other.read_text() == "mine" and not link.is_symlink() and link.read_text() == "grades"


def said(*words):
    done = command(*words)
    return done.exit_code, done.output


def test_doctor_names_what_is_open_and_the_command_that_closes_it(tmp_path, toy_class, monkeypatch):
    monkeypatch.setattr(doctor, "report", lambda jail: 0)
    folder = toy_class.copy(tmp_path / "class")
    access.close(folder, "")
    status, output = said("doctor", "--class", folder.root)
    assert status == 0 and "for its owner alone" in output and "through the sandbox" in output
    folder.grades.chmod(0o604)
    (folder.autograded / "right").chmod(0o755)
    status, output = said("doctor", "--class", folder.root)
    assert status == 1 and "class/grades.csv (everybody)" in output and "class/autograded/right (everybody)" in output
    command = f"autograde access --class {folder.root}"
    assert command in output
    status, output = said(*command.split()[1:])
    assert status == 0 and "files and folders changed: 2" in output
    assert said("doctor", "--class", folder.root)[0] == 0
    assert said("doctor", "--class", tmp_path / "none")[0] == 1


@pytest.mark.parametrize(
    "edited",
    [
        'c = get_config()\nc.CourseDirectory.course_id = "default_course"\n',
        configuration.CONFIGURATION + "\nc.Execute.kernel_name = 'python3'\n",
        configuration.CONFIGURATION + "\nc.Autograde.exporter_class = 'nbconvert.exporters.NotebookExporter'\n",
        None,
    ],
    ids=["stock", "a kernel", "nbgrader's exporter", "none"],
)
def test_doctor_says_where_nbgrader_would_run_submissions_unprotected(tmp_path, monkeypatch, edited):
    monkeypatch.setattr(doctor, "report", lambda jail: 0)
    folder = ClassFolder.at(tmp_path / "class")
    files.make_folder(folder.root)
    configuration.write(folder)
    assert said("doctor", "--class", folder.root)[0] == 0
    folder.config.unlink() if edited is None else folder.config.write_text(edited)
    status, output = said("doctor", "--class", folder.root)
    assert status == 1 and "NO  nbgrader" in output and "autograde release" in output
    (folder.root / "release" / toy.NAME).mkdir(parents=True)
    (folder.root / "release" / toy.NAME / f"{toy.NAME}.ipynb").write_text("{}")
    for graded in (run.grade, run.due, regrade.regrade):
        with pytest.raises(ValueError, match=r"^nothing was graded: .* To do: "):
            graded(folder)
    assert not folder.ledger.exists()


def test_doctor_reads_the_configuration_that_nbgrader_reads_last(tmp_path):
    folder = ClassFolder.at(tmp_path / "class")
    files.make_folder(folder.root)
    configuration.write(folder)
    folder.config.with_suffix(".json").write_text('{"Execute": {"kernel_name": "python3"}}')
    (finding,) = (each for each in examination.examine(folder) if each.name == "nbgrader")
    assert not finding.ok and "unprotected" in finding.detail


def test_a_configuration_of_an_older_version_leads_through_the_sandbox(tmp_path):
    folder = ClassFolder.at(tmp_path / "class")
    files.make_folder(folder.root)
    folder.config.write_text(
        "from pathlib import Path\nfrom autograde.gradebook import configure\n"
        "c = get_config()\nconfigure(c, Path(__file__).resolve().parent)\n"
    )
    (finding,) = (each for each in examination.examine(folder) if each.name == "nbgrader")
    assert finding.ok


def test_every_text_for_the_instructor_says_that_nothing_runs_unprotected():
    root = Path(__file__).resolve().parents[2]
    texts = [configuration.CONFIGURATION, (root / "book" / "instructors" / "grader.md").read_text("utf-8")]
    assert not any("unprotected" in text or "without isolation" in text for text in texts)
