# %% wrong: waits before the warm-up instead of after it
# The warm-up's own work is still in the queue when the clock starts: with warm_up = 3 on a device that queues, the rate comes out too low.

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
    synchronize()
    for _ in range(warm_up):
        step()
    start = clock()
    for _ in range(num_steps):
        step()
    synchronize()
    return items * num_steps / (clock() - start)


# %% wrong: reads time.perf_counter whatever clock was given
# The argument clock is never used: with a clock of one's own (process_time, a made-up one) the rate is another.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1:
        raise ValueError(f"num_steps {num_steps} is below 1")
    if warm_up < 0:
        raise ValueError(f"warm_up {warm_up} is below 0")
    for _ in range(warm_up):
        step()
    synchronize()
    start = time.perf_counter()
    for _ in range(num_steps):
        step()
    synchronize()
    end = time.perf_counter()
    return items * num_steps / (end - start)


# %% wrong: waits after every single step and adds the times up
# The steps are not timed together: where a step takes time on the host too, queueing the next one while the device works is lost,
# and the rate comes out too low (a step of 5 ms on each side: half).

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError(f"num_steps >= 1 and warm_up >= 0 expected, got {num_steps} and {warm_up}")
    seconds = 0.0
    for i in range(warm_up + num_steps):
        synchronize()
        start = clock()
        step()
        synchronize()
        if i >= warm_up:
            seconds += clock() - start
    return items * num_steps / seconds


# %% wrong: waits only where there was a warm-up
# With warm_up = 0 nobody waits before the clock starts, and work that was asked for earlier is timed as well.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1:
        raise ValueError("at least one step has to be timed")
    if warm_up < 0:
        raise ValueError("warm_up cannot be negative")
    if warm_up > 0:
        for _ in range(warm_up):
            step()
        synchronize()
    begin = clock()
    for _ in range(num_steps):
        step()
    synchronize()
    took = clock() - begin
    return num_steps * items / took


# %% correct: one inner function for both phases, which returns when it was done

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if not (num_steps >= 1 and warm_up >= 0):
        raise ValueError(f"cannot time {num_steps} steps after {warm_up}")

    def done_at(calls: int) -> float:
        while calls:
            step()
            calls -= 1
        synchronize()
        return clock()

    begin, end = map(done_at, (warm_up, num_steps))
    return items / ((end - begin) / num_steps)


# %% correct: a script of calls, run from a deque

from collections import deque
from itertools import chain as chained, repeat


def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    for name, given, least in (("num_steps", num_steps, 1), ("warm_up", warm_up, 0)):
        if given < least:
            raise ValueError(f"{name} is {given}, and {least} is the least")
    readings: list[float] = []
    script = chained(
        repeat(step, warm_up),
        (synchronize, lambda: readings.append(clock())),
        repeat(step, num_steps),
        (synchronize, lambda: readings.append(clock())),
    )
    deque((call() for call in script), maxlen=0)
    handled = sum(repeat(items, num_steps))
    return handled / (readings[1] - readings[0])
