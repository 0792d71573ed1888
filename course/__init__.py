"""The small package every learner has: checks, hints, progress, own parts, data and plots.

It never imports `solutions` or `autograde`. A notebook uses what is named here, `course.data` and `course.components`.
"""

from course.learner.check import check
from course.learner.components import use_reference
from course.learner.hints import hint
from course.learner.progress import progress
from course.plots import show, style

__all__ = ["check", "hint", "progress", "show", "style", "use_reference"]
__version__ = "0.1.0"
