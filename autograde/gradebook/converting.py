"""What all of nbgrader's converters are told here: which notebooks are meant, and to print none of their steps."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from pathlib import Path


def notebooks(folder: Path, assignment: str) -> dict[str, list[str]]:
    """What a converter of nbgrader's is to convert: each student's notebook, by its folder. Its own search reads the
    characters of students' names as patterns."""
    return {str(path.parent): [str(path)] for path in sorted(folder.glob(f"*/{assignment}/*.ipynb"))}


@contextlib.contextmanager
def quiet(converter_log: logging.Logger) -> Iterator[list[str]]:
    """Gathers a converter's warnings and errors instead of printing each of its steps."""
    said: list[str] = []

    class Gather(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage())

    handler = Gather(logging.WARNING)
    handlers, propagates, level = converter_log.handlers, converter_log.propagate, converter_log.level
    converter_log.handlers, converter_log.propagate = [handler], False
    converter_log.setLevel(logging.WARNING)
    try:
        yield said
    finally:
        converter_log.handlers, converter_log.propagate = handlers, propagates
        converter_log.setLevel(level)
