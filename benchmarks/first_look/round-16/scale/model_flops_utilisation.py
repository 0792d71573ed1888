# %% wrong: operations of a token times sequences
# Counts for one token (6 N + 12 L T D) but multiplies by sequences a second: T times too small. Shows for T > 1.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops > 0:
        raise ValueError("the peak must be above 0")
    operations = 6 * num_parameters + 12 * num_layers * num_tokens * d_model
    return operations * sequences_per_second / peak_flops


# %% wrong: all layers for both terms
# The parameters are counted once more in each layer: (6 N T + 12 T^2 D) * L. Shows for L > 1.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops > 0:
        raise ValueError("the peak must be above 0")
    layer = 6 * num_parameters * num_tokens + 12 * num_tokens**2 * d_model
    return num_layers * layer * sequences_per_second / peak_flops


# %% wrong: only a peak of zero is refused
# A negative peak gives a negative share in place of ValueError.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops == 0:
        raise ValueError("the peak must not be 0")
    operations = 6 * num_parameters * num_tokens + 12 * num_layers * d_model * num_tokens**2
    return sequences_per_second / peak_flops * operations


# %% wrong: the mask halves the scores
# Takes every Transformer for a causal one, which needs only half of the scores: 6 L T^2 D. Any input.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops > 0:
        raise ValueError("the peak must be above 0")
    pairs = num_tokens * (num_tokens + 1) / 2
    operations = 6 * num_parameters * num_tokens + 12 * num_layers * d_model * pairs
    return operations * sequences_per_second / peak_flops


# %% correct: a list of products, forward and twice backward

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops > 0:
        raise ValueError(f"a peak of {peak_flops} operations a second")
    multiply_adds = [num_parameters * num_tokens]
    for _ in range(num_layers):
        multiply_adds.append(num_tokens * num_tokens * d_model)  # scores
        multiply_adds.append(num_tokens * d_model * num_tokens)  # weighted sums
    passes = 1 + 2
    return 2 * passes * sum(multiply_adds) * sequences_per_second / peak_flops


# %% correct: seconds needed for the second's work

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops > 0:
        per_token = num_parameters + 2 * num_layers * num_tokens * d_model
        seconds_for_one = 6 * num_tokens * per_token / peak_flops
        return seconds_for_one * sequences_per_second
    raise ValueError("peak_flops must be above 0")
