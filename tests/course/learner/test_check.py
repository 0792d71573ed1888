"""A learner's minute: check, hint, progress and passed parts, in real kernels and across restarts."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import course
from autograde import reference
from course.checks import questions
from course.exercises import by_number, exercises, of_component
from course.learner import check, progress
from tests.course.learner.conftest import text_of
from tests.processes import start

SOFTMAX = of_component("safe_softmax")
WRONG = "def safe_softmax(scores, dim=-1):\n    e = torch.exp(scores)\n    return e / e.sum(dim, keepdim=True)"
IMPORTS = (
    "import math\nimport torch\nimport torch.nn.functional as F\nfrom torch import Tensor, nn\nfrom course import *"
)


def check_of(exercise) -> str:
    return f'check("{exercise.number}", {", ".join(exercise.components)})'


def test_a_check_leaves_the_notebooks_random_numbers_where_they_were(learner):
    """What a cell draws after a check is what it would draw without: numbers in a stored output stay what they are."""
    answer = reference.source("multi_head", ("LearnedPositionalEncoding",))
    cells = learner(IMPORTS, answer, "torch.manual_seed(5); torch.rand(3)", "torch.manual_seed(5)",
                    check_of(of_component("LearnedPositionalEncoding")), "torch.rand(3)")  # fmt: skip
    assert float(text_of(cells[4])) > 0 and text_of(cells[5]) == text_of(cells[2])


def test_a_wrong_answer_gets_its_diagnosis_and_a_right_one_is_kept_for_later_notebooks(learner):
    helper = "SCALE = 1.0\ndef _shift(scores, dim):\n    return SCALE * (scores - scores.amax(dim, keepdim=True))"
    right = """
def safe_softmax(scores: Tensor, dim: int = -1) -> Tensor:
    print("noise of the answer's own")
    import warnings; warnings.warn("and a warning")
    e = torch.exp(_shift(scores, dim))
    return e / e.sum(dim, keepdim=True)
"""
    cells = learner(IMPORTS, WRONG, check_of(SOFTMAX), helper, right, check_of(SOFTMAX), "progress()",
                    "from course.components import safe_softmax as kept; kept(torch.zeros(2))")  # fmt: skip
    wrong, passed, table, kept = cells[2], cells[5], cells[6], cells[7]
    assert not wrong.outputs[0].get("traceback") and "<strong>Cause:</strong>" in text_of(wrong, "text/html")
    assert float(text_of(wrong)) < SOFTMAX.points and float(text_of(passed)) == SOFTMAX.points
    assert "noise" not in text_of(passed) and len(passed.outputs) == 1, "an answer's own output stays out of the table"
    assert "Your safe_softmax is kept as it is now" in text_of(passed, "text/html")
    assert f"{SOFTMAX.points:g} of" in text_of(table)
    assert f"safe_softmax: your own, from exercise {SOFTMAX.number}." in text_of(kept)
    # another notebook, after a restart: the helper and the constant came along
    (later,) = learner("from course.components import safe_softmax\nimport torch\nsafe_softmax(torch.zeros(2))")
    assert "your own" in text_of(later) and "tensor([0.5000, 0.5000])" in text_of(later)


def test_classes_that_rest_on_own_components_are_kept_with_what_they_reach(learner):
    cell, encoder = of_component("GRUCell"), of_component("Encoder")
    sources = [reference.source(e.chapter, e.components) for e in (cell, encoder)]
    cells = learner(IMPORTS, *sources, check_of(cell), check_of(encoder))
    for checked in (cells[3], cells[4]):
        assert "is kept as it is now" in text_of(checked, "text/html"), text_of(checked, "text/html")
    use = "GRUCell(3, 5)(torch.zeros(2, 3), torch.zeros(2, 5)).shape"
    (later,) = learner(f"from course.components import Encoder, GRUCell\nimport torch\n{use}")
    assert text_of(later).count("your own") == 2 and "torch.Size([2, 5])" in text_of(later)


def test_a_component_that_has_not_passed_names_the_way_on(learner):
    refused, chosen, used, unknown = learner(
        "from course.components import safe_softmax",
        "from course import use_reference; use_reference('safe_softmax')",
        "from course.components import safe_softmax; safe_softmax.__module__",
        "from course.components import telepathy",
    )
    assert f"exercise {SOFTMAX.number}" in text_of(refused) and "use_reference" in text_of(refused)
    assert "the reference is used until" in text_of(chosen)
    assert "the reference, as you chose" in text_of(used) and "solutions.warm_up" in text_of(used)
    assert "no exercise of the course asks for 'telepathy'" in text_of(unknown)


def test_hints_climb_and_stop(learner):
    cells = learner("from course import hint", *[f'hint("{SOFTMAX.number}")'] * 4)
    seen = [text_of(cell, "text/markdown") for cell in cells[1:]]
    assert [s.count("hint") for s in seen] == [1, 2, 3, 3] and "last one" in seen[2]


@pytest.mark.parametrize(("variable", "value"), [("COURSE_STRICT", "1"), ("NBGRADER_EXECUTION", "validate")])
def test_where_a_failure_must_stop_the_run_it_shows_the_table_alone(learner, monkeypatch, variable, value):
    monkeypatch.setenv(variable, value)
    cells = learner(IMPORTS, WRONG, check_of(SOFTMAX))
    (output,) = cells[2].outputs
    assert output.output_type == "error" and "File" not in text_of(cells[2])
    assert f"of {SOFTMAX.points:g} points" in text_of(cells[2])


def test_under_grading_a_check_gives_a_number_and_the_reference_is_silent(learner, monkeypatch, tmp_path):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    cells = learner(IMPORTS, WRONG, check_of(SOFTMAX), "from course.components import safe_softmax")
    assert 0 <= float(text_of(cells[2])) < SOFTMAX.points
    assert not cells[3].outputs and not (tmp_path / ".course").exists()


@pytest.fixture
def home(tmp_path, monkeypatch):
    for name in ("COURSE_STRICT", "NBGRADER_EXECUTION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COURSE_HOME", str(tmp_path / ".course"))
    return tmp_path / ".course"


def question(kind: str):
    from course.chapters import chapter

    for exercise in exercises():
        if exercise.question and chapter(exercise.chapter)["questions"][exercise.name]["kind"] == kind:
            return exercise, chapter(exercise.chapter)["questions"][exercise.name]
    raise AssertionError(f"no question of kind {kind}")


def test_questions_of_several_choices(home):
    exercise, key = question("several")
    assert course.check(exercise.number, ...).verdict.outcome == "not answered"
    assert "Choose among" in course.check(exercise.number, ["no such option"]).verdict.message
    everything = course.check(exercise.number, list(key["options"]))
    assert [case.message for case in everything.verdict.cases] == list(key["options"].values()), (
        "every option explained"
    )
    assert float(everything) == 0 or set(key["options"]) == set(key["answer"])
    assert float(course.check(exercise.number, set(key["answer"]))) == exercise.points
    assert float(course.check(exercise.number, [a.upper() for a in key["answer"]])) == exercise.points
    assert float(course.check(exercise.number, ", ".join(key["answer"]))) == exercise.points


def test_questions_of_a_number(home):
    exercise, key = question("number")
    assert float(course.check(exercise.number, key["answer"])) == exercise.points
    assert float(course.check(exercise.number, key["answer"] + 2 * key["tolerance"] + 1e-9)) == 0
    assert course.check(exercise.number, "many").verdict.outcome == "not answered"
    assert course.check(exercise.number, True).verdict.outcome == "not answered"
    for wrong in key["values"]:
        assert course.check(exercise.number, wrong["value"]).verdict.cases[0].message == wrong["explanation"]


def test_a_named_wrong_value_is_explained_to_its_neighbors_alone():
    values = [{"value": value, "explanation": str(value)} for value in (0, 1, 16, 15.9)]
    key = {"kind": "number", "answer": 256, "tolerance": 0.5, "right": "right", "otherwise": "no", "values": values}
    messages = {0: "0", 0.5: "no", 1 / 16: "no", 0.96: "1", 16: "16", 15.9: "15.9", 256.4: "right"}
    assert {answer: questions._number(key, answer).cases[0].message for answer in messages} == messages


def test_an_unknown_number_or_another_count_of_components_is_said_with_what_there_is(home):
    with pytest.raises(ValueError, match=r"no exercise '0\.99'; there are 0\.1"):
        course.check("0.99", None)
    with pytest.raises(ValueError, match="safe_softmax"):
        course.check(SOFTMAX.number)
    with pytest.raises(ValueError, match=r"themselves: check\('0\.3', safe_softmax\)"):
        course.check("0.3", None)
    assert by_number(SOFTMAX.number) == SOFTMAX


@pytest.mark.parametrize("call", [lambda number: check.check(number, len), course.hint])
def test_a_number_that_python_shortens_is_asked_for_in_quotes(home, call):
    with pytest.raises(ValueError, match=r"6\.1 may be '6\.1' or '6\.10'"):
        call(6.10)


def test_what_another_exercise_asks_for_is_not_judged_as_this_one(home):
    """A learner's own copy of a notebook keeps the numbers that it had."""
    from solutions.warm_up import pairwise_scores, safe_softmax

    with pytest.raises(ValueError, match=r"exercise 0.2 asks for pairwise_scores, and safe_softmax is exercise 0.3"):
        course.check("0.2", safe_softmax)
    assert course.check("0.2", pairwise_scores).verdict.passed


def test_points_show_names_safely(home):
    """What a student's code says in an error reaches the page as text, never as markup."""

    def hostile(scores, dim=-1):
        raise ValueError("<script>alert(1)</script>")

    page = course.check(SOFTMAX.number, hostile)._repr_html_()
    assert "<script>" not in page and "&lt;script&gt;" in page


def test_the_best_points_stay_and_an_unreadable_record_is_put_aside(home, capsys):
    course.check(SOFTMAX.number, reference.module(SOFTMAX.chapter).safe_softmax)
    course.check(SOFTMAX.number, lambda scores, dim=-1: scores)
    assert progress.read()["exercises"][SOFTMAX.name]["points"] == SOFTMAX.points
    (home / "progress.json").write_text("{ torn")
    assert progress.read() == {"exercises": {}, "reference": []}
    assert "put aside" in capsys.readouterr().out and list(home.glob("progress-unreadable-*.json"))


def _record_many(home: str, names: list[str]) -> None:
    os.environ["COURSE_HOME"] = home
    for name in names:
        progress.next_hint(name, 10**6)


def test_two_notebooks_at_once_lose_nothing(home):
    writers = [start(_record_many, str(home), ["a", "b"] * 40) for _ in range(2)]
    for writer in writers:
        writer.join(120)
    state = json.loads((home / "progress.json").read_text())
    assert {n: e["hints"] for n, e in state["exercises"].items()} == {"a": 80, "b": 80}


def test_a_folder_that_cannot_be_written_stops_nothing(home, capsys, monkeypatch):
    monkeypatch.setenv("COURSE_HOME", "/proc/nowhere")
    points = course.check(SOFTMAX.number, lambda scores, dim=-1: scores)
    assert isinstance(points, check.Points) and "could not be kept" in capsys.readouterr().out
    assert [f"hint {step} of 3" in course.hint(SOFTMAX.number) for step in (1, 2, 3)] == [True] * 3


def test_the_package_imports_without_solutions_and_grader(tmp_path):
    """What a learner installs from the wheel: `course` alone."""
    import shutil

    shutil.copytree(Path(course.__file__).parent, tmp_path / "course")
    code = (
        "import course, sys\n"
        "assert not {'solutions', 'autograde'} & set(sys.modules)\n"
        "print(course.check('0.1', lambda *sizes: None))"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "COURSE_HOME": str(tmp_path / "home")}
    result = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
