# %% wrong: steps and not items per second
# The number of items of a step is forgotten, so it reports steps per second and not items per second.
# Hint: one call handles 16 images; where does the 16 stand in your result?

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
    synchronize()
    start = clock()
    for _ in range(num_steps):
        step()
    synchronize()
    return num_steps / (clock() - start)


# %% wrong: the clock is read before the waiting
# The time is taken when the last step is queued and only then is waited for, so it is the queueing that is timed.
# Hint: wait, read the clock, work, wait, read the clock: what is your order at the end?

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
    synchronize()
    start = clock()
    for _ in range(num_steps):
        step()
    seconds = clock() - start
    synchronize()
    return items * num_steps / seconds


# %% wrong: waits before the warm-up and not after it
# The queue is emptied before the warm-up steps, whose work is then still in the queue when the clock starts; it must not count.
# Hint: the warm-up calls may return before their work is done: who does that work, and on whose time?

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


# %% wrong: no steps at all are accepted
# num_steps = 0 is let through and gives 0 items a second (or a division by zero); the ValueError is promised below 1, not below 0.
# Hint: which is the smallest number of steps that can be timed?

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 0 or warm_up < 0:
        raise ValueError("num_steps and warm_up must not be negative")
    for _ in range(warm_up):
        step()
    synchronize()
    start = clock()
    for _ in range(num_steps):
        step()
    synchronize()
    return items * num_steps / (clock() - start)


# %% correct: one helper that counts down and waits

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if not num_steps >= 1:
        raise ValueError(f"num_steps must be at least 1, got {num_steps}")
    if not warm_up >= 0:
        raise ValueError(f"warm_up must be at least 0, got {warm_up}")

    def finished_at(count: int) -> float:
        """Take so many steps, wait for their work, and say when that was."""
        while count:
            step()
            count -= 1
        synchronize()
        return clock()

    begin, end = finished_at(warm_up), finished_at(num_steps)
    return num_steps * (items / (end - begin))
