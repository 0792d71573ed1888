"""Workers: processes of this machine, and a cluster started by others; what happens when they are lost."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from autograde.bank import sample
from autograde.gradebook import store
from autograde.grading import executor, isolation, run, worker
from autograde.ledger import Ledger, LedgerBusy
from course.key import Key
from tests.autograde import toy

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.xdist_group("workers"),
    pytest.mark.skipif(sys.platform != "linux" or shutil.which("bwrap") is None, reason="needs Linux and bubblewrap"),
]
ROOT = Path(__file__).resolve().parents[3]
PRELOAD = "tests.autograde.toy.preload"


@pytest.fixture
def filled(toy_released, toy_notebook, submission):
    """A class of five; (folder, expected sums of points, the sheet to fill)."""
    sheet = sample.Sheet(toy_notebook.read_bytes(), toy.NAME)
    wrong = sheet.right | {"scale": "def scale(x, factor):\n    return x"}
    for student, answers in {"ada": sheet.right, "bob": wrong, "cleo": {}, "dan": sheet.right, "eve": wrong}.items():
        submission(toy_released, student, sheet.filled(answers))
    return toy_released, {"ada": 9, "bob": 7, "cleo": 0, "dan": 9, "eve": 7}, sheet


def sums(folder):
    return {student: sum(points.values()) for student, points in store.scores(folder, toy.NAME).items()}


def once_each(folder):
    """Whether each submission has one record of each exercise in the ledger."""
    keys = [(r.student, r.submission, r.exercise) for r in Ledger(folder.ledger).read(toy.NAME)]
    return len(keys) == len(set(keys))


def test_two_workers_grade_a_class_and_one_who_ends_them_waits_for_a_person(filled, submission):
    """Meanwhile somebody hands in again, which is the next run's, and somebody starts a run, which is refused."""
    import distributed  # noqa: F401  (brings its own settings, which ours are then laid over)
    from dask import config

    folder, expected, sheet = filled
    submission(folder, "mallory", sheet.filled(sheet.right | {"scale": "# ends its worker"}))

    refused = []

    def meanwhile(assignment, done, of, line):
        if line is not None and done == 1:  # the first few were read before it
            submission(folder, "bob", b"a later submission")
            with pytest.raises(LedgerBusy, match=f"process {os.getpid()}"):
                run.grade(folder, jobs=2)
            refused.append(line.student)

    with config.set({"distributed.worker.preload": [PRELOAD]}):
        summary = run.grade(folder, jobs=2, progress=meanwhile)
    assert len(refused) == 1
    assert {line.student for line in summary.lines if line.needs_person} == {"mallory"}
    assert [line.student for line in summary.lines] == sorted(expected | {"mallory": 0})
    assert {s: p for s, p in sums(folder).items() if s != "mallory"} == expected
    assert once_each(folder)
    (record,) = (r for r in Ledger(folder.ledger).read(toy.NAME) if (r.student, r.exercise) == ("mallory", "scale"))
    assert record.details == ["It ended the worker, twice."]
    (line,) = run.grade(folder, students=["bob"]).lines
    assert line.fresh and sums(folder)["bob"] == 0 and once_each(folder)


@pytest.fixture
def cluster(tmp_path, request):
    """A scheduler and two workers, processes of their own on loopback, which know the toy assignment unless the test
    says that they load nothing: (address, the workers' processes, the scheduler's)."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    started = []

    def start(*words):
        command = [sys.executable, "-m", "distributed.cli." + words[0], *words[1:]]
        started.append(subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL))
        return started[-1]

    contact = tmp_path / "scheduler.json"
    scheduler = start(
        "dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(contact)
    )
    deadline = time.monotonic() + 120
    while not contact.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    words = ("--scheduler-file", str(contact), "--nthreads", "1", "--no-nanny", "--no-dashboard")
    preload = getattr(request, "param", ("--preload", PRELOAD))
    workers = [start("dask_worker", *words, *preload) for _ in range(2)]
    yield "tcp" + contact.read_text().split('"tcp')[1].split('"')[0], workers, scheduler
    for process in started:
        process.kill()
        process.wait()


def test_a_cluster_grades_a_class_though_a_worker_is_killed(filled, cluster):
    folder, expected, _ = filled
    address, workers, _ = cluster

    def killing(assignment, done, of, line):
        if line is not None and done == 1:
            workers[0].send_signal(signal.SIGKILL)

    summary = run.grade(folder, scheduler=address, progress=killing)
    assert not any(line.needs_person for line in summary.lines)
    assert sums(folder) == expected and once_each(folder)


@pytest.fixture
def breaking(filled, submission):
    """The class with somebody whose machine breaks, among more whose does not: (folder, expected sums of points)."""
    folder, expected, sheet = filled
    submission(folder, "bea", sheet.filled(sheet.right | {"scale": sheet.right["scale"] + "\n# breaks its machine"}))
    more = [f"zoe {number}" for number in range(6)]
    for student in more:
        submission(folder, student, sheet.filled(sheet.right))
    return folder, expected | {"bea": 9} | dict.fromkeys(more, 9)


def stopped(folder, expected, **where):
    """A run that stops: all that it wrote is right, and it says what is missing."""
    with pytest.raises(
        isolation.Stopped, match=r"bubblewrap.*: not installed.* To do: sudo apt-get install"
    ) as refused:
        run.grade(folder, **where)
    records = list(Ledger(folder.ledger).read(toy.NAME))
    assert not any(r.grader_failed or r.needs_person for r in records) and "bea" not in {r.student for r in records}
    entered = sums(folder) if records else {}
    assert entered == {student: expected[student] for student in {r.student for r in records}}
    return str(refused.value)


@pytest.fixture
def mended_and_graded(monkeypatch, breakable, well_by_another_name, one_sandbox):
    """A function: the next run, on a machine that is well, grades the rest by itself."""

    def graded(folder, expected):
        monkeypatch.setenv("PATH", str(breakable.parent / "real"))
        (breakable.parent / "real").mkdir()
        (breakable.parent / "real" / "bwrap").symlink_to(breakable.parent / "real-bwrap")
        well_by_another_name()
        run.grade(folder)
        assert sums(folder) == expected and once_each(folder)

    return graded


def test_two_workers_stop_where_their_machine_breaks(breaking, breakable, mended_and_graded):
    import distributed  # noqa: F401  (brings its own settings, which ours are then laid over)
    from dask import config

    folder, expected = breaking
    with config.set({"distributed.worker.preload": [PRELOAD]}):
        message = stopped(folder, expected, jobs=2)
    assert "tcp://" not in message
    mended_and_graded(folder, expected)


def test_a_cluster_stops_where_a_machine_of_it_breaks(breaking, breakable, cluster, mended_and_graded):
    folder, expected = breaking
    assert "bubblewrap at tcp://127.0.0.1" in stopped(folder, expected, scheduler=cluster[0])
    mended_and_graded(folder, expected)


def test_workers_with_another_grader_are_refused(filled, monkeypatch):
    folder = filled[0]
    notebook = folder.released(toy.NAME).read_text()
    now = executor.versions(toy.NAME, notebook)
    of = executor.Task(toy.NAME, notebook, Key.public(1), now | {"grader": "another"})
    with pytest.raises(executor.EngineError, match=r"another grader .*bring it up to date"):
        executor._fit(of)


def test_a_scheduler_that_is_not_there_is_said_in_five_seconds(filled):
    began = time.monotonic()
    with pytest.raises(executor.EngineError, match="no scheduler answers at tcp"):
        with executor.engine(scheduler="tcp://127.0.0.1:9"):
            pass
    assert time.monotonic() - began < 8  # five, and the import of Dask


@pytest.mark.parametrize("cluster", [()], indirect=True)
@pytest.mark.parametrize(("how", "within"), [(signal.SIGKILL, 5), (signal.SIGSTOP, 10)])
def test_a_scheduler_that_dies_or_hangs_in_mid_run_is_noticed(cluster, monkeypatch, how, within):
    from distributed import Client

    def grade(task, seen):
        time.sleep(0 if seen == "quick" else 600)
        return "", seen

    monkeypatch.setattr(executor, "_grade", grade)
    monkeypatch.setattr(executor, "HANGING_SECONDS", 3)
    address, _, scheduler = cluster
    client = Client(address, timeout=60)
    try:
        client.wait_for_workers(1, timeout=60)
        workers = executor.Workers(client)
        each = workers._each(None, iter([executor.Job("ada", "quick"), executor.Job("bob", "slow")]))
        assert next(each)[2] == "quick"
        scheduler.send_signal(how)
        began = time.monotonic()
        with pytest.raises(executor.EngineError, match="the scheduler was lost"):
            next(each)
        workers.close()
    finally:
        executor._disconnect(client)
    assert time.monotonic() - began < within


def test_the_next_assignments_share_a_warm_process_which_is_ended_with_the_last(
    toy_released, toy_notebook, submission, monkeypatch
):
    """Only once a submission is graded: a run in which all is current starts none."""
    sheet = sample.Sheet(toy_notebook.read_bytes(), toy.NAME)
    for student in ("ada", "bob"):
        submission(toy_released, student, sheet.filled(sheet.right))
    launched, given = [], []

    class Noted(executor.Launched):
        def __init__(self):
            super().__init__()
            launched.append(self)

    class NotedWorker(executor.Worker):
        def __init__(self, name, notebook, key, ahead=None):
            given.append(ahead)
            super().__init__(name, notebook, key, ahead)

    monkeypatch.setattr(executor, "Launched", Noted)
    monkeypatch.setattr(executor, "Worker", NotedWorker)
    task = worker.task(toy.NAME, toy_released.released(toy.NAME).read_bytes(), Key.fresh())
    with run.Intake(executor._notebook(task)) as intake, executor.engine() as here:
        jobs = [run.read(student, path, toy.NAME, intake) for student, path in toy_released.submissions(toy.NAME)]
        for more in (True, True, False):
            assert all(sum(graded.points.values()) == 9 for _, graded in here.grade(task, iter(jobs), more))
        assert [*here.grade(task, iter(()), True)] == []
        assert given == [None, *3 * launched] and len(launched) == 1
        launched[0]._process.kill()  # a new one takes the place of one that was lost
        assert [sum(graded.points.values()) for _, graded in here.grade(task, iter(jobs), True)] == [9, 9]
        assert len(launched) == 2 and launched[1]._process.poll() is None
    assert all(each._process.poll() is not None for each in launched)


def test_what_dask_draws_beside_a_worker_is_not_taken_for_an_answers_doing():
    """Its heartbeat weighs what it sends by a sample; the tables of a chapter are observed meanwhile."""
    from dask.sizeof import sizeof

    executor._draw_apart()
    before = random.getstate()
    sizeof(dict.fromkeys(range(100), "x"))
    assert random.getstate() == before
