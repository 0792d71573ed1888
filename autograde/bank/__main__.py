"""`python -m autograde.bank [--seeds N] [WHAT ...]`: does every wrong answer fail, by name, and every correct one pass?

Runs in process, without a sandbox, against fresh seeds: the quick look while writing an exercise, and with many seeds
the search for answers that pass, or are refused, at one now and then.
"""

import argparse
import secrets
import sys
import time
from collections.abc import Iterator

import torch

from autograde.bank import chosen, examine, find, least, published, recorded, table
from autograde.bank.reader import BankError
from course.chapters import Unfinished
from course.checks.engine import Table
from course.exercises import Exercise
from course.key import Key


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
    bad = 0
    for exercise in chosen(options.what):
        try:
            bad += look(exercise, _fresh(exercise, options.seeds))
            if published(exercise) is not None:  # a test is tried on fewer implementations in a notebook
                bad += look(exercise, iter([("as recorded", recorded(exercise))]))
            bad += too_few(exercise)
        except (BankError, Unfinished) as error:
            print(f"{exercise.number:6} {error}", file=sys.stderr)
            bad += 1
    return 1 if bad else 0


def too_few(exercise: Exercise) -> bool:
    """Print where the bank holds fewer answers than it must; whether it does."""
    bank, (wrong, correct) = find(exercise), least(exercise)
    few = len(bank.wrong) < wrong or len(bank.correct) < correct
    if few:
        print(
            f"         TOO FEW   {len(bank.wrong)} wrong and {len(bank.correct)} correct answers: "
            f"at least {wrong} and {correct} are asked for",
            flush=True,
        )
    return few


def _fresh(exercise: Exercise, count: int) -> Iterator[tuple[str, Table]]:
    """So many tables, each with the seed that its public key is made of."""
    for _ in range(count):
        seed = secrets.randbelow(1 << 31)
        yield f"seed {seed}", table(exercise, Key.public(seed))


def look(exercise: Exercise, tables: Iterator[tuple[str, Table]]) -> bool:
    """Print how the bank does against all of the tables; whether a wrong answer survived or a correct one failed."""
    start, reports = time.perf_counter(), [(seed, examine(exercise, table)) for seed, table in tables]
    wrong, correct = (sum(getattr(report, kind) for _, report in reports) for kind in ("wrong", "correct"))
    survivors = [(seed, name) for seed, report in reports for name in report.survivors]
    unnamed = [(seed, name, diagnosis) for seed, report in reports for name, diagnosis in report.unnamed]
    refused = [(seed, name, why) for seed, report in reports for name, why in report.refused]
    seeds = f"{len(reports)} seeds" if len(reports) > 1 else reports[0][0]
    print(
        f"{exercise.number:6} {exercise.name:28} caught {wrong - len(survivors)}/{wrong}  "
        f"named {wrong - len(survivors) - len(unnamed)}/{wrong}  accepted {correct - len(refused)}/{correct}  "
        f"{time.perf_counter() - start:.2f} s  {seeds}",
        flush=True,
    )
    for seed, name in survivors:
        print(f"         SURVIVED  {name} ({seed})")
    for seed, name, diagnosis in unnamed:
        print(f"         unnamed   {name}: told {diagnosis} ({seed})")
    for seed, name, why in refused:
        print(f"         REFUSED   {name}: {why} ({seed})")
    return bool(survivors or refused)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
