"""Rosters: each platform's own, read whole or refused with the file, the row and what to do."""

import pytest

from autograde.folders import ClassFolder
from autograde.intake.roster import BadRoster
from autograde.intake.roster_file import kept, read

CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,02-bahdanau (4321),Final Score
,,,,,Manual Posting,
    Points Possible,,,,,28.0,(read only)
"Lovelace, Ada",7,S7,ada,Spring,,
"Babbage, Charles",8,S8,cb,Spring,12.00,
"""
MOODLE = """\
Identifier,"Full name","ID number","Email address",Status,Grade,"Maximum Grade","Last modified (grade)"
"Participant 1234","Ada Lovelace",2001,ada@example.org,"Submitted for grading - ",,28.00,-
"Participant 1235","Åsa O'Neil",2002,asa@example.org,"No submission - ",,28.00,-
"""
GRADESCOPE = (
    "First Name,Last Name,SID,Email,Role,Section\nAda,Lovelace,2001,Ada@Example.org,Student,A\nT,A,,ta@e.org,TA,\n"
)
BRIGHTSPACE = "OrgDefinedId,Username,Last Name,First Name,End-of-Line Indicator\n#2001,#ada,Lovelace,Ada,#\n"
PLAIN = "id,name,email\n2001,Ada Lovelace,ada@example.org\n"


def written(tmp_path, text, encoding="utf-8"):
    path = tmp_path / "roster.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
    return path


@pytest.mark.parametrize(
    ("text", "kind", "student", "number"),
    [
        (CANVAS, "canvas", "Ada Lovelace", "7"),
        (MOODLE, "moodle", "Ada Lovelace", "1234"),
        (GRADESCOPE, "gradescope", "Ada Lovelace", "ada@example.org"),
        (BRIGHTSPACE, "brightspace", "Ada Lovelace", "2001"),
        (PLAIN, "plain", "Ada Lovelace", "2001"),
        (CANVAS.replace("Student,", "LastName,FirstName,").replace('"Lovelace, Ada"', "Lovelace,Ada")
         .replace('"Babbage, Charles"', "Babbage,Charles").replace(",,,,,Manual", ",,,,,,Manual")
         .replace("Possible,", "Possible,,"), "canvas", "Ada Lovelace", "7"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["as it is", "with a mark", "semicolons", "tabs", "utf-16", "line ends"])
def test_each_platforms_own(tmp_path, text, kind, student, number, form):
    encoding = {"with a mark": "utf-8-sig", "utf-16": "utf-16"}.get(form, "utf-8")
    if form in ("semicolons", "tabs") and '", ' not in text and ", " not in text:
        text = text.replace(",", ";" if form == "semicolons" else "\t")
    roster = read(written(tmp_path, text.replace("\n", "\r\n") if form == "line ends" else text, encoding))
    first = roster.people[0]
    assert (roster.kind, first.student, first.number) == (kind, student, number)
    assert first.row == text[: text.index("Ada")].count("\n") + 1 and "T A" not in [p.name for p in roster.people]


@pytest.mark.parametrize("head", ["Student,ID,SIS User ID", "LastName,FirstName,ID,SIS User ID"])
def test_canvass_test_student_is_nobody(tmp_path, head):
    names = ['"Lovelace, Ada"', '"Student, Test"', '"Student, Test"']
    if head.startswith("Last"):
        names = [name.strip('"').replace(", ", ",") for name in names]
    rows = [f"{names[0]},7,S7,ada,Spring", f"{names[1]},99,,5d1c,Spring", f"{names[2]},8,S8,test,Spring"]
    roster = read(written(tmp_path, f"{head},SIS Login ID,Section\n" + "\n".join(rows)))
    # a person of that name has a number of the school's
    assert [each.number for each in roster.people] == ["7", "8"] and roster.nobody == "99"


SHEET = """\
Identifier,"Full name",Status,Grade,"Maximum Grade","Last modified (submission)","Last modified (grade)"
"Participant 1",Ada,"Submitted for grading - 1 hour 5 mins late",-,28.00,"Friday, 30 January 2026, 7:05 PM",'-
"Participant 2",Bo,"Submitted for grading - Graded",5.00,28.00,"Friday, January 30, 2026, 12:05\u202fAM",-
"Participant 3",Cy,"No submission - Assignment is overdue by: 2 days late",,28.00,'-,'-
"Participant 4",Di,"Submitted for grading",,28.00,"vendredi 30 janvier 2026, 19:05",-
"""


def test_moodles_worksheet_says_when_each_came(tmp_path):
    ada, bo, cy, di = read(written(tmp_path, SHEET)).people
    assert (ada.when, ada.late, ada.why) == ("2026-01-30 19:05:00", True, "")
    assert (bo.when, bo.late) == ("2026-01-30 00:05:00", False)
    assert (cy.when, cy.late, cy.why) == ("", False, "")
    assert di.when == "" and "roster.csv, row 5: 'vendredi 30 janvier 2026, 19:05' is no time" in di.why


def test_canvass_points_and_columns_are_kept(tmp_path):
    roster = read(written(tmp_path, CANVAS))
    assert roster.points["02-bahdanau (4321)"] == "28.0" and len(roster.people) == 2
    assert roster.people[1].cells["02-bahdanau (4321)"] == "12.00"


def test_namesakes_have_something_behind_their_name(tmp_path):
    text = "id,name,email\n1,Jan Novák,jan@example.org\n2,Jan  NOVÁK,\n3,Eva,\n"
    assert [p.student for p in read(written(tmp_path, text)).people] == [
        "Jan Novák (jan@example.org)",
        "Jan NOVÁK (2)",
        "Eva",
    ]


def test_a_person_is_found_by_number_address_or_name(tmp_path):
    roster = read(written(tmp_path, MOODLE))
    for word in ("1234", "2001", "ADA@example.org", "ada lovelace"):
        assert roster.called(word).row == 2, word
    assert roster.called("Asa ONeil") == "nobody in roster.csv is called 'Asa ONeil'"
    assert roster.exactly("", "2001").row == roster.named("Ada LOVELACE").row == 2
    assert isinstance(roster.named("2001"), str) and isinstance(roster.exactly("Ada Lovelace"), str)
    assert roster.called("ÅSA ONeil").row == 3  # as a platform writes it that leaves the sign out
    twice = read(written(tmp_path, "id,name\n1,Jan\n2,jan\n"))
    assert "rows 2 and 3 of roster.csv" in twice.called("Jan")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "row 1: the file is empty"),
        ("\n \n", "row 1: the file is empty"),
        (b"PK\x03\x04" + b"x" * 50, "row 1: this is a workbook"),
        ("Name,Grade\nAda,1\n", "row 1: no column id"),
        (MOODLE.replace("Grade,", "Note,", 1), "row 1: no column grade"),
        (CANVAS.replace("Section", "Group"), "row 1: no column section"),
        ("id,name\n", "row 2: there is nobody"),
        ("id,id,name\n1,2,Ada\n", "row 1: there are two columns 'id'"),
        ("id,name\n1,Ada\n\n1,Bo\n", "row 4: '1' is there already, in row 2"),
        ("id,name\n1,Ada\n,Bo\n", "row 3: nothing that can be read in the column id"),
        (CANVAS.replace(",8,", ",eight,"), "row 5: nothing that can be read in the column id"),
        (MOODLE.replace("Participant 1235", "Participant"), "row 3: nothing that can be read in the column identifier"),
        ("id,name\n1,Ada\n2\n", "row 3: 1 cells, and the header has 2 .the file is cut off"),
        ("id,name\n1,Ada,x\n", "row 2: 3 cells"),
        ('id,name\n1,"two\nlines"\n2,"Bo\n', "row 4: a quote is opened and never closed"),
        (BRIGHTSPACE[:-3] + "\n", "row 2: .*cut off"),
        ("id,name\n1,Åsa\n".encode("latin-1"), "row 2: a letter is not written in UTF-8"),
        ("id,name\n1,A\0da\n", "row 2: there is a character of value zero"),
    ],
)
def test_a_wrong_roster_names_its_file_and_row(tmp_path, text, why):
    with pytest.raises(BadRoster, match=rf"roster\.csv, {why}"):
        read(written(tmp_path, text))


def test_a_wrong_roster_of_the_classs_own_says_where_it_lies_and_what_to_do(tmp_path):
    folder = ClassFolder.at(tmp_path)
    folder.roster().parent.mkdir()
    for text, why in (
        ("", "row 1: the file is empty. To do: mend it in the class's folder, or give `autograde collect` a newer one"),
        (b"\xff", "row 1: a letter is not written in UTF-8. To do: save it as CSV UTF-8, or download it again"),
    ):
        folder.roster().write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises(BadRoster) as error:
            kept(folder, "02-bahdanau")
        assert str(error.value).startswith(f"rosters/class.csv, {why}") and str(error.value).count("To do:") == 1
    folder.roster().write_text(PLAIN)
    assert kept(folder, "02-bahdanau").file == "rosters/class.csv"
