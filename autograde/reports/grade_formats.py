"""The files that platforms import grades from, one form each; what is known of the forms stands in `grade_import`."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from autograde.intake.platforms import moodle
from autograde.intake.roster import BRIGHTSPACE, CANVAS, GRADESCOPE, MOODLE, BadRoster, Person, Roster
from autograde.text import no_formula
from autograde.wheel import zipped

_WORKSHEET = (
    "identifier", "fullname", "idnumber", "emailaddress", "status", "group", "grade", "maximumgrade",
    "lastmodifiedsubmission", "lastmodifiedgrade",
)  # fmt: skip
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
class Column:
    """An assignment's points by the roster's people: the column's title there, and number -> (student, points)."""

    title: str
    most: float
    assignment: str
    of: Mapping[str, tuple[str, float]]


def same_most(roster: Roster, where: str, there: str, most: float) -> None:
    """Raises BadRoster where the platform's points are out of another number."""
    try:
        same = not there or abs(float(there.replace(",", ".")) - most) < 0.005
    except ValueError:
        same = True  # "(read only)", or a scale's words: nothing to compare
    if not same:
        raise BadRoster(
            f"{roster.file}: {where} is out of {there}, and here it is out of {most:g}. To do: set the points of that"
            f" assignment to {most:g} on the platform, download the table again, and give it with --roster"
        )


def _for_canvas(roster: Roster, columns: Sequence[Column]) -> bytes:
    own = roster.header[: [each.strip().lower() for each in roster.header].index("section") + 1]
    lines = [[*own, *(column.title for column in columns)]]
    lines.append(["    Points Possible", *[""] * (len(own) - 1), *(f"{column.most:g}" for column in columns)])
    for person in roster.people:
        if any(person.number in column.of for column in columns):
            cells = [person.cells[each] if each.strip() == "ID" else no_formula(person.cells[each]) for each in own]
            lines.append([*cells, *(_points(column, person) for column in columns)])
    return _csv(lines)


def _for_moodle(roster: Roster, columns: Sequence[Column]) -> bytes:
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
                same_most(roster, f"row {person.row}", person.cells[own["maximumgrade"]].strip(), column.most)
            cells = dict(person.cells) | {own["grade"]: _points(column, person)}
            lines.append(
                [cells[each] if each == own["grade"] else _for_worksheet(cells[each]) for each in kept_columns]
            )
    return _csv(lines)


def _for_worksheet(cell: str) -> str:
    """A cell as a spreadsheet may open it; "-" is how Moodle writes that there is none, and what its import knows."""
    return "-" if cell.strip() in moodle.NONE and cell.strip() else no_formula(cell)


def _for_brightspace(roster: Roster, columns: Sequence[Column]) -> bytes:
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


def _for_gradescope(roster: Roster, columns: Sequence[Column]) -> bytes:
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


def _points(column: Column, person: Person) -> str:
    return f"{column.of[person.number][1]:g}" if person.number in column.of else ""


def _csv(lines: Sequence[Sequence[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(lines)
    return text.getvalue().encode()


MAKERS: dict[str, Callable[[Roster, Sequence[Column]], bytes]] = {
    CANVAS: _for_canvas, MOODLE: _for_moodle, GRADESCOPE: _for_gradescope, BRIGHTSPACE: _for_brightspace,
}  # fmt: skip
