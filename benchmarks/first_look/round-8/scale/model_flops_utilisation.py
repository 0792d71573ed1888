# %% wrong: the operations of one token only
# 6 N + 12 L T D is what the paper counts for one token; it is multiplied by sequences a second and not by tokens a second.
# Too small by a factor of T for every T above 1.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops <= 0:
        raise ValueError(f"peak_flops must be above 0, not {peak_flops}")
    flops = 6 * num_parameters + 12 * num_layers * num_tokens * d_model
    return flops * sequences_per_second / peak_flops

# %% wrong: never more than one
# A share above 1 is cut down to 1, which hides that the peak is wrong: shows for a peak below the operations done.

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
    per_sequence = 6 * num_parameters * num_tokens + 12 * num_layers * num_tokens**2 * d_model
    return min(1.0, per_sequence * sequences_per_second / peak_flops)

# %% wrong: a peak of zero is let through
# Only a negative peak is refused; peak_flops = 0 ends in a ZeroDivisionError and not in a ValueError.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops < 0:
        raise ValueError("peak_flops must be above 0")
    weights = 6 * num_parameters * num_tokens
    attention = 12 * num_layers * num_tokens**2 * d_model
    return (weights + attention) * sequences_per_second / peak_flops

# %% wrong: the attention of a single layer
# The attention's products are counted once and not in each of the layers: too small wherever num_layers is above 1.

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
    for_parameters = 6 * num_tokens * num_parameters
    for_attention = 12 * num_tokens**2 * d_model
    return sequences_per_second * (for_parameters + for_attention) / peak_flops

# %% correct: layer by layer, forward and then twice that backward

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops > 0:
        raise ValueError(f"a device with a peak of {peak_flops} operations a second")
    forward = 2 * num_parameters * num_tokens
    for _ in range(num_layers):
        forward += 2 * num_tokens * num_tokens * d_model  # scores
        forward += 2 * num_tokens * num_tokens * d_model  # weighted sums
    backward = 2 * forward
    return (forward + backward) * sequences_per_second / peak_flops

# %% correct: seconds a sequence at the peak, beside seconds it took

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops > 0:
        per_token = 6 * (num_parameters + 2 * num_layers * num_tokens * d_model)
        seconds_at_best = num_tokens * (per_token / peak_flops)
        return seconds_at_best * sequences_per_second
    raise ValueError(f"peak_flops must be above 0, and is {peak_flops}")
