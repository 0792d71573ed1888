"""`autograde collect`: what came back from students, out of an archive or a folder, into class/submissions/.

Here is the command's way, and its dry run. `sources` says what a source holds, `whose` reads from the names whose each
file is, `people` remembers whose each submission was, and `submissions` puts one down.

Everything in a source is hostile data. A name in it is only ever read, to tell whose file it is; no path of a source
becomes a path of ours, nothing is followed or run, and sizes and counts are capped. Nothing is dropped without a word:
what is no submission comes back with a reason.

It goes in two steps. First the names alone are read: whose each file is and of which assignment. Only then are files
opened, archives in a jail. A submission is replaced as a whole, in one step, while no run is grading; the same content
changes nothing, and one with an older timestamp never replaces a newer.
"""

from __future__ import annotations

import contextlib
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from autograde.files import private
from autograde.folders import ClassFolder
from autograde.intake.jail import Intake
from autograde.intake.people import People, folded, one_folder, student_id
from autograde.intake.received import STAMP
from autograde.intake.sources import Aside, BadSource, Entry, Work, entries_of, unpack_source, what_is_given
from autograde.intake.submissions import NO_MOMENT, UNPACKED, Submission, finish_what_was_begun, put
from autograde.intake.whose import IN_A_FOLDER, LOOSE, UNSAID, Names, Place, readable, safe
from autograde.ledger import Ledger
from autograde.sandbox.pool import SandboxError


@dataclass(frozen=True)
class Item:
    """One submission. `action` is new, replaced, unchanged or older (left alone: a newer one is there); where nothing
    was read, "replaced if it differs" for the last three.

    `files` are its names as in the source, `notes` what the instructor should know of it.
    """

    student: str
    assignment: str
    action: str
    files: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass
class Collected:
    """What a collection did, or with `dry_run` would do. `aside` are (file, why it is no submission), `late` the
    students whose file says that it came late without saying when.
    """

    items: list[Item] = field(default_factory=list)
    aside: Aside = field(default_factory=list)
    late: list[str] = field(default_factory=list)


def collect(
    folder: ClassFolder,
    source: Path,
    assignment: str = "",
    *,
    platform: str = "",
    dry_run: bool = False,
    intake: Intake | None = None,
) -> Collected:
    """Puts the submissions of a source into submissions/. `assignment` is which they are, and `platform` (one of
    `whose.PLATFORMS`) where they come from, where the source's names do not say.

    A source may be a folder inside an archive: "download.zip/week 2". `intake` is what unpacks archives, one of its own
    where none is given. Raises BadSource where the source cannot be read at all or holds archives and there is no
    sandbox to open them in, LedgerBusy while a run is grading this class, and OSError with a path in it where the disk
    is full.
    """
    with contextlib.ExitStack() as held:
        intake = intake or held.enter_context(Intake())  # its jail starts with the first archive
        try:
            return _collect(folder, source, assignment, platform, dry_run, intake)
        except SandboxError as error:
            reason = f"archives are opened in a sandbox, which does not work here: {error}"
            raise BadSource(f"{reason}. To do: run autograde doctor") from None


def _collect(
    folder: ClassFolder, source: Path, assignment: str, platform: str, dry_run: bool, intake: Intake
) -> Collected:
    assignments, done = folder.assignments(), Collected()
    given = what_is_given(source, platform)
    entries = entries_of(given, folder, done.aside, intake)
    names = Names([entry.parts for entry in entries], assignments, platform, given.packed)
    hint = _named_in(source.name, assignments) or _named_in(given.outer.name, assignments)
    submissions = _sorted_out(entries, names, assignment, hint, done)
    if names.like or (not submissions and any(why == UNSAID for _, why in done.aside)):
        _ask_whose_names_these_are(source, names)
    done.late = sorted({student for (student, _), submission in submissions.items() if submission.late})
    twins = {student for student, _ in submissions} | set(folder.students())
    if dry_run:
        people = People(folder)
        present = {s: folder.submitted / s for s in folder.students()}
        for student, name, submission in _in_nobodys_place(submissions, folder, people, done):
            there = (present.get(student, folder.submitted / student) / name).exists()
            action = "replaced if it differs" if there else "new"
            done.items.append(_item(student, name, action, submission, (), twins))
        return done
    with Ledger(folder.ledger).alone(), private(folder.root):  # whatever the sources' own modes
        finish_what_was_begun(folder)
        people = People(folder)
        with tempfile.TemporaryDirectory(dir=folder.root, prefix=UNPACKED) as unpacked:
            work = Work(intake, Path(unpacked))
            if given.packed:
                wanted = {name: file for each in submissions.values() for name, file in each.wanted().items()}
                unpack_source(given.outer, wanted, work)
            for student, name, submission in _in_nobodys_place(submissions, folder, people, done):
                before = people.replaced(student, name, submission.mark)
                target = folder.submitted / student / name
                action, notes = put(target, submission, work, before, done.aside)
                done.items.append(_item(student, name, action, submission, notes, twins))
                people.keep(student, name, submission.mark)
    return done


def _in_nobodys_place(
    submissions: dict[tuple[str, str], Submission], folder: ClassFolder, people: People, done: Collected
) -> Iterator[tuple[str, str, Submission]]:
    """(student, assignment, submission), in order, where it takes no place that may be another's; else put aside. Each
    is looked at when its turn comes, since those before it may have been put down."""
    for (student, name), submission in sorted(submissions.items()):
        if why := people.another(student, name, submission.mark) or one_folder(folder, student):
            done.aside += [(safe(entry.name), why) for _, entry in submission.files]
        else:
            yield student, name, submission


def _item(
    student: str, name: str, action: str, submission: Submission, notes: Sequence[str], students: set[str]
) -> Item:
    remarks = [*notes, *sorted(submission.notes)]
    remarks += [
        f"there is also a student {safe(twin)!r}: the same person?"
        for twin in sorted(students)
        if twin != student and folded(twin) == folded(student)
    ]
    return Item(student, name, action, tuple(entry.name for _, entry in submission.files), tuple(remarks))


# ---------------------------------------------------------------- whose it is, and of which assignment


def _named_in(text: str, assignments: Sequence[str]) -> str:
    """The one assignment whose name stands in the text, "" for none or several."""
    names = [name for name in assignments if name.lower() in text.lower()]
    return names[0] if len(names) == 1 else ""


def _ask_whose_names_these_are(source: Path, names: Names) -> NoReturn:
    """Raises BadSource with what to type, where a student may have chosen all the names that a source has."""
    below, platforms = names.asked_for()
    which = shlex.quote(safe(str(source / below)))
    *known, mine = [f"--platform {platform}" for platform in platforms]
    downloaded = f"if you downloaded it there yourself, collect {which} {' or '.join(known)}; " if known else ""
    like = f"nobody has said who gave the names in {safe(source.name)}"
    if names.like:
        like = f"the names in {safe(source.name)} are as {' or '.join(names.like)} gives them"
    raise BadSource(
        f"{like}, and a student may have chosen them. To do: {downloaded}if they are yours and bear your students'"
        f" names, collect {which} {mine}; if one student handed it in, {IN_A_FOLDER}"
    )


def _placed(entries: list[Entry], names: Names, assignment: str, done: Collected) -> list[tuple[Entry, Place, str]]:
    """Each file with its place and its student; one that has no place, no student, or another assignment's place is put
    aside."""
    placed: list[tuple[Entry, Place, str]] = []
    for entry in entries:
        place = names.place(entry.parts)
        if isinstance(place, str):
            done.aside.append((safe(entry.name), place))
        elif not (student := student_id(readable(place.student))):
            why = "no student's name can be made of its folder's: put it into submissions/ under one of yours"
            done.aside.append((safe(entry.name), why))
        elif assignment and place.assignment and place.assignment != assignment:
            done.aside.append((safe(entry.name), f"of {place.assignment}, not of {assignment}"))
        else:
            placed.append((entry, place, student))
    return placed


def _sorted_out(
    entries: list[Entry], names: Names, assignment: str, hint: str, done: Collected
) -> dict[tuple[str, str], Submission]:
    """(student, assignment) -> submission; what belongs nowhere is put aside. No file is opened."""
    assignments = names.assignments
    placed = _placed(entries, names, assignment, done)
    people: dict[str, set[tuple[str, str]]] = {}
    answered: dict[str, set[str]] = {}  # student -> assignments that a file's own name says
    for _, place, student in placed:
        if place.scheme != LOOSE:
            people.setdefault(student, set()).add((place.scheme, place.key))
        if named := place.assignment or _named_in(place.rest[-1], assignments):
            answered.setdefault(student, set()).add(named)
    submissions: dict[tuple[str, str], Submission] = {}
    for entry, place, student in placed:
        if len(people.get(student, ())) > 1:
            done.aside.append((safe(entry.name), _two_people(student, people[student])))
            continue
        only = answered.get(student, set())
        name = place.assignment or assignment or _named_in(place.rest[-1], assignments)
        name = name or (next(iter(only)) if len(only) == 1 else hint)
        if not name:
            done.aside.append((safe(entry.name), "of which assignment? Say --assignment"))
            continue
        submission = submissions.setdefault((student, name), Submission(mark=place.mark))
        submission.people.add((place.scheme, place.key))
        if place.rest == (STAMP,):
            if place.stamped:
                done.aside.append((safe(entry.name), NO_MOMENT))
            else:
                submission.stamps.append(entry)
            continue
        if place.when < submission.attempt:
            done.aside.append((safe(entry.name), "an earlier attempt"))
            continue
        if place.when > submission.attempt:
            done.aside += [(safe(e.name), "an earlier attempt") for _, e in submission.files]
            submission.files, submission.attempt, submission.when = [], place.when, place.when
        submission.late |= place.late
        submission.notes |= {place.note} - {""}
        submission.files.append((place.rest, entry))
    for (student, _), submission in submissions.items():
        if len(submission.people) > 1:
            why = _two_people(student, submission.people)
            done.aside += [(safe(entry.name), why) for _, entry in submission.files]
    return {
        place: submission
        for place, submission in submissions.items()
        if submission.files and len(submission.people) == 1
    }


def _two_people(student: str, people: set[tuple[str, str]]) -> str:
    keys = ", ".join(sorted(safe(key) for _, key in people))
    return f"two people would be {student} ({keys}): put their files into folders of names that tell them apart"
