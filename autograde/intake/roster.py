"""The class's roster, as it is asked: who has a number there, a name, an address. `roster_file` reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from autograde.intake.people import folded
from autograde.intake.whose import safe

# Whose table it is: a platform's, or one of the instructor's own.
CANVAS, MOODLE, GRADESCOPE, BRIGHTSPACE, PLAIN = "canvas", "moodle", "gradescope", "brightspace", "plain"


class BadRoster(ValueError):
    """The roster cannot be read: the file, the row, and what to do."""


@dataclass(frozen=True)
class Person:
    """One row. `student` is how the class calls them, `number` what the platform does, `logins` other names and numbers
    of theirs, `row` the line of the file, and `cells` the row itself, by the header's own names. `when` and `late` are
    what Moodle's worksheet says of the submission, and `why` it says nothing that can be read."""

    student: str
    name: str
    number: str
    email: str
    logins: tuple[str, ...]
    group: str
    row: int
    cells: Mapping[str, str]
    when: str = ""
    late: bool = False
    why: str = ""


_Index = dict[str, list[Person]]


@dataclass(frozen=True)
class Roster:
    """A roster that has been read. `kind` says whose table it is, `header` its columns as they stand there, `points`
    the cells of Canvas's row "Points Possible", `nobody` the number of its Test Student ("" where there is none)."""

    file: str
    kind: str
    header: tuple[str, ...]
    people: tuple[Person, ...]
    points: Mapping[str, str]
    nobody: str = ""

    def by_number(self, number: str) -> Person | None:
        """Whom the platform knows by a number."""
        return self._numbers.get(number)

    def by_student(self, student: str) -> Person | None:
        """Whom the class knows by a name."""
        return self._students.get(student)

    def of_group(self, group: str) -> tuple[Person, ...] | str:
        """Those whom a table names in a group, () where it names nobody; or why nobody can say which group it is."""
        there = self._groups.get(alike(group), [])
        exactly = [each for each in there if folded(each.group) == folded(group)]
        if exactly or len({folded(each.group) for each in there}) < 2:
            return tuple(exactly or there)
        groups = " and ".join(sorted({f"{safe(each.group)!r} (row {each.row})" for each in there})[:5])
        return f"{safe(group)!r} may be any of the groups {groups} of {self.file}"

    def exactly(self, *words: str) -> Person | str:
        """The one person whose number, address or login one of these is, the surest first; else why there is none."""
        return self._one(words, (self._exact, folded))

    def named(self, name: str) -> Person | str:
        """The one person of a name that people gave themselves: it is nobody's number, whatever it looks like."""
        return self._one((name,), (self._by_name, alike))

    def called(self, word: str) -> Person | str:
        """The one person whom an instructor means by a number, an address, a login or a name."""
        return self._one((word,), (self._exact, folded), (self._by_name, alike))

    def _one(self, words: Iterable[str], *indexes: tuple[_Index, Callable[[str], str]]) -> Person | str:
        """The one person whom a word means in an index, of which the keys are made as beside it."""
        said = [word for word in words if word]
        for word in said:
            for index, key in indexes:
                matches = index.get(key(word), [])
                if len(matches) == 1:
                    return matches[0]
                if matches:
                    rows = " and ".join(str(each.row) for each in matches[:5])
                    return f"{safe(word)!r} may be any of rows {rows} of {self.file}"
        return f"nobody in {self.file} is called {safe(next(iter(said), ''))!r}"

    @cached_property
    def _numbers(self) -> dict[str, Person]:
        return {each.number: each for each in self.people}

    @cached_property
    def _students(self) -> dict[str, Person]:
        return {each.student: each for each in self.people}

    @cached_property
    def _groups(self) -> _Index:
        return _index(self.people, lambda each: {alike(each.group)})

    @cached_property
    def _exact(self) -> _Index:
        return _index(self.people, lambda each: {folded(word) for word in (each.number, each.email, *each.logins)})

    @cached_property
    def _by_name(self) -> _Index:
        return _index(self.people, lambda each: {alike(each.name), alike(each.student)})


def _index(people: Iterable[Person], keys: Callable[[Person], set[str]]) -> _Index:
    made: _Index = {}
    for person in people:
        for key in keys(person) - {""}:
            made.setdefault(key, []).append(person)
    return made


def alike(text: str) -> str:
    """What is left of a name where signs, blanks and case make no difference: platforms leave out some of them."""
    return "".join(c for c in folded(text) if c.isalnum())
