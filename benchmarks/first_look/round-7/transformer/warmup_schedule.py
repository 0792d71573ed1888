# %% wrong: step 0 not thought of
# 0 ** -0.5 is a division by zero: raises ZeroDivisionError at step 0, where the rate is to be 0.


def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


# %% wrong: step 0 treated as step 1
# The usual guard against the division by zero gives at step 0 the rate of step 1, which is not 0.


def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    step = max(step, 1)
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


# %% wrong: a loop's counter is taken to be one behind
# One is added to every step so that loops may begin at 0: each rate is the next step's, and the largest one comes a step early.


def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    step = step + 1
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


# %% wrong: two branches that do not meet
# The line rises to d_model^-0.5 and not to (d_model * warmup_steps)^-0.5: all steps from 1 to before warmup_steps are
# too high by the root of warmup_steps (right only for warmup_steps = 1, and from warmup_steps on).


def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < warmup_steps:
        return d_model**-0.5 * step / warmup_steps
    return d_model**-0.5 * step**-0.5


# %% correct: the peak, times a share of it


def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    peak = 1 / math.sqrt(d_model * warmup_steps)
    progress_made = step / warmup_steps
    if progress_made <= 1:
        return peak * progress_made
    return peak / math.sqrt(progress_made)


# %% correct: by logarithms


def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 1:
        return 0.0
    falling = -0.5 * math.log(step)
    rising = math.log(step) - 1.5 * math.log(warmup_steps)
    return math.exp(sorted((falling, rising))[0] - 0.5 * math.log(d_model))
