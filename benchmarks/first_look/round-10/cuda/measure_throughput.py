# %% wrong: waits before the warm-up and not after it
# The work of the warm_up calls is still in the queue when the clock is read for the first time, so those calls count after all.
# Shows for warm_up >= 1 with a device that does its work later.


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


# %% wrong: no waiting before the clock where there is no warm-up
# "nor does any work that was asked for before those that do": with warm_up = 0 and work of others in the queue, nobody waits before
# the clock is read, and that work is timed too. With warm_up >= 1 all is right.


def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1:
        raise ValueError(f"num_steps is {num_steps}, it must be at least 1")
    if warm_up < 0:
        raise ValueError(f"warm_up is {warm_up}, it must be at least 0")
    start = clock()
    for number in range(1, warm_up + num_steps + 1):
        step()
        if number == warm_up:  # the last one that does not count
            synchronize()
            start = clock()
    synchronize()
    return items * num_steps / (clock() - start)


# %% wrong: only zero steps are refused
# "Raises ValueError where num_steps is below 1": for num_steps = -1 nothing is raised, a negative rate comes back
# (num_steps = 0 and warm_up = -1 are refused as promised).


def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if not num_steps:
        raise ValueError("nothing to time")
    if warm_up < 0:
        raise ValueError("warm_up must not be negative")
    for _ in range(warm_up):
        step()
    synchronize()
    start = clock()
    for _ in range(num_steps):
        step()
    synchronize()
    seconds = clock() - start
    return num_steps * items / seconds


# %% wrong: every step timed alone, the best one counts
# "num_steps calls are timed together": where steps take different times (1 s, 3 s) the rate is that of the fastest one
# (1 a second in place of 2 in 4 s), and a device that could work while the program prepares the next step is made to wait.


def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError("num_steps >= 1 and warm_up >= 0, please")
    for _ in range(warm_up):
        step()
    synchronize()
    best = float("inf")
    for _ in range(num_steps):
        start = clock()
        step()
        synchronize()
        best = min(best, clock() - start)
    return items / best


# %% correct: one loop that counts up to zero and on


def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if not (num_steps >= 1 and warm_up >= 0):
        raise ValueError(f"num_steps >= 1 and warm_up >= 0 are needed, not {num_steps} and {warm_up}")
    begun = None
    for number in range(-warm_up, num_steps):
        if number == 0:
            synchronize()
            begun = clock()
        step()
    synchronize()
    ended = clock()
    return num_steps * items / (ended - begun)


# %% correct: a stopwatch as a context that waits on its way in and out
from itertools import repeat


class Stopwatch:
    def __init__(self, synchronize, clock):
        self.synchronize, self.clock = synchronize, clock

    def now(self):
        self.synchronize()
        return self.clock()

    def __enter__(self):
        self.readings = [self.now()]
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
            self.readings.append(self.now())

    @property
    def seconds(self):
        first, last = self.readings
        return last - first


def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    for name, value, least in (("num_steps", num_steps, 1), ("warm_up", warm_up, 0)):
        if value < least:
            raise ValueError(f"{name} is {value}, at least {least} is needed")
    for call in repeat(step, warm_up):
        call()
    with Stopwatch(synchronize, clock) as watch:
        for call in repeat(step, num_steps):
            call()
    return items / (watch.seconds / num_steps)
