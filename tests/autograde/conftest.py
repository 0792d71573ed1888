"""Fixtures for the grader's tests: the toy assignment, and a class that was released, sampled and graded once."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

from autograde.folders import ClassFolder
from tests.autograde import toy


@dataclass(frozen=True)
class GradedClass:
    """A toy class after one run of the grader: its folder, what was handed in, what the run said."""

    folder: ClassFolder
    made: list
    summary: object

    def copy(self, root: Path) -> ClassFolder:
        """The class's folder elsewhere, for a test that changes it."""
        shutil.copytree(self.folder.root, root)
        return ClassFolder.at(root)


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


@pytest.fixture
def toy_notebook(tmp_path):
    """The toy assignment stands in the course while a test runs; the path of its notebook."""
    with toy.installed(tmp_path) as notebook:
        yield notebook


@pytest.fixture(scope="session")
def released_once(tmp_path_factory) -> Path:
    """A class in which the toy assignment is released, made once: a new gradebook takes nbgrader seconds."""
    from autograde.release import release

    root = tmp_path_factory.mktemp("released")
    with toy.installed(root) as notebook:
        release(ClassFolder.at(root / "class"), [notebook])
    return root / "class"


@pytest.fixture
def toy_released(tmp_path, toy_notebook, released_once) -> ClassFolder:
    """A class of the test's own in which the toy assignment is released and nothing handed in."""
    shutil.copytree(released_once, tmp_path / "class")
    return ClassFolder.at(tmp_path / "class")


@pytest.fixture(scope="session")
def warm_sandbox():
    """One sandbox for many tests: each child in it is fresh, and starting one takes seconds."""
    from autograde.sandbox import Sandbox

    with Sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def one_sandbox(warm_sandbox, monkeypatch):
    """Lets the grader use the tests' sandbox instead of starting its own for each run."""
    from autograde import desk

    class Lent:
        def __init__(self, **settings):
            pass

        def launch(self):
            return self

        def ready(self):
            return self

        def close(self):
            pass

        def __getattr__(self, name):
            return getattr(warm_sandbox, name)

    monkeypatch.setattr(desk, "Sandbox", Lent)


@pytest.fixture(scope="session")
def toy_class(tmp_path_factory, released_once) -> GradedClass:
    """The toy's sample class, graded, with feedback and grades. Tests that use it read it and change nothing."""
    from autograde import export, feedback, grade, sample

    root = tmp_path_factory.mktemp("toy")
    shutil.copytree(released_once, root / "class")
    with toy.installed(root):
        folder = ClassFolder.at(root / "class")
        made = sample.sample(folder, toy.NAME)
        summary = grade.grade(folder)
        feedback.feedback(folder, toy.NAME)
        export.export(folder)
    return GradedClass(folder, made, summary)


@pytest.fixture
def hand_in():
    """A function that puts a file where a student's hand-in lies."""

    def put(folder: ClassFolder, student: str, content: bytes, assignment: str = toy.NAME) -> Path:
        path = folder.submitted / student / assignment / f"{assignment}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    return put
