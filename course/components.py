"""`from course.components import GRUCell`: the learner's own component where it has passed, and whose it is.

Where the learner chose it (`use_reference`) and `solutions` is installed, it is the reference. Where there is neither,
an ImportError names the exercise and the way on. Under grading, refresh and nbval it is the reference, silently. What
is kept, and how, is `course.learner.components`.
"""

from typing import Any

from course.learner import components


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    return components.component(name)
