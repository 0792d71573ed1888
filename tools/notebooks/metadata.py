"""What a notebook's cells carry for nbgrader and the course beside what an author writes: completed from that."""

import copy
import hashlib
import re
from typing import Any

import nbformat
from nbformat import NotebookNode

from course import captions
from course.exercises import ANSWER, CHECK
from course.handed_out import CPU_BUILDS, INSTALLS

# The first code cell of every notebook, kept the same in all of them by `normalize`; the book leaves it out, JupyterLab
# and Colab fold it, and `make lab`, where the course is installed, does not copy it.
# `course.handed_out.installing` sets COURSE.
GUARD_ID = INSTALLS
GUARD = """\
# @title Installs the course where it is missing, as in Colab; elsewhere this does nothing
COURSE = ""  # in a notebook that is opened from the site: where the package is to be had
import importlib.util

if importlib.util.find_spec("course") is None:
    import re
    import shutil
    import subprocess
    import sys
    from pathlib import Path

    def version(wheel):  # as numbers: 1.10 is newer than 1.9
        return [int(number) for number in re.findall("[0-9]+", wheel.name.split("-")[1])]

    wheels = sorted(Path.cwd().glob("attention_from_scratch_course-*-py3-none-any.whl"), key=version)
    if not wheels and not COURSE:
        raise ModuleNotFoundError(
            f"the package `course` is not installed and no wheel of it lies in {Path.cwd()}: "
            "put attention_from_scratch_course-*.whl from the assignment's archive there and run this cell again"
        )
    install = [sys.executable, "-m", "pip", "install", "--quiet", str(wheels[-1]) if wheels else COURSE]
    if sys.platform == "linux" and not shutil.which("nvidia-smi") and not importlib.util.find_spec("torch"):
        install += ["--extra-index-url", "CPU_BUILDS"]  # PyTorch without what a GPU needs
    subprocess.run(install, check=True)""".replace("CPU_BUILDS", CPU_BUILDS)
GUARD_METADATA = {"cellView": "form", "jupyter": {"source_hidden": True}, "tags": ["set-up", "remove-cell"]}
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def normalize(notebook: NotebookNode) -> NotebookNode:
    """Complete what nbgrader and the course need, in place: ids, kernel, figures' numbers, nbgrader metadata, locks,
    checksums. Raises SystemExit where an author left out what they follow from.
    """
    from nbgrader.preprocessors import ComputeChecksums, LockCells  # which bring all of nbgrader along: a second

    notebook.metadata = NotebookNode(copy.deepcopy(METADATA))
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    _guard(notebook)
    _number_figures(notebook)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        course = cell.metadata.get("course", {})
        if "answer" in course:
            cell.metadata.nbgrader = _nbgrader(course["answer"] + ANSWER, solution=True)
        elif "exercise" in course:
            if "name" not in course:
                raise SystemExit(f"the check cell of exercise {course['exercise']} has no name in its metadata")
            points = course.pop("points", None)
            if points is None:
                points = cell.metadata.get("nbgrader", {}).get("points")
            if points is None:
                raise SystemExit(f"the check cell of exercise {course['exercise']} has no points")
            cell.metadata.nbgrader = _nbgrader(course["name"] + CHECK, grade=True, locked=True, points=float(points))
        if "nbgrader" in cell.metadata:
            cell.id = cell.metadata.nbgrader.grade_id
    _unique_ids(notebook)
    for step in (LockCells(), ComputeChecksums()):
        notebook, _ = step.preprocess(notebook, {})
    return notebook


def _guard(notebook: NotebookNode) -> None:
    """Put the cell that installs the course before the first code cell, or bring it up to date."""
    first = next((i for i, cell in enumerate(notebook.cells) if cell.cell_type == "code"), len(notebook.cells))
    if first == len(notebook.cells) or notebook.cells[first].id != GUARD_ID:
        notebook.cells[:] = [cell for cell in notebook.cells if cell.id != GUARD_ID]
        notebook.cells.insert(first, nbformat.v4.new_code_cell(id=GUARD_ID))
    notebook.cells[first].source = GUARD
    notebook.cells[first].metadata = nbformat.from_dict(copy.deepcopy(GUARD_METADATA))


def _number_figures(notebook: NotebookNode) -> None:
    """Give the figures their numbers in order, and the text's references to them: the chapter is the title's."""
    sources = [(cell.cell_type == "code", cell.source) for cell in notebook.cells]
    figures = [
        captions.caption(source) if is_code else captions.REFERENCE.search(source) or captions.LINKED.search(source)
        for is_code, source in sources
    ]
    if not any(figures):
        return
    title = next((source for is_code, source in sources if not is_code), "")
    chapter = re.match(r"# (\d+)\. ", title)
    if chapter is None:
        raise SystemExit(f"figures are numbered by chapter, and this title has no number: {title.splitlines()[:1]}")
    try:
        numbered = captions.numbered(sources, int(chapter[1]))
    except ValueError as error:
        raise SystemExit(f"{title.splitlines()[0]}: {error}") from None
    for cell, source in zip(notebook.cells, numbered, strict=True):
        cell.source = source


def _nbgrader(grade_id: str, **fields: Any) -> NotebookNode:
    without_outputs = {
        "grade": False,
        "grade_id": grade_id,
        "locked": False,
        "schema_version": 3,
        "solution": False,
        "task": False,
    }
    return NotebookNode({**without_outputs, **fields})


def _unique_ids(notebook: NotebookNode) -> None:
    seen: set[str] = set()
    for cell in notebook.cells:
        kept = cell.id == GUARD_ID or "nbgrader" in cell.metadata
        if not kept and (not _named(cell.id) or cell.id in seen):
            cell.id = _new_id(cell.source, seen)
        if cell.id in seen:
            raise SystemExit(f"two cells have the id {cell.id!r}: an exercise's name may stand in one cell only")
        seen.add(cell.id)


def _named(cell_id: str) -> bool:
    return re.fullmatch(r"[a-z]+(-[a-z0-9]+)*-[0-9a-f]{6}", cell_id) is not None


def _new_id(source: str, seen: set[str]) -> str:
    words = re.findall(r"[a-z]+", source.lower())[:4] or ["cell"]
    for salt in range(1000):
        digest = hashlib.sha1(f"{salt}{source}".encode()).hexdigest()[:6]
        if (name := f"{'-'.join(words)[:40].strip('-')}-{digest}") not in seen:
            return name
    raise AssertionError("a thousand cells with the same text")
