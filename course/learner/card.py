"""How what a learner is told looks: a card in a notebook, lines of text where there is no HTML.

The order is always the same: how it came out, the cause, what to look at, what else is said, and, folded away, the next
hint and all that was looked at. The colors are legible on JupyterLab's light ground and on its dark one; nothing needs
a script. Safe to change: all of it. Not safe: that everything is escaped (`marked`).
"""

import html
from collections.abc import Sequence
from enum import StrEnum

from course.wording import marked


class Tone(StrEnum):
    """The color of a card: white is legible on it, and it stands out from a white ground and from JupyterLab's dark
    one (4.5:1 and 3:1)."""

    RIGHT = "#1a7f37"
    PARTLY = "#8a6100"
    WRONG = "#c4302b"
    OPEN = "#5f6b76"


_STYLE = """<style>
.course-card { border-left: 4px solid var(--course-tone); margin: .3em 0; max-width: 48em; padding: .1em 0 .1em 1em }
.course-card p, .course-card ul, .course-card pre { margin: .35em 0 }
.course-card ul.course-lines { list-style: none; margin-left: 0; padding-left: 0 }
.course-card li { margin: .35em 0; padding-left: 1.6em }
.course-title { text-indent: -1.6em }
.course-title > * { text-indent: 0 }
.course-card details { margin: .35em 0 }
.course-card details > :not(summary) { margin-left: 1.2em }
.course-card summary { cursor: pointer; display: list-item; font-weight: 600; list-style: disclosure-closed inside }
.course-card details[open] > summary { list-style-type: disclosure-open }
.course-card a { text-decoration: underline }
.course-badge { background: var(--course-tone); border-radius: .3em; color: #fff; font-weight: 600; margin-right: .5em;
  padding: .1em .55em; white-space: nowrap }
.course-mark { display: inline-block; font-weight: 600; width: 1.6em }
</style>"""


def card(tone: Tone, badge: str, title: str, *parts: str) -> str:
    """A card: a badge in its color, a title, and parts that are HTML already; empty ones are left out."""
    head = f'<p><span class="course-badge">{html.escape(badge)}</span><strong>{html.escape(title)}</strong></p>'
    return f'{_STYLE}<div class="course-card" style="--course-tone: {tone}">{head}{"".join(parts)}</div>'


def paragraph(text: str, label: str = "") -> str:
    """A paragraph, with a label in front; "" for no text."""
    if not text:
        return ""
    return f"<p>{f'<strong>{html.escape(label)}:</strong> ' if label else ''}{marked(text)}</p>"


def fold(summary: str, *parts: str) -> str:
    """What is seen when it is asked for; "" for nothing in it."""
    inside = "".join(parts)
    return f"<details><summary>{html.escape(summary)}</summary>{inside}</details>" if inside else ""


def lines(items: Sequence[tuple[bool, Sequence[str], str]]) -> str:
    """A list: whether they are right, their titles, and what is said of all of them."""
    return f'<ul class="course-lines">{"".join(map(_line, items))}</ul>' if items else ""


def _line(item: tuple[bool, Sequence[str], str]) -> str:
    right, titles, message = item
    sign, name = ("✓", "passed") if right else ("✗", "not yet")
    mark = f'<span class="course-mark" role="img" aria-label="{name}">{sign}</span>'
    heads = "".join(f'<div class="course-title">{mark}{marked(title)}</div>' for title in titles)
    return f"<li>{heads}{marked(message)}</li>"


def code(text: str) -> str:
    """Lines of code to copy."""
    return f"<pre><code>{html.escape(text)}</code></pre>"


def ladder(hints: Sequence[tuple[int, str]], of: int, after: str = "") -> str:
    """The hints that have not been asked for, each folded into the one before; `after` stands behind the last."""
    inside = after
    for step, text in reversed(hints):
        inside = fold(f"Hint {step} of {of}", paragraph(text.strip()), inside)
    return inside if hints else ""


def link(address: str, words: str) -> str:
    """A paragraph that leads to a page; the words alone where its address is not known."""
    if not address:
        return paragraph(words)
    return f'<p><a href="{html.escape(address)}" target="_blank" rel="noopener">{html.escape(words)}</a></p>'
