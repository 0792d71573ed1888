# %% wrong: a token's operations, times sequences a second
# 6 N + 12 L T D is the count for one token: with sequences a second the share comes out T times too small. Right
# for num_tokens = 1 only.

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
    per_token = 6 * num_parameters + 12 * num_layers * num_tokens * d_model
    return per_token * sequences_per_second / peak_flops


# %% wrong: never above one
# A share above 1 is cut to 1, where it should come back as it is: shows where the peak is too low.

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
    operations = 6 * num_parameters * num_tokens + 12 * num_layers * num_tokens**2 * d_model
    return min(1.0, operations * sequences_per_second / peak_flops)


# %% wrong: only a peak of zero is refused
# A negative peak gives a negative share instead of a ValueError.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops:
        raise ValueError("a peak of 0 operations a second")
    products = 6 * num_parameters * num_tokens
    attention = 12 * num_layers * num_tokens * num_tokens * d_model
    return (products + attention) * sequences_per_second / peak_flops


# %% wrong: every layer has all the parameters
# num_layers multiplies the whole sum, though num_parameters already counts the model: right for one layer only.

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
    in_a_layer = 6 * num_parameters * num_tokens + 12 * num_tokens**2 * d_model
    achieved = num_layers * in_a_layer * sequences_per_second
    return achieved / peak_flops


# %% correct: pass by pass, product by product

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops > 0:
        raise ValueError(f"need a peak above 0, got {peak_flops}")
    multiply_and_add, total = 2, 0
    for times in (1, 2):  # forward, and backward for inputs and weights
        total += times * multiply_and_add * num_tokens * num_parameters
        for _ in range(num_layers):
            for _ in ("scores", "weighted sums"):
                total += times * multiply_and_add * num_tokens * num_tokens * d_model
    return float(total * sequences_per_second / peak_flops)


# %% correct: the time it would take at the peak

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not 0 < peak_flops:
        raise ValueError(f"{peak_flops} operations a second cannot be a peak")
    # Horner: 6 T (N + 2 L D T)
    seconds_at_the_peak = 6 * num_tokens * (num_parameters + 2 * num_layers * d_model * num_tokens) / peak_flops
    return seconds_at_the_peak * sequences_per_second
