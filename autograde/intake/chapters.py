"""Which assignment a notebook answers, told by its graded cells: one under another's name is not graded there.

The names of cells stand in the file's text, which is searched and never parsed. What else stands in it has no say.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from autograde.folders import ClassFolder
from autograde.intake.parse import MAX_BYTES

_CELL = re.compile(rb'"grade_id"\s*:\s*"([\w.-]{1,100})"')


class Chapters:
    """The graded cells of each assignment that is released in a class."""

    def __init__(self, folder: ClassFolder) -> None:
        self.of: dict[bytes, str] = {}
        shared = set[bytes]()
        for name in folder.assignments():
            for cell in set(_CELL.findall(folder.released(name).read_bytes())):
                shared |= {cell} if cell in self.of else set()
                self.of[cell] = name
        for cell in shared:  # they tell nothing
            del self.of[cell]

    def another(self, submission: Path, assignment: str) -> str:
        """The assignment whose cells the notebooks in a submission's folder have, where they have none of its own; else
        ""."""
        counted: Counter[str] = Counter()
        for path in sorted(submission.rglob("*.ipynb")):
            if path.is_file() and not path.is_symlink() and path.stat().st_size <= MAX_BYTES:
                counted.update(self.of[cell] for cell in set(_CELL.findall(path.read_bytes())) if cell in self.of)
        return "" if not counted or counted[assignment] else counted.most_common(1)[0][0]
