"""Release: nbgrader changes no byte of what is given out, and an archive holds what a learner needs and no more."""

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from autograde.folders import ClassFolder
from autograde.gradebook import configuration, examination, store
from autograde.gradebook.release import release
from autograde.wheel import wheel
from course.handed_out import handed_out
from tests.autograde import toy

COMMITTED = sorted((Path(__file__).resolve().parents[3] / "notebooks").glob("[0-9][0-9]-*.ipynb"))


def test_the_committed_notebooks_are_released_but_for_outputs_to_be_guessed(tmp_path):
    folder = ClassFolder.at(tmp_path / "class")
    assert COMMITTED and release(folder, COMMITTED) == [(path.stem, True) for path in COMMITTED]
    for path in COMMITTED:
        committed = path.read_bytes()
        assert folder.released(path.stem).read_bytes() == handed_out(committed) != committed
    assert folder.assignments() == [path.stem for path in COMMITTED]


def test_a_second_release_does_nothing(toy_released, toy_notebook):
    before = {path: path.stat().st_mtime_ns for path in toy_released.root.rglob("*") if path.is_file()}
    assert release(toy_released, [toy_notebook]) == [(toy.NAME, False)]
    for path in (toy_released.released(toy.NAME), toy_released.archives / f"{toy.NAME}.zip", toy_released.config):
        assert path.stat().st_mtime_ns == before[path]


def test_the_gradebook_knows_the_points(toy_released):
    with store.open_gradebook(toy_released) as book:
        assert book.find_assignment(toy.NAME).max_score == 9


def test_a_notebook_that_nbgrader_would_change_is_refused(tmp_path, toy_notebook):
    loose = json.loads(toy_notebook.read_bytes())
    for cell in loose["cells"]:
        cell["metadata"].pop("editable", None)
    toy_notebook.write_text(json.dumps(loose, indent=1) + "\n")
    folder = ClassFolder.at(tmp_path / "class")
    with pytest.raises(RuntimeError, match=r"00-toy.ipynb, line \d+: releasing would change"):
        release(folder, [toy_notebook])
    assert not folder.released(toy.NAME).exists()


def test_a_class_keeps_its_release_where_the_next_one_is_refused(toy_released, toy_notebook):
    before = toy_released.released(toy.NAME).read_bytes()
    loose = json.loads(before)
    for cell in loose["cells"]:
        cell["metadata"].pop("editable", None)
        if "points" in cell["metadata"].get("nbgrader", {}):
            cell["metadata"]["nbgrader"]["points"] = 70
    toy_notebook.write_text(json.dumps(loose, indent=1) + "\n")
    with pytest.raises(RuntimeError, match="releasing would change"):
        release(toy_released, [toy_notebook])
    assert toy_released.released(toy.NAME).read_bytes() == before
    with store.open_gradebook(toy_released) as book:
        assert book.find_assignment(toy.NAME).max_score == 9


def test_a_class_is_not_committed_unless_its_instructor_wants_it(toy_released, toy_notebook):
    ignored = toy_released.root / ".gitignore"
    assert ignored.read_text() == "*\n"
    ignored.unlink()
    release(toy_released, [toy_notebook])
    assert not ignored.exists()


def test_a_graded_cell_with_submissions_cannot_be_removed(toy_class, tmp_path):
    import shutil

    shutil.copytree(toy_class.folder.root, tmp_path / "class")
    folder = ClassFolder.at(tmp_path / "class")
    shorter = json.loads(folder.released(toy.NAME).read_bytes())
    shorter["cells"] = [
        c for c in shorter["cells"] if not c["metadata"].get("nbgrader", {}).get("grade_id", "").startswith("scale")
    ]
    path = tmp_path / f"{toy.NAME}.ipynb"
    path.write_text(json.dumps(shorter, indent=1) + "\n")
    with pytest.raises(RuntimeError, match="could not release 00-toy"):
        release(folder, [path])


def test_an_instructors_configuration_is_kept(toy_released, toy_notebook):
    toy_released.config.write_text(
        toy_released.config.read_text() + "\nc.LateSubmissionPlugin.penalty_method = 'zero'\n"
    )
    release(toy_released, [toy_notebook])
    assert configuration.read(toy_released).LateSubmissionPlugin.penalty_method == "zero"


def test_a_configuration_that_stops_is_told_with_what_nbgrader_would_do(toy_released):
    toy_released.config.write_text(toy_released.config.read_text() + "\nc.LateSubmissionPlugin.penalty_method = zero\n")
    with pytest.raises(ValueError, match=r"nbgrader_config\.py stops with NameError: .*neither the submissions"):
        configuration.read(toy_released)
    finding, *_ = examination.examine(toy_released)
    assert not finding.ok and "NameError" in finding.detail and "mend" in finding.remedy


def test_an_archive_holds_the_notebook_and_a_wheel_of_course_alone(toy_released):
    with zipfile.ZipFile(toy_released.archives / f"{toy.NAME}.zip") as archive:
        names = archive.namelist()
        assert sorted(names) == sorted(f"{toy.NAME}/{name}" for name in (f"{toy.NAME}.ipynb", wheel()[0], "BEGIN.txt"))
        inside = zipfile.ZipFile(archive.open(f"{toy.NAME}/{wheel()[0]}")).namelist()
    assert {name.split("/")[0] for name in inside if ".dist-info" not in name} == {"course"}
    assert not any(word in name for name in inside for word in ("solutions", "autograde", "__pycache__"))


def test_solutions_that_are_due_go_into_the_archive(tmp_path):
    first = COMMITTED[0]
    folder = ClassFolder.at(tmp_path / "class")
    release(folder, [first], due=[first.stem])
    with zipfile.ZipFile(folder.archives / f"{first.stem}.zip") as archive:
        solutions = {name for name in archive.namelist() if "/solutions/" in name}
    module = first.stem.partition("-")[2].replace("-", "_")
    assert solutions == {f"{first.stem}/solutions/{name}.py" for name in (module, "__init__")}


def test_the_wheel_is_the_same_twice_and_can_be_installed(tmp_path):
    name, content = wheel()
    assert wheel()[1] == content
    (tmp_path / name).write_bytes(content)
    target = tmp_path / "site"
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--no-deps",
        "--no-index",
        "--quiet",
        "--target",
        target,
        tmp_path / name,
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    probe = f"import sys; sys.path.insert(0, {str(target)!r}); import course; print(course.__file__)"
    printed = subprocess.run(
        [sys.executable, "-c", probe], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True
    )
    assert printed.stdout.strip() == str(target / "course" / "__init__.py")


def test_a_sites_wheel_knows_its_book_and_has_the_references(tmp_path):
    _, content = wheel("https://example.org/course", solutions=True)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.read("course/site.txt") == b"https://example.org/course\n"
        assert {f"solutions/{path.stem.partition('-')[2].replace('-', '_')}.py" for path in COMMITTED} <= {
            *archive.namelist()
        }
