"""Who may import whom, and nothing that pyproject.toml does not name."""

import ast
import functools
import importlib.metadata
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from theme import imports

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
CHAPTERS = [path.stem.split("-", 1)[1].replace("-", "_") for path in NOTEBOOKS]  # in order
ANSWERS = "answers"  # folders of the answer bank: pieces of code, wrong on purpose
# Each folder, with the extras of pyproject.toml that it may need.
EXTRAS = {
    "course": (),
    "solutions": (),
    "training": ("train",),
    "autograde": ("grade", "push"),
    "theme": ("book",),
    "benchmarks": ("grade", "train", "benchmark", "test"),
    "tools": ("grade", "book", "lab", "test"),
    "tests": ("grade", "push", "book", "lab", "train", "benchmark", "test"),
}
OURS = set(EXTRAS)
# The picture, from the bottom to the top: each package, and which others it may import. A package stands below all that
# may import it, so that this table has no circle by its form; names are those of `theme/imports.py`.
BASE = {"course", "autograde"}
ENGINE = {"course.checks.engine"}
CHECKS = {"course.protocol", *ENGINE, "course.checks"}
BELOW = {"autograde.sandbox", "autograde.intake", "autograde.bank", "autograde.gradebook"}  # what grading is made of
PICTURE = {
    "course": set(),
    "course.data": {"course"},
    "course.protocol": {"course"},
    "course.checks.engine": {"course", "course.protocol"},
    "course.checks": {"course", "course.protocol", "course.checks.engine"},
    "solutions": {"course"},
    "course.learner": {"course", *CHECKS},
    "course.figures": {"course", "course.learner"},
    "course (entry)": {"course", "course.learner"},
    "training": {"course", "course.data", "solutions"},
    "autograde": {"course"},
    "autograde.sandbox": {*BASE, "course.protocol"},
    "autograde.intake": {*BASE, "autograde.sandbox"},
    "autograde.bank": {*BASE, *CHECKS, "autograde.intake"},
    "autograde.gradebook": {*BASE, "autograde.sandbox"},
    "autograde.grading": {*BASE, *CHECKS, *BELOW},
    "autograde.reports": {*BASE, *BELOW - {"autograde.sandbox"}, "autograde.grading"},
    "autograde.terminal": BASE,
    "autograde.cli": {*BASE, *ENGINE, *BELOW, "autograde.grading", "autograde.reports", "autograde.terminal"},
    "theme": {"course", "course.figures"},
    "tools": {*BASE, *ENGINE, "autograde.bank", "theme"},
    "benchmarks": {*BASE, *ENGINE, *BELOW, "course.data", "solutions", "training", "autograde.grading"},
}
# What is entered by a name alone, with no import statement: a release leaves out the solutions that are not yet due.
BY_NAME = {"course.learner": {"solutions"}, "autograde": {"solutions"}}
# Whose commands import what they need when they are called, so that `--help` answers at once.
LATE = "autograde.cli."
# Libraries that come with a dependency as a part of it, and are imported by name.
COMES_WITH = {
    "jupyter-book": {
        "sphinx",
        "docutils",
        "myst-nb",
        "myst-parser",
        "sphinx-book-theme",
        "pydata-sphinx-theme",
        "sphinx-design",
        "beautifulsoup4",
        "nbformat",
        "jinja2",
        "pyyaml",
        "snowballstemmer",
        "markdown-it-py",
        "mdit-py-plugins",
        "pybtex",
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
        "python-dateutil",
    },
    "copydetect": {"pygments", "jinja2"},
    "ipython": {"matplotlib-inline", "traitlets"},
    "jupyterlab": {"nbformat", "nbclient"},
    "matplotlib": {"cycler", "pillow"},
    "distributed": {"dask", "pyyaml"},
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


@functools.cache
def modules() -> list[tuple[str, Path, set[str]]]:
    """Each module of each package, with what it imports; not asked for while tests are only collected."""
    return list(modules_with_imports())


def modules_with_imports() -> Iterator[tuple[str, Path, set[str]]]:
    for package in EXTRAS:
        for path in sorted((ROOT / package).rglob("*.py")):
            if ANSWERS in path.relative_to(ROOT).parts:
                continue
            yield package, path, set(imported(ast.parse(path.read_text(encoding="utf-8"))))


def roots(names: set[str]) -> set[str]:
    """The top-level packages among them that are not the standard library's."""
    return {name.split(".")[0] for name in names} - set(sys.stdlib_module_names)


def distributions_of(extras: tuple[str, ...]) -> set[str]:
    """Canonical names of what the base and these extras ask for, with what comes with them."""
    groups = [PROJECT["dependencies"], *(PROJECT["optional-dependencies"][extra] for extra in extras)]
    asked = {canonicalize_name(Requirement(text).name) for group in groups for text in group}
    return asked.union(*(COMES_WITH.get(name, set()) for name in asked))


def may_enter(folder: str) -> set[str]:
    """The folders that a folder may enter: those of the packages that its own may import. The tests may enter all."""
    if folder == "tests":
        return OURS
    below = set().union(*(below for name, below in PICTURE.items() if folder_of(name) == folder))
    return {folder, *map(folder_of, below)}


def folder_of(package: str) -> str:
    return re.split("[. ]", package)[0]


def test_a_folder_enters_only_the_folders_it_may():
    allowed = {folder: may_enter(folder) for folder in EXTRAS}
    assert allowed["course"] == {"course"}  # whatever else is drawn
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for package, path, names in modules()
        for name in sorted((roots(names) & OURS) - allowed[package])
    ]
    assert modules() and not wrong, "\n".join(wrong)


def test_a_package_imports_only_what_stands_below_it():
    places = list(PICTURE)
    assert set(places) == set(imports.PACKAGES)
    allowed = {name: below | BY_NAME.get(name, set()) for name, below in PICTURE.items()}
    assert all(places.index(lower) < places.index(name) for name, below in allowed.items() for lower in below)
    wrong = [
        f"{each} ({lower}), which {name} may not enter"
        for each in imports.imports()
        if (lower := imports.package_of(each.imported)) != (name := imports.package_of(each.importer))
        and lower not in (BY_NAME.get(name, ()) if each.by_name else PICTURE[name])
    ]
    assert imports.imports() and not wrong, "\n".join(wrong)
    used = imports.arrows()
    idle = [f"{name} enters {lower} nowhere" for name in places for lower in allowed[name] - used[name] - BASE]
    assert not idle, "\n".join(idle)


def test_no_package_and_no_module_imports_in_a_circle():
    imports.levels(imports.arrows())
    modules: dict[str, set[str]] = {name: set() for name in imports.modules()}
    for each in imports.imports():
        modules[each.importer].add(each.imported)
    imports.levels(modules)


def test_an_import_inside_a_function_says_why():
    """In a comment on its line or on the line above; the first of several lines of imports speaks for all."""
    wrong = []
    for each in imports.imports():
        if each.inside and not each.importer.startswith(LATE):
            lines = each.path.read_text(encoding="utf-8").splitlines()
            first = each.line - 1
            while lines[first - 1].lstrip().startswith(("from ", "import ")):
                first -= 1
            said = [re.sub(r"#\s*(noqa|type:|fmt:)[^#]*", "", line) for line in lines[first - 1 : each.line]]
            if not any("# " in line for line in said):
                wrong.append(str(each))
    assert not wrong, "\n".join(wrong)


def test_every_library_is_asked_for_in_pyproject():
    allowed = {package: distributions_of(extras) for package, extras in EXTRAS.items()}
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}, which pyproject.toml does not give to {package}"
        for package, path, names in modules()
        for name in sorted(roots(names) - OURS)
        if not {canonicalize_name(distribution) for distribution in DISTRIBUTIONS.get(name, [])} & allowed[package]
    ]
    assert modules() and not wrong, "\n".join(wrong)


def test_a_chapters_solutions_import_only_earlier_chapters():
    for number, chapter in enumerate(CHAPTERS):
        path = ROOT / "solutions" / f"{chapter}.py"
        names = {
            name for name in imported(ast.parse(path.read_text(encoding="utf-8"))) if name.startswith("solutions.")
        }
        assert {name.split(".")[1] for name in names} <= set(CHAPTERS[:number]), path.name


def test_a_notebook_imports_only_the_course_and_libraries():
    learners = distributions_of(())
    wrong = [
        f"{path.name} imports {name}"
        for path in NOTEBOOKS
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
        if cell["cell_type"] == "code"
        for name in sorted(roots(set(imported(ast.parse("".join(cell["source"]))))) - {"course"})
        if not {canonicalize_name(distribution) for distribution in DISTRIBUTIONS.get(name, [])} & learners
    ]
    assert NOTEBOOKS and not wrong, "\n".join(wrong)
