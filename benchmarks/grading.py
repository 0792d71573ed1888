"""Seconds that a class takes: this grader and others in turn, on equal submissions.

    python -m benchmarks.grading                                  # every assignment, classes of 4, 30 and 300
    python -m benchmarks.grading 02-bahdanau --rounds 1 --sizes 4 --peers "nbgrader autograde" otter-grader
    python -m benchmarks.grading --sizes 100 --workers 1 2 --peers

- Stock nbgrader runs each submission in a kernel of this environment, with no isolation.
- Beside it stands stock nbgrader with notebooks from which the given cells are taken out that no answer and no check
  uses, because this grader leaves those out too.
- otter-grader runs submissions in a kernel of an environment of its own (made in _build/, where it sees this one's
  torch), with no isolation either: the container that it can use is left out, and one process imports it for all
  submissions. Its tests are the notebook's own checks, an exercise a file; the check cells are taken out, so that none
  runs twice.
- This grader runs them in its sandbox; its own start, its tables and its way into the gradebook are counted.

A submission is drawn from the answer banks, each for itself: of its answers three quarters are right, in the
reference's form or another, some are wrong and some blank; each bears a comment of its own, so that nothing is gained
by a text that was seen before. The first is right throughout: a peer counts only where it gives full marks to whom this
grader does. All skip what the notebooks tag skip-execution. They begin from the same released class and a gradebook
without submissions, and take turns, so that whatever else the machine does falls on all.

"All together" is one class with every assignment, graded as its instructor would: by one command of ours, and by a
command of the peer's for each assignment, since its commands take one.

This grader is run at every size. The others are run at the sizes of `--peer-sizes`, and beyond the larger one carried
on by what they took for themselves: a fixed cost and one for each submission, through the medians of both sizes. Writes
benchmarks/results/grading.json.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
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

from autograde import bank
from autograde.bank import sample
from autograde.folders import ClassFolder
from autograde.gradebook import enter, store
from autograde.gradebook.release import release
from autograde.grading import dependencies, judge, worker
from autograde.grading import run as grade
from autograde.intake import flags
from autograde.intake.intake import Intake
from autograde.intake.merge import Cell
from autograde.ledger import Ledger
from autograde.sandbox.remote import Remote
from benchmarks.record import Record, write

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
ABOUT = """Seconds for a class by the clock on the wall, start included: the peers without isolation and this grader in
its sandbox, on the same submissions in turn. Then this grader alone: where a
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


def prepare(root: Path, notebooks: list[Path], submissions: int) -> ClassFolder:
    """A class with these assignments released and so many drawn submissions of each."""
    folder = ClassFolder.at(root / "class")
    release(folder, notebooks)
    for name in folder.assignments():
        sheet = sample.Sheet(folder.released(name).read_bytes(), name)
        for number in range(submissions):
            target = folder.submitted / f"student-{number:03}" / name / f"{name}.ipynb"
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
        f"c.CourseDirectory.submitted_directory = {folder.submitted.name!r}\n",
        "utf-8",
    )


def by_nbgrader(folder: ClassFolder, assignment: str) -> float:
    """Unprotected: of submissions that were made here."""
    forget_the_sandbox(folder)
    return timed([str(BIN / "nbgrader"), "autograde", assignment], folder.root)


def by_nbgrader_with_less(folder: ClassFolder, assignment: str) -> float:
    """Unprotected, too, and the given cells that nothing uses are taken out before the clock starts."""
    for path in [
        folder.released(assignment),
        *(path / f"{assignment}.ipynb" for _, path in folder.submissions(assignment)),
    ]:
        notebook = json.loads(path.read_bytes())
        cells = [_as_cell(at, cell) for at, cell in enumerate(notebook["cells"]) if cell["cell_type"] == "code"]
        kept = {cell.index for cell in dependencies.needed(cells)}
        notebook["cells"] = [c for at, c in enumerate(notebook["cells"]) if c["cell_type"] != "code" or at in kept]
        path.write_text(json.dumps(notebook), "utf-8")
    return by_nbgrader(folder, assignment)


def _as_cell(at: int, cell: dict[str, Any]) -> Cell:
    """A cell as this grader's merge would call it; a check is kept, with all that it uses."""
    marks = cell["metadata"].get("nbgrader", {})
    kept = bool(marks.get("solution") or marks.get("grade"))
    source = "".join(cell["source"])
    return Cell(at, cell["id"], source, "answer" if kept else "given", grade_id=marks.get("grade_id", ""))


def by_us(folder: ClassFolder, assignment: str = "", jobs: int = 1) -> float:
    """One assignment, or all of the class."""
    command = [sys.executable, "-m", "autograde", "grade", *([assignment] if assignment else [])]
    return timed([*command, "--class", ".", "--jobs", str(jobs)], folder.root)


def by_otter(folder: ClassFolder, assignment: str) -> float:
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


PEERS: dict[str, Callable[[ClassFolder, str], float]] = {
    STOCK: by_nbgrader,
    NEEDED: by_nbgrader_with_less,
    OTTER: by_otter,
}


def totals(folder: ClassFolder, assignment: str) -> dict[str, float]:
    """student -> points in the class's gradebook."""
    return {student: sum(points.values()) for student, points in store.scores(folder, assignment).items()}


def agree(name: str, folder: ClassFolder, assignment: str) -> None:
    """Raises SystemExit where a peer has not given full marks to the first submission, which is right throughout, or
    has no points for one of the others."""
    students = [student for student, _ in folder.submissions(assignment)]
    if name == OTTER:
        printed = map(float, (folder.root / "printed").read_text("utf-8").split())
        points = dict(zip(students, printed, strict=True))
    else:
        points = totals(folder, assignment)
    full = float(sum(exercise.points for exercise in judge.of_assignment(assignment)))
    if set(points) != set(students) or points[min(students)] < full - 0.01:
        raise SystemExit(f"{name} gives {assignment} {points}, and {full} is due to {min(students)}")


# --- in turn ----------------------------------------------------------------------------------------------------------

Seen = dict[tuple[str, int, int], list[float]]  # (grader, submissions, workers) -> seconds of each round


def measure(notebook: Path, turns: list[tuple[str, int, int]], rounds: int) -> Seen:
    """All graders over one assignment, in turn.

    Before the first round each grades one submission off the clock: what a machine reads from its disk for the first
    time would fall on whoever comes first.
    """
    seen: Seen = {turn: [] for turn in turns}
    assignment, graders = notebook.stem, {name for name, _, _ in turns}
    with tempfile.TemporaryDirectory(prefix="grading-") as scratch:
        released = prepare(Path(scratch) / "released", [notebook], max(size for _, size, _ in turns))
        before = [(name, 1, 1) for name in sorted(graders)]
        for number, turn in enumerate([*before, *turns * rounds]):
            name, size, workers = turn
            folder = ClassFolder.at(Path(scratch) / str(number))
            shutil.copytree(released.root, folder.root)
            keep_some(folder, size)
            took = by_us(folder, assignment, workers) if name == OURS else PEERS[name](folder, assignment)
            agree(name, folder, assignment)
            shutil.rmtree(folder.root)
            if number >= len(before):
                seen[turn].append(took)
                print(f"{assignment}, {name}, {size} submissions, workers {workers}: {took:.1f} s", flush=True)
    return seen


def measure_together(notebooks: list[Path], sizes: list[int]) -> dict[int, float]:
    """submissions -> seconds of this grader's for one class with all these assignments, one round."""
    seen: dict[int, float] = {}
    with tempfile.TemporaryDirectory(prefix="grading-") as scratch:
        released = prepare(Path(scratch) / "released", notebooks, max(sizes))
        for size in sizes:
            folder = ClassFolder.at(Path(scratch) / str(size))
            shutil.copytree(released.root, folder.root)
            keep_some(folder, size)
            seen[size] = by_us(folder)
            for assignment in folder.assignments():
                agree(OURS, folder, assignment)
            shutil.rmtree(folder.root)
            print(f"{ALL}, {OURS}, {size} submissions: {seen[size]:.1f} s", flush=True)
    return seen


def carried_on(seen: Seen, peer: str, size: int) -> list[float]:
    """A peer's seconds for a class, of each round: as measured, or through what it took at two other sizes."""
    if (peer, size, 1) in seen:
        return seen[peer, size, 1]
    (less, more) = sorted(n for name, n, _ in seen if name == peer)
    rounds = zip(seen[peer, less, 1], seen[peer, more, 1], strict=True)
    return [low + (high - low) * (size - less) / (more - less) for low, high in rounds]


def table(
    by_assignment: dict[str, Seen],
    together: list[dict[int, float]],
    sizes: list[int],
    peers: list[str],
    workers: list[int],
) -> list[Record]:
    """What was measured of each assignment, and in each round of all together."""
    records: list[Record] = []

    def add(name: str, size: int, peer: str, theirs: list[float], ours: list[float], measured: bool) -> None:
        ratios = [t / o for t, o in zip(theirs, ours, strict=True)]
        records.append({
            "measure": "classes", "assignment": name, "submissions": size, "peer": peer, "peer_measured": measured,
            "peer_seconds": statistics.median(theirs), "our_seconds": statistics.median(ours),
            "ratio": statistics.median(ratios), "ratio_low": min(ratios), "ratio_high": max(ratios),
        })  # fmt: skip

    for size in sizes:
        for peer in peers:
            of_each = [(carried_on(seen, peer, size), seen[OURS, size, 1]) for seen in by_assignment.values()]
            measured = all((peer, size, 1) in seen for seen in by_assignment.values())
            theirs = [sum(turn) for turn in zip(*(their for their, _ in of_each), strict=True)]
            add(ALL, size, peer, theirs, [seconds[size] for seconds in together], measured)
            for name, (their, our) in zip(by_assignment, of_each, strict=True):
                add(name, size, peer, their, our, measured)
        for more in workers[1:]:
            for name, seen in by_assignment.items():
                add(name, size, f"ours, 1 worker against {more}", seen[OURS, size, 1], seen[OURS, size, more], True)
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


def stages(notebook: Path, count: int = 8) -> list[Record]:
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
        folder = prepare(Path(scratch), [notebook], count)
        with contextlib.ExitStack() as patches:
            for name, (owner, attribute) in STAGES.items():
                patches.enter_context(mock.patch.object(owner, attribute, timing(name, getattr(owner, attribute))))
            started = time.perf_counter()
            grade.grade(folder)
            spent["the rest: drawing, comparing, summing up"] = time.perf_counter() - started - sum(spent.values())
    facts: Record = {"measure": "stages", "assignment": notebook.stem, "submissions": count}
    return [{**facts, "stage": name, "milliseconds_a_submission": 1e3 * total / count} for name, total in spent.items()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("assignments", nargs="*")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sizes", type=int, nargs="+", default=[4, 30, 300])
    parser.add_argument("--peer-sizes", type=int, nargs=2, default=[4, 12])
    parser.add_argument("--workers", type=int, nargs="+", default=[1])
    parser.add_argument("--peers", nargs="*", default=[STOCK, NEEDED], choices=list(PEERS))
    options = parser.parse_args()
    notebooks = sorted((ROOT / "notebooks").glob("[0-9][0-9]-*.ipynb"))
    chosen = [path for path in notebooks if not options.assignments or path.stem in options.assignments]
    start, load = time.perf_counter(), round(os.getloadavg()[0], 1)
    if OTTER in options.peers:
        otters_home()
    turns = [(peer, size, 1) for size in sorted(options.peer_sizes) for peer in options.peers]
    turns += [(OURS, size, workers) for size in sorted(options.sizes) for workers in options.workers]
    seen: dict[str, Seen] = {}
    together: list[dict[int, float]] = []
    for number, path in enumerate(chosen, 1):
        seen[path.stem] = measure(path, turns, options.rounds)
        while len(together) < options.rounds * number // len(chosen):  # its rounds lie among those of the others
            together.append(measure_together(chosen, sorted(options.sizes)))
    records = table(seen, together, sorted(options.sizes), options.peers, options.workers)
    for row in records:
        print(f"{row['assignment']}, {row['submissions']} submissions, {row['peer']}: {row['ratio']:.1f} times ours")
    written = write(
        "grading",
        ABOUT,
        records + [record for path in chosen for record in stages(path)],
        command=" ".join(["python -m benchmarks.grading", *sys.argv[1:]]),
        settings={"rounds": options.rounds, "peers_run_at": " and ".join(map(str, sorted(options.peer_sizes)))}
        | {"load_before": load, "load_at_the_end": round(os.getloadavg()[0], 1)}
        | ({OTTER: OTTER_VERSION} if OTTER in options.peers else {}),
        seconds=time.perf_counter() - start,
        libraries=("nbgrader",),
    )
    print(f"written: {written.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
