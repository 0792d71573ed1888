"""A notebook as a learner gets it: without what only the course's own tests need, and without what is to be guessed.

Cells tagged `remove-cell` assert what the text says of stored numbers; the book leaves them out, and so does a copy.
Where the text asks for a guess, in cells tagged `guess`, what came out is not there until the cell has run. The
committed notebook keeps both, which the tests run again and compare; the book folds the guesses (theme/guess.py). Where
the book puts a figure to move (`course.captions`), a copy says how to have it there.
"""

from __future__ import annotations

import json
import re
from typing import Any

from course import captions

GUESS = "guess"
TESTS_ALONE = "remove-cell"
INSTALLS = "install-the-course"  # the id of the cell that installs the course where it is missing
NO_PACKAGE = 'COURSE = ""'  # in that cell
# PyTorch's own index of builds for the CPU, as in `tools/setup.py`, which runs before anything is installed.
CPU_BUILDS = "https://download.pytorch.org/whl/cpu"
SET_UP = "set-up"  # with the tag above: the cell that installs the course where it is missing


def handed_out(notebook: bytes, installed: bool = False) -> bytes:
    """The bytes of a committed notebook as they are given to learners; with nothing to leave out, the same bytes.

    installed: for a place where the course is, so that the cell that would install it is left out too.
    """
    if not any(mark.encode() in notebook for mark in (f'"{GUESS}"', f'"{TESTS_ALONE}"', "](../book/")):
        return notebook
    content = json.loads(notebook)
    content["cells"] = [cell for cell in content["cells"] if _given(set(cell["metadata"].get("tags", ())), installed)]
    for cell in content["cells"]:
        if GUESS in cell["metadata"].get("tags", ()):
            cell["outputs"], cell["execution_count"] = [], None
        if cell["cell_type"] == "markdown":
            source = "".join(cell["source"])
            if (called := captions.LINKED.sub(_called, source)) != source:
                cell["source"] = called.splitlines(keepends=True)
    return _bytes(content)


def _called(link: re.Match[str]) -> str:
    """What stands in place of a link to a figure's page, which no copy has beside it: the caption, and the call."""
    number = f" {link[1]}.{link[2]}" if link[1] else ""
    call = f'import course; course.figure("{link[4]}")'
    return f"**Figure{number}:** {link[3]} To have it here, run `{call}` in a new cell."


def installing(notebook: bytes, package: str) -> bytes:
    """A notebook whose first cell installs this package, an address or a name, where the course is missing. Raises
    ValueError where that cell has no place for it."""
    content = json.loads(notebook)
    cell = next(cell for cell in content["cells"] if cell["id"] == INSTALLS)
    source = "".join(cell["source"])
    if source.count(NO_PACKAGE) != 1:
        raise ValueError(
            f"the cell {INSTALLS} has no line `{NO_PACKAGE}`: `python -m tools.notebooks refresh` mends it"
        )
    cell["source"] = source.replace(NO_PACKAGE, f"COURSE = {json.dumps(package)}").splitlines(keepends=True)
    return _bytes(content)


def _bytes(content: dict[str, Any]) -> bytes:
    """nbformat's own bytes: nbgrader's release of them changes nothing."""
    return (json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True, separators=(",", ": ")) + "\n").encode()


def _given(tags: set[str], installed: bool) -> bool:
    return TESTS_ALONE not in tags or (SET_UP in tags and not installed)
