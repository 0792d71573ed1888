# %% wrong: an int at step 0
# `return 0` is an int. A Python float is asked for, at step 0 too; all other steps are right.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step == 0:
        return 0
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)

# %% wrong: step 0 is taken for step 1
# max(step, 1) keeps the power from dividing by zero, but at step 0 it gives the rate of step 1 where the rate is 0.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    step = max(step, 1)
    return d_model ** (-0.5) * min(step ** (-0.5), step * warmup_steps ** (-1.5))

# %% wrong: after the warm-up the steps are counted anew
# The fall begins with the root of step - warmup_steps, as if the peak were a new first step: one step after the peak the rate jumps up to d_model**-0.5. All steps past
# warmup_steps are wrong.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step <= warmup_steps:
        return d_model**-0.5 * step * warmup_steps**-1.5
    return d_model**-0.5 * (step - warmup_steps) ** -0.5

# %% wrong: the rise is steeper by a factor of warmup_steps
# The exponent of warmup_steps is -0.5, the height of the peak, where the slope -1.5 belongs. The minimum then follows the falling branch nearly from step 1 on; right only for
# warmup_steps of 1 and past the peak.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step == 0:
        return 0.0
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-0.5)

# %% correct: two cases, with roots

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    peak = 1 / math.sqrt(d_model * warmup_steps)
    if step <= warmup_steps:
        return peak * (step / warmup_steps)
    return peak * math.sqrt(warmup_steps / step)

# %% correct: in logarithms

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if not step:
        return math.exp(-math.inf)  # 0.0
    of_step, of_warmup = math.log(step), math.log(warmup_steps)
    exponents = sorted([-of_step / 2, of_step - 1.5 * of_warmup])
    return math.exp(exponents[0] - math.log(d_model) / 2)
