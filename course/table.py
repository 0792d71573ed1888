"""A table of results: HTML in the book and in JupyterLab, aligned text in a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any


class Table:
    """Rows under named columns; the last line of a cell shows it.

    columns: each title with the format of its numbers, in Python's format language: `{"k": "d", "loss": ".3f"}`. A
    text is shown as it is, None as a dash, several numbers in one place side by side.

        results = Table({"model": "", "loss": ".3f"})
        results.row("GRU", 1.92)
        results
    """

    def __init__(self, columns: Mapping[str, str], title: str = ""):
        if not columns:
            raise ValueError("a table has at least one column, as {title: format}")
        self.columns = dict(columns)
        self.title = title
        self.rows: list[tuple[str, ...]] = []
        self._numbers = dict.fromkeys(self.columns, True)  # columns of numbers alone stand to the right

    def row(self, *values: Any) -> None:
        """Add a row, one value for each column; a tensor of one element counts as its number.

        Raises ValueError for another number of values, and for one that its column's format does not fit.
        """
        if len(values) != len(self.columns):
            raise ValueError(f"a row has {len(self.columns)} values, one for each of {list(self.columns)}: {values!r}")
        cells = []
        for (title, form), value in zip(self.columns.items(), values, strict=True):
            cells.append(_written(title, form, value))
            self._numbers[title] &= not isinstance(value, str)
        self.rows.append(tuple(cells))

    def __repr__(self) -> str:
        lines = [tuple(self.columns), *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        sides = [">" if self._numbers[title] else "<" for title in self.columns]
        texts = [
            "  ".join(f"{cell:{side}{width}}" for cell, side, width in zip(line, sides, widths, strict=True)).rstrip()
            for line in lines
        ]
        return "\n".join(([self.title] if self.title else []) + texts)

    def _repr_html_(self) -> str:
        def line(cells: tuple[str, ...], tag: str) -> str:
            sides = ["right" if self._numbers[title] else "left" for title in self.columns]
            return "".join(
                f'<{tag} style="text-align: {side}">{escape(cell)}</{tag[:2]}>'
                for cell, side in zip(cells, sides, strict=True)
            )

        head = line(tuple(self.columns), 'th scope="col"')
        body = "\n".join(f"<tr>{line(row, 'td')}</tr>" for row in self.rows)
        caption = f"<caption>{escape(self.title)}</caption>\n" if self.title else ""
        return f"<table>\n{caption}<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def _written(title: str, form: str, value: Any) -> str:
    """What stands in a cell. Raises ValueError where the column's format does not fit."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return "  ".join(_written(title, form, one) for one in value)
    number = value.item() if hasattr(value, "item") else value
    try:
        return f"{number:{form}}"
    except (TypeError, ValueError) as error:
        raise ValueError(f"column {title!r} is written as {form!r}, which does not fit {number!r}: {error}") from None
