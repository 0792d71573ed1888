# %% wrong: never more than one
# A share above 1 is cut to 1.0, although it is to come back as it is. Shows for a peak that is too
# small: 2.5 times the peak gives 1.0.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops <= 0:
        raise ValueError("the peak must be above 0")
    operations = 6 * num_parameters * num_tokens + 12 * num_layers * num_tokens**2 * d_model
    return min(1.0, operations * sequences_per_second / peak_flops)

# %% wrong: only a peak of nought is refused
# `if not peak_flops` catches 0 and lets negative numbers through: a share below 0 comes back in
# place of a ValueError.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops:
        raise ValueError("a device without operations")
    per_sequence = num_tokens * (6 * num_parameters + 12 * num_layers * num_tokens * d_model)
    return per_sequence * sequences_per_second / peak_flops

# %% wrong: operations per token, times sequences per second
# The paper's 6 N + 12 L T D is for one token and goes with tokens a second. Here it meets sequences a
# second: the share is T times too small. Right for num_tokens 1 alone.

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
    operations = 6 * num_parameters + 12 * num_layers * d_model * num_tokens
    return sequences_per_second * operations / peak_flops

# %% wrong: the causal mask halves the scores
# 6 T^2 D a layer, since half of the scores are masked in a language model. The formula counts all.
# Shows most where T is large beside the number of parameters.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops <= 0:
        raise ValueError("peak_flops must be positive")
    in_matrices = 6 * num_parameters * num_tokens
    seen_pairs = num_tokens**2 / 2
    in_attention = 12 * num_layers * seen_pairs * d_model
    return (in_matrices + in_attention) * sequences_per_second / peak_flops

# %% correct: forward once, backward twice, layer by layer

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
    multiply_and_add = 2
    forward = multiply_and_add * num_parameters * num_tokens
    for _ in range(num_layers):
        scores = multiply_and_add * num_tokens * num_tokens * d_model
        weighted_sums = multiply_and_add * num_tokens * num_tokens * d_model
        forward += scores + weighted_sums
    backward = 2 * forward
    return float((forward + backward) * sequences_per_second / peak_flops)

# %% correct: the best rate that there could be, and the share of it

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops <= 0:
        raise ValueError("nothing is a share of such a peak")
    # parameters that would cost as much as the attention of all layers
    equivalent = sum([2 * num_tokens * d_model] * num_layers)
    tokens_at_peak = peak_flops / (6 * (num_parameters + equivalent))
    return sequences_per_second * num_tokens / tokens_at_peak
