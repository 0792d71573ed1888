# %% wrong: waits before only where there was a warm-up
# With warm_up=0 there seems to be nothing to wait for, but work that the caller asked for earlier may still be queued:
# it is timed with the rest.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError(f"num_steps must be at least 1 and warm_up at least 0, got {num_steps}, {warm_up}")

    for _ in range(warm_up):
        step()
    if warm_up > 0:
        synchronize()
    start = clock()
    for _ in range(num_steps):
        step()
    synchronize()
    return items * num_steps / (clock() - start)


# %% wrong: the clock started in the last call of the warm-up
# One loop for both, and the start is set after call warm_up - 1, which does not exist where warm_up is 0:
# UnboundLocalError.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError(f"num_steps must be at least 1 and warm_up at least 0, got {num_steps}, {warm_up}")

    for call in range(warm_up + num_steps):
        step()
        if call == warm_up - 1:
            synchronize()
            start = clock()
    synchronize()
    return items * num_steps / (clock() - start)


# %% wrong: adds up the calls, and waits after the clock
# Each call is timed by itself without a wait, so only the queueing is counted; the last wait is outside of every reading.
# Shows on any device that returns before its work is done.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError(f"num_steps must be at least 1 and warm_up at least 0, got {num_steps}, {warm_up}")

    for _ in range(warm_up):
        step()
    synchronize()
    seconds = 0.0
    for _ in range(num_steps):
        before = clock()
        step()
        seconds += clock() - before
    synchronize()  # nothing is left in the queue
    return num_steps * items / seconds


# %% wrong: no measurement without a warm-up
# Refuses warm_up=0 with a ValueError, where only a warm_up below 0 is to be refused.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:

    if min(num_steps, warm_up) < 1:
        raise ValueError("num_steps and warm_up must be at least 1")
    for _ in range(warm_up):
        step()
    synchronize()
    start = clock()
    for _ in range(num_steps):
        step()
    synchronize()
    seconds = clock() - start
    return items * num_steps / seconds


# %% correct: both phases in one loop that notes the time at the end of each

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError(f"num_steps must be at least 1 and warm_up at least 0, got {num_steps}, {warm_up}")

    ends = []
    for calls in (warm_up, num_steps):
        while calls:
            step()
            calls -= 1
        synchronize()
        ends.append(clock())
    start, end = ends
    return num_steps / (end - start) * items


# %% correct: a context manager around calls that a deque swallows

from collections import deque
from contextlib import contextmanager
from itertools import repeat, starmap


def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:

    if not (num_steps >= 1 and warm_up >= 0):
        raise ValueError("too few steps")

    def take(count: int) -> None:
        deque(starmap(step, repeat((), count)), maxlen=0)

    @contextmanager
    def stopwatch(reading: dict):
        synchronize()
        begin = clock()
        yield
        synchronize()
        reading["seconds"] = clock() - begin

    reading: dict[str, float] = {}
    take(warm_up)
    with stopwatch(reading):
        take(num_steps)
    return float(items * num_steps / reading["seconds"])
