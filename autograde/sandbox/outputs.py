"""What a cell put out and raised, from a child's message to what a notebook may hold.

Everything that comes out of a child is hostile: its form is checked, its text is cut and freed of what is not
printable, its figures are made harmless.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import re
import struct
from dataclasses import dataclass
from typing import Any

from autograde.sandbox.limits import Limits
from autograde.sandbox.usage import Usage
from autograde.text import printable
from course.protocol import wire

_MOST = 500  # outputs of a cell that are looked at
_FIGURES = {"image/png", "image/svg+xml"}
_PIXELS = 24 << 20  # of one figure: a page of A4 at 300 dots to the inch has 9 million
_ELEMENTS = 20_000  # of an SVG
# What is kept of a PNG: its size, colors and pixels. Text, profiles and further frames are left out.
_CHUNKS = {b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"}


@dataclass(frozen=True)
class CellError:
    """The exception that a cell raised. `limit` is "time" or "memory" where it ran into one; `line` counts from 1."""

    name: str
    message: str
    line: int | None = None
    limit: str = ""


@dataclass(frozen=True)
class Ran:
    """What became of one cell. `outputs` are nbformat outputs, the error included, safe to put into a notebook.

    `ended` is "" or how this cell ended its child (an outcome of `Usage`); it was then left out of the run that counts.
    `cut` says that it put out more than is kept.
    """

    index: int
    outputs: list[dict[str, Any]]
    error: CellError | None
    seconds: float
    ended: str = ""
    cut: bool = False


def decoded(index: int, message: Any, limits: Limits, left: int) -> Ran:
    """A cell's record from a child's message; `left` is how many characters of text and figures this submission may
    still put out. Raises WireError where the message is none of this cell.
    """
    if not isinstance(message, dict) or message.get("cell") != index or not isinstance(message.get("outputs"), list):
        raise wire.WireError("not the report of the cell that ran")
    room, cut = min(limits.text + 200, left), message.get("cut") is True
    outputs, pictures = [], 0
    for item in message["outputs"][:_MOST]:
        if not isinstance(item, dict):
            continue
        if item.get("kind") == "stream" and item.get("name") in ("stdout", "stderr"):
            text = printable(str(item.get("text")))[: max(room, 0)]
            room -= len(text)
            outputs.append({"output_type": "stream", "name": item["name"], "text": text})
        elif item.get("kind") in ("display_data", "execute_result") and isinstance(item.get("data"), dict):
            pictures += 1
            data = _figure(item["data"], limits) if pictures <= limits.images * 4 else {}
            cut = cut or (not data and not _FIGURES.isdisjoint(item["data"]))
            if (size := sum(map(len, data.values()))) > left:
                data, cut = {}, True
            else:
                left -= size
            text = printable(str(item["data"].get("text/plain", "")))[: max(room, 0)]
            room -= len(text)
            if text:
                data["text/plain"] = text
            if data:
                extra = {"execution_count": None} if item["kind"] == "execute_result" else {}
                outputs.append({"output_type": item["kind"], "data": data, "metadata": {}, **extra})
    error = _error(message.get("error"))
    return Ran(index, outputs + _error_output(error), error, _number(message.get("seconds")), cut=cut or room <= 0)


def ended(index: int, usage: Usage, limits: Limits) -> Ran:
    """The record of a cell that ended its child, of which only the supervisor can say anything."""
    outcome = "exited" if usage.outcome == "ok" else usage.outcome
    messages = {
        "timeout": f"The cell did not stop within {limits.cell_seconds:g} s and was ended.",
        "out of memory": f"The cell needed more than {limits.memory >> 20} MiB of memory and was ended.",
        "crashed": f"The cell crashed Python itself ({usage.signal}).",
        "exited": "The cell ended Python itself.",
        "stopped": "What came back from the cell could not be read, and it was ended.",
    }
    limit = {"timeout": "time", "out of memory": "memory"}.get(outcome, "")
    error = CellError("CellEnded", messages[outcome], None, limit)
    return Ran(index, _error_output(error), error, usage.seconds, ended=outcome)


def size_of(outputs: list[dict[str, Any]]) -> int:
    """Characters of text and figures in a cell's outputs."""
    return sum(len(output.get("text", "")) + sum(map(len, output.get("data", {}).values())) for output in outputs)


def encodable(text: Any) -> str:
    """The text with lone surrogates replaced: it can be written to a file."""
    return str(text).encode("utf-8", "replace").decode("utf-8")


def _figure(data: dict[str, Any], limits: Limits) -> dict[str, Any]:
    """A PNG's picture; an SVG inside an <img>, where no script in it runs and nothing is fetched. HTML never passes,
    and nothing that unfolds to more than a page can show."""
    png, svg = data.get("image/png"), data.get("image/svg+xml")
    if isinstance(png, str) and len(png) <= 1.4 * limits.image:
        with contextlib.suppress(binascii.Error, ValueError):
            if raw := _picture(base64.b64decode("".join(png.split()), validate=True)):
                return {"image/png": base64.b64encode(raw).decode()}
    if isinstance(svg, str) and len(svg) <= 1.4 * limits.image and (drawing := _drawing(svg)):
        encoded = base64.b64encode(encodable(drawing).encode()).decode()
        return {"text/html": f'<img alt="figure" src="data:image/svg+xml;base64,{encoded}">'}
    return {}


def _picture(png: bytes) -> bytes:
    """The PNG made of its own chunks that count; b"" where it is none, or of more pixels than are shown."""
    kept, at, ended = [_PNG], len(_PNG), False
    while not ended:
        size, kind = struct.unpack_from("!I4s", png, at) if at + 12 <= len(png) else (1 << 32, b"")
        chunk = png[at : at + 12 + size]
        first = at == len(_PNG)
        if not png.startswith(_PNG) or len(chunk) < 12 + size or first != (kind == b"IHDR"):
            return b""
        if first and (size != 13 or not 0 < _area(chunk) <= _PIXELS):
            return b""
        if kind in _CHUNKS:
            kept.append(chunk)
        at, ended = at + 12 + size, kind == b"IEND"
    return b"".join(kept)


_PNG = b"\x89PNG\r\n\x1a\n"


def _area(header: bytes) -> int:
    width, height = struct.unpack_from("!II", header, 8)
    return int(width) * int(height)


_PROLOGUE = re.compile(r"\ufeff?\s*(?:<\?xml\s[^<>]*\?>)?\s*(?:<!--[^<>]*-->\s*)*(?:<!DOCTYPE\s[^<>\[]*>\s*)?")
_DECLARES = re.compile(r"<\?|<!(?!--|\[CDATA\[)|\x00")


def _drawing(svg: str) -> str:
    """The SVG in UTF-8, without its prologue; "" where it declares anything of its own, such as entities that unfold,
    or has more elements than are shown."""
    drawing = _PROLOGUE.sub("", svg, count=1)
    return "" if _DECLARES.search(drawing) or drawing.count("<") > 2 * _ELEMENTS else drawing


def _error(message: Any) -> CellError | None:
    if not isinstance(message, dict):
        return None
    line = message.get("line")
    limit = message.get("limit")
    return CellError(
        wire.named(str(message.get("name"))),
        printable(str(message.get("message"))[:2000]),
        line if type(line) is int and 0 < line < 1 << 20 else None,
        limit if limit in ("time", "memory") else "",
    )


def _error_output(error: CellError | None) -> list[dict[str, Any]]:
    if error is None:
        return []
    where = f" (line {error.line} of this cell)" if error.line else ""
    traceback = [f"{error.name}: {error.message}{where}"]
    return [{"output_type": "error", "ename": error.name, "evalue": error.message, "traceback": traceback}]


def _number(value: Any) -> float:
    return float(value) if type(value) in (int, float) and 0 <= value < 1e9 else 0.0
