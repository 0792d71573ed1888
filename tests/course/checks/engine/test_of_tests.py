"""A learner's test in a notebook: tried on the learner's own component and on a few published wrong ones."""

import pytest
import torch

from course.checks import engine
from course.checks.engine.of_tests import CheckOfTest
from course.key import RECORDED_KEY
from course.learner import components
from course.learner.check import judge
from course.protocol.student import Local
from solutions import warm_up

KEY = RECORDED_KEY
OWN = """import torch
print("noise of the learner's own")
def safe_softmax(scores, dim=-1):
    torch.rand(3)
    return scores.softmax(dim)
"""


def along(scores, dim=-1):
    return scores.softmax(0)


def unnormalized(scores, dim=-1):
    return scores.exp()


def sums_to_one(safe_softmax):
    return torch.allclose(safe_softmax(torch.randn(3, 4)).sum(-1), torch.ones(3))


def asserted(safe_softmax):
    scores = torch.randn(2, 3, 4)
    torch.testing.assert_close(safe_softmax(scores, dim=1), scores.softmax(1))
    torch.testing.assert_close(safe_softmax(scores, dim=0), scores.softmax(0))


def positive(safe_softmax):
    assert (safe_softmax(torch.randn(3, 4)) > 0).all()


@pytest.fixture
def check(monkeypatch, tmp_path) -> CheckOfTest:
    for name in ("COURSE_STRICT", "NBGRADER_EXECUTION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COURSE_HOME", str(tmp_path))
    monkeypatch.setattr(engine.Check, "registry", dict(engine.Check.registry))
    variants = {"the other axis": along, "no sum": unnormalized}
    return CheckOfTest("test_softmax", of="safe_softmax", variants=variants)


def table_of(check, reference):
    """What learners get: the reference's test, tried on the reference and the published wrong forms."""
    return engine.Table(KEY, check.observe(reference, KEY, check.published(warm_up.safe_softmax)), ())


def judged(check, test):
    def student(answer):
        return check.student(Local({"test_softmax": answer}))

    return judge(check, student(test), table_of(check, student(asserted)))


def test_it_is_tried_on_the_learners_own_component(check, tmp_path, capsys):
    (tmp_path / "components").mkdir()
    (tmp_path / "components" / "safe_softmax.py").write_text(OWN)
    assert judged(check, sums_to_one).outcome == "pass"
    assert "your own" in capsys.readouterr().out


def test_it_is_tried_on_the_reference_until_the_own_component_has_passed(check):
    assert judged(check, asserted).outcome == "pass"
    verdict = judged(check, positive)
    assert (verdict.outcome, verdict.fraction) == ("fail", 0)
    assert verdict.cases[1].message == "Your test lets 2 of 2 wrong ones through: the other axis; no sum."


def test_without_either_the_way_on_is_said(check, monkeypatch):
    def absent(name, exercise):
        raise ImportError("not installed")

    student = check.student(Local({"test_softmax": asserted}))
    table = table_of(check, student)
    monkeypatch.setattr(components, "reference", absent)
    verdict = judge(check, student, table)
    assert (verdict.outcome, verdict.fraction) == ("error", 0)
    assert "safe_softmax is exercise 0.3, in 00-warm-up.ipynb, and has not passed yet. Solve it" in verdict.message
    assert "use_reference" not in verdict.message  # it is not installed


def test_what_is_right_must_pass_before_anything_is_earned(check):
    verdict = judged(check, lambda safe_softmax: False)
    assert (verdict.outcome, verdict.fraction) == ("fail", 0)
    assert verdict.cases[0].message == "Your test refuses one that is right: it returned False."
    assert not verdict.cases[1].passed and "found nothing" in verdict.cases[1].message


def test_a_test_that_breaks_shows_what_it_raised(check):
    verdict = judged(check, lambda safe_softmax: safe_softmax(missing))  # noqa: F821
    assert verdict.outcome == "error" and "NameError" in verdict.cases[0].message


def test_an_error_that_the_docstring_promises_can_be_tested(check):
    def refuses(safe_softmax):
        try:
            safe_softmax(torch.zeros(2), dim=5)
        except IndexError:
            return True
        return False

    verdict = judged(check, refuses)
    assert verdict.outcome == "pass"  # neither of the two looks at `dim`


def test_a_view_that_a_right_one_gives_lies_in_the_tests_own_argument(monkeypatch, check):
    def first_half(x):
        return x[: len(x) // 2]

    def writes(first_half):
        x = torch.arange(6.0)
        first_half(x).fill_(-1)
        assert torch.equal(x, torch.arange(6.0)), "the input was changed"

    def clones(first_half):
        x = torch.arange(6.0)
        first_half(x).clone().fill_(-1)
        assert torch.equal(x, torch.arange(6.0))

    variants = {"the other half": lambda x: x[len(x) // 2 :]}
    check = CheckOfTest("test_first_half", of="first_half", variants=variants)

    def refused(test):
        student = check.student(Local({"test_first_half": test}))
        return check.observe(student, KEY, check.published(first_half))[0].hidden.get("why.the reference", "")

    assert refused(clones) == ""
    said = refused(writes)
    assert said.startswith("it raised AssertionError: the input was changed")
    assert ", but not where it gives new memory: it writes into what it is given back" in said


def test_two_tests_that_find_as_little_are_told_apart_by_whether_they_ask_for_values(check):
    def with_itself(safe_softmax):
        scores = torch.randn(3, 4)
        assert torch.equal(safe_softmax(scores, -1), safe_softmax(scores.clone(), -1))

    def one_score(safe_softmax):
        assert (safe_softmax(torch.zeros(2, 1), -1) == 1).all() and len(safe_softmax(torch.randn(3, 4), -1)) == 3

    def seen(test):
        return check.observe(check.student(Local({"test_softmax": test})), KEY, check.published(warm_up.safe_softmax))

    itself, value = seen(with_itself), seen(one_score)
    assert all(itself[0].values.values()) and itself[0].values == value[0].values
    assert "no value is asked for" in itself[0].hidden["habits"] and "no value" not in value[0].hidden["habits"]
    assert not check.same(0, itself[0], value[0])
