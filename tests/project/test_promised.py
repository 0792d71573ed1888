"""What version 1 promises is still there: grade_ids, names in `course`, commands, a class's folder.

promised.txt has a line for each. A line whose thing is gone fails; a new thing wants its line, and no more than that.
"""

import ast
import importlib
import inspect
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

import typer.main
import yaml

import course
from autograde import layout
from autograde.cli import app
from autograde.folders import ClassFolder
from autograde.gradebook import configuration

ROOT = Path(__file__).resolve().parents[2]
PROMISED = Path(__file__).with_name("promised.txt")


def notebooks() -> Iterator[tuple[str, dict]]:
    """(notebook's name, cell) of all cells of code."""
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                yield path.stem, cell


def of_notebooks() -> Iterator[str]:
    for name, cell in notebooks():
        graded = cell["metadata"].get("nbgrader", {})
        if graded.get("grade") or graded.get("solution"):
            yield f"grade_id {name} {graded['grade_id']}"
        for component in cell["metadata"].get("course", {}).get("components", []):
            yield f"component {name} {component}"
        source = "".join(line for line in cell["source"] if not line.startswith(("%", "!")))
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("course"):
                if node.module != "course.components":  # those are what exercises ask for
                    yield from (f"name {node.module}.{alias.name}" for alias in node.names)


def of_commands() -> Iterator[str]:
    for name, command in typer.main.get_command(app).commands.items():
        for parameter in command.params:
            words = parameter.opts if parameter.param_type_name == "option" else [str(parameter.name).upper()]
            yield from (f"command autograde {name} {word}" for word in words)


def of_a_class() -> Iterator[str]:
    folder = ClassFolder(Path("CLASS"))
    for name, what in inspect.getmembers(ClassFolder):
        if isinstance(what, property):
            yield f"class {getattr(folder, name)}"
    yield f"class {configuration.database(folder).removeprefix('sqlite:///')}"
    of_one = (folder.roster, folder.summary, folder.similar, folder.released)
    paths = [each("ASSIGNMENT") for each in of_one]
    for path in (folder.roster(), *paths, folder.submitted / "STUDENT" / "ASSIGNMENT"):
        yield f"class {path}"


def test_what_is_promised_is_there_and_what_is_there_is_promised():
    there = {*of_notebooks(), *of_commands(), *of_a_class(), *(f"name course.{name}" for name in course.__all__)}
    promised = [line for line in PROMISED.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert promised == sorted(set(promised)), "promised.txt is sorted, each line once"
    kinds = {line.split()[0] for line in there}
    assert kinds == {"grade_id", "component", "name", "command", "class"}
    gone = [line for line in promised if line not in there and not importable(line)]
    assert not gone, "version 1 promises these: keep them, or they wait for version 2:\n" + "\n".join(gone)
    new = sorted(there - set(promised))
    assert not new, f"add these lines to {PROMISED.relative_to(ROOT)}, in their order:\n" + "\n".join(new)


def importable(line: str) -> bool:
    """Whether it is a name that notebooks need no more, and learners' copies still find."""
    kind, _, name = line.partition(" ")
    module, _, attribute = name.rpartition(".")
    return kind == "name" and hasattr(importlib.import_module(module), attribute)


def test_the_version_is_the_same_wherever_it_stands():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"]
    assert project == cited == course.__version__ == layout.VERSION
    log = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\n## {project}" in log, "the change log has no section for this version"
