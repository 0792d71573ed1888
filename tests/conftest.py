"""For every test: one thread, which test shares a worker with which and in what order, what is slow, and the browser.

At the end of the report: the notebooks' seconds and memory.

    make check                           # the test files that are not slow (`--fast`), with style and types
    make test                            # everything
    make test ARGS=--store-durations     # everything, and writes tests/durations.json, which says what is slow
    pytest -m slow --durations=20        # the slow files alone, and what takes longest in them
"""

import functools
import gc
import json
import os
import re
import shutil
from collections import defaultdict
from pathlib import Path

import pytest

import tools  # noqa: F401  first of all: what it leaves out takes a worker seconds
from tools.setup import CHROMIUM

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

TESTS = Path(__file__).parent
collect_ignore = ["autograde/toy/answers"]  # of the toy's answer bank: one of them answers with a test
# Tests that share what costs seconds to make share a worker: the built book, the tests' own graded class.
SHARED = {
    "site": ("theme/",),
    "grader": (
        "autograde/test_access.py", "autograde/cli/", "autograde/reports/", "autograde/gradebook/test_enter.py",
        "autograde/gradebook/test_release.py", "autograde/test_keys.py", "autograde/grading/test_run.py",
        "autograde/grading/test_judge_of_tests.py", "benchmarks/test_trust.py",
    ),
}  # fmt: skip
# What looks at one chapter's exercises or one notebook is that chapter's group: it observes the same answers.
BY_CHAPTER = (
    "autograde/bank/test_bank.py", "autograde/bank/test_bank_in_sandbox.py", "autograde/bank/test_sample.py",
    "autograde/grading/test_judge_blanks.py", "notebooks/test_one_source.py",
)  # fmt: skip
# Seconds of each test the last time that somebody stored them (`make test ARGS=--store-durations`): by them the groups
# that take longest go first, so that no worker waits at the end, and `make check` leaves out what is slow.
DURATIONS = TESTS / "durations.json"
LEAST = 0.05  # what takes less is not stored
# A test file is slow when its tests took more than this together. A new file is fast until it is measured.
SLOW_FILE = 2.0
# Never fast, by a marker or a fixture, whatever they took: what these share, a sandbox, a graded class, the built book,
# was counted where it was made.
NEVER_FAST = {"slow", "sandbox", "browser"}
TAKES_LONG = {"built", "browser", "toy_class", "toy_released", "chapter_worker", "warm_sandbox", "server"}
STEMS = {path.stem for path in (TESTS.parent / "notebooks").glob("*.ipynb")}
# No sandbox, because containers often run as root; the rest keeps the browser from calling home.
BROWSER_FLAGS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
    "--disable-gpu",
]


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="also the long forms of tests, as the weekly run takes them")
    parser.addoption("--fast", action="store_true", help="leave out the slow files, without importing them")
    parser.addoption("--store-durations", action="store_true", help=f"write {DURATIONS.name}, for the files that ran")
    parser.addoption("--draw", type=int, help="the one draw of answers that a whole way through the notebooks takes")


@pytest.fixture(scope="session")
def full(request) -> bool:
    """Whether the long forms are asked for: `make test ARGS=--full`."""
    return request.config.getoption("--full")


@functools.cache
def durations() -> dict[str, float]:
    """Seconds by test (`tests/<file>::<test>`), as they were stored; none where nobody stored any."""
    return json.loads(DURATIONS.read_text(encoding="utf-8")) if DURATIONS.exists() else {}


@functools.cache
def slow_files() -> set[str]:
    """Paths from the root of the test files that are slow, by SLOW_FILE."""
    seconds: dict[str, float] = defaultdict(float)
    for test, took in durations().items():
        seconds[test.partition("::")[0]] += took
    return {file for file, took in seconds.items() if took > SLOW_FILE}


def from_root(path: Path) -> str:
    """A path as it stands in a test's id."""
    return path.relative_to(TESTS.parent).as_posix() if path.is_relative_to(TESTS.parent) else path.as_posix()


def pytest_ignore_collect(collection_path, config):
    """With `--fast`, slow files are not even imported: that alone takes a worker twenty seconds."""
    return True if config.getoption("--fast") and from_root(collection_path) in slow_files() else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Marks what is slow, gives each test the group that shares its worker (`--dist loadgroup`), and each worker the
    long groups first.
    """
    groups, seconds = {}, defaultdict(float)
    for item in items:
        if from_root(item.path) in slow_files():
            item.add_marker(pytest.mark.slow)
        marker = item.get_closest_marker("xdist_group")
        groups[item] = marker.args[0] if marker is not None else group_of(item)
        if marker is None:
            item.add_marker(pytest.mark.xdist_group(groups[item]))
        seconds[groups[item]] += durations().get(item.nodeid, LEAST)
    if config.getoption("--fast"):
        config.hook.pytest_deselected(items=[item for item in items if never_fast(item)])
        items[:] = [item for item in items if not never_fast(item)]
    if hasattr(config, "workerinput"):  # xdist hands groups out in the order of their first tests
        first = {group: place for place, group in reversed(list(enumerate(groups.values())))}
        items.sort(key=lambda item: (-seconds[groups[item]], first[groups[item]]))


def pytest_collection_finish():
    """What is in memory before the first test, libraries nearly all of it, stays to the end: the collector, which
    would look through it again and again, passes it over."""
    gc.collect()
    gc.freeze()


def never_fast(item):
    """Whether `make check` leaves a test out."""
    return any(map(item.get_closest_marker, NEVER_FAST)) or not TAKES_LONG.isdisjoint(item.fixturenames)


def group_of(item):
    """A file's tests stay together, and further: see SHARED and BY_CHAPTER. A solved notebook runs wherever it may."""
    place = item.path.relative_to(TESTS).as_posix() if item.path.is_relative_to(TESTS) else item.path.as_posix()
    for group, beginnings in SHARED.items():
        if place.startswith(beginnings):
            return group
    values = item.callspec.params.values() if hasattr(item, "callspec") else ()
    named = (getattr(v, "notebook", None) or getattr(v, "stem", None) or str(v) for v in values)
    notebook = next((name for name in named if name in STEMS), None)  # of an exercise, a path, or by its name
    if notebook and place in BY_CHAPTER:
        return f"chapter {notebook}"
    return f"solved {notebook}" if notebook and place == "notebooks/test_solved.py" else place


@functools.cache
def observe_once():
    """`bank.observe`, with what it gave for the same answer and seed."""
    from autograde import bank

    observe = functools.cache(bank.observe)

    def once(exercise, source, key, against=None):  # however it is called: by default an answer is tried on the bank
        return observe(exercise, source, key, against or bank.implementations(exercise))

    return once


@pytest.fixture
def observed_once(monkeypatch):
    """Within a worker each answer of an answer bank is observed once for a seed, however many tests compare it.

    That an answer looks the same twice is seen where the sandbox is compared with this process.
    """
    from autograde import bank

    monkeypatch.setattr(bank, "observe", observe_once())


def store_durations(reports) -> None:
    """Writes what each test took, with its fixtures; what stands there of files that did not run now stays."""
    took: dict[str, float] = defaultdict(float)
    for report in reports:
        took[re.sub(r"@[^@\]]*$", "", report.nodeid)] += report.duration  # xdist puts a test's group behind its id
    ran = {test.partition("::")[0] for test in took}
    kept = {
        test: seconds
        for test, seconds in durations().items()
        if (file := test.partition("::")[0]) not in ran and (TESTS.parent / file).exists()
    }
    stored = kept | {test: round(seconds, 2) for test, seconds in took.items() if seconds >= LEAST}
    DURATIONS.write_text(json.dumps(stored, indent=0, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")


def pytest_terminal_summary(terminalreporter, config) -> None:
    """Stores the durations where asked; shows seconds and peak memory of each solved notebook, as nbval's own run
    measured them.
    """
    if config.getoption("--store-durations"):
        every = [report for reports in terminalreporter.stats.values() for report in reports]
        store_durations(report for report in every if isinstance(report, pytest.TestReport))
    records = [json.loads(file.read_text()) for file in sorted((TESTS.parent / "_build" / "notebooks").glob("*.json"))]
    if records:
        terminalreporter.section("solved notebooks, as nbval ran them last")
    for record in records:
        terminalreporter.line(
            f"{record['notebook']:15} {record['seconds']:6.1f} s  {record['peak_bytes'] / 2**20:6.0f} MiB"
        )


@pytest.fixture(scope="session")
def chromium_path():
    """The system's Chromium, which `make test` installs where it may."""
    path = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if path is None:
        pytest.fail(f"no browser found (looked for {', '.join(CHROMIUM)}): run `make test`, or install Chromium")
    return path


@pytest.fixture(scope="module")
def browser(chromium_path):
    """The system's Chromium, as Playwright's `Browser`.

    For one module at a time: while Playwright runs, its event loop counts as running, and code of other tests that
    starts one of its own (a notebook's executor, a second Playwright) would fail.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium_path, args=BROWSER_FLAGS)
        yield started
        started.close()
