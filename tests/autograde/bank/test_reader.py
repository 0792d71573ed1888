"""The answer bank's files: a change gives exactly the expected source, and each error names the file and the answer."""

from dataclasses import replace
from pathlib import Path

import pytest

from autograde.bank import reader
from autograde.bank.reader import BankError, find, parse
from course.exercises import exercises

PATH = Path("answers/made/up.py")
RIGHT = "def up(x):\n    y = x + 1\n    z = y + 1\n    z = y + 1\n    return y"


def read(text):
    return parse(text, RIGHT, "up", PATH)


def changed(changes, header="# %% wrong: a name\n# The cause. The next step.\n\n"):
    (answer,) = read(header + changes).wrong
    return answer.source


def test_a_file_gives_its_answers_in_order():
    answers = read(
        "# About this file.\n\n# %% wrong: one\n# The cause,\n# and the next step.\n\ndef up(x):\n    return x\n\n"
        "# %% correct: two\n\n# a comment of its own\ndef up(x):\n    return x + 1\n"
        "# %% wrong: three\n# Why.\n\n# --- before\n    return y\n# --- after\n    return z\n"
    )
    assert answers.name == "up" and [answer.name for answer in answers.wrong] == ["one", "three"]
    assert answers.wrong[0].message == "The cause, and the next step."
    assert answers.wrong[0].source == "def up(x):\n    return x"
    (correct,) = answers.correct
    assert (correct.name, correct.message) == ("two", "")
    assert correct.source == "# a comment of its own\ndef up(x):\n    return x + 1"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ("# --- before\n    return y\n# --- after\n    return z\n", RIGHT.replace("return y", "return z")),
        ("# --- before\n    return y\n# --- after\n    if x:\n        return z\n    return y",
         RIGHT.replace("    return y", "    if x:\n        return z\n    return y")),
        ("# --- before\n    z = y + 1\n    z = y + 1\n# --- after\n", RIGHT.replace("    z = y + 1\n", "")),
        ("# --- before\n    z = y + 1\n    z = y + 1\n# --- after", RIGHT.replace("    z = y + 1\n", "")),
        ("# --- before\n    y = x + 1\n# --- after\n    y = x\n\n# --- before\n    return y\n# --- after\n    return x",
         RIGHT.replace("y = x + 1", "y = x").replace("return y", "return x")),
    ],
)  # fmt: skip
def test_a_change_gives_the_reference_with_these_lines_replaced(changes, expected):
    assert changed(changes) == expected


@pytest.mark.parametrize(
    ("text", "of", "message"),
    [
        ("# %% wrong: a\n# Why.\n\n# --- before\n    z = y + 1\n# --- after\n    z = y", "wrong answer 'a'", "2 times"),
        ("# %% wrong: a\n# Why.\n\n# --- before\n    nowhere\n# --- after\n    z = y", "wrong answer 'a'", "0 times"),
        ("# %% wrong: a\n# Why.\n\n# --- before\n    return y\n", "wrong answer 'a'", "without `# --- after`"),
        ("# %% wrong: a\n\ndef up(x):\n    return x\n", "wrong answer 'a'", "a diagnosis is missing"),
        ("# %% wrong: a\n# Why.\ndef up(x):\n    return x\n", "wrong answer 'a'", "a diagnosis is missing"),
        ("# %% correct: a\n# Why.\n\ndef up(x):\n    return x\n", "correct answer 'a'", "has no diagnosis"),
        ("# %% wrong: a\n# Why.\n\n\n", "wrong answer 'a'", "there is no code"),
        ("# %% correct: a\n", "correct answer 'a'", "there is no code"),
        ("# %% right: a\n\nx = 1\n", "'# %% right: a'", "begins no answer"),
        ("# %%\nx = 1\n", "'# %%'", "begins no answer"),
        ("x = 1\n# %% correct: a\n\nx = 1\n", "", "code before the first answer"),
        ("# %% correct: a\n\nx = 1\n# %% correct: a\n\nx = 2\n", "'a'", "two correct answers have the name"),
    ],
)
def test_an_error_names_the_file_and_the_answer(text, of, message):
    with pytest.raises(BankError) as refused:
        read(text)
    assert str(refused.value).startswith(str(PATH)) and of in str(refused.value) and message in str(refused.value)


def test_a_wrong_and_a_correct_answer_may_share_a_name():
    answers = read("# %% correct: a\n\nx = 1\n# %% wrong: a\n# Why.\n\nx = 2\n")
    assert [answers.wrong[0].source, answers.correct[0].source] == ["x = 2", "x = 1"]


def test_a_missing_file_is_named(monkeypatch, tmp_path):
    exercise = replace(next(e for e in exercises() if not e.question), name="no_such_exercise")
    monkeypatch.setattr(reader, "FOLDERS", (tmp_path,))
    with pytest.raises(BankError, match=r"no_such_exercise\.py is missing: exercise .* has no answer bank"):
        find(exercise)
