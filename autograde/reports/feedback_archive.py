"""`autograde feedback --for`: the archive that a platform's bulk upload takes, under the names that it gave.

- Moodle, mod/assign/feedback/file/importziplib.php in its source: a folder for each, called
  "name_participant_assignsubmission_file_", of which the number finds the student.
- Canvas, `infer_comment_context_from_filename` in app/models/abstract_assignment.rb: a file under the name that it was
  downloaded by, of which the person's and the upload's numbers count. Canvas shows it to the student under the uploaded
  file's own name, whatever is in it: so the page goes into a notebook where a notebook was handed in, and into a zip
  where a zip was.
- Brightspace, "Add Feedback Files" on an assignment's submissions: a folder for each, called as in the download, of
  which the number at the beginning finds the submission; each becomes a draft of feedback. D2L describes no form: it is
  the one of a public program that was run against a Brightspace (`build_feedback_docs_zip` of its cqc_cpcc).

For Gradescope nothing was found: its guides tell of no upload of files as feedback, only of what its own graders and
autograders say.

The names come from `provenance.json`, which `collect` leaves beside each submission.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from autograde.folders import ClassFolder
from autograde.intake import provenance
from autograde.intake.people import People
from autograde.intake.platforms import brightspace, canvas
from autograde.intake.roster import BRIGHTSPACE, CANVAS, GRADESCOPE, MOODLE, Person, Roster
from autograde.intake.roster_file import kept, read
from autograde.reports.roster_rows import person_of
from autograde.reports.upload import Upload
from autograde.wheel import zipped

PLATFORMS = (MOODLE, CANVAS, BRIGHTSPACE)
NONE = {GRADESCOPE: "no way to upload files of feedback to Gradescope is known. To do: hand out the pages in feedback/"}


def archive(folder: ClassFolder, platform: str, assignment: str, roster: Path | None = None) -> Upload:
    """The archive of an assignment's feedback pages for a platform, one of PLATFORMS. Raises BadRoster and OSError."""
    who = read(roster) if roster else kept(folder, assignment, platform)
    people, files = People(folder), dict[str, bytes]()
    made = Upload(folder.exports / f"feedback-{platform}-{assignment}.zip", b"")
    for path in sorted(folder.feedback.glob(f"*/{assignment}/{assignment}.html")):
        student, page = path.parts[-3], path.read_bytes()
        content: bytes | None = page
        come = provenance.read(folder.submitted / student / assignment)
        if platform == MOODLE:
            name = _for_moodle(folder, people, who, student, assignment, come)
        elif platform == BRIGHTSPACE:
            if come.get("with"):
                made.left_out.append((student, f"{assignment}: {_GROUP}"))
                continue
            name = _for_brightspace(come, assignment)
        else:
            name, content = _for_canvas(come, assignment, page)
        if content is None or not name:
            made.left_out.append((student, f"{assignment}: {_WHY[platform]}"))
            continue
        if name in files:
            made.left_out.append((student, f"{assignment}: another student's has the same name there, {name}"))
            continue
        files[name] = content
        made.students.append(student)
    made.content = zipped(files)
    made.notes += list(files)
    return made


_WHY = {
    MOODLE: "nothing says which participant of Moodle's it is: give the worksheet with --roster",
    CANVAS: "it was not collected from Canvas as a notebook or a zip, so it has no name there",
    BRIGHTSPACE: "it was not collected from Brightspace's download, so it has no folder there",
}
_GROUP = (
    "a group has one folder in Brightspace, and all of it would see this page. To do: hand each their page in feedback/"
)


def _for_moodle(
    folder: ClassFolder, people: People, roster: Roster | None, student: str, assignment: str, come: dict
) -> str:
    """The page's name in Moodle's archive, "" where nobody knows the participant's number."""
    person = person_of(folder, people, roster, student, assignment) if roster and roster.kind == MOODLE else ""
    name, number = student, ""
    if isinstance(person, Person):
        name, number = person.name, person.number
    elif come.get("platform") == "Moodle" and not come.get("with"):
        number = str(come.get("key", ""))
    if not re.fullmatch(r"[0-9]+", number):
        return ""
    name = re.sub(r"[_/\\\x00-\x1f]", " ", name).strip(" .~") or "Participant"
    return f"{name}_{number}_assignsubmission_file_/{assignment}.html"


def _for_brightspace(come: dict, assignment: str) -> str:
    """The page's name in Brightspace's archive, "" where the submission has no folder of Brightspace's."""
    name = come.get("name")
    if come.get("platform") != "Brightspace" or not isinstance(name, str) or re.search(r"[/\\\x00-\x1f]", name):
        return ""
    given = any(any(scheme.matches(name, True)) for scheme in brightspace.SCHEMES)
    return f"{name}/{assignment}.html" if given else ""


def _for_canvas(come: dict, assignment: str, page: bytes) -> tuple[str, bytes | None]:
    """(the page's name in Canvas's archive, what stands under it), or nothing where it can have none."""
    members = come.get("member")
    if come.get("platform") != "Canvas" or not isinstance(members, list):
        return "", None
    for name in sorted(map(str, members), key=lambda name: not name.lower().endswith(".ipynb")):
        if not any(any(scheme.matches(name, False)) for scheme in canvas.SCHEMES):
            continue
        if name.lower().endswith(".ipynb"):
            return name, _as_notebook(page)
        if name.lower().endswith(".zip"):
            return name, zipped({f"{assignment}.html": page})
    return "", None


def _as_notebook(page: bytes) -> bytes:
    """A notebook that shows the page, and in which nothing is to be run."""
    text = page.decode("utf-8")
    body = re.search(r"<body[^>]*>(.*)</body>", text, re.DOTALL)
    visible = re.sub(r"<(style|svg)\b.*?</\1>", "", body[1] if body else text, flags=re.DOTALL)
    output = {"output_type": "display_data", "metadata": {}, "data": {"text/html": visible, "text/plain": "Feedback"}}
    cell: dict[str, Any] = {"cell_type": "code", "id": "feedback", "execution_count": None, "metadata": {}}
    cell |= {"source": "", "outputs": [output]}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}
    return (json.dumps(notebook, ensure_ascii=False, indent=1) + "\n").encode()
