"""A blank costs what it is worth itself, and nothing of what comes after it.

A right answer earns the same whatever stands before it: on its own, behind blanks, and among right, wrong and blank
answers in one submission, which is what most submissions are.
"""

import ast
import json
import random
from itertools import zip_longest

import nbformat
import pytest

from autograde import bank
from autograde.bank.sample import Sheet
from autograde.grading import dependencies, judge
from autograde.intake.merge import Cell, merged_notebook
from course.checks.engine import Key, Outcome, Verdict
from course.exercises import exercises
from tests.autograde import toy
from tools.notebooks import files

pytestmark = pytest.mark.usefixtures("observed_once")


@pytest.fixture
def handed_in(chapter_worker):
    """(the assignment's sheet, what the grader makes of these answers with all others left as they were given out)."""
    (path,) = files.paths([chapter_worker.name])
    sheet = Sheet(path.read_bytes(), chapter_worker.name)

    def judged(answers: dict[str, str]) -> dict[str, Verdict]:
        content = nbformat.reads(sheet.filled(answers).decode(), 4)
        return chapter_worker._judge(merged_notebook(chapter_worker.notebook, content)).verdicts

    return sheet, judged


def lost(sheet, verdicts, right) -> list:
    """The right answers that did not get their points."""
    return [
        (e.number, e.name, verdicts[e.name])
        for e in sheet.exercises
        if e.name in right and verdicts[e.name].fraction < 1
    ]


# ---------------------------------------------------------------- the course's own assignments


@pytest.mark.sandbox
@pytest.mark.slow
def test_an_exercise_answered_alone_earns_what_it_earns_beside_right_ones(handed_in):
    """All of them: so it is seen, too, that every exercise which one rests on is found."""
    sheet, judged = handed_in
    for exercise in sheet.tasks:
        verdicts = judged({exercise.name: sheet.right[exercise.name]})
        assert not lost(sheet, verdicts, {exercise.name})
        assert all(v.outcome == "not answered" for name, v in verdicts.items() if name != exercise.name)


@pytest.mark.sandbox
def test_what_stands_behind_blanks_earns_its_points(handed_in, full):
    sheet, judged = handed_in
    for first in range(1, len(sheet.exercises)) if full else (len(sheet.exercises) // 2,):
        answered = {e.name: sheet.right[e.name] for e in sheet.exercises[first:]}
        verdicts = judged(answered)
        assert not lost(sheet, verdicts, answered)
        assert all(verdicts[e.name].outcome == "not answered" for e in sheet.exercises[:first])


@pytest.mark.sandbox
def test_right_answers_keep_their_points_among_wrong_and_blank_ones(handed_in, full):
    sheet, judged = handed_in
    draw, drawn = random.Random(f"{sheet.exercises[0].chapter} 7"), set()
    for _ in range(25 if full else 2):
        answers, right, wrong = {}, set(), set()
        for exercise in sheet.exercises:
            kind = draw.choice(("right", "right", "wrong", "blank"))
            if kind == "right":
                answers[exercise.name] = sheet.right[exercise.name]
                right.add(exercise.name)
            elif kind == "wrong" and not exercise.question:
                answers[exercise.name] = draw.choice(bank.find(exercise).wrong).source
                wrong.add(exercise.name)
        drawn |= wrong
        verdicts = judged(answers)
        assert not lost(sheet, verdicts, right)
        for exercise in sheet.exercises:
            if exercise.name not in right | wrong:
                assert verdicts[exercise.name] == Verdict(Outcome.NOT_ANSWERED)
            elif exercise.name in wrong:
                assert verdicts[exercise.name].fraction < 1
                assert verdicts[exercise.name].outcome != "not answered"
    assert drawn, "no wrong answer among them: draw otherwise"


@pytest.mark.parametrize("name", sorted({e.notebook for e in exercises()}))
def test_a_stub_is_blank_however_little_is_left_of_it_and_every_answer_of_the_answer_bank_is_not(name):
    """From the text alone: nothing runs here."""
    (path,) = files.paths([name])
    sheet, assignment = Sheet(path.read_bytes(), name), files.read(path)

    def blank(answers):
        return merged_notebook(assignment, nbformat.reads(sheet.filled(answers).decode(), 4)).unanswered

    stubs = {cell.id.removesuffix("-answer"): cell.source for cell in assignment.cells if cell.id.endswith("-answer")}
    everything = set(stubs)
    assert blank({}) == blank({n: ast.unparse(ast.parse(s)) for n, s in stubs.items()}) == everything
    assert blank(dict.fromkeys(stubs, "# nothing yet\npass")) == everything
    raised = {e.name: "\n".join(f"def {name}(*args):\n    raise NotImplementedError('later')" for name in e.components)
              for e in sheet.tasks}  # fmt: skip
    assert blank(raised) == everything
    assert not blank(sheet.right)
    for of_each in zip_longest(*((*bank.find(e).wrong, *bank.find(e).correct) for e in sheet.tasks)):
        answers = {e.name: answer for e, answer in zip(sheet.tasks, of_each, strict=True) if answer is not None}
        unanswered = blank({name: answer.source for name, answer in answers.items()})
        for name, answer in answers.items():
            unchanged = ast.dump(ast.parse(answer.source)) == ast.dump(ast.parse(stubs[name]))  # a bug to be found
            assert (name in unanswered) == unchanged, answer.name


# ---------------------------------------------------------------- odd forms, on the toy


RIGHT = {
    "scale": "def scale(x, factor):\n    return x * factor",
    "centre": "def centre(x):\n    return x - x.mean(0)",
    "standardise": "def standardise(x):\n    c = centre(x)\n    return c / (c**2).mean(0).sqrt()",
}
STUB = {
    "scale": "def scale(x, factor):\n    raise NotImplementedError",
    "centre": "def centre(x):\n    raise NotImplementedError",
    "standardise": "def standardise(x):\n    raise NotImplementedError",
}


@pytest.fixture
def judged(toy_notebook, warm_sandbox):
    """What the grader makes of the toy with these answers, and with cells added behind the last of them."""
    sheet, tables = Sheet(toy_notebook.read_bytes(), toy.NAME), judge.tables(toy.NAME, Key.public(5))

    def verdicts(answers: dict[str, str], *added: str) -> dict[str, Verdict]:
        def put(cells):
            new = [{"cell_type": "code", "id": f"new-{i}", "metadata": {}, "source": source, "outputs": [],
                    "execution_count": None} for i, source in enumerate(added)]  # fmt: skip
            return [*cells, *new]

        content = nbformat.reads(json.dumps(json.loads(sheet.filled(answers, put))), 4)
        merged = merged_notebook(nbformat.reads(toy.notebook().decode(), 4), content)
        return (
            judge.SubmissionJudge(warm_sandbox, merged.cells, sheet.exercises, tables, merged.unanswered)
            .judge()
            .verdicts
        )

    return verdicts


def summed(verdicts):
    maximum = {e.name: e.points for e in judge.of_assignment(toy.NAME)}
    return {name: (v.outcome, v.points(maximum[name]), v.substituted) for name, v in verdicts.items() if v.fraction}


@pytest.mark.sandbox
@pytest.mark.parametrize(
    "blank",
    [STUB["centre"], "", "# later", "def centre(x):\n    pass", "def centre(x):\n    '''Later.'''\n    ...", "pass"],
)
def test_what_rests_on_a_blank_is_judged_with_a_right_one_in_its_place(judged, blank):
    verdicts = judged({"centre": blank, "standardise": RIGHT["standardise"]})
    assert verdicts["centre"] == Verdict(Outcome.NOT_ANSWERED)
    assert summed(verdicts) == {"standardise": ("pass", 3.0, ("centre",))}


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("centre", "message"),
    [
        ("def centre(x):\n    mean = x.mean(0)\n    raise NotImplementedError", "not written yet"),
        ("def centre(x):\n    mean = x.mean(0)\n    raise NotImplementedError('the rest')", "the rest"),
        ("def middle(x):\n    return x - x.mean(0)", "There is no `centre`"),
        ("def middle(x):\n    ...\ndef centre(x):\n    return middle(x)[0]", "TypeError"),
        (STUB["centre"] + "\nprint(centre(torch.ones(2, 2)))", "stopped with NotImplementedError in line 2"),
        ("centre = mean", "NameError"),
    ],
)
def test_an_answer_that_was_begun_is_told_what_it_lacks(judged, centre, message):
    """It is wrong rather than blank, and costs no other exercise."""
    verdicts = judged({"centre": centre, "standardise": RIGHT["standardise"]})
    verdict = verdicts["centre"]
    assert (verdict.outcome, verdict.fraction) == ("error", 0.0)
    assert message in verdict.message + "".join(case.message for case in verdict.cases)
    assert summed(verdicts) == {"standardise": ("pass", 3.0, ("centre",))}


@pytest.mark.sandbox
def test_what_rests_on_a_blank_through_cells_of_its_own_is_found(judged):
    helpers = "OFFSET = 0 * centre(torch.ones(2, 2))[0, 0]\ndef middle(x):\n    return centre(x) + OFFSET"
    answer = "def scale(x, factor):\n    return x * factor\nTWICE = scale"
    standardise = f"{helpers}\ndef standardise(x):\n    return middle(x) / (middle(x) ** 2).mean(0).sqrt()"
    verdicts = judged({"scale": answer, "standardise": standardise})
    assert summed(verdicts) == {"scale": ("pass", 2.0, ()), "standardise": ("pass", 3.0, ("centre",))}


@pytest.mark.sandbox
@pytest.mark.parametrize("place", ["the same cell", "an added cell", "a later answer"])
def test_the_reference_stands_where_the_wrong_answer_really_stands(judged, place):
    """A part that did not pass may be bound outside its own cell, which is blank then."""
    wrong = "def centre(x):\n    return x + 1"
    if place == "the same cell":
        verdicts = judged({"standardise": f"{wrong}\n\n\n{RIGHT['standardise']}"})
    elif place == "a later answer":
        verdicts = judged({"centre": wrong, "standardise": f"{RIGHT['standardise']}\ncentre = lambda x: x + 1"})
    else:
        verdicts = judged({"centre": wrong, "standardise": RIGHT["standardise"]}, "centre = torch.add")
    assert verdicts["centre"].outcome in ("fail", "error")
    assert summed(verdicts) == {"standardise": ("pass", 3.0, ("centre",))}


@pytest.mark.sandbox
def test_a_blank_that_is_answered_in_another_cell_is_judged(judged):
    verdicts = judged({"standardise": RIGHT["standardise"]}, "centre = lambda x: x - x.mean(0)")
    assert summed(verdicts) == {"centre": ("pass", 2.0, ()), "standardise": ("pass", 3.0, ())}


@pytest.mark.sandbox
def test_who_passes_with_a_right_one_before_it_stands_on_its_own_for_those_after_it(judged):
    """`centre` rests here on `scale`, which is blank; `standardise` uses a name that only this `centre` has."""
    centre = "def centre(x):\n    return scale(x, 1) - x.mean(0)\ncentre.root = lambda x: (x**2).mean(0).sqrt()"
    standardise = "def standardise(x):\n    c = centre(x)\n    return c / centre.root(c)"
    verdicts = judged({"centre": centre, "standardise": standardise})
    assert summed(verdicts) == {"centre": ("pass", 2.0, ("scale",)), "standardise": ("pass", 3.0, ("scale",))}


@pytest.mark.sandbox
def test_an_answer_cell_that_stops_at_a_blank_one_is_judged_without_that_stop(judged):
    """The learner tried it out below the answer, or made a table with it."""
    standardise = "TABLE = centre(torch.eye(3))\n" + RIGHT["standardise"] + "\nprint(standardise(torch.eye(3)))"
    verdicts = judged({"standardise": standardise})
    assert summed(verdicts) == {"standardise": ("pass", 3.0, ("centre",))}


@pytest.mark.sandbox
def test_a_wrong_answer_behind_a_blank_gets_its_own_diagnosis(judged):
    """And not that something is not written, which is no mistake of this answer's."""
    exercise = next(e for e in judge.of_assignment(toy.NAME) if e.name == "standardise")
    for wrong in bank.find(exercise).wrong:
        source = wrong.source
        behind, beside = judged({"standardise": source}), judged({"centre": RIGHT["centre"], "standardise": source})
        verdict, expected = behind["standardise"], beside["standardise"]
        assert (verdict.outcome, verdict.fraction, verdict.diagnosis) == (
            expected.outcome,
            expected.fraction,
            expected.diagnosis,
        ), wrong.name
        assert not any("not written yet" in case.message for case in verdict.cases)


@pytest.mark.sandbox
@pytest.mark.parametrize("scale", [STUB["scale"], "def scale(x, factor):\n    return x + factor + 1"])
def test_a_question_that_is_answered_by_what_another_asks_for_has_its_second_look(judged, scale):
    question = "answer_0_q1 = float(scale(torch.ones(1, 1), {}))"
    verdict = judged({"scale": scale, "question_mean": question.format(0)})["question_mean"]
    assert verdict.passed and verdict.substituted == ("scale",)
    verdict = judged({"scale": scale, "question_mean": question.format(3)})["question_mean"]
    assert verdict.outcome == "fail" and not verdict.fraction
    assert judged({"scale": scale, "question_mean": "answer_0_q1 = None"})["question_mean"].outcome == "not answered"


@pytest.mark.sandbox
def test_a_question_whose_cell_stops_at_what_nobody_asks_for_is_no_blank(judged):
    verdict = judged({"question_mean": "answer_0_q1 = float(undefined(2.0, 3))"})["question_mean"]
    assert verdict.outcome == "error" and "stopped with NameError in line 1" in verdict.message


def test_a_reference_that_is_substituted_takes_its_names_from_every_cell(toy_notebook):
    among = judge.of_assignment(toy.NAME)
    cells = [
        Cell(0, "c0", "import torch\ncentre = None", "given"),
        Cell(1, "c1", STUB["centre"], "answer", "centre", "centre-answer"),
        Cell(2, "c2", "def standardise(x):\n    return centre(x)", "answer", "standardise", "standardise-answer"),
        Cell(3, "c3", "centre = torch.relu", "added"),
    ]
    scale, centre, standardise, *_ = among
    substituted = dependencies.with_reference(cells, among, standardise, ["centre"])
    assert [cell.index for cell in substituted] == [0, 1, 4, 2, 3, 5]
    for judged in (scale, centre):  # neither for what is judged nor for what comes later
        assert dependencies.with_reference(cells, among, judged, ["centre"], [2]) == [cells[0], cells[1], cells[3]]
    assert "def centre" in substituted[2].source and substituted[2].source == substituted[5].source
