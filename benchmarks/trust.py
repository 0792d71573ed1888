"""Can these grades be trusted? Everything that the grader must tell apart, through the real grader, in one run.

    python -m benchmarks.trust                 # all of it; writes benchmarks/results/trust.json
    python -m benchmarks.trust 02-bahdanau     # the answers of some assignments alone; writes nothing
    python -m benchmarks.trust --corpora       # the attacks and the broken submissions alone; writes nothing
    python -m benchmarks.trust --corpora empty # those of them that pytest -k would choose

From a seed that nobody knew before: every right and every wrong answer of every answer bank as a submission of its own,
each in its assignment's notebook with everything else answered right, read, merged, run in the sandbox and judged
outside; every machine-made wrong answer; every attack and every broken submission of the tests, in their long form. It
ends with 1 where anything came out as it must not.
"""

from __future__ import annotations

import argparse
import multiprocessing
import secrets
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import torch

from autograde import bank
from autograde.bank import mutation, reader, sample
from autograde.grading import mutants
from autograde.grading.worker import Graded, Worker
from autograde.intake import received
from benchmarks.record import Record, write
from course.exercises import Exercise, exercises
from course.key import Key
from course.verdict import Verdict

ROOT = Path(__file__).resolve().parent.parent
TESTS = ("tests/autograde/sandbox/test_attacks.py", "tests/autograde/test_broken.py")
ABOUT = """Every right and every wrong answer of every bank, every machine-made wrong answer, every attack and every
broken submission, through the whole grader in its sandbox, from a fresh seed. Of what a student and the instructor are
told of a broken submission, the first three sentences stand in the table."""


# ---- the answer banks -----------------------------------------------------------------------------------------------


def graded(worker: Worker, content: bytes) -> Graded:
    """A notebook handed in and graded, as in a run."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, f"{worker.name}.ipynb").write_bytes(content)
        return worker.grade(received.receive(Path(folder), worker.name))


class Answers:
    """The answers of one assignment's banks, each as a submission in which all other answers are right."""

    def __init__(self, worker: Worker, content: bytes):
        self.worker, self.sheet = worker, sample.Sheet(content, worker.name)
        self.amiss: list[Record] = []  # what is not as it should be, and what was told by no name or another

    def judged(self, exercise: Exercise, answer: reader.Answer) -> tuple[Verdict, bool]:
        """The verdict on an answer, and whether all others of its notebook got full marks."""
        source = answer.source
        seen = graded(self.worker, self.sheet.filled(self.sheet.right | {exercise.name: source}))
        verdict, others = seen.verdicts[exercise.name], {**self.sheet.full, exercise.name: 0.0}
        if seen.needs_person or verdict.internal:
            self.amiss.append(amiss(exercise, answer.name, "could not be graded by machine"))
        kept = all(points >= others[name] for name, points in seen.points.items())
        return verdict, kept

    def of(self, exercise: Exercise) -> Record:
        """How the exercise's bank does, in numbers."""
        answers, count = bank.find(exercise), Counter[str]()
        for wrong in answers.wrong:
            verdict, others = self.judged(exercise, wrong)
            caught = not verdict.passed and verdict.fraction < 1 and not verdict.internal
            is_named = caught and verdict.diagnosis == wrong.name
            count.update(caught=caught, named=is_named, costs_once=others)
            if not caught:
                self.amiss.append(amiss(exercise, wrong.name, "a wrong answer passed"))
            elif not others:
                self.amiss.append(amiss(exercise, wrong.name, "a mistake cost points elsewhere"))
            if caught and not is_named:
                more = {"answer": wrong.name, "diagnosis": verdict.diagnosis or "none of the answer bank"}
                self.amiss.append({"measure": "unnamed", "exercise": named(exercise), **more})
        for right in answers.correct:
            verdict, others = self.judged(exercise, right)
            accepted = verdict.passed and verdict.fraction == 1 and others
            count.update(accepted=accepted)
            if not accepted:
                self.amiss.append(amiss(exercise, right.name, "a right answer was refused"))
        return {
            "measure": "answers", "exercise": named(exercise), "correct": len(answers.correct),
            "accepted": count["accepted"], "wrong": len(answers.wrong), "caught": count["caught"],
            "named": count["named"], "costs_once": count["costs_once"],
        }  # fmt: skip


def named(exercise: Exercise) -> str:
    """An exercise for people: 2.1 masked_softmax."""
    return f"{exercise.number} {exercise.name}"


def of_assignment(assignment: str, key: Key) -> list[Record]:
    """All records of one assignment's answers, those of its banks and the machine-made ones."""
    torch.set_num_threads(1)
    content = (ROOT / "notebooks" / f"{assignment}.ipynb").read_bytes()
    records: list[Record] = []
    with Worker(assignment, nbformat.reads(content.decode(), as_version=4), key) as worker:
        answers = Answers(worker, content)
        for exercise in answers.sheet.tasks:
            began = time.perf_counter()
            records.append(answers.of(exercise))
            say(records[-1], time.perf_counter() - began)
    records += answers.amiss
    for result in mutants.run(assignment, None, key):
        records += of_mutants(result)
    return records


def of_mutants(result: mutants.Result) -> list[Record]:
    """What became of an exercise's machine-made wrong answers: the counts, what is left out and why, what passed."""
    counts: Record = {
        "measure": "machine-made", "exercise": named(result.exercise), "made": result.made, "tried": result.tried,
        "caught": result.caught, "named": result.named, "equivalent": len(result.equivalent),
    }  # fmt: skip
    say(counts, result.seconds)
    right: list[Record] = [
        {"measure": "equivalent", "exercise": named(result.exercise), "change": name, "why": why}
        for name, why in result.equivalent
    ]
    refused = [(name, "refused, though a person found it to be right") for name, _ in result.refused]
    survived = [(mutant.name, "a machine-made wrong answer passed") for mutant in result.survivors]
    return [counts, *right, *(amiss(result.exercise, name, how) for name, how in (*refused, *survived))]


def amiss(of: Exercise | None, what: str, outcome: str) -> Record:
    """Something that did not come out as it must, in words."""
    return {"measure": "amiss", "where": named(of) if of else "", "what": what, "outcome": outcome}


def say(record: Record, seconds: float) -> None:
    """One line for an exercise that is done."""
    counts = "  ".join(f"{key} {value}" for key, value in record.items() if isinstance(value, int))
    print(f"{record['exercise']:32} {counts}  {seconds:.1f} s", flush=True)


# ---- attacks and broken submissions --------------------------------------------------------------------------------

KINDS = {"attack": ("attacks", "contained"), "submission": ("submissions", "handled")}  # -> measure, outcome


def corpora(word: str = "") -> list[Record]:
    """What became of the attacks and the broken submissions (of those that pytest -k chooses by this): the tests know
    how each must come out."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        words = [sys.executable, "-m", "pytest", *TESTS, "--full", "-q", "-p", "no:cacheprovider", "-k", word]
        words += ["-o", "junit_family=xunit1", f"--junitxml={report}"]
        done = subprocess.run(words, cwd=ROOT)
        if done.returncode > 1 or not report.exists():  # 1 is "some tests failed"
            raise SystemExit(f"the tests of attacks and submissions did not run: pytest ended with {done.returncode}")
        records = of_report(ElementTree.parse(report).getroot())
    missing = {measure for measure, _ in KINDS.values()} - {record["measure"] for record in records}
    if missing and not word:
        raise SystemExit(f"no {' and no '.join(sorted(missing))} were tried: `autograde doctor` says what is missing")
    return records


def of_report(report: ElementTree.Element) -> list[Record]:
    """A record for each attack and each submission of pytest's report, and for each test of all of them together."""
    records: list[Record] = []
    for case in report.iter("testcase"):
        facts = {fact.get("name"): fact.get("value", "") for fact in case.iter("property")}
        went = next((tag for tag in ("failure", "error", "skipped") if case.find(tag) is not None), "")
        name = facts.get("name") or (case.get("name") or "").removeprefix("test_")
        measure, well = KINDS.get(facts.get("kind") or "", ("all together", "held"))
        row: Record = {"measure": measure, "name": name.replace("_", " ")}
        if measure == "attacks":
            row |= {"tries": facts["tries"], "honest_score": facts["honest"], "flag": facts["flag"]}
        elif measure == "submissions":
            row |= {"honest_score": facts["honest"]}
            row |= {to: facts.get(to) or None for to in ("student_told", "instructor_told")}
        row["outcome"] = "not tried" if went == "skipped" else f"not {well}" if went else well
        records.append(row)
        if went and (went != "skipped" or facts):
            records.append(amiss(None, str(row["name"]), str(row["outcome"])))
    return records


# ---- the figures ----------------------------------------------------------------------------------------------------


def figures(records: list[Record]) -> list[Record]:
    """The figures that all of it comes to: of how many, how many came out right."""

    def of(what: str, measure: str, right: str, whole: str) -> Record:
        chosen = [record for record in records if record["measure"] == measure]
        return {"measure": "figures", "what": what, "came_out_so": total(chosen, right), "of": total(chosen, whole)}

    def corpus(kind: str) -> Record:
        measure, well = KINDS[kind]
        chosen = [record for record in records if record["measure"] == measure]
        right = sum(record["outcome"] == well for record in chosen)
        return {"measure": "figures", "what": f"{measure} {well}", "came_out_so": right, "of": len(chosen)}

    return [
        of("right answers accepted", "answers", "accepted", "correct"),
        of("wrong answers caught", "answers", "caught", "wrong"),
        of("wrong answers told by name", "answers", "named", "wrong"),
        of("wrong answers that cost no other points", "answers", "costs_once", "wrong"),
        of("machine-made wrong answers caught", "machine-made", "caught", "tried"),
        corpus("attack"),
        corpus("submission"),
    ]


def total(records: list[Record], key: str) -> int:
    return sum(int(record[key] or 0) for record in records)


def main() -> int:
    assignments = list(dict.fromkeys(exercise.notebook for exercise in exercises()))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("assignments", nargs="*", metavar="ASSIGNMENT", help="their answers alone; nothing is written")
    parser.add_argument(
        "--corpora", nargs="?", const="", metavar="WORD", help="attacks and submissions alone; nothing is written"
    )
    parser.add_argument("--jobs", type=int, default=2, help="assignments at a time")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1 << 31), help="instead of a fresh one")
    options = parser.parse_args()
    if unknown := set(options.assignments) - set(assignments):
        parser.error(f"no assignment {', '.join(sorted(unknown))}; there are {', '.join(assignments)}")
    began = time.perf_counter()
    print(f"seed {options.seed}", flush=True)
    # processes of their own, not forks: a fork of one that has used torch may hang
    whole = not options.assignments and options.corpora is None
    chosen = assignments if whole else options.assignments
    of_one = partial(of_assignment, key=Key.public(options.seed))
    with ProcessPoolExecutor(options.jobs, multiprocessing.get_context("spawn")) as pool:
        records = [record for some in pool.map(of_one, chosen) for record in some]
    if whole or options.corpora is not None:
        records += corpora(options.corpora or "")
    wrong = [record for record in records if record["measure"] == "amiss"]
    for record in wrong:
        print(f"{record['where']} {record['what']}: {record['outcome']}".strip())
    if not whole:
        for record in records:
            if record["measure"] == "submissions":
                print(record["name"])
                print(f"    student: {record['student_told']}\n    instructor: {record['instructor_told']}")
    for record in figures(records):
        if record["of"]:
            print(f"{record['what']}: {record['came_out_so']} of {record['of']}")
    if whole:
        order = ("answers", "machine-made", "attacks", "submissions", "all together", "amiss", "unnamed", "equivalent")
        records = figures(records) + [record for name in order for record in records if record["measure"] == name]
        settings = {"seed": options.seed, "most_mutants_of_an_exercise": mutation.MOST, "jobs": options.jobs}
        command, seconds = "python -m benchmarks.trust", time.perf_counter() - began
        written = write(
            "trust", ABOUT, records, command=command, settings=settings, seconds=seconds, libraries=("nbgrader",)
        )
        print(f"written: {written.relative_to(ROOT)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
