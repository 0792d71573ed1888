"""The small package that every learner has: checks, hints, progress, own components, data and plots.

It never imports `autograde`, and `solutions` only by name, where a learner goes on with the reference. A notebook uses
what is named here, `course.data`, `course.components` and the single modules beside this one. Safe to change: new
modules beside these. Not safe: a name that a notebook imports, which learners' copies hold already.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from course.home import stand_in

if TYPE_CHECKING:
    from course.figures.notebook import figure
    from course.learner.check import check
    from course.learner.components import use_reference
    from course.learner.hints import hint
    from course.learner.progress import progress
    from course.plots import show, style

__all__ = ["check", "figure", "hint", "progress", "show", "style", "use_reference"]
__version__ = "1.0.0"

# Looked up when they are first asked for: whoever enters one small module, such as `course.files`, needs no PyTorch.
_WHERE = {
    "check": "course.learner.check",
    "figure": "course.figures.notebook",
    "hint": "course.learner.hints",
    "progress": "course.learner.progress",
    "show": "course.plots",
    "style": "course.plots",
    "use_reference": "course.learner.components",
}

stand_in()  # before anybody imports Matplotlib; a process that this one starts is told too


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(_WHERE[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
