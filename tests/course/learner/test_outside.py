"""An answer that reads a tensor of the notebook's in an argument's place is told so, and no other one is."""

import pytest
import torch

from course.learner import outside
from tests.course.learner.conftest import text_of


def test_check_says_which_tensor_was_read_in_an_arguments_place(learner):
    given = "from course import check\nimport torch\nkeys = torch.ones(2, 4, 5)"
    answer = "def pairwise_scores(query, key):\n    return query @ {}.transpose(1, 2)"
    cells = learner(given, f"{answer.format('keys')}\ncheck('0.2', pairwise_scores)",
                    f"{answer.format('key')} + 1\ncheck('0.2', pairwise_scores)")  # fmt: skip
    said = "`pairwise_scores` never uses its argument `key`, and reads `keys`, a tensor of the notebook"
    assert [said in text_of(cell, "text/html").replace("<code>", "`").replace("</code>", "`") for cell in cells] == [
        False, True, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def answer(x):\n    return rides", True),
        ("class answer:\n    def forward(self, x):\n        return rides", True),
        ("def answer(x):\n    return x + rides", False),  # a constant, perhaps
        ("def answer(x):\n    return size", False),
        ("def answer(x):\n    rides = size\n    return rides", False),
        ("def answer(x):\n    return [rides + y for y in x]", False),
        ("def answer(x):\n    return (lambda: x + rides)()", False),
        ("def answer(x):\n    return rides + sum(locals().values())", False),
        ("def answer(x):\n    return 0", False),
    ],
)
def test_only_what_leaves_an_argument_aside_is_told(tmp_path, text, told):
    path = tmp_path / "cell.py"
    path.write_text(text)
    namespace = {"rides": torch.ones(2), "size": 2}
    exec(compile(text, str(path), "exec"), namespace)
    assert bool(outside.read({"answer": namespace["answer"]})) == told


def test_what_has_no_text_is_not_told():
    assert outside.read({"answer": abs}) == "" == outside.read({"answer": lambda x: torch.ones(2)})
