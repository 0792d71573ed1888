"""Each thing stands once: the committed notebooks, the solutions, and what is made from both agree."""

import ast
import base64
import builtins
import functools
import itertools
import json
import re
import symtable
import textwrap
from pathlib import Path

import nbformat
import pytest

from autograde import reference
from course import checks
from course.chapters import chapter as texts
from tools.notebooks import as_text, files, listing, metadata, recording, refreshing, solving

ROOT = Path(__file__).resolve().parents[2]
PATHS = files.paths()
MAX_FIGURE = 60 * 1024
MAX_WORDS = 4_600  # of a chapter's text, exercises and questions included: each round of editing adds some
ROLES = re.compile(r"\{(ref|numref|eq|cite|cite:[pt]|term|doc|prf:ref)\}`|^\([a-z0-9-]+\)=$|^:label:", re.MULTILINE)
STUB = ("raise NotImplementedError", "raise NotImplementedError()")

every_notebook = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def code(notebook):
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert cells
    return cells


def answers(notebook):
    """Answer cells that ask for functions or classes, with the names they define."""
    cells = [c for c in code(notebook) if "answer" in c.metadata.get("course", {})]
    defined = [(c, [n for n in solving.defined(c.source) if not n.startswith("answer_")]) for c in cells]
    asked = [(c, names) for c, names in defined if names]
    assert asked
    return asked


def test_there_are_notebooks():
    assert [path.stem for path in PATHS][:3] == ["00-warm-up", "01-seq2seq", "02-bahdanau"]


@every_notebook
def test_normalizing_changes_no_byte(path, tmp_path):
    again = tmp_path / path.name
    files.write(metadata.normalize(files.read(path)), again)
    assert again.read_bytes() == path.read_bytes()


@every_notebook
def test_text_and_back_changes_no_byte(path, tmp_path, monkeypatch):
    """The lens for editing loses nothing: cells, metadata, ids, outputs."""
    monkeypatch.setattr(listing, "write_listed", lambda listed: None)
    copy, text = tmp_path / path.name, tmp_path / "edited.py"
    copy.write_bytes(path.read_bytes())
    text.write_text(as_text.to_text(path), "utf-8")
    as_text.from_text(text, copy)
    assert copy.read_bytes() == path.read_bytes()


def test_an_edited_cell_loses_its_output_and_no_other_does(tmp_path, monkeypatch):
    monkeypatch.setattr(listing, "write_listed", lambda listed: None)
    copy, text = tmp_path / PATHS[0].name, tmp_path / "edited.py"
    copy.write_bytes(PATHS[0].read_bytes())
    before = files.read(copy)
    edited = next(c for c in code(before) if c.outputs and "print(" in c.source)
    text.write_text(as_text.to_text(copy).replace(edited.source, edited.source + "\nprint('edited')"), "utf-8")
    as_text.from_text(text, copy)
    for old, new in zip(before.cells, files.read(copy).cells, strict=True):
        if old.source == edited.source:
            assert not new.outputs
        else:
            assert (old.id, old.get("outputs")) == (new.id, new.get("outputs"))


def test_the_registry_is_what_the_check_cells_say():
    listed = [exercise for path in PATHS for exercise in listing.declared(path)]
    assert json.loads(listing.EXERCISES.read_text("utf-8")) == listed
    assert {f"{e['name']}.npz" for e in listed if not e["question"]} == {
        file.name for file in recording.RECORDED.glob("*.npz")
    }


def exceptions(diagnosis):
    """What each case of a wrong answer raised, by the exception's name."""
    return [seen.raised and seen.raised[0] for seen in diagnosis.observations]


@every_notebook
@pytest.mark.usefixtures("observed_once")
def test_recorded_tables_are_fresh(path):
    """Recording again gives the same names and messages, and of every answer what is alike within a case's tolerance.

    A condition that came after a table leaves wrong answers in it as they were before, and so without their names.
    """
    from autograde import bank
    from course.checks.engine import recorded as tables
    from course.checks.engine.compare import alike
    from course.exercises import exercises

    coded = [exercise for exercise in exercises() if exercise.notebook == path.stem and not exercise.question]
    assert coded
    for exercise in coded:
        check = checks.find(exercise.name, exercise.chapter)
        recorded, live = tables.load(check), bank.recorded(exercise)
        assert [(m.name, m.message) for m in recorded.diagnoses] == [(m.name, m.message) for m in live.diagnoses]
        assert [exceptions(m) for m in recorded.diagnoses] == [exceptions(m) for m in live.diagnoses], exercise.name
        assert check.compare(live.reference, recorded).outcome == "pass", exercise.name
        stale = [
            (exercise.name, then.name, case.title)
            for then, now in zip(recorded.diagnoses, live.diagnoses, strict=True)
            for case, before, after in zip(check.cases, then.observations, now.observations, strict=True)
            if not alike(after, before, case)
        ]
        assert not stale


@every_notebook
def test_every_exercise_has_all_it_needs(path):
    chapter = texts(files.chapter(path))
    for exercise in listing.declared(path):
        name = exercise["name"]
        assert 1 <= exercise["difficulty"] <= 5 and 1 <= exercise["importance"] <= 5 and exercise["minutes"] > 0
        if not exercise["question"]:
            assert len(chapter["hints"][name]) == 3, f"{name} has not three hints"
            continue
        question = chapter["questions"][name]
        assert question["right"]
        if question["kind"] == "number":
            assert question["values"] and all(wrong["explanation"] for wrong in question["values"])
        else:
            assert set(question["answer"]) <= set(question["options"]) and all(question["options"].values())
    names = {e["name"] for e in listing.declared(path)}
    assert names and set(chapter["hints"]) | set(chapter["questions"]) == names, "a hint or question of no exercise"


@every_notebook
def test_every_answer_has_its_check_and_every_component_its_cell(path):
    notebook = files.read(path)
    asked = [component for e in listing.declared(path) for component in e["components"]]
    given = [n for c in code(notebook) if "answer" in c.metadata.get("course", {}) for n in solving.defined(c.source)]
    assert sorted(asked) == sorted(set(given) & set(asked)), "a part without its one answer cell"
    for exercise in listing.declared(path):
        cell = next(c for c in notebook.cells if c.id == f"{exercise['name']}-check")
        assert cell.source.strip() == f'check("{exercise["number"]}", {", ".join(exercise["components"])})'


@every_notebook
def test_stub_and_solution_agree(path):
    for cell, names in answers(files.read(path)):
        assert "# YOUR CODE HERE" in cell.source
        for name in names:
            assert not as_text.disagreement(cell.source, name, files.chapter(path))


@every_notebook
def test_no_answer_stands_in_a_notebook(path):
    """Neither the body of a solution, nor any six of its lines, in any cell or output of any notebook."""
    texts = _texts_of_notebooks()
    for _, names in answers(files.read(path)):
        for name in names:
            body = _own_lines(files.chapter(path), name, files.read(path))
            for i in range(max(1, len(body) - 5)):
                piece = _squeezed("".join(body[i : i + 6]))
                holding = [place for place, text in texts.items() if len(piece) >= 60 and piece in text]
                assert not holding, f"{', '.join(holding)} holds the answer to {name}"


@functools.cache
def _texts_of_notebooks() -> dict[str, str]:
    raw = {path.name: path.read_text("utf-8") for path in files.paths()}
    return {name: _squeezed(text.replace("\\n", "\n").replace('\\"', '"')) for name, text in raw.items()}


def _own_lines(chapter: str, name: str, notebook) -> list[str]:
    """The solution's lines that the notebook's stub does not give."""
    stub = next(c.source for c, names in answers(notebook) if name in names)
    given = {line.strip() for line in stub.splitlines()}
    return [line for line in reference.source(chapter, (name,)).splitlines() if line.strip() not in given]


def _squeezed(text: str) -> str:
    return re.sub(r'[\s",\\]+', "", text)


@every_notebook
def test_a_solved_notebook_binds_every_name_before_its_use(path):
    """Each name a cell uses at any depth is bound by that cell or an earlier one, or is Python's own."""
    bound = {*dir(builtins), "get_ipython", "__name__"}
    for cell in code(solving.solved(path)):
        source = "\n".join(line for line in cell.source.splitlines() if not line.lstrip().startswith(("%", "!")))
        table = symtable.symtable(source, cell.id, "exec")
        new = set(_bound(table))
        missing = set(_used(table)) - bound - new
        assert not missing, f"cell {cell.id} uses {', '.join(sorted(missing))}, which no earlier cell binds"
        bound |= new


def _bound(table, top=True):
    for symbol in table.get_symbols():
        if (
            (symbol.is_namespace() and top)
            or symbol.is_imported()
            or (symbol.is_assigned() and (top or symbol.is_global()))
        ):
            yield symbol.get_name()
    for child in table.get_children():  # `:=` within a comprehension binds out here
        if child.get_name() in ("genexpr", "listcomp", "setcomp", "dictcomp"):
            yield from _bound(child, top=False)


def _used(table):
    top = table.get_type() == "module"
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (
            symbol.is_global() or (top and not (symbol.is_assigned() or symbol.is_imported()))
        ):
            yield symbol.get_name()
    for child in table.get_children():
        yield from _used(child)


@every_notebook
def test_stored_outputs(path):
    """Checks and answers store nothing; no errors, no stderr, no object addresses; figures small, with alternative
    text.
    """
    for cell in code(files.read(path)):
        if refreshing.graded(cell):
            assert not cell.outputs and cell.execution_count is None, cell.id
            continue
        assert cell.execution_count, f"cell {cell.id} was never run"
        for output in cell.outputs:
            assert output.output_type != "error" and output.get("name") != "stderr", cell.id
            text = output.get("text", "") + output.get("data", {}).get("text/plain", "")
            assert not re.search(r" at 0x[0-9a-f]{6,}", text.replace("<IPython.core", "")) or "image" in str(
                output.data
            )
            for kind, data in output.get("data", {}).items():
                if kind.startswith("image/"):
                    size = len(data.encode()) if "svg" in kind else len(base64.b64decode(data))
                    assert size <= MAX_FIGURE, f"cell {cell.id}: a figure of {size} bytes"
                    alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
                    assert len(alt) > 20, f"cell {cell.id}: no alternative text"


@every_notebook
def test_prose_reads_well_unrendered(path):
    prose = [cell for cell in files.read(path).cells if cell.cell_type == "markdown"]
    assert prose
    for cell in prose:
        assert not ROLES.search(cell.source), f"cell {cell.id} uses what only the book resolves"


@every_notebook
def test_only_the_course_and_libraries_are_imported(path):
    for cell in code(files.read(path)):
        source = "\n".join(line for line in cell.source.splitlines() if not line.lstrip().startswith(("%", "!")))
        for node in ast.walk(ast.parse(source)):
            modules = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {m.split(".")[0] for m in modules} & {"solutions", "autograde", "tools", "benchmarks"}, cell.id


@every_notebook
def test_notebooks_are_valid(path):
    nbformat.validate(nbformat.read(path, as_version=nbformat.NO_CONVERT))
    assert textwrap.dedent(files.read(path).cells[0].source).startswith("# ")


# ---------------------------------------------------------------- what is shown


def ordinary(notebook):
    """Code cells of the chapter's own: no exercise, no set-up, with the cell before each."""
    for before, cell in itertools.pairwise(notebook.cells):
        tags = cell.metadata.get("tags", [])
        exercise = "nbgrader" in cell.metadata or set(cell.metadata.get("course", {})) - {"timed"}
        if cell.cell_type == "code" and not exercise and "set-up" not in tags:
            yield before, cell


def asserts(statement):
    """Whether a statement is an assertion, or a loop over nothing else."""
    loop = isinstance(statement, ast.For | ast.With)
    return isinstance(statement, ast.Assert) or (loop and all(map(asserts, statement.body)))


@every_notebook
def test_what_only_asserts_is_not_in_the_readers_way(path):
    """Assertions that end a cell stand in one of their own, which the book leaves out and JupyterLab folds."""
    asserting, left_out = 0, set()
    for _, cell in ordinary(files.read(path)):
        statements = [asserts(statement) for statement in ast.parse(cell.source).body]
        tags = set(cell.metadata.get("tags", []))
        if all(statements):
            assert "remove-cell" in tags and cell.metadata.jupyter.source_hidden, cell.source
            assert left_out <= tags, f"tag it as the cell before it, {left_out}: {cell.source}"
            asserting += 1
        else:
            assert not statements[-1], f"end this cell before its assertions, and put them into the next: {cell.source}"
            left_out = tags & {"skip-execution", "timing"}
    assert asserting


def wide(lines):
    """What does not fit beside the margin and in print."""
    return [line for line in lines if len(line) > 88]


@every_notebook
def test_a_chapters_text_stays_short(path):
    words = sum(len(cell.source.split()) for cell in files.read(path).cells if cell.cell_type == "markdown")
    assert 0 < words <= MAX_WORDS, "for what comes in, something goes: a chapter is to be finished"


@every_notebook
def test_no_line_of_code_is_longer_than_a_page_is_wide(path):
    """Of no cell, an exercise's included, but of those that the book leaves out."""
    shown = [cell for cell in code(files.read(path)) if "remove-cell" not in cell.metadata.get("tags", [])]
    assert any("answer" in cell.metadata.get("course", {}) for cell in shown)
    long = {cell.id: wide(cell.source.splitlines()) for cell in shown if wide(cell.source.splitlines())}
    assert not long, f"break these lines at 88 columns: {long}"


@pytest.mark.parametrize("path", sorted(ROOT.glob("solutions/*.py")), ids=lambda path: path.stem)
def test_no_line_of_a_solution_is_longer_than_a_page_is_wide(path):
    """The solution pages show them, and the stubs have their signatures and docstrings."""
    long = wide(path.read_text("utf-8").splitlines())
    assert not long, f"break these lines at 88 columns: {long}"


@pytest.mark.parametrize("path", sorted(ROOT.glob("book/solutions/[0-9]*.md")), ids=lambda path: path.stem)
def test_no_line_that_a_solution_page_includes_is_longer_than_a_page_is_wide(path):
    """Also from elsewhere, as an experiment's class beside the answer."""
    options = r"```\{literalinclude\} (\S+)\n(?::language: python\n)?:pyobject: (\w+)"
    page = path.read_text("utf-8")
    included = re.findall(options, page)
    assert len(included) == page.count("{literalinclude}")  # a chapter that begins has none yet
    for file, name in included:
        source = (path.parent / file).read_text("utf-8")
        (node,) = [node for node in ast.parse(source).body if getattr(node, "name", None) == name]
        assert not wide(source.splitlines()[node.lineno - 1 : node.end_lineno]), (file, name)


@every_notebook
def test_what_answers_a_question_is_folded_until_it_is_asked_for(path):
    """A cell with outputs right after a sentence that asks for a guess is tagged `guess`."""
    folded, notebook = 0, files.read(path)
    # what the book shows: between two of these cells only assertions may stand
    notebook.cells = [cell for cell in notebook.cells if "remove-cell" not in cell.metadata.get("tags", [])]
    for before, cell in ordinary(notebook):
        if before.cell_type == "code" and "guess" in before.metadata.get("tags", []) and cell.outputs:
            assert "guess" in cell.metadata.get("tags", []), f"it goes on with what is to be guessed: {cell.source}"
        last = re.split(r"(?<=[.?!:])\s+", before.source.rstrip())[-1]
        asks = before.cell_type == "markdown" and (last.endswith("?") or re.search(r"\b[Gg]uess\b", last))
        folded += "guess" in cell.metadata.get("tags", [])
        if asks and cell.outputs:
            assert "guess" in cell.metadata.get("tags", []), f"tag this cell `guess`, or do not ask: {last}"
    assert folded


def test_what_a_stuck_learner_is_sent_to_is_there():
    """The sections, exercises and questions that hints, explanations, diagnoses and solution pages name."""
    headings = [cell.source for path in PATHS for cell in files.read(path).cells if cell.cell_type == "markdown"]
    there = {
        ((kind or "section").lower(), number)
        for kind, number in re.findall(r"^#+ (?:(Exercise|Question) )?(\d+\.q?\d+)", "\n".join(headings), re.MULTILINE)
    }
    places = [*ROOT.glob("course/chapters/*.toml"), *ROOT.glob("course/checks/*.py")]
    places += [*ROOT.glob("autograde/bank/answers/*/*.py"), *ROOT.glob("book/solutions/*.md")]
    named = {
        (kind.lower(), number): path.name
        for path in places
        for kind, number in re.findall(
            r"\b(section|exercise|question)\s+(?:#\s+)?(\d+\.q?\d+)", path.read_text("utf-8"), re.IGNORECASE
        )
    }
    assert len(named) > 40
    assert {name: path for name, path in named.items() if name not in there} == {}
