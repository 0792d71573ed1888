# %% wrong: a share is never above one
# A share above 1 is cut down to 1, where it should come back as it is.

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


# %% wrong: operations of a token times sequences a second
# The operations are counted for one token, as in the PaLM paper, but multiplied by sequences and not tokens per second.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops > 0:
        raise ValueError(f"peak_flops must be positive, got {peak_flops}")
    flops_per_token = 6 * num_parameters + 12 * num_layers * d_model * num_tokens
    return sequences_per_second * flops_per_token / peak_flops


# %% wrong: a pair of brackets is missing
# Only the attention's term is multiplied by the rate and divided by the peak; right only at one a second of a peak of 1.

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
    matrices = 6 * num_parameters * num_tokens
    attention = 12 * num_layers * num_tokens**2 * d_model
    return matrices + attention * sequences_per_second / peak_flops


# %% wrong: only a peak of zero is refused
# "if not peak_flops" catches 0 alone; a negative peak gives a negative share and no ValueError.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops:
        raise ValueError("cannot divide by a peak of zero")
    T = num_tokens
    return (6 * num_parameters * T + 12 * num_layers * T * T * d_model) * sequences_per_second / peak_flops


# %% wrong: the weighted sums of attention are left out
# Forward, only the scores are counted (2 T^2 D a layer), which makes 6 T^2 D with backward in the place of 12 T^2 D.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops <= 0:
        raise ValueError("peak_flops has to be > 0")
    linear_forward = 2 * num_parameters * num_tokens
    attention_forward = num_layers * 2 * num_tokens**2 * d_model
    forward = linear_forward + attention_forward
    backward = 2 * forward
    achieved = (forward + backward) * sequences_per_second
    return achieved / peak_flops


# %% correct: from the shapes of the products, layer by layer

def _product(rows: int, inner: int, columns: int) -> int:
    """Operations of a matrix product: a multiplication and an addition for each place."""
    return 2 * rows * inner * columns


def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not 0 < peak_flops:
        raise ValueError(f"the peak must be above 0, but is {peak_flops}")
    forward = _product(num_tokens, 1, num_parameters)
    for _ in range(num_layers):
        forward += _product(num_tokens, d_model, num_tokens)  # scores
        forward += _product(num_tokens, num_tokens, d_model)  # weighted sums
    seconds_at_the_peak = 3 * forward / peak_flops
    return seconds_at_the_peak * sequences_per_second


# %% correct: tokens a second over the most there could be

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops > 0:
        tokens_per_second = num_tokens * sequences_per_second
        for_a_token = 6.0 * (num_parameters + 2 * num_layers * d_model * num_tokens)
        return tokens_per_second * for_a_token / peak_flops
    raise ValueError("peak_flops must be above 0")
