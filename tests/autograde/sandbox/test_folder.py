"""What a submission finds beside it: nothing that checks, hints or knows an answer."""

import ast
from dataclasses import dataclass

import pytest

from autograde.sandbox import folder
from course.chapters import chapter
from course.exercises import exercises


@dataclass
class Cell:
    index: int
    source: str


@pytest.fixture(scope="module")
def inside(tmp_path_factory):
    place = tmp_path_factory.mktemp("inside") / "inside"
    place.mkdir()
    folder.fill(place)
    return place


def test_no_key_hint_or_right_form_is_there(inside):
    """By their words: each hint, each explanation of a question, and each right form's name."""
    text = "\n".join(path.read_text("utf-8", errors="replace") for path in inside.rglob("*") if path.is_file())
    assert {exercise.question for exercise in exercises()} == {False, True}
    for exercise in exercises():
        of = chapter(exercise.chapter)
        assert exercise.question or of["hints"][exercise.name]
        for hint in of["hints"].get(exercise.name, []):
            assert hint not in text, exercise.name
        if exercise.question:
            assert of["questions"][exercise.name]["right"] not in text, exercise.name
    assert "RIGHT_SPLIT_HEADS" not in text and "CheckOfTest" not in text


def test_models_of_later_chapters_are_not_there(tmp_path):
    """One of them may be the answer."""
    for place in ("solutions", "course/fixtures"):
        (tmp_path / place).mkdir(parents=True)
    fixtures = tmp_path / "course" / "fixtures"
    folder.lay(tmp_path, [], {"multi_head", "warm_up", "dot_product"})
    assert {path.name for path in fixtures.iterdir()} == {"multi_head.py", "warm_up.py"}
    folder.lay(tmp_path, [])
    assert {path.name for path in fixtures.iterdir()} == {p.name for p in folder._course().glob(folder.FIXTURES)}


def test_of_the_grader_one_folder_is_there_which_imports_nothing_of_it(inside):
    there = {path.name for path in (inside / "inside").iterdir()}
    assert there == {path.name for path in folder._INSIDE.glob("*.py")} and "__main__.py" in there
    assert not list(inside.rglob("autograde"))
    for path in folder._INSIDE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module] if node.level == 0 else []
                assert node.level <= 1, path.name
            assert not any(f"{name}.".startswith("autograde.") for name in names), path.name


def test_every_pattern_leaves_something_out():
    ours = folder._course()
    assert folder.ABSENT and all(any(ours.glob(pattern)) for pattern in folder.ABSENT)


def test_it_names_what_the_course_names(inside):
    """What a notebook imports of `course` is there, and does nothing where a learner would be told something."""
    names = {
        place: next(ast.literal_eval(node.value) for node in ast.parse(path.read_text("utf-8")).body
                    if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")
        for place, path in (("outside", folder._course() / "__init__.py"),
                            ("inside", inside / "course" / "__init__.py"))
    }  # fmt: skip
    assert names["inside"] == names["outside"]


CALLS = """
import course
from course import check, hint, progress, use_reference
def pairwise_scores(queries, keys):
    return queries @ keys.T
assert check("0.2", pairwise_scores) == 1
hint("0.2"); progress(); use_reference("safe_softmax"); course.figure("score-matrix")
"""
LOOKS = """
import importlib
found = []
for name in ("course.checks", "course.checks.engine", "course.checks.warm_up", "course.checks.recorded",
             "course.learner.check", "course.learner.hints"):
    try:
        importlib.import_module(name)
        found.append(name)
    except ImportError:
        pass
from course.chapters import chapter
try:
    found.append(chapter("warm_up"))
except Exception:
    pass
print(found)
"""


@pytest.mark.sandbox
def test_a_cell_that_checks_itself_goes_on_and_one_that_looks_for_answers_finds_none(warm_sandbox):
    with warm_sandbox.run([Cell(0, CALLS), Cell(1, LOOKS)]) as child:
        ran = dict(child.ran)
    assert [ran[0].error, ran[1].error] == [None, None]
    assert not ran[0].outputs and ran[1].outputs[0]["text"] == "[]\n"


LOOKS_FOR_WHAT_RUNS_IT = """
import sys
print([name for name in sys.modules if name.partition(".")[0] == "inside"])
import inside.output
inside.output.Tape.finish = None
"""


@pytest.mark.sandbox
def test_what_runs_the_cells_is_not_where_an_import_looks(warm_sandbox):
    with warm_sandbox.run([Cell(0, LOOKS_FOR_WHAT_RUNS_IT), Cell(1, "print('as before')")]) as child:
        ran = dict(child.ran)
    assert ran[0].error is None and ran[0].outputs[0]["text"] == "[]\n"
    assert ran[1].outputs[0]["text"] == "as before\n"


OWN = """
def masked_softmax(scores, mask):
    return "mine"
"""
IMPORTS = """
from course.components import masked_softmax as own
print(own(1, 2))
try:
    from course.components import AdditiveAttention
except ImportError as error:
    print("exercise 2.3" in str(error))
"""


@pytest.mark.sandbox
def test_a_component_of_the_same_notebook_is_its_own(warm_sandbox):
    """As it is for a learner, whose check has kept it: the reference is not there, and another is not answered yet."""
    with warm_sandbox.run([Cell(0, OWN), Cell(1, IMPORTS)]) as child:
        ran = dict(child.ran)
    assert ran[1].error is None and ran[1].outputs[0]["text"] == "mine\nTrue\n"
