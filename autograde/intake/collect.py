"""`autograde collect`: what came back from students, out of an archive or a folder, into class/submissions/.

Here is the command's way, and its dry run. `sources` says what a source holds, `whose` reads what its names say,
`binding` binds them to people by the class's roster, `placing` says of which submission each file is, `people`
remembers whose each submission was, and `submissions` puts one down.

Everything in a source is hostile data. A name in it is only ever read, to tell whose file it is; no path of a source
becomes a path of ours, nothing is followed or run, and sizes and counts are capped. Nothing is dropped without a word:
what is no submission comes back with a reason.

It goes in two steps. First the names alone are read: whose each file is and of which assignment. Only then are files
opened, archives in a jail. A submission is replaced as a whole, in one step, while no run is grading; the same content
changes nothing, and one with an older timestamp never replaces a newer.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from autograde.files import private, write_atomically
from autograde.folders import ClassFolder
from autograde.intake import roster_file
from autograde.intake.binding import Binding
from autograde.intake.chapters import Chapters
from autograde.intake.intake import Intake
from autograde.intake.people import People, folded, one_folder, spelled_apart
from autograde.intake.placing import Submissions, named_in, placed_of, sorted_out
from autograde.intake.platforms.gradescope import EXPORT, LIST, MAX_LIST, listed
from autograde.intake.provenance import Provenance
from autograde.intake.sources import (
    Aside,
    BadSource,
    Entry,
    Given,
    Work,
    entries_of,
    one_of,
    unpack_source,
    what_is_given,
)
from autograde.intake.submissions import UNPACKED, Submission, finish_what_was_begun, put
from autograde.intake.whose import IN_A_FOLDER, UNSAID, Names, safe
from autograde.ledger import Ledger
from autograde.progress import Progress, silent
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
    roster: Path | None = None,
    dry_run: bool = False,
    intake: Intake | None = None,
    progress: Progress = silent,
) -> Collected:
    """Puts the submissions of a source into submissions/. `assignment` is which they are, and `platform` (one of
    `whose.PLATFORMS`) where they come from, where the source's names do not say. `roster` binds its names to people,
    and is kept in the class.

    A source may be a folder inside an archive: "download.zip/week 2". `intake` is what unpacks archives, one of its own
    where none is given. Raises BadRoster, before anything is written, where the roster is wrong, BadSource where the
    source cannot be read at all or holds archives and there is no sandbox to open them in, LedgerBusy while a run is
    grading this class, and OSError with a path in it where the disk is full.
    """
    with contextlib.ExitStack() as held:
        intake = intake or held.enter_context(Intake())  # its jail starts with the first archive
        try:
            return _collect(folder, source, assignment, platform, roster, dry_run, intake, progress)
        except SandboxError as error:
            reason = f"archives are opened in a sandbox, which does not work here: {error}"
            raise BadSource(f"{reason}. To do: run autograde doctor") from None


def _collect(
    folder: ClassFolder,
    source: Path,
    assignment: str,
    platform: str,
    roster: Path | None,
    dry_run: bool,
    intake: Intake,
    progress: Progress,
) -> Collected:
    assignments, done = folder.assignments(), Collected()
    who = Binding(folder, People(folder), roster_file.read(roster) if roster else None)
    if who.roster:
        roster_file.place_of(folder, who.roster, assignment)
    given = what_is_given(source, platform)
    entries = entries_of(given, folder, done.aside, intake)
    names = Names([entry.parts for entry in entries], assignments, platform, given.packed)
    if platform == "gradescope":
        entries = _without_gradescopes_list(entries, given, who, intake)
    hint = named_in(source.name, assignments) or named_in(given.outer.name, assignments)
    placed = placed_of(entries, names, assignment, hint, who, done.aside)
    submissions = sorted_out(placed, names, assignment, hint, done.aside)
    if names.like or (not submissions and any(why == UNSAID for _, why in done.aside)):
        _ask_whose_names_these_are(source, names)
    done.late = sorted({student for (student, _), one in submissions.items() if one.late and not one.when})
    twins = _twins({student for student, _ in submissions} | set(folder.students()))
    if dry_run:
        _foretell(submissions, folder, who.people, twins, done)
        return done
    with Ledger(folder.ledger).alone(), private(folder.root):  # whatever the sources' own modes
        finish_what_was_begun(folder)
        if who.roster and roster:
            write_atomically(roster_file.place_of(folder, who.roster, assignment), roster.read_bytes())
        with tempfile.TemporaryDirectory(dir=folder.root, prefix=UNPACKED) as unpacked:
            work = Work(intake, Path(unpacked), Chapters(folder), done.aside, progress)
            if given.packed:
                wanted = {name: file for each in submissions.values() for name, file in each.wanted().items()}
                unpack_source(given.outer, wanted, work)
            people = People(folder)
            try:
                _put_down(submissions, source, folder, people, work, twins, done)
            finally:
                people.settle()
    return done


def _foretell(
    submissions: Submissions, folder: ClassFolder, people: People, twins: Mapping[str, Sequence[str]], done: Collected
) -> None:
    """What `_put_down` would do, as far as names tell."""
    for student, name, submission in _in_nobodys_place(_each_ones(submissions), folder, people, done):
        action = "replaced if it differs" if (folder.submitted / student / name).exists() else "new"
        several = sum(rest[-1].lower().endswith(".ipynb") for rest, _ in submission.files)
        notes = [f"{several} notebooks: which of them is graded is said when they are read"] if several > 1 else []
        done.items.append(_item(student, name, action, submission, notes, twins))


def _put_down(
    submissions: Submissions,
    source: Path,
    folder: ClassFolder,
    people: People,
    work: Work,
    twins: Mapping[str, Sequence[str]],
    done: Collected,
) -> None:
    everybodys = _each_ones(submissions)
    taken = _in_nobodys_place(everybodys, folder, people, done)
    for begun, (student, name, submission) in enumerate(taken):
        work.progress("putting submissions down", begun, len(everybodys))
        scheme, key = submission.mark
        members = tuple(entry.name for _, entry in submission.files)
        together = tuple(each for each in submission.together if each != student)
        when, outer = submission.when, submission.outer
        come = Provenance(
            safe(str(source)), members, scheme, safe(key), outer, student, together, when, submission.late
        )
        before = people.replaced(student, name, submission.mark)
        put_down = put(
            folder.submitted / student / name, submission, work, before, come, folder.earlier / student / name
        )
        if put_down.action:
            done.items.append(_item(student, name, put_down.action, submission, put_down.notes, twins))
            people.keep(student, name, submission.mark)


def _each_ones(submissions: Submissions) -> Submissions:
    """A submission for each of those who handed it in together."""
    made = dict(submissions)
    for (_, name), submission in submissions.items():
        for student in submission.together[1:]:
            copy = submission.shared()
            copy.mark = (submission.mark[0], submission.keys[student])
            made[student, name] = copy
    return made


def _without_gradescopes_list(entries: list[Entry], given: Given, who: Binding, intake: Intake) -> list[Entry]:
    """The entries but for Gradescope's list of who is who, which is read: the outermost, beside all submissions."""
    lists = [
        entry
        for entry in entries
        if entry.parts == (LIST,) or (entry.parts[1:] == (LIST,) and EXPORT.fullmatch(entry.parts[0]))
    ]
    if not lists or given.names:
        return entries
    data = one_of(given, lists[0], MAX_LIST, intake)
    try:
        who.listed = listed(data.decode("utf-8-sig"))
    except ValueError as error:
        why = f"it is not written in UTF-8 ({error})" if isinstance(error, UnicodeDecodeError) else error
        raise BadSource(f"{safe(lists[0].name)}: {why}. To do: export the submissions again") from None
    return [entry for entry in entries if entry is not lists[0]]


def _in_nobodys_place(
    submissions: Submissions, folder: ClassFolder, people: People, done: Collected
) -> Iterator[tuple[str, str, Submission]]:
    """(student, assignment, submission), in order, where it takes no place that may be another's; else put aside. Each
    is looked at when its turn comes, since those before it may have been put down."""
    names = set(os.listdir(folder.submitted)) if folder.submitted.is_dir() else set()
    for (student, name), submission in sorted(submissions.items()):
        if why := people.another(student, name, submission.mark) or one_folder(folder, student, names):
            done.aside += [(safe(entry.name), why) for _, entry in submission.files]
        else:
            yield student, name, submission
            names.add(student)


def _twins(students: Iterable[str]) -> dict[str, list[str]]:
    """The students whose names look alike, by what is left of a name where it makes no difference."""
    twins: dict[str, list[str]] = {}
    for student in sorted(students):
        twins.setdefault(folded(student), []).append(student)
    return twins


def _item(
    student: str,
    name: str,
    action: str,
    submission: Submission,
    notes: Sequence[str],
    twins: Mapping[str, Sequence[str]],
) -> Item:
    remarks = [*notes, *sorted(submission.notes)]
    for twin in twins.get(folded(student), ()):
        if twin != student:
            own, others = spelled_apart(student, twin)
            here = f", and this one is {safe(student)!r}{own}" if own else ""
            remarks.append(f"there is also a student {safe(twin)!r}{others}{here}: the same person?")
    return Item(student, name, action, tuple(entry.name for _, entry in submission.files), tuple(remarks))


def _ask_whose_names_these_are(source: Path, names: Names) -> NoReturn:
    """Raises BadSource with what to type, where a student may have chosen all the names that a source has."""
    below, platforms = names.asked_for()
    which = shlex.quote(safe(str(source / below)))
    *theirs, mine = [f"--platform {platform}" for platform in platforms]
    downloaded = f"if you downloaded it there yourself, collect {which} {' or '.join(theirs)}; " if theirs else ""
    like = f"nobody has said who gave the names in {safe(source.name)}"
    if names.like:
        like = f"the names in {safe(source.name)} are as {' or '.join(names.like)} gives them"
    raise BadSource(
        f"{like}, and a student may have chosen them. To do: {downloaded}if they are yours and bear your students'"
        f" names, collect {which} {mine}; if one student handed it in, {IN_A_FOLDER}"
    )
