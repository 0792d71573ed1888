"""Collecting with a roster: names and numbers bound to people, groups, provenance, and other chapters' notebooks."""

import json

import pytest

from autograde.intake import provenance
from autograde.intake.collect import collect
from autograde.intake.parse import Contents
from autograde.intake.placing import EARLIER
from autograde.intake.received import receive
from autograde.intake.roster import BadRoster
from autograde.intake.sources import BadSource
from tests.autograde.intake.test_collect import NOTEBOOK, ONE, TWO, actions, folder, intake, there, unpacked, zipped
from tests.autograde.intake.test_roster import CANVAS, GRADESCOPE, MOODLE, SHEET

__all__ = ["folder", "intake"]  # fixtures


@pytest.fixture
def roster(tmp_path):
    """Writes a roster's text to a file."""

    def write(text, name="roster.csv"):
        (tmp_path / name).write_text(text, "utf-8")
        return tmp_path / name

    return write


def answering(assignment):
    """A notebook with a graded cell of an assignment."""
    cell = {"cell_type": "code", "source": "", "metadata": {"nbgrader": {"grade_id": f"{assignment[3:]}-answer"}}}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}).encode()


def test_canvass_numbers_are_bound_to_the_gradebooks_people(tmp_path, folder, roster):
    names = ["lovelaceada_7_100_x.ipynb", "whoever_LATE_8_101_x-1.ipynb", "zoe_9_102_x.ipynb", "anon_aB3dE_103_x.ipynb"]
    source = unpacked(tmp_path / "back", dict.fromkeys(names, NOTEBOOK))
    done = collect(folder, source, TWO, platform="canvas", roster=roster(CANVAS))
    assert set(actions(done)) == {("Ada Lovelace", TWO), ("Charles Babbage", TWO), ("anonymous_aB3dE", TWO)}
    assert done.aside[0][0] == "zoe_9_102_x.ipynb" and "no row of roster.csv has the ID 9" in done.aside[0][1]
    come = provenance.read(folder.submitted / "Charles Babbage" / TWO)
    assert (come["key"], come["name"], come["late"]) == ("8", names[1], True) and come["source"] == str(source)
    # kept: the next source needs no roster
    more = unpacked(tmp_path / "next", {"lovelaceada_7_200_y.ipynb": NOTEBOOK})
    assert actions(collect(folder, more, ONE, platform="canvas")) == {("Ada Lovelace", ONE): "new"}


def test_who_was_collected_before_there_was_a_roster_keeps_the_name(tmp_path, folder, roster):
    source = unpacked(tmp_path / "back", {"lovelaceada_7_100_x.ipynb": NOTEBOOK})
    collect(folder, source, ONE, platform="canvas")
    done = collect(folder, source, TWO, platform="canvas", roster=roster(CANVAS))
    assert set(actions(done)) == {("lovelaceada_7", TWO)}


def test_moodles_worksheet_is_of_one_assignment(tmp_path, folder, roster):
    names = [
        "Ada Lovelace_1234_assignsubmission_file/x.ipynb", "Asa_1235_assignsubmission_file/x.ipynb",
        "Ada Lovelace_99_assignsubmission_file/x.ipynb",
    ]  # fmt: skip
    source, sheet = unpacked(tmp_path / "back", dict.fromkeys(names, NOTEBOOK)), roster(MOODLE)
    with pytest.raises(BadRoster, match="say which with --assignment"):
        collect(folder, source, platform="moodle", roster=sheet)
    done = collect(folder, source, TWO, platform="moodle", roster=sheet)
    assert (
        set(actions(done)) == {("Ada Lovelace", TWO)} and folder.roster(TWO).is_file() and not folder.roster().exists()
    )
    why = dict(done.aside)
    assert "row 3: its number is \"Åsa O'Neil\"'s, not 'Asa'" in why[names[1]]
    assert "no row of roster.csv has the number 99" in why[names[2]]


def test_canvass_test_student_is_put_aside(tmp_path, folder, roster):
    names = ["lovelaceada_7_100_x.ipynb", "studenttest_99_101_x.ipynb"]
    source = unpacked(tmp_path / "back", dict.fromkeys(names, NOTEBOOK))
    for options in ({}, {"roster": roster(CANVAS + '"Student, Test",99,,5d1c,Spring,,\n')}):
        done = collect(folder, source, TWO, platform="canvas", dry_run=True, **options)
        assert len(done.items) == 1 and done.aside[0][0] == names[1]
        assert "Canvas's Test Student, who is nobody in the class" in done.aside[0][1]
    # a person of that name, by a number of the gradebook's
    person = roster(CANVAS + '"Student, Test",99,S99,test,Spring,,\n')
    done = collect(folder, source, TWO, platform="canvas", roster=person)
    assert set(actions(done)) == {("Ada Lovelace", TWO), ("Test Student", TWO)}


def stamps(folder):
    return {path.parts[-3]: path.read_text().strip() for path in folder.submitted.glob("*/*/timestamp.txt")}


def test_a_worksheet_that_came_with_it_says_when_each_was_handed_in(tmp_path, folder, roster):
    names = [f"{who}_{n}_assignsubmission_file/x.ipynb" for n, who in enumerate(("Ada", "Bo", "Di"), 1) if n != 3]
    names.append("Di_4_assignsubmission_file/x.ipynb")
    source = unpacked(tmp_path / "back", dict.fromkeys(names, NOTEBOOK))
    collect(folder, source, ONE, platform="moodle")
    assert not stamps(folder)
    done = collect(folder, source, TWO, platform="moodle", roster=roster(SHEET))
    assert (
        stamps(folder) == {"Ada": "2026-01-30 19:05:00", "Bo": "2026-01-30 00:05:00"} and done.late == []
    )  # its moment is known
    assert "row 5: 'vendredi 30 janvier 2026, 19:05' is no time" in str(done.items)
    come = provenance.read(folder.submitted / "Ada" / TWO)
    assert (come["handed_in"], come["late"]) == ("2026-01-30 19:05:00", True)
    # the one that is kept is of then, and says nothing of what is collected later
    later = unpacked(tmp_path / "later", {names[1]: NOTEBOOK + b" "})
    collect(folder, later, TWO, platform="moodle")
    assert set(stamps(folder)) == {"Ada"}


def test_a_moment_that_is_known_later_replaces_nothing(tmp_path, folder, roster):
    source = unpacked(tmp_path / "back", {"Ada_1_assignsubmission_file/x.ipynb": NOTEBOOK})
    collect(folder, source, TWO, platform="moodle")
    (item,) = collect(folder, source, TWO, platform="moodle", roster=roster(SHEET)).items
    assert item.action == "unchanged" and "it is known now when it came: 2026-01-30 19:05:00" in item.notes
    assert stamps(folder) == {"Ada": "2026-01-30 19:05:00"} and not folder.earlier.exists()
    assert provenance.read(folder.submitted / "Ada" / TWO)["late"]


def test_blind_marking_is_bound_by_the_worksheet(tmp_path, folder, roster):
    names = ["Participant_1234_assignsubmission_file/x.ipynb", "Participant_1235_assignsubmission_file/x.ipynb"]
    source = unpacked(tmp_path / "back", dict.fromkeys(names, NOTEBOOK))
    done = collect(folder, source, ONE, platform="moodle")
    assert set(actions(done)) == {("Participant 1234", ONE), ("Participant 1235", ONE)}
    done = collect(folder, source, TWO, platform="moodle", roster=roster(MOODLE))
    assert set(actions(done)) == {("Ada Lovelace", TWO), ("Åsa O'Neil", TWO)}


def test_a_moodle_group_is_all_its_members(tmp_path, folder, roster):
    sheet = MOODLE.replace("Status,", "Group,").replace('"Submitted for grading - "', "G_1")
    sheet = sheet.replace('"No submission - "', "G_1")
    source = unpacked(tmp_path / "back", {"G 1_17_assignsubmission_file/x.ipynb": NOTEBOOK})
    done = collect(folder, source, TWO, platform="moodle", roster=roster(sheet))
    assert set(actions(done)) == {("Ada Lovelace", TWO), ("Åsa O'Neil", TWO)}


def test_what_was_typed_into_canvas_is_put_down_so_that_its_student_is_told(tmp_path, folder, roster):
    names = {"lovelaceada_7_100_x.ipynb": NOTEBOOK, "babbagecharles_8_text.html": b"<p>my answer</p>"}
    done = collect(folder, unpacked(tmp_path / "back", names), TWO, platform="canvas", roster=roster(CANVAS))
    assert set(actions(done)) == {("Ada Lovelace", TWO), ("Charles Babbage", TWO)} and not done.aside
    item = next(item for item in done.items if item.student == "Charles Babbage")
    assert "a text that was typed into Canvas, and no file" in item.notes
    seen = receive(folder.submitted / "Charles Babbage" / TWO, TWO, lambda data: Contents(None))
    assert seen.reason_for_student == f"There is no notebook in what you handed in (text.html); hand in {TWO}.ipynb."


STAMP = "2026-01-30-15-00-00"
GROUPS = "id,username,name,group\n1,ada,Ada Lovelace,Group 3\n2,bo,Bo Li,Group 3\n3,cy,Cy Ek,Owls\n4,di,Di Ra,\n"
GROUP_NAMES = {
    "blackboard": ("HW_{}_attempt_" + STAMP + "_x.ipynb", "di"),
    "brightspace": ("1-2 - {} - Jan 30, 2026 300 PM/x.ipynb", "Di Ra"),
    "moodle": ("{}_17_assignsubmission_file/x.ipynb", "Di Ra"),
}


@pytest.mark.parametrize("platform", GROUP_NAMES)
def test_a_group_is_all_whom_the_roster_names_in_it(tmp_path, folder, roster, platform):
    form, alone = GROUP_NAMES[platform]
    names = [form.format(who) for who in ("Group 3", "Owls", alone)]
    source = unpacked(tmp_path / "back", dict.fromkeys(names, NOTEBOOK))
    done = collect(folder, source, TWO, platform=platform, roster=roster(GROUPS))
    assert {student for student, _ in actions(done)} == {"Ada Lovelace", "Bo Li", "Cy Ek", "Di Ra"} and not done.aside
    come = provenance.read(folder.submitted / "Bo Li" / TWO)
    assert come["with"] == ["Ada Lovelace"] and come["platform"].lower() == platform
    assert not provenance.read(folder.submitted / "Cy Ek" / TWO)["with"]  # a group of one
    # the group has one more member by the next assignment, and the roster is kept
    more = roster(GROUPS.replace("Ra,", "Ra,Owls"))
    next_one = unpacked(tmp_path / "next", {form.format("Owls"): NOTEBOOK})
    assert set(actions(collect(folder, next_one, ONE, platform=platform, roster=more))) == {
        ("Cy Ek", ONE), ("Di Ra", ONE),
    }  # fmt: skip


@pytest.mark.parametrize("platform", GROUP_NAMES)
@pytest.mark.parametrize("group", ["Group 3", "Project Team 12", "Gruppe B"])
def test_a_group_is_no_student(tmp_path, folder, roster, platform, group):
    source = unpacked(tmp_path / "back", {GROUP_NAMES[platform][0].format(group): NOTEBOOK})
    done = collect(folder, source, TWO, platform=platform)
    assert not done.items
    assert f"'{group}' is called as a group is, and no roster says who is in it. To do: give --roster" in str(
        done.aside
    )
    without = roster("id,username,name\n1,ada,Ada Lovelace\n")
    done = collect(folder, source, TWO, platform=platform, roster=without)
    assert not done.items and f"nobody in roster.csv is called '{group}'" in str(done.aside)
    assert "; for a group, give --roster a table that has a column group" in str(done.aside)


def test_members_of_a_group_keep_the_names_that_the_class_has_for_them(tmp_path, folder, roster):
    for who in ("ada", "bo"):
        alone = unpacked(tmp_path / who, {f"HW_{who}_attempt_{STAMP}_x.ipynb": NOTEBOOK})
        collect(folder, alone, ONE, platform="blackboard")
    source = unpacked(tmp_path / "back", {f"HW_Group 3_attempt_{STAMP}_x.ipynb": NOTEBOOK})
    done = collect(folder, source, TWO, platform="blackboard", roster=roster(GROUPS))
    assert set(actions(done)) == {("ada", TWO), ("bo", TWO)}


def test_a_folder_of_ones_own_may_be_called_by_a_group(tmp_path, folder, roster):
    source = unpacked(tmp_path / "back", {"Group 3/x.ipynb": NOTEBOOK, "di/x.ipynb": NOTEBOOK})
    done = collect(folder, source, TWO, roster=roster(GROUPS))
    assert set(actions(done)) == {("Ada Lovelace", TWO), ("Bo Li", TWO), ("Di Ra", TWO)}


def test_a_groups_name_that_may_be_anothers_is_put_aside(tmp_path, folder, roster):
    source = unpacked(tmp_path / "back", {f"HW_{who}_attempt_{STAMP}_x.ipynb": NOTEBOOK for who in ("di", "Team 1 1")})
    table = GROUPS.replace("Owls", "di").replace("Ra,", "Ra,Team 11").replace("3,", "3,", 1)
    table += "5,ev,Ev Om,Team 1-1\n"  # neither is written as the platform does
    done = collect(folder, source, TWO, platform="blackboard", roster=roster(table))
    assert not done.items
    assert "'di' is a person in roster.csv, and a group in it. To do: " in str(done.aside)
    assert "may be any of the groups 'Team 1-1' (row 6) and 'Team 11' (row 5) of roster.csv" in str(done.aside)


PEOPLE = "id,name\n1,Ada Lovelace\n2,Bo Li\n3,Åsa O'Neil\n4,Jan\n5,Jan\n"


def test_classrooms_names_are_bound_by_the_roster(tmp_path, folder, roster):
    names = [
        f"Ada Lovelace - {TWO}.ipynb", f"{TWO}_bo-li.ipynb", "Asa O\u0308 - Bahdanau.ipynb", f"Copy of {TWO}.ipynb",
        f"{TWO}.ipynb", f"{TWO} (1).ipynb", f"Copy of Bo Li - {TWO}.ipynb", f"Jan - {TWO}.ipynb", "notes.pdf",
        f"Ada Lovelace - Bo Li - {TWO}.ipynb",
    ]  # fmt: skip
    source = zipped(tmp_path / "Bahdanau.zip", {f"Bahdanau/{name}": NOTEBOOK for name in names})
    done = collect(folder, source, platform="classroom", roster=roster(PEOPLE))
    assert set(actions(done)) == {("Ada Lovelace", TWO), ("Bo Li", TWO)}
    why = {name.removeprefix("Bahdanau/"): reason for name, reason in done.aside}
    assert set(why) == set(names[2:])
    assert "nobody in roster.csv is called" in why[names[2]]
    assert 'not say whose it is (Drive writes "Copy of" before what anybody copied). To do: put' in why[names[3]]
    assert all("its name does not say whose it is. To do: put it into" in why[name] for name in names[4:6])
    assert 'Drive writes "Copy of"' in why[names[6]] and "rows 5 and 6 of roster.csv" in why[names[7]]
    assert "neither a notebook nor an archive" in why[names[8]]
    assert "bears those of 'Ada Lovelace' (row 2) and 'Bo Li' (row 3) of roster.csv" in why[names[9]]
    # the roster is kept, and the number is known again
    more = unpacked(tmp_path / "next", {f"ADA LOVELACE - {TWO}.ipynb": NOTEBOOK + b" "})
    assert actions(collect(folder, more, platform="classroom")) == {("Ada Lovelace", TWO): "replaced"}


def test_nothing_in_classroom_is_anybodys_without_a_roster(tmp_path, folder):
    source = unpacked(tmp_path / "back", {f"Ada Lovelace - {TWO}.ipynb": NOTEBOOK})
    done = collect(folder, source, platform="classroom")
    assert (
        not done.items
        and "only a roster says whose it is. To do: give --roster a CSV of your class" in done.aside[0][1]
    )


def test_a_name_that_two_files_bear_in_classroom_is_neithers(tmp_path, folder, roster):
    """A student can give another's name to a file."""
    two = [f"Bo Li - {TWO}.ipynb", f"Bo Li {TWO} final.ipynb", f"{TWO} - Bo Li (1).ipynb"]
    names = [two[0], two[2], f"Ada Lovelace - {TWO}.ipynb", f"Ada Lovelace - {ONE}.ipynb", f"Åsa O'Neil - {TWO}.ipynb"]
    names += ["Åsa O'Neil - mine.ipynb", two[1]]
    source = unpacked(tmp_path / "back", dict.fromkeys(names, NOTEBOOK))
    done = collect(folder, source, platform="classroom", roster=roster(PEOPLE))
    assert set(actions(done)) == {("Ada Lovelace", TWO), ("Ada Lovelace", ONE)}  # one of each assignment
    why = dict(done.aside)
    assert "bear the name of Bo Li, and another may have taken it. To do: " in why[two[0]] == why[two[2]]
    assert "bear the name of Åsa O'Neil" in why[names[4]] == why[names[5]]
    assert "nobody in roster.csv is called" in why[two[1]]


def test_nor_does_a_name_in_classroom_take_the_place_of_what_came_otherwise(tmp_path, folder, roster):
    mine = unpacked(tmp_path / "mine", {f"Ada Lovelace/{TWO}/x.ipynb": NOTEBOOK, f"zoe/{TWO}/x.ipynb": NOTEBOOK})
    collect(folder, mine)
    source = unpacked(tmp_path / "back", {f"Ada Lovelace - {TWO}.ipynb": NOTEBOOK + b" "})
    done = collect(folder, source, platform="classroom", roster=roster(PEOPLE))
    assert not done.items and "two people may be Ada Lovelace" in done.aside[0][1]


LISTED = b"""\
submission_101:
  :submitters:
  - :name: Ada Lovelace
    :sid: '2001'
    :email: ada@example.org
  - :name: Bo Li
    :sid: '2002'
    :email: bo@example.org
  :created_at: 2026-01-30 15:00:00.000000000 Z
submission_102:
  :submitters:
  - :name: Cy
    :sid: '2003'
    :email: cy@example.org
  :created_at: 2026-01-31 15:00:00.000000000 Z
"""


def test_gradescopes_list_says_who_and_a_group_is_each_of_its_members(tmp_path, folder, intake):
    inner = zipped(tmp_path / "i.zip", {"final.ipynb": NOTEBOOK, "provenance.json": b"{}"}).read_bytes()
    files = {
        "assignment_9_export/submission_101/work.zip": inner, "assignment_9_export/submission_102/x.ipynb": NOTEBOOK,
        "assignment_9_export/submission_103/x.ipynb": NOTEBOOK, "assignment_9_export/submission_metadata.yml": LISTED,
    }  # fmt: skip
    source = zipped(tmp_path / "export.zip", files)
    planned = collect(folder, source, TWO, platform="gradescope", dry_run=True, intake=intake)
    done = collect(folder, source, TWO, platform="gradescope", intake=intake)
    assert actions(done) == dict.fromkeys([("Ada Lovelace", TWO), ("Bo Li", TWO), ("Cy", TWO)], "new")
    assert set(actions(planned)) == set(actions(done))
    assert "does not say whose it is" in dict(done.aside)["assignment_9_export/submission_103/x.ipynb"]
    for student, other in (("Ada Lovelace", "Bo Li"), ("Bo Li", "Ada Lovelace")):
        assert (folder.submitted / student / TWO / f"{TWO}.ipynb").read_bytes() == NOTEBOOK
        come = provenance.read(folder.submitted / student / TWO)
        assert come["with"] == [other] and come["name"] == "submission_101" and "2026-01-30" in come["handed_in"]
    assert set(actions(collect(folder, source, TWO, platform="gradescope", intake=intake)).values()) == {"unchanged"}


def test_gradescopes_submitters_are_bound_by_their_address(tmp_path, folder, roster):
    table = GRADESCOPE.replace("Ada,Lovelace", "Augusta,King") + "Bo,L,2002,,Student,\n".replace(",,", ",b@x.org,")
    files = {"submission_101/x.ipynb": NOTEBOOK, "submission_102/x.ipynb": NOTEBOOK, "submission_metadata.yml": LISTED}
    done = collect(folder, unpacked(tmp_path / "b", files), TWO, platform="gradescope", roster=roster(table))
    assert set(actions(done)) == {("Augusta King", TWO), ("Bo L", TWO)}
    assert "nobody in roster.csv is called 'cy@example.org'" in dict(done.aside)["submission_102/x.ipynb"]


@pytest.mark.parametrize(
    ("platform", "name"),
    [
        ("moodle", "2001_5_assignsubmission_file/x.ipynb"),
        ("moodle", "ada@example.org_5_assignsubmission_file/x.ipynb"),
        ("brightspace", "1-2 - 2001 - Jan 30, 2026 300 PM/x.ipynb"),
        ("gradescope", "submission_101/x.ipynb"),
    ],
)
def test_who_calls_herself_by_anothers_number_is_not_that_one(tmp_path, folder, roster, platform, name):
    """What people can call themselves on a platform is no number or address, and on Gradescope no name either."""
    table = roster("id,name,email\n2001,Ada Lovelace,ada@example.org\n")
    hers = LISTED.replace(b"'2001'", b"'9'").replace(b"ada@", b"eve@").split(b"submission_102")[0]
    files = {name: NOTEBOOK} | ({"submission_metadata.yml": hers} if platform == "gradescope" else {})
    done = collect(folder, unpacked(tmp_path / "b", files), TWO, platform=platform, roster=table)
    assert not done.items and "nobody in roster.csv is called" in done.aside[0][1]


def test_two_submissions_of_one_gradescope_person_are_put_aside(tmp_path, folder):
    files = {"submission_101/x.ipynb": NOTEBOOK, "submission_102/x.ipynb": NOTEBOOK}
    files["submission_metadata.yml"] = LISTED.replace(b"cy@", b"bo@").replace(b"Cy", b"Bo Li")
    done = collect(folder, unpacked(tmp_path / "b", files), TWO, platform="gradescope")
    assert not done.items and all("submission_101 and submission_102" in why for _, why in done.aside)


def test_a_damaged_list_stops_with_its_row(tmp_path, folder):
    files = {"submission_101/x.ipynb": NOTEBOOK, "submission_metadata.yml": LISTED[: LISTED.index(b"2002") + 2]}
    with pytest.raises(BadSource, match=r"submission_metadata\.yml: row \d+ is damaged"):
        collect(folder, unpacked(tmp_path / "b", files), TWO, platform="gradescope")
    assert not folder.submitted.exists()


def test_brightspaces_namesakes_need_a_roster(tmp_path, folder, roster):
    files = {
        "1-2 - Ada Lovelace - Jan 30, 2026 300 PM/x.ipynb": NOTEBOOK,
        "1-3 - Ada Lovelace - Jan 31, 2026 900 AM/x.ipynb": NOTEBOOK + b" ",
        "1-4 - Bo - Jan 31, 2026 900 AM/x.ipynb": NOTEBOOK,
    }
    source = unpacked(tmp_path / "back", files)
    done = collect(folder, source, TWO, platform="brightspace")
    assert set(actions(done)) == {("Bo", TWO)} and "who is who with --roster" in done.aside[0][1]
    table = "OrgDefinedId,Last Name,First Name,End-of-Line Indicator\n#1,Lovelace,Ada,#\n#2,,Bo,#\n"
    done = collect(folder, source, TWO, platform="brightspace", roster=roster(table))
    assert actions(done) == {("Ada Lovelace", TWO): "new", ("Bo", TWO): "unchanged"}
    assert (folder.submitted / "Ada Lovelace" / TWO / f"{TWO}.ipynb").read_bytes() == NOTEBOOK + b" "
    (before,) = (folder.earlier / "Ada Lovelace" / TWO).iterdir()
    assert (before / f"{TWO}.ipynb").read_bytes() == NOTEBOOK and EARLIER in dict(done.aside).values()
    assert provenance.read(before)["handed_in"] == "2026-01-30 15:00:00"
    twice = "OrgDefinedId,Last Name,First Name,End-of-Line Indicator\n#1,Lovelace,Ada,#\n#2,Lovelace,Ada,#\n"
    done = collect(folder, source, ONE, platform="brightspace", roster=roster(twice))
    assert not done.items and "may be any of rows 2 and 3 of roster.csv" in done.aside[0][1]


def test_what_is_replaced_is_kept_once(tmp_path, folder):
    for text in (b'"a"', b'"b"', b'"a"', b'"b"'):
        collect(folder, unpacked(tmp_path / "back", {f"ada/{TWO}/x.ipynb": text}))
    kept = sorted(path.read_bytes() for path in (folder.earlier / "ada" / TWO).glob("*/*.ipynb"))
    assert kept == [b'"a"', b'"b"'] and (folder.submitted / "ada" / TWO / f"{TWO}.ipynb").read_bytes() == b'"b"'


def test_another_chapters_notebook_is_put_aside(tmp_path, folder):
    for name in (ONE, TWO):
        folder.released(name).write_bytes(answering(name))
    files = {"ada/x.ipynb": answering(ONE), "bo/x.ipynb": answering(TWO), "cy/x.ipynb": NOTEBOOK}
    done = collect(folder, unpacked(tmp_path / "back", files), TWO)
    assert set(actions(done)) == {("bo", TWO), ("cy", TWO)} and not (folder.submitted / "ada").exists()
    assert done.aside == [
        ("ada/x.ipynb", f"its cells are those of {ONE}, not of {TWO}. To do: collect it with --assignment {ONE}")
    ]


def test_a_wrong_roster_writes_nothing(tmp_path, folder, roster):
    source = unpacked(tmp_path / "back", {"lovelaceada_7_100_x.ipynb": NOTEBOOK})
    with pytest.raises(BadRoster, match=r"roster\.csv, row 4: '7' is there already"):
        collect(
            folder,
            source,
            TWO,
            platform="canvas",
            roster=roster(CANVAS.replace(",8,", ",7,").replace(",,,,,Manual Posting,\n", "")),
        )
    assert not folder.submitted.exists() and not folder.roster().exists() and there(folder) == []


@pytest.mark.parametrize("said", ["ada lovelace", "7", "ADA"])
def test_a_folder_is_named_by_any_name_of_the_rosters(tmp_path, folder, roster, said):
    source = unpacked(tmp_path / "back", {f"{said}/{TWO}/x.ipynb": NOTEBOOK, f"Eve/{TWO}/x.ipynb": NOTEBOOK})
    done = collect(folder, source, roster=roster(CANVAS))
    assert set(actions(done)) == {("Ada Lovelace", TWO)}
    assert "nobody in roster.csv is called 'Eve'" in done.aside[0][1]
