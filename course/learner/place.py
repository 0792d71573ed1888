"""Shows what `check` and `hint` give where the call stands: in a cell, wherever in it; in a script; in a terminal."""

import ast
import linecache
import sys
from types import FrameType

from course.learner import session


def show(bundle: dict[str, str], called: str) -> None:
    """Show what the caller's caller gets from the function named `called`: `bundle` by MIME type, "text/plain" among
    them. The value of a cell's last line is left to the notebook, which shows it anyway."""
    if not session.in_a_notebook():
        print(bundle["text/plain"])
    elif not _is_last(sys._getframe(2), called):
        display(bundle)


def display(bundle: dict[str, str]) -> None:
    """Show it in the notebook, or print its text where there is none."""
    if not session.in_a_notebook():
        print(bundle["text/plain"])
        return
    from IPython.display import display as show_now

    show_now(bundle, raw=True)


def _is_last(caller: FrameType, called: str) -> bool:
    """Whether the call is the whole of its cell's last line, and so the value that the notebook shows."""
    text = "".join(linecache.getlines(caller.f_code.co_filename)).rstrip()
    if caller.f_code.co_name != "<module>" or text.endswith(";"):  # a semicolon: IPython shows nothing
        return False
    try:
        last = ast.parse(text).body[-1]
    except (SyntaxError, IndexError):
        return False
    if not (isinstance(last, ast.Expr) and isinstance(last.value, ast.Call)):
        return False
    function = last.value.func
    name = getattr(function, "id", getattr(function, "attr", ""))
    return name == called and last.lineno <= caller.f_lineno <= (last.end_lineno or last.lineno)
