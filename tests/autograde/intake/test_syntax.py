"""One tree for all who read a text, equal to what Python's own parser and walk give."""

import ast

import pytest

from autograde.intake import names, syntax

TEXTS = ["", "x = 1", "def f(a):\n    return [b.c for b in a if b]", "class A:\n    x: int = 0", "x = 1\n" * 2_000]
BROKEN = ["x = = 1", "x = '\0'", "(" * 5_000, "-" * 100_000 + "1", "!ls", "\ud800"]


@pytest.mark.parametrize("text", TEXTS)
def test_the_nodes_are_those_of_the_library(text):
    tree = ast.parse(text)
    assert ast.dump(syntax.parsed(text)) == ast.dump(tree)
    assert [type(node) for node in syntax.nodes(text)] == [type(node) for node in ast.walk(tree)]


@pytest.mark.parametrize("text", BROKEN)
def test_what_is_no_python_has_no_tree(text):
    assert syntax.parsed(text) is None and syntax.nodes(text) == []


def test_a_text_is_parsed_once_and_a_large_one_is_not_kept(monkeypatch):
    parsed, real = [], ast.parse
    monkeypatch.setattr(ast, "parse", lambda source: parsed.append(source) or real(source))
    once, large = "only_here = 1", "large = 1\n" * 1_000
    for text in (once, once, large, large):
        names.defined(text)
    assert parsed == [once, large, large]
