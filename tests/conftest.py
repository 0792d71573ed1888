"""For every test: one thread, which test shares a worker with which, and the system's browser.

At the end of the report: the notebooks' seconds and memory.
"""

import json
import os
import shutil
from pathlib import Path

import pytest

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

TESTS = Path(__file__).parent
ONE_WORKER = ("site",)  # rooms whose session fixtures cost seconds: the book is built once
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


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Keeps each file's tests on one worker (`--dist loadgroup`), and each room's in ONE_WORKER."""
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            relative = item.path.relative_to(TESTS) if item.path.is_relative_to(TESTS) else item.path
            group = relative.parts[0] if relative.parts[0] in ONE_WORKER else relative.as_posix()
            item.add_marker(pytest.mark.xdist_group(group))


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
