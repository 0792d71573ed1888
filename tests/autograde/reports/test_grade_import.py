"""Grades back to the platform: collected, entered, exported, and read again as the platform reads the file."""

import csv
import io
import json
import subprocess
import sys
import zipfile

import pandas
import pytest

from autograde.gradebook import store
from autograde.intake.collect import collect
from autograde.intake.roster import BadRoster
from autograde.reports.export import export
from autograde.reports.grade_import import tables
from autograde.reports.upload import Upload
from tests.autograde import toy
from tests.autograde.command import run, said
from tests.autograde.intake.test_collect import NOTEBOOK, unpacked

GIVEN = {"Ada Lovelace": 9.0, "Åsa O'Neil": 4.5, "=HYPERLINK(1)": 0.0}
CANVAS = f"""\
Student,ID,SIS User ID,SIS Login ID,Section,Note,Homework (77),{toy.NAME} (4321),Final Score
    Points Possible,,,,,,5,9.00,(read only)
"Lovelace, Ada",7,S7,ada,Spring,x,3,,
"O'Neil, Åsa",8,S8,=asa,Spring,,,,
=HYPERLINK(1),9,S9,h,Spring,,,1,
"Quiet, Quentin",10,S10,q,Spring,,4,5,
"""
MOODLE = """\
Identifier,"Full name","Email address",Status,Grade,"Maximum Grade","Last modified (grade)","Feedback comments"
"Participant 7","Ada Lovelace",a@x.org,"Submitted - ",,9.00,-,
"Participant 8","Åsa O'Neil",o@x.org,"Submitted - ",,9.00,-,=1+1
"Participant 9",=HYPERLINK(1),h@x.org,"Submitted - ",,9.00,-,
"Participant 10","Quentin Quiet",q@x.org,"No submission - ",,9.00,-,
"""
BRIGHTSPACE = f"""\
OrgDefinedId,Username,Last Name,First Name,{toy.NAME} Points Grade <Numeric MaxPoints:9 Weight:10>,End-of-Line Indicator
#7,=ada,Lovelace,Ada,,#
#8,asa,O'Neil,Åsa,,#
#9,h,,=HYPERLINK(1),,#
#10,q,Quiet,Quentin,3,#
"""
GRADESCOPE = """\
First Name,Last Name,SID,Email,Role
Ada,Lovelace,7,Ada@x.org,Student
Åsa,O'Neil,8,o@x.org,Student
=HYPERLINK(1),,9,h@x.org,Student
Quentin,Quiet,10,q@x.org,Student
"""
LISTED = b"".join(
    b"submission_%d:\n  :submitters:\n  - :name: X\n    :email: %s\n" % each
    for each in ((1, b"ada@X.org"), (2, b"o@x.org"), (3, b"h@x.org"))
)
# platform -> its roster, and the names under which the three handed in
FORMS = {
    "canvas": (CANVAS, ["lovelaceada_7_1_x.ipynb", "oneilsa_8_2_x.ipynb", "hyperlink1_9_3_x.ipynb"]),
    "moodle": (
        MOODLE,
        [f"{name}_assignsubmission_file/x.ipynb" for name in ("Ada Lovelace_7", "Åsa ONeil_8", "=HYPERLINK(1)_9")],
    ),
    "brightspace": (
        BRIGHTSPACE,
        [f"1-{n} - {name} - Jan 30, 2026 300 PM/x.ipynb" for n, name in enumerate(GIVEN)],
    ),
    "gradescope": (GRADESCOPE, ["submission_1/x.ipynb", "submission_2/x.ipynb", "submission_3/x.ipynb"]),
}


def enter(folder, points, waiting=()):
    """Enters submissions and points as a person would give them."""
    with store.open_gradebook(folder) as book:
        for student, total in points.items():
            book.update_or_create_student(student)
            with book.db.no_autoflush:
                submission = book.update_or_create_submission(toy.NAME, student)
            grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
            for grade in grades:
                most = grade.max_score
                grade.manual_score, total = min(most, total), total - min(most, total)
                grade.needs_manual_grade = student in waiting
        book.db.commit()


@pytest.fixture
def given_back(toy_released, tmp_path):
    """A function that collects a class of three from a platform, with its roster, and enters their points."""

    def collected(platform, roster=""):
        text, names = FORMS[platform]
        path = tmp_path / "roster.csv"
        path.write_text(roster or text, "utf-8")
        files = dict.fromkeys(names, NOTEBOOK) | (
            {"submission_metadata.yml": LISTED} if platform == "gradescope" else {}
        )
        done = collect(toy_released, unpacked(tmp_path / "back", files), toy.NAME, platform=platform, roster=path)
        assert {item.student for item in done.items} == set(GIVEN), done.aside
        enter(toy_released, GIVEN)
        return toy_released

    return collected


def read_as(platform, table, tmp_path):
    """number -> points, as an independent reader of the platform's format finds them."""
    if platform == "gradescope":
        return {
            f"{n}": run_in_gradescope(table, tmp_path / mail, mail)
            for n, mail in ((7, "ADA@x.org"), (8, "o@x.org"), (9, "h@x.org"))
        }
    lines = list(csv.reader(io.StringIO(table.content.decode(), newline="")))
    head, lines = lines[0], lines[1:]
    assert all(len(line) == len(head) for line in lines)
    if platform == "canvas":  # header?, process_pp and process_student of lib/gradebook_importer.rb
        assert "Student" in head[0] and "ID" in head[1] and head[4] == "Section" and head[5:] == [f"{toy.NAME} (4321)"]
        assert "Points Possible" in lines[0][0] and float(lines[0][5]) == 9
        return {line[1]: float(line[5]) for line in lines[1:]}
    if platform == "moodle":  # init and next of importgradeslib.php
        who, grade = head.index("Identifier"), head.index("Grade")
        assert "Last modified (grade)" in head and "Feedback comments" not in head
        return {line[who][len("Participant") :].strip(): float(line[grade]) for line in lines}
    assert head[-1] == "End-of-Line Indicator" and all(line[-1] == "#" for line in lines)
    return {line[head.index("OrgDefinedId")].lstrip("#"): float(line[2]) for line in lines}


def run_in_gradescope(table, work, *mails):
    """What the autograder in the archive says of a submission of these, or None where it fails."""
    with zipfile.ZipFile(io.BytesIO(table.content)) as archive:
        archive.extractall(work / "source")
        assert archive.getinfo("run_autograder").external_attr >> 16 & 0o111 and "setup.sh" in archive.namelist()
    users = [{"email": mail, "id": 1, "name": "X"} for mail in mails]
    (work / "submission_metadata.json").write_text(json.dumps({"users": users}))
    done = subprocess.run([sys.executable, "source/run_autograder"], cwd=work, capture_output=True, timeout=60)
    return json.loads((work / "results/results.json").read_text())["score"] if done.returncode == 0 else None


@pytest.mark.parametrize("platform", FORMS)
def test_round_trip(given_back, tmp_path, platform):
    folder = given_back(platform)
    (table,) = tables(folder, platform, [toy.NAME])
    assert read_as(platform, table, tmp_path) == {"7": 9.0, "8": 4.5, "9": 0.0}
    assert not table.left_out and table.students == sorted(GIVEN)
    if platform != "gradescope":
        cells = [cell for line in csv.reader(io.StringIO(table.content.decode())) for cell in line]
        assert not [
            cell for cell in cells if cell.startswith(("=", "+", "@")) or (cell.startswith("-") and cell != "-")
        ]
    assert any(
        "1 of 4 in rosters/class.csv" in note or f"1 of 4 in rosters/{toy.NAME}.csv" in note for note in table.notes
    )


def test_pandas_reads_the_same(given_back):
    (table,) = tables(given_back("canvas"), "canvas", [toy.NAME])
    frame = pandas.read_csv(io.BytesIO(table.content), skiprows=[1])
    assert dict(zip(frame["ID"], frame[f"{toy.NAME} (4321)"], strict=True)) == {7: 9.0, 8: 4.5, 9: 0.0}


def test_a_group_of_gradescopes_has_points_only_where_all_have_the_same(given_back, tmp_path):
    (table,) = tables(given_back("gradescope"), "gradescope", [toy.NAME])
    assert run_in_gradescope(table, tmp_path / "a", "ada@x.org", "o@x.org") is None
    assert run_in_gradescope(table, tmp_path / "b", "nobody@x.org") is None
    assert run_in_gradescope(table, tmp_path / "c", "ada@x.org", "ADA@x.org ") == 9.0


def test_the_summary_knows_by_the_roster_who_handed_nothing_in(given_back):
    from autograde.reports.summary import summary

    assert summary(given_back("canvas"), toy.NAME).missing == ["Quentin Quiet"]


def test_who_waits_for_a_person_and_who_is_nobody_is_left_out(given_back):
    folder = given_back("canvas")
    enter(folder, {"Åsa O'Neil": 3.0, "Stranger": 2.0}, waiting=["Åsa O'Neil"])
    (table,) = tables(folder, "canvas", [toy.NAME])
    assert table.students == ["=HYPERLINK(1)", "Ada Lovelace"]
    why = dict(table.left_out)
    assert (
        "waits for a person" in why["Åsa O'Neil"]
        and "nobody in rosters/class.csv is called 'Stranger'" in why["Stranger"]
    )


def test_who_was_collected_without_a_roster_is_found_by_the_platforms_number(toy_released, tmp_path):
    source = unpacked(tmp_path / "back", {"lovelaceada_7_1_x.ipynb": NOTEBOOK})
    collect(toy_released, source, toy.NAME, platform="canvas")
    enter(toy_released, {"lovelaceada_7": 2.0})
    with pytest.raises(BadRoster, match=r"Canvas's gradebook says who is who there, and the class keeps none"):
        tables(toy_released, "canvas", [toy.NAME])
    (tmp_path / "grades.csv").write_text(CANVAS, "utf-8")
    (table,) = tables(toy_released, "canvas", [toy.NAME], tmp_path / "grades.csv")
    assert list(csv.reader(io.StringIO(table.content.decode())))[2] == [
        "Lovelace, Ada",
        "7",
        "S7",
        "ada",
        "Spring",
        "2",
    ]


def test_one_who_took_anothers_name_before_there_was_a_worksheet_gets_no_row_of_hers(toy_released, tmp_path):
    names = ["Ada Lovelace_99_assignsubmission_file/x.ipynb"]
    collect(toy_released, unpacked(tmp_path / "back", dict.fromkeys(names, NOTEBOOK)), toy.NAME, platform="moodle")
    enter(toy_released, {"Ada Lovelace": 9.0})
    (tmp_path / "sheet.csv").write_text(MOODLE, "utf-8")
    (table,) = tables(toy_released, "moodle", [toy.NAME], tmp_path / "sheet.csv")
    assert table.left_out == [("Ada Lovelace", f"{toy.NAME}: no row of sheet.csv has the number 99")]


def test_a_name_that_is_anothers_number_gets_none_of_their_points(toy_released, tmp_path):
    """Collected from Moodle, where people may call themselves as they like, and exported for another platform."""
    names = ["7_1_assignsubmission_file/x.ipynb", "O'Neil Åsa_2_assignsubmission_file/x.ipynb"]
    collect(toy_released, unpacked(tmp_path / "back", dict.fromkeys(names, NOTEBOOK)), toy.NAME, platform="moodle")
    enter(toy_released, {"7": 9.0, "O'Neil Åsa": 1.0})
    (tmp_path / "grades.csv").write_text(CANVAS, "utf-8")
    (table,) = tables(toy_released, "canvas", [toy.NAME], tmp_path / "grades.csv")
    assert not table.students and [student for student, _ in table.left_out] == ["7", "O'Neil Åsa"]


@pytest.mark.parametrize(
    ("platform", "before", "now", "why"),
    [
        ("canvas", ",9.00,", ",10,", r"00-toy \(4321\) is out of 10, and here it is out of 9"),
        ("moodle", ",9.00,", ",100.00,", r"row 2 is out of 100\.00, and here it is out of 9"),
        ("brightspace", "MaxPoints:9", "MaxPoints:20", r"is out of 20, and here it is out of 9"),
        ("moodle", '"Last modified (grade)"', "Modified", r"row 1: no column \"Last modified \(grade\)\""),
        ("canvas", "Homework (77)", f"Old {toy.NAME} (77)", None),
    ],
)
def test_what_does_not_fit_stops(given_back, platform, before, now, why):
    folder = given_back(platform, FORMS[platform][0].replace(before, now))
    if why is None:  # the very title counts before one that holds it
        assert tables(folder, platform, [toy.NAME])[0].students
        return
    with pytest.raises(BadRoster, match=why):
        tables(folder, platform, [toy.NAME])


def test_a_column_of_another_title_is_said(given_back):
    folder = given_back("canvas", CANVAS.replace(f"{toy.NAME} (4321)", "Week two (4321)"))
    (table,) = tables(folder, "canvas", [toy.NAME])
    assert any("no column of that name (it has Homework (77), Week two (4321))" in note for note in table.notes)
    assert any("the import offers to make it, out of 9" in note for note in table.notes)
    (table,) = tables(folder, "canvas", [toy.NAME], columns={toy.NAME: "Week two"})
    assert table.content.decode().splitlines()[0].endswith(",Section,Week two (4321)")
    with pytest.raises(BadRoster, match="no column is called 'Week three'"):
        tables(folder, "canvas", [toy.NAME], columns={toy.NAME: "Week three"})


@pytest.mark.parametrize("platform", FORMS)
def test_the_classs_own_table_has_whom_only_the_roster_names(given_back, platform):
    folder = given_back(platform)
    target, count = export(folder)
    table = list(csv.DictReader(io.StringIO(target.read_text("utf-8-sig"), newline="")))
    assert count == len(table) == 4 and [row["handed_in"] for row in table] == ["yes", "yes", "yes", "no"]
    absent = table[3]
    assert "Quentin" in absent["last_name"] and (absent["score"], absent["max_score"]) == ("0.0", table[0]["max_score"])
    named = export(folder, folder.root.parent / "other.csv", ["no such assignment"])
    assert named[1] == 0


def command(folder, *words):
    result = run(*words, "--class", folder.root)
    return result.exit_code, said(result)


def test_where_nobodys_points_can_go_into_any_file_that_is_said(toy_released, monkeypatch):
    left = [("ada", "waits")]
    files = [Upload(toy_released.exports / f"moodle-{number}.csv", b"", left_out=left) for number in (1, 2)]
    monkeypatch.setattr("autograde.reports.grade_import.tables", lambda *_: files)
    result = run("export", "--for", "moodle", "--class", toy_released.root)
    assert result.exit_code == 1 and "Left out: ada, waits" in result.output and "nobody's points" in said(result)


def test_the_command_shows_before_it_writes(given_back, tmp_path):
    folder = given_back("canvas")
    code, said = command(folder, "export", "--for", "canvas", "--dry-run")
    assert code == 0 and "(nothing was written)" in said and '"Lovelace, Ada",7' in said and not folder.exports.exists()
    code, said = command(folder, "export", "--for", "canvas")
    assert code == 0 and (folder.exports / f"canvas-{toy.NAME}.csv").is_file() and "3 students in" in said
    assert command(folder, "export", "--for", "canvas", "--to", str(tmp_path / "x.csv"))[0] == 0
    link, shared = tmp_path / "link.csv", tmp_path / "shared.csv"
    link.symlink_to(shared)  # written through, as the class's own table is
    assert command(folder, "export", "--for", "canvas", "--to", str(link))[0] == 0
    assert link.is_symlink() and shared.read_bytes() == (tmp_path / "x.csv").read_bytes()
    assert (tmp_path / "x.csv").read_bytes() == (folder.exports / f"canvas-{toy.NAME}.csv").read_bytes()
    for words, why in (
        (["--for", "sakai"], "no platform 'sakai'"),
        (["--roster", "x.csv"], "go with --for"),
        (["--for", "moodle"], "says who is who there"),
        (["--for", "canvas", "--column", "x"], "names no title"),
        (["--for", "canvas", "--to", str(folder.config)], "belongs to the class"),
        (["--for", "canvas", "--to", "-"], "name a file with --to"),
    ):
        code, said = command(folder, "export", *words)
        assert code == 1 and why in said, said
