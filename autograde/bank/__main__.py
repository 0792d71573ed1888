"""`python -m autograde.bank [--seeds N] [WHAT ...]`: does every wrong answer fail, by name, and every correct one pass?

Runs in process, without a sandbox, against fresh seeds: the quick look while writing an exercise, and with many seeds the
search for answers that pass, or are refused, at one now and then.
"""

import argparse
import secrets
import sys
import time
from collections.abc import Iterable

import torch

from autograde.bank import examine, published, recorded, table
from course.checks import RECORDED_SEED, Table
from course.exercises import Exercise, exercises


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m autograde.bank", description="Judge every answer of the banks.")
    parser.add_argument("--seeds", type=int, default=1, metavar="N", help="fresh seeds for each exercise (1)")
    parser.add_argument(
        "what", nargs="*", metavar="WHAT", help="chapters such as bahdanau, exercises by name or number"
    )
    options = parser.parse_args(arguments)
    if options.seeds < 1:
        parser.error("--seeds must be at least 1")
    torch.set_num_threads(1)
    names = {
        exercise: {exercise.chapter, exercise.name, exercise.number}
        for exercise in exercises()
        if not exercise.question
    }
    if unknown := set(options.what).difference(*names.values()):
        parser.error(f"no chapter or exercise {', '.join(sorted(unknown))}")
    bad = 0
    for exercise, called in names.items():
        if options.what and not called.intersection(options.what):
            continue
        bad += look(exercise, (table(exercise, secrets.randbelow(1 << 31)) for _ in range(options.seeds)))
        if published(exercise) is not None:  # a test is tried on fewer implementations in a notebook
            bad += look(exercise, [recorded(exercise)])
    return 1 if bad else 0


def look(exercise: Exercise, tables: Iterable[Table]) -> bool:
    """Print how the bank does against all of the tables; whether a wrong answer survived or a correct one was refused."""
    start, reports = time.perf_counter(), [(table.seed, examine(exercise, table)) for table in tables]
    wrong, correct = (sum(getattr(report, kind) for _, report in reports) for kind in ("wrong", "correct"))
    survivors = [(seed, name) for seed, report in reports for name in report.survivors]
    unnamed = [(seed, name, told) for seed, report in reports for name, told in report.unnamed]
    refused = [(seed, name, why) for seed, report in reports for name, why in report.refused]
    first = reports[0][0]
    seeds = f"{len(reports)} seeds" if len(reports) > 1 else f"seed {first}"
    print(
        f"{exercise.number:6} {exercise.name:28} caught {wrong - len(survivors)}/{wrong}  "
        f"named {wrong - len(survivors) - len(unnamed)}/{wrong}  accepted {correct - len(refused)}/{correct}  "
        f"{time.perf_counter() - start:.2f} s  {'as recorded' if first == RECORDED_SEED else seeds}",
        flush=True,
    )
    for seed, name in survivors:
        print(f"         SURVIVED  {name} (seed {seed})")
    for seed, name, told in unnamed:
        print(f"         unnamed   {name}: told {told} (seed {seed})")
    for seed, name, why in refused:
        print(f"         REFUSED   {name}: {why} (seed {seed})")
    return bool(survivors or refused)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
