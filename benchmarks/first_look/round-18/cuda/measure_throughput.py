# %% wrong: no wait before the clock
# Warm-up work still in the queue is timed too.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError("num_steps or warm_up too small")
    for _ in range(warm_up):
        step()
    start = clock()
    for _ in range(num_steps):
        step()
    synchronize()
    return items * num_steps / (clock() - start)

# %% wrong: waits after each step
# A wait between the timed calls, where none may be.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError("num_steps or warm_up too small")
    for _ in range(warm_up):
        step()
    synchronize()
    start = clock()
    for _ in range(num_steps):
        step()
        synchronize()
    synchronize()
    return items * num_steps / (clock() - start)

# %% wrong: warm-up of zero is refused
# Raises ValueError for warm_up = 0, which is allowed.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 1:
        raise ValueError("num_steps or warm_up too small")
    for _ in range(warm_up):
        step()
    synchronize()
    start = clock()
    for _ in range(num_steps):
        step()
    synchronize()
    return items * num_steps / (clock() - start)

# %% wrong: steps a second
# Forgets the items: wrong for items other than 1.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError("num_steps or warm_up too small")
    for _ in range(warm_up):
        step()
    synchronize()
    start = clock()
    for _ in range(num_steps):
        step()
    synchronize()
    return num_steps / (clock() - start)

# %% correct: one loop, the clock read on the way

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError("num_steps or warm_up too small")
    start = None
    for number in range(warm_up + num_steps):
        if number == warm_up:
            synchronize()
            start = clock()
        step()
    synchronize()
    return num_steps * items / (clock() - start)

# %% correct: a helper that runs and waits

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError("num_steps or warm_up too small")
    def finished(times):
        while times:
            step()
            times -= 1
        synchronize()
        return clock()
    
    begin = finished(warm_up)
    return items / ((finished(num_steps) - begin) / num_steps)

