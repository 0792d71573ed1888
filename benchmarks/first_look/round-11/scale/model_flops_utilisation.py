# %% wrong: attention's operations of one token
# 12 L T D is what one token's scores and sums take; a sequence has T of them. Shows for every T above 1, most for long
# sequences.

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
    operations = 6 * num_parameters * num_tokens + 12 * num_layers * num_tokens * d_model
    return operations * sequences_per_second / peak_flops


# %% wrong: a negative peak passes
# Only a peak of zero is refused, as what cannot be divided by. A peak of -1e12 gives a negative share where a ValueError
# is promised.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops:
        raise ValueError("a peak of zero operations")
    dense = 6 * num_tokens * num_parameters
    attention = 12 * num_tokens**2 * d_model * num_layers
    return (dense + attention) * sequences_per_second / peak_flops


# %% wrong: half of the attention for the causal mask
# A language model's token looks at earlier ones only, so the second term is halved; the formula counts T^2 whole. Shows
# for every input, most where T is large.

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
    per_layer = 12 * num_tokens * num_tokens * d_model / 2
    per_sequence = 6 * num_parameters * num_tokens + num_layers * per_layer
    return sequences_per_second * per_sequence / peak_flops


# %% wrong: rounded to a percent
# The share comes back with two digits, as tables show it. Shows for every share that has more, and a small one, 0.004,
# becomes 0.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops <= 0:
        raise ValueError("the peak has to be above 0")
    per_token = 6 * num_parameters + 12 * num_layers * d_model * num_tokens
    return round(per_token * num_tokens * sequences_per_second / peak_flops, 2)


# %% correct: layer by layer, forward and twice that back

# The forward operations are added up layer by layer and taken three times, in Python's whole numbers.

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
    multiply_and_add = 2
    forward = multiply_and_add * num_parameters * num_tokens
    for _ in range(num_layers):
        scores = multiply_and_add * num_tokens * num_tokens * d_model
        weighted_sums = multiply_and_add * num_tokens * num_tokens * d_model
        forward += scores + weighted_sums
    backward = 2 * forward
    return float(sequences_per_second) / peak_flops * (forward + backward)


# %% correct: seconds that a perfect device would need

# The share as the busy seconds in a second: tokens a second, times the seconds that one token needs at the peak.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops > 0:
        for_a_token = 6.0 * (num_parameters + 2 * num_layers * num_tokens * d_model)
        seconds_for_a_token = for_a_token / peak_flops
        return num_tokens * sequences_per_second * seconds_for_a_token
    raise ValueError(f"no share of a peak of {peak_flops}")
