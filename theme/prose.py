"""Running text of a page, where links may be put in: no code, no equation, no heading, no caption, no link.

And its sentences: where one ends, and which of them ask something of the reader.
"""

from __future__ import annotations

import re
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
