# %% wrong: waits inside the loop of the warm-up only
# synchronize stands in the warm-up loop; with warm_up = 0 nothing waits for the work that was asked for before, and it is timed too.

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
    return items * num_steps / (clock() - start)


# %% wrong: the clock is read before the last wait
# The time is taken when the last step has been asked for; the waiting comes after it, too late.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1:
        raise ValueError("num_steps must be positive")
    if warm_up < 0:
        raise ValueError("warm_up must not be negative")
    for _ in range(warm_up):
        step()
    synchronize()
    start = clock()
    for _ in range(num_steps):
        step()
    elapsed = clock() - start
    synchronize()
    return num_steps * items / elapsed


# %% wrong: the best single step
# Each step is timed alone and the fastest is reported, as in the timing cells; the steps are to be timed together.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError("bad number of steps")
    for _ in range(warm_up):
        step()
    times = []
    for _ in range(num_steps):
        synchronize()
        start = clock()
        step()
        synchronize()
        times.append(clock() - start)
    return items / min(times)


# %% wrong: the clock that was given is not used
# time.perf_counter is called by name, so a clock that is handed in is never read.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if warm_up < 0 or num_steps <= 0:
        raise ValueError("num_steps must be >= 1 and warm_up >= 0")
    for i in range(warm_up):
        step()
    synchronize()
    begin = time.perf_counter()
    for i in range(num_steps):
        step()
    synchronize()
    end = time.perf_counter()
    return items * num_steps / (end - begin)


# %% wrong: truth values for the check
# `not num_steps or not warm_up` refuses a warm-up of 0, which is allowed, and lets negative numbers through.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if not num_steps or not warm_up:
        raise ValueError("num_steps and warm_up are needed")
    for _ in range(warm_up):
        step()
    synchronize()
    start = clock()
    for _ in range(num_steps):
        step()
    synchronize()
    seconds = clock() - start
    return items * num_steps / seconds


# %% correct: a stopwatch as a context

class _Stopwatch:
    """Waits and reads the clock where the block begins and where it ends."""

    def __init__(self, synchronize, clock):
        self.synchronize, self.clock = synchronize, clock
        self.readings = []

    def read(self):
        self.synchronize()
        self.readings.append(self.clock())

    def __enter__(self):
        self.read()
        return self

    def __exit__(self, *error):
        self.read()

    @property
    def seconds(self):
        return self.readings[1] - self.readings[0]


def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if warm_up < 0 or num_steps < 1:
        raise ValueError(f"num_steps must be at least 1 and warm_up at least 0, got {num_steps} and {warm_up}")
    for _ in range(warm_up):
        step()
    with _Stopwatch(synchronize, clock) as watch:
        for _ in range(num_steps):
            step()
    return items * num_steps / watch.seconds


# %% correct: one loop that counts down

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if not (num_steps >= 1 and warm_up >= 0):
        raise ValueError("at least one step, and no negative warm-up")
    left = warm_up + num_steps
    begun = None
    while left > 0:
        if left == num_steps:
            synchronize()
            begun = clock()
        step()
        left -= 1
    synchronize()
    ended = clock()
    seconds_per_step = (ended - begun) / num_steps
    return items / seconds_per_step
