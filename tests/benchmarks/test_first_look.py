"""Answers at first look: rounds can be read, their labels name answers, figures follow from records.

A round's answers are committed before they are scored; a round without `scored.json` waits for that.
"""

import ast

import pytest

from autograde.bank import reader
from benchmarks import first_look
from course.committed import read
from course.exercises import by_number

ROUNDS = sorted(path for path in first_look.ROUNDS.iterdir() if path.is_dir())
SCORED = [path for path in ROUNDS if (path / "scored.json").exists()]


@pytest.mark.parametrize("folder", ROUNDS, ids=lambda path: path.name)
def test_a_round_can_be_read(folder):
    answers = list(first_look.answers_of(folder))
    files = {path.relative_to(folder).with_suffix("").parts for path in folder.rglob("*.py")}
    assert answers and {(exercise.chapter, exercise.name) for exercise, _, _ in answers} == files
    for exercise, _, answer in answers:
        defined = {n.name for n in ast.parse(answer.source).body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
        assert set(exercise.components) & defined, f"{exercise.name}: {answer.name} answers something else"


@pytest.mark.parametrize("folder", SCORED, ids=lambda path: path.name)
def test_what_became_of_a_round_is_labeled(folder):
    answers = list(first_look.answers_of(folder))
    wrong = {(exercise.name, answer.name) for exercise, kind, answer in answers if kind == "wrong"}
    labels = [(name, each, said) for name, of in first_look.labels(folder).items() for each, said in of.items()]
    assert {(name, each) for name, each, _ in labels} <= wrong
    assert {said for _, _, said in labels} <= {"rightly", "wrongly", ""}
    scored = read("scored", folder)["records"]
    # Not in order: the records keep that of the course at the time, and an exercise may have moved since.
    assert sorted((str(r["exercise"]).split()[1], r["answer"]) for r in scored) == sorted(
        (exercise.name, answer.name) for exercise, _, answer in answers
    )
    caught = {(str(r["exercise"]).split()[1], r["answer"]) for r in scored if r["outcome"] == "caught"}
    assert caught <= {(name, each) for name, each, _ in labels}


def test_figures_come_from_records_and_labels():
    def record(kind, answer, outcome):
        exercise = by_number("2.2")
        return {"exercise": f"2.2 {exercise.name}", "kind": kind, "answer": answer, "outcome": outcome}

    records = [record("wrong", "one", "caught"), record("wrong", "two", "caught"), record("wrong", "three", "passed"),
               record("correct", "four", "accepted")]  # fmt: skip
    labels = {"masked_softmax": {"one": "rightly"}}
    figures = first_look.figures("round", records, labels, "0abc", "2026-11-23")
    assert [(f["came_out_so"], f["of"]) for f in figures] == [(2, 3), (1, 1), (0, 1), (1, 1)]  # of those labeled
    labels = {"masked_softmax": {"one": "rightly", "two": "wrongly"}}
    figures = first_look.figures("round", records, labels, "0abc", "2026-11-23")
    assert [(f["came_out_so"], f["of"]) for f in figures] == [(2, 3), (1, 2), (1, 2), (1, 1)]
    low, high = first_look.interval(192, 217)
    assert (round(low, 1), round(high, 1)) == (83.5, 92.1)
    assert first_look.interval(0, 0) == (0.0, 100.0)


def test_a_file_that_cannot_be_read_says_which(tmp_path):
    (tmp_path / "bahdanau").mkdir()
    (tmp_path / "bahdanau" / "masked_softmax.py").write_text("# %% right: another word\n\npass\n")
    with pytest.raises(reader.BankError, match="begins no answer"):
        list(first_look.answers_of(tmp_path))
