"""Where the newest cell that defines an answer failed, `check` says that it judged an older one."""

import inspect

import pytest

from course.learner import session, stale
from tests.course.learner.conftest import text_of

WRONG = "def pairwise_scores(query, key):\n    return query @ key"
BROKEN = "def pairwise_scores(query, key:\n    return query"
LATE = "1 / 0\n" + WRONG.replace("key)", "keys)")  # fails before the definition
SAID = "What was judged is an older"


def test_an_older_definition_is_told_until_the_cell_runs_again(learner):
    check = "check('0.2', pairwise_scores)"
    cells = learner("from course import check", WRONG, check, BROKEN, check, LATE, check, WRONG, check)
    said = [SAID in text_of(cell, "text/html") for cell in cells if cell.source == check]
    assert said == [False, True, True, False]
    assert "SyntaxError" in text_of(cells[3])


class Cells:
    """The history of a session, as IPython keeps it."""

    def __init__(self, *cells: str):
        self.history_manager, self.input_hist_raw = self, ["", *cells]


ANSWER = """class Answer:
    size = 3

    def forward(self, x):
        return x + self.size
"""
FUNCTION = "def answer(x):\n    return x\n"


@pytest.fixture
def defined(tmp_path, monkeypatch):
    """What a text defines, so that its source can be read."""

    def define(text: str, name: str) -> object:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.py"
        path.write_text(text)
        namespace: dict[str, object] = {}
        exec(compile(text, str(path), "exec"), namespace)
        return namespace[name]

    return define


@pytest.mark.parametrize(
    ("cells", "name", "text", "told"),
    [
        ([ANSWER, ANSWER.replace("x + self", "x * self")], "Answer", ANSWER, True),
        ([ANSWER.replace("x + self", "x * self"), ANSWER], "Answer", ANSWER, False),
        ([FUNCTION, FUNCTION.replace("x\n", "x y\n")], "answer", FUNCTION, True),
        (["from mine import answer", FUNCTION.replace("x\n", "0\n")], "answer", FUNCTION, False),  # not a cell's
        ([FUNCTION, "answer = other"], "answer", FUNCTION, False),
        ([], "answer", FUNCTION, False),
    ],
)
def test_only_what_another_cell_has_defined_since_is_told(monkeypatch, defined, cells, name, text, told):
    monkeypatch.setattr(session, "shell", lambda: Cells(*cells))
    assert bool(stale.older({name: defined(text, name)})) == told


def test_nothing_is_said_where_no_source_can_be_read(monkeypatch):
    monkeypatch.setattr(session, "shell", lambda: Cells("def answer(x): ...", "def answer(x): return"))
    assert not stale.older({"answer": max})
    assert not stale.older({"answer": inspect})
    monkeypatch.setattr(session, "shell", lambda: None)
    assert not stale.older({"answer": stale.older})
