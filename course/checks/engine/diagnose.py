"""Which of the answer bank's wrong answers an answer looks like, and what each failed case tells the student of it."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from course.checks.engine.case import Case
from course.checks.engine.compare import UNWRITTEN, difference
from course.checks.engine.table import Diagnosis, Observation, Table
from course.checks.engine.verdict import CaseVerdict

AS_ABOVE = "As above."


def causes(
    failing: Sequence[int],
    cases: Sequence[Case],
    seen: Sequence[Observation],
    table: Table,
    same: Callable[[int, Observation, Observation], bool],
) -> dict[int, Diagnosis]:
    """Index of a failing case -> the diagnosis that looks like the answer: on every case, else on the failing ones,
    else on this one. `same` says whether the case of an index cannot tell two observations apart."""

    def alike(diagnosis: Diagnosis, indices: Iterable[int]) -> bool:
        return all(same(i, seen[i], diagnosis.observations[i]) for i in indices)

    def cause(i: int) -> Diagnosis | None:
        for indices in (range(len(cases)), failing, [i]):
            for diagnosis in table.diagnoses:
                shows = difference(diagnosis.observations[i], table.reference[i], cases[i]) is not None
                if shows and alike(diagnosis, indices):
                    return diagnosis
        return None

    return {i: diagnosis for i in failing if (diagnosis := cause(i)) is not None}


def case_verdicts(
    cases: Sequence[Case], sentences: Sequence[str | None], by_index: Mapping[int, Diagnosis]
) -> list[CaseVerdict]:
    """A line for each case, from the sentence on what was seen of it, None where it passed. What a line above has said
    already, of what was seen or of its cause, is not said again."""
    lines: list[CaseVerdict] = []
    said: set[str] = set()
    last: Diagnosis | None = None
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
            message = f"{observed} The likely cause is {'the same' if cause is last else 'told above'}."
        else:
            message = f"{observed} {cause.message}"
        said |= {observed} if cause is None else {observed, cause.message}
        last = cause or last
        lines.append(CaseVerdict(case.title, False, case.weight, message, cause.name if cause else ""))
    return lines


def unwritten(case: CaseVerdict) -> bool:
    """Whether nothing more is known of a case than that it came upon code that is not written yet."""
    return not case.passed and case.message in (UNWRITTEN, AS_ABOVE)
