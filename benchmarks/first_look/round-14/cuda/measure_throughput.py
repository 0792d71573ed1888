# %% wrong: waiting after every step
# synchronize stands inside the loop, so every step is waited for alone. The steps are to be timed
# together: where the program asks for the next step while the device works, this reads too few
# items a second (and synchronize is called num_steps times).

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError("at least one step, and no negative warm-up")
    for _ in range(warm_up):
        step()
    synchronize()
    start = clock()
    for _ in range(num_steps):
        step()
        synchronize()
    return items * num_steps / (clock() - start)


# %% wrong: without a warm-up nobody waits
# The waiting before the clock belongs to the warm-up here. With warm_up = 0 the work that was asked
# for before the call is still in the queue, and is timed too.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError("at least one step, and no negative warm-up")
    if warm_up:
        for _ in range(warm_up):
            step()
        synchronize()
    start = clock()
    for _ in range(num_steps):
        step()
    synchronize()
    return items * num_steps / (clock() - start)


# %% wrong: the warm-up is taken from the steps
# The first warm_up of the num_steps calls are left out of the timing, so only num_steps - warm_up
# are timed. Wrong in the number of calls for any warm_up above 0; with warm_up >= num_steps it
# fails.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError("at least one step, and no negative warm-up")
    start = None
    for number in range(num_steps):
        if number == warm_up:
            synchronize()
            start = clock()
        step()
    synchronize()
    return items * (num_steps - warm_up) / (clock() - start)


# %% wrong: waiting before the warm-up instead of after it
# "Begin with an empty queue, then warm up." The warm-up's own work may still be in the queue when
# the clock is read. Shows on a device that returns at once, with warm_up above 0.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError("at least one step, and no negative warm-up")
    synchronize()
    for _ in range(warm_up):
        step()
    start = clock()
    for _ in range(num_steps):
        step()
    synchronize()
    end = clock()
    return items * num_steps / (end - start)


# %% correct: one loop for both, which notes the time at its turns

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if not (num_steps >= 1 and warm_up >= 0):
        raise ValueError(f"{num_steps=} must be 1 or more, {warm_up=} not negative")
    turns, number = [], 0
    while len(turns) < 2:
        if number in (warm_up, warm_up + num_steps):
            synchronize()
            turns.append(clock())
        if len(turns) < 2:
            step()
            number += 1
    return num_steps * items / (turns[1] - turns[0])


# %% correct: a context that waits, reads, and waits and reads again

from collections import deque
from contextlib import contextmanager
from itertools import repeat


def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1:
        raise ValueError(f"nothing to time in {num_steps} steps")
    if warm_up < 0:
        raise ValueError(f"a warm-up of {warm_up} steps")

    def take(count: int) -> None:
        deque((step() for _ in repeat(None, count)), maxlen=0)

    @contextmanager
    def timed(readings: list):
        for finished in (False, True):
            synchronize()
            readings.append(clock())
            if not finished:
                yield

    readings: list[float] = []
    take(warm_up)
    with timed(readings):
        take(num_steps)
    begin, end = readings
    return items / ((end - begin) / num_steps)
