"""Whose a place of a source is: by Gradescope's list, by the class's roster, or else by the platform's own name for it.

The platform's own part of a name says who it is (`whose`); here that is bound to people, and nothing that a student
named has a say. What cannot be bound comes back as a sentence with the file and, where there is one, the row.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from autograde.folders import ClassFolder
from autograde.intake.people import People, student_id
from autograde.intake.platforms import canvas, classroom
from autograde.intake.platforms.gradescope import LIST, Listed, Submitter
from autograde.intake.platforms.moodle import BLIND
from autograde.intake.roster import CANVAS, MOODLE, Person, Roster, alike
from autograde.intake.roster_file import kept
from autograde.intake.whose import FOLDERS, IN_A_FOLDER, LOOSE, Place, readable, safe

# Platforms that give a group's work under the group's name, and what groups are called where nobody chose a name.
_BY_GROUP = ("Blackboard", "Brightspace", "Moodle")
_GROUP = re.compile(
    r"(?:.*\W)?(?:groups?|teams?|gruppen?|groupes?|[eé]quipes?|grupos?|equipos?|grupp[oi]|groep)\W*(?:\d+|[a-z])",
    re.IGNORECASE | re.DOTALL,
)
_SAY_GROUPS = "give --roster a table that has a column group with this name in the row of each of them"
# Platforms whose own mark of a person is the same in every assignment: who it is once, it is for ever.
_LASTING = ("Canvas", "Blackboard", "Gradescope")
_NO_NAME = "no student's name can be made of its folder's: put it into submissions/ under one of yours"


@dataclass(frozen=True)
class Bound:
    """One whose work it is: what the class calls them, and the key that tells them from others. `when`, `late` and
    `note` are what a worksheet that was downloaded with it says of the time."""

    student: str
    key: str
    when: str = ""
    late: bool = False
    note: str = ""


@dataclass
class Binding:
    """Who is who in a source. `roster` is the one given with it, `listed` what Gradescope's list says, if there is
    one."""

    folder: ClassFolder
    people: People
    roster: Roster | None = None
    listed: Mapping[str, Listed] | None = None
    _kept: dict[str, Roster | None] = field(default_factory=dict)

    def of(self, place: Place, assignment: str) -> Sequence[Bound] | str:
        """Those whose a place is, several where a group handed in; or why nobody can say."""
        roster = self._roster(assignment)
        if place.scheme == "Gradescope" and self.listed is not None:
            if place.student not in self.listed:
                return f"{LIST} does not say whose it is. To do: put it into FOLDER/STUDENT/ASSIGNMENT/"
            everybody: list[Bound] = []
            for submitter in self.listed[place.student].submitters:
                bound = self._submitter(submitter, roster)
                if isinstance(bound, str):
                    return bound
                everybody.append(bound)
            return everybody
        if place.scheme == classroom.NAME:
            return self._named_in_classroom(place, roster)
        if place.scheme == "Canvas" and _is_test_student(place, roster):
            return f"Canvas's Test Student, who is nobody in the class. To do: for a person of that name, {IN_A_FOLDER}"
        whose = _in_roster(place, roster) if roster else None
        if isinstance(whose, str):
            return whose
        if isinstance(whose, Person):
            return [self._bound(whose, place.scheme, place.key)]
        if whose is not None:  # the key is the group's, and no member's own
            return [replace(self._bound(each, place.scheme, *_words(each)), key=place.key) for each in whose]
        if roster is None and _may_be_a_group(place):
            return (
                f"{safe(place.student)!r} is called as a group is, and no roster says who is in it. To do:"
                f" {_SAY_GROUPS}; for a person of that name, {IN_A_FOLDER}"
            )
        student = student_id(readable(place.student))
        return [Bound(student, place.key)] if student else _NO_NAME

    def moment(self, place: Place) -> str:
        """When it was handed in, as the platform says."""
        if place.scheme == "Gradescope" and self.listed and place.student in self.listed:
            return self.listed[place.student].when
        return place.when

    def needs_roster(self, place: Place, assignment: str) -> bool:
        """Whether two people of this name could not be told from one who handed in twice."""
        return place.scheme == "Brightspace" and self._roster(assignment) is None

    def _roster(self, assignment: str) -> Roster | None:
        if self.roster is not None:
            return self.roster
        if assignment not in self._kept:
            self._kept[assignment] = kept(self.folder, assignment)
        return self._kept[assignment]

    def _named_in_classroom(self, place: Place, roster: Roster | None) -> Sequence[Bound] | str:
        """The one person of the roster whose name stands in a file's."""
        if roster is None:
            return (
                "students can give such a name to a file, so only a roster says whose it is. To do: give --roster a CSV"
                f" of your class with the columns id and name, or {IN_A_FOLDER}"
            )
        named = [roster.named(readable(name)) for name in place.names]
        people = {each.number: each for each in named if isinstance(each, Person)}
        unclear = [each for each in named if isinstance(each, str) and not each.startswith("nobody")]
        if len(people) == 1 and not unclear:
            (person,) = people.values()
            return [self._bound(person, place.scheme, person.number)]
        if people and not unclear:
            names = " and ".join(f"{safe(each.name)!r} (row {each.row})" for each in people.values())
            unclear = [f"its name bears those of {names} of {roster.file}"]
        why = unclear or [each for each in named if isinstance(each, str)]
        return f"{why[0]}. To do: {IN_A_FOLDER}, with a name that is in the roster"

    def _submitter(self, submitter: Submitter, roster: Roster | None) -> Bound | str:
        if roster is not None:
            person = roster.exactly(submitter.email, submitter.sid)
            return person if isinstance(person, str) else self._bound(person, "Gradescope", submitter.key)
        student = student_id(submitter.name) or student_id(submitter.sid) or student_id(submitter.email)
        return Bound(student, submitter.key) if student else _NO_NAME

    def _bound(self, person: Person, scheme: str, key: str, *others: str) -> Bound:
        """By the name that the class has for this person since before there was a roster, if it has one."""
        keys = (key, *others) if scheme in _LASTING else ()
        before = next(filter(None, (self.people.student_of(scheme, each) for each in keys)), "")
        if self.roster is None:  # the kept one may be older than what is collected, and its times another attempt's
            return Bound(before or person.student, key)
        return Bound(before or person.student, key, person.when, person.late, person.why)


def _is_test_student(place: Place, roster: Roster | None) -> bool:
    """Whether a file is of a course's student view: by the gradebook's row, or by the name where there is none."""
    if roster is not None and roster.kind == CANVAS:
        return bool(roster.nobody) and place.key == roster.nobody
    return place.student == f"{canvas.TEST_NAME}_{place.key}"


def _may_be_a_group(place: Place) -> bool:
    """Whether a platform may have given a group's work under this name, since people call groups so."""
    return place.scheme in _BY_GROUP and bool(_GROUP.fullmatch(readable(place.student)))


def _words(person: Person) -> tuple[str, ...]:
    """What a platform may call a person by, the surest first."""
    return (person.number, *person.logins, person.email)


def _in_roster(place: Place, roster: Roster) -> Person | tuple[Person, ...] | str | None:
    """The person of the roster whose a place is, or the members of the group; None where the roster has nothing to say
    of such names."""
    name = readable(place.student)
    if place.scheme == "Moodle":
        if roster.kind == MOODLE:
            return _in_worksheet(place, name, roster)
        whose: Person | str | None = roster.named(name)
    elif place.scheme == "Canvas":
        if place.key.startswith("anon_"):
            return None
        whose = roster.exactly(place.key) if roster.kind != CANVAS else roster.by_number(place.key)
        whose = whose or f"no row of {roster.file} has the ID {safe(place.key)}"
    elif place.scheme == "Gradescope":
        return None  # a number of Gradescope's alone, where there is no list
    elif place.scheme in (FOLDERS, LOOSE):
        whose = roster.called(name)  # the instructor's own words
    elif place.scheme == "Brightspace":
        whose = roster.named(name)
    else:
        whose = roster.exactly(place.key)
    group = roster.of_group(name) if place.scheme in (*_BY_GROUP, FOLDERS, LOOSE) else ()
    if isinstance(group, str) or (group and not isinstance(whose, str)):
        why = group if isinstance(group, str) else f"{safe(name)!r} is a person in {roster.file}, and a group in it"
        return f"{why}. To do: {IN_A_FOLDER}"
    if isinstance(whose, str) and not group:
        todo = (
            "give the newest roster with --roster, or put it into FOLDER/STUDENT/ASSIGNMENT/ under a name that is in it"
        )
        return f"{whose}. To do: {todo}" + (f"; for a group, {_SAY_GROUPS}" if _may_be_a_group(place) else "")
    return whose if isinstance(whose, Person) else group


def _in_worksheet(place: Place, name: str, roster: Roster) -> Person | tuple[Person, ...] | str:
    person = roster.by_number(place.key)
    if person is None:
        group = roster.of_group(name)
        if isinstance(group, str):
            return f"{group}. To do: {IN_A_FOLDER}"
        return group or (
            f"no row of {roster.file} has the number {safe(place.key)}. To do: give the worksheet of this very"
            " assignment with --roster"
        )
    blind = name == f"{BLIND} {place.key}"
    if not blind and alike(name) not in (alike(person.name), alike(person.student)):
        if not _ends_alike(name, person):
            return f"{roster.file}, row {person.row}: its number is {safe(person.name)!r}'s, not {safe(name)!r}'s"
    return person


def _ends_alike(name: str, person: Person) -> bool:
    """With its group before the name, as Moodle writes where a class is in groups."""
    return "-" in name and alike(name.partition("-")[2]) == alike(person.name)
