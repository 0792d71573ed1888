"""Checks of chapter 04: what is looked at in each exercise, row by row.

A row draws inputs, calls the student's code and returns what it saw; comparing is the engine's. Safe to change: titles,
explanations. After any other change the tables are recorded afresh (`make refresh`).
"""

from typing import Any

import torch
from torch import Tensor

from course.checks import Check, Draw
from course.transport.student import Module, Student


def _shown(result: Any) -> dict[str, Any]:
    output, weights = result
    return {"weights": weights, "output": output}


def _explain_weights(weights: Tensor, right: Tensor) -> str | None:
    """What is wrong with weights of the right shape, in the order in which a learner would look; None if nothing is."""
    if torch.allclose(weights, right, atol=1e-5, rtol=1e-4):
        return None
    bad = int((~torch.isfinite(weights)).sum())
    if bad:
        return f"{bad} of the {weights.numel()} weights are NaN or infinite."
    if weights.min() < -1e-6:
        return f"A weight is negative: {weights.min():.2f}."
    forbidden = weights[right == 0]
    if len(forbidden) and forbidden.max() > 1e-6:
        return f"A key that may not be attended to still gets a weight of {forbidden.max():.2f}."
    rows, columns = weights.sum(dim=-1), weights.sum(dim=-2)
    if not torch.allclose(rows, right.sum(dim=-1), atol=1e-4):
        if torch.allclose(columns, torch.ones_like(columns), atol=1e-4):
            return "The columns of the weights sum to 1: the queries share each key. The rows were to sum to 1."
        return f"The rows of the weights sum to between {rows.min():.2f} and {rows.max():.2f}, not to 1."
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
    parts=("scaled_dot_product_attention",),
    banned=("scaled_dot_product_attention", "multi_head_attention_forward"),
)


def _query_key_value(draw: Draw, *leading: int, T: int, S: int, d_k: int, d_v: int) -> tuple[Tensor, Tensor, Tensor]:
    return draw.normal(*leading, T, d_k), draw.normal(*leading, S, d_k), draw.normal(*leading, S, d_v)


@scaled_dot_product_attention.row(
    "three queries, four keys, values of another width", weight=2, explain=_explain_attention
)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _shown(student.scaled_dot_product_attention(*_query_key_value(draw, 2, T=3, S=4, d_k=5, d_v=2)))


@scaled_dot_product_attention.row("any leading axes: none, and two", explain=_explain_attention)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    none = student.scaled_dot_product_attention(*_query_key_value(draw, T=3, S=4, d_k=5, d_v=2))
    two = student.scaled_dot_product_attention(*_query_key_value(draw, 2, 3, T=2, S=4, d_k=3, d_v=1))
    return {"none": _shown(none), "two": _shown(two)}


@scaled_dot_product_attention.row(
    "all sizes alike, where a wrong axis fits by accident", weight=0.5, explain=_explain_attention
)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _shown(student.scaled_dot_product_attention(*_query_key_value(draw, 3, T=3, S=3, d_k=3, d_v=3)))


@scaled_dot_product_attention.row("narrow queries and wide ones: d_k is 1, and 49", explain=_explain_attention)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    narrow = student.scaled_dot_product_attention(*_query_key_value(draw, 2, T=2, S=4, d_k=1, d_v=3))
    wide = student.scaled_dot_product_attention(*_query_key_value(draw, 2, T=3, S=2, d_k=49, d_v=1))
    return {f"{name} weights": weights for name, (_, weights) in (("narrow", narrow), ("wide", wide))}


@scaled_dot_product_attention.row("a mask of its own for each query", weight=2, explain=_explain_attention)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    arguments = _query_key_value(draw, 2, T=3, S=4, d_k=5, d_v=2)
    return _shown(student.scaled_dot_product_attention(*arguments, draw.mask(2, 3, 4)))


@scaled_dot_product_attention.row("masks that broadcast: (T, S), and (B, 1, 1, S)", explain=_explain_attention)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    arguments = _query_key_value(draw, 2, T=3, S=4, d_k=5, d_v=2)
    heads = _query_key_value(draw, 2, 3, T=2, S=4, d_k=3, d_v=1)
    _, shared = student.scaled_dot_product_attention(*arguments, draw.mask(3, 4))
    _, of_keys = student.scaled_dot_product_attention(*heads, draw.mask(2, 1, 1, 4))
    return {"(T, S) weights": shared, "(B, 1, 1, S) weights": of_keys}


@scaled_dot_product_attention.row("scores of several hundred stay finite", weight=0.5, explain=_explain_attention)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    query, key, value = _query_key_value(draw, 2, T=3, S=4, d_k=5, d_v=2)
    return _shown(student.scaled_dot_product_attention(300 * query, key, value))


def _explain_empty(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    said = _explain_attention(observed, expected)
    weights = observed.get("weights")
    if isinstance(weights, Tensor) and weights.shape == expected["weights"].shape:
        nothing = weights[:, 1]
        if nothing.isnan().any():
            return "Where the mask allows nothing the weights are NaN."
        if (nothing > 0).any():
            return f"Where the mask allows nothing there are weights all the same: the largest is {nothing.max():.2f}."
    return said


@scaled_dot_product_attention.row(
    "a query whose mask allows nothing: zero weights, output and gradient", explain=_explain_empty
)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    arguments, mask = _query_key_value(draw, 2, T=3, S=4, d_k=5, d_v=2), draw.mask(2, 3, 4)
    mask[:, 1] = False
    seen = _shown(student.scaled_dot_product_attention(*arguments, mask))
    cotangents = [draw.normal(2, 3, 2), draw.normal(2, 3, 4)]
    found = student.grad("scaled_dot_product_attention", *arguments, mask, cotangents=cotangents)
    return seen | {"gradient of the query": found[0]}


@scaled_dot_product_attention.row("gradients reach query, key and value")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    arguments, mask = _query_key_value(draw, 2, T=3, S=4, d_k=5, d_v=2), draw.mask(2, 3, 4)
    cotangents = [draw.normal(2, 3, 2), draw.normal(2, 3, 4)]
    found = student.grad("scaled_dot_product_attention", *arguments, mask, cotangents=cotangents)
    return {f"gradient of the {name}": g for name, g in zip(("query", "key", "value"), found, strict=False)}


@scaled_dot_product_attention.row("the caller's tensors are left as they were", weight=0.5, guard=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    arguments = _query_key_value(draw, 2, T=3, S=4, d_k=5, d_v=2)
    output, _ = student.scaled_dot_product_attention(*arguments, draw.mask(2, 3, 4))
    return {"an argument was changed": student.changed(), "the output's shape": str(tuple(output.shape))}


@scaled_dot_product_attention.row("shapes that do not fit raise ValueError", weight=0.5, guard=True)
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

attention_masks = Check("attention_masks", parts=("causal_mask", "padding_mask"))


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


@attention_masks.row("causal, of length 5", explain=_explain_causal)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"mask": student.causal_mask(5)}


@attention_masks.row("causal, of other lengths: 1, 2 and 7", explain=_explain_causal)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {f"length {n}": student.causal_mask(n) for n in (1, 2, 7)}


@attention_masks.row("padding: sequences of unlike length", explain=_explain_padding)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"mask": student.padding_mask(draw.lengths(4, 6), 6)}


@attention_masks.row("padding: wider than the longest, and a sequence of length 0", explain=_explain_padding)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {
        "wider": student.padding_mask(draw.lengths(3, 4), 7),
        "with an empty one": student.padding_mask(torch.tensor([3, 0, 5]), 5),
    }


@attention_masks.row("both at once, joined with &, broadcast to (B, T, T)")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    causal, padding = student.causal_mask(5), student.padding_mask(draw.lengths(3, 5), 5)
    joined = causal & padding
    return {"both": joined, "queries and keys that meet": int(joined.sum())}


# ---- self_attention -------------------------------------------------------------------------------------------------

self_attention = Check("self_attention", parts=("SelfAttention",), banned=scaled_dot_product_attention.banned)


def _self_attention(student: Student, draw: Draw, d_model: int) -> Module:
    attention = student.SelfAttention(d_model)
    attention.load(draw.state(attention))
    return attention.eval()


@self_attention.row("three linear maps without bias: W_Q, W_K, W_V")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    attention = student.SelfAttention(4)
    output, _ = attention(draw.normal(2, 3, 4))
    shapes = attention.state_shapes()
    return {
        "its parameters": ", ".join(f"{name} {tuple(shapes[name])}" for name in sorted(shapes)),
        "the output's shape": str(tuple(output.shape)),
    }


@self_attention.row("a sequence asks itself, without a mask", weight=2, explain=_explain_attention)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _shown(_self_attention(student, draw, 3)(draw.normal(2, 4, 3)))


@self_attention.row("as many positions as features", weight=0.5, explain=_explain_attention)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _shown(_self_attention(student, draw, 3)(draw.normal(3, 3, 3)))


@self_attention.row("the mask arrives: causal (T, T), and padding (B, 1, T)", explain=_explain_attention)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    attention, x = _self_attention(student, draw, 3), draw.normal(2, 4, 3)
    causal = torch.ones(4, 4, dtype=torch.bool).tril()
    padding = (torch.arange(4) < draw.lengths(2, 4).unsqueeze(1)).unsqueeze(1)
    seen = {"causal": _shown(attention(x, causal)), "padding": _shown(attention(x, padding))}
    return seen | {"training weights": attention.train()(x, causal)[1]}


@self_attention.row("positions in another order: the same outputs, in that order", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    attention, x, order = _self_attention(student, draw, 3), draw.normal(2, 4, 3), torch.tensor([2, 0, 3, 1])
    (straight, _), (shuffled, weights) = attention(x), attention(x[:, order])
    return {
        "the outputs follow": bool(torch.allclose(straight[:, order], shuffled, atol=1e-4)),
        "weights": weights,
    }


@self_attention.row("gradients reach the sequence and all three maps")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    attention = _self_attention(student, draw, 4)
    found = attention.grad(draw.normal(2, 3, 4), cotangents=[draw.normal(2, 3, 4), draw.normal(2, 3, 3)])
    return {"the sequence": found["inputs"][0]} | dict(sorted(found["parameters"].items()))


# ---- hand_set_lookup ------------------------------------------------------------------------------------------------

hand_set_lookup = Check("hand_set_lookup", parts=("hand_set_lookup",))


def _codes(draw: Draw, K: int, d: int) -> Tensor:
    """K orthonormal rows of width d."""
    return torch.linalg.qr(draw.normal(d, d)).Q[:, :K].T.contiguous()


def _weights_of(student: Student, codes: Tensor, present: Tensor | None = None) -> Tensor:
    """The weights (K, S) with which each symbol asks the symbols that are present, in float64."""
    W_Q, W_K = student.hand_set_lookup(codes)
    d = codes.shape[1]
    if tuple(W_Q.shape) != (d, d) or tuple(W_K.shape) != (d, d):
        raise ValueError(f"W_Q {tuple(W_Q.shape)} and W_K {tuple(W_K.shape)} are not both ({d}, {d})")
    memory = codes if present is None else codes[present]
    query, key = codes.double() @ W_Q.double().T, memory.double() @ W_K.double().T
    return torch.softmax(query @ key.T / d**0.5, dim=1)


def _found(weights: Tensor, present: Tensor | None = None) -> Tensor:
    """Which symbol each query finds, (K,) int64; -1 where no key has clearly the most weight."""
    if not torch.isfinite(weights).all():
        return torch.full((len(weights),), -2)
    first, second = weights.topk(2, dim=1).values.unbind(1)
    symbols = torch.arange(weights.shape[1]) if present is None else present
    return torch.where(first - second > 1e-5, symbols[weights.argmax(dim=1)], -1)


def _explain_found(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    for name, right in expected.items():
        seen = observed.get(name)
        if not isinstance(right, Tensor) or not isinstance(seen, Tensor) or seen.shape != right.shape:
            continue
        wrong = (seen != right).nonzero().flatten()
        if len(wrong):
            k = int(wrong[-1]) if len(wrong) == 1 else int(wrong[len(wrong) // 2])
            what = {-1: "no symbol more than another", -2: "nothing: its weights are NaN"}.get(int(seen[k]))
            return f"Symbol {k} of {len(right)} finds {what or f'symbol {int(seen[k])}'}, not symbol {int(right[k])}."
    return None


@hand_set_lookup.row("one-hot codes: symbol k finds symbol k + 1", explain=_explain_found)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"found": _found(_weights_of(student, torch.eye(6)))}


@hand_set_lookup.row("codes at any angle, fewer than they are wide", weight=2, explain=_explain_found)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"found": _found(_weights_of(student, _codes(draw, 7, 12)))}


@hand_set_lookup.row("some of the symbols, in any order")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    codes, present = _codes(draw, 9, 11), draw.permutation(9)[:5]
    asks = (present - 1) % 9
    weights = _weights_of(student, codes, present)[asks]
    return {"found": _found(weights, present)}


@hand_set_lookup.row("fresh codes, a hundred of them", explain=_explain_found)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"found": _found(_weights_of(student, _codes(draw, 100, 100)))}


def _explain_enough(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    for name, right in expected.items():
        if observed.get(name) is False and right is True:
            return f"With {name}, the weight on symbol k + 1 is {observed['least of ' + name]:.3f} at the least."
    return None


@hand_set_lookup.row("at least 0.99 of the weight is on symbol k + 1", weight=2, explain=_explain_enough)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    for K, d in ((2, 4), (5, 5), (100, 128)):
        weights = _weights_of(student, _codes(draw, K, d))
        least = weights[torch.arange(K), (torch.arange(K) + 1) % K].min().item()
        seen |= {f"{K} symbols": least >= 0.99, f"_least of {K} symbols": least}
    return seen


# ---- attention_matrix_bytes -----------------------------------------------------------------------------------------

attention_matrix_bytes = Check("attention_matrix_bytes", parts=("attention_matrix_bytes",))


@attention_matrix_bytes.row("one head of one layer, in float32")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    n = 10 + int(draw.integers(0, 90, 1))
    return {"bytes": student.attention_matrix_bytes(n, 1, 1)}


@attention_matrix_bytes.row("several heads and layers", weight=2)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    n = 10 + int(draw.integers(0, 90, 1))
    return {"bytes": student.attention_matrix_bytes(n, 12, 7)}


@attention_matrix_bytes.row("two bytes an element, and eight")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    n = 10 + int(draw.integers(0, 90, 1))
    return {f"{size} bytes each": student.attention_matrix_bytes(n, 3, 5, size) for size in (2, 8)}


# ---- attention_backward ---------------------------------------------------------------------------------------------

attention_backward = Check(
    "attention_backward",
    parts=("attention_backward",),
    banned=("backward", "grad", *scaled_dot_product_attention.banned),
)
_GRADIENTS = ("query", "key", "value")


def _backward(student: Student, draw: Draw, *leading: int, T: int, S: int, d_k: int, d_v: int) -> dict[str, Any]:
    arguments = _query_key_value(draw, *leading, T=T, S=S, d_k=d_k, d_v=d_v)
    found = student.attention_backward(*arguments, draw.normal(*leading, T, d_v))
    grad_query, grad_key, grad_value = found
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


@attention_backward.row("the gradient of the value", explain=_explain_gradient)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"gradient": _backward(student, draw, 2, T=3, S=5, d_k=4, d_v=6)["value"]}


@attention_backward.row("the gradient of the query", weight=2, explain=_explain_gradient)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"gradient": _backward(student, draw, 2, T=3, S=5, d_k=4, d_v=6)["query"]}


@attention_backward.row("the gradient of the key", weight=2, explain=_explain_gradient)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"gradient": _backward(student, draw, 2, T=3, S=5, d_k=4, d_v=6)["key"]}


@attention_backward.row("any leading axes: none, and two")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {
        "none": _backward(student, draw, T=3, S=4, d_k=2, d_v=3),
        "two": _backward(student, draw, 2, 1, T=2, S=3, d_k=2, d_v=1),
    }


@attention_backward.row("all sizes alike, where a wrong axis fits by accident")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _backward(student, draw, 3, T=3, S=3, d_k=3, d_v=3)


@attention_backward.row("values that are all alike: choosing another key changes nothing")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    query, key, _ = _query_key_value(draw, 2, T=3, S=4, d_k=5, d_v=2)
    found = student.attention_backward(query, key, draw.normal(2, 1, 2).repeat(1, 4, 1), draw.normal(2, 3, 2))
    return dict(zip(_GRADIENTS, found, strict=True))


# ---- fix_the_leak ---------------------------------------------------------------------------------------------------

fix_the_leak = Check("fix_the_leak", parts=("attend_to_the_past",), banned=scaled_dot_product_attention.banned)


@fix_the_leak.row("weights and output of two sequences", weight=2, explain=_explain_attention)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _shown(student.attend_to_the_past(*_query_key_value(draw, 2, T=5, S=5, d_k=3, d_v=4)))


@fix_the_leak.row("as many sequences as positions and features", weight=0.5, explain=_explain_attention)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _shown(student.attend_to_the_past(*_query_key_value(draw, 4, T=4, S=4, d_k=4, d_v=4)))


def _explain_moved(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    moved = [name for name, value in expected.items() if name.startswith("the outputs") and observed.get(name) != value]
    return f"Something later was changed, and {moved[0]} moved." if moved else None


@fix_the_leak.row("what comes later changes nothing earlier", weight=2, explain=_explain_moved)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    tensors = _query_key_value(draw, 2, T=6, S=6, d_k=3, d_v=4)
    before, _ = student.attend_to_the_past(*tensors)
    seen: dict[str, Any] = {"output": before}
    for t in (2, 5):
        other = tuple(torch.cat([x[:, :t], draw.normal(*x[:, t:].shape)], dim=1) for x in tensors)
        after, _ = student.attend_to_the_past(*other)
        still = torch.allclose(before[:, :t], after[:, :t], atol=1e-6)
        seen[f"the outputs before position {t}"] = "stay" if still else "move"
    return seen


@fix_the_leak.row("every query's weights sum to one")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    _, weights = student.attend_to_the_past(*_query_key_value(draw, 2, T=5, S=5, d_k=3, d_v=4))
    return {"sums": weights.sum(dim=2), "of the last query": weights[:, -1]}


@fix_the_leak.row("gradients reach query, key and value")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    arguments = _query_key_value(draw, 2, T=4, S=4, d_k=3, d_v=2)
    found = student.grad("attend_to_the_past", *arguments, cotangents=[draw.normal(2, 4, 2), draw.normal(2, 4, 4)])
    return dict(zip(_GRADIENTS, found, strict=False))
