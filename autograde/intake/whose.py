"""Whose a file of a source is, told from the name that the learning platform (or the instructor) gave to it.

Only the outermost entry of a source decides: a folder or a file that stands there has its name from the platform or
from the instructor. What a student named (the end of that name, and everything inside the folder or the archive)
is never read for identity, and no byte of a file is opened here. A name that fits in two ways belongs to nobody until
a person has said whose it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

ARCHIVE = re.compile(r"\.(zip|tar|tar\.gz|tgz)$", re.IGNORECASE)
FOLDERS = "folders"  # no platform: folders and files that bear the students' names
LOOSE = "file"  # a file that bears the student's name
# Folders that only wrap a class. No student is called so, and a student's own folder never stands there.
_WRAPPER = re.compile(r"submitted|submissions?|hand-?ins?|assignment_\d+_export", re.IGNORECASE)
_GRADESCOPES_LIST = "submission_metadata.yml"
_A_FOLDER = "put the file into a folder of the student's name and collect that"


@dataclass(frozen=True)
class Place:
    """Where a file belongs. `student` is the name as it stands in the source, `rest` the parts of the name that are
    the student's own, `assignment` the folder of one, "" where there is none.

    `key` tells apart two people of one name: within one `scheme`, another key is another person. `when` is the
    platform's time of the attempt. `stamped` says that only the platform's times count, and none that a student may
    have put into a file. `note` is for the instructor.
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


@dataclass(frozen=True)
class Scheme:
    """How a platform names what it lets you download.

    An outermost name is `head` and then `mark`, each matched whole: `head` is written so that it cannot hold a mark, so
    the platform's own comes first and nothing in the student's file name behind it is taken for one. `whose` makes the
    possible (student, key) of the two; more than one means that nobody can say. `example` is what the platform writes.
    """

    name: str
    example: str
    head: re.Pattern[str]
    mark: re.Pattern[str]
    whose: Callable[[str, re.Match[str]], Sequence[tuple[str, str]]]
    loose: bool  # whether the name is that of a file, or (also) of a folder
    folder: bool
    distinct: bool = True  # whether nothing but this platform gives such names

    def matches(self, name: str, folder: bool) -> Iterator[tuple[str, re.Match[str]]]:
        """The (head, mark) that the name can be read as."""
        if not (self.folder if folder else self.loose):
            return
        for underscore in (match.start() for match in re.finditer("_", name)):
            mark = self.mark.fullmatch(name, underscore)
            if mark and self.head.fullmatch(name, 0, underscore):
                yield name[:underscore], mark


def _titles(head: str) -> Sequence[tuple[str, str]]:
    """(assignment's title, user name) for each way to part the two."""
    return [(head[: match.start()], head[match.end() :]) for match in re.finditer("_", head) if head[match.end() :]]


SCHEMES = (
    # "Full Name_participant_assignsubmission_file_", a folder or before the file's name. Moodle writes a blank for
    # each _ in a name, and the number is another one in every assignment.
    Scheme(
        "Moodle",
        "Ada Lovelace_1234_assignsubmission_file_/02-bahdanau.ipynb",
        re.compile(r"[^_]+"),
        re.compile(r"_(?P<id>\d+)_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>.*))?", re.DOTALL),
        lambda head, mark: [(head, mark["id"])],
        loose=True,
        folder=True,
    ),
    # "Title_username_attempt_time_file", and "Title_username_attempt_time.txt" about the attempt. Both title and user
    # name may hold _: see `Names`.
    Scheme(
        "Blackboard",
        "Homework 2_ada_attempt_2026-01-30-15-00-00_02-bahdanau.ipynb",
        re.compile(r"(?!.*_attempt_\d{4}(?:-\d\d){5}).+", re.DOTALL),
        re.compile(r"_attempt_(?P<when>\d{4}(?:-\d\d){5})(?:_(?P<file>.+)|\.txt)", re.DOTALL),
        lambda head, mark: [(who, who) for _, who in _titles(head)],
        loose=True,
        folder=False,
    ),
    # "lastnamefirst_person_upload_file", with LATE before the person's number where it came late. Letters, digits and
    # _ are all that is left of the name; Canvas itself takes _digits_ out of it and counts without leading noughts.
    Scheme(
        "Canvas",
        "lovelaceada_1234_56789_02-bahdanau.ipynb",
        re.compile(r"(?!.*_\d+_)[^\x00-/:-@\[-^`{-\x7f\s]*(?<!_LATE)(?<!_late)"),
        re.compile(r"_(?:(?P<late>LATE|late)_)?(?P<id>[1-9]\d*)_[1-9]\d*_(?P<file>.+)", re.DOTALL),
        lambda head, mark: [(f"{head}_{mark['id']}", mark["id"])],
        loose=True,
        folder=False,
        distinct=False,
    ),
    # "submission_number", a folder for each, beside a list that says whose each is.
    Scheme(
        "Gradescope",
        "submission_123456789/02-bahdanau.ipynb",
        re.compile("submission"),
        re.compile(r"_(?P<id>\d+)"),
        lambda head, mark: [(f"{head}_{mark['id']}", mark["id"])],
        loose=False,
        folder=True,
    ),
)
PLATFORMS = (*(scheme.name.lower() for scheme in SCHEMES), FOLDERS)


def is_one_submission(name: str, folder: bool) -> bool:
    """Whether a platform gave this name to what one student handed in, so that all in it is the student's own."""
    return any(scheme.distinct and any(scheme.matches(name, folder)) for scheme in SCHEMES)


class Names:
    """The names of one source, each a tuple of its parts; `assignments` are the assignments' names.

    `platform`, one of PLATFORMS, is what the instructor says of the source; "" where its names are to tell.
    """

    def __init__(self, names: Iterable[tuple[str, ...]], assignments: Sequence[str], platform: str = "") -> None:
        self.assignments, self.platform = assignments, platform
        unwrapped = [_unwrapped(parts) for parts in names]
        self.titles = _shared_titles(unwrapped)
        self.round = self._round_a_class(unwrapped)

    def place(self, parts: tuple[str, ...]) -> Place | str:
        """Where a file belongs, or a sentence on why nobody can say.

        Beside the platforms' names: <student>/<assignment>/..., <assignment>/<student>/..., <student>/..., and a file
        whose own name is the student's (with or without the assignment's in it).
        """
        parts = _unwrapped(parts)
        readings = list(self._readings(parts))
        people = {(place.scheme, place.student): place for place in readings}
        if len(people) > 1:
            names = ", or as ".join(f"{_quoted(who)} by {scheme}'s way of naming" for scheme, who in sorted(people))
            say = f"say --platform, or {_A_FOLDER}" if len({scheme for scheme, _ in people}) > 1 else _A_FOLDER
            return f"its name can be read as of {names}. To do: {say}"
        if readings:
            (place,) = people.values()
            return place.note if not place.rest else place
        if self.platform not in ("", FOLDERS):
            return f"not a name that {self.platform.capitalize()} gives"
        if parts[-1] == _GRADESCOPES_LIST:
            return "Gradescope's list of who is who is not read: name the folders after your students"
        return self._in_folders(parts)

    # ------------------------------------------------------------ platforms

    def _readings(self, parts: tuple[str, ...]) -> Iterator[Place]:
        """Each way to read the outermost name as a platform's. No `rest`: not handed in, for the reason in `note`."""
        first, rest = parts[0], parts[1:]
        for scheme in SCHEMES:
            if self.platform not in ("", scheme.name.lower()):
                continue
            for head, mark in scheme.matches(first, bool(rest)):
                groups = mark.groupdict()
                own, note, when = rest or (groups["file"],), "", ""
                if groups.get("kind", "file") != "file":
                    own, note = (), f"Moodle's {groups['kind']}, not a file that was handed in"
                elif not own[0]:
                    own, note = (), f"{scheme.name}'s own note on a submission"
                if stamp := groups.get("when"):
                    when = f"{stamp[:10]} {stamp[11:].replace('-', ':')}"
                late = bool(groups.get("late"))
                place = Place(head, own, "", scheme.name, when=when, late=late, stamped=True, note=note)
                people = scheme.whose(head, mark)
                if scheme.name == "Blackboard":
                    titled = [(who, who) for title, who in _titles(head) if title in self.titles]
                    people = titled or people
                for student, key in people:
                    yield replace(place, student=student, key=key)
                if not people:
                    yield replace(place, rest=(), note=f"{scheme.name}'s way of naming, but without a user's name")

    # ------------------------------------------------------------ folders

    def _in_folders(self, parts: tuple[str, ...]) -> Place | str:
        first, rest = parts[0], parts[1:]
        if first in self.assignments and rest:
            inner = self._in_folders(rest) if rest[0] not in self.assignments else "its name does not say whose it is"
            return replace(inner, assignment=first) if isinstance(inner, Place) else inner
        if not rest:
            return self._loose(first)
        if first == self.round:
            return (
                f"{_quoted(first)} can be a student, or a folder round several of them. To do: if it is round several,"
                f" collect what is in it (SOURCE/{_safe(first)}); if it is a student, put the files into"
                f" {_safe(first)}/ASSIGNMENT/"
            )
        if len(rest) > 1 and rest[0] in self.assignments:
            return Place(first, rest[1:], first, assignment=rest[0])
        note = ""
        if deeper := next((at for at, part in enumerate(rest[:-1]) if at and part in self.assignments), 0):
            note = f"there is a folder {'/'.join(map(_safe, rest[: deeper + 1]))} in it: read as this student's own"
        return Place(first, rest, first, note=note)

    def _loose(self, name: str) -> Place | str:
        if not name.lower().endswith(".ipynb") and not ARCHIVE.search(name):
            return "neither a notebook nor an archive, and in no student's folder"
        student = ARCHIVE.sub("", re.sub(r"\.ipynb$", "", name, flags=re.IGNORECASE))
        for assignment in self.assignments:
            student = re.sub(rf"[\s_-]*{re.escape(assignment)}[\s_-]*", "", student, flags=re.IGNORECASE)
        if not re.sub(r"\(\d+\)|[\s\d_-]", "", student):
            return "its name does not say whose it is: put it into a folder of the student's name"
        return Place(student, (name,), name, LOOSE)

    def _round_a_class(self, names: Sequence[tuple[str, ...]]) -> str:
        """The one folder of the source where it may as well be round a whole class as be a student's, else ""."""
        inside = [parts for parts in names if len(parts) > 1]
        if len({parts[0] for parts in inside}) != 1 or inside[0][0] in self.assignments:
            return ""
        work = [parts for parts in inside if parts[-1].lower().endswith(".ipynb") or ARCHIVE.search(parts[-1])]
        folders = [parts for parts in work if len(parts) > 2 and parts[1] not in self.assignments]
        files = [parts[1] for parts in work if len(parts) == 2]
        several = [
            name for name in files if not any(assignment.lower() in name.lower() for assignment in self.assignments)
        ]
        platform = any(any(self._readings(parts[1:])) for parts in inside)
        return inside[0][0] if folders or len(several) > 1 or platform else ""


def _shared_titles(names: Sequence[tuple[str, ...]]) -> set[str]:
    """The titles of an assignment with which every Blackboard name of a source can begin.

    The real title is always one of them: where there is no other, it is known where each user's name begins.
    """
    (blackboard,) = (scheme for scheme in SCHEMES if scheme.name == "Blackboard")
    heads = {head for parts in names if len(parts) == 1 for head, _ in blackboard.matches(parts[0], False)}
    titles = [{title for title, _ in _titles(head)} for head in heads]
    return set.intersection(*titles) if titles else set()


def _unwrapped(parts: tuple[str, ...]) -> tuple[str, ...]:
    while len(parts) > 1 and _WRAPPER.fullmatch(parts[0]):
        parts = parts[1:]
    return parts


def _quoted(name: str) -> str:
    return f'"{_safe(name)}"'


def _safe(name: str) -> str:
    """A name as it can be shown in a line: nothing in it moves the line or turns it round."""
    name = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace").replace("\ufffd", "?")
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", "?", name)[:200]
