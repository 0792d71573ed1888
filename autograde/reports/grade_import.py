"""`autograde export --for`: the file that a platform imports, with its own identifiers from the class's roster.

- Canvas: its gradebook's CSV, lib/gradebook_importer.rb in its source: the columns up to Section as in the roster, one
  for each assignment under its own title and number, and the row "Points Possible". The ID finds the student.
- Moodle: the grading worksheet of one assignment, mod/assign/feedback/offline/importgradeslib.php in its source: it
  reads Identifier, Grade and "Last modified (grade)". Columns of comments are left out, so that none is overwritten.
- Brightspace: D2L's "Importing grades": OrgDefinedId or Username, "<item> Points Grade" and End-of-Line Indicator.
- Gradescope imports no table of grades. What it documents is the autograder of a programming assignment
  (gradescope-autograders.readthedocs.io: specs, submission_metadata): the archive made here is one that runs nothing of
  a student's, looks its submitters' addresses up, and gives the points.

Rows of those who handed nothing in, or wait for a person, are left out: what the platform has of them stays. Text that
a spreadsheet would take for a formula gets a quote in front, except where the platform finds the student by it.
"""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autograde.folders import ClassFolder
from autograde.gradebook import store
from autograde.intake import provenance
from autograde.intake.people import People
from autograde.intake.platforms import moodle
from autograde.intake.roster import BRIGHTSPACE, CANVAS, GRADESCOPE, MOODLE, BadRoster, Person, Roster, kept, read
from autograde.intake.whose import FOLDERS, LOOSE, safe
from autograde.reports import trace
from autograde.reports.export import no_formula

PLATFORMS = (CANVAS, MOODLE, GRADESCOPE, BRIGHTSPACE)
_WORKSHEET = (
    "identifier", "fullname", "idnumber", "emailaddress", "status", "group", "grade", "maximumgrade",
    "lastmodifiedsubmission", "lastmodifiedgrade",
)  # fmt: skip
_ITEM = re.compile(r"(?P<title>.*) Points Grade(?: <(?P<more>.*)>)?")
_AUTOGRADER = '''\
#!/usr/bin/env python3
"""Gives a submission the points that were given to its submitters. Nothing of the submission is read or run."""
import json
import pathlib
import sys

points = json.loads(pathlib.Path("source/points.json").read_text("utf-8"))
users = json.loads(pathlib.Path("submission_metadata.json").read_text("utf-8"))["users"]
given = {points["of"].get(user["email"].strip().casefold()) for user in users}
if len(given) != 1 or None in given:
    sys.exit("these submitters have no points, or not the same: " + ", ".join(user["email"] for user in users))
result = {"score": given.pop(), "output": f"{points['assignment']}, out of {points['most']}"}
pathlib.Path("results").mkdir(exist_ok=True)
pathlib.Path("results/results.json").write_text(json.dumps(result), "utf-8")
'''


@dataclass(frozen=True)
class Points:
    """What the gradebook gives for an assignment: `most`, and student -> points after penalties; `waiting` are those
    whose points a person has still to give."""

    assignment: str
    most: float
    of: Mapping[str, float]
    waiting: frozenset[str]


@dataclass
class Table:
    """A file for a platform: where it belongs, what is in it, whose rows, who is left out and why, and what to know."""

    path: Path
    content: bytes
    students: list[str] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def tables(
    folder: ClassFolder,
    platform: str,
    assignments: Sequence[str],
    roster: Path | None = None,
    columns: Mapping[str, str] | None = None,
) -> list[Table]:
    """The files for a platform, one of PLATFORMS: a single one with all assignments, or for Moodle and Gradescope one
    each. `columns` are the platform's titles of assignments, where they do not bear the assignments' names.

    Raises BadRoster where there is no roster of the platform's or it does not fit, GradebookError, and OSError.
    """
    given = points_of(folder, assignments)
    make: Callable[[Roster, Sequence[_Column]], bytes] = {
        CANVAS: _for_canvas, MOODLE: _for_moodle, BRIGHTSPACE: _for_brightspace, GRADESCOPE: _for_gradescope,
    }[platform]  # fmt: skip
    together = [given] if platform in (CANVAS, BRIGHTSPACE) else [[each] for each in given]
    made = []
    for several in together:
        who = roster_for(folder, platform, several[0].assignment, roster)
        table = Table(_path(folder, platform, several), b"")
        filled = [_column(folder, who, points, columns or {}, table) for points in several]
        table.content = make(who, filled)
        table.students = sorted({student for column in filled for student, _ in column.of.values()})
        made.append(table)
    return made


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
        }[platform]  # fmt: skip
        why = f"{roster.file} is no such table" if roster else "the class keeps none"
        raise BadRoster(f"{what} says who is who there, and {why}. To do: download it, and name it with --roster")
    return roster


def _path(folder: ClassFolder, platform: str, several: Sequence[Points]) -> Path:
    which = several[0].assignment if len(several) == 1 else "all"
    return folder.exports / f"{platform}-{which}.{'zip' if platform == GRADESCOPE else 'csv'}"


# ---------------------------------------------------------------- whose row


@dataclass(frozen=True)
class _Column:
    """An assignment's points by the roster's people: the column's title there, and number -> (student, points)."""

    title: str
    most: float
    assignment: str
    of: Mapping[str, tuple[str, float]]


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
    found, left_out = dict[str, Person](), list[tuple[str, str]]()
    for student, row in rows.items():
        if isinstance(row, Person) and twice[row.number] == 1:
            found[student] = row
        else:
            why = row if isinstance(row, str) else f"row {row.row} of {roster.file} is also another student's"
            left_out.append((student, f"{points.assignment}: {why}"))
    return found, left_out


def _column(folder: ClassFolder, roster: Roster, points: Points, columns: Mapping[str, str], table: Table) -> _Column:
    rows, left_out = rows_of(folder, roster, points)
    table.left_out += left_out
    of = {row.number: (student, round(points.of[student], 2)) for student, row in rows.items()}
    if silent := len(roster.people) - len(of):
        table.notes.append(f"{points.assignment}: {silent} of {len(roster.people)} in {roster.file} have no points here"
                           " and no row: what they have there stays")  # fmt: skip
    title = _title(roster, points, columns.get(points.assignment, ""), table)
    return _Column(title, points.most, points.assignment, of)


def _title(roster: Roster, points: Points, said: str, table: Table) -> str:
    """What the platform calls an assignment. Raises BadRoster where it is out of other points there."""
    if roster.kind not in (CANVAS, BRIGHTSPACE):
        return points.assignment
    titles = {each: _bare(roster.kind, each) for each in roster.header if _bare(roster.kind, each)}
    wanted = (said or points.assignment).casefold()
    found = [each for each, bare in titles.items() if wanted in (each.casefold(), bare.casefold())]
    found = found or [each for each, bare in titles.items() if wanted in bare.casefold()]
    if len(found) > 1 or (said and not found):
        why = f"{len(found)} columns are" if found else "no column is"
        raise BadRoster(
            f"{roster.file}, row 1: {why} called {said or points.assignment!r}. To do: say which with --column"
            f" '{points.assignment}=TITLE', as it stands there"
        )
    if not found:
        new = points.assignment if roster.kind == CANVAS else f"{points.assignment} Points Grade"
        others = f" (it has {', '.join(map(safe, list(titles)[:5]))})" if titles else ""
        table.notes.append(
            f"{points.assignment}: {roster.file} has no column of that name{others}, so the import offers to make it,"
            f" out of {points.most:g}; where it is there under another title, say --column '{points.assignment}=TITLE'"
        )
        return new
    there = roster.points.get(found[0], "")
    if roster.kind == BRIGHTSPACE and (most := re.search(r"MaxPoints:([0-9.]+)", found[0])):
        there = most[1]
    _same_most(roster, found[0], there, points.most)
    return found[0]


def _bare(kind: str, column: str) -> str:
    """An assignment's title in a column's, "" where the column is none's."""
    if kind == BRIGHTSPACE:
        match = _ITEM.fullmatch(column)
        return match["title"] if match else ""
    match = re.fullmatch(r"(.*) \([0-9]+\)", column)
    return match[1] if match else ""


def _same_most(roster: Roster, where: str, there: str, most: float) -> None:
    """Raises BadRoster where the platform's points are out of another number."""
    try:
        same = not there or abs(float(there.replace(",", ".")) - most) < 0.005
    except ValueError:
        same = True  # "(read only)", or a scale's words: nothing to compare
    if not same:
        raise BadRoster(
            f"{roster.file}: {where} is out of {there}, and here it is out of {most:g}. To do: set the points of that"
            f" assignment to {most:g} on the platform, and download the table again"
        )


# ---------------------------------------------------------------- the files


def _for_canvas(roster: Roster, columns: Sequence[_Column]) -> bytes:
    own = roster.header[: [each.strip().lower() for each in roster.header].index("section") + 1]
    lines = [[*own, *(column.title for column in columns)]]
    lines.append(["    Points Possible", *[""] * (len(own) - 1), *(f"{column.most:g}" for column in columns)])
    for person in roster.people:
        if any(person.number in column.of for column in columns):
            cells = [person.cells[each] if each.strip() == "ID" else no_formula(person.cells[each]) for each in own]
            lines.append([*cells, *(_points(column, person) for column in columns)])
    return _csv(lines)


def _for_moodle(roster: Roster, columns: Sequence[_Column]) -> bytes:
    (column,) = columns
    own = {re.sub(r"[^a-z]", "", each.lower()): each for each in roster.header}
    if "lastmodifiedgrade" not in own:
        raise BadRoster(
            f'{roster.file}, row 1: no column "Last modified (grade)", without which Moodle takes no worksheet'
        )
    kept_columns = [own[each] for each in _WORKSHEET if each in own]
    lines = [kept_columns]
    for person in roster.people:
        if person.number in column.of:
            if "maximumgrade" in own:
                _same_most(roster, f"row {person.row}", person.cells[own["maximumgrade"]].strip(), column.most)
            cells = dict(person.cells) | {own["grade"]: _points(column, person)}
            lines.append(
                [cells[each] if each == own["grade"] else _for_worksheet(cells[each]) for each in kept_columns]
            )
    return _csv(lines)


def _for_worksheet(cell: str) -> str:
    """A cell as a spreadsheet may open it; "-" is how Moodle writes that there is none, and what its import knows."""
    return "-" if cell.strip() in moodle.NONE and cell.strip() else no_formula(cell)


def _for_brightspace(roster: Roster, columns: Sequence[_Column]) -> bytes:
    own = [each for each in roster.header if each.strip().lower() in ("orgdefinedid", "username")]
    lines = [[*own, *(column.title for column in columns), "End-of-Line Indicator"]]
    for person in roster.people:
        if not any(person.number in column.of for column in columns):
            continue
        cells = [person.cells[each] if no_formula(person.cells[each]) == person.cells[each] else "" for each in own]
        if not any(cells):  # it finds the student by these alone, and neither may stand in a spreadsheet
            raise BadRoster(f"{roster.file}, row {person.row}: what is in OrgDefinedId and Username is a formula")
        lines.append([*cells, *(_points(column, person) for column in columns), "#"])
    return _csv(lines)


def _for_gradescope(roster: Roster, columns: Sequence[_Column]) -> bytes:
    (column,) = columns
    points = {"assignment": column.assignment, "most": column.most}
    of = {number: given for number, (_, given) in column.of.items()}
    return zipped(
        {
            "setup.sh": b"#!/usr/bin/env bash\nset -e\ncommand -v python3 || apt-get install -y python3\n",
            "run_autograder": _AUTOGRADER.encode(),
            "points.json": json.dumps(points | {"of": of}, indent=1).encode(),
        },
        runs=("setup.sh", "run_autograder"),
    )


def _points(column: _Column, person: Person) -> str:
    return f"{column.of[person.number][1]:g}" if person.number in column.of else ""


def _csv(lines: Sequence[Sequence[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(lines)
    return text.getvalue().encode()


def zipped(files: Mapping[str, bytes], runs: Sequence[str] = ()) -> bytes:
    """A zip of name -> content, the same bytes for the same files; those that `runs` names can be run."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = (0o100755 if name in runs else 0o100644) << 16
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
    return made.getvalue()
