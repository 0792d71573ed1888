# %% wrong: no waiting without a warm-up
# synchronize before the clock only where warm_up calls were made. With warm_up = 0, work that was
# asked for before is still in the queue, and its time is counted.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError(f"{num_steps=}, {warm_up=}")
    if warm_up:
        for _ in range(warm_up):
            step()
        synchronize()
    start = clock()
    for _ in range(num_steps):
        step()
    synchronize()
    return items * num_steps / (clock() - start)

# %% wrong: the mean of the steps' rates
# Each step is waited for and timed alone, and the rates are averaged. Shows where steps take
# unequal times (1 s and 3 s: 0.67 a second in place of 0.5), and where work of one step could go on
# during the next.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError("num_steps must be at least 1 and warm_up at least 0")
    for _ in range(warm_up):
        step()
    rates = []
    for _ in range(num_steps):
        synchronize()
        start = clock()
        step()
        synchronize()
        rates.append(items / (clock() - start))
    return sum(rates) / num_steps

# %% wrong: at least one call to warm up
# warm_up = 0 raises ValueError too, where only numbers below 0 may.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1:
        raise ValueError(f"num_steps is {num_steps}")
    if warm_up < 1:
        raise ValueError(f"warm_up is {warm_up}")
    for _ in range(warm_up):
        step()
    synchronize()
    start = clock()
    for _ in range(num_steps):
        step()
    synchronize()
    return num_steps * items / (clock() - start)

# %% wrong: a clock of its own
# time.perf_counter is read whatever clock was passed. Right with the default; with a clock that
# counts processor time, or one that a test moves by hand, the rate has nothing to do with it.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError("too few steps")
    for _ in range(warm_up):
        step()
    synchronize()
    start = time.perf_counter()
    for _ in range(num_steps):
        step()
    synchronize()
    seconds = time.perf_counter() - start
    return items * num_steps / seconds

# %% correct: the standard library's timer around a block

import timeit


def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError(f"cannot time {num_steps} steps after {warm_up}")

    def before() -> None:
        for _ in range(warm_up):
            step()
        synchronize()

    def timed() -> None:
        for _ in range(num_steps):
            step()
        synchronize()

    return num_steps * items / timeit.Timer(timed, before, timer=clock).timeit(number=1)

# %% correct: a generator that is asked for the time twice

from collections import deque


def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if not (num_steps >= 1 and warm_up >= 0):
        raise ValueError("num_steps is below 1 or warm_up below 0")

    def times():
        for calls in (warm_up, num_steps):
            deque((step() for _ in range(calls)), maxlen=0)
            synchronize()
            yield clock()

    begin, end = times()
    return items / ((end - begin) / num_steps)
