"""Checks of chapter 05: what is looked at in each exercise, case by case.

A case draws inputs, calls the student's code and returns what it saw; the engine compares. Safe to change: titles,
explanations. After any other change the tables are recorded afresh (`make refresh`).
"""

from typing import Any

import torch
from torch import Tensor

from course.checks.engine import Check, Draw
from course.checks.engine.declare import Arguments, Axis, Fixture, far_below_zero
from course.checks.engine.of_tests import CheckOfTest
from course.checks.variants.multi_head import RIGHT_SPLIT_HEADS, SPLIT_HEADS
from course.protocol.student import Module, Student, StudentError

# ---- split_heads ----------------------------------------------------------------------------------------------------

split_heads = Check("split_heads", components=("split_heads", "merge_heads"))


@split_heads.takes("split_heads", B=2, T=5, H=3, D_HEAD=4)
def _(draw: Draw, B: int, T: int, H: int, D_HEAD: int) -> Arguments:
    return {"x": draw.normal(B, T, H * D_HEAD), "num_heads": H}


@split_heads.takes("merge_heads", B=2, H=3, T=5, D_HEAD=4)
def _(draw: Draw, B: int, H: int, T: int, D_HEAD: int) -> Arguments:
    return {"x": draw.normal(B, H, T, D_HEAD)}


def _explain_heads(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    """Whether the numbers are all there in other places, or others."""
    for name, right in expected.items():
        seen = observed.get(name)
        if not isinstance(seen, Tensor) or seen.shape != right.shape or torch.equal(seen, right):
            continue
        if torch.equal(seen.flatten().sort().values, right.flatten().sort().values):
            stay = int((seen == right).sum())
            return (
                f"`{name}` has the right shape and the right numbers, but only {stay} of {right.numel()} are in place."
            )
        return f"`{name}` has the right shape, but numbers that do not belong there."
    return None


@split_heads.case("split: every head gets its block of features, of every position", weight=2, explain=_explain_heads)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"heads": student.split_heads(draw.normal(2, 5, 12), 3)}


@split_heads.case("merge: head 0 first, at every position", weight=2, explain=_explain_heads)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"merged": student.merge_heads(draw.normal(2, 3, 5, 4))}


@split_heads.case("there and back, one head and as many heads as features", explain=_explain_heads)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    x = draw.normal(2, 3, 6)
    seen = {f"{heads} heads": student.merge_heads(student.split_heads(x, heads)) for heads in (1, 2, 6)}
    return seen | {"one head": student.split_heads(x, 1), "six heads": student.split_heads(x, 6)}


@split_heads.case("heads that do not divide the width raise ValueError", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    x = draw.normal(2, 5, 12)
    return {
        "the shape where they do": str(tuple(student.split_heads(x, 3).shape)),
        "five heads of twelve features": student.error_of("split_heads", x, 5),
    }


# ---- test_split_heads -----------------------------------------------------------------------------------------------

test_split_heads = CheckOfTest(
    "test_split_heads",
    of="split_heads",
    variants=SPLIT_HEADS,
    right_forms=RIGHT_SPLIT_HEADS,
    sizes_in_tensors=False,  # it moves numbers about, whatever they are
)

test_split_heads.takes_nothing("it takes an implementation, and what it says of each of them is all that is looked at")

# ---- multi_head_attention -------------------------------------------------------------------------------------------

multi_head_attention = Check("multi_head_attention", components=("MultiHeadAttention",), blocked=("attention",))


@multi_head_attention.takes(
    "MultiHeadAttention",
    B=2,
    T=3,
    S=5,
    H=Axis(3, long=20),  # with more of them scores are so large that rounding shows
    D_HEAD=Axis(2, long=40),
    new=lambda B, T, S, H, D_HEAD: (H * D_HEAD, H),
    same="query key value",
    optional="mask",
    spread="mask",
    extremes={"scores far below zero": far_below_zero("query", "key", 1e6, learned=True)},
)
def _(draw: Draw, B: int, T: int, S: int, H: int, D_HEAD: int) -> Arguments:
    D = H * D_HEAD
    query, key, value = draw.normal(B, T, D), draw.normal(B, S, D), draw.normal(B, S, D)
    return {"query": query, "key": key, "value": value, "mask": draw.mask(B, T, S)}


def _attention(student: Student, draw: Draw, d_model: int, num_heads: int) -> Module:
    attention = student.shared("MultiHeadAttention", d_model, num_heads)
    attention.load(draw.state(attention))
    return attention


def _output_and_weights(result: Any) -> dict[str, Any]:
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        came = "one tensor" if isinstance(result, Tensor) else f"a {type(result).__name__}"
        raise ValueError(f"{came} came, and a pair, output and weights, is asked for")
    output, weights = result
    return {"output": output, "weights": weights}


def _explain_attention(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    """Says whether the weights are wrong, and how, or only what is made of them."""
    weights, right = observed.get("weights"), expected["weights"]
    if not isinstance(weights, Tensor) or weights.shape != right.shape or not weights.is_floating_point():
        return None
    if not torch.isfinite(weights).all():
        return f"{int((~torch.isfinite(weights)).sum())} of the {weights.numel()} weights are NaN or infinite."
    if not torch.allclose(weights, right, atol=1e-4):
        forbidden = weights[right == 0]
        if len(forbidden) and forbidden.max() > 1e-6:
            return f"A key whose weight should be 0 gets {forbidden.max():.2f}."
        if not torch.allclose(weights.sum(-1), right.sum(-1), atol=1e-3):
            return "The weights do not sum to one over the keys."
        sharper = weights.amax(-1).mean() > right.amax(-1).mean()
        return f"The rows sum to one, but the weights are too {'sharp' if sharper else 'flat'}, on average."
    output, wanted = observed.get("output"), expected.get("output")
    if not isinstance(output, Tensor) or not isinstance(wanted, Tensor) or output.shape != wanted.shape:
        return None
    return "The weights of all heads are right; the output that is made of them is not."


@multi_head_attention.case("self-attention with three heads", weight=2, explain=_explain_attention)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    attention, x = _attention(student, draw, 6, 3), draw.normal(1, 4, 6)
    return _output_and_weights(attention(x, x, x))


@multi_head_attention.case("cross-attention: key is not value, T is not S", weight=2, explain=_explain_attention)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    attention = _attention(student, draw, 8, 2)
    return _output_and_weights(attention(draw.normal(3, 3, 8), draw.normal(3, 5, 8), draw.normal(3, 5, 8)))


@multi_head_attention.case("a mask (B, T, S): another for each sentence and query", explain=_explain_attention)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    attention = _attention(student, draw, 6, 3)
    arguments = draw.normal(2, 4, 6), draw.normal(2, 5, 6), draw.normal(2, 5, 6)
    return _output_and_weights(attention(*arguments, draw.mask(2, 4, 5)))


@multi_head_attention.case("masks (B, 1, S), (T, S) and (1, T, S) that broadcast", explain=_explain_attention)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    attention = _attention(student, draw, 4, 2)
    arguments = draw.normal(2, 3, 4), draw.normal(2, 4, 4), draw.normal(2, 4, 4)
    padding, causal, one = (attention(*arguments, draw.mask(*shape)) for shape in ((2, 1, 4), (3, 4), (1, 3, 4)))
    return _output_and_weights(padding) | {"output (T, S)": causal[0], "output (1, T, S)": one[0]}


@multi_head_attention.case("a query that may look at nothing: zero weights", weight=0.5, explain=_explain_attention)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    attention, mask, x = _attention(student, draw, 4, 2), draw.mask(2, 6, 6), draw.normal(2, 6, 4)
    mask[1, 2] = False
    return _output_and_weights(attention(x, x, x, mask))


@multi_head_attention.case("heads that do not divide the width raise ValueError", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    x = draw.normal(2, 3, 6)
    seen = {"the output's shape where they do": str(tuple(_attention(student, draw, 6, 3)(x, x, x)[0].shape))}
    try:
        student.MultiHeadAttention(6, 4)(x, x, x)  # when it is made, or when it is first used: nobody says
    except StudentError as error:
        return seen | {"four heads of six features": error.type_name}
    return seen | {"four heads of six features": ""}


# ---- sinusoidal_encoding --------------------------------------------------------------------------------------------

sinusoidal_encoding = Check("sinusoidal_encoding", components=("sinusoidal_encoding",))


@sinusoidal_encoding.takes("sinusoidal_encoding", T=7, D=Axis(8, least=4))
def _(draw: Draw, T: int, D: int) -> Arguments:
    return {"length": T, "d_model": D}


def _explain_encoding(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    """The first column that is not right, and which column stands there instead."""
    for name, right in expected.items():
        seen = observed.get(name)
        if not isinstance(seen, Tensor) or seen.shape != right.shape or torch.allclose(seen, right, atol=1e-5):
            continue
        columns = range(right.shape[1])
        first = next(j for j in columns if not torch.allclose(seen[:, j], right[:, j], atol=1e-5))
        there = next((j for j in columns if torch.allclose(seen[:, first], right[:, j], atol=1e-5)), None)
        belongs = "" if there is None else f"; what stands there belongs into column {there}"
        return f"`{name}`: column {first} is the first that is not right{belongs}."
    return None


@sinusoidal_encoding.case("seven positions, eight features", weight=3, explain=_explain_encoding)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"encoding": student.sinusoidal_encoding(7, 8)}


@sinusoidal_encoding.case("two features: one clock", weight=0.5, explain=_explain_encoding)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"encoding": student.sinusoidal_encoding(5, 2)}


@sinusoidal_encoding.case("far out: positions 3,000 and 10,000", atol=1e-3)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    near, far = student.sinusoidal_encoding(3_001, 6), student.sinusoidal_encoding(10_001, 2)
    return {"row 3,000": near[3_000], "row 10,000": far[10_000]}


@sinusoidal_encoding.case("the numbers are float32", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"numbers": str(student.sinusoidal_encoding(3, 4).dtype)}


@sinusoidal_encoding.case("an odd width raises ValueError", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {
        "the shape of an even one": str(tuple(student.sinusoidal_encoding(4, 6).shape)),
        "seven features": student.error_of("sinusoidal_encoding", 4, 7),
    }


# ---- learned_positional_encoding ------------------------------------------------------------------------------------

learned_positional_encoding = Check("learned_positional_encoding", components=("LearnedPositionalEncoding",))


@learned_positional_encoding.takes("LearnedPositionalEncoding", B=3, T=5, D=4, new=lambda B, T, D: (T + 2, D))
def _(draw: Draw, B: int, T: int, D: int) -> Arguments:
    return {"x": draw.normal(B, T, D)}


def _table(student: Student, draw: Draw, max_length: int, d_model: int) -> Module:
    table = student.LearnedPositionalEncoding(max_length, d_model)
    table.load(draw.state(table))
    return table


@learned_positional_encoding.case("a batch of sentences shorter than the table", weight=2)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"output": _table(student, draw, 7, 4)(draw.normal(3, 5, 4))}


@learned_positional_encoding.case("as long as the table")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"output": _table(student, draw, 5, 4)(draw.normal(2, 5, 4))}


@learned_positional_encoding.case("longer than the table raises ValueError", contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    table = _table(student, draw, 5, 4)
    seen = {"the shape where it fits": str(tuple(table(draw.normal(2, 5, 4)).shape))}
    one = _table(student, draw, 1, 4)  # its row would go with any length, by broadcasting
    for name, asked, length in (
        ("6 positions of five", table, 6),
        ("10 positions of five", table, 10),
        ("3 positions of one", one, 3),
    ):
        x = draw.normal(2, length, 4)
        try:
            output = asked(x)
        except StudentError as error:
            seen[name] = error.type_name
        else:
            added = "nothing" if torch.equal(output[:, -1], x[:, -1]) else "something"
            whole = output.shape == x.shape
            what = f"{added} added at the end" if whole else f"{output.shape[1]} positions came back"
            seen[name] = f"no error, {what}"
    return seen


# ---- previous_token_head --------------------------------------------------------------------------------------------

previous_token_head = Check("previous_token_head", components=("previous_token_head",))


@previous_token_head.takes("previous_token_head", D=Axis(8, least=2), free=True)
def _(draw: Draw, D: int) -> Arguments:
    return {"d_model": D, "gain": 3.0}


def _positions(length: int, d_model: int) -> Tensor:
    """The encoding, in float64 from plain angles, so that a mistake in the student's own does no harm here."""
    speeds = 10_000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    angles = torch.arange(length, dtype=torch.float64).unsqueeze(1) * speeds
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)


def _scores(student: Student, d_model: int, gain: float, length: int) -> Tensor:
    W_Q, W_K = (W.double() for W in student.previous_token_head(d_model, gain))
    encoding = _positions(length, d_model)
    return ((encoding @ W_Q.T) @ (encoding @ W_K.T).T).float()


def _weights(student: Student, d_model: int, gain: float, length: int) -> Tensor:
    return torch.softmax(_scores(student, d_model, gain, length) / d_model**0.5, dim=1)


def _explain_previous(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    """Where queries look instead, and how firmly."""
    for name, right in expected.items():
        seen = observed.get(name)
        if not isinstance(seen, Tensor) or seen.shape != right.shape or seen.ndim != 2:
            continue
        looked, wanted = seen[1:].argmax(dim=1), right[1:].argmax(dim=1)
        if not torch.equal(looked, wanted):
            offsets = (looked - torch.arange(1, len(seen))).tolist()
            common = max(set(offsets), key=offsets.count)
            where = {0: "their own place", 1: "the place after", -1: "the place before, though not all"}.get(common)
            return f"Most queries look at {where or f'a place {abs(common)} away'}."
        firmly = "more" if seen.diagonal(-1).mean() > right.diagonal(-1).mean() else "less"
        return f"Every query looks at the place before, {firmly} firmly than the gain asks."
    return None


@previous_token_head.case("the scores are gain times e(t - 1) . e(s)", weight=2, atol=1e-3, explain=_explain_previous)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"scores": _scores(student, 8, 3.0, 9)}


@previous_token_head.case(
    "gain 50: nearly all the weight on the position before", weight=2, atol=1e-3, explain=_explain_previous
)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"weights": _weights(student, 32, 50.0, 12)}


@previous_token_head.case("another width and another gain", atol=1e-3, explain=_explain_previous)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    gain = float(draw.uniform(1)) * 4 + 5
    return {"weights": _weights(student, 2 * int(draw.integers(5, 9, 1)), gain, 10)}


@previous_token_head.case("a wide model, and unseen lengths: the last queries of 300", weight=2, atol=1e-3)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    weights = _weights(student, 128, 100.0, 300)  # so wide that no table of positions says what the matrices are
    return {"weight on the one before": weights.diagonal(-1)[-10:], "weight on themselves": weights.diagonal()[-10:]}


@previous_token_head.case("the matrices are float32, as the encoding is", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    W_Q, W_K = student.previous_token_head(4, 2.0)
    return {"W_Q": str(W_Q.dtype), "W_K": str(W_K.dtype)}


@previous_token_head.case("an odd width raises ValueError", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    W_Q, W_K = student.previous_token_head(2, 2.0)
    return {
        "the shapes of an even one": str((tuple(W_Q.shape), tuple(W_K.shape))),
        "seven features": student.error_of("previous_token_head", 7, 2.0),
    }


# ---- convolution_as_attention ---------------------------------------------------------------------------------------

convolution_as_attention = Check(
    "convolution_as_attention",
    components=("convolution_as_attention",),
    blocked=("convolution",),
)


@convolution_as_attention.takes(
    "convolution_as_attention",
    B=2,
    T=6,
    C_IN=4,
    C_OUT=5,
    K=Axis(3, long=71),
)
def _(draw: Draw, B: int, T: int, C_IN: int, C_OUT: int, K: int) -> Arguments:
    return {"x": draw.normal(B, T, C_IN), "weight": draw.normal(C_OUT, C_IN, K), "bias": draw.normal(C_OUT)}


def _convolved(student: Student, draw: Draw, *sizes: int) -> dict[str, Any]:
    B, T, C_in, C_out, K = sizes
    arguments = draw.normal(B, T, C_in), draw.normal(C_out, C_in, K), draw.normal(C_out)
    return _output_and_weights(student.convolution_as_attention(*arguments))


def _explain_convolution(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    """Whether the heads look at other places, or the inside or the edges of the output are off."""
    weights, right = observed.get("weights"), expected["weights"]
    if not isinstance(weights, Tensor) or weights.shape != right.shape or not weights.is_floating_point():
        return None
    if not torch.allclose(weights, right, atol=1e-5):
        for k, (seen, wanted) in enumerate(zip(weights, right, strict=True)):
            if not torch.allclose(seen, wanted, atol=1e-5):
                return f"Head {k} is the first whose weights are not right."
    output, wanted = observed.get("output"), expected["output"]
    if not isinstance(output, Tensor) or output.shape != wanted.shape:
        return None
    return "The heads look where they should; the output that is made of it is not right."


@convolution_as_attention.case(
    "three offsets: B, T, C_in and C_out all different", weight=2, explain=_explain_convolution
)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _convolved(student, draw, 2, 6, 4, 5, 3)


@convolution_as_attention.case("five offsets: two positions at each edge", weight=2, explain=_explain_convolution)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _convolved(student, draw, 3, 7, 2, 4, 5)


# ---- ablate_heads ---------------------------------------------------------------------------------------------------

ablate_heads = Check("ablate_heads", components=("ablate_heads",))
_A_MODULE = "what comes back is a module: the cases call it"


@ablate_heads.takes("ablate_heads", H=3, D_HEAD=2, excused={"sizes": _A_MODULE, "again": _A_MODULE})
def _(draw: Draw, H: int, D_HEAD: int) -> Arguments:
    return {"attention": Fixture("four_maps", (H * D_HEAD, H)), "heads": [H - 1]}


def _whole(student: Student, draw: Draw, d_model: int, num_heads: int) -> Module:
    attention = student.fixture("four_maps", d_model, num_heads)
    attention.load(draw.state(attention))
    return attention


@ablate_heads.case("one head of four switched off, with a mask", weight=2)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    without = student.ablate_heads(_whole(student, draw, 12, 4), [2])
    arguments = draw.normal(2, 5, 12), draw.normal(2, 6, 12), draw.normal(2, 6, 12)
    return _output_and_weights(without(*arguments, draw.mask(2, 5, 6)))


@ablate_heads.case("two heads of three", weight=2)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    without, x = student.ablate_heads(_whole(student, draw, 12, 3), [2, 0]), draw.normal(2, 5, 12)
    return _output_and_weights(without(x, x, x))


@ablate_heads.case("every head: the bias of W_O is left; no head: nothing changes")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    attention, x = _whole(student, draw, 6, 3), draw.normal(2, 4, 6)
    every, none = student.ablate_heads(attention, [0, 1, 2]), student.ablate_heads(attention, [])
    return {"without any head": every(x, x, x)[0], "without none": none(x, x, x)[0]}


@ablate_heads.case("heads that can be gone through once, as a generator's")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    attention, x = _whole(student, draw, 6, 3), draw.normal(2, 4, 6)
    return {"output": student.ablate_heads(attention, student.fixture("one_by_one", 2, 0))(x, x, x)[0]}


@ablate_heads.case("the attention that was given stays whole")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    attention, x = _whole(student, draw, 12, 4), draw.normal(2, 4, 12)
    without = student.ablate_heads(attention, [1])
    return {"the output without it": without(x, x, x)[0], "the output of the one given": attention(x, x, x)[0]}


@ablate_heads.case("a head that is not there raises ValueError", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    attention, x = _whole(student, draw, 6, 3), draw.normal(2, 4, 6)
    return {
        "the output's shape without head 2": str(tuple(student.ablate_heads(attention, [2])(x, x, x)[0].shape)),
        "head 3 of three": student.error_of("ablate_heads", attention, [3]),
        "head -1 of three": student.error_of("ablate_heads", attention, [-1]),
    }


# ---- fix_the_borrowed_attention -------------------------------------------------------------------------------------

fix_the_borrowed_attention = Check("fix_the_borrowed_attention", components=("attend_with_torch",))


@fix_the_borrowed_attention.takes(
    "attend_with_torch",
    B=4,
    T=5,
    S=7,
    H=3,
    D_HEAD=Axis(2, long=40),
    same="query key value",
)
def _(draw: Draw, B: int, T: int, S: int, H: int, D_HEAD: int) -> Arguments:
    D = H * D_HEAD
    query, key, value = draw.normal(B, T, D), draw.normal(B, S, D), draw.normal(B, S, D)
    attention = Fixture("torchs_attention", (D, H))
    return {"attention": attention, "query": query, "key": key, "value": value, "mask": draw.mask(B, T, S)}


def _borrowed(student: Student, draw: Draw, d_model: int, num_heads: int, mask: Tensor) -> dict[str, Any]:
    attention = student.fixture("torchs_attention", d_model, num_heads)
    attention.load(draw.state(attention))
    B, T, S = mask.shape
    arguments = draw.normal(B, T, d_model), draw.normal(B, S, d_model), draw.normal(B, S, d_model)
    return _output_and_weights(student.attend_with_torch(attention, *arguments, mask))


def _explain_borrowed(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    """Which sentences are wrong, and whether they look at what they may not."""
    weights, right = observed.get("weights"), expected["weights"]
    if not isinstance(weights, Tensor) or weights.shape != right.shape:
        return None
    wrong = [b for b in range(len(right)) if not torch.allclose(weights[b], right[b], atol=1e-5)]
    if not wrong:
        return None
    forbidden = weights[right == 0]
    most = float(forbidden.max()) if len(forbidden) else 0.0
    return f"{len(wrong)} of {len(right)} sentences are wrong; a key that the mask forbids gets up to {most:.2f}."


@fix_the_borrowed_attention.case("a mask of its own for every sentence and query", weight=2, explain=_explain_borrowed)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _borrowed(student, draw, 6, 3, draw.mask(4, 5, 7))


@fix_the_borrowed_attention.case("sentences of unlike length in one batch", weight=2, explain=_explain_borrowed)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    lengths = torch.tensor([6, 2, 5, 1, 3])[draw.permutation(5)]
    mask = (torch.arange(6) < lengths.unsqueeze(1)).unsqueeze(1).expand(-1, 4, -1).contiguous()
    return _borrowed(student, draw, 8, 2, mask)
