"""What a translation of a notebook may not change, held against the original: cells, metadata, code, numbers, links.

Free are the words: of prose, comments, docstrings, captions, and of strings that are printed or drawn.
"""

import ast
import re
from collections.abc import Iterator
from typing import Any

from nbformat import NotebookNode

from course import captions

HEADING = re.compile(r"^(#+) (?:.*?(\d+\.q?\d+))?", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
EQUATION = re.compile(r"\$\$.*?\$\$", re.DOTALL)
FENCE = re.compile(r"^:::+\{([\w-]+)\}", re.MULTILINE)
WORDS = re.compile(r"\\text\{[^{}]*\}")  # what an equation says in words


def differences(original: NotebookNode, translation: NotebookNode) -> list[str]:
    """What a translation has otherwise than it may, a sentence each; none where it is faithful."""
    if len(original.cells) != len(translation.cells):
        there, here = len(original.cells), len(translation.cells)
        return [f"it has {here} cells, the original {there}: translate cell by cell, and add or drop none"]
    sentences = []
    for number, (theirs, ours) in enumerate(zip(original.cells, translation.cells, strict=True), 1):
        where = f"cell {number} ({_name(theirs)})"
        if theirs.cell_type != ours.cell_type:
            sentences.append(f"{where} is {ours.cell_type}, in the original {theirs.cell_type}")
        else:
            sentences += [f"{where}: {what}" for what in _within(theirs, ours)]
    return sentences


def _name(cell: NotebookNode) -> str:
    """What an author finds a cell by: its grade_id, or how it begins."""
    return cell.metadata.get("nbgrader", {}).get("grade_id") or cell.source.strip().split("\n")[0][:50]


def _within(theirs: NotebookNode, ours: NotebookNode) -> Iterator[str]:
    if (before := _kept(theirs)) != (after := _kept(ours)):
        for key in sorted(before.keys() | after.keys()):
            if before.get(key) != after.get(key):
                yield f"its metadata say {key} = {after.get(key)!r}, in the original {before.get(key)!r}"
    if theirs.cell_type == "markdown":
        for what, pattern in (("headings", HEADING), ("links", LINK), ("equations", EQUATION), ("boxes", FENCE)):
            was, now = (pattern.findall(WORDS.sub("", cell.source)) for cell in (theirs, ours))
            if was != now:
                odd = next((a for a, b in zip([*was, None], [*now, None], strict=False) if a != b), was[-1:])
                yield f"its {what} are not the original's; look at {odd!r}"
    elif "exercise" in theirs.metadata.get("course", {}):
        if theirs.source != ours.source:
            yield "a check is not translated: keep the cell as it is"
    else:
        try:
            if _code(theirs.source) != _code(ours.source):
                yield "its code is another; translate comments, docstrings and strings alone"
        except SyntaxError as error:
            yield f"its code cannot be read, line {error.lineno}: {error.msg}"
        numbers = [caption and caption.number for caption in map(captions.caption, (theirs.source, ours.source))]
        if numbers[0] != numbers[1]:
            yield "its first line no longer is the caption `# Figure ...:` with the original's number"


def _kept(cell: NotebookNode) -> dict[str, Any]:
    """The metadata that a translation keeps, flat: `nbgrader.points`. Alternative text is words; a checksum follows."""
    flat: dict[str, Any] = {}
    for key, value in cell.metadata.items():
        if key in ("tags", "nbgrader", "course"):
            inner = {"": sorted(value)} if key == "tags" else dict(value)
            flat |= {f"{key}.{name}".rstrip("."): each for name, each in inner.items()}
    return {key: value for key, value in flat.items() if key not in ("nbgrader.checksum", "course.timed")}


def _code(source: str) -> str:
    """Code without what a translation may change: comments, docstrings, and the words of strings."""
    tree = ast.parse(re.sub(r"^(\s*)[%!].*", r"\1pass", source, flags=re.MULTILINE))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
        elif isinstance(node, ast.JoinedStr):  # "a {x} b" may become "{x} c": of its parts the values are kept
            node.values = [part for part in node.values if isinstance(part, ast.FormattedValue)]
    return ast.dump(tree)
