"""The verdict on an answer: one type, from the judge and the learner's `check` to the ledger and the feedback page.

It stands apart from what judges, and imports no PyTorch: commands that only read what was judged start without.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

UNWRITTEN = "Your code raised NotImplementedError: it, or something that it calls, is not written yet."
AS_ABOVE = "As above."
YOUR_NUMBER = "Your number"  # the title of the one case of a question whose answer is a number


class Outcome(StrEnum):
    """How an answer came out. The last five are for whoever runs it, or has its text, to say: no check does."""

    PASS = "pass"
    PARTIAL = "partial"
    FAIL = "fail"
    ERROR = "error"  # the code raised in every case; from the grader, too, that it could not be run
    TIMEOUT = "timeout"
    OUT_OF_MEMORY = "out of memory"
    BLOCKED = "blocked"
    NOT_ANSWERED = "not answered"


@dataclass(frozen=True)
class CaseVerdict:
    """One line of a verdict: what was looked at, whether it passed, what was seen, and the diagnosis ("" for none)."""

    title: str
    passed: bool
    weight: float = 1.0
    message: str = ""
    diagnosis: str = ""


@dataclass(frozen=True)
class Verdict:
    """The verdict on the answer to one exercise.

    `fraction` is the share of the exercise's points, 0 to 1. `diagnosis` is the answer bank's name for what was found,
    "" if none matched. `message` is said of the answer as a whole. `substituted` names the earlier exercises whose
    reference stood in for failed answers while this one was judged. `internal` is what went wrong in the grader itself:
    a person must look then, and the points mean nothing.
    """

    outcome: Outcome
    fraction: float = 0.0
    cases: tuple[CaseVerdict, ...] = ()
    diagnosis: str = ""
    message: str = ""
    substituted: tuple[str, ...] = ()
    internal: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.fraction <= 1:
            raise ValueError(f"a verdict gives a share between 0 and 1, and not {self.fraction:g}")

    @property
    def passed(self) -> bool:
        return self.outcome is Outcome.PASS

    def points(self, maximum: float) -> float:
        """What it earns of an exercise of so many points, to the hundredth."""
        return round(maximum * self.fraction, 2)

    def as_json(self) -> dict[str, Any]:
        """What is stored of it: all but `internal`, which is not the student's."""
        return {name: value for name, value in asdict(self).items() if name != "internal"}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Verdict:
        """The verdict that `as_json` gave. Raises ValueError, TypeError or KeyError where it is none."""
        cases = tuple(CaseVerdict(**case) for case in stored["cases"])
        lists = {"cases": cases, "substituted": tuple(stored["substituted"])}
        return cls(**{**stored, **lists, "outcome": Outcome(stored["outcome"])})


def together(cases: Sequence[CaseVerdict]) -> list[list[CaseVerdict]]:
    """The cases as they are shown: those that failed with the same words in one group, where the first of them stands;
    each that passed by itself."""
    groups: list[list[CaseVerdict]] = []
    failed: dict[str, list[CaseVerdict]] = {}
    before = ""
    for case in cases:
        if case.passed:
            groups.append([case])
            continue
        before = before if case.message == AS_ABOVE else case.message
        if before not in failed:
            groups.append(failed.setdefault(before, []))
        failed[before].append(case)
    return groups


def unwritten(case: CaseVerdict) -> bool:
    """Whether nothing more is known of a case than that it came upon code that is not written yet."""
    return not case.passed and case.message in (UNWRITTEN, AS_ABOVE)
