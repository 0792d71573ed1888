"""Texts of students where somebody reads them: names, sources, outputs and messages, without what would change the text
around them.

A control character can end a line, move a cursor, turn the direction of what follows, or be nothing that a file holds.
Letters, marks and emoji of every script stay as they are, and so do the joiners that they are made with.
"""

from __future__ import annotations

import re

_COLOR = r"\x1b(?!\[[\d;]{0,20}m)"  # the beginning of all that a terminal is told but a color
_MOVES = r"\x08\x0b-\x0d\x1b"
# C0 but for tab, line feed and these; DEL and C1; marks and overrides of direction; line and paragraph separators;
# anchors of annotations; the byte order mark; halves of characters, and what is no character.
_OTHERS = (
    r"\x00-\x07\x0e-\x1a\x1c-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb"
    r"\ufffe\uffff\ud800-\udfff"
)
_CONTROL = re.compile(f"[{_MOVES}{_OTHERS}]")
_IN_OUTPUT = re.compile(f"{_COLOR}|[{_OTHERS}]")
_UNSEEN, _SIGN = r"\s\ufeff\u200b-\u200f\u202a-\u202e\u2060-\u2069", r"[=+@\uff1d\uff0b\uff0d\uff20-]"
_FORMULA = re.compile(rf"[\t\r\n]|[{_UNSEEN}]*{_SIGN}")
# Where a table's reader takes another separator than ours, a cell begins behind it, or on the next line.
_BEHIND = re.compile(rf"([;|\t\r\n\v\f\x85\u2028\u2029][{_UNSEEN}\"]*+)(?={_SIGN})")


def without_controls(text: str, instead: str = "\N{REPLACEMENT CHARACTER}") -> str:
    """The text as it may stand on a page or in a line: each control character but tab and line feed is replaced."""
    return _CONTROL.sub(instead, text)


def in_one_line(text: str) -> str:
    """The text as it may stand within a line: each control character, tabs and line feeds too, is a question mark."""
    return re.sub(r"[\t\n]", "?", without_controls(text, "?"))


def printable(text: str) -> str:
    """What a cell put out, as a notebook may hold it: colors stay, and what overwrites a line, as progress bars do."""
    return _IN_OUTPUT.sub("\N{REPLACEMENT CHARACTER}", text)


def spelled(text: str) -> str:
    """The text as a terminal may show it: control characters but the line feed are spelled out, such as \\u202e."""
    return re.sub(f"[\t{_MOVES}{_OTHERS}]", lambda match: f"\\u{ord(match[0]):04x}", text)


def no_formula(value: object) -> str:
    """The value as text that no spreadsheet takes for a formula (a leading quote is how spreadsheets mark text), also
    where it parts lines at semicolons, tabs or bars; "" for None. Some skip what cannot be seen before the sign, and
    take its wide form as well."""
    text = _BEHIND.sub(r"\1'", "" if value is None else str(value))
    return f"'{text}" if _FORMULA.match(text) else text


def guarded(text: str) -> str:
    """The text as a table may keep it that both a spreadsheet and we read: `unguarded` gives it back."""
    looks_guarded = text[:1] == "'" and (text[1:2] == "'" or _FORMULA.match(text[1:]))
    return f"'{text}" if looks_guarded or _FORMULA.match(text) else text


def unguarded(cell: str) -> str:
    """What `guarded` was given."""
    rest = cell[1:]
    return rest if cell[:1] == "'" and (rest[:1] == "'" or _FORMULA.match(rest)) else cell
