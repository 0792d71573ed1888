"""The texts of a submission as Python's syntax trees. Many readers ask for the same text (what it defines, what it
uses, what it tries): it is parsed once. Nothing of it runs."""

from __future__ import annotations

import ast
import contextlib
import io
import tokenize
from collections.abc import Iterator
from functools import lru_cache

_SMALL = 4_000  # characters of a text whose tree is kept: a tree can take 350 bytes for each


def parsed(source: str) -> ast.Module | None:
    """The text's tree, or None where it is no Python: what breaks the parser breaks nothing else.
    For reading only: others are given the same one.
    """
    module = next(iter(nodes(source)), None)
    return module if isinstance(module, ast.Module) else None


def nodes(source: str) -> list[ast.AST]:
    """The nodes of the text's tree in the order of `ast.walk`, the module first; none where it is no Python."""
    return _kept(source) if len(source) <= _SMALL else _read(source)


@lru_cache(maxsize=64)  # an assignment's stubs and checks, and the submission at hand: 90 MB of the worst texts
def _kept(source: str) -> list[ast.AST]:
    return _read(source)


def _read(source: str) -> list[ast.AST]:
    try:
        all_nodes: list[ast.AST] = [ast.parse(source)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    for node in all_nodes:  # which grows on the way
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                all_nodes.append(value)
            elif isinstance(value, list):
                all_nodes += [each for each in value if isinstance(each, ast.AST)]
    return all_nodes


def continued_lines(source: str) -> set[int]:
    """Lines (from 0) that go on with a statement of a line before: a % there is an operator. As well as can be told of
    a text that is no Python."""
    inside: set[int] = set()
    depth = 0
    for token in _tokens(source):
        if depth > 0 and token.type not in (tokenize.NEWLINE, tokenize.NL):
            inside.update(range(token.start[0] - 1, token.end[0]))
        if token.type == tokenize.OP:
            depth = max(0, depth + (token.string in "([{") - (token.string in ")]}"))
    lines = source.split("\n")
    return inside | {i for i in range(1, len(lines)) if lines[i - 1].endswith("\\")}


def lines_in_strings(source: str) -> set[int]:
    """Lines (from 0) that stand inside a string of several lines: what looks like a magic there is text."""
    inside: set[int] = set()
    for token in _tokens(source):
        if token.type == tokenize.STRING or token.type == getattr(tokenize, "FSTRING_MIDDLE", -1):
            inside.update(range(token.start[0], token.end[0]))
    return inside


def _tokens(source: str) -> Iterator[tokenize.TokenInfo]:
    """The text's tokens, up to the first place where it is no Python."""
    with contextlib.suppress(tokenize.TokenError, SyntaxError, ValueError, RecursionError):
        yield from tokenize.generate_tokens(io.StringIO(source).readline)
