"""In the learner's own notebook: an answer that rests on what is not written yet is told what it is owed."""

import linecache
import sys
import types

import pytest

import course
from autograde import reference
from course.exercises import exercises, of_component
from course.learner import owed, progress
from tools.notebooks import files

NUMBER = of_component("SelfAttention").number
OWED = of_component("scaled_dot_product_attention").number


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    for name in ("COURSE_STRICT", "NBGRADER_EXECUTION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COURSE_HOME", str(tmp_path / ".course"))


class Notebook:
    """A chapter's notebook as it was handed out, in a namespace of its own: set-up, stubs, and what is put in."""

    def __init__(self, stem: str, monkeypatch):
        (path,) = files.paths([stem])
        self.stubs = {c.id.removesuffix("-answer"): c.source for c in files.read(path).cells if "answer" in c.id}
        self.main = types.ModuleType("__main__")
        monkeypatch.setitem(sys.modules, "__main__", self.main)
        self.count = 0
        around = vars(reference.module(files.chapter(path)))  # what the given cells import and define, and more
        vars(self.main).update({name: value for name, value in around.items() if not name.startswith("__")})
        for exercise in exercises():
            if exercise.notebook == stem:
                self.run(self.stubs[exercise.name])

    def run(self, source: str) -> None:
        self.count += 1
        file = f"/tmp/ipykernel_1/{self.count}.py"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        exec(compile(source, file, "exec"), self.main.__dict__)

    def answer(self, name: str) -> None:
        exercise = next(e for e in exercises() if e.name == name)
        self.run(reference.source(exercise.chapter, exercise.components))

    def check(self, exercise):
        return course.check(exercise.number, *(getattr(self.main, name) for name in exercise.components))


@pytest.fixture
def notebook(monkeypatch):
    return lambda stem: Notebook(stem, monkeypatch)


STEMS = sorted({e.notebook for e in exercises()})


def coded(stem: str) -> list:
    """The notebook's exercises that ask for code: one at least."""
    there = [exercise for exercise in exercises() if exercise.notebook == stem and not exercise.question]
    assert there
    return there


@pytest.mark.parametrize("stem", STEMS)
def test_what_was_handed_out_is_not_answered_yet(notebook, stem):
    """A program with a fault to be found is judged all the same, so that its check shows what is wrong."""
    opened = notebook(stem)
    for exercise in coded(stem):
        result = opened.check(exercise)
        assert float(result) == 0
        if "raise NotImplementedError" in opened.stubs[exercise.name]:
            assert (result.verdict.outcome, result.verdict.message, result.verdict.cases) == (
                "not answered", "Not answered yet.", (),
            )  # fmt: skip
        else:
            assert result.verdict.outcome == "not answered", "as the grader calls it"
            assert result.verdict.cases or "It uses `train_step_cpu` (exercise 0.6)" in result.verdict.message


@pytest.mark.parametrize("stem", STEMS)
def test_an_answer_on_top_of_blanks_gets_its_points(notebook, stem):
    """Each exercise answered alone, in a notebook as it was handed out: what another exercise owes costs it nothing."""
    for exercise in coded(stem):
        opened = notebook(stem)
        opened.answer(exercise.name)
        result = opened.check(exercise)
        assert float(result) == exercise.points, result.text()
        note = result.verdict.message
        if result.verdict.substituted:
            assert note.startswith("Judged with the reference in place of") and "not written yet" in note
            kept = progress.home() / "components" / f"{exercise.name}.py"
            assert "not kept yet" in result.text() and not kept.exists(), exercise.name


@pytest.mark.parametrize("stem", STEMS)
def test_without_the_reference_it_names_them_or_passes(notebook, monkeypatch, stem):
    """As where a release leaves the solutions out: the message names all that it needs, and with those it passes."""
    monkeypatch.setattr(owed, "_reference", lambda component: None)
    for exercise in coded(stem):
        opened = notebook(stem)
        opened.answer(exercise.name)
        answered = {exercise}
        while (result := opened.check(exercise)).verdict.outcome != "pass":  # what is written then may rest on more
            note = result.verdict.message
            assert result.verdict.outcome != "not answered" and "not answered" not in result.text()
            assert "use_reference" in note and "not written yet" in note, (exercise.name, result.text())
            named = {e for e in exercises() if f"exercise {e.number})" in note}
            assert named - answered and all(e.notebook == stem for e in named)
            for rested_on in named:
                opened.answer(rested_on.name)
            answered |= named


def test_the_message_and_the_way_on_in_full(notebook, monkeypatch):
    monkeypatch.setattr(owed, "_reference", lambda component: None)
    opened, exercise = notebook("04-dot-product"), of_component("SelfAttention")
    opened.answer(exercise.name)
    assert opened.check(exercise).text().split("\n")[:2] == [
        f"Exercise {NUMBER} ({exercise.points:g} points): not judged yet",
        f"It uses `scaled_dot_product_attention` (exercise {OWED}), not written yet. Solve {OWED} first and run this "
        "check again. Or go on with the reference: run `from course import use_reference; "
        'use_reference("scaled_dot_product_attention")` and `from course.components import '
        "scaled_dot_product_attention` in a cell of their own, then this check.",
    ]
    opened.run('from course import use_reference; use_reference("scaled_dot_product_attention")')
    opened.run("from course.components import scaled_dot_product_attention")
    assert opened.check(exercise).verdict.outcome == "pass"


def test_a_right_answer_on_a_wrong_one_gets_its_points_and_is_told(notebook):
    opened, exercise = notebook("04-dot-product"), of_component("SelfAttention")
    opened.answer(exercise.name)
    wrong = "def scaled_dot_product_attention(query, key, value, mask=None):\n    return value, key"
    opened.run(wrong)
    before = opened.main.scaled_dot_product_attention
    result = opened.check(exercise)
    assert float(result) == exercise.points and result.verdict.substituted == ("scaled_dot_product_attention",)
    assert f"`scaled_dot_product_attention` (exercise {OWED}), which is not right yet." in result.verdict.message
    assert opened.main.scaled_dot_product_attention is before, "the notebook's own is there again"
    assert not progress.home().joinpath("components").exists()
    opened.answer("scaled_dot_product_attention")
    course.use_reference("masked_softmax")  # which that one rests on
    assert not opened.check(exercise).verdict.substituted
    assert progress.home().joinpath("components", "self_attention.py").exists()


def test_what_was_never_imported_is_stood_in_for_too(notebook, monkeypatch):
    """Chapter 04 opened first: the cell that imports `masked_softmax` stopped."""
    opened, exercise = notebook("04-dot-product"), of_component("scaled_dot_product_attention")
    del opened.main.masked_softmax
    opened.answer(exercise.name)
    result = opened.check(exercise)
    assert (
        float(result) == exercise.points
        and "`masked_softmax` (exercise 2.2), not imported here" in result.verdict.message
    )
    assert not hasattr(opened.main, "masked_softmax")
    monkeypatch.setattr(owed, "_reference", lambda component: None)
    result = opened.check(exercise)
    assert "not judged yet" in result.text() and "is not defined" not in result.text()


def test_an_answer_that_is_written_in_part_is_told_what_is_left(notebook):
    opened, exercise = notebook("07-language-model"), of_component("generate")
    opened.run(reference.source(exercise.chapter, ("sampling_distribution",)))
    result = opened.check(exercise)
    assert result.verdict.outcome == "partial" and result.verdict.message == "Not written yet: `generate`."
    assert any(case.passed for case in result.verdict.cases)


def test_a_wrong_answer_hears_nothing_of_what_it_does_not_use(notebook):
    opened, exercise = notebook("04-dot-product"), of_component("SelfAttention")
    opened.run("class SelfAttention(nn.Module):\n    def __init__(self, d_model):\n        super().__init__()\n"
               "    def forward(self, x, mask=None):\n        return x, x")  # fmt: skip
    result = opened.check(exercise)
    assert result.verdict.outcome in ("fail", "error") and "written yet" not in result.text()


@pytest.mark.parametrize(
    "way",
    ["attend = scaled_dot_product_attention", "attend = partial(scaled_dot_product_attention)",
     "@cache\ndef attend(*given):\n    return scaled_dot_product_attention(*given)",
     "class Attend:\n    def __call__(self, *given):\n        return scaled_dot_product_attention(*given)\n"
     "attend = Attend()"],
    ids=["another name", "partial", "cached", "an instance"],
)  # fmt: skip
def test_a_blank_that_goes_by_another_name_is_named_all_the_same(notebook, monkeypatch, way):
    monkeypatch.setattr(owed, "_reference", lambda component: None)
    opened = notebook("04-dot-product")
    exercise = of_component("SelfAttention")
    text = reference.source(exercise.chapter, exercise.components)
    opened.run(
        f"from functools import cache, partial\n{way}\n{text.replace('scaled_dot_product_attention(', 'attend(')}"
    )
    result = opened.check(exercise)
    assert f"`scaled_dot_product_attention` (exercise {OWED}), not written yet" in result.verdict.message, result.text()


def test_what_has_no_text_is_an_answer(notebook):
    opened, exercise = notebook("04-dot-product"), of_component("SelfAttention")
    opened.main.SelfAttention = lambda *args, **kwargs: None
    assert opened.check(exercise).verdict.outcome in ("fail", "error")
    exec("class Silent:\n    pass", opened.main.__dict__)
    opened.main.SelfAttention = opened.main.Silent
    assert opened.check(exercise).verdict.outcome in ("fail", "error")


def test_a_helper_of_the_notebook_leads_to_what_is_owed(notebook, monkeypatch):
    monkeypatch.setattr(owed, "_reference", lambda component: None)
    opened, exercise = notebook("04-dot-product"), of_component("SelfAttention")
    opened.run("def attend(q, k, v, mask):\n    return scaled_dot_product_attention(q, k, v, mask)")
    source = reference.source(exercise.chapter, exercise.components)
    opened.run(source.replace("scaled_dot_product_attention(", "attend("))
    assert f"`scaled_dot_product_attention` (exercise {OWED})" in opened.check(exercise).verdict.message
