# %% wrong: the paper's operations per token, times sequences
# Chowdhery et al. write 6 N + 12 L T D for one *token*; taken over and multiplied by sequences per second, everything is T times
# too small. Shows for every T > 1.


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
    operations = 6 * num_parameters + 12 * num_layers * d_model * num_tokens
    return operations * sequences_per_second / peak_flops


# %% wrong: a share is never above one
# "one above 1 comes back as it is, since it says that the peak is wrong": here it comes back as 1.0. Shows where the operations per
# second are more than peak_flops.


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
    parameters = 6 * num_parameters * num_tokens
    attention = 12 * num_layers * num_tokens**2 * d_model
    return min(1.0, (parameters + attention) * sequences_per_second / peak_flops)


# %% wrong: rounded to three decimals
# The share itself is promised. A small model on a large device, with a share of 0.0004, comes back as 0.0, and 0.12345 as 0.123.


def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops > 0:
        raise ValueError(f"a peak of {peak_flops}")
    flops = 6 * num_parameters * num_tokens + 12 * num_layers * num_tokens**2 * d_model
    return round(flops * sequences_per_second / peak_flops, 3)


# %% wrong: only a peak of zero is refused
# "Raises ValueError where peak_flops is not above 0": for peak_flops = -1e12 a negative share comes back.


def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    flops_per_sequence = 6 * num_parameters * num_tokens + 12 * num_layers * num_tokens**2 * d_model
    try:
        return flops_per_sequence * sequences_per_second / peak_flops
    except ZeroDivisionError:
        raise ValueError("peak_flops must be above 0") from None


# %% correct: the products of one forward pass counted, times three


def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops > 0:
        raise ValueError(f"peak_flops is {peak_flops}, it must be above 0")
    scores = weighted_sums = 2 * num_tokens * num_tokens * d_model  # a multiplication and an addition each
    forward = 2 * num_parameters * num_tokens
    for _ in range(num_layers):
        forward += scores + weighted_sums
    backward = 2 * forward
    return (forward + backward) * sequences_per_second / peak_flops


# %% correct: a product of two vectors in float64


def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops > 0:
        how_many = torch.tensor([num_parameters, num_layers], dtype=torch.float64)
        powers = torch.tensor([num_tokens, num_tokens], dtype=torch.float64) ** torch.tensor([1, 2])
        each = powers * torch.tensor([6, 12 * d_model], dtype=torch.float64)
        return torch.dot(how_many, each).item() * (sequences_per_second / peak_flops)
    raise ValueError("peak_flops must be above 0")
