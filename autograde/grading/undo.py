"""`autograde undo`: the last run is taken back, and grades are what they were before it.

The ledger forgets nothing: the run's records stay in it, and count no more. What counted before them goes into the
gradebook once more, by the way of every verdict, so points and comments that a person gave stay. A submission that the
run was the first to grade leaves the gradebook, unless a person gave points for it. An undo that is killed is gone on
with by the next.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path

import nbformat

from autograde import plan
from autograde.files import write_atomically
from autograde.folders import ClassFolder
from autograde.gradebook import enter, late, store
from autograde.grading import judge, lateness
from autograde.grading.run import max_points, read, stage
from autograde.grading.worker import notebook_to_show
from autograde.intake import received
from autograde.intake.intake import Intake
from autograde.ledger import Ledger, Record
from autograde.progress import Progress, silent


@dataclass
class Undone:
    """What a run that is taken back changes: its name and when it was, (assignment, student, net points before and
    after) of each grade that is another then, those whose grade goes, and sentences on those whose grade stays."""

    run: str
    when: str
    changed: list[tuple[str, str, float, float | None]] = field(default_factory=list)
    stays: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    again: bool = False  # the last thing that was done to the grades was an undo, too
    left: int = 0  # grades that are in the gradebook after it

    @property
    def asks(self) -> str:
        """Why nobody may have meant it; "" for an undo like any other."""
        if self.again:
            return "the run after it was taken back already, so this takes back an earlier one"
        return "" if self.left or not self.changed else "no grade would be left in the gradebook"


def undo(folder: ClassFolder, *, write: bool = True, progress: Progress = silent, expected: str = "") -> Undone:
    """Takes back the last run that was not taken back yet: `expected`, where somebody was shown that one. Raises
    ValueError where there is none or another, LedgerBusy, GradebookError, and BadExtensions, before anything is
    written. OSError and GradebookError say what stands."""
    late.require(folder)
    ledger = Ledger(folder.ledger)
    with ledger.alone():
        begun = [run for run, done in ledger.undone().items() if not done]
        run, when = (begun[0], "") if begun else last(folder, ledger)
        if expected and run != expected:
            raise ValueError(f"the last run is {run} now, and not {expected}: look at it with --dry-run first")
        done = Undone(run, when, again=not begun and run != _in_turn(folder, ledger)[-1][0])
        try:
            if write:
                left = plan.unfinished(folder.ledger)
                if left is not None and left.run == run:  # else what goes on under its name would not count
                    plan.end(folder.ledger)
                ledger.undo(run, done=False)
            for count, assignment in enumerate(assignments := folder.assignments()):
                progress("taking back", count, len(assignments))
                _assignment(folder, ledger, assignment, done, write, progress)
            if write:
                ledger.undo(run, done=not done.refused)
        except OSError as error:
            stands = _stands(ledger, run)
            raise OSError(error.errno, f"{error.strerror}. {stands}", error.filename or str(ledger.folder)) from None
        except store.GradebookError as error:
            raise store.GradebookError(f"{error}. {_stands(ledger, run)}") from None
    return done


def _stands(ledger: Ledger, run: str) -> str:
    """What is so when an undo could not be ended."""
    if run in ledger.undone():
        return f"The run {run} counts no more, and some of its grades are still in the gradebook"
    return "Nothing was changed: the grades are what they were"


def _in_turn(folder: ClassFolder, ledger: Ledger) -> list[tuple[str, str]]:
    """Every run of the class and when it ended, the last one last: of two within a second, as the ledger has them."""
    ends = {record.run: record.when for name in folder.assignments() for record in ledger.read(name)}
    ends |= {each.run: each.when for each in ledger.changed_points()}
    return sorted(ends.items(), key=lambda end: end[1])


def last(folder: ClassFolder, ledger: Ledger) -> tuple[str, str]:
    """The last run of the class, and when it ended. Raises ValueError where there is none, or all are taken back."""
    undone = ledger.undone()
    left = [(run, when) for run, when in _in_turn(folder, ledger) if run not in undone]
    if not left:
        raise ValueError(
            f"no run of this class is left to take back: {folder.ledger} holds none that is not taken back"
        )
    return left[-1]


def _assignment(
    folder: ClassFolder, ledger: Ledger, assignment: str, done: Undone, write: bool, progress: Progress
) -> None:
    """Puts back what counted of an assignment before the run."""
    held = store.held(folder, assignment)
    done.left += len(held)
    stamps = {student: store.entered(folder, assignment, student) or {} for student in held}
    mine = sorted(student for student, stamp in stamps.items() if stamp.get("run") == done.run)
    changed = {each.exercise for each in ledger.changed_points() if each.run == done.run}
    of = {exercise.name: exercise.points for exercise in judge.of_assignment(assignment)}
    if not mine and not changed & set(of):
        return
    newest: dict[str, str] = {}  # student -> the submission that counted before
    count: dict[tuple[str, str], dict[str, Record]] = {}
    for record in ledger.counted(assignment):
        if record.run != done.run:
            newest[record.student] = record.submission
            count.setdefault((record.student, record.submission), {})[record.exercise] = record
    if write and changed & set(of):
        store.set_points(folder, assignment, max_points(assignment, ledger.points()))
    for student in mine:
        before = count.get((student, newest.get(student, "")), {})
        if before:
            points = held[student].points_with({name: record.points for name, record in before.items()})
            if not write or restage(folder, assignment, student, before):
                done.changed.append((assignment, student, held[student].points, points))
            else:
                done.stays.append(f"{student}, {assignment}: the file that was graded before is not there any more")
        elif held[student].by_hand or held[student].extra:
            done.stays.append(f"{student}, {assignment}: a person gave points, and there was no grade before")
        else:
            done.changed.append((assignment, student, held[student].points, None))
            done.left -= 1
            if write:
                remove(folder, assignment, student)
    if write:
        done.refused += enter.enter(folder, assignment, progress)
        lateness.settle(folder, assignment)


def restage(folder: ClassFolder, assignment: str, student: str, count: dict[str, Record]) -> bool:
    """Puts a submission with these records on the way to the gradebook: the graded notebook that is there, where it is
    of this submission, or else the file, wherever it is kept. Whether there was one."""
    first = next(iter(count.values()))
    graded = folder.autograded / student / assignment / f"{assignment}.ipynb"
    if (store.stamp_of(graded) or {}).get("submission") == first.submission:
        notebook = json.loads(graded.read_bytes())
        notebook["metadata"]["autograde"] |= {"run": first.run, "notes": first.notes}
        target = folder.staged / student / assignment / graded.name
        write_atomically(target, json.dumps(notebook, ensure_ascii=False) + "\n", lasting=False)
        return True
    places = [path for who, path in folder.submissions(assignment) if who == student]
    places += lateness.attempts(folder, assignment, student)
    path = next((each for each in places if received.digest(each, assignment)[0] == first.submission), None)
    if path is None:
        return False
    _from_file(folder, assignment, student, path, count)
    return True


def _from_file(folder: ClassFolder, assignment: str, student: str, path: Path, count: dict[str, Record]) -> None:
    released = nbformat.reads(folder.released(assignment).read_text("utf-8"), as_version=4)
    with Intake(released) as intake:
        job = read(student, path, assignment, intake)
        notebook, reason = notebook_to_show(released, job.seen, intake)
        stage(folder, replace(job, handed_in_at=received.handed_in_at(path)), notebook, count, reason)


def remove(folder: ClassFolder, assignment: str, student: str) -> None:
    """Takes a submission out of the gradebook; its graded notebook goes last: what is killed is gone on with."""
    with store.open_gradebook(folder) as book:
        book.remove_submission(assignment, student)
    graded = folder.autograded / student / assignment
    shutil.rmtree(graded, ignore_errors=True)
