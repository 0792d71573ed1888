"""A large class, made from the answer banks: submissions a second, memory over the run, and what kills do to it.

    python -m benchmarks.classes                  # a thousand submissions, with two workers and with one
    python -m benchmarks.classes --submissions 1000 300   # a thousand with two, three hundred of them with one
    python -m benchmarks.classes --kills 10       # instead: ten kills of each kind

Each submission answers every exercise with an answer drawn from its bank, right or wrong. The class is graded by the
command line, as an instructor would, in processes that are watched from outside. `--kills` grades classes of twenty,
and at a random moment of each run kills the grader, one of two workers, or the PostgreSQL that holds the gradebook (or
locks the SQLite file): run again, the gradebook must come out as that of an undisturbed run. Writes
benchmarks/results/classes.json, or kills.json, anew with each record: a measurement that is cut off leaves what it had,
under a command for what was begun, and says how much of what was asked for came to its end.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from autograde import bank
from autograde import plan as runs
from autograde.bank import sample
from autograde.folders import ClassFolder
from autograde.gradebook import store
from autograde.gradebook.release import release
from autograde.ledger import Ledger
from benchmarks.postgresql import programs, server
from benchmarks.record import Record, write
from course.key import Key

ROOT = Path(__file__).resolve().parent.parent
ABOUT = """A class made from the banks, graded by the command line: submissions a second with one worker and with
two, and the memory of the process that keeps the books, and of all that it started, over the run."""
ABOUT_KILLS = """Classes of twenty, made from a bank, graded by the command line while the grader, a worker or the
database is killed (SQLite: locked) at random moments, and run again until a run ends well: how many gradebooks are
equal to that of a run that nothing disturbed."""
MIB, SEED = 1 << 20, 7
MOST_GROWN = 1.1  # memory in the second half of a run, of that in the first


def fill(folder: ClassFolder, assignment: str, count: int) -> None:
    """Submissions of answers drawn from the banks; a quarter of the answers is wrong."""
    draw = random.Random(SEED)
    sheet = sample.Sheet(folder.released(assignment).read_bytes(), assignment)
    for number in range(count):
        answers = dict(sheet.right)
        for exercise in sheet.tasks:
            of_bank = bank.find(exercise)
            choices = of_bank.wrong if draw.random() < 0.25 else of_bank.correct
            answers[exercise.name] = draw.choice(choices).source
        path = folder.submitted / f"student-{number:04}" / assignment / f"{assignment}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(sheet.filled(answers))


def begin(folder: ClassFolder, assignment: str) -> None:
    """Has the next run grade under one key, so that classes may be compared."""
    runs.begin(folder.ledger, runs.Plan("measured", Key.public(SEED), (assignment,)))


def start(folder: ClassFolder, assignment: str, jobs: int, log: Path) -> subprocess.Popen:
    """`autograde grade` in a process of its own; what it prints goes to `log`."""
    words = [sys.executable, "-m", "autograde", "grade", assignment, "--class", str(folder.root), "--jobs", str(jobs)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
    with log.open("ab") as file:
        return subprocess.Popen(words, cwd=ROOT, env=environment, stdout=file, stderr=file)


def resident(process: int) -> float:
    """MiB of memory that a process holds; 0 where it is gone."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / MIB
    except (OSError, ValueError, IndexError):
        return 0.0


def _children() -> dict[int, list[int]]:
    """Each process of the machine with those that it started."""
    children: dict[int, list[int]] = {}
    for status in (process / "stat" for process in Path("/proc").glob("[0-9]*")):
        with contextlib.suppress(OSError, IndexError, ValueError):
            parent = int(status.read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(status.parent.name))
    return children


def below(process: int) -> list[int]:
    """The processes that it started, and theirs."""
    children, processes, todo = _children(), [], [process]
    while todo:
        more = children.get(todo.pop(), [])
        processes += more
        todo += more
    return processes


def workers(process: int) -> list[int]:
    """Dask's worker processes below the grader: those that started a sandbox."""
    children = _children()
    return [
        outer
        for outer in below(process)
        if any(_name(child) == b"bwrap\n" for child in children.get(outer, [])) and _name(outer) != b"bwrap\n"
    ]


def _name(process: int) -> bytes:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/comm").read_bytes()
    return b""


def graded(log: Path) -> int:
    """How many submissions the run has said to be done."""
    return sum(line.startswith(b"[") for line in log.read_bytes().splitlines()) if log.exists() else 0


def throughput(folder: ClassFolder, assignment: str, jobs: int, scratch: Path) -> Iterator[Record]:
    """One run over the whole class: a record of memory at each tenth of it, then one of the whole."""
    log, count = scratch / f"{jobs}.log", len(folder.students())
    started, tenths, first, step = time.perf_counter(), 0, 0.0, max(count // 10, 1)
    process = start(folder, assignment, jobs, log)
    done, judged, highest = 0, 0.0, 0.0
    while process.poll() is None:
        time.sleep(0.25)
        done, highest = graded(log), max(highest, resident(process.pid))
        now = time.perf_counter() - started
        first = first or (now if done else 0.0)
        judged = judged or (now if done == count else 0.0)
        if done >= step * (1 + tenths):
            tenths += 1
            tree = sum(map(resident, below(process.pid)))
            yield _row("memory", assignment, jobs, done, now, resident(process.pid), tree)
    wall = time.perf_counter() - started
    if process.returncode or done < count:
        raise SystemExit(f"the run ended with {process.returncode} after {done}:\n{log.read_text('utf-8')[-3000:]}")
    tail = {
        "submissions_a_second": (done - 1) / max(judged - first, 1e-9),
        "submissions_a_second_with_the_gradebook": count / wall,
        "judging_seconds": judged,
        "gradebook_seconds": wall - judged,
        "bookkeeper_highest_mib": highest,
    }
    yield {"measure": "speed", "assignment": assignment, "workers": jobs, "submissions": count, **tail}


def grown(records: list[Record], jobs: int) -> float:
    """How many times the memory of a run's first half its second half needs, while there is a sandbox."""
    seen = [r for r in records if r["workers"] == jobs and r.get("its_processes_mib")]
    held = [r["bookkeeper_mib"] + r["its_processes_mib"] for r in seen]
    return statistics.mean(held[len(held) // 2 :]) / statistics.mean(held[: len(held) // 2])


def _row(measure: str, assignment: str, jobs: int, done: int, seconds: float, own: float, others: float) -> Record:
    return {
        "measure": measure,
        "assignment": assignment,
        "workers": jobs,
        "submissions": done,
        "seconds": seconds,
        "bookkeeper_mib": own,
        "its_processes_mib": others,
    }


# --- kills ----------------------------------------------------------------------------------------------------------

KINDS = (("the grader", "sqlite"), ("a worker", "sqlite"), ("the database", "sqlite"), ("the database", "postgresql"))


@contextlib.contextmanager
def database(kind: str, folder: ClassFolder, notebook: Path) -> Iterator[Callable[[], None]]:
    """The class with its gradebook in SQLite or in a PostgreSQL of its own; yields what strikes that down."""
    if kind == "sqlite":

        def lock() -> None:
            connection = sqlite3.connect(folder.root / "gradebook.db", timeout=1, isolation_level=None)
            with contextlib.closing(connection), contextlib.suppress(sqlite3.OperationalError):
                connection.execute("BEGIN EXCLUSIVE")
                time.sleep(7)  # longer than SQLite waits by itself

        yield lock
        return
    with server() as running:
        url = running.url("class")
        with folder.config.open("a") as file:
            file.write(f"\nc.CourseDirectory.db_url = {url!r}\n")
        release(folder, [notebook])

        def strike() -> None:
            running.kill()
            time.sleep(0.5)
            running.start()

        yield strike


@dataclass(frozen=True)
class Outcome:
    """Of a class: its gradebook, kills and runs until one came to its end, records too many, and what the ledger says:
    (student, exercise) -> verdict and words."""

    scores: dict[str, dict[str, float]]
    kills: int
    runs: int
    twice: int
    said: dict[tuple[str, str], str]

    def unlike(self, other: Outcome) -> list[str]:
        """What is another score in the other, with the verdicts of both."""
        return [
            f"{student}, {exercise}: {points} ({self.said.get((student, exercise))}), "
            f"undisturbed {other.scores[student][exercise]} ({other.said.get((student, exercise))})"
            for student, of_one in sorted(self.scores.items())
            for exercise, points in of_one.items()
            if other.scores[student][exercise] != points
        ]


def disturbed(
    released: ClassFolder, notebook: Path, what: str, kind: str, draw: random.Random, scratch: Path
) -> Outcome:
    """A class that is graded while something is killed at a random moment of each run, until a run comes to its end."""
    folder = ClassFolder.at(scratch / f"disturbed-{draw.randrange(1 << 40)}")
    shutil.copytree(released.root, folder.root)
    begin(folder, notebook.stem)
    log, killed, started, count = folder.root / "log", 0, 0, len(folder.students())
    with database(kind, folder, notebook) as strike:
        for started in range(1, 100):
            process = start(folder, notebook.stem, 2 if what == "a worker" else 1, log)
            # the more runs there were, the later: else no run would come to its end
            moment = count if what == "the database" else draw.randint(0, count + 3 * started)
            while process.poll() is None and graded(log) < moment:
                time.sleep(0.05)
            time.sleep(draw.random() * (6 if what == "the database" else 1))
            if process.poll() is None and started < 8:
                killed += _strike(what, process, strike)
            if process.wait() == 0:
                break
        scores = store.scores(folder, notebook.stem)
    records = list(Ledger(folder.ledger).read(notebook.stem))
    shutil.rmtree(folder.root)
    said = {(r.student, r.exercise): f"{r.verdict.outcome}: {r.verdict.message or r.flags}" for r in records}
    return Outcome(scores, killed, started, len(records) - len(said), said)


def _strike(what: str, process: subprocess.Popen, database: Callable[[], None]) -> int:
    """Kills it; returns how many were killed."""
    if what == "the database":
        database()
        return 1
    victims = {"the grader": [process.pid], "a worker": workers(process.pid)[:1], "nothing": []}[what]
    for victim in victims:
        with contextlib.suppress(ProcessLookupError):
            os.kill(victim, signal.SIGKILL)
    return len(victims)


def kinds() -> list[tuple[str, str]]:
    """(what is killed, the gradebook's database), as far as there are such databases here."""
    return [(what, kind) for what, kind in KINDS if kind != "postgresql" or programs() is not None]


def kills(released: ClassFolder, notebook: Path, wanted: int, scratch: Path) -> Iterator[Record]:
    """A row for each thing to kill: at least so many kills, over as many classes as that takes."""
    undisturbed = disturbed(released, notebook, "nothing", "sqlite", random.Random(1), scratch)
    for what, kind in kinds():
        draw, killed, ran, twice, equal, classes = random.Random(7), 0, 0, 0, 0, 0
        while killed < wanted and classes < 4 * wanted:
            outcome = disturbed(released, notebook, what, kind, draw, scratch)
            killed, ran, twice, classes = killed + outcome.kills, ran + outcome.runs, twice + outcome.twice, classes + 1
            equal += outcome.scores == undisturbed.scores
            for line in outcome.unlike(undisturbed):
                print(line, flush=True)
            print(f"{what} ({kind}): {killed} kills, {equal} of {classes} gradebooks equal", flush=True)
        yield {
            "measure": "kills",
            "assignment": notebook.stem,
            "submissions": len(released.students()),
            "killed": what,
            "gradebook": kind,
            "kills": killed,
            "runs": ran,
            "classes": classes,
            "equal_to_the_undisturbed": equal,
            "graded_twice": twice,
        }


def _written(name: str, about: str, records: list[Record], began: float, words: str, ended: str) -> None:
    """Writes what there is; `words` are those of a command for it, `ended` how much of what was asked for that is."""
    written = write(
        name,
        about,
        records,
        command=f"python -m benchmarks.classes {words}",
        settings={"ended": ended, "load_at_the_end": round(os.getloadavg()[0], 1)},
        seconds=time.perf_counter() - began,
        libraries=("nbgrader", "distributed", "psycopg"),
    )
    print(f"written: {written.relative_to(ROOT)}", flush=True)


def _several(numbers: list[int]) -> str:
    return " ".join(map(str, numbers))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("assignment", nargs="?", default="01-seq2seq")
    parser.add_argument("--submissions", type=int, nargs="+", default=[1000], help="of all runs, or of each in turn")
    parser.add_argument("--workers", type=int, nargs="+", default=[2, 1], help="one run of the class for each number")
    parser.add_argument("--kills", type=int, default=0, help="instead: so many of each kind, on classes of twenty")
    options = parser.parse_args()
    sizes = options.submissions * len(options.workers) if len(options.submissions) == 1 else options.submissions
    if len(sizes) != len(options.workers):
        parser.error(f"{len(sizes)} sizes for {len(options.workers)} runs: say one of each, or one for all")
    notebook, began = ROOT / "notebooks" / f"{options.assignment}.ipynb", time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="classes-") as folder:
        scratch = Path(folder)
        released = ClassFolder.at(scratch / "released")
        release(released, [notebook])
        fill(released, notebook.stem, 20 if options.kills else max(sizes))
        if options.kills:
            rows: list[Record] = []
            for row in kills(released, notebook, options.kills, scratch):
                rows.append(row)
                words = f"{notebook.stem} --kills {options.kills}"
                _written("kills", ABOUT_KILLS, rows, began, words, f"{len(rows)} of {len(kinds())} kinds")
            if any(row["equal_to_the_undisturbed"] != row["classes"] or row["graded_twice"] for row in rows):
                raise SystemExit("a kill changed a gradebook, or a submission was graded twice")
            return
        records: list[Record] = []
        points: dict[str, dict[str, float]] = {}
        for ended, (jobs, size) in enumerate(zip(options.workers, sizes, strict=True)):
            begun = slice(ended + 1)
            words = (
                f"{notebook.stem} --submissions {_several(sizes[begun])} --workers {_several(options.workers[begun])}"
            )
            large = ClassFolder.at(scratch / f"large-{jobs}")
            shutil.copytree(released.root, large.root)
            for student in large.students()[size:]:
                shutil.rmtree(large.submitted / student)
            begin(large, notebook.stem)
            for record in throughput(large, notebook.stem, jobs, scratch):
                whole = record["measure"] == "speed"
                if whole:
                    print(record, flush=True)
                    scores = store.scores(large, notebook.stem)
                    if any(scores[student] != points.setdefault(student, scores[student]) for student in scores):
                        raise SystemExit("the gradebooks differ with the number of workers")
                records.append(record)
                _written("classes", ABOUT, records, began, words, f"{ended + whole} of {len(sizes)} runs")
            if (times := grown(records, jobs)) > MOST_GROWN:
                raise SystemExit(f"memory grew {times:.2f} times over a run: see the records")


if __name__ == "__main__":
    main()
