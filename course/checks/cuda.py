"""Checks of chapter 09: what is looked at in each exercise, case by case.

A case draws inputs, calls the student's code and returns what it saw; the engine compares. No check needs a GPU or
uses one. Safe to change: titles, explanations. After any other change the tables are recorded afresh (`make refresh`).
"""

import math
from typing import Any

import torch
from torch import Tensor

from course.checks.common import as_number, explain_refusals
from course.checks.engine import Arguments, Axis, Check, Draw, Fixture
from course.protocol.student import Module, Student, StudentError

# ---- measure_throughput ---------------------------------------------------------------------------------------------

measure_throughput = Check("measure_throughput", components=("measure_throughput",))


@measure_throughput.takes(
    "measure_throughput",
    ITEMS=32,
    STEPS=4,
    WARM=2,
    excused={"sizes": "its cases have them: what another clock than the one given says could not be told here"},
)
def _(draw: Draw, ITEMS: int, STEPS: int, WARM: int) -> Arguments:
    device = _Device(*_times(draw)[:2], slow=WARM, compiling=3.0)
    return {"step": device.step, "items": ITEMS, "num_steps": STEPS, "warm_up": WARM,
            "synchronize": device.synchronize, "clock": device.clock}  # fmt: skip


class _Device:
    """A device that works by itself: step puts work into its queue and returns, synchronize waits. Times are made up.

    The first `slow` calls take longer: by `compiling` seconds before they return, by `loading` of work after that.
    """

    def __init__(self, launch: float, work: float, slow: int = 0, compiling: float = 0.0, loading: float = 0.0):
        self.launch, self.work, self.slow, self.compiling, self.loading = launch, work, slow, compiling, loading
        self.now = self.free = 1000.0  # the time it is, and when the queue will be empty
        self.calls = self.readings = 0

    def step(self) -> None:
        slow = self.calls < self.slow
        self.calls += 1
        self.now += self.launch + (self.compiling if slow else 0.0)
        self.free = max(self.now, self.free) + self.work + (self.loading if slow else 0.0)

    def synchronize(self) -> None:
        self.now = max(self.now, self.free)

    def clock(self) -> float:
        self.readings += 1
        return self.now


def _times(draw: Draw) -> tuple[float, float, int]:
    """Seconds to launch a step and seconds that it works, which are many times more; and items in a step."""
    return *(draw.uniform(2).double() * torch.tensor([0.01, 0.3]) + torch.tensor([0.01, 0.2])).tolist(), int(
        draw.integers(20, 60)
    )


def _throughput(student: Student, device: _Device, items: int, num_steps: int, warm_up: int) -> Any:
    rate = student.measure_throughput(device.step, items, num_steps, warm_up, device.synchronize, device.clock)
    return as_number(rate) if device.readings else "measured by another clock than the one given"


def _explain_rate(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    rate, most = observed["items per second"], observed["most"]
    if isinstance(rate, str) or rate <= most:
        return None
    return (
        f"It says {rate:.4g} items per second; by the time it takes for its work, this device does {most:.4g} at most."
    )


@measure_throughput.case("a device that goes on working after step has returned", weight=2, explain=_explain_rate)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    launch, work, items = _times(draw)
    rate = _throughput(student, _Device(launch, work), items, 5, 2)
    return {"items per second": rate, "_most": items / work}


@measure_throughput.case("first calls that take longer, as where something is compiled, do not count")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    launch, work, items = _times(draw)
    return {"items per second": _throughput(student, _Device(launch, work, 3, compiling=7.0), items, 4, 3)}


@measure_throughput.case("work that is left of the warm-up does not count")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    launch, work, items = _times(draw)
    return {"items per second": _throughput(student, _Device(launch, work, 3, loading=5.0), items, 4, 3)}


@measure_throughput.case("a device that is done when step returns", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    launch, work, items = _times(draw)
    return {"items per second": _throughput(student, _Device(launch + work, 0.0), items, 6, 1)}


@measure_throughput.case("one step, and no warm-up, while others' work is still in the queue", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    launch, work, items = _times(draw)
    device = _Device(launch, work)
    device.free += 3.0  # others have asked for work too
    return {"items per second": _throughput(student, device, items, 1, 0)}


@measure_throughput.case("step is called as often as asked, no more", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    device, cold = _Device(*_times(draw)[:2]), _Device(*_times(draw)[:2])
    _throughput(student, device, 8, 5, 3)
    _throughput(student, cold, 8, 2, 0)
    return {"calls of step": device.calls, "calls of step without warm-up": cold.calls}


@measure_throughput.case("fewer than one step, or a negative warm-up, raise ValueError", weight=0.5, contract=True,
                        explain=explain_refusals)  # fmt: skip
def _(student: Student, draw: Draw) -> dict[str, Any]:
    device = _Device(*_times(draw)[:2])
    _throughput(student, device, 8, 2, 1)  # first, so that raising always proves nothing

    def error_of(num_steps: int, warm_up: int) -> str:
        return student.error_of("measure_throughput", device.step, 8, num_steps, warm_up, device.synchronize,
                                device.clock)  # fmt: skip

    return {"num_steps = 0": error_of(0, 2), "num_steps = -2": error_of(-2, 2), "warm_up = -1": error_of(3, -1)}


# ---- train_step -----------------------------------------------------------------------------------------------------

train_step = Check("train_step", components=("train_step",))
_V, _T, _D, _CLASSES = 11, 3, 4, 5
_FAR = 1e6  # a threshold that no gradient here reaches


@train_step.takes(
    "train_step", B=6, V=11, T=3, D=4, K=5,
    excused={
        "again": "each step begins where the last one ended",
        "layout": "each step begins where the last one ended",
        "float64": "the batch goes to a model of float32, and its loss is one",
        "untouched": "it is to change the model, the optimizer and the scaler; the rest has a case of its own",
    },
)  # fmt: skip
def _(draw: Draw, B: int, V: int, T: int, D: int, K: int) -> Arguments:
    model = Fixture("TinyClassifier", (V, T, D, K))
    batch = draw.integers(0, V, B, T), draw.integers(0, K, B), 0.5 + draw.uniform(B)
    return {
        "model": model,
        "loss_of": Fixture("MeanLoss", (Fixture("Watch", load=False),), load=False),
        "batch": batch,
        "optimizer": Fixture("sgd", (model, 0.5, 0.9), load=False),
        "scaler": Fixture("cpu_scaler", (64.0,), load=False),
        "max_norm": 0.1,
    }


class _Step:
    """A model, a batch and all that train_step takes beside them; `scale` is what the scaler begins with."""

    def __init__(
        self,
        student: Student,
        draw: Draw,
        scale: float,
        lr: float = 0.5,
        growth_interval: int = 2000,
        on: bool = True,
        model: str = "TinyClassifier",
    ):
        self.student = student
        self.model = student.fixture(model, _V, _T, _D, _CLASSES)
        self.weights = draw.state(self.model)
        self.model.load(self.weights)
        self.watch = student.fixture("Watch")
        self.loss_of = student.fixture("MeanLoss", self.watch)
        self.optimizer = student.fixture("sgd", self.model, lr, 0.9)
        self.scaler = student.fixture("cpu_scaler", scale, growth_interval, on)

    def take(self, batch: tuple, max_norm: float = _FAR, dtype: torch.dtype | None = None) -> tuple[Any, Any]:
        """One step; the loss and the norm as they came back."""
        given = [self.model, self.loss_of, batch, self.optimizer, self.scaler, max_norm]
        if dtype is None:
            result = self.student.train_step(*given)
        else:  # a dtype does not cross: it goes by its name
            result = self.student.train_step(*given, self.student.fixture("dtype_of", str(dtype)))
        loss, norm = result
        return loss, norm

    def changed(self, batch: tuple) -> str:
        """What one more step changes that is neither the model's state, the optimizer nor the scaler."""
        given = [self.model, self.loss_of, batch, self.optimizer, self.scaler, _FAR]
        names = ["model", "loss_of", "batch", "optimizer", "scaler", "max_norm"]
        (reply,) = self.student.calls([{"op": "call", "name": "train_step", "args": given, "watch": names}])
        if reply.raised is not None:
            raise StudentError(*reply.raised)
        return ", ".join(name for name in reply.changed if name != "the state of model")

    def scale(self) -> float:
        return self.scaler.method("get_scale")


def _batch(draw: Draw, size: int = 6) -> tuple[Tensor, Tensor, Tensor]:
    return draw.integers(0, _V, size, _T), draw.integers(0, _CLASSES, size), 0.5 + draw.uniform(size)


def _length(before: dict[str, Tensor], after: dict[str, Tensor]) -> float:
    """How far all weights together have moved."""
    return math.sqrt(sum(float((after[name] - value).double().square().sum()) for name, value in before.items()))


def _explain_loss(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    loss = observed["loss"]
    said = loss if isinstance(loss, str) else format(loss, ".4g")
    return f"It returned {said} with a scale of {observed['scale']:g}; that is not what loss_of gave."


@train_step.case("the loss comes back as loss_of gave it, not scaled", weight=0.5, explain=_explain_loss)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    step = _Step(student, draw, scale=256.0)
    return {"loss": as_number(step.take(_batch(draw))[0]), "_scale": 256.0}


@train_step.case("one step goes down the true gradient, whatever the scale")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    step = _Step(student, draw, scale=256.0)
    step.take(_batch(draw))
    return {"weights after the step": step.model.state()}


@train_step.case("a long gradient is cut to max_norm, over all parameters together")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    step = _Step(student, draw, scale=1.0, lr=1.0)
    step.take(_batch(draw), max_norm=0.05)
    after = step.model.state()
    return {"weights after the step": after, "length of the step": _length(step.weights, after)}


def _explain_threshold(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    moved = " and ".join(
        f"{observed[f'length of the step.{scale}']:.3g} with a scale of {scale}" for scale in ("1", "4096")
    )
    return f"Of the same gradient, with the same threshold, the step was {moved}."


@train_step.case("the threshold does not move with the scale", weight=1.5, explain=_explain_threshold)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    batch, moved = _batch(draw), {}
    for scale in (1.0, 4096.0):
        step = _Step(student, draw, scale, lr=1.0)
        step.take(batch, max_norm=0.1)
        moved[f"{scale:g}"] = _length(step.weights, step.model.state())
    return {"length of the step": moved}


@train_step.case("the norm that comes back is the true gradients', before clipping")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    batch = _batch(draw)
    return {
        "norm": {
            "nothing clipped, scale 1": as_number(_Step(student, draw, 1.0).take(batch)[1]),
            "clipped, scale 512": as_number(_Step(student, draw, 512.0).take(batch, max_norm=0.05)[1]),
        }
    }


_OTHER_DEVICE = "autocast on another device than the model's"


def _explain_autocast(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    wrong = [
        f"with dtype = torch.{asked} the model computed in {seen}"
        for asked, seen in ((key.removeprefix("computed in."), value) for key, value in observed.items())
        if seen != asked and asked != _OTHER_DEVICE
    ]
    if observed[_OTHER_DEVICE] != "none":
        wrong.append(f"where the model's parameters were on a GPU, autocast was asked for on {observed[_OTHER_DEVICE]}")
    message = "; ".join(wrong)
    return f"{message[:1].upper()}{message[1:]}." if wrong else None


@train_step.case(
    "loss_of runs under autocast to the dtype on the model's device, and for float32 without", explain=_explain_autocast
)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    seen = {}
    for dtype in (torch.bfloat16, torch.float16, torch.float32):
        step = _Step(student, draw, scale=8.0, on=dtype is not torch.bfloat16)  # which needs no scale
        step.take(_batch(draw), dtype=dtype)
        seen[str(dtype).removeprefix("torch.")] = step.loss_of.method("seen")
    far, asked = _Step(student, draw, scale=1.0, on=False, model="FarClassifier"), student.fixture("Autocasts")
    asked.method("begin")
    try:
        far.take(_batch(draw), dtype=torch.bfloat16)
    except StudentError:
        pass  # nothing can be made on a GPU that there is none of
    finally:
        asked.method("end")
    return {"computed in": seen, _OTHER_DEVICE: asked.method("other_than", "cuda")}


@train_step.case("a gradient that has become infinite leaves the step out, and the scale falls")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    step = _Step(student, draw, scale=4096.0)
    ids, targets, weights = _batch(draw)
    step.take((ids, targets, weights), max_norm=1.0)
    before = step.model.state()
    step.take((ids, targets, weights * 1e36), max_norm=1.0)  # a finite loss whose scaled gradient is not
    after = step.model.state()
    step.take((ids, targets, weights), max_norm=1.0)  # and training goes on from there
    return {
        "the weights moved": any(not torch.equal(before[name], after[name]) for name in before),
        "scale": step.scale(),
        "weights a step later": step.model.state(),
    }


@train_step.case("after two good steps in a row this scaler raises its scale", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    step = _Step(student, draw, scale=16.0, growth_interval=2)
    scales, losses = [], []
    for _ in range(3):
        losses.append(as_number(step.take(_batch(draw))[0]))
        scales.append(step.scale())
    return {"scale after step": scales, "loss of step": losses}


@train_step.case("gradients left from earlier steps do not count")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    step = _Step(student, draw, scale=32.0)
    student.fixture("stale_gradients", step.model, 3.0)
    _, norm = step.take(_batch(draw))
    step.take(_batch(draw))
    return {"norm": as_number(norm), "weights after two steps": step.model.state()}


@train_step.case("a scaler that is switched off, as for bfloat16: gradients are clipped all the same", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    step = _Step(student, draw, scale=1.0, lr=1.0, on=False)
    _, norm = step.take(_batch(draw), max_norm=0.05)
    after = step.model.state()
    ids, targets, weights = _batch(draw)
    step.take((ids, targets, weights.index_fill(0, torch.tensor(0), torch.inf)))
    last = step.model.state()
    return {
        "length of the step": _length(step.weights, after),
        "norm": as_number(norm),
        "weights after the step": after,
        "a step is taken where a gradient is infinite": any(not torch.equal(last[name], after[name]) for name in after),
    }


_READS = ("item", "tolist", "numpy", "cpu", "is_nonzero", "__array__", "__bool__", "__float__", "__int__", "__repr__")


@train_step.case("loss and norm are tensors, and no number is read off the loss: a GPU need not be waited for",
                weight=0.5, contract=True)  # fmt: skip
def _(student: Student, draw: Draw) -> dict[str, Any]:
    step = _Step(student, draw, scale=4.0)
    loss, norm = step.take(_batch(draw))
    read = any(step.watch.method("saw_call", name) for name in _READS)
    return {"type of the loss": type(loss).__name__, "type of the norm": type(norm).__name__,
            "a number was read off the loss": read}  # fmt: skip


@train_step.case("the loss comes back without a graph", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    step, batch = _Step(student, draw, scale=4.0), _batch(draw)
    step.take(batch)  # first, so that raising always proves nothing
    try:  # one more, and a backward pass from what comes back
        student.grad("train_step", step.model, step.loss_of, batch, step.optimizer, step.scaler, _FAR,
                     cotangents=[torch.tensor(1.0), None])  # fmt: skip
    except StudentError:
        pass  # the graph was there, and had been gone through
    return {"a graph hangs on the loss": step.loss_of.method("backward_passes") > 2}


@train_step.case(
    "a model in training mode computes in it, stays in it, and so does all else", weight=0.5, contract=True
)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    step = _Step(student, draw, scale=4.0)
    step.take(_batch(draw))
    changed = step.changed(_batch(draw))
    return {"the model's mode": step.loss_of.method("modes"), "changed beside the model's state": changed}


# ---- fix_the_drifting_rows ------------------------------------------------------------------------------------------

fix_the_drifting_rows = Check("fix_the_drifting_rows", components=("low_precision_attention",), blocked=("attention",))


@fix_the_drifting_rows.takes(
    "low_precision_attention", B=2, T=3, S=4, D=6, V=5, same="query key value",
    excused={
        "sizes": "numbers of bfloat16 are right in many forms, and their shapes alone the notebook's code has right",
        "gradients": "they are sums of bfloat16 numbers, which other orders round otherwise",
        "float64": "it computes in bfloat16 and float32, and is asked for tensors of float32",
    },
)  # fmt: skip
def _(draw: Draw, B: int, T: int, S: int, D: int, V: int) -> Arguments:
    return {"query": _whole(draw, 1, B, T, D), "key": _whole(draw, 1, B, S, D), "value": _whole(draw, 2, B, S, V)}


def _whole(draw: Draw, largest: int, *shape: int) -> Tensor:
    """Small whole numbers: their dot products are exact in bfloat16, on every machine."""
    return draw.integers(-largest, largest + 1, *shape).float()


def _explain_sums(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    return f"The row that is furthest off sums to {observed['furthest']:.5f}; in float32 that is 1.00000."


@fix_the_drifting_rows.case("every row of weights sums to one, with 150 keys", weight=2, explain=_explain_sums)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    _, weights = student.low_precision_attention(_whole(draw, 1, 7, 6), _whole(draw, 1, 150, 6), draw.normal(150, 5))
    sums = weights.double().sum(-1)
    furthest = sums[(sums - 1).abs().argmax()].item()
    return {"all sum to one": abs(furthest - 1) < 1e-5, "_furthest": furthest}


@fix_the_drifting_rows.case("the weights are the softmax of the scaled scores, to float32's precision", atol=2e-6)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    given = _whole(draw, 2, 2, 5, 6), _whole(draw, 2, 2, 9, 6), draw.normal(2, 9, 3)
    return {"weights": student.low_precision_attention(*given)[1]}


@fix_the_drifting_rows.case("no leading axis, and two, the first of them 1", weight=0.5, atol=2e-6)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    matrices = _whole(draw, 2, 4, 3), _whole(draw, 2, 7, 3), draw.normal(7, 2)
    heads = _whole(draw, 2, 1, 3, 4, 5), _whole(draw, 2, 1, 3, 6, 5), draw.normal(1, 3, 6, 4)
    return {"weights": [student.low_precision_attention(*given)[1] for given in (matrices, heads)]}


# The stub has the rest right: a repair should keep it.


@fix_the_drifting_rows.case("large scores, above zero and below", weight=0.5, contract=True, atol=2e-6)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    query, key, value = torch.ones(3, 4), _whole(draw, 1, 6, 4), draw.normal(6, 2)
    shifts = {"far above zero": 256.0, "far below zero": -256.0}  # sums of powers of two, exact in bfloat16
    key = torch.cat([key[:, :1], torch.zeros(6, 2), torch.ones(6, 1)], dim=-1)
    moved = {where: key * torch.tensor([64.0, 1.0, 1.0, shift]) for where, shift in shifts.items()}
    moved["alike, and in the thousands"] = torch.tensor([0.0, 0.0, 0.0, 16384.0]).repeat(6, 1)
    seen = {where: student.low_precision_attention(query, k, value)[1] for where, k in moved.items()}
    apart = query * torch.tensor([[1.0], [0.0], [-1.0]]) + torch.tensor(
        [1.0, 0.0, 0.0, 0.0]
    )  # one row far above the next
    seen["rows far apart"] = student.low_precision_attention(apart, moved["far above zero"], value)[1]
    return {"weights": seen}


@fix_the_drifting_rows.case("the output, as exactly as bfloat16 can have it", contract=True, atol=0.03, rtol=0.02)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    given = _whole(draw, 1, 2, 5, 6), _whole(draw, 1, 2, 9, 6), draw.normal(2, 9, 3)
    return {"output": student.low_precision_attention(*given)[0]}


@fix_the_drifting_rows.case("the matrix products are of bfloat16 tensors", contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    watch = student.fixture("Watch")
    query = student.fixture("watched", watch, _whole(draw, 1, 2, 5, 6))
    student.low_precision_attention(query, _whole(draw, 1, 2, 9, 6), draw.normal(2, 9, 3))
    seen = watch.method("dtypes_of_products").split(", ")  # as many as there are ways to cut the work up
    return {
        "the first came out in": seen[0],
        "the last came out in": seen[-1],
        "all came out in": ", ".join(sorted(set(seen))),
        "there are at least two": len(seen) >= 2,
    }


@fix_the_drifting_rows.case("output and weights come back in float32", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    both = student.low_precision_attention(draw.normal(5, 6), draw.normal(9, 6), draw.normal(9, 3))
    return {"dtypes": [str(tensor.dtype).removeprefix("torch.") for tensor in both]}


# ---- fused_multi_head_attention -------------------------------------------------------------------------------------

fused_multi_head_attention = Check("fused_multi_head_attention", components=("FusedMultiHeadAttention",))


@fused_multi_head_attention.takes(
    "FusedMultiHeadAttention",
    new=lambda B, T, S, D: (Fixture("four_maps", (D, 2 if D % 2 == 0 else 1)),),
    B=2, T=3, S=4, D=6, same="query key value", optional="mask",
)  # fmt: skip
def _(draw: Draw, B: int, T: int, S: int, D: int) -> Arguments:
    return {"query": draw.normal(B, T, D), "key": draw.normal(B, S, D), "value": draw.normal(B, S, D),
            "mask": draw.mask(B, T, S)}  # fmt: skip


def _fused(student: Student, draw: Draw, d_model: int, num_heads: int) -> tuple[Module, Module]:
    """An attention with drawn weights, and the student's module that stands in for it."""
    attention = student.fixture("four_maps", d_model, num_heads)
    attention.load(draw.state(attention))
    student.seed(5)  # whatever else is made beside it
    return attention, student.FusedMultiHeadAttention(attention)


@fused_multi_head_attention.case("self-attention: the same output")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    x = draw.normal(2, 5, 12)
    return {"output": _fused(student, draw, 12, 3)[1](x, x, x)[0]}


@fused_multi_head_attention.case("cross-attention, with other values than keys")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    fused = _fused(student, draw, 12, 2)[1]
    return {"output": fused(draw.normal(2, 3, 12), draw.normal(2, 5, 12), draw.normal(2, 5, 12))[0]}


@fused_multi_head_attention.case("a mask for each sentence (B, T, S): True may attend")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    fused = _fused(student, draw, 8, 4)[1]
    given = draw.normal(2, 3, 8), draw.normal(2, 5, 8), draw.normal(2, 5, 8)
    return {"output": fused(*given, draw.mask(2, 3, 5))[0]}


@fused_multi_head_attention.case("as many sentences as heads and queries, where wrong axes fit by accident", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    fused = _fused(student, draw, 6, 3)[1]
    given = draw.normal(3, 3, 6), draw.normal(3, 5, 6), draw.normal(3, 5, 6)
    masks = {"three axes": draw.mask(3, 3, 5), "two": draw.mask(3, 5)}
    seen = {f"output with a mask of {axes}": fused(*given, mask)[0] for axes, mask in masks.items()}
    x, square = draw.normal(2, 5, 6), draw.mask(5, 5)
    square[0, -1] = True  # so it is no causal one
    return seen | {"output of self-attention with a mask of two": fused(x, x, x, square)[0]}


@fused_multi_head_attention.case("one mask or one row of it for all, and one row of keys a sentence", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    fused = _fused(student, draw, 8, 4)[1]
    given = draw.normal(2, 3, 8), draw.normal(2, 5, 8), draw.normal(2, 5, 8)
    forms = {"(T, S)": (3, 5), "(1, S)": (1, 5), "(1, T, S)": (1, 3, 5), "(B, 1, S)": (2, 1, 5)}
    masks = {form: draw.mask(*shape) for form, shape in forms.items()}
    return {f"output with a mask {form}": fused(*given, mask)[0] for form, mask in masks.items()}


@fused_multi_head_attention.case("a row that may attend to nothing: zeros before W_O, finite gradients", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    fused = _fused(student, draw, 6, 2)[1]
    query, key, mask = draw.normal(2, 3, 6), draw.normal(2, 5, 6), draw.mask(2, 3, 5)
    mask[1, 2] = False
    gradients = fused.grad(query, key, key, mask, cotangents=[draw.normal(2, 3, 6)])["inputs"]
    return {"output": fused(query, key, key, mask)[0], "gradients": gradients[:3]}


@fused_multi_head_attention.case("the parameters are the attention's own four maps, under their names")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    attention, fused = _fused(student, draw, 6, 2)
    x, names = draw.normal(2, 4, 6), ", ".join(sorted(fused.state_shapes()))
    before = fused(x, x, x)[0]
    attention.load({name: 2 * value for name, value in draw.state(attention).items()})  # as training would
    return {
        "state": names,
        "num_heads": fused.method("__getattribute__", "num_heads"),
        "it follows when the attention's weights change": not torch.equal(before, fused(x, x, x)[0]),
    }


@fused_multi_head_attention.case("the kernel is asked, no (T, S) matrix is made, and None stands for the weights")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    fused, watch = _fused(student, draw, 6, 2)[1], student.fixture("Watch")
    query, key = student.fixture("watched", watch, draw.normal(3, 5, 6)), draw.normal(3, 23, 6)
    output, weights = fused(query, key, key)
    return {
        "scaled_dot_product_attention was called": watch.method("saw_call", "scaled_dot_product_attention"),
        "a tensor had the scores of all keys": watch.method("saw_axis", 23),
        "weights": weights,
        "shape of the output": str(tuple(output.shape)),
    }


# ---- attention_in_blocks --------------------------------------------------------------------------------------------

attention_in_blocks = Check("attention_in_blocks", components=("attention_in_blocks",), blocked=("attention",))


@attention_in_blocks.takes(
    "attention_in_blocks", B=2, T=3, S=7, D=5, V=4, N=3, same="query key value",
    excused={"gradients": "the output alone is promised: it may be summed up in place, which leaves no way back"},
)  # fmt: skip
def _(draw: Draw, B: int, T: int, S: int, D: int, V: int, N: int) -> Arguments:
    return {"query": draw.normal(B, T, D), "key": draw.normal(B, S, D), "value": draw.normal(B, S, V), "block_size": N}


@attention_in_blocks.case("two blocks of three keys")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"output": student.attention_in_blocks(draw.normal(2, 4, 5), draw.normal(2, 6, 5), draw.normal(2, 6, 3), 3)}


@attention_in_blocks.case("a last block that is smaller")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    given = draw.normal(2, 3, 5), draw.normal(2, 11, 5), draw.normal(2, 11, 4)
    return {"output": student.attention_in_blocks(*given, 4)}


@attention_in_blocks.case("no leading axis, and two", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    matrices = draw.normal(3, 4), draw.normal(5, 4), draw.normal(5, 2)
    heads = draw.normal(2, 3, 4, 6), draw.normal(2, 3, 7, 6), draw.normal(2, 3, 7, 5)
    return {"output": [student.attention_in_blocks(*given, 3) for given in (matrices, heads)]}


@attention_in_blocks.case("scores in the hundreds, which overflow unless a maximum is taken off")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    query, key, value = draw.normal(2, 4, 3), draw.normal(2, 9, 3), draw.normal(2, 9, 2)
    return {"output": student.attention_in_blocks(80 * query, 3 * key, value, 2)}


@attention_in_blocks.case("scores that rise from block to block, and that fall", weight=1.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    query, key, value = torch.ones(3, 4) + 0.1 * draw.normal(3, 4), draw.normal(9, 4), draw.normal(9, 2)
    slope = torch.linspace(-60.0, 60.0, 9).unsqueeze(1)
    return {
        "output as they rise": student.attention_in_blocks(query, key + slope, value, 2),
        "output as they fall": student.attention_in_blocks(query, key - slope, value, 2),
        "output where all are far below zero": student.attention_in_blocks(query, key - 90.0, value, 2),
    }


@attention_in_blocks.case("scores of minus a hundred thousand, and all of minus 1e30", weight=0.5, atol=0.1)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    key = _whole(draw, 1, 7, 4) - 50_000.0
    output = student.attention_in_blocks(torch.ones(3, 4), key, draw.normal(7, 2), 2)
    equal = torch.full((7, 4), -(2.0**100))  # whatever order they are summed in, no score is rounded
    value = 3 * torch.arange(7.0).unsqueeze(-1) + draw.normal(7, 2)
    return {
        "output": output,
        "output where all are lower still": student.attention_in_blocks(torch.ones(3, 4), equal, value, 2),
    }


def _explain_axis(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    if not observed["a tensor held the scores of all keys"]:
        return None
    return "With 26 keys in blocks of 4, a tensor made of the query had an axis of 26."


@attention_in_blocks.case("no tensor holds the scores of all keys", explain=_explain_axis)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    watch = student.fixture("Watch")
    query = student.fixture("watched", watch, draw.normal(2, 5, 3))
    output = student.attention_in_blocks(query, draw.normal(2, 26, 3), draw.normal(2, 26, 7), 4)
    return {"a tensor held the scores of all keys": watch.method("saw_axis", 26), "output": output}


def _explain_growth(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    few, many = observed["few"], observed["many"]
    if not observed["it grows with the keys"]:
        return None
    return f"With 16 keys at most {few} numbers made from the query were in memory at one time, with 96 keys {many}."


@attention_in_blocks.case("what is kept does not grow with the number of keys", weight=0.5, explain=_explain_growth)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    most, outputs = [], []
    for num_keys in (16, 96):
        watch = student.fixture("Watch")
        query = student.fixture("watched", watch, draw.normal(5, 3))
        outputs.append(student.attention_in_blocks(query, draw.normal(num_keys, 3), draw.normal(num_keys, 2), 4))
        most.append(watch.method("most_numbers"))
    few, many = most
    # by a summary of a block for each halving of the keys it may: blocks can be merged two by two
    return {"it grows with the keys": many > 2.5 * few, "output": outputs, "_few": few, "_many": many}


@attention_in_blocks.case("a block of less than one key raises ValueError", weight=0.5, contract=True,
                         explain=explain_refusals)  # fmt: skip
def _(student: Student, draw: Draw) -> dict[str, Any]:
    given = draw.normal(3, 4), draw.normal(5, 4), draw.normal(5, 2)
    student.attention_in_blocks(*given, 2)  # first, so that raising always proves nothing
    return {f"block_size = {size}": student.error_of("attention_in_blocks", *given, size) for size in (0, -2)}


# ---- accumulate -----------------------------------------------------------------------------------------------------

accumulate = Check("accumulate", components=("accumulate",))


@accumulate.takes(
    "accumulate", N=3, B=4, V=11, T=3, D=4, K=Axis(5, least=2),
    excused={"untouched": "it is to change the gradients; that the weights stay has a case of its own"},
)  # fmt: skip
def _(draw: Draw, N: int, B: int, V: int, T: int, D: int, K: int) -> Arguments:
    pieces = [(draw.integers(0, V, B, T), draw.integers(1, K + 1, B) % K) for _ in range(N)]
    pieces[0][1][0] = 1  # some piece has at least one prediction
    return {
        "model": Fixture("OpenClassifier", (V, T, D, K)),
        "loss_sum_of": Fixture("SummedLoss", load=False),
        "micro_batches": pieces,
    }


def _classifier(student: Student, draw: Draw) -> Module:
    model = student.fixture("OpenClassifier", _V, _T, _D, _CLASSES)
    model.load(draw.state(model))
    return model


def _pieces(draw: Draw, *sizes: tuple[int, int]) -> list[tuple[Tensor, Tensor]]:
    """Micro-batches of (how many rows, how many of them are padding): ids and targets, 0 where nothing is predicted."""
    made = []
    for rows, padded in sizes:
        targets = draw.integers(1, _CLASSES, rows)
        targets[draw.permutation(rows)[:padded]] = 0
        made.append((draw.integers(0, _V, rows, _T), targets))
    return made


def _accumulated(student: Student, draw: Draw, *sizes: tuple[int, int]) -> dict[str, Any]:
    model, loss = _classifier(student, draw), student.fixture("SummedLoss")
    mean = student.accumulate(model, loss, _pieces(draw, *sizes))
    return {"gradient": model.method("gradients"), "_mean": mean}


@accumulate.case("three pieces alike: the gradient is the whole batch's")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _accumulated(student, draw, (4, 0), (4, 0), (4, 0))


@accumulate.case("pieces of unequal size: each prediction counts the same")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _accumulated(student, draw, (6, 0), (5, 0), (1, 0))


@accumulate.case("pieces of equal size with unequal numbers of predictions")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _accumulated(student, draw, (5, 0), (5, 4), (5, 2))


@accumulate.case("a first piece without any prediction", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _accumulated(student, draw, (3, 3), (4, 1), (5, 0))


@accumulate.case("a piece whose predictions cost nothing: they are counted all the same", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    model, loss = _classifier(student, draw), student.fixture("SummedLoss", 1)
    pieces = _pieces(draw, (4, 0), (3, 0))
    pieces.insert(1, (draw.integers(0, _V, 3, _T), torch.ones(3, dtype=torch.int64)))
    pieces[0][1][0] = 2  # one that costs something
    return {"loss": as_number(student.accumulate(model, loss, pieces)), "gradient": model.method("gradients")}


@accumulate.case("it returns the mean loss over all predictions")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    model, loss = _classifier(student, draw), student.fixture("SummedLoss")
    return {"loss": as_number(student.accumulate(model, loss, _pieces(draw, (6, 1), (4, 2), (1, 0))))}


@accumulate.case("gradients from before do not count")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    model, loss = _classifier(student, draw), student.fixture("SummedLoss")
    student.fixture("stale_gradients", model, 0.7)
    student.accumulate(model, loss, _pieces(draw, (4, 0), (4, 0)))
    return {"gradient": model.method("gradients")}


def _explain_graphs(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    if observed["graphs at one time"] == expected["graphs at one time"]:
        return None
    return f"With four pieces there were {observed['graphs at one time']} graphs in memory at one time."


@accumulate.case("one backward pass for each piece, before the next piece's forward pass", explain=_explain_graphs)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    model, loss = _classifier(student, draw), student.fixture("SummedLoss")
    student.accumulate(model, loss, _pieces(draw, (3, 0), (3, 1), (3, 0), (2, 0)))
    return {
        "graphs at one time": loss.method("most_graphs"),
        "graphs that no backward pass had come through": loss.method("most_waiting"),
        "backward passes": loss.method("backward_passes"),
    }


@accumulate.case("pieces that can be gone through only once, as a generator's", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    model, loss = _classifier(student, draw), student.fixture("SummedLoss")
    pieces = student.fixture("once", _pieces(draw, (4, 1), (2, 0)))
    mean = student.accumulate(model, loss, pieces)
    return {"loss": as_number(mean), "gradient": model.method("gradients")}


@accumulate.case("the loss comes back as a tensor without a graph", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    model, loss, pieces = _classifier(student, draw), student.fixture("SummedLoss"), _pieces(draw, (4, 1), (2, 0))
    mean = student.accumulate(model, loss, pieces)
    before = loss.method("backward_passes")
    try:  # once more, and a backward pass from what comes back
        student.grad("accumulate", model, loss, pieces, cotangents=[torch.tensor(1.0)])
    except StudentError:
        pass  # the graph was there, and had been gone through
    passes = loss.method("backward_passes") - before
    return {"type of the loss": type(mean).__name__, "a graph hangs on the loss": passes > before}


@accumulate.case("the weights stay as they are, and all else but the gradients", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    model, pieces = _classifier(student, draw).eval(), _pieces(draw, (4, 1), (2, 0))
    given, names = [model, student.fixture("SummedLoss"), pieces], ["model", "loss_sum_of", "micro_batches"]
    (reply,) = student.calls([{"op": "call", "name": "accumulate", "args": given, "watch": names}])
    if reply.raised is not None:
        raise StudentError(*reply.raised)
    changed = [name for name in reply.changed if name != "the state of model"]  # its gradients are part of it
    return {"weights": model.state(), "changed beside the gradients": ", ".join(changed)}
