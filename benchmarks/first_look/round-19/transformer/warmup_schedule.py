# %% wrong: step 0 is treated as step 1
# max(step, 1) avoids the division by zero, but at step 0 the rate has to be 0, not that of step 1.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    step = max(step, 1)
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


# %% wrong: steps are counted one further
# Adds one to every step so that 0 does no harm; then each rate is the next step's: warmup_schedule(0, ...) is not 0,
# and the peak comes at warmup_steps - 1.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    step = step + 1  # loops begin at 0, the paper's steps at 1
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


# %% wrong: two branches that do not meet
# Rises to d_model^-0.5 instead of (d_model * warmup_steps)^-0.5, then drops. Shows for every step from 1 to
# warmup_steps when warmup_steps is above 1.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    peak = d_model**-0.5
    if step <= warmup_steps:
        return peak * step / warmup_steps
    return peak * step**-0.5


# %% wrong: a whole number at step 0
# Returns the int 0 at step 0; the text asks for a Python float there too.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step == 0:
        return 0
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


# %% correct: one power of the larger of the two
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    # min(s^-0.5, s w^-1.5) = s min(s^-1.5, w^-1.5) = s max(s, w)^-1.5, which is 0 at s = 0 by itself
    return step * (max(step, warmup_steps) ** 3 * d_model) ** -0.5


# %% correct: in logarithms
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    log_step = math.log(step) if step > 0 else -math.inf
    log_rates = sorted([-log_step, 2 * log_step - 3 * math.log(warmup_steps)])
    return math.exp((log_rates[0] - math.log(d_model)) / 2)
