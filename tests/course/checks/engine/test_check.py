"""The engine of the checks: cases observe, tables name, verdicts say it."""

import dataclasses
import math

import pytest
import torch

from course.checks.engine import UNWRITTEN, CaseVerdict, Check, Diagnosis, Draw, Observation, Table, recorded, together
from course.checks.engine import unwritten as unwritten_case
from course.key import RECORDED_KEY, Key
from course.protocol.student import Local, Student, StudentError

KEY = RECORDED_KEY

ROW_SUMS = "rows sum to one"


@pytest.fixture(scope="module")
def toy() -> Check:
    check = Check("toy", components=("share",))

    def explain(observed, expected):
        return f"The rows sum to {float(observed['shares'].sum(-1)[0]):.1f}."

    @check.case(ROW_SUMS, explain=explain)
    def _(student: Student, draw: Draw):
        scores = draw.normal(3, 4)
        return {"shares": student.share(scores), "_scores": scores}

    @check.case("a large score does not overflow", weight=3)
    def _(student: Student, draw: Draw):
        call = {"op": "call", "name": "share", "args": [1e4 * draw.normal(2, 5)], "watch": ["scores"]}
        (reply,) = student.calls([call])
        if reply.raised:
            raise StudentError(*reply.raised)
        return {"shares": reply.value, "in place": bool(reply.changed)}

    return check


def right(scores):
    return torch.softmax(scores, -1)


def unscaled(scores):
    return scores.exp()


def overflows(scores):
    return scores.exp() / scores.exp().sum(-1, keepdim=True)


def columns(scores):
    return torch.softmax(scores, 0)


def observe(check: Check, function, key: Key = KEY) -> tuple[Observation, ...]:
    return check.observe(check.student(Local({"share": function} if function else {})), key)


def table(check: Check, key: Key = KEY) -> Table:
    wrong = {"no normalization": unscaled, "overflow": overflows, "softmax over the columns": columns}
    diagnoses = tuple(Diagnosis(n, f"Told: {n}.", observe(check, f, key)) for n, f in wrong.items())
    return Table(key, observe(check, right, key), diagnoses)


def judge(check: Check, function, key: Key = KEY):
    return check.judge(check.student(Local({"share": function})), table(check, key))


@pytest.mark.parametrize("seed", range(3))
def test_right_answers_pass_whatever_their_form_and_precision(toy, seed):
    forms = [
        right,
        lambda s: right(s.double()),
        lambda s: (s - s.logsumexp(-1, keepdim=True)).exp(),
        lambda s: right(s.T.contiguous().T).requires_grad_(),
    ]
    for form in forms:
        verdict = judge(toy, form, Key.public(seed))
        assert (verdict.outcome, verdict.fraction, verdict.diagnosis) == ("pass", 1.0, "")


@pytest.mark.parametrize(
    ("function", "kind", "fraction", "diagnosis"),
    [
        (overflows, "partial", 0.25, "overflow"),
        (columns, "fail", 0.0, "softmax over the columns"),
        (unscaled, "fail", 0.0, "no normalization"),
        (lambda s: right(2 * s), "partial", 0.75, ""),
    ],
)
def test_wrong_answers_get_what_they_earn_and_their_name(toy, function, kind, fraction, diagnosis):
    verdict = judge(toy, function)
    assert (verdict.outcome, verdict.fraction, verdict.diagnosis) == (kind, fraction, diagnosis)
    if diagnosis:
        message = next(case.message for case in verdict.cases if not case.passed)
        assert message.endswith(f"Told: {diagnosis}.")


def test_explanations_come_first_and_never_break_a_verdict(toy):
    assert judge(toy, columns).cases[0].message.startswith("The rows sum to")
    assert "shape" in judge(toy, lambda s: right(s)[0, 0]).cases[0].message  # the explanation itself fails on a scalar


def test_what_code_raises_never_makes_it_blank(toy):
    """Whether an answer is blank is seen in its text: what it uses may be what is not written."""

    def unwritten(scores):
        raise NotImplementedError

    verdict = judge(toy, unwritten)
    assert (verdict.outcome, verdict.fraction) == ("error", 0)
    assert verdict.cases[0].message == UNWRITTEN and all(map(unwritten_case, verdict.cases))
    nothing = toy.judge(toy.student(Local({})), table(toy))
    assert nothing.outcome == "error" and nothing.cases[0].message.startswith("There is no `share`")


def test_what_torch_lacks_is_not_taken_for_code_that_is_not_written(toy):
    def swapped(scores):
        return torch.log_softmax(scores.long(), -1)

    verdict = judge(toy, swapped)
    assert verdict.outcome == "error" and "not implemented for" in verdict.cases[0].message


def test_the_same_words_are_said_once(toy):
    def broken(scores):
        raise KeyError("the same")

    assert [case.message for case in judge(toy, broken).cases] == [
        "Your code raised KeyError: 'the same'.",
        "As above.",
    ]


def test_a_cause_is_said_once_and_another_one_beside_the_same_sight_is_said_in_full():
    check = Check("causes", components=("share",))
    for title in "abcde":
        check.case(title, explain=lambda observed, expected: "It is off.")(
            lambda student, draw, title=title: {"shares": student.share(title)}
        )

    def observed(*values):
        return tuple(Observation({"shares": value}) for value in values)

    diagnoses = (
        Diagnosis("one", "Cause one.", observed(1, 0, 1, 1, 1)),
        Diagnosis("two", "Cause two.", observed(0, 2, 0, 0, 0)),
    )
    table = Table(KEY, observed(0, 0, 0, 0, 0), diagnoses)
    for half in ((1, 0, 1, 3, 3), (1, 0, 1, 1, 0)):  # or all that failed, but not what passed
        verdict = check.compare(observed(*half), table)
        messages = [case.message for case in verdict.cases if not case.passed]
        assert messages == ["It is off.", *["As above."] * (len(messages) - 1)] and not verdict.diagnosis
    verdict = check.compare(observed(1, 0, 1, 1, 3), table)
    messages = [case.message for case in verdict.cases]
    assert messages == ["It is off. It may be this: Cause one.", "", "As above.", "As above.", "It is off."]
    assert [case.diagnosis for case in verdict.cases] == ["one", "", "one", "one", ""] and not verdict.diagnosis
    verdict = check.compare(observed(1, 0, 1, 1, 1), table)
    assert [case.message for case in verdict.cases] == ["It is off. Cause one.", "", *["As above."] * 3]
    assert verdict.diagnosis == "one"


def test_what_failed_with_the_same_words_is_shown_together():
    a, b, c, d, e = (CaseVerdict(title, title == "b", 1.0, message) for title, message in
                     (("a", "Off."), ("b", ""), ("c", "As above."), ("d", "Wrong."), ("e", "Off.")))  # fmt: skip
    assert together([a, b, c, d, e]) == [[a, c, e], [b], [d]]
    assert together([d, c]) == [[d, c]] and together([]) == []


def test_code_that_always_raises_is_an_error_with_its_words(toy):
    def broken(scores):
        return scores.missing

    verdict = judge(toy, broken)
    assert verdict.outcome == "error" and verdict.fraction == 0
    assert "AttributeError" in verdict.cases[0].message


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda s: None, "None"),
        (lambda s: [1.0], "several things"),
        (lambda s: right(s).tolist(), "several things"),
        (lambda s: right(s)[..., :-1], "shape (3, 3), and (3, 4) is asked for"),
        (lambda s: right(s) > 0.5, "truth values"),
        (lambda s: right(s) * float("nan"), "NaN"),
        (lambda s: (right(s), right(s)), "several things"),
        (lambda s: right(s).numpy(), "ndarray"),
    ],
)
def test_other_forms_are_told_apart_in_words(answer, words):
    check = Check("forms", components=("share",))

    @check.case("values")
    def _(student: Student, draw: Draw):
        return {"shares": student.share(draw.normal(3, 4))}

    seen = Table(KEY, check.observe(check.student(Local({"share": right})), KEY), ())
    verdict = check.judge(check.student(Local({"share": answer})), seen)
    assert verdict.outcome == "fail" and words in verdict.cases[0].message


@pytest.mark.parametrize("answer", [0, 10**400, float("inf"), [], "three"])
def test_what_a_case_trips_over_is_an_answer_of_another_form(answer):
    check = Check("shares", components=("count",))
    check.case("one share")(lambda student, draw: {"share": torch.zeros(3)[int(student.count())] + 1 / student.count()})
    table = Table(KEY, (Observation({"share": torch.ones(())}),), ())
    verdict = check.judge(check.student(Local({"count": lambda: answer})), table)
    assert verdict.fraction == 0 and "another form" in verdict.cases[0].message


def test_a_case_that_observes_nothing_is_refused():
    check = Check("empty", components=("share",))
    check.case("nothing")(lambda student, draw: {})
    with pytest.raises(ValueError, match="observes nothing"):
        check.judge(check.student(Local({})), Table(KEY, (Observation(),), ()))


def test_a_contract_case_alone_earns_nothing():
    check = Check("guarded", components=("share",))
    check.case("values")(lambda student, draw: {"shares": student.share(draw.normal(3, 4))})
    check.case("left alone", contract=True)(lambda student, draw: {"same": 1})
    seen = [Observation({"shares": torch.ones(2)}), Observation({"same": 1})]
    wrong = [Observation({"shares": torch.zeros(2)}), Observation({"same": 1})]
    table = Table(KEY, tuple(seen), ())
    assert check.compare(tuple(wrong), table).fraction == 0
    assert check.compare((seen[0], Observation({"same": 2})), table).fraction == 0.5


def test_tables_survive_recording_and_give_the_same_bytes(toy, tmp_path, monkeypatch):
    live = table(toy)
    monkeypatch.setattr(recorded, "RECORDED", tmp_path)
    (tmp_path / "toy.npz").write_bytes(recorded.dump(toy, live))
    assert recorded.dump(toy, table(toy)) == recorded.dump(toy, live)
    loaded = recorded.load(toy)
    for function in (right, overflows, columns, unscaled):
        seen = observe(toy, function)
        assert dataclasses.asdict(toy.compare(seen, loaded)) == dataclasses.asdict(toy.compare(seen, live))
    with pytest.raises(FileNotFoundError, match="make refresh"):
        recorded.load(Check("absent", components=("share",)))
    toy.case("one more")(lambda student, draw: {"nothing": 0})
    with pytest.raises(ValueError, match=r"toy.npz is older than the check of toy \(one more\)"):
        recorded.load(toy)


BEGINNERS = {
    "and between tensors": (lambda s: torch.zeros(3) if (s > 0) and (s < 1) else s, "write `&`, `|` and `~`"),
    "math of a tensor": (lambda s: math.exp(s), "A whole tensor was given"),
    "a weight on the wrong side": (lambda s: torch.ones(7, 9) @ s, "`x @ weight.T`"),
    "a method of tensors on a list": (lambda s: s.tolist().chunk(2), "`torch.tensor` makes a tensor of numbers"),
    "nothing returned": (lambda s: None, "is a `return` missing?"),
    "a view of what does not lie in one piece": (lambda s: s.T.view(-1), "`reshape` takes any"),
    "indices that are no whole numbers": (lambda s: torch.eye(3)[s], "int64"),
    "a mask of numbers": (lambda s: s.masked_fill(s, 0.0), "made of truth values"),
    "an axis too many": (lambda s: s.softmax(dim=2), "`unsqueeze` adds one"),
    "a mask for an index that does not fit": (lambda s: s[torch.ones(1, 1) > 0], "which broadcast"),
    "nothing to stack": (lambda s: torch.stack([]), "the list is empty"),
    "more of the largest than there are": (lambda s: s.topk(99), "More of the largest"),
    "whole numbers in a softmax": (lambda s: s.long().softmax(0), "does not take numbers of that kind"),
}


@pytest.mark.parametrize("answer, words", BEGINNERS.values(), ids=BEGINNERS)
def test_what_beginners_do_first_does_not_come_back_as_pytorchs_raw_words(toy, answer, words):
    assert words in judge(toy, answer).cases[0].message


def test_a_name_that_would_stand_before_thousands_of_parts_is_no_answer(toy):
    """A key of 800,000 letters over a list of 5,000 numbers was 4 GiB of names."""
    answer = {"share": lambda scores: {"A" * 800_000: [0] * 5_000}}
    (seen, *_) = toy.observe(toy.student(Local(answer)), KEY)
    assert seen.raised is not None and "a name of 8000" in seen.raised[1] and not seen.values
