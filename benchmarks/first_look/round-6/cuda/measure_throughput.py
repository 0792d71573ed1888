# %% wrong: the clock that was handed in is never read
# The argument clock is ignored and time.perf_counter is read in its place.

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
    start = time.perf_counter()
    for _ in range(num_steps):
        step()
    synchronize()
    seconds = time.perf_counter() - start
    return items * num_steps / seconds


# %% wrong: it waits before the clock only if it warmed up
# With warm_up = 0 nobody waits before the clock is read, so that work left in the queue from before is timed as well.

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
        raise ValueError(f"warm_up must not be negative, got {warm_up}")

    if warm_up > 0:
        for _ in range(warm_up):
            step()
        synchronize()

    begin = clock()
    for _ in range(num_steps):
        step()
    synchronize()
    end = clock()
    return num_steps * items / (end - begin)


# %% wrong: the median of steps timed one by one
# Each call is timed and waited for by itself and the median is taken, where num_steps calls should be timed together.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError("bad num_steps or warm_up")
    for _ in range(warm_up):
        step()
    synchronize()
    times = []
    for _ in range(num_steps):
        start = clock()
        step()
        synchronize()
        times.append(clock() - start)
    times.sort()
    return items / times[len(times) // 2]  # the median does not mind a slow one


# %% wrong: the warm-up is taken out of num_steps
# Only num_steps calls are made in all and the first warm_up of them are not timed; where warm_up >= num_steps the
# clock is never started.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError("num_steps has to be positive and warm_up not negative")
    for i in range(num_steps):
        if i == warm_up:
            synchronize()
            start = clock()
        step()
    synchronize()
    took = clock() - start
    return items * (num_steps - warm_up) / took


# %% wrong: assert for the errors and whole items only
# Bad arguments raise AssertionError and not ValueError, and floor division throws the fraction away.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    assert num_steps >= 1, "num_steps must be at least 1"
    assert warm_up >= 0, "warm_up must be at least 0"
    for _ in range(warm_up):
        step()
    synchronize()
    t0 = clock()
    for _ in range(num_steps):
        step()
    synchronize()
    t1 = clock()
    return (items * num_steps) // (t1 - t0)


# %% correct: one helper that takes steps and waits

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    def finished_at(calls: int) -> float:
        """Call step so many times, wait for all of it, and say what time it is then."""
        while calls:
            step()
            calls -= 1
        synchronize()
        return clock()

    if not (num_steps > 0 and warm_up >= 0):
        raise ValueError(f"num_steps {num_steps} must be 1 or more, warm_up {warm_up} must be 0 or more")
    begun, ended = (finished_at(calls) for calls in (warm_up, num_steps))
    return num_steps / (ended - begun) * items


# %% correct: a stopwatch as a context manager

class _Stopwatch:
    """Seconds spent in a with block, from an empty queue to an empty queue."""

    def __init__(self, synchronize, clock):
        self.synchronize, self.clock = synchronize, clock
        self.seconds = 0.0

    def __enter__(self):
        self.synchronize()
        self.seconds = -self.clock()
        return self

    def __exit__(self, *error):
        self.synchronize()
        self.seconds += self.clock()
        return False


def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    for name, number, least in (("num_steps", num_steps, 1), ("warm_up", warm_up, 0)):
        if number < least:
            raise ValueError(f"{name} must be at least {least}, but is {number}")
    [step() for _ in range(warm_up)]
    with _Stopwatch(synchronize, clock) as watch:
        [step() for _ in range(num_steps)]
    return items / (watch.seconds / num_steps)
