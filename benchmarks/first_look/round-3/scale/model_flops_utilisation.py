# %% wrong: the attention of one layer only
# The attention's products are counted once and not for each of num_layers layers; the argument is not used.
# Hint: which argument does not stand in your formula?

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops <= 0:
        raise ValueError("peak_flops must be above 0")
    operations = 6 * num_parameters * num_tokens + 12 * num_tokens**2 * d_model
    return operations * sequences_per_second / peak_flops


# %% wrong: a percentage instead of a share
# The result is multiplied by 100, but the docstring wants a share, 0.5 for half.
# Hint: what should come back where half of the peak is used?

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops <= 0:
        raise ValueError("peak_flops must be above 0")
    operations = 6 * num_parameters * num_tokens + 12 * num_layers * num_tokens**2 * d_model
    return 100 * operations * sequences_per_second / peak_flops


# %% wrong: never more than one
# A share above 1 is cut down to 1, which hides that the peak is wrong; it should come back as it is.
# Hint: what does a utilisation of 1.4 tell you, and what does 1.0?

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops <= 0:
        raise ValueError("peak_flops must be above 0")
    operations = 6 * num_parameters * num_tokens + 12 * num_layers * num_tokens**2 * d_model
    return min(1.0, operations * sequences_per_second / peak_flops)


# %% wrong: only a peak of zero is refused
# A negative peak passes and gives a negative share; the ValueError is promised wherever peak_flops is not above 0.
# Hint: is -1 above 0?

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops == 0:
        raise ValueError("peak_flops must not be 0")
    operations = 6 * num_parameters * num_tokens + 12 * num_layers * num_tokens**2 * d_model
    return operations * sequences_per_second / peak_flops


# %% correct: forward products, three times

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops > 0:
        raise ValueError(f"the peak must be above 0, got {peak_flops}")
    scores = weighted_sums = 2 * num_tokens * num_tokens * d_model
    forward = 2 * num_tokens * num_parameters
    for _ in range(num_layers):
        forward += scores + weighted_sums
    backward = 2 * forward
    return sequences_per_second / (peak_flops / (forward + backward))
