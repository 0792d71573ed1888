"""Run all goes past what is unanswered: a cell that waits for an exercise says so, and stops nothing after it.

A cell that calls what is not written yet, imports what has not passed, or uses a name that such a cell did not come to
bind, is not at fault. It shows which exercise it waits for, in place of a traceback, and the kernel reports it as run.
Every other error is shown as always, and stops the run.
"""

import ast
import linecache
import symtable
from types import FrameType, FunctionType, ModuleType, TracebackType
from typing import Any

from course.blank import unwritten
from course.exercises import Exercise, exercises
from course.learner import card, place, session
from course.learner.components import NotPassed

_waits: dict[str, list[Exercise]] = {}  # names that cells have not come to bind, and the exercises that they wait for
_excused: list[BaseException] = []  # the error of the cell that runs, where it is none of the cell's
_before: dict[str, int] = {}  # name -> which object it named as the cell began
_offered: set[str] = set()  # cells that were put below one that waits, once each


def begin() -> None:
    """From now on, in a learner's notebook."""
    shell = session.shell()
    if session.learning() and session.in_a_notebook() and shell.custom_exceptions == ():
        shell.set_custom_exc((NotImplementedError, NameError, NotPassed), _show)
        shell.events.register("pre_run_cell", lambda *_: _remember(shell))
        shell.events.register("post_run_cell", _excuse)


def _remember(shell: Any) -> None:
    _before.clear()
    _before.update((name, id(value)) for name, value in shell.user_ns.items())


def _excuse(result: Any) -> None:
    """Takes the error from a cell's result, before the kernel sees it and drops the cells that are still to run."""
    if result is not None and any(result.error_in_exec is error for error in _excused):
        result.error_in_exec = None
    _excused.clear()


def _show(shell: Any, kind: type, error: BaseException, trace: TracebackType, tb_offset: int | None = None) -> None:
    """Says what the cell waits for; where it waits for nothing, the usual traceback."""
    reason = _what_for(shell, error, trace)
    if reason is None:
        shell.showtraceback((kind, error, trace), tb_offset=tb_offset, running_compiled_code=True)
        return
    those, sentence = reason
    for name in _bound_by_the_cell(shell, trace):
        _waits[name] = those
        half = shell.user_ns.get(name)  # such as a dict that a loop was to fill: who uses it waits too
        if id(half) != _before.get(name) and not isinstance(half, (FunctionType, ModuleType, type)):
            shell.user_ns.pop(name, None)
    _excused.append(error)
    if isinstance(error, NotPassed):
        place.display({"text/plain": str(error), "text/html": _missing(error)})
        if error.cell not in _offered:  # Jupyter puts it below, ready to run
            _offered.add(error.cell)
            shell.set_next_input(error.cell)
    else:
        html = card.card(card.Tone.OPEN, "Waits", _numbered(those), card.paragraph(sentence))
        place.display({"text/plain": f"Waits {_numbered(those)}: {sentence}", "text/html": html})


def _missing(error: NotPassed) -> str:
    items = [(False, [line], "") for line in error.lines]
    title = "What this cell imports has not passed yet"
    below = f"{error.WAY_ON}:"
    return card.card(card.Tone.OPEN, "Waits", title, card.lines(items), card.paragraph(below), card.code(error.cell))


def _numbered(those: list[Exercise]) -> str:
    return "for exercise " + " and ".join(e.number for e in those)


def _what_for(shell: Any, error: BaseException, trace: TracebackType) -> tuple[list[Exercise], str] | None:
    """The exercises that a cell waits for, and a sentence; None where the error is the cell's own."""
    if isinstance(error, NotPassed):
        return [e for name in error.names for e in exercises() if name in e.components and not e.question], str(error)
    if isinstance(error, NotImplementedError):
        *_, last = _frames(trace)
        name = last.f_code.co_qualname
        for exercise in exercises():
            if last.f_globals is shell.user_ns and name in unwritten(ast.parse(exercise.stub)):
                return [exercise], f"`{name}` is not written yet, and this cell calls it."
        return None
    unbound = str(getattr(error, "name", None))
    if unbound in _waits and unbound not in shell.user_ns:
        return _waits[unbound], f"`{unbound}` comes from a cell above that waits for it."
    return None


def _frames(trace: TracebackType | None) -> list[FrameType]:
    frames = []
    while trace is not None:
        frames.append(trace.tb_frame)
        trace = trace.tb_next
    return frames


def _bound_by_the_cell(shell: Any, trace: TracebackType) -> list[str]:
    """The names that the cell would have bound."""
    own = [frame.f_code for frame in _frames(trace) if frame.f_globals is shell.user_ns]
    cells = [code.co_filename for code in own if code.co_name == "<module>"]
    try:
        symbols = symtable.symtable("".join(linecache.getlines(cells[0])), "<cell>", "exec").get_symbols()
    except (SyntaxError, IndexError):
        return []
    return [symbol.get_name() for symbol in symbols if symbol.is_assigned() or symbol.is_imported()]
