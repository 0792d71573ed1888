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
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import date
from importlib.metadata import version
from pathlib import Path

from autograde import sample
from autograde.folders import ClassFolder
from autograde.release import release

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).resolve().parent / "results" / "grading.json"
BIN = Path(sys.executable).parent
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


def measure(notebook: Path, rounds: int, copies: int) -> dict:
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

    found: dict = {"assignment": notebook.stem, "hand_ins": count, "rounds": rounds}
    for which, kind in enumerate(("wall", "cpu")):
        whole = {name: median(name, count, which) / count for name in COMMANDS}
        more = {name: (median(name, count, which) - median(name, 1, which)) / (count - 1) for name in COMMANDS}
        noise = min(more.values()) <= 0  # a class took no longer than one hand-in: too busy a machine to tell
        found[kind] = {
            "seconds_a_hand_in": {name: round(value, 3) for name, value in whole.items()},
            "ratio": round(whole["stock"] / whole["ours"], 1),
            "seconds_one_more_hand_in": None if noise else {name: round(value, 3) for name, value in more.items()},
            "ratio_one_more": None if noise else round(more["stock"] / more["ours"], 1),
        }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("assignments", nargs="*")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--copies", type=int, default=1, help="a larger class: each hand-in so many times")
    options = parser.parse_args()
    notebooks = sorted((ROOT / "notebooks").glob("[0-9][0-9]-*.ipynb"))
    chosen = [path for path in notebooks if not options.assignments or path.stem in options.assignments]
    measured = [measure(path, options.rounds, options.copies) for path in chosen]
    for row in measured:
        for kind in ("wall", "cpu"):
            whole, more = row[kind]["seconds_a_hand_in"], row[kind]["seconds_one_more_hand_in"]
            print(
                f"{row['assignment']} {kind}: stock {whole['stock']:.2f} s, ours {whole['ours']:.2f} s a hand-in of "
                f"{row['hand_ins']} (ratio {row[kind]['ratio']:g})"
            )
            if more is None:
                print("  one more: the machine was too busy to tell")
            else:
                ratio = row[kind]["ratio_one_more"]
                print(f"  one more: {more['stock']:.2f} s and {more['ours']:.2f} s (ratio {ratio:g})")
    found = {
        "date": date.today().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the end",
        "versions": {"python": platform.python_version()} | {name: version(name) for name in ("torch", "nbgrader")},
        "measured": measured,
    }
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(found, indent=1) + "\n")
    print(f"written: {RESULTS.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
