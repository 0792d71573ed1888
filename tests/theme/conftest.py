"""The built book and its address, made once for all tests of the site (the browser is in tests/conftest.py).

The build is the tests' own, in a folder of its own; whatever stands in `_build/` is neither used nor touched.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parents[2]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests of the site run in one worker, so that the book is built once."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("site"))


@pytest.fixture(scope="session")
def build_book() -> Callable[..., Path]:
    """A function that builds the book as `make book` does, in a folder and with an environment: the site's folder."""

    def build(output: Path, **environment: str) -> Path:
        clean = {key: value for key, value in os.environ.items() if not key.startswith(("COURSE_", "GITHUB_"))}
        program = Path(sys.executable).parent / "jupyter-book"
        command = [program, "build", ".", "--path-output", output, "-W", "-n", "--keep-going"]
        done = subprocess.run(command, cwd=ROOT, env={**clean, **environment}, capture_output=True, text=True)
        assert done.returncode == 0, f"the book does not build cleanly:\n{done.stdout[-3000:]}\n{done.stderr[-5000:]}"
        return output / "_build" / "html"

    return build


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, build_book: Callable[..., Path]) -> Path:
    """The folder of the built site. A warning fails the build, and so every test here."""
    return build_book(tmp_path_factory.mktemp("book"))


@pytest.fixture(scope="session")
def pages(built: Path) -> list[str]:
    """Every page of the site, as its path. A deck of slides is none: it has no menus and no dark scheme."""
    apart = {"_static", "slides"}
    names = sorted(path.relative_to(built).as_posix() for path in built.rglob("*.html") if not apart & set(path.parts))
    assert names
    return names


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="session")
def address(built: Path) -> Iterator[str]:
    """The site on this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(built)))
    server.handle_error = lambda request, client: None  # a page that is closed early drops its connections
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    """An empty page 320 pixels wide that is touched, where nothing moves by itself."""
    size = {"width": 320, "height": 640}
    with browser.new_context(has_touch=True, viewport=size, reduced_motion="reduce") as context:
        yield context.new_page()


@pytest.fixture
def static(browser: Browser) -> Iterator[Page]:
    """An empty page that runs no script."""
    with browser.new_context(java_script_enabled=False) as context:
        yield context.new_page()
