# %% wrong: a clock of its own
# Reads time.perf_counter and not the clock that was passed in. A clock that counts something else (processor
# seconds, or a pretended one that the step moves on) shows it.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError(f"need num_steps >= 1 and warm_up >= 0, got {num_steps}, {warm_up}")
    for _ in range(warm_up):
        step()
    synchronize()
    begin = time.perf_counter()
    for _ in range(num_steps):
        step()
    synchronize()
    return items * num_steps / (time.perf_counter() - begin)


# %% wrong: waits after every step
# Each step is timed by itself, so launching the next never overlaps with the work of the last; the calls were
# to be timed together. A device with 1 s of launching and 1 s of work for a step: 2 s are counted, not 1.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1:
        raise ValueError(f"num_steps must be at least 1, got {num_steps}")
    if warm_up < 0:
        raise ValueError(f"warm_up must not be negative, got {warm_up}")
    seconds = []
    for number in range(warm_up + num_steps):
        synchronize()
        begin = clock()
        step()
        synchronize()
        if number >= warm_up:
            seconds.append(clock() - begin)
    return items * num_steps / sum(seconds)


# %% wrong: without a warm-up there is nothing to wait for
# Waits before the clock only where there were warm-up calls. With warm_up = 0 and older work in the queue, that
# work is timed too.

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
    if warm_up:
        for _ in range(warm_up):
            step()
        synchronize()
    begin = clock()
    for _ in range(num_steps):
        step()
    synchronize()
    seconds = clock() - begin
    return num_steps * items / seconds


# %% wrong: waits before the warm-up, not behind it
# Empties the queue first, then warms up and reads the clock at once: the warm-up calls' work is still in the
# queue and is timed. Shows for any warm_up from 1 where a step returns before its work is done.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError(f"got num_steps {num_steps} and warm_up {warm_up}")
    synchronize()
    for _ in range(warm_up):
        step()
    start = clock()
    for _ in range(num_steps):
        step()
    synchronize()
    return items / ((clock() - start) / num_steps)


# %% correct: two phases of the same form, a mark behind each

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if not (num_steps >= 1 and warm_up >= 0):
        raise ValueError(f"num_steps must be at least 1, warm_up at least 0: got {num_steps}, {warm_up}")
    marks = []
    for calls in (warm_up, num_steps):
        while calls:
            step()
            calls -= 1
        synchronize()
        marks.append(clock())
    begin, end = marks
    return items * num_steps / (end - begin)


# %% correct: a stopwatch that waits as it goes in and out

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    from collections import deque
    from contextlib import contextmanager

    if num_steps < 1 or warm_up < 0:
        raise ValueError(f"cannot time {num_steps} steps after {warm_up}")

    @contextmanager
    def stopwatch(readings: list[float]):
        synchronize()
        readings.append(-clock())
        yield
        synchronize()
        readings.append(clock())

    def calls(count: int) -> None:
        deque((step() for _ in range(count)), maxlen=0)

    readings: list[float] = []
    calls(warm_up)
    with stopwatch(readings):
        calls(num_steps)
    return num_steps * items / sum(readings)
