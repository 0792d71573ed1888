# %% wrong: it waits only if it warmed up
# With warm_up=0 there is no waiting before the clock is read, so work that the caller had queued earlier
# is timed as well. It shows with warm_up=0 on a device with a full queue.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError(f"need num_steps >= 1 and warm_up >= 0, got {num_steps} and {warm_up}")
    if warm_up:
        for _ in range(warm_up):
            step()
        synchronize()
    start = clock()
    for _ in range(num_steps):
        step()
    synchronize()
    return items * num_steps / (clock() - start)


# %% wrong: the mean of the steps' own throughputs
# Every step is timed by itself and the rates are averaged. It shows where steps differ: one of 1 s and
# one of 3 s, each of 6 items, give 4 items a second and not 3. It also waits after every step.

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
    rates = []
    for number in range(warm_up + num_steps):
        synchronize()
        start = clock()
        step()
        synchronize()
        if number >= warm_up:
            rates.append(items / (clock() - start))
    return statistics.mean(rates)


# %% wrong: it waits, then warms up
# The wait stands before the warm-up calls, which are still in the queue when the clock starts. It shows
# with warm_up of one or more on a device that returns at once.

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
        raise ValueError(f"warm_up must not be below 0, got {warm_up}")
    synchronize()
    for _ in range(warm_up):
        step()
    begin = clock()
    for _ in range(num_steps):
        step()
    synchronize()
    return num_steps * items / (clock() - begin)


# %% wrong: no warm-up is refused
# warm_up=0 raises ValueError, though the docstring refuses only what is below 0.

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


# %% correct: one loop over both kinds of steps

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps <= 0 or warm_up <= -1:
        raise ValueError(f"got num_steps {num_steps} and warm_up {warm_up}")
    began = None
    for number in range(warm_up + num_steps):
        if number == warm_up:
            synchronize()
            began = clock()
        step()
    synchronize()
    ended = clock()
    return items / ((ended - began) / num_steps)


# %% correct: a reading of the clock that always waits first

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    def now_after(calls: int) -> float:
        while calls > 0:
            step()
            calls -= 1
        synchronize()
        return clock()

    for name, value, least in (("num_steps", num_steps, 1), ("warm_up", warm_up, 0)):
        if value < least:
            raise ValueError(f"{name} must be at least {least}, got {value}")
    minus_start, end = -now_after(warm_up), now_after(num_steps)
    return float(num_steps * items) / (end + minus_start)
