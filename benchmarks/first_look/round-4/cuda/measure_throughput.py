# %% wrong: no waiting where there is no warm-up
# Waits for the device after the warm-up only if there was one. With warm_up=0 the clock starts while work from before
# is still in the queue, and the measured steps pay for it.
# Hint: which work may be in the queue when warm_up is 0, and must it count?

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


# %% wrong: the fastest single step
# Times each step by itself, with waiting, and divides by the shortest. The steps were to be timed together: waiting
# after each of them keeps the queue empty, and the luckiest step is not what a training runs at.
# Hint: between which two readings of the clock do all num_steps calls lie?

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
    seconds = []
    for _ in range(num_steps):
        synchronize()
        start = clock()
        step()
        synchronize()
        seconds.append(clock() - start)
    return items / min(seconds)


# %% wrong: the clock read before the waiting
# Reads the clock first and waits then, so the warm-up steps and all that was in the queue before are timed with the
# others.
# Hint: wait, read the clock, work, wait, read the clock. What comes first in your function?

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1:
        raise ValueError(f"{num_steps=} must be at least 1")
    if warm_up < 0:
        raise ValueError(f"{warm_up=} must not be negative")
    for _ in range(warm_up):
        step()
    start = clock()
    synchronize()
    for _ in range(num_steps):
        step()
    synchronize()
    end = clock()
    return num_steps * items / (end - start)


# %% wrong: the warm-up taken out of the counted steps
# Calls step num_steps times in all and starts the clock after the first warm_up of them, but counts the items of all
# num_steps. Too many items are divided by too little time; with warm_up=0 it is right.
# Hint: with num_steps=5 and warm_up=2, how often should step be called, and how often is it?

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
    start = clock()
    for number in range(num_steps):
        if number == warm_up:
            synchronize()
            start = clock()
        step()
    synchronize()
    return items * num_steps / (clock() - start)


# %% correct: one loop over two rounds

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if not (num_steps >= 1 and warm_up >= 0):
        raise ValueError(f"cannot time {num_steps} steps after {warm_up}")
    readings = []
    for calls in (warm_up, num_steps):
        for _ in range(calls):
            step()
        synchronize()
        readings.append(clock())
    before, after = readings
    return items * num_steps / (after - before)


# %% correct: a stopwatch class

class Stopwatch:
    def __init__(self, synchronize, clock):
        self.synchronize, self.clock = synchronize, clock

    def _now(self):
        self.synchronize()
        return self.clock()

    def __enter__(self):
        self.seconds = -self._now()
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
            self.seconds += self._now()


def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError("at least one step must be timed, and no negative number of steps be left out")
    left = warm_up
    while left:
        step()
        left -= 1
    with Stopwatch(synchronize, clock) as watch:
        for _ in range(num_steps):
            step()
    return items / (watch.seconds / num_steps)
