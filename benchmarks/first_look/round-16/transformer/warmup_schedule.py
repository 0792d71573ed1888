# %% wrong: a ramp of one over the warm-up times the root
# The step's root is multiplied by min(1, step / warmup_steps), so that the rate rises with the root of
# the step. Right at warmup_steps and after; at half of the warm-up it is 1.4 times too high.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step == 0:
        return 0.0
    return d_model**-0.5 * step**-0.5 * min(1.0, step / warmup_steps)


# %% wrong: a line to one, then the root
# The line ends at d_model^-0.5 rather than at the root's value there, so the rate jumps down behind
# warmup_steps. It shows at every step of a warm-up longer than one, step 0 excepted.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    peak = d_model**-0.5
    if step <= warmup_steps:
        return peak * step / warmup_steps
    return peak * step**-0.5


# %% wrong: the root counts from the end of the warm-up
# After the peak the steps are counted anew, so the rate falls too fast: to the peak's 1/1.4 one step
# after the warm-up. It shows at every step above warmup_steps, with warmup_steps above one.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    peak = (d_model * warmup_steps) ** -0.5
    if step <= warmup_steps:
        return peak * step / warmup_steps
    return peak * (step - warmup_steps + 1) ** -0.5


# %% wrong: an int at step 0
# The formula is right, but the early return at step 0 is the int 0 where a float is asked for.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step == 0:
        return 0
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


# %% correct: the peak times a power of the step's share

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    share = step / warmup_steps
    peak = 1.0 / math.sqrt(d_model * warmup_steps)
    return peak * (share if share <= 1 else 1.0 / math.sqrt(share))


# %% correct: by logarithms, the smaller exponent

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    try:
        log_step = math.log(step)
    except ValueError:  # step 0
        return 0.0
    rising = log_step - 1.5 * math.log(warmup_steps)
    falling = -0.5 * log_step
    return math.exp(sorted((rising, falling))[0] - 0.5 * math.log(d_model))
