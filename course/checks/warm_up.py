"""Checks of chapter 00: what is looked at in each exercise, case by case.

A case draws inputs, calls the student's code and returns what it saw; the engine compares. Safe to change: titles,
explanations. After any other change the tables are recorded afresh (`make refresh`).
"""

import re
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from course.checks.common import as_number
from course.checks.engine import Check, Draw
from course.checks.engine.declare import Arguments, Axis, Fixture, shifted
from course.protocol.student import Module, Student

# ---- predict_shapes -------------------------------------------------------------------------------------------------

predict_shapes = Check("predict_shapes", components=("predict_shapes",))


@predict_shapes.takes("predict_shapes", B=2, T=3, S=7, D=11)
def _(draw: Draw, B: int, T: int, S: int, D: int) -> Arguments:
    return {"B": B, "T": T, "S": S, "D": D}


_EXPRESSIONS = {
    "mean_query": "query.mean(dim=1)",
    "kept_axis": "query.sum(dim=-1, keepdim=True)",
    "last_key": "key[:, -1]",
    "joined": "torch.cat([query, key], dim=1)",
    "scores": "query @ key.transpose(1, 2)",
    "differences": "query.unsqueeze(2) - key.unsqueeze(1)",
    "is_real": "torch.arange(S) < lengths.unsqueeze(1)",
    "summed": 'torch.einsum("btd,bsd->ts", query, key)',
}


def _shape_as_text(shapes: Any, name: str) -> str:
    if not isinstance(shapes, dict):
        return "no dictionary"
    if name not in shapes:
        return "missing"
    shape = shapes[name]
    if isinstance(shape, (int, float)) and not isinstance(shape, bool):
        shape = (shape,)
    if not isinstance(shape, (tuple, list)) or not all(type(size) is int for size in shape):
        return "no tuple of sizes"
    return str(tuple(shape))


def _explain_shape(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    given, sizes = observed["shape"], observed["sizes"]
    if given == "no dictionary":
        return "What came back is not a dictionary with the names of the docstring."
    if given == "missing":
        return "The dictionary that came back has no such entry."
    if given == "no tuple of sizes":
        return "What came back is not a tuple of whole numbers, such as (B, T)."
    axes, wanted = observed["axes"], expected["axes"]
    if axes != wanted:
        counted = "1 axis" if axes == 1 else f"{axes} axes"
        few = "more" if axes < wanted else "fewer"
        return f"With {sizes} you gave {given}, which is {counted}; the tensor has {few}."
    return f"With {sizes} you gave {given}: the number of axes is right, but the sizes are not."


def _add_shape_row(name: str, expression: str) -> None:
    @predict_shapes.case(f"{name}: {expression}", explain=_explain_shape)
    def _(student: Student, draw: Draw) -> dict[str, Any]:
        B, T, S, D = ((2, 3, 7, 11)[i] for i in draw.permutation(4).tolist())  # T + S is never one of the others
        text = _shape_as_text(student.predict_shapes(B, T, S, D), name)
        axes = len(re.findall(r"\d+", text))
        return {"shape": text, "_sizes": f"B = {B}, T = {T}, S = {S}, D = {D}", "_axes": axes}


for _name, _expression in _EXPRESSIONS.items():
    _add_shape_row(_name, _expression)

# ---- pairwise_scores ------------------------------------------------------------------------------------------------

pairwise_scores = Check("pairwise_scores", components=("pairwise_scores",))


@pairwise_scores.takes("pairwise_scores", B=2, T=3, S=4, D=5, same="query key")
def _(draw: Draw, B: int, T: int, S: int, D: int) -> Arguments:
    return {"query": draw.normal(B, T, D), "key": draw.normal(B, S, D)}


def _explain_scores(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    if getattr(observed["scores"], "type_name", "") == "ndarray":
        return "A NumPy array came back, and a torch tensor is asked for: NumPy keeps no record for gradients."
    return None


@pairwise_scores.case("three queries, four keys: every query with every key", weight=4, explain=_explain_scores)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"scores": student.pairwise_scores(draw.normal(2, 3, 5), draw.normal(2, 4, 5))}


def _explain_refusals(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    """Calls that should have raised ValueError, each observed under the name of what was wrong with it."""
    wrong = {case: error for case, error in observed.items() if error != expected[case]}
    message = ", ".join(f"{case} raised {error or 'nothing'}" for case, error in wrong.items())
    return f"{message[:1].upper()}{message[1:]}. Each should raise a ValueError that says what it was given."


@pairwise_scores.case(
    "sizes that do not agree are a ValueError, not a broadcast", weight=0.5, contract=True, explain=_explain_refusals
)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    query, key = draw.normal(2, 3, 5), draw.normal(2, 4, 5)
    student.pairwise_scores(query, key)  # an error for sizes that do agree would prove nothing
    # with sizes of one products stretch; with others they raise something else
    pairs = [(query, key[:1]), (query[:1], key), (query, key[:, :, :1]), (query[:, :, :1], key), (query, key[:, :, :4])]
    pairs += [(query, draw.normal(3, 4, 5))]
    return {
        f"a query {tuple(q.shape)} with a key {tuple(k.shape)}": student.error_of("pairwise_scores", q, k)
        for q, k in pairs
    }


# ---- safe_softmax ---------------------------------------------------------------------------------------------------

safe_softmax = Check("safe_softmax", components=("safe_softmax",), blocked=("softmax", "attention"))


def _beside_minus_infinity(given: Arguments) -> Arguments:
    """The least scores that there may be, and between them minus infinity."""
    scores = given["scores"].clamp(0, 1) - 100_000
    scores[:, 1::2] = float("-inf")
    return given | {"scores": scores}


@safe_softmax.takes(
    "safe_softmax",
    B=2,
    T=3,
    S=5,
    extremes={
        "scores near 100,000": shifted("scores", 99_990),
        "scores near -100,000 beside minus infinity": _beside_minus_infinity,
    },
)
def _(draw: Draw, B: int, T: int, S: int) -> Arguments:
    return {"scores": draw.normal(B, T, S), "dim": 1}


# At 10,000, float32 counts in steps of 0.001, and correct forms such as exp(score - logsumexp) round to these.
_ROUNDING = 3e-3


def _rounds_to(seen: Any, right: Tensor) -> bool:
    return isinstance(seen, Tensor) and seen.shape == right.shape and torch.allclose(seen, right, atol=_ROUNDING)


def _explain_weights(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    weighed = {name: x for name, x in expected.items() if isinstance(x, Tensor) and x.is_floating_point()}
    off = [name for name, right in weighed.items() if not _rounds_to(observed[name], right)]
    weights = observed[off[0]] if off else None
    if not isinstance(weights, Tensor) or weights.shape != expected[off[0]].shape:
        return None
    dim = {"along the middle": 1, "counted from the back": -2}.get(off[0], observed.get("dim", -1))
    bad = int((~torch.isfinite(weights)).sum())
    if bad:
        return f"{bad} of the {weights.numel()} weights {'is' if bad == 1 else 'are'} NaN or infinite."
    sums = weights.double().sum(dim)
    if not torch.allclose(sums, torch.ones_like(sums), atol=5e-3):
        far = sums.flatten()[(sums - 1).abs().argmax()]
        return f"Along the axis dim = {dim} there are weights that sum to {far:.2f}, not to 1."
    return "The weights do sum to 1 along the axis, but they are not in proportion to exp(score)."


@safe_softmax.case("scores of order one, along the last axis", weight=0.5, explain=_explain_weights)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"weights": student.safe_softmax(draw.normal(2, 3, 5), -1), "_dim": -1}


@safe_softmax.case("along the first axis, and along the middle one", explain=_explain_weights)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    scores = draw.normal(4, 3, 5)
    middle, from_the_back = student.safe_softmax(scores, 1), student.safe_softmax(scores, -2)
    weights = student.safe_softmax(scores, 0)
    return {"weights": weights, "along the middle": middle, "counted from the back": from_the_back, "_dim": 0}


@safe_softmax.case("one axis only", explain=_explain_weights, weight=0.25)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"weights": student.safe_softmax(draw.normal(6), 0), "_dim": 0}


@safe_softmax.case("scores around +10,000 and around -10,000", weight=1.5, explain=_explain_weights, atol=_ROUNDING)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    # whole and half numbers, so that adding 10,000 in float32 loses nothing
    scores = (2 * draw.normal(2, 3, 5)).round() / 2
    high, low = scores + 1e4, scores - 1e4
    return {"weights": student.safe_softmax(high, 2), "at -10,000": student.safe_softmax(low, 2), "_dim": 2}


@safe_softmax.case(
    "one row around +10,000 beside one around -10,000", weight=1.5, explain=_explain_weights, atol=_ROUNDING
)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    scores = (2 * draw.normal(2, 5)).round() / 2
    return {"weights": student.safe_softmax(scores + torch.tensor([[1e4], [-1e4]]), 1), "_dim": 1}


# What may be taken off a row, apart from its maximum, overflows or leaves only zeros in one row or another: the mean in
# the first three, the least in all, the first score in all but the second, nothing in the first and the last.
_SPREAD = ((0.0, 0.0, 0.0, 500.0), (63.0, 60.0, 60.0, -440.0), (-440.0, 60.0, 63.0, 60.0), (20.0, 20.0, 120.0, 20.0))


@safe_softmax.case("scores that lie hundreds apart within a row", weight=1.5, explain=_explain_weights)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    scores = torch.tensor(_SPREAD) + (2 * draw.uniform(4, 4)).round() / 2
    return {"weights": student.safe_softmax(scores, 1), "_dim": 1}


@safe_softmax.case("a score of minus infinity gets the weight zero", explain=_explain_weights, weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    # as many rows as scores in each, where an axis that was not kept fits by accident
    scores = draw.normal(5, 5).masked_fill(~draw.mask(5, 5), float("-inf"))
    weights = student.safe_softmax(scores, -1)
    return {"weights": weights, "which are zero": weights == 0, "_dim": -1}


def _explain_gradient(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    return "No gradient came back to the scores." if observed["gradient"] is None else None


@safe_softmax.case("gradients are finite and right, for large scores too", explain=_explain_gradient, atol=_ROUNDING)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    scores, cotangent = (2 * draw.normal(3, 4)).round() / 2 + 1e4, draw.normal(3, 4)
    (gradient, _) = student.grad("safe_softmax", scores, 1, cotangents=[cotangent])
    return {"gradient": gradient}


# ---- broadcast_mask -------------------------------------------------------------------------------------------------

broadcast_mask = Check("broadcast_mask", components=("broadcast_mask",))


@broadcast_mask.takes("broadcast_mask", B=2, T=3, S=5)
def _(draw: Draw, B: int, T: int, S: int) -> Arguments:
    return {"padding": draw.mask(B, S), "pattern": draw.mask(T, S)}


def _explain_mask(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    mask, right = observed["mask"], expected["mask"]
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool or mask.shape != right.shape:
        return None
    let_in, kept_out = int((mask & ~right).sum()), int((~mask & right).sum())
    return f"{let_in} pairs may attend that should not, and {kept_out} may not attend that should."


@broadcast_mask.case("sizes all different: (B, S) with (T, S) to (B, T, S)", weight=2, explain=_explain_mask)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    padding, pattern = draw.mask(2, 5), draw.mask(3, 5)
    pattern[0] &= ~padding[0]  # of the first sentence, the first query may attend to nothing
    return {"mask": student.broadcast_mask(padding, pattern)}


@broadcast_mask.case("padding with a causal pattern: the queries are the keys", explain=_explain_mask)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    lengths = draw.lengths(3, 5)
    padding = torch.arange(5) < lengths.unsqueeze(1)
    return {"mask": student.broadcast_mask(padding, torch.ones(5, 5, dtype=torch.bool).tril())}


@broadcast_mask.case("masks that are not boolean, or do not agree, are a ValueError", contract=True, weight=0.5,
                    explain=_explain_refusals)  # fmt: skip
def _(student: Student, draw: Draw) -> dict[str, Any]:
    padding, pattern = draw.mask(2, 5), draw.mask(3, 5)
    student.broadcast_mask(padding, pattern)  # an error for masks that do agree would prove nothing
    return {
        "a padding of floating-point numbers": student.error_of("broadcast_mask", padding.float(), pattern),
        "a pattern of whole numbers": student.error_of("broadcast_mask", padding, pattern.int()),
        "a padding (2, 5) with a pattern (3, 1)": student.error_of("broadcast_mask", padding, pattern[:, :1]),
        "a padding (2, 1) with a pattern (3, 5)": student.error_of("broadcast_mask", padding[:, :1], pattern),
        "a padding (2, 5) with a pattern (3, 4)": student.error_of("broadcast_mask", padding, pattern[:, :4]),
    }


# ---- numerical_gradient ---------------------------------------------------------------------------------------------

numerical_gradient = Check("numerical_gradient", components=("numerical_gradient",))


# In float64, right forms agree far below this, and a slope that is nearly zero is told from zero.
_SLOPES = 1e-9


def _cubic(weights: Tensor):
    """A function of one tensor whose entries meet: no entry's slope is a constant."""
    return lambda x: (weights * x**3).sum() + x.sum() ** 2


@numerical_gradient.takes(
    "numerical_gradient",
    N=Axis(2, long=12),
    M=Axis(3, long=12),
    excused={"gradients": "nothing is promised of a graph behind the slopes"},
)
def _(draw: Draw, N: int, M: int) -> Arguments:
    # x is so small beside the step that adding and taking away costs it digits
    weights, x = draw.normal(N, M).double(), 1e-3 * draw.normal(N, M).double()
    return {"function": _cubic(weights), "x": x, "step": 0.5}


@numerical_gradient.case("a vector, with the step as it is by default", atol=_SLOPES)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    weights, x = draw.normal(4).double(), draw.normal(4).double()
    return {"gradient": student.numerical_gradient(_cubic(weights), x)}


@numerical_gradient.case("a matrix, and one axis more: each entry has a slope of its own", atol=_SLOPES)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    seen = {}
    for name, shape in (("gradient", (2, 3)), ("gradient of (2, 3, 4)", (2, 3, 4))):
        weights, x = draw.normal(*shape).double(), draw.normal(*shape).double()
        seen[name] = student.numerical_gradient(_cubic(weights), x)
    return seen


@numerical_gradient.case("a large step, which shows which differences are taken", atol=_SLOPES)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    # a step that goes with the entry shows beside entries below 1 and above it
    weights, x = draw.normal(3).double(), torch.tensor([0.4, -2.0, 3.0]).double() + 0.1 * draw.normal(3)
    return {"gradient": student.numerical_gradient(_cubic(weights), x, 0.5)}


def _explain_dtype(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    if observed["dtype for float32"] != "float32":
        return f"For x in float32 the gradient came back in {observed['dtype for float32']}."
    if observed["dtype"] == expected["dtype"]:
        nearly = float(observed["gradient's error, enlarged"].abs().max()) < 1e5 * _SLOPES
        right = "For a straight line, whose slopes are known, the gradient is right to seven digits and no further."
        return right if nearly else None
    return f"For x in {expected['dtype']} the gradient came back in {observed['dtype']}, with fewer digits."


@numerical_gradient.case(
    "float64 in, float64 out, in all its digits", weight=0.5, contract=True, explain=_explain_dtype
)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    weights, x = draw.normal(3).double(), draw.normal(3).double()
    gradient = student.numerical_gradient(lambda x: (weights * x).sum(), x)
    narrow = student.numerical_gradient(lambda x: (weights * x).sum().float(), x.float())
    # a step that has been through float32 is 5e-8 too long, by which the slopes are off
    return {
        "dtype": str(gradient.dtype).removeprefix("torch."),
        "dtype for float32": str(narrow.dtype).removeprefix("torch."),
        "gradient's error, enlarged": 1e5 * (gradient - weights),
    }


@numerical_gradient.case(
    "a step that is not positive is a ValueError", weight=0.5, contract=True, explain=_explain_refusals
)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    weights, x = draw.normal(3).double(), draw.normal(3).double()
    student.numerical_gradient(_cubic(weights), x)  # an error for every step would prove nothing
    return {
        "a step of 0": student.error_of("numerical_gradient", _cubic(weights), x, 0.0),
        "a step of -0.001": student.error_of("numerical_gradient", _cubic(weights), x, -1e-3),
    }


# ---- train_step_cpu -------------------------------------------------------------------------------------------------

train_step_cpu = Check("train_step_cpu", components=("train_step_cpu",))
_V, _T, _D, _CLASSES = 11, 3, 4, 7


# With a learning rate of 0 the model is the same before every call, so that calls can be compared.
_TRAINS = {"state": "the model's weights and gradients are what it is to change"}


@train_step_cpu.takes("train_step_cpu", B=5, V=_CLASSES, excused=_TRAINS)
def _(draw: Draw, B: int, V: int) -> Arguments:
    model = Fixture("TinyClassifier", (_V, _T, _D, V))
    inputs, targets = draw.integers(0, _V, B, _T), draw.integers(0, V, B)
    return {"model": model, "optimizer": Fixture("sgd", (model, 0.0), load=False), "inputs": inputs, "targets": targets}


def _model_and_batch(student: Student, draw: Draw, batch: int) -> tuple[Module, Tensor, Tensor]:
    model = student.fixture("TinyClassifier", _V, _T, _D, _CLASSES)
    model.load(draw.state(model))
    return model, draw.integers(0, _V, batch, _T), draw.integers(0, _CLASSES, batch)


def _explain_loss(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    loss = observed["loss"]
    return f"It returned {loss if isinstance(loss, str) else format(loss, '.4g')}, which is not that loss."


@train_step_cpu.case("it returns the loss of the batch as it was before the step", explain=_explain_loss)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    model, inputs, targets = _model_and_batch(student, draw, 5)
    return {"loss": as_number(student.train_step_cpu(model, student.fixture("sgd", model, 0.1), inputs, targets))}


def _explain_type(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    return f"It came back as a {observed['type of the loss']}."


@train_step_cpu.case("the loss comes back as a Python float", weight=0.5, contract=True, explain=_explain_type)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    model, inputs, targets = _model_and_batch(student, draw, 5)
    loss = student.train_step_cpu(model, student.fixture("sgd", model, 0.1), inputs, targets)
    return {"type of the loss": type(loss).__name__}


@train_step_cpu.case("logits in the hundreds, where a probability can round to zero", weight=0.5, explain=_explain_loss)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    model, inputs, targets = _model_and_batch(student, draw, 5)
    model.load({name: 300 * value if "output" in name else value for name, value in draw.state(model).items()})
    return {"loss": as_number(student.train_step_cpu(model, student.fixture("sgd", model, 0.0), inputs, targets))}


# What happened stands beside the logits in the next two cases, for parameters stand still for many reasons.


@train_step_cpu.case("one step goes down the gradient of this loss")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    model, inputs, targets = _model_and_batch(student, draw, 5)
    optimizer = student.fixture("WatchedSGD", model, 0.5)
    student.train_step_cpu(model, optimizer, inputs, targets)
    return {"logits after the step": model(inputs), "what happened": optimizer.method("seen")}


@train_step_cpu.case("gradients left from before do not count")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    model, inputs, targets = _model_and_batch(student, draw, 5)
    optimizer = student.fixture("WatchedSGD", model, 0.5)
    student.fixture("stale_gradients", model, 0.3)
    student.train_step_cpu(model, optimizer, inputs, targets)
    return {"logits after the step": model(inputs), "what happened": optimizer.method("seen")}


@train_step_cpu.case("three steps, each by its own gradient")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    model, inputs, targets = _model_and_batch(student, draw, 6)
    optimizer = student.fixture("sgd", model, 0.3, 0.9)
    losses = [as_number(student.train_step_cpu(model, optimizer, inputs, targets)) for _ in range(3)]
    return {"loss of step": losses, "logits after the steps": model(inputs)}


@train_step_cpu.case("in training mode the model runs once, on the batch", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    model = student.fixture("NormedClassifier", _V, _T, _D, _CLASSES)
    model.load({name: value for name, value in draw.state(model).items() if "running" not in name})
    model.train()
    inputs, targets = draw.integers(0, _V, 6, _T), draw.integers(0, _CLASSES, 6)
    optimizer = student.fixture("sgd", model, 0.1)
    for _ in range(2):
        student.before("train_step_cpu", model, optimizer, inputs, targets)
    return {"logits by the batch norm's running mean": model.eval()(inputs)}


def _explain_events(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    return f"What happened, in order: {observed['what happened']}."


@train_step_cpu.case("gradients are computed, and then the optimizer steps once", weight=0.5, explain=_explain_events)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    model, inputs, targets = _model_and_batch(student, draw, 5)
    optimizer = student.fixture("WatchedSGD", model, 0.1)
    student.train_step_cpu(model, optimizer, inputs, targets)
    return {"what happened": optimizer.method("seen")}


def _explain_overfit(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    return f"The model's loss on that batch was {observed['first']:.2f} at first and {observed['last']:.2f} at the end."


@train_step_cpu.case("forty steps learn one batch by heart", weight=0.5, explain=_explain_overfit)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    # Plain gradient descent, as in section 0.8, and there as here stale gradients pass: other cases see them.
    model, _, targets = _model_and_batch(student, draw, 6)
    inputs = draw.permutation(_V)[:6].unsqueeze(1).repeat(1, _T)  # no two alike
    optimizer = student.fixture("WatchedSGD", model, 0.3)
    losses = [F.cross_entropy(model(inputs), targets).item()]
    for _ in range(4):
        for _ in range(10):
            student.before("train_step_cpu", model, optimizer, inputs, targets)
        losses.append(F.cross_entropy(model(inputs), targets).item())  # the model's own, whatever came back
    learnt = losses[-1] < 0.3
    # Many mistakes fail here. What went on stands beside the failure, so that only one that fails just so is named.
    seen = {"learnt by heart": learnt, "_first": losses[0], "_last": losses[-1]}
    begun = ", ".join(optimizer.method("seen").split(", ")[:2])
    return seen if learnt else seen | {"losses on the way": losses[1:], "what happened first": begun}


# ---- fix_the_training_loop ------------------------------------------------------------------------------------------

fix_the_training_loop = Check("fix_the_training_loop", components=("train_epoch",))


# `draws`: torch's DataLoader draws a seed even where it shuffles nothing
@fix_the_training_loop.takes("train_epoch", N=9, M=7, B=4, draws=True, excused=_TRAINS)
def _(draw: Draw, N: int, M: int, B: int) -> Arguments:
    model = Fixture("TinyClassifier", (_V, _T, _D, _CLASSES))
    return {
        "model": model,
        "optimizer": Fixture("sgd", (model, 0.0), load=False),
        "inputs": draw.integers(0, _V, N, _T),
        "targets": draw.integers(0, _CLASSES, N),
        "order": draw.integers(0, N, M),
        "batch_size": B,
    }


@fix_the_training_loop.case("one batch of everything: each input learns its own target")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    model, inputs, targets = _model_and_batch(student, draw, 8)
    student.train_epoch(model, student.fixture("sgd", model, 0.5), inputs, targets, _moved(draw, 8), 8)
    return {"logits after the epoch": model(inputs)}


@fix_the_training_loop.case("the examples are visited in the order given, the last ones too")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    model, inputs, targets = _model_and_batch(student, draw, 9)  # the last batch is of one
    student.train_epoch(model, student.fixture("sgd", model, 1.0), inputs, targets, _moved(draw, 9), 4)
    return {"logits after the epoch": model(inputs)}


@fix_the_training_loop.case("the loss that comes back is the mean over the examples", explain=_explain_loss)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    model, inputs, targets = _model_and_batch(student, draw, 11)
    optimizer = student.fixture("sgd", model, 0.5)  # it moves, so the loss after the epoch is another
    return {"loss": as_number(student.train_epoch(model, optimizer, inputs, targets, _moved(draw, 11), 4))}


@fix_the_training_loop.case("an order that leaves some examples out")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    model, inputs, targets = _model_and_batch(student, draw, 11)
    order = _moved(draw, 11)[:6]
    loss = student.train_epoch(model, student.fixture("sgd", model, 0.5), inputs, targets, order, 4)
    return {"loss": loss, "logits after the epoch": model(inputs)}


@fix_the_training_loop.case("inputs and targets that differ in N, or no batch size, are a ValueError", contract=True,
                           weight=0.5, explain=_explain_refusals)  # fmt: skip
def _(student: Student, draw: Draw) -> dict[str, Any]:
    model, inputs, targets = _model_and_batch(student, draw, 6)
    optimizer, order = student.fixture("sgd", model, 0.5), _moved(draw, 6)[:4]
    student.train_epoch(model, optimizer, inputs, targets, order, 1)  # what raises always would prove nothing
    return {
        "six inputs with seven targets": student.error_of(
            "train_epoch", model, optimizer, inputs, torch.cat([targets, targets[:1]]), order, 4
        ),
        "six inputs with five targets": student.error_of(
            "train_epoch", model, optimizer, inputs, targets[:5], order.clamp(max=4), 4
        ),
        "a batch size of 0": student.error_of("train_epoch", model, optimizer, inputs, targets, order, 0),
        "a batch size of -2": student.error_of("train_epoch", model, optimizer, inputs, targets, order, -2),
    }


def _moved(draw: Draw, n: int) -> Tensor:
    """An order of 0 .. n-1 in which hardly anything stands at its old place."""
    order = draw.permutation(n)
    return order if int((order == torch.arange(n)).sum()) < 3 else order.roll(1)
