"""Collecting: who handed in what, from every layout that is known, and nothing that a hostile archive wants."""

import contextlib
import errno
import gzip
import io
import re
import shlex
import shutil
import stat
import tarfile
import time
import unicodedata
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from autograde.folders import ClassFolder, nameable
from autograde.intake import jail, parse, people, provenance, received, sources, submissions, unpack
from autograde.intake.collect import collect
from autograde.intake.intake import Intake
from autograde.intake.people import student_id
from autograde.intake.placing import EARLIER
from autograde.intake.platforms.gradescope import LIST
from autograde.intake.provenance import PROVENANCE
from autograde.intake.sources import BadSource
from autograde.intake.whose import UNSAID
from autograde.ledger import Ledger, LedgerBusy
from tests.autograde.intake.test_whose import (
    EVERY,
    OWN,
    TITLES,
    WHO,
    blackboard,
    by_assignment,
    canvas,
    canvas_late,
    folders,
    gradescope,
    moodle,
    moodle_flat,
    nbgrader,
    saying,
    truth,
)

ONE, TWO = "01-seq2seq", "02-bahdanau"
NOTEBOOK = b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code", "source": "x = 1"}]}'


@pytest.fixture
def folder(tmp_path):
    """A class in which two assignments are released."""
    root = tmp_path / "class"
    for name in (ONE, TWO):
        (root / "release" / name).mkdir(parents=True)
        (root / "release" / name / f"{name}.ipynb").write_bytes(NOTEBOOK)
    return ClassFolder.at(root)


@pytest.fixture(scope="module")
def intake():
    """One for many collections: a jail takes its time to start."""
    with Intake() as one:
        yield one


def zipped(path, files):
    """A zip of name -> content; a content may also be (ZipInfo, bytes)."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(*(content if isinstance(content, tuple) else (name, content)))
    return path


def tarred(path, files):
    with tarfile.open(path, "w:gz" if path.suffix in (".gz", ".tgz") else "w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


def unpacked(path, files):
    for name, content in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)
    return path


def collect_mine(folder, source, assignment="", **more):
    """Collects what the instructor says bears the students' names."""
    return collect(folder, source, assignment, platform="folders", **more)


def there(folder):
    """What lies in submissions/ of what was handed in, as relative names."""
    files = (p for p in folder.submitted.rglob("*") if not p.is_dir() and p.name != PROVENANCE)
    return sorted(str(p.relative_to(folder.submitted)) for p in files)


def actions(done):
    return {(item.student, item.assignment): item.action for item in done.items}


def fill_the_disk(monkeypatch):
    """From now on nothing more can be written of what is collected."""

    class Full(io.FileIO):
        def write(self, data):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(unpack, "open", lambda path, mode: Full(path, mode.strip("b")), raising=False)


MADE = {"zip": zipped, "tar": tarred, "tar.gz": tarred, "tgz": tarred, "folder": unpacked}


PLATFORMS_OWN = [
    ["ada_11_assignsubmission_file_/02-bahdanau.ipynb", "bob_12_assignsubmission_file/x.ipynb"],
    ["ada_11_assignsubmission_file_02-bahdanau.ipynb", "bob_12_assignsubmission_file_x.ipynb"],
    ["HW 2_ada_attempt_2026-01-30-15-00-00_x.ipynb", "HW 2_bob_attempt_2026-01-30-16-00-00_y.ipynb"],
]
IN_FOLDERS = [
    ["ada/02-bahdanau/02-bahdanau.ipynb", "bob/02-bahdanau/final.ipynb"],
    ["ada/02-bahdanau.ipynb", "bob/02-bahdanau (1).ipynb"],
]
SAID = [
    ["02-bahdanau/ada/02-bahdanau.ipynb", "02-bahdanau/bob.ipynb"],
    ["ada.ipynb", "bob.ipynb"],
    ["ada_02-bahdanau.ipynb", "02-bahdanau-bob.ipynb"],
]


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("files", [*PLATFORMS_OWN, *IN_FOLDERS, *SAID], ids=lambda files: files[0])
def test_known_layouts(tmp_path, folder, kind, files):
    """A folder of the instructor's folders goes through without a word, all else with one: whose the names are."""
    source = MADE[kind](tmp_path / f"back.{kind}", dict.fromkeys(files, NOTEBOOK))
    if files in PLATFORMS_OWN:
        done = collect(folder, source, TWO, platform="moodle" if "assignsubmission" in files[0] else "blackboard")
    elif files in SAID or kind != "folder":
        done = collect_mine(folder, source, TWO)
    else:
        done = collect(folder, source, TWO)
    assert actions(done) == {("ada", TWO): "new", ("bob", TWO): "new"} and not done.aside
    notebooks = [name for name in there(folder) if not name.endswith("timestamp.txt")]
    assert notebooks == [f"{who}/{TWO}/{TWO}.ipynb" for who in ("ada", "bob")]
    assert received.receive(folder.submitted / "ada" / TWO, TWO).notebook is not None


@pytest.mark.parametrize("kind", ["zip", "tar.gz", "folder"])
@pytest.mark.parametrize("round_it", ["a course", "submissions"])
@pytest.mark.parametrize("inner", ["{}/02-bahdanau/x.ipynb", "{}/x.ipynb", "{}.ipynb"])
def test_a_folder_round_the_class_is_asked_about_and_can_be_named(tmp_path, folder, kind, inner, round_it):
    files = [f"{round_it}/{inner.format(student)}" for student in ("ada", "bob")]
    source = MADE[kind](tmp_path / f"back.{kind}", dict.fromkeys(files, NOTEBOOK))
    done = collect_mine(folder, source, TWO)
    assert not done.items and done.aside
    assert all(f"collect what is in it (SOURCE/{round_it})" in why for _, why in done.aside)
    done = collect_mine(folder, source / round_it, TWO)
    assert actions(done) == {("ada", TWO): "new", ("bob", TWO): "new"} and not done.aside
    assert there(folder) == [f"{who}/{TWO}/{TWO}.ipynb" for who in ("ada", "bob")]
    with pytest.raises(BadSource, match=r"no folder|does not exist"):
        collect_mine(folder, source / "another", TWO)


def test_canvas_names_the_person_and_who_is_late(tmp_path, folder):
    names = ["lovelaceada_7_100_02-bahdanau.ipynb", "babbagecharles_LATE_8_101_02-bahdanau-1.ipynb", "x_9_text.html"]
    source = zipped(tmp_path / "submissions.zip", dict.fromkeys(names, NOTEBOOK))
    done = collect(folder, source, platform="canvas")
    assert actions(done) == {("babbagecharles_8", TWO): "new", ("lovelaceada_7", TWO): "new"}
    assert done.late == ["babbagecharles_8"] and [name for name, _ in done.aside] == ["x_9_text.html"]


def test_no_number_of_names_hides_that_it_came_late(tmp_path):
    """There were more of them than was read: it was of nobody then, and not late."""
    names = [f"eve_LATE_2_{n}_{'😀' * 900}.txt" for n in range(3_000)] + ["eve_LATE_2_1_x.ipynb"]
    provenance.write(tmp_path, provenance.Provenance("s.zip", names, "Canvas", "2", "eve_LATE_2", "eve_2", late=True))
    come = provenance.read(tmp_path)
    assert come["late"] is True and come["key"] == "2" and come["member"][0] == "eve_LATE_2_1_x.ipynb"


def test_two_people_of_one_name_are_never_mixed(tmp_path, folder):
    names = ["Jan Novák_1_assignsubmission_file_/a.ipynb", "Jan Novák_2_assignsubmission_file_/a.ipynb"]
    names += ["Eva_3_assignsubmission_file_/a.ipynb", "Eva_3_assignsubmission_onlinetext_/onlinetext.html"]
    done = collect(folder, zipped(tmp_path / "m.zip", dict.fromkeys(names, NOTEBOOK)), TWO, platform="moodle")
    assert actions(done) == {("Eva", TWO): "new"}
    assert len(done.aside) == 3 and "two people would be Jan Novák (1, 2)" in done.aside[-1][1]


def test_of_several_attempts_the_last_counts_and_its_time_is_kept(tmp_path, folder):
    files = {f"HW_ada_attempt_2026-01-{day}-15-00-00_x.ipynb": NOTEBOOK + b" " * day for day in (30, 28, 31, 29)}
    files["HW_ada_attempt_2026-01-31-15-00-00.txt"] = b"Name: Ada"
    done = collect(folder, zipped(tmp_path / "b.zip", files), TWO, platform="blackboard")
    assert (folder.submitted / "ada" / TWO / f"{TWO}.ipynb").read_bytes().count(b" ") - NOTEBOOK.count(b" ") == 31
    assert (folder.submitted / "ada" / TWO / "timestamp.txt").read_text() == "2026-01-31 15:00:00\n"
    assert [why for _, why in done.aside].count(EARLIER) == 3


def test_nbgraders_timestamps_are_kept_and_what_a_student_says_is_not(tmp_path, folder):
    when = b"2026-02-01 12:00:00.5 UTC"
    inner = zipped(tmp_path / "inner.zip", {"x.ipynb": NOTEBOOK, "timestamp.txt": b"1999-01-01"}).read_bytes()
    files = {"ada/02-bahdanau/x.ipynb": NOTEBOOK, "ada/02-bahdanau/timestamp.txt": when}
    files |= {"bob/02-bahdanau/x.ipynb": NOTEBOOK, "bob/02-bahdanau/timestamp.txt": b"\xff soon"}
    files |= {"cy/02-bahdanau/in.zip": inner}
    done = collect(folder, unpacked(tmp_path / "back", files))
    assert [name for name in there(folder) if "timestamp" in name] == [f"ada/{TWO}/timestamp.txt"]
    assert (folder.submitted / "ada" / TWO / "timestamp.txt").read_bytes().strip() == when
    assert [name for name, _ in done.aside] == ["bob/02-bahdanau/timestamp.txt"]
    moodle = {f"Eva_3_assignsubmission_file_/{name}": when for name in ("timestamp.txt", " timestamp.txt", "x.ipynb")}
    collect(folder, zipped(tmp_path / "m.zip", moodle), TWO, platform="moodle")
    assert not (folder.submitted / "Eva" / TWO / "timestamp.txt").exists()


def test_again_changes_nothing_and_a_new_version_replaces_the_whole(tmp_path, folder):
    first = zipped(tmp_path / "1.zip", {"ada/02-bahdanau/x.ipynb": NOTEBOOK, "ada/02-bahdanau/data.csv": b"1"})
    second = zipped(tmp_path / "2.zip", {"ada/02-bahdanau/x.ipynb": NOTEBOOK + b" "})
    wanted = {("ada", TWO): "new"}
    assert actions(collect_mine(folder, first, dry_run=True)) == wanted and not folder.submitted.exists()
    assert [actions(collect_mine(folder, first))["ada", TWO] for _ in range(2)] == ["new", "unchanged"]
    assert actions(collect_mine(folder, second, dry_run=True)) == {("ada", TWO): "replaced if it differs"}
    assert actions(collect_mine(folder, second)) == {("ada", TWO): "replaced"}
    assert there(folder) == [f"ada/{TWO}/{TWO}.ipynb"]


def test_an_older_version_never_replaces_a_newer(tmp_path, folder):
    for day, action in (("02", "new"), ("01", "older"), ("03", "replaced")):
        files = {"ada/02-bahdanau/x.ipynb": NOTEBOOK + day.encode()}
        files["ada/02-bahdanau/timestamp.txt"] = f"2026-02-{day} 12:00:00 UTC".encode()
        assert actions(collect(folder, unpacked(tmp_path / day, files))) == {("ada", TWO): action}
    assert (folder.submitted / "ada" / TWO / f"{TWO}.ipynb").read_bytes().endswith(b"03")


def test_a_stamp_added_by_hand_stays_with_its_file_and_is_missed_when_another_comes(tmp_path, folder):
    def download(data):
        return zipped(tmp_path / "m.zip", {"Eva_3_assignsubmission_file_/x.ipynb": data})

    collect(folder, download(NOTEBOOK), TWO, platform="moodle")
    stamp = folder.submitted / "Eva" / TWO / "timestamp.txt"
    stamp.write_text("2026-02-04 21:05:00\n")
    assert actions(collect(folder, download(NOTEBOOK), TWO, platform="moodle")) == {("Eva", TWO): "unchanged"}
    assert stamp.read_text() == "2026-02-04 21:05:00\n"
    [item] = collect(folder, download(NOTEBOOK + b" "), TWO, platform="moodle").items
    assert item.action == "replaced" and not stamp.exists()
    assert any("timestamp.txt" in note and "earlier/" in note for note in item.notes)


def test_a_collection_killed_between_its_two_steps_is_put_right(tmp_path, folder):
    source = zipped(tmp_path / "1.zip", {"bob/02-bahdanau/x.ipynb": NOTEBOOK})
    submission = folder.submitted / "ada" / f".{TWO}.replaced"
    unpacked(submission, {"x.ipynb": NOTEBOOK})
    unpacked(folder.submitted / "bob" / f".{TWO}.coming", {"x.ipynb": b"half"})
    collect_mine(folder, source)
    assert there(folder) == [f"ada/{TWO}/x.ipynb", f"bob/{TWO}/{TWO}.ipynb"]


def test_nothing_changes_while_a_run_is_grading(tmp_path, folder):
    source = zipped(tmp_path / "1.zip", {"bob/02-bahdanau/x.ipynb": NOTEBOOK})
    with Ledger(folder.ledger).alone(), pytest.raises(LedgerBusy):
        collect_mine(folder, source)
    assert not folder.submitted.exists()


# --- which assignment, whose ----------------------------------------------------------------------------------------


def test_the_assignment_is_told_by_folder_then_option_then_file_then_source(tmp_path, folder):
    files = {"ada/01-seq2seq.ipynb": NOTEBOOK, "ada/Copy of 02-bahdanau.ipynb": NOTEBOOK, "bob/work.ipynb": NOTEBOOK}
    done = collect_mine(folder, zipped(tmp_path / "back.zip", files))
    assert set(actions(done)) == {("ada", ONE), ("ada", TWO)}
    assert done.aside == [("bob/work.ipynb", "of which assignment? Say --assignment")]
    done = collect_mine(folder, zipped(tmp_path / "Course-02-bahdanau-77.zip", files), dry_run=True)
    assert set(actions(done)) == {("ada", ONE), ("ada", TWO), ("bob", TWO)}
    files = {"ada/01-seq2seq/x.ipynb": NOTEBOOK, "bob/02-bahdanau/x.ipynb": NOTEBOOK}
    done = collect_mine(folder, zipped(tmp_path / "c.zip", files), TWO, dry_run=True)
    assert set(actions(done)) == {("bob", TWO)} and done.aside[0][1] == f"of {ONE}, not of {TWO}"


def test_a_file_that_names_nobody_asks_whose_it_is(tmp_path, folder):
    names = ["02-bahdanau.ipynb", "02-bahdanau (1).ipynb", "notes.pdf"]
    done = collect(folder, unpacked(tmp_path / "back", dict.fromkeys(names, NOTEBOOK)))
    assert not done.items and len(done.aside) == 3 and "whose it is" in done.aside[0][1]
    assert "does not say whose" in collect(folder, tmp_path / "back" / "02-bahdanau.ipynb").aside[0][1]


def test_a_submission_without_a_notebook_is_kept_so_that_its_student_is_told(tmp_path, folder):
    empty = zipped(tmp_path / "empty.zip", {"notes.pdf": b"%PDF"}).read_bytes()
    files = {"ada/02-bahdanau/notes.pdf": b"%PDF", "bob/02-bahdanau/all.zip": empty, "cy/02-bahdanau/all.rar": b"Rar!"}
    files |= {"di/02-bahdanau/damaged.zip": empty[: len(empty) // 2], "ed/02-bahdanau/bomb.tgz": b"\x1f\x8bno"}
    done = collect(folder, unpacked(tmp_path / "back", files))
    assert set(actions(done).values()) == {"new"} and len(done.items) == 5
    for student, reason in (("ada", "no notebook"), ("bob", "all.zip"), ("cy", "all.rar"), ("di", "damaged.zip")):
        seen = received.receive(folder.submitted / student / TWO, TWO)
        assert seen.notebook is None and reason in seen.reason_for_student
    notes = {item.student: item.notes for item in done.items}
    assert "no notebook in all.zip" in notes["bob"][0] and "could not be opened" in notes["di"][0]


@pytest.mark.parametrize("inside", [False, True])
def test_a_full_disk_makes_no_submission_a_damaged_one(tmp_path, folder, monkeypatch, inside):
    first = zipped(tmp_path / "a.zip", {f"ada/{TWO}/{TWO}.ipynb": NOTEBOOK})
    collect_mine(folder, first)
    name, content = f"{TWO}.ipynb", NOTEBOOK + b" "
    if inside:
        name, content = "work.zip", zipped(tmp_path / "work.zip", {name: content}).read_bytes()
    source = zipped(tmp_path / "b.zip", {f"{student}/{TWO}/{name}": content for student in ("ada", "bob")})

    fill_the_disk(monkeypatch)
    with pytest.raises(OSError, match="No space left") as refused:
        collect_mine(folder, source)
    assert refused.value.filename
    assert there(folder) == [f"ada/{TWO}/{TWO}.ipynb"]
    assert (folder.submitted / "ada" / TWO / f"{TWO}.ipynb").read_bytes() == NOTEBOOK
    monkeypatch.undo()
    assert actions(collect_mine(folder, source)) == {("ada", TWO): "replaced", ("bob", TWO): "new"}


def test_a_submission_that_could_not_be_put_down_leaves_no_folder(tmp_path, folder, monkeypatch):
    fill_the_disk(monkeypatch)
    with pytest.raises(OSError, match="No space left"):
        collect(folder, unpacked(tmp_path / "a", {f"ada/{TWO}/{TWO}.ipynb": NOTEBOOK}))
    assert not list(folder.submitted.iterdir()) and not list(folder.root.glob(".collecting*"))


def test_several_notebooks_of_one_student_are_said(tmp_path, folder):
    files = {f"ada/{TWO}/{TWO}{more}.ipynb": NOTEBOOK for more in ("", " (1)")}
    source = zipped(tmp_path / "a.zip", files)
    (item,) = collect_mine(folder, source, dry_run=True).items
    assert item.notes == ("2 notebooks: which of them is graded is said when they are read",)
    (item,) = collect_mine(folder, source).items
    assert item.notes == (
        f"2 notebooks: {TWO}.ipynb is graded, {TWO} (1).ipynb only kept. Should it be another? Then take {TWO}.ipynb"
        " out of submissions/",
    )
    assert len(list((folder.submitted / "ada" / TWO).glob("*.ipynb"))) == 2


def test_of_several_notebooks_none_may_be_graded_and_all_are_kept(tmp_path, folder, monkeypatch):
    monkeypatch.setattr("autograde.intake.received.MAX_BYTES", 10)
    files = {f"ada/{TWO}/{name}.ipynb": NOTEBOOK for name in ("a", "b")}
    (item,) = collect_mine(folder, zipped(tmp_path / "a.zip", files)).items
    assert item.notes == (
        f"a.ipynb, b.ipynb are kept, and none of them can be graded: a.ipynb has {len(NOTEBOOK)} bytes",
    )


def test_a_students_own_archive_is_unpacked(tmp_path, folder):
    inner = {"work/02-bahdanau.ipynb": NOTEBOOK, "__MACOSX/work/._02-bahdanau.ipynb": b"x", "work/a.csv": b"1"}
    mine = {"ada/02-bahdanau/my.zip": zipped(tmp_path / "a.zip", inner).read_bytes()}
    theirs = {"bob_9_7_my.tar.gz": tarred(tmp_path / "b.tar.gz", inner).read_bytes()}
    done = collect(folder, unpacked(tmp_path / "mine", mine), TWO)
    assert set(actions(done)) == {("ada", TWO)}
    done = collect(folder, unpacked(tmp_path / "theirs", theirs), TWO, platform="canvas")
    assert set(actions(done)) == {("bob_9", TWO)}
    assert there(folder) == [f"{w}/{TWO}/{f}" for w in ("ada", "bob_9") for f in (f"{TWO}.ipynb", "work/a.csv")]


def test_only_some_archives_of_a_submission_are_opened_and_none_keeps_the_others_waiting(tmp_path, folder):
    inner = zipped(tmp_path / "a.zip", {"x.txt": b"1"}).read_bytes()
    digits = tarfile.TarInfo("digits")
    digits.type, digits.size = tarfile.XHDTYPE, (1 << 20) - 512
    slow = gzip.compress(digits.tobuf() + b"1" * digits.size + bytes(1024))
    files = {f"ada/{TWO}/{number:02}.zip": inner for number in range(12)}
    files |= {f"bob/{TWO}/{number}.tar.gz": slow for number in range(5)}
    files |= {f"eve/{TWO}/my.zip": zipped(tmp_path / "e.zip", {"02.ipynb": NOTEBOOK}).read_bytes()}
    started = time.monotonic()
    ada, bob, eve = collect(folder, unpacked(tmp_path / "back", files)).items
    assert time.monotonic() - started < 60
    assert "12 archives, of which the first 5 were opened" in ada.notes
    assert len([note for note in ada.notes if "no notebook" in note]) == 5
    assert len([note for note in bob.notes if "could not be opened" in note]) == 5
    assert eve.notes == ("my.zip was unpacked", f"02.ipynb is kept as {TWO}.ipynb")


# --- one student's file is never another's ---------------------------------------------------------------------------


def claims(folder, source, *, of=TWO, platform=""):
    """Collects; then as `stored`."""
    collect(folder, source, of, platform=platform)
    return stored(folder)


def stored(folder):
    """Student -> the texts stored as theirs, for files that say whose they are."""
    texts = {}
    for path in folder.submitted.rglob("*"):
        if path.is_file() and path.read_bytes().startswith(b'"'):
            texts.setdefault(path.relative_to(folder.submitted).parts[0], set()).add(path.read_text())
    return texts


STAMPED = "attempt_2026-01-30-15-00-00"


@pytest.mark.parametrize(
    ("platform", "evil", "honest"),
    [
        ("blackboard", f"HW 2_eve_{STAMPED}_HW 2_bob_{STAMPED}_x.ipynb", f"HW 2_bob_{STAMPED}_x.ipynb"),
        ("blackboard", f"HW 2_eve_bob_{STAMPED}_x.ipynb", f"HW 2_bob_{STAMPED}_x.ipynb"),
        (
            "moodle",
            "eve_9_assignsubmission_file_bob_7_assignsubmission_file_x.ipynb",
            "bob_7_assignsubmission_file_x.ipynb",
        ),
        ("canvas", "bob_7_9_900_x.ipynb", "bob_7_800_x.ipynb"),  # a name that ends in bob's number
        ("folders", "submission_9/bob/02-bahdanau/02-bahdanau.ipynb", "bob/02-bahdanau/x.ipynb"),
        ("", "eve/bob/02-bahdanau/02-bahdanau.ipynb", "bob/02-bahdanau/x.ipynb"),
        ("", "eve/work/bob/02-bahdanau/02-bahdanau.ipynb", "bob/02-bahdanau/x.ipynb"),
        ("", "eve/submitted/bob/02-bahdanau/02-bahdanau.ipynb", "bob/02-bahdanau/x.ipynb"),
        ("", "eve/bob.ipynb", "bob/x.ipynb"),
        ("moodle", "eve/bob_7_assignsubmission_file_/x.ipynb", "bob_7_assignsubmission_file_/x.ipynb"),
        ("folders", "bob_02-bahdanau.ipynb", "bob.ipynb"),  # two loose files: nobody knows whose is whose
    ],
)
@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("kind", ["zip", "folder"])
def test_no_file_name_claims_another_student(tmp_path, folder, kind, platform, evil, honest, alone):
    source = {honest: b'"of bob"'} if not alone else {}
    platform = "folders" if kind == "zip" and not platform else platform
    made = MADE[kind](tmp_path / f"x.{kind}", {**source, evil: b'"of eve"'})
    collect(folder, made, TWO, platform=platform)
    whose = stored(folder)
    bob = next((student for student in whose if student.startswith("bob")), "bob")
    if alone and honest == "bob.ipynb":  # nothing but its own name says whose it is
        return
    assert '"of eve"' not in whose.get(bob, ())
    assert alone or honest == "bob.ipynb" or whose[bob] == {'"of bob"'}


def test_the_second_of_one_name_in_a_later_download_replaces_nobody(tmp_path, folder):
    first = zipped(tmp_path / "1.zip", {"Jan Novák_1_assignsubmission_file_/x.ipynb": b'"of the first"'})
    second = zipped(tmp_path / "2.zip", {"Jan Novák_2_assignsubmission_file_/x.ipynb": b'"of the second"'})
    again = zipped(tmp_path / "3.zip", {"Jan Novák_1_assignsubmission_file_/x.ipynb": b'"of the first again"'})
    assert claims(folder, first, platform="moodle") == {"Jan Novák": {'"of the first"'}}
    assert not collect(folder, second, TWO, platform="moodle", dry_run=True).items
    done = collect(folder, second, TWO, platform="moodle")
    assert not done.items and "two people may be Jan Novák" in done.aside[0][1] and "To do" in done.aside[0][1]
    assert claims(folder, again, platform="moodle") == {"Jan Novák": {'"of the first again"'}}
    another = claims(folder, second, of=ONE, platform="moodle")  # another number in another assignment
    assert another["Jan Novák"] >= {'"of the second"'}
    by_hand = unpacked(tmp_path / "hand", {"Jan Novák/x.ipynb": b'"by hand"'})
    done = collect(folder, by_hand, TWO)  # another Jan Novák may have called a folder so: it is said before the loss
    assert not done.items and f"take submissions/Jan Novák/{TWO} away first" in done.aside[0][1]
    shutil.rmtree(folder.submitted / "Jan Novák" / TWO)
    assert actions(collect(folder, by_hand, TWO)) == {("Jan Novák", TWO): "new"}
    assert actions(collect(folder, by_hand, TWO)) == {("Jan Novák", TWO): "unchanged"}
    assert not collect(folder, first, TWO, platform="moodle").items


# Door 1: what one student handed in, given as the source.


def typed(error):
    """(source, options) of the command that a sentence says to type."""
    words = shlex.split(re.search(r"collect (\S.*?);", str(error)).group(1).split(" or --")[0])
    return Path(words[0]), {"platform": words[2] if words[1:2] == ["--platform"] else ""}


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
@pytest.mark.parametrize(
    "chosen",
    [f"bob/{TWO}/x.ipynb", "bob/x.ipynb", "bob.ipynb", f"{TWO}/bob/x.ipynb", f"submissions/bob/{TWO}/x.ipynb"],
)
def test_names_in_one_students_archive_decide_nothing(tmp_path, folder, kind, chosen):
    source = MADE[kind](tmp_path / f"work.{kind}", {chosen: b'"of eve"', "zoe/x.ipynb": b'"of eve"'})
    with pytest.raises(BadSource, match=r"a student may have chosen them\. To do: .*--platform folders;"):
        collect(folder, source, TWO)
    assert not stored(folder)
    by_hand = tmp_path / "FOLDER" / "eve" / TWO  # as the sentence says it
    by_hand.mkdir(parents=True)
    source.rename(by_hand / source.name)
    assert claims(folder, tmp_path / "FOLDER") == {"eve": {'"of eve"'}}


# What a platform would call its own, in an archive or on a file that one student made.
FORGED = {
    "moodle": ["Bob_7_assignsubmission_file_/x.ipynb", "Zoe_8_assignsubmission_file_/x.ipynb"],
    "canvas": ["bob_7_700_x.ipynb", "zoe_8_800_x.ipynb"],
    "blackboard": [f"HW_bob_{STAMPED}_x.ipynb", f"HW_zoe_{STAMPED}_x.ipynb"],
    "gradescope": ["submission_7/x.ipynb", "submission_metadata.yml"],
}


@pytest.mark.parametrize("kind", ["zip", "tar.gz", "folder"])
@pytest.mark.parametrize("platform", FORGED)
@pytest.mark.parametrize("beside", [(), ("ada/x.ipynb",)])
def test_names_as_a_platform_gives_them_decide_nothing_until_somebody_says_so(tmp_path, folder, kind, platform, beside):
    """Bob's is there; then comes what Eve made to look like the platform's download."""
    listed = {LIST: b"submission_7:\n  :submitters:\n  - :name: Bob\n    :email: bob@example.org\n"}
    listed = listed if platform == "gradescope" else {}
    real = zipped(tmp_path / "real.zip", dict.fromkeys(FORGED[platform], b'"of bob"') | listed)
    collect(folder, real, TWO, platform=platform)
    before = stored(folder)
    assert before
    forged = MADE[kind](tmp_path / f"forged.{kind}", dict.fromkeys([*FORGED[platform], *beside], b'"of eve"') | listed)
    with pytest.raises(
        BadSource, match=f"as {platform.capitalize()} gives them, and a student may have chosen"
    ) as said:
        collect(folder, forged, TWO)
    assert stored(folder) == before and str(said.value).count("To do: ") == 1
    source, options = typed(said.value)  # and who downloaded it there types what the sentence says
    assert options == {"platform": platform} and collect(folder, source, TWO, **options).items


@pytest.mark.parametrize("name", [f"HW_bob_{STAMPED}_x.ipynb", "Bob_7_assignsubmission_file_x.ipynb"])
def test_neither_does_the_name_of_the_source(tmp_path, folder, name):
    (tmp_path / name).write_bytes(b'"of eve"')
    for said in ("", "folders", "canvas"):
        with pytest.raises(
            BadSource, match=r"calls what one student handed in\. To do: if (Blackboard|Moodle) gave it"
        ):
            collect(folder, tmp_path / name, TWO, platform=said)
    assert not stored(folder)


@pytest.mark.parametrize("name", ["eve_9_100_work.zip", "eve_late_9_100_work.zip", "submission_9", "eve_9_100_work"])
def test_a_source_that_may_be_one_students_by_its_name_is_asked_about(tmp_path, folder, name):
    """Whatever is in it: a Canvas download in Canvas's archive, too."""
    make = zipped if name.endswith(".zip") else unpacked
    inside = {"bob_7_assignsubmission_file_/x.ipynb": b'"of eve"', "bob_7_100_x.ipynb": b'"of eve"'}
    source = make(tmp_path / name, {**inside, f"bob/{TWO}/x.ipynb": b'"of eve"'})
    with pytest.raises(BadSource, match=r"is called as (Canvas|Gradescope) calls what one student handed in.*To do: "):
        collect(folder, source, TWO)
    collect(folder, source, TWO, platform="gradescope" if name == "submission_9" else "canvas")
    assert set(stored(folder)) <= {"eve_9", "submission_9"}
    assert stored(folder) or not name.endswith(".zip")


@pytest.mark.parametrize("kind", ["folder", "zip"])
@pytest.mark.parametrize("inner", ["", "work", "bob.ipynb", "work.zip"])
def test_a_source_that_lies_in_one_students_folder_is_that_students(tmp_path, folder, kind, inner):
    hers, own = "Eve_9_assignsubmission_file_", b'"of eve"'
    archive = zipped(tmp_path / "i.zip", {"Bob_7_assignsubmission_file_x.ipynb": own, "bob/x.ipynb": own}).read_bytes()
    names = {"work/bob.ipynb": own, f"work/bob/{TWO}/x.ipynb": own, "bob.ipynb": own, "work.zip": archive}
    names["work/Bob_7_assignsubmission_file_x.ipynb"] = own
    source = MADE[kind](tmp_path / f"m.{kind}", {f"{hers}/{name}": content for name, content in names.items()})
    if kind == "zip" and "." in inner:  # a file in an archive is no source
        return
    for said in ("", "folders"):
        with pytest.raises(BadSource, match="say --platform moodle"):
            collect(folder, source / hers / inner, TWO, platform=said)
    assert claims(folder, source / hers / inner, platform="moodle") == {"Eve": {'"of eve"'}}


def test_an_instructors_zip_of_folders_is_collected_as_the_one_sentence_says(tmp_path, folder):
    """Named after the students, as a system's own "compress" makes it, with the assignments outside, and in one."""
    wanted = {("ada", TWO): "new", ("bob jr", TWO): "new"}
    for number, form in enumerate(
        ["{}/x.ipynb", "my class/{}/x.ipynb", f"{TWO}/{{}}/x.ipynb", f"a/b/{{}}/{TWO}/x.ipynb", "submissions/{}.ipynb"]
    ):
        files = {form.format(who): NOTEBOOK for who in ("ada", "bob jr")}
        source = zipped(tmp_path / f"the back {number}.zip", files)
        with pytest.raises(BadSource) as said:
            collect(folder, source, TWO)
        assert str(said.value).count("To do: ") == 1 and len(str(said.value)) < 600
        source, options = typed(said.value)
        done = collect(folder, source, TWO, dry_run=True, **options)
        assert actions(done) == wanted and not done.aside


def test_a_notebook_alone_and_loose_ones_are_collected_as_the_one_sentence_says(tmp_path, folder):
    back = unpacked(tmp_path / "back", {"ada.ipynb": NOTEBOOK, "bob.ipynb": NOTEBOOK})
    for source, whose in ((back, {"ada", "bob"}), (back / "ada.ipynb", {"ada"})):
        with pytest.raises(BadSource) as said:
            collect(folder, source, TWO)
        source, options = typed(said.value)
        assert {item.student for item in collect(folder, source, TWO, dry_run=True, **options).items} == whose
    unpacked(back, {"eve/x.ipynb": NOTEBOOK})
    done = collect(folder, back, TWO)  # beside a folder of hers, each is put aside
    assert set(actions(done)) == {("eve", TWO)} and [why for _, why in done.aside] == [UNSAID] * 2


@pytest.mark.parametrize("kind", ["zip", "folder"])
@pytest.mark.parametrize(
    ("platform", "name", "files", "students"),
    [
        (
            "moodle",
            "CS101-Homework 1-345",
            ["Ada O_1_assignsubmission_file_/x.ipynb", "Bob_2_assignsubmission_file_/y.zip"],
            2,
        ),
        (
            "canvas",
            "cs101-homework-2_submissions",
            ["lovelaceada_1_10_x.ipynb", "ob_late_2_11_x-1.ipynb", "zoe_3_text.html"],
            3,  # with one who typed a text in, and is told
        ),
        (
            "blackboard",
            "gradebook_202410_12345_HW2_2026-02-01-10-00-00",
            [f"HW2_ada_{STAMPED}_x.ipynb", f"HW2_ada_{STAMPED}.txt"],
            1,
        ),
        (
            "gradescope",
            "assignment_99_export",
            ["assignment_99_export/submission_1/x.ipynb", "assignment_99_export/submission_metadata.yml"],
            1,
        ),
    ],
)
def test_a_platforms_download_goes_through(tmp_path, folder, kind, platform, name, files, students):
    inner = zipped(tmp_path / "i.zip", {"x.ipynb": NOTEBOOK}).read_bytes()
    content = {file: inner if file.endswith(".zip") else NOTEBOOK for file in files}
    content |= {file: b"submission_1:\n  :submitters:\n  - :name: Ada\n" for file in files if file.endswith(LIST)}
    source = MADE[kind](tmp_path / (f"{name}.zip" if kind == "zip" else name), content)
    done = collect(folder, source, TWO, platform=platform)
    assert len(done.items) == students and {item.action for item in done.items} == {"new"}


def test_an_archive_at_the_end_of_the_source_is_not_read_in_its_place(tmp_path, folder):
    """A zip is found by its last bytes, and a tar keeps hers as they are."""
    hers = zipped(tmp_path / "work.zip", {f"bob/{TWO}/x.ipynb": b'"of eve"', "zoe/x.ipynb": b'"of eve"'}).read_bytes()
    files = {f"bob/{TWO}/x.ipynb": b'"of bob"', f"eve/{TWO}/work.zip": hers}
    with pytest.raises(BadSource, match=r"ends as one.*To do: unpack it"):
        collect_mine(folder, tarred(tmp_path / "back.tar", files))
    assert not stored(folder)
    collect_mine(folder, tarred(tmp_path / "back.tar.gz", files))
    assert stored(folder)["bob"] == {'"of bob"'}


# Door 2: another person's name on a later file or folder.


@pytest.mark.parametrize(
    ("later", "platform"),
    [
        ("Bob Smith.ipynb", "folders"),
        (f"Bob Smith_{TWO}.ipynb", "folders"),
        (f"Bob Smith/{TWO}/x.ipynb", ""),
        ("Bob Smith/x.ipynb", ""),
        (f"{TWO}/Bob Smith/x.ipynb", "folders"),
        (f"HW_Bob Smith_{STAMPED}_x.ipynb", "blackboard"),
        ("B\u202eob Smith/x.ipynb", ""),
        ("Bob\u200f Smith.ipynb", "folders"),
        ("Bob Smith_8_assignsubmission_file_/x.ipynb", "moodle"),
    ],
)
def test_what_a_platform_bound_is_replaced_by_no_other_name(tmp_path, folder, later, platform):
    bobs = {"Bob Smith_7_assignsubmission_file_/x.ipynb": b'"of bob"', "zoe_9_assignsubmission_file_/x.ipynb": b"1"}
    collect(folder, zipped(tmp_path / "m.zip", bobs), TWO, platform="moodle")
    source = unpacked(tmp_path / "back", {later: b'"of eve"', f"zoe2/{TWO}/x.ipynb": b"1"})
    for dry_run in (True, False):
        done = collect(folder, source, TWO, platform=platform, dry_run=dry_run)
        assert "Bob Smith" not in {item.student for item in done.items}
        assert any("two people may be Bob Smith: the one that is there is '7' (Moodle)" in why for _, why in done.aside)
        assert stored(folder)["Bob Smith"] == {'"of bob"'}
    shutil.rmtree(folder.submitted / "Bob Smith" / TWO)  # the same person, as the sentence says
    assert ("Bob Smith", TWO) in actions(collect(folder, source, TWO, platform=platform))


def test_what_was_put_there_by_hand_is_known_by_its_folders_name(tmp_path, folder):
    unpacked(folder.submitted, {f"bob/{TWO}/{TWO}.ipynb": b'"by hand"'})
    another = zipped(tmp_path / "b.zip", {f"HW_bob_{STAMPED}_x.ipynb": b'"of another"'})
    done = collect(folder, another, TWO, platform="blackboard")
    assert not done.items and "the one that is there is 'bob' (folders)" in done.aside[0][1]
    (item,) = collect(folder, unpacked(tmp_path / "back", {f"bob/{TWO}/x.ipynb": b'"of bob"'})).items
    assert (item.action, item.notes[-1]) == ("replaced", "it took the place of one that was there")
    done = collect_mine(folder, unpacked(tmp_path / "loose", {f"bob_{TWO}.ipynb": b'"of bob again"'}))
    assert actions(done) == {("bob", TWO): "replaced"}


# Door 3: a folder round others.


@pytest.mark.parametrize("wrapper", ["submissions", "submitted", "Submission", "handins", "inbound", TWO])
@pytest.mark.parametrize("inner", ["bob/x.ipynb", f"bob/{TWO}/x.ipynb", f"submissions/bob/{TWO}/x.ipynb"])
@pytest.mark.parametrize("alone", [True, False])
def test_a_wrapper_hands_the_identity_to_no_inner_name(tmp_path, folder, wrapper, inner, alone):
    """A student's own folder, unpacked into the instructor's, may be called so."""
    files = {f"{wrapper}/{inner}": b'"of eve"'} | ({} if alone else {f"zoe/{TWO}/x.ipynb": b"1"})
    done = collect(folder, unpacked(tmp_path / "back", files), TWO)
    assert set(stored(folder)) <= {"zoe"}
    assert [f"(SOURCE/{wrapper}); if it is one student's, put it into" in why for _, why in done.aside] == [True]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ada", " ada"),
        ("ada", "ada\x07"),
        ("Åsa", "A\u030asa"),
        (".ada", "_ada"),
        ("ada", "a\u202eda"),
        ("a\udcff", "a\udcfe"),
    ],
)
def test_two_names_that_are_one_when_cleaned_are_two_people(tmp_path, folder, one, other):
    files = {f"{one}/{TWO}.ipynb": b'"of one"', f"{other}/{TWO}.ipynb": b'"of the other"', f"zoe/{TWO}.ipynb": b"1"}
    done = collect(folder, unpacked(tmp_path / "x", files))
    assert set(actions(done)) == {("zoe", TWO)} and done.aside
    assert all("two people would be" in why for _, why in done.aside)
    collect(folder, unpacked(tmp_path / "y", dict(list(files.items())[:1])))
    done = collect(folder, unpacked(tmp_path / "z", dict(list(files.items())[1:2])))
    if unicodedata.normalize("NFC", one) != unicodedata.normalize("NFC", other):
        assert not done.items and "two people may be" in done.aside[0][1]


def test_whose_submission_was_replaced_is_said_and_where_its_name_was_written_otherwise(tmp_path, folder):
    def collected(name, text, day=""):
        source = unpacked(
            tmp_path / (text + day), {f"{TWO}/{name}/{TWO}.ipynb": NOTEBOOK.replace(b"x = 1", text.encode())}
        )
        return collect_mine(folder, source).items

    (first,) = collected("ad\u00e9", "one")
    assert (first.action, first.notes) == ("new", ())
    (again,) = collected("ad\u00e9", "two")
    assert (again.action, again.notes) == (
        "replaced",
        ("it took the place of the one that was collected before (out of the folder or file 'adé')",),
    )
    (other,) = collected("ade\u0301", "three")
    assert other.action == "replaced" and r"('ad\xe9')" in other.notes[0] and r"('ade\u0301')" in other.notes[0]
    assert other.notes[0].endswith("the same person?")
    (same,) = collected("ad\u00e9", "three", "again")
    assert (same.action, same.notes) == ("unchanged", ())


def test_people_whose_names_look_alike_are_said(tmp_path, folder):
    names = ["ada", "Ada", "ad\u200ba", "ada."]
    done = collect_mine(folder, zipped(tmp_path / "x.zip", {f"{n}/{TWO}.ipynb": NOTEBOOK for n in names}), dry_run=True)
    assert len(done.items) == 4 and all(sum("same person" in note for note in i.notes) == 3 for i in done.items)


def test_twins_that_nobody_can_tell_apart_are_spelled_out(tmp_path, folder):
    unpacked(folder.submitted, {f"ade\u0301/{TWO}/{TWO}.ipynb": NOTEBOOK})
    (item,) = collect_mine(folder, zipped(tmp_path / "x.zip", {f"ad\u00e9/{TWO}.ipynb": NOTEBOOK})).items
    shown = "'ade\u0301' (ade\\u0301), and this one is 'ad\u00e9' (ad\\xe9): the same person?"
    assert item.notes == (f"there is also a student {shown}",)
    files = {f"{name}/{TWO}.ipynb": text for name, text in {"ju\u0308": b'"one"', "j\u00fc": b'"other"'}.items()}
    done = collect(folder, unpacked(tmp_path / "y", files), TWO)
    shown = "two people would be j\u00fc (ju\u0308 (ju\\u0308), j\u00fc (j\\xfc))"
    assert {why.partition(":")[0] for _, why in done.aside} == {shown}


def test_a_disk_that_takes_two_names_for_one_gives_nobody_anothers_folder(tmp_path, folder, monkeypatch):
    collect_mine(folder, zipped(tmp_path / "1.zip", {f"Ada/{TWO}.ipynb": b'"of the first"'}))
    alike = lambda a, b: str(a).casefold() == str(b).casefold()  # noqa: E731
    there_too = people.os.path.lexists
    ada = lambda path: there_too(path) or alike(path, folder.submitted / "Ada")  # noqa: E731
    monkeypatch.setattr(people.os.path, "samefile", alike)
    monkeypatch.setattr(people.os.path, "lexists", ada)
    done = collect_mine(folder, zipped(tmp_path / "2.zip", {f"ada/{TWO}.ipynb": b'"of the second"'}))
    assert not done.items and "one folder on this disk" in done.aside[0][1]
    assert there(folder) == [f"Ada/{TWO}/{TWO}.ipynb"]


def test_what_one_student_handed_in_as_the_source_is_that_students(tmp_path, folder):
    files = {"bob/02-bahdanau/x.ipynb": b'"of eve"', "02-bahdanau/bob/x.ipynb": b'"of eve"', "bob.ipynb": b'"of eve"'}
    hers = unpacked(tmp_path / "eve_9_assignsubmission_file_", files)
    assert set(claims(folder, hers, platform="moodle")) == {"eve"}
    zoes = zipped(tmp_path / f"HW_zoe_{STAMPED}_work.zip", files)
    assert set(claims(folder, zoes, platform="blackboard")) == {"eve", "zoe"}


def test_a_timestamp_under_another_spelling_is_not_believed(tmp_path, folder):
    names = ("TimeStamp.TXT", " timestamp.txt", "timestamp.txt.", "time\u200bstamp.txt")
    files = {f"Eva_3_assignsubmission_file_/{name}": b"2020-01-01 00:00:00 UTC" for name in names}
    source = zipped(tmp_path / "m.zip", {**files, "Eva_3_assignsubmission_file_/x.ipynb": NOTEBOOK})
    collect(folder, source, TWO, platform="moodle")
    assert there(folder) == [f"Eva/{TWO}/{TWO}.ipynb"]


@pytest.mark.parametrize("deep", ["", "a/b/c/d/e/"], ids=["outermost", "in the end outermost"])
def test_a_folder_called_as_a_file_of_ours_keeps_nobody_out(tmp_path, folder, intake, deep):
    """It would stand where the moment, or where it came from, is to be written."""
    names = ("timestamp.txt", "provenance.json", "Provenance.JSON")
    inside = {f"{deep}{name}/a/b/c/d/e.txt": b"notes" for name in names}
    inner = zipped(tmp_path / "inner.zip", {"x.ipynb": NOTEBOOK, **inside}).read_bytes()
    files = {f"HW_{who}_{STAMPED}_x.ipynb": NOTEBOOK for who in ("ada", "zoe")} | {f"HW_eve_{STAMPED}_in.zip": inner}
    collect(folder, zipped(tmp_path / "b.zip", files), TWO, platform="blackboard", intake=intake)
    for who in ("ada", "eve", "zoe"):
        place = folder.submitted / who / TWO
        assert (place / f"{TWO}.ipynb").read_bytes() == NOTEBOOK, who
        assert received.handed_in_at(place) and (place / PROVENANCE).is_file(), who
    kept = [path for path in there(folder) if path.endswith("e.txt")]
    assert len(kept) == len(names)


def test_whatever_a_student_names_is_never_stored_as_anothers(tmp_path, folder, intake):
    """The whole way, from the download to submissions/, with an archive of hostile names in it."""
    of_eve: list[bool] = []  # of what was stored

    @settings(max_examples=40, deadline=None)
    @given(
        st.sampled_from(EVERY),
        st.lists(WHO, min_size=2, max_size=2, unique=True),
        OWN,
        TITLES,
        st.booleans(),
        st.booleans(),
    )
    def never_anothers(write, people, own, title, zipit, together):
        shutil.rmtree(folder.submitted, ignore_errors=True)
        (folder.ledger / "collected.json").unlink(missing_ok=True)
        eve, bob = people
        inner = zipped(
            tmp_path / "inner.zip", {own: b'"of eve"', f"{bob}/{TWO}/x.ipynb": b'"of eve"', "x.ipynb": b'"of eve"'}
        )
        files = (
            {write(bob, 8, f"{TWO}.ipynb", title): b'"of bob"', write("zoe", 9, "x.ipynb", title): b"1"}
            if together
            else {}
        )
        files[write(eve, 7, f"{own}.zip" if zipit else own, title)] = inner.read_bytes() if zipit else b'"of eve"'
        try:
            zipped(tmp_path / "x.zip", files)
            done = collect(folder, tmp_path / "x.zip", TWO, platform=saying(write), intake=intake)
        except (BadSource, UnicodeError):
            return
        for item in done.items:
            files = (folder.submitted / item.student / TWO).rglob("*")
            text = {path.read_bytes().decode("latin-1") for path in files if path.is_file()}
            assert not {'"of bob"', '"of eve"'} <= text
            of_eve.append('"of eve"' in text)
            if write in (folders, nbgrader, by_assignment) and '"of eve"' in text:
                assert item.student == student_id(eve) or {eve, bob} & {ONE, TWO, "submitted"}
            if write in (moodle, moodle_flat) and '"of eve"' in text:
                assert item.student == student_id(eve.replace("_", " "))
            if write in (canvas, canvas_late) and '"of eve"' in text:
                assert item.student.endswith("_7")
            if write is blackboard and '"of eve"' in text:
                assert item.student == student_id(eve)

    never_anothers()
    assert any(of_eve), "nothing of hers was stored, so nothing was looked at"


@settings(
    max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.sampled_from(EVERY),
    st.lists(WHO, min_size=2, max_size=2, unique=True),
    OWN,
    TITLES,
    st.sampled_from(["download", "archive", "loose", "folder", "wrapper"]),
    st.booleans(),
)
def test_nothing_of_one_student_becomes_or_replaces_anothers(
    tmp_path, folder, intake, write, people, own, title, way, zipit
):
    """Bob's is collected; then what Eve handed in comes, in the platform's download or on another way on which a name
    of hers may reach an instructor. It is hers or put aside, and Bob's is what it was."""
    for made in (folder.submitted, folder.ledger, tmp_path / "came"):
        shutil.rmtree(made, ignore_errors=True)
    (eve, bob), said = people, saying(write)
    mine, his = truth(write, eve, 7), truth(write, bob, 8)
    assume(unicodedata.normalize("NFC", mine[-1]) != unicodedata.normalize("NFC", his[-1]))
    with contextlib.suppress(BadSource):
        files = {write(bob, 8, f"{TWO}.ipynb", title): b'"of bob"', write("zoe", 9, "x.ipynb", title): b"1"}
        collect(folder, zipped(tmp_path / "x.zip", files), TWO, platform=said, intake=intake)
    (victim,) = {student for student, texts in stored(folder).items() if '"of bob"' in texts} or {None}
    assume(victim and victim != student_id(mine[1]))

    own_archive = {f"{victim}/{TWO}/x.ipynb": b'"of eve"', f"{victim}.ipynb": b'"of eve"', "x.ipynb": b'"of eve"'}
    if way == "download":  # the platform's mark says whose it is, and whatever she calls it is behind that
        content = (
            zipped(tmp_path / "inner.zip", {own: b'"of eve"', **own_archive}).read_bytes() if zipit else b'"of eve"'
        )
        source = zipped(tmp_path / "x.zip", {write(eve, 7, own + ".zip" * zipit, title): content})
    elif way == "archive":  # taken out of the download
        assume(write is not gradescope)
        name = write(eve, 7, "work.zip" if said == "folders" else f"{own.rpartition('/')[-1]}.zip", title)
        source, said = tmp_path / "came" / name, said if zipit and said != "folders" else ""
        source.parent.mkdir(parents=True)
        zipped(source, own_archive)
    else:  # of hers, called as the one that is there
        own = {
            "loose": f"{victim}.ipynb",
            "folder": f"{victim}/x.ipynb",
            "wrapper": f"{TWO if zipit else 'submissions'}/{victim}/x.ipynb",
        }[way]
        assume(way != "folder" or said not in ("folders", "gradescope"))  # there a folder of his name is his own mark
        source = unpacked(tmp_path / "came", {own: b'"of eve"'})
        said = "folders" if way == "loose" and said != "folders" else ""
    with contextlib.suppress(BadSource):
        collect(folder, source, TWO, platform=said, intake=intake)
    now = stored(folder)
    assert now[victim] == {'"of bob"'}
    assert {student for student, texts in now.items() if '"of eve"' in texts} <= {student_id(mine[1])}


# --- hostile archives -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_no_name_leads_out_of_the_class(tmp_path, folder, kind):
    bad = [
        "../../evil.ipynb",
        "/etc/evil.ipynb",
        "ada/../../evil/02-bahdanau.ipynb",
        "C:/x/evil.ipynb",
        "..\\evil.ipynb",
    ]
    names = [*bad, "ada/02-bahdanau.ipynb", "../submissions/bob/02-bahdanau.ipynb"]
    before = set(tmp_path.rglob("*"))
    source = MADE[kind](tmp_path / f"x.{kind}", dict.fromkeys(names, NOTEBOOK))
    done = collect_mine(folder, source)
    assert there(folder) == [f"ada/{TWO}/{TWO}.ipynb"]
    assert {name for name, why in done.aside if "leads out" in why} == set(names) - {"ada/02-bahdanau.ipynb"}
    outside = {p for p in tmp_path.rglob("*") if folder.root not in p.parents} - before
    assert outside == {source}


def test_links_and_devices_are_left_aside(tmp_path, folder):
    path = tmp_path / "x.tar"
    with tarfile.open(path, "w") as archive:
        kinds = (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE)
        for number, kind in enumerate(kinds):
            member = tarfile.TarInfo(f"s{number}/02-bahdanau.ipynb")
            member.type, member.linkname = kind, "/etc/passwd"
            archive.addfile(member)
    done = collect_mine(folder, path)
    assert not done.items and len(done.aside) == 4
    link = zipfile.ZipInfo("ada/02-bahdanau.ipynb")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    done = collect_mine(folder, zipped(tmp_path / "x.zip", {"": (link, "/etc/passwd")}))
    assert not done.items and "never followed" in done.aside[0][1]
    back = unpacked(tmp_path / "back", {"ada/02-bahdanau.ipynb": NOTEBOOK, "secret/x": b"1"})
    (back / "bob").symlink_to(back / "ada")
    (back / "ada" / "other.ipynb").symlink_to("/etc/passwd")
    done = collect_mine(folder, back)
    assert set(actions(done)) == {("ada", TWO)} and len(done.items[0].files) == 1
    assert {"bob", "ada/other.ipynb"} <= {name for name, _ in done.aside}


def test_encrypted_doubled_and_differing_by_case(tmp_path, folder):
    path = zipped(tmp_path / "x.zip", {"ada/02-bahdanau.ipynb": NOTEBOOK, "Ada/02-bahdanau.ipynb": NOTEBOOK})
    done = collect_mine(folder, path)
    assert set(actions(done)) == {("ada", TWO), ("Ada", TWO)} and any(
        "same person" in i.notes[-1] for i in done.items if i.notes
    )
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(tmp_path / "y.zip", "w") as archive:
        archive.writestr("bob/02-bahdanau.ipynb", b"first")
        archive.writestr("bob/02-bahdanau.ipynb", NOTEBOOK)
    done = collect_mine(folder, tmp_path / "y.zip")
    assert (folder.submitted / "bob" / TWO / f"{TWO}.ipynb").read_bytes() == NOTEBOOK and "twice" in done.aside[0][1]
    data = bytearray(zipped(tmp_path / "z.zip", {"cy/02-bahdanau.ipynb": NOTEBOOK}).read_bytes())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "z.zip").write_bytes(data)
    assert "password" in collect_mine(folder, tmp_path / "z.zip").aside[0][1]
    assert not (folder.submitted / "cy").exists()


def test_bombs_cost_neither_memory_nor_disk(tmp_path, folder, monkeypatch):
    for module in (parse, received, sources, submissions):
        monkeypatch.setattr(module, "MAX_BYTES", 1 << 20)
    monkeypatch.setattr(submissions, "MAX_SUBMISSION", 1 << 21)
    monkeypatch.setattr(submissions, "MAX_INSIDE", 50)
    bomb = bytes(8 << 20)
    many = zipped(tmp_path / "many.zip", {f"{i}.ipynb": NOTEBOOK for i in range(60)}).read_bytes()
    files = {
        "a/02-bahdanau.ipynb": bomb,
        "b/02-bahdanau.zip": zipped(tmp_path / "b.zip", {"02-bahdanau.ipynb": bomb}).read_bytes(),
        "c/02-bahdanau.tgz": tarred(tmp_path / "c.tgz", {"02-bahdanau.ipynb": bomb}).read_bytes(),
        "d/02-bahdanau.zip": many,
        "e/02-bahdanau.tgz": tarred(tmp_path / "e.tgz", {f"{i}.ipynb": NOTEBOOK for i in range(60)}).read_bytes(),
        "f/02-bahdanau.ipynb": NOTEBOOK,
    }
    done = collect_mine(folder, zipped(tmp_path / "x.zip", files), TWO)
    assert set(actions(done).values()) == {"new"} and len(done.items) == 6
    for student in "abcde":
        assert received.receive(folder.submitted / student / TWO, TWO).reason_for_student
    assert sum(512 * p.lstat().st_blocks for p in folder.submitted.rglob("*")) < 1 << 20
    with pytest.raises(BadSource, match="more than"):
        monkeypatch.setattr(sources, "MAX_ENTRIES", 4)
        collect_mine(folder, tmp_path / "x.zip", TWO)


def nested(tmp_path, size):
    """A few kilobytes of an archive in an archive that unpack to `size` bytes."""
    bomb = {f"{number}.csv": bytes(64 << 20) for number in range(size >> 26)}
    return zipped(tmp_path / "bomb.zip", {f"{TWO}.ipynb": NOTEBOOK, **bomb})


def test_a_small_archive_does_not_write_a_gigabyte(tmp_path, folder, monkeypatch):
    written = []
    real = unpack.write
    monkeypatch.setattr(unpack, "write", lambda *args: written.append(real(*args)) or written[-1])
    monkeypatch.setattr(submissions, "UNPACKED_ANYWAY", 8 << 20)
    bomb = nested(tmp_path, 192 << 20).read_bytes()
    assert len(bomb) < 1 << 20
    done = collect_mine(folder, zipped(tmp_path / "x.zip", {f"ada/{TWO}/work.zip": bomb, f"bob/{TWO}.ipynb": NOTEBOOK}))
    assert set(actions(done)) == {("ada", TWO), ("bob", TWO)}
    assert sum(written) < 24 << 20 and sum(p.stat().st_size for p in folder.submitted.rglob("*")) < 1 << 20
    assert there(folder) == [f"ada/{TWO}/work.zip", f"bob/{TWO}/{TWO}.ipynb"]  # what was written of it is gone
    assert not [path for path in folder.root.iterdir() if path.name.startswith(".")]
    (note,) = next(item.notes for item in done.items if item.student == "ada")
    assert "work.zip could not be opened: it unpacks to more than" in note


def test_several_archives_of_one_student_share_one_budget(tmp_path, folder, monkeypatch):
    monkeypatch.setattr(submissions, "MAX_SUBMISSION", 5 << 20)
    inner = zipped(tmp_path / "i.zip", {"x.ipynb": NOTEBOOK, "a.csv": bytes(2 << 20)}).read_bytes()
    collect_mine(folder, zipped(tmp_path / "x.zip", {f"ada/{TWO}/{number}.zip": inner for number in range(6)}))
    assert sum(path.stat().st_size for path in folder.submitted.rglob("*") if path.is_file()) < 5 << 20


@pytest.mark.parametrize("name", ["x.zip", "x.tar", "x.tar.gz", "x.tgz", "x.7z", "nothing.zip", "x.ipynb.exe"])
def test_a_source_that_cannot_be_read_is_said(tmp_path, folder, name):
    if "nothing" not in name:
        (tmp_path / name).write_bytes(b"PK no archive")
    with pytest.raises(BadSource, match=r"damaged|neither|does not exist"):
        collect(folder, tmp_path / name)


def test_no_archive_is_read_in_the_graders_own_process(tmp_path, folder, monkeypatch):
    inner = zipped(tmp_path / "i.zip", {"x.ipynb": NOTEBOOK}).read_bytes()
    made = [
        zipped(tmp_path / "a.zip", {f"ada/{TWO}/work.zip": inner}),
        tarred(tmp_path / "b.tgz", {"bob/b.zip": inner}),
    ]

    def refuse(*_):
        raise AssertionError("an archive is parsed here")

    monkeypatch.setattr(zipfile, "ZipFile", refuse)
    monkeypatch.setattr(zipfile, "is_zipfile", refuse)
    monkeypatch.setattr(tarfile, "open", refuse)
    for source in made:
        assert list(actions(collect_mine(folder, source, TWO)).values()) == ["new"]


def test_without_a_sandbox_archives_are_refused_and_notebooks_are_collected(tmp_path, folder, monkeypatch):
    archive = zipped(tmp_path / "a.zip", {f"ada/{TWO}.ipynb": NOTEBOOK})
    folder_of_files = unpacked(tmp_path / "back", {f"bob/{TWO}.ipynb": NOTEBOOK})
    monkeypatch.setattr(jail, "_PROGRAM", ("-c", "raise SystemExit('no jail today')"))
    with pytest.raises(BadSource, match=r"no jail today.*autograde doctor"):
        collect(folder, archive)
    assert actions(collect(folder, folder_of_files)) == {("bob", TWO): "new"}


def test_damaged_bytes_anywhere_in_an_archive(tmp_path, folder):
    whole = zipped(tmp_path / "x.zip", {f"{n}/02-bahdanau.ipynb": NOTEBOOK * 3 for n in ("ada", "bob")}).read_bytes()
    refused = []
    with Intake() as intake:
        for at in range(0, len(whole), 7):
            (tmp_path / "y.zip").write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
            try:
                collect_mine(folder, tmp_path / "y.zip", TWO, intake=intake)
                refused.append(False)
            except BadSource:
                refused.append(True)
    assert set(refused) == {False, True}
    assert {p.parts[-1] for p in folder.submitted.rglob("*.ipynb")} == {f"{TWO}.ipynb"}


# --- names of people ------------------------------------------------------------------------------------------------

NAMES = [
    "Ada Lovelace", "O'Neil, Åsa", 'say "hi"', "名前", "محمد", "👩🏽‍🎓 é", "=1+2", "+x", "-rf", "@sum",
    "a;b|c", "<b>x</b>",
    "*?[a]", "100%", "~root", "$HOME", "nul", "a.b.", "x" * 300, "é" * 200, "🎓" * 100, "..", ".hidden", "...", "a\\b",
    "a\nb", "\u202egnp.exe", "A\u030asa", "\u00c5sa", "e\u202e\u0301",
]  # fmt: skip
TURNS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@settings(max_examples=60)
@given(st.one_of(st.sampled_from(NAMES), st.text(max_size=300)))
def test_a_students_name_is_safe_for_folders_and_stays_itself(name):
    safe = student_id(name)
    assert safe == student_id(safe) == unicodedata.normalize("NFC", safe)
    assert "/" not in safe and "\0" not in safe and not safe.startswith(".") and safe == safe.strip()
    assert len(safe.encode()) <= 255 and nameable(safe) and not {unicodedata.category(c) for c in safe} & {"Cc", "Zl"}
    assert not set(safe) & set(TURNS)


@pytest.mark.parametrize("kind", ["folder", "zip"])
def test_no_name_that_reaches_the_disk_turns_the_text_around_it(tmp_path, folder, kind):
    turned = "".join(f"{number}{turn}" for number, turn in enumerate(TURNS))
    inner = zipped(tmp_path / "i.zip", {f"{turned}/{turned}.csv": b"1", f"{turned}.ipynb": NOTEBOOK}).read_bytes()
    files = {f"{turned} a/{TWO}/{turned}/{turned}.{suffix}": NOTEBOOK for suffix in ("ipynb", "csv")}
    files |= {f"{turned} b/{TWO}/{turned}.zip": inner, f"{turned}_7_assignsubmission_file_/x.ipynb": NOTEBOOK}
    files |= {f"HW_{turned}c_{STAMPED}_{turned}.ipynb": NOTEBOOK}
    source = MADE[kind](tmp_path / f"back.{kind}", files)
    for platform in ("folders", "moodle", "blackboard"):
        collect(folder, source, TWO, platform=platform)
    names = {path.name for path in folder.root.rglob("*")}
    numbers = "".join(str(number) for number in range(len(TURNS)))
    assert {f"{numbers} a", f"{numbers} b", numbers, f"{numbers}.csv"} <= names
    assert not set("".join(names)) & set(TURNS) and (folder.ledger / "collected.json").read_bytes().isascii()


@pytest.mark.parametrize(
    "name", ["Ada Lovelace", "O'Neil, Åsa", "名前", "محمد", "👩🏽‍🎓 é", "=1+2", "-rf", "<b>x<b>", "a.b."]
)
def test_a_name_that_needs_no_change_has_none(name):
    assert student_id(name) == unicodedata.normalize("NFC", name)


def test_one_person_is_one_person_on_every_system():
    assert student_id("A\u030asa") == student_id("\u00c5sa") and student_id("x" * 300) != student_id("x" * 301)
    assert not student_id("..") and not student_id(" \t") and student_id(".a") == "_a"


@pytest.mark.parametrize("content", [b"[]", b"no JSON", b"\xff"])
def test_a_memory_that_cannot_be_read_stops_the_collection(folder, tmp_path, content):
    given = unpacked(tmp_path / "given", {f"Bob_2_assignsubmission_file_/{TWO}.ipynb": b"{}"})
    collect(folder, given, platform="moodle")
    path, before = folder.ledger / "collected.json", there(folder)
    path.write_bytes(content)
    with pytest.raises(BadSource, match="bring it back from a backup"):
        collect_mine(folder, unpacked(tmp_path / "other", {f"Bob/{TWO}.ipynb": b"[]"}))
    assert path.read_bytes() == content and there(folder) == before
