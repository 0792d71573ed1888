"""Whose points go into which row of a platform's roster, and who has none there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograde.folders import ClassFolder
from autograde.gradebook import store
from autograde.intake import provenance
from autograde.intake.people import People
from autograde.intake.roster import BRIGHTSPACE, CANVAS, GRADESCOPE, MOODLE, PLAIN, BadRoster, Person, Roster
from autograde.intake.roster_file import kept, read
from autograde.intake.whose import FOLDERS, LOOSE, safe
from autograde.reports import trace


@dataclass(frozen=True)
class Points:
    """What the gradebook gives for an assignment: `most`, and student -> points after penalties; `waiting` are those
    whose points a person has still to give."""

    assignment: str
    most: float
    of: Mapping[str, float]
    waiting: frozenset[str]


def points_of(folder: ClassFolder, assignments: Sequence[str]) -> list[Points]:
    """What the gradebook gives. Raises GradebookError."""
    with store.open_gradebook(folder) as book:
        return [
            Points(
                name,
                book.find_assignment(name).max_score,
                {who: max(0.0, one.points - one.penalty) for who, one in graded.items()},
                frozenset(who for who, one in graded.items() if one.waits),
            )
            for name in assignments
            for graded in [trace.in_gradebook(book, name)]
        ]


def roster_for(folder: ClassFolder, platform: str, assignment: str, given: Path | None = None) -> Roster:
    """The platform's roster: the one given, or the one that the class keeps. Raises BadRoster where there is none."""
    roster = read(given) if given else kept(folder, assignment, platform)
    if roster is None or roster.kind != platform:
        what = {
            CANVAS: "Canvas's gradebook", MOODLE: f"Moodle's grading worksheet of {assignment}",
            BRIGHTSPACE: "Brightspace's grades", GRADESCOPE: "Gradescope's roster",
            PLAIN: "A table with the columns id, name and email",
        }[platform]  # fmt: skip
        why = f"{roster.file} is no such table" if roster else "the class keeps none"
        get = "make" if platform == PLAIN else "download"
        raise BadRoster(f"{what} says who is who there, and {why}. To do: {get} it, and name it with --roster")
    return roster


def person_of(folder: ClassFolder, people: People, roster: Roster, student: str, assignment: str) -> Person | str:
    """The row of a student: by the number that the platform gave with the submission, if it is the roster's platform;
    else by name. What a platform passed on as a name, which people may have chosen, is never taken for a number."""
    by_name = roster.by_student(student)
    scheme, key = [*people.marks.get(f"{student}/{assignment}", ()), FOLDERS, student][:2]
    if str(scheme).lower() == roster.kind and roster.kind != BRIGHTSPACE:
        if roster.kind == MOODLE and by_name and provenance.read(folder.submitted / student / assignment).get("with"):
            return by_name  # the number is a group's, which the roster made its members of
        return roster.by_number(str(key)) or f"no row of {roster.file} has the number {safe(str(key))}"
    if by_name:
        return by_name
    return roster.called(student) if scheme in (FOLDERS, LOOSE) else roster.named(student)


def only_in_roster(folder: ClassFolder, assignment: str, students: Iterable[str]) -> list[Person]:
    """Those whom the class's roster names beside these students; nobody where it keeps none. Raises BadRoster."""
    if (roster := kept(folder, assignment)) is None:
        return []
    people = People(folder)
    rows = [person_of(folder, people, roster, student, assignment) for student in students]
    numbers = {row.number for row in rows if isinstance(row, Person)}
    return [person for person in roster.people if person.number not in numbers]


def rows_of(folder: ClassFolder, roster: Roster, points: Points) -> tuple[dict[str, Person], list[tuple[str, str]]]:
    """(student -> their row of the roster, those who have none for their points and why)."""
    people, rows = People(folder), dict[str, Person | str]()
    for student in sorted(points.of):
        if student in points.waiting:
            rows[student] = (
                "waits for a person: give or confirm the points in the formgrader, and give the command again"
            )
        else:
            rows[student] = person_of(folder, people, roster, student, points.assignment)
    twice = Counter(row.number for row in rows.values() if isinstance(row, Person))
    row_of, left_out = dict[str, Person](), list[tuple[str, str]]()
    for student, row in rows.items():
        if isinstance(row, Person) and twice[row.number] == 1:
            row_of[student] = row
        else:
            why = row if isinstance(row, str) else f"row {row.row} of {roster.file} is also another student's"
            left_out.append((student, f"{points.assignment}: {why}"))
    return row_of, left_out
