"""What is blank, told from an answer's text and its stub's; and what is still to be written."""

import ast

import pytest

from course.blank import blank, left_to_write, unwritten

FUNCTION = '''\
def f(x, y):
    """What it gives."""
    if x.ndim != 2:
        raise ValueError(f"need x (B, D), got {x.shape}")
    # YOUR CODE HERE
    raise NotImplementedError'''
MODULE = '''\
class M(nn.Module):
    """What it is."""

    def __init__(self, size):
        super().__init__()
        self.weight = nn.Linear(size, size)

    def forward(self, x):
        # YOUR CODE HERE
        raise NotImplementedError

    def both(self, x):
        return self(x), x'''
PROGRAM = '''\
def g(x):
    """What it gives."""
    # YOUR CODE HERE: find the bug
    x = x.clone()
    return x + 1'''
QUESTION = "answer_0_q1 = ..."


def is_blank(source: str, stub: str) -> bool:
    return blank(ast.parse(source), ast.parse(stub))


@pytest.mark.parametrize(
    ("source", "stub"),
    [
        (FUNCTION, FUNCTION),
        ("def f(x, y):\n    raise NotImplementedError", FUNCTION),
        ("def f(x, y):\n    raise NotImplementedError('to do')", FUNCTION),
        ("def f(x, y):\n    '''Of my own.'''\n    # later\n    ...", FUNCTION),
        ("def f():\n    pass", FUNCTION),
        (FUNCTION.replace("    raise NotImplementedError", "    pass"), FUNCTION),
        ("def f(x, y):\n    pass\n\n\ndef g():\n    raise NotImplementedError", FUNCTION),
        ("pass", FUNCTION),
        ("", FUNCTION),
        (MODULE, MODULE),
        ("class M:\n    def forward(self, x): pass", MODULE),
        ("class M(nn.Module):\n    '''Later.'''", MODULE),
        (MODULE.replace("        raise NotImplementedError\n", "        pass\n"), MODULE),
        ("def g(x):\n    raise NotImplementedError", PROGRAM),
        ("pass", QUESTION),
    ],
)
def test_the_stub_or_less_is_blank(source, stub):
    assert is_blank(source, stub)


@pytest.mark.parametrize(
    ("source", "stub"),
    [
        ("def f(x, y):\n    return None", FUNCTION),
        (FUNCTION.replace("# YOUR CODE HERE", "z = x @ y"), FUNCTION),
        (FUNCTION.replace("    # YOUR CODE HERE", "    return x\n"), FUNCTION),
        (FUNCTION + "\n\n\ndef f(x, y):\n    return x", FUNCTION),
        (FUNCTION + "\n\n\nf = torch.add", FUNCTION),
        (FUNCTION + "\n\n\nprint(f(1, 2))", FUNCTION),
        (FUNCTION + "\n\n\ndef helper(x):\n    return x", FUNCTION),
        ("import torch\n" + FUNCTION, FUNCTION),
        ("f = lambda x, y: x", FUNCTION),
        ("@partial(partial, torch.add)\ndef f(x, y): ...", FUNCTION),
        ("class f(Base):\n    pass", FUNCTION),
        ("class M(nn.GRU):\n    pass", MODULE),
        (MODULE.replace("nn.Linear(size", "nn.Linear(2 * size"), MODULE),
        (MODULE + "\n\n    def step(self, x):\n        return x", MODULE),
        (MODULE + "\n\n    forward = torch.relu", MODULE),
        (PROGRAM.replace("    x = x.clone()\n", ""), PROGRAM),  # to take a line out may be the answer
        (PROGRAM.replace("1", "2"), PROGRAM),
        ("@torch.no_grad()\n" + PROGRAM, PROGRAM),
        ("answer_0_q1 = None", QUESTION),
    ],
)
def test_what_says_something_of_its_own_is_not_blank(source, stub):
    assert not is_blank(source, stub)


def test_what_is_still_to_be_written_goes_by_its_name():
    assert unwritten(ast.parse(f"{FUNCTION}\n\n\n{MODULE}\n\n\n{PROGRAM}")) == ["f", "M.forward"]
    some = "def h(kind):\n    if kind:\n        return 1\n    raise NotImplementedError(kind)"
    inner = "def k():\n    def inner():\n        return 1\n    raise NotImplementedError"
    assert unwritten(ast.parse(f"{some}\n{inner}")) == ["k"]


def test_what_a_stub_leaves_to_write_has_no_docstring_and_nothing_that_is_given():
    left = left_to_write(f"import torch\n{FUNCTION}\n\n\n{MODULE}\n\n\n{PROGRAM}")
    assert "What" not in left and "import" not in left and "def g" not in left
    assert is_blank(FUNCTION, left) and is_blank(MODULE, left) and not is_blank(PROGRAM, left)
    whole = left_to_write(f"import torch\n{PROGRAM}")
    assert whole == "def g(x):\n    x = x.clone()\n    return x + 1", "a program with a fault"
    assert left_to_write(QUESTION) == ""
