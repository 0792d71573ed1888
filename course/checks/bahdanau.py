"""Checks of chapter 02: what is looked at in each exercise, case by case.

A case draws inputs, calls the student's code and returns what it saw; the engine compares. Safe to change: titles,
explanations. After any other change the tables are recorded afresh (`make refresh`).
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course.checks.common import drawn, explain_decoder, refusals
from course.checks.engine import Check, Draw
from course.checks.engine.declare import Arguments, Axis, Fixture, far_below_zero, shifted
from course.protocol.student import Module, Student

# ---- context_by_hand ------------------------------------------------------------------------------------------------

context_by_hand = Check("context_by_hand", components=("context_by_hand",))
_BY_HAND = "Worked out with Python's own numbers it is right too: nothing learns through it, and the text says so."


def _from_end_to_end(low: float, high: float) -> Callable[[Arguments], Arguments]:
    """An extreme: scores that go from one end of what they may be to the other, the first and the last at the ends."""
    return lambda given: given | {"scores": torch.linspace(low, high, len(given["scores"]))}


@context_by_hand.takes(
    "context_by_hand",
    S=5,
    D=3,
    extremes={"scores from -50 to 50": _from_end_to_end(-50, 50), "scores from 50 to -50": _from_end_to_end(50, -50)},
    excused=dict.fromkeys(("gradients", "float64", "device"), _BY_HAND),
)
def _(draw: Draw, S: int, D: int) -> Arguments:
    return {"scores": draw.normal(S), "states": draw.normal(S, D)}


@context_by_hand.case("five states of width three, each with its own weight")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"context": student.context_by_hand(draw.normal(5), draw.normal(5, 3))}


@context_by_hand.case("equal scores, far from zero: the plain mean of the states")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    high, low = (student.context_by_hand(torch.full((6,), score), draw.normal(6, 2)) for score in (3.0, -40.0))
    return {"context": high, "context under scores of -40": low}


@context_by_hand.case("the context is a float32 tensor", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"context": str(student.context_by_hand(draw.normal(4), draw.normal(4, 3)).dtype)}


@context_by_hand.case("one score far above the rest: that state alone")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    scores = torch.where(torch.arange(5) == int(draw.integers(0, 5, 1)), 50.0, -2.0)
    return {"context": student.context_by_hand(scores, draw.normal(5, 3))}


# ---- masked_softmax -------------------------------------------------------------------------------------------------

masked_softmax = Check("masked_softmax", components=("masked_softmax",))


def _in_forbidden_scores(given: Arguments, fill: float) -> Arguments:
    return given | {"scores": given["scores"].masked_fill(~given["mask"], fill)}


@masked_softmax.takes(
    "masked_softmax",
    B=2,
    T=3,
    S=5,
    optional="mask",
    spread="mask",
    extremes={
        "scores near 100,000": shifted("scores", 99_990),
        "scores near -100,000": shifted("scores", -100_000),  # where no number but minus infinity hides a key
    },
    garbage=_in_forbidden_scores,
)
def _(draw: Draw, B: int, T: int, S: int) -> Arguments:
    return {"scores": draw.normal(B, T, S), "mask": draw.mask(B, T, S)}


def _explain_weights(weights: Tensor, right: Tensor) -> str:
    """What is wrong with weights of the right shape, in the order in which a learner would look."""
    bad = int((~torch.isfinite(weights)).sum())
    if bad:
        return f"{bad} of the {weights.numel()} weights {'is' if bad == 1 else 'are'} NaN or infinite."
    if weights.min() < -1e-6:
        return f"A weight is negative: {weights.min():.2f}."
    forbidden = weights[right == 0]  # by the mask, or by a score far below the others
    sums = weights.sum(-1)
    if len(forbidden) and forbidden.max() > 1e-6:
        return f"A key whose weight should be 0 gets {forbidden.max():.2f}."
    if not torch.allclose(sums, right.sum(-1), atol=1e-4):
        far = sums.flatten()[(sums - right.sum(-1)).abs().argmax()]
        return f"A row sums to {'nearly 1' if abs(far - 1) < 0.01 else f'{far:.2f}'}, not to 1 over the allowed keys."
    return "Forbidden keys get zero and the rows sum to 1, but the weights are not in proportion to exp(score)."


def _explain_masked(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    """The first of the observed weights and gradients that is not right, and what is wrong with it."""
    for name, right in expected.items():
        seen = observed.get(name)
        if not isinstance(seen, Tensor) or seen.shape != right.shape or not seen.is_floating_point():
            return None
        if torch.allclose(seen, right, atol=1e-5, rtol=1e-4):
            continue
        if name != "gradient":
            said = _explain_weights(seen, right)
            return said if name == "weights" else f"{name[:1].upper()}{name[1:]}: {said[:1].lower()}{said[1:]}"
        bad = int((~torch.isfinite(seen)).sum())
        what = f"in it {bad} of the {seen.numel()} numbers are NaN or infinite" if bad else "its values are off"
        return f"The gradient of the scores is not right: {what}."
    return None


@masked_softmax.case("the weights are a softmax over the allowed keys alone", weight=2, explain=_explain_masked)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"weights": student.masked_softmax(draw.normal(2, 3, 5), draw.mask(2, 3, 5))}


@masked_softmax.case("any shape: (S,), (B, S), and a mask (B, 1, S) that broadcasts", explain=_explain_masked)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {
        "weights": student.masked_softmax(draw.normal(2, 3, 5), draw.mask(2, 1, 5)),
        "weights (S,)": student.masked_softmax(draw.normal(6), draw.mask(6)),
        "weights (B, S)": student.masked_softmax(draw.normal(4, 5), draw.mask(5)),
    }


@masked_softmax.case("without a mask, plain softmax", weight=0.5, explain=_explain_masked)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {
        "weights": student.masked_softmax(draw.normal(3, 4), None),
        "weights (B, T, S)": student.masked_softmax(draw.normal(2, 3, 4), None),
        "weights of scores in the thousands": student.masked_softmax(1e3 * draw.normal(3, 4).round(), None),
    }


@masked_softmax.case("a forbidden score of ten thousand, or of 1e10, changes nothing", explain=_explain_masked)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    scores, mask, cotangent = draw.normal(3, 5), draw.mask(3, 5), draw.normal(3, 5)
    beside = torch.where(mask, scores - 3, 1e10)
    return {
        "weights": student.masked_softmax(torch.where(mask, scores - 3, 1e4), mask),
        "weights beside 1e10": student.masked_softmax(beside, mask),
        "weights of scores in the thousands": student.masked_softmax(1e3 * scores.round(), mask),
        "gradient": student.grad("masked_softmax", beside, mask, cotangents=[cotangent])[0],
    }


@masked_softmax.case("allowed scores far below zero beside a forbidden 5", explain=_explain_masked)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    scores, mask = draw.normal(3, 5), draw.mask(3, 5)
    return {
        "weights": student.masked_softmax(torch.where(mask, scores - 30, 5.0), mask),
        "weights of scores near -130": student.masked_softmax(torch.where(mask, scores - 130, 5.0), mask),
    }


@masked_softmax.case("a row whose mask allows nothing: zero weights and a zero gradient", explain=_explain_masked)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    scores, mask, cotangent = draw.normal(3, 5), draw.mask(3, 5), draw.normal(3, 5)
    mask[1] = False
    rows = draw.mask(2, 3).unsqueeze(2)  # (B, T, 1): all keys of a query, or none
    unknown = scores.masked_fill(~mask, torch.nan)
    return {
        "weights": student.masked_softmax(scores, mask),
        "weights where NaN is forbidden": student.masked_softmax(unknown, mask),
        "weights under a mask (B, T, 1)": student.masked_softmax(draw.normal(2, 3, 5), rows),
        "weights under a mask (T, S)": student.masked_softmax(draw.normal(2, 3, 5), mask),
        "gradient": student.grad("masked_softmax", scores, mask, cotangents=[cotangent])[0],
    }


@masked_softmax.case("a mask that is not boolean, or does not fit, raises ValueError", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    scores = draw.normal(3, 5)
    weights = student.masked_softmax(scores, draw.mask(3, 5))  # first, so that raising always proves nothing
    return {
        "the weights' shape where it fits": str(tuple(weights.shape)),
        "a mask of numbers": student.error_of("masked_softmax", scores, draw.mask(3, 5).float()),
        "a mask for four keys": student.error_of("masked_softmax", scores, draw.mask(3, 4)),
        "a mask with an axis more": student.error_of("masked_softmax", scores, draw.mask(2, 3, 5)),
    }


# ---- the three score functions --------------------------------------------------------------------------------------


def _output_and_weights(result: Any) -> dict[str, Any]:
    output, weights = result
    return {"output": output, "weights": weights}


def _explain_attention(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    """Says whether the weights are wrong, and how, or only what is made of them."""
    weights, right = observed["weights"], expected["weights"]
    if not isinstance(weights, Tensor) or weights.shape != right.shape or not weights.is_floating_point():
        return None
    if not torch.allclose(weights, right, atol=1e-4):
        said = _explain_weights(weights, right)
        if said.startswith("Forbidden") and bool(((weights == 0) & (right > 1e-4)).any()):
            return "A key that may be looked at gets no weight at all, as if a mask forbade it."
        if said.startswith("Forbidden"):
            return "The weights sum to 1 where they should, but they come from other scores."
        return said
    output, wanted = observed["output"], expected["output"]
    if not isinstance(output, Tensor) or output.shape != wanted.shape:
        return None
    return "The weights are right; the output that is made of them is not."


def _misfits(student: Student, draw: Draw, module: Module, d_query: int, d_key: int) -> dict[str, str]:
    """The errors for shapes that do not fit; a call that fits goes first, so that raising always proves nothing."""
    query, keys, values = draw.normal(3, d_query), draw.normal(3, 6, d_key), draw.normal(3, 6, 2)
    output, _ = module(query, keys, values)
    misfits = {
        "one query for three sentences": (query[:1], keys, values, None),
        "fewer values than keys": (query, keys, values[:, :5], None),
        "a mask for other keys": (query, keys, values, draw.mask(3, 5)),
        "a query one number too wide": (draw.normal(3, d_query + 1), keys, values, None),
        "a query of a single number": (query[:, :1], keys, values, None),
    }
    return {"the output's shape where they fit": str(tuple(output.shape)), **refusals(module, misfits)}


additive_attention = Check("additive_attention", components=("AdditiveAttention",))


def _in_padding(given: Arguments, fill: float) -> Arguments:
    """Another number wherever the mask forbids a position: none that is NaN when it is multiplied by a weight of 0."""
    padding = ~given["mask"].unsqueeze(2)
    return given | {name: given[name].masked_fill(padding, fill) for name in ("keys", "values")}


def _mask(draw: Draw, B: int, S: int) -> Tensor:
    """A mask, of which the second row, if there is one, allows nothing: no gradient is NaN for that."""
    mask = draw.mask(B, S)
    mask[1:2] = False
    return mask


@additive_attention.takes(
    "AdditiveAttention",
    B=3,
    S=6,
    Q=5,
    K=7,
    V=2,
    H=4,
    new=lambda B, S, Q, K, V, H: (Q, K, H),
    same="keys values",
    optional="mask",
    garbage=_in_padding,
    fills=(3e38,),
)
def _(draw: Draw, B: int, S: int, Q: int, K: int, V: int, H: int) -> Arguments:
    query, keys, values = draw.normal(B, Q), draw.normal(B, S, K), draw.normal(B, S, V)
    return {"query": query, "keys": keys, "values": values, "mask": _mask(draw, B, S)}


@additive_attention.case(
    "without a mask: B, S, d_q, d_k, d_v and d_hidden all different", weight=2, explain=_explain_attention
)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    attention, keys = drawn(student, draw, "AdditiveAttention", 5, 7, 4), draw.normal(3, 6, 7)
    keys[0, 2] = 0.0  # a key like any other
    return _output_and_weights(attention(draw.normal(3, 5), keys, draw.normal(3, 6, 2)))


@additive_attention.case("large states: the tanh holds the scores back", explain=_explain_attention)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    attention = drawn(student, draw, "AdditiveAttention", 5, 7, 4)
    return _output_and_weights(attention(3 * draw.normal(3, 5), 3 * draw.normal(3, 6, 7), draw.normal(3, 6, 2)))


@additive_attention.case("with a mask: padding gets nothing", explain=_explain_attention)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    attention = drawn(student, draw, "AdditiveAttention", 5, 7, 4)
    return _output_and_weights(
        attention(draw.normal(3, 5), draw.normal(3, 6, 7), draw.normal(3, 6, 2), draw.mask(3, 6))
    )


@additive_attention.case("a sentence with nothing to attend to: zeros", weight=0.5, explain=_explain_attention)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    attention, mask = drawn(student, draw, "AdditiveAttention", 5, 7, 4), draw.mask(3, 6)
    mask[2] = False
    return _output_and_weights(attention(draw.normal(3, 5), draw.normal(3, 6, 7), draw.normal(3, 6, 2), mask))


@additive_attention.case("shapes that do not fit raise ValueError", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _misfits(student, draw, drawn(student, draw, "AdditiveAttention", 5, 7, 4), 5, 7)


multiplicative_attention = Check("multiplicative_attention", components=("DotProductAttention", "BilinearAttention"))


@multiplicative_attention.takes(
    "DotProductAttention",
    B=3,
    S=6,
    D=4,
    V=5,
    new=lambda B, S, D, V: (),
    same="keys values",
    optional="mask",
    extremes={"scores far below zero": far_below_zero("query", "keys")},
    garbage=_in_padding,
    fills=(3e38,),
)
def _(draw: Draw, B: int, S: int, D: int, V: int) -> Arguments:
    query, keys, values = draw.normal(B, D), draw.normal(B, S, D), draw.normal(B, S, V)
    return {"query": query, "keys": keys, "values": values, "mask": _mask(draw, B, S)}


@multiplicative_attention.takes(
    "BilinearAttention",
    B=3,
    S=6,
    Q=4,
    K=7,
    V=5,
    new=lambda B, S, Q, K, V: (Q, K),
    same="keys values",
    optional="mask",
    extremes={"scores far below zero": far_below_zero("query", "keys", 1e6, learned=True)},
    garbage=_in_padding,
    fills=(3e38,),
)
def _(draw: Draw, B: int, S: int, Q: int, K: int, V: int) -> Arguments:
    query, keys, values = draw.normal(B, Q), draw.normal(B, S, K), draw.normal(B, S, V)
    return {"query": query, "keys": keys, "values": values, "mask": _mask(draw, B, S)}


@multiplicative_attention.case("dot product, without a mask", weight=2, explain=_explain_attention)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _output_and_weights(
        student.DotProductAttention()(draw.normal(3, 4), draw.normal(3, 6, 4), draw.normal(3, 6, 5))
    )


@multiplicative_attention.case("dot product, with a mask and a sentence without keys", explain=_explain_attention)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    mask = draw.mask(3, 6)
    mask[0] = False
    return _output_and_weights(
        student.DotProductAttention()(draw.normal(3, 4), draw.normal(3, 6, 4), draw.normal(3, 6, 5), mask)
    )


@multiplicative_attention.case(
    "bilinear, without a mask: a query narrower than the keys", weight=2, explain=_explain_attention
)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    attention = drawn(student, draw, "BilinearAttention", 4, 7)
    return _output_and_weights(attention(draw.normal(3, 4), draw.normal(3, 6, 7), draw.normal(3, 6, 5)))


@multiplicative_attention.case("bilinear, with a mask and a sentence without keys", explain=_explain_attention)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    attention, mask = drawn(student, draw, "BilinearAttention", 4, 7), draw.mask(3, 6)
    mask[1] = False
    return _output_and_weights(attention(draw.normal(3, 4), draw.normal(3, 6, 7), draw.normal(3, 6, 5), mask))


@multiplicative_attention.case("shapes that do not fit raise ValueError", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {
        "dot product": _misfits(student, draw, student.DotProductAttention(), 4, 4),
        "bilinear": _misfits(student, draw, drawn(student, draw, "BilinearAttention", 4, 7), 4, 7),
    }


# ---- attention_decoder ----------------------------------------------------------------------------------------------

attention_decoder = Check("attention_decoder", components=("AttentionDecoder",))

# B sentences of S positions, T tokens out of V; keys and values of unlike width, so that neither passes for the other
_B, _S, _T, _V, _E, _H, _D_KEY, _D_VALUE = 3, 5, 4, 9, 2, 6, 7, 8


@attention_decoder.takes(
    "AttentionDecoder",
    B=3,
    S=5,
    T=4,
    V=Axis(9, least=2),
    E=2,
    H=6,
    K=7,
    D=8,
    new=lambda B, S, T, V, E, H, K, D: (V, E, H, 0, D, Fixture("NearnessAttention", load=False)),
    same="keys values",
    optional="mask",
    garbage=_in_padding,
    fills=(3e38,),
)
def _(draw: Draw, B: int, S: int, T: int, V: int, E: int, H: int, K: int, D: int) -> Arguments:
    memory = {"hidden": draw.normal(B, H), "keys": draw.normal(B, S, K), "values": draw.normal(B, S, D)}
    return {"tokens": draw.integers(1, V, B, T)} | memory | {"mask": draw.mask(B, S)}


@attention_decoder.takes(
    "AttentionDecoder",
    B=3,
    S=5,
    H=6,
    K=7,
    D=8,
    new=lambda B, S, H, K, D: (_V, _E, H, 0, D, Fixture("NearnessAttention", load=False)),
    method="step",
    excused={"gradients": "nothing is trained by way of single steps"},
)
def _(draw: Draw, B: int, S: int, H: int, K: int, D: int) -> Arguments:
    state = draw.normal(B, H), draw.normal(B, S, K), draw.normal(B, S, D), draw.mask(B, S)
    return {"token": draw.integers(1, _V, B), "state": state}


def _decoder(student: Student, draw: Draw) -> Module:
    """The student's decoder round a public attention that is like none of the exercises'."""
    decoder = student.AttentionDecoder(_V, _E, _H, 0, _D_VALUE, student.fixture("NearnessAttention"))
    decoder.load(draw.state(decoder))
    return decoder.eval()


def _memory(draw: Draw) -> tuple[Tensor, Tensor, Tensor]:
    return draw.normal(_B, _H), draw.normal(_B, _S, _D_KEY), draw.normal(_B, _S, _D_VALUE)


def _written(result: Any) -> dict[str, Any]:
    logits, weights = result
    return {"logits": logits, "weights": weights}


@attention_decoder.case("one step: the hidden state that was given asks", weight=2, explain=explain_decoder)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    hidden, keys, values = _memory(draw)
    keys[:, 1] = 0  # without a mask that is a key like any other
    return _written(_decoder(student, draw)(draw.integers(1, _V, _B, 1), hidden, keys, values))


@attention_decoder.case(
    "four steps: each asks afresh, with the state of the step before", weight=2, explain=explain_decoder
)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    tokens = draw.integers(1, _V, _B, _T)
    tokens[:, 1] = 0  # padding is a token like any other here
    return _written(_decoder(student, draw)(tokens, *_memory(draw)))


@attention_decoder.case("the mask reaches the attention at every step", explain=explain_decoder)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    decoder = _decoder(student, draw)
    return _written(decoder(draw.integers(1, _V, _B, _T), *_memory(draw), draw.mask(_B, _S)))


@attention_decoder.case("token by token, `step` gives what `forward` gives", weight=2)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    decoder, tokens = _decoder(student, draw), draw.integers(1, _V, _B, _T)
    state: Any = (*_memory(draw), draw.mask(_B, _S))
    columns = []
    for token in tokens.unbind(1):
        logits, state = decoder.method("step", token, state)
        columns.append(logits)
    hidden, keys, values, mask = state
    return {"logits": torch.stack(columns, 1), "hidden": hidden, "keys": keys, "values": values, "mask": mask}


@attention_decoder.case("`step` of a single sentence, without a mask", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    hidden, keys, values = (x[:1] for x in _memory(draw))
    keys[:, 1] = 0
    logits, state = _decoder(student, draw).method("step", draw.integers(1, _V, 1), (hidden, keys, values, None))
    return {"logits": logits, "hidden": state[0], "the mask that comes back": state[3]}


# ---- alignment_accuracy ---------------------------------------------------------------------------------------------

alignment_accuracy = Check("alignment_accuracy", components=("alignment_accuracy",))


@alignment_accuracy.takes(
    "alignment_accuracy", B=2, T=6, S=4, excused={"gradients": "A share of hits is a number, and has no gradient."}
)
def _(draw: Draw, B: int, T: int, S: int) -> Arguments:
    weights = torch.softmax(2 * draw.normal(B, T, S), dim=2)
    alignment = torch.where(draw.uniform(B, T) < 0.5, weights.argmax(dim=2), draw.integers(0, S, B, T))
    return {"weights": weights, "alignment": alignment.masked_fill(~draw.mask(B, T), -1)}


def _looks(draw: Draw, B: int, T: int, S: int) -> tuple[Tensor, Tensor]:
    """Weights (B, T, S), and an alignment that their argmax meets about half the time."""
    weights = torch.softmax(2 * draw.normal(B, T, S), dim=2)
    hit = draw.uniform(B, T) < 0.5
    hit[0, 0], hit[0, 1] = True, False
    miss = (weights.argmax(dim=2) + draw.integers(1, S, B, T)) % S
    return weights, torch.where(hit, weights.argmax(dim=2), miss)


@alignment_accuracy.case("every token has a counterpart")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    weights, alignment = _looks(draw, 3, 7, 5)
    # The largest are where they were, and none of them above one half: whoever asks for that finds no hit at all.
    share = student.alignment_accuracy(0.3 * weights + 0.7 / 5, alignment)
    level = student.alignment_accuracy(1e-7 * weights.double() + (1 - 1e-7) / 5, alignment)
    return {"share": share, "share where weights differ by little": level}


@alignment_accuracy.case("tokens without a counterpart count nowhere", weight=2)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    weights, alignment = _looks(draw, 3, 7, 5)
    return {"share": student.alignment_accuracy(weights, alignment.masked_fill(~draw.mask(3, 7), -1))}


@alignment_accuracy.case("sentences of unlike length: padding counts nowhere")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    weights, alignment = _looks(draw, 4, 6, 5)
    padding = torch.arange(6) >= torch.tensor([6, 2, 4, 1]).unsqueeze(1)
    return {"share": student.alignment_accuracy(weights, alignment.masked_fill(padding, -1))}


@alignment_accuracy.case("the first source word is a place like any other")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    weights, alignment = _looks(draw, 2, 6, 4)
    alignment[:, ::2] = 0
    alignment[1, 3] = -1
    return {"share": student.alignment_accuracy(weights, alignment)}


@alignment_accuracy.case("nothing to measure, or another shape, raises ValueError", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    weights, alignment = _looks(draw, 2, 6, 4)
    return {
        "the share where there is one": student.alignment_accuracy(weights, alignment),
        "no counterpart anywhere": student.error_of("alignment_accuracy", weights, torch.full((2, 6), -1)),
        "an alignment of another length": student.error_of("alignment_accuracy", weights, alignment[:, :5]),
        "an alignment (T, B)": student.error_of("alignment_accuracy", weights, alignment.T),
        "one sentence's alignment for two": student.error_of("alignment_accuracy", weights, alignment[:1]),
        "an alignment of three axes": student.error_of("alignment_accuracy", weights, alignment.unsqueeze(2)),
    }


# ---- fix_the_sorted_batch -------------------------------------------------------------------------------------------

fix_the_sorted_batch = Check("fix_the_sorted_batch", components=("encode_longest_first",))


@fix_the_sorted_batch.takes("encode_longest_first", B=5, S=6)
def _(draw: Draw, B: int, S: int) -> Arguments:
    return {
        "encoder": Fixture("SummingEncoder"),
        "source": draw.normal(B, S),
        "lengths": draw.lengths(B, max(1, S - 1)),
    }


def _encoder(calls: list[Tensor]):
    """An encoder that tells what it was given and whose outputs say which sentence they came from."""

    def encode(source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        calls.append(lengths.clone())
        outputs = source.unsqueeze(2) * torch.tensor([1.0, -0.5, 0.25])  # (B, S, 3)
        return outputs, outputs[:, :, :2].sum(dim=1) + lengths.unsqueeze(1)

    return encode


def _tangled(draw: Draw, lengths: Tensor) -> Tensor:
    """The lengths in an order whose sorting is not undone by doing it a second time, nor by turning the batch round."""
    while True:
        shuffled = lengths[draw.permutation(len(lengths))]
        order = shuffled.argsort(descending=True)
        if not any(torch.equal(order[other], torch.arange(len(order))) for other in (order, order.flip(0))):
            return shuffled


def _encoded(student: Student, draw: Draw, lengths: Tensor, wanted: tuple[str, ...]) -> dict[str, Any]:
    """What came back, and what the encoder was given: no answer passes that did not encode them longest first."""
    calls: list[Tensor] = []
    source = draw.integers(3, 99, len(lengths), int(lengths.max()))
    outputs, state = student.encode_longest_first(_encoder(calls), source, lengths)
    seen = {name: value for name, value in (("outputs", outputs), ("state", state)) if name in wanted}
    return seen | {
        "times the encoder ran": len(calls),
        "lengths it was given": calls[0],
    }


def _explain_rows(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    """Whose sentence stands where, for the first row that is another sentence's."""
    for name in ("outputs", "state"):
        given, right = observed.get(name), expected.get(name)
        if not isinstance(given, Tensor) or right is None or given.shape != right.shape:
            continue
        for row in range(len(right)):
            owners = [other for other in range(len(right)) if torch.allclose(given[row], right[other])]
            if row not in owners:
                whose = f"belongs to row {owners[0]}" if owners else "belongs to no row"
                return f"What stands in row {row} of `{name}` {whose}."
    return None


@fix_the_sorted_batch.case("every output comes back in its own row", weight=2, explain=_explain_rows)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _encoded(student, draw, _tangled(draw, torch.tensor([1, 2, 3, 5, 7])), ("outputs",))


@fix_the_sorted_batch.case("every state comes back in its own row", weight=2, explain=_explain_rows)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _encoded(student, draw, _tangled(draw, torch.tensor([1, 2, 3, 4, 6, 7])), ("state",))


@fix_the_sorted_batch.case("sentences of equal length among them", explain=_explain_rows)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _encoded(student, draw, _tangled(draw, torch.tensor([2, 6, 2, 4, 6, 3])), ("outputs", "state"))
