"""What a kept part takes along, and under which names: the globals it reads, and no local variable that happens to have
a global's name.
"""

import importlib
import linecache
import sys

import pytest
import torch

from course.exercises import of_component
from course.learner import components
from course.learner.standalone import free_names


def test_locals_arguments_and_comprehensions_are_not_taken_for_globals():
    source = """
class Cell(Base):
    def forward(self, batch):
        places = [logits for logits in batch]
        def inner(targets):
            return F.relu(targets) + helper(places)
        return inner(batch)
"""
    assert free_names(source) == ["Base", "F", "helper"]


def test_a_function_that_calls_itself_and_a_default_are_seen():
    assert free_names("def f(n=LIMIT):\n    return f(n - 1) if n else torch.zeros(())\n") == ["LIMIT", "f", "torch"]


SPLIT = """
def _checked(x, heads):
    if x.shape[2] % heads:
        raise ValueError(heads)
    return heads

def my_split(x, heads):
    return x.unflatten(2, (_checked(x, heads), -1)).transpose(1, 2)
"""
MERGE = "def my_merge(x):\n    return x.transpose(1, 2).flatten(2)\n"


@pytest.fixture
def keep(tmp_path, monkeypatch):
    """Runs cells in `__main__` as a notebook does, keeps the parts named, and gives the sentence shown."""
    monkeypatch.setenv("COURSE_HOME", str(tmp_path))
    monkeypatch.setattr(components.session, "learning", lambda: True)
    main = vars(sys.modules["__main__"])
    before, modules = dict(main), set(sys.modules)

    def run(number_of: str, names: dict[str, str], *cells: str) -> str:
        for i, cell in enumerate(cells):
            name = f"<cell {i} of {number_of}>"
            linecache.cache[name] = (len(cell), None, cell.splitlines(keepends=True), name)
            exec(compile(cell, name, "exec"), main)
        return components.keep(of_component(number_of), {name: main[own] for name, own in names.items()})

    yield run
    for name in set(main) - set(before):
        del main[name]
    main.update(before)
    for name in set(sys.modules) - modules:
        if name.startswith("course.own."):
            del sys.modules[name]


def works(name: str):
    """The kept part, as a later notebook imports it."""
    return getattr(importlib.import_module("course.components"), name)


def test_a_constant_that_is_no_finite_number_is_kept_too(keep):
    """`LOW = float("-inf")` above a masked softmax."""
    said = keep(
        "safe_softmax",
        {"safe_softmax": "low_softmax"},
        "import torch\nLOW, STEP = float('-inf'), 0.5\n",
        "def low_softmax(scores, dim):\n    return torch.softmax(scores.clamp(min=LOW) / (2 * STEP), dim)\n",
    )
    assert said.startswith("Your safe_softmax is kept as it is now"), said
    assert works("safe_softmax")(torch.zeros(2), 0).tolist() == [0.5, 0.5]


def test_a_helper_that_is_a_dataclass_with_annotations_in_quotes_is_kept(keep):
    """`dataclasses` looks the module up by its name, where an annotation is a text."""
    helper = (
        "from dataclasses import dataclass\n@dataclass\nclass Low:\n    least: 'float'\n"
        "    def of(self, x):\n        return x.clamp(min=self.least)\n"
    )
    softmax = "def low_softmax(scores, dim):\n    return Low(-9.0).of(scores).softmax(dim)\n"
    said = keep("safe_softmax", {"safe_softmax": "low_softmax"}, helper, softmax)
    assert said.startswith("Your safe_softmax is kept as it is now"), said
    assert works("safe_softmax")(torch.zeros(2), 0).tolist() == [0.5, 0.5]


NAMES = {"split_heads": "my_split", "merge_heads": "my_merge"}


def test_components_that_passed_under_other_names_are_kept_under_their_own(keep):
    said = keep("split_heads", NAMES, SPLIT, MERGE)
    assert said.startswith("Your split_heads and merge_heads are kept as they are now: `from course.components import ")
    x = torch.randn(2, 3, 8)
    heads = works("split_heads")(x, 4)
    assert torch.equal(heads[:, 1], x[:, :, 2:4]) and torch.equal(works("merge_heads")(heads), x)


def test_a_component_that_calls_itself_by_both_names_is_kept(keep):
    both = SPLIT.replace("return x.unfl", "if heads < 0:\n        return split_heads(x, -heads)\n    return x.unfl")
    keep("split_heads", NAMES, both + "\nsplit_heads = my_split\n", MERGE)
    assert works("split_heads")(torch.zeros(1, 2, 6), -3).shape == (1, 3, 2, 2)


def test_what_rests_on_a_kept_component_takes_its_private_helpers_along(keep):
    keep("split_heads", NAMES, SPLIT, MERGE)
    main = vars(sys.modules["__main__"])
    for name in ("_checked", "my_split", "my_merge"):  # another kernel
        del main[name]
    main["split_heads"] = works("split_heads")
    attention = "class MultiHeadAttention:\n    def forward(self, x):\n        return split_heads(x, 2)\n"
    keep("MultiHeadAttention", {"MultiHeadAttention": "MultiHeadAttention"}, attention)
    assert works("MultiHeadAttention")().forward(torch.zeros(1, 3, 4)).shape == (1, 2, 3, 2)


def test_two_things_of_one_name_are_not_mixed_up(keep):
    wrapped = "def split_heads(x, heads):\n    return x\n", "def my_split(x, h):\n    return split_heads(x, h)\n"
    said = keep("split_heads", NAMES, *wrapped, MERGE)
    assert "could not be kept" in said and "two different things in it are called split_heads" in said


@pytest.mark.parametrize("decorator", ["@torch.no_grad()", "@quietly"])
def test_a_decorated_component_is_kept_with_its_decorator(keep, decorator):
    """`@torch.no_grad()` wraps a function in one of torch's own files; a decorator of the learner's is taken along."""
    setting = """
import functools
import torch

def quietly(function):
    @functools.wraps(function)
    def call(*args):
        with torch.no_grad():
            return function(*args)
    return call

def _checked(x, heads):
    return heads
"""
    split = f"""
{decorator}
def my_split(x, heads):
    return (1 * x).unflatten(2, (_checked(x, heads), -1)).transpose(1, 2)
"""
    said = keep("split_heads", NAMES, setting, split, MERGE)
    assert said.startswith("Your split_heads and merge_heads are kept as they are now: `from course.components import ")
    heads = works("split_heads")(torch.ones(1, 2, 6, requires_grad=True), 3)
    assert heads.shape == (1, 3, 2, 2) and not heads.requires_grad


def test_a_class_whose_first_method_is_decorated_is_kept(keep):
    attention = """
import torch

class MultiHeadAttention:
    @torch.no_grad()
    def forward(self, x):
        return 2 * x
"""
    said = keep("MultiHeadAttention", {"MultiHeadAttention": "MultiHeadAttention"}, attention)
    assert said.startswith("Your MultiHeadAttention is kept as it is now: `from course.components import ")
    assert not works("MultiHeadAttention")().forward(torch.ones(2, requires_grad=True)).requires_grad
