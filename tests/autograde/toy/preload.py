"""Puts the toy assignment into a process of its own: a Dask worker's preload, or the grader's command line.

    python -m tests.autograde.toy.preload grade --class FOLDER

A submission whose text says "ends its worker" does so, each time; one that says "breaks its machine" takes bubblewrap
off a PATH that is there to be broken, and ends its worker's sandbox with the warm process behind it.
"""

import contextlib
import os
import shutil
import sys
import tempfile
from pathlib import Path

from autograde.grading.worker import Worker
from tests.autograde import toy

_open = contextlib.ExitStack()


def dask_setup(worker) -> None:
    """Called by Dask when a worker starts."""
    _open.enter_context(toy.installed(Path(_open.enter_context(tempfile.TemporaryDirectory()))))
    grade = Worker.grade

    def deadly(self, seen):
        text = "".join(cell.source for cell in seen.notebook.cells) if seen.notebook is not None else ""
        if "ends its worker" in text:
            os._exit(1)
        program = Path(shutil.which("bwrap") or "/")
        if "breaks its machine" in text and program.parent.name == "breakable":
            program.unlink()
            self._begin_anew()
        return grade(self, seen)

    Worker.grade = deadly  # type: ignore[method-assign]


def main() -> None:
    from autograde.cli import app

    with tempfile.TemporaryDirectory() as folder, toy.installed(Path(folder)):
        sys.exit(app())


if __name__ == "__main__":
    main()
