"""What a learner is shown, wherever the call stands: in a cell, a script or a terminal; and what a cell waits for."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import course
from course.checks.engine import CaseVerdict, Outcome, Verdict
from course.exercises import by_number, exercises, of_component
from course.learner import card, hints, progress
from course.learner.check import Points
from course.verdict import AS_ABOVE
from tests.course.learner.conftest import text_of

ROOT = Path(__file__).resolve().parents[3]
SET_UP = "import torch\nfrom torch import nn\nfrom course import check, hint, progress"
STUB = "def scaled_dot_product_attention(query, key, value, mask=None):\n    raise NotImplementedError"
CASES = (
    CaseVerdict("one case", True),
    CaseVerdict("another <case>", False, message="It saw `x & y`."),
    CaseVerdict("the telling case", False, message="It saw z.", diagnosis="the axes are exchanged"),
)
EXERCISE, QUESTION = of_component("safe_softmax"), by_number("4.q2")


@pytest.fixture
def home(tmp_path, monkeypatch):
    for name in ("COURSE_STRICT", "NBGRADER_EXECUTION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COURSE_HOME", str(tmp_path / ".course"))
    return tmp_path / ".course"


def luminance(color: str) -> float:
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(share * channel for share, channel in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("tone", card.Tone)
def test_each_color_is_legible_on_both_grounds(tone):
    """WCAG 2.2: 4.5:1 for the badge's text, 3:1 for the edge of a card on JupyterLab's two grounds."""
    assert contrast(tone, "#ffffff") >= 4.5
    assert contrast(tone, "#ffffff") >= 3 and contrast(tone, "#111111") >= 3


def test_the_cause_goes_first_and_all_else_is_folded():
    points = Points(EXERCISE, Verdict(Outcome.PARTIAL, 0.5, CASES), hints=[(2, "the second"), (3, "the last")])
    page = points._repr_html_()
    order = ["Partly right", f"{EXERCISE.points / 2:g} of", "Cause:", "The axes are exchanged.", "Look at:",
             "It saw z.", "<summary>Hint 2 of 3", "<summary>Hint 3 of 3", "1 of 3 passed"]  # fmt: skip
    assert [page.index(part) for part in order] == sorted(page.index(part) for part in order)
    open_part = page[: page.index("<details>")]
    assert "another" not in open_part and "one case" not in open_part
    assert page.count("<details>") == page.count("</details>") == 3
    assert "another &lt;case&gt;" in page and "<code>x &amp; y</code>" in page and "<script" not in page
    text = points.text()
    assert text.index("Cause: the axes") < text.index("Look at: the telling") < text.index("Hint 2 of 3: the second")
    assert "the last" not in text and "<" not in text.replace("<case>", "")


def test_what_all_cases_fail_by_alike_is_the_cause_and_no_case_is_to_be_looked_at():
    cases = (CaseVerdict("one", False, message="It may not be called."), CaseVerdict("two", False, message=AS_ABOVE))
    blocked = Points(EXERCISE, Verdict(Outcome.ERROR, 0.0, cases))
    for said in (blocked._repr_html_(), blocked.text()):
        assert "It may not be called." in said.partition("Cause:")[2] and "Look at" not in said
    one = Points(EXERCISE, Verdict(Outcome.ERROR, 0.0, cases[:1]))
    assert "Look at: one" in one.text() and "Cause" not in one.text()


@pytest.mark.usefixtures("home")
def test_a_question_is_right_or_not_yet_and_never_nought_of_one():
    cases = (CaseVerdict("a: wrongly chosen", False, message="Not so."), CaseVerdict("b: rightly left out", True))
    wrong = Points(QUESTION, Verdict(Outcome.FAIL, 0.0, cases, message="Read what is said."))
    for shown in (wrong._repr_html_(), wrong.text()):
        assert "Question 4.q2" in shown and "not yet right" in shown.lower()
        assert "0 of" not in shown and "Exercise" not in shown
    page = wrong._repr_html_()
    assert page.index("a: wrongly chosen") < page.index("<details>") < page.index("b: rightly left out")
    assert "Right" in Points(QUESTION, Verdict(Outcome.PASS, 1.0, cases))._repr_html_()
    assert "Not answered yet" in course.check("4.q2", ...)._repr_html_()


def test_every_question_has_lettered_options_in_the_text_above_its_cell():
    """The letters that the check explains are those that the notebook's text lists, and the answer's cell is graded."""
    from course.chapters import question
    from tools.notebooks import files

    for path in files.paths():
        cells = files.read(path).cells
        for exercise in (e for e in exercises() if e.question and e.notebook == path.stem):
            place = next(i for i, cell in enumerate(cells) if cell.id == f"{exercise.name}-answer")
            held = question(exercise.name, exercise.chapter)
            if held["kind"] != "number":
                listed = re.findall(r"^- \*\*([a-z])\*\*", cells[place - 1].source, re.MULTILINE)
                assert listed == sorted(held["options"]) and set(held["answer"]) <= set(listed), exercise.number
            assert cells[place].metadata.nbgrader.solution and "= ..." in cells[place].source
            assert re.search(
                rf'check\("{exercise.number}", {cells[place].source.split(" =")[0]}\)', cells[place + 1].source
            )


def test_a_check_and_a_hint_show_themselves_wherever_they_stand(learner):
    number = EXERCISE.number
    two, not_last, silenced, assigned, in_a_loop, last = learner(
        SET_UP,
        f'check("{number}", lambda s, dim=-1: s)\nhint("{number}")',
        f'check("{number}", lambda s, dim=-1: s)\nprint("after")',
        f'check("{number}", lambda s, dim=-1: s);',
        f'points = hint("{number}")',
        f'for f in (abs, abs):\n    check("{number}", lambda s, dim=-1: s)',
        f'check("{number}", lambda s, dim=-1: s)',
    )[1:]
    assert [o.output_type for o in two.outputs] == ["display_data", "execute_result"]
    assert "course-card" in two.outputs[0].data["text/html"] and "Hint 1 of 3" in two.outputs[0].data["text/html"]
    assert "hint 1 of 3" in two.outputs[1].data["text/markdown"]
    assert [o.output_type for o in not_last.outputs] == ["display_data", "stream"]
    assert "Hint 2 of 3" in not_last.outputs[0].data["text/html"], "a hint that was asked for is not offered again"
    assert [o.output_type for o in silenced.outputs] == ["display_data"]
    assert "hint 2 of 3" in assigned.outputs[0].data["text/markdown"]
    assert [o.output_type for o in in_a_loop.outputs] == ["display_data"] * 2
    assert [o.output_type for o in last.outputs] == ["execute_result"], "shown once, as a number that nbgrader reads"
    assert float(last.outputs[0].data["text/plain"]) == 0


def test_in_a_script_they_print(tmp_path):
    script = tmp_path / "answer.py"
    script.write_text(f'from course import check, hint\ncheck("{EXERCISE.number}", lambda s, dim=-1: s)\nhint()\n')
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COURSE_HOME": str(tmp_path / "home")}
    for name in ("COURSE_STRICT", "NBGRADER_EXECUTION"):
        environment.pop(name, None)
    done = subprocess.run([sys.executable, script], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"Exercise {EXERCISE.number}: 0 of") and "Look at: " in done.stdout
    assert "Hint 1 of 3: " in done.stdout and f"**Exercise {EXERCISE.number}, hint 1 of 3.**" in done.stdout
    assert "<" not in done.stdout


def test_a_hint_for_nobody_in_particular_is_the_next_open_exercises(home, monkeypatch):
    monkeypatch.setattr(hints.session, "checked", [])
    monkeypatch.setenv("JPY_SESSION_NAME", "work/Copy of 04-dot-product.ipynb")
    first, second = (
        e for e in exercises() if e.notebook == "04-dot-product" and not e.question and e.number in "4.1 4.2"
    )
    assert f"Exercise {first.number}, hint 1" in course.hint()
    progress.add(first, Verdict(Outcome.PASS, 1.0))
    assert f"Exercise {second.number}, hint 1" in course.hint()
    course.check("2.1", lambda *given, **named: None)  # the one that somebody is at
    assert "Exercise 2.1, hint 1" in course.hint()
    monkeypatch.setattr(hints.session, "checked", [])
    monkeypatch.delenv("JPY_SESSION_NAME")
    assert f"Exercise {exercises()[0].number}, hint 1" in course.hint()
    for exercise in exercises():
        progress.add(exercise, Verdict(Outcome.PASS, 1.0))
    assert "Every exercise has passed" in course.hint()


def test_a_hint_that_is_opened_by_a_click_is_not_counted(home):
    points = course.check(EXERCISE.number, lambda s, dim=-1: s)
    assert [step for step, _ in points.hints] == [1, 2, 3]
    assert "hints" not in progress.read()["exercises"][EXERCISE.name]


def test_progress_says_points_and_minutes_left(home):
    progress.add(EXERCISE, Verdict(Outcome.PARTIAL, 0.5))
    core = [e for e in exercises() if not e.stretch]
    left, minutes = sum(e.points for e in core) - EXERCISE.points / 2, sum(e.minutes for e in core)
    table = course.progress()
    assert f"{left:g}" in repr(table).splitlines()[-2] and f"{minutes}" in repr(table).splitlines()[-2]
    progress.add(EXERCISE, Verdict(Outcome.PASS, 1.0))
    assert f"{minutes - EXERCISE.minutes}" in repr(course.progress()).splitlines()[-2]
    assert "estimate" in course.progress()._repr_html_(), "of what kind the minutes are"


def test_a_passed_check_leads_to_the_solution_page(home, monkeypatch):
    right = Verdict(Outcome.PASS, 1.0)
    assert "solution" not in Points(EXERCISE, right)._repr_html_(), "no link where the book's address is not known"
    monkeypatch.setenv("COURSE_SITE", "https://example.org/course")
    page = "https://example.org/course/book/solutions/00-warm-up.html"
    from solutions.warm_up import safe_softmax

    assert f'href="{page}"' in course.check(EXERCISE.number, safe_softmax)._repr_html_()
    assert page in course.check(EXERCISE.number, safe_softmax).text()


# ---------------------------------------------------------------- a chapter opened first, and run all


def test_opening_a_chapter_first_names_all_that_is_missing_and_one_cell_to_go_on(learner):
    imports = "from course.components import (\n    GRUCell,\n    masked_softmax,\n)"
    cells = learner(
        SET_UP, imports, "cell = GRUCell(2, 3)\nprint(cell)", "print(cell)", "print('on')", allow_errors=False
    )
    missing, uses, follows, on = cells[1:]
    for kind in ("text/plain", "text/html"):
        said = text_of(missing, kind)
        assert "GRUCell is exercise 1.1, in 01-seq2seq.ipynb" in said and "masked_softmax is exercise 2.2" in said
        assert said.count("use_reference(") == 1
    assert 'use_reference("GRUCell", "masked_softmax")' in text_of(missing)
    assert not any(o.output_type == "error" for cell in cells for o in cell.outputs)
    assert "1.1" in text_of(uses) and "`GRUCell` comes from a cell above" in text_of(uses)
    assert "`cell` comes from a cell above" in text_of(follows) and "on\n" == text_of(on)
    way_on = 'from course import use_reference\nuse_reference("GRUCell", "masked_softmax")'
    (*_, used) = learner(SET_UP, imports, way_on, imports, "GRUCell.__module__", allow_errors=False)
    assert text_of(used) == "'solutions.seq2seq'"


def test_without_ipythons_help_the_error_names_them_all(home):
    code = compile("from course.components import masked_softmax, GRUCell", __file__, "exec")
    with pytest.raises(ImportError, match=r"masked_softmax is exercise 2\.2"):
        exec(code)


def test_run_all_goes_past_what_is_unanswered_and_stops_at_what_is_wrong(learner):
    cells = learner(
        SET_UP,
        STUB,
        'check("4.1", scaled_dot_product_attention)',
        "x = torch.ones(1, 2, 3)\noutput, weights = scaled_dot_product_attention(x, x, x)\nprint(output)",
        "total = output.sum()",
        "total",
        "class Mine:\n    def go(self):\n        raise NotImplementedError\nMine().go()",
        "not_bound_anywhere",
        allow_errors=True,
    )
    waits = [text_of(cell) for cell in cells[3:6]]
    assert "Waits for exercise 4.1: `scaled_dot_product_attention` is not written yet" in waits[0]
    assert "`output` comes from a cell above" in waits[1] and "`total` comes from a cell above" in waits[2]
    assert not any(o.output_type == "error" for cell in cells[:6] for o in cell.outputs)
    assert [cell.outputs[0].output_type for cell in cells[6:]] == ["error", "error"]
    assert "Traceback" in text_of(cells[6]) and "NameError" in text_of(cells[7])
