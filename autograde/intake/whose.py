"""Whose a file of a source is, told from the name that the learning platform (or the instructor) gave to it.

Only the outermost entry of a source decides, and only where a person has said who gave its name:

1. `--platform` of a platform: its own part of the name is matched first and once, whatever stands behind it. A name
   alone proves no platform, since a student can write one as it does, or an archive full of them.
2. `--platform folders`: the names are the instructor's, and bear the students'.
3. Nothing said: the folders in a folder are named by whoever made it. Everything else (names as a platform's are, the
   name of a file, all names in an archive) may be a student's choice: it belongs to nobody until a person says whose
   it is.

What is behind the platform's part, and everything inside the entry, is the student's own and never read for identity.
A name that fits in two ways is put aside with both, and so is a folder that may be round several students: a name in
it does not decide either. No byte of a file is opened here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from autograde.intake.platforms import blackboard, brightspace, canvas, classroom, gradescope, moodle
from autograde.intake.platforms.scheme import Scheme
from autograde.text import in_one_line

ARCHIVE = re.compile(r"\.(zip|tar|tar\.gz|tgz)$", re.IGNORECASE)
FOLDERS = "folders"  # no platform: folders and files that bear the students' names
LOOSE = "file"  # a file that bears the student's name
# A folder of the instructor's, in which nothing that a student named decides.
IN_A_FOLDER = "put it into FOLDER/STUDENT/ASSIGNMENT/ and collect FOLDER"
UNSAID = (
    "a student may have chosen this name. To do: if it is yours and bears the student's, say --platform folders; else"
    f" {IN_A_FOLDER}"
)
# What folders round a class are called. A student may have called one so too: such a folder is always asked about.
_ROUND = re.compile(r"submitted|submissions?|hand-?ins?|inbound|assignment_\d+_export", re.IGNORECASE)


@dataclass(frozen=True)
class Place:
    """Where a file belongs. `student` is the name as it stands in the source, `rest` the parts of the name that are
    the student's own, `assignment` the folder of one, "" where there is none.

    `key` tells apart two people of one name: another `scheme` or key may be another person. `when` is the
    platform's time of the attempt. `stamped` says that only the platform's times count, and none that a student may
    have put into a file. `note` is for the instructor, `outer` the name that the platform gave. `names` are what may be
    a person's in it, where only a roster can say.
    """

    student: str
    rest: tuple[str, ...]
    key: str
    scheme: str = FOLDERS
    assignment: str = ""
    when: str = ""
    late: bool = False
    stamped: bool = False
    note: str = ""
    outer: str = ""
    names: tuple[str, ...] = ()

    @property
    def mark(self) -> tuple[str, str]:
        """(scheme, key) of the one person whom a later source may say again. A folder and a file of one name are both
        the instructor's way to say it."""
        return (FOLDERS, self.student) if self.scheme == LOOSE else (self.scheme, self.key)


SCHEMES: tuple[Scheme, ...] = (
    *moodle.SCHEMES, *blackboard.SCHEMES, *canvas.SCHEMES, *gradescope.SCHEMES, *brightspace.SCHEMES,
)  # fmt: skip
PLATFORMS = (*dict.fromkeys(scheme.name.lower() for scheme in SCHEMES), classroom.NAME.lower(), FOLDERS)


def one_submission(name: str, folder: bool) -> str:
    """The platform that alone gives such a name, to what one student handed in: all in it is the student's own. Else
    ""."""
    return next((scheme.name for scheme in SCHEMES if scheme.distinct and any(scheme.matches(name, folder))), "")


def may_be_one_submission(name: str) -> str:
    """The platform that calls so what one student handed in, where others may call a whole class so; else ""."""
    fits = (s for s in SCHEMES if any(s.matches(name, True)) or any(s.matches(name, False)))
    return next((scheme.name for scheme in fits if not scheme.distinct), "")


class Names:
    """The names of one source, each a tuple of its parts; `assignments` are the assignments' names.

    `platform`, one of PLATFORMS, is what the instructor says of the source, "" where nothing was said. `packed` says
    that they were read in an archive, where one student may have given all of them. `like` are the platforms that give
    such names, where none was said: whose they are is then to be asked.
    """

    def __init__(
        self, names: Iterable[tuple[str, ...]], assignments: Sequence[str], platform: str = "", packed: bool = False
    ) -> None:
        self.assignments, self.platform, self.packed = assignments, platform, packed
        names = list(names)
        self.unwrapped = platform in ("", "gradescope") and _is_gradescopes_export(names)
        self.names = [parts[self.unwrapped :] for parts in names]
        self.titles = _shared_titles(self.names)
        self.own_titles = {_title(name) for name in assignments} - {""}
        self.round = self._round_a_class()
        self.like = sorted({p.scheme for parts in self.names for p in self._readings(parts)}) if not platform else []

    def place(self, parts: tuple[str, ...]) -> Place | str:
        """Where a file belongs, or a sentence on why nobody can say.

        Beside the platforms' names: <student>/<assignment>/..., <student>/...; and where the instructor says that the
        names are the students', <assignment>/<student>/... and a file whose own name is the student's (with or without
        the assignment's in it).
        """
        if self.platform == classroom.NAME.lower():
            return self._of_classroom(parts)
        parts = parts[self.unwrapped :]
        readings = list(self._readings(parts))
        if readings and not self.platform:
            return UNSAID
        people = {(place.scheme, place.student): place for place in readings}
        if len(people) > 1:
            ways = [_quoted(who) for _, who in sorted(people)]
            names = ", or of ".join(ways[:8])
            return f"its name can be read as that of {names}. To do: {IN_A_FOLDER}"
        if readings:
            (place,) = people.values()
            return place.note if not place.rest else place
        said = self.platform or not self.packed
        if said and len(parts) > 1 and self._may_be_round_several(parts[0]):
            return (
                f"{_quoted(parts[0])} can be one student's, or a folder round several students'. To do: if it is round"
                f" several, collect what is in it (SOURCE/{safe(parts[0])}); if it is one student's, {IN_A_FOLDER}"
            )
        if self.platform not in ("", FOLDERS):
            return f"not a name that {self.platform.capitalize()} gives"
        if parts[-1] == gradescope.LIST:
            return "Gradescope's list of who is who, which is read with --platform gradescope"
        placed = self._in_folders(parts)
        if isinstance(placed, Place) and not self.platform and (self.packed or placed.scheme == LOOSE):
            return UNSAID
        return placed

    def asked_for(self) -> tuple[str, list[str]]:
        """(the folder in the source, what `--platform` may be said with it) with which to collect it: folders round
        everything are passed over."""
        names, way = self.names, list[str]()
        for _ in range(5):
            level = Names(names, self.assignments)
            if level.like:
                return "/".join(way), [*map(str.lower, level.like), FOLDERS]
            inside = [parts for parts in names if len(parts) > 1]
            outermost = {parts[0] for parts in inside}
            if len(outermost) != 1 or not level._is_round_all(*outermost):
                break
            names, way = [parts[1:] for parts in inside], [*way, *outermost]
        return "/".join(way), [FOLDERS]

    # ------------------------------------------------------------ platforms

    def _readings(self, parts: tuple[str, ...]) -> Iterator[Place]:
        """Each way to read the outermost name as a platform's. No `rest`: not handed in, for the reason in `note`."""
        first, rest = parts[0], parts[1:]
        for scheme in SCHEMES:
            if self.platform not in ("", scheme.name.lower()):
                continue
            for head, mark in scheme.matches(first, bool(rest)):
                groups = mark.groupdict()
                own, note = rest or (groups.get("file") or "",), ""
                if typed := groups.get("typed"):
                    if not self.platform:  # like many a page's name
                        continue
                    own, note = (f"{typed}.html",), f"a {typed} that was typed into {scheme.name}, and no file"
                elif groups.get("kind", "file") != "file":
                    own, note = (), f"Moodle's {groups['kind']}, not a file that was handed in"
                elif not own[0]:
                    own, note = (), f"{scheme.name}'s own note on a submission"
                late = bool(groups.get("late")) or head.startswith("LATE_")
                when = scheme.moment(mark)
                place = Place(head, own, "", scheme.name, when=when, late=late, stamped=True, note=note, outer=first)
                people = scheme.whose(head, mark)
                if scheme.name == "Blackboard":
                    titled = [(who, who) for title, who in blackboard.titles(head) if title in self.titles]
                    people = titled or people
                for student, key in people:
                    yield replace(place, student=student, key=key)
                if not people:
                    yield replace(place, rest=(), note=f"{scheme.name}'s way of naming, but without a user's name")

    def _of_classroom(self, parts: tuple[str, ...]) -> Place | str:
        """By the file's own name, in whatever folder it lies: that of an assignment, or of a class round those."""
        *above, name = parts
        if not _is_work(name):
            return "neither a notebook nor an archive"
        stem = _stem(name)
        if not (names := classroom.names_in(stem, self.assignments)):
            copy = ' (Drive writes "Copy of" before what anybody copied)' if classroom.is_a_copy(stem) else ""
            return f"its name does not say whose it is{copy}. To do: {IN_A_FOLDER}"
        of = (classroom.titled(each, self.assignments) for each in (stem, *reversed(above)))
        assignment = next(filter(None, of), "")
        return Place(stem, (name,), "", classroom.NAME, assignment, stamped=True, outer="/".join(parts), names=names)

    # ------------------------------------------------------------ folders

    def _in_folders(self, parts: tuple[str, ...]) -> Place | str:
        first, rest = parts[0], parts[1:]
        if not rest:
            return self._loose(first)
        if first in self.assignments:
            if rest[0] in self.assignments or _ROUND.fullmatch(rest[0]):
                return "its name does not say whose it is"
            inner = Place(rest[0], rest[1:], rest[0]) if rest[1:] else self._loose(rest[0])
            return replace(inner, assignment=first) if isinstance(inner, Place) else inner
        if len(rest) > 1 and rest[0] in self.assignments:
            return Place(first, rest[1:], first, assignment=rest[0])
        note = ""
        if deeper := next((at for at, part in enumerate(rest[:-1]) if at and part in self.assignments), 0):
            note = f"there is a folder {'/'.join(map(safe, rest[: deeper + 1]))} in it: read as this student's own"
        return Place(first, rest, first, note=note)

    def _loose(self, name: str) -> Place | str:
        if not _is_work(name):
            return "neither a notebook nor an archive, and in no student's folder"
        student = _stem(name)
        if classroom.is_a_copy(student):
            return f'its name begins with "Copy of", and does not say whose it is. To do: {IN_A_FOLDER}'
        for assignment in self.assignments:
            student = re.sub(rf"[\s_-]*{re.escape(assignment)}[\s_-]*", "", student, flags=re.IGNORECASE)
        if not re.sub(r"\(\d+\)|[\s\d_-]", "", student):
            return "its name does not say whose it is: put it into a folder of the student's name"
        return Place(student, (name,), name, LOOSE)

    def _may_be_round_several(self, first: str) -> bool:
        """Whether an outermost folder may as well hold a class, so that what is in it would say whose it is. That of an
        assignment may be what one student calls it, unless the names are the instructor's."""
        return self._is_round_all(first) or (first in self.assignments and self.platform != FOLDERS)

    def _is_round_all(self, first: str) -> bool:
        return first in self.round or bool(_ROUND.fullmatch(first)) or self._is_a_title(first)

    def _is_a_title(self, first: str) -> bool:
        """Whether a folder is called as an assignment but for its number, as "Warm up" is: no student is."""
        return first not in self.assignments and _title(first) in self.own_titles

    def _round_a_class(self) -> set[str]:
        """The folders of the source that may as well be round a whole class as be a student's: a single one, or those
        of which each holds several notebooks of an assignment of its own."""
        folders: dict[str, list[tuple[str, ...]]] = {}
        for parts in self.names:
            if len(parts) > 1:
                folders.setdefault(parts[0], []).append(parts)
        if len(folders) == 1:
            ((first, inside),) = folders.items()
            return {first} if first not in self.assignments and self._holds_several(inside) else set()
        of = [self._several_of(inside) for inside in folders.values()]
        each_its_own = all(len(several) == 1 for several in of) and len(set.union(set(), *of)) == len(of)
        return set(folders) if each_its_own else set()

    def _holds_several(self, inside: list[tuple[str, ...]]) -> bool:
        """Whether what is in the one folder of a source may be several people's."""
        work = [parts for parts in inside if _is_work(parts[-1])]
        folders = [parts for parts in work if len(parts) > 2 and parts[1] not in self.assignments]
        files = [parts[1] for parts in work if len(parts) == 2]
        unnamed = [name for name in files if not any(each.lower() in name.lower() for each in self.assignments)]
        platform = any(any(self._readings(parts[1:])) for parts in inside)
        return bool(folders) or len(unnamed) > 1 or bool(self._several_of(inside)) or platform

    def _several_of(self, inside: list[tuple[str, ...]]) -> set[str]:
        """The assignments whose name several notebooks, or several archives, that lie in a folder bear."""
        files = [parts[1] for parts in inside if len(parts) == 2 and _is_work(parts[1])]
        return {
            assignment
            for assignment in self.assignments
            for archives in (False, True)
            if sum(assignment.lower() in f.lower() and bool(ARCHIVE.search(f)) == archives for f in files) > 1
        }


def _is_work(name: str) -> bool:
    """Whether a file may hold a submission, by its name."""
    return name.lower().endswith(".ipynb") or bool(ARCHIVE.search(name))


def _stem(name: str) -> str:
    """A file's name without what says that it is a notebook or an archive."""
    return ARCHIVE.sub("", re.sub(r"\.ipynb$", "", name, flags=re.IGNORECASE))


def _title(name: str) -> str:
    """What is left of an assignment's name where its number, signs, blanks and case make no difference."""
    return "".join(c for c in re.sub(r"^\d+", "", name).casefold() if c.isalnum())


def _shared_titles(names: Sequence[tuple[str, ...]]) -> set[str]:
    """The titles of an assignment with which every Blackboard name of a source can begin.

    The real title is always one of them: where there is no other, it is known where each user's name begins.
    """
    (scheme,) = blackboard.SCHEMES
    heads = {head for parts in names for head, _ in scheme.matches(parts[0], len(parts) > 1)}
    titles = [{title for title, _ in blackboard.titles(head)} for head in heads]
    return set.intersection(*titles) if titles else set()


def _is_gradescopes_export(names: Sequence[tuple[str, ...]]) -> bool:
    """Whether all of a source lies in one folder as Gradescope makes it, with nothing but its own names inside."""
    (scheme,) = gradescope.SCHEMES
    return (
        len({parts[0] for parts in names}) == 1
        and all(gradescope.EXPORT.fullmatch(parts[0]) and len(parts) > 1 for parts in names)
        and all(any(scheme.matches(parts[1], True)) for parts in names if parts[1:] != (gradescope.LIST,))
    )


def _quoted(name: str) -> str:
    return f'"{safe(name)}"'


def safe(name: str) -> str:
    """A name as it can be shown in a line: nothing in it moves the line or turns it round."""
    return in_one_line(readable(name))[:200]


def readable(name: str) -> str:
    """The name as text: bytes that are no UTF-8 become question marks."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace").replace("\ufffd", "?")
