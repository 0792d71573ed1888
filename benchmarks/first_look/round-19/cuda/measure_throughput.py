# %% wrong: does not wait before the clock is read
# Nothing waits for the warm-up or for older work before the start is read: its work is counted
# whenever some is still in the queue.

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
    for _ in range(warm_up):
        step()
    start = clock()
    for _ in range(num_steps):
        step()
    synchronize()
    return items * num_steps / (clock() - start)


# %% wrong: waits after every step
# The device is idle while the next step is being launched, and the docstring asks for no wait
# between the timed calls. Shows for num_steps of 2 or more.

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
    synchronize()
    seconds = 0.0
    for _ in range(num_steps):
        start = clock()
        step()
        synchronize()
        seconds += clock() - start
    return num_steps * items / seconds


# %% wrong: waits only for its own warm-up
# Where warm_up is 0 there is no wait before the start, and work that was asked for earlier is
# counted.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError(f"num_steps {num_steps}, warm_up {warm_up}")
    if warm_up:
        for _ in range(warm_up):
            step()
        synchronize()
    start = clock()
    for _ in range(num_steps):
        step()
    synchronize()
    end = clock()
    return items * num_steps / (end - start)


# %% wrong: reads a clock of its own
# Uses time.perf_counter, the default, whatever clock was given: shows with any other clock.

def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError("nothing to measure")
    for _ in range(warm_up):
        step()
    synchronize()
    begin = time.perf_counter()
    for _ in range(num_steps):
        step()
    synchronize()
    return items * num_steps / (time.perf_counter() - begin)


# %% correct: timeit with a clock that waits
# timeit.Timer reads its timer before and after the calls; this timer waits before it reads.
import timeit


def measure_throughput(
    step: Callable[[], Any],
    items: int,
    num_steps: int,
    warm_up: int,
    synchronize: Callable[[], Any],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    if num_steps < 1 or warm_up < 0:
        raise ValueError("num_steps from 1, warm_up from 0")

    def waiting_clock() -> float:
        synchronize()
        return clock()

    for _ in range(warm_up):
        step()
    return num_steps * items / timeit.Timer(step, timer=waiting_clock).timeit(num_steps)


# %% correct: two stretches of calls, a reading after each
# The warm-up and the timed calls are run by the same helper, which ends with wait and clock; the
# difference of the two readings is the time.
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

    def reading_after(calls: int) -> float:
        while calls > 0:
            step()
            calls -= 1
        synchronize()
        return clock()

    start, end = map(reading_after, (warm_up, num_steps))
    return items / ((end - start) / num_steps)
