"""The solved notebook: a solution in each stub's place. It is made, and never committed."""

import ast
from pathlib import Path

from nbformat import NotebookNode

from autograde import reference
from course.chapters import question
from tools.notebooks.files import ROOT, chapter, read, write
from tools.notebooks.listing import declared

SOLVED = ROOT / "_build" / "solved"


def solved(path: Path) -> NotebookNode:
    """The notebook with each stub replaced by the solution's source and each question by its key."""
    notebook, module = read(path), chapter(path)
    questions = {f"answer_{e['number'].replace('.', '_')}": e["name"] for e in declared(path) if e["question"]}
    for cell in notebook.cells:
        if "answer" not in cell.metadata.get("course", {}):
            continue
        names = defined(cell.source)
        if len(names) == 1 and names[0] in questions:
            key = question(questions[names[0]], module)["answer"]
            cell.source = f"{names[0]} = {key!r}"
        else:
            cell.source = reference.source(module, tuple(names))
    return notebook


def defined(source: str) -> list[str]:
    """Names that a cell's top level defines as function, class or variable."""
    names = []
    for node in ast.parse(source).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.append(node.name)
        elif isinstance(node, ast.Assign):
            names += [target.id for target in node.targets if isinstance(target, ast.Name)]
    return names


def write_solved(path: Path) -> Path:
    """Write the solved notebook with the stored outputs, as nbval compares them, and return its path."""
    notebook = solved(path)
    for cell in notebook.cells:
        if "timing" in cell.metadata.get("tags", []):
            cell.metadata.tags = [*cell.metadata.tags, "nbval-ignore-output"]
    write(notebook, SOLVED / path.name)
    return SOLVED / path.name
