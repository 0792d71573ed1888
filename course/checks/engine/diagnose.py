"""Which of the answer bank's wrong answers an answer looks like, and what each failed case tells the student of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from course.checks.engine.case import Case
from course.checks.engine.compare import difference
from course.checks.engine.table import Diagnosis, Observation, Table
from course.verdict import AS_ABOVE, CaseVerdict

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
    everything = sum(cases[i].weight for i in telling)
    enough = NEARLY_ALL * everything

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
    """A line for each case, from the sentence on what was seen of it, None where it passed. A cause is explained once;
    a line that would repeat the words of the failed one before it says `AS_ABOVE`, and is shown with it (`together`).
    """
    lines: list[CaseVerdict] = []
    explained: set[str] = set()
    before = ("", "")
    for i, (case, observed) in enumerate(zip(cases, sentences, strict=True)):
        if observed is None:
            lines.append(CaseVerdict(case.title, True, case.weight))
            continue
        cause = by_index.get(i)
        why = cause.message if cause else ""
        if (observed, why) == before:
            message = AS_ABOVE
        elif why in explained:
            message = f"{observed} The likely cause is the same."
        else:
            message = f"{observed} {why}".strip()
        before = observed, why
        explained |= {why} - {""}
        lines.append(CaseVerdict(case.title, False, case.weight, message, cause.diagnosis.name if cause else ""))
    return lines
