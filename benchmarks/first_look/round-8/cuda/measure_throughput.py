# %% wrong: clock read before the last wait
# The second reading of the clock comes before the wait, so only the queueing of the work is timed:
# shows wherever step returns before its work is done (a queue, a GPU): far too many items a second.

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
    took = clock() - start
    synchronize()
    return items * num_steps / took

# %% wrong: the clock that was handed in is not used
# Reads time.perf_counter() and not the argument clock: shows for every other clock, for example one
# that is counted by the steps, or time.process_time.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1:
        raise ValueError(f"num_steps must be at least 1, not {num_steps}")
    if warm_up < 0:
        raise ValueError(f"warm_up must not be negative, not {warm_up}")
    for _ in range(warm_up):
        step()
    synchronize()
    start = time.perf_counter()
    for _ in range(num_steps):
        step()
    synchronize()
    end = time.perf_counter()
    return items * num_steps / (end - start)

# %% wrong: waits only inside the warm-up
# The wait before the clock stands in the loop of the warm-up calls. With warm_up = 0 nobody waits, and work
# that was in the queue before is timed as well: too few items a second.

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
    return num_steps * items / (clock() - start)

# %% wrong: every step waited for and timed alone
# The steps are not timed together: each is waited for before the next is queued. Where asking for work takes
# host time that runs beside the device's work, the sum of the single times is larger: too few items a second.

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
    total = 0.0
    for _ in range(num_steps):
        synchronize()
        start = clock()
        step()
        synchronize()
        total += clock() - start
    return items * num_steps / total

# %% correct: one helper that runs, waits and reads the clock, used twice

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if not (num_steps >= 1 and warm_up >= 0):
        raise ValueError(f"num_steps {num_steps} and warm_up {warm_up}: at least 1 and at least 0")

    def done_at(calls: int) -> float:
        while calls:
            step()
            calls -= 1
        synchronize()
        return clock()

    begin, end = done_at(warm_up), done_at(num_steps)
    seconds_per_item = (end - begin) / (items * num_steps)
    return 1 / seconds_per_item

# %% correct: one loop from minus warm_up, the clock started on the way

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if min(num_steps - 1, warm_up) < 0:
        raise ValueError(f"num_steps {num_steps} must be at least 1, warm_up {warm_up} at least 0")
    elapsed = 0.0
    for place in range(-warm_up, num_steps):
        if place == 0:
            synchronize()
            elapsed -= clock()
        step()
    synchronize()
    elapsed += clock()
    return items / (elapsed / num_steps)
