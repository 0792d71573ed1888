"""The texts of a submission as Python's syntax trees. Many readers ask for the same text (what it defines, what it
uses, what it tries): it is parsed once. Nothing of it runs."""

from __future__ import annotations

import ast
from functools import lru_cache

_SMALL = 4_000  # characters of a text whose tree is kept: a tree can take 350 bytes for each


def parsed(source: str) -> ast.Module | None:
    """The text's tree, or None where it is no Python: what breaks the parser breaks nothing else.
    For reading only: others are given the same one.
    """
    found = nodes(source)
    return found[0] if found else None  # type: ignore[return-value]  # the first is the module


def nodes(source: str) -> list[ast.AST]:
    """The nodes of the text's tree in the order of `ast.walk`, the module first; none where it is no Python."""
    return _kept(source) if len(source) <= _SMALL else _read(source)


@lru_cache(maxsize=64)  # an assignment's stubs and checks, and the submission at hand: 90 MB of the worst texts
def _kept(source: str) -> list[ast.AST]:
    return _read(source)


def _read(source: str) -> list[ast.AST]:
    try:
        found: list[ast.AST] = [ast.parse(source)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    for node in found:  # which grows on the way
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                found.append(value)
            elif isinstance(value, list):
                found += [each for each in value if isinstance(each, ast.AST)]
    return found
