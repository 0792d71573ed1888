"""A notebook as percent text, for any editor, and back; what an author forgot or mistook is refused in a sentence."""

import ast
import re
from pathlib import Path

from nbformat import NotebookNode

from autograde import reference
from tools.notebooks import listing
from tools.notebooks.files import ROOT, chapter, read, write
from tools.notebooks.metadata import normalize
from tools.notebooks.solving import defined

TEXTS = ROOT / "_build" / "text"


def from_text(text: Path, path: Path) -> None:
    """Lay percent text into a notebook: cells whose text did not change keep their id and outputs.

    (`jupytext --update` gives an edited cell the outputs of the one that stood in its place.) Raises SystemExit, or
    Unfinished, where a cell does not say what it must, and changes nothing then.
    """
    import jupytext  # the lens for editing notebooks as text; it brings Jupyter's server along

    fresh = jupytext.read(text)
    _hold(fresh, path)
    old = read(path).cells if path.exists() else []
    unused = list(old)
    for cell in fresh.cells:
        grade = cell.metadata.get("nbgrader", {}).get("grade_id")
        match = next((o for o in unused if o.cell_type == cell.cell_type and o.source == cell.source), None)
        match = match or next(
            (o for o in unused if grade and o.metadata.get("nbgrader", {}).get("grade_id") == grade), None
        )
        if match is None:
            continue
        unused.remove(match)
        cell.id = match.id
        if cell.cell_type == "code" and match.source == cell.source:
            cell.outputs, cell.execution_count = match.outputs, match.execution_count
            if "timed" in match.metadata.get("course", {}):
                cell.metadata.setdefault("course", NotebookNode())["timed"] = match.metadata.course.timed
    made = normalize(fresh)
    listed = listing.all_declared({path: made})
    write(made, path)
    listing.write_listed(listed)


def _hold(notebook: NotebookNode, path: Path) -> None:
    """Raises SystemExit where a check cell's metadata are none, or not of its own check, or a stub is not the
    solution's; Unfinished where there is no such solution."""
    for cell in notebook.cells:
        course = cell.metadata.get("course", {})
        if "exercise" in course:
            what = listing.check_cell(course, path)
            needed = ("name", "points", "difficulty", "importance", "minutes")
            if missing := [name for name in needed if name not in course]:
                raise SystemExit(f"{what} has no {', '.join(missing)} in its metadata")
            for name in ("difficulty", "importance"):
                if course[name] not in (1, 2, 3, 4, 5):
                    raise SystemExit(f"{what} says {name} {course[name]}: it is one of 1, 2, 3, 4, 5")
            if not re.search(rf"check\([\"']{re.escape(course['exercise'])}[\"']", cell.source):
                raise SystemExit(f"{what} checks another number: {cell.source.strip().splitlines()[0]}")
            for component in course.get("components", ()) if not listing.is_question(course["exercise"]) else ():
                reference.source(chapter(path), (component,))
        if "answer" not in course or all(name.startswith("answer_") for name in defined(cell.source)):
            continue
        if "# YOUR CODE HERE" not in cell.source:
            raise SystemExit(
                f"the answer cell of {course['answer']} in {path.name} has no line `# YOUR CODE HERE`: "
                "it says to a learner where to write"
            )
        for name in defined(cell.source):
            if differs := disagreement(cell.source, name, chapter(path)):
                raise SystemExit(f"{path.name}: {differs}")


def disagreement(stub: str, name: str, module: str) -> str:
    """What an answer cell promises of a function or class otherwise than the solution: the first line and docstring,
    and of a class those of the methods that are given; "" where they agree.
    """
    given, solution = (
        next((n for n in ast.parse(source).body if getattr(n, "name", None) == name), None)
        for source in (stub, reference.source(module, (name,)))
    )
    if given is None or solution is None:
        return f"{name} is no function or class in both the stub and solutions/{module}.py"
    ours, theirs = _promises(given), _promises(solution)
    for part, (line, docstring) in ours.items():
        there = theirs.get(part)
        if there is None:
            return f"the stub of {name} gives {part}, which solutions/{module}.py has not"
        if line != there[0]:
            return f"the stub says `{line}` where solutions/{module}.py says `{there[0]}`"
        if docstring != there[1]:
            return f"the docstring of {part} is another in the stub than in solutions/{module}.py"
    return ""


def _promises(node: ast.stmt, within: str = "") -> dict[str, tuple[str, str | None]]:
    """The first line, as Python writes it, and the docstring of a function, or of a class and its methods."""
    if isinstance(node, ast.FunctionDef):
        returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        line = f"def {node.name}({ast.unparse(node.args)}){returns}:"
        return {within + node.name: (line, ast.get_docstring(node))}
    if not isinstance(node, ast.ClassDef):
        return {}
    bases = f"({', '.join(map(ast.unparse, node.bases))})" if node.bases else ""
    promised = {node.name: (f"class {node.name}{bases}:", ast.get_docstring(node))}
    for method in node.body:
        promised |= _promises(method, f"{node.name}.")
    return promised


def to_text(path: Path) -> str:
    """A notebook as percent text, with the metadata an author sets and none of what is derived."""
    import jupytext  # for this and `from_text` alone

    notebook = read(path)
    for cell in notebook.cells:
        grader = cell.metadata.pop("nbgrader", {})
        course = cell.metadata.get("course", {})
        course.pop("timed", None)
        if "exercise" in course:
            course["points"] = grader["points"]
        for derived in ("deletable", "editable"):
            cell.metadata.pop(derived, None)
        if "course" in cell.metadata and not course:
            del cell.metadata["course"]
    return jupytext.writes(notebook, fmt="py:percent")
