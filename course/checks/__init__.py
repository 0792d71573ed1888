"""What is looked at in each exercise: `engine` judges, and a module for each chapter says which cases there are.

`variants` are the wrong forms that a learner's test is tried on, `recorded` the tables that `python -m tools.notebooks
record` makes: never edit those. Safe to change: cases, their titles and explanations, followed by a new recording. Not
safe: an exercise's name, which gradebooks know it by. Nothing here imports `course.learner`, `solutions` or the grader.
"""

import importlib

from course.checks.engine import Check


def find(name: str, chapter: str) -> Check:
    """The check of exercise `name` in chapter module `chapter` (for example "bahdanau")."""
    importlib.import_module(f"{__name__}.{chapter}")
    return Check.registry[name]
