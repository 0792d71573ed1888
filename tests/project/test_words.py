"""Names say what a thing is, not what happened to it: some words are no names of ours."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("autograde", "benchmarks", "course", "solutions", "theme", "tools", "training")
NO_NAMES = {"found", "known", "plain", "shown", "told"}
# Written by others, or kept as they were written.
ANSWERS = ("autograde/bank/answers", "benchmarks/first_look")


def names(tree: ast.AST) -> list[tuple[int, str]]:
    """(line, name) of each local, argument and function, without the underscore in front."""
    given = [(node.lineno, node.id) for node in ast.walk(tree) if isinstance(node, ast.Name) and bound(node)]
    given += [(node.lineno, node.arg) for node in ast.walk(tree) if isinstance(node, ast.arg)]
    given += [(node.lineno, node.name) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    fields = {  # an attribute says of what it is one: `batch.shown`
        node.target.lineno
        for each in ast.walk(tree)
        if isinstance(each, ast.ClassDef)
        for node in each.body
        if isinstance(node, ast.AnnAssign)
    }
    return [(line, name.lstrip("_")) for line, name in given if line not in fields]


def bound(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


@pytest.mark.parametrize("package", PACKAGES)
def test_no_local_is_named_by_what_happened_to_it(package):
    paths = [path for path in (ROOT / package).rglob("*.py") if "node_modules" not in path.parts]
    ours = [path for path in paths if not path.relative_to(ROOT).as_posix().startswith(ANSWERS)]
    assert ours
    badly = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in ours
        for line, name in names(ast.parse(path.read_text("utf-8")))
        if name in NO_NAMES
    ]
    assert not badly


def test_each_kind_of_name_is_seen():
    source = "def told(shown):\n    found = 1\n    for known in ():\n        pass\nclass A:\n    plain: int\n"
    assert {name for _, name in names(ast.parse(source))} == {"told", "shown", "found", "known"}
