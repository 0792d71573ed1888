"""Checks of chapter 04: what is looked at in each exercise, case by case.

A case draws inputs, calls the student's code and returns what it saw; the engine compares. Safe to change: titles,
explanations. After any other change the tables are recorded afresh (`make refresh`).
"""

import math
from typing import Any

import torch
from torch import Tensor

from course.checks.engine import Check, Draw
from course.checks.engine.declare import Arguments, Axis, far_below_zero
from course.protocol.student import Module, Student


def _output_and_weights(result: Any) -> dict[str, Any]:
    output, weights = result
    return {"weights": weights, "output": output}


def _explain_weights(weights: Tensor, right: Tensor) -> str | None:
    """What is wrong with weights of the right shape, in the order in which a learner would look; None if nothing is."""
    if torch.allclose(weights, right, atol=1e-5, rtol=1e-4):
        return None
    bad = int((~torch.isfinite(weights)).sum())
    if bad:
        return f"{bad} of the {weights.numel()} weights {'is' if bad == 1 else 'are'} NaN or infinite."
    if weights.min() < -1e-6:
        return f"A weight is negative: {weights.min():.2f}."
    forbidden = weights[right == 0]  # by the mask, or by a score far below the others
    if len(forbidden) and forbidden.max() > 1e-6:
        return f"A key whose weight should be 0 gets {forbidden.max():.2f}."
    rows, columns = weights.sum(dim=-1), weights.sum(dim=-2)
    if not torch.allclose(rows, right.sum(dim=-1), atol=1e-4):
        if torch.allclose(columns, torch.ones_like(columns), atol=1e-4):
            return "The columns of the weights sum to 1: the queries share each key. The rows should sum to 1."
        sums = dict.fromkeys(f"{total:.2f}" for total in (rows.min(), rows.max()))
        return f"The rows of the weights sum to {' to '.join(sums)}, not to 1."
    return "The rows of the weights sum to 1 over the allowed keys; how they are shared out is not right."


def _explain_attention(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    """What is wrong with the first of the weights that is off; where all of them are right, which output is not."""
    for name in sorted(expected, key=lambda name: (not name.endswith("weights"), name)):
        seen, right = observed.get(name), expected[name]
        if not isinstance(seen, Tensor) or not isinstance(right, Tensor) or seen.shape != right.shape:
            return None
        if not seen.is_floating_point() or torch.allclose(seen, right, atol=1e-5, rtol=1e-4):
            continue
        if name.endswith("weights"):
            return _explain_weights(seen, right)
        if name.endswith("output"):
            return "The weights are right; the output made with them is not."
        return None
    return None


# ---- scaled_dot_product_attention -----------------------------------------------------------------------------------

scaled_dot_product_attention = Check(
    "scaled_dot_product_attention",
    components=("scaled_dot_product_attention",),
    blocked=("attention",),
)


def _query_key_value(draw: Draw, *leading: int, T: int, S: int, d_k: int, d_v: int) -> tuple[Tensor, Tensor, Tensor]:
    return draw.normal(*leading, T, d_k), draw.normal(*leading, S, d_k), draw.normal(*leading, S, d_v)


@scaled_dot_product_attention.takes(
    "scaled_dot_product_attention",
    B=2,
    T=3,
    S=4,
    D=5,
    V=2,
    same="query key value",
    optional="mask",
    spread="mask",
    extremes={"scores far below zero": far_below_zero("query", "key")},
)
def _(draw: Draw, B: int, T: int, S: int, D: int, V: int) -> Arguments:
    query, key, value = _query_key_value(draw, B, T=T, S=S, d_k=D, d_v=V)
    return {"query": query, "key": key, "value": value, "mask": draw.mask(B, T, S)}


@scaled_dot_product_attention.case(
    "three queries, six keys, values of another width", weight=2, explain=_explain_attention
)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _output_and_weights(student.scaled_dot_product_attention(*_query_key_value(draw, 2, T=3, S=6, d_k=5, d_v=2)))


@scaled_dot_product_attention.case("any leading axes: none, and two", explain=_explain_attention)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    none, _ = student.scaled_dot_product_attention(*_query_key_value(draw, T=3, S=4, d_k=5, d_v=2))
    two, weights = student.scaled_dot_product_attention(*_query_key_value(draw, 2, 3, T=2, S=4, d_k=3, d_v=1))
    return {"none": {"output": none}, "two": {"weights": weights, "output": two}}


@scaled_dot_product_attention.case("a mask of its own for each query", weight=2, explain=_explain_attention)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    arguments = _query_key_value(draw, 2, T=3, S=4, d_k=5, d_v=2)
    return {"weights": student.scaled_dot_product_attention(*arguments, draw.mask(2, 3, 4))[1]}


@scaled_dot_product_attention.case(
    "masks that broadcast: (T, S), (H, T, S) and (B, 1, 1, S)", explain=_explain_attention
)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    arguments = _query_key_value(draw, 2, T=3, S=4, d_k=5, d_v=2)
    heads = _query_key_value(draw, 2, 3, T=2, S=4, d_k=3, d_v=1)
    _, shared = student.scaled_dot_product_attention(*arguments, draw.mask(3, 4))
    _, of_keys = student.scaled_dot_product_attention(*heads, draw.mask(2, 1, 1, 4))
    _, of_heads = student.scaled_dot_product_attention(*heads, draw.mask(3, 2, 4))
    return {"(T, S) weights": shared, "(H, T, S) weights": of_heads, "(B, 1, 1, S) weights": of_keys}


@scaled_dot_product_attention.case(
    "scores of hundreds, those of forbidden keys among them", weight=1.5, explain=_explain_attention, atol=1e-3
)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    # Queries 0 and 2 point one way and query 1 the other, keys lie on both sides: in rows 0 and 2 the forbidden key has
    # a score of hundreds and the allowed ones lie hundreds below zero, where neither -100 nor exp() reaches.
    way = torch.ones(5) + 0.1 * draw.normal(5)
    query = 200 * torch.tensor([1.0, -1.0, 1.0]).unsqueeze(1) * (way + 0.1 * draw.normal(3, 5))
    key = torch.tensor([1.0, -0.5, -0.6, -0.8]).unsqueeze(1) * (way + 0.02 * draw.normal(4, 5))
    allowed = torch.tensor([[False, True, True, True], [True, True, True, False], [False, True, True, True]])
    return {"weights": student.scaled_dot_product_attention(query, key, draw.normal(4, 2), allowed)[1]}


def _explain_empty(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    weights = observed.get("its weights")
    if not isinstance(weights, Tensor) or weights.shape != expected["its weights"].shape:
        return None
    if weights.isnan().any():
        return "Where the mask allows nothing the weights are NaN."
    if (weights > 0).any():
        return f"Where the mask allows nothing there are weights all the same: the largest is {weights.max():.2f}."
    if observed["gradients that are NaN"]:
        return "The weights are right, but gradients are NaN: 0/0 or a logarithm of 0 is somewhere on the way back."
    return None


@scaled_dot_product_attention.case(
    "a query whose mask allows nothing: zero weights, output and gradient", explain=_explain_empty
)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    arguments, mask = _query_key_value(draw, 2, T=3, S=4, d_k=5, d_v=2), draw.mask(2, 3, 4)
    mask[:, 1] = False
    output, weights = student.scaled_dot_product_attention(*arguments, mask)
    cotangents = [draw.normal(2, 3, 2), draw.normal(2, 3, 4)]
    gradients = student.grad("scaled_dot_product_attention", *arguments, mask, cotangents=cotangents)
    return {
        "its weights": weights[:, 1],
        "its output": output[:, 1],
        "its gradient": None if gradients[0] is None else gradients[0][:, 1],
        "gradients that are NaN": any(g is not None and bool(g.isnan().any()) for g in gradients),
    }


@scaled_dot_product_attention.case("shapes that do not fit raise ValueError", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    query, key, value = _query_key_value(draw, 2, T=3, S=4, d_k=5, d_v=2)
    output, _ = student.scaled_dot_product_attention(query, key, value)  # first, so that raising always proves nothing
    errors = {
        "a key of another width": (query, draw.normal(2, 4, 4), value),
        "a value too few": (query, key, value[:, 1:]),
        "one sequence beside two": (query, key[:1], value[:1]),
        "a mask of numbers": (query, key, value, torch.ones(3, 4)),
        "a mask that does not fit": (query, key, value, draw.mask(4, 3)),
    }
    seen = {name: student.error_of("scaled_dot_product_attention", *given) for name, given in errors.items()}
    return {"the output's shape where they fit": str(tuple(output.shape))} | seen


# ---- attention_masks ------------------------------------------------------------------------------------------------

attention_masks = Check("attention_masks", components=("causal_mask", "padding_mask"))


_LENGTH = Axis(5, long=300)  # more than the positions that eight bits can tell apart


@attention_masks.takes("causal_mask", T=_LENGTH)
def _(draw: Draw, T: int) -> Arguments:
    return {"length": T}


@attention_masks.takes("padding_mask", B=3, S=_LENGTH)
def _(draw: Draw, B: int, S: int) -> Arguments:
    return {"lengths": draw.lengths(B, S), "max_length": S}


def _explain_causal(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    for name, right in expected.items():
        seen = observed.get(name)
        if not isinstance(seen, Tensor) or seen.dtype != torch.bool or seen.shape != right.shape:
            return None
        future, past = torch.triu(seen, 1), torch.tril(right & ~seen, -1)
        if future.any():
            t, s = future.nonzero()[0].tolist()
            return f"Query {t} may attend to key {s}, which comes later (counting from 0)."
        if not seen.diagonal().all():
            return "A query may not attend to the key at its own place."
        if past.any():
            t, s = past.nonzero()[0].tolist()
            return f"Query {t} may not attend to key {s}, which comes earlier (counting from 0)."
    return None


def _explain_padding(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    for name, right in expected.items():
        seen = observed.get(name)
        if not isinstance(seen, Tensor) or seen.dtype != torch.bool or seen.shape != right.shape or right.ndim != 3:
            return None
        if not torch.equal(seen, right):
            b, _, s = (seen != right).nonzero()[0].tolist()
            length, may = int(right[b].sum()), "allowed" if seen[b, 0, s] else "forbidden"
            return f"In a sequence of length {length}, key {s} (counting from 0) is {may}."
    return None


@attention_masks.case("causal", explain=_explain_causal)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"mask": student.causal_mask(5)}


@attention_masks.case("padding: sequences of unlike length", explain=_explain_padding)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"mask": student.padding_mask(draw.lengths(4, 6), 6)}


@attention_masks.case("padding: wider than the longest, and a sequence of length 0", explain=_explain_padding)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {
        "wider": student.padding_mask(draw.lengths(3, 4), 7),
        "with an empty one": student.padding_mask(torch.tensor([3, 0, 5]), 5),
    }


@attention_masks.case("both at once, joined with &, broadcast to (B, T, T)")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    causal, padding = student.causal_mask(5), student.padding_mask(draw.lengths(3, 5), 5)
    joined = causal & padding
    return {"both": joined, "queries and keys that meet": int(joined.sum())}


# ---- self_attention -------------------------------------------------------------------------------------------------

self_attention = Check("self_attention", components=("SelfAttention",), blocked=("attention",))


_WEIGHTS = ("W_K.weight", "W_Q.weight", "W_V.weight")


def _self_attention(student: Student, draw: Draw, d_model: int) -> Module:
    """The student's module with drawn weights. Raises ValueError where they cannot be loaded under their names."""
    attention = student.shared("SelfAttention", d_model)
    names = sorted(attention.state_shapes())
    if missing := [name for name in _WEIGHTS if name not in names]:
        raise ValueError(
            f"it has {', '.join(map(repr, names)) or 'no parameters'}, and not {', '.join(map(repr, missing))}: "
            "the weights of the check could not be loaded"
        )
    attention.load(draw.state(attention))
    return attention.eval()


def _explain_parameters(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    if (observed["names"], observed["shapes"]) == (expected["names"], expected["shapes"]):
        return None
    return f"Its parameters: {observed['found'] or 'none'}. Asked for: {expected['found']}."


@self_attention.case("three linear maps without bias: W_Q, W_K, W_V", explain=_explain_parameters)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    attention = student.SelfAttention(4)
    output, _ = attention(draw.normal(2, 3, 4))
    shapes = attention.state_shapes()
    bare = tuple(name.removesuffix(".weight") for name in _WEIGHTS)
    return {
        "names": {_WEIGHTS: "as asked for", bare: "bare matrices"}.get(tuple(sorted(shapes)), "others"),
        "shapes": ", ".join(sorted(str(tuple(shape)) for shape in shapes.values())),
        "the output's shape": str(tuple(output.shape)),
        "_found": ", ".join(f"{name} {tuple(shapes[name])}" for name in sorted(shapes)),
    }


@self_attention.takes("SelfAttention", B=2, T=3, D=4, new=lambda B, T, D: (D,), optional="mask", spread="mask")
def _(draw: Draw, B: int, T: int, D: int) -> Arguments:
    return {"x": draw.normal(B, T, D), "mask": draw.mask(B, T, T)}


@self_attention.case("a sequence asks itself, without a mask", weight=2, explain=_explain_attention)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _output_and_weights(_self_attention(student, draw, 3)(draw.normal(2, 4, 3)))


@self_attention.case("the mask arrives: causal, padding, one that allows a query nothing", explain=_explain_attention)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    attention, x = _self_attention(student, draw, 3), draw.normal(2, 4, 3)
    causal = torch.ones(4, 4, dtype=torch.bool).tril()
    padding = (torch.arange(4) < draw.lengths(2, 4).unsqueeze(1)).unsqueeze(1)
    bare = causal.clone()
    bare[2] = False
    masks = {"causal": causal, "padding": padding, "nothing for query 2": bare}
    seen: dict[str, Any] = {name: _output_and_weights(attention(x, mask)) for name, mask in masks.items()}
    return seen | {"training weights": attention.train()(x, causal)[1]}


@self_attention.case("positions in another order: the same outputs, in that order", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    attention, x, order = _self_attention(student, draw, 3), draw.normal(2, 4, 3), torch.tensor([2, 0, 3, 1])
    (straight, _), (shuffled, weights) = attention(x), attention(x[:, order])
    return {
        "each output is the one from before, in its new place": torch.allclose(straight[:, order], shuffled, atol=1e-4),
        "weights": weights,
    }


# ---- hand_set_lookup ------------------------------------------------------------------------------------------------

hand_set_lookup = Check("hand_set_lookup", components=("hand_set_lookup",), blocked=("autograd",))
_FOR_A_LAYER = "what it makes are a layer's weights, set once, and a layer has a dtype and a device of its own"


def _codes(draw: Draw, K: int, d: int) -> Tensor:
    """K orthonormal rows of width d."""
    return torch.linalg.qr(draw.normal(d, K)).Q.T.contiguous()


@hand_set_lookup.takes(
    "hand_set_lookup",
    K=Axis(5, long=8),
    D=Axis(8, least=8),
    free=True,
    excused={
        "gradients": "the matrices are set, not trained",
        "float64": _FOR_A_LAYER,
        "device": _FOR_A_LAYER,
    },
)
def _(draw: Draw, K: int, D: int) -> Arguments:
    return {"codes": _codes(draw, K, D)}


def _scores_of(student: Student, codes: Tensor, present: Tensor | None = None) -> Tensor:
    """The scores (K, S) with which each symbol asks the symbols that are present, divided by the root of d."""
    W_Q, W_K = student.hand_set_lookup(codes)
    d = codes.shape[1]
    if tuple(W_Q.shape) != (d, d) or tuple(W_K.shape) != (d, d):
        raise ValueError(f"W_Q {tuple(W_Q.shape)} and W_K {tuple(W_K.shape)} are not both ({d}, {d})")
    memory = codes if present is None else codes[present]
    return (codes @ W_Q.T) @ (memory @ W_K.T).T / d**0.5


def _symbols(scores: Tensor, present: Tensor | None = None) -> Tensor:
    """Which symbol each query finds, (K,) int64; -1 where no key has clearly the most weight, -2 for NaN."""
    weights = torch.softmax(scores, dim=1)
    if not torch.isfinite(weights).all():
        return torch.full((len(weights),), -2)
    first, second = weights.topk(2, dim=1).values.unbind(1)
    symbols = torch.arange(weights.shape[1]) if present is None else present
    return torch.where(first - second > 1e-5, symbols[weights.argmax(dim=1)], -1)


def _explain_symbols(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    for name, right in expected.items():
        seen = observed.get(name)
        if not isinstance(right, Tensor) or not isinstance(seen, Tensor) or seen.shape != right.shape:
            continue
        wrong = (seen != right).nonzero().flatten()
        if len(wrong):
            k = int(wrong[len(wrong) // 2])
            what = {-1: "no symbol more than another", -2: "nothing: its weights are NaN"}.get(int(seen[k]))
            return f"Symbol {k} finds {what or f'symbol {int(seen[k])}'}, not the one that it should."
    return None


@hand_set_lookup.case("one-hot codes: symbol k finds symbol k + 1", explain=_explain_symbols)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"found": _symbols(_scores_of(student, torch.eye(7)[:6]))[:-1]}


@hand_set_lookup.case("codes at any angle, fewer than they are wide", weight=2, explain=_explain_symbols)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"found": _symbols(_scores_of(student, _codes(draw, 7, 12)))[:-1]}


@hand_set_lookup.case("the last symbol finds symbol 0")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    scores = _scores_of(student, _codes(draw, 8, 10))
    symbol = int(_symbols(scores)[-1])
    answer = {-1: "no symbol more than another", -2: "NaN"}.get(symbol, f"symbol {symbol}")
    first, second = scores.topk(2, dim=1).values.unbind(1)
    most = torch.softmax(scores, dim=1).amax(dim=1)
    # Where all are too weak, a row of its own says so.
    weaker = symbol == 0 and most[-1] < 0.99 and (first - second)[-1] < 0.9 * (first - second)[:-1].min()
    W_Q, W_K = student.hand_set_lookup(_codes(draw, 1, 4))  # one symbol: the last one, and symbol 0
    return {
        "the last of 8 finds": f"{answer}, less firmly than the others find theirs" if weaker else answer,
        "shapes for a single symbol": str((tuple(W_Q.shape), tuple(W_K.shape))),
    }


@hand_set_lookup.case("some of the symbols, in any order")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    codes, present = _codes(draw, 9, 11), draw.permutation(9)[:5]
    asks = (present[present > 0]) - 1  # the last symbol has a row of its own
    return {"found": _symbols(_scores_of(student, codes, present), present)[asks]}


def _strength(scores: list[Tensor]) -> str:
    """What the score of k + 1, less the others' highest, does as the codes grow wider, where it is not enough."""
    margins = []
    for rows in scores:
        right = rows.roll(-1, dims=1).diagonal()[:-1]
        others = rows.roll(-1, dims=1).fill_diagonal_(-torch.inf)[:-1].amax(dim=1)
        margins.append(float((right - others).min()))
    narrow, square, wide = margins
    if not all(map(math.isfinite, margins)):
        return "it is not a number"
    if min(margins) < 1e-3:
        return "another key has as much"
    if max(margins) < 1 - 1e-3:
        return "it is below 1 at every width"
    if wide < 0.9 * square:
        return "it falls as the codes grow wider" if square < narrow else "it falls as the codes grow wider than many"
    return "it is too small at every width" if wide < 1.1 * square else "it is too small for narrow codes"


def _explain_enough(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    least = {name: value for name, value in observed.items() if name.startswith("at ")}
    K_and_d, weight = min(least.items(), key=lambda pair: pair[1])
    return None if weight >= 0.99 else f"{K_and_d[3:]}: the smallest weight on symbol k + 1 is {weight:.3f}."


@hand_set_lookup.case("at least 0.99 of the weight is on symbol k + 1", weight=2, explain=_explain_enough)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    sizes = ((2, 4), (5, 5), (100, 600))
    scores = [_scores_of(student, _codes(draw, K, d)) for K, d in sizes]
    least = {}
    for (K, d), rows in zip(sizes, scores, strict=True):
        weights = torch.softmax(rows, dim=1).roll(-1, dims=1).diagonal()[:-1]  # all but the last symbol's
        least[f"_at {K} symbols, codes of width {d}"] = weights.min().item()
    enough = min(least.values()) >= 0.99
    return {"enough": enough, "the score": "it is large enough" if enough else _strength(scores)} | least


# ---- attention_matrix_bytes -----------------------------------------------------------------------------------------

attention_matrix_bytes = Check("attention_matrix_bytes", components=("attention_matrix_bytes",))


def _beyond_64_bits(given: Arguments) -> Arguments:
    """Few enough of each that a loop over it ends, and more weights than a tensor's own integers count."""
    return given | {"num_tokens": 10_000_001, "num_heads": 1001, "num_layers": 999, "bytes_per_element": 16}


@attention_matrix_bytes.takes(
    "attention_matrix_bytes",
    T=10,
    H=3,
    LAYERS=2,
    BYTES=Axis(4, long=8),
    extremes={"more weights than 64 bits count": _beyond_64_bits},
)
def _(draw: Draw, T: int, H: int, LAYERS: int, BYTES: int) -> Arguments:
    return {"num_tokens": T, "num_heads": H, "num_layers": LAYERS, "bytes_per_element": BYTES}


@attention_matrix_bytes.case("one head of one layer, in float32")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    n = 10 + int(draw.integers(0, 90, 1))
    return {"bytes": student.attention_matrix_bytes(n, 1, 1)}


@attention_matrix_bytes.case("several heads and layers", weight=2)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    n = 10 + int(draw.integers(0, 90, 1))
    return {"bytes": student.attention_matrix_bytes(n, 12, 7)}


def _explain_rounded(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    if abs(observed["bytes"] - expected["bytes"]) > 2**-23 * expected["bytes"]:  # of float32, if all of it rounds once
        return None
    return "The number is right but for rounding. Python's own ints are exact at any size, a tensor's numbers are not."


@attention_matrix_bytes.case("a text of a million tokens, to the last byte", explain=_explain_rounded)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    n = 1_000_001 + 2 * int(draw.integers(0, 45, 1))  # odd numbers all, whose product fills 54 bits: no float holds it
    seen = student.attention_matrix_bytes(n, 127, 129)
    return {"bytes": seen, "its last digits": torch.tensor([int(digit) for digit in f"{int(seen):08}"[-8:]])}


@attention_matrix_bytes.case("two bytes an element, and eight")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    n = 10 + int(draw.integers(0, 90, 1))
    return {f"{size} bytes each": student.attention_matrix_bytes(n, 3, 5, size) for size in (2, 8)}


# ---- attention_backward ---------------------------------------------------------------------------------------------

attention_backward = Check(
    "attention_backward",
    components=("attention_backward",),
    blocked=("autograd", "attention"),
)
_GRADIENTS = ("query", "key", "value")


@attention_backward.takes(
    "attention_backward",
    B=2,
    T=3,
    S=4,
    D=5,
    V=2,
    same="query key value grad_output",
    excused={"gradients": "its results are gradients, and nobody differentiates them again"},
)
def _(draw: Draw, B: int, T: int, S: int, D: int, V: int) -> Arguments:
    query, key, value = _query_key_value(draw, B, T=T, S=S, d_k=D, d_v=V)
    return {"query": query, "key": key, "value": value, "grad_output": draw.normal(B, T, V)}


def _backward(student: Student, draw: Draw, *leading: int, T: int, S: int, d_k: int, d_v: int) -> dict[str, Any]:
    arguments = _query_key_value(draw, *leading, T=T, S=S, d_k=d_k, d_v=d_v)
    grad_query, grad_key, grad_value = student.attention_backward(*arguments, draw.normal(*leading, T, d_v))
    return dict(zip(_GRADIENTS, (grad_query, grad_key, grad_value), strict=True))


def _explain_gradient(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    """Whether the one gradient is right but for its sign or size."""
    seen, right = observed["gradient"], expected["gradient"]
    if not isinstance(seen, Tensor) or seen.shape != right.shape or not torch.isfinite(seen).all():
        return None
    times = float((seen * right).sum() / (right * right).sum())
    if abs(times) > 1e-3 and torch.allclose(seen, times * right, atol=1e-4):
        return f"The gradient is {times:.2f} times what it should be, everywhere."
    return None


@attention_backward.case("the gradient of the value", explain=_explain_gradient)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"gradient": _backward(student, draw, 2, T=3, S=5, d_k=4, d_v=6)["value"]}


@attention_backward.case("the gradient of the query", weight=2, explain=_explain_gradient)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"gradient": _backward(student, draw, 2, T=3, S=5, d_k=4, d_v=6)["query"]}


@attention_backward.case("the gradient of the key", weight=2, explain=_explain_gradient)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"gradient": _backward(student, draw, 2, T=3, S=5, d_k=4, d_v=6)["key"]}


@attention_backward.case("any leading axes: none, and two")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {
        "none": _backward(student, draw, T=3, S=4, d_k=2, d_v=3),
        "two": _backward(student, draw, 2, 1, T=2, S=3, d_k=2, d_v=1),
    }


@attention_backward.case("scores of hundreds", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    query, key, value = _query_key_value(draw, 2, T=2, S=3, d_k=4, d_v=2)
    _, _, of_value = student.attention_backward(500 * query, key, value, draw.normal(2, 2, 2))
    return {"gradient of the value": of_value}


@attention_backward.case("values that are all alike: choosing another key changes nothing")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    query, key, _ = _query_key_value(draw, 2, T=3, S=4, d_k=5, d_v=2)
    gradients = student.attention_backward(query, key, draw.normal(2, 1, 2).repeat(1, 4, 1), draw.normal(2, 3, 2))
    return dict(zip(_GRADIENTS, gradients, strict=True))


# ---- fix_the_leak ---------------------------------------------------------------------------------------------------

fix_the_leak = Check("fix_the_leak", components=("attend_to_the_past",), blocked=("attention",))


@fix_the_leak.takes(
    "attend_to_the_past",
    B=2,
    T=4,
    D=3,
    V=5,
    same="query key value",
    extremes={"scores far below zero": far_below_zero("query", "key")},
)
def _(draw: Draw, B: int, T: int, D: int, V: int) -> Arguments:
    query, key, value = _query_key_value(draw, B, T=T, S=T, d_k=D, d_v=V)
    return {"query": query, "key": key, "value": value}


@fix_the_leak.case("weights and output of two sequences", weight=2, explain=_explain_attention)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _output_and_weights(student.attend_to_the_past(*_query_key_value(draw, 2, T=5, S=5, d_k=3, d_v=4)))


def _explain_moved(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    moved = [name for name, value in expected.items() if name.startswith("before") and observed.get(name) != value]
    if not moved:
        return None
    before, changed = moved[0].split(", ")
    return f"When {changed}, the outputs {before} move."


@fix_the_leak.case("what comes later changes nothing earlier", weight=2, explain=_explain_moved)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    query, key, value = _query_key_value(draw, 2, T=6, S=6, d_k=3, d_v=4)
    before, _ = student.attend_to_the_past(query, key, value)
    seen: dict[str, Any] = {}
    for t in (2, 5):
        later = [draw.normal(*x[:, t:].shape) for x in (query, key, value)]
        last = query[:, t - 1 : t]  # its score for the large later keys is a thousand over the root of d_k
        liked = 1_000 * last / last.square().sum(-1, keepdim=True)
        huge = [100 * last.expand_as(later[0]), liked.expand_as(later[1]), later[2]]
        for others, size in ((later, ""), (huge, " and huge")):
            other = (torch.cat([x[:, :t], y], dim=1) for x, y in zip((query, key, value), others, strict=True))
            after, weights = student.attend_to_the_past(*other)
            still = torch.allclose(before[:, :t], after[:, :t], atol=1e-6)
            seen[f"before position {t}, what follows is another{size}"] = "stay" if still else "move"
        moved = not torch.allclose(before[:, -1], after[:, -1], atol=1e-6)
        seen[f"from position {t} on, what stands there is another"] = "move" if moved else "stay"
    return seen | {
        "a number that is NaN or infinite": not bool(torch.isfinite(after).all()),
        "weights that sum to one": torch.allclose(weights.sum(dim=2), torch.ones(2, 6), atol=1e-3),
    }


@fix_the_leak.case("every query's weights sum to one", atol=1e-3)  # scores in the thousands are rounded to 1e-4
def _(student: Student, draw: Draw) -> dict[str, Any]:
    query, key, value = _query_key_value(draw, 2, T=5, S=5, d_k=3, d_v=4)
    low = torch.full_like(query, 20.0), key - 100, value  # scores in the thousands below zero
    weights, of_low = (student.attend_to_the_past(*given)[1] for given in ((query, key, value), low))
    return {"sums": weights.sum(dim=2), "of the last query": weights[:, -1], "where all scores are low": of_low}
