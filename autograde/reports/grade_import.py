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

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from autograde.folders import ClassFolder
from autograde.intake.roster import BRIGHTSPACE, CANVAS, GRADESCOPE, BadRoster, Roster
from autograde.intake.whose import safe
from autograde.reports.grade_formats import MAKERS, Column, same_most
from autograde.reports.roster_rows import Points, points_of, roster_for, rows_of
from autograde.reports.upload import Upload

PLATFORMS = tuple(MAKERS)
_ITEM = re.compile(r"(?P<title>.*) Points Grade(?: <(?P<more>.*)>)?")


def tables(
    folder: ClassFolder,
    platform: str,
    assignments: Sequence[str],
    roster: Path | None = None,
    columns: Mapping[str, str] | None = None,
) -> list[Upload]:
    """The files for a platform, one of PLATFORMS: a single one with all assignments, or for Moodle and Gradescope one
    each. `columns` are the platform's titles of assignments, where they do not bear the assignments' names.

    Raises BadRoster where there is no roster of the platform's or it does not fit, GradebookError, and OSError.
    """
    given = points_of(folder, assignments)
    together = [given] if platform in (CANVAS, BRIGHTSPACE) else [[each] for each in given]
    made = []
    for several in together:
        who = roster_for(folder, platform, several[0].assignment, roster)
        upload = Upload(_path(folder, platform, several), b"")
        filled = [_column(folder, who, points, columns or {}, upload) for points in several]
        upload.content = MAKERS[platform](who, filled)
        upload.students = sorted({student for column in filled for student, _ in column.of.values()})
        made.append(upload)
    return made


def _path(folder: ClassFolder, platform: str, several: Sequence[Points]) -> Path:
    which = several[0].assignment if len(several) == 1 else "all"
    return folder.exports / f"{platform}-{which}.{'zip' if platform == GRADESCOPE else 'csv'}"


def _column(folder: ClassFolder, roster: Roster, points: Points, columns: Mapping[str, str], upload: Upload) -> Column:
    rows, left_out = rows_of(folder, roster, points)
    upload.left_out += left_out
    of = {row.number: (student, round(points.of[student], 2)) for student, row in rows.items()}
    if silent := len(roster.people) - len(of):
        who = f"{silent} of {len(roster.people)} in {roster.file}"
        upload.notes.append(f"{points.assignment}: {who} have no points here and no row: what they have there stays")
    title = _title(roster, points, columns.get(points.assignment, ""), upload)
    return Column(title, points.most, points.assignment, of)


def _title(roster: Roster, points: Points, said: str, upload: Upload) -> str:
    """What the platform calls an assignment. Raises BadRoster where it is out of other points there."""
    if roster.kind not in (CANVAS, BRIGHTSPACE):
        return points.assignment
    titles = {each: _bare(roster.kind, each) for each in roster.header if _bare(roster.kind, each)}
    wanted = (said or points.assignment).casefold()
    matches = [each for each, bare in titles.items() if wanted in (each.casefold(), bare.casefold())]
    matches = matches or [each for each, bare in titles.items() if wanted in bare.casefold()]
    if len(matches) > 1 or (said and not matches):
        why = f"{len(matches)} columns are" if matches else "no column is"
        raise BadRoster(
            f"{roster.file}, row 1: {why} called {said or points.assignment!r}. To do: say which with --column"
            f" '{points.assignment}=TITLE', as it stands there"
        )
    if not matches:
        new = points.assignment if roster.kind == CANVAS else f"{points.assignment} Points Grade"
        others = f" (it has {', '.join(map(safe, list(titles)[:5]))})" if titles else ""
        upload.notes.append(
            f"{points.assignment}: {roster.file} has no column of that name{others}, so the import offers to make it,"
            f" out of {points.most:g}; where it is there under another title, say --column '{points.assignment}=TITLE'"
        )
        return new
    there = roster.points.get(matches[0], "")
    if roster.kind == BRIGHTSPACE and (most := re.search(r"MaxPoints:([0-9.]+)", matches[0])):
        there = most[1]
    same_most(roster, matches[0], there, points.most)
    return matches[0]


def _bare(kind: str, column: str) -> str:
    """An assignment's title in a column's, "" where the column is none's."""
    if kind == BRIGHTSPACE:
        match = _ITEM.fullmatch(column)
        return match["title"] if match else ""
    match = re.fullmatch(r"(.*) \([0-9]+\)", column)
    return match[1] if match else ""
