# %% wrong: a power written with a caret
# Writes T^2 as num_tokens ^ 2, as the docstring does on paper. In Python ^ is the exclusive or of the bits: 64 ^ 2 is 66.
# The attention's share all but vanishes, and for short sequences nobody sees it.
# Hint: print 16384 ^ 2.

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
    of_parameters = 6 * num_tokens * num_parameters
    of_attention = 12 * (num_tokens ^ 2) * d_model * num_layers
    return (of_parameters + of_attention) * sequences_per_second / peak_flops


# %% wrong: the second forward pass counted
# Counts eight operations per parameter and sixteen for attention, with the forward pass that checkpointing takes twice.
# That is the utilisation of the hardware; what is computed twice was to count once.
# Hint: would a training look better by your number if it computed something twice for nothing?

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
    forward = 2 * num_parameters * num_tokens + 4 * num_layers * d_model * num_tokens**2
    return 4 * forward * sequences_per_second / peak_flops  # forward, again, and twice for backward


# %% wrong: shares above one cut off
# Returns one at most. A share above one says that the peak is wrong, and just that is hidden here.
# Hint: what does the docstring say of a share above 1?

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
    for_a_sequence = 6 * num_parameters * num_tokens + 12 * num_layers * num_tokens**2 * d_model
    return min(1.0, for_a_sequence * sequences_per_second / peak_flops)


# %% wrong: operations of a token times sequences
# Takes the operations of one token, as in the paper's appendix, and multiplies them by sequences per second: tokens per
# second were meant there. The share is too small by the factor num_tokens.
# Hint: how many tokens does a sequence have, and where do they stand in your formula?

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
    flops_per_token = 6 * num_parameters + 12 * num_layers * d_model * num_tokens
    return flops_per_token * sequences_per_second / peak_flops


# %% correct: forward first, and three times that

def forward_operations(num_parameters, num_layers, d_model, num_tokens):
    by_parameters = 2 * num_parameters * num_tokens
    scores_and_sums = 2 * (2 * num_tokens * num_tokens * d_model)
    return by_parameters + num_layers * scores_and_sums


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
    needed = 3 * forward_operations(num_parameters, num_layers, d_model, num_tokens)
    return sequences_per_second * needed / peak_flops


# %% correct: by the token, and the tokens per second

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops <= 0:
        raise ValueError("a device that does nothing has no utilisation")
    a_token = 6 * num_parameters
    for _ in range(num_layers):
        a_token += 12 * d_model * num_tokens
    tokens_per_second = sequences_per_second * num_tokens
    return a_token * (tokens_per_second / peak_flops)
