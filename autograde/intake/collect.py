"""`autograde collect`: what came back from students, out of an archive or a folder, into class/submissions/.

Everything in a source is hostile data. A name in it is only ever read, to tell whose file it is; no path of a source
becomes a path of ours, nothing is followed or run, and sizes and counts are capped. Nothing is dropped without a word:
what is no submission comes back with a reason, and a submission that holds no notebook is put down as it is, so that
its student is told why it could not be graded.

It goes in two steps. First the names alone are read: whose each file is (`whose`) and of which assignment. Only then
are files opened, archives in a jail (`jail.Intake.unpack`), and what is in them decides nothing but which file is the
notebook. A submission is replaced as a whole, in one step, while no run is grading; the same content changes nothing,
and one with an older timestamp never replaces a newer.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import secrets
import shlex
import shutil
import stat
import tempfile
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from nbgrader.utils import parse_utc

from autograde.files import private, write_atomically
from autograde.folders import ClassFolder
from autograde.intake import unpack
from autograde.intake.jail import SOURCE_LIMITS, Intake
from autograde.intake.parse import MAX_BYTES, STAMP, handed_in_at, readable_moment
from autograde.intake.unpack import Budget, Damaged, TooMuch
from autograde.intake.whose import (
    ARCHIVE,
    FOLDERS,
    IN_A_FOLDER,
    LOOSE,
    UNSAID,
    Names,
    Place,
    is_one_submission,
    may_be_one_submission,
    safe,
)
from autograde.ledger import Ledger
from autograde.sandbox.pool import SandboxError
from autograde.text import without_controls

MAX_ENTRIES = 200_000  # files of a source; a class of thousands has tens of thousands
MAX_INSIDE = 2_000  # files of an archive that a student handed in
MAX_FILES = 200  # files kept of one submission
MAX_ARCHIVES = 5  # opened of one submission: each may take its time
MAX_SUBMISSION = 512 << 20  # bytes of one submission
MAX_UNPACKED = 64 << 30  # bytes that a source's archive may unpack to
UNPACKED_TIMES = 100  # how many times its own size an archive may unpack to; text seldom shrinks to a thirtieth
UNPACKED_ANYWAY = 32 << 20  # bytes that it may unpack to however small it is
MAX_NAME = 100  # characters of a student's name; nbgrader's database holds 128

_OTHER_ARCHIVE = re.compile(r"\.(7z|rar|gz|bz2|xz|zst)$", re.IGNORECASE)
_LITTER = re.compile(r"\._.*|\.DS_Store|\.git|\.ipynb_checkpoints|__MACOSX|__pycache__|Thumbs\.db|desktop\.ini")
_OLD, _NEW = ".replaced", ".coming"  # of the two steps of a replacement, hidden from the grader
_UNPACKED = ".collecting-"  # folders of files on their way from an archive into submissions/
_NO_MOMENT = "no moment in time that could be relied on"
_PEOPLE = "collected.json"  # beside the ledger: whose each submission was by the platform's own mark


class BadSource(ValueError):
    """The source as a whole cannot be read."""


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
    aside: list[tuple[str, str]] = field(default_factory=list)
    late: list[str] = field(default_factory=list)


@dataclass
class _Entry:
    """A regular file of a source. `path` is where it lies on this disk; for one in an archive, None until it has been
    unpacked to a place of ours, from which it may be moved; `member` is its name there. `broken` says why there is
    nothing to be read of it, `large` that it is too large."""

    parts: tuple[str, ...]
    path: Path | None
    ours: bool = False
    broken: str = ""
    large: bool = False
    member: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return "/".join(map(_readable, self.parts))


@dataclass
class _Submission:
    files: list[tuple[tuple[str, ...], _Entry]] = field(default_factory=list)
    stamps: list[_Entry] = field(default_factory=list)  # timestamp.txt files that may be believed
    when: str = ""  # the platform's time, for timestamp.txt
    attempt: str = ""  # of several, told apart by their time
    people: set[tuple[str, str]] = field(default_factory=set)  # (scheme, key): one, or else nobody knows whose it is
    mark: tuple[str, str] = ("", "")  # of that one, for later sources
    notes: set[str] = field(default_factory=set)
    late: bool = False
    budget: Budget = field(default_factory=lambda: Budget(MAX_SUBMISSION, MAX_INSIDE))


@dataclass(frozen=True)
class _Work:
    """What unpacks archives, and a folder of ours for what is on its way."""

    intake: Intake
    folder: Path


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
    given = _given(source, platform)
    entries = _entries(given, folder, done, intake)
    if given.names and platform == FOLDERS:
        platform = ""  # it is one student's by the platform's own mark
    names = Names([entry.parts for entry in entries], assignments, platform, given.packed)
    hint = _named_in(source.name, assignments) or _named_in(given.outer.name, assignments)
    submissions = _sorted_out(entries, names, assignment, hint, done)
    if not submissions and any(why == UNSAID for _, why in done.aside):
        _ask_whose_names_these_are(source, names)
    done.late = sorted({student for (student, _), submission in submissions.items() if submission.late})
    twins = {student for student, _ in submissions} | set(folder.students())
    if dry_run:
        people = _People(folder)
        present = {s: folder.submitted / s for s in folder.students()}
        for (student, name), submission in sorted(submissions.items()):
            if why := people.another(student, name, submission) or _one_folder(folder, student):
                done.aside += [(safe(entry.name), why) for _, entry in submission.files]
                continue
            there = (present.get(student, folder.submitted / student) / name).exists()
            action = "replaced if it differs" if there else "new"
            done.items.append(_item(student, name, action, submission, (), twins))
        return done
    with Ledger(folder.ledger).alone(), private(folder.root):  # whatever the sources' own modes
        _finish_what_was_begun(folder)
        people = _People(folder)
        with tempfile.TemporaryDirectory(dir=folder.root, prefix=_UNPACKED) as unpacked:
            work = _Work(intake, Path(unpacked))
            if given.packed:
                _unpack_source(given.outer, submissions, work)
            for (student, name), submission in sorted(submissions.items()):
                if why := people.another(student, name, submission) or _one_folder(folder, student):
                    done.aside += [(safe(entry.name), why) for _, entry in submission.files]
                    continue
                before = people.replaced(student, name, submission)
                done.items.append(_put(folder, student, name, submission, work, twins, done, before))
                people.keep(student, name, submission)
    return done


def _item(
    student: str, name: str, action: str, submission: _Submission, notes: Sequence[str], students: set[str]
) -> Item:
    remarks = [*notes, *sorted(submission.notes)]
    remarks += [
        f"there is also a student {safe(twin)!r}: the same person?"
        for twin in sorted(students)
        if twin != student and _folded(twin) == _folded(student)
    ]
    return Item(student, name, action, tuple(entry.name for _, entry in submission.files), tuple(remarks))


def _folded(name: str) -> str:
    """What is left of a name where case, ways of composing it, and what cannot be seen make no difference."""
    seen = "".join(c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c) != "Cf")
    return unicodedata.normalize("NFKC", seen.casefold()).rstrip(". ")


# ---------------------------------------------------------------- who handed in, remembered


class _People:
    """Whose each submission was by the mark that the platform (or the instructor's folder) gave to it.

    Two people of one name may come in two downloads, and a name that anybody may take in one that a platform had bound:
    the second must not take the place of the first. What no collection put there is known by its folder's name alone.
    """

    def __init__(self, folder: ClassFolder) -> None:
        self.submitted, self.path, self.marks = folder.submitted, folder.ledger / _PEOPLE, {}
        with contextlib.suppress(OSError, ValueError):
            read = json.loads(self.path.read_bytes())
            self.marks = read if isinstance(read, dict) else {}

    def another(self, student: str, name: str, submission: _Submission) -> str:
        """Why this submission must not replace the one that is there, "" where it may."""
        scheme, key = _composed(submission.mark)
        if not os.path.lexists(self.submitted / student / name):
            return ""
        before, known, _ = self._before(student, name) or (FOLDERS, student, "")
        if (before, known) == (scheme, key):
            return ""
        return (
            f"two people may be {student}: the one that is there is {safe(known)!r} ({safe(before)}), this one is"
            f" {safe(key)!r} ({scheme}). To do: put it into FOLDER/ANOTHER NAME/{name}/ and collect FOLDER"
            f" (the same person? then take submissions/{student}/{name} away first)"
        )

    def replaced(self, student: str, name: str, submission: _Submission) -> str:
        """Whose submission this one takes the place of, and whether that name was written in other characters."""
        before, (_, own) = self._before(student, name), submission.mark
        if before is None:
            return "it took the place of one that was there"
        written = before[-1]
        said = f"it took the place of the one collected as {safe(written)!r}"
        if written == own:
            return said
        return f"{said} ({safe(ascii(written))}), and this one is {safe(own)!r} ({safe(ascii(own))}): the same person?"

    def keep(self, student: str, name: str, submission: _Submission) -> None:
        mark = [*_composed(submission.mark), submission.mark[1]]
        if self.marks.get(f"{student}/{name}") != mark:
            self.marks[f"{student}/{name}"] = mark
            write_atomically(self.path, json.dumps(self.marks, indent=0, sort_keys=True) + "\n")

    def _before(self, student: str, name: str) -> tuple[str, str, str] | None:
        """(scheme, key, the key as it was written in the source), None where nothing was collected."""
        mark = self.marks.get(f"{student}/{name}")
        if not isinstance(mark, list) or len(mark) < 2:
            return None
        return str(mark[0]), str(mark[1]), str(mark[-1])


def _composed(mark: tuple[str, str]) -> tuple[str, str]:
    """A mark in which letters are composed: those that look the same are written in several ways."""
    scheme, key = mark
    return scheme, unicodedata.normalize("NFC", key)


def _one_folder(folder: ClassFolder, student: str) -> str:
    """Why a student's folder cannot be made: on a disk that tells names apart less finely, it is somebody else's."""
    mine = folder.submitted / student
    if not os.path.lexists(mine):
        return ""
    twin = next((s for s in folder.students() if s != student and os.path.samefile(folder.submitted / s, mine)), "")
    if not twin:
        return ""
    return (
        f"{student} and {twin} are one folder on this disk. To do: put this one's into FOLDER/ANOTHER NAME/ASSIGNMENT/"
        " and collect FOLDER"
    )


# ---------------------------------------------------------------- what a source holds


@dataclass(frozen=True)
class _Given:
    """What is to be collected: a folder, a file, or the folder `inside` an archive.

    `names` stand before those of all that is in it: the way down from what a platform named as one student's, to which
    the source belongs; () where it is none. `packed` says that it is read out of an archive.
    """

    outer: Path
    inside: tuple[str, ...]
    names: tuple[str, ...]
    packed: bool


def _given(source: Path, platform: str) -> _Given:
    """What a source is, by its own name and those of the folders that it lies in. Raises BadSource."""
    if not (outer := next((path for path in [source, *source.parents] if path.is_file()), source)).exists():
        raise BadSource(f"{source} does not exist")
    inside = source.relative_to(outer).parts
    archive = outer.is_file() and bool(ARCHIVE.search(outer.name))
    # A file's name is the one that it is given by here, a folder's is not "."
    way = (outer.resolve() if outer.is_dir() else outer.parent.resolve() / outer.name).parts
    own = len(way) - 1
    for at, name in enumerate((*way, *inside)):
        may_be = may_be_one_submission(name) if at >= own and (at > own or archive or outer.is_dir()) else ""
        if is_one_submission(name, at != own or outer.is_dir()) or (may_be and may_be.lower() == platform):
            return _Given(outer, inside, (*way, *inside)[at:], archive and at > own)
        if may_be and not platform:
            raise BadSource(
                f"{safe(name)} is called as {may_be} calls what one student handed in, and may be a class's. To do: if"
                f" it is one student's, {IN_A_FOLDER}; if it is a class's, say which --platform it comes from (folders"
                " where the names in it are yours)"
            )
    return _Given(outer, inside, (), archive)


def _entries(given: _Given, folder: ClassFolder, done: Collected, intake: Intake) -> list[_Entry]:
    """The regular files of a source; what else it holds is put aside. Those of an archive are in its order."""
    outer, inside, names = given.outer, given.inside, given.names
    if outer.is_dir():
        root = outer.resolve()
        if root == folder.submitted or folder.submitted in root.parents:
            raise BadSource(f"{outer} is where submissions are collected to: there is nothing to do")
        entries = [_Entry((*names, *entry.parts), entry.path) for entry in _of_folder(root, done)]
    elif given.packed:
        if _ends_as_another(outer):
            raise BadSource(
                f"{outer.name} does not begin as a zip but ends as one: an archive that a student handed in would be"
                " read in its place. To do: unpack it, and collect the folder"
            )
        entries = _of_archive(outer, done, intake)
    elif outer.suffix.lower() == ".ipynb" or ARCHIVE.search(outer.name):
        entries = [_Entry(names or (outer.name,), outer.resolve())]
    else:
        raise BadSource(f"{outer.name} is neither a folder, a zip, tar or tar.gz archive, nor a notebook")
    if len(entries) > MAX_ENTRIES:
        raise BadSource(f"{outer.name} holds more than {MAX_ENTRIES} files")
    if inside:
        entries = [e for e in entries if e.member[: len(inside)] == inside and len(e.member) > len(inside)]
        if not entries:
            raise BadSource(f"there is no folder {'/'.join(inside)} in {outer.name}")
        for entry in entries:
            entry.parts = (*names, *entry.member[len(inside) :])
    return [entry for entry in entries if not any(_LITTER.fullmatch(part) for part in entry.parts)]


def _ends_as_another(archive: Path) -> bool:
    """Whether what unpacks archives may take one that stands at the end of this one for the whole: a zip is found by
    its last bytes, and a tar keeps those of the files in it."""
    with archive.open("rb") as file:
        begins = file.read(2)
        file.seek(-min(archive.stat().st_size, (1 << 16) + 22), os.SEEK_END)  # with the longest comment
        return begins != b"PK" and b"PK\x05\x06" in file.read()


def _of_folder(root: Path, done: Collected) -> Iterator[_Entry]:
    for below, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if not _aside_if_odd(Path(below) / f, root, done, stat.S_ISDIR))
        for name in sorted(files):
            path = Path(below) / name
            if not _aside_if_odd(path, root, done, stat.S_ISREG):
                yield _Entry(path.relative_to(root).parts, path)


def _aside_if_odd(path: Path, root: Path, done: Collected, wanted: Callable[[int], bool]) -> bool:
    mode = path.lstat().st_mode
    if not wanted(mode):
        kind = "a link" if stat.S_ISLNK(mode) else "no ordinary file"
        done.aside.append((_readable(str(path.relative_to(root))), f"{kind}: never followed"))
        return True
    return False


def _content(path: Path, budget: Budget) -> Iterator[bytes]:
    """The content of a file of the source, which is not followed where it has become a link."""
    try:
        file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    except OSError as error:
        raise Damaged(f"it cannot be read ({error.strerror})") from None
    yield from unpack.chunks(file, budget)


def _readable(name: str) -> str:
    """The name as text: bytes that are no UTF-8 become question marks."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace").replace("\ufffd", "?")


def _of_archive(source: Path, done: Collected, intake: Intake) -> list[_Entry]:
    """The regular files of an archive, by their names alone. Of two with one name the last counts, as unzip does it."""
    entries: dict[tuple[str, ...], _Entry] = {}
    for name, _ in _listed(source, Budget(MAX_UNPACKED, MAX_ENTRIES), intake, done):
        parts = unpack.parts(name)
        if parts is None:
            done.aside.append((safe(name), "its name leads out of the archive"))
            continue
        if parts in entries:
            done.aside.append((safe(name), "there twice in the archive: the last one was taken"))
            del entries[parts]
        entries[parts] = _Entry(parts, None, ours=True, member=parts)
    return list(entries.values())


def _listed(
    source: Path, budget: Budget, intake: Intake, done: Collected | None = None
) -> Iterator[tuple[str, Iterator[bytes]]]:
    """The members of a source that can be read. Raises BadSource."""
    try:
        for member in intake.unpack(source, budget, SOURCE_LIMITS):
            if not member.refused:
                yield member.name, member.chunks
            elif done is not None:
                done.aside.append((safe(member.name), member.refused))
    except (Damaged, TooMuch) as error:
        raise BadSource(f"{source.name}: {error}") from None


def _unpack_source(source: Path, submissions: dict[tuple[str, str], _Submission], work: _Work) -> None:
    """Puts the files that are to be kept, and no others, under numbers into a folder of ours."""
    wanted: dict[tuple[str, ...], tuple[_Entry, Budget]] = {}
    for submission in submissions.values():
        for entry in [*(entry for _, entry in submission.files), *submission.stamps]:
            wanted[entry.member] = entry, submission.budget
    budget = Budget(MAX_UNPACKED, MAX_ENTRIES)
    try:
        _unpack(_listed(source, budget, work.intake), wanted, work.folder, budget)
    except TooMuch as error:
        raise BadSource(f"{source.name}: {error}") from None
    for entry, _ in wanted.values():
        if entry.path is None and not entry.broken:
            raise BadSource(f"{source.name} has changed while it was read")


def _unpack(
    members: Iterator[tuple[str, Iterator[bytes]]],
    wanted: dict[tuple[str, ...], tuple[_Entry, Budget]],
    to: Path,
    budget: Budget,
) -> None:
    """Writes the wanted members below `to`, each within a budget of its own too. Raises TooMuch where that of the
    archive is spent."""
    for name, content in members:
        if (target := wanted.get(unpack.parts(name) or ())) is None:
            continue
        entry, own = target
        if entry.path is not None:  # there twice in the archive
            entry.path.unlink()
            entry.path = None
        own.room -= _fetch(entry, content, to / secrets.token_hex(8), max(0, own.room))
        if budget.room < 0:
            raise TooMuch(entry.broken)


def _fetch(entry: _Entry, content: Iterator[bytes], path: Path, most: int) -> int:
    """Makes a file of ours of an entry; returns its size in bytes. What cannot be read whole leaves none."""
    entry.broken = ""
    try:
        size = unpack.write(content, path, min(MAX_BYTES, most))
    except TooMuch as error:
        entry.broken, entry.large = str(error), True
        return 0
    except Damaged as error:
        entry.broken = str(error)
        return 0
    entry.path, entry.ours = path, True
    return size


# ---------------------------------------------------------------- whose it is, and of which assignment


def _named_in(text: str, assignments: Sequence[str]) -> str:
    """The one assignment whose name stands in the text, "" for none or several."""
    names = [name for name in assignments if name.lower() in text.lower()]
    return names[0] if len(names) == 1 else ""


def _ask_whose_names_these_are(source: Path, names: Names) -> NoReturn:
    """Raises BadSource with what to type, where a student may have chosen all the names that a source has."""
    below, platform = names.asked_for()
    words = [shlex.quote(safe(str(source / below))), *(["--platform", platform] if platform else [])]
    raise BadSource(
        f"no platform that is known gave the names in {safe(source.name)}, so a student may have chosen them. To do: if"
        f" they are yours and bear your students' names, collect {' '.join(words)}; if one student handed it in,"
        f" {IN_A_FOLDER}"
    )


def _sorted_out(
    entries: list[_Entry], names: Names, assignment: str, hint: str, done: Collected
) -> dict[tuple[str, str], _Submission]:
    """(student, assignment) -> submission; what belongs nowhere is put aside. No file is opened."""
    assignments = names.assignments
    placed: list[tuple[_Entry, Place, str]] = []
    for entry in entries:
        place = names.place(entry.parts)
        if isinstance(place, str):
            done.aside.append((safe(entry.name), place))
        elif not (student := student_id(_readable(place.student))):
            why = "no student's name can be made of its folder's: put it into submissions/ under one of yours"
            done.aside.append((safe(entry.name), why))
        elif assignment and place.assignment and place.assignment != assignment:
            done.aside.append((safe(entry.name), f"of {place.assignment}, not of {assignment}"))
        else:
            placed.append((entry, place, student))
    people: dict[str, set[tuple[str, str]]] = {}
    answered: dict[str, set[str]] = {}  # student -> assignments that a file's own name says
    for _, place, student in placed:
        if place.scheme != LOOSE:
            people.setdefault(student, set()).add((place.scheme, place.key))
        if named := place.assignment or _named_in(place.rest[-1], assignments):
            answered.setdefault(student, set()).add(named)
    submissions: dict[tuple[str, str], _Submission] = {}
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
        submission = submissions.setdefault((student, name), _Submission(mark=place.mark))
        submission.people.add((place.scheme, place.key))
        if place.rest == (STAMP,):
            if place.stamped:
                done.aside.append((safe(entry.name), _NO_MOMENT))
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


def student_id(name: str) -> str:
    """A student's name as it stands in folders, pages and the gradebook; "" where nothing is left of it.

    Any letters, marks and emoji of any script stay. Composed, so that one name is one person whichever system wrote
    it; without control characters and those that turn the direction of the text around them; no leading dot, which
    would hide the folder; cut, with a mark of its own, where no database or file system could hold it.
    """
    name = without_controls("".join(" " if c in "\t\r\n/" else c for c in name), "")
    name = unicodedata.normalize("NFC", name)  # only now: what stood between two letters keeps them apart
    name = re.sub(r"^\.+", lambda dots: "_" * len(dots.group()), " ".join(name.split()))
    if len(name) > MAX_NAME or len(name.encode()) > 200:
        mark = hashlib.sha256(name.encode()).hexdigest()[:8]
        name = f"{name[: MAX_NAME - 9].encode()[:190].decode(errors='ignore').strip()}~{mark}"
    return name if re.search(r"[^_\s]", name) else ""


# ---------------------------------------------------------------- into submissions/


def _finish_what_was_begun(folder: ClassFolder) -> None:
    """A collection that was killed between the two steps of a replacement: the submission is put back."""
    for old in folder.submitted.glob(f"*/.*{_OLD}"):
        target = old.with_name(old.name.removesuffix(_OLD)[1:])
        if os.path.lexists(target):
            shutil.rmtree(old)
        else:
            os.rename(old, target)
    for coming in [*folder.submitted.glob(f"*/.*{_NEW}"), *folder.root.glob(f"{_UNPACKED}*")]:
        shutil.rmtree(coming)


def _put(
    folder: ClassFolder,
    student: str,
    name: str,
    submission: _Submission,
    work: _Work,
    students: set[str],
    done: Collected,
    before: str,
) -> Item:
    """Writes the submission beside the place where it belongs and moves it there when it is whole. `before` says what
    it takes the place of, if anything is there."""
    target = folder.submitted / student / name
    for entry in submission.stamps:
        when = _stamp(entry)
        if not when:
            done.aside.append((safe(entry.name), _NO_MOMENT))
        submission.when = submission.when or when
    there = os.path.lexists(target)
    if there and submission.when and (stamp := handed_in_at(target)) and parse_utc(submission.when) < parse_utc(stamp):
        notes = [f"handed in {submission.when}, but one of {stamp} is there"]
        return _item(student, name, "older", submission, notes, students)
    coming = target.with_name(f".{name}{_NEW}")
    coming.mkdir(parents=True)
    try:
        notes = _write(coming, name, submission, work)
        if submission.when:
            write_atomically(coming / STAMP, submission.when + "\n")
        if there and _contents(target) == _contents(coming):
            return _item(student, name, "unchanged", submission, notes, students)
        if there:
            notes.append(before)
            old = target.with_name(f".{name}{_OLD}")
            os.rename(target, old)
        os.rename(coming, target)
        if there:
            old.unlink() if old.is_symlink() or old.is_file() else shutil.rmtree(old)
    finally:
        shutil.rmtree(coming, ignore_errors=True)
        with contextlib.suppress(OSError):  # a student's folder in which nothing could be put
            target.parent.rmdir()
    return _item(student, name, "replaced" if there else "new", submission, notes, students)


def _stamp(entry: _Entry) -> str:
    """The moment in a timestamp.txt of the source, "" where there is none to be read."""
    if entry.path is None:
        return ""
    try:
        return readable_moment(b"".join(_content(entry.path, Budget(200))))
    except (Damaged, TooMuch):
        return ""


def _contents(path: Path) -> dict[str, Any]:
    """Relative name -> digest of every file of a submission; what is no ordinary file is never the same."""
    digests: dict[str, Any] = {}
    for each in [path, *path.rglob("*")]:
        mode = each.lstat().st_mode
        if stat.S_ISREG(mode):
            with each.open("rb") as file:
                digests[str(each.relative_to(path))] = hashlib.file_digest(file, "sha256").digest()
        elif not stat.S_ISDIR(mode):
            digests[str(each.relative_to(path))] = object()
    return digests


def _write(to: Path, assignment: str, submission: _Submission, work: _Work) -> list[str]:
    """Puts a submission's files into a folder; returns what there is to say. Archives are opened where there is no
    notebook beside them; one that cannot be is kept as it is, and its student will be told to hand in the notebook."""
    notes: list[str] = []
    files = submission.files
    if not any(_is_notebook(rest) for rest, _ in files):
        archives = [rest for rest, _ in files if ARCHIVE.search(rest[-1])]
        if len(archives) > MAX_ARCHIVES:
            notes.append(f"{len(archives)} archives, of which the first {MAX_ARCHIVES} were opened")
        some, files = archives[:MAX_ARCHIVES], []
        for rest, entry in submission.files:
            open_it = rest in some or not ARCHIVE.search(rest[-1])
            files += _opened_up(rest, entry, submission.budget, work, notes) if open_it else [(rest, entry)]
    notebooks = [rest for rest, _ in files if _is_notebook(rest)]
    if len(notebooks) == 1 and notebooks[0] != (f"{assignment}.ipynb",):
        notes.append(f"{safe('/'.join(notebooks[0]))} is kept as {assignment}.ipynb")
        files = [((f"{assignment}.ipynb",) if rest == notebooks[0] else rest, entry) for rest, entry in files]
    if len(notebooks) > 1:
        notes.append(f"{len(notebooks)} notebooks, of which one is graded: look which it should be")
    if len(files) > MAX_FILES:
        notes.append(f"{len(files)} files, {MAX_FILES} kept")
    for rest, entry in sorted(files, key=lambda file: not _is_notebook(file[0]))[:MAX_FILES]:
        path = _free(to, rest)
        if path.parent == to and _folded(path.name) == STAMP:  # by another spelling
            notes.append("a timestamp.txt of the student's own was left out")
            continue
        _put_down(entry, path, submission.budget, notes)
    return notes


def _is_notebook(rest: tuple[str, ...]) -> bool:
    return rest[-1].lower().endswith(".ipynb")


def _put_down(entry: _Entry, path: Path, budget: Budget, notes: list[str]) -> None:
    """Moves or copies one file to its place. Of one that is too large or damaged, what could be read is not kept: the
    file is put down so that its student is told, as too large or as damaged."""
    if not entry.broken and not entry.ours and entry.path is not None:
        _fetch(entry, _content(entry.path, budget), path, MAX_BYTES)
    elif not entry.broken and entry.path is not None:
        shutil.move(entry.path, path)
        entry.path = path
    if entry.broken and entry.large:
        notes.append(f"{safe(entry.name)} is larger than is read")
        with path.open("wb") as out:
            out.truncate(MAX_BYTES + 1)  # a hole, which takes no room
    elif entry.broken:
        notes.append(f"{safe(entry.name)} is damaged in the archive ({entry.broken})")
        path.write_bytes(b"damaged in the archive")


def _opened_up(
    rest: tuple[str, ...], entry: _Entry, budget: Budget, work: _Work, notes: list[str]
) -> list[tuple[tuple[str, ...], _Entry]]:
    """The files of an archive that was handed in, or the archive itself where no notebook comes out of it."""
    if not ARCHIVE.search(rest[-1]):
        if _OTHER_ARCHIVE.search(rest[-1]):
            notes.append(f"{safe(rest[-1])} is an archive of a kind that is not opened")
        return [(rest, entry)]
    if entry.path is not None and not entry.ours:
        path = work.folder / secrets.token_hex(8)
        budget.room -= _fetch(entry, _content(entry.path, Budget(MAX_BYTES)), path, budget.room)
    if entry.path is None or entry.broken:
        return [(rest, entry)]
    most = min(max(0, budget.room), max(UNPACKED_ANYWAY, UNPACKED_TIMES * entry.path.stat().st_size))
    try:
        inner = _inside_archive(entry.path, Budget(most, budget.members), rest[-1], notes, work.intake)
        if not any(_is_notebook(parts) for parts in inner):
            notes.append(f"there is no notebook in {safe(rest[-1])}")
            return [(rest, entry)]
        kept = sorted(inner, key=lambda parts: not _is_notebook(parts))[: MAX_FILES + 1]
        wanted = {parts: (_Entry(parts, None, ours=True), Budget(MAX_BYTES)) for parts in kept}
        spent = Budget(most, budget.members)
        with contextlib.ExitStack() as undo:
            undo.callback(_remove, wanted)
            members = work.intake.unpack(entry.path, spent)
            read = ((member.name, member.chunks) for member in members if not member.refused)
            _unpack(read, wanted, work.folder, spent)
            undo.pop_all()
    except (Damaged, TooMuch) as error:
        notes.append(f"{safe(rest[-1])} could not be opened: {error}")
        return [(rest, entry)]
    budget.room, budget.members = budget.room - (most - spent.room), spent.members
    entry.path.unlink()
    notes.append(f"{safe(rest[-1])} was unpacked")
    return [(parts, unpacked) for parts, (unpacked, _) in wanted.items()]


def _inside_archive(path: Path, budget: Budget, name: str, notes: list[str], intake: Intake) -> list[tuple[str, ...]]:
    """The names of what can be read in an archive, each once. Raises Damaged and TooMuch."""
    aside, names = [], {}
    for member in intake.unpack(path, budget):
        parts = unpack.parts(member.name)
        why = member.refused or ("its name leads out of the archive" if parts is None else "")
        if parts in names:
            why = "there twice in the archive: the last one was taken"
        if why:
            aside.append(f"in {safe(name)}, {safe(member.name)}: {why}")
        if parts and not member.refused and not any(_LITTER.fullmatch(part) for part in parts):
            names[parts] = True
    notes += aside[:5]
    return list(names)


def _remove(wanted: dict[tuple[str, ...], tuple[_Entry, Budget]]) -> None:
    for entry, _ in wanted.values():
        if entry.path is not None:
            entry.path.unlink(missing_ok=True)


def _free(to: Path, rest: tuple[str, ...]) -> Path:
    """A path below `to` for a file of this name that nothing else has; made of names that are ours."""
    folders = [student_id(part) or "_" for part in rest[:-1]][-5:]
    stem, dot, suffix = (student_id(rest[-1]) or "_").rpartition(".")
    path, number = to.joinpath(*folders, f"{stem}{dot}{suffix}"), 1
    while os.path.lexists(path) or any(parent.is_file() for parent in path.parents if parent != to):
        number += 1
        path = to / f"{stem} ({number}){dot}{suffix}"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
