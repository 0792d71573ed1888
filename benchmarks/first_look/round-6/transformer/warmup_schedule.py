# %% wrong: step 0 is treated as step 1
# The division by zero is avoided by max(step, 1), which gives the rate of step 1 at step 0 and not 0.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    step = max(step, 1)
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


# %% wrong: the fall is counted from the end of warm-up
# After the warm-up the root is taken of the steps since its end and not of the step, so that the rate jumps up and
# falls too fast.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step <= warmup_steps:
        return d_model**-0.5 * step * warmup_steps**-1.5
    return d_model**-0.5 * (step - warmup_steps) ** -0.5


# %% wrong: nothing comes back at step 0
# The bare return at step 0 gives None where the rate 0 is asked for.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if not step:
        return
    factor = 1 / math.sqrt(d_model)
    falling = 1 / math.sqrt(step)
    rising = step / (warmup_steps * math.sqrt(warmup_steps))
    return factor * min(falling, rising)


# %% wrong: whole-number division in the exponent
# 3 // 2 is 1, so that the line rises with warmup_steps^-1 and the rate peaks long before step warmup_steps.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step == 0:
        return 0.0
    rise = step * warmup_steps ** -(3 // 2)
    fall = step ** -(1 / 2)
    return d_model ** -(1 / 2) * min(rise, fall)


# %% wrong: remembered by the step alone
# Rates are kept in a dictionary by step, so that a later call with another d_model or warmup_steps gets the rate of
# the earlier one.

_rates = {0: 0.0}


def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step not in _rates:
        _rates[step] = d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)
    return _rates[step]


# %% correct: one quotient with the larger of the two

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    # step^-0.5 is step / step^1.5, so the smaller term is the one with the larger number below
    larger = max(step, warmup_steps, 1)
    return step / (math.sqrt(d_model) * larger * math.sqrt(larger))


# %% correct: in logarithms

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step <= 0:
        return 0.0
    exponents = [-math.log(step) / 2]
    if step < warmup_steps:
        exponents.append(math.log(step) - 3 * math.log(warmup_steps) / 2)
    return math.exp(min(exponents) - math.log(d_model) / 2)
