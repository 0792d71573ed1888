"""The grader: runs what students hand in inside a sandbox, judges it outside, keeps every verdict, fills nbgrader's
gradebook.

A submission goes through `intake`, `sandbox`, `grading`, `gradebook` and `reports`, in this order; `bank` holds the
known answers that checks and samples are made with. `cli` has the commands, and `terminal` what they show. Modules that
stand here are used by all of these: a class's folders and who may read them, a run's plan and keys, the ledger. Imports
go down only: tests/project/test_imports.py says which package may enter which. Safe to change: what a command prints.
Not safe: the names of commands and their options, which instructors' scripts hold, and the folders of a class.
"""

import sys

# jsonschema, which nbformat reads notebooks with, compiles a grammar of web addresses where it finds this package: 1.9
# of the 6.9 seconds of processor time that a start of the grader took, for a format that no notebook has. None says
# that it is not there, and jsonschema then leaves that format unchecked.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
