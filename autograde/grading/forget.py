"""`autograde forget`: nothing of a student's is left in the class.

Files and folders of theirs go, their rows in rosters and tables, and all of the gradebook's. What is made out of grades
and names others too (summaries, tables, archives for platforms) goes whole: it is made again by one command each. The
ledger keeps a number and the points, so that counts of the class stay true, and nobody can tell whose they were. What
names somebody goes last, so that a forgetting which is killed can be given again.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from autograde import plan
from autograde.files import objects, write_atomically
from autograde.folders import ClassFolder
from autograde.gradebook import extensions, store
from autograde.intake import provenance, roster_file
from autograde.intake.people import People
from autograde.intake.roster import Person
from autograde.ledger import Ledger
from autograde.progress import Progress, silent
from autograde.sent import Sent

_LEAST = 4  # letters of a word that is looked for: a shorter one is found in anything
_MOST = 64 << 20  # bytes of a file that is searched


@dataclass
class Forgotten:
    """What is taken away: paths, sentences on what is changed, and where a word of the student's still stands."""

    gone: list[Path] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    left: list[Path] = field(default_factory=list)


def forget(folder: ClassFolder, student: str, progress: Progress = silent, *, write: bool = True) -> Forgotten:
    """Takes a student out of the class. Raises BadRoster, BadSource, BadExtensions and ValueError, before anything is
    taken away, where a file or the name is not as it must be; GradebookError and LedgerBusy."""
    if student in ("", ".", "..") or "/" in student:  # a gradebook takes any text, and this one leads out of a folder
        raise ValueError(f"{student!r} names no folder of one student: take it out by `nbgrader db student remove`")
    ledger, done = Ledger(folder.ledger), Forgotten()
    with ledger.alone():
        people, rows = People(folder), dict(_rows(folder, student))
        extended = _extended(folder, student)
        words = {student} | {word for entries in rows.values() for each in entries for word in _words(each)}
        done.gone = [path for path in _theirs(folder, student) if os.path.lexists(path)]
        done.changed = [
            f"{path.relative_to(folder.root)}: row {', '.join(str(each.row) for each in entries)}"
            for path, entries in rows.items()
        ]
        if extended:
            done.changed.append(f"{folder.extensions.name}: more time for {', '.join(extended)}")
        done.changed += [f"{address}: the student, with all grades and comments" for address in [store.address(folder)]]
        done.changed += [f"{folder.ledger.relative_to(folder.root)}/: a number and the points stay"]
        if not write:
            return done
        left = plan.unfinished(folder.ledger)
        if left is not None and student in left.students:
            plan.end(folder.ledger)
        for path in done.gone:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        for path, entries in rows.items():
            write_atomically(path, roster_file.without(path, [each.row for each in entries]))
        for other in [*folder.submitted.glob("*/*"), *folder.earlier.glob("*/*/*")]:
            if provenance.without(other, student):
                done.changed.append(f"{other.relative_to(folder.root)}: the name in what is known of the group")
        extensions.forget(folder, student)
        store.forget(folder, student)
        people.forget(student)
        Sent(folder.ledger).forget(ledger.numbers({student})[student])
        ledger.forget(student, folder.assignments())
        done.left = sorted(_where(folder, {word for word in words if len(word) >= _LEAST}, progress))
    return done


def named(folder: ClassFolder, student: str) -> bool:
    """Whether a file that is changed late names the student: what a forgetting that was killed may have left of one
    whom neither submissions/, the gradebook nor a roster knows any more. Raises BadExtensions and ValueError."""
    in_the_class = student in Ledger(folder.ledger).people().values() or People(folder).marks_of(student)
    return bool(in_the_class or _extended(folder, student))


def archives(folder: ClassFolder) -> list[str]:
    """The archives of the class that were made, each with its day: they hold who was forgotten since. A line is there
    before its archive is: of one that was cut short, none was made."""
    made = objects(folder.ledger / "archives.jsonl", ("file", "when"))
    return [f"{each['file']} ({str(each['when'])[:10]})" for each in made]


def _theirs(folder: ClassFolder, student: str) -> list[Path]:
    """What is theirs, and what is made out of everybody's grades."""
    steps = folder.staged, folder.feedback, folder.autograded, folder.earlier, folder.submitted
    made = folder.grades, folder.exports, folder.summary("x").parent, folder.similar("x").parent
    return [*(step / student for step in steps), *made]


def _extended(folder: ClassFolder, student: str) -> list[str]:
    """The assignments for which a student has more time. Raises BadExtensions."""
    return [assignment for who, assignment in extensions.read(folder) if who == student]


def _rows(folder: ClassFolder, student: str) -> Iterator[tuple[Path, list[Person]]]:
    """(roster, the student's rows in it): by the class's name for them, and by the marks of what they handed in."""
    marks = People(folder).marks_of(student)
    for path in sorted(folder.roster().parent.glob("*.csv")):
        read = roster_file.read_kept(path)
        entries = [read.by_student(student)]
        entries += [read.by_number(key) for scheme, key in marks if scheme.lower() == read.kind]
        if rows := {each.row: each for each in entries if each is not None}:
            yield path, list(rows.values())


def _words(person: Person) -> set[str]:
    return {person.student, person.name, person.email, *person.logins}


def _where(folder: ClassFolder, words: set[str], progress: Progress) -> Iterator[Path]:
    """Files of the class in whose name or text one of the words stands."""
    wanted = [word.encode() for word in words]
    wanted += [json.dumps(word)[1:-1].encode() for word in words]
    paths = list(folder.root.rglob("*"))
    for count, path in enumerate(paths):
        progress("looking through the class", count, len(paths))
        if any(word in path.name for word in words):
            yield path.relative_to(folder.root)
        elif path.is_file() and not path.is_symlink() and path.stat().st_size <= _MOST:
            data = path.read_bytes()
            if any(word in data for word in wanted):
                yield path.relative_to(folder.root)
