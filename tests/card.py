"""A GPU in name, for tests: `torch.cuda` as a card of `benchmarks.cards` would answer, by the made-up clock.

What is asked of it is shape and time. Numbers there are none, so that whatever reads one gets zero.
"""

import contextlib
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from unittest import mock

import torch
from torch.autograd import DeviceType
from torch.autograd.profiler_util import EventList, FunctionEvent
from torch.utils._python_dispatch import TorchDispatchMode

from benchmarks.cards import LAUNCH, Card, Clock, on_card

NODE = 1e-6  # seconds at least of a kernel in a graph, which launches by itself


class Graph:
    """torch.cuda.CUDAGraph: the kernels that were recorded, launched by one command."""

    def __init__(self, clock: Clock):
        self.clock, self.kernels = clock, list[float]()

    def replay(self) -> None:
        self.clock.now += LAUNCH
        self.clock.done = max(self.clock.now, self.clock.done) + sum(max(NODE, each) for each in self.kernels)


class Event:
    """torch.cuda.Event: notes when its turn comes."""

    def __init__(self, clock: Clock):
        self.clock, self.at = clock, 0.0

    def record(self, stream: Any = None) -> None:
        self.at = max(self.clock.now, self.clock.done)

    def synchronize(self) -> None:
        self.clock.now = max(self.clock.now, self.at)

    def elapsed_time(self, end: "Event") -> float:
        return 1e3 * (end.at - self.at)


# ---- the profiler ----------------------------------------------------------------------------------------------------


class Operators(TorchDispatchMode):
    """Which operator launched which kernels, with their seconds."""

    def __init__(self, clock: Clock):
        super().__init__()
        self.clock, self.log = clock, list[tuple[str, list[float]]]()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        before, self.clock.recorded = self.clock.recorded, []
        result = func(*args, **(kwargs or {}))
        kernels, self.clock.recorded = self.clock.recorded, before
        for seconds in kernels:
            self.clock.launch(seconds)
        self.clock.kernels -= len(kernels)  # counted when they were recorded
        self.log.append((func.overloadpacket.__name__, kernels))
        return result


def events(log: list[tuple[str, list[float]]]) -> EventList:
    """What torch.profiler gives of these operators on a machine with CUDA, in its own classes.

    Of each operator an event of the CPU that has its kernels' time; of each kernel an event of the GPU, called as the
    kernel is; `aten::copy_` launches a memcpy. All stands in a range of the program's, which has a shadow on the GPU
    from the first kernel to the last.
    """
    made, at, on_gpu = [], 0.0, 5.0

    def add(name: str, start: float, end: float, **more: Any) -> FunctionEvent:
        made.append(FunctionEvent(len(made), name, 1, start, end, stack=[], input_shapes=[], use_device="cuda", **more))
        return made[-1]

    gpu = {"device_type": DeviceType.CUDA, "device_index": 0}
    for name, kernels in log:
        operator = add(f"aten::{name}", at, at + 4.0 * max(1, len(kernels)))
        for seconds in kernels:
            kernel = "Memcpy DtoD (Device -> Device)" if name == "copy_" else f"void {name}_kernel<float>(float*)"
            operator.append_kernel(kernel, 0, 1e6 * seconds)
            on_gpu = max(on_gpu, at)
            add(kernel, on_gpu, on_gpu + 1e6 * seconds, **gpu)
            on_gpu += 1e6 * seconds
        at = operator.time_range.end + 1.0
    add("a step", 0.0, at, is_user_annotation=True)
    add("a step", 5.0, on_gpu, is_user_annotation=True, **gpu)
    made.sort(key=lambda event: (event.time_range.start, -event.time_range.end))
    found = EventList(made, use_device="cuda")
    found._build_tree()
    return found


class Profile:
    """torch.profiler.profile on the card."""

    def __init__(self, clock: Clock):
        self.operators = Operators(clock)

    def __enter__(self) -> "Profile":
        self.operators.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self.operators.__exit__(*error)
        self.found = events(self.operators.log)

    def key_averages(self, *args: Any, **kwargs: Any) -> EventList:
        return self.found.key_averages(*args, **kwargs)

    def events(self) -> EventList:
        return self.found

    def seconds(self) -> dict[str, float]:
        """The truth: seconds on the card by operator."""
        by_name: dict[str, float] = {}
        for name, kernels in self.operators.log:
            by_name[f"aten::{name}"] = by_name.get(f"aten::{name}", 0.0) + sum(kernels)
        return by_name


# ---- torch.cuda ------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def cuda(card: Card) -> Iterator[SimpleNamespace]:
    """`torch.cuda` of this card while tensors on "meta" are its; its clock, and the profiles that were made."""
    profiles: list[Profile] = []

    def profile(*args: Any, **kwargs: Any) -> Profile:
        profiles.append(Profile(clock))
        return profiles[-1]

    @contextlib.contextmanager
    def graph(into: Graph, *args: Any, **kwargs: Any) -> Iterator[None]:
        clock.recorded = into.kernels
        try:
            yield
        finally:
            clock.recorded = None

    with on_card(card) as clock, contextlib.ExitStack() as patched:
        answers = {
            "is_available": lambda: True,
            "device_count": lambda: 1,
            "get_device_name": lambda device=None: card.name,
            "get_device_capability": lambda device=None: card.capability,
            "is_bf16_supported": lambda including_emulation=True: including_emulation or "bfloat16" in card.peaks,
            "mem_get_info": lambda device=None: (int(0.9e9 * card.memory), int(1e9 * card.memory)),
            "memory_allocated": lambda device=None: 0,
            "max_memory_allocated": lambda device=None: 0,
            "reset_peak_memory_stats": lambda device=None: None,
            "empty_cache": lambda: None,
            "synchronize": lambda device=None: clock.wait(),
            "Event": lambda *args, **kwargs: Event(clock),
            "CUDAGraph": lambda *args, **kwargs: Graph(clock),
            "graph": graph,
        }
        for name, answer in answers.items():
            patched.enter_context(mock.patch.object(torch.cuda, name, answer))
        patched.enter_context(mock.patch.object(torch.profiler, "profile", profile))
        patched.enter_context(mock.patch.object(torch, "compile", lambda function=None, **_: function))
        yield SimpleNamespace(clock=clock, profiles=profiles)
