"""What the bytes of a student's file say: a small clean notebook, or a plain reason why there is none.

Nothing here runs or keeps an output, and `contents` never raises, whatever it is given. It needs the standard library
alone: the grader has it look at a file in a child without rights (`intake.jail`), and never parses one of a student's
in its own process. Which file that is tells `received`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from autograde.intake.notes import Notes
from autograde.text import in_one_line

if TYPE_CHECKING:
    from autograde.intake.merge import Merged

MAX_BYTES = 256 << 20  # a notebook with a hundred megabytes of images in it is still read
MAX_TOKENS = 10_000_000  # commas and brackets: what a file of this size could unfold to in memory
MAX_CELLS = 5_000
MAX_SOURCE = 1 << 20  # characters of one cell
MAX_SOURCES = 8 << 20  # characters of all cells
MAX_LINES = 100_000  # of all cells: each is a line of pages, records and the gradebook
_FITS = 8 << 20  # bytes of a file whose reading cannot take the memory that a reader has: then there was less
_NAMED = 100  # doubled keys that are looked at, of which a few are named


@dataclass(frozen=True)
class Contents:
    """What the bytes of a file say: the clean notebook as plain dictionaries, or why there is none (`student`,
    `instructor`). `notes` are pairs of sentences, for the student and for the instructor. `merged` says what of it
    belongs where in the assignment, for whoever has asked that too. `failed` is as in `Received`.
    """

    notebook: dict[str, Any] | None
    notes: tuple[tuple[str, str], ...] = ()
    student: str = ""
    instructor: str = ""
    merged: Merged | None = None
    failed: str = ""


class Refused(Exception):
    """Carries the two reasons why a submission cannot be read: the student's and the instructor's."""

    def __init__(self, student: str, instructor: str):
        super().__init__(student, instructor)
        self.student, self.instructor = student, instructor


def contents(data: bytes) -> Contents:
    """What a file of these bytes holds. Never raises: what goes wrong is the reason."""
    reading, notebook, student, instructor, failed = Notes(), None, "", "", ""
    try:
        notebook = _clean(_parse(data, reading), reading)
    except Exception as error:
        if isinstance(error, OSError) or (isinstance(error, MemoryError) and len(data) <= _FITS):
            failed = f"a file of {len(data)} bytes cannot be read here: {safe(error) or type(error).__name__}"
        else:
            student, instructor = reasons(error)
    notes = tuple(zip(reading.student, reading.instructor, strict=True))
    return Contents(notebook, notes, student, instructor, failed=failed)


def reasons(error: Exception) -> tuple[str, str]:
    """(for the student, for the instructor): why nothing could be read."""
    if isinstance(error, Refused):
        return error.student, error.instructor
    if isinstance(error, RecursionError):
        reason = "Your file is nested too deeply to be a notebook. Open it in JupyterLab, save it and hand it in again."
        return reason, "JSON nested too deeply"
    if isinstance(error, MemoryError):
        reason = "Your notebook is too large to be read. Clear its outputs, save it and hand it in again."
        return reason, "memory ran out while it was read"
    reason = "Your notebook could not be read. Open it in JupyterLab, save it and hand it in again."
    return reason, f"{type(error).__name__}: {safe(error)}"


def safe(text: object) -> str:
    """A name or message that can be printed, stored and put on a page whatever bytes it came from."""
    return re.sub(r"[\ue000-\uf8ff]", "?", in_one_line(str(text)[:200]))


# ---------------------------------------------------------------- JSON


def _parse(data: bytes, reading: Notes) -> dict[str, Any]:
    if not data.strip(b"\0 \t\r\n"):
        raise Refused("Your notebook is an empty file. Save it in JupyterLab and hand it in again.", "empty file")
    # a smaller file cannot hold as many
    if len(data) > MAX_TOKENS and sum(map(data.count, (b",", b"[", b"{"))) > MAX_TOKENS:
        raise Refused(
            "Your notebook is too large to be read. Clear its outputs, save it and hand it in again.",
            f"more than {MAX_TOKENS} JSON values",
        )
    text = _text(data, reading)
    try:
        value = _json(text, reading)
    except ValueError as error:
        value = _without_conflict(text, error, reading)
    if not isinstance(value, dict):
        raise Refused(
            "Your file is not a notebook. Hand in the .ipynb that you worked in.", f"JSON, but a {type(value).__name__}"
        )
    return value


def _text(data: bytes, reading: Notes) -> str:
    try:
        return data.decode("utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig")
    except UnicodeDecodeError:
        reading.add(
            "Some letters of your notebook could not be read; it was not saved as UTF-8.", "not UTF-8: read as Latin-1"
        )
        return data.decode("latin-1")


def _json(text: str, reading: Notes) -> Any:
    """Parse strictly but for NaN and infinities, which notebooks' outputs hold in practice. Raises ValueError."""
    doubled: set[str] = set()

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        mapping = dict(items)
        if len(mapping) < len(items) and len(doubled) < _NAMED:
            met: set[str] = set()
            for name, _ in items:
                if name in met and len(doubled) < _NAMED:
                    doubled.add(safe(name))
                met.add(name)
        return mapping

    def integer(digits: str) -> int:
        return int(digits) if len(digits) < 20 else 0

    value = json.loads(text, object_pairs_hook=pairs, parse_constant=lambda name: None, parse_int=integer)
    if doubled:
        reading.add(
            "Your notebook file holds some entries twice; the last of each was read, as JupyterLab does.",
            f"duplicated JSON keys: {', '.join(sorted(doubled)[:5])}",
        )
    return value


def _without_conflict(text: str, error: ValueError, reading: Notes) -> Any:
    """The notebook under a merge conflict's marks, if both sides hold the same text in their cells; else a refusal."""
    if not re.search(r"^<{7}", text, re.MULTILINE):
        where = f"line {error.lineno}" if isinstance(error, json.JSONDecodeError) else "it"
        cut = " It looks cut short." if _cut_short(text, error) else ""
        raise Refused(
            f"Your notebook file is damaged and could not be read.{cut} "
            "Open it in JupyterLab, save it and hand it in again.",
            f"not JSON ({where}): {safe(error)}",
        ) from None
    try:
        sides = [_json(_side(text, side), reading) for side in ("ours", "theirs")]
        same = _texts(sides[0]) == _texts(sides[1]) is not None
    except (ValueError, RecursionError):
        same = False
    if not same:
        raise Refused(
            "Your notebook holds the marks of an unresolved merge (<<<<<<<). Resolve them, see that it opens in "
            "JupyterLab, and hand it in again.",
            "merge conflict whose sides differ in the cells' text, or do not parse",
        )
    reading.add(
        "Your notebook held the marks of an unresolved merge; both sides had the same cells, so it was graded.",
        "merge conflict in outputs or metadata only: graded",
    )
    return sides[0]


def _side(text: str, wanted: str) -> str:
    """The text with one side of each conflict: "ours" above the line of =======, "theirs" below it."""
    kept, side = [], ""
    for line in text.splitlines(keepends=True):
        if line.startswith("<<<<<<<"):
            side = "ours"
        elif line.startswith("|||||||") and side:
            side = "base"
        elif line.startswith("=======") and side:
            side = "theirs"
        elif line.startswith(">>>>>>>") and side:
            side = ""
        elif side in ("", wanted):
            kept.append(line)
    return "".join(kept)


def _cut_short(text: str, error: ValueError) -> bool:
    """Whether the file simply ends too early."""
    if not isinstance(error, json.JSONDecodeError):
        return False
    return error.msg.startswith("Unterminated string") or error.pos >= len(text.rstrip()) - 1


def _texts(notebook: Any) -> list | None:
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        return None
    return [(cell.get("cell_type"), cell.get("source")) for cell in notebook["cells"] if isinstance(cell, dict)]


# ---------------------------------------------------------------- the notebook


def clean(content: dict[str, Any]) -> dict[str, Any]:
    """A notebook of our own making of the JSON that a child says a notebook is: the same where it is one that
    `contents` gives. Raises an exception of any kind where it is not.
    """
    return _clean(content, Notes())


def _clean(content: dict[str, Any], reading: Notes) -> dict[str, Any]:
    """A notebook of our own making with the cells' type, id, text and grade_id, and nothing else of the file's."""
    cells = _cells(content, reading)
    if len(cells) > MAX_CELLS:
        raise Refused(
            f"Your notebook has more than {MAX_CELLS} cells. Remove those you do not need and hand it in again.",
            f"{len(cells)} cells",
        )
    kept, total, lines, odd = [], 0, 0, 0
    for cell in cells:
        source = _source(cell)
        if source is None:
            odd += 1
            continue
        total += len(source)
        lines += 1 + source.count("\n")
        if len(source) > MAX_SOURCE or total > MAX_SOURCES or lines > MAX_LINES:
            raise Refused(
                "The text of your notebook's cells is too large to be read. Remove what is no part of your answers and "
                "hand it in again.",
                f"a cell of {len(source)} characters, {total} in {lines} lines so far",
            )
        kind, identifier = cell.get("cell_type"), _identifier(cell.get("id"))
        kept.append(
            {"cell_type": kind if kind in ("code", "markdown", "raw") else "raw", "source": source}
            | {"metadata": _marks(cell)}
            | ({"id": identifier} if identifier else {})
        )
    if odd:
        reading.add(
            "Some cells of your notebook are damaged and were left aside.",
            f"{odd} entries that are no cells, left aside",
        )
    if not kept:
        raise Refused(
            "Your notebook has no cells. Hand in the notebook that you worked in.", "a notebook without cells"
        )
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": kept}


def _cells(content: dict[str, Any], reading: Notes) -> list[Any]:
    """The cells, of an old format too."""
    cells = content.get("cells")
    if isinstance(cells, list):
        return cells
    if isinstance(content.get("worksheets"), list) or content.get("nbformat") in (1, 2, 3):
        reading.add(
            "Your notebook is in an old format; save it with a current JupyterLab next time.",
            f"nbformat {safe(content.get('nbformat'))}",
        )
        sheets = [sheet for sheet in _list(content.get("worksheets")) if isinstance(sheet, dict)]
        old = [cell for sheet in sheets for cell in _list(sheet.get("cells")) if isinstance(cell, dict)]
        return [
            {**cell, "source": cell.get("input", cell.get("source")), "cell_type": _OLD.get(str(cell.get("cell_type")))}
            for cell in old
        ]
    raise Refused("Your file is not a notebook. Hand in the .ipynb that you worked in.", "JSON without a list of cells")


_OLD = {"code": "code", "markdown": "markdown", "heading": "markdown", "html": "raw", "raw": "raw"}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _source(cell: Any) -> str | None:
    """A cell's text, or None for what is no cell. The format allows a list of lines; lone surrogates are replaced."""
    if not isinstance(cell, dict):
        return None
    source = cell.get("source", "")
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        return None
    source = source.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    return source.encode("utf-8", "replace").decode("utf-8")


_CLAIMS = {"grade": (bool,), "solution": (bool,), "points": (int, float)}


def _marks(cell: dict[str, Any]) -> dict[str, Any]:
    """Metadata with the cell's nbgrader name, by which it is found, and what else is said of it, which is compared with
    the assignment's own marks and never used in their place.
    """
    metadata = _dict(cell.get("metadata"))
    ours = _dict(metadata.get("nbgrader"))
    grade_id = ours.get("grade_id")
    if not (isinstance(grade_id, str) and re.fullmatch(r"[A-Za-z0-9_\-]{1,100}", grade_id)):
        return {}
    claims = {name: ours[name] for name, kinds in _CLAIMS.items() if type(ours.get(name)) in kinds}
    skipped = {"tags": ["skip-execution"]} if "skip-execution" in _list(metadata.get("tags")) else {}
    return {"nbgrader": {"grade_id": grade_id} | claims} | skipped


def _identifier(value: Any) -> str | None:
    return value if isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9_\-]{1,64}", value) else None
