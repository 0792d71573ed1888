"""What a source of submissions holds: a folder, a file, or an archive, and what is wanted out of it.

All of it is hostile: names, links, sizes, and what archives say of themselves. First its files are listed, by their
names alone; then those that somebody wants are read or unpacked. No path of a source becomes a path of ours: what is
unpacked lies under numbers in a folder of ours. No link is followed, archives are opened in a jail (`intake.Intake`)
only, and what is read is counted, whatever was promised. What is no ordinary file is put aside with a reason.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from autograde.files import open_ordinary
from autograde.folders import ClassFolder
from autograde.intake import unpack
from autograde.intake.chapters import Chapters
from autograde.intake.intake import Intake
from autograde.intake.jail import SOURCE_LIMITS
from autograde.intake.parse import MAX_BYTES
from autograde.intake.unpack import Budget, Damaged, TooMuch
from autograde.intake.whose import ARCHIVE, IN_A_FOLDER, may_be_one_submission, one_submission, readable, safe
from autograde.progress import Progress, silent

MAX_ENTRIES = 200_000  # files of a source; a class of thousands has tens of thousands
MAX_UNPACKED = 64 << 30  # bytes that a source's archive may unpack to

_LITTER = re.compile(r"\._.*|\.DS_Store|\.git|\.ipynb_checkpoints|__MACOSX|__pycache__|Thumbs\.db|desktop\.ini")

Aside = list[tuple[str, str]]  # (file, why it is no submission)


class BadSource(ValueError):
    """The source as a whole cannot be read."""


@dataclass
class Entry:
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
        """As it stands in the source, for `whose.safe` to show."""
        return "/".join(map(readable, self.parts))


Wanted = dict[tuple[str, ...], tuple[Entry, Budget]]  # name in an archive -> its file, and within which budget


@dataclass(frozen=True)
class Work:
    """What unpacks archives, a folder of ours for what is on its way, the class's assignments by their cells, what is
    put aside, and whom to tell how far it is."""

    intake: Intake
    folder: Path
    chapters: Chapters
    aside: Aside
    progress: Progress = silent


# ---------------------------------------------------------------- what it is, and its files by their names


@dataclass(frozen=True)
class Given:
    """What is to be collected: a folder, a file, or the folder `inside` an archive.

    `names` stand before those of all that is in it: the way down from what a platform named as one student's, to which
    the source belongs; () where it is none. `packed` says that it is read out of an archive.
    """

    outer: Path
    inside: tuple[str, ...]
    names: tuple[str, ...]
    packed: bool


def what_is_given(source: Path, platform: str) -> Given:
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
        if one := one_submission(name, at != own or outer.is_dir()):
            if platform == one.lower():
                return Given(outer, inside, (*way, *inside)[at:], archive and at > own)
            raise BadSource(
                f"{safe(name)} is called as {one} calls what one student handed in. To do: if {one} gave it that name,"
                f" say --platform {one.lower()}; else {IN_A_FOLDER}"
            )
        if may_be and may_be.lower() == platform:
            return Given(outer, inside, (*way, *inside)[at:], archive and at > own)
        if may_be and not platform:
            raise BadSource(
                f"{safe(name)} is called as {may_be} calls what one student handed in, and may be a class's. To do: if"
                f" {may_be} gave it that name, say --platform {may_be.lower()}; if it is a class's, which --platform it"
                f" comes from (folders where the names in it are yours); else {IN_A_FOLDER}"
            )
    return Given(outer, inside, (), archive)


def entries_of(given: Given, folder: ClassFolder, aside: Aside, intake: Intake) -> list[Entry]:
    """The regular files of a source; what else it holds is put aside. Those of an archive are in its order.

    None of them is opened. Raises BadSource where the source cannot be read, holds too much, or is submissions/ itself.
    """
    outer, inside, names = given.outer, given.inside, given.names
    if outer.is_dir():
        root = outer.resolve()
        if root.is_relative_to(folder.submitted):
            raise BadSource(f"{outer} is where submissions are collected to: there is nothing to do")
        if folder.submitted.is_relative_to(root):
            raise BadSource(
                f"{outer} holds the class itself. To do: name the folder in it that came back from students"
            )
        entries = [Entry((*names, *entry.parts), entry.path) for entry in _of_folder(root, aside)]
    elif given.packed:
        if _ends_as_another(outer):
            raise BadSource(
                f"{outer.name} does not begin as a zip but ends as one: an archive that a student handed in would be"
                " read in its place. To do: unpack it, and collect the folder"
            )
        entries = _of_archive(outer, aside, intake)
    elif outer.suffix.lower() == ".ipynb" or ARCHIVE.search(outer.name):
        entries = [Entry(names or (outer.name,), outer.resolve())]
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
    return [entry for entry in entries if not is_litter(entry.parts)]


def is_litter(parts: tuple[str, ...]) -> bool:
    """Whether systems and programs leave such a file beside a student's own: nobody handed it in."""
    return any(_LITTER.fullmatch(part) for part in parts)


def _ends_as_another(archive: Path) -> bool:
    """Whether what unpacks archives may take one that stands at the end of this one for the whole: a zip is found by
    its last bytes, and a tar keeps those of the files in it."""
    with archive.open("rb") as file:
        begins = file.read(2)
        file.seek(-min(archive.stat().st_size, (1 << 16) + 22), os.SEEK_END)  # with the longest comment
        return begins != b"PK" and b"PK\x05\x06" in file.read()


def _of_folder(root: Path, aside: Aside) -> Iterator[Entry]:
    def closed(error: OSError) -> None:
        name = os.path.relpath(error.filename, root.parent if Path(error.filename) == root else root)
        aside.append((safe(name), f"the folder cannot be looked into ({error.strerror}): see that you may read it"))

    for below, folders, files in os.walk(root, onerror=closed):
        folders[:] = sorted(f for f in folders if not _aside_if_odd(Path(below) / f, root, aside, stat.S_ISDIR))
        for name in sorted(files):
            path = Path(below) / name
            if not _aside_if_odd(path, root, aside, stat.S_ISREG):
                yield Entry(path.relative_to(root).parts, path)


def _aside_if_odd(path: Path, root: Path, aside: Aside, wanted: Callable[[int], bool]) -> bool:
    try:
        mode = path.lstat().st_mode
    except OSError as error:  # it has gone since it was listed
        why = f"it cannot be looked at ({error.strerror})"
    else:
        if not wanted(mode):
            why = f"{'a link' if stat.S_ISLNK(mode) else 'no ordinary file'}: never followed"
        elif stat.S_ISREG(mode) and not os.access(path, os.R_OK):
            why = "you may not read it: see that you may, and collect again"
        else:
            return False
    aside.append((readable(str(path.relative_to(root))), why))
    return True


def content_of(path: Path, budget: Budget) -> Iterator[bytes]:
    """The content of a file of the source, which may be another thing by now than when it was listed.

    Raises Damaged where it cannot be read, and TooMuch at the end of the budget.
    """
    try:
        file = open_ordinary(path)
    except OSError as error:
        raise Damaged(f"it cannot be read ({error.strerror})") from None
    yield from unpack.chunks(file, budget)


def _of_archive(source: Path, aside: Aside, intake: Intake) -> list[Entry]:
    """The regular files of an archive, by their names alone. Of two with one name the last counts, as unzip does it."""
    entries: dict[tuple[str, ...], Entry] = {}
    for name, _ in _listed(source, Budget(MAX_UNPACKED, MAX_ENTRIES), intake, aside):
        parts = unpack.parts(name)
        if parts is None:
            aside.append((safe(name), "its name leads out of the archive"))
            continue
        if parts in entries:
            aside.append((safe(name), "there twice in the archive: the last one was taken"))
            del entries[parts]
        entries[parts] = Entry(parts, None, ours=True, member=parts)
    return list(entries.values())


def _listed(
    source: Path, budget: Budget, intake: Intake, aside: Aside | None = None
) -> Iterator[tuple[str, Iterator[bytes]]]:
    """The members of a source that can be read. Raises BadSource."""
    try:
        for member in intake.unpack(source, budget, SOURCE_LIMITS):
            if not member.refused:
                yield member.name, member.chunks
            elif aside is not None:
                aside.append((safe(member.name), member.refused))
    except (Damaged, TooMuch) as error:
        raise BadSource(f"{source.name}: {error}") from None


def one_of(given: Given, entry: Entry, most: int, intake: Intake) -> bytes:
    """The content of a file of the source, of at most `most` bytes. Raises BadSource."""
    try:
        if entry.path is not None:
            return b"".join(content_of(entry.path, Budget(most)))
        blocks = list[bytes]()
        for name, content in _listed(given.outer, Budget(MAX_UNPACKED, MAX_ENTRIES), intake):
            if unpack.parts(name) == entry.member:
                blocks, room = [], Budget(most)
                for block in content:
                    room.take(len(block))
                    blocks.append(block)
        return b"".join(blocks)
    except (Damaged, TooMuch) as error:
        raise BadSource(f"{safe(entry.name)}: {error}") from None


def unpack_source(source: Path, wanted: Wanted, work: Work) -> None:
    """Puts the files of an archive that are wanted, and no others, under numbers into a folder of ours.

    One that is damaged or larger than its budget says so itself. Raises BadSource where the archive is no longer what
    was listed, or cannot be read.
    """
    budget = Budget(MAX_UNPACKED, MAX_ENTRIES)
    try:
        take_out(_listed(source, budget, work.intake), wanted, work.folder, budget, work.progress)
    except TooMuch as error:
        raise BadSource(f"{source.name}: {error}") from None
    for entry, _ in wanted.values():
        if entry.path is None and not entry.broken:
            raise BadSource(f"{source.name} has changed while it was read")


def take_out(
    members: Iterator[tuple[str, Iterator[bytes]]],
    wanted: Wanted,
    to: Path,
    budget: Budget,
    progress: Progress = silent,
) -> None:
    """Writes the wanted members below `to`, each within a budget of its own too; of two with one name the last counts.
    Raises TooMuch where the budget of the archive is spent."""
    taken = 0
    for name, content in members:
        if (target := wanted.get(unpack.parts(name) or ())) is None:
            continue
        entry, own = target
        progress("unpacking", min(taken, len(wanted)), len(wanted))
        taken += 1
        if entry.path is not None:  # there twice in the archive
            entry.path.unlink()
            entry.path = None
        own.room -= fetch(entry, content, to / secrets.token_hex(8), max(0, own.room))
        if budget.room < 0:
            raise TooMuch(entry.broken)


def fetch(entry: Entry, content: Iterator[bytes], path: Path, most: int) -> int:
    """Makes a file of ours of an entry, of at most `most` bytes; returns its size in bytes. What cannot be read whole
    leaves none, and `entry.broken` says why. Raises OSError where the disk refuses."""
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
