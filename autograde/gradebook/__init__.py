"""nbgrader's side of the grader: all that knows its classes and writes its gradebook.

nbgrader keeps the gradebook, formgrader, manual grades, late penalties and export. Here are its configuration of a
class (`configuration`), its database (`store`), its release of an assignment (`release`), what it is told of handing
out (`exchange`), its own ways to run a submission, which lead through the sandbox (`by_nbgrader`), and the way of the
ledger's verdicts into its database (`enter`). What is made out of the gradebook for people is in `autograde.reports`,
which may import this package and is never imported here. Safe to change: what a release checks, and sentences. Not
safe: any of nbgrader's ways that runs a submission (tests/autograde/gradebook/test_by_nbgrader.py tries them), and what
is written over a person's grade: nothing is.
"""

from autograde.gradebook.configuration import configure

__all__ = ["configure"]  # by which the nbgrader_config.py of every class imports it
