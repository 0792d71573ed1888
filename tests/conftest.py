"""For every test: one thread, which test shares a worker with which and in what order, and the system's browser.

At the end of the report: the notebooks' seconds and memory.
"""

import functools
import json
import os
import shutil
from pathlib import Path

import pytest

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

TESTS = Path(__file__).parent
# Tests that share what costs seconds to make share a worker: the built book, the tests' own graded class.
ROOMS = {
    "site": ("site/",),
    "grader": tuple(
        f"autograde/test_{name}.py"
        for name in ("cli", "export", "feedback", "grade", "of_tests", "pages", "release", "summary", "trace", "trust")
    ),
}
# What looks at one chapter's exercises or one notebook is that chapter's group: it observes the same answers.
BY_CHAPTER = ("autograde/test_bank.py", "autograde/test_bank_in_sandbox.py", "autograde/test_sample.py",
              "notebooks/test_one_source.py")  # fmt: skip
# Seconds of CPU by the beginning of a group's name, roughly: the longest go first, so that no worker waits at the end.
SECONDS = {
    "site": 120,
    "chapter": 65,
    "stock nbgrader": 60,
    "grader": 110,
    "workers": 45,
    "sandbox": 50,
    "solved": 50,
    "project/test_lab": 30,
    "course/test_learner": 30,
    "solutions/test_train": 60,
}
STEMS = {path.stem for path in (TESTS.parent / "notebooks").glob("*.ipynb")}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
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


@pytest.fixture(scope="session")
def full(request) -> bool:
    """Whether the long forms are asked for: `make test ARGS=--full`."""
    return request.config.getoption("--full")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Gives each test the group that shares its worker (`--dist loadgroup`), and each worker the long groups first."""
    groups = {}
    for item in items:
        marker = item.get_closest_marker("xdist_group")
        groups[item] = marker.args[0] if marker is not None else group_of(item)
        if marker is None:
            item.add_marker(pytest.mark.xdist_group(groups[item]))
    if hasattr(config, "workerinput"):  # xdist hands groups out in the order of their first tests
        first = {group: place for place, group in reversed(list(enumerate(groups.values())))}
        items.sort(key=lambda item: (-seconds_of(groups[item]), first[groups[item]]))


def group_of(item):
    """A file's tests stay together, and further: see ROOMS and BY_CHAPTER. A solved notebook runs wherever it may."""
    place = item.path.relative_to(TESTS).as_posix() if item.path.is_relative_to(TESTS) else item.path.as_posix()
    for room, beginnings in ROOMS.items():
        if place.startswith(beginnings):
            return room
    values = item.callspec.params.values() if hasattr(item, "callspec") else ()
    named = (getattr(v, "notebook", None) or getattr(v, "stem", None) or str(v) for v in values)
    notebook = next((name for name in named if name in STEMS), None)  # of an exercise, a path, or by its name
    if notebook and place in BY_CHAPTER:
        return f"chapter {notebook}"
    return f"solved {notebook}" if notebook and place == "notebooks/test_solved.py" else place


def seconds_of(group):
    """Roughly what a group takes; a few seconds where nobody measured."""
    return next((seconds for name, seconds in SECONDS.items() if group.startswith(name)), 5)


@functools.cache
def observe_once():
    """`bank.observe`, with what it gave for the same answer and seed."""
    from autograde import bank

    return functools.cache(bank.observe)


@pytest.fixture
def observed_once(monkeypatch):
    """Within a worker each answer of a bank is observed once for a seed, however many tests compare it.

    That an answer looks the same twice is seen where the sandbox is compared with this process.
    """
    from autograde import bank

    monkeypatch.setattr(bank, "observe", observe_once())


def pytest_terminal_summary(terminalreporter) -> None:
    """Seconds and peak memory of each solved notebook, as nbval's own run measured them."""
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
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.fail(f"no browser found (looked for {', '.join(BROWSERS)}): run `make test`, or install Chromium")
    return found


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
