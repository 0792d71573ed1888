"""Checks of chapter 03: what is looked at in each exercise, case by case.

A case draws inputs, calls the student's code and returns what it saw; the engine compares. Safe to change: titles,
explanations. After any other change the tables are recorded afresh (`make refresh`).
"""

from typing import Any

import torch
from torch import Tensor

from course.checks import states
from course.checks.common import explain_decoder
from course.checks.engine import Check, Draw
from course.checks.engine.declare import Arguments, Axis, Fixture
from course.checks.engine.of_tests import CheckOfTest
from course.checks.variants.captioning import POINTING_ACCURACY, RIGHT_POINTING_ACCURACY
from course.protocol.student import Module, Student

# ---- grid_encoder ---------------------------------------------------------------------------------------------------

grid_encoder = Check("grid_encoder", components=("GridEncoder",))

_CHANNELS, _D = 5, 7


# Where a single row or column lies between -1 and 1 would have to be said: there are two of each at least.
@grid_encoder.takes(
    "GridEncoder",
    B=2,
    ROWS=Axis(2, least=2),
    COLUMNS=Axis(3, least=2),
    C=_CHANNELS,
    D=_D,
    new=lambda B, ROWS, COLUMNS, C, D: (Fixture("GridBackbone", (C,), load=False), C, D),
    turned={"coordinates": False},
)
def _(draw: Draw, B: int, ROWS: int, COLUMNS: int, C: int, D: int) -> Arguments:
    return {"images": draw.normal(B, 3, 4 * ROWS, 4 * COLUMNS)}


def _encoder(student: Student, draw: Draw, **options: Any) -> Module:
    """The student's encoder round a public backbone of one convolution: a grid of H / 4 rows and W / 4 columns."""
    encoder = student.GridEncoder(student.fixture("GridBackbone", _CHANNELS), _CHANNELS, _D, **options)
    encoder.load(draw.state(encoder))
    return encoder.eval()


def _usable(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """A drawn state in which the running variances are positive, as variances are."""
    return {name: value.abs() + 0.5 if "running_var" in name else value for name, value in state.items()}


def _explain_cells(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    """Where the cells that should stand first are found, if they are found at all."""
    seen, right = observed.get("features"), expected["features"]
    if not isinstance(seen, Tensor) or seen.shape != right.shape or not seen.is_floating_point():
        return None
    if seen.min() < -1e-6:
        return f"A feature is negative ({seen.min():.2f}), and after a ReLU none can be."
    for n in range(1, right.shape[1]):
        places = [m for m in range(right.shape[1]) if torch.allclose(seen[0, n], right[0, m], atol=1e-4)]
        if places and n not in places:
            return f"Place {n} of the sequence holds the cell that belongs at place {places[0]}."
    off = int((~torch.isclose(seen, right, atol=1e-4)).any(dim=2).sum())
    return f"{off} of the {right.shape[0] * right.shape[1]} cells have the wrong features."


@grid_encoder.case("a grid of two rows and three columns, with coordinates", weight=2, explain=_explain_cells)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"features": _encoder(student, draw)(draw.normal(2, 3, 8, 12))}


@grid_encoder.case("a picture that is the same everywhere: only the coordinates differ", explain=_explain_cells)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    images = draw.normal(1, 3, 1, 1).expand(1, 3, 12, 8).contiguous()
    return {"features": _encoder(student, draw)(images)}


@grid_encoder.case("coordinates=False: nothing is appended", explain=_explain_cells)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"features": _encoder(student, draw, coordinates=False)(draw.normal(2, 3, 8, 12))}


@grid_encoder.case("a backbone with other strides: the grid says how many rows and columns", explain=_explain_cells)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    encoder = student.GridEncoder(student.fixture("GridBackbone", _CHANNELS, 2), _CHANNELS, _D)
    encoder.load(draw.state(encoder))
    return {"features": encoder.eval()(draw.normal(2, 3, 4, 6))}


@grid_encoder.case("in training: the backbone is left in its mode, and nothing is dropped", explain=_explain_cells)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    encoder = student.GridEncoder(student.fixture("NormalizedBackbone", _CHANNELS), _CHANNELS, _D)
    encoder.load(_usable(draw.state(encoder)))
    student.seed(0)  # whoever draws here all the same draws alike each time
    return {"features": encoder.train()(draw.normal(2, 3, 8, 12))}


# ---- caption_decoder ------------------------------------------------------------------------------------------------

caption_decoder = Check("caption_decoder", components=("CaptionDecoder",))

# B pictures of N cells, T tokens out of V; the widths all differ
_B, _N, _T, _V, _E, _H, _D_MODEL, _D_ATTENTION = 2, 6, 4, 7, 3, 5, 8, 9


@caption_decoder.takes(
    "CaptionDecoder",
    B=2,
    N=6,
    T=4,
    V=Axis(7, least=2),
    E=3,
    H=5,
    D=8,
    A=9,
    new=lambda B, N, T, V, E, H, D, A: (V, E, H, 0, D, A),
)
def _(draw: Draw, B: int, N: int, T: int, V: int, E: int, H: int, D: int, A: int) -> Arguments:
    return {"features": draw.normal(B, N, D), "tokens": draw.integers(1, V, B, T)}


def _decoder(student: Student, draw: Draw) -> Module:
    decoder = student.shared("CaptionDecoder", _V, _E, _H, 0, _D_MODEL, _D_ATTENTION)
    decoder.load(draw.state(decoder))
    return decoder.eval()


def _two(result: Any, promised: str) -> tuple[Any, Any]:
    """The two things that a method returned. Raises TypeError, for the learner to read, where they are not two."""
    if isinstance(result, (tuple, list)) and len(result) == 2:
        return result[0], result[1]
    many = isinstance(result, (tuple, list))
    came = f"{len(result)} things" if many else "one tensor" if isinstance(result, Tensor) else type(result).__name__
    raise TypeError(f"{came} in the place of two: {promised}")


def _total(values: Any) -> Any:
    """A tensor in one number, of its values' sizes and signs: enough to tell, and small to record."""
    return (values.double().abs() + values.double() / 2).sum().item() if isinstance(values, Tensor) else values


def _started(decoder: Module, features: Tensor) -> tuple[Any, Any]:
    return _two(decoder.method("start", features), "`start` gives the state, hidden and features")


def _stepped(decoder: Module, token: Tensor, state: Any) -> tuple[Any, tuple[Any, Any]]:
    logits, after = _two(decoder.method("step", token, state), "`step` gives the logits and the new state")
    return logits, _two(after, "the state that `step` gives is hidden and features")


def _written(result: Any) -> dict[str, Any]:
    logits, weights = _two(result, "`forward` gives the logits and the weights")
    return {"logits": logits, "weights": weights}


@caption_decoder.case("`start` makes the first hidden state from the mean of the cells")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    hidden, features = _started(_decoder(student, draw), draw.normal(_B, _N, _D_MODEL))
    return {"hidden": hidden, "features, in one number": _total(features)}


@caption_decoder.case("`step`: the hidden state that was given asks", weight=2)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    state = draw.normal(_B, _H), draw.normal(_B, _N, _D_MODEL)
    logits, (hidden, features) = _stepped(_decoder(student, draw), draw.integers(1, _V, _B), state)
    return {"logits": logits, "hidden": hidden, "features, in one number": _total(features)}


@caption_decoder.case("`forward`, one word", explain=explain_decoder)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _written(_decoder(student, draw)(draw.normal(_B, _N, _D_MODEL), draw.integers(1, _V, _B, 1)))


@caption_decoder.case("`forward`, four words: each asks afresh", weight=2, explain=explain_decoder)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _written(_decoder(student, draw)(draw.normal(_B, _N, _D_MODEL), draw.integers(1, _V, _B, _T)))


@caption_decoder.case("word by word, `start` and `step` give what `forward` gives", weight=2)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    decoder, tokens = _decoder(student, draw), draw.integers(1, _V, _B, _T)
    state = _started(decoder, draw.normal(_B, _N, _D_MODEL))
    columns = []
    for token in tokens.unbind(1):
        logits, state = _stepped(decoder, token, state)
        columns.append(logits)
    return {"logits": torch.stack(columns, 1), "hidden": state[0]}


@caption_decoder.case("padding is a token, and a cell of zeros a cell, like any other")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    features, tokens = draw.normal(_B, _N, _D_MODEL), draw.integers(1, _V, _B, _T)
    features[:, 1], features[1, 4], tokens[0, 1], tokens[:, 3] = 0.0, 0.0, 0, 0  # in the midst, and at all ends
    return _written(_decoder(student, draw)(features, tokens))


@caption_decoder.case(states.TITLE, weight=0.5, contract=True, explain=states.explain)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    decoder = _decoder(student, draw)
    start = decoder.method("start", draw.normal(1, _N, _D_MODEL))
    token = draw.integers(1, _V, 1)
    logits, step = _two(decoder.method("step", token, start), "`step` gives the logits and the new state")
    again = states.after_another(decoder, (draw.normal(1, _N, _D_MODEL),), token, start, logits)
    return states.seen(logits, start=start, step=step) | again


# ---- pooled_baseline ------------------------------------------------------------------------------------------------

pooled_baseline = Check("pooled_baseline", components=("pooled_baseline",))


@pooled_baseline.takes("pooled_baseline", B=3, N=5, D=7)
def _(draw: Draw, B: int, N: int, D: int) -> Arguments:
    return {"features": draw.normal(B, N, D)}


@pooled_baseline.case("three pictures of five cells, each seven wide", weight=3)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"memory": student.pooled_baseline(draw.normal(3, 5, 7))}


@pooled_baseline.case("cells of zeros are cells too")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    features = draw.normal(2, 5, 3).clamp(min=0)
    features[0, 1:3] = features[1, 4] = 0.0
    return {"memory": student.pooled_baseline(features)}


# ---- pointing_accuracy ----------------------------------------------------------------------------------------------

pointing_accuracy = Check("pointing_accuracy", components=("pointing_accuracy",))

_ROWS, _COLUMNS, _CELL = 3, 5, 4


def _looks(draw: Draw, B: int, T: int, rows: int = _ROWS, columns: int = _COLUMNS) -> tuple[Tensor, Tensor, Tensor]:
    """Weights (B, T, rows * columns), with the row and the column (B, T) of each one's largest."""
    weights = torch.softmax(2 * draw.normal(B, T, rows * columns), dim=2)
    top = weights.argmax(dim=2)
    return weights, top // columns, top % columns


def _boxes(draw: Draw, B: int, T: int, rows: int = _ROWS, columns: int = _COLUMNS, cell: int = _CELL) -> Tensor:
    """Boxes (B, T, 4) anywhere in the picture, from one to about two cells long on each side."""
    sides = []
    for count in (columns, rows):
        first = draw.integers(0, cell * count - cell + 1, B, T)
        last = (first + draw.integers(cell, 2 * cell, B, T)).clamp(max=cell * count)
        sides.append((first, last))
    (left, right), (top, bottom) = sides
    return torch.stack([left, top, right, bottom], dim=2)


def _around(row: Tensor, column: Tensor, cell: int, by: Tensor) -> Tensor:
    """The cell's own box, moved by `by` (B, T, 2) pixels to the right and downwards."""
    left, top = column * cell + by[..., 0], row * cell + by[..., 1]
    return torch.stack([left, top, left + cell, top + cell], dim=2)


@pointing_accuracy.takes(
    "pointing_accuracy",
    B=2,
    T=9,
    ROWS=3,
    COLUMNS=5,
    CELL=4,
    excused={"gradients": "A share of hits is a number, and has no gradient."},
)
def _(draw: Draw, B: int, T: int, ROWS: int, COLUMNS: int, CELL: int) -> Arguments:
    weights, row, column = _looks(draw, B, T, ROWS, COLUMNS)
    near = _around(row, column, CELL, draw.integers(0, CELL, B, T, 2))
    boxes = torch.where(draw.uniform(B, T, 1) < 0.5, near, _boxes(draw, B, T, ROWS, COLUMNS, CELL))
    boxes[~draw.mask(B, T)] = -1
    return {"weights": weights, "boxes": boxes, "columns": COLUMNS, "cell": CELL}


def _shares(student: Student, weights: Tensor, boxes: Tensor, columns: int = _COLUMNS, cell: int = _CELL) -> dict:
    """The share, and that of each caption alone that names something: two ways of counting may agree in one number, and
    not in all."""
    seen = {"share": student.pointing_accuracy(weights, boxes, columns, cell)}
    for b in (boxes[..., 0] >= 0).any(dim=1).nonzero().flatten().tolist():
        one = student.pointing_accuracy(weights[b : b + 1], boxes[b : b + 1], columns, cell)
        seen[f"share of caption {b} alone"] = one
    return seen


def _explain_share(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    """The first share that is not right, and on which side it lies."""
    for name, right in expected.items():
        seen = observed.get(name)
        if type(seen) in (int, float) and abs(seen - right) > 1e-4:
            return f"The {name} came out as {seen:.3g}, which is too {'low' if seen < right else 'high'}."
    return None


@pointing_accuracy.case("every word names something: three rows of five cells", weight=2, explain=_explain_share)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    weights, _, _ = _looks(draw, 4, 30)
    return _shares(student, weights, _boxes(draw, 4, 30))


@pointing_accuracy.case("words that name nothing count nowhere", weight=2, explain=_explain_share)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    weights, _, _ = _looks(draw, 5, 30)
    boxes = _boxes(draw, 5, 30)
    # A caption with fewer words that name something than the others, and all of them hit: the mean over captions is
    # another than that over words, whatever was drawn.
    boxes[2] = torch.tensor([0, 0, _COLUMNS * _CELL, _ROWS * _CELL])
    boxes[:, ::3] = -1
    boxes[2, 9:] = -1
    boxes[4] = -1  # a caption that names nothing, beside others that do
    return _shares(student, weights, boxes)


@pointing_accuracy.case("one pixel in common is enough, a common edge is not", weight=2, explain=_explain_share)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    """Boxes just on and just off the cell that is looked at, on each of the four sides: a share for each side."""
    seen = {}
    for side, (dx, dy) in {"to the left": (-1, 0), "to the right": (1, 0), "above": (0, -1), "below": (0, 1)}.items():
        _, row, column = _looks(draw, 2, 15)
        by = torch.where(draw.uniform(2, 15) < 0.6, _CELL - 1, _CELL)
        by[0, 0], by[0, 1], by[1, 0] = _CELL - 1, _CELL, _CELL - 1
        boxes = _around(row, column, _CELL, torch.stack([dx * by, dy * by], dim=2)) + 2 * _CELL
        # everything is moved two cells to the right and down, so that no box lies outside the picture
        moved = torch.zeros(2, 15, (_ROWS + 4) * (_COLUMNS + 4))
        moved.scatter_(2, ((row + 2) * (_COLUMNS + 4) + column + 2).unsqueeze(2), 1.0)
        share = student.pointing_accuracy(moved + 0.01 * draw.uniform(*moved.shape), boxes, _COLUMNS + 4, _CELL)
        seen[f"share with boxes {side}"] = share
    corner, pixel = torch.eye(_ROWS * _COLUMNS)[:1].unsqueeze(0), torch.tensor([[[0, 0, 1, 1]]])
    return seen | {"share with a pixel in the corner": student.pointing_accuracy(corner, pixel, _COLUMNS, _CELL)}


@pointing_accuracy.case("a box that covers the cell, and a cell that covers the box", explain=_explain_share)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    weights, row, column = _looks(draw, 2, 20)
    whole = torch.tensor([0, 0, _COLUMNS * _CELL, _ROWS * _CELL]).expand(2, 20, 4)
    left, top = column * _CELL + 1, row * _CELL + 1
    small = torch.stack([left, top, left + 2, top + 2], dim=2)
    elsewhere = small.roll(1, dims=1)
    chosen = (draw.uniform(2, 20, 1) < 0.6) & (torch.arange(20).view(1, 20, 1) > 0)
    inside = torch.where(chosen, small, elsewhere)
    # Stripes through the cell and through the whole picture: no corner of the one lies in the other.
    upright = torch.stack([left, 0 * top, left + 2, 0 * top + _ROWS * _CELL], dim=2)
    flat = torch.stack([0 * left, top, 0 * left + _COLUMNS * _CELL, top + 2], dim=2)
    return {
        "share where the box is the whole picture": student.pointing_accuracy(
            weights, whole.contiguous(), _COLUMNS, _CELL
        ),
        "share where the box is inside a cell": student.pointing_accuracy(weights, inside, _COLUMNS, _CELL),
        "share where the box is an upright stripe": student.pointing_accuracy(weights, upright, _COLUMNS, _CELL),
        "share where the box is a flat stripe": student.pointing_accuracy(weights, flat, _COLUMNS, _CELL),
    }


@pointing_accuracy.case("where nothing is named, ValueError", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    weights, _, _ = _looks(draw, 2, 6)
    student.pointing_accuracy(weights, _boxes(draw, 2, 6), _COLUMNS, _CELL)  # whoever raises always is not told here
    nothing = torch.full((2, 6, 4), -1)
    raised = student.error_of("pointing_accuracy", weights, nothing, _COLUMNS, _CELL)
    came = "" if raised else student.pointing_accuracy(weights, nothing, _COLUMNS, _CELL)
    return {"where nothing is named": raised or f"{came} came back"}


# ---- fix_the_frozen_backbone ----------------------------------------------------------------------------------------

fix_the_frozen_backbone = Check("fix_the_frozen_backbone", components=("FrozenBackbone",))


@fix_the_frozen_backbone.takes(
    "FrozenBackbone",
    B=3,
    ROWS=2,
    COLUMNS=3,
    C=4,
    new=lambda B, ROWS, COLUMNS, C: (Fixture("GridBackbone", (C,), load=False),),
    excused={
        "sizes": "By which name it holds the backbone is free, and weights are drawn by names: others than the "
        "reference's. A case looks at a picture alone and in company.",
        "gradients": "Its parameters take none, under whatever names: a case looks at them.",
        "mode": "To bring the backbone into evaluation mode before each use is one way to keep it there.",
    },
)
def _(draw: Draw, B: int, ROWS: int, COLUMNS: int, C: int) -> Arguments:
    return {"images": draw.normal(B, 3, 4 * ROWS, 4 * COLUMNS)}


def _backbone(student: Student, draw: Draw) -> Module:
    """A public backbone with batch normalizations and dropout, in training mode, as one has it after training it."""
    backbone = student.fixture("DroppingBackbone", 4)
    backbone.load(_usable(draw.state(backbone)))
    student.seed(0)  # in training it drops alike each time
    return backbone.train()


@fix_the_frozen_backbone.case("from the start: as in evaluation, though it was handed over in training", contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    frozen = student.FrozenBackbone(_backbone(student, draw))
    return {"grid": frozen(draw.normal(3, 3, 8, 4))}


@fix_the_frozen_backbone.case("after train(): a picture's grid does not depend on its company", weight=2)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    frozen = student.FrozenBackbone(_backbone(student, draw)).train()
    images = draw.normal(3, 3, 8, 4)
    return {"grid in company": frozen(images)[:1], "grid alone": frozen(images[:1])}


@fix_the_frozen_backbone.case("inside a model that trains: nothing in it moves", weight=2)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    backbone = _backbone(student, draw)
    model = student.fixture("Holder", student.FrozenBackbone(backbone)).train()
    seen = [model(2 + draw.normal(3, 3, 8, 4)) for _ in range(2)]
    model.eval()
    model.train()
    images = draw.normal(2, 3, 8, 4)
    return {"grid in training": seen[1], "grid afterwards": model(images), "grid in evaluation": model.eval()(images)}


def _explain_state(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    if isinstance(observed.get("running mean"), str):
        return (
            "The backbone's running mean is not among the values of your module's state_dict(): a backbone in a list "
            "or behind a function is no submodule, and would not be saved with the model."
        )
    return None


@fix_the_frozen_backbone.case("its running mean and variance stay what they were", explain=_explain_state)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    backbone = _backbone(student, draw)
    frozen = student.FrozenBackbone(backbone).train()
    grid = frozen(2 + draw.normal(3, 3, 8, 4))
    held = {name.rpartition("block.0.")[2]: value for name, value in frozen.state().items()}
    missing = "not in its state"
    return {
        "grid": grid,
        "running mean": held.get("running_mean", missing),
        "running variance": held.get("running_var", missing),
    }


@fix_the_frozen_backbone.case("train() and eval() give the module back, as they do for any module", contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    frozen = student.FrozenBackbone(_backbone(student, draw))
    return {f"{name}() gives the module back": isinstance(frozen.method(name), Module) for name in ("train", "eval")}


@fix_the_frozen_backbone.case("gradients: none for its parameters, all for the image")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    backbone = _backbone(student, draw)
    frozen = student.FrozenBackbone(backbone).train()
    gradients = frozen.grad(draw.normal(2, 3, 8, 4), cotangents=[draw.normal(2, 4, 2, 1)])
    trainable = [name for name, value in gradients["parameters"].items() if value is not None]
    return {"gradient of the image": gradients["inputs"][0], "parameters with a gradient": len(trainable)}


# ---- test_pointing_accuracy -----------------------------------------------------------------------------------------

test_pointing_accuracy = CheckOfTest(
    "test_pointing_accuracy",
    of="pointing_accuracy",
    variants=POINTING_ACCURACY,
    right_forms=RIGHT_POINTING_ACCURACY,
    beyond=(
        "a corner of the one must lie in the other",
        "only the cell's corners are looked at",
        "one look for the whole caption",
        "a tensor in the float's place",
    ),
)
test_pointing_accuracy.takes_nothing("A test takes a function, and is judged by what it says of forms of it.")
