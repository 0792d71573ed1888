# %% wrong: never above one
# The share is cut off at 1.0, where one above 1 is to come back as it is.

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
    return min(per_sequence * sequences_per_second / peak_flops, 1.0)


# %% wrong: parentheses forgotten
# Rate and peak act on the attention's operations only; those of the parameters are added as they are. Right at one sequence a second and a peak of one.

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
    T = num_tokens
    return 6 * num_parameters * T + 12 * num_layers * T**2 * d_model * sequences_per_second / peak_flops


# %% wrong: a negative peak is let through
# Only a peak of exactly 0 is refused; a negative one gives a negative share.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops:
        raise ValueError("peak_flops must not be zero")
    linear = 6 * num_tokens * num_parameters
    attention = 12 * num_tokens * num_tokens * d_model * num_layers
    return (linear + attention) * sequences_per_second / peak_flops


# %% wrong: attention in proportion to the tokens
# The term of PaLM's appendix is one per token; here it is added to the operations of a whole sequence, with T and not its square.

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
    flops = 6 * num_parameters * num_tokens
    flops += 12 * num_layers * d_model * num_tokens
    achieved = flops * sequences_per_second
    return achieved / peak_flops


# %% wrong: rounded to a whole per cent
# The share is rounded to two places for a tidy table, so that a small one comes back as 0.0.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops <= 0.0:
        raise ValueError("peak_flops must be > 0")
    per_sequence = 6 * num_parameters * num_tokens + 12 * num_layers * d_model * num_tokens**2
    utilisation = per_sequence * sequences_per_second / peak_flops
    return round(utilisation, 2)


# %% correct: seconds that would be enough

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops > 0:
        raise ValueError("a peak is above 0")
    forward = 2 * num_parameters * num_tokens
    for _product in ("scores", "weighted sums"):
        forward += 2 * num_tokens * num_tokens * d_model * num_layers
    forward_and_backward = forward + 2 * forward
    seconds_at_peak = forward_and_backward / peak_flops
    return seconds_at_peak * sequences_per_second


# %% correct: layer by layer, per token

def _operations_of_a_token(num_parameters, d_models, num_tokens):
    return 6 * num_parameters + sum(12 * num_tokens * width for width in d_models)


def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops <= 0:
        raise ValueError(f"{peak_flops} operations a second are no peak")
    tokens_per_second = num_tokens * sequences_per_second
    return tokens_per_second * _operations_of_a_token(num_parameters, [d_model] * num_layers, num_tokens) / peak_flops
