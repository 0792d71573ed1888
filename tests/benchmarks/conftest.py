"""Fixtures of the grader's tests for the benchmarks that grade: the toy assignment, and one sandbox for all."""

from tests.autograde.conftest import in_place, one_sandbox, toy_notebook, warm_sandbox

__all__ = ["in_place", "one_sandbox", "toy_notebook", "warm_sandbox"]  # pytest finds them by these names
