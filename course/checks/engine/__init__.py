"""What a check is: cases that look at a student's code, and a table that says what they saw elsewhere.

A case calls the student's components on drawn inputs (`draw`) and returns observations (`case`); it never compares. The
table holds the same cases' observations of the reference and of every wrong answer in the bank (`table`): recorded
numbers for the learner (`recorded`), computed from a fresh key by the grader. A check (`check`) compares (`compare`),
names the cause (`diagnose`) and gives a verdict (`course.verdict`). Of what a component declares (`declare`) it makes
cases for all conditions under which code goes wrong (`conditions`): `probes` looks at the component (`subject`) and at
whether its results agree (`agreement`), `explanations` says so. `of_tests` is for exercises that ask for a test. One
module beside this package holds each chapter's checks. Safe to change: how a verdict is worded. Not safe: how numbers
are drawn or compared, which decides verdicts: record all tables again, and look at the banks and the first looks.
"""

from course.checks.engine.check import Check
from course.checks.engine.declare import Arguments, Axis, Fixture
from course.checks.engine.draw import Draw
from course.checks.engine.table import Diagnosis, Implementation, Observation, Table
from course.key import Key
from course.verdict import UNWRITTEN, CaseVerdict, Outcome, Verdict, together, unwritten

__all__ = [
    "UNWRITTEN",
    "Arguments",
    "Axis",
    "CaseVerdict",
    "Check",
    "Diagnosis",
    "Draw",
    "Fixture",
    "Implementation",
    "Key",
    "Observation",
    "Outcome",
    "Table",
    "Verdict",
    "together",
    "unwritten",
]
