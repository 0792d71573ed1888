"""Running text of a page, where links may be put in: no code, no equation, no heading, no caption, no link.

Also its sentences: where one ends, and which of them ask something of the reader; and nodes put into a text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from itertools import groupby

from docutils import nodes

# A sentence that asks something of the reader ends with a question mark, or begins with one of these.
ASKS = re.compile(r"^(?:Guess|Sketch|Rank|Predict|Write down|Put the|Sort|Name) |\bguess\b.*[:.]$|\?$")
END = re.compile(r"(?<=[.?!])\s+|(?<=[.?!]\))\s+")  # of a sentence, in running text
APART = (nodes.Inline, nodes.literal_block, nodes.math_block, nodes.title, nodes.caption)


def set_apart(node: nodes.Node) -> bool:
    """Say whether a text stands in something that is no running text."""
    while node.parent is not None:
        node = node.parent
        if isinstance(node, APART) and not isinstance(node, nodes.strong | nodes.emphasis):
            return True
    return False


def running(document: nodes.document) -> list[nodes.Text]:
    """Return the running text, whole: MyST makes a node of each line, and a name may go over its end."""
    parents = {text.parent for text in document.findall(nodes.Text) if not set_apart(text)}
    for parent in parents:
        if len(parent) > 1:
            for is_text, group in groupby(list(parent.children), key=lambda child: isinstance(child, nodes.Text)):
                first, *others = group
                if is_text and others:
                    parent.replace(first, nodes.Text("".join([first, *others])))
                    for other in others:
                        parent.remove(other)
    return [text for text in document.findall(nodes.Text) if not set_apart(text)]


def substituted(
    text: str, pattern: re.Pattern[str], node: Callable[[re.Match[str]], nodes.Node | None]
) -> list[nodes.Node]:
    """Return a text as nodes, with what `node` makes of a match, if anything, in the match's place."""
    made: list[nodes.Node] = []
    end = 0
    for match in pattern.finditer(text):
        if (new := node(match)) is not None:
            made += [nodes.Text(text[end : match.start()]), new]
            end = match.end()
    return [*made, nodes.Text(text[end:])]


def link(
    document: nodes.document,
    pattern: re.Pattern[str],
    made: Callable[[nodes.Element, re.Match[str]], nodes.reference | None],
) -> None:
    """Put links into the running text: in place of a match what is made of the element around it and the match."""
    for text in running(document):
        parts = substituted(text, pattern, partial(made, text.parent))
        if len(parts) > 1:
            text.parent.replace(text, parts)
