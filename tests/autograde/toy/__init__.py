"""A little assignment of the tests' own, `00-toy`, so that the grader is tested without any chapter.

`installed()` puts its modules where a chapter's would be: `solutions.toy`, `course.checks.toy`, and its answers where
the bank looks for them.
"""

import contextlib
import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path

# isort: split
import autograde  # noqa: F401  before nbformat: what it leaves out takes each process that has the toy two seconds

# isort: split
import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

import course.chapters
import course.exercises
from autograde.bank import reader
from tools.notebooks import listing, metadata

HERE = Path(__file__).resolve().parent
NAME = "00-toy"

_STUBS = {
    "scale": 'def scale(x: Tensor, factor: float) -> Tensor:\n    """x (B, D) times factor."""\n',
    "centre": 'def centre(x: Tensor) -> Tensor:\n    """x (B, D) less the mean of its columns."""\n',
    "standardise": (
        "def standardise(x: Tensor) -> Tensor:\n"
        '    """x (B, D) centred, each column divided by its root mean square."""\n'
    ),
    "test_centre": 'def test_centre(centre) -> bool:\n    """Whether it centres columns."""\n',
}
_EXERCISES = [("0.1", "scale", 2), ("0.2", "centre", 2), ("0.3", "standardise", 3)]
_QUESTIONS = [("0.q1", "question_mean", 1), ("0.q2", "question_axes", 1)]


def notebook(with_a_test: bool = False) -> bytes:
    """The committed notebook of the toy assignment; on request it asks for a test too."""
    cells = [
        new_markdown_cell("# A toy assignment"),
        new_code_cell(
            "import torch\nfrom torch import Tensor\nfrom course import check", metadata={"tags": ["set-up"]}
        ),
    ]
    for number, name, points in _EXERCISES + [("0.9", "test_centre", 2)] * with_a_test:
        stub = _STUBS[name] + "    # YOUR CODE HERE\n    raise NotImplementedError"
        cells += [new_code_cell(stub, metadata={"course": {"answer": name}}), _check(number, name, name, points)]
    cells.append(new_code_cell("raise SystemExit('an experiment was run')", metadata={"tags": ["skip-execution"]}))
    for number, name, points in _QUESTIONS:
        variable = f"answer_{number.replace('.', '_')}"
        cells.append(new_markdown_cell(f"Question {number}"))
        cells.append(new_code_cell(f"{variable} = ...", metadata={"course": {"answer": name}}))
        cells.append(_check(number, name, variable, points))
    return (nbformat.writes(metadata.normalize(new_notebook(cells=cells))) + "\n").encode()


def _check(number: str, name: str, component: str, points: int):
    declared = {"exercise": number, "name": name, "components": [component], "points": points}
    declared |= {"difficulty": 1, "importance": 1, "minutes": 1, "stretch": False}
    return new_code_cell(f'check("{number}", {component})', metadata={"course": declared})


@contextlib.contextmanager
def installed(folder: Path, with_a_test: bool = False) -> Iterator[Path]:
    """Puts the toy in a chapter's place and gives the path of its notebook, written below `folder`.

    May be nested: a class for a whole session is first made while some test already has the toy.
    """
    path = folder / "notebooks" / f"{NAME}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(notebook(with_a_test))
    listed = folder / "exercises.json"
    listed.write_text(json.dumps(listing.declared(path)))
    added = {}
    for name, file in (("solutions", "solutions_toy"), ("course.checks", "checks_toy")):
        if f"{name}.toy" not in sys.modules:
            added[f"{name}.toy"] = HERE / f"{file}.py"
    before = course.exercises._FILE, course.chapters.__file__
    course.exercises._FILE, course.chapters.__file__ = listed, str(HERE / "chapters" / "__init__.py")
    course.exercises.exercises.cache_clear()
    answers = reader.FOLDERS
    reader.FOLDERS = (*answers, HERE / "answers")
    try:
        for name, file in added.items():
            spec = importlib.util.spec_from_file_location(name, file)
            sys.modules[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(sys.modules[name])
        yield path
    finally:
        reader.FOLDERS = answers
        course.exercises._FILE, course.chapters.__file__ = before
        course.exercises.exercises.cache_clear()
        for name in added:
            sys.modules.pop(name, None)
