# %% wrong: the clock read before the work is done
# The second reading came while the device still had work in its queue: what was timed is how fast steps are asked for.
# Wait for the device before each reading of the clock. See section 9.2.

# --- before
        step()
    synchronize()
    return items * num_steps / (clock() - start)
# --- after
        step()
    return items * num_steps / (clock() - start)

# %% wrong: not waited for after the warm-up
# Work that the warm-up had left in the queue was done after the clock had started, and so was timed. Wait for the
# device before the first reading too. See section 9.2.

# --- before
        step()
    synchronize()
    start = clock()
# --- after
        step()
    start = clock()

# %% wrong: no warm-up
# step was not called before the clock started, so the slow first calls are in the time. Call it warm_up times first.
# See section 9.2.

# --- before
    for _ in range(warm_up):
        step()
# --- after

# %% wrong: the device waited for after every step
# After each step the program waited until the device had nothing left to do, so launching and working never
# overlapped, which they do in training. Wait once, at the end. See section 9.2.

# --- before
        step()
    synchronize()
    return items * num_steps / (clock() - start)
# --- after
        step()
        synchronize()
    return items * num_steps / (clock() - start)

# %% wrong: seconds for each item
# That is the time an item takes. Return items per second: turn the fraction round. See section 9.2.

# --- before
    return items * num_steps / (clock() - start)
# --- after
    return (clock() - start) / (items * num_steps)

# %% wrong: steps per second
# That is how many steps are taken in a second. Each of them handles several items: multiply. See section 9.2.

# --- before
    return items * num_steps / (clock() - start)
# --- after
    return num_steps / (clock() - start)

# %% wrong: a clock of its own
# The time was taken from another clock than the argument. Read the one that was given: it may be a device's. See
# section 9.2.

# --- before
    start = clock()
# --- after
    start = time.perf_counter()
# --- before
    return items * num_steps / (clock() - start)
# --- after
    return items * num_steps / (time.perf_counter() - start)

# %% wrong: no ValueError
# Impossible settings were accepted without a word. Check num_steps and warm_up first, and raise ValueError with the
# numbers in it. See section 9.2.

# --- before
    if num_steps < 1 or warm_up < 0:
# --- after
    if False:

# %% correct: waited for where nothing is pending too
# --- before
    for _ in range(warm_up):
        step()
# --- after
    for _ in range(warm_up):
        step()
        synchronize()

# %% correct: both readings have names
# --- before
    return items * num_steps / (clock() - start)
# --- after
    end = clock()
    return items / ((end - start) / num_steps)

# %% correct: a while loop
# --- before
    for _ in range(num_steps):
        step()
# --- after
    done = 0
    while done < num_steps:
        step()
        done += 1

# %% correct: a helper
def measure_throughput(step, items, num_steps, warm_up, synchronize, clock=time.perf_counter):
    if num_steps < 1 or warm_up < 0:
        raise ValueError(f"got num_steps {num_steps} and warm_up {warm_up}")

    def seconds(calls):
        synchronize()
        start = clock()
        for _ in range(calls):
            step()
        synchronize()
        return clock() - start

    seconds(warm_up)
    return items * num_steps / seconds(num_steps)

# %% correct: one loop, the clock read on the way
def measure_throughput(step, items, num_steps, warm_up, synchronize, clock=time.perf_counter):
    if num_steps < 1 or warm_up < 0:
        raise ValueError(f"got num_steps {num_steps} and warm_up {warm_up}")

    for call in range(warm_up + num_steps):
        if call == warm_up:
            synchronize()
            start = clock()
        step()
    synchronize()
    return float(items * num_steps) / (clock() - start)
