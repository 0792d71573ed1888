"""The feedback page: what was wrong, why, what next; no expected value, no markup of a student's, no request."""

import hashlib
import re
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest

from autograde import bank, keys
from autograde.gradebook import store
from autograde.grading import endings, judge
from autograde.ledger import Ledger
from autograde.reports import feedback
from course.checks.engine import CaseVerdict, Outcome, Verdict
from course.exercises import exercises
from tests.autograde import toy
from tests.autograde.command import run, said

pytestmark = [pytest.mark.sandbox, pytest.mark.xdist_group("grader")]


def page(folder, student):
    return (folder.feedback / student / toy.NAME / f"{toy.NAME}.html").read_text("utf-8")


def text_of(html):
    """The page's text as a reader sees it."""
    text = []

    class Reader(HTMLParser):
        skip = False

        def handle_starttag(self, tag, attrs):
            self.skip = self.skip or tag == "style"

        def handle_endtag(self, tag):
            self.skip = self.skip and tag != "style"

        def handle_data(self, data):
            if not self.skip:
                text.append(data)

    Reader().feed(html)
    return " ".join(" ".join(text).split())


def test_every_submission_has_a_page_and_every_exercise_a_result(toy_class):
    for submission in toy_class.made:
        text = text_of(page(toy_class.folder, submission.student))
        assert f"{submission.score:g} of 9 points" in text
        assert all(f"0.{n}" in text for n in ("1", "2", "3", "q1", "q2"))


def test_a_mistake_is_named_with_its_cause_and_its_points(toy_class):
    text = text_of(page(toy_class.folder, "wrong-the-sign-is-lost"))
    assert "The sign is lost." in text
    assert "A negative factor must turn the signs round." in text
    assert "1 of 2" in text


def test_a_mistake_of_several_lines_is_named_at_the_first():
    names = ["", "a", "", "a", "b", "a"]
    cases = [CaseVerdict(str(i), False, diagnosis=name) for i, name in enumerate(names)]
    assert [case.diagnosis for case in feedback._named_once(cases)] == ["", "a", "", "", "b", ""]
    assert [case.title for case in feedback._named_once(cases)] == list("012345")


def test_a_file_that_cannot_be_read_says_why(toy_class):
    text = text_of(page(toy_class.folder, "unreadable-file"))
    assert "0 of 9 points" in text
    assert "could not be read" in text or "unresolved merge" in text


def test_what_the_reason_says_is_not_said_again(toy_class, tmp_path, toy_notebook):
    from autograde.grading import run as grading

    folder = toy_class.copy(tmp_path / "class")
    place = folder.submitted / "linked" / toy.NAME / f"{toy.NAME}.ipynb"
    place.parent.mkdir(parents=True)
    place.symlink_to("/dev/null")
    grading.grade(folder, students=["linked"])
    feedback.feedback(folder, toy.NAME)
    assert text_of(page(folder, "linked")).count("is a link and was left aside.") == 1


def test_the_first_page_that_cannot_be_made_is_named_with_its_cause(toy_class, tmp_path):
    folder = toy_class.copy(tmp_path / "class")
    for student in ("right", "untouched"):
        graded = folder.autograded / student / toy.NAME / f"{toy.NAME}.ipynb"
        graded.write_bytes(graded.read_bytes()[:100])
    result = run("feedback", "--class", folder.root)
    assert result.exit_code == 1 and "right's feedback page of 00-toy could not be made (NotJSONError" in said(result)
    assert "To do: autograde grade 00-toy --again --student right" in said(result)
    assert page(folder, "wrong-the-sign-is-lost")


def test_what_went_wrong_has_one_next_step(toy_class):
    assert "Next step: Start with hint" in text_of(page(toy_class.folder, "untouched"))
    assert "Next step: Run it on a small input" in text_of(page(toy_class.folder, "hostile-never-ends"))


def test_no_expected_value_stands_on_any_page(toy_class, tmp_path):
    """Numbers of the run's tables, and of the recorded ones, with four digits or more."""
    record = next(Ledger(toy_class.folder.ledger).read(toy.NAME))
    key = keys.find(toy_class.folder.ledger, record.key)
    secret = set()
    with toy.installed(tmp_path):
        assert bank.find(next(e for e in exercises() if e.name == "scale")).wrong
        recorded = [bank.recorded(exercise) for exercise in judge.of_assignment(toy.NAME) if not exercise.question]
        for table in (*judge.tables(toy.NAME, key).values(), *recorded):
            for observation in table.reference:
                for value in observation.values.values():
                    secret |= {f"{abs(number):.4f}"[:6] for number in value.flatten().tolist() if abs(number) > 0.01}
    for submission in toy_class.made:
        html = re.sub(r"<style>.*?</style>", "", page(toy_class.folder, submission.student), flags=re.DOTALL)
        numbers = {number[:6] for number in re.findall(r"\d+\.\d{3,}", html)}
        assert not numbers & secret
    assert len(secret) > 50


def test_a_page_fetches_nothing_and_runs_nothing(toy_class):
    for submission in toy_class.made:
        html = page(toy_class.folder, submission.student)
        assert "default-src 'none'" in html
        assert not re.search(r"<(script|link|img|iframe|object)\b|\bsrc=|url\(|@import|https?://", html, re.IGNORECASE)
        assert len(html.encode()) < 40_000


def test_a_page_can_be_read_by_everybody(toy_class):
    html = page(toy_class.folder, "wrong-divided")
    assert '<html lang="en">' in html and html.count("<h1") == 1 and html.count("<main>") == 1
    assert html.count("<table>") == html.count("<caption>") > 0
    assert "prefers-color-scheme: dark" in html
    tables = re.findall(r"<table>.*?</table>", html, re.DOTALL)
    assert len(tables) == html.count("<table>")
    for table in tables:
        assert 'scope="col"' in table and 'scope="row"' in table


def test_what_people_typed_is_shown_as_text(toy_class, tmp_path, toy_notebook, submission, one_sandbox):
    from autograde.bank import sample
    from autograde.grading import run as grading

    folder = toy_class.copy(tmp_path / "class")
    sheet = sample.Sheet(toy_notebook.read_bytes(), toy.NAME)
    name = "<img src=x onerror=alert(1)>"
    nasty = "def scale(x, factor):\n    raise ValueError('</td><script>alert(2)</script>')"
    submission(folder, name, sheet.filled(sheet.right | {"scale": nasty}))
    grading.grade(folder, students=[name])
    with store.open_gradebook(folder) as book:
        book.find_comment("scale-answer", toy.NAME, toy.NAME, name).manual_comment = "<b>Look</b> & see"
        book.db.commit()
    feedback.feedback(folder, toy.NAME)
    html = page(folder, name)
    assert not re.search(r"<(img|script|b)\b", html)
    text = text_of(html)
    assert name in text and "<script>alert(2)</script>" in text and "<b>Look</b> & see" in text


def test_what_rests_on_a_blank_says_how_it_was_judged(toy_class, tmp_path, toy_notebook, submission, one_sandbox):
    from autograde.bank import sample
    from autograde.grading import run as grading

    folder = toy_class.copy(tmp_path / "class")
    sheet = sample.Sheet(toy_notebook.read_bytes(), toy.NAME)
    begun = "def scale(x, factor):\n    y = x.clone()\n    raise NotImplementedError"
    submission(folder, "gaps", sheet.filled({"scale": begun, "standardise": sheet.right["standardise"]}))
    grading.grade(folder, students=["gaps"])
    feedback.feedback(folder, toy.NAME)
    text = text_of(page(folder, "gaps"))
    assert "1 of 5 passed. Go on with" in text
    assert "Not answered , 0 of 2 points" in text and "Passed , 3 of 3 points" in text
    assert "It uses 0.2, which did not pass. So that no mistake costs points twice, it was judged" in text
    assert "NotImplementedError: it, or something that it calls, is not written yet." in text
    assert "Next step: Look for raise NotImplementedError in what your answer defines and calls" in text


def test_manual_grades_and_late_penalties_show(toy_class, tmp_path, toy_notebook, one_sandbox):
    from datetime import datetime

    from autograde.grading import run as grading

    folder = toy_class.copy(tmp_path / "class")
    folder.config.write_text(folder.config.read_text() + "\nc.LateSubmissionPlugin.penalty_method = 'zero'\n")
    (folder.submitted / "right" / toy.NAME / "timestamp.txt").write_text("2026-02-03 10:00:00 UTC")
    with store.open_gradebook(folder) as book:
        book.find_assignment(toy.NAME).duedate = datetime(2026, 2, 1)
        book.find_grade("scale-check", toy.NAME, toy.NAME, "untouched").manual_score = 1.5
        book.db.commit()
    grading.grade(folder, again=True, students=["right"])
    feedback.feedback(folder, toy.NAME)
    late, seen = text_of(page(folder, "right")), text_of(page(folder, "untouched"))
    assert "0 of 9 points" in late and "9 points were taken off because the submission was late" in late
    assert "1.5 of 9 points" in seen and "Graded by your instructor , 1.5 of 2 points" in seen


def test_only_a_person_comments(toy_class):
    text = text_of(page(toy_class.folder, "untouched"))
    assert "No response" not in text and "Comment from your instructor" not in text


def test_what_was_not_answered_is_one_line(toy_class):
    html = page(toy_class.folder, "untouched")
    assert "not passed" not in html and html.count("Not answered") >= 5


def test_a_file_that_cannot_be_read_shows_no_answer_of_ours(toy_class):
    html = page(toy_class.folder, "unreadable-file")
    assert "as it was graded" not in html and "<section" not in html and "Next step" not in html


def test_a_page_begins_with_what_is_right_and_where_to_go_on(toy_class):
    said = {
        "right": "Every exercise passed. Well done.",
        "wrong-the-sign-is-lost": "4 of 5 passed. Go on with 0.1 scale .",
        "untouched": "Nothing has passed yet: every exercise has a first step below. Begin with 0.1 scale .",
    }
    for student, lead in said.items():
        html = page(toy_class.folder, student)
        assert lead in text_of(html)
        assert 'href="#scale"' in html and 'id="scale"' in html
    assert "passed" not in text_of(page(toy_class.folder, "unreadable-file"))


def test_what_was_not_begun_is_not_shown_as_a_fault(toy_class):
    for student in ("untouched", "unreadable-file"):
        assert 'class="kind fail"' not in page(toy_class.folder, student)


def exercise_of(number, verdict, score=0.0):
    """What the page shows of a record."""
    filled = {"exercise": "q", "number": number, "points": 0.0, "needs_person": False, "verdict": verdict.as_json()}
    given = SimpleNamespace(score=score, points=1.0)
    return feedback._exercise(SimpleNamespace(autograde=SimpleNamespace(**filled), nbgrader=given), {}, {}, {})


def test_lines_that_were_not_reached_are_not_faults():
    failed = Verdict(Outcome.FAIL, cases=tuple(CaseVerdict(title, title == "a") for title in "abc"))
    listed = exercise_of("0.1", endings.cut_short(failed, "timeout", "", 10.0))["cases"]
    assert [(case["passed"], case["looked"]) for case in listed] == [(True, True), (False, True), (False, False)]


def test_a_page_says_which_file_was_graded(toy_class):
    for submission in toy_class.made:
        text = text_of(page(toy_class.folder, submission.student))
        assert hashlib.sha256(submission.content).hexdigest() in text and toy_class.summary.run in text


@pytest.mark.parametrize(
    ("number", "outcome", "message", "step"),
    [
        ("0.q1", "not answered", "", "Put your answer in place of the dots"),  # there is no hint("0.q1")
        ("0.q1", "fail", "", ""),
        ("0.1", "fail", "", 'hint("0.1")'),
        ("0.1", "error", "", "on a small input"),
        ("0.1", "error", "The cell of your answer stopped with SyntaxError in line 1: invalid syntax", "from the top"),
        ("0.q1", "error", "The cell of your answer stopped with NameError in line 1: x", "from the top"),
        (
            "0.1",
            "error",
            "The cell of your answer stopped with FileNotFoundError in line 1: x",
            "no files to offer",
        ),
        ("0.1", "timeout", f"{endings.CUT_OFF}0.2 took 250 s. Make the answer to 0.2 quicker first.", ""),  # says one
        ("0.1", "out of memory", f"{endings.CRAMPED}the cell with the answer to 0.1 keeps 1500 MiB.", ""),
        ("0.1", "pass", "", ""),
    ],
)
def test_the_next_step_can_be_taken(number, outcome, message, step):
    sentence = feedback._next_step(Verdict(Outcome(outcome), message=message), number)
    assert (step in sentence) and bool(step) == bool(sentence)


def test_a_wrong_question_shows_what_was_taken_wrongly():
    cases = CaseVerdict("a: rightly chosen", True), CaseVerdict("b: wrongly left out", False)
    listed = exercise_of("0.q2", Verdict(Outcome.FAIL, cases=cases))["cases"]
    assert [case["title"] for case in listed] == ["b: wrongly left out"]
