"""Seconds a hand-in: stock `nbgrader autograde` and this grader in turn, on the same hand-ins, in one run.

    python -m benchmarks.grading              # every assignment, the sample class's honest hand-ins
    python -m benchmarks.grading 02-bahdanau --rounds 3

Stock nbgrader runs each hand-in in a kernel of this environment, with no isolation; this grader in its sandbox, with
its own start, its tables and its way into the gradebook counted. Both begin from the same released class and a
gradebook without hand-ins. The two take turns, so that whatever else the machine does falls on both. Writes the
results to benchmarks/results/grading.json.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from autograde import sample
from autograde.folders import ClassFolder
from autograde.release import release
from benchmarks.record import Record, write

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
ABOUT = """Seconds a hand-in, stock nbgrader autograde without isolation and this grader in its sandbox, on the same
hand-ins in turn; by the clock on the wall and by CPU time, for a whole class and for one hand-in more."""
# Every hand-in here is one that stock nbgrader gives a score to: the comparison is of speed, not of what it cannot do.
HONEST = ("right", "right-other-form-1", "right-other-form-2", "partly-right", "wrong-")

COMMANDS = {
    "stock": [str(BIN / "nbgrader"), "autograde", "{}"],
    "ours": [sys.executable, "-m", "autograde", "grade", "{}", "--class", "."],
}


def prepare(root: Path, notebook: Path, copies: int) -> tuple[ClassFolder, int]:
    """A class with the assignment released and each honest hand-in in it `copies` times; (folder, how many)."""
    folder = ClassFolder.at(root / "class")
    release(folder, [notebook])
    made = sample.sample(folder, notebook.stem)
    for hand_in in made:
        if not hand_in.student.startswith(HONEST):
            shutil.rmtree(folder.submitted / hand_in.student)
            continue
        for number in range(1, copies):
            shutil.copytree(folder.submitted / hand_in.student, folder.submitted / f"{hand_in.student}-{number}")
    return folder, len(list(folder.submitted.iterdir()))


def timed(command: list[str], folder: Path) -> tuple[float, float]:
    """(wall seconds, CPU seconds with all its processes) of one command in the class's folder."""
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "OMP_NUM_THREADS": "1"}
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-3000:]}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(notebook: Path, rounds: int, copies: int) -> list[Record]:
    """Both graders over one assignment, in turn: `rounds` times a class, and as often a class of one.

    What a run costs before its first hand-in (imports, the sandbox's start, the tables) is paid once, however large the
    class: the difference between the two classes is what one more hand-in costs.
    """
    seen: dict[tuple[str, int], list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory(prefix="grading-") as scratch:
        released, count = prepare(Path(scratch), notebook, copies)
        for turn in range(rounds):
            for size in (count, 1):
                for name, command in COMMANDS.items():
                    folder = Path(scratch) / f"{name}-{size}-{turn}"
                    shutil.copytree(released.root, folder)
                    for student in sorted((folder / "submitted").iterdir())[size:]:
                        shutil.rmtree(student)
                    run = timed([word.format(notebook.stem) for word in command], folder)
                    seen.setdefault((name, size), []).append(run)
                    print(
                        f"{notebook.stem} {name:5} {size} hand-ins: {run[0]:.2f} s, {run[1]:.2f} s of CPU", flush=True
                    )
                    shutil.rmtree(folder)

    def median(name: str, size: int, which: int) -> float:
        return statistics.median(run[which] for run in seen[name, size])

    records: list[Record] = []
    for which, clock in enumerate(("wall", "cpu")):
        whole = {name: median(name, count, which) / count for name in COMMANDS}
        more = {name: (median(name, count, which) - median(name, 1, which)) / (count - 1) for name in COMMANDS}
        noise = min(more.values()) <= 0  # a class took no longer than one hand-in: too busy a machine to tell
        for counted, seconds in (("the whole class", whole), ("one hand-in more", None if noise else more)):
            records.append(
                {
                    "assignment": notebook.stem,
                    "hand_ins": count,
                    "counted": counted,
                    "clock": clock,
                    "peer": "nbgrader autograde",
                    "peer_seconds_a_hand_in": round(seconds["stock"], 3) if seconds else None,
                    "our_seconds_a_hand_in": round(seconds["ours"], 3) if seconds else None,
                    "ratio": round(seconds["stock"] / seconds["ours"], 1) if seconds else None,
                }
            )
    return records


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("assignments", nargs="*")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--copies", type=int, default=1, help="a larger class: each hand-in so many times")
    options = parser.parse_args()
    notebooks = sorted((ROOT / "notebooks").glob("[0-9][0-9]-*.ipynb"))
    chosen = [path for path in notebooks if not options.assignments or path.stem in options.assignments]
    start = time.perf_counter()
    records = [record for path in chosen for record in measure(path, options.rounds, options.copies)]
    for row in records:
        print(f"{row['assignment']}, {row['counted']}, {row['clock']}: ", end="")
        if row["ratio"] is None:
            print("the machine was too busy to tell")
        else:
            theirs, ours = row["peer_seconds_a_hand_in"], row["our_seconds_a_hand_in"]
            print(f"stock {theirs:.2f} s, ours {ours:.2f} s a hand-in (ratio {row['ratio']:g})")
    written = write(
        "grading",
        ABOUT,
        records,
        command=" ".join(["python -m benchmarks.grading", *sys.argv[1:]]),
        settings={"rounds": options.rounds, "copies": options.copies, "load_at_the_end": round(os.getloadavg()[0], 1)},
        seconds=time.perf_counter() - start,
        libraries=("nbgrader",),
    )
    print(f"written: {written.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
