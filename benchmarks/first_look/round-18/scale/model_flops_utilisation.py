# %% wrong: attention linear in the length
# 12 * T, not 12 * T^2: any num_tokens above 1.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops > 0:
        raise ValueError("peak_flops must be above 0")
    a = num_tokens * (6 * num_parameters + 12 * num_layers * d_model)
    return a * sequences_per_second / peak_flops

# %% wrong: at most one
# A share above 1 is cut to 1: a peak that is too low.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops > 0:
        raise ValueError("peak_flops must be above 0")
    a = 6 * num_tokens * num_parameters + 12 * num_layers * num_tokens**2 * d_model
    return min(1.0, a * sequences_per_second / peak_flops)

# %% wrong: zero peak not refused
# peak_flops 0 raises ZeroDivisionError, not ValueError.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops < 0:
        raise ValueError("negative peak")
    a = 6 * num_tokens * num_parameters + 12 * num_layers * num_tokens**2 * d_model
    return a * sequences_per_second / peak_flops

# %% wrong: per cent
# 50 for half; any input.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops > 0:
        raise ValueError("peak_flops must be above 0")
    a = 6 * num_tokens * num_parameters + 12 * num_layers * num_tokens**2 * d_model
    return 100 * a * sequences_per_second / peak_flops

# %% correct: by tokens per second

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops > 0:
        raise ValueError("peak_flops must be above 0")
    per_token = 6 * (num_parameters + 2 * num_layers * num_tokens * d_model)
    return per_token * (sequences_per_second * num_tokens) / peak_flops

# %% correct: over the sequences that the peak allows

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops > 0:
        raise ValueError("peak_flops must be above 0")
    costs = [6 * num_tokens * num_parameters, *[12 * num_tokens * num_tokens * d_model] * num_layers]
    return sequences_per_second * (sum(costs) / peak_flops)

