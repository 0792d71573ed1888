# %% wrong: waits beforehand only if there was a warm-up
# With warm_up = 0 nothing is waited for before the clock is read, so work that was in the queue before the call is
# timed as well.


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
    if warm_up > 0:
        for _ in range(warm_up):
            step()
        synchronize()
    start = clock()
    for _ in range(num_steps):
        step()
    synchronize()
    return items * num_steps / (clock() - start)


# %% wrong: the clock is read before the waiting
# The time is taken right after the warm-up calls and the device is waited for only then, so what is left of the
# warm-up counts. Shows on a device with a queue and warm_up of 1 or more.


def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1:
        raise ValueError("num_steps must be at least 1")
    if warm_up < 0:
        raise ValueError("warm_up must not be negative")
    for _ in range(warm_up):
        step()
    begin = clock()
    synchronize()
    for _ in range(num_steps):
        step()
    synchronize()
    end = clock()
    return num_steps * items / (end - begin)


# %% wrong: the wall clock, whatever clock was given
# time.perf_counter is called by name and the argument is forgotten. Shows with any other clock: processor time, or
# one that a test turns by hand.


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
    seconds = time.perf_counter() - start
    return items * num_steps / seconds


# %% wrong: the mean of the single steps' rates
# Each step is timed by itself and the items per second are averaged. "Timed together": steps of 1 and 3 seconds with
# 6 items are 3 items a second, here 4.


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
    rates = []
    for _ in range(num_steps):
        synchronize()
        start = clock()
        step()
        synchronize()
        rates.append(items / (clock() - start))
    return sum(rates) / len(rates)


# %% correct: a stopwatch that waits whenever it is pressed


def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    class Stopwatch:
        def press(self) -> float:
            synchronize()
            return clock()

        def __enter__(self):
            self.seconds = -self.press()
            return self

        def __exit__(self, *error):
            if error[0] is None:
                self.seconds += self.press()

    if min(num_steps - 1, warm_up) < 0:
        raise ValueError(f"cannot time {num_steps} steps after {warm_up}")
    for _ in range(warm_up):
        step()
    with Stopwatch() as watch:
        for _ in range(num_steps):
            step()
    return items * num_steps / watch.seconds


# %% correct: a schedule of calls that is worked off


def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if warm_up < 0 or num_steps <= 0:
        raise ValueError("warm_up is below 0 or num_steps below 1")
    readings = []

    def read() -> None:
        readings.append(clock())

    schedule = [(step, warm_up), (synchronize, 1), (read, 1)]
    schedule += [(step, num_steps), (synchronize, 1), (read, 1)]
    for work, times in schedule:
        for _ in range(times):
            work()
    start, end = readings
    return num_steps / (end - start) * items
