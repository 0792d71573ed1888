"""Whether `check` was given an older definition than the one in the cell that was run last: where a cell ends with an
error before it defines anything, such as a SyntaxError, Python keeps the name's old value and says nothing of it.
"""

import inspect
import re
import types
from collections.abc import Mapping
from typing import Any

from course.learner import session


def older(namespace: Mapping[str, Any]) -> str:
    """What to say where an answer was defined by an earlier cell than the newest one that defines its name; "" where
    none was, and where that cannot be told."""
    running = session.shell()
    cells = [] if running is None else [f"{cell.rstrip()}\n" for cell in running.history_manager.input_hist_raw]
    for name, answer in namespace.items():
        defining = [cell for cell in cells if re.search(rf"^(?:async )?(?:def|class) {name}\b", cell, re.MULTILINE)]
        sources = _sources(answer)
        if not sources or not defining or all(source in defining[-1] for source in sources):
            continue
        if any(all(source in cell for source in sources) for cell in defining[:-1]):
            return (
                f"What was judged is an older `{name}`: the newest cell that defines it ended with an error. "
                "Run that cell again, and mend what it says first."
            )
    return ""


def _sources(answer: Any) -> list[str]:
    """The text of a function, or of a class's own methods, in whole lines; nothing where it cannot be read."""
    functions = vars(answer).values() if inspect.isclass(answer) else [answer]
    try:
        return [f"{inspect.getsource(f).strip()}\n" for f in functions if isinstance(f, types.FunctionType)]
    except (OSError, TypeError):
        return []
