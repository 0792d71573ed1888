"""The small package every learner has: checks, hints, progress, own parts, data and plots.

It never imports `solutions` or `autograde`. A notebook uses what is named here, `course.data` and `course.parts`.
"""

from course.checking import check
from course.hints import hint
from course.parts import use_reference
from course.plots import show, style
from course.record import progress

__all__ = ["check", "hint", "progress", "show", "style", "use_reference"]
__version__ = "0.1.0"
