"""Who is running this code, and where: a learner, a validation, the grader, or the course's own refresh and tests."""

import os
import sys
from pathlib import Path
from typing import Any

from course.exercises import Exercise, exercises

_SITE = Path(__file__).parent.parent / "site.txt"  # in a wheel that was made for a published book: its address
checked: list[Exercise] = []  # in this process, the last one at the end


def strict() -> bool:
    """Whether a check that fails must raise: refresh and nbval (COURSE_STRICT=1) and `nbgrader validate`."""
    return os.environ.get("COURSE_STRICT") == "1" or os.environ.get("NBGRADER_EXECUTION") == "validate"


def learning() -> bool:
    """Whether a learner is at work, so that progress and passed components are kept and messages about them shown."""
    return os.environ.get("COURSE_STRICT") != "1" and not os.environ.get("NBGRADER_EXECUTION")


def shell() -> Any:
    """The IPython that runs this code, None where there is none."""
    if "IPython" not in sys.modules:
        return None
    from IPython.core.interactiveshell import InteractiveShell

    return InteractiveShell.instance() if InteractiveShell.initialized() else None


def in_a_notebook() -> bool:
    """Whether what is displayed is seen as HTML: in a kernel, and not in a terminal or a script."""
    return getattr(shell(), "kernel", None) is not None


def notebook() -> str:
    """The notebook that runs ("04-dot-product"), as Jupyter's server or VS Code says; "" where neither does."""
    running = shell()
    file = running.user_ns.get("__vsc_ipynb_file__", "") if running is not None else ""
    stem = Path(str(file) or os.environ.get("JPY_SESSION_NAME", "")).stem
    return next((e.notebook for e in exercises() if e.notebook in stem), "")


def solution_page(exercise: Exercise) -> str:
    """The address of a chapter's solution page: of the book that COURSE_SITE or the installed wheel names, or "" where
    neither does."""
    site = os.environ.get("COURSE_SITE", "").strip()
    if not site and _SITE.exists():
        site = _SITE.read_text("utf-8").strip()
    return f"{site.rstrip('/')}/book/solutions/{exercise.notebook}.html" if site else ""
