"""Making the notebooks: `python -m tools.notebooks COMMAND [NOTEBOOK ...]`.

    to-text [NOTEBOOK ...]      write notebooks as percent text to `_build/text/`, to be edited there
    from-text [NOTEBOOK ...]    lay that text into the notebooks; unchanged cells keep their outputs
    solve [NOTEBOOK ...]        write `_build/solved/`: the solutions in their stubs' places
    record [NOTEBOOK ...]       record the numbers that the checks of a chapter compare with
    refresh [NOTEBOOK ...]      the same, then run the solved notebooks and store their outputs

NOTEBOOK is a number such as 02, a stem or a path. The committed notebook is the one source of prose, stubs and check
cells; what is derived from it (metadata that nbgrader wants, ids, checksums, `course/checks/recorded/`) is completed
here.
"""

import argparse
import ast
import copy
import hashlib
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import nbformat
import torch
from nbformat import NotebookNode
from tqdm import tqdm

from autograde import bank
from autograde.bank import reference
from autograde.bank.reader import BankError
from course.blank import left_to_write
from course.chapters import Unfinished, question
from course.chapters import chapter as texts
from course.checks.engine import recorded
from course.exercises import Exercise, exercises, meant
from course.files import replace

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"
RECORDED = ROOT / "course" / "checks" / "recorded"
EXERCISES = ROOT / "course" / "chapters" / "exercises.json"
SOLVED = ROOT / "_build" / "solved"
TEXTS = ROOT / "_build" / "text"

# The settings under which stored outputs are made and compared: one thread, no progress bars, checks that raise.
ENVIRONMENT = {
    "PYTHONPATH": str(ROOT),  # this tree's `course`, whichever tree the environment was made for
    "COURSE_STRICT": "1",
    "TQDM_DISABLE": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
}
# The first code cell of every notebook, kept the same in all of them by `normalise`; the book leaves it out.
GUARD_ID = "install-the-course"
GUARD = """\
# Needed only where the course is not installed, as in Colab: install the wheel that lies beside this notebook.
import importlib.util

if importlib.util.find_spec("course") is None:
    import subprocess
    import sys
    from pathlib import Path

    wheels = sorted(str(path) for path in Path.cwd().glob("attention_from_scratch_course-*.whl"))
    if not wheels:
        raise ModuleNotFoundError(
            f"the package `course` is not installed and no wheel of it lies in {Path.cwd()}: "
            "put attention_from_scratch_course-*.whl from the assignment's archive there and run this cell again"
        )
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", wheels[-1]], check=True)"""
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def paths(names: list[str] | None = None, folder: Path = NOTEBOOKS, kind: str = ".ipynb") -> list[Path]:
    """The notebooks meant by numbers, stems or paths, or the texts of them in another folder; all of them for none.

    Raises SystemExit naming what there is.
    """
    there = sorted(folder.glob(f"[0-9][0-9]-*{kind}"))
    if not names:
        return there
    chosen = []
    for name in names:
        named = meant(Path(name).stem, [path.stem for path in there])
        matches = [path for path in there if path.stem in named]
        if not matches:
            those = ", ".join(path.stem for path in there) or "none"
            raise SystemExit(f"no notebook {name!r} in {folder.relative_to(ROOT)}/; there are {those}")
        chosen += matches
    return chosen


def chapter(path: Path) -> str:
    """The chapter's module name: `02-bahdanau` belongs to `bahdanau`."""
    return path.stem.split("-", 1)[1].replace("-", "_")


def read(path: Path) -> NotebookNode:
    """A notebook, in format 4.5 or newer."""
    return nbformat.read(path, as_version=4)


def write(notebook: NotebookNode, path: Path) -> None:
    """Write a notebook whole or not at all, in the bytes that nbgrader would write."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace(path, nbformat.writes(notebook) + "\n")


# --- metadata -------------------------------------------------------------------------------------------------------


def normalise(notebook: NotebookNode) -> NotebookNode:
    """Complete what nbgrader and the course need: ids, kernel, nbgrader metadata, locks, checksums. In place."""
    from nbgrader.preprocessors import ComputeChecksums, LockCells  # which bring all of nbgrader along: a second

    notebook.metadata = NotebookNode(copy.deepcopy(METADATA))
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    _guard(notebook)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        course = cell.metadata.get("course", {})
        if "answer" in course:
            cell.metadata.nbgrader = _nbgrader(f"{course['answer']}-answer", solution=True)
        elif "exercise" in course:
            if "name" not in course:
                raise SystemExit(f"the check cell of exercise {course['exercise']} has no name in its metadata")
            points = course.pop("points", None)
            if points is None:
                points = cell.metadata.get("nbgrader", {}).get("points")
            if points is None:
                raise SystemExit(f"the check cell of exercise {course['exercise']} has no points")
            cell.metadata.nbgrader = _nbgrader(f"{course['name']}-check", grade=True, locked=True, points=float(points))
        if "nbgrader" in cell.metadata:
            cell.id = cell.metadata.nbgrader.grade_id
    _unique_ids(notebook)
    for step in (LockCells(), ComputeChecksums()):
        notebook, _ = step.preprocess(notebook, {})
    return notebook


def _guard(notebook: NotebookNode) -> None:
    """Put the cell that installs the course before the first code cell, or bring it up to date."""
    first = next((i for i, cell in enumerate(notebook.cells) if cell.cell_type == "code"), len(notebook.cells))
    if first == len(notebook.cells) or notebook.cells[first].source != GUARD:
        notebook.cells[:] = [cell for cell in notebook.cells if cell.id != GUARD_ID]
        notebook.cells.insert(first, nbformat.v4.new_code_cell(GUARD))
    notebook.cells[first].id = GUARD_ID
    notebook.cells[first].metadata = NotebookNode(tags=["set-up", "remove-cell"])


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


def declared(path: Path) -> list[dict[str, Any]]:
    """The exercises that a notebook's check cells declare, for `course/chapters/exercises.json`. Raises SystemExit
    where a cell leaves out what each must say.
    """
    return _declared(read(path), path)


def _declared(notebook: NotebookNode, path: Path) -> list[dict[str, Any]]:
    listed = []
    stubs = {c.metadata.course.answer: c.source for c in notebook.cells if "answer" in c.metadata.get("course", {})}
    for cell in notebook.cells:
        course = cell.metadata.get("course", {})
        if "exercise" not in course:
            continue
        if missing := [name for name in ("difficulty", "importance", "minutes") if name not in course]:
            raise SystemExit(f"{_check_cell(course, path)} has no {', '.join(missing)} in its metadata")
        components = course.get("components") or [f"answer_{course['exercise'].replace('.', '_')}"]
        listed.append({
            "number": course["exercise"], "name": course["name"], "chapter": chapter(path), "notebook": path.stem,
            "components": components, "points": cell.metadata.nbgrader.points, "difficulty": course["difficulty"],
            "importance": course["importance"], "minutes": course["minutes"],
            "stretch": course.get("stretch", False), "question": _is_question(course["exercise"]),
            "stub": left_to_write(stubs.get(course["name"], "")),
        })  # fmt: skip
    return listed


def write_exercises() -> None:
    """Make `course/chapters/exercises.json` from all notebooks. Raises SystemExit where a name stands twice."""
    _write_listed(_all_declared({}))


def _write_listed(listed: list[dict[str, Any]]) -> None:
    lines = ",\n".join(json.dumps(exercise, ensure_ascii=False) for exercise in listed)
    replace(EXERCISES, f"[\n{lines}\n]\n")


def _all_declared(instead: dict[Path, NotebookNode]) -> list[dict[str, Any]]:
    """The exercises of all notebooks, of which some stand in place of what is on the disk."""
    there = {path.stem: path for path in (*paths(), *instead)}
    listed = [
        exercise
        for _, path in sorted(there.items())
        for exercise in (_declared(instead[path], path) if path in instead else declared(path))
    ]
    for key in ("name", "number"):
        where: dict[str, list[str]] = {}
        for exercise in listed:
            where.setdefault(exercise[key], []).append(exercise["notebook"])
        if twice := [f"{value} in {' and '.join(places)}" for value, places in where.items() if len(places) > 1]:
            raise SystemExit(f"exercises with the same {key}: {', '.join(twice)}")
    return listed


def _is_question(number: str) -> bool:
    return re.fullmatch(r"\d+\.q\d+", number) is not None


def _check_cell(course: dict[str, Any], path: Path) -> str:
    return f"the check cell of exercise {course['exercise']} in {path.name}"


# --- text -----------------------------------------------------------------------------------------------------------


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
    made = normalise(fresh)
    listed = _all_declared({path: made})
    write(made, path)
    _write_listed(listed)


def _hold(notebook: NotebookNode, path: Path) -> None:
    """Raises SystemExit where a check cell's metadata are none, or not of its own check, or a stub is not the
    solution's; Unfinished where there is no such solution."""
    for cell in notebook.cells:
        course = cell.metadata.get("course", {})
        if "exercise" in course:
            what = _check_cell(course, path)
            needed = ("name", "points", "difficulty", "importance", "minutes")
            if missing := [name for name in needed if name not in course]:
                raise SystemExit(f"{what} has no {', '.join(missing)} in its metadata")
            for name in ("difficulty", "importance"):
                if course[name] not in (1, 2, 3, 4, 5):
                    raise SystemExit(f"{what} says {name} {course[name]}: it is one of 1, 2, 3, 4, 5")
            if not re.search(rf"check\([\"']{re.escape(course['exercise'])}[\"']", cell.source):
                raise SystemExit(f"{what} checks another number: {cell.source.strip().splitlines()[0]}")
            for component in course.get("components", ()) if not _is_question(course["exercise"]) else ():
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


# --- solving and running --------------------------------------------------------------------------------------------


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


def execute(notebook: NotebookNode, folder: Path, label: str) -> NotebookNode:
    """Run every cell, experiments too, in a fresh kernel; progress by cell on stderr."""
    from nbclient import NotebookClient  # the Jupyter client, which nothing else here needs

    os.environ.update(ENVIRONMENT)
    bar = tqdm(total=len(notebook.cells), desc=label, unit="cell", disable=not sys.stderr.isatty())
    client = NotebookClient(
        notebook,
        timeout=600,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        skip_cells_with_tag="never",  # `skip-execution` is for graders; a refresh runs the experiments
        on_cell_complete=lambda **_: bar.update(),
    )
    try:
        client.execute()
    finally:
        bar.close()
    return notebook


def graded(cell: NotebookNode) -> bool:
    """Whether a cell is an answer or a check: these store neither output nor count."""
    return bool(cell.metadata.get("nbgrader"))


def refresh(path: Path) -> None:
    """Record tables, run the solved notebook, store its outputs. A second refresh changes no byte."""
    notebook = normalise(read(path))
    write(notebook, path)
    write_exercises()
    record(chapter(path))
    ran = execute(solved(path), NOTEBOOKS, path.stem)
    count = 0
    for cell, run in zip(notebook.cells, ran.cells, strict=True):
        if cell.cell_type != "code":
            continue
        if graded(cell):
            cell.outputs, cell.execution_count = [], None
            continue
        count += 1
        digest = hashlib.sha1(cell.source.encode()).hexdigest()[:12]
        timed = "timing" in cell.metadata.get("tags", [])
        if timed and cell.metadata.get("course", {}).get("timed") == digest and cell.outputs:
            cell.execution_count = count
            continue
        if timed:
            cell.metadata.setdefault("course", NotebookNode())["timed"] = digest
        cell.outputs, cell.execution_count = _same_each_run(run.outputs, count), count
    write(normalise(notebook), path)


def _same_each_run(outputs: list[NotebookNode], count: int) -> list[NotebookNode]:
    """Outputs without what differs from run to run: counts, transient data, and where a stream was cut in two."""
    kept: list[NotebookNode] = []
    for output in outputs:
        if "execution_count" in output:
            output.execution_count = count
        output.pop("transient", None)
        if output.output_type == "stream" and kept and kept[-1].get("name") == output.name:
            kept[-1].text += output.text
        else:
            kept.append(output)
    return kept


def record(module: str) -> int:
    """Record the tables of a chapter's checks, from the solutions and the bank; remove those of no exercise. Returns
    how many files changed. Raises Unfinished where an exercise or question lacks something that a learner gets."""
    written = 0
    torch.set_num_threads(1)
    exercises.cache_clear()
    for exercise in exercises():
        if exercise.chapter != module:
            continue
        _complete(exercise)
        if not exercise.question:
            check = bank.check_of(exercise)
            content = recorded.dump(check, bank.recorded(exercise))
            file = RECORDED / f"{exercise.name}.npz"
            if not file.exists() or file.read_bytes() != content:
                replace(file, content)
                written += 1
    for file in RECORDED.glob("*.npz"):
        if file.stem not in {e.name for e in exercises()}:
            file.unlink()
    return written


def _complete(exercise: Exercise) -> None:
    """Raises Unfinished where the chapter's file has no three hints of an exercise, or no key of a question."""
    if exercise.question:
        question(exercise.name, exercise.chapter)
    elif (count := len(texts(exercise.chapter)["hints"].get(exercise.name, ()))) != 3:
        file = f"course/chapters/{exercise.chapter}.toml"
        raise Unfinished(f"{file} has {count} hints for {exercise.name} under [hints]: three are asked for")


def write_solved(path: Path) -> Path:
    """Write the solved notebook with the stored outputs, as nbval compares them, and return its path."""
    notebook = solved(path)
    for cell in notebook.cells:
        if "timing" in cell.metadata.get("tags", []):
            cell.metadata.tags = [*cell.metadata.tags, "nbval-ignore-output"]
    write(notebook, SOLVED / path.name)
    return SOLVED / path.name


def main(arguments: list[str]) -> None:
    """The command line; what an author forgot is told in a sentence."""
    try:
        _run(arguments)
    except (Unfinished, BankError) as error:
        raise SystemExit(str(error)) from None


def _run(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.notebooks", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("solve", "refresh", "record", "to-text", "from-text"):
        commands.add_parser(name).add_argument("notebook", nargs="*")
    options = parser.parse_args(arguments)
    if options.command == "from-text":
        for text in paths(options.notebook, TEXTS, ".py"):
            notebook = NOTEBOOKS / f"{text.stem}.ipynb"
            from_text(text, notebook)
            print(
                f"{notebook.relative_to(ROOT)}: {len(read(notebook).cells)} cells; {len(exercises())} exercises listed"
            )
        return
    for path in paths(options.notebook):
        if options.command == "to-text":
            TEXTS.mkdir(parents=True, exist_ok=True)
            text = TEXTS / f"{path.stem}.py"
            replace(text, to_text(path))
            print(text.relative_to(ROOT))
        elif options.command == "solve":
            print(write_solved(path).relative_to(ROOT))
        elif options.command == "record":
            write_exercises()
            written = record(chapter(path))
            print(f"{RECORDED.relative_to(ROOT)}: {written} tables of {path.stem} are new, the others as they were")
        else:
            refresh(path)
            print(f"{path.relative_to(ROOT)} is fresh")


if __name__ == "__main__":
    main(sys.argv[1:])
