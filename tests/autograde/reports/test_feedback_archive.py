"""Feedback back to the platform: the archive is read again as the platform's importer reads it."""

import io
import json
import re
import zipfile

import nbformat
import pytest

from autograde.intake.collect import collect
from autograde.reports.feedback_archive import archive
from autograde.reports.upload import Upload
from tests.autograde import toy
from tests.autograde.command import run
from tests.autograde.intake.test_collect import NOTEBOOK, unpacked, zipped
from tests.autograde.reports.test_grade_import import MOODLE

PAGE = "<html><body class='x'><main><h1>A toy</h1><style>p{}</style>Good, Åsa</main></body></html>"


def with_pages(folder, tmp_path, platform, files, roster=""):
    """Collects, and writes a page for each student as `feedback` would."""
    path = tmp_path / "roster.csv"
    path.write_text(roster, "utf-8")
    source = unpacked(tmp_path / "back", files)
    done = collect(folder, source, toy.NAME, platform=platform, roster=path if roster else None)
    for item in done.items:
        page = folder.feedback / item.student / toy.NAME / f"{toy.NAME}.html"
        page.parent.mkdir(parents=True)
        page.write_text(PAGE, "utf-8")
    return {item.student for item in done.items}


def opened(made):
    with zipfile.ZipFile(io.BytesIO(made.content)) as file:
        return {name: file.read(name) for name in file.namelist()}


def as_moodle(names):
    """participant -> file, by is_valid_filename_for_import of importziplib.php."""
    found = {}
    for name in names:
        parts = name.split("/")
        while parts:
            info = parts.pop(0).split("_", 4)
            if len(info) < 4 or not info[1].isdecimal():
                continue
            assert info[2:4] == ["assignsubmission", "file"]
            found[int(info[1])] = "/".join([info[4], *parts]).lstrip("/")
            break
    return found


def as_canvas(names):
    """(user or anonymous id, attachment) of each, by infer_comment_context_from_filename of abstract_assignment.rb."""
    found = set()
    for name in names:
        split = [part for part in name.split("_") if part != "LATE"]
        numbers = [part for part in split if re.fullmatch(r"\d+", part)]
        found.add(tuple(split[1:3]) if split[0] == "anon" else tuple(numbers[:2]))
    return found


@pytest.mark.parametrize("roster", ["", MOODLE])
def test_moodles_folders(toy_released, tmp_path, roster):
    names = ["Ada Lovelace_7_assignsubmission_file/x.ipynb", "Åsa ONeil_8_assignsubmission_file_x.ipynb"]
    students = with_pages(toy_released, tmp_path, "moodle", dict.fromkeys(names, NOTEBOOK), roster)
    made = archive(toy_released, "moodle", toy.NAME)
    assert as_moodle(opened(made)) == {7: f"{toy.NAME}.html", 8: f"{toy.NAME}.html"}
    assert set(made.students) == students and set(opened(made).values()) == {PAGE.encode()}


def test_a_moodle_groups_members_are_participants_only_by_the_worksheet(toy_released, tmp_path):
    sheet = MOODLE.replace("Status,", "Group,").replace('"Submitted - "', "G1")
    names = {"G1_17_assignsubmission_file/x.ipynb": NOTEBOOK}
    with_pages(toy_released, tmp_path, "moodle", names, sheet)
    assert set(as_moodle(opened(archive(toy_released, "moodle", toy.NAME)))) == {7, 8, 9}
    toy_released.roster(toy.NAME).unlink()
    made = archive(toy_released, "moodle", toy.NAME)
    assert not made.students and "which participant" in made.left_out[0][1]


def test_canvass_names(toy_released, tmp_path):
    inner = zipped(tmp_path / "i.zip", {"x.ipynb": NOTEBOOK}).read_bytes()
    files = {
        "lovelaceada_LATE_7_100_x_1_2.ipynb": NOTEBOOK, "LATE_anon_aB3dE_101_x.ipynb": NOTEBOOK,
        "bo_8_102_work.zip": inner, "cy_9_103_x.ipynb": NOTEBOOK, "cy_9_104_notes.txt": b"x",
    }  # fmt: skip
    with_pages(toy_released, tmp_path, "canvas", files)
    made = archive(toy_released, "canvas", toy.NAME)
    assert as_canvas(opened(made)) == {("7", "100"), ("aB3dE", "101"), ("8", "102"), ("9", "103")}
    notebook = nbformat.reads(opened(made)["cy_9_103_x.ipynb"].decode(), 4)
    nbformat.validate(notebook)
    shown = notebook.cells[0].outputs[0].data["text/html"]
    assert "Good, Åsa" in shown and "<style" not in shown and "<body" not in shown
    (page,) = opened(type(made)(made.path, opened(made)["bo_8_102_work.zip"])).items()
    assert page == (f"{toy.NAME}.html", PAGE.encode())


def test_brightspaces_folders(toy_released, tmp_path):
    names = [
        "39786-640693 - Ada Lovelace - Jan 30, 2026 300 PM/x.ipynb",
        "39786-640693 - Ada Lovelace - Jan 31, 2026 900 AM/x.ipynb",
        "39787-640694 - Åsa - Li - Jan 1, 2026 1205 AM/a/x.ipynb",
        "39788-640695 - Group 3 - Jan 1, 2026 1205 AM/x.ipynb",
    ]
    roster = "id,name,group\n1,Ada Lovelace,\n2,Åsa - Li,\n3,Bo Li,Group 3\n4,Cy Ek,Group 3\n"
    students = with_pages(toy_released, tmp_path, "brightspace", dict.fromkeys(names, NOTEBOOK), roster)
    made = archive(toy_released, "brightspace", toy.NAME)
    # each by the numbers at the beginning of its folder: of the attempt that was graded
    assert opened(made) == {
        f"{name.split('/')[0]}/{toy.NAME}.html": PAGE.encode() for name in names[1:3]
    }  # fmt: skip
    assert set(made.students) == {"Ada Lovelace", "Åsa - Li"} and set(students) == {*made.students, "Bo Li", "Cy Ek"}
    assert [student for student, _ in made.left_out] == ["Bo Li", "Cy Ek"]
    assert "all of it would see this page. To do: " in made.left_out[0][1]


def test_gradescope_takes_no_feedback_and_that_is_said(toy_released, tmp_path):
    result = run("feedback", "--for", "gradescope", "--class", str(toy_released.root))
    assert result.exit_code == 1 and "no way to upload files of feedback to Gradescope is known. To do: " in " ".join(
        result.output.split()
    )


def test_what_came_from_elsewhere_is_left_out(toy_released, tmp_path):
    with_pages(toy_released, tmp_path, "", {f"ada/{toy.NAME}/x.ipynb": NOTEBOOK})
    come = toy_released.submitted / "ada" / toy.NAME / "provenance.json"
    others = [
        {"platform": "Canvas", "member": ["../../x.ipynb"]},
        {"platform": "Brightspace", "name": "1-2 - ../../x - Jan 30, 2026 300 PM"},
        {"platform": "Brightspace", "name": "ada"},
        {"platform": "Brightspace", "name": 7},
    ]
    for said in (come.read_text(), "[]", "{", *map(json.dumps, others)):
        come.write_text(said)
        for platform in ("moodle", "canvas", "brightspace"):
            made = archive(toy_released, platform, toy.NAME)
            assert not made.students and not opened(made) and made.left_out


def test_the_command_shows_before_it_writes(toy_released, tmp_path):
    with_pages(toy_released, tmp_path, "canvas", {"lovelaceada_7_100_x.ipynb": NOTEBOOK})
    words = ["feedback", "--for", "canvas", "--class", str(toy_released.root), "--dry-run"]
    result = run(*words)
    assert result.exit_code == 0 and "lovelaceada_7_100_x.ipynb" in result.output, result.output
    assert "nothing was written" in result.output and not toy_released.exports.exists()
    result = run(*words[:2], "sakai", *words[3:])
    assert result.exit_code == 1 and "no platform 'sakai'" in result.output


def test_an_assignment_without_pages_keeps_no_other_back(toy_released, monkeypatch):
    later = toy_released.released("01-later")
    later.parent.mkdir()
    later.touch()
    file = toy_released.exports / "pages.zip"
    made = {toy.NAME: Upload(file, b""), "01-later": Upload(file, b"zip", ["ada"])}
    monkeypatch.setattr("autograde.reports.feedback.feedback", lambda folder, name, *_, **__: len(made[name].students))
    monkeypatch.setattr("autograde.reports.feedback_archive.archive", lambda folder, platform, name, _: made[name])
    result = run("feedback", "--for", "moodle", "--class", toy_released.root)
    assert result.exit_code == 0 and "1 student in" in result.output and file.read_bytes() == b"zip"
