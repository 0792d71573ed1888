"""The small package that every learner has: checks, hints, progress, own components, data and plots.

It never imports `autograde`, and `solutions` only by name, where a learner goes on with the reference. A notebook uses
what is named here, `course.data`, `course.components` and the single modules beside this one.
"""

from course.learner.check import check
from course.learner.components import use_reference
from course.learner.hints import hint
from course.learner.progress import progress
from course.plots import show, style

__all__ = ["check", "hint", "progress", "show", "style", "use_reference"]
__version__ = "0.1.0"
