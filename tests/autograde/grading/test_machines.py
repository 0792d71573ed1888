"""A class graded by workers on machines of their own: hosts in network namespaces, joined by a bridge.

Each host has an address, an interface and a loopback of its own; the scheduler and the grader are on the first one. So
whatever passes between them crosses a network, and a link can be cut as on real machines: nothing answers any more, and
nothing says so.
"""

import itertools
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from autograde.bank import sample
from autograde.gradebook import store
from autograde.grading import run
from autograde.ledger import Ledger
from tests.autograde import toy
from tests.autograde.conftest import copied


def _no_hosts() -> str:
    """Why there can be no hosts here; "" where there can."""
    if sys.platform != "linux" or not all(map(shutil.which, ("bwrap", "ip"))):
        return "needs Linux, bubblewrap and iproute2"
    if os.geteuid():
        return "needs root, to make network namespaces"
    tried = f"try-{os.getpid()}"
    try:
        done = subprocess.run(["ip", "netns", "add", tried], capture_output=True, text=True)
        return "" if done.returncode == 0 else f"no network namespaces here: {done.stderr.strip()}"
    finally:
        subprocess.run(["ip", "netns", "del", tried], capture_output=True)


pytestmark = [pytest.mark.sandbox, pytest.mark.xdist_group("workers")]
ROOT = Path(__file__).resolve().parents[3]
NETWORK = "10.77.0."
SILENCE = "11s"  # for which a host may be silent: the least that Dask takes; 30 s unless said

# On the first host: grades a class by a scheduler once it has two workers, and prints who had which submission, who
# waits for a person, and what lay with the worker behind a link when that was cut: once both have given verdicts.
GRADE = """
import json, subprocess, sys, tempfile
from pathlib import Path
from autograde.folders import ClassFolder
from autograde.grading import executor, run
from tests.autograde import toy

scheduler, root, link, behind = sys.argv[1:]
each, had, lay = executor.Workers._each, [], []

def noted(self, task, jobs):
    if not had:
        self._client.wait_for_workers(2, timeout=120)
    for job, worker, outcome in each(self, task, jobs):
        had.append([worker.rpartition(":")[0], isinstance(outcome, executor.Graded)])
        if not lay and len({worker for worker, _ in had}) == 2:
            lay.extend(key for at, keys in self._client.processing().items() if at.startswith(behind) for key in keys)
            if lay:
                subprocess.run(["ip", "link", "set", link, "down"], check=True)
        yield job, worker, outcome

executor.Workers._each = noted
with tempfile.TemporaryDirectory() as folder, toy.installed(Path(folder)):
    summary = run.grade(ClassFolder.at(Path(root)), scheduler=scheduler)
print(json.dumps([had, [line.student for line in summary.lines if line.needs_person], lay]))
"""


class Hosts:
    """Network namespaces `name-1`, `name-2`, ..., of which the first has the bridge that joins them."""

    def __init__(self, tmp_path: Path):
        self.name, self.count, self.tmp_path = f"host{os.getpid()}", 1, tmp_path
        self.started: list[subprocess.Popen] = []
        self.ip("netns", "add", self.of(1))
        self.ip("-n", self.of(1), "link", "add", "bridge", "type", "bridge")
        self.ip("-n", self.of(1), "addr", "add", f"{NETWORK}1/24", "dev", "bridge")
        for device in ("lo", "bridge"):
            self.ip("-n", self.of(1), "link", "set", device, "up")

    def of(self, number: int) -> str:
        return f"{self.name}-{number}"

    def ip(self, *words: str) -> None:
        subprocess.run(["ip", *words], check=True)

    def one_more(self) -> int:
        """Adds a host; its link is `link-N` at the bridge."""
        self.count += 1
        first, new, link = self.of(1), self.of(self.count), f"link-{self.count}"
        self.ip("netns", "add", new)
        self.ip("-n", first, "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", new)
        self.ip("-n", first, "link", "set", link, "master", "bridge", "up")
        self.ip("-n", new, "addr", "add", f"{NETWORK}{self.count}/24", "dev", "eth0")
        for device in ("lo", "eth0"):
            self.ip("-n", new, "link", "set", device, "up")
        return self.count

    def words(self, number: int, *command: str) -> list[str]:
        """A command of Python's on a host."""
        return ["ip", "netns", "exec", self.of(number), sys.executable, *command]

    def environment(self) -> dict[str, str]:
        settings = {"SCHEDULER__ALLOWED_FAILURES": "0", "COMM__TIMEOUTS__TCP": SILENCE}
        more = {f"DASK_DISTRIBUTED__{name}": value for name, value in settings.items()}
        return {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", **more}

    def start(self, number: int, *command: str) -> None:
        """A program that runs on until the end."""
        words = self.words(number, "-m", *command)
        self.started.append(
            subprocess.Popen(words, cwd=self.tmp_path, env=self.environment(), stderr=subprocess.DEVNULL)
        )

    def start_worker(self) -> None:
        number = self.one_more()
        words = ("--host", f"{NETWORK}{number}", "--nthreads", "1", "--no-nanny", "--no-dashboard")
        words = (*words, "--preload", "tests.autograde.toy.preload", "--death-timeout", "60")
        self.start(number, "distributed.cli.dask_worker", self.scheduler, *words)

    @property
    def scheduler(self) -> str:
        return f"tcp://{NETWORK}1:8786"

    def grade(self, folder, link: str, behind: str) -> tuple[list, list, list]:
        """What GRADE prints."""
        words = self.words(1, "-c", GRADE, self.scheduler, str(folder.root), link, behind)
        done = subprocess.run(words, cwd=ROOT, env=self.environment(), capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr[-3000:]
        had, waiting, lay = json.loads(done.stdout.splitlines()[-1])
        return had, waiting, lay

    def close(self) -> None:
        for process in self.started:
            process.kill()
            process.wait()
        for number in range(1, self.count + 1):
            subprocess.run(["ip", "netns", "del", self.of(number)], check=True)


@pytest.fixture
def hosts(tmp_path):
    """The first of them, with a scheduler."""
    if why := _no_hosts():
        pytest.skip(why)
    made = Hosts(tmp_path)
    try:
        contact = tmp_path / "scheduler.json"
        where = ("--host", f"{NETWORK}1", "--port", "8786", "--no-dashboard", "--scheduler-file", str(contact))
        made.start(1, "distributed.cli.dask_scheduler", *where)
        deadline = time.monotonic() + 120
        while not contact.exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        yield made
    finally:
        made.close()


def entered(folder) -> dict[str, dict[str, float]]:
    """Student -> the points of each exercise, as they stand in the gradebook."""
    return {student: dict(points) for student, points in store.scores(folder, toy.NAME).items()}


def once_each(folder) -> bool:
    keys = [(r.student, r.submission, r.exercise) for r in Ledger(folder.ledger).read(toy.NAME)]
    return len(keys) == len(set(keys))


def test_two_machines_give_the_grades_of_one_and_a_cut_link_loses_nothing(
    hosts, toy_released, toy_notebook, submission, tmp_path, one_sandbox
):
    hosts.start_worker()
    hosts.start_worker()
    sheet = sample.Sheet(toy_notebook.read_bytes(), toy.NAME)
    wrong = sheet.right | {"scale": "def scale(x, factor):\n    return x"}
    answers = [sheet.right, wrong, {}, sheet.right | {"centre": "def centre(x:"}]
    for number, given in zip(range(12), itertools.cycle(answers), strict=False):
        submission(toy_released, f"student {number}", sheet.filled(given))
    by_two = copied(toy_released, tmp_path / "by two")
    run.grade(toy_released)
    grades = entered(toy_released)
    assert len(grades) == 12 and {sum(points.values()) for points in grades.values()} == {9, 7, 0}

    near, far = (f"tcp://{NETWORK}{number}" for number in (2, 3))
    had, waiting, lay = hosts.grade(by_two, "link-3", far)
    assert {worker for worker, came_back in had if came_back} == {near, far}
    assert lay and sum(not came_back for _, came_back in had) >= 1, "submissions lay there, and one was being graded"
    assert entered(by_two) == grades and once_each(by_two) and not waiting
