"""Checks of chapter 01, sequence to sequence: what each case looks at. The engine compares; see `course.checks`.

Sizes are all different (B 5, S 7, T 6, E 4, H 3, V 11 and 9; for the cell I 3, H 5, B 4); inputs are random and of
order one. Changing a case means recording the tables again (`python -m tools.notebooks refresh 01`); a check's name is
for ever.
"""

from typing import Any

import torch
from torch import Tensor

from course.checks import states
from course.checks.common import refusals
from course.checks.engine import Check, Draw
from course.checks.engine.declare import Arguments, Axis, Fixture
from course.protocol.student import Module, Student

Values = dict[str, Any]


# ---- 1.1 GRUCell ----------------------------------------------------------------------------------------------------

INPUT, HIDDEN, BATCH = 3, 5, 4

gru_cell = Check("gru_cell", components=("GRUCell",), blocked=("recurrent",))


@gru_cell.takes("GRUCell", B=BATCH, I=INPUT, H=HIDDEN, new=lambda B, I, H: (I, H), same="input hidden")  # noqa: E741 the docstring's letter
def _(draw: Draw, B: int, I: int, H: int) -> Arguments:  # noqa: E741
    return {"input": draw.normal(B, I), "hidden": draw.normal(B, H)}


def _cell(student: Student, draw: Draw, update: float = 0.0) -> Module:
    """A student's cell with drawn weights; `update` is added to the update gate's bias."""
    cell = student.shared("GRUCell", INPUT, HIDDEN)
    state = draw.state(cell)
    state["bias_ih"][HIDDEN : 2 * HIDDEN] += update
    cell.load(state)
    return cell


@gru_cell.case("the new state, from an input and an old state", weight=1.5)
def _(student: Student, draw: Draw) -> Values:
    cell = _cell(student, draw)
    hidden = cell(draw.normal(BATCH, INPUT), draw.normal(BATCH, HIDDEN))
    far = cell(500 * draw.normal(BATCH, INPUT), draw.normal(BATCH, HIDDEN))  # a gate is 0 or 1 there, and not NaN
    return {"hidden": hidden, "hidden from inputs of some hundreds": far, "shapes": cell.state_shapes()}


def _kept(seen: Values, reference: Values) -> str | None:
    if torch.allclose(seen["hidden"], reference["old"], atol=1e-3):
        return None
    return "With the update gate at 1 the old state should come through unchanged, and it did not."


@gru_cell.case("an update gate at 1 keeps the old state", explain=_kept)
def _(student: Student, draw: Draw) -> Values:
    old = draw.normal(BATCH, HIDDEN)
    return {"hidden": _cell(student, draw, update=30.0)(draw.normal(BATCH, INPUT), old), "_old": old}


@gru_cell.case("a candidate of zero: the update gate's share of the old state")
def _(student: Student, draw: Draw) -> Values:
    cell = student.shared("GRUCell", INPUT, HIDDEN)
    state = draw.state(cell)
    for name in state:
        state[name][2 * HIDDEN :] = 0.0
    cell.load(state)
    return {"hidden": cell(draw.normal(BATCH, INPUT), draw.normal(BATCH, HIDDEN))}


def _half(student: Student, draw: Draw, reset: float) -> Values:
    """The candidate of a cell whose update gate is one half, whichever way round it is: twice the new state less the
    old. The weights that feed the gates are zero, so each gate is the sigmoid of its bias."""
    cell = student.shared("GRUCell", INPUT, HIDDEN)
    state = draw.state(cell, scale=1.0)
    for name in state:
        state[name][: 2 * HIDDEN] = 0.0
    state["bias_ih"][:HIDDEN] = reset
    cell.load(state)
    old = draw.normal(BATCH, HIDDEN)
    return {"candidate": 2 * cell(draw.normal(BATCH, INPUT), old) - old}


def _forgets(seen: Values, reference: Values) -> str | None:
    return (
        "With the reset gate at 0 and the update gate at one half, twice the new state minus the old one should be "
        "tanh(W_in x + b_in) and nothing else."
    )


@gru_cell.case("a reset gate at 0 hides the old state from the candidate", explain=_forgets)
def _(student: Student, draw: Draw) -> Values:
    return _half(student, draw, reset=-30.0)


@gru_cell.case("a reset gate at 1 shows the candidate all of the old state", weight=1.5)
def _(student: Student, draw: Draw) -> Values:
    return _half(student, draw, reset=30.0)


@gru_cell.case("a reset gate at one half: where it acts")
def _(student: Student, draw: Draw) -> Values:
    return _half(student, draw, reset=0.0)


@gru_cell.case("six steps in a row", weight=0.5)
def _(student: Student, draw: Draw) -> Values:
    cell, hidden = _cell(student, draw), torch.zeros(BATCH, HIDDEN)
    inputs = draw.normal(6, BATCH, INPUT)
    states = []
    for x in inputs:
        hidden = cell(x, hidden)
        states.append(hidden)
    return {"states": torch.stack(states)}


@gru_cell.case("an input or a state of another shape is a ValueError, not a broadcast", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> Values:
    cell, input, hidden = _cell(student, draw), draw.normal(BATCH, INPUT), draw.normal(BATCH, HIDDEN)
    misfits = {
        "one state for four inputs": (input, hidden[:1]),
        "one input for four states": (input[:1], hidden),
        "an input too wide": (draw.normal(BATCH, INPUT + 1), hidden),
        "a state too wide": (input, draw.normal(BATCH, HIDDEN + 1)),
        "an input and a state without a batch": (input[0], hidden[0]),
        "an input of three axes": (input.unsqueeze(1), hidden),
        "a state of three axes, as `nn.GRU` gives it": (input, hidden.unsqueeze(0)),
    }
    shape = tuple(cell(input, hidden).shape)  # an error for shapes that fit would prove nothing
    return {"shape of the state where they fit": str(shape), **refusals(cell, misfits)}


# ---- 1.2 Encoder ----------------------------------------------------------------------------------------------------

SOURCE_VOCABULARY, EMBEDDING, WIDTH, SOURCE = 11, 4, 3, 7

encoder = Check("encoder", components=("Encoder",))


@encoder.takes(
    "Encoder",
    B=4,
    S=SOURCE,
    E=Axis(EMBEDDING, long=0),
    H=WIDTH,
    V=Axis(SOURCE_VOCABULARY, least=2, long=0),
    new=lambda B, S, E, H, V: (V, E, H, 0),
    excused={"device": "its lengths lie on the CPU, wherever the sentences lie: PyTorch packs by such"},
)
def _(draw: Draw, B: int, S: int, E: int, H: int, V: int) -> Arguments:
    lengths = draw.lengths(B, max(1, S - 1))  # no sentence fills the batch
    return {"source": draw.integers(0, V, B, S), "lengths": lengths}  # where padding is, the lengths say


def _source(draw: Draw, batch: int = 5) -> tuple[Tensor, Tensor]:
    """Token ids padded with 0, and lengths: not sorted, one of them the longest, one of them 1."""
    lengths = draw.lengths(batch, SOURCE)
    shortest = int(lengths.argmin())
    lengths[shortest] = 1
    source = draw.integers(1, SOURCE_VOCABULARY, batch, SOURCE)
    return source.masked_fill(torch.arange(SOURCE) >= lengths.unsqueeze(1), 0), lengths


def _encoder(student: Student, draw: Draw, pad_id: int = 0) -> Module:
    """A student's encoder with drawn weights: padding too gets a vector, so whoever reads it must show it."""
    made = student.shared("Encoder", SOURCE_VOCABULARY, EMBEDDING, WIDTH, pad_id)
    made.load(draw.state(made))
    return made


def _pair(result: Any) -> Values:
    outputs, state = result
    return {"outputs": outputs, "state": state}


@encoder.case("sentences that all have the full length")
def _(student: Student, draw: Draw) -> Values:
    source = draw.integers(1, SOURCE_VOCABULARY, 5, SOURCE)
    return _pair(_encoder(student, draw)(source, torch.full((5,), SOURCE)))


def _which_state(seen: Values, reference: Values) -> str | None:
    right = (seen["state"] - reference["state"]).abs().amax(dim=1) < 1e-4
    full = reference["full"]
    if right[full].all() and not right.all():
        return f"The state is right for the full sentence and wrong for {int((~right).sum())} of the shorter ones."
    return None


@encoder.case("the state of shorter sentences", weight=2, explain=_which_state)
def _(student: Student, draw: Draw) -> Values:
    source, lengths = _source(draw)
    _, state = _encoder(student, draw)(source, lengths)
    return {"state": state, "_full": lengths == SOURCE}


def _padding_outputs(seen: Values, reference: Values) -> str | None:
    largest = seen["outputs"][reference["padding"]].abs().max().item()
    if largest > 1e-5:
        return f"The outputs at padding should be zero; the largest there is {largest:.2f}."
    return "The outputs are zero at padding, as they should be, but differ at real positions."


@encoder.case("the outputs of shorter sentences, zero at padding", explain=_padding_outputs)
def _(student: Student, draw: Draw) -> Values:
    source, lengths = _source(draw)
    outputs, _ = _encoder(student, draw)(source, lengths)
    return {"outputs": outputs, "_padding": torch.arange(SOURCE) >= lengths.unsqueeze(1)}


@encoder.case("other tokens in the padding change nothing")
def _(student: Student, draw: Draw) -> Values:
    source, lengths = _source(draw)
    noise = draw.integers(1, SOURCE_VOCABULARY, *source.shape)
    source = torch.where(torch.arange(SOURCE) >= lengths.unsqueeze(1), noise, source)
    return _pair(_encoder(student, draw)(source, lengths))


@encoder.case("three more columns of padding, with another pad_id")
def _(student: Student, draw: Draw) -> Values:
    source, lengths = _source(draw)
    padded = torch.nn.functional.pad(torch.where(source > 0, source, 2), (0, 3), value=2)
    return _pair(_encoder(student, draw, pad_id=2)(padded, lengths))


@encoder.case("a length that cannot be, or not one for each sentence, is a ValueError", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> Values:
    made, (source, lengths) = _encoder(student, draw), _source(draw)
    none, above = lengths.clone(), lengths.clone()
    none[2], above[2] = 0, SOURCE + 1
    misfits = {
        "a length of 0": (source, none),
        "a length above S": (source, above),
        "four lengths for five sentences": (source, lengths[:4]),
        "lengths of two axes": (source, lengths.unsqueeze(1)),
    }
    shape = tuple(_pair(made(source, lengths))["state"].shape)  # an error for lengths that can be would prove nothing
    return {"shape of the state where they fit": str(shape), **refusals(made, misfits)}


# ---- 1.3 Decoder, Seq2Seq -------------------------------------------------------------------------------------------

TARGET_VOCABULARY, TARGET = 9, 6

decoder = Check("decoder", components=("Decoder", "Seq2Seq"))


@decoder.takes(
    "Decoder",
    B=5,
    T=TARGET,
    E=Axis(EMBEDDING, long=0),
    H=WIDTH,
    V=Axis(TARGET_VOCABULARY, least=2, long=0),
    new=lambda B, T, E, H, V: (V, E, H, 0),
    same="hidden context",
)
def _(draw: Draw, B: int, T: int, E: int, H: int, V: int) -> Arguments:
    return {"tokens": draw.integers(1, V, B, T), "hidden": draw.normal(B, H), "context": draw.normal(B, H)}


@decoder.takes(
    "Seq2Seq",
    B=4,
    S=SOURCE,
    T=TARGET,
    new=lambda B, S, T: (
        Fixture("vector_encoder", (SOURCE_VOCABULARY, WIDTH)),
        Fixture("context_decoder", (TARGET_VOCABULARY, WIDTH)),
        2,
    ),
)
def _(draw: Draw, B: int, S: int, T: int) -> Arguments:
    lengths = draw.lengths(B, max(1, S - 1))  # no sentence fills the batch
    source = draw.integers(1, SOURCE_VOCABULARY, B, S).masked_fill(torch.arange(S) >= lengths.unsqueeze(1), 0)
    return {"source": source, "lengths": lengths, "targets": draw.integers(1, TARGET_VOCABULARY, B, T)}


@decoder.takes(
    "Seq2Seq",
    B=4,
    new=lambda B: (
        Fixture("vector_encoder", (SOURCE_VOCABULARY, WIDTH)),
        Fixture("context_decoder", (TARGET_VOCABULARY, WIDTH)),
        2,
    ),
    method="step",
    excused={"gradients": "nothing is trained by way of single steps"},
)
def _(draw: Draw, B: int) -> Arguments:
    return {"token": draw.integers(1, TARGET_VOCABULARY, B), "state": (draw.normal(B, WIDTH), draw.normal(B, WIDTH))}


def _decoder(student: Student, draw: Draw) -> Module:
    made = student.shared("Decoder", TARGET_VOCABULARY, EMBEDDING, WIDTH, 0)
    made.load(draw.state(made))
    return made


def _seq2seq(student: Student, draw: Draw) -> tuple[Module, int]:
    """The student's decoder and model around a small encoder of the check's own, and the begin token it was given:
    never 0 or 1, which somebody might have written down."""
    encoder = student.fixture("vector_encoder", SOURCE_VOCABULARY, WIDTH)
    bos_id = int(draw.integers(2, TARGET_VOCABULARY, 1))
    made = student.Seq2Seq(encoder, student.shared("Decoder", TARGET_VOCABULARY, EMBEDDING, WIDTH, 0), bos_id)
    made.load(draw.state(made))
    return made, bos_id


@decoder.case("the decoder: logits and last state", weight=1.5)
def _(student: Student, draw: Draw) -> Values:
    tokens = draw.integers(1, TARGET_VOCABULARY, 5, TARGET)
    tokens[1:3, 1] = 0  # padding goes in like any other token
    logits, hidden = _decoder(student, draw)(tokens, draw.normal(5, WIDTH), draw.normal(5, WIDTH))
    return {"logits": logits, "hidden": hidden}


@decoder.case("the decoder: a state or a context of another shape is a ValueError", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> Values:
    made, tokens = _decoder(student, draw), draw.integers(1, TARGET_VOCABULARY, 5, TARGET)
    hidden, context = draw.normal(5, WIDTH), draw.normal(5, WIDTH)
    misfits = {
        "one state for five sentences": (tokens, hidden[:1], context),
        "one context for five sentences": (tokens, hidden, context[:1]),
        "a state too wide": (tokens, draw.normal(5, WIDTH + 1), context),
        "a context too wide": (tokens, hidden, draw.normal(5, WIDTH + 1)),
        "five states and contexts for one sentence": (tokens[:1], hidden, context),
        "a state of three axes, as `nn.GRU` gives it": (tokens, hidden.unsqueeze(0), context),
        "a context of three axes": (tokens, hidden, context.unsqueeze(1)),
    }
    logits, _ = made(tokens, hidden, context)  # an error for shapes that fit would prove nothing
    return {"shape of the logits where they fit": str(tuple(logits.shape)), **refusals(made, misfits)}


def _first_moved(seen: Values, reference: Values) -> str | None:
    column, right = seen["first_column_that_moves"], reference["first_column_that_moves"]
    if column == right:
        return None
    if column == 2:
        return "The logits of step 2 change when target 2 does: the decoder sees the very token it has to predict."
    if column > right:
        return f"Target 2 goes in at step 3, and no logits before step {column} change when it does."
    return f"The logits of step {column} change when target 2 does: the decoder sees tokens that come later."


@decoder.case("teacher forcing: which logits see target 2", weight=1.5, explain=_first_moved)
def _(student: Student, draw: Draw) -> Values:
    model, _ = _seq2seq(student, draw)
    vector, targets = draw.normal(5, WIDTH), draw.integers(2, TARGET_VOCABULARY, 5, TARGET)
    other = targets.clone()
    other[:, 2] = 2 + (targets[:, 2] - 1) % (TARGET_VOCABULARY - 2)  # another token in every row
    before, after = model.method("decode", vector, targets), model.method("decode", vector, other)
    moved = ((before - after).abs() > 1e-6).any(dim=2).any(dim=0)
    column = int(moved.int().argmax()) if moved.any() else before.shape[1]
    return {"first_column_that_moves": column}


@decoder.case("decode: logits from a vector and the targets")
def _(student: Student, draw: Draw) -> Values:
    (model, _), vector = _seq2seq(student, draw), draw.normal(5, WIDTH)
    return {"logits": model.method("decode", vector, draw.integers(1, TARGET_VOCABULARY, 5, TARGET))}


@decoder.case("encode, start and forward: from the source to the logits")
def _(student: Student, draw: Draw) -> Values:
    model, _ = _seq2seq(student, draw)
    source, lengths = _source(draw)
    hidden, context = model.method("start", source, lengths)
    return {
        "vector": model.method("encode", source, lengths),
        "hidden": hidden,
        "context": context,
        "logits": model(source, lengths, draw.integers(1, TARGET_VOCABULARY, 5, TARGET)),
    }


def _stepwise(model: Module, bos_id: int, source: Tensor, lengths: Tensor, targets: Tensor) -> tuple[Tensor, Any]:
    """Logits (B, T, V) of single steps fed with bos_id and then the targets, and the state after the last."""
    state = model.method("start", source, lengths)
    token, columns = torch.full((len(targets),), bos_id), []
    for t in range(targets.shape[1]):
        logits, state = model.method("step", token, state)
        columns.append(logits)
        token = targets[:, t]
    return torch.stack(columns, dim=1), state


@decoder.case("single steps: their logits and the state they leave")
def _(student: Student, draw: Draw) -> Values:
    model, bos_id = _seq2seq(student, draw)
    logits, (hidden, context) = _stepwise(model, bos_id, *_source(draw), draw.integers(1, TARGET_VOCABULARY, 5, TARGET))
    return {"logits": logits, "hidden": hidden, "context": context}


def _apart(seen: Values, reference: Values) -> str | None:
    return (
        "Your single steps, fed with bos_id and then the targets, and your own forward give logits that are up to "
        f"{seen['largest_difference']:.2g} apart; they should be the same."
    )


@decoder.case("step by step equals all at once: your steps against your forward", weight=1.5, explain=_apart)
def _(student: Student, draw: Draw) -> Values:
    model, bos_id = _seq2seq(student, draw)
    source, lengths = _source(draw)
    targets = draw.integers(1, TARGET_VOCABULARY, 5, TARGET)
    stepwise, _ = _stepwise(model, bos_id, source, lengths, targets)
    at_once = model(source, lengths, targets)
    if stepwise.shape != at_once.shape:
        raise ValueError(f"steps give logits {tuple(stepwise.shape)}, forward gives {tuple(at_once.shape)}")
    return {"largest_difference": float((stepwise - at_once).abs().max())}


@decoder.case(states.TITLE, weight=0.5, contract=True, explain=states.explain)
def _(student: Student, draw: Draw) -> Values:
    model, bos_id = _seq2seq(student, draw)
    (source, lengths), token = _source(draw, batch=2), torch.tensor([bos_id])  # one of one token, one longer
    one, other = ((source[i : i + 1, : lengths[i]], lengths[i : i + 1]) for i in range(2))
    start = model.method("start", *one)
    logits, step = model.method("step", token, start)
    again = states.after_another(model, other, token, start, logits)
    return states.seen(logits, start=start, step=step) | again


# ---- 1.4 masked_cross_entropy ---------------------------------------------------------------------------------------

masked_cross_entropy = Check("masked_cross_entropy", components=("masked_cross_entropy",))


def _at_padding(arguments: Arguments, fill: float) -> Arguments:
    """Not NaN or infinity: to multiply losses by a mask is honest work, and zero times these is NaN."""
    arguments["logits"][..., -1][arguments["targets"] == arguments["pad_id"]] = fill
    return arguments


@masked_cross_entropy.takes(
    "masked_cross_entropy", B=4, T=6, V=Axis(9, least=2), garbage=_at_padding, fills=(1e30, -1e30)
)
def _(draw: Draw, B: int, T: int, V: int) -> Arguments:
    lengths = draw.lengths(B, T)
    targets = draw.integers(1, V, B, T).masked_fill(torch.arange(T) >= lengths.unsqueeze(1), 0)
    return {"logits": draw.normal(B, T, V), "targets": targets, "pad_id": 0}


def _scored(draw: Draw, pad_id: int = 0, batch: int = 4, length: int = 6, vocabulary: int = 9) -> tuple[Tensor, Tensor]:
    """Logits, and targets whose rows end at different lengths with pad_id behind."""
    lengths = draw.lengths(batch, length)
    targets = draw.integers(0, vocabulary - 1, batch, length)
    targets = targets + (targets >= pad_id)  # any id but pad_id
    padded = targets.masked_fill(torch.arange(length) >= lengths.unsqueeze(1), pad_id)
    return draw.normal(batch, length, vocabulary), padded


@masked_cross_entropy.case("no padding: the mean over all tokens")
def _(student: Student, draw: Draw) -> Values:
    loss = student.masked_cross_entropy(draw.normal(4, 6, 9), draw.integers(1, 9, 4, 6), 0)
    return {"loss": loss}


@masked_cross_entropy.case("with padding: the mean over the real tokens", weight=2)
def _(student: Student, draw: Draw) -> Values:
    return {"loss": student.masked_cross_entropy(*_scored(draw), 0)}


def _moved(seen: Values, reference: Values) -> str | None:
    before, after = float(seen["before"]), float(seen["after"])
    if abs(before - after) > 1e-5:
        return f"Five more columns of padding moved the loss from {before:.3f} to {after:.3f}."
    return None


@masked_cross_entropy.case("added padding does not move the loss", explain=_moved)
def _(student: Student, draw: Draw) -> Values:
    logits, targets = _scored(draw)
    longer = torch.cat([logits, draw.normal(4, 5, 9)], dim=1)
    return {
        "before": student.masked_cross_entropy(logits, targets, 0),
        "after": student.masked_cross_entropy(longer, torch.nn.functional.pad(targets, (0, 5)), 0),
    }


@masked_cross_entropy.case("a row of nothing but padding does not move the loss")
def _(student: Student, draw: Draw) -> Values:
    logits, targets = _scored(draw)
    targets[2] = 0
    return {"loss": student.masked_cross_entropy(logits, targets, 0)}


@masked_cross_entropy.case("another pad_id, and padding before a token")
def _(student: Student, draw: Draw) -> Values:
    logits, targets = _scored(draw, pad_id=4)
    before = targets.clone()
    before[:, 0] = 4
    return {
        "loss": student.masked_cross_entropy(logits, targets, 4),
        "with padding before": student.masked_cross_entropy(logits, before, 4),
    }


@masked_cross_entropy.case("logits of several hundred", weight=0.5)
def _(student: Student, draw: Draw) -> Values:
    logits, targets = _scored(draw)
    return {"loss": student.masked_cross_entropy(300 * logits, targets, 0)}


@masked_cross_entropy.case("nothing but padding: zero, with zero gradients; one token: its own loss", weight=0.5)
def _(student: Student, draw: Draw) -> Values:
    logits, targets = draw.normal(2, 3, 5), torch.zeros(2, 3, dtype=torch.int64)
    lone = targets.clone()
    lone[1, 0] = 3
    return {
        "loss": student.masked_cross_entropy(logits, targets, 0),
        "gradient": student.grad("masked_cross_entropy", logits, targets, 0, cotangents=[torch.ones(())])[0],
        "loss of one token": student.masked_cross_entropy(logits, lone, 0),
    }


@masked_cross_entropy.case("a NaN at a real token shows in the loss", weight=0.5)
def _(student: Student, draw: Draw) -> Values:
    logits, targets = _scored(draw)
    logits[int(draw.integers(0, len(logits), 1)), 0, 3] = torch.nan  # every sentence has a first token
    return {"is_nan": bool(torch.isnan(torch.as_tensor(student.masked_cross_entropy(logits, targets, 0))))}


@masked_cross_entropy.case(
    "logits that are not (B, T, V) for these targets are a ValueError", weight=0.5, contract=True
)
def _(student: Student, draw: Draw) -> Values:
    logits, targets = _scored(draw)
    loss = student.masked_cross_entropy(logits, targets, 0)  # an error for what does fit would prove nothing
    longer = torch.cat([logits, draw.normal(4, 1, 9)], dim=1)
    return {
        "loss where they fit": loss,
        "a column more than targets": student.error_of("masked_cross_entropy", longer, targets, 0),
        "a sentence less than targets": student.error_of("masked_cross_entropy", logits[:-1], targets, 0),
        "no axis for the vocabulary": student.error_of("masked_cross_entropy", logits[..., 0], targets, 0),
    }


# ---- 1.5 greedy_decode ----------------------------------------------------------------------------------------------

greedy_decode = Check("greedy_decode", components=("greedy_decode",))

NUM_TOKENS = 8


@greedy_decode.takes(
    "greedy_decode",
    B=3,
    H=Axis(4, long=8),
    V=NUM_TOKENS,
    T=Axis(5, long=12),
    excused={"gradients": "token ids have none", "float64": "token ids are whole numbers"},
)
def _(draw: Draw, B: int, H: int, V: int, T: int) -> Arguments:
    words, mix, out = draw.normal(V, H), draw.normal(H, H), draw.normal(H, V)

    def step(token: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        state = torch.tanh(words[token] + state @ mix)
        return state @ out, state

    return {"step": step, "state": draw.normal(B, H), "bos_id": 0, "eos_id": V - 1, "max_length": T}


class _Script:
    """A step whose answers are written down: row b wants script[b, t] at time t. Logs what it is given.

    The state is (time (B, 1), row (B, 1)), floats, as a model's state would be.
    """

    def __init__(self, script: Tensor, draw: Draw):
        self.script = script
        self.noise = draw.uniform(*script.shape, NUM_TOKENS)
        self.fed: list[Tensor] = []
        self.times: list[Tensor] = []

    def start(self) -> tuple[Tensor, Tensor]:
        batch = len(self.script)
        return torch.zeros(batch, 1), torch.arange(batch, dtype=torch.float32).unsqueeze(1)

    def __call__(self, token: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        time, row = state
        self.fed.append(token)
        self.times.append(time[:, 0])
        t, b = time[:, 0].long().clamp(max=self.script.shape[1] - 1), row[:, 0].long()
        # Wanted beats noise by at least 1; the logits are negative, so that their size says nothing.
        logits = self.noise[b, t] + 2 * torch.nn.functional.one_hot(self.script[b, t], NUM_TOKENS) - 5
        return logits, (time + 1, row)


def _ids(draw: Draw) -> tuple[int, int]:
    """A begin and an end token, neither one of the ids that somebody might have written down. The end token is even:
    the lowest bit of an odd one is that of True, and goes well with `|`."""
    return 3 + 2 * int(draw.integers(0, 3)), 4 + 2 * int(draw.integers(0, 2))


def _script(draw: Draw, end: int, lengths: list[int], length: int) -> Tensor:
    """Any words but `end`, then `end` at lengths[b] - 1, and behind it other words that must never be written."""
    script = draw.integers(0, NUM_TOKENS - 1, len(lengths), length)
    script = script + (script >= end)
    for row, stop in zip(script, lengths, strict=True):
        if stop <= length:
            row[stop - 1] = end
    return script


@greedy_decode.case("three rows that never end, five tokens at most")
def _(student: Student, draw: Draw) -> Values:
    begin, end = _ids(draw)
    step = _Script(_script(draw, end, [9, 9, 9], 8), draw)
    return {"tokens": student.greedy_decode(step, step.start(), begin, end, 5)}


def _frozen(seen: Values, reference: Values) -> str | None:
    tokens, right, end = seen["tokens"], reference["tokens"], reference["end"]
    if tokens.ndim != 2:
        return None
    if tokens.shape[1] > right.shape[1]:
        return f"{tokens.shape[1]} tokens a row came back: more than the longest one needs, its end token included."
    if tokens.shape == right.shape:
        ended = (right == end).cumsum(dim=1) > 1  # behind the end token
        if not torch.equal(tokens.masked_fill(ended, end), right):
            return None
        behind = tokens[ended]
        if len(behind.unique()) == 1:
            return f"After the end token, rows that have ended hold {int(behind[0])}; the end token is {end}."
        rows = int((ended & (tokens != end)).any(dim=1).sum())
        return f"{rows} of {len(tokens)} rows hold other words after their end token."
    return None


@greedy_decode.case("rows that end at different times stay ended", weight=2, explain=_frozen)
def _(student: Student, draw: Draw) -> Values:
    begin, end = _ids(draw)
    step = _Script(_script(draw, end, [3, 5, 2, 6], 9), draw)
    return {"tokens": student.greedy_decode(step, step.start(), begin, end, 9), "_end": end}


@greedy_decode.case("every row ends at once: one token comes back", weight=0.5)
def _(student: Student, draw: Draw) -> Values:
    begin, end = _ids(draw)
    step = _Script(_script(draw, end, [1, 1, 1], 4), draw)
    return {"tokens": student.greedy_decode(step, step.start(), begin, end, 4)}


@greedy_decode.case("the begin token and the end token have one id", weight=0.5)
def _(student: Student, draw: Draw) -> Values:
    _, both = _ids(draw)
    step = _Script(_script(draw, both, [2, 4, 3], 6), draw)
    return {"tokens": student.greedy_decode(step, step.start(), both, both, 6)}


def _fed(seen: Values, reference: Values) -> str | None:
    if seen["shapes"] != reference["shapes"]:
        return (
            f"`step` was fed tokens in the shapes {seen['shapes']}: each call is fed all B rows, {reference['shapes']}."
        )
    if not torch.equal(seen["first"], reference["first"]):
        return f"The first token fed in is {int(seen['first'][0])}, and that is not the begin token."
    if ((seen["fed"] == -1) & (reference["fed"] != -1)).any():
        steps, longest = (int((fed != -1).any(dim=0).sum()) for fed in (seen["fed"], reference["fed"]))
        return f"`step` was called {steps} times; the longest row needs {longest} tokens."
    return "From the second step on, what is fed in should be the token just written."


@greedy_decode.case("what is fed in: the begin token, then what was written", explain=_fed)
def _(student: Student, draw: Draw) -> Values:
    lengths = [4, 7, 6]
    begin, end = _ids(draw)
    step = _Script(_script(draw, end, lengths, 7), draw)
    student.greedy_decode(step, step.start(), begin, end, 7)
    fed = torch.full((3, 7), -1)
    for t, tokens in enumerate(step.fed[:7]):
        fed[:, t] = tokens if tokens.shape == (3,) else -1
    shapes = ", ".join(sorted({str(tuple(tokens.shape)) for tokens in step.fed[:7]}))
    # What a row that has ended is fed does not matter and is not looked at.
    ended = torch.arange(7) >= torch.tensor(lengths).unsqueeze(1)
    return {"shapes": shapes, "first": fed[:, 0], "fed": fed.masked_fill(ended, -1)}


@greedy_decode.case("the state is handed from step to step")
def _(student: Student, draw: Draw) -> Values:
    begin, end = _ids(draw)
    step = _Script(_script(draw, end, [9, 9], 8), draw)
    student.greedy_decode(step, step.start(), begin, end, 4)
    return {"time": torch.stack(step.times[:4], dim=1)}


@greedy_decode.case("a model whose next word depends on the last, one tensor as state")
def _(student: Student, draw: Draw) -> Values:
    words, mix, out = draw.normal(NUM_TOKENS, 5), draw.normal(5, 5), draw.normal(5, NUM_TOKENS)

    def step(token: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        state = torch.tanh(words[token] + state @ mix)
        return state @ out, state

    first, (begin, _) = draw.normal(6, 5), _ids(draw)
    logits, state = step(torch.full((6,), begin), first)
    end = int(step(logits.argmax(dim=1), state)[0][0].argmax())  # so that one row at least ends early
    return {"tokens": student.greedy_decode(step, first, begin, end, 7)}


@greedy_decode.case("one token at most is written; none at most is a ValueError", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> Values:
    begin, end = _ids(draw)
    step = _Script(_script(draw, end, [9, 9], 8), draw)
    return {
        "tokens, one at most": student.greedy_decode(step, step.start(), begin, end, 1),
        "none at most": student.error_of("greedy_decode", step, step.start(), begin, end, 0),
        "fewer than none": student.error_of("greedy_decode", step, step.start(), begin, end, -1),
    }


# ---- 1.8 reverse_source ---------------------------------------------------------------------------------------------

reverse_source = Check("reverse_source", components=("reverse_source",))


@reverse_source.takes("reverse_source", B=4, S=SOURCE)
def _(draw: Draw, B: int, S: int) -> Arguments:
    return {"source": draw.integers(0, 20, B, S), "lengths": draw.lengths(B, max(1, S - 1))}


def _padding_first(seen: Values, reference: Values) -> str | None:
    wrong = (seen["reversed"] != reference["reversed"]).any(dim=1)
    full = "wrong too" if wrong[reference["full"]].any() else "right"
    return f"{int(wrong.sum())} of {len(wrong)} rows are wrong; the rows of full length are {full}."


@reverse_source.case("rows of different lengths, padding at the right", weight=3, explain=_padding_first)
def _(student: Student, draw: Draw) -> Values:
    source, lengths = _source(draw)
    return {"reversed": student.reverse_source(source, lengths), "_full": lengths == SOURCE}


@reverse_source.case("a batch with no row of full length")
def _(student: Student, draw: Draw) -> Values:
    source, lengths = _source(draw)
    return {"reversed": student.reverse_source(torch.nn.functional.pad(source, (0, 2)), lengths)}


@reverse_source.case("what stands in the padding stays there", weight=0.5)
def _(student: Student, draw: Draw) -> Values:
    _, lengths = _source(draw)
    return {"reversed": student.reverse_source(draw.integers(1, 20, 5, SOURCE), lengths)}


# ---- 1.7 gradient_reach ---------------------------------------------------------------------------------------------

gradient_reach = Check("gradient_reach", components=("gradient_reach",))


@gradient_reach.takes(
    "gradient_reach",
    B=BATCH,
    S=6,
    I=INPUT,
    H=HIDDEN,
    excused={
        "gradients": "it measures gradients, and nothing is promised of gradients of these",
        "float64": "the network that is measured is made in float32",
    },
)
def _(draw: Draw, B: int, S: int, I: int, H: int) -> Arguments:  # noqa: E741
    return {"network": Fixture("recurrent_network", ("GRU", I, H)), "inputs": draw.normal(B, S, I)}


def _network(student: Student, draw: Draw, kind: str) -> Module:
    made = student.fixture("recurrent_network", kind, INPUT, HIDDEN)
    made.load(draw.state(made))
    return made


@gradient_reach.case("a GRU's reach over seven inputs", weight=2)
def _(student: Student, draw: Draw) -> Values:
    return {"reach": student.gradient_reach(_network(student, draw, "GRU"), draw.normal(BATCH, 7, INPUT))}


@gradient_reach.case("an LSTM, whose state comes in two")
def _(student: Student, draw: Draw) -> Values:
    return {"reach": student.gradient_reach(_network(student, draw, "LSTM"), draw.normal(BATCH, 7, INPUT))}


@gradient_reach.case("a network that returns its outputs alone")
def _(student: Student, draw: Draw) -> Values:
    network = _network(student, draw, "outputs alone")
    return {"reach": student.gradient_reach(network, draw.normal(BATCH, 6, INPUT))}


@gradient_reach.case("little is left: a billionth and less", weight=0.5, atol=1e-14)
def _(student: Student, draw: Draw) -> Values:
    network = student.fixture("recurrent_network", "GRU", INPUT, HIDDEN)
    network.load({name: 1e-8 * value for name, value in draw.state(network).items()})
    return {"reach": student.gradient_reach(network, draw.normal(BATCH, 6, INPUT))}


_FROZEN = "parameters that train, of a frozen network"


def _left(seen: Values, reference: Values) -> str | None:
    """What was not left as it was, of a module's condition before and after."""
    if seen.get(_FROZEN) != reference.get(_FROZEN):
        return f"{seen[_FROZEN]} parameters of a network that was frozen can be trained after the call."
    if seen["condition.trainable"] != reference["condition.trainable"]:
        few = "fewer" if seen["condition.trainable"] < reference["condition.trainable"] else "more"
        return f"{seen['condition.trainable']} parameters can be trained after the call, {few} than before it."
    if seen["condition.training"] != reference["condition.training"]:
        return "The model was in training mode before the call and is in evaluation mode after it."
    if not torch.allclose(seen["condition.gradients"], reference["condition.gradients"]):
        return "The gradients that stood on the model's parameters before the call are no longer the same after it."
    return None


@gradient_reach.case(
    "the network is left as it was, gradients on it included", weight=0.5, contract=True, explain=_left
)
def _(student: Student, draw: Draw) -> Values:
    network = student.fixture("stale_gradients", _network(student, draw, "GRU").train(), 7.0)
    frozen = _network(student, draw, "LSTM")
    frozen.before("requires_grad_", False)
    student.gradient_reach(frozen, draw.normal(2, 4, INPUT))
    thawed = frozen.method("condition")["trainable"]
    student.gradient_reach(network, draw.normal(2, 4, INPUT))
    return {"condition": network.method("condition"), _FROZEN: thawed}


@gradient_reach.case("the caller's inputs are left as they were", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> Values:
    network = _network(student, draw, "GRU")
    inputs = student.fixture("kept", draw.normal(2, 4, INPUT))  # the very tensor, not a copy, goes in
    student.gradient_reach(network, inputs)
    return {"requires_grad": network.method("requires_grad_of", inputs)}


# ---- 1.6 fit_the_vector ---------------------------------------------------------------------------------------------

fit_the_vector = Check("fit_the_vector", components=("fit_the_vector",))


@fit_the_vector.takes(
    "fit_the_vector",
    B=4,
    T=TARGET,
    H=Axis(WIDTH, long=0),
    V=Axis(TARGET_VOCABULARY, least=2, long=0),
    N=Axis(3, long=12),
    excused={
        "gradients": "it is a search, and nothing is promised of a graph behind what it finds",
        "float64": "the model that writes is made in float32",
    },
)
def _(draw: Draw, B: int, T: int, H: int, V: int, N: int) -> Arguments:
    lengths = draw.lengths(B, T)
    return {
        "model": Fixture("vector_decoder", (V, H)),
        "targets": draw.integers(1, V, B, T).masked_fill(torch.arange(T) >= lengths.unsqueeze(1), 0),
        "vector": draw.normal(B, H),
        "pad_id": 0,
        "steps": N,
        "learning_rate": 0.01,  # Adam's first steps are of this size wherever the gradient is but noise
    }


def _fitting(student: Student, draw: Draw) -> tuple[Module, Tensor, Tensor, int]:
    """A small trained-looking decoder, targets with padding, a vector to start from, and the padding's id: never 0,
    which somebody might have written down."""
    model = student.fixture("vector_decoder", TARGET_VOCABULARY, WIDTH)
    model.load(draw.state(model, scale=1.0))
    pad_id = int(draw.integers(1, TARGET_VOCABULARY, 1))
    targets = draw.integers(0, TARGET_VOCABULARY - 1, 4, TARGET)
    targets = targets + (targets >= pad_id)  # any id but pad_id
    targets = targets.masked_fill(torch.arange(TARGET) >= draw.lengths(4, TARGET).unsqueeze(1), pad_id)
    return model, targets, draw.normal(4, WIDTH), pad_id


# Adam's first steps are near sign(gradient): where a gradient is all but zero, another order of sums shows. Hence atol.
@fit_the_vector.case("the losses of eight steps", weight=3, atol=1e-3)
def _(student: Student, draw: Draw) -> Values:
    _, losses = student.fit_the_vector(*_fitting(student, draw), 8, 0.1)
    return {"losses": losses}


@fit_the_vector.case("a sentence that the vector gives already: as many steps all the same", weight=0.5, atol=1e-3)
def _(student: Student, draw: Draw) -> Values:
    model, targets, vector, _ = _fitting(student, draw)
    targets = torch.as_tensor(model.method("decode", vector, targets[:, :1])).argmax(dim=2)
    _, losses = student.fit_the_vector(model, targets, vector, TARGET_VOCABULARY, 4, 0.1)  # no token is padding
    return {"losses": losses}


@fit_the_vector.case("the fitted vector", atol=2e-3)
def _(student: Student, draw: Draw) -> Values:
    model, targets, vector, pad_id = _fitting(student, draw)
    vector, _ = student.fit_the_vector(model, targets, student.fixture("encoded", vector), pad_id, 5, 0.2)
    return {"vector": vector}


@fit_the_vector.case(
    "the model can be trained on: mode, gradients, parameters", weight=0.5, contract=True, explain=_left
)
def _(student: Student, draw: Draw) -> Values:
    model, targets, vector, pad_id = _fitting(student, draw)
    model = student.fixture("stale_gradients", model.train(), 7.0)
    student.fit_the_vector(model, targets, vector, pad_id, 3, 0.1)
    return {"condition": model.method("condition")}
