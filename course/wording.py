"""How texts for people are put together: points, many names in few words, and code among words.

Safe to change: the words. Not safe: that `marked` escapes all that it is given.
"""

import html
import re
from collections.abc import Sequence


def listed(names: Sequence[str], most: int, between: str = ", ") -> str:
    """The first of these names, at most so many, and how many more there are: `a, b and 3 more`."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return between.join(names[:most]) + more


def points(value: float) -> str:
    """Points as people write them: 3, 1.5, 0.67."""
    return f"{round(float(value), 2):g}"


def counted(number: float, thing: str) -> str:
    """A number and its thing: `1 point`, `2.5 points`."""
    return f"{number:g} {thing}" + ("" if number == 1 else "s")


def marked(text: str) -> str:
    """The text as HTML: everything escaped, and what stands between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))
