"""How the checks do on answers that nothing here had learned from: scored once, as they are, before anything changes.

    python -m benchmarks.first_look round-1           # scores it, and adds its figures to results/first_look.json
    python -m benchmarks.first_look round-1 --again   # how it comes out now; writes nothing

A round is a folder of `benchmarks/first_look/`: answers written from the notebooks alone, by the brief that lies
there (BRIEF.md; rounds 1 to 6 had others; 5, 6 and 14 to 17 asked for unusual mistakes too), in the format of
`autograde.bank.reader`, one file an exercise. A wrong answer's comment says what its writer knows to be wrong. What
became of each stands beside them in `scored.json`, and in `labels.toml` whether the student was told the right cause,
a wrong one or none; a test wants that of every caught one. Answers of a scored round are never changed; what is
learned from them goes into the checks, and into the answer banks.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

import nbformat
import torch

from autograde.bank import reader, sample
from autograde.grading.worker import Worker
from benchmarks.record import Record, write
from benchmarks.trust import graded, named
from course.checks.engine import Verdict
from course.committed import RESULTS, read
from course.exercises import Exercise, exercises
from course.key import Key

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = ROOT / "benchmarks" / "first_look"
SEEN = 1.96  # standard deviations of a 95 % interval
ABOUT = """Answers that were written from the notebooks and stubs alone, without the checks or the banks in sight, half
of them wrong in ways of students and half right in unusual ways. Each was graded once, as it was, by the grader as it
stood at that commit, and only then learned from. The intervals are Wilson's, of 95 %."""


def answers_of(folder: Path) -> Iterator[tuple[Exercise, str, reader.Answer]]:
    """(exercise, "wrong" or "correct", answer) of a round. Raises BankError where a file cannot be read."""
    for exercise in exercises():
        path = folder / exercise.chapter / f"{exercise.name}.py"
        if path.exists():
            bank = reader.parse(path.read_text("utf-8"), "", exercise.name, path)
            for kind, answers in (("wrong", bank.wrong), ("correct", bank.correct)):
                yield from ((exercise, kind, answer) for answer in answers)


def looked_at(folder: Path, key: Key) -> list[Record]:
    """A record for each answer of a round: what became of it in its assignment's notebook, all else answered right."""
    torch.set_num_threads(1)
    of_assignment: dict[str, list[tuple[Exercise, str, reader.Answer]]] = {}
    for exercise, kind, answer in answers_of(folder):
        of_assignment.setdefault(exercise.notebook, []).append((exercise, kind, answer))
    records: list[Record] = []
    for assignment, answers in of_assignment.items():
        content = (ROOT / "notebooks" / f"{assignment}.ipynb").read_bytes()
        with Worker(assignment, nbformat.reads(content.decode(), as_version=4), key) as worker:
            sheet = sample.Sheet(content, worker.name)
            for exercise, kind, answer in answers:
                seen = graded(worker, sheet.filled(sheet.right | {exercise.name: answer.source}))
                records.append(_record(exercise, kind, answer, seen.verdicts[exercise.name]))
                print(f"{records[-1]['exercise']:36} {kind:8} {records[-1]['outcome']:12} {answer.name}", flush=True)
    return records


def _record(exercise: Exercise, kind: str, answer: reader.Answer, verdict: Verdict) -> Record:
    lines = [f"{case.title}: {case.message}" for case in verdict.cases if not case.passed]
    return {
        "measure": "answers", "exercise": named(exercise), "kind": kind, "answer": answer.name,
        "outcome": ("passed" if verdict.passed else "caught") if kind == "wrong" else
                   ("accepted" if verdict.passed else "refused"),
        "share": verdict.fraction, "diagnosis": verdict.diagnosis, "told": " | ".join(lines)[:600] or verdict.message,
    }  # fmt: skip


def interval(some: int, of: int) -> tuple[float, float]:
    """Wilson's interval of a share, in percent."""
    if not of:
        return 0.0, 100.0
    share, square = some / of, SEEN**2
    middle, half = share + square / (2 * of), SEEN * math.sqrt(share * (1 - share) / of + square / (4 * of**2))
    low, high = (100 * (middle + sign * half) / (1 + square / of) for sign in (-1, 1))
    return max(0.0, low), min(100.0, high)  # but for rounding


def labels(folder: Path) -> dict[str, dict[str, str]]:
    """exercise -> answer -> "rightly" or "wrongly", of what was told outright or as a possibility; "" for no cause."""
    path = folder / "labels.toml"
    return tomllib.loads(path.read_text("utf-8")) if path.exists() else {}


def figures(name: str, records: list[Record], said: dict[str, dict[str, str]], commit: str, date: str) -> list[Record]:
    """The figures of a round, each with its interval; of causes, among the answers that somebody has labeled."""
    wrong = [r for r in records if r["kind"] == "wrong"]
    caught = [r for r in wrong if r["outcome"] == "caught"]
    right = [r for r in records if r["kind"] == "correct"]
    labeled = [r for r in caught if str(r["answer"]) in said.get(str(r["exercise"]).split()[1], {})]

    def of(what: str, some: int, whole: int) -> Record:
        low, high = interval(some, whole)
        return {"measure": "figures", "round": name, "what": what, "came_out_so": some, "of": whole,
                "percent": 100 * some / whole if whole else None, "percent_low": low, "percent_high": high,
                "commit": commit, "date": date}  # fmt: skip

    def told(how: str) -> int:
        return sum(said[str(r["exercise"]).split()[1]][str(r["answer"])] == how for r in labeled)

    return [
        of("wrong answers caught", len(caught), len(wrong)),
        of("caught ones told the right cause", told("rightly"), len(labeled)),
        of("caught ones told a wrong cause", told("wrongly"), len(labeled)),
        of("right answers at full marks", sum(r["outcome"] == "accepted" for r in right), len(right)),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("round", choices=sorted(path.name for path in ROUNDS.iterdir() if path.is_dir()))
    parser.add_argument("--again", action="store_true", help="how it comes out now; nothing is written")
    options = parser.parse_args()
    folder, began = ROUNDS / options.round, time.perf_counter()
    before = read("first_look")["records"] if (RESULTS / "first_look.json").exists() else []
    scored = read("scored", folder)["records"] if (folder / "scored.json").exists() else []
    first = not scored and not options.again
    records = looked_at(folder, Key.fresh()) if first or options.again else scored  # else: the labels were written
    commit = _git("rev-parse", "--short", "HEAD") if first else next((str(r["commit"]) for r in scored), "")
    date = _git("log", "-1", "--format=%cs") if first else next((str(r["date"]) for r in scored), "")
    counted = figures(options.round, records, labels(folder), commit, date)
    for figure in counted:
        print(f"{figure['what']}: {figure['came_out_so']} of {figure['of']}"
              f" ({figure['percent_low']:.1f} to {figure['percent_high']:.1f} %)")  # fmt: skip
    if options.again:
        return
    seconds = time.perf_counter() - began
    if first:
        records = [r | {"commit": commit, "date": date} for r in records]
        write("scored", ABOUT, records, command=f"python -m benchmarks.first_look {options.round}",
              settings={"round": options.round}, seconds=seconds, folder=folder)  # fmt: skip
    slipped = [r | {"round": options.round} for r in records if r["outcome"] in ("passed", "refused")]
    others = [r for r in before if r["round"] != options.round]
    path = write("first_look", ABOUT, [*others, *counted, *slipped], command="python -m benchmarks.first_look ROUND",
                 settings={"rounds": len({str(r["round"]) for r in others}) + 1}, seconds=seconds)  # fmt: skip
    print(f"written: {path.relative_to(ROOT)}")


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    main()
