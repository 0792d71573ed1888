"""The file of a class's roster: a table that binds a platform's names and numbers to people, read whole or not at all.

Which platform's it is, its header says (`KINDS`). The forms are those of:

- Canvas's gradebook, lib/gradebook_exporter.rb in its source: Student (or LastName, FirstName), ID, SIS Login ID,
  Section, a row "Points Possible", and one for the Test Student, who is nobody;
- Moodle's grading worksheet of one assignment, mod/assign/gradingtable.php in its source: Identifier ("Participant
  1234") and Grade, in English. Its numbers hold for that assignment alone; Status and "Last modified (submission)" say
  when each came;
- Gradescope's roster: First Name and Last Name (or Name), Email, and SID where there are numbers, as its guide "Adding
  Students and Staff" says;
- Brightspace's export of grades, D2L's "Importing grades": OrgDefinedId or Username, and End-of-Line Indicator;
- any table with a column id, and name, last_name and first_name, email or username as far as there are.

In each of them a column Group may say in which group somebody hands in, as Moodle's worksheet does.

The file is the instructor's own, but students chose their names in it: cells are text, and nothing more is made of
them.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from autograde.folders import ClassFolder
from autograde.intake.people import folded, student_id
from autograde.intake.platforms import canvas, moodle
from autograde.intake.roster import BRIGHTSPACE, CANVAS, GRADESCOPE, MOODLE, PLAIN, BadRoster, Person, Roster
from autograde.intake.whose import safe

MAX_BYTES = 64 << 20
# kind -> columns that it must have, of each group one: written as `_column` leaves them
KINDS = {
    CANVAS: (("student", "lastname"), ("id",), ("sisloginid",), ("section",)),
    MOODLE: (("identifier",), ("grade",)),
    BRIGHTSPACE: (("orgdefinedid", "username"), ("endoflineindicator",)),
    GRADESCOPE: (("email",), ("name", "fullname", "firstname"), ("sid", "role")),
    PLAIN: (("id",),),
}
_LOOKS = {
    CANVAS: "Canvas's gradebook: Student, ID, SIS Login ID, Section",
    MOODLE: "Moodle's grading worksheet, downloaded in English: Identifier, Grade",
    GRADESCOPE: "Gradescope's roster: Name or First Name, Email, SID",
    BRIGHTSPACE: "Brightspace's grades: OrgDefinedId or Username, End-of-Line Indicator",
    PLAIN: "a table of your own: id, name, email, group",
}
_NUMBER = {CANVAS: "id", MOODLE: "identifier", GRADESCOPE: "email", BRIGHTSPACE: "orgdefinedid", PLAIN: "id"}
_LOGINS = ("sisloginid", "username", "login", "sisuserid", "sid", "idnumber", "orgdefinedid", "studentid")
_CANVASES = {"student", "sisloginid"}  # no table of one's own has these
_SEPARATORS = (",", ";", "\t")


def read(path: Path) -> Roster:
    """The roster in a file. Raises BadRoster where any of it is not as it should be, and OSError."""
    text, name = _text(path), safe(path.name)
    separator, columns = _header(text, name)
    rows = _rows(text, name, separator)
    header = tuple(cell.strip() for cell in rows[0][1])
    kind = _kind(columns, name)
    if twice := [column for column, count in Counter(columns).items() if count > 1 and column in _used(kind)]:
        raise BadRoster(f"{name}, row 1: there are two columns {twice[0]!r}. To do: take one of them out")
    people, points, nobody = list[Person](), dict[str, str](), ""
    for row, cells in rows[1:]:
        if len(cells) != len(header):
            more = "the file is cut off there, or a cell has a separator in it" if len(cells) < len(header) else ""
            why = f" ({more})" if more else " (a cell with a separator in it needs quotes)"
            raise BadRoster(f"{name}, row {row}: {len(cells)} cells, and the header has {len(header)}{why}")
        by_column = dict(zip(columns, (cell.strip() for cell in cells), strict=True))
        of_file = dict(zip(header, cells, strict=True))
        if kind == CANVAS and "points possible" in cells[0].lower():
            points = of_file
        elif kind == CANVAS and _is_test_student(by_column):
            nobody = by_column["id"]
        elif not (kind == CANVAS and _only_notes(cells)) and by_column.get("role", "").lower() in ("", "student"):
            people.append(_person(kind, by_column, of_file, row, name))
    if not people:
        raise BadRoster(f"{name}, row {len(rows) + 1}: there is nobody in it")
    _each_once(people, name)
    return Roster(name, kind, header, tuple(_named_apart(people)), points, nobody)


def _text(path: Path) -> str:
    name, data = safe(path.name), path.read_bytes()
    if len(data) > MAX_BYTES:
        raise BadRoster(f"{name} has {len(data) >> 20} MB: no roster is as large")
    if data.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise BadRoster(f"{name}, row 1: this is a workbook. To do: save the sheet as CSV UTF-8, and give that file")
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        row = data[: error.start].count(b"\n") + 1
        raise BadRoster(
            f"{name}, row {row}: a letter is not written in UTF-8. To do: save it as CSV UTF-8, or download it again"
        ) from None
    if "\0" in text:
        row = text[: text.index("\0")].count("\n") + 1
        raise BadRoster(f"{name}, row {row}: there is a character of value zero, which no table has")
    if not text.strip():
        raise BadRoster(f"{name}, row 1: the file is empty")
    return text


def _header(text: str, name: str) -> tuple[str, list[str]]:
    """(what parts the cells, the header as `_column` leaves it): that under which most of a known header is seen."""
    lines = text.lstrip("\r\n").splitlines()

    def recognized(separator: str) -> int:
        columns = [_column(cell) for cell in next(csv.reader([lines[0]], delimiter=separator), [])]
        return sum(any(column in groups for groups in sum(KINDS.values(), ())) for column in columns)

    separator = max(_SEPARATORS, key=recognized)
    return separator, [_column(cell) for cell in _rows(text, name, separator)[0][1]]


def _rows(text: str, name: str, separator: str) -> list[tuple[int, list[str]]]:
    """(line in the file, cells) of each row that is not empty."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows, begins = list[tuple[int, list[str]]](), 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append((begins, cells))
            begins = reader.line_num + 1
    except csv.Error as error:
        why = "a quote is opened and never closed: the file is cut off" if "end of data" in str(error) else str(error)
        raise BadRoster(f"{name}, row {begins}: {why}. To do: download it again") from None
    return rows


def _column(cell: str) -> str:
    return re.sub(r"[^a-z]", "", cell.lower())


def _kind(columns: Iterable[str], name: str) -> str:
    there = set(columns)
    for kind, wanted in KINDS.items():
        if all(there & set(group) for group in wanted) and not (kind == PLAIN and there & _CANVASES):
            return kind
    kind = max(KINDS, key=lambda kind: sum(bool(there & set(group)) for group in KINDS[kind]))
    lacking = [" or ".join(group) for group in KINDS[kind] if not there & set(group)]
    looks = "; ".join(_LOOKS.values())
    raise BadRoster(f"{name}, row 1: no column {', '.join(lacking)}. A roster is one of these: {looks}")


def _used(kind: str) -> set[str]:
    return {column for group in KINDS[kind] for column in group} | {"email", "emailaddress", "group", *_LOGINS}


def _only_notes(cells: list[str]) -> bool:
    """Whether a row of Canvas's only says which assignments are muted or posted by hand."""
    return all(re.fullmatch(r"\s*(?:Muted|Manual Posting.*)?\s*", cell, re.IGNORECASE) for cell in cells)


def _is_test_student(of: Mapping[str, str]) -> bool:
    """Whether a row of Canvas's is the Test Student's, whom no school gave a number."""
    name = of["student"] if "student" in of else f"{of.get('lastname', '')}, {of.get('firstname', '')}"
    return name == canvas.TEST_STUDENT and not of.get("sisuserid")


def _person(kind: str, of: Mapping[str, str], cells: Mapping[str, str], row: int, file: str) -> Person:
    number, where = of.get(_NUMBER[kind], ""), _NUMBER[kind]
    if kind == MOODLE:
        match = re.fullmatch(r"\D*(\d+)", number)
        number = match[1] if match else ""
    elif kind == BRIGHTSPACE:
        number, where = number.removeprefix("#") or of.get("username", "").removeprefix("#"), "orgdefinedid or username"
        if of["endoflineindicator"] != "#":
            raise BadRoster(f"{file}, row {row}: it does not end in #: the file is cut off. To do: export it again")
    elif kind == CANVAS and not number.isdecimal():
        number = ""
    if not number:
        raise BadRoster(f"{file}, row {row}: nothing that can be read in the column {where}")
    if kind == GRADESCOPE:
        number = number.casefold()
    first, last = of.get("firstname", ""), of.get("lastname", "")
    name = of.get("fullname") or of.get("name") or f"{first} {last}".strip()
    if kind == CANVAS and "student" in of:
        last, _, first = of["student"].partition(", ")
        name = f"{first} {last}".strip()
    name = name or (of["identifier"] if kind == MOODLE else "")  # blind marking
    email = of.get("email") or of.get("emailaddress") or ""
    logins = tuple(dict.fromkeys(of[column].removeprefix("#") for column in _LOGINS if of.get(column)))
    student = student_id(name) or student_id(number)
    when, why = "", ""
    late = kind == MOODLE and moodle.is_late(of.get("status", ""))
    if kind == MOODLE:
        try:
            when = moodle.moment(of.get("lastmodifiedsubmission", ""))
        except ValueError as error:
            why = f"{file}, row {row}: {error}, so its moment is not known"
    return Person(student, name or number, number, email, logins, of.get("group", ""), row, cells, when, late, why)


def _each_once(people: list[Person], file: str) -> None:
    rows: dict[str, int] = {}
    for person in people:
        if (before := rows.setdefault(person.number, person.row)) != person.row:
            raise BadRoster(
                f"{file}, row {person.row}: {safe(person.number)!r} is there already, in row {before}. To do: take one"
                " of them out"
            )


def _named_apart(people: list[Person]) -> list[Person]:
    """Those of one name with what tells them apart behind it: an address or a number of their own."""
    names = Counter(folded(person.student) for person in people)
    made = []
    for person in people:
        student = person.student
        if names[folded(student)] > 1:
            student = student_id(f"{student} ({person.email or next(iter(person.logins), '') or person.number})")
        made.append(replace(person, student=student))
    return made


# ---------------------------------------------------------------- kept in the class


def kept(folder: ClassFolder, assignment: str, kind: str = "") -> Roster | None:
    """The roster that the class keeps for an assignment: Moodle's worksheet of it, or else the one for all. Raises
    BadRoster."""
    for path in (folder.roster(assignment), folder.roster()):
        if path.is_file():
            roster = read_kept(path)
            if kind in ("", roster.kind):
                return roster
    return None


def read_kept(path: Path) -> Roster:
    """A roster of the class's own, called as it lies there. Raises BadRoster."""
    try:
        roster = read(path)
    except BadRoster as error:
        mend = "mend it in the class's folder, or give `autograde collect` a newer one with --roster"
        todo = "" if "To do:" in str(error) else f". To do: {mend}"
        raise BadRoster(f"rosters/{error}{todo}") from None
    return replace(roster, file=f"rosters/{roster.file}")


def place_of(folder: ClassFolder, roster: Roster, assignment: str) -> Path:
    """Where a roster is kept. Raises BadRoster for a worksheet of no assignment."""
    if roster.kind != MOODLE:
        return folder.roster()
    if not assignment:
        raise BadRoster(f"{roster.file} is Moodle's worksheet of one assignment. To do: say which with --assignment")
    return folder.roster(assignment)


def without(path: Path, rows: Collection[int]) -> str:
    """A roster's text without these rows, each with the lines that its cells take; UTF-8."""
    text, name = _text(path), safe(path.name)
    separator, _ = _header(text, name)
    begins = [row for row, _ in _rows(text, name, separator)]
    lines, kept = io.StringIO(text, newline="").readlines(), list[str]()
    for row, following in zip(begins, [*begins[1:], len(lines) + 1], strict=True):
        kept += lines[row - 1 : following - 1] if row not in rows else []
    return "".join(kept)
