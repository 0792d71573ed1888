"""Who is running this code: a learner, a validation, the grader, or the course's own refresh and tests."""

import os


def strict() -> bool:
    """Whether a check that fails must raise: refresh and nbval (COURSE_STRICT=1) and `nbgrader validate`."""
    return os.environ.get("COURSE_STRICT") == "1" or os.environ.get("NBGRADER_EXECUTION") == "validate"


def learning() -> bool:
    """Whether a learner is at work, so that progress and passed components are kept and messages about them shown."""
    return os.environ.get("COURSE_STRICT") != "1" and not os.environ.get("NBGRADER_EXECUTION")
