"""The whole run, on the toy assignment: from files of every kind to the gradebook, whatever goes wrong on the way."""

import dataclasses
import json
import shutil
import sys

import nbformat
import pytest

from autograde.bank import sample
from autograde.gradebook import enter, store
from autograde.grading import run
from autograde.grading.judge import SubmissionJudge
from autograde.intake import received
from autograde.ledger import Ledger, LedgerBusy
from autograde.sandbox import doctor
from course import checks
from tests.autograde import toy

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.usefixtures("one_sandbox"),
    pytest.mark.xdist_group("grader"),
    pytest.mark.skipif(sys.platform != "linux" or shutil.which("bwrap") is None, reason="needs Linux and bubblewrap"),
]


@pytest.fixture
def sheet(toy_notebook):
    return sample.Sheet(toy_notebook.read_bytes(), toy.NAME)


# --- the sample class -----------------------------------------------------------------------------------------------


def test_the_gradebook_holds_what_was_put_in(toy_class):
    scores = store.scores(toy_class.folder, toy.NAME)
    assert scores == {submission.student: submission.expected for submission in toy_class.made}


def test_tricks_are_flagged_and_honest_work_is_not(toy_class):
    flagged = {line.student: set(line.flags) for line in toy_class.summary.lines}
    for submission in toy_class.made:
        assert set(submission.flags) <= flagged[submission.student]
        if not submission.student.startswith(("hostile", "unreadable")):
            assert not flagged[submission.student]


def test_every_verdict_has_an_outcome_and_wrong_ones_their_diagnosis(toy_class):
    latest = {s: r for (s, _), r in Ledger(toy_class.folder.ledger).latest(toy.NAME).items()}
    assert latest["right"]["standardise"].verdict.outcome == "pass"
    assert latest["wrong-the-sign-is-lost"]["scale"].verdict.outcome == "partial"
    assert latest["wrong-the-sign-is-lost"]["scale"].verdict.diagnosis == "the sign is lost"
    assert latest["wrong-divided"]["scale"].verdict.outcome == "fail"
    assert latest["untouched"]["scale"].verdict.outcome == "not answered"
    assert latest["hostile-never-ends"]["centre"].verdict.outcome == "timeout"
    assert "SyntaxError" in latest["syntax-error"]["centre"].verdict.message
    assert latest["unreadable-file"]["scale"].verdict.outcome == "error"


def test_one_wrong_answer_costs_once(toy_class):
    latest = {s: r for (s, _), r in Ledger(toy_class.folder.ledger).latest(toy.NAME).items()}
    resting = latest["wrong-one-mean-for-all"]["standardise"]
    assert (resting.verdict.outcome, resting.verdict.substituted) == ("pass", ("centre",))
    assert latest["hostile-never-ends"]["standardise"].verdict.substituted == ("centre",)
    assert latest["right"]["standardise"].verdict.substituted == ()


def test_everybody_in_a_run_faces_the_same_numbers(toy_class):
    records = list(Ledger(toy_class.folder.ledger).read(toy.NAME))
    assert len({record.key for record in records}) == 1
    assert len(records) == len(toy_class.made) * 5
    assert all(record.versions["torch"] and record.seconds >= 0 and len(record.submission) == 64 for record in records)


def test_check_cells_hold_text_and_one_number_and_never_stderr(toy_class):
    written = list(toy_class.folder.autograded.glob("*/*/*.ipynb"))
    assert len(written) == len(toy_class.made)
    for path in written:
        cells = json.loads(path.read_bytes())["cells"]
        assert sum(cell["metadata"].get("nbgrader", {}).get("grade", False) for cell in cells) == 5
        for cell in cells:
            if cell["metadata"].get("nbgrader", {}).get("grade"):
                kinds = [(o["output_type"], o.get("name")) for o in cell["outputs"]]
                assert kinds == [("stream", "stdout"), ("execute_result", None)]
                float("".join(cell["outputs"][1]["data"]["text/plain"]))
            assert not any(o.get("name") == "stderr" for o in cell.get("outputs", []))


def test_an_empty_place_among_the_staged_holds_nothing_up(toy_released, sheet, submission):
    """As a run leaves it that was killed, or whose disk was full, before it wrote the notebook."""
    submission(toy_released, "ada", sheet.filled(sheet.right))
    (toy_released.staged / "bob" / toy.NAME).mkdir(parents=True)
    assert run.grade(toy_released).refused == []
    assert not list(toy_released.staged.glob("*"))


def test_graded_notebooks_are_valid_and_written_as_nbformat_would(toy_class):
    written = list(toy_class.folder.autograded.glob("*/*/*.ipynb"))
    assert len(written) == len(toy_class.made)
    for path in written:
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
        assert path.read_text("utf-8") == nbformat.writes(notebook) + "\n"


def test_staged_notebooks_are_valid(toy_class, tmp_path, monkeypatch):
    folder = toy_class.copy(tmp_path / "class")
    monkeypatch.setattr(enter, "enter", lambda *_: [])
    with toy.installed(tmp_path):
        run.grade(folder, again=True, students=["right", "untouched", "unreadable-file"])
    staged = list(folder.staged.glob("*/*/*.ipynb"))
    assert len(staged) == 3
    for path in staged:
        nbformat.validate(nbformat.from_dict(json.loads(path.read_bytes())))


def test_nothing_waits_on_the_way_after_a_run(toy_class):
    assert not list(toy_class.folder.staged.glob("*/*"))


# --- a second run ---------------------------------------------------------------------------------------------------


def test_what_is_graded_is_not_run_again_unless_asked(toy_released, sheet, submission):
    submission(toy_released, "ada", sheet.filled(sheet.right))
    assert [line.fresh for line in run.grade(toy_released).lines] == [True]
    assert [line.fresh for line in run.grade(toy_released).lines] == [False]
    assert [line.fresh for line in run.grade(toy_released, again=True).lines] == [True]
    records = list(Ledger(toy_released.ledger).read(toy.NAME))
    assert len(records) == 10
    assert len({record.key for record in records}) == 2


def test_a_resubmission_counts_and_so_does_going_back(toy_released, sheet, submission):
    first, second = sheet.filled({}), sheet.filled(sheet.right)
    for content, score in ((first, 0), (second, 9), (first, 0)):
        submission(toy_released, "ada", content)
        run.grade(toy_released)
        assert sum(store.scores(toy_released, toy.NAME)["ada"].values()) == score


class Killed(BaseException):
    """Stands for the end of the process: nothing catches it."""


@pytest.mark.parametrize("where", ["before the ledger", "after the ledger", "in nbgrader", "after nbgrader"])
def test_a_run_killed_anywhere_and_run_again_gives_the_same_gradebook(
    toy_released, sheet, submission, monkeypatch, where
):
    wrong = sheet.right | {"scale": "def scale(x, factor):\n    return x"}
    for student, answers in (("ada", sheet.right), ("bob", wrong), ("cleo", {})):
        submission(toy_released, student, sheet.filled(answers))
    count = 0

    def dying(function, after):
        def call(*args, **kwargs):
            nonlocal count
            count += 1
            result = function(*args, **kwargs) if after else None
            if count == 2:
                raise Killed
            return result if after else function(*args, **kwargs)

        return call

    with monkeypatch.context() as patch:
        if where in ("before the ledger", "after the ledger"):
            patch.setattr(Ledger, "append", dying(Ledger.append, where.startswith("after")))
        elif where == "in nbgrader":
            patch.setattr(enter.Verdicts, "preprocess", dying(enter.Verdicts.preprocess, False))
        else:
            patch.setattr(store, "entered", dying(store.entered, True))
        with pytest.raises(Killed):
            run.grade(toy_released)
    run.grade(toy_released)
    scores = {s: sum(points.values()) for s, points in store.scores(toy_released, toy.NAME).items()}
    assert scores == {"ada": 9, "bob": 7, "cleo": 0}
    assert not list(toy_released.staged.glob("*/*"))


def test_a_lost_gradebook_is_filled_again_from_the_ledger(toy_class, toy_released):
    folder, there = toy_released, toy_class.folder  # toy_released: nothing but an empty gradebook
    for kept in (there.submitted, there.autograded, there.ledger):
        shutil.copytree(kept, folder.root / kept.name, dirs_exist_ok=True)
    summary = run.grade(folder)
    assert not any(line.fresh for line in summary.lines)
    assert store.scores(folder, toy.NAME) == store.scores(toy_class.folder, toy.NAME)


def test_two_runs_at_once_are_refused(toy_released):
    with Ledger(toy_released.ledger).alone(), pytest.raises(LedgerBusy):
        run.grade(toy_released)


# --- people's part --------------------------------------------------------------------------------------------------


def test_manual_grades_and_comments_are_never_overwritten(toy_class, tmp_path, toy_notebook):
    folder = toy_class.copy(tmp_path / "class")
    with store.open_gradebook(folder) as book:
        book.find_grade("scale-check", toy.NAME, toy.NAME, "untouched").manual_score = 1.5
        book.find_comment("scale-answer", toy.NAME, toy.NAME, "untouched").manual_comment = "Seen <b>in person</b>."
        book.db.commit()
    (line,) = run.grade(folder, students=["untouched"]).lines
    assert (line.score, line.manual, line.needs_person) == (1.5, True, False)
    (line,) = run.grade(folder, again=True, students=["untouched"]).lines
    assert (line.score, line.manual, line.needs_person) == (1.5, True, True)  # nbgrader wants it looked at once more
    assert store.scores(folder, toy.NAME)["untouched"]["scale"] == 1.5
    with store.open_gradebook(folder) as book:
        assert book.find_comment("scale-answer", toy.NAME, toy.NAME, "untouched").comment == "Seen <b>in person</b>."


def test_a_fault_of_the_graders_waits_for_a_person_and_the_run_goes_on(toy_released, sheet, submission, monkeypatch):
    for student in ("ada", "bob"):
        submission(toy_released, student, sheet.filled(sheet.right))
    real = SubmissionJudge.judge

    def broken_once(self, calls=[]):  # noqa: B006
        calls.append(1)
        if len(calls) == 1:
            raise ZeroDivisionError("a fault of ours")
        return real(self)

    monkeypatch.setattr(SubmissionJudge, "judge", broken_once)
    summary = run.grade(toy_released)
    assert [(line.student, line.needs_person) for line in summary.lines] == [("ada", True), ("bob", False)]
    with store.open_gradebook(toy_released) as book:
        assert book.find_submission(toy.NAME, "ada").needs_manual_grade
        assert book.find_submission(toy.NAME, "bob").score == 9
    record = Ledger(toy_released.ledger).latest(toy.NAME)[("ada", summary_hash(toy_released, "ada"))]["scale"]
    assert record.verdict.outcome == "error" and "a fault of ours" in record.details[-1]


def summary_hash(folder, student):
    return received.receive(folder.submitted / student / toy.NAME, toy.NAME).sha256


def test_a_fault_in_one_check_costs_no_other_exercise(toy_released, sheet, submission, monkeypatch):

    submission(toy_released, "ada", sheet.filled(sheet.right))
    check = checks.find("centre", "toy")
    monkeypatch.setattr(check, "compare", lambda *args: 1 / 0)
    (line,) = run.grade(toy_released).lines
    assert line.needs_person
    assert line.outcomes == {
        "scale": "pass", "centre": "error", "standardise": "pass", "question_mean": "pass", "question_axes": "pass"
    }  # fmt: skip


def test_what_a_person_has_graded_waits_no_longer(toy_released, sheet, submission, monkeypatch):

    submission(toy_released, "ada", sheet.filled(sheet.right))
    with monkeypatch.context() as broken:
        broken.setattr(checks.find("centre", "toy"), "compare", lambda *args: 1 / 0)
        (line,) = run.grade(toy_released).lines
    assert line.needs_person
    with store.open_gradebook(toy_released) as book:
        given = book.find_grade("centre-check", toy.NAME, toy.NAME, "ada")
        given.manual_score, given.needs_manual_grade = 2.0, False  # as the formgrader saves it
        book.db.commit()
    (line,) = run.grade(toy_released).lines
    assert (line.fresh, line.score, line.manual, line.needs_person) == (False, 9.0, True, False)


def test_without_a_sandbox_nothing_is_graded(toy_released, sheet, submission, monkeypatch):
    submission(toy_released, "ada", sheet.filled(sheet.right))
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(doctor.NotReady):
        run.grade(toy_released)
    assert not list(Ledger(toy_released.ledger).read(toy.NAME))


def test_an_unknown_assignment_is_named_with_those_there_are(toy_released):
    with pytest.raises(ValueError, match="no assignment 07-nothing; there are 00-toy"):
        run.grade(toy_released, ["07-nothing"])


# --- submissions that try the grader itself ---------------------------------------------------------------------------

ALL = {"scale": 2.0, "centre": 2.0, "standardise": 3.0, "question_mean": 1.0, "question_axes": 1.0}


@pytest.mark.parametrize(
    ("student", "change", "lost"),
    [
        ("warns", {"scale": "import warnings\ndef scale(x, f):\n    warnings.warn('mind')\n    return x * f"}, []),
        ("prints much", {"scale": "def scale(x, factor):\n    print('x' * 10**6)\n    return x * factor"}, []),
        ("float64", {"scale": "def scale(x, factor):\n    return x.double() * factor"}, []),
        ("ends python when called", {"centre": "import os\ndef centre(x):\n    os._exit(0)"}, ["centre"]),
        ("ends python at once", {"centre": "import os\nos._exit(0)"}, ["centre"]),
        ("lies", {"centre": "class A:\n    __eq__ = lambda self, o: True\ndef centre(x):\n    return A()"}, ["centre"]),
        ("huge reply", {"centre": "def centre(x):\n    return torch.zeros(10**9)"}, ["centre"]),
        ("endless number", {"question_mean": "answer_0_q1 = 10 ** 500"}, ["question_mean"]),
        ("exit in a question", {"question_mean": "answer_0_q1 = exit()"}, ["question_mean"]),
    ],
)  # fmt: skip
def test_submissions_that_go_wrong_lose_what_is_wrong(toy_released, sheet, submission, student, change, lost):
    submission(toy_released, student, sheet.filled(sheet.right | change))
    (line,) = run.grade(toy_released).lines
    assert not line.needs_person
    expected = {name: 0.0 if name in lost else points for name, points in ALL.items()}
    assert store.scores(toy_released, toy.NAME)[student] == expected


def test_an_empty_folder_is_nothing_handed_in(toy_released):
    (toy_released.submitted / "ada" / toy.NAME).mkdir(parents=True)
    (line,) = run.grade(toy_released).lines
    assert line.flags == ("nothing was handed in",) and set(line.outcomes.values()) == {"not answered"}


def test_a_name_of_any_characters_is_graded(toy_released, sheet, submission):
    names = ["Åsa, O'Neil", "名前", "=2+3", "[a]*?", "a b", "<script>alert(1)<"]
    for name in names:
        submission(toy_released, name, sheet.filled(sheet.right))
    summary = run.grade(toy_released)
    assert not summary.refused
    assert {s: sum(p.values()) for s, p in store.scores(toy_released, toy.NAME).items()} == dict.fromkeys(names, 9)


def test_a_name_that_would_turn_the_text_round_it_is_no_students(toy_released, sheet, submission):
    for name in ("ada\u202e", "bob\u2067x", "a\u200fb", "a\tb"):
        submission(toy_released, name, sheet.filled(sheet.right))
    summary = run.grade(toy_released)
    assert not summary.lines and len(summary.unrecognized) == 4
    assert all("rename the folder" in each and each.isprintable() for each in summary.unrecognized)


def test_a_line_of_the_summary_can_be_read_by_programs(toy_class):
    assert json.loads(run.as_json(toy_class.summary))["submissions"][0]["student"] == "deleted-cells"
    assert dataclasses.is_dataclass(toy_class.summary.lines[0])
