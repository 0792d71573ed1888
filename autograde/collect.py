"""`autograde collect`: what came back from students, out of an archive or a folder, into class/submitted/.

Everything in a source is hostile data. A name in it is only ever read, to tell whose file it is; no path of a source
becomes a path of ours, nothing is followed or run, and sizes and counts are capped. Nothing is dropped without a word:
what is no hand-in comes back with a reason, and a hand-in that holds no notebook is put down as it is, so that its
student is told why it could not be graded.

Whose it is, and of which assignment, is told from the layouts in `_place`. A hand-in is replaced as a whole, in one
step, while no run is grading; the same content changes nothing, and one with an older timestamp never replaces a newer.
"""

from __future__ import annotations

import contextlib
import errno
import gzip
import hashlib
import os
import re
import shutil
import stat
import tarfile
import tempfile
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import IO, Any

from nbgrader.utils import parse_utc

from autograde.folders import ClassFolder, write_atomically
from autograde.ledger import Ledger
from autograde.quarantine import MAX_BYTES, STAMP, handed_in_at, readable_moment

MAX_ENTRIES = 200_000  # files of a source; a class of thousands has tens of thousands
MAX_INSIDE = 2_000  # files of an archive that a student handed in
MAX_FILES = 200  # files kept of one hand-in
MAX_HAND_IN = 1 << 30  # bytes of one hand-in
MAX_UNPACKED = 64 << 30  # bytes that a source's .gz may unpack to
MAX_NAME = 100  # characters of a student's name; nbgrader's database holds 128

_ARCHIVE = re.compile(r"\.(zip|tar|tar\.gz|tgz)$", re.IGNORECASE)
_OTHER_ARCHIVE = re.compile(r"\.(7z|rar|gz|bz2|xz|zst)$", re.IGNORECASE)
_LITTER = re.compile(r"\._.*|\.DS_Store|\.git|\.ipynb_checkpoints|__MACOSX|__pycache__|Thumbs\.db|desktop\.ini")
# what the readers of archives raise for damaged, encrypted and unknown content
_DAMAGED = (zipfile.BadZipFile, tarfile.TarError, OSError, EOFError, zlib.error, RuntimeError, NotImplementedError)
_FULL = (errno.ENOSPC, errno.EDQUOT)  # no fault of what is read: a full disk must not make a whole file a damaged one
_OLD, _NEW = ".replaced", ".coming"  # of the two steps of a replacement, hidden from the grader


class BadSource(ValueError):
    """The source as a whole cannot be read."""


@dataclass(frozen=True)
class Item:
    """One hand-in. `action` is new, replaced, unchanged or older (left alone: a newer one is there); where nothing was
    read, "replaced if it differs" for the last three.

    `files` are its names as in the source, `notes` what the instructor should know of it.
    """

    student: str
    assignment: str
    action: str
    files: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass
class Collected:
    """What a collection did, or with `dry_run` would do. `aside` are (file, why it is no hand-in), `late` the students
    whose file says that it came late without saying when.
    """

    items: list[Item] = field(default_factory=list)
    aside: list[tuple[str, str]] = field(default_factory=list)
    late: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Entry:
    """A regular file of a source: its name's parts, and how to open it."""

    parts: tuple[str, ...]
    open: Callable[[], IO[bytes]]

    @property
    def name(self) -> str:
        return "/".join(self.parts)


@dataclass(frozen=True)
class _Place:
    """Where a file belongs. `key` tells apart two people of one name; `stamped` says that the layout's own times
    count, and none that a student may have put into a file."""

    student: str
    rest: tuple[str, ...]
    assignment: str = ""
    key: str = ""
    when: str = ""
    late: bool = False
    stamped: bool = False


@dataclass
class _HandIn:
    files: list[tuple[tuple[str, ...], _Entry]] = field(default_factory=list)
    when: str = ""  # for timestamp.txt
    attempt: str = ""  # of several, told apart by their time


def collect(folder: ClassFolder, source: Path, assignment: str = "", *, dry_run: bool = False) -> Collected:
    """Puts the hand-ins of a source into submitted/. `assignment` is which they are, where the source does not say.

    Raises BadSource where the source cannot be read at all, and LedgerBusy while a run is grading this class.
    """
    known, done = folder.assignments(), Collected()
    with contextlib.ExitStack() as stack:
        entries = list(_entries(source, folder, stack, done))
        hand_ins = _sorted_out(entries, known, assignment, _named_in(source.name, known), done)
        if dry_run:
            present = {s: folder.submitted / s for s in folder.students()}
            for (student, name), hand_in in sorted(hand_ins.items()):
                there = (present.get(student, folder.submitted / student) / name).exists()
                action = "replaced if it differs" if there else "new"
                done.items.append(_item(folder, student, name, action, hand_in, ()))
            return done
        stack.enter_context(Ledger(folder.ledger).alone())
        _finish_what_was_begun(folder)
        for (student, name), hand_in in sorted(hand_ins.items()):
            done.items.append(_put(folder, student, name, hand_in))
    return done


def _item(folder: ClassFolder, student: str, name: str, action: str, hand_in: _HandIn, notes: Sequence[str]) -> Item:
    twin = next((s for s in folder.students() if s != student and _folded(s) == _folded(student)), None)
    told = [*notes, f"there is also a student {twin!r}: the same person?"] if twin else list(notes)
    return Item(student, name, action, tuple(entry.name for _, entry in hand_in.files), tuple(told))


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


# ---------------------------------------------------------------- what a source holds


def _entries(source: Path, folder: ClassFolder, stack: contextlib.ExitStack, done: Collected) -> Iterator[_Entry]:
    """The regular files of a source; what else it holds is put aside."""
    if not source.exists():
        raise BadSource(f"{source} does not exist")
    if source.is_dir():
        if source.resolve() == folder.submitted or folder.submitted in source.resolve().parents:
            raise BadSource(f"{source} is where hand-ins are collected to: there is nothing to do")
        found = _of_folder(source.resolve(), done)
    elif _ARCHIVE.search(source.name):
        found = _of_archive(stack.enter_context(source.open("rb")), source.name, stack, done, MAX_UNPACKED, MAX_ENTRIES)
    elif source.suffix.lower() == ".ipynb":
        found = iter([_Entry((source.name,), partial(_opened, source.resolve()))])
    else:
        raise BadSource(f"{source.name} is neither a folder, a zip, tar or tar.gz archive, nor a notebook")
    for count, entry in enumerate(found):
        if count >= MAX_ENTRIES:
            raise BadSource(f"{source.name} holds more than {MAX_ENTRIES} files")
        if not any(_LITTER.fullmatch(part) for part in entry.parts):
            yield entry


def _of_folder(root: Path, done: Collected) -> Iterator[_Entry]:
    for below, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if not _aside_if_odd(Path(below) / f, root, done, stat.S_ISDIR))
        for name in sorted(files):
            path = Path(below) / name
            if not _aside_if_odd(path, root, done, stat.S_ISREG):
                parts = tuple(_readable(part) for part in path.relative_to(root).parts)
                yield _Entry(parts, partial(_opened, path))


def _aside_if_odd(path: Path, root: Path, done: Collected, wanted: Callable[[int], bool]) -> bool:
    mode = path.lstat().st_mode
    if not wanted(mode):
        kind = "a link" if stat.S_ISLNK(mode) else "no ordinary file"
        done.aside.append((_readable(str(path.relative_to(root))), f"{kind}: never followed"))
        return True
    return False


def _opened(path: Path) -> IO[bytes]:
    return os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb")


def _readable(name: str) -> str:
    """The name as text: bytes that are no UTF-8 become question marks."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace").replace("\ufffd", "?")


def _of_archive(
    file: IO[bytes], name: str, stack: contextlib.ExitStack, done: Collected, room: int, most: int
) -> Iterator[_Entry]:
    """The regular files of a zip or tar, by what it is rather than by its name. Raises BadSource."""
    try:
        if zipfile.is_zipfile(file):
            yield from _of_zip(file, name, stack, done, most)
        else:
            yield from _of_tar(_gunzipped(file, name, stack, room), name, stack, done, most)
    except _DAMAGED as error:
        _unless_full(error, Path(tempfile.gettempdir()))
        raise BadSource(f"{name} is damaged, or no archive of a known kind ({_plain(error)})") from None
    except (ValueError, OverflowError, MemoryError) as error:
        raise error if isinstance(error, BadSource) else BadSource(f"{name} is damaged ({_plain(error)})") from None


def _plain(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error)[:100]}"


def _of_zip(file: IO[bytes], archive: str, stack: contextlib.ExitStack, done: Collected, most: int) -> Iterator[_Entry]:
    if _promised(file) > most:  # before zipfile makes an object of each
        raise BadSource(f"{archive} holds more than {most} files")
    opened = stack.enter_context(zipfile.ZipFile(file))
    last = {info.filename: info for info in opened.infolist()}  # of two with one name, as unzip takes them
    for info in opened.infolist():
        kind = stat.S_IFMT(info.external_attr >> 16)
        name = info.filename if info.flag_bits & 0x800 else _utf8_after_all(info.filename)
        if info.is_dir() or name.endswith("\\"):
            continue
        if info is not last[info.filename]:
            done.aside.append((_shown(name), "there twice in the archive: the last one was taken"))
        elif info.flag_bits & 1:
            done.aside.append((_shown(name), "encrypted with a password"))
        elif kind not in (0, stat.S_IFREG):
            done.aside.append((_shown(name), "a link or no ordinary file: never followed"))
        elif (parts := _parts(name)) is None:
            done.aside.append((_shown(name), "its name leads out of the archive"))
        else:
            yield _Entry(parts, partial(opened.open, info))


def _promised(file: IO[bytes]) -> int:
    """How many entries a zip's directory can hold at most, counted by their marks."""
    file.seek(0)
    count, tail = 0, b""
    while block := file.read(1 << 20):
        count += (tail + block).count(b"PK\x01\x02")
        tail = block[-3:]
    file.seek(0)
    return count


def _utf8_after_all(name: str) -> str:
    """Names that were written as UTF-8 without saying so, as a Mac's own archiver does."""
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        return name


def _gunzipped(file: IO[bytes], name: str, stack: contextlib.ExitStack, room: int) -> IO[bytes]:
    """A tar.gz as the tar in a file of its own, in which one can move about; anything else as it is."""
    file.seek(0)
    if file.read(2) != b"\x1f\x8b":
        file.seek(0)
        return file
    file.seek(0)
    unpacked: IO[bytes] = stack.enter_context(tempfile.TemporaryFile())
    with gzip.GzipFile(fileobj=file) as packed:
        while block := packed.read(1 << 20):
            room -= len(block)
            if room < 0:
                raise BadSource(f"{name} unpacks to more than is read")
            unpacked.write(block)
    unpacked.seek(0)
    return unpacked


def _of_tar(file: IO[bytes], archive: str, stack: contextlib.ExitStack, done: Collected, most: int) -> Iterator[_Entry]:
    opened = stack.enter_context(tarfile.open(fileobj=file, mode="r:"))
    members: dict[str, tarfile.TarInfo] = {}
    for count, member in enumerate(opened):
        if count >= most:
            raise BadSource(f"{archive} holds more than {most} files")
        name = _readable(member.name)
        if member.isdir():
            continue
        if not member.isreg():
            done.aside.append((_shown(name), "a link or no ordinary file: never followed"))
            continue
        if name in members:
            done.aside.append((_shown(name), "there twice in the archive: the last one was taken"))
        members[name] = member
    for name, member in members.items():
        if (parts := _parts(name)) is None:
            done.aside.append((_shown(name), "its name leads out of the archive"))
        else:
            yield _Entry(parts, partial(opened.extractfile, member))  # type: ignore[arg-type]  # never None for a file


def _parts(name: str) -> tuple[str, ...] | None:
    """A name's parts; None for one that leads out of its archive. Some archivers write \\ for /."""
    name = name if "/" in name else name.replace("\\", "/")
    parts = tuple(part for part in name.split("/") if part not in ("", "."))
    bad = name.startswith("/") or ".." in parts or not parts or re.match(r"[A-Za-z]:($|[\\/])", name)
    return None if bad else parts


def _shown(name: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", "?", name)[:200]


# ---------------------------------------------------------------- whose it is, and of which assignment

# The names that learning platforms give to what they let you download:
# Moodle: "Ada Lovelace_1234_assignsubmission_file_/02-bahdanau.ipynb", or without folders "..._file_02-bahdanau.ipynb";
#   the number is another one in every assignment
_MOODLE = re.compile(r"(?P<who>.+)_(?P<id>\d+)_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>.*))?")
# Canvas: "lovelaceada_1234_56789_02-bahdanau.ipynb", with LATE_ after the name of one that is; 1234 is the person
_CANVAS = re.compile(r"(?P<who>[^_]+)_(?P<late>LATE_)?(?P<id>\d+)_\d+_(?P<file>.+)")
# Blackboard: "Homework 2_ada_attempt_2026-01-30-15-00-00_02-bahdanau.ipynb", and a .txt about the attempt
_BLACKBOARD = re.compile(r".*_(?P<who>[^_]+)_attempt_(?P<when>\d{4}(?:-\d\d){5})(?:_(?P<file>.+)|\.txt)")


def _place(parts: tuple[str, ...], known: Sequence[str]) -> _Place | str:
    """Where a file belongs, or a sentence on why nobody can say.

    Beside the platforms' names: <student>/<assignment>/..., <assignment>/<student>/..., <student>/..., and a file
    whose own name is the student's (with or without the assignment's in it).
    """
    first, rest = parts[0], parts[1:]
    if moodle := _MOODLE.fullmatch(first):
        who, number, kind, file = moodle["who"], moodle["id"], moodle["kind"], moodle["file"]
        if kind != "file":
            return f"Moodle's {kind}, not a file that was handed in"
        if rest or file:
            return _Place(who, rest or (file,), key=number, stamped=True)
    if not rest and (canvas := _CANVAS.fullmatch(first)):
        who = f"{canvas['who']}_{canvas['id']}"
        return _Place(who, (canvas["file"],), late=bool(canvas["late"]), stamped=True)
    if not rest and (blackboard := _BLACKBOARD.fullmatch(first)):
        if not blackboard["file"]:
            return "Blackboard's own note on a hand-in"
        day, hour = blackboard["when"][:10], blackboard["when"][11:].replace("-", ":")
        return _Place(blackboard["who"], (blackboard["file"],), when=f"{day} {hour}", stamped=True)
    assignment = ""
    at = next((i for i, part in enumerate(parts[:-1]) if part in known), None)
    if at:
        return _Place(parts[at - 1], parts[at + 1 :], parts[at])
    if at == 0:
        assignment, parts = parts[0], parts[1:]
    if len(parts) > 1:
        return _Place(parts[0], parts[1:], assignment)
    if not parts[0].lower().endswith(".ipynb") and not _ARCHIVE.search(parts[0]):
        return "neither a notebook nor an archive, and in no student's folder"
    student = _ARCHIVE.sub("", re.sub(r"\.ipynb$", "", parts[0], flags=re.IGNORECASE))
    for name in known:
        student = re.sub(rf"[\s_-]*{re.escape(name)}[\s_-]*", "", student, flags=re.IGNORECASE)
    if not re.sub(r"\(\d+\)|[\s\d_-]", "", student):
        return "its name does not say whose it is: put it into a folder of the student's name"
    return _Place(student, parts, assignment)


def _unwrapped(entries: list[_Entry], known: Sequence[str]) -> list[_Entry]:
    """The entries without a folder that only wraps all of them, such as "submissions/"."""
    while entries and len({entry.parts[0] for entry in entries}) == 1:
        inner = [entry.parts[1:] for entry in entries]
        if not all(inner) or any(set(entry.parts[:-1]) & set(known) for entry in entries):
            break
        platform = any(p.fullmatch(parts[0]) for parts in inner for p in (_MOODLE, _CANVAS, _BLACKBOARD))
        loose = [parts[0] for parts in inner if len(parts) == 1 and not parts[0] == STAMP]
        many = len(loose) > 1 and all(n.lower().endswith(".ipynb") and not _named_in(n, known) for n in loose)
        if _MOODLE.fullmatch(entries[0].parts[0]) or not (platform or many or not loose):
            break
        entries = [replace(entry, parts=parts) for entry, parts in zip(entries, inner, strict=True)]
    return entries


def _named_in(text: str, known: Sequence[str]) -> str:
    """The one assignment whose name stands in the text, "" for none or several."""
    found = [name for name in known if name.lower() in text.lower()]
    return found[0] if len(found) == 1 else ""


def _sorted_out(
    entries: list[_Entry], known: Sequence[str], assignment: str, hint: str, done: Collected
) -> dict[tuple[str, str], _HandIn]:
    """(student, assignment) -> hand-in; what belongs nowhere is put aside."""
    placed: list[tuple[_Entry, _Place]] = []
    for entry in _unwrapped(entries, known):
        place = _place(entry.parts, known)
        if isinstance(place, str):
            done.aside.append((_shown(entry.name), place))
        elif not (student := student_id(place.student)):
            why = "no student's name can be made of its folder's: put it into submitted/ under one of yours"
            done.aside.append((_shown(entry.name), why))
        elif assignment and place.assignment and place.assignment != assignment:
            done.aside.append((_shown(entry.name), f"of {place.assignment}, not of {assignment}"))
        else:
            place = replace(place, student=student, key=place.key or place.student)
            placed.append((entry, place))
    people: dict[str, set[str]] = {}
    answered: dict[str, set[str]] = {}  # student -> assignments that a file's own name says
    for _, place in placed:
        people.setdefault(place.student, set()).add(unicodedata.normalize("NFC", place.key))
        if told := place.assignment or _named_in(place.rest[-1], known):
            answered.setdefault(place.student, set()).add(told)
    found: dict[tuple[str, str], _HandIn] = {}
    for entry, place in placed:
        if len(people[place.student]) > 1:
            told = ", ".join(sorted(map(_shown, people[place.student])))
            why = f"two people would be {place.student} ({told}): put their files into submitted/ under names of yours"
            done.aside.append((_shown(entry.name), why))
            continue
        only = answered.get(place.student, set())
        name = place.assignment or assignment or _named_in(place.rest[-1], known)
        name = name or (next(iter(only)) if len(only) == 1 else hint)
        if not name:
            done.aside.append((_shown(entry.name), "of which assignment? Say --assignment"))
            continue
        hand_in = found.setdefault((place.student, name), _HandIn())
        if place.rest == (STAMP,):
            when = "" if place.stamped else _stamp(entry)
            if not when:
                done.aside.append((_shown(entry.name), "no moment in time that could be relied on"))
            hand_in.when = hand_in.when or when
            continue
        if place.when < hand_in.attempt:
            done.aside.append((_shown(entry.name), "an earlier attempt"))
            continue
        if place.when > hand_in.attempt:
            done.aside += [(_shown(e.name), "an earlier attempt") for _, e in hand_in.files]
            hand_in.files, hand_in.attempt, hand_in.when = [], place.when, place.when
        if place.late and place.student not in done.late:
            done.late.append(place.student)
        hand_in.files.append((place.rest, entry))
    return {place: hand_in for place, hand_in in found.items() if hand_in.files}


def student_id(name: str) -> str:
    """A student's name as it stands in folders, pages and the gradebook; "" where nothing is left of it.

    Any letters, marks and emoji of any script stay. Composed, so that one name is one person whichever system wrote
    it; without control characters and those that turn the direction of the text around them; no leading dot, which
    would hide the folder; cut, with a mark of its own, where no database or file system could hold it.
    """
    name = "".join(" " if c in "\t\r\n/" else c for c in unicodedata.normalize("NFC", name))
    turned = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    name = "".join(c for c in name if unicodedata.category(c) not in ("Cc", "Cs", "Zl", "Zp") and c not in turned)
    name = re.sub(r"^\.+", lambda dots: "_" * len(dots.group()), " ".join(name.split()))
    if len(name) > MAX_NAME or len(name.encode()) > 200:
        mark = hashlib.sha256(name.encode()).hexdigest()[:8]
        name = f"{name[: MAX_NAME - 9].encode()[:190].decode(errors='ignore').strip()}~{mark}"
    return name if re.search(r"[^_\s]", name) else ""


def _stamp(entry: _Entry) -> str:
    """The moment in a timestamp.txt of the source, "" where there is none to be read."""
    with contextlib.suppress(*_DAMAGED), entry.open() as file:
        return readable_moment(file.read(200))
    return ""


# ---------------------------------------------------------------- into submitted/


def _finish_what_was_begun(folder: ClassFolder) -> None:
    """A collection that was killed between the two steps of a replacement: the hand-in is put back."""
    for old in folder.submitted.glob(f"*/.*{_OLD}"):
        target = old.with_name(old.name.removesuffix(_OLD)[1:])
        if os.path.lexists(target):
            shutil.rmtree(old)
        else:
            os.rename(old, target)
    for coming in folder.submitted.glob(f"*/.*{_NEW}"):
        shutil.rmtree(coming)


def _put(folder: ClassFolder, student: str, name: str, hand_in: _HandIn) -> Item:
    """Writes the hand-in beside the place where it belongs and moves it there when it is whole."""
    target, notes = folder.submitted / student / name, []
    there = os.path.lexists(target)
    if there and hand_in.when and (known := handed_in_at(target)) and parse_utc(hand_in.when) < parse_utc(known):
        notes = [f"handed in {hand_in.when}, but one of {known} is there"]
        return _item(folder, student, name, "older", hand_in, notes)
    coming = target.with_name(f".{name}{_NEW}")
    coming.mkdir(parents=True)
    try:
        notes = _write(coming, name, hand_in.files)
        if hand_in.when:
            write_atomically(coming / STAMP, hand_in.when + "\n")
        if there and _contents(target) == _contents(coming):
            return _item(folder, student, name, "unchanged", hand_in, notes)
        if there:
            old = target.with_name(f".{name}{_OLD}")
            os.rename(target, old)
        os.rename(coming, target)
        if there:
            old.unlink() if old.is_symlink() or old.is_file() else shutil.rmtree(old)
    finally:
        shutil.rmtree(coming, ignore_errors=True)
        with contextlib.suppress(OSError):  # a student's folder in which nothing could be put
            target.parent.rmdir()
    return _item(folder, student, name, "replaced" if there else "new", hand_in, notes)


def _contents(path: Path) -> dict[str, Any]:
    """Relative name -> digest of every file of a hand-in; what is no ordinary file is never the same."""
    found: dict[str, Any] = {}
    for each in [path, *path.rglob("*")]:
        mode = each.lstat().st_mode
        if stat.S_ISREG(mode):
            with each.open("rb") as file:
                found[str(each.relative_to(path))] = hashlib.file_digest(file, "sha256").digest()
        elif not stat.S_ISDIR(mode):
            found[str(each.relative_to(path))] = object()
    return found


def _write(to: Path, assignment: str, files: Sequence[tuple[tuple[str, ...], _Entry]]) -> list[str]:
    """Copies a hand-in's files; returns what there is to say. Archives are opened where there is no notebook beside
    them; one that cannot be is kept as it is, and its student will be told to hand in the notebook."""
    notes: list[str] = []
    with contextlib.ExitStack() as stack:
        if not any(_is_notebook(rest) for rest, _ in files):
            files = [inner for rest, entry in files for inner in _opened_up(rest, entry, stack, notes)]
        notebooks = [rest for rest, _ in files if _is_notebook(rest)]
        if len(notebooks) == 1 and notebooks[0] != (f"{assignment}.ipynb",):
            notes.append(f"{_shown('/'.join(notebooks[0]))} is kept as {assignment}.ipynb")
            files = [((f"{assignment}.ipynb",) if rest == notebooks[0] else rest, entry) for rest, entry in files]
        if len(notebooks) > 1:
            notes.append(f"{len(notebooks)} notebooks, of which one is graded: look which it should be")
        if len(files) > MAX_FILES:
            notes.append(f"{len(files)} files, {MAX_FILES} kept")
        room = MAX_HAND_IN
        for rest, entry in sorted(files, key=lambda file: not _is_notebook(file[0]))[:MAX_FILES]:
            path = _free(to, rest)
            if path == to / STAMP:  # by another spelling
                notes.append("a timestamp.txt of the student's own was left out")
                continue
            room -= _copy(entry, path, min(MAX_BYTES, max(room, 0)), notes)
    return notes


def _is_notebook(rest: tuple[str, ...]) -> bool:
    return rest[-1].lower().endswith(".ipynb")


def _opened_up(
    rest: tuple[str, ...], entry: _Entry, stack: contextlib.ExitStack, notes: list[str]
) -> list[tuple[tuple[str, ...], _Entry]]:
    """The files of an archive that was handed in, or the archive itself where no notebook comes out of it."""
    if not _ARCHIVE.search(rest[-1]):
        if _OTHER_ARCHIVE.search(rest[-1]):
            notes.append(f"{_shown(rest[-1])} is an archive of a kind that is not opened")
        return [(rest, entry)]
    packed: IO[bytes] = stack.enter_context(tempfile.TemporaryFile())
    aside = Collected()
    try:
        with entry.open() as file:
            shutil.copyfileobj(_Capped(file, MAX_BYTES), packed)
        packed.seek(0)
        found = list(_of_archive(packed, rest[-1], stack, aside, MAX_HAND_IN, MAX_INSIDE))
    except (BadSource, *_DAMAGED) as error:
        _unless_full(error, Path(tempfile.gettempdir()))
        notes.append(f"{_shown(rest[-1])} could not be opened: {error}")
        return [(rest, entry)]
    notes += [f"in {_shown(rest[-1])}, {name}: {why}" for name, why in aside.aside[:5]]
    inner = [each for each in found if not any(_LITTER.fullmatch(part) for part in each.parts)]
    if not any(_is_notebook(each.parts) for each in inner):
        notes.append(f"there is no notebook in {_shown(rest[-1])}")
        return [(rest, entry)]
    notes.append(f"{_shown(rest[-1])} was unpacked")
    return [(each.parts, each) for each in inner]


class _Capped:
    """A file that refuses to give more than so many bytes, whatever size was promised."""

    def __init__(self, file: IO[bytes], room: int):
        self.file, self.room = file, room

    def read(self, size: int = 1 << 16) -> bytes:
        block = self.file.read(min(size, self.room + 1))
        self.room -= len(block)
        if self.room < 0:
            raise BadSource("it is too large")
        return block


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


def _copy(entry: _Entry, path: Path, room: int, notes: list[str]) -> int:
    """Copies one file; returns its size. Of one that is too large or damaged, what could be read is not kept: the file
    is put down so that its student is told, as too large or as damaged."""
    try:
        with entry.open() as file, path.open("wb") as out:
            shutil.copyfileobj(_Capped(file, room), out)
        return path.stat().st_size
    except BadSource:
        notes.append(f"{_shown(entry.name)} is larger than is read")
        with path.open("wb") as out:
            out.truncate(MAX_BYTES + 1)  # a hole, which takes no room
    except _DAMAGED as e:
        _unless_full(e, path)
        notes.append(f"{_shown(entry.name)} is damaged in the archive ({_plain(e)})")
        path.write_bytes(b"damaged in the archive")
    return 0


def _unless_full(error: BaseException, path: Path) -> None:
    """Raises the error, with the path in it, where it says that nothing more can be written."""
    if isinstance(error, OSError) and error.errno in _FULL:
        error.filename = str(path)
        raise error
