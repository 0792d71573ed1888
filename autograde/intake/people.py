"""Who the students of a class are: how their folders are called, and whose each submission was, remembered.

A name out of a source is hostile, and not only for what stands in it: two people may have one name, one person's is
written in several ways, and anybody may take the name of another. What is called as a folder is what `student_id`
leaves of a name; what was collected of one person is never given up for what came from somebody who may be another.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import os
import re
import unicodedata
from collections.abc import Collection
from functools import cached_property
from typing import Any

from autograde.files import add, objects, write_atomically
from autograde.folders import ClassFolder
from autograde.intake.sources import BadSource
from autograde.intake.whose import FOLDERS, safe
from autograde.text import without_controls

MAX_NAME = 100  # characters of a student's name; nbgrader's database holds 128
_PEOPLE = "collected.json"  # beside the ledger: whose each submission was by the platform's own mark
_SINCE = "collected.jsonl"  # the same of what was put down since that was written


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


def folded(name: str) -> str:
    """What is left of a name where case, ways of composing it, and what cannot be seen make no difference."""
    return unicodedata.normalize("NFKC", _seen(name).casefold()).rstrip(". ")


def _seen(name: str) -> str:
    """What can be seen of a name, in one way of composing it."""
    return "".join(c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c) != "Cf")


def spelled_apart(*names: str) -> list[str]:
    """What goes behind each of several names in one message: where two of them look the same, the characters that they
    differ by, as in " (Jos\\xe9)" and " (Jose\\u0301)"; else nothing."""
    alike: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        alike.setdefault(_seen(name), []).append(name)
    twins = [next((other for other in alike[_seen(name)] if other != name), "") for name in names]
    return [f" ({_spelled(name, twin)})" if twin else "" for name, twin in zip(names, twins, strict=True)]


def _spelled(name: str, twin: str) -> str:
    """A name with what its twin has otherwise as escapes."""
    start = _in_common(name, twin)
    end = len(name) - _in_common(name[start:][::-1], twin[start:][::-1])
    while end < len(name) and unicodedata.combining(name[end]):  # a mark would stand on the escape before it
        end += 1
    return f"{safe(name[:start])}{ascii(name[start:end])[1:-1]}{safe(name[end:])}"


def _in_common(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def one_folder(folder: ClassFolder, student: str, names: Collection[str]) -> str:
    """Why a student's folder cannot be made: on a disk that tells names apart less finely, it is somebody else's.
    `names` are those that stand in submissions/: who is among them has a folder of their own."""
    mine = folder.submitted / student
    if student in names or not os.path.lexists(mine):
        return ""
    twin = next((s for s in folder.students() if s != student and os.path.samefile(folder.submitted / s, mine)), "")
    if not twin:
        return ""
    own, others = spelled_apart(student, twin)
    return (
        f"{student}{own} and {twin}{others} are one folder on this disk. To do: put this one's into"
        " FOLDER/ANOTHER NAME/ASSIGNMENT/ and collect FOLDER"
    )


# ---------------------------------------------------------------- remembered


class People:
    """Whose each submission was by the mark that the platform (or the instructor's folder) gave to it.

    Two people of one name may come in two downloads, and a name that anybody may take in one that a platform had bound:
    the second must not take the place of the first. What no collection put there is known by its folder's name alone.

    A submission is told by its student's and its assignment's name, a mark is (scheme, key): see `whose.Place.mark`.
    While a collection lasts, each mark is a line of a file of its own: all of a large class's are megabytes.
    """

    def __init__(self, folder: ClassFolder) -> None:
        self.submitted, self.path, self._since = folder.submitted, folder.ledger / _PEOPLE, folder.ledger / _SINCE
        self.marks = self._read()

    def _read(self) -> dict[str, Any]:
        """What is remembered. Raises BadSource where that cannot be told: then anybody could take anybody's place."""
        marks: Any = {}
        try:
            with contextlib.suppress(FileNotFoundError):
                marks = json.loads(self.path.read_bytes())
            for kept in objects(self._since, ()):  # by a collection that was killed
                marks |= kept
        except (OSError, ValueError, TypeError):
            marks = None
        if not isinstance(marks, dict):
            raise BadSource(
                f"{self.path} cannot be read, so nobody knows whose the submissions are that were collected before. "
                "To do: bring it back from a backup; or take it away, and look at each submission that is replaced"
            )
        return marks

    def another(self, student: str, name: str, mark: tuple[str, str]) -> str:
        """Why a submission of this mark must not replace the one that is there, "" where it may."""
        scheme, key = _composed(mark)
        if not os.path.lexists(self.submitted / student / name):
            return ""
        before, before_key, _ = self._before(student, name) or (FOLDERS, student, "")
        if (before, before_key) == (scheme, key):
            return ""
        return (
            f"two people may be {student}: the one that is there is {safe(before_key)!r} ({safe(before)}), this one is"
            f" {safe(key)!r} ({scheme}). To do: put it into FOLDER/ANOTHER NAME/{name}/ and collect FOLDER"
            f" (the same person? then take submissions/{student}/{name} away first)"
        )

    def replaced(self, student: str, name: str, mark: tuple[str, str]) -> str:
        """Whose place a submission of this mark takes, and whether that name was written in other characters."""
        before, (_, own) = self._before(student, name), mark
        if before is None:
            return "it took the place of one that was there"
        written = before[-1]
        said = f"it took the place of the one that was collected before ({_in_words(before[0], written)})"
        if written == own:
            return said
        return f"{said} ({safe(ascii(written))}), and this one is {safe(own)!r} ({safe(ascii(own))}): the same person?"

    def keep(self, student: str, name: str, mark: tuple[str, str]) -> None:
        """Remembers that the submission which is there now is of this mark, for later collections too."""
        kept = [*_composed(mark), mark[1]]
        if self.marks.get(f"{student}/{name}") != kept:
            self.marks[f"{student}/{name}"] = kept
            add(self._since, json.dumps({f"{student}/{name}": kept}).encode() + b"\n")

    def settle(self) -> None:
        """Puts into the one file what was kept since it was written."""
        if self._since.exists():
            self._write()

    def _write(self) -> None:
        write_atomically(self.path, json.dumps(self.marks, indent=0, sort_keys=True) + "\n")
        self._since.unlink(missing_ok=True)

    def marks_of(self, student: str) -> list[tuple[str, str]]:
        """The marks under which a student's submissions came."""
        places = [place for place in self.marks if place.rpartition("/")[0] == student]
        marks = [self._before(*place.rsplit("/", 1)) for place in places]
        return [(before[0], before[2]) for before in marks if before is not None]

    def forget(self, student: str) -> None:
        """Forgets whose a student's submissions were."""
        left = {place: mark for place, mark in self.marks.items() if place.rpartition("/")[0] != student}
        if left != self.marks:
            self.marks = left
            self._write()

    def student_of(self, scheme: str, key: str) -> str:
        """The student of whom something was collected under this mark, "" where nothing was."""
        return self._students.get(_composed((scheme, key)), "")

    @cached_property
    def _students(self) -> dict[tuple[str, str], str]:
        """Mark -> student, as remembered before this collection."""
        places = {place: self._before(*place.rsplit("/", 1)) for place in sorted(self.marks) if "/" in place}
        return {before[:2]: place.rpartition("/")[0] for place, before in places.items() if before is not None}

    def _before(self, student: str, name: str) -> tuple[str, str, str] | None:
        """(scheme, key, the key as it was written in the source), None where nothing was collected."""
        mark = self.marks.get(f"{student}/{name}")
        if not isinstance(mark, list) or len(mark) < 2:
            return None
        return str(mark[0]), str(mark[1]), str(mark[-1])


def _in_words(scheme: str, written: str) -> str:
    """What a key is, and whose: a platform's number alone says nothing."""
    if scheme == FOLDERS:
        return f"out of the folder or file {safe(written)!r}"
    return f"by {scheme}'s {'number' if written.isdecimal() else 'name'} {safe(written)}"


def _composed(mark: tuple[str, str]) -> tuple[str, str]:
    """A mark in which letters are composed: those that look the same are written in several ways."""
    scheme, key = mark
    return scheme, unicodedata.normalize("NFC", key)
