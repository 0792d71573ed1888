"""Several calls in one request, tensors as they lie, what a call changes, and another device: over both protocols."""

import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import course
from autograde.sandbox.remote import Remote
from course.protocol import device, runner, untouched, wire
from course.protocol.blocked import Rule, Watch
from course.protocol.student import Local, Prefetched, StateError, Student
from solutions.dot_product import scaled_dot_product_attention

CODE = """
import random
import numpy as np
import torch
from torch import nn

table = torch.arange(3.0)

def strides(x, y):
    return [str((x.stride(), x.storage_offset(), y.stride(), y.storage_offset())), x is y]

def raises(x):
    raise KeyError("three")

def adds(x):
    x += 1
    return x

def tracks(x):
    x.requires_grad_(True)
    return x.detach() * 2

def leaves_a_gradient(x):
    x.requires_grad_(True)
    x.sum().backward()
    x.requires_grad_(False)
    return x * 2

def seeds(x):
    torch.manual_seed(0); np.random.seed(0); random.seed(0)
    return x

def draws_one_of_two(x):
    np.random.standard_normal()
    return x

def leaves_all_behind(x):
    torch.set_grad_enabled(False)
    torch.set_autocast_enabled("cpu", True)
    torch.set_default_dtype(torch.float64)
    return x

def draws_and_puts_back(x):
    state = torch.get_rng_state()
    torch.rand(3)
    torch.set_rng_state(state)
    return x * 2

def on_the_cpu(x):
    return x + torch.ones(x.shape[-1])

def with_its(x):
    return x + torch.arange(x.shape[-1], device=x.device) if x.ndim else x

def writes_into(given_back, x):
    given_back(x.mT, x)["its"][0].zero_()
    return x

def of_a_table(x):
    return x + table

def brought_back(x):
    return x.cpu()

def reads(x):
    return x * 2 if x.sum() > 0 else x

kept = torch.zeros(2)

def the_same_memory(x):
    return kept.add_(x.sum())

seen = {}

def by_its_tensor(x):
    if seen.get("x") is not x:
        seen.update(x=x, y=x * 2)
    return seen["y"]

class Linear(nn.Module):
    def __init__(self, width, registered):
        super().__init__()
        self.map = nn.Linear(width, width)
        if registered:
            self.register_buffer("shift", torch.ones(width))
        else:
            self.shift = torch.ones(width)

    def forward(self, x):
        return self.map(x) + self.shift

class Counts(Linear):
    def forward(self, x):
        self.shift += 1
        return super().forward(x)

class Trains(Linear):
    def forward(self, x):
        self.train()
        return super().forward(x)

class Freezes(Linear):
    def forward(self, x):
        self.map.requires_grad_(False)
        return super().forward(x)

class Nothing(Linear):
    def train(self, mode=True):
        super().train(mode)
"""


def namespace() -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(CODE, names)
    return names


@pytest.fixture(params=["local", "remote"])
def student(request) -> Iterator[Student]:
    states = torch.get_rng_state()
    if request.param == "local":
        yield Student(Local(namespace()))
    else:
        near, far = socket.socketpair()
        thread = threading.Thread(target=runner.serve, args=(far, namespace()), daemon=True)
        thread.start()
        yield Student(Remote(near, timeout=20))
        near.close()
        thread.join(5)
    torch.set_rng_state(states)
    torch.set_grad_enabled(True)
    torch.set_autocast_enabled("cpu", False)
    torch.set_default_dtype(torch.float32)


def call(name: str, *args: Any, **fields: Any) -> dict[str, Any]:
    return {"op": "call", "name": name, "args": list(args), **fields}


x = torch.arange(24.0).reshape(2, 3, 4)
LAID = {
    "transposed": x.mT,
    "a slice": x[:, 1:, ::2],
    "expanded": x[:1].expand(2, 3, 4),
    "a number out of many": x[1, 2, 3],
    "nothing, with an offset": x[1:, 2:2],
    "truth values": (x > 3)[:, 1:],
    "bfloat16": x.bfloat16().mT,
}


@pytest.mark.parametrize("laid", LAID.values(), ids=LAID)
def test_a_request_carries_tensors_as_they_lie(student, laid):
    asked = (laid.stride(), laid.storage_offset())
    described, one = student.strides(laid, laid)
    assert described == str(asked * 2) and one is True
    described, one = student.strides(laid, laid.contiguous().clone())
    assert described.startswith(str(asked)[:-1]) and one is False


@pytest.mark.parametrize("laid", LAID.values(), ids=LAID)
def test_what_crosses_as_it_lies_holds_the_same_numbers(laid):
    came = wire.copy([laid, laid, x], as_it_lies=True)
    assert came[0] is came[1] and torch.equal(came[0], laid) and torch.equal(came[2], x)
    assert came[0].dtype == laid.dtype and came[0].stride() == laid.stride()
    came = wire.copy([laid, laid])
    assert came[0] is not came[1] and came[0].is_contiguous() and torch.equal(came[0], laid)


@pytest.mark.parametrize("laid", [x, x[:, 1:], x.mT], ids=["in one piece", "with an offset", "turned round"])
def test_what_a_call_back_gives_of_an_argument_lies_in_that_argument(student, laid):
    def row(_: Any, y: torch.Tensor) -> Any:
        return {"its": [wire.Lent(1, y[1].shape, y[1].stride(), y[1].storage_offset())]}

    was = laid.clone()
    came = student.writes_into(row, laid)
    assert torch.equal(came[1], was[1] if not laid.is_contiguous() else torch.zeros_like(was[1]))
    assert torch.equal(came[0], was[0]) and torch.equal(laid, was)
    student.prefetch(Prefetched([wire.digest(runner.calling(0, (laid.mT, laid), {}))], [row(None, laid.contiguous())]))
    assert torch.equal(student.writes_into(row, laid), came) and student.prefetched() == 1


FORGED = [
    '{"laid": ["float32", [2], [-1], 0]}',
    '{"laid": ["float32", [2], [1], -1]}',
    '{"laid": ["float32", [2, 2], [1], 0]}',
    '{"laid": ["float32", [2], [1152921504606846976], 0]}',
    '{"laid": ["float32", [2], [1], 1152921504606846976]}',
    '{"laid": ["float32", [2], ["1"], 0]}',
    '{"laid": ["float32", 2, 1, 0]}',
    '{"laid": ["object", [2], [1], 0]}',
    '{"same": 0}',
    '{"same": -1}',
    '{"same": "0"}',
    '{"lent": 0}',
    '{"lent": [0, [2], [1]]}',
    '{"lent": [0, ["two"], [1], 0]}',
]


@pytest.mark.parametrize("header", FORGED)
def test_forged_layouts_are_wire_errors(header):
    with pytest.raises(wire.WireError):
        wire.decode(header.encode(), lambda n: bytearray(n), as_it_lies=True)


@pytest.mark.parametrize("header", ['{"laid": ["float32", [2], [1], 0]}', '{"same": 0}', '{"lent": [0, [2], [1], 0]}'])
def test_a_reply_tells_of_no_layout(header):
    with pytest.raises(wire.WireError, match="unknown kind"):
        wire.decode(header.encode(), lambda n: bytearray(n))


def test_each_call_is_on_its_own(student):
    replies = student.calls([call("with_its", x), call("raises", x), call("absent", x), call("with_its", x)])
    assert [reply.raised and reply.raised[0] for reply in replies] == [None, "KeyError", "Undefined", None]
    assert torch.equal(replies[0].value, replies[3].value)


def test_a_result_is_what_it_was_before_the_next_call(student):
    first, second = student.calls([call("the_same_memory", torch.ones(2)), call("the_same_memory", torch.ones(2))])
    assert first.value.tolist() == [2, 2] and second.value.tolist() == [4, 4]


def test_the_same_tensors_come_once_more_with_other_numbers(student):
    for name, stale in (("reads", False), ("by_its_tensor", True)):
        anew, in_the_same = student.calls([call(name, x + 1), call(name, x, then=[x + 1])])
        assert torch.equal(anew.value, in_the_same.value) is not stale


@pytest.mark.parametrize(
    "name, changed",
    [
        ("with_its", set()),
        ("draws_and_puts_back", set()),
        ("adds", {"`x`"}),
        ("tracks", {"`requires_grad` of `x`"}),
        ("leaves_a_gradient", {"`grad` of `x`"}),
        ("seeds", {"PyTorch's random numbers", "NumPy's random numbers", "Python's random numbers"}),
        ("leaves_all_behind", {"whether gradients are recorded", "autocast", "the default dtype"}),
    ],
)
def test_what_a_call_changes_is_named(student, name, changed):
    for _ in range(2):  # also where it was so before, as far as that can be told
        (reply,) = student.calls([call(name, x.clone(), watch=["x"])])
        assert set(reply.changed) <= changed | set(untouched.SHARED)
        assert name == "leaves_all_behind" or set(reply.changed) == changed
    (reply,) = student.calls([call("with_its", x, watch=["x"])])
    assert reply.changed == ()


@pytest.mark.parametrize("kind", [np.random.MT19937, np.random.PCG64])
def test_numpys_numbers_are_watched_whatever_draws_them(student, kind):
    kept = np.random.get_bit_generator()
    np.random.set_bit_generator(kind(0))
    try:
        for _ in range(3):  # of two normal numbers the second is ready already
            before = str(np.random.get_state(legacy=False))
            (reply,) = student.calls([call("draws_one_of_two", x, watch=["x"])])
            assert reply.changed == ("NumPy's random numbers",)
            assert str(np.random.get_state(legacy=False)) == before
            np.random.standard_normal()
    finally:
        np.random.set_bit_generator(kept)


@pytest.mark.parametrize("laid", LAID.values(), ids=LAID)
def test_each_of_several_calls_gets_its_own_tensors_as_they_lie(student, laid):
    lies = [str((laid.stride(), laid.storage_offset()) * 2), True]
    asked = [call("strides", laid, laid), call("adds", laid), call("adds", laid), call("strides", laid, laid)]
    first, second, third, fourth = student.calls(asked)
    assert first.value == fourth.value == lies and second.raised == third.raised
    assert second.raised or torch.equal(second.value, third.value)


def test_copies_of_what_calls_are_given_are_no_operators_of_an_answers():
    student = Student(Local(namespace(), Rule(watch=Watch())), ("softmax",))
    student.calls([call("strides", laid, laid) for laid in LAID.values()])
    assert student.operators == set()


def test_what_a_call_changes_of_its_module_is_named(student):
    for name, changed in (
        ("Linear", ()),
        ("Counts", ("the state of the module",)),
        ("Trains", ("the mode of the module",)),
        ("Freezes", ("`requires_grad` in the module",)),
    ):
        module = student.shared(name, 4, True).eval()
        (reply,) = student.calls([{"op": "invoke", "on": module, "args": [x], "watch": ["x"]}])
        assert reply.changed == changed


def test_whether_train_gives_the_module_back(student):
    for name, itself in (("Linear", True), ("Nothing", False)):
        (reply,) = student.calls([{"op": "mode", "on": student.shared(name, 4, True), "training": True}])
        assert reply.value is itself


@pytest.mark.parametrize(
    "name, expected",
    [("with_its", ""), ("reads", ""), ("raises", ""), ("on_the_cpu", "two devices"), ("brought_back", "on the CPU")],
)
def test_another_device_is_told_apart(student, name, expected):
    assert student._do("elsewhere", (x,), name=name) == expected


def test_a_table_of_ones_own_lies_on_one_device(student):
    assert student._do("elsewhere", (torch.zeros(3),), name="of_a_table") == "two devices"
    assert student._do("elsewhere", (x,), name="Linear", new=[4, True]) == ""
    assert student._do("elsewhere", (x,), name="Linear", new=[4, False]) == "two devices"


def test_lists_and_modules_are_moved_too():
    def joined(xs, module):
        return module(torch.cat(xs))

    assert device.elsewhere(joined, None, "", [[x, x], nn.Linear(4, 2)]) == ""


@pytest.mark.parametrize(
    "lie",
    [
        {"ok": []},
        {"ok": "text"},
        {"ok": [{"ok": 1}]},
        {"ok": [{"ok": 1, "changed": [torch.zeros(2)]}]},
        {"ok": [{"error": ("KeyError", torch.zeros(2))}]},
        {"ok": [{"error": "KeyError"}]},
        {"ok": [{"ok": 1, "changed": []}, {"ok": 1, "changed": []}]},
    ],
    ids=str,
)
def test_forged_replies_to_calls_are_an_answer_of_another_form(lie):
    class Liar:
        def request(self, message: dict[str, Any], callbacks: list[Callable]) -> dict[str, Any]:
            return lie

    with pytest.raises(ValueError, match="answered"):
        Student(Liar()).calls([call("with_its", x)])


def test_what_must_go_before_the_calls_ends_them_all(student):
    with pytest.raises(StateError, match="no fixture"):
        student.calls([{"op": "invoke", "on": student.fixture("nothing"), "args": []}])


def of_two(operator: Callable) -> Callable:
    return lambda x: operator(x, torch.zeros(2, 2))


MEETINGS = {
    "a sum": (of_two(torch.add), "two devices"),
    "a product of matrices": (of_two(torch.matmul), "two devices"),
    "a batch of them": (lambda x: torch.bmm(x[None], torch.zeros(1, 2, 2)), "two devices"),
    "an equation": (lambda x: torch.einsum("ij,jk->ik", x, torch.zeros(2, 2)), "two devices"),
    "joined": (lambda x: torch.cat([x, torch.zeros(2, 2)]), "two devices"),
    "a mask": (lambda x: x.masked_fill(torch.ones(2, 2).bool(), 0.0), "two devices"),
    "a choice": (lambda x: torch.where(x > 0, x, torch.zeros(2, 2)), "two devices"),
    "a table of one's own": (lambda x: nn.functional.embedding(x.long(), torch.zeros(3, 2)), "two devices"),
    "a convolution": (lambda x: nn.functional.conv1d(x[None], torch.zeros(2, 2, 1)), "two devices"),
    "gathered": (lambda x: x.gather(1, torch.zeros(2, 1).long()), "two devices"),
    "an index into a table of one's own": (lambda x: torch.zeros(3, 2)[x.long()], "two devices"),
    "a number": (lambda x: x * torch.tensor(3.0), ""),
    "indices": (lambda x: x[torch.tensor([1, 0])], ""),
    "assigned by indices": (lambda x: x.clone().index_put_((torch.tensor([1]),), x[0]), ""),
    "brought there": (lambda x: x + torch.zeros(2, 2).to(x.device), ""),
    "made there": (lambda x: x + x.new_zeros(2) + torch.arange(2, device=x.device), ""),
    "caught": (lambda x: _tried(x), ""),
}


def _tried(x):
    try:
        return x + torch.zeros(2, 2)
    except RuntimeError:
        return x + torch.zeros_like(x)


@pytest.mark.parametrize("function, expected", MEETINGS.values(), ids=MEETINGS)
def test_where_two_devices_meet(function, expected):
    assert device.elsewhere(function, None, "", [torch.zeros(2, 2)]) == expected
    function(torch.zeros(2, 2))  # and on one device all of them go on


LEFT_ON = {
    "gradients off": "torch.set_grad_enabled(False)",
    "inference mode": "mode = torch.inference_mode(); mode.__enter__()",
    "autocast": "cast = torch.autocast('cpu', dtype=torch.bfloat16); cast.__enter__()",
    "another default dtype": "torch.set_default_dtype(torch.float64)",
    "another default device": "torch.set_default_device('meta')",
}


@pytest.mark.parametrize("left", LEFT_ON.values(), ids=LEFT_ON)
def test_what_a_cell_left_on_costs_an_answer_nothing(left):
    names = namespace()
    near, far = socket.socketpair()

    def leave() -> None:
        exec(left, names)
        runner.serve(far, names)

    thread = threading.Thread(target=leave, daemon=True)  # most of it is a thread's own, as it is a process's there
    thread.start()
    try:
        student = Student(Remote(near, timeout=20))
        given = student.Linear(4, True)(torch.zeros(2, 4, dtype=torch.float32, device="cpu"))
        weights = torch.ones(2, 3, dtype=torch.float32, device="cpu")
        gradients = student.grad("with_its", torch.zeros_like(weights), cotangents=[weights])
    finally:
        near.close()
        thread.join(5)
        torch.set_default_dtype(torch.float32)
    assert given.dtype == torch.float32 and torch.equal(gradients[0], weights)


def test_afterwards_all_is_as_the_cell_left_it():
    torch.set_default_dtype(torch.float64)
    try:
        with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16), runner.as_at_the_start():
            assert torch.is_grad_enabled() and torch.get_default_dtype() == torch.float32
            assert not torch.is_autocast_enabled("cpu")
        assert torch.get_default_dtype() == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


def test_a_learners_check_is_not_led_astray_by_what_was_left_on(monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_HOME", str(tmp_path))
    torch.set_default_dtype(torch.float64)
    torch.set_default_device("meta")
    try:
        with torch.no_grad():
            points = course.check("4.1", scaled_dot_product_attention)
    finally:
        torch.set_default_dtype(torch.float32)
        torch.set_default_device("cpu")
    assert points.verdict.passed
