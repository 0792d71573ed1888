"""The wire, the runner and the student: the same answers in process and over a socket."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from autograde.sandbox import remote as remotes
from autograde.sandbox.remote import Remote
from course.checks.engine import draw
from course.checks.engine.case import flatten
from course.checks.engine.draw import Draw
from course.key import Key
from course.protocol import runner, untouched, wire
from course.protocol.student import Local, Prefetched, StateError, Student, StudentError

CODE = """
import torch
from course.key import Key
from torch import nn

class Doubler(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.dropout = nn.Dropout(0.5)
    def forward(self, x):
        return self.dropout(self.linear(x)), x.sum()
    def describe(self, prefix):
        return {prefix: [self.linear.in_features, None]}
    def widen(self):
        self.linear = nn.Linear(4, 4)

class Around(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

class Stateless(nn.Module):
    pass

class Shapeless(nn.Module):
    def state_dict(self, *args, **kwargs):
        raise RuntimeError("not yet")

def add(x, y=1.0):
    return x + y

def in_place(x):
    x += 1
    return x

def last_of(xs):
    return xs[-1] + 1

def last_in_place(xs):
    xs[-1] += 1

def last_taken(xs):
    xs.pop()

def repeat(step, times):
    total = torch.zeros(2)
    for i in range(times):
        total = step(total, i)
    return total

def raises():
    raise ValueError("3 is not 4")

def forge():
    return {"handle": 0}

def strange():
    return object(), {1, 2}, "text"

def huge():
    return [[[]]] * 10_000_000

def uses_what_is_blocked(x):
    return torch.softmax(x, -1)

answer = 42
"""


def namespace() -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(CODE, names)
    return names


@pytest.fixture(params=["local", "remote"])
def connect(request) -> Iterator[Callable[..., Student]]:
    """A student over each protocol."""
    if request.param == "local":
        yield lambda blocked=(): Student(Local(namespace()), blocked)
        return
    near, far = socket.socketpair()
    thread = threading.Thread(target=runner.serve, args=(far, namespace()), daemon=True)
    thread.start()
    yield lambda blocked=(): Student(Remote(near, timeout=20), blocked)
    near.close()
    thread.join(5)


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**62), 2**62) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=4) | st.integers(0, 9), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(values)
def test_plain_values_cross_unchanged(value):
    assert wire.copy(value) == value


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.bool, torch.int64,
                                   torch.uint8, torch.complex64])  # fmt: skip
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (2, 3, 4)])
def test_tensors_cross_bit_for_bit(dtype, shape):
    value = (torch.randn(shape) * 3).to(dtype)
    copied = wire.copy(value)
    assert copied.dtype == dtype and copied.shape == value.shape and torch.equal(copied, value)


def test_a_tensor_loses_its_graph_its_subclass_and_its_strides():
    class Liar(Tensor):
        def __eq__(self, other):
            return True

    live = torch.randn(3, 4, requires_grad=True).T * 2
    copied = wire.copy([live.as_subclass(Liar), live])
    assert all(type(c) is Tensor and not c.requires_grad and c.is_contiguous() for c in copied)
    assert torch.equal(copied[0], live.detach())


def test_numpy_scalars_cross_as_numbers_and_the_rest_by_type_name():
    assert wire.copy([np.float64(0.5), np.int64(3), np.bool_(True)]) == [0.5, 3, True]
    assert wire.copy(np.zeros(3)) == wire.Foreign("ndarray")
    assert wire.copy(torch.float32) == wire.Foreign("dtype")


@pytest.mark.parametrize(
    "header",
    [b"{", b"[1]", b'{"a": 1}', b'{"tensor": ["float32", [-1]]}', b'{"tensor": ["quint8", [1]]}', b'{"handle": "0"}',
     b'{"dict": [[1]]}', b'{"tensor": ["float32", [1, 1, 1, 1, 1, 1, 1, 1, 1]]}',
     b'{"tensor": ["float32", [1099511627776]]}',
     b'{"list": ' * 40 + b"1" + b"}" * 40, b"[" * 100_000, b'{"dict": [["a", 1, 2]]}', b'{"dict": ["ab"]}',
     b'{"handle": 0}', b'{"handle": [0, 1]}', b'{"handle": [true, ""]}', b'{"state": [["a"], [[1], [1]]]}',
     b'{"state": [[["a"]], [[1]]]}', b'{"state": [["a"], [[-1]]]}', b'{"state": [["a"], ["1"]]}',
     b'{"state": [["a"], 3]}', b'{"state": [["a", "b"], [[8388608], [8388609]]]}', b'{"state": [[], []]}',
     b'{"dict": "ab"}', b'{"list": 3}', b'{"tensor": 3}', b'{"state": "ab"}',
     b'{"foreign": 3}', b'{"callback": true}', b'{"tensor": ["float32", [true]]}', '{"list": []}'.encode("utf-16")],
)  # fmt: skip
def test_a_malformed_frame_is_a_wire_error(header):
    with pytest.raises(wire.WireError):
        wire.decode(header, lambda n: bytearray(n))


def test_values_too_large_or_too_deep_are_refused_before_sending():
    with pytest.raises(wire.WireError, match="too large"):
        wire.encode(torch.zeros(100), wire.Caps(array_bytes=100))
    deep: list = []
    for _ in range(50):
        deep = [deep]
    with pytest.raises(wire.WireError, match="nested"):
        wire.encode(deep)


def test_calls_methods_variables_and_errors(connect):
    student = connect()
    assert torch.equal(student.add(torch.ones(2), y=2.0), torch.full((2,), 3.0))
    assert student.get("answer") == 42
    assert student.error_of("raises") == "ValueError" and student.error_of("add", torch.ones(1)) == ""
    with pytest.raises(StudentError, match="ValueError: 3 is not 4"):
        student.raises()
    with pytest.raises(StudentError, match="Undefined: There is no `missing`"):
        student.missing()


def changed(student: Student, name: str, *arguments: Any) -> bool:
    """Whether a call of the student's changed one of these arguments."""
    names = [f"argument {at}" for at in range(len(arguments))]
    (reply,) = student.calls([{"op": "call", "name": name, "args": list(arguments), "watch": names}])
    assert reply.raised is None
    return any(name.strip("`") in names for name in reply.changed)


def test_a_change_in_place_is_seen(connect):
    student = connect()
    x = torch.zeros(3)
    assert not changed(student, "add", x)
    assert changed(student, "in_place", x) and torch.equal(x, torch.zeros(3))


def test_a_change_in_a_list_is_seen(connect):
    student = connect()
    xs = [torch.zeros(2), torch.ones(3)]
    assert not changed(student, "last_of", xs)
    assert changed(student, "last_in_place", xs)
    assert changed(student, "last_taken", xs) and len(xs) == 2


def test_modules_stay_and_answer_by_handle(connect):
    student = connect()
    module = student.Doubler(3).eval()
    assert module.state_shapes() == {"linear.weight": (3, 3), "linear.bias": (3,)}
    module.load({"linear.weight": torch.eye(3), "linear.bias": torch.zeros(3)})
    x = torch.randn(2, 3)
    out, total = module(x)
    assert torch.allclose(out, x) and torch.allclose(total, x.sum())
    assert module.method("describe", "width") == {"width": [3, None]}
    assert torch.allclose(module.trace(["linear"], x)["linear"], x)
    grads = module.grad(x, cotangents=[torch.ones(2, 3), None])
    assert torch.allclose(grads["inputs"][0], torch.ones(2, 3))
    assert torch.allclose(grads["parameters"]["linear.bias"], torch.full((3,), 2.0))
    module.train()
    student.seed(0)
    first = module(x)[0]
    assert torch.equal(module(x)[0], first) and not torch.allclose(first, x)
    assert torch.equal(module.state()["linear.bias"], torch.zeros(3))


def test_a_state_that_does_not_fit_is_raised_by_the_next_request_as_another_kind_of_error(connect):
    """A row that looks for errors of a call must not take that of a state before it for one."""
    student = connect()
    module = student.Doubler(3)
    module.load({"linear.weight": torch.eye(2)})
    with pytest.raises(StateError, match="RuntimeError"):
        module(torch.zeros(1, 3))
    assert module.eval()(torch.zeros(1, 3))[0].shape == (1, 3)  # it was told once
    module.load({"nothing": torch.eye(2)})
    with pytest.raises(StateError, match="KeyError"):
        student.error_of("raises")
    module.load({"nothing": torch.eye(2)})
    student.forget()
    assert student.error_of("raises") == "ValueError"


def test_a_helper_is_built_with_the_request_that_comes_next(connect):
    student = connect()
    first, second = student.fixture("TinyClassifier", 5, 3, 4, 2), student.fixture("TinyClassifier", 6, 3, 4, 2)
    module = student.Doubler(3)
    shapes = [made.state_shapes() for made in (first, second, module)]
    assert [next(iter(each.values())) for each in shapes] == [(5, 4), (6, 4), (3, 3)]
    assert first.state_shapes() == shapes[0]  # as it is over there
    student.fixture("NoSuchHelper")
    with pytest.raises(StateError, match="LookupError: there is no fixture"):
        student.error_of("raises")
    student.fixture("NoSuchHelper")
    student.forget()
    assert student.get("answer") == 42


def test_an_attribute_of_a_helper_is_handed_over_without_coming_here(connect):
    student = connect()
    training = student.fixture("Training", 3)
    weights = training.method("condition")["weights"]
    assert student.add(training.part("inputs")).shape == (10, 3)
    with pytest.raises(StudentError, match="AttributeError"):
        student.add(training.part("no_such_part"))
    student.before("in_place", training.part("inputs"))
    student.before("in_place", training.part("inputs"))
    added = student.add(training.part("inputs"), y=-2.0)
    assert torch.allclose(added, torch.arange(30.0).reshape(10, 3).sin(), atol=1e-6)
    assert all(map(torch.equal, training.method("condition")["weights"], weights))


def test_to_know_a_helpers_shapes_draws_no_random_numbers():
    def drawn(ask: bool) -> Tensor:
        student = Student(Local(namespace()))
        torch.manual_seed(1)
        made = student.fixture("TinyClassifier", 7, 3, 4, 2)
        if ask:
            made.state_shapes()
        return torch.rand(2)

    assert torch.equal(drawn(False), drawn(True))


def test_a_module_that_cases_share_is_built_once_and_set_by_each(connect):
    student = connect()
    first = student.shared("Doubler", 3)
    state = {"linear.weight": torch.eye(3), "linear.bias": torch.ones(3)}
    first.load(state)
    assert torch.equal(first.eval()(torch.zeros(1, 3))[0], torch.ones(1, 3))
    again = student.shared("Doubler", width=3), student.shared("Doubler", 3)
    assert [torch.equal(made.state()["linear.bias"], torch.ones(3)) for made in again] == [False, True]
    again[1].method("widen")
    student.forget()  # another row
    assert student.shared("Doubler", 3).state_shapes()["linear.bias"] == (4,)
    assert student.shared("add", 1, y=1) == 2 and student.shared("add", True, y=1) == 2  # no module: an answer as it is


def test_what_is_built_from_other_objects_is_built_anew(connect):
    student = connect()
    one, other = (student.shared("Around", student.fixture("TinyClassifier", 5, 3, 4, 2)) for _ in range(2))
    one.load({"inner.output.bias": torch.ones(2)})
    assert torch.equal(one.state()["inner.output.bias"], torch.ones(2))
    assert not torch.equal(other.state()["inner.output.bias"], torch.ones(2))


def test_a_module_that_could_not_be_built_is_built_again(connect):
    student = connect()
    for _ in range(2):
        with pytest.raises(StudentError, match="TypeError"):
            student.shared("Doubler", "three")


def test_a_helper_of_what_lives_over_there_is_asked_for_its_shapes(connect):
    student = connect()
    holder = student.fixture("Holder", student.Doubler(3))
    assert (3, 3) in holder.state_shapes().values()


def test_a_method_is_called_before_the_next_request_and_with_it(connect):
    student = connect()
    module = student.Doubler(3)
    module.before("widen")
    assert module.state_shapes()["linear.bias"] == (4,)
    module.before("no_such_method")
    with pytest.raises(StateError, match="AttributeError"):
        student.get("answer")


def test_a_call_before_another_that_raises_is_reported_as_such(connect):
    student = connect()
    student.before("raises")
    with pytest.raises(StateError, match="ValueError: 3 is not 4"):
        student.error_of("raises")
    with pytest.raises(TypeError, match="a function of the check's"):
        student.before("repeat", lambda total, i: total, 2)


def test_shapes_come_with_a_module_and_are_asked_for_again_after_a_call(connect):
    student = connect()
    first, second = student.Doubler(3), student.Doubler(2)
    assert first.state_shapes()["linear.bias"] == (3,) and second.state_shapes()["linear.bias"] == (2,)
    first.method("widen")
    assert first.state_shapes()["linear.bias"] == (4,)
    assert student.Stateless().state_shapes() == {}
    with pytest.raises(StudentError, match="RuntimeError: not yet"):
        student.Shapeless().state_shapes()


def test_gradients_of_functions(connect):
    (grad,) = connect().grad("add", torch.zeros(2), cotangents=[torch.tensor([1.0, 2.0])])
    assert torch.equal(grad, torch.tensor([1.0, 2.0]))


def test_a_function_that_stays_outside_is_called_back(connect):
    calls = []

    def step(total: Tensor, i: int) -> Tensor:
        calls.append(i)
        return total + i

    assert torch.equal(connect().repeat(step, 4), torch.full((2,), 6.0)) and calls == [0, 1, 2, 3]


def _prefetched(*replies: Any, error: tuple[str, str] | None = None) -> Prefetched:
    """That `repeat` gets these sums from step(total, i), and then the error."""
    totals = [torch.zeros(2), *replies][: len(replies) + (error is not None)]
    calls = [wire.digest(runner.calling(0, (total, i), {})) for i, total in enumerate(totals)]
    return Prefetched(calls, list(replies), error)


def test_call_backs_that_were_prefetched_are_answered_over_there(connect):
    student, calls = connect(), []

    def step(total: Tensor, i: int) -> Tensor:
        calls.append(i)
        return total + i

    student.prefetch(_prefetched(torch.ones(2), torch.full((2,), 5.0)))
    assert torch.equal(student.repeat(step, 4), torch.full((2,), 10.0))
    assert (calls, student.prefetched()) == ([2, 3], 2)
    student.prefetch(_prefetched(torch.ones(2), error=("KeyError", "no more")))
    with pytest.raises(StudentError, match="KeyError: 'no more'"):
        student.repeat(step, 4)
    assert (calls, student.prefetched()) == ([2, 3], 2)
    assert torch.equal(student.repeat(step, 2), torch.ones(2)) and student.prefetched() == 0


def test_from_the_first_other_call_on_everything_comes_here(connect):
    student, calls = connect(), []

    def step(total: Tensor, i: int) -> Tensor:
        calls.append(i)
        return total + 1

    first, third = _prefetched(torch.ones(2)), _prefetched(torch.ones(2), torch.ones(2), torch.ones(2))
    student.prefetch(Prefetched([*first.calls, "another", third.calls[2]], [torch.ones(2)] * 3))
    assert torch.equal(student.repeat(step, 3), torch.full((2,), 3.0))
    assert (calls, student.prefetched()) == ([1, 2], 1)
    student.prefetch(first)
    student.forget()
    student.repeat(step, 1)
    assert (calls, student.prefetched()) == ([1, 2, 0], 0)


@pytest.mark.parametrize("lie", [2, -1, True, "1", [1], None])
@pytest.mark.parametrize("reply", [{"ok": None}, {"error": ["ValueError", "no"]}])
def test_no_more_call_backs_came_than_were_prefetched(lie, reply):
    near, far = socket.socketpair()
    wire.send(far, {"number": 1, "prefetched": lie} | reply)
    student = Student(Remote(near, timeout=5))
    student.prefetch(_prefetched(torch.ones(2)))
    with contextlib.suppress(StudentError):
        student.repeat(lambda total, i: total, 1)
    assert student.prefetched() == 0


def test_a_dictionary_never_passes_for_a_handle(connect):
    assert connect().forge() == {"handle": 0}


def test_what_cannot_cross_is_an_answer_and_not_a_dead_line(connect):
    student = connect()
    assert student.strange() == (wire.Foreign("object"), wire.Unordered((1, 2)), "text")
    with pytest.raises(StudentError, match="TooLarge"):
        student.huge()
    assert student.get("answer") == 42


def test_numbers_that_all_have_one_hash_cost_nothing():
    numbers = [k * (2**61 - 1) for k in range(1, 42_000)]
    came = wire.decode(f'{{"set": {numbers}}}'.encode(), lambda n: bytearray(n))  # as a set it would take a minute
    assert type(came) is wire.Unordered and len(came) == len(numbers)
    with pytest.raises(wire.WireError, match="too large a number"):
        wire.decode(b'{"dict": [[2305843009213693951, 1]]}', lambda n: bytearray(n))
    assert wire.copy({2**53: 1}) == {2**53: 1}


def test_a_message_of_many_plain_items_is_refused_before_it_is_built():
    header = b'{"list": [' + b",".join([b"1"] * 600_000) + b"]}"
    with pytest.raises(wire.WireError, match="more than"):
        wire.decode(header, lambda n: bytearray(n))


def test_blocked_functions_are_refused_under_any_name(connect):
    with pytest.raises(StudentError, match="Blocked"):
        connect(("softmax",)).uses_what_is_blocked(torch.zeros(3))


@pytest.mark.parametrize(
    ("error", "type_name", "words"),
    [
        (ValueError("3 is not 4"), "ValueError", "3 is not 4"),
        (KeyError("absent"), "KeyError", "'absent'"),
        (TimeoutError("of no kind that crosses"), "RuntimeError", "TimeoutError: of no kind that crosses"),
        (wire.WireError("nor this"), "RuntimeError", "WireError: nor this"),
    ],
)
def test_what_a_called_back_function_raises_is_raised_over_there(connect, error, type_name, words):
    def step(total, i):
        raise error

    with pytest.raises(StudentError) as raised:
        connect().repeat(step, 2)
    assert (raised.value.type_name, raised.value.message) == (type_name, words)


def test_what_is_called_back_may_give_too_much(connect):
    with pytest.raises(StudentError, match="too large"):
        connect().repeat(lambda total, i: torch.zeros(1 << 25), 2)


def test_a_line_that_trickles_or_lies_is_given_up():
    near, far = socket.socketpair()
    remote = Remote(near, timeout=0.3)
    far.sendall(b"\x10")  # one byte of a length, then silence
    assert remote.request({"op": "get", "name": "x"}, [])["error"] == ("SandboxLost", "timeout")
    assert remote.request({"op": "get", "name": "x"}, [])["error"] == ("SandboxLost", "timeout")
    lies = ({"nonsense": 1}, {"error": 5}, {"callback": 7, "args": []}, {"ok": 1, "changed": 3})
    for lie in (3, *lies, *({"number": 1} | lie for lie in lies), {"ok": 1, "number": 2}):
        near, far = socket.socketpair()
        wire.send(far, lie)
        assert Remote(near, timeout=5).request({"op": "get", "name": "x"}, [])["error"] == ("SandboxLost", "protocol")
    near, far = socket.socketpair()
    far.close()
    assert Remote(near, timeout=5).request({"op": "get", "name": "x"}, [])["error"] == ("SandboxLost", "gone")


def test_a_reply_of_its_own_writing_spoils_no_later_request():
    near, far = socket.socketpair()
    remote = Remote(near, timeout=5)
    wire.send(far, {"number": 1, "ok": "forged"})
    wire.send(far, {"number": 1, "ok": "late"})
    wire.send(far, {"number": 2, "ok": "second"})
    assert remote.request({"op": "get", "name": "x"}, [])["ok"] == "forged"
    assert (remote.request({"op": "get", "name": "x"}, [])["ok"], remote.stale) == ("second", 1)


def test_a_line_carries_so_many_bytes_and_no_more():
    near, far = socket.socketpair()
    remote = Remote(near, timeout=5, replies=3000)
    for number in (1, 2):
        wire.send(far, {"number": number, "ok": torch.zeros(250)})
        assert remote.request({"op": "get", "name": "x"}, [])["ok"].shape == (250,)
    wire.send(far, {"number": 3, "ok": torch.zeros(250)})
    assert remote.request({"op": "get", "name": "x"}, [])["error"] == ("SandboxLost", "protocol")


def test_what_is_called_back_with_is_weighed_before_it_is_computed_with(monkeypatch):
    monkeypatch.setattr(remotes, "CALLBACK_BYTES", 5000)
    near, far = socket.socketpair()
    calls: list[int] = []
    for _ in range(3):
        wire.send(far, {"callback": 0, "args": [torch.zeros(500)], "kwargs": {}})
    reply = Remote(near, timeout=5).request({"op": "get", "name": "x"}, [lambda x: calls.append(x.numel())])
    assert reply["error"] == ("SandboxLost", "protocol") and calls == [500, 500]


@pytest.mark.parametrize("shape", [(70_000,), (0, 70_000)])
def test_what_is_called_back_with_is_small(shape):
    near, far = socket.socketpair()
    wire.send(far, {"callback": 0, "args": [[torch.zeros(shape, dtype=torch.bool)]], "kwargs": {}})
    wire.send(far, {"number": 1, "ok": "went on"})
    calls: list[Any] = []
    assert Remote(near, timeout=5).request({"op": "get", "name": "x"}, [calls.append])["ok"] == "went on"
    wire.receive(far)
    assert wire.receive(far)["error"][0] == "ValueError" and not calls


def test_a_message_of_many_containers_is_refused_before_it_is_built():
    header = b'{"list": [' + b",".join([b'{"list": []}'] * 300_000) + b"]}"
    with pytest.raises(wire.WireError, match="more than"):
        wire.decode(header, lambda n: bytearray(n))


@pytest.mark.parametrize("shape", ["[0, 549755813888, 549755813888]", "[549755813888, 0, 549755813888, 549755813888]"])
def test_an_empty_tensor_of_a_shape_beyond_counting_is_a_wire_error(shape):
    with pytest.raises(wire.WireError, match="too large"):
        wire.decode(f'{{"tensor": ["float32", {shape}]}}'.encode(), lambda n: bytearray(n))


def test_a_state_crosses_bit_for_bit():
    state = {"weight": torch.randn(3, 4).T, "scale": torch.tensor(2.0), "nothing": torch.empty(2, 0)}
    state["bias"] = torch.ones(3)
    assert list(wire._encode(state, [], [100], wire.Caps(), 0)) == ["state"]
    copied = wire.copy(state)
    assert list(copied) == list(state)
    assert all(torch.equal(copied[name], state[name]) and copied[name].is_contiguous() for name in state)
    copied["weight"] += 1
    assert torch.equal(copied["bias"], torch.ones(3)) and not torch.equal(copied["weight"], state["weight"])
    assert wire.copy({"a": torch.empty(0), "b": torch.empty(0, 3)})["b"].shape == (0, 3)


@pytest.mark.parametrize(
    "other",
    [
        {"a": torch.ones(2)},
        {1: torch.ones(2), 2: torch.zeros(3)},
        {"a": torch.ones(2), "b": torch.ones(2, dtype=torch.float64)},
        {"a": torch.ones(2), "b": None},
    ],
)
def test_a_dictionary_that_is_no_state_crosses_unchanged(other):
    copied = wire.copy(other)
    assert list(copied) == list(other) and list(map(type, copied.values())) == list(map(type, other.values()))
    assert all(torch.equal(copied[k], v) and copied[k].dtype == v.dtype for k, v in other.items() if v is not None)


def test_a_dictionary_that_says_one_thing_and_gives_another_is_sent_as_what_it_gives():
    class Lying(dict):
        def items(self):
            return [(name, torch.zeros(2)) for name in self]

        def values(self):
            return [torch.ones(2, dtype=torch.float64) for _ in self]

    came = wire.copy(Lying(a=torch.zeros(2), b=torch.zeros(2)))
    assert all(torch.equal(came[name], torch.ones(2, dtype=torch.float64)) for name in ("a", "b"))


def test_a_state_too_large_is_refused_before_sending():
    wide = torch.zeros(1).expand(60)
    with pytest.raises(wire.WireError, match="too large"):
        wire.encode({"a": wide, "b": wide}, wire.Caps(array_bytes=400))


def test_tensors_of_other_kinds_are_answers_too():
    x = torch.arange(6.0).reshape(2, 3)
    for odd in (x.to_sparse(), x.to_sparse_csr(), x.to("meta"), torch.nested.nested_tensor([x, x[:1]])):
        assert wire.copy(odd) == wire.Foreign("Tensor of float32")
    z = torch.complex(x, x + 1)
    assert torch.equal(wire.copy(z.conj()), torch.complex(x, -x - 1)) and torch.equal(wire.copy(z.conj().imag), -x - 1)


def test_values_whose_own_methods_raise_are_refused():
    class Odd(list):
        def __len__(self):
            raise SystemError("no length")

    for value in (Odd([1]), 10**6000):
        with pytest.raises(wire.WireError, match="reading it raised"):
            wire.encode(value)


def test_what_a_terminal_would_obey_is_taken_out_of_an_error():
    near, far = socket.socketpair()
    wire.send(far, {"number": 1, "error": ("E", "a\x1b[2Jb\x1b]0;c\x07 \x1b[31mred\x1b[0m")})
    message = Remote(near, timeout=5).request({"op": "get", "name": "x"}, [])["error"][1]
    assert message == "a\ufffd[2Jb\ufffd]0;c\ufffd \x1b[31mred\x1b[0m"


def test_optimizers_and_modules_can_be_passed_back():
    student = Student(Local({"width_of": lambda module: module.in_features, "make": lambda: nn.Linear(5, 2)}))
    assert student.width_of(student.make()) == 5


def lying(*replies: dict[str, Any]) -> Student:
    """A student whose other end says these things, whatever is asked."""
    near, far = socket.socketpair()
    for number, reply in enumerate(replies, 1):
        wire.send(far, {"number": number} | reply)
    remote = Remote(near, timeout=20)
    remote.far = far  # open as long as the student is
    return Student(remote)


@pytest.mark.parametrize(
    "shapes",
    [
        "abc",
        [[3]],
        {"a": "abc"},
        {"a": 3},
        {"a": ([7] * 9, 10**9)},
        {"a": (1 << 24,), "b": (1 << 24,), "c": (-(1 << 30),)},
        {"a": (1 << 40,), "b": (float("nan"),)},
        {"a": (True,)},
        {"a": torch.zeros(3)},
    ],
)
def test_shapes_that_are_none_are_drawn_nothing_for(shapes):
    made = {"ok": wire.Handle(0)}
    for student in (lying(made | {"shapes": shapes}), lying(made, {"ok": shapes})):
        with pytest.raises(ValueError, match="no shapes"):
            Draw(Key.public(1), "row").state(student.Made())


def test_shapes_without_end_are_drawn_nothing_for():
    for shapes in ({"a": (1 << 13, 1 << 13)}, {f"{i}": (1 << 20,) for i in range(20)}):
        with pytest.raises(ValueError, match="far larger"):
            Draw(Key.public(1), "row").state(lying({"ok": wire.Handle(0), "shapes": shapes}).Made())


def test_a_long_name_of_a_state_is_not_remembered():
    remembered = draw._remembered.cache_info().currsize
    for length in (draw._SMALL + 1, 100_000):
        student = lying({"ok": wire.Handle(0), "shapes": {"w" * length: (2,)}})
        assert Draw(Key.public(length), "a row of this test").state(student.Made())["w" * length].shape == (2,)
    assert draw._remembered.cache_info().currsize == remembered


def test_an_error_is_told_in_words():
    """To write a tensor of eight axes takes half a minute, and none of it counts as the student's."""
    wide = torch.zeros((2,) * 8, dtype=torch.bool)
    for error in ([wide, "a"], ["a", wide], ["a", ["b"]], [{"a": 1}, "b"], "abc", ["a"], None):
        with pytest.raises(StudentError, match="SandboxLost: protocol"):
            lying({"error": error}).get("x")


def test_a_set_of_tensors_is_described_and_not_written():
    wide, word = torch.zeros((2,) * 8), "word"
    text = flatten({"a": lying({"ok": {wide, word, 3, (wide, None)}}).get("x")})["a"]
    assert "0." not in text and text.count("a tensor of shape (2, 2, 2, 2, 2, 2, 2, 2)") == 2
    assert "'word'" in text and "3" in text.split(", ")


@pytest.mark.parametrize("queued", [True, 1, "yes", [True], torch.ones(1)])
def test_an_error_of_a_state_is_none_where_no_state_was_queued(queued):
    with pytest.raises(StudentError, match="E: x"):
        lying({"error": ["E", "x"], "queued": queued}).get("x")


@pytest.mark.parametrize("changed", [1, 0, None, "yes", [], {}, torch.ones(1)])
def test_changed_is_yes_or_no(changed):
    with pytest.raises(StudentError, match="SandboxLost: protocol"):
        lying({"ok": 1, "changed": changed}).get("x")


class _Agrees(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        name = getattr(func, "__name__", "")
        return True if name == "equal" else args[0] if name == "clone" else func(*args, **(kwargs or {}))


class _Agreeing(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = str(func)
        return True if "equal" in name else args[0] if "clone" in name else func(*args, **(kwargs or {}))


@pytest.mark.parametrize("mode", [_Agrees, _Agreeing])
def test_a_mode_that_a_cell_left_on_hides_no_change(mode):
    student = Student(Local(namespace()))
    with mode():
        assert changed(student, "in_place", torch.zeros(3))
        assert changed(student, "last_in_place", [torch.zeros(2)])
        assert not changed(student, "add", torch.zeros(3))


@pytest.mark.filterwarnings("ignore:.*Overriding a previously registered kernel")
def test_a_kernel_of_the_students_own_hides_no_change():
    student = Student(Local(namespace()))
    kernels = torch._C._dispatch_library("IMPL", "aten", "", __file__, 0)
    try:
        kernels.impl("equal", "CPU", lambda a, b: True)
        assert changed(student, "in_place", torch.zeros(3))
    finally:
        kernels.reset()


def _turned(x):
    x.t_()


def _replaced(x):
    x.data = x.data + 1


def _tracked(x):
    return x.requires_grad_() * 2


def test_a_change_of_a_tensor_that_tracks_gradients_is_seen():
    """Not all arguments come over the wire: a fixture's stay beside the student's code."""
    x = torch.zeros(3, requires_grad=True)
    before = untouched.copied([x])
    assert untouched.same(before, [x])
    with torch.no_grad():
        x += 1
    assert not untouched.same(before, [x])


def _handed_back(xs):
    xs[0] = xs[0].clone()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.bool])
def test_what_counts_as_a_change(dtype):
    student = Student(Local({f.__name__: f for f in (_turned, _replaced, _tracked, _handed_back)}))
    x = torch.tensor([[1, 0], [1, 1]]).to(dtype)
    for function, argument, expected in (
        ("_turned", x, True),
        ("_replaced", x if dtype != torch.bool else x.float(), True),
        ("_handed_back", [x, x], False),
        ("_tracked", x.float() * torch.nan, False),
    ):
        assert changed(student, function, argument) is expected, function


def test_a_frame_may_come_in_pieces():
    near, far = socket.socketpair()
    wire.send(far, {"number": 1, "ok": [torch.arange(5.0), torch.zeros(0), "words"]})
    frame = near.recv(1 << 16)

    def trickle():
        for byte in frame:
            far.sendall(bytes([byte]))

    thread = threading.Thread(target=trickle)
    thread.start()
    reply = Remote(near, timeout=20).request({"op": "get", "name": "x"}, [])
    thread.join()
    assert torch.equal(reply["ok"][0], torch.arange(5.0)) and reply["ok"][2] == "words"


@pytest.mark.parametrize(("arrays", "sent"), [(8, 8), (16, 16), (0, 0), (1 << 40, 0), (12, 11)])
def test_arrays_of_another_length_than_told_are_given_up(arrays, sent):
    near, far = socket.socketpair()
    header = b'{"dict": [["number", 1], ["ok", {"tensor": ["float32", [3]]}]]}'
    far.sendall(wire.LENGTHS.pack(len(header), arrays) + header + b"\0" * sent)
    far.shutdown(socket.SHUT_WR)
    reply = Remote(near, timeout=20).request({"op": "get", "name": "x"}, [])
    assert reply["error"] == ("SandboxLost", "gone" if sent < arrays < 1 << 30 else "protocol")
