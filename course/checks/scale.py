"""Checks of chapter 10: what is looked at in each exercise, case by case.

A case draws inputs, calls the student's code and returns what it saw; the engine compares. No check needs a GPU or
uses one. Safe to change: titles, explanations. After any other change the tables are recorded afresh (`make refresh`).
"""

from typing import Any

import torch
from torch import Tensor

from course.checks.common import explain_refusals
from course.checks.engine import Arguments, Check, Draw, Fixture
from course.protocol.student import Module, Student, StudentError
from course.protocol.wire import Handle

# ---- checkpoints ----------------------------------------------------------------------------------------------------

checkpoints = Check("checkpoints", components=("save_checkpoint", "load_checkpoint"))
checkpoints.takes_nothing("It takes a path and the objects of a training: what it promises of them are its cases.")


class _Run:
    """A training that is saved after some steps, and what the checks need to look at the file."""

    def __init__(self, student: Student, draw: Draw):
        self.student = student
        self.seed, self.taken = int(draw.integers(10, 1000)), int(draw.integers(2, 5))
        self.folder, self.training = student.fixture("Folder"), student.fixture("Training", self.seed)
        self.training.before("steps", self.taken)

    def parts(self, training: Module, data: Module | None = None) -> list[Module | Handle]:
        """What save_checkpoint and load_checkpoint take, in their order."""
        given = [training.part(name) for name in ("model", "optimizer", "scheduler", "scaler")]
        return [*given, data or training.part("data")]

    def path(self, name: str = "checkpoint") -> Module:
        return self.student.fixture("text_of_path", self.folder, name)

    def save(self, name: str = "checkpoint") -> None:
        self.student.save_checkpoint(self.path(name), self.taken, *self.parts(self.training))

    def another(self) -> Module:
        """A training made anew, from other weights, that has begun already."""
        training = self.student.fixture("Training", self.seed + 1)
        training.before("steps", 1)
        return training

    def load(self, training: Module, name: str = "checkpoint") -> Any:
        return self.student.load_checkpoint(self.path(name), *self.parts(training))


def _equal(a: Any, b: Any) -> bool:
    """Whether two conditions are equal to the last bit."""
    if isinstance(a, Tensor):
        return isinstance(b, Tensor) and torch.equal(a, b)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_equal(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(_equal(x, y) for x, y in zip(a, b, strict=True))
    return a == b


def _unlike(one: dict[str, Any], other: dict[str, Any]) -> str:
    """What of two conditions is not the same."""
    unlike = []
    for name in one:
        if not _equal(one[name], other[name]):
            tensors = isinstance(one[name], list) and all(isinstance(value, Tensor) for value in one[name])
            pairs = zip(one[name], other[name], strict=True) if tensors else ()
            near = tensors and all(a.shape == b.shape and torch.allclose(a, b, atol=1e-2) for a, b in pairs)
            unlike.append(f"{name} (by a rounding)" if near else name)
    return ", ".join(unlike) or "nothing"


def _explain_resumed(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    if observed["not as it was saved"] != "nothing":
        return f"Not as they were when they were saved: {observed['not as it was saved']}."
    return "Right after loading the five objects were as they had been saved, but the next steps were others."


@checkpoints.case("the next steps are equal to the last bit", weight=2, explain=_explain_resumed)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    run = _Run(student, draw)
    saved = run.training.method("condition")
    run.save()
    losses = run.training.method("steps", 4)
    resumed = run.another()
    run.load(resumed)
    unlike = _unlike(saved, resumed.method("condition"))
    again = resumed.method("steps", 4)
    same = _equal(run.training.method("condition"), resumed.method("condition"))
    return {
        "not as it was saved": unlike,
        "the losses are the same": losses == again,
        "all is the same after them": same,
    }


_LOOKED_AT = {
    "the weights and running means, and the optimizer's memory of past gradients": (
        "weights",
        "running means",
        "moments",
    ),
    "the learning rate's schedule, the scaler's scale, the place in the stream of batches": (
        "schedule",
        "scale",
        "data",
    ),
}


def _add_condition_case(title: str, names: tuple[str, ...]) -> None:
    @checkpoints.case(f"it goes on with {title}")
    def _(student: Student, draw: Draw) -> dict[str, Any]:
        run = _Run(student, draw)
        run.save()
        before = run.training.method("condition")
        resumed = run.another()
        run.load(resumed)
        after = resumed.method("condition")
        return {f"the same {name}": _equal(before[name], after[name]) for name in names}


for _title, _names in _LOOKED_AT.items():
    _add_condition_case(_title, _names)


@checkpoints.case("it goes on with the random numbers, on which dropout rests", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    run, dice = _Run(student, draw), student.fixture("Dice")
    dice.before("seed", run.seed)
    first = dice.method("throw")
    run.save()
    thrown = dice.method("throw")
    resumed = run.another()
    dice.before("seed", run.seed + 1)
    run.load(resumed)
    after = dice.method("throw")
    dice.before("seed", run.seed + 1)
    left_alone = _equal(after, dice.method("throw"))
    kind = "as if nothing were loaded" if left_alone else "others"
    kinds = {"those after the save": thrown, "the first ones again": first}
    return {"the next random numbers": next((name for name, of in kinds.items() if _equal(of, after)), kind)}


@checkpoints.case("and with the random numbers of every CUDA device, here of two that stand in for them", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    run, devices = _Run(student, draw), student.fixture("TwoDevices")
    resumed, saved = run.another(), devices.method("states")
    devices.method("begin")
    try:
        run.save()
        devices.method("draw")
        run.load(resumed)
    finally:
        devices.method("end")
    after = devices.method("states")
    return {f"device {n} goes on": _equal(saved[n], after[n]) for n in range(2)}


def _explain_far(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    error = observed["loading raised"]
    return f"Loading it raised {error}." if error != "nothing" else None


@checkpoints.case(
    "a file that was saved from a device which this machine does not have", weight=0.5, explain=_explain_far
)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    run, device = _Run(student, draw), student.fixture("FarDevice")
    saved, resumed = run.training.method("condition"), run.another()
    device.method("begin")
    try:
        run.save()
    finally:
        device.method("end")
    try:
        run.load(resumed)
    except StudentError as error:
        return {"loading raised": error.type_name}
    return {"loading raised": "nothing", "not as it was saved": _unlike(saved, resumed.method("condition"))}


@checkpoints.case("saving leaves the running training, and the random numbers, as they are", contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    run, dice, seen = _Run(student, draw), student.fixture("Dice"), []
    for saves in (False, True):
        run.training = student.fixture("Training", run.seed)
        dice.before("seed", run.seed)
        run.training.before("steps", run.taken)
        before = run.training.method("condition")
        if saves:
            run.save()
        seen.append((_unlike(before, run.training.method("condition")), run.training.method("steps", 4)))
    return {"what saving changed": seen[1][0], "the next losses are those without saving": seen[0][1] == seen[1][1]}


@checkpoints.case("it returns how many steps had been taken; the path is a str or a Path", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    run = _Run(student, draw)
    run.save()
    path, first = student.fixture("path_of", run.folder, "another"), run.path("before the first step")
    student.save_checkpoint(path, run.taken + 20, *run.parts(run.training))
    student.save_checkpoint(first, 0, *run.parts(run.training))
    resumed = run.another()
    return {
        "steps, from a str": run.load(resumed),
        "steps, from a Path": student.load_checkpoint(path, *run.parts(resumed)),
        "steps, of one before the first": student.load_checkpoint(first, *run.parts(resumed)),
    }


@checkpoints.case("a later checkpoint takes the older one's place, and never writes into it")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    run, names, written = _Run(student, draw), ("checkpoint", "checkpoint.pt"), []
    for name in names:
        run.save(name)
        run.folder.before("copy", name, f"copy of {name}")
        run.folder.before("second_name", name, f"old {name}")
    run.training.before("steps", 2)
    for name in names:
        run.save(name)
        if not run.folder.method("same", f"old {name}", f"copy of {name}"):
            written.append(name)
    resumed = run.another()
    run.load(resumed, name)
    return {
        "old files that were written into": ", ".join(written) or "none",
        "the new one is read": _equal(run.training.method("condition"), resumed.method("condition")),
    }


@checkpoints.case("it takes that place at once, from the same folder", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    run = _Run(student, draw)
    run.save()
    moments = student.fixture("Moments", run.folder, "checkpoint")
    moments.method("begin")
    try:
        run.save()
    finally:
        moments.method("end")
    return {
        "for a moment there was no checkpoint": moments.method("was_gone"),
        "it was moved there from another folder": moments.method("came_from_elsewhere"),
    }


@checkpoints.case("where writing fails, the older checkpoint stands as it was, and the error is raised")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    run = _Run(student, draw)
    run.save()
    run.folder.before("copy", "checkpoint", "copy")
    unwritable = student.fixture("Unwritable", 10, 4)
    error = student.error_of("save_checkpoint", run.path(), run.taken, *run.parts(run.training, unwritable))
    there, same = run.folder.method("exists", "checkpoint"), run.folder.method("same", "checkpoint", "copy")
    return {"the older checkpoint": "whole" if same else "no longer what it was" if there else "gone",
            "an error is raised": bool(error)}  # fmt: skip


@checkpoints.case("no file, a file cut short and files of other kinds are errors that say so", contract=True,
                 explain=explain_refusals)  # fmt: skip
def _(student: Student, draw: Draw) -> dict[str, Any]:
    run = _Run(student, draw)
    run.save()
    resumed = run.another()
    run.load(resumed)  # first, so that raising always proves nothing
    run.folder.before("cut", "checkpoint")
    run.folder.before("write", "text", "This is no checkpoint.")
    run.folder.before("write", "empty", "")
    run.folder.before("write_weights", "weights")

    def error_of(name: str) -> str:
        try:
            run.load(resumed, name)
        except StudentError as error:
            unnamed = error.type_name == "ValueError" and run.folder.method("path", name) not in error.message
            return f"{error.type_name}{' without the path' if unnamed else ''}"
        return ""

    return {
        "a file that is not there": error_of("nowhere"),
        "a file cut short": error_of("checkpoint"),
        "a file of text": error_of("text"),
        "an empty file": error_of("empty"),
        "a folder": error_of(""),
        "a file with nothing but weights": error_of("weights"),
    }


@checkpoints.case("code that stands in a file is not run", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    run = _Run(student, draw)
    run.save()
    resumed = run.another()
    run.load(resumed)  # first, so that raising always proves nothing
    ran = []
    for kind in ("torch", "pickle"):
        run.folder.before("write_code", kind, f"traces of {kind}")
        student.error_of("load_checkpoint", run.path(kind), *run.parts(resumed))
        if run.folder.method("exists", f"traces of {kind}"):
            ran.append(kind)
    return {"code was run from a file written by": " and ".join(ran) or "none"}


# ---- model_flops_utilisation ----------------------------------------------------------------------------------------

model_flops_utilisation = Check("model_flops_utilisation", components=("model_flops_utilisation",))


@model_flops_utilisation.takes(
    "model_flops_utilisation",
    N=5_000_000,
    L=12,
    D=64,
    T=128,
    extremes={"2**40 tokens, more operations than 64 bits count": lambda given: given | {"num_tokens": 2**40}},
)
def _(draw: Draw, N: int, L: int, D: int, T: int) -> Arguments:
    rate, peak = _machine(draw)
    return {"num_parameters": N, "num_layers": L, "d_model": D, "num_tokens": T, "sequences_per_second": rate,
            "peak_flops": peak}  # fmt: skip


def _machine(draw: Draw) -> tuple[float, float]:
    """Sequences per second and a device's peak, so that shares are between a tenth and one."""
    return float(draw.integers(40, 90)), 1e12 * float(draw.integers(60, 90))


def _explain_share(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    share = observed["share"]
    return f"It says {share:.3g}." if isinstance(share, float) else None


@model_flops_utilisation.case("a short sequence, where the parameters rule", explain=_explain_share)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    parameters, layers, width = (int(draw.integers(low, 2 * low)) for low in (120_000_000, 9, 700))
    return {"share": student.model_flops_utilisation(parameters, layers, width, 200, *_machine(draw))}


@model_flops_utilisation.case("a long one, where the scores count too", explain=_explain_share)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    parameters, layers, width = (int(draw.integers(low, 2 * low)) for low in (20_000_000, 9, 300))
    return {"share": student.model_flops_utilisation(parameters, layers, width, 2000, *_machine(draw))}


@model_flops_utilisation.case("no layers: the parameters alone", weight=0.5, explain=_explain_share)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    parameters = int(draw.integers(120_000_000, 200_000_000))
    return {"share": student.model_flops_utilisation(parameters, 0, 512, 300, *_machine(draw))}


@model_flops_utilisation.case("no parameters: the attention alone", weight=0.5, explain=_explain_share)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    layers = int(draw.integers(8, 20))
    return {"share": student.model_flops_utilisation(0, layers, 512, 2500, *_machine(draw))}


@model_flops_utilisation.case(
    "a share above one, which says that the peak is wrong", weight=0.5, explain=_explain_share
)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    rate, peak = _machine(draw)
    return {"share": student.model_flops_utilisation(150_000_000, 12, 768, 400, 20 * rate, peak)}


@model_flops_utilisation.case("a peak that is not above zero raises ValueError", weight=0.5, contract=True,
                             explain=explain_refusals)  # fmt: skip
def _(student: Student, draw: Draw) -> dict[str, Any]:
    given = 1_000_000, 2, 64, 128, 50.0
    student.model_flops_utilisation(*given, 0.5)  # first, so that raising always proves nothing
    return {f"a peak of {peak:g}": student.error_of("model_flops_utilisation", *given, peak) for peak in (0.0, -1e12)}


# ---- ddp_equivalence ------------------------------------------------------------------------------------------------

ddp_equivalence = Check("ddp_equivalence", components=("shard", "average_gradients"))
_V, _T, _D, _CLASSES = 11, 3, 4, 5


@ddp_equivalence.takes("shard", N=12, W=3)
def _(draw: Draw, N: int, W: int) -> Arguments:
    return {"num_samples": N, "rank": W - 1, "world_size": W, "epoch": int(draw.integers(2, 50)), "seed": 7}


@ddp_equivalence.takes("average_gradients", W=3, excused={"untouched": "it is to change the gradients"})
def _(draw: Draw, W: int) -> Arguments:
    model = Fixture("OpenClassifier", (_V, _T, _D, _CLASSES))
    return {"model": model, "all_reduce": lambda gradient: W * gradient, "world_size": W}


def _shards(student: Student, num_samples: int, world_size: int, *epoch_and_seed: int) -> list[list[Any]]:
    """What each process gets, as plain lists."""
    return [list(student.shard(num_samples, rank, world_size, *epoch_and_seed)) for rank in range(world_size)]


def _explain_shards(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    if len(set(observed["lengths"].split())) > 1:
        return f"The processes got {observed['lengths']} samples. Each should get equally many."
    missing = observed["missing"]
    return f"{missing} of the samples went to no process." if missing > 0 else None


def _look_at_shards(shards: list[list[Any]], num_samples: int) -> dict[str, Any]:
    return {
        "process": shards,
        "_lengths": " ".join(str(len(of_one)) for of_one in shards),
        "_missing": num_samples - len({number for of_one in shards for number in of_one}),
    }


@ddp_equivalence.case("samples that can be shared out evenly", explain=_explain_shards)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    epoch, seed = int(draw.integers(2, 50)), int(draw.integers(100, 900))
    return _look_at_shards(_shards(student, 12, 3, epoch, seed), 12)


@ddp_equivalence.case("samples that cannot: the order's beginning comes again", explain=_explain_shards)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    epoch, seed = int(draw.integers(2, 50)), int(draw.integers(100, 900))
    return _look_at_shards(_shards(student, 14, 4, epoch, seed), 14)


@ddp_equivalence.case("more processes than samples, over again if need be", weight=0.5, explain=_explain_shards)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _look_at_shards(_shards(student, 3, 8, int(draw.integers(2, 50))), 3)


@ddp_equivalence.case("another order in each epoch, and with each seed", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    first, seed = int(draw.integers(2, 50)), int(draw.integers(100, 900))
    return {
        f"process 1 with {change}": list(student.shard(10, 1, 2, first + epoch, seed + more))
        for change, epoch, more in (("an epoch", 0, 0), ("the next epoch", 1, 0), ("another seed", 0, 7))
    }


@ddp_equivalence.case("no samples, or a rank that there is not, raise ValueError", weight=0.5, contract=True,
                     explain=explain_refusals)  # fmt: skip
def _(student: Student, draw: Draw) -> dict[str, Any]:
    student.shard(1, 1, 2, 0)  # first, so that raising always proves nothing
    return {
        "no samples": student.error_of("shard", 0, 0, 2, 0),
        "samples below none": student.error_of("shard", -3, 0, 2, 0),
        "a rank of 2 of 2": student.error_of("shard", 10, 2, 2, 0),
        "a rank of -1": student.error_of("shard", 10, -1, 2, 0),
    }


class _Calls:
    """all_reduce on one of several processes, whose n-th calls belong together; `others` is what theirs were given."""

    def __init__(self, others: list[list[Tensor]]):
        self.others = others
        self.given: list[Tensor] = []

    def all_reduce(self, tensor: Tensor) -> Tensor:
        number = len(self.given)
        self.given.append(tensor)
        theirs = [of_one[number] for of_one in self.others if number < len(of_one)]
        return sum((other for other in theirs if other.shape == tensor.shape), tensor.clone())


def _classifier(student: Student, draw: Draw) -> Module:
    model = student.fixture("OpenClassifier", _V, _T, _D, _CLASSES)
    model.load(draw.state(model))
    return model


def _averaged(
    student: Student, draw: Draw, world_size: int, without: tuple[str, ...] = (), frozen: str = ""
) -> dict[str, Any]:
    """Gradients and calls on process 0 of several, all running the student's code; it has no gradient for `without`."""
    model = _classifier(student, draw)
    if frozen:
        model.before("freeze", frozen)
    given: list[list[Tensor]] = []
    for rank in reversed(range(world_size)):  # the others first, so that what they gave is known to process 0
        gradients: dict[str, Tensor | None] = dict(draw.another("rank", rank).state(model, scale=1.0))
        gradients |= dict.fromkeys(without if rank == 0 else ())
        model.method("set_gradients", gradients)
        calls = _Calls(given)
        student.average_gradients(model, calls.all_reduce, world_size)
        given.append(calls.given)
    return {"gradient": model.method("gradients"), "calls": [str(tuple(tensor.shape)) for tensor in given[-1]]}


def _without_calls(seen: dict[str, Any]) -> dict[str, Any]:
    return {"gradient": seen["gradient"]}


@ddp_equivalence.case("gradients become the mean over three processes")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _without_calls(_averaged(student, draw, 3))


@ddp_equivalence.case("a parameter without a gradient here gets the others' share")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _without_calls(_averaged(student, draw, 4, without=("unused", "hidden.weight")))


@ddp_equivalence.case("a parameter without a gradient in any process gets zeros", weight=0.5)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    model = _classifier(student, draw)
    model.load({"unused": torch.tensor([float("inf"), 1.0])})  # zeros are zeros, whatever the parameter is
    model.before("double")
    given = {name: value.double() for name, value in draw.state(model).items()} | {"unused": None}
    model.method("set_gradients", given)
    student.average_gradients(model, _Calls([[]]).all_reduce, 2)
    return {"parameters left without": model.method("without_gradients"), "gradient": model.method("gradients")}


def _explain_calls(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    return f"all_reduce was called with tensors of these shapes: {observed['shapes'] or 'none at all'}."


@ddp_equivalence.case("all_reduce is called once for each parameter, in order", weight=0.5, contract=True,
                     explain=_explain_calls)  # fmt: skip
def _(student: Student, draw: Draw) -> dict[str, Any]:
    seen = _averaged(student, draw, 2, without=("unused", "hidden.weight"), frozen="hidden.weight")
    return {"shapes": ", ".join(seen["calls"])}
