"""IPython's own lines in a student's text: magics, shell commands and questions for help.

They are left out, line for line, so that errors keep their numbers. What stays is Python, and so can be compared with
the stub and read for its names and flags where there is no IPython; the shell that runs it in the sandbox has nothing
to find there that would start a program.
"""

from __future__ import annotations

import re

from autograde.intake.notes import Notes
from autograde.intake.syntax import continued_lines, lines_in_strings, parsed

LONG_LINE = 1_000  # characters; no line of IPython's own is longer
_PYTHON_FOLLOWS = {"time", "timeit", "capture", "prun", "matplotlib"}
_MAGIC_LINE = re.compile(r"^(\s*)(?:([\w.,\s]+?=\s*))?(%{1,2}|!{1,2})(?=\S)(.*)$")
_HELP = re.compile(r"^(\s*)(?:\?{1,2}[\w.]+|[\w.]+\?{1,2})\s*$")


def without_magics(source: str, notes: Notes) -> str:
    """The text with IPython's own lines left out; all of it where its cell magic is followed by no Python."""
    lines = source.split("\n")
    first = next((i for i, line in enumerate(lines) if line.strip()), None)
    if first is not None and lines[first].startswith("%%"):
        name = (lines[first][2:].split() or [""])[0][:80]
        notes.add(
            f"Lines such as %%{name} are left out when your notebook is graded.",
            f"cell magic %%{name} left out",
        )
        if name not in _PYTHON_FOLLOWS:
            return "\n".join(f"# {line}" for line in lines)
        lines[first] = f"# {lines[first]}"
    text = "\n".join(lines)
    if parsed(text) is not None:
        return text
    text, dressed = _undressed(text), text
    if parsed(text) is not None:
        return text
    before = [*notes.student], [*notes.instructor]
    in_strings = lines_in_strings(text)
    for inside in (in_strings | continued_lines(text), in_strings):  # the first that is Python, or else the last
        notes.student, notes.instructor = [*before[0]], [*before[1]]
        lines = [line if i in inside else _without_magic(line, notes) for i, line in enumerate(text.split("\n"))]
        if parsed("\n".join(lines)) is not None:
            return "\n".join(lines)
    return "\n".join(lines) if text == dressed or lines != text.split("\n") else dressed


_PROMPT = re.compile(r"(?:>>>|\.\.\.|In \[\d*\]:|\s*\.{3,}:)(?: |$)")


def _undressed(source: str) -> str:
    """The text without the indentation of its first line, and without prompts where it begins with one: IPython runs a
    text of which only this is no Python."""
    lines = source.split("\n")
    first = next((line for line in lines if line.strip()), "")
    indent = first[: len(first) - len(first.lstrip())]
    lines = [line.removeprefix(indent) for line in lines]
    if _PROMPT.match(first.lstrip()):
        lines = [_PROMPT.sub("", line, count=1) if _PROMPT.match(line) else line for line in lines]
    return "\n".join(lines)


def _without_magic(line: str, notes: Notes) -> str:
    if len(line) > LONG_LINE:
        return line
    magic = _MAGIC_LINE.match(line)
    if magic is None and not _HELP.match(line):
        return line
    notes.add(
        "Lines that begin with % or ! are left out when your notebook is graded; nothing can be installed there.",
        f"left out: {line.strip()[:80]}",
    )
    if magic is None:
        return left_out(line)
    indent, target, sign, rest = magic.groups()
    name, _, statement = rest.partition(" ")
    if sign == "%" and name == "time" and statement.strip():  # %time x = f(): the statement is the answer's
        return f"{indent}{target or ''}{statement.strip()}"
    return f"{indent}{target}None  # {rest}" if target else left_out(line)


def left_out(line: str) -> str:
    """A line that does nothing, at the same indentation, so that a block that held only this line still holds one."""
    return re.sub(r"\S.*", lambda match: f"pass  # {match.group()}", line)
