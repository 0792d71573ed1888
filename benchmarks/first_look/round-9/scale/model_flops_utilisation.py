# %% wrong: operations of a token, times sequences a second
# The paper's formula is for one token, and is taken over as it stands: 6 N + 12 L T D, times sequences per second.
# The factor T is lost: shows for every T above 1.

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
    flops = 6 * num_parameters + 12 * num_layers * d_model * num_tokens
    return flops * sequences_per_second / peak_flops


# %% wrong: the parameters counted in each layer
# num_parameters is taken for those of one layer, and the sum of both terms is multiplied by num_layers. Shows for
# every num_layers above 1.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops <= 0:
        raise ValueError(f"peak_flops must be above 0, not {peak_flops}")
    of_parameters = 6 * num_parameters * num_tokens
    of_attention = 12 * num_tokens**2 * d_model
    per_sequence = num_layers * (of_parameters + of_attention)
    return per_sequence * sequences_per_second / peak_flops


# %% wrong: a share is never above one
# The result is cut off at 1, which hides a peak that is wrong. Shows where the operations per second are more than
# peak_flops.

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
    flops = 6 * num_parameters * num_tokens + 12 * num_layers * num_tokens**2 * d_model
    return min(flops * sequences_per_second / peak_flops, 1.0)


# %% wrong: a peak of zero is let through
# Only negative peaks are refused. Shows for peak_flops=0: a ZeroDivisionError, and no ValueError.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops < 0:
        raise ValueError("a device cannot do a negative number of operations")
    flops = 6 * num_parameters * num_tokens + 12 * num_layers * num_tokens**2 * d_model
    return sequences_per_second * flops / peak_flops


# %% correct: products counted one by one, forward and back

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops > 0:
        raise ValueError(f"a peak of {peak_flops} operations a second is not above 0")

    def product(rows: int, inner: int, columns: int) -> int:
        return 2 * rows * inner * columns  # a multiplication and an addition each

    forward = product(num_tokens, num_parameters, 1)
    for _ in range(num_layers):
        forward += product(num_tokens, d_model, num_tokens)  # the scores
        forward += product(num_tokens, num_tokens, d_model)  # the weighted sums
    backward = 2 * forward
    return (forward + backward) * sequences_per_second / peak_flops


# %% correct: the time at peak over the time that was taken

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops > 0:
        of_token = 6.0 * (num_parameters + 2 * num_layers * d_model * num_tokens)
        at_peak = num_tokens * of_token / peak_flops  # seconds for a sequence
        return float(at_peak * sequences_per_second)
    raise ValueError("peak_flops has to be above 0")
