"""Fixtures for the grader's tests: the toy assignment, and a class that was released, sampled and graded once.

A test that takes a class has its gradebook in SQLite; in the long form it runs on PostgreSQL too. One that must do so
in every run says `@pytest.mark.parametrize("database", ["sqlite", "postgresql"])`.
"""

import functools
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

from autograde.folders import ClassFolder
from course.exercises import exercises
from course.key import Key
from tests.autograde import toy
from tools.notebooks import files

CHAPTER_KEY = Key.public(20261120)  # one of those of test_bank.py, which has observed its answers


def pytest_generate_tests(metafunc):
    """The long form: every test with a gradebook on both databases, except one that names its own."""
    named = any("database" in marker.args[0] for marker in metafunc.definition.iter_markers("parametrize"))
    if "database" in metafunc.fixturenames and metafunc.config.getoption("--full") and not named:
        metafunc.parametrize("database", ["sqlite", "postgresql"])


@pytest.fixture
def database():
    """Which database holds the gradebook."""
    return "sqlite"


def copied(of: ClassFolder, root: Path) -> ClassFolder:
    """The class elsewhere, with a gradebook of its own."""
    from autograde.gradebook import configuration
    from benchmarks.postgresql import copy

    shutil.copytree(of.root, root)
    folder = ClassFolder.at(root)
    url = configuration.read(of).CourseDirectory.db_url
    if url.startswith("postgresql"):
        folder.config.write_text(folder.config.read_text().replace(url, copy(url)))
    return folder


@dataclass(frozen=True)
class GradedClass:
    """A toy class after one run of the grader: its folder, what was handed in, what the run said."""

    folder: ClassFolder
    made: list
    summary: object

    def copy(self, root: Path) -> ClassFolder:
        """The class elsewhere, for a test that changes it."""
        return copied(self.folder, root)


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


@pytest.fixture(autouse=True, scope="session")
def gradebooks_version():
    """nbgrader starts a program for each new gradebook, to ask which version its tables have: here it is asked once."""
    from nbgrader import api

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(api, "get_alembic_version", functools.cache(api.get_alembic_version))
        yield


@pytest.fixture
def toy_notebook(tmp_path):
    """The toy assignment stands in the course while a test runs; the path of its notebook."""
    with toy.installed(tmp_path) as notebook:
        yield notebook


@pytest.fixture(scope="session")
def released_once(tmp_path_factory) -> Path:
    """A class in which the toy assignment is released, made once: a new gradebook takes nbgrader seconds."""
    from autograde.gradebook.release import release

    root = tmp_path_factory.mktemp("released")
    with toy.installed(root) as notebook:
        release(ClassFolder.at(root / "class"), [notebook])
    return root / "class"


@pytest.fixture(scope="session")
def server():
    """A PostgreSQL for the whole session, where Debian's package or another has put one."""
    from benchmarks import postgresql

    if postgresql.programs() is None:
        pytest.skip("needs PostgreSQL's initdb (Debian, Ubuntu: apt-get install postgresql)")
    with postgresql.server() as running:
        yield running


@pytest.fixture
def postgresql(server):
    """The server, for a test that kills it: the next one finds it running."""
    yield server
    if not server.running:
        server.start()


@pytest.fixture(scope="session")
def released_in_sqlite(released_once) -> ClassFolder:
    return ClassFolder.at(released_once)


@pytest.fixture(scope="session")
def released_in_postgresql(tmp_path_factory, server) -> ClassFolder:
    """The same with its gradebook in PostgreSQL, of which tests get copies."""
    from autograde.gradebook import configuration
    from autograde.gradebook.release import release

    root = tmp_path_factory.mktemp("released")
    folder = ClassFolder.at(root / "class")
    configuration.write(folder)
    with folder.config.open("a") as file:
        file.write(f"\nc.CourseDirectory.db_url = {server.url('released')!r}\n")
    with toy.installed(root) as notebook:
        release(folder, [notebook])
    return folder


@pytest.fixture
def toy_released(tmp_path, toy_notebook, database, request) -> ClassFolder:
    """A class of the test's own in which the toy assignment is released and nothing handed in."""
    return copied(request.getfixturevalue(f"released_in_{database}"), tmp_path / "class")


@pytest.fixture(scope="session", params=sorted({e.notebook for e in exercises() if not e.question}))
def chapter_worker(request):
    """The grader's worker for one of the course's own assignments, for all tests that take it one after the other."""
    from autograde.grading.worker import Worker

    (path,) = files.paths([request.param])
    with Worker(request.param, files.read(path), CHAPTER_KEY) as worker:
        yield worker


@pytest.fixture(scope="session")
def warm_sandbox():
    """One sandbox for many tests: each child in it is fresh, and starting one takes seconds."""
    from autograde.sandbox.pool import Sandbox

    with Sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def in_place(monkeypatch):
    """A function that lets the grader use a sandbox of the tests' instead of starting its own for each run."""
    from autograde.grading import worker

    def put(sandbox):
        class Given:
            def __init__(self, **settings):
                pass

            def launch(self):
                return self

            def ready(self):
                return self

            def close(self):
                pass

            def __getattr__(self, name):
                return getattr(sandbox, name)

        monkeypatch.setattr(worker, "Sandbox", Given)

    return put


@pytest.fixture
def one_sandbox(warm_sandbox, in_place):
    """Lets the grader use the tests' one sandbox."""
    in_place(warm_sandbox)


def graded(released: ClassFolder, root: Path) -> GradedClass:
    """The toy's sample class, graded, with feedback and grades. An answer that never ends is given up sooner than a
    student's."""
    from autograde.bank import sample
    from autograde.grading import run, worker
    from autograde.reports import export, feedback
    from autograde.sandbox.limits import Limits

    hasty = functools.partial(worker.Sandbox, limits=Limits(request_seconds=4, grace=1))
    with toy.installed(root), pytest.MonkeyPatch.context() as patch:
        folder = copied(released, root / "class")
        made = sample.sample(folder, toy.NAME)
        assert made, "whoever looks at each of them would look at nothing"
        patch.setattr(worker, "Sandbox", hasty)
        summary = run.grade(folder)
        feedback.feedback(folder, toy.NAME)
        export.export(folder)
    return GradedClass(folder, made, summary)


@pytest.fixture(scope="session")
def graded_in_sqlite(tmp_path_factory, released_in_sqlite) -> GradedClass:
    return graded(released_in_sqlite, tmp_path_factory.mktemp("toy"))


@pytest.fixture(scope="session")
def graded_in_postgresql(tmp_path_factory, released_in_postgresql) -> GradedClass:
    return graded(released_in_postgresql, tmp_path_factory.mktemp("toy"))


@pytest.fixture
def toy_class(database, request) -> GradedClass:
    """The toy's sample class, graded once a session. Tests that use it read it and change nothing."""
    return request.getfixturevalue(f"graded_in_{database}")


@pytest.fixture
def submission():
    """A function that puts a file where a student's submission lies."""

    def put(folder: ClassFolder, student: str, content: bytes, assignment: str = toy.NAME) -> Path:
        path = folder.submitted / student / assignment / f"{assignment}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    return put


@pytest.fixture(scope="session")
def examination() -> str:
    """What the doctor remembers of this machine, examined at most once a session."""
    from autograde.intake.probe import probe_jail
    from autograde.sandbox import doctor

    doctor.require(probe_jail)
    return doctor._stamp().read_text()


@pytest.fixture
def well_by_another_name(examination):
    """A function that has the doctor remember this machine's examination though bubblewrap, the same program, now has
    another path: an examination takes seconds, in each process that looks. What it finds anew is not touched."""
    from autograde.sandbox import doctor

    def remember():
        stamp = doctor._stamp()
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(examination)

    return remember


@pytest.fixture
def breakable(monkeypatch, tmp_path, well_by_another_name):
    """A folder that is all of the PATH, with bubblewrap in it; what the doctor remembers is the test's own."""
    from autograde.sandbox.fonts import font_cache

    folder = tmp_path / "breakable"
    folder.mkdir()
    os.symlink(shutil.which("bwrap"), tmp_path / "real-bwrap")
    os.symlink(tmp_path / "real-bwrap", folder / "bwrap")
    fonts = font_cache()
    kept = tmp_path / "cache" / fonts.parent.name
    kept.mkdir(parents=True)
    os.symlink(fonts, kept / fonts.name)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(folder))
    well_by_another_name()
    return folder
