"""Declarations and the conditions made from them: what each sees, what it says, and what is refused at load."""

import copy
import random

import pytest
import torch
from torch import nn

from course.checks.engine import Axis, Check, Observation, Table
from course.checks.engine.agreement import LARGEST, REMEMBERED, numbers_of
from course.checks.engine.conditions import CONDITIONS
from course.checks.engine.declare import Fixture, far_below_zero, scaled, shifted
from course.checks.engine.draw import Draw, _made
from course.checks.engine.explanations import BY_CHANCE
from course.key import Key
from course.protocol.student import Local
from course.protocol.untouched import DRAWN
from course.verdict import AS_ABOVE

KEY = Key.public("conditions")


def attend(x, y):
    """x (B, T, D), y (B, S, D): the rows of y, mixed."""
    return torch.softmax(x @ y.mT, -1) @ y


class Attend(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.map = nn.Linear(width, width)

    def forward(self, x, y):
        return attend(self.map(x), y)


@pytest.fixture
def check():
    made = Check("attend", components=("attend",))

    @made.takes("attend", B=2, T=3, S=4, D=5, same="x y", garbage=_padded, fills=(1e30,))
    def _(draw, B, T, S, D):
        return {"x": draw.normal(B, T, D), "y": draw.normal(B, S, D)}

    @made.case("ordinary", weight=4)
    def _(student, draw):
        return {"mixed": student.attend(draw.normal(2, 3, 4), draw.normal(2, 5, 4))}

    yield made
    del Check.registry["attend"]


@pytest.fixture
def of_module():
    made = Check("Attend", components=("Attend",))

    @made.takes("Attend", B=2, T=3, S=4, D=5, new=lambda B, T, S, D: (D,))
    def _(draw, B, T, S, D):
        return {"x": draw.normal(B, T, D), "y": draw.normal(B, S, D)}

    yield made
    del Check.registry["Attend"]


def _padded(arguments, fill):
    return arguments  # nothing is promised of it, so whatever is tried must hold


def table(check, right):
    reference = check.observe(check.student(Local({check.components[0]: right})), KEY)
    check.hold(reference)
    return Table(KEY, reference, ())


def said(check, right, answer):
    """Title -> message of each case that an answer fails."""
    verdict = check.judge(check.student(Local({check.components[0]: answer})), table(check, right))
    return {case.title: case.message for case in verdict.cases if not case.passed}


def titles(*kinds):
    return {CONDITIONS[kind].title for kind in kinds}


def test_a_right_answer_passes_in_any_form(check, of_module):
    def by_hand(x, y):
        scores = torch.einsum("btd,bsd->bts", x, y)
        return torch.stack(
            [(s - s.amax(-1, keepdim=True)).softmax(-1) @ rows for s, rows in zip(scores, y, strict=True)]
        )

    assert said(check, attend, by_hand) == {} and len(check.cases) == 1 + len(CONDITIONS)
    assert said(of_module, Attend, Attend) == {}


_calls = []


def _second(x, y):
    _calls.append(x)
    return attend(x, y) * len(_calls)


def _in_place(x, y):
    mixed = attend(x, y)
    x.detach().zero_()
    return mixed


FAULTS = {
    "sizes": (
        lambda x, y: attend(x, y).squeeze(),
        "With B = 1 the result has shape (3, 5), and (1, 3, 5) is asked for.",
    ),
    "gradients": (lambda x, y: attend(x, y.detach()), "No gradient reaches `y`"),
    "layout": (
        lambda x, y: attend(x.view(-1).view(x.shape), y),
        "With arguments laid out differently in memory (transposed, the numbers are the same) your code",
    ),
    "again": (_second, "Called a second time, with the same arguments, it gives another result"),
    "untouched": (_in_place, "The call changes something that is not its own: `x`."),
    "float64": (
        lambda x, y: attend(x.float(), y.float()).to(x.dtype),
        "In float64 a change of a billionth in the arguments does not show in the result",
    ),
    "device": (
        lambda x, y: attend(x, y) + torch.zeros(x.shape[-1]),
        "With arguments on another device, such as a GPU, two",
    ),
}


def test_who_writes_into_an_argument_hears_that_where_its_rows_share_memory(check):
    def halves(x, y):
        mixed = attend(x, y)
        for row in x.detach():  # one row for all of them, halved as often, where it is expanded
            row.mul_(0.5)
        return mixed + x.sum()

    messages = said(check, lambda x, y: attend(x, y) + x.sum() / 2, halves)
    assert "the call writes into `x`, whose rows share one memory there" in messages[CONDITIONS["layout"].title]
    assert "as_strided" not in str(messages)


@pytest.mark.parametrize("kind", FAULTS)
def test_each_fault_is_seen_by_its_condition_and_said_in_a_sentence(check, kind):
    answer, words = FAULTS[kind]
    _calls.clear()
    messages = said(check, attend, answer)
    title = CONDITIONS[kind].title
    assert messages[title].startswith(words), messages
    # What is wrong in one way is told in one line: but what never stays the same cannot agree with itself anywhere.
    # What an argument held is also what its gradient is made of.
    assert kind == "again" or set(messages) - (titles("gradients") if kind == "untouched" else set()) == {title}


def test_what_is_wrong_everywhere_is_not_said_by_conditions_that_look_at_agreement(check):
    messages = said(check, attend, lambda x, y: attend(2 * x, y))
    assert set(messages) == {"ordinary"} | titles("sizes", "gradients")


def test_one_tensor_given_twice_is_one_object(check):
    messages = said(check, attend, lambda x, y: attend(x, y) * (2 if x is y else 1))
    assert set(messages) == titles("layout")
    assert messages[CONDITIONS["layout"].title].startswith("With one tensor for several arguments")


def test_modes_and_parameters(of_module):
    class Noisy(Attend):
        def forward(self, x, y):
            return super().forward(x, y) * (2 if self.training else 1)

    class Frozen(Attend):
        def __init__(self, width):
            super().__init__(width)
            self.map.requires_grad_(False)

    class Trains(Attend):
        def forward(self, x, y):
            self.train()
            return super().forward(x, y)

    class Drops(Attend):
        def forward(self, x, y):
            return torch.dropout(super().forward(x, y), 0.5, self.training)

    assert set(said(of_module, Attend, Noisy)) == titles("again", "untouched")
    messages = said(of_module, Attend, Drops)
    assert set(messages) == titles("untouched")
    assert messages[CONDITIONS["untouched"].title].startswith("In training mode the result differs")
    messages = said(of_module, Attend, Frozen)
    assert set(messages) == titles("gradients") and "`map.bias`" in messages[CONDITIONS["gradients"].title]
    assert said(of_module, Attend, Trains)[CONDITIONS["untouched"].title].endswith("the mode of the module.")


def test_train_gives_the_module_back(of_module):
    class Forgets(Attend):
        def train(self, mode=True):
            super().train(mode)

    messages = said(of_module, Attend, Forgets)
    assert set(messages) == titles("untouched")
    assert messages[CONDITIONS["untouched"].title].startswith("`train` and `eval` have to return the module itself")


class Scaled(nn.Module):
    """x, twice as large where `twice`, at the places that the mask keeps."""

    def __init__(self, twice=False):
        super().__init__()
        self.twice = twice

    def forward(self, x, mask=None):
        mask = torch.ones_like(x, dtype=torch.bool) if mask is None else mask
        return (2 * x if self.twice else x) * mask


def test_an_argument_left_out_and_a_setting_turned_are_asked_too():
    made = Check("Scaled", components=("Scaled",))

    @made.takes("Scaled", B=2, T=3, new=lambda B, T: (), optional="mask", turned={"twice": True})
    def _(draw, B, T):
        return {"x": draw.normal(B, T), "mask": draw.mask(B, T)}

    class InPlace(Scaled):
        def forward(self, x, mask=None):
            return super().forward(x, mask) if mask is not None else x.mul_(2 if self.twice else 1).add_(1).sub(1)

    class InPlaceTwice(Scaled):
        def forward(self, x, mask=None):
            return super().forward(x, mask) if not self.twice or mask is None else x.mul_(2) * mask

    class OnTheCPU(Scaled):
        def forward(self, x, mask=None):
            return super().forward(x, torch.ones(x.shape, dtype=torch.bool) if mask is None else mask)

    class Single(Scaled):
        def forward(self, x, mask=None):
            return super().forward(x.float() if mask is None else x, mask)

    assert said(made, Scaled, Scaled) == {}
    for answer, kind, words in (
        (InPlace, "untouched", "Without `mask`, the call changes something that is not its own: `x`."),
        (InPlaceTwice, "untouched", "With `twice=True`, the call changes something that is not its own: `x`."),
        (OnTheCPU, "device", "Without `mask`, with arguments on another device, such as a GPU, two devices meet"),
        (Single, "float64", "Without `mask`, arguments in float64 "),
    ):
        (message,) = said(made, Scaled, answer).values()
        assert said(made, Scaled, answer).keys() == titles(kind) and message.startswith(words), message


def test_garbage_where_a_place_does_not_count():
    made = Check("total", components=("total",))

    def garbage(arguments, fill):
        arguments["x"][~arguments["counts"]] = fill
        return arguments

    @made.takes("total", B=2, T=3, garbage=garbage)
    def _(draw, B, T):
        return {"x": draw.normal(B, T), "counts": draw.mask(B, T)}

    @made.case("ordinary")
    def _(student, draw):
        return {"total": student.total(draw.normal(2, 3), draw.mask(2, 3))}

    def total(x, counts):
        return x.masked_fill(~counts, 0).sum(-1)

    messages = said(made, total, lambda x, counts: (x * counts).sum(-1))
    assert messages == {CONDITIONS["ignored"].title: "With NaN in places that should not count, the result changes."}
    messages = said(made, total, lambda x, counts: total(x.nan_to_num_(), counts))
    changes = "With NaN in places that should not count, your code changes `x`."
    assert messages[CONDITIONS["ignored"].title] == changes and CONDITIONS["untouched"].title not in messages

    def strict(x, counts):
        if not x.isfinite().all():
            raise ValueError("there is a NaN.")
        return total(x, counts)

    (message,) = said(made, total, strict).values()
    assert message == ("With NaN in places that should not count, your code raises ValueError: there is a NaN.")
    with pytest.raises(ValueError, match="total: the reference fails the case 'what does not count"):
        table(made, lambda x, counts: (x * counts).sum(-1))


def test_a_reference_beside_which_something_else_was_changed_judges_nobody(check):
    """As where another thread drew a number while it was called: once, at another size than the usual ones."""
    sizes = set()

    def disturbed(x, y):
        sizes.add(x.shape)
        if len(sizes) == 3:  # of the case, the usual ones, and the first of the others
            sizes.add("done")
            random.random()
        return attend(x, y)

    with pytest.raises(ValueError, match=r"attend: the reference fails the case 'any size.*random numbers"):
        table(check, disturbed)


def test_an_answer_that_does_nothing_earns_nothing(check):
    verdict = check.judge(check.student(Local({"attend": lambda x, y: None})), table(check, attend))
    assert verdict.fraction == 0 and not verdict.passed


def test_an_answer_that_raises_says_so_once(check):
    def raises(x, y):
        raise KeyError("three")

    messages = list(said(check, attend, raises).values())
    assert messages[0] == "Your code raised KeyError: 'three'." and set(messages[1:]) <= {"As above.", ""}


def test_what_is_excused_is_not_asked():
    made = Check("free", components=("free",))
    excused = {"device": "it makes what it gives on the CPU", "again": "each call gives other numbers"}

    @made.takes("free", N=3, free=True, excused=excused)
    def _(draw, N):
        return {"x": draw.normal(N)}

    assert not {case.title for case in made.cases} & titles("device", "again", "ignored")
    with pytest.raises(ValueError, match="no conditions"):
        made.takes("free", N=3, excused={"devise": "a slip"})
    with pytest.raises(ValueError, match="declares 'other'"):
        made.takes("other", N=3)


def test_a_model_may_be_changed_where_that_is_excused_and_nothing_else_of_it():
    made = Check("train", components=("train",))

    @made.takes("train", N=3, excused={"state": "it trains the model"})
    def _(draw, N):
        return {"model": Fixture("TinyClassifier", (5, 2, 3, 4)), "inputs": draw.integers(0, 5, N, 2)}

    def train(model, inputs):
        loss = model(inputs).logsumexp(1).mean()
        loss.backward()
        return loss.detach()

    def in_evaluation_mode(model, inputs):
        return train(model.train(), inputs)

    assert said(made, train, train) == {}
    messages = said(made, train, in_evaluation_mode)
    assert messages[CONDITIONS["untouched"].title].endswith("the mode of model.")


def test_what_is_changed_at_other_sizes_alone_is_told_there(check):
    def in_place_where_one_row_is_enough(x, y):
        if len(x) == 1:
            x.mul_(2).div_(2).add_(1).sub_(1e-3)
        return attend(x.clone() if len(x) > 1 else x.add(1e-3).sub(1), y)

    def in_place_always(x, y):
        mixed = attend(x, y)
        x.zero_()
        return mixed

    messages = said(check, attend, in_place_where_one_row_is_enough)
    assert messages[CONDITIONS["sizes"].title] == "With B = 1 your code changes `x`."
    assert CONDITIONS["untouched"].title not in messages
    messages = said(check, attend, in_place_always)
    assert CONDITIONS["sizes"].title not in messages and CONDITIONS["untouched"].title in messages


def test_a_method_is_asked_beside_its_module():
    made = Check("Sums", components=("Sums",))

    @made.takes("Sums", N=3, new=lambda N: (), excused={"gradients": "nothing learns here"})
    def _(draw, N):
        return {"x": draw.normal(N)}

    @made.takes("Sums", N=3, new=lambda N: (), method="step", excused={"gradients": "nothing learns here"})
    def _(draw, N):
        return {"x": draw.normal(N), "state": (draw.normal(N),)}

    class Sums(nn.Module):
        def forward(self, x):
            return x.cumsum(0)

        def step(self, x, state):
            return state[0] + x

    class InPlace(Sums):
        def step(self, x, state):
            return state[0].add_(x)

    assert said(made, Sums, Sums) == {}
    assert "`Sums.step`: The call changes something that is not its own: `state`." in said(made, Sums, InPlace).values()


@pytest.mark.parametrize("what", ["same", "optional"])
def test_a_declaration_that_does_not_fit_itself_is_refused(what):
    made = Check("slip", components=("slip",))

    @made.takes("slip", N=3, **{what: "x z"})
    def _(draw, N):
        return {"x": draw.normal(N)}

    with pytest.raises(ValueError, match=f"`{what}` names"):
        made.cases  # noqa: B018


def test_sizes_have_their_least_and_their_longest():
    made = Check("sized", components=("sized",))

    @made.takes("sized", B=2, T=Axis(4, least=2, long=9), D=1)
    def _(draw, B, T, D):
        return {"x": draw.normal(B, T, D)}

    (declaration,) = made.declarations
    variations = declaration.variations()
    assert variations["B = 1"] == {"B": 1, "T": 4, "D": 1} and variations["T = 9"] == {"B": 2, "T": 9, "D": 1}
    assert variations["all sizes at their least"] == {"B": 1, "T": 2, "D": 1}
    assert variations["all sizes alike"] == {"B": 3, "T": 3, "D": 3} and "D = 1" not in variations


def test_every_number_of_a_long_result_counts():
    draw, x = Draw(KEY, "long"), torch.randn(70, 30)
    before = numbers_of(x, draw)
    for place in ((0, 0), (69, 29), (35, 3)):
        other = x.clone()
        other[place] += 0.1
        (name,) = [name for name in before if name.endswith("numbers")]
        assert not torch.allclose(numbers_of(other, draw)[name], before[name], atol=1e-5, rtol=1e-4)
    assert numbers_of(x.reshape(30, 70), draw)["result, form"] != before["result, form"]


def test_the_lines_of_several_components_name_theirs():
    made = Check("pair", components=("one", "two"))
    for name in made.components:
        made.takes(name, N=3)(lambda draw, N: {"x": draw.normal(N)})
    right = {name: lambda x: 2 * x for name in made.components}
    reference = made.observe(made.student(Local(right)), KEY)
    wrong = {**right, "two": lambda x: (2 * x).squeeze()}
    verdict = made.judge(made.student(Local(wrong)), Table(KEY, reference, ()))
    (failed,) = [case for case in verdict.cases if not case.passed]
    assert failed.message.startswith(
        "`two`: With N = 1 the result has shape (), and (1,) is asked for. This happens only"
    )


def test_a_forged_reply_is_an_observation(check):
    class Liar:
        def request(self, message, callbacks):
            return {"ok": [{"ok": {"a": [None] * 3}, "changed": ["<b>words of its own</b>"]}] * 40}

    seen = check.observe(check.student(Liar()), KEY)
    assert seen and all(isinstance(each, Observation) for each in seen)
    assert "<b>" not in str(seen[-1]) and not check.compare(seen, table(check, attend)).passed


def test_the_tensors_of_a_list_are_laid_stepped_and_moved_too():
    made = Check("joined", components=("joined",))

    @made.takes("joined", B=2, T=3)
    def _(draw, B, T):
        return {"xs": [draw.normal(B, T), draw.normal(B, T)]}

    @made.case("ordinary")
    def _(student, draw):
        return {"joined": student.joined([draw.normal(2, 3)])}

    assert said(made, torch.cat, torch.cat) == {}
    for kind, wrong in {
        "layout": lambda xs: torch.cat([x.view(-1).view(x.shape) for x in xs]),
        "float64": lambda xs: torch.cat([x.float() for x in xs]).to(xs[0].dtype),
        "device": lambda xs: torch.cat([*xs, torch.zeros(0, xs[0].shape[-1])]),
    }.items():
        assert set(said(made, torch.cat, wrong)) == titles(kind), kind


def test_what_is_right_in_many_forms_earns_nothing_by_its_form():
    made = Check("any", components=("any",))
    made.takes("any", N=3, free=True)(lambda draw, N: {"x": draw.normal(N)})
    made.case("ordinary", weight=4)(lambda student, draw: {"sum": student.any(torch.ones(3)).sum()})
    verdict = made.judge(made.student(Local({"any": lambda x: x})), table(made, lambda x: 2 * x))
    assert verdict.fraction == 0


def test_extreme_values_are_asked_beside_sizes():
    made = Check("softmax", components=("softmax",))

    @made.takes("softmax", B=2, S=3, extremes={"scores near 10,000": shifted("x", 1e4), "tiny ones": scaled("x", 1e-9)})
    def _(draw, B, S):
        return {"x": draw.normal(B, S)}

    def softmax(x):
        return torch.softmax(x, -1)

    overflows = said(made, softmax, lambda x: x.exp() / x.exp().sum(-1, keepdim=True))
    assert set(overflows) == titles("sizes")
    assert overflows[CONDITIONS["sizes"].title] == "With scores near 10,000 the result is not right."
    assert said(made, softmax, lambda x: softmax(x.double()).to(x.dtype)) == {}


def test_no_number_but_minus_infinity_hides_a_key():
    made = Check("hidden", components=("hidden",))

    @made.takes("hidden", B=2, T=3, S=4, D=5, extremes={"scores far below zero": far_below_zero("x", "y")})
    def _(draw, B, T, S, D):
        return {"x": draw.normal(B, T, D), "y": draw.normal(B, S, D), "mask": draw.mask(B, T, S)}

    def hidden(x, y, mask, fill=-torch.inf):
        return torch.softmax((x @ y.mT).masked_fill(~mask, fill), -1)

    assert said(made, hidden, lambda x, y, mask: hidden(x, y, mask, -1e9)) == {}
    fails = said(made, hidden, lambda x, y, mask: hidden(x, y, mask, -1e3))
    assert list(fails.values()) == ["With scores far below zero the result is not right."]


@pytest.mark.parametrize("apart", [True, False])
def test_what_is_promised_to_be_new_lies_in_no_memory_of_what_was_given(apart):
    made = Check("moved", components=("moved",))

    @made.takes("moved", B=2, S=3, apart=apart)
    def _(draw, B, S):
        return {"x": draw.normal(B, S), "by": 0}

    def moved(x, by):
        return x + by

    assert said(made, moved, lambda x, by: x.clone() + by) == {}
    for given_back in (lambda x, by: x if by == 0 else x + by, lambda x, by: [x + by, x][by == 0].mT.mT):
        fails = said(made, moved, given_back)
        assert set(fails) == (titles("untouched") if apart else set())
        assert not apart or "shares memory with `x`" in fails[CONDITIONS["untouched"].title]


def test_a_squeeze_is_named_where_axes_of_one_are_gone_and_nowhere_else(check):
    def stacked(x, y):
        return torch.stack([attend(x, y)[b] for b in range(len(x)) if y.shape[1] > 1])

    gone, raised = (said(check, attend, f)[CONDITIONS["sizes"].title] for f in (_squeezed, stacked))
    assert "look for a `squeeze`" in gone
    assert "This happens only where an axis has size one." in raised and "squeeze" not in raised


def _squeezed(x, y):
    return attend(x, y).squeeze()


@pytest.mark.parametrize("rows", [lambda B, T: (B,), lambda B, T: (B, T, 1), lambda B, T: (T, B), lambda B, T: None])
def test_an_entry_that_is_not_right_at_some_size_is_named_in_a_sentence(rows):
    made = Check("shapes", components=("shapes",))

    @made.takes("shapes", B=2, T=3)
    def _(draw, B, T):
        return {"B": B, "T": T}

    try:
        fails = said(made, lambda B, T: {"ends": B, "rows": (B, T)}, lambda B, T: {"ends": B, "rows": rows(B, T)})
    finally:
        del Check.registry["shapes"]
    sentence = fails[CONDITIONS["sizes"].title]
    assert sentence.startswith("With ") and sentence.endswith(" the result is not right: look at its entry `rows`.")


def test_what_is_given_is_used_in_the_mode_that_it_is_in():
    made = Check("logits", components=("logits",))

    @made.takes("logits", B=2, T=3)
    def _(draw, B, T):
        return {"model": Fixture("TinyClassifier", (5, T, 4, 3)), "ids": draw.integers(0, 5, B, T)}

    def evaluated(model, ids):
        was = model.training
        model.eval()
        given = model(ids)
        model.train(was)
        return given

    def in_every_part(model, ids):
        modes = {part: part.training for part in model.modules()}
        given = model.eval()(ids)
        for part, training in modes.items():
            part.training = training
        return given

    def all_put_back(model, ids):
        given = model(ids)
        model.train(model.training)
        return given

    def right(model, ids):
        return model(ids)

    assert said(made, right, right) == {}
    for answer in (evaluated, in_every_part):
        (message,) = said(made, right, answer).values()
        assert "into another mode" in message or "the mode of model" in message
    assert "puts `model` into another mode" in said(made, right, in_every_part)[CONDITIONS["untouched"].title]
    (message,) = said(made, right, all_put_back).values()
    assert message == "The call changes something that is not its own: the mode of model."


class Over(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone

    def forward(self, images):
        return 2 * self.backbone(images)


def test_it_learns_with_the_module_that_it_was_built_with():
    made = Check("Over", components=("Over",))

    @made.takes("Over", B=2, new=lambda B: (Fixture("Stem", (1, 2)),))
    def _(draw, B):
        return {"images": draw.normal(B, 1, 4, 4)}

    class Copies(Over):
        def __init__(self, backbone):
            super().__init__(copy.deepcopy(backbone))

    assert said(made, Over, Over) == {}
    (message,) = said(made, Over, Copies).values()
    assert message.startswith("A copy of the module that it was built with learns")


def test_a_result_of_a_size_of_the_students_choice_costs_the_grader_no_memory():
    draw, kept = Draw(KEY, "sizes"), _made.cache_info().currsize
    for count in (REMEMBERED + 1, REMEMBERED + 2):
        assert numbers_of(torch.ones(count, dtype=torch.bool), draw)["result, numbers"].shape == (3,)
    assert _made.cache_info().currsize == kept
    with pytest.raises(ValueError, match="far larger than any asked for"):
        numbers_of(torch.ones(LARGEST + 1, dtype=torch.bool), draw)


def test_an_answer_that_draws_where_it_may_not_is_told_so_once(check):
    """Whether it agrees with itself in anything else cannot be seen."""
    messages = said(check, attend, lambda x, y: attend(x, y) + torch.randn(()))
    changes = messages.pop(CONDITIONS["untouched"].title)
    assert changes == f"The call changes something that is not its own: {DRAWN}."
    assert messages[CONDITIONS["layout"].title] == BY_CHANCE and messages[CONDITIONS["again"].title] == AS_ABOVE
    assert not any("kept from call to call" in message or "float32" in message for message in messages.values())


def test_gradients_that_were_off_stay_off(check):
    def without(x, y):
        torch.set_grad_enabled(False)
        result = attend(x, y)
        torch.set_grad_enabled(True)
        return result

    assert "whether gradients are recorded" in " ".join(said(check, attend, without).values())
