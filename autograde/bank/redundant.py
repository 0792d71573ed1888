"""Conditions that see nothing alone: an exercise's check does without them, because its other cases catch all that they
do.

Every answer that is known to be wrong is put before the whole check: the bank's, those of first looks, mutants,
borrowed mistakes and defects. As long as each of them is still caught, conditions go, those that catch least first; one
that no defect could be tried on stays. What went stands in `course/checks/redundant.json`, which the engine reads and
nobody edits.

    python -m autograde.bank.redundant                    # of all exercises, minutes; `make refresh` comes after it
    python -m autograde.bank.redundant self_attention     # of one, as when an exercise is new
"""

import json
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path

import torch

from autograde import bank
from autograde.bank import borrowed, defects, mutation, reader
from course.checks.engine import Check, Table, Verdict, conditions
from course.exercises import Exercise, exercises
from course.files import replace

KEY = defects.KEY
FIRST_LOOKS = Path(__file__).resolve().parents[2] / "benchmarks" / "first_look"  # the repository's


def redundant(exercise: Exercise) -> list[str]:
    """The kinds of conditions that an exercise's check can do without, in the order of `CONDITIONS`."""
    check = bank.check_of(exercise)
    made = list(conditions.cases(tuple(check.declarations)))
    own, kept = len(check.own_cases), check.redundant
    check.redundant = frozenset()
    try:
        seen = [_failed(verdict) for verdict in _verdicts(exercise, check) if not verdict.passed]
    finally:
        check.redundant = kept
    tried = {defects.DEFECTS[name].condition for _, name in defects.forbidden(exercise)}  # others nothing speaks for
    gone = _not_needed([place for place, kind in enumerate(made, own) if kind in tried], seen)
    return [kind for place, kind in enumerate(made, own) if place in gone]


def _failed(verdict: Verdict) -> frozenset[int]:
    return frozenset(place for place, case in enumerate(verdict.cases) if not case.passed)


def _not_needed(places: Collection[int], seen: Collection[frozenset[int]]) -> frozenset[int]:
    """Of these cases those that may go together, when each set of failed cases is to keep one."""
    catches = Counter(place for failed in seen for place in failed)
    gone: frozenset[int] = frozenset()
    for place in sorted(places, key=lambda place: catches[place]):
        if all(failed - gone - {place} for failed in seen):
            gone |= {place}
    return gone


def _verdicts(exercise: Exercise, check: Check) -> Iterator[Verdict]:
    """The verdict on each answer that is known to be wrong, or may be."""
    table = Table(KEY, tuple(bank.observe(exercise, None, KEY)), ())
    for source in dict.fromkeys(_sources(exercise)):
        try:
            bank.namespace(exercise, source)
        except Exception:  # its cell stops, for which no case is needed
            continue
        yield check.compare(bank.observe(exercise, source, KEY), table)
    for declaration, name in defects.forbidden(exercise):
        yield defects.verdict(exercise, declaration, name, table)


def _sources(exercise: Exercise) -> Iterator[str]:
    for path in sorted(FIRST_LOOKS.glob(f"*/{exercise.chapter}/{exercise.name}.py")):
        yield from (answer.source for answer in reader.parse(path.read_text("utf-8"), "", exercise.name, path).wrong)
    yield from (answer.source for answer in bank.find(exercise).wrong)
    yield from (mutant.source for mutant in mutation.mutants(exercise))
    yield from (each.source for each in borrowed.borrowed(exercise))


def main() -> None:
    torch.set_num_threads(1)
    listed = conditions.redundant().items()
    by_exercise = {name: [kind for kind in conditions.CONDITIONS if kind in kinds] for name, kinds in listed}
    for exercise in bank.asked_for("autograde.bank.redundant", "Find conditions that a check does without."):
        if not bank.check_of(exercise).declarations:
            continue
        by_exercise[exercise.name] = redundant(exercise)
        without = "; ".join(conditions.CONDITIONS[kind].title for kind in by_exercise[exercise.name])
        print(
            f"{exercise.number} {exercise.name}: {f'does without: {without}' if without else 'all are needed'}",
            flush=True,
        )
    in_order = {e.name: by_exercise[e.name] for e in exercises() if by_exercise.get(e.name)}
    lines = (f"{json.dumps(name)}: {json.dumps(kinds)}" for name, kinds in in_order.items())
    replace(conditions.REDUNDANT, "{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
