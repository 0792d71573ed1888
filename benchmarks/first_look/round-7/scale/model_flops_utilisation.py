# %% wrong: takes the rate for tokens per second
# The operations are those of one token (6 N + 12 L T D), multiplied by sequences: too small by the factor num_tokens, wherever that is not 1.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops <= 0:
        raise ValueError(f"peak_flops must be above 0, got {peak_flops}")
    operations_per_token = 6 * num_parameters + 12 * num_layers * num_tokens * d_model
    return operations_per_token * sequences_per_second / peak_flops


# %% wrong: a share is never above 1
# Where the peak is too small, the share has to come back as it is; here it is cut down to 1.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops <= 0:
        raise ValueError("the peak has to be positive")
    operations = 6 * num_parameters * num_tokens + 12 * num_layers * num_tokens**2 * d_model
    share = operations * sequences_per_second / peak_flops
    return min(share, 1.0)


# %% wrong: refuses a negative peak but not zero
# peak_flops = 0 ends in ZeroDivisionError, where a ValueError is asked for.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops < 0:
        raise ValueError("peak_flops must not be negative")
    for_parameters = 6 * num_tokens * num_parameters
    for_attention = num_layers * 12 * num_tokens**2 * d_model
    return (for_parameters + for_attention) * sequences_per_second / peak_flops


# %% wrong: attention's products counted forward only
# 2 * 2 * T^2 * D for scores and weighted sums, without the twice as many of backward: too small, most visibly with long sequences.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops <= 0:
        raise ValueError(f"peak_flops is {peak_flops}")
    operations = 6 * num_parameters * num_tokens
    for _ in range(num_layers):
        operations += 2 * num_tokens**2 * d_model  # scores
        operations += 2 * num_tokens**2 * d_model  # weighted sums
    return sequences_per_second * operations / peak_flops


# %% correct: factors taken out, as if attention were more parameters

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops > 0:
        raise ValueError(f"a device of {peak_flops} operations a second cannot be used")
    as_if_parameters = num_parameters + 2 * num_layers * num_tokens * d_model
    tokens_per_second = sequences_per_second * num_tokens
    return float(6 * as_if_parameters * tokens_per_second / peak_flops)


# %% correct: seconds at the peak over seconds taken, summed from a list of products

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops > 0:
        forward = [2 * num_parameters * num_tokens]
        for _ in range(num_layers):
            forward += [2 * num_tokens * num_tokens * d_model] * 2  # the scores, the weighted sums
        both_ways = sum(operations + 2 * operations for operations in forward)
        seconds_at_peak = both_ways / peak_flops
        return seconds_at_peak * sequences_per_second
    raise ValueError(f"peak_flops must be above 0: {peak_flops}")
