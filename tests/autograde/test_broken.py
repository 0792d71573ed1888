"""Broken and unusual submissions through the whole grader: what can be graded is, and both sides are told why the rest
is not."""

import csv
import io
import shutil
import sys

import nbformat
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from autograde.bank import sample
from autograde.gradebook import store
from autograde.grading import run
from autograde.grading.worker import Graded, Worker
from autograde.intake import received
from autograde.ledger import Ledger
from autograde.reports import export, feedback
from course.checks.engine import Key, Outcome
from tests.autograde import broken, toy
from tools.notebooks.files import ROOT

needs_sandbox = [
    pytest.mark.sandbox,
    pytest.mark.skipif(sys.platform != "linux" or shutil.which("bwrap") is None, reason="needs Linux and bubblewrap"),
]
CONTENT = (ROOT / "notebooks" / f"{broken.NAME}.ipynb").read_bytes()
SHEET = sample.Sheet(CONTENT, broken.NAME)
SUBMISSIONS = {each.name: each for each in [*broken.answers(SHEET), *broken.files(SHEET)]}


@pytest.fixture(scope="module")
def worker():
    """One worker for all, as in a run: what one submission does must not be felt by the next."""
    with Worker(broken.NAME, nbformat.reads(CONTENT.decode(), as_version=4), Key.public(11)) as worker:
        yield worker


def first_of(texts: list[str], between: str, most: int = 3) -> str:
    """All of this as one text; where it is much the first, and how much more there was."""
    distinct = list(dict.fromkeys(filter(None, texts)))
    return between.join(distinct[:most] + [f"and {len(distinct) - most} more"] * (len(distinct) > most))


def for_the_student(graded: Graded) -> list[str]:
    """What a student reads of the whole submission, else of each exercise that is not right, as on its feedback."""
    sentences = [graded.reason, *graded.notes]
    for name, verdict in graded.verdicts.items():
        if verdict.outcome != "pass" and not graded.reason:
            cases = [case.message for case in verdict.cases if not case.passed]
            reasons = [verdict.message, *cases, f"{verdict.outcome}."]
            sentences.append(f"{name}: {next(filter(None, reasons))}")
    return sentences


def for_the_instructor(graded: Graded) -> list[str]:
    return [*graded.details, *(f"flag: {flag}" for flag in graded.flags)]


class TestEachKind:
    pytestmark = [*needs_sandbox, pytest.mark.xdist_group("broken")]

    @pytest.mark.parametrize("name", SUBMISSIONS)
    def test_what_is_right_counts_and_the_rest_has_a_reason(self, worker, tmp_path, name, record_property):
        submission = SUBMISSIONS[name]
        for fact, value in submission.facts.items():  # for a report of the tests: `benchmarks.trust` reads them
            record_property(fact, value)
        submission.put(tmp_path)
        graded = worker.grade(received.receive(tmp_path, broken.NAME))
        record_property("student_told", first_of(for_the_student(graded), " "))
        record_property("instructor_told", first_of(for_the_instructor(graded), "; "))
        lost = set(SHEET.full) if submission.lost == broken.ALL else set(submission.lost)
        assert not graded.needs_person and set(graded.verdicts) == set(SHEET.full)
        for exercise, verdict in graded.verdicts.items():
            assert verdict.outcome in Outcome
            full = graded.points[exercise] == SHEET.full[exercise]
            assert (verdict.outcome == "pass") == full == (exercise not in lost), verdict
        messages = [
            message for v in graded.verdicts.values() for message in (v.message, *(case.message for case in v.cases))
        ]
        if submission.student:
            assert submission.student in " ".join([graded.reason, *graded.notes, *messages])
        if submission.instructor:
            assert submission.instructor in " ".join(graded.details)
        for exercise in lost:
            verdict = graded.verdicts[exercise]
            reasons = [graded.reason, verdict.message, *(case.message for case in verdict.cases if not case.passed)]
            assert any(reasons) or verdict.outcome == "not answered"
        assert all(note.endswith(".") and "\n" not in note for note in graded.notes)
        assert len(graded.notes) == len(set(graded.notes))


# --- names and times that try the files, the pages and the tables ---------------------------------------------------


class TestNames:
    pytestmark = [
        *needs_sandbox,
        pytest.mark.usefixtures("one_sandbox"),
        pytest.mark.xdist_group("grader"),
    ]

    def test_any_name_and_any_timestamp_gets_through_to_the_table(self, toy_released, toy_notebook, submission):
        held = [
            "=1+2",
            "-rf",
            "@sum, x",
            'say "hi"',
            "<b>x<b>",
            "محمد",
            "👩🏽‍🎓 é",
            "a\\b",
            "é" * 120,
            "*?[a]",
        ]
        held += ["{{x}}", "{% raw %}", "Ada", "ada", " lead", "A\u030asa", "\u00c5sa"]
        refused = ["a\nb", "bad\udcff", "x" * 200, "\u202egnp.exe"]
        for name in [*held, *refused]:
            submission(toy_released, name, toy_notebook.read_bytes())
        stamps = {
            "soon": b"soon",
            "bytes": b"\xff\xfe",
            "nothing": b"",
            "far": b"9999999-01-01",
            "when": b"2026-01-02 12:00:00 UTC",
        }
        for name, stamp in stamps.items():
            submission(toy_released, name, toy_notebook.read_bytes()).with_name("timestamp.txt").write_bytes(stamp)
        wanted = {*held, *stamps}
        summary = run.grade(toy_released)
        assert not summary.refused and {line.student for line in summary.lines} == wanted
        assert len(summary.unrecognized) == len(refused) and "\n" not in "".join(summary.unrecognized)
        assert {student for student, _ in Ledger(toy_released.ledger).latest(toy.NAME)} == wanted
        assert set(store.scores(toy_released, toy.NAME)) == wanted
        assert feedback.feedback(toy_released, toy.NAME) == len(wanted)
        pages = {p.parts[-3]: p.read_text() for p in toy_released.feedback.glob("*/*/*.html")}
        assert set(pages) == wanted and "<b>x" not in pages.get("<b>x<b>", "")
        target, count = export.export(toy_released)
        rows = list(csv.DictReader(target.open(newline="")))
        assert count == len(wanted) and {row["student_id"] for row in rows} == {
            export.no_formula(name) for name in wanted
        }
        assert {row["student_id"]: row["timestamp"] for row in rows}["when"] == "2026-01-02 12:00:00"
        assert not any(row["student_id"][:1] in ("=", "+", "-", "@") for row in rows)


@given(st.lists(st.text(max_size=60), max_size=5))
@example(["\r=", "'"])  # a quote at the beginning, and one behind what may part cells
def test_no_name_breaks_the_table_or_becomes_a_formula(names):
    row = dict.fromkeys(export.COLUMNS, "")
    names = [name.encode("utf-8", "replace").decode() for name in names]
    text = export.as_csv(
        [row | {"student_id": export.no_formula(name), "last_name": export.no_formula(name)} for name in names]
    )
    read = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    for name, line in zip(names, read, strict=True):
        student = line["student_id"]
        assert student.replace("'", "") == name.replace("'", "") and line["last_name"] == student
        assert not student.lstrip().startswith(("=", "+", "-", "@", "\t", "\r"))
