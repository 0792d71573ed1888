# %% wrong: attention's part without the square
# 12 L T D in place of 12 L T^2 D: the scores of each query with one key only. It shows for num_tokens above 1.

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
    operations = 6 * num_parameters * num_tokens + 12 * num_layers * num_tokens * d_model
    return operations * sequences_per_second / peak_flops


# %% wrong: a share cannot be above one
# Cuts the result off at 1. A share above 1 should come back as it is: it says that the peak is wrong.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops > 0:
        raise ValueError(f"peak_flops must be above 0, got {peak_flops}")
    operations = 6 * num_parameters * num_tokens + 12 * num_layers * num_tokens**2 * d_model
    return min(1.0, operations * sequences_per_second / peak_flops)


# %% wrong: only zero is refused
# `if not peak_flops` finds 0 and no negative number: a peak of -1 gives a negative share and no ValueError.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops:
        raise ValueError("peak_flops must not be 0")
    operations = 6 * num_parameters * num_tokens + 12 * num_layers * num_tokens**2 * d_model
    return operations * sequences_per_second / peak_flops


# %% wrong: the square binds the width too
# 12 L (T D)^2: the brackets square d_model with the tokens. It shows for every d_model above 1.

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
    by_parameters = 6 * num_parameters * num_tokens
    by_attention = 12 * num_layers * (num_tokens * d_model) ** 2
    return (by_parameters + by_attention) * sequences_per_second / peak_flops


# %% correct: multiplications and additions, forward and backward, layer by layer

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops > 0:
        raise ValueError(f"a device with a peak of {peak_flops} does nothing")
    multiplications = num_tokens * num_parameters  # forward
    for _ in range(num_layers):
        multiplications += num_tokens * num_tokens * d_model  # scores
        multiplications += num_tokens * num_tokens * d_model  # weighted sums
    forward = 2 * multiplications  # each with an addition
    backward = 2 * forward
    return float((forward + backward) * sequences_per_second / peak_flops)


# %% correct: the time at the peak over the time that it took

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops > 0:
        for_a_token = 6 * (num_parameters + 2 * num_layers * num_tokens * d_model)
        tokens_per_second = sequences_per_second * num_tokens
        return tokens_per_second * (for_a_token / peak_flops)
    raise ValueError("peak_flops has to be above 0")
