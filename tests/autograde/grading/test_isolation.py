"""A machine that breaks in mid-run costs nobody a point: the run stops and says why, and the next one goes on."""

import errno
import json
import os
import shutil
import sys
from types import SimpleNamespace

import pytest

from autograde import plan
from autograde.bank import sample
from autograde.gradebook import store
from autograde.grading import executor, isolation
from autograde.grading.judge import SubmissionJudge
from autograde.grading.regrade import regrade
from autograde.grading.run import grade
from autograde.intake import received
from autograde.intake.intake import Intake
from autograde.ledger import Ledger
from autograde.reports.trace import traces
from autograde.sandbox import doctor
from autograde.sandbox.doctor import Finding
from autograde.sandbox.pool import SandboxError
from course import checks
from tests.autograde import toy
from tests.autograde.command import run

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.xdist_group("grader"),
    pytest.mark.skipif(sys.platform != "linux" or shutil.which("bwrap") is None, reason="needs Linux and bubblewrap"),
]
POINTS = {"ada": 9, "bob": 7, "cleo": 0, "dan": 9, "eve": 7, "finn": 9}
ILL = Finding("/dev/null", False, "/dev/null is another file, and not the device", "sudo mknod /dev/null")
WELL = Finding("sandbox", True, "starts")


@pytest.fixture
def sheet(toy_notebook):
    return sample.Sheet(toy_notebook.read_bytes(), toy.NAME)


@pytest.fixture
def six(toy_released, sheet, submission):
    """A class of six, of which nothing is graded."""
    wrong = sheet.right | {"scale": "def scale(x, factor):\n    return x"}
    answers = {9: sheet.right, 7: wrong, 0: {}}
    for student, points in POINTS.items():
        submission(toy_released, student, sheet.filled(answers[points]) if points else sheet.filled({"scale": "x = 1"}))
    return toy_released


class Machine:
    """What the tests break. Submissions are numbered in the order in which they are graded: `broken` says of a number
    whether that one cannot be isolated, `finding` is what the doctor says, `looked` how often it was asked."""

    def __init__(self):
        self.broken, self.finding, self.looked, self.count = (lambda number: False), WELL, 0, 0

    def examine(self, jail):
        self.looked += 1
        return [WELL, self.finding]


@pytest.fixture
def machine(monkeypatch, one_sandbox, warm_sandbox):
    made, run_cells, grade_one = Machine(), warm_sandbox.run, executor.Worker.grade

    def counted(self, seen):
        made.count += 1
        return grade_one(self, seen)

    def run(*args, **kwargs):
        if made.broken(made.count):
            raise SandboxError("a child could not be isolated: OSError: new namespaces")
        return run_cells(*args, **kwargs)

    monkeypatch.setattr(executor.Worker, "grade", counted)
    monkeypatch.setattr(warm_sandbox, "run", run)
    monkeypatch.setattr(doctor, "require", lambda jail: None)
    monkeypatch.setattr(doctor, "examine", made.examine)
    return made


def points(folder):
    return {student: sum(given.values()) for student, given in store.scores(folder, toy.NAME).items()}


def recorded(folder):
    return list(Ledger(folder.ledger).read(toy.NAME))


def test_a_machine_that_breaks_stops_the_run_and_the_next_goes_on(six, machine):
    machine.broken, machine.finding = (lambda number: number > 2), ILL
    with pytest.raises(isolation.Stopped, match=r"^grading stopped, .*/dev/null is another file.* To do: sudo mknod"):
        grade(six)
    assert machine.looked == 1 and machine.count == 4
    assert {r.student for r in recorded(six)} == {"ada", "bob"} and not any(r.grader_failed for r in recorded(six))
    assert points(six) == {"ada": 9, "bob": 7} and plan.unfinished(six.ledger) is not None
    machine.broken = lambda number: False
    summary = grade(six)
    assert [line.fresh for line in summary.lines] == [False] * 2 + [True] * 4
    assert points(six) == POINTS and plan.unfinished(six.ledger) is None
    records = recorded(six)
    assert len({r.key for r in records}) == 1 and len(records) == len({(r.student, r.exercise) for r in records}) == 30


def test_one_failure_is_tried_again_when_all_others_are_graded(six, machine):
    machine.broken = lambda number: number in (2, 4)
    summary = grade(six)
    assert machine.looked == 0 and not any(line.failed or line.needs_person for line in summary.lines)
    assert points(six) == POINTS and len(recorded(six)) == 30


def test_two_failures_on_a_machine_that_is_well_do_not_stop_it(six, machine):
    machine.broken = lambda number: number in (2, 3)
    assert not any(line.failed for line in grade(six).lines)
    assert machine.looked == 1 and points(six) == POINTS


def test_a_third_in_a_row_stops_it_and_the_next_run_takes_them_last(six, machine):
    machine.broken = lambda number: number in (2, 3, 4)
    with pytest.raises(isolation.Stopped, match=r"3 submissions in a row .*nothing wrong.* bob, cleo, dan: no points"):
        grade(six)
    failed = {r.student for r in recorded(six) if r.grader_failed}
    assert failed == {"bob", "cleo", "dan"}
    with store.open_gradebook(six) as book:
        assert all(book.find_submission(toy.NAME, student).needs_manual_grade for student in failed)
    machine.broken = lambda number: False
    order = []
    grade(six, progress=lambda name, done, of, line: order.append(line.student) if line and line.fresh else None)
    assert order == ["eve", "finn", "bob", "cleo", "dan"] and points(six) == POINTS
    assert not any(line.fresh or line.needs_person for line in grade(six).lines)


def test_a_submission_that_can_never_be_isolated_waits_and_stops_nobody(six, machine):
    machine.broken = lambda number: number in (2, 7)
    by_student = {line.student: line for line in grade(six).lines}
    assert [student for student, line in by_student.items() if line.failed] == ["bob"]
    assert by_student["bob"].needs_person and points(six) == POINTS | {"bob": 0}
    assert plan.unfinished(six.ledger) is None
    machine.broken = lambda number: False
    assert [line.student for line in grade(six).lines if line.fresh] == ["bob"]
    assert points(six) == POINTS


def test_a_last_submission_that_fails_is_no_verdict_on_a_broken_machine(toy_released, sheet, submission, machine):
    submission(toy_released, "ada", sheet.filled(sheet.right))
    machine.broken, machine.finding = (lambda number: True), ILL
    with pytest.raises(isolation.Stopped):
        grade(toy_released)
    assert recorded(toy_released) == []


@pytest.mark.parametrize("how", ["grade --again", "regrade --write"])
@pytest.mark.parametrize("what", ["isolation", "the grader", "one check"])
def test_a_failure_never_replaces_a_verdict(six, machine, monkeypatch, how, what):
    grade(six)
    before, latest = store.scores(six, toy.NAME), Ledger(six.ledger).latest(toy.NAME)
    start = machine.count
    with monkeypatch.context() as patch:
        if what == "isolation":
            machine.broken = lambda number: number - start in (1, 3, 7, 8)
        elif what == "the grader":
            patch.setattr(SubmissionJudge, "judge", lambda self: 1 / 0)
        else:
            patch.setattr(checks.find("scale", "toy"), "compare", lambda *args: 1 / 0)
        if how == "regrade --write":
            regraded = regrade(six, write=True)
            assert regraded.failed and not regraded.changes
        else:
            lines = grade(six, again=True).lines
            assert any(line.failed for line in lines) and not any(line.needs_person for line in lines)
            assert {line.student: line.score for line in lines} == POINTS
    machine.broken = lambda number: False
    assert store.scores(six, toy.NAME) == before
    now = Ledger(six.ledger).latest(toy.NAME)
    assert any(r.grader_failed for r in recorded(six))
    assert not any(r.grader_failed for of_student in now.values() for r in of_student.values())
    assert {k: {e: r.points for e, r in v.items()} for k, v in now.items()} == {
        k: {e: r.points for e, r in v.items()} for k, v in latest.items()
    }
    traced = traces(six, toy.NAME)
    assert traced.keys() == POINTS.keys()
    for student, trace in traced.items():
        assert set(trace.records) == {"scale", "centre", "standardise", "question_mean", "question_axes"}, student
        assert not any(r.grader_failed for r in trace.records.values()) and trace.record.run == trace.run
    with store.open_gradebook(six) as book:
        assert not any(book.find_submission(toy.NAME, student).needs_manual_grade for student in POINTS)
    assert not any(line.fresh for line in grade(six).lines)


def test_a_failure_at_a_new_submission_leaves_the_points_of_the_old(six, machine, sheet, submission, monkeypatch):
    grade(six)
    submission(six, "bob", sheet.filled(sheet.right))
    with monkeypatch.context() as patch:
        patch.setattr(SubmissionJudge, "judge", lambda self: 1 / 0)
        (line,) = (line for line in grade(six).lines if line.fresh)
    assert (line.student, line.score, line.needs_person, line.failed) == ("bob", 7, True, True)
    assert points(six) == POINTS
    grade(six)
    assert points(six) == POINTS | {"bob": 9}


def test_what_was_written_in_that_state_is_graded_again_unasked(six, machine, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(SubmissionJudge, "judge", lambda self: 1 / 0)
        grade(six)
    path = Ledger(six.ledger).path(toy.NAME)
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert lines and all(line["grader_failed"] and line["needs_person"] for line in lines)
    assert [line.fresh for line in grade(six).lines] == [True] * len(POINTS)
    assert points(six) == POINTS


class TestExitCodes:
    def test_of_grade_and_regrade(self, six, machine):
        machine.broken, machine.finding = (lambda number: number > 2), ILL
        where = ("--class", six.root)
        stopped = run("grade", *where)
        output = " ".join(stopped.output.split())
        assert stopped.exit_code == 3 and "autograde: grading stopped, because this machine cannot isolate" in output
        assert output.count("grading stopped") == 1 and "sudo mknod /dev/null. Then give the command again" in output
        assert run("regrade", *where).exit_code == 3
        machine.broken, machine.finding = (lambda number: False), WELL
        assert run("grade", *where).exit_code == 0

    def test_where_the_grader_failed_at_somebody(self, six, machine, monkeypatch):
        with monkeypatch.context() as patch:
            patch.setattr(checks.find("centre", "toy"), "compare", lambda *args: 1 / 0)
            failed = run("grade", "--class", six.root)
        assert failed.exit_code == 1
        assert "the grader itself failed at ada (00-toy)" in " ".join(failed.output.split())
        assert run("grade", "--class", six.root).exit_code == 0

    def test_where_the_workers_are_lost(self, six, monkeypatch):
        monkeypatch.setattr(executor, "ANSWER_SECONDS", 1)
        lost = run("grade", "--class", six.root, "--scheduler", "tcp://127.0.0.1:9")
        assert lost.exit_code == 3 and "no scheduler answers at" in " ".join(lost.output.split())

    def test_of_check(self, toy_notebook, machine, sheet, tmp_path, monkeypatch):
        from autograde.grading import one

        monkeypatch.setattr(one, "ROOT", toy_notebook.parent.parent)
        file = tmp_path / f"{toy.NAME}.ipynb"
        file.write_bytes(sheet.filled(sheet.right))
        assert run("check", file).exit_code == 0
        said = json.loads(run("check", file, "--json").stdout)
        assert (said["assignment"], said["points"], said["max"], said["needs_person"]) == (toy.NAME, 9, 9, False)
        assert {entry["outcome"] for entry in said["exercises"]} == {"pass"} and said["exercises"][0]["cases"]
        machine.broken = lambda number: True
        well = run("check", file)
        assert well.exit_code == 3 and "though the doctor finds nothing wrong" in " ".join(well.output.split())
        machine.finding = ILL
        ill = run("check", file)
        assert ill.exit_code == 3 and "To do: sudo mknod /dev/null" in " ".join(ill.output.split())
        machine.broken = lambda number: False
        monkeypatch.setattr(SubmissionJudge, "judge", lambda self: 1 / 0)
        ours = run("check", file)
        assert ours.exit_code == 1 and "the grader itself failed" in " ".join(ours.output.split())


def test_bubblewrap_that_vanishes_in_mid_run(six, breakable):
    """For real, with the examination itself, and a start that was remembered as good."""

    def breaking(name, done, of, line):
        if line is not None and done == 2:
            (breakable / "bwrap").unlink()
            workers[-1].close()  # the warm process is lost: a new one is needed

    workers, enter = [], executor.Worker.__enter__
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(executor.Worker, "__enter__", lambda self: workers.append(self) or enter(self))
        with pytest.raises(isolation.Stopped, match=r"bubblewrap: not installed\). To do: sudo apt-get install"):
            grade(six, progress=breaking)
    assert points(six) == {"ada": 9, "bob": 7} and len(recorded(six)) == 10
    os.symlink(breakable.parent / "real-bwrap", breakable / "bwrap")
    grade(six)
    assert points(six) == POINTS


@pytest.fixture
def reading(monkeypatch, machine):
    """What the tests break of reading: `broken` says of a number, in the order of reading, whether that one fails."""
    read_one, made = Intake.receive, SimpleNamespace(broken=lambda number: False, count=0)

    def received(self, path, assignment):
        made.count += 1
        if not made.broken(made.count):
            return read_one(self, path, assignment)
        with monkeypatch.context() as patch:
            patch.setattr(Intake, "contents", lost)
            return read_one(self, path, assignment)

    def lost(self, data):
        raise SandboxError("a child of the intake was lost to the machine")

    monkeypatch.setattr(Intake, "receive", received)
    return made


def test_a_file_that_the_machine_could_not_read_is_read_again_after_all_others(six, machine, reading):
    reading.broken = lambda number: number in (2, 4)
    order = []
    grade(six, progress=lambda name, done, of, line: order.append(line.student) if line else None)
    assert order == ["ada", "cleo", "eve", "finn", "bob", "dan"] and points(six) == POINTS
    assert machine.looked == 0 and not any(r.grader_failed for r in recorded(six))


def test_a_machine_that_cannot_read_any_more_stops_the_run(six, machine, reading):
    reading.broken, machine.finding = (lambda number: number > 2), ILL
    with pytest.raises(isolation.Stopped, match=r"^grading stopped, .*/dev/null is another file"):
        grade(six)
    assert machine.looked == 1 and reading.count == 4
    assert points(six) == {"ada": 9, "bob": 7} and plan.unfinished(six.ledger) is not None
    assert not list(six.staged.glob("*/*/*.ipynb")), "what was graded waits for the next run"
    reading.broken = lambda number: False
    grade(six)
    assert points(six) == POINTS


def test_a_file_that_can_never_be_read_waits_and_keeps_what_stands(six, machine, reading):
    grade(six)
    reading.broken = lambda number: number in (2, 7)  # bob's, among the others and after them
    reading.count = 0
    by_student = {line.student: line for line in grade(six, again=True).lines}
    assert [student for student, line in by_student.items() if line.failed] == ["bob"]
    assert points(six) == POINTS
    reading.broken = lambda number: True
    with pytest.raises(isolation.Stopped, match="could not be read or isolated"):
        regrade(six)
    reading.broken = lambda number: False
    assert not any(line.fresh or line.needs_person for line in grade(six).lines)
    assert points(six) == POINTS


def test_who_reads_for_a_cluster_is_looked_at_here(monkeypatch):
    monkeypatch.setattr(doctor, "anew", lambda jail: [ILL])
    assert executor.Workers(client=None)._look([executor.READER]) == [ILL]


@pytest.mark.parametrize("number", [errno.EIO, errno.EMFILE, errno.EACCES, errno.ENOMEM])
def test_an_error_of_the_disk_is_no_students_fault(six, machine, monkeypatch, number):
    grade(six)
    opened = os.open

    def broken(path, *more, **others):
        if "/bob/" in str(path) and str(path).endswith(".ipynb"):
            raise OSError(number, os.strerror(number), str(path))
        return opened(path, *more, **others)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", broken)
        by_student = {line.student: line for line in grade(six).lines}
        assert [student for student, line in by_student.items() if line.failed] == ["bob"]
        regraded = regrade(six)
        assert regraded.failed == ["bob"] and not regraded.changes
    assert points(six) == POINTS
    (failed,) = {r.details[-1] for r in recorded(six) if r.grader_failed}
    assert "bob" in failed and os.strerror(number) in failed
    grade(six)
    assert points(six) == POINTS and not Ledger(six.ledger).failures(toy.NAME) - {("bob", received.NO_FILE)}
