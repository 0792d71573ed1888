# %% wrong: what was in the queue is timed too
# Waited for only at the end: the warm-up's work, and whatever else was asked for before, falls into the measured time. A good message: "synchronize must also be called just before the clock is read the first time".

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError("num_steps must be at least 1, warm_up at least 0")
    for _ in range(warm_up):
        step()
    start = clock()
    for _ in range(num_steps):
        step()
    synchronize()
    return num_steps * items / (clock() - start)

# %% wrong: waits only where there was a warm-up
# synchronize stands in the warm-up's loop, so with warm_up = 0 nobody waits for earlier work; and a negative warm_up is an empty loop, not a ValueError. A good message: "warm_up = 0: work from before the call is counted"; "warm_up = -1: expected ValueError".

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1:
        raise ValueError("nothing to time")
    for _ in range(warm_up):
        step()
        synchronize()
    start = clock()
    for _ in range(num_steps):
        step()
    synchronize()
    return items * num_steps / (clock() - start)

# %% wrong: its own clock, and steps instead of items
# time.perf_counter is read whatever clock was given, and steps a second come back. A good message: "with a clock of the check's own: expected 32 items a second"; "items is not used".

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
    for _ in range(warm_up):
        step()
    synchronize()
    start = time.perf_counter()
    for _ in range(num_steps):
        step()
    synchronize()
    return num_steps / (time.perf_counter() - start)

# %% correct: a reading is waiting and looking

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if not (num_steps >= 1 and warm_up >= 0):
        raise ValueError(f"need num_steps >= 1 and warm_up >= 0, got {num_steps} and {warm_up}")

    def now_after(count: int) -> float:
        while count > 0:
            step()
            count -= 1
        synchronize()
        return clock()

    began, ended = now_after(warm_up), now_after(num_steps)
    return items / ((ended - began) / num_steps)
