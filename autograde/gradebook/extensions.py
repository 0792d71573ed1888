"""Who has more time for what: the class's extensions.csv, beside nbgrader's own extensions.

nbgrader can extend only what is handed in already. So an extension is kept in this file, from when it is granted, and
`late` carries it into the gradebook. What is not in the file is left as nbgrader has it. A name that a spreadsheet
would take for a formula has a quote in front in the file.
"""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta

from autograde.files import write_atomically
from autograde.folders import ClassFolder
from autograde.text import guarded, unguarded

COLUMNS = ("student", "assignment", "minutes", "granted")
_LONGEST = 7  # digits of a number of minutes: ten million are 19 years
Extensions = dict[tuple[str, str], timedelta]  # (student, assignment) -> how much more time; none is one taken back


class BadExtensions(ValueError):
    """extensions.csv cannot be read: the file, the row, and what to do."""


def _rows(folder: ClassFolder) -> list[dict[str, str]]:
    """The file's rows, each checked. Raises BadExtensions."""
    path = folder.extensions
    try:
        text = path.read_text("utf-8-sig")
    except FileNotFoundError:
        return []
    except UnicodeDecodeError:
        raise BadExtensions(f"{path} is not written in UTF-8: save it so, or bring it back from a backup") from None
    try:
        reader = csv.DictReader(io.StringIO(text))
        table = [(reader.line_num, row) for row in reader]
    except csv.Error as error:  # a quote that is never closed takes the rest of the file into one cell
        why = f"{path}, row {reader.line_num + 1} cannot be read ({error})"
        raise BadExtensions(f"{why}. To do: mend or remove that row") from None
    if missing := [name for name in COLUMNS[:3] if name not in (reader.fieldnames or ())]:
        raise BadExtensions(f"{path}, row 1 has no column {', '.join(missing)}: its columns are {', '.join(COLUMNS)}")
    rows = []
    for number, row in table:
        minutes = (row["minutes"] or "").strip()
        if not minutes.isdecimal() or len(minutes) > _LONGEST or not row["student"] or not row["assignment"]:
            why = (
                f"minutes must be a whole number from 0 on, of at most {_LONGEST} digits"
                if row["student"] and row["assignment"]
                else "it is cut off"
            )
            raise BadExtensions(f"{path}, row {number}: {why}. To do: mend or remove that row")
        read = {name: (row.get(name) or "").strip() for name in COLUMNS}
        rows.append(read | {"student": unguarded(read["student"])})
    return rows


def read(folder: ClassFolder) -> Extensions:
    """All that are granted; the last row of a student and assignment counts. Raises BadExtensions."""
    return {(row["student"], row["assignment"]): timedelta(minutes=int(row["minutes"])) for row in _rows(folder)}


def grant(folder: ClassFolder, student: str, assignment: str, extra: timedelta) -> None:
    """Writes an extension in place of the one that there was. Raises BadExtensions, and has changed nothing then."""
    rows = [row for row in _rows(folder) if (row["student"], row["assignment"]) != (student, assignment)]
    now = datetime.now(UTC).isoformat(timespec="seconds")
    minutes = str(round(extra.total_seconds() / 60))
    write(folder, [*rows, dict(zip(COLUMNS, (student, assignment, minutes, now), strict=True))])


def write(folder: ClassFolder, rows: list[dict[str, str]]) -> None:
    text = io.StringIO()
    # all in quotes: a spreadsheet that parts lines elsewhere than we do begins no cell within a name
    table = csv.DictWriter(text, COLUMNS, lineterminator="\n", quoting=csv.QUOTE_ALL)
    table.writeheader()
    table.writerows(row | {"student": guarded(row["student"])} for row in rows)
    write_atomically(folder.extensions, text.getvalue())


def forget(folder: ClassFolder, student: str) -> None:
    """Leaves out what is a student's."""
    rows = _rows(folder)
    if any(row["student"] == student for row in rows):
        write(folder, [row for row in rows if row["student"] != student])
