"""Export: every student and assignment, as text that no spreadsheet takes for a formula."""

import contextlib
import csv
import errno
import io
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from nbgrader.apps import ExportApp

from autograde.gradebook import configuration, store
from autograde.reports import export, output
from autograde.reports.export import as_csv, no_formula, rows
from autograde.terminal.progress import Steps
from tests.autograde import toy
from tests.autograde.command import run


@pytest.mark.parametrize(
    "name",
    ["=1+2", "+1", "-1", "@sum", "\t1", "\r1", " =1", '=HYPERLINK("http://x")', "＝1+2", "\ufeff=1", "\u202e@x"],
)
def test_a_formula_is_made_text(name):
    assert no_formula(name) == "'" + name


HOSTILE = [
    f"a{separator}{between}{sign}cmd|' !A0{end}"
    for separator in (",", ";", "\t", "|", "\n", "\r", "\r\n", "\u2028", "; ;", ';"', '";"', ",;", "\n;\n")
    for between in ("", " ", '"', '""', "\ufeff", "\u200b \u202e", ' "')
    for sign in ("=", "+", "-", "@", "\uff1d")
    for end in ("", '"', ';"')
]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_no_cell_is_a_formula_whatever_parts_the_lines(separator):
    made = [
        dict.fromkeys(export.COLUMNS, "") | {"assignment": "02", "student_id": no_formula(name)} for name in HOSTILE
    ]
    cells = [cell for row in csv.reader(io.StringIO(as_csv(made), newline=""), delimiter=separator) for cell in row]
    unseen = "".join(map(chr, [0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A)]))
    assert len(cells) > len(HOSTILE)
    assert [cell for cell in cells if cell.lstrip(f'{unseen} \t\r\n"').startswith(tuple("=+-@\uff1d"))] == []


@pytest.mark.parametrize("name", ["ada", "O'Neil, Åsa", "a=b", "1-2", "", "名前", "a;b", "a; b=c", "a - b", "x | y"])
def test_a_name_stays_as_it_is(name):
    assert no_formula(name) == name


def test_nothing_is_read_as_nothing():
    assert no_formula(None) == ""


def test_points_have_no_noise_of_floats():
    assert [export._text(value) for value in (13.879999999999999, 9.0, None, "a")] == ["13.88", "9.0", "", "a"]


def test_commas_quotes_and_line_ends_survive(toy_released):
    names = ["a,b", 'say "hi"', "two\nlines", "=cmd|' /C calc'!A0"]
    with store.open_gradebook(toy_released) as book:
        for name in names:
            book.add_student(name, email=f"{name[0]}@example.org")
        text = as_csv(rows(book, toy_released))
    read = list(csv.DictReader(io.StringIO(text)))
    assert [row["student_id"] for row in read] == sorted("'" + n if n.startswith("=") else n for n in names)


def test_who_handed_nothing_in_has_a_row_with_nothing(toy_released):
    with store.open_gradebook(toy_released) as book:
        book.add_student("ada")
    target, count = export.export(toy_released)
    assert count == 1 and target == toy_released.grades
    (row,) = csv.DictReader(target.open(newline=""))
    assert (row["score"], row["max_score"], row["handed_in"], row["needs_person"]) == ("0.0", "9.0", "no", "no")


def test_what_is_not_graded_yet_has_no_points_rather_than_none_of_them(toy_released):
    with store.open_gradebook(toy_released) as book:
        book.add_student("ada")
    (toy_released.submitted / "ada" / toy.NAME).mkdir(parents=True)
    target, _ = export.export(toy_released)
    (row,) = csv.DictReader(target.open(newline=""))
    assert (row["raw_score"], row["score"], row["max_score"], row["handed_in"]) == ("", "", "9.0", "yes")


@pytest.mark.sandbox
@pytest.mark.xdist_group("grader")
def test_the_sample_class_is_listed_whole(toy_class):
    listed = {
        row["student_id"]: row for row in csv.DictReader(toy_class.folder.grades.open(newline="", encoding="utf-8-sig"))
    }
    assert {name: float(row["score"]) for name, row in listed.items()} == {h.student: h.score for h in toy_class.made}
    assert {row["assignment"] for row in listed.values()} == {toy.NAME}
    assert all(row["handed_in"] == "yes" for row in listed.values())


def test_nbgrader_export_writes_the_same(toy_released):
    """The class's configuration puts our exporter into nbgrader's own command."""
    config = configuration.read(toy_released)
    assert ExportApp(config=config).plugin_class is export.GradesCsv


def test_a_spreadsheet_is_told_that_it_is_utf_8(toy_released):
    with store.open_gradebook(toy_released) as book:
        book.add_student("Åsa", last_name="Ñuñez")
    target, _ = export.export(toy_released)
    (row,) = csv.DictReader(target.open(newline="", encoding="utf-8-sig"))
    assert target.read_bytes()[:3] == b"\xef\xbb\xbf" and (row["assignment"], row["student_id"]) == (toy.NAME, "Åsa")


def test_only_what_is_named_is_listed(toy_released):
    with store.open_gradebook(toy_released) as book:
        book.add_student("ada")
        book.add_assignment("later")
    assert (export.export(toy_released)[1], export.export(toy_released, assignments=[toy.NAME])[1]) == (2, 1)


# --- where it is written to ------------------------------------------------------------------------------------------

HEAD = b"\xef\xbb\xbfassignment,"


def exported(folder, to):
    return run("export", "--to", to, "--class", folder.root)


def printed(result):
    return " ".join(result.output.split())


def test_a_pipe_is_written_through(toy_released, tmp_path):
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    assert exported(toy_released, pipe).exit_code == 0
    reader.join(10)
    assert read and read[0].startswith(HEAD) and stat.S_ISFIFO(pipe.lstat().st_mode)
    assert not [path.name for path in tmp_path.iterdir() if "pipe" in path.name and path != pipe]


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_a_link(toy_released, tmp_path, there):
    (tmp_path / "shared").mkdir()
    target, link, chain = tmp_path / "shared" / "grades.csv", tmp_path / "link.csv", tmp_path / "chain.csv"
    if there:
        target.write_text("old")
    link.symlink_to(Path("shared") / "grades.csv")
    chain.symlink_to(link)
    assert exported(toy_released, chain).exit_code == 0
    assert chain.is_symlink() and link.is_symlink() and not target.is_symlink()
    assert target.read_bytes().startswith(HEAD) and len(list(target.parent.iterdir())) == 1


def test_a_file_of_several_names_stays_one_file(toy_released, tmp_path):
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    one.write_text("old and longer than what comes now" * 1_000)
    os.link(one, other)
    assert exported(toy_released, one).exit_code == 0
    assert one.samefile(other) and other.read_bytes().startswith(HEAD) and b"old" not in other.read_bytes()


def test_nothing_of_the_class_is_replaced_by_a_table(toy_released, tmp_path):
    link = tmp_path / "link.csv"
    link.symlink_to(toy_released.root / "gradebook.db")
    before = (toy_released.root / "gradebook.db").read_bytes()
    for to in (toy_released.root / "gradebook.db", toy_released.config, toy_released.ledger / "x.csv", link):
        result = exported(toy_released, to)
        assert result.exit_code == 1 and "belongs to the class" in printed(result), to
    assert (toy_released.root / "gradebook.db").read_bytes() == before
    assert exported(toy_released, toy_released.root / "mine.csv").exit_code == 0


def test_a_link_into_nowhere_is_said(toy_released, tmp_path):
    link, loop = tmp_path / "link.csv", tmp_path / "loop.csv"
    link.symlink_to(tmp_path / "gone" / "grades.csv")
    loop.symlink_to(loop)
    result = exported(toy_released, link)
    assert result.exit_code == 1 and "whose folder is not there" in printed(result) and "Traceback" not in result.output
    assert link.is_symlink() and not (tmp_path / "gone").exists()
    result = exported(toy_released, loop)
    assert result.exit_code == 1 and "To do: name another file" in printed(result) and loop.is_symlink()


def test_the_classs_own_table_may_be_a_link(toy_released, tmp_path):
    toy_released.grades.symlink_to(tmp_path / "elsewhere.csv")
    export.export(toy_released)
    assert toy_released.grades.is_symlink() and (tmp_path / "elsewhere.csv").read_bytes().startswith(HEAD)


def test_a_folder_is_refused(toy_released, tmp_path):
    result = exported(toy_released, tmp_path)
    assert result.exit_code == 1 and "is a folder: name a file in it" in printed(result)
    assert "Traceback" not in result.output


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_device_stays_a_device(toy_released):
    result = exported(toy_released, "/dev/full")
    assert result.exit_code == 1 and "/dev/full: No space left on device" in printed(result)
    assert exported(toy_released, "/dev/null").exit_code == 0
    assert all(stat.S_ISCHR(os.lstat(device).st_mode) for device in ("/dev/full", "/dev/null"))


def test_a_folder_that_may_not_be_written_in_is_said(toy_released, tmp_path, monkeypatch):
    def refused(*args, **kwargs):
        raise PermissionError(errno.EACCES, "Permission denied")

    (tmp_path / "locked").mkdir()
    monkeypatch.setattr("tempfile.mkstemp", refused)
    monkeypatch.setattr("os.open", refused)
    result = exported(toy_released, tmp_path / "locked" / "grades.csv")
    monkeypatch.undo()
    assert result.exit_code == 1 and "Permission denied" in printed(result) and "Traceback" not in result.output
    assert not list((tmp_path / "locked").iterdir())


def write_with(to, out, errors):
    """Writes rows to a name while these files are this process's output and errors: a process of its own takes seconds
    to start, and the command's is seen below."""
    before = os.dup(1), os.dup(2)
    os.dup2(out.fileno(), 1)
    os.dup2(errors.fileno(), 2)
    try:
        with open(1, "w", closefd=False) as stdout, contextlib.redirect_stdout(stdout):
            output.write(Path(to), "rows")
    finally:
        for number, kept in enumerate(before, 1):
            os.dup2(kept, number)
            os.close(kept)


@pytest.mark.parametrize("to", ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/dev/fd/2"])
@pytest.mark.parametrize("how", ["pipe", "file"])
@pytest.mark.skipif(sys.platform != "linux", reason="names of what is open are Linux's")
def test_what_is_open_is_written_through(tmp_path, to, how):
    out = tmp_path / "out.csv"
    out.write_text("before ")
    if how == "pipe":
        (read_out, write_out), (read_errors, write_errors) = os.pipe(), os.pipe()
        with open(write_out, "wb") as output_end, open(write_errors, "wb") as errors_end:
            write_with(to, output_end, errors_end)
        with open(read_out, "rb") as of_output, open(read_errors, "rb") as of_errors:
            assert (of_output.read(), of_errors.read()) == ((b"", b"rows") if to == "/dev/fd/2" else (b"rows", b""))
    else:  # the very file, which whoever opened it goes on with
        with out.open("ab") as file:
            write_with(to, file, file)
            assert os.path.samestat(out.stat(), os.fstat(file.fileno())) and out.read_text().endswith("rows")
            assert to == "/dev/fd/2" or out.read_text() == "before rows"
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


def test_no_progress_stands_among_the_rows(toy_released, monkeypatch):
    """A large class takes long enough for a word on how far it is."""
    with store.open_gradebook(toy_released) as book:
        for name in ("ada", "bob", "eve"):
            book.add_student(name)
    monkeypatch.setattr(Steps, "PAUSE", 0.0)
    assert "min left" in exported(toy_released, toy_released.root.parent / "grades.csv").stdout
    assert exported(toy_released, "-").stdout_bytes.startswith(HEAD)


@pytest.mark.skipif(sys.platform != "linux", reason="names of what is open are Linux's")
def test_the_output_gets_the_rows_and_nothing_else(toy_released):
    words = [sys.executable, "-m", "autograde", "export", "--to", "/dev/stdout", "--class", str(toy_released.root)]
    done = subprocess.run(words, capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(HEAD) and done.stdout.endswith(b"\r\n") and b" rows" not in done.stdout
    assert b"0 rows" in done.stderr
