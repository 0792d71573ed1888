"""The instructor's summary: how an assignment went, counted from what was handed in; safe, still and the same again."""

import re
from datetime import datetime

import pytest

from autograde.gradebook import store
from autograde.reports import summary, summary_page
from autograde.reports.summary import Diagnosis, Look, Row, Summary
from autograde.text import without_controls
from tests.autograde import toy
from tests.autograde.reports.test_feedback import text_of

toy_grader = [pytest.mark.sandbox, pytest.mark.xdist_group("grader")]


@pytest.fixture(scope="module")
def summed(graded_in_sqlite, tmp_path_factory):
    with toy.installed(tmp_path_factory.mktemp("toy")):
        return summary.summary(graded_in_sqlite.folder, toy.NAME)


class TestOfTheToyClass:
    pytestmark = toy_grader

    def test_every_exercise_counts_every_submission(self, toy_class, summed):
        made = toy_class.made
        assert [row.number for row in summed.rows] == ["0.1", "0.2", "0.3", "0.q1", "0.q2"]
        assert sorted(summed.totals) == sorted(submission.score for submission in made) and summed.max == 9
        for row in summed.rows:
            points = [submission.expected[row.name] for submission in made]
            assert sum(row.counts.values()) == len(made)
            assert row.counts["all"] == points.count(row.max)
            assert row.counts["some"] == sum(0 < each < row.max for each in points)
            assert row.mean == pytest.approx(sum(points) / len(points), abs=0.0051)

    def test_what_was_not_answered_is_not_a_wrong_answer(self, toy_class, summed):
        unanswered = sum(submission.student in ("untouched", "unreadable-file") for submission in toy_class.made)
        assert summed.rows[0].counts["no answer"] == unanswered == 2

    def test_diagnoses_are_named_with_their_message_and_who(self, summed):
        by_name = {diagnosis.name: diagnosis for diagnosis in summed.diagnoses}
        sign = by_name["the sign is lost"]
        assert (sign.number, sign.students) == ("0.1", ("wrong-the-sign-is-lost",))
        assert sign.message == "A negative factor must turn the signs round."
        counts = [len(diagnosis.students) for diagnosis in summed.diagnoses]
        assert counts == sorted(counts, reverse=True)

    def test_what_is_flagged_is_worth_a_look(self, toy_class, summed):
        look = {each.student: each for each in summed.look}
        for submission in toy_class.made:
            assert set(submission.flags) <= set(look[submission.student].why if submission.flags else ())
        assert "right" not in look and any("merge" in detail for detail in look["unreadable-file"].details)

    def test_a_name_leads_to_the_submissions_page_in_formgrader(self, toy_class, summed, tmp_path):
        with store.open_gradebook(toy_class.folder) as book:
            (notebook,) = book.find_submission(toy.NAME, "unreadable-file").notebooks
            address = f"http://localhost:8888/formgrader/submissions/{notebook.id}/"
        assert f'<a href="{address}"><bdi>unreadable-file</bdi></a>' in summary_page.page(summed)
        folder = toy_class.copy(tmp_path / "class")
        with folder.config.open("a") as file:
            file.write('\nc.Summary.formgrader = "https://hub.example.org/services/x/formgrader/"\n')
        assert summary.formgrader(folder) == "https://hub.example.org/services/x/formgrader"

    def test_the_page_says_it_all_and_is_the_same_again(self, toy_class, summed):
        html = summary_page.page(summed)
        text = text_of(html)
        assert f"{len(toy_class.made)} submissions graded" in text and "the sign is lost" in text
        for row in summed.rows:
            assert f"{row.number} {row.name}" in text
        assert summary_page.page(summed) == html

    def test_a_persons_grades_and_who_is_late_or_missing_count(self, toy_class, tmp_path):
        folder = toy_class.copy(tmp_path / "class")
        (folder.submitted / "new" / toy.NAME).mkdir(parents=True)
        with store.open_gradebook(folder) as book:
            book.add_student("never, here")
            book.find_assignment(toy.NAME).duedate = datetime(2026, 2, 1)
            book.find_submission(toy.NAME, "right").timestamp = datetime(2026, 2, 1, 3)
            book.find_grade("scale-check", toy.NAME, toy.NAME, "untouched").manual_score = 1.5
            book.find_grade("centre-check", toy.NAME, toy.NAME, "untouched").needs_manual_grade = True
            book.db.commit()
        with toy.installed(tmp_path):
            summed, target = summary_page.write(folder, toy.NAME)
        assert summed.missing == ["never, here"] and summed.ungraded == ["new"]
        assert summed.late == ["right (3 h)"] and summed.waiting == ["untouched"]
        assert summed.rows[0].counts["some"] == sum(0 < h.expected["scale"] < 2 for h in toy_class.made) + 1
        assert summed.rows[1].counts["waiting"] == 1
        look = next(each for each in summed.look if each.student == "untouched")
        assert look.why == ("0.2: needs a person", "0.1: points by a person") and look.points == 1.5
        assert target == folder.root / "summary" / f"{toy.NAME}.html"
        assert "right (3 h)" in target.read_text("utf-8")


NAMES = [
    "<img src=x onerror=alert(1)>",
    "=1+2, x",
    'say "hi"',
    "\u202egnp.exe",
    "Łukasz, محمد",
    "{{ 7 * 7 }}",
    "a/b&amp;",
]


def made_up(names, counts=None) -> Summary:
    """A summary in which every name stands wherever a name can."""
    row = Row("1.1", "scale", 2.0, 1.0, counts or dict.fromkeys(summary.OUTCOMES, len(names)))
    diagnosis = Diagnosis("1.1", "it is `<b>lost</b>`", "Read `x < y` <i>again</i>.", tuple(names))
    look = [
        Look(name, 1.0, ("needs a person",), ("Traceback: </pre><script>alert(2)</script>",), True) for name in names
    ]
    return Summary("01-x", [1.0, 2.0], 2.0, [row], [diagnosis], look, names, names, names, [0.5], ["run-1"], "2026")


def test_names_and_details_are_shown_as_text():
    html = summary_page.page(made_up(NAMES))
    assert not re.search(r"<(script|img|b|i)\b", html)
    text = text_of(html)
    for name in NAMES:
        assert text.count(without_controls(" ".join(name.split()))) >= 5
    assert "49" not in text and "</pre><script>alert(2)</script>" in text
    assert "\u202e" not in html, "nothing that turns the line round is on the page"


def test_the_table_has_a_column_for_what_occurs_alone():
    columns = {kind: f'class="number">{words.capitalize()}</th>' for kind, words in summary.OUTCOMES.items()}
    html = summary_page.page(made_up(["ada"], dict.fromkeys(summary.OUTCOMES, 0) | {"all": 2}))
    assert [kind for kind, column in columns.items() if column in html] == ["all"]
    html = summary_page.page(made_up(["ada"]))
    assert [kind for kind, column in columns.items() if column in html] == list(summary.OUTCOMES)


def test_many_names_are_folded_and_few_are_not():
    many = [f"student {number}" for number in range(11)]
    html = summary_page.page(made_up(many))
    assert html.count("<summary>11 students</summary>") == 4  # waiting, late, missing, not graded yet
    assert all(html.count(f"<bdi>{name}</bdi>") >= 4 for name in many)
    assert "<summary>10 students</summary>" not in summary_page.page(made_up(many[:10]))


def test_times_are_told_to_the_minute_and_with_their_zone():
    assert summary._to_the_minute("2026-11-22T08:45:06+00:00") == "2026-11-22 08:45 UTC"
    assert summary._to_the_minute("") == ""


def test_it_runs_nothing_and_fetches_nothing():
    html = summary_page.page(made_up(NAMES))
    without_names = summary_page.page(made_up(["ada"]))
    assert "default-src 'none'" in html
    assert not re.search(r"<(script|link|img|iframe|object)\b|\bsrc=|@import|https?://", without_names)
    assert set(re.findall(r"url\((.)", without_names)) <= {"#"}, "patterns of its own drawings alone"


def test_a_figure_is_told_in_words_and_by_pattern():
    counts = {"all": 4, "some": 3, "none": 2, "no answer": 1, "waiting": 5}
    drawing = summary_page.by_exercise(made_up(["ada"], counts))
    assert 'role="img"' in drawing and "<title" in drawing
    assert "4 all points, 3 some points, 2 no points, 1 no answer, 5 waits for a person" in drawing
    assert drawing.count("<pattern") == 2, "two of the five are told by pattern, the others by light and dark"
    assert not re.search(r"#0[1-5]0[1-5]0[1-5]", drawing) and "var(--ink)" in drawing
    ids = re.findall(r'\bid="([^"]+)"', drawing + summary_page.by_total(made_up(["ada"])))
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'(?:href="|url\()#([^")]+)', drawing)) <= set(ids)


@pytest.mark.parametrize(("totals", "most"), [([], 2.0), ([0.0], 2.0), ([2.0] * 3, 2.0), ([0.0], 0.0)])
def test_few_submissions_make_a_page_too(totals, most):
    """Where the class counts nothing of an assignment, too."""
    nothing = Summary("01-x", totals, most, [Row("1.1", "scale", most, 0.0, dict.fromkeys(summary.OUTCOMES, 0))], [],
                      [], [], [], [])  # fmt: skip
    assert ("No submission is graded yet" in summary_page.page(nothing)) == (not totals)


def test_what_was_wrong_is_said_in_words():
    cases = {
        "a: wrongly chosen": "question 2.q3: option a wrongly chosen",
        "b: wrongly left out": "question 2.q3: option b wrongly left out",
        "a": "question 2.q3: option a not in its place",
        "Your number": "question 2.q3: a wrong number",
    }
    assert {name: Diagnosis("2.q3", name, "", ("ada",), True).what for name in cases} == cases
    assert Diagnosis("2.3", "the sign is lost", "", ("ada",)).what == "exercise 2.3: the sign is lost"
