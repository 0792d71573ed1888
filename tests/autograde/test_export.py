"""Export: every student and assignment, as text that no spreadsheet takes for a formula."""

import csv
import io

import pytest

from autograde import export, gradebook
from autograde.export import as_csv, rows, safe
from tests.autograde import toy


@pytest.mark.parametrize(
    "name",
    ["=1+2", "+1", "-1", "@sum", "\t=1", "\r=1", " =1", '=HYPERLINK("http://x")', "＝1+2", "\ufeff=1", "\u202e@x"],
)
def test_a_formula_is_made_text(name):
    assert safe(name) == "'" + name


@pytest.mark.parametrize("name", ["ada", "O'Neil, Åsa", "a=b", "1-2", "", "名前"])
def test_a_name_stays_as_it_is(name):
    assert safe(name) == name


def test_nothing_is_read_as_nothing():
    assert safe(None) == ""


def test_points_have_no_noise_of_floats():
    assert [export._text(value) for value in (13.879999999999999, 9.0, None, "a")] == ["13.88", "9.0", "", "a"]


def test_commas_quotes_and_line_ends_survive(toy_released):
    names = ["a,b", 'say "hi"', "two\nlines", "=cmd|' /C calc'!A0"]
    with gradebook.open_gradebook(toy_released) as book:
        for name in names:
            book.add_student(name, email=f"{name[0]}@example.org")
        text = as_csv(rows(book, toy_released))
    read = list(csv.DictReader(io.StringIO(text)))
    assert [row["student_id"] for row in read] == sorted("'" + n if n.startswith("=") else n for n in names)


def test_who_handed_nothing_in_has_a_row_with_nothing(toy_released):
    with gradebook.open_gradebook(toy_released) as book:
        book.add_student("ada")
    target, count = export.export(toy_released)
    assert count == 1 and target == toy_released.grades
    (row,) = csv.DictReader(target.open(newline=""))
    assert (row["score"], row["max_score"], row["handed_in"], row["needs_person"]) == ("0.0", "9.0", "no", "no")


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
    config = gradebook.configuration(toy_released)
    assert config.ExportApp.plugin_class is export.GradesCsv


def test_a_spreadsheet_is_told_that_it_is_utf_8(toy_released):
    with gradebook.open_gradebook(toy_released) as book:
        book.add_student("Åsa", last_name="Ñuñez")
    target, _ = export.export(toy_released)
    (row,) = csv.DictReader(target.open(newline="", encoding="utf-8-sig"))
    assert target.read_bytes()[:3] == b"\xef\xbb\xbf" and (row["assignment"], row["student_id"]) == (toy.NAME, "Åsa")


def test_only_what_is_named_is_listed(toy_released):
    with gradebook.open_gradebook(toy_released) as book:
        book.add_student("ada")
        book.add_assignment("later")
    assert (export.export(toy_released)[1], export.export(toy_released, assignments=[toy.NAME])[1]) == (2, 1)
