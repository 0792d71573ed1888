"""The run behind "Can these grades be trusted?": what comes out as it must not is counted and named, whatever it is."""

from xml.etree import ElementTree

import nbformat
import pytest

from autograde import bank
from autograde.bank import mutation
from autograde.bank.reader import Answer, Bank
from autograde.grading import mutants
from autograde.grading.worker import Worker
from benchmarks import trust
from course.exercises import exercises
from course.key import Key
from tests.autograde import toy

RIGHT = "def scale(x, factor):\n    return x * factor"
SIGN = "def scale(x, factor):\n    return x * abs(factor)"
SPOILS = "def scale(x, factor):\n    global centre\n    centre = None\n    return x / factor"


@pytest.mark.sandbox
@pytest.mark.usefixtures("one_sandbox")
def test_planted_survivors_and_refusals_are_found(toy_notebook, monkeypatch):
    wrong = [("no sign", SIGN, "turn"), ("passes", RIGHT, "is none"), ("spoils", SPOILS, "mind centre")]
    wrong.append(("the same again", SIGN, "turn"))
    planted = Bank("scale", tuple(Answer(*each) for each in wrong), (Answer("*", RIGHT), Answer("no", SIGN)))
    find = bank.find
    monkeypatch.setattr(bank, "find", lambda exercise: planted if exercise.name == "scale" else find(exercise))
    with Worker(toy.NAME, nbformat.read(toy_notebook, as_version=4), Key.public(7)) as worker:
        answers = trust.Answers(worker, toy_notebook.read_bytes())
        counts = answers.of(next(e for e in exercises() if e.name == "scale"))
    assert counts == {
        "measure": "answers", "exercise": "0.1 scale", "correct": 2, "accepted": 1, "wrong": 4, "caught": 3, "named": 2,
        "costs_once": 3,
    }  # fmt: skip
    amiss = {(r["what"], r["outcome"]) for r in answers.amiss if r["measure"] == "amiss"}
    assert amiss == {
        ("passes", "a wrong answer passed"), ("spoils", "a mistake cost points elsewhere"),
        ("no", "a right answer was refused"),
    }  # fmt: skip
    assert [(r["answer"], r["diagnosis"]) for r in answers.amiss if r["measure"] == "unnamed"] == [
        ("the same again", "no sign")
    ]


def test_mutants_that_pass_and_equivalents_that_do_not_are_amiss():
    exercise = next(e for e in exercises() if e.name in mutation.equivalent())
    name, why = next(iter(mutation.equivalent()[exercise.name].items()))
    left = mutation.Mutant("constant: 1 -> 2", "")
    outcome = mutants.Result(exercise, 9, 5, 4, 2, ((name, why),), (("sign dropped: -1 -> 1", "fail"),), (left,), 0.1)
    counts, equivalent, *amiss = trust.of_mutants(outcome)
    assert (counts["tried"], counts["caught"], counts["equivalent"]) == (5, 4, 1)
    assert (equivalent["change"], equivalent["why"]) == (name, why)
    assert [r["what"] for r in amiss] == ["sign dropped: -1 -> 1", left.name]
    assert all(r["measure"] == "amiss" for r in amiss)


def case(name: str, went: str = "", /, **facts: str) -> str:
    properties = "".join(f'<property name="{key}" value="{value}" />' for key, value in facts.items())
    listed = f"<properties>{properties}</properties>" if properties else ""
    return f'<testcase name="test_{name}">{listed}{went}</testcase>'


def test_a_report_of_the_tests_becomes_records_and_what_failed_is_amiss():
    fork = {"kind": "attack", "name": "fork_bomb", "tries": "fork", "honest": "full", "flag": "starts processes"}
    empty = {"kind": "submission", "name": "an empty file", "honest": "nothing"}
    messages = {"student_told": "Your notebook is an empty file.", "instructor_told": "Empty file."}
    cases = [
        case("attacks[fork_bomb]", **fork),
        case("attacks[daemon]", "<failure />", **fork | {"name": "daemon"}),
        case("kinds[an empty file]", **empty, **messages),
        case("kinds[untouched]", "<error />", **empty | {"name": "untouched"}),
        case("all_of_them", "<failure />"),
        case("as_another_user", "<skipped />"),
    ]
    records = trust.of_report(ElementTree.fromstring(f"<testsuites>{''.join(cases)}</testsuites>"))
    assert [(r["name"], r["outcome"]) for r in records if r["measure"] != "amiss"] == [
        ("fork bomb", "contained"), ("daemon", "not contained"), ("an empty file", "handled"),
        ("untouched", "not handled"), ("all of them", "not held"), ("as another user", "not tried"),
    ]  # fmt: skip
    assert [r["what"] for r in records if r["measure"] == "amiss"] == ["daemon", "untouched", "all of them"]
    assert [{key: r[key] for key in messages} for r in records if r["measure"] == "submissions"] == [
        messages, {"student_told": None, "instructor_told": None},
    ]  # fmt: skip
    figures = {r["what"]: (r["came_out_so"], r["of"]) for r in trust.figures(records)}
    assert figures["attacks contained"] == (1, 2) and figures["submissions handled"] == (1, 2)


@pytest.mark.sandbox
def test_the_whole_sentences_that_a_broken_submission_gets_are_recorded():
    """By the tests' own run, as the whole run does it: no words that a test merely looks for."""
    (record,) = [record for record in trust.corpora("two and notebooks") if record["measure"] == "submissions"]
    assert record["outcome"] == "handled" and record["honest_score"] == "full"
    assert record["student_told"] == (
        "You handed in several notebooks; 04-dot-product.ipynb was graded. Hand in one only."
    )
    assert record["instructor_told"] == (
        "2 notebooks; graded 04-dot-product.ipynb, left aside Copy of 04-dot-product.ipynb; flag: several notebooks"
    )


def test_the_figures_add_up_the_exercises():
    one = {"measure": "answers", "correct": 5, "accepted": 5, "wrong": 8, "caught": 8, "named": 7, "costs_once": 8}
    made = {"measure": "machine-made", "tried": 20, "caught": 19}
    figures = [tuple(r.values())[1:] for r in trust.figures([one, one | {"accepted": 4}, made])]
    assert figures[:3] == [("right answers accepted", 9, 10), ("wrong answers caught", 16, 16),
                         ("wrong answers told by name", 14, 16)]  # fmt: skip
    assert figures[4] == ("machine-made wrong answers caught", 19, 20)
