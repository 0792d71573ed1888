"""Which of the answer bank's wrong answers an answer looks like, and what each failed case tells the student of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from course.checks.engine.case import Case
from course.checks.engine.compare import UNWRITTEN, difference
from course.checks.engine.table import Diagnosis, Observation, Table
from course.checks.engine.verdict import CaseVerdict

AS_ABOVE = "As above."
NEARLY_ALL = 0.75  # of what failed, by weight: what explains less is told of nobody, not even as a possibility


@dataclass(frozen=True)
class Cause:
    """What an answer looks like. `certain` where it accounts for every case; else it may be this, among others."""

    diagnosis: Diagnosis
    certain: bool

    @property
    def message(self) -> str:
        return self.diagnosis.message if self.certain else f"It may be this: {self.diagnosis.message}"


def causes(
    differences: Sequence[str | None],
    cases: Sequence[Case],
    seen: Sequence[Observation],
    table: Table,
    same: Callable[[int, Observation, Observation], bool],
    guesses: bool = True,
) -> dict[int, Cause]:
    """Index of a failing case -> what it comes of, by where the observations depart from the reference's.

    A diagnosis is certain where it looks like the answer in every case: in those too that passed. A contract case, or
    one that asks whether an answer agrees with itself, has a cause of its own, which its line tells, and speaks neither
    for nor against what the others see; where only such cases fail all are asked. Where no diagnosis is certain and the
    check `guesses`, the one that looks like the answer in most of what failed is named as a possibility, if that is
    NEARLY_ALL of it, and if it looks like the answer in all that passed; that both raise the same says little, and does
    not count. `same` says whether the case of an index cannot tell two observations apart.
    """
    failing = [i for i, sentence in enumerate(differences) if sentence is not None]
    if not failing:
        return {}
    apart = [case.agrees or case.contract for case in cases]
    telling = [i for i in failing if not apart[i]] or failing
    asked = [i for i in range(len(cases)) if not apart[i] or telling is failing]

    def looks_like(diagnosis: Diagnosis, i: int) -> bool:
        return same(i, seen[i], diagnosis.observations[i])

    def shows(diagnosis: Diagnosis, i: int) -> bool:
        return difference(diagnosis.observations[i], table.reference[i], cases[i]) is not None

    def explained(diagnosis: Diagnosis) -> list[int] | None:
        """The failing cases in which it looks like the answer; None where one that passed, or too many that failed,
        speak against it. Those are asked first of which the bank's answer has been observed already."""
        wanted = {*asked, *telling}
        made = getattr(diagnosis.observations, "made", wanted)
        alike, against = [], 0.0
        for i in sorted(wanted, key=lambda i: (i not in made, i)):
            if looks_like(diagnosis, i):
                alike.append(i)
            elif i not in telling or (against := against + cases[i].weight) > everything - enough:
                return None
        return [i for i in telling if i in alike]

    best, most = None, 0.0
    everything = sum(cases[i].weight for i in telling)
    enough = NEARLY_ALL * everything
    for diagnosis in table.diagnoses:
        if (alike := explained(diagnosis)) is None:
            continue
        if len(alike) == len(telling):
            return {i: Cause(diagnosis, True) for i in failing if i in telling or looks_like(diagnosis, i)}
        weight = sum(cases[i].weight for i in alike if shows(diagnosis, i) and seen[i].raised is None)
        if weight >= enough and weight > most:
            best, most = (diagnosis, alike), weight
    return {i: Cause(best[0], False) for i in best[1]} if best and guesses else {}


def case_verdicts(
    cases: Sequence[Case], sentences: Sequence[str | None], by_index: Mapping[int, Cause]
) -> list[CaseVerdict]:
    """A line for each case, from the sentence on what was seen of it, None where it passed. What a line above has said
    already, of what was seen or of its cause, is not said again."""
    lines: list[CaseVerdict] = []
    said: set[str] = set()
    for i, (case, observed) in enumerate(zip(cases, sentences, strict=True)):
        if observed is None:
            lines.append(CaseVerdict(case.title, True, case.weight))
            continue
        cause = by_index.get(i)
        nothing_new = cause is None or cause.message in said
        if nothing_new and observed in said:
            message = AS_ABOVE
        elif cause is None:
            message = observed
        elif nothing_new:
            message = f"{observed} The likely cause is the same."
        else:
            message = f"{observed} {cause.message}"
        said |= {observed} if cause is None else {observed, cause.message}
        lines.append(CaseVerdict(case.title, False, case.weight, message, cause.diagnosis.name if cause else ""))
    return lines


def unwritten(case: CaseVerdict) -> bool:
    """Whether nothing more is known of a case than that it came upon code that is not written yet."""
    return not case.passed and case.message in (UNWRITTEN, AS_ABOVE)
