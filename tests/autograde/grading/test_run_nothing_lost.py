"""Whatever is killed, and wherever: run again, the gradebook is the one that an undisturbed run gives.

`benchmarks/classes.py` does it with real processes, and with a thousand submissions.
"""

import os
import random
import shutil
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from nbgrader import api

from autograde import plan
from autograde.bank import sample
from autograde.folders import ClassFolder
from autograde.gradebook import enter, store
from autograde.grading import executor, run
from autograde.grading.regrade import regrade
from autograde.intake import received
from autograde.ledger import Ledger, LedgerBusy
from course import checks
from course.checks.engine import Outcome
from tests.autograde import toy

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.xdist_group("grader"),
    pytest.mark.usefixtures("one_sandbox"),
    pytest.mark.skipif(sys.platform != "linux" or shutil.which("bwrap") is None, reason="needs Linux and bubblewrap"),
]
ROOT = Path(__file__).resolve().parents[3]
SEED = 20150522


@pytest.fixture(scope="session")
def twenty(tmp_path_factory, released_once):
    """What a class of twenty handed in, made from the toy's answer bank."""
    root = tmp_path_factory.mktemp("twenty")
    shutil.copytree(released_once, root / "class")
    folder = ClassFolder.at(root / "class")
    with toy.installed(root) as notebook:
        made = [h for h in sample.sample(folder, toy.NAME) if not h.student.startswith("hostile")]
        for path in folder.submitted.iterdir():
            if path.name.startswith("hostile"):
                shutil.rmtree(path)
        sheet = sample.Sheet(notebook.read_bytes(), toy.NAME)
        for number in range(20 - len(made)):
            path = folder.submitted / f"more, {number}" / toy.NAME / f"{toy.NAME}.ipynb"
            path.parent.mkdir(parents=True)
            path.write_bytes(sheet.filled(sheet.right if number % 2 else {}))
    assert len(folder.students()) == 20
    return folder.submitted


@pytest.fixture
def disturbed(twenty, toy_released):
    """The class of twenty, of the test's own; nothing is graded yet."""
    shutil.copytree(twenty, toy_released.submitted, dirs_exist_ok=True)
    return toy_released


@pytest.fixture(scope="session")
def undisturbed(twenty, released_once, tmp_path_factory, warm_sandbox):
    """student -> exercise -> points, as one run in one go gives them."""
    root = tmp_path_factory.mktemp("undisturbed")
    shutil.copytree(released_once, root / "class")
    folder = ClassFolder.at(root / "class")
    shutil.copytree(twenty, folder.submitted, dirs_exist_ok=True)
    with toy.installed(root):
        run.grade(folder)
        return store.scores(folder, toy.NAME)


def check(folder, expected):
    """The gradebook is as expected, nothing waits, and no submission was graded twice or under other numbers."""
    assert store.scores(folder, toy.NAME) == expected
    assert not list(folder.staged.glob("*/*")) and plan.unfinished(folder.ledger) is None
    records = list(Ledger(folder.ledger).read(toy.NAME))
    assert len({(r.student, r.exercise) for r in records}) == len(records) == 20 * 5
    assert len({r.key for r in records}) == len({r.run for r in records}) == 1


class Killed(BaseException):
    """Stands for the end of the process: nothing catches it."""


def test_killed_at_random_points_again_and_again(disturbed, undisturbed, monkeypatch):
    draw, left, kills = random.Random(SEED), 0, 0
    points = [(Ledger, "append"), (run, "stage"), (store, "entered"), (enter.Verdicts, "preprocess"),
              (enter.SaveVerdicts, "_add_score"), (received, "receive"), (executor.Worker, "grade")]  # fmt: skip

    def deadly(function):
        def call(*args, **kwargs):
            nonlocal left
            left -= 1
            if left == 0:
                raise Killed
            if left == 1 and draw.random() < 0.5:  # dies when the call has done its work
                left = 0
                function(*args, **kwargs)
                raise Killed
            return function(*args, **kwargs)

        return call

    for owner, name in points:
        monkeypatch.setattr(owner, name, deadly(getattr(owner, name)))
    for attempt in range(20):
        left = draw.randint(5, 60 + 30 * attempt)  # later and later: else no run would come to its end
        try:
            run.grade(disturbed, resume=attempt > 0 and draw.random() < 0.5)
            break
        except Killed:
            kills += 1
    assert kills >= 5
    left = -1
    check(disturbed, undisturbed)


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_a_persons_grade_stays(disturbed, monkeypatch):
    run.grade(disturbed, students=["right", "untouched"])
    with store.open_gradebook(disturbed) as opened:
        opened.find_grade("scale-check", toy.NAME, toy.NAME, "untouched").manual_score = 1.5
        opened.db.commit()
    (line,) = run.grade(disturbed, again=True, students=["untouched"]).lines
    assert (line.score, line.manual, line.needs_person) == (1.5, True, True)
    assert sum(store.scores(disturbed, toy.NAME)["right"].values()) == 9


@pytest.mark.parametrize("database", ["postgresql"])
def test_a_postgresql_that_dies_and_comes_back(disturbed, undisturbed, postgresql, monkeypatch):
    real, calls, pauses = enter.SaveVerdicts._add_score, [], []

    def killing(self, cell, resources):
        calls.append(1)
        if len(calls) in (8, 40, 77):
            postgresql.kill()
        return real(self, cell, resources)

    monkeypatch.setattr(enter.SaveVerdicts, "_add_score", killing)
    pause = SimpleNamespace(sleep=lambda seconds: pauses.append(seconds) or postgresql.start())
    monkeypatch.setattr(enter, "time", pause)
    run.grade(disturbed)
    assert pauses == list(enter._PAUSES)
    check(disturbed, undisturbed)


@pytest.mark.parametrize("database", ["postgresql"])
def test_a_database_that_stays_away_costs_no_verdict(disturbed, undisturbed, postgresql, monkeypatch):
    real = enter.enter

    def without(*args):
        postgresql.kill()
        return real(*args)

    with monkeypatch.context() as patch:
        patch.setattr(enter, "enter", without)
        patch.setattr(enter, "_PAUSES", ())
        with pytest.raises(store.GradebookError, match=r"postgresql\+psycopg://grader@127.0.0.1:\d+/\w+ cannot"):
            run.grade(disturbed)
    assert len(list(Ledger(disturbed.ledger).read(toy.NAME))) == 100
    postgresql.start()
    assert not any(line.fresh for line in run.grade(disturbed, resume=True).lines)
    check(disturbed, undisturbed)


@pytest.mark.parametrize("database", ["sqlite"])
def test_an_sqlite_that_is_locked_is_waited_for(disturbed, undisturbed, monkeypatch):
    monkeypatch.setattr(api, "create_engine", in_a_hurry(api.create_engine))
    other = sqlite3.connect(disturbed.root / "gradebook.db", isolation_level=None)
    real, pauses = enter._convert, []

    def locked(*args):
        if not pauses:
            other.execute("BEGIN EXCLUSIVE")
        return real(*args)

    monkeypatch.setattr(enter, "_convert", locked)
    pause = SimpleNamespace(sleep=lambda seconds: pauses.append(seconds) or other.execute("ROLLBACK"))
    monkeypatch.setattr(enter, "time", pause)
    run.grade(disturbed)
    assert pauses == [enter._PAUSES[0]]
    check(disturbed, undisturbed)
    other.close()


def in_a_hurry(create_engine):
    """SQLite gives up at once, rather than after five seconds."""
    return lambda url, **options: create_engine(url, connect_args={"timeout": 0.1}, **options)


def test_a_grader_killed_by_the_machine(disturbed, undisturbed):
    command = [sys.executable, "-m", "tests.autograde.toy.preload", "grade", "--class", str(disturbed.root)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    at = random.Random(SEED).randint(1, 19)
    with subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if line.startswith(f"[{at}/20]"):
                with pytest.raises(LedgerBusy, match=f"process {process.pid}"):
                    run.grade(disturbed)
                process.kill()
    assert process.returncode == -9
    assert any(not line.fresh for line in run.grade(disturbed, resume=True).lines)
    check(disturbed, undisturbed)


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_a_resubmission_during_a_run_waits_for_the_next(toy_released, toy_notebook, submission, monkeypatch):
    sheet = sample.Sheet(toy_notebook.read_bytes(), toy.NAME)
    submission(toy_released, "ada", sheet.filled({}))
    real = executor.Worker.grade

    def late(self, seen):
        submission(toy_released, "ada", sheet.filled(sheet.right))
        return real(self, seen)

    monkeypatch.setattr(executor.Worker, "grade", late)
    for points in (0, 9):
        (line,) = run.grade(toy_released).lines
        assert line.fresh and line.score == points
        assert sum(store.scores(toy_released, toy.NAME)["ada"].values()) == points


class TestResume:
    @pytest.fixture
    def class_of_three(self, toy_released, toy_notebook, submission):
        sheet = sample.Sheet(toy_notebook.read_bytes(), toy.NAME)
        for student in ("ada", "bob", "cleo"):
            submission(toy_released, student, sheet.filled(sheet.right))
        return toy_released

    def interrupt(self, folder, **how):
        def stop(assignment, done, of, line):
            if line is not None:
                raise Killed

        with pytest.raises(Killed):
            run.grade(folder, progress=stop, **how)

    def keys(self, folder):
        return [r.key for r in Ledger(folder.ledger).read(toy.NAME) if r.exercise == "scale"]

    def test_there_must_be_a_run_to_go_on_with(self, class_of_three):
        with pytest.raises(ValueError, match="nothing to resume"):
            run.grade(class_of_three, resume=True)

    def test_grading_everything_again_goes_on_with_the_rest(self, class_of_three):
        run.grade(class_of_three)
        self.interrupt(class_of_three, again=True)
        assert [line.fresh for line in run.grade(class_of_three).lines] == [False] * 3  # nothing new to grade
        lines = run.grade(class_of_three, resume=True).lines
        assert [line.fresh for line in lines] == [False, True, True]
        first, second = self.keys(class_of_three)[:3], self.keys(class_of_three)[3:]
        assert len(set(first)) == len(set(second)) == 1 and first != second
        assert plan.unfinished(class_of_three.ledger) is None

    def test_one_student_between_faces_the_runs_numbers(self, class_of_three):
        self.interrupt(class_of_three)
        run.grade(class_of_three, students=["cleo"])
        assert plan.unfinished(class_of_three.ledger) is not None
        run.grade(class_of_three)
        assert len(set(self.keys(class_of_three))) == 1 and len(self.keys(class_of_three)) == 3
        assert plan.unfinished(class_of_three.ledger) is None


def test_regrading_shows_what_would_change_and_writes_on_request(disturbed, monkeypatch):
    run.grade(disturbed, students=["right", "untouched", "wrong-divided"])
    with store.open_gradebook(disturbed) as opened:
        opened.find_grade("scale-check", toy.NAME, toy.NAME, "untouched").manual_score = 1.5
        opened.db.commit()
    before = Ledger(disturbed.ledger).path(toy.NAME).read_bytes()
    scores = store.scores(disturbed, toy.NAME)
    assert regrade(disturbed).changes == []
    strict = checks.find("scale", "toy")  # a grader that has become stricter
    real = strict.compare
    monkeypatch.setattr(strict, "compare", lambda *args: replace(real(*args), outcome=Outcome.FAIL, fraction=0.0))
    regraded = regrade(disturbed)
    assert regraded.submissions == 3 and regraded.students == {"right"}
    assert [(c.after.student, c.after.exercise, c.before.points, c.after.points) for c in regraded.changes] == [
        ("right", "scale", 2.0, 0.0)
    ]
    assert Ledger(disturbed.ledger).path(toy.NAME).read_bytes() == before and not list(disturbed.staged.glob("*/*"))
    assert store.scores(disturbed, toy.NAME) == scores
    regrade(disturbed, write=True)
    scores["right"]["scale"] = 0.0
    assert store.scores(disturbed, toy.NAME) == scores and scores["untouched"]["scale"] == 1.5
