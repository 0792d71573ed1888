"""Seconds that a class takes: this grader, stock `nbgrader autograde` and otter-grader in turn, on the same submissions.

    python -m benchmarks.grading                                  # every assignment, classes of 4, 30 and 300
    python -m benchmarks.grading 02-bahdanau --rounds 1 --sizes 4 --peers nbgrader
    python -m benchmarks.grading --sizes 100 --workers 1 2 --peers

- Stock nbgrader runs each submission in a kernel of this environment, with no isolation.
- Beside it stands stock nbgrader with notebooks from which the given cells are taken out that no answer and no check
  uses, because this grader leaves those out too.
- otter-grader runs submissions in a kernel of an environment of its own (made in _build/, where it sees this one's
  torch), with no isolation either: the container that it can use is left out, and one process imports it for all
  submissions. Its tests are the notebook's own checks, an exercise a file; the check cells are taken out, so that none
  runs twice.
- This grader runs them in its sandbox; its own start, its tables and its way into the gradebook are counted.

A submission is drawn from the banks, each for itself: of its answers three quarters are right, in the reference's form
or another, some are wrong and some blank; each bears a comment of its own, so that nothing is gained by a text that was
seen before. The first is right throughout: a peer counts only where it gives full marks to whom this grader does.
All skip what the notebooks tag skip-execution. They begin from the same released class and a gradebook without
submissions, and take turns, so that whatever else the machine does falls on all.

This grader is run at every size. The others are run at the sizes of `--peer-sizes`, and beyond the larger one carried
on by what they took for themselves: a fixed cost and one for each submission, through the medians of both sizes. Writes
benchmarks/results/grading.json.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import json
import os
import random
import resource
import shutil
import site
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from autograde.bank import sample
from autograde.folders import ClassFolder
from autograde.gradebook import enter, store
from autograde.gradebook.release import release
from autograde.grading import judge, worker
from autograde.grading import run as grade
from autograde.intake import flags
from autograde.intake.jail import Intake
from autograde.ledger import Ledger
from autograde.sandbox.remote import Remote
from benchmarks.record import Record, write

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
ABOUT = """Seconds for a class by the clock on the wall, start included: stock nbgrader autograde and otter-grader
without isolation and this grader in its sandbox, on the same submissions in turn. Then this grader alone: where a
submission's time goes."""
OURS, STOCK, NEEDED, OTTER = "ours", "nbgrader autograde", "nbgrader autograde, needed cells alone", "otter-grader"
OTTER_VERSION = "7.0.0"
RIGHT, BLANK = 0.75, 0.1  # shares of a drawn submission's answers
ALL = "all together"
# One process for all: as `otter run`, which would import otter anew for each submission.
GRADE_BY_OTTER = """
import sys
from otter.api import grade_submission
for submission in sys.argv[2:]:
    print(grade_submission(submission, sys.argv[1], quiet=True).total)
"""
OTTER_TEST = """
from otter.test_files import test_case
OK_FORMAT = False
name, points = {name!r}, {points}

@test_case(points={points})
def test({parts}):
    from course import check
    assert check({number!r}, {parts}) >= {points}
"""

_SUBREAPER = 36  # prctl's PR_SET_CHILD_SUBREAPER


def prepare(root: Path, notebook: Path, submissions: int) -> ClassFolder:
    """A class with the assignment released and so many drawn submissions."""
    folder = ClassFolder.at(root / "class")
    release(folder, [notebook])
    name = notebook.stem
    sheet = sample.Sheet(folder.released(name).read_bytes(), name)
    for number in range(submissions):
        target = folder.submitted / f"student-{number:03}" / name / notebook.name
        target.parent.mkdir(parents=True)
        target.write_bytes(sheet.filled(drawn(sheet, number)))
    return folder


def drawn(sheet: sample.Sheet, number: int) -> dict[str, str]:
    """exercise -> answer of a submission; of the first one all are right. One that is not named is left blank."""
    draw, answers = random.Random(f"{sheet.exercises[0].notebook}, {number}"), {}
    for exercise in sheet.exercises:
        fate, right = draw.random(), sheet.right[exercise.name]
        if number == 0 or (exercise.question and fate < 1 - BLANK):
            answers[exercise.name] = right
        elif not exercise.question and fate < 1 - BLANK:
            kept = bank.find(exercise)
            forms = [right, *(a.source for a in kept.correct)] if fate < RIGHT else [a.source for a in kept.wrong]
            answers[exercise.name] = draw.choice(forms)
    return {name: f"{answer}\n# {number}" for name, answer in answers.items()}


def keep_some(folder: ClassFolder, count: int) -> None:
    for student in sorted(folder.submitted.iterdir())[count:]:
        shutil.rmtree(student)


def adopt_orphans() -> None:
    """Has processes that outlive their parents end as ours: a sandbox's would take their CPU seconds with them."""
    if sys.platform == "linux" and ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0) != 0:
        raise SystemExit("the CPU time of a sandbox cannot be measured here")


def timed(command: list[str], folder: Path, program: Path = BIN) -> float:
    """Wall seconds of one command in the class's folder, until the last of its processes has ended."""
    environment = {**os.environ, "PATH": f"{program}{os.pathsep}{os.environ['PATH']}", "OMP_NUM_THREADS": "1"}
    environment |= {"NBGRADER_EXECUTION": "autograde"}  # what nbgrader sets for a submission's kernel, for otter's too
    started = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    wall = time.perf_counter() - started
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()
    if done.returncode:
        raise SystemExit(f"{' '.join(command)[:300]} ended with {done.returncode}:\n{done.stderr[-3000:]}")
    (folder / "printed").write_text(done.stdout, "utf-8")
    return wall


# --- the contestants --------------------------------------------------------------------------------------------------


def forget_the_sandbox(folder: ClassFolder) -> None:
    """Makes it a class that is not ours, without our configuration: with that, nbgrader runs no submission itself."""
    folder.config.write_text(
        "c = get_config()\n"
        f"c.CourseDirectory.root = {str(folder.root)!r}\n"
        "c.CourseDirectory.course_id = 'default_course'\n"
    )


def by_nbgrader(folder: ClassFolder, assignment: str) -> Turn:
    """Unprotected: of submissions that were made here."""
    forget_the_sandbox(folder)
    return timed([str(BIN / "nbgrader"), "autograde", assignment], folder.root)


def by_us(folder: ClassFolder, assignment: str, jobs: int = 1) -> Turn:
    command = [sys.executable, "-m", "autograde", "grade", assignment, "--class", ".", "--jobs", str(jobs)]
    return timed(command, folder.root)


def by_otter(folder: ClassFolder, assignment: str) -> Turn:
    """Its configuration and its submissions are made before the clock starts."""
    archive = folder.root / "autograder.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for exercise in judge.of_assignment(assignment):
            facts = {"name": exercise.name, "number": exercise.number, "points": exercise.points}
            file.writestr(f"tests/{exercise.name}.py", OTTER_TEST.format(parts=", ".join(exercise.components), **facts))
    submissions = []
    for student, path in folder.submissions(assignment):
        notebook = json.loads((path / f"{assignment}.ipynb").read_bytes())
        graded = [cell["metadata"].get("nbgrader", {}).get("grade") for cell in notebook["cells"]]
        notebook["cells"] = [cell for cell, check in zip(notebook["cells"], graded, strict=True) if not check]
        submissions.append(folder.root / "otter" / f"{student}.ipynb")
        submissions[-1].parent.mkdir(exist_ok=True)
        submissions[-1].write_text(json.dumps(notebook), "utf-8")
    program = otters_home() / "bin"
    return timed(
        [str(program / "python"), "-c", GRADE_BY_OTTER, str(archive), *map(str, submissions)], folder.root, program
    )


def otters_home() -> Path:
    """Otter's own environment, made when it is first asked for. Raises CalledProcessError where it cannot be had."""
    home = ROOT / "_build" / f"otter-{OTTER_VERSION}"
    if not (home / "made").exists():
        uv = [sys.executable, "-m", "uv", "--quiet"]
        subprocess.run([*uv, "venv", "--clear", "--python", sys.executable, str(home)], check=True)
        wanted = ["--python", str(home / "bin" / "python"), f"otter-grader=={OTTER_VERSION}"]
        subprocess.run([*uv, "pip", "install", *wanted], check=True)
        (packages,) = home.glob("lib/python*/site-packages")
        ours = "; ".join(f"site.addsitedir({folder!r})" for folder in [*site.getsitepackages(), str(ROOT)])
        (packages / "course.pth").write_text(f"import site; {ours}\n")  # after otter's own: torch, and the course
        (home / "made").touch()
    return home


PEERS: dict[str, Callable[[ClassFolder, str], Turn]] = {STOCK: by_nbgrader, OTTER: by_otter}


def totals(folder: ClassFolder, assignment: str) -> dict[str, float]:
    """student -> points in the class's gradebook."""
    return {student: sum(points.values()) for student, points in store.scores(folder, assignment).items()}


def agree(name: str, folder: ClassFolder, assignment: str, ours: dict[str, float]) -> None:
    """Raises SystemExit where a peer has not done the work that it was timed for."""
    full = float(sum(exercise.points for exercise in judge.of_assignment(assignment)))
    students = [student for student, _ in folder.submissions(assignment)]
    if name == STOCK:
        theirs = totals(folder, assignment)
    else:
        printed = map(float, (folder.root / "printed").read_text("utf-8").split())
        theirs = dict(zip(students, printed, strict=True))
    wrong = {
        student: (points, ours[student])
        for student, points in theirs.items()
        if abs(points - ours[student]) > 0.01 and (name == STOCK or ours[student] == full)
    }
    if wrong or set(theirs) != set(students):
        raise SystemExit(f"{name} and this grader give {assignment} other points (theirs, ours): {wrong}")


# --- in turn ----------------------------------------------------------------------------------------------------------


def measure(notebook: Path, rounds: int, peers: list[str], submissions: int) -> list[Record]:
    """All graders over one assignment, in turn: `rounds` times a class, and as often a class of one.

    What a run costs before its first submission (imports, the sandbox's start, the tables) is paid once, however
    large the class: the difference between two classes is what one more submission costs. Ours are the class and one of
    sixteen times as many, each submission copied: between few submissions and one, the start's ups and downs would be
    all that shows.
    Before the first round everybody grades one submission off the clock: what a machine reads from its disk for the
    first time would fall on the smaller class, and make a submission more look cheap.
    """
    seen: dict[tuple[str, int], list[Turn]] = {}
    assignment, graders = notebook.stem, {OURS: by_us} | {name: PEERS[name] for name in peers}
    with tempfile.TemporaryDirectory(prefix="grading-") as scratch:
        released, count = prepare(Path(scratch) / "small", notebook, submissions)
        larger, many = prepare(Path(scratch) / "large", notebook, submissions, LARGER)
        points: dict[str, float] = {}

        def a_class(of: str, size: int) -> ClassFolder:
            folder = ClassFolder.at(Path(scratch) / of)
            shutil.copytree((larger if size == many else released).root, folder.root)
            keep_some(folder, size)
            return folder

        for name, run in graders.items():
            folder = a_class(f"{name}-before", 1)
            run(folder, assignment)
            shutil.rmtree(folder.root)
        for turn in range(rounds):
            for beside in (False, True):
                for name, run in graders.items():
                    size = count if not beside else many if name == OURS else 1
                    folder = a_class(f"{name}-{size}-{turn}", size)
                    took = run(folder, assignment)
                    seen.setdefault((name, size), []).append(took)
                    print(
                        f"{assignment}, {name}, {size} submissions: {took[0]:.2f} s, {took[1]:.2f} s of CPU", flush=True
                    )
                    if name == OURS:
                        points |= totals(folder, assignment)
                    else:
                        agree(name, folder, assignment, points)
                    shutil.rmtree(folder.root)

    def seconds(name: str, clock: int, more: bool) -> list[float]:
        """A submission's, of each round."""
        other = many if name == OURS else 1
        whole, beside = ([turn[clock] for turn in seen[name, size]] for size in (count, other))
        return [(b - w) / (other - count) if more else w / count for w, b in zip(whole, beside, strict=True)]

    records: list[Record] = []
    for peer in peers:
        for more, counted in ((False, "the whole class"), (True, "one submission more")):
            for clock, name in enumerate(("wall", "cpu")):
                theirs, ours = seconds(peer, clock, more), seconds(OURS, clock, more)
                facts = {"measure": "peers", "assignment": assignment, "submissions": count, "counted": counted}
                records.append({**facts, "clock": name, "peer": peer, **compared(theirs, ours)})
    return records


def compared(theirs: list[float], ours: list[float]) -> Record:
    """Medians of the rounds, and the ratio with its least and its most; no ratio where the machine was too busy."""
    if min(*theirs, *ours) <= 0:  # a class took no longer than one submission
        return {"peer_seconds_a_submission": None, "our_seconds_a_submission": None, "ratio": None}
    ratios = [t / o for t, o in zip(theirs, ours, strict=True)]
    return {
        "peer_seconds_a_submission": statistics.median(theirs),
        "our_seconds_a_submission": statistics.median(ours),
        "ratio": statistics.median(ratios),
        "ratio_low": min(ratios),
        "ratio_high": max(ratios),
    }


def growth(notebook: Path, sizes: list[int]) -> list[Record]:
    """This grader over classes of these sizes, with one worker and with two."""
    records: list[Record] = []
    with tempfile.TemporaryDirectory(prefix="grading-") as scratch:
        released, _ = prepare(Path(scratch), notebook, times=1 + max(sizes) // 8)  # eight honest ones in a sample
        keep_some(released, max(sizes))
        for size in sorted(sizes):
            for jobs in (1, 2):
                folder = ClassFolder.at(Path(scratch) / f"{size}-{jobs}")
                shutil.copytree(released.root, folder.root)
                keep_some(folder, size)
                wall, cpu = by_us(folder, notebook.stem, jobs)
                print(
                    f"{notebook.stem}, {size} submissions, {jobs} workers: {wall:.1f} s, {cpu:.1f} s of CPU", flush=True
                )
                facts: Record = {"measure": "growth", "assignment": notebook.stem, "submissions": size, "workers": jobs}
                per = {"seconds_a_submission": wall / size, "cpu_seconds_a_submission": cpu / size}
                records.append({**facts, "seconds": wall, **per})
                shutil.rmtree(folder.root)
    return records


# Disjoint: none of these calls another of them.
STAGES: dict[str, tuple[Any, str]] = {
    "start: the sandbox and the tables": (worker.Worker, "sandbox"),
    "reading the file": (grade, "read"),
    "merging the notebook": (Intake, "merged"),
    "a child: fork, isolation, its cells": (judge.SubmissionJudge, "_open"),
    "requests of the checks": (Remote, "request"),
    "the child's end": (judge.SubmissionJudge, "_end"),
    "flags": (flags, "flags"),
    "staging": (grade, "stage"),
    "the ledger": (Ledger, "append"),
    "the gradebook": (enter, "enter"),
}


def stages(notebook: Path) -> list[Record]:
    """Where a submission's milliseconds go, by the wall's clock, over the class in this process."""
    spent = dict.fromkeys([*STAGES, "the rest: drawing, comparing, summing up"], 0.0)

    def timing(name: str, work: Callable) -> Callable:
        def timed_work(*args: Any, **kwargs: Any) -> Any:
            started = time.perf_counter()
            try:
                return work(*args, **kwargs)
            finally:
                spent[name] += time.perf_counter() - started

        return timed_work

    with tempfile.TemporaryDirectory(prefix="grading-") as scratch:
        folder, count = prepare(Path(scratch), notebook)
        with contextlib.ExitStack() as patches:
            for name, (owner, attribute) in STAGES.items():
                patches.enter_context(mock.patch.object(owner, attribute, timing(name, getattr(owner, attribute))))
            started = time.perf_counter()
            grade.grade(folder)
            spent["the rest: drawing, comparing, summing up"] = time.perf_counter() - started - sum(spent.values())
    facts: Record = {"measure": "stages", "assignment": notebook.stem, "submissions": count}
    return [{**facts, "stage": name, "milliseconds_a_submission": 1e3 * total / count} for name, total in spent.items()]


def by_all(notebooks: list[Path], rounds: int, submissions: int) -> list[Record]:
    """Everybody over all these assignments, and where our own time goes on the last."""
    peers, notes = [STOCK], []
    try:
        otters_home()
        peers.append(OTTER)
    except (OSError, subprocess.CalledProcessError) as error:
        notes.append({"measure": "peers", "peer": OTTER, "note": f"its environment could not be made: {error}"})
    records = [record for path in notebooks for record in measure(path, rounds, peers, submissions)]
    for row in records:
        if row["ratio"]:
            counted = f"{row['assignment']}, {row['counted']}, {row['clock']}"
            print(f"{counted}, {row['peer']}: {row['ratio']:.1f} times ours")
    return records + notes + stages(notebooks[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("assignments", nargs="*")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument(
        "--submissions", type=int, default=0, help="in the class; all honest ones of the sample otherwise"
    )
    parser.add_argument("--growth", type=int, nargs="+", default=[], help="sizes of classes, of the last assignment")
    options = parser.parse_args()
    notebooks = sorted((ROOT / "notebooks").glob("[0-9][0-9]-*.ipynb"))
    chosen = [path for path in notebooks if not options.assignments or path.stem in options.assignments]
    adopt_orphans()
    start, load = time.perf_counter(), round(os.getloadavg()[0], 1)
    settings: dict[str, Any] = {}
    if options.growth:
        name, about, records = "grading_growth", ABOUT_GROWTH, growth(chosen[-1], options.growth)
    else:
        name, about, records = "grading", ABOUT, by_all(chosen, options.rounds, options.submissions)
        settings = {"rounds": options.rounds, OTTER: OTTER_VERSION}
    written = write(
        name,
        about,
        records,
        command=" ".join(["python -m benchmarks.grading", *sys.argv[1:]]),
        settings=settings | {"load_before": load, "load_at_the_end": round(os.getloadavg()[0], 1)},
        seconds=time.perf_counter() - start,
        libraries=("nbgrader",),
    )
    print(f"written: {written.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
