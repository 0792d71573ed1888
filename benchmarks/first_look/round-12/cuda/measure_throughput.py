# %% wrong: no wait before the clock
# The warm-up's work is still in the queue when the clock is read, so it is timed too.
# Shows on a device that works in the background, with warm_up=5, or with work asked for before the call.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError(f"need num_steps of 1 or more and warm_up of 0 or more, got {num_steps}, {warm_up}")
    for _ in range(warm_up):
        step()
    start = clock()
    for _ in range(num_steps):
        step()
    synchronize()
    return items * num_steps / (clock() - start)

# %% wrong: the clock read before the wait
# The end is noted first and waited for afterwards, so only the launching of the steps is timed.
# Shows on a device that works in the background: far too many items a second.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError(f"need num_steps of 1 or more and warm_up of 0 or more, got {num_steps}, {warm_up}")
    for _ in range(warm_up):
        step()
    synchronize()
    start = clock()
    for _ in range(num_steps):
        step()
    end = clock()
    synchronize()
    return items * num_steps / (end - start)

# %% wrong: its own clock
# time.perf_counter is called in place of the clock that was given.
# Shows with clock=time.process_time, or with a made-up clock in a test.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError(f"need num_steps of 1 or more and warm_up of 0 or more, got {num_steps}, {warm_up}")
    for _ in range(warm_up):
        step()
    synchronize()
    begin = time.perf_counter()
    for _ in range(num_steps):
        step()
    synchronize()
    seconds = time.perf_counter() - begin
    return num_steps * items / seconds

# %% wrong: a wait only after a warm-up
# Without warm-up calls it is thought that nothing can be in the queue.
# Shows with warm_up=0 where the caller has asked for work before: that work is timed.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError(f"need num_steps of 1 or more and warm_up of 0 or more, got {num_steps}, {warm_up}")
    if warm_up > 0:
        for _ in range(warm_up):
            step()
        synchronize()
    start = clock()
    for _ in range(num_steps):
        step()
    synchronize()
    return items * num_steps / (clock() - start)

# %% correct: a stopwatch with a context

# Waiting and reading the clock on both sides are one small class.


class Stopwatch:
    def __init__(self, synchronize, clock):
        self.synchronize, self.clock = synchronize, clock

    def now(self):
        self.synchronize()
        return self.clock()

    def __enter__(self):
        self.begin = self.now()
        return self

    def __exit__(self, *failure):
        self.seconds = self.now() - self.begin
        return False


def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if warm_up < 0:
        raise ValueError("warm_up is below 0")
    if num_steps < 1:
        raise ValueError("num_steps is below 1")
    for _ in range(warm_up):
        step()
    with Stopwatch(synchronize, clock) as watch:
        for _ in range(num_steps):
            step()
    return items / (watch.seconds / num_steps)

# %% correct: one loop over all the calls

# A single countdown; the clock is started when the warm-up is used up.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if not (num_steps >= 1 and warm_up >= 0):
        raise ValueError(f"num_steps {num_steps}, warm_up {warm_up}")
    marks = []
    for left in range(num_steps + warm_up, -1, -1):
        if left in (num_steps, 0):
            synchronize()
            marks.append(clock())
        if left:
            step()
    begin, end = marks
    return num_steps * items / (end - begin)
