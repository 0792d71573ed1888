"""Who may import whom, and nothing that pyproject.toml does not name."""

import ast
import importlib.metadata
import json
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
CHAPTERS = [path.stem.split("-", 1)[1].replace("-", "_") for path in NOTEBOOKS]  # in order
OURS = {"course", "solutions", "autograde", "tools", "theme", "benchmarks", "tests"}
# What each package may need beside the standard library: the packages it may enter, and extras of pyproject.toml.
MAY_ENTER = {
    "course": ({"course"}, ()),
    "solutions": ({"course", "solutions"}, ("train",)),
    "autograde": ({"autograde", "course", "solutions"}, ("grade",)),
    "theme": ({"theme", "course"}, ("book",)),
    "benchmarks": ({"benchmarks", "course", "solutions", "autograde"}, ("grade", "train", "benchmark", "test")),
    "tools": ({"tools", "course", "solutions", "autograde"}, ("grade", "book", "lab", "test")),
    "tests": (OURS, ("grade", "book", "lab", "train", "benchmark", "test")),
}
# Libraries that come with a dependency as a part of it, and are imported by name.
COMES_WITH = {
    "jupyter-book": {
        "sphinx",
        "docutils",
        "myst-nb",
        "myst-parser",
        "sphinx-book-theme",
        "pydata-sphinx-theme",
        "beautifulsoup4",
        "nbformat",
        "jinja2",
        "pyyaml",
    },
    "nbgrader": {
        "nbformat",
        "nbconvert",
        "nbclient",
        "traitlets",
        "sqlalchemy",
        "jupyter-client",
        "jupyter-core",
        "jinja2",
        "markupsafe",
    },
    "ipython": {"matplotlib-inline", "traitlets"},
    "jupyterlab": {"nbformat", "nbclient"},
    "matplotlib": {"cycler", "pillow"},
    "distributed": {"dask"},
    "typer": {"click"},
    "pytest": {"packaging"},
    "transformers": {"safetensors"},
}
DISTRIBUTIONS = importlib.metadata.packages_distributions()


def imported(tree: ast.AST) -> Iterator[str]:
    """Full dotted names of what is imported anywhere in it, inside functions too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def modules() -> Iterator[tuple[str, Path, set[str]]]:
    """Each module of each package, with what it imports."""
    for package in MAY_ENTER:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield package, path, set(imported(ast.parse(path.read_text(encoding="utf-8"))))


def roots(names: set[str]) -> set[str]:
    """The top-level packages among them that are not the standard library's."""
    return {name.split(".")[0] for name in names} - set(sys.stdlib_module_names)


def distributions_of(extras: tuple[str, ...]) -> set[str]:
    """Canonical names of what the base and these extras ask for, with what comes with them."""
    groups = [PROJECT["dependencies"], *(PROJECT["optional-dependencies"][extra] for extra in extras)]
    asked = {canonicalize_name(Requirement(text).name) for group in groups for text in group}
    return asked.union(*(COMES_WITH.get(name, set()) for name in asked))


MODULES = list(modules())


def test_a_room_enters_only_the_rooms_it_may():
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for package, path, names in MODULES
        for name in sorted((roots(names) & OURS) - MAY_ENTER[package][0])
    ]
    assert MODULES and not wrong, "\n".join(wrong)


def test_every_library_is_asked_for_in_pyproject():
    allowed = {package: distributions_of(extras) for package, (_, extras) in MAY_ENTER.items()}
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}, which pyproject.toml does not give to {package}"
        for package, path, names in MODULES
        for name in sorted(roots(names) - OURS)
        if not {canonicalize_name(found) for found in DISTRIBUTIONS.get(name, [])} & allowed[package]
    ]
    assert MODULES and not wrong, "\n".join(wrong)


def test_a_chapters_solutions_import_only_earlier_chapters():
    # Chapter 09 is also a program, which is made of all chapters: `python -m solutions.cuda` calls it.
    more = {"cuda": {"train"}}
    for number, chapter in enumerate(CHAPTERS):
        path = ROOT / "solutions" / f"{chapter}.py"
        names = {
            name for name in imported(ast.parse(path.read_text(encoding="utf-8"))) if name.startswith("solutions.")
        }
        assert {name.split(".")[1] for name in names} <= set(CHAPTERS[:number]) | more.get(chapter, set()), path.name


def test_a_notebook_imports_only_the_course_and_libraries():
    learners = distributions_of(())
    wrong = [
        f"{path.name} imports {name}"
        for path in NOTEBOOKS
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
        if cell["cell_type"] == "code"
        for name in sorted(roots(set(imported(ast.parse("".join(cell["source"]))))) - {"course"})
        if not {canonicalize_name(found) for found in DISTRIBUTIONS.get(name, [])} & learners
    ]
    assert NOTEBOOKS and not wrong, "\n".join(wrong)
