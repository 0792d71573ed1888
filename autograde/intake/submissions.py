"""One submission's way into submissions/: written beside its place, and moved there in one step.

Its names, its contents and the archives in it are the student's, and hostile. A name of ours is made of each; archives
are opened in a jail (`intake.Intake.unpack`), within a budget, and what is in them decides nothing but which file is
the notebook. A submission without one is put down as it is, so that its student is told why it could not be graded.

What was there stays until the new one is whole. Who calls this holds the ledger's lock, and has a collection that was
killed finished first (`finish_what_was_begun`).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import shutil
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from autograde import moments
from autograde.files import make_folder, write_atomically
from autograde.folders import ClassFolder
from autograde.intake import provenance, unpack
from autograde.intake.intake import Intake
from autograde.intake.parse import MAX_BYTES, Contents
from autograde.intake.people import folded, student_id
from autograde.intake.provenance import PROVENANCE, Provenance
from autograde.intake.received import STAMP, handed_in_at, readable_moment, receive
from autograde.intake.sources import Entry, Wanted, Work, content_of, fetch, is_litter, take_out
from autograde.intake.unpack import Budget, Damaged, TooMuch
from autograde.intake.whose import ARCHIVE, safe
from course.wording import counted, listed

MAX_INSIDE = 2_000  # files of an archive that a student handed in
MAX_FILES = 200  # files kept of one submission
MAX_ARCHIVES = 5  # opened of one submission: each may take its time
MAX_SUBMISSION = 512 << 20  # bytes of one submission
UNPACKED_TIMES = 100  # how many times its own size an archive may unpack to; text seldom shrinks to a thirtieth
UNPACKED_ANYWAY = 32 << 20  # bytes that it may unpack to however small it is
UNPACKED = ".collecting-"  # folders of files on their way from an archive into submissions/
NO_MOMENT = "no moment in time that could be relied on"

_OTHER_ARCHIVE = re.compile(r"\.(7z|rar|gz|bz2|xz|zst)$", re.IGNORECASE)
_OLD, _NEW = ".replaced", ".coming"  # of the two steps of a replacement, hidden from the grader


@dataclass
class Submission:
    """What one student handed in for one assignment: files, each after what of its name is the student's own, and what
    is known of them. All its archives share its `budget`."""

    files: list[tuple[tuple[str, ...], Entry]] = field(default_factory=list)
    stamps: list[Entry] = field(default_factory=list)  # timestamp.txt files that may be believed
    when: str = ""  # the platform's time, for timestamp.txt
    people: set[tuple[str, str]] = field(default_factory=set)  # (scheme, key): one, or else nobody knows whose it is
    mark: tuple[str, str] = ("", "")  # of that one, for later sources
    notes: set[str] = field(default_factory=set)
    late: bool = False
    outer: str = ""  # the name that the platform gave
    together: tuple[str, ...] = ()  # all students whose it is, where a group handed it in
    keys: dict[str, str] = field(default_factory=dict)  # of each of these
    earlier: list[Submission] = field(default_factory=list)  # attempts before this one
    budget: Budget = field(default_factory=lambda: Budget(MAX_SUBMISSION, MAX_INSIDE))

    def wanted(self) -> Wanted:
        """What is to be unpacked of its source's archive."""
        own = {entry.member: (entry, self.budget) for entry in [*(entry for _, entry in self.files), *self.stamps]}
        return own | {name: file for each in self.earlier for name, file in each.wanted().items()}

    def shared(self) -> Submission:
        """The same for another of the group. From now on neither takes the unpacked files away from the other."""
        for _, entry in self.files:
            entry.ours = False
        copies = [(rest, replace(entry)) for rest, entry in self.files]
        budget = Budget(self.budget.room, self.budget.members)
        return replace(
            self, files=copies, notes=set(self.notes), earlier=[each.shared() for each in self.earlier], budget=budget
        )


def finish_what_was_begun(folder: ClassFolder) -> None:
    """A collection that was killed between the two steps of a replacement: the submission is put back."""
    for old in folder.submitted.glob(f"*/.*{_OLD}"):
        target = old.with_name(old.name.removesuffix(_OLD)[1:])
        if os.path.lexists(target):
            _keep(old, folder.earlier / target.parent.name / target.name)
        else:
            os.rename(old, target)
    half = [*folder.submitted.glob(f"*/.*{_NEW}"), *folder.earlier.glob(f"*/*/.*{_NEW}")]
    for coming in [*half, *folder.root.glob(f"{UNPACKED}*")]:
        shutil.rmtree(coming)


@dataclass(frozen=True)
class Put:
    """What became of a submission: new, replaced, unchanged, older, or "" where it was put aside; and what there is to
    say of it."""

    action: str
    notes: list[str]


def put(target: Path, submission: Submission, work: Work, before: str, come: Provenance, keep: Path) -> Put:
    """Writes the submission beside `target`, where it belongs, and moves it there when it is whole. `before` says what
    it takes the place of, if anything is there, which goes to `keep` with the attempts before.

    Raises OSError where the disk refuses.
    """
    name = target.name
    _take_stamps(submission, work)
    for attempt in submission.earlier:
        _put_earlier(attempt, name, work, come, keep)
    if newer := _newer(target, submission.when):
        return Put("older", [f"handed in {submission.when}, but one of {newer} is there"])
    coming = target.with_name(f".{name}{_NEW}")
    coming.mkdir(parents=True)
    try:
        notes = _write(coming, name, submission, work)
        if other := work.chapters.another(coming, name):
            why = f"its cells are those of {other}, not of {name}. To do: collect it with --assignment {other}"
            work.aside.extend((safe(entry.name), why) for _, entry in submission.files)
            return Put("", [])
        if submission.when:
            write_atomically(coming / STAMP, submission.when + "\n")
        if not os.path.lexists(target):
            provenance.write(coming, come)
            os.rename(coming, target)
            return Put("new", notes)
        now, new = _contents(target), _contents(coming)
        by_hand = not submission.when and bool(now.pop(STAMP, None))  # the platform named no moment
        first = STAMP not in now and bool(new.pop(STAMP, None))  # of what came without: it is the same submission
        if now == new:
            return Put("unchanged", notes + _came_again(target, submission.when if first else "", come))
        provenance.write(coming, come)
        _replace(target, coming, keep)
        notes.append(before)
        if by_hand:
            notes.append(f"the {STAMP} beside that one went with it to earlier/: give the new one its own")
        return Put("replaced", notes)
    finally:
        shutil.rmtree(coming, ignore_errors=True)
        with contextlib.suppress(OSError):  # a student's folder in which nothing could be put
            target.parent.rmdir()


def _take_stamps(submission: Submission, work: Work) -> None:
    """Where the platform names no moment, that of a timestamp.txt which may be believed counts."""
    for entry in submission.stamps:
        when = _stamp(entry)
        if not when:
            work.aside.append((safe(entry.name), NO_MOMENT))
        submission.when = submission.when or when


def _newer(target: Path, when: str) -> str:
    """The moment of the submission that is there, where it came later than this; else ""."""
    stamp = handed_in_at(target)
    moment, there = moments.read(when), moments.read(stamp)
    return stamp if moment and there and moment < there else ""


def _came_again(target: Path, when: str, come: Provenance) -> list[str]:
    """The same submission as is there: `when` is its moment, where that was not known before; what there is to say."""
    kept = provenance.read(target)
    if when:
        write_atomically(target / STAMP, when + "\n")
    if not kept or when or (come.late and not kept.get("late")):  # a mark that came since counts
        provenance.write(target, come)
    return [f"it is known now when it came: {when}"] if when else []


def _replace(target: Path, coming: Path, keep: Path) -> None:
    """Puts one submission in another's place. Where that cannot be, or is interrupted, the other stays there."""
    old = target.with_name(f".{target.name}{_OLD}")
    try:
        os.rename(target, old)
        os.rename(coming, target)
    except BaseException:
        if not os.path.lexists(target):
            os.rename(old, target)
        raise
    _keep(old, keep)


def _put_earlier(attempt: Submission, name: str, work: Work, come: Provenance, keep: Path) -> None:
    """Keeps an attempt before the one that counts."""
    coming = keep / f".{name}{_NEW}"
    make_folder(keep)
    coming.mkdir()
    try:
        _write(coming, name, attempt, work)
        if attempt.when:
            write_atomically(coming / STAMP, attempt.when + "\n")
        members = tuple(entry.name for _, entry in attempt.files)
        own = replace(come, member=members, name=attempt.outer, handed_in=attempt.when, late=attempt.late)
        provenance.write(coming, own)
        _keep(coming, keep)
    finally:
        shutil.rmtree(coming, ignore_errors=True)


def _keep(old: Path, keep: Path) -> None:
    """Moves a submission that does not count any more to where such are kept, by its moment, each content once."""
    if old.is_symlink() or not old.is_dir():
        old.unlink()
        return
    contents = _contents(old)
    if any(not other.name.startswith(".") and _contents(other) == contents for other in keep.glob("*")):
        shutil.rmtree(old)
        return
    make_folder(keep)
    moment = handed_in_at(old) or str(provenance.read(old).get("collected", ""))
    label = re.sub(r"[^0-9A-Za-z]+", "-", moment)[:30].strip("-") or "before"
    path, number = keep / label, 1
    while os.path.lexists(path):
        number += 1
        path = keep / f"{label} ({number})"
    os.rename(old, path)


def _stamp(entry: Entry) -> str:
    """The moment in a timestamp.txt of the source, "" where there is none to be read."""
    if entry.path is None:
        return ""
    try:
        return readable_moment(b"".join(content_of(entry.path, Budget(200))))
    except (Damaged, TooMuch):
        return ""


def _contents(path: Path) -> dict[str, Any]:
    """Relative name -> digest of every file that was handed in; what is no ordinary file is never the same."""
    digests: dict[str, Any] = {}
    for each in [path, *(each for each in path.rglob("*") if each != path / PROVENANCE)]:
        mode = each.lstat().st_mode
        if stat.S_ISREG(mode):
            with each.open("rb") as file:
                digests[str(each.relative_to(path))] = hashlib.file_digest(file, "sha256").digest()
        elif not stat.S_ISDIR(mode):
            digests[str(each.relative_to(path))] = object()
    return digests


# ---------------------------------------------------------------- what is written


def _write(to: Path, assignment: str, submission: Submission, work: Work) -> list[str]:
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
    if len(files) > MAX_FILES:
        notes.append(f"{len(files)} files, {MAX_FILES} kept")
    for rest, entry in sorted(files, key=lambda file: not _is_notebook(file[0]))[:MAX_FILES]:
        path = _free(to, rest)
        if path.parent == to and folded(path.name) in (STAMP, PROVENANCE):  # by another spelling
            notes.append(f"a {folded(path.name)} of the student's own was left out")
            continue
        _put_down(entry, path, submission.budget, notes)
    if len(notebooks) > 1:
        notes.append(_which_of_several(to, assignment))
    return notes


def _which_of_several(folder: Path, assignment: str) -> str:
    """Which notebook of a submission is the one that is graded, or why none is."""
    seen = receive(folder, assignment, lambda data: Contents(None))
    every = sorted(safe(str(path.relative_to(folder))) for path in folder.rglob("*") if _is_notebook(path.parts))
    if not seen.name:
        return f"{listed(every, 5)} are kept, and none of them can be graded: {seen.reason_for_instructor}"
    others = listed([name for name in every if name != seen.name], 5)
    return (
        f"{counted(len(every), 'notebook')}: {seen.name} is graded, {others} only kept. Should it be another? Then take"
        f" {seen.name} out of submissions/"
    )


def _is_notebook(rest: Sequence[str]) -> bool:
    return rest[-1].lower().endswith(".ipynb")


def _put_down(entry: Entry, path: Path, budget: Budget, notes: list[str]) -> None:
    """Moves or copies one file to its place. Of one that is too large or damaged, what could be read is not kept: the
    file is put down so that its student is told, as too large or as damaged."""
    if not entry.broken and not entry.ours and entry.path is not None:
        fetch(entry, content_of(entry.path, budget), path, MAX_BYTES)
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


def _free(to: Path, rest: tuple[str, ...]) -> Path:
    """A path below `to` for a file of this name that nothing else has; made of names that are ours. A long name is cut
    before its ending, which says what it is."""
    folders = [student_id(part) or "_" for part in rest[:-1]][-5:]
    if folders and folded(folders[0]) in (STAMP, PROVENANCE):  # a folder in its place, and ours could not be written
        folders[0] = f"_{folders[0]}"
    ending = re.search(r"\.[0-9A-Za-z]{1,9}$", rest[-1])
    suffix = ending[0] if ending else ""
    stem = student_id(rest[-1].removesuffix(suffix)) or "_"
    path, number = to.joinpath(*folders, f"{stem}{suffix}"), 1
    while os.path.lexists(path) or any(parent.is_file() for parent in path.parents if parent != to):
        number += 1
        path = to / f"{stem} ({number}){suffix}"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


# ---------------------------------------------------------------- a student's own archives


def _opened_up(
    rest: tuple[str, ...], entry: Entry, budget: Budget, work: Work, notes: list[str]
) -> list[tuple[tuple[str, ...], Entry]]:
    """The files of an archive that was handed in, or the archive itself where no notebook comes out of it."""
    if not ARCHIVE.search(rest[-1]):
        if _OTHER_ARCHIVE.search(rest[-1]):
            notes.append(f"{safe(rest[-1])} is an archive of a kind that is not opened")
        return [(rest, entry)]
    if entry.path is not None and not entry.ours:
        path = work.folder / secrets.token_hex(8)
        budget.room -= fetch(entry, content_of(entry.path, Budget(MAX_BYTES)), path, budget.room)
    if entry.path is None or entry.broken:
        return [(rest, entry)]
    most = min(max(0, budget.room), max(UNPACKED_ANYWAY, UNPACKED_TIMES * entry.path.stat().st_size))
    try:
        inner = _inside_archive(entry.path, Budget(most, budget.members), rest[-1], notes, work.intake)
        if not any(_is_notebook(parts) for parts in inner):
            notes.append(f"there is no notebook in {safe(rest[-1])}")
            return [(rest, entry)]
        kept = sorted(inner, key=lambda parts: not _is_notebook(parts))[: MAX_FILES + 1]
        wanted: Wanted = {parts: (Entry(parts, None, ours=True), Budget(MAX_BYTES)) for parts in kept}
        spent = Budget(most, budget.members)
        with contextlib.ExitStack() as undo:
            undo.callback(_remove, wanted)
            members = work.intake.unpack(entry.path, spent)
            read = ((member.name, member.chunks) for member in members if not member.refused)
            take_out(read, wanted, work.folder, spent)
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
        if parts and not member.refused and not is_litter(parts):
            names[parts] = True
    notes += aside[:5]
    return list(names)


def _remove(wanted: Wanted) -> None:
    for entry, _ in wanted.values():
        if entry.path is not None:
            entry.path.unlink(missing_ok=True)
