# %% wrong: the clock is read before the last wait
# The clock is read when the last call has returned, and only then is waited for. Shows with any step that
# only puts its work into a queue: what is timed is the queueing.

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
    end = clock()
    synchronize()
    return items * num_steps / (end - start)


# %% wrong: waits before the clock only where there was a warm-up
# With warm_up=0 nobody waits before the clock is started, and what others had left in the queue is timed too.

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
    if warm_up > 0:
        for _ in range(warm_up):
            step()
        synchronize()
    start = clock()
    for _ in range(num_steps):
        step()
    synchronize()
    return items * num_steps / (clock() - start)


# %% wrong: the mean of the rates of single steps
# Each step is timed alone, and the rates are averaged. Shows where steps take different times: with 1 s and 3 s
# and one item it says 2/3 a second, and two items in 4 s are 1/2.

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
        raise ValueError(f"warm_up must be at least 0, not {warm_up}")
    for _ in range(warm_up):
        step()
    synchronize()
    rates = []
    for _ in range(num_steps):
        start = clock()
        step()
        synchronize()
        rates.append(items / (clock() - start))
    return sum(rates) / len(rates)


# %% wrong: its own clock
# The argument clock is not used. Shows with any other clock than time.perf_counter: time.process_time, or one
# that a test has made.

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
    elapsed = time.perf_counter() - start
    return items * num_steps / elapsed


# %% correct: two times at which everything is finished

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if not (num_steps >= 1 and warm_up >= 0):
        raise ValueError(f"cannot time {num_steps} steps after {warm_up} for warming up")

    def finished_after(calls: int) -> float:
        while calls:
            step()
            calls -= 1
        synchronize()
        return clock()

    begin, end = map(finished_after, (warm_up, num_steps))
    return num_steps * items / (end - begin)


# %% correct: a stopwatch as a context manager

class Stopwatch:
    """Seconds spent inside a with statement, with nothing of the device's work left outside on either side."""

    def __init__(self, synchronize, clock):
        self.synchronize, self.clock = synchronize, clock
        self.seconds = 0.0

    def __enter__(self):
        self.synchronize()
        self.seconds -= self.clock()
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
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
            raise ValueError(f"{name} is {number}, below {least}")
    watch = Stopwatch(synchronize, clock)
    for number in range(-warm_up, num_steps):
        if number == 0:
            watch.__enter__()
        step()
    watch.__exit__(None, None, None)
    return 1 / (watch.seconds / num_steps / items)
