"""What an assignment takes from earlier ones, and the references that come along with it.

A notebook imports components that students write in earlier chapters. Who has only this assignment has none of them, so
an archive brings their references: these definitions and all that they reach, and nothing else of those chapters'
solutions. Which of them, an instructor says (`POLICIES`).
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Mapping

from autograde import reference
from course.exercises import exercise_of, exercises, of_component
from course.wording import listed

# references: whatever a notebook takes comes along; due: only chapters that are named as due, or nothing is released;
# own: nothing comes along, and students bring what they wrote.
POLICIES = ("references", "due", "own")
_IMPORT = re.compile(r"^\s*from course\.components import (\([^)]*\)|[^\n#]+)", re.MULTILINE)


def taken(notebook: bytes) -> dict[str, str]:
    """Component -> the assignment that asks for it, of all that a notebook imports from assignments before it, in cells
    and in programs that its cells start."""
    content = json.loads(notebook)
    code = "\n".join("".join(cell["source"]) for cell in content["cells"] if cell["cell_type"] == "code")
    names = [name for imported in _IMPORT.findall(code) for name in re.findall(r"\w+", imported)]
    own = {
        exercise_of(cell["metadata"]["nbgrader"]["grade_id"])
        for cell in content["cells"]
        if cell["metadata"].get("nbgrader", {}).get("solution")
    }
    of = {name: of_component(name) for name in dict.fromkeys(names) if _asked_for(name)}
    return {name: exercise.notebook for name, exercise in of.items() if exercise.name not in own}


def _asked_for(name: str) -> bool:
    return any(name in e.components for e in exercises() if not e.question)


def modules(notebook: bytes, due: Collection[str], policy: str) -> dict[str, str]:
    """File name -> text of the package `solutions` that goes with a notebook, whole where a chapter is `due` (by
    module); empty where none does. Raises RuntimeError where the policy leaves out what the notebook takes, naming the
    assignments.
    """
    components = taken(notebook) if policy != "own" else {}
    wanted = {chapter: set(reference.names(chapter)) for chapter in due}
    for name in components:
        wanted.setdefault(of_component(name).chapter, set()).add(name)
    whole = _with_all_they_reach(wanted)
    if policy == "due" and (missing := sorted(set(whole) - set(due))):
        assignments = {e.chapter: e.notebook for e in exercises()}
        raise RuntimeError(
            f"it takes {listed(list(components), 20)}, and needs the solutions of "
            f"{listed([assignments[chapter] for chapter in missing], 20)}, which is not said to be due: add "
            + " ".join(f"--due {assignments[chapter].partition('-')[0]}" for chapter in missing)
            + ", or say --earlier references or --earlier own"
        )
    files = {f"{chapter}.py": reference.alone(chapter, names) for chapter, names in sorted(whole.items())}
    if policy == "own":  # a due chapter that rests on others is of use to those who have these
        files = {name: text for name, text in files.items() if name.removesuffix(".py") in due}
    files |= {f"{chapter}.py": reference.text(chapter) for chapter in due}
    if files:
        files["__init__.py"] = (
            f'"""References that came with an assignment."""\n\nCAME_ALONG = {tuple(sorted(components))!r}\n'
        )
    return files


def answers(files: Mapping[str, str], due: Collection[str] = ()) -> list[str]:
    """The numbers of the exercises whose answers stand in these modules, but for those of chapters that are due."""
    held = {
        name.removesuffix(".py"): {
            node.name for node in ast.parse(text).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))
        }
        for name, text in files.items()
    }
    return [
        e.number
        for e in exercises()
        if not e.question and e.chapter not in due and held.get(e.chapter, set()).intersection(e.components)
    ]


def _with_all_they_reach(wanted: dict[str, set[str]]) -> dict[str, set[str]]:
    """Chapter -> the names of its module that these need, through all that the modules import from each other."""
    needed: dict[str, set[str]] = {}
    todo = list(wanted.items())
    while todo:
        chapter, names = todo.pop()
        reached = reference.reached(chapter, tuple(names)) | needed.get(chapter, set())
        if reached != needed.get(chapter):
            needed[chapter] = reached
            todo += reference.imported(chapter, reached).items()
    return needed
