"""What decides a verdict, as versions: Python, the libraries, and one digest of every file of ours that judging loads.

The files are not listed, they are found: from the modules that judge an assignment, those that its notebook imports,
and whatever of `course` stands in the sandbox, since an answer may import it, along every import that stands in them,
inside functions too, and every text that is a module's name. What only carries or shows a verdict is reached by none of
these.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
import importlib.util
import os
import platform
import re
import sys
import time
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from pathlib import Path

import nbformat

import course.chapters
import course.exercises
from autograde import reference
from autograde.bank import operators, reader
from autograde.grading import judge
from autograde.intake.syntax import nodes
from autograde.sandbox import folder
from course import checks, fixtures
from course.checks import engine
from course.checks.engine.of_tests import CheckOfTest
from course.exercises import exercises
from course.wording import listed

_HERE = Path(__file__).resolve().parents[1]
_OURS = {name: _HERE.with_name(name) for name in ("autograde", "course", "solutions")}
# out here, and inside the two sandboxes
_JUDGING = ("autograde.grading.worker", "autograde.sandbox.inside.__main__", "autograde.sandbox.as_course",
            "autograde.intake.inside")  # fmt: skip
_MODULE = re.compile(rf"({'|'.join(_OURS)})(\.\w+)*")
_TEXT = re.compile(rf'["\']({_MODULE.pattern})["\']')  # as it may stand in a source


def edited(assignment: str, notebook: str) -> str:
    """What of all that decides has changed since this process began, "" for nothing. The process may have loaded what
    was there before, and would record the digest of what is there now."""
    changed = sorted(
        str(path.relative_to(_HERE.parent))
        for path in sources(assignment, notebook)[0].values()
        if path.is_relative_to(_HERE.parent) and path.stat().st_ctime > _began()
    )
    return listed(changed, 3)


@cache
def _began() -> float:
    """When this process began, in seconds since the epoch."""
    ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
    age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    return time.time() - age


@lru_cache(maxsize=32)
def versions(assignment: str, notebook: str) -> dict[str, str]:
    """What a verdict on this assignment depends on beside the submission, for its released notebook (text): name ->
    version, and "grader" -> digest of the files. Looked up once a process, which goes on with what it has loaded."""
    files, libraries = sources(assignment, notebook)
    digest = hashlib.sha256()
    for name, path in sorted(files.items()):
        digest.update(f"{name}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    of_libraries = {name: importlib.metadata.version(name) for name in sorted(libraries)}
    return {"python": platform.python_version(), **of_libraries, "grader": digest.hexdigest()[:16]}


@lru_cache(maxsize=32)
def sources(assignment: str, notebook: str) -> tuple[dict[str, Path], set[str]]:
    """(the files that decide, by the name of the module or of the data; names of the libraries that they import).
    Looked up once a process: what comes to be imported later is imported by a changed file, as `edited` tells."""
    chapters = _chapters(assignment)
    todo = {*_JUDGING, *fixtures.modules(), *(f"solutions.{chapter}" for chapter in reference.held(assignment))}
    for package in ("solutions", "course.checks"):
        todo |= {f"{package}.{chapter}" for chapter in chapters}
    todo |= _imports_of_cells(notebook)
    files: dict[str, Path] = {}
    for there in folder.present():
        place = there.relative_to(_OURS["course"].parent)
        if there.suffix == ".py":
            todo.add(".".join(place.with_suffix("").parts).removesuffix(".__init__"))
        else:
            files[place.as_posix()] = there
    others: set[str] = set()
    while todo:
        name = todo.pop()
        top, _, rest = name.partition(".")
        if top not in _OURS:
            others.add(top)
        elif name not in files and (path := _file(name)) is not None:
            files[name] = path
            todo |= _imports(path.read_bytes(), name if path.name == "__init__.py" else name.rpartition(".")[0])
            todo |= {name.rpartition(".")[0]} if rest else set()  # which is run before it
    toml = Path(str(course.chapters.__file__))
    files |= {f"chapters/{chapter}": toml.with_name(f"{chapter}.toml") for chapter in chapters}
    files |= {f"answers/{e.name}": reader.path_of(e) for e in exercises() if e.chapter in chapters and not e.question}
    files |= {"exercises": course.exercises._FILE, "operators": operators.FILE}
    files["redundant conditions"] = engine.conditions.REDUNDANT
    return files, {name for top in others - sys.stdlib_module_names for name in _libraries(top)}


def _chapters(assignment: str) -> set[str]:
    """The chapters of its exercises, and of those that a test which is asked for is tried on."""
    asked = judge.of_assignment(assignment)
    of_each = (checks.find(e.name, e.chapter) for e in asked if not e.question)
    tested = {check.of for check in of_each if isinstance(check, CheckOfTest)}
    return {e.chapter for e in (*asked, *exercises()) if e in asked or e.name in tested}


@cache
def _distributions() -> dict[str, list[importlib.metadata.Distribution]]:
    """The name that is imported -> what is installed that holds it: by what it declares, or the Python files that it
    has put there. `importlib.metadata.packages_distributions` says so too, but makes a path of each file, ten thousand
    of PyTorch's alone, and reads what each one is called."""
    distributions: dict[str, list[importlib.metadata.Distribution]] = {}
    for distribution in importlib.metadata.distributions():
        declared = (distribution.read_text("top_level.txt") or "").split()
        for name in declared or _installed(distribution.read_text("RECORD") or ""):
            distributions.setdefault(name, []).append(distribution)
    return distributions


@cache
def _libraries(top: str) -> frozenset[str]:
    """What is installed that holds a module of this name, by what it calls itself: a file is parsed for each."""
    return frozenset(each.name for each in _distributions().get(top, ()))


def _installed(record: str) -> set[str]:
    """Names that can be imported, of the list of a distribution's files: a line begins with a path."""
    paths = (line.partition(",")[0] for line in record.splitlines())
    return {path.partition("/")[0].removesuffix(".py") for path in paths if path.endswith(".py")}


def _file(name: str) -> Path | None:
    """The source of a module of ours; None for a name that is none, such as a function's in a module."""
    top, *rest = name.split(".")
    path = _OURS[top].joinpath(*rest)
    for candidate in (path / "__init__.py", path.with_name(f"{path.name}.py")):
        if candidate.exists():
            return candidate
    placed = getattr(sys.modules.get(name), "__file__", None)  # one that was put there from another place
    return Path(placed) if placed else None


@lru_cache(maxsize=32)
def _imports_of_cells(notebook: str) -> frozenset[str]:
    cells = nbformat.reads(notebook, as_version=4).cells
    return frozenset(name for cell in cells if cell.cell_type == "code" for name in _names(nodes(cell.source), ""))


@lru_cache(maxsize=1000)
def _imports(source: bytes, package: str) -> frozenset[str]:
    tree = ast.parse(source)
    return frozenset(_names(ast.walk(tree) if _TEXT.search(source.decode()) else _statements(tree), package))


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    """`ast.walk` without expressions, in which no import stands: a tenth of the nodes."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        for inside in ("body", "orelse", "finalbody", "handlers", "cases"):
            todo += each if isinstance(each := getattr(node, inside, ()), list) else ()  # a lambda's body is no list


def _names(tree: Iterable[ast.AST], package: str) -> Iterator[str]:
    """Of all modules that are imported, and of what is imported from them, which may be modules too."""
    for node in tree:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            yield from (base, *(f"{base}.{alias.name}" for alias in node.names))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _MODULE.fullmatch(node.value):
            yield node.value
