# %% wrong: step 0 is taken for step 1
# To avoid the division by zero, as in a well-known implementation; the rate at step 0 has to be 0.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step == 0:
        step = 1
    return d_model ** (-0.5) * min(step ** (-0.5), step * warmup_steps ** (-1.5))


# %% wrong: falls with the steps since the warm-up
# After the peak the root is that of step - warmup_steps (plus one), so the rate falls far too fast.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    peak = (d_model * warmup_steps) ** -0.5
    if step <= warmup_steps:
        return peak * step / warmup_steps
    return peak / math.sqrt(step - warmup_steps + 1)


# %% wrong: a minus one half without brackets
# d ** -1 / 2 is half of 1 / d: the power binds tighter than the division, here in all three places.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step == 0:
        return 0.0
    return d_model**-1 / 2 * min(step**-1 / 2, step * warmup_steps**-3 / 2)


# %% wrong: a tensor and not a number
# Zero to a negative power is inf in PyTorch, so the values are right, but what is returned is a float32 tensor.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    step = torch.tensor(float(step))
    return d_model**-0.5 * torch.minimum(step**-0.5, step * warmup_steps**-1.5)


# %% wrong: nothing is returned at step 0
# The case is seen, and then falls through to None.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step > 0:
        rate = min(step**-0.5, step * warmup_steps**-1.5)
        return rate / d_model**0.5


# %% correct: the two branches apart

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    rising = step < warmup_steps
    share = step / (warmup_steps * math.sqrt(warmup_steps)) if rising else 1 / math.sqrt(step) if step else 0.0
    return share / math.sqrt(d_model)


# %% correct: with logarithms

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if not step:
        return 0.0
    log_step, log_warm = math.log(step), math.log(warmup_steps)
    candidates = [-0.5 * log_step, log_step - 1.5 * log_warm]
    return math.exp(sorted(candidates)[0] - 0.5 * math.log(d_model))
