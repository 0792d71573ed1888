"""How the text of a submission's cell stands to one that was given out: the same, still blank, or that one, edited."""

from __future__ import annotations

import re

import course.blank
from autograde.intake.syntax import parsed

_LIKENESS = 0.6  # share of words that a cell has in common with a given one, above which it is that cell, edited


def same(text: str, other: str) -> bool:
    """Whether two texts are one program: equal but for white space at line ends, comments and layout."""
    if squeezed(text) == squeezed(other):
        return True
    tree, other_tree = parsed(text), parsed(other)
    try:
        return tree is not None and other_tree is not None and course.blank.alike(tree, other_tree)
    except RecursionError:
        return False


def blank(text: str, stub: str) -> bool:
    """Whether nothing has been written in the stub's place yet, as `course.blank` sees it."""
    tree, given = parsed(text), parsed(stub)
    return tree is not None and given is not None and course.blank.blank(tree, given)


def empty(text: str) -> bool:
    """Nothing but white space and comments."""
    return all(not line.strip() or line.lstrip().startswith("#") for line in text.splitlines())


def squeezed(text: str) -> str:
    """The text without white space at its ends and at those of its lines."""
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def edited(words: set[str], given: set[str]) -> bool:
    """Whether a cell of these words is the given one, edited."""
    return len(words & given) >= _LIKENESS * len(words | given)
