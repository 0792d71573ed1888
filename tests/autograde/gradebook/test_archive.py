"""A class in one file, and back: whole, or a sentence and nothing."""

import errno
import gzip
import hashlib
import io
import os
import signal
import sqlite3
import subprocess
import sys
import tarfile
import zlib
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from autograde.folders import ClassFolder
from autograde.gradebook import archive, archive_file, configuration, store, tables
from tests.autograde import toy
from tests.autograde.command import run, said


def digests(root):
    files = (path for path in sorted(root.rglob("*")) if path.is_file())
    return {str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture
def folder(toy_class, tmp_path):
    return toy_class.copy(tmp_path / "spring")


@pytest.fixture
def made(folder, tmp_path):
    file = tmp_path / "spring.tar.gz"
    archive.archive(folder, file)
    return file


def rewritten(file, change):
    """The archive with its members changed: name -> content."""
    with tarfile.open(file) as tar:
        members = {each.name: tar.extractfile(each).read() for each in tar}
    change(members)
    with tarfile.open(file, "w:gz") as tar:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


def killed(at, call):
    """Runs something in a process of its own, which is killed where it comes to `at`: (module, name)."""
    if (child := os.fork()) == 0:
        setattr(*at, lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
        call()
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL


def test_what_a_killed_archive_or_restore_left_is_taken_away_by_the_next(folder, tmp_path):
    file, again = tmp_path / "spring.tar.gz", ClassFolder.at(tmp_path / "again")
    before = digests(folder.submitted)
    killed((archive_file, "check"), lambda: archive.archive(folder, file))
    assert list(tmp_path.glob(".spring.tar.gz.*.unfinished")) and not file.exists()
    assert run("archive", "--to", file, "--class", folder.root).exit_code == 0
    killed((archive.access, "close"), lambda: archive.restore(file, again))
    assert list(tmp_path.glob(".again.*.unfinished")) and not again.root.exists()
    assert run("restore", file, "--class", again.root).exit_code == 0
    assert not list(tmp_path.glob(".*")) and digests(again.submitted) == before
    # whoever is killed at the last step has it listed: what is forgotten since is not overlooked
    killed((archive.os, "rename"), lambda: archive.archive(folder, tmp_path / "late.tar.gz"))
    assert "late.tar.gz" in (folder.ledger / "archives.jsonl").read_text()


def test_what_another_is_at_work_on_is_left(tmp_path):
    with archive._beside(tmp_path / "a") as one, archive._beside(tmp_path / "a") as other:
        assert one.is_dir() and other.is_dir() and one != other


def test_where_no_folder_can_be_locked_all_else_goes_on(tmp_path, monkeypatch):
    """On NFS a lock needs what is open for writing, which no folder ever is. Nobody knows there who is at work."""

    def refuse(*_):
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    monkeypatch.setattr(archive.fcntl, "flock", refuse)
    with archive._beside(tmp_path / "a") as one, archive._beside(tmp_path / "a") as other:
        assert one.is_dir() and other.is_dir()
    assert not list(tmp_path.iterdir())


def test_what_only_has_a_leftovers_name_stops_no_archive(tmp_path):
    """In a folder that others write in, too."""
    (tmp_path / ".a.file.unfinished").write_text("another's")
    (tmp_path / ".a.link.unfinished").symlink_to("nowhere")
    (tmp_path / ".a.folder.unfinished").mkdir()
    if root := os.geteuid() == 0:
        os.chown(tmp_path / ".a.folder.unfinished", 12345, -1)
    with archive._beside(tmp_path / "a") as beside:
        assert beside.is_dir()
    there = sorted(path.name for path in tmp_path.iterdir())
    assert there == [".a.file.unfinished", *[".a.folder.unfinished"] * root, ".a.link.unfinished"]


def test_an_interrupted_archive_says_that_nothing_was_written(folder, tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(archive_file, "check", interrupt)
    result = run("archive", "--to", tmp_path / "x.tar.gz", "--class", folder.root)
    assert result.exit_code == 130 and "interrupted. Nothing was written: give the command again." in said(result)
    assert not list(tmp_path.glob("*x.tar.gz*"))


def test_a_class_without_a_file_is_archived_too(tmp_path):
    (tmp_path / "class" / "ledger").mkdir(parents=True)
    made = archive.archive(ClassFolder.at(tmp_path / "class"), tmp_path / "a.tar.gz")
    assert made.files == 0 and archive_file.check(made.file) == 0
    assert archive.restore(made.file, ClassFolder.at(tmp_path / "again")) == 0 and (tmp_path / "again").is_dir()


def test_a_class_comes_back_as_it_was(folder, tmp_path):
    before = digests(folder.root)
    file, where = tmp_path / "spring.tar.gz", ("--class", tmp_path / "again")
    shown = said(run("archive", "--to", file, "--dry-run", "--class", folder.root))
    assert "files of" in shown and "would go in" in shown and not file.exists()
    done = run("archive", "--to", file, "--class", folder.root)
    assert done.exit_code == 0 and hashlib.sha256(file.read_bytes()).hexdigest() in said(done)
    assert file.stat().st_mode & 0o777 == 0o600
    assert f"{len(before)} files" in said(done).replace(" 1 ", " ") or "files of" in said(done)
    assert "all as listed" in said(run("restore", file, "--dry-run", *where)) and not (tmp_path / "again").exists()
    assert run("restore", file, *where).exit_code == 0
    after, again = digests(tmp_path / "again"), ClassFolder.at(tmp_path / "again")
    for changing in ("gradebook.db", "ledger/.lock", "ledger/archives.jsonl"):
        before.pop(changing, None), after.pop(changing, None)
    assert after == before
    assert store.scores(again, toy.NAME) == store.scores(folder, toy.NAME)
    assert {path.stat().st_mode & 0o077 for path in again.root.rglob("*")} == {0}


def test_no_class_and_no_file_is_written_over(folder, made):
    data = made.read_bytes()
    assert (
        "is there already" in said(run("archive", "--to", made, "--class", folder.root)) and made.read_bytes() == data
    )
    assert "is there already" in said(run("restore", made, "--class", folder.root))
    inside = said(run("archive", "--to", folder.root / "x.tar.gz", "--class", folder.root))
    assert "lies in the class: name a file outside" in inside
    nowhere = made.parent / "nowhere"
    for words in ((), ("--dry-run",)):
        beside = said(run("archive", "--to", nowhere / "x.tar.gz", *words, "--class", folder.root))
        assert f"{nowhere} is no folder that is there: make it, or name another file" in beside
    assert "name a file with --to, and not the output" in said(run("archive", "--to", "-", "--class", folder.root))
    assert "is no file" in said(run("restore", made.with_name("nothing"), "--class", folder.root))


@pytest.mark.parametrize("kept", [0.0, 0.4, 0.999])
def test_an_archive_that_is_cut_off_restores_nothing(made, tmp_path, kept):
    data = made.read_bytes()
    made.write_bytes(data[: int(len(data) * kept)])
    result = run("restore", made, "--class", tmp_path / "again")
    assert result.exit_code == 1 and str(made) in said(result) and "cut off" in said(result)
    assert not (tmp_path / "again").exists() and not list(tmp_path.glob(".again.*"))


def test_an_archive_that_is_damaged_within_a_file_is_one_line(tmp_path):
    info, packing = tarfile.TarInfo("class/large"), zlib.compressobj(0, wbits=31)
    info.size = 1 << 20
    begins = packing.compress(info.tobuf() + bytes(info.size // 2)) + packing.flush(zlib.Z_FULL_FLUSH)
    (tmp_path / "file").write_bytes(begins + b"\7")  # of a block's kinds none is 3
    result = run("restore", tmp_path / "file", "--class", tmp_path / "again")
    assert result.exit_code == 1 and "cut off or damaged" in said(result) and "another copy" in said(result)


def change(name, data):
    return lambda members: members.update({name: data})


@pytest.mark.parametrize(
    ("how", "why"),
    [
        (change("class/grades.csv", b"everybody has 9"), "class/grades.csv has another digest than is listed"),
        (lambda members: members.pop("class/grades.csv"), "class/grades.csv is not in it"),
        (change("class/more.txt", b""), "class/more.txt has another digest than is listed"),
        (change("../elsewhere", b""), "'../elsewhere' is no file of a class"),
        (change("class/../../elsewhere", b""), "is no file of a class"),
        (lambda members: members.pop("SHA256SUMS"), "has no SHA256SUMS at its end"),
    ],
)
def test_what_was_changed_in_an_archive_is_named(made, tmp_path, how, why):
    rewritten(made, how)
    result = run("restore", made, "--class", tmp_path / "again")
    assert result.exit_code == 1 and why in said(result) and not (tmp_path / "again").exists()


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("postgres//ada:secret@host/name", "is no address of a database: write postgresql+psycopg://user@host/name"),
        ("nosuch://ada:secret@host/name", "nosuch://ada:***@host/name cannot take the gradebook: Can't load plugin"),
        ("mysql+pymysql://ada:secret@host/name", "cannot take the gradebook: No module named 'pymysql'"),
    ],
)
def test_what_is_no_database_restores_nothing(made, tmp_path, address, why):
    result = run("restore", made, "--database", address, "--class", tmp_path / "again")
    assert result.exit_code == 1 and why in said(result) and "secret" not in said(result)
    assert not (tmp_path / "again").exists() and not list(tmp_path.glob(".again*"))


def test_an_archive_of_the_longest_name_in_any_script_is_made(folder, tmp_path):
    file = tmp_path / ("\u6ce8" * 85)  # 255 bytes
    assert run("archive", "--to", file, "--class", folder.root).exit_code == 0 and archive_file.check(file)
    assert "name a shorter one" in said(run("archive", "--to", f"{file}.tar.gz", "--class", folder.root))


def test_what_is_no_archive(tmp_path):
    for data in (b"text", gzip.compress(b"text")):
        (tmp_path / "file").write_bytes(data)
        result = run("restore", tmp_path / "file", "--class", tmp_path / "again")
        assert result.exit_code == 1 and "cut off or damaged" in said(result)


def test_a_disk_too_small_for_the_copy_of_the_gradebook_is_one_line(folder, tmp_path, monkeypatch):
    """SQLite says it in its own way, and no file of the half copy stays."""
    connect, file = archive.sqlite3.connect, tmp_path / "small" / "spring.tar.gz"
    file.parent.mkdir()

    def small(database, **options):
        connection = connect(database, **options)
        if not options:
            connection.execute("PRAGMA max_page_count = 1")
        return connection

    monkeypatch.setattr(archive.sqlite3, "connect", small)
    result = run("archive", "--to", file, "--class", folder.root)
    assert result.exit_code == 1 and "No space left on device. To do: make room" in said(result)
    assert list(file.parent.iterdir()) == []


def test_a_gradebook_that_is_none_stops_the_archive(folder, tmp_path):
    (folder.root / "gradebook.db").write_bytes(b"no database" * 1000)
    result = run("archive", "--to", tmp_path / "spring.tar.gz", "--class", folder.root)
    assert result.exit_code == 1 and "gradebook.db cannot be copied: file is not a database" in said(result)
    assert not (tmp_path / "spring.tar.gz").exists()


def test_a_class_is_called_as_its_instructor_likes_and_files_as_students_systems_do(folder, tmp_path):
    """What an address of SQLite's, or a list of lines, would read as something else."""
    odd = ClassFolder.at(folder.root.rename(tmp_path / "K\u00fcrs #1, 100%25?"))
    for name in ("Icon\r", "a\\b", "c\nd", "e\u2028f", "g\x0bh"):
        (odd.submitted / name).write_text(name)
    before, file = digests(odd.root), tmp_path / "made.tar.gz"
    archive.archive(odd, file)
    (tmp_path / "by hand").mkdir()
    subprocess.run(["tar", "xzf", file], cwd=tmp_path / "by hand", check=True)
    subprocess.run(["sha256sum", "--quiet", "--strict", "-c", "SHA256SUMS"], cwd=tmp_path / "by hand", check=True)
    again = ClassFolder.at(tmp_path / "again")
    archive.restore(file, again)
    after = digests(again.root)
    assert {name: after.get(name) for name in before if name.startswith("submissions/")} == {
        name: digest for name, digest in before.items() if name.startswith("submissions/")
    }
    assert store.scores(again, toy.NAME) == store.scores(odd, toy.NAME)


def test_what_goes_while_the_class_is_listed_is_not_archived(folder, tmp_path, monkeypatch):
    real = Path.rglob
    monkeypatch.setattr(Path, "rglob", lambda path, pattern: [*real(path, pattern), path / "feedback" / ".a.half"])
    assert not archive.archive(folder, tmp_path / "file.tar.gz").left_out


@pytest.mark.parametrize("name", ["gradebook.db", archive.COPY])
def test_what_a_database_keeps_beside_it_for_a_moment_is_not_archived(folder, tmp_path, name):
    """Beside the copy it would be taken for the copy's own, and written back into it."""
    (folder.root / "gradebook.db").rename(folder.root / name)
    with folder.config.open("a") as file:
        file.write(f'\nc.CourseDirectory.db_url = "sqlite:///{folder.root / name}"\n')
    (folder.root / f"{name}-before-midterm").write_text("the instructor's own")
    with closing(sqlite3.connect(folder.root / name)) as formgrader:
        formgrader.execute("begin immediate")
        formgrader.execute("create table at_work (x)")
        assert (folder.root / f"{name}-journal").exists()
        made = archive.archive(folder, tmp_path / "file.tar.gz")
    with tarfile.open(made.file) as tar:
        there = {each.name for each in tar if name in each.name}
    assert there == {f"class/{name}", f"class/{name}-before-midterm"}


def test_links_are_left_out_and_said(folder, tmp_path):
    os.symlink("/etc/passwd", folder.root / "link")
    made = archive.archive(folder, tmp_path / "file.tar.gz")
    assert made.left_out == ["link: no ordinary file"]


def test_a_gradebook_that_does_not_answer_stops_the_archive(folder, tmp_path):
    with folder.config.open("a") as file:
        file.write('\nc.CourseDirectory.db_url = "postgresql+psycopg://ada:secret@127.0.0.1:1/grades"\n')
    result = run("archive", "--to", tmp_path / "file.tar.gz", "--class", folder.root)
    assert result.exit_code == 1 and "postgresql+psycopg://ada:***@127.0.0.1:1/grades cannot be copied" in said(result)
    assert "secret" not in said(result) and [path.name for path in tmp_path.iterdir()] == ["spring"]


def in_postgresql(folder):
    """The class with a student of whom every kind of value is in its gradebook."""
    with store.open_gradebook(folder) as book:
        book.add_student("Ada \N{LATIN SMALL LETTER O WITH DIAERESIS}", email="ada@example.org")
        book.update_or_create_assignment(toy.NAME, duedate="2026-02-03 18:00 UTC")
        submission = book.add_submission(toy.NAME, "Ada \N{LATIN SMALL LETTER O WITH DIAERESIS}")
        submission.extension = timedelta(days=2)
        grade = submission.notebooks[0].grades[0]
        grade.manual_score, grade.needs_manual_grade = 1.5, False
        book.db.commit()
    return tables.digests(configuration.database(folder))


@pytest.mark.parametrize("database", ["postgresql"])
def test_a_gradebook_in_postgresql_comes_back_as_a_file_or_into_an_empty_database(toy_released, server, tmp_path):
    held, where = in_postgresql(toy_released), configuration.database(toy_released)
    file, again, third = tmp_path / "file.tar.gz", tmp_path / "again", tmp_path / "third"
    assert run("archive", "--to", file, "--class", toy_released.root).exit_code == 0
    assert run("restore", file, "--class", again).exit_code == 0
    url = configuration.database(ClassFolder.at(again))
    assert url == f"sqlite:///{again}/gradebook-copy.db" and tables.digests(url) == held
    with store.open_gradebook(ClassFolder.at(again)) as book:
        book.remove_student("Ada \N{LATIN SMALL LETTER O WITH DIAERESIS}")
    assert tables.digests(where) == held, "what is done in the restored class is not done in the other"

    refused = run("restore", file, "--class", third, "--database", where)
    assert refused.exit_code == 1 and "not empty" in said(refused) and not third.exists()
    empty = server.url("empty")
    assert run("restore", file, "--class", third, "--database", empty).exit_code == 0
    assert configuration.database(ClassFolder.at(third)) == empty and tables.digests(empty) == held
    assert not (third / "gradebook-copy.db").exists()
    assert store.scores(ClassFolder.at(third), toy.NAME) == store.scores(toy_released, toy.NAME)


@pytest.mark.parametrize("database", ["sqlite"])
def test_a_class_moves_into_postgresql(toy_released, server, tmp_path):
    held, file, moved = in_postgresql(toy_released), tmp_path / "file.tar.gz", ClassFolder.at(tmp_path / "moved")
    empty = server.url("moved")
    assert run("archive", "--to", file, "--class", toy_released.root).exit_code == 0
    assert run("restore", file, "--class", moved.root, "--database", empty).exit_code == 0
    assert configuration.database(moved) == empty and tables.digests(empty) == held
    assert not (moved.root / "gradebook.db").exists()


@pytest.mark.parametrize("database", ["sqlite"])
def test_a_database_that_fails_half_way_takes_nothing(toy_released, server, tmp_path, monkeypatch):
    in_postgresql(toy_released)
    file, empty = tmp_path / "file.tar.gz", server.url("half")
    assert run("archive", "--to", file, "--class", toy_released.root).exit_code == 0
    right = tables._digests
    monkeypatch.setattr(tables, "_digests", lambda c: right(c) | {"grade": str(id(c))})
    refused = run("restore", file, "--class", tmp_path / "again", "--database", empty)
    assert refused.exit_code == 1 and "what was written is not what was read" in said(refused)
    monkeypatch.undo()
    assert tables.digests(empty) == {}
    assert not (tmp_path / "again").exists()


def test_the_drill_on_the_page_goes_well_and_tells_a_class_that_is_another(folder, tmp_path):
    """As an instructor types it, line by line."""
    page = (Path(__file__).parents[3] / "book" / "instructors" / "versions.md").read_text("utf-8")
    drill = page.partition("## A drill")[2].partition("```sh\n")[2].partition("```")[0]
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-ec", drill], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.endswith("the drill went well\n"), done.stdout + done.stderr
    assert len((tmp_path / "spring-drill.csv").read_bytes().splitlines()) > 5
    with store.open_gradebook(ClassFolder.at(tmp_path / "spring-drill")) as book:
        book.find_grade("scale-check", toy.NAME, toy.NAME, "right").manual_score = 0
        book.db.commit()
    again = "\n".join(drill.splitlines()[-2:])
    done = subprocess.run(["bash", "-ec", again], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert "spring.csv spring-drill.csv differ" in done.stdout and "went well" not in done.stdout
