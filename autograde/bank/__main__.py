"""`python -m autograde.bank [CHAPTER ...]`: does every wrong answer fail, by name, and every correct one pass?

Runs in process, without a sandbox, against a fresh seed: the quick look while writing an exercise.
"""

import secrets
import sys
import time

import torch

from autograde.bank import examine, published, recorded, table
from course.checks import RECORDED_SEED, Table
from course.exercises import Exercise, exercises


def main(chapters: list[str]) -> int:
    torch.set_num_threads(1)
    bad = 0
    for exercise in exercises():
        if exercise.question or (chapters and exercise.chapter not in chapters):
            continue
        start = time.perf_counter()
        seed = secrets.randbelow(1 << 31)
        bad += look(exercise, table(exercise, seed), start)
        if published(exercise) is not None:  # a test is tried on fewer implementations in a notebook
            bad += look(exercise, recorded(exercise), time.perf_counter())
    return 1 if bad else 0


def look(exercise: Exercise, table: Table, start: float) -> bool:
    """Print how the bank does against a table; whether a wrong answer survived or a correct one was refused."""
    report = examine(exercise, table)
    named = report.wrong - len(report.survivors) - len(report.unnamed)
    print(
        f"{exercise.number:6} {exercise.name:28} caught {report.wrong - len(report.survivors)}/{report.wrong}  "
        f"named {named}/{report.wrong}  accepted {report.correct - len(report.refused)}/{report.correct}  "
        f"{time.perf_counter() - start:.2f} s  {'as recorded' if table.seed == RECORDED_SEED else f'seed {table.seed}'}"
    )
    for name in report.survivors:
        print(f"         SURVIVED  {name}")
    for name, told in report.unnamed:
        print(f"         unnamed   {name}: told {told}")
    for name, why in report.refused:
        print(f"         REFUSED   {name}: {why}")
    return bool(report.survivors or report.refused)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
