"""The reference answers of chapter 00: against PyTorch's own, their promised errors, and what the prose rests on."""

import ast
import inspect
import math

import nbformat
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from autograde import bank
from course import checks
from course.exercises import by_number
from course.fixtures import warm_up as fixtures
from course.key import RECORDED_KEY
from solutions import warm_up as w
from tools.notebooks import files

SIZES = {"B": 2, "T": 3, "S": 5, "D": 7}


def draw(*shape, seed=0, dtype=torch.float32):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def test_predicted_shapes_are_the_real_ones():
    """Each expression is taken from the docstring that the learner reads, and run."""
    B, T, S, D = SIZES.values()
    names = {"torch": torch, "S": S, "query": draw(B, T, D), "key": draw(B, S, D), "lengths": torch.ones(B)}
    predicted = w.predict_shapes(**SIZES)
    lines = [line.split('"  ', 1) for line in inspect.getdoc(w.predict_shapes).splitlines() if line.startswith('  "')]
    real = {name.strip(' "'): tuple(eval(expression, names).shape) for name, expression in lines}
    assert predicted == real and len(real) == 8


def test_pairwise_scores_equal_the_matrix_product():
    query, key = draw(2, 3, 5), draw(2, 4, 5, seed=1)
    torch.testing.assert_close(w.pairwise_scores(query, key), query @ key.mT)


@pytest.mark.parametrize("shape", [(1, 4, 5), (2, 4, 1), (2, 4, 6), (2, 5), (2, 4, 5, 1)])
def test_pairwise_scores_never_broadcast_in_silence(shape):
    with pytest.raises(ValueError, match=rf"\(2, 3, 5\).*{'.*'.join(map(str, shape))}"):
        w.pairwise_scores(draw(2, 3, 5), draw(*shape))


@given(
    shape=st.lists(st.integers(1, 4), min_size=1, max_size=4),
    place=st.integers(0, 3),
    shift=st.sampled_from([0.0, 1e4, -1e4, 1e30]),
    from_the_back=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_safe_softmax_equals_torch(shape, place, shift, from_the_back):
    dim = place % len(shape) - (len(shape) if from_the_back else 0)
    scores = draw(*shape) + shift
    torch.testing.assert_close(w.safe_softmax(scores, dim), torch.softmax(scores, dim))


def test_safe_softmax_gradient_and_minus_infinity():
    scores = draw(3, 4, dtype=torch.float64).requires_grad_()
    assert torch.autograd.gradcheck(lambda s: w.safe_softmax(s, 0), scores)
    with_infinity = torch.tensor([1.0, -torch.inf, 2.0])
    torch.testing.assert_close(w.safe_softmax(with_infinity, 0), torch.softmax(with_infinity, 0))


def test_broadcast_mask_pair_by_pair():
    padding, pattern = draw(2, 5) > 0, draw(3, 5, seed=1) > 0
    mask = w.broadcast_mask(padding, pattern)
    assert mask.shape == (2, 3, 5) and mask.dtype == torch.bool
    for b, t, s in torch.cartesian_prod(torch.arange(2), torch.arange(3), torch.arange(5)).tolist():
        assert mask[b, t, s] == (padding[b, s] and pattern[t, s])


@pytest.mark.parametrize(
    ("padding", "pattern", "message"),
    [
        (torch.ones(2, 5), torch.ones(3, 5, dtype=torch.bool), "float32"),
        (torch.ones(2, 5, dtype=torch.bool), torch.ones(3, 4, dtype=torch.bool), r"\(2, 5\) and \(3, 4\)"),
        (torch.ones(2, 1, 5, dtype=torch.bool), torch.ones(3, 5, dtype=torch.bool), r"\(2, 1, 5\)"),
    ],
)
def test_broadcast_mask_refuses(padding, pattern, message):
    with pytest.raises(ValueError, match=message):
        w.broadcast_mask(padding, pattern)


@pytest.mark.parametrize("shape", [(), (4,), (2, 3), (2, 1, 3)])
def test_numerical_gradient_equals_autograd(shape):
    x = draw(*shape, dtype=torch.float64).requires_grad_()

    def function(x):
        return (x**3).sum() + x.cos().prod()

    function(x).backward()
    torch.testing.assert_close(w.numerical_gradient(function, x), x.grad, atol=1e-5, rtol=1e-5)


def test_numerical_gradient_takes_functions_that_return_floats_and_transposed_tensors():
    x = draw(3, 2, dtype=torch.float64).T
    torch.testing.assert_close(w.numerical_gradient(lambda x: (x**2).sum().item(), x), 2 * x)


@pytest.mark.parametrize("step", [0, -1e-3, math.nan])
def test_numerical_gradient_refuses_a_step(step):
    with pytest.raises(ValueError, match=str(step)):
        w.numerical_gradient(torch.sum, torch.zeros(2), step)


def tiny(seed=0):
    torch.manual_seed(seed)
    return fixtures.TinyClassifier(11, 3, 4, 7), torch.randint(11, (10, 3)), torch.randint(7, (10,))


def test_one_step_is_the_loss_minus_its_gradient():
    model, inputs, targets = tiny()
    fixtures.stale_gradients(model, 5.0)
    loss = F.cross_entropy(model(inputs), targets)
    parameters = list(model.parameters())
    expected = [p - 0.1 * g for p, g in zip(parameters, torch.autograd.grad(loss, parameters), strict=True)]
    returned = w.train_step_cpu(model, fixtures.sgd(model, 0.1), inputs, targets)
    assert type(returned) is float and returned == pytest.approx(loss.item())
    torch.testing.assert_close(list(model.parameters()), expected)


def test_momentum_one_is_never_clearing():
    """What section 0.8 rests on, on a whole model: equal to the last digits over several steps."""
    (cleared, inputs, targets), (stale, _, _) = tiny(), tiny()
    optimizer = fixtures.sgd(cleared, 0.05, momentum=1.0)
    for _ in range(6):
        w.train_step_cpu(cleared, optimizer, inputs, targets)
        F.cross_entropy(stale(inputs), targets).backward()
        with torch.no_grad():
            for parameter in stale.parameters():
                parameter -= 0.05 * parameter.grad
    torch.testing.assert_close(list(cleared.parameters()), list(stale.parameters()))


def test_an_epoch_is_its_batches_and_its_loss_their_mean():
    (model, inputs, targets), (twin, _, _) = tiny(), tiny()
    order = torch.tensor([7, 2, 9, 0, 4, 1, 8])
    loss = w.train_epoch(model, fixtures.sgd(model, 0.3), inputs, targets, order, 3)
    optimizer = fixtures.sgd(twin, 0.3)
    parts = [(c, w.train_step_cpu(twin, optimizer, inputs[c], targets[c])) for c in order.split(3)]
    assert loss == pytest.approx(sum(len(c) * one for c, one in parts) / 7)
    torch.testing.assert_close(list(model.parameters()), list(twin.parameters()))


@pytest.mark.parametrize(("n", "batch_size"), [(9, 3), (10, 0), (10, -2)])
def test_an_epoch_refuses(n, batch_size):
    model, inputs, targets = tiny()
    with pytest.raises(ValueError, match=f"10 inputs, {n} targets, batch_size {batch_size}"):
        w.train_epoch(model, fixtures.sgd(model, 0.1), inputs, targets[:n], torch.arange(9), batch_size)


def _loop(source: str, name: str) -> list[str]:
    """The statements of a function from `total = 0.0` on, without comments."""
    function = next(n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef) and n.name == name)
    statements = [ast.unparse(statement) for statement in function.body]
    return statements[statements.index("total = 0.0") :]


def test_the_bug_to_find_is_the_answer_bank_s():
    """The stub of exercise 0.7, the loop whose symptom is shown and the bank's first wrong answer are the same."""
    exercise = by_number("0.7")
    cells = nbformat.read(files.paths(["00"])[0], as_version=4).cells
    handed_out = next(c.source for c in cells if c.id == "fix_the_training_loop-answer")
    displayed = next(c.source for c in cells if "def train_epoch_as_found" in c.source)
    broken = _loop(bank.find(exercise).wrong[0].source, "train_epoch")
    assert _loop(handed_out, "train_epoch") == broken == _loop(displayed, "train_epoch_as_found")


@pytest.mark.parametrize("number", ["0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7"])
def test_what_the_notebook_hands_out_earns_nothing(number):
    """Guards that a stub gives, and the broken loop, are worth no points by themselves."""
    exercise = by_number(number)
    cells = nbformat.read(files.paths(["00"])[0], as_version=4).cells
    stub = next(c.source for c in cells if c.id == f"{exercise.name}-answer")
    from course.checks.engine import recorded

    check = checks.find(exercise.name, exercise.chapter)
    verdict = check.compare(bank.observe(exercise, stub, RECORDED_KEY), recorded.load(check))
    assert verdict.fraction == 0
    assert verdict.outcome == "fail" or number != "0.7"
    if number == "0.7":
        assert verdict.diagnosis == bank.find(exercise).wrong[0].name


def test_the_first_loss_of_fifty_classes():
    """The key of question 0.q3, and that an untrained layer says so too."""
    from course.chapters import chapter

    question = chapter("warm_up")["questions"]["question_first_loss"]
    assert question["answer"] == pytest.approx(math.log(50), abs=1e-3)
    torch.manual_seed(0)
    loss = F.cross_entropy(nn.Linear(32, 50)(torch.randn(200, 32)), torch.arange(50).repeat(4))
    assert loss.item() == pytest.approx(question["answer"], abs=0.3)


def test_the_keys_of_the_questions_by_computing_them():
    from course.chapters import chapter

    questions = chapter("warm_up")["questions"]
    x, y, z, v, weights = torch.ones(2, 3, 1), torch.ones(2, 1, 5), torch.ones(3, 5), torch.ones(2, 5), torch.ones(5)
    attempts = {"a": lambda: x * y, "b": lambda: x + z, "c": lambda: v * z, "d": lambda: y * weights,
                "e": lambda: x * weights}  # fmt: skip

    def shape_of(attempt):
        try:
            return attempt().shape
        except RuntimeError:
            return None

    right = [letter for letter, attempt in attempts.items() if shape_of(attempt) == (2, 3, 5)]
    assert right == questions["question_which_broadcast"]["answer"]

    scores = draw(3, 4, dtype=torch.float64)
    changed = {"a": scores + 5, "b": scores * 5, "c": scores + draw(3, 1, seed=1, dtype=torch.float64),
               "d": scores + draw(1, 4, seed=2, dtype=torch.float64), "e": scores + 10_000}  # fmt: skip
    same = [letter for letter, other in changed.items()
            if torch.allclose(torch.softmax(other, -1), torch.softmax(scores, -1))]  # fmt: skip
    assert same == questions["question_softmax_shift"]["answer"]
