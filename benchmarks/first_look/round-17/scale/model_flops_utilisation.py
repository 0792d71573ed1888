# %% wrong: rounded for the table
# Returns the share rounded to four places. Shows for small shares: sixteen small images on a fast GPU may use
# 0.00002 of it, which comes back as 0.0.

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
    return round(operations * sequences_per_second / peak_flops, 4)

# %% wrong: only zero is refused
# "if not peak_flops" is meant against a division by zero and lets a negative peak through. Shows for
# peak_flops = -1e12, which must raise ValueError.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops:
        raise ValueError("the peak must not be 0")
    operations = num_tokens * (6 * num_parameters + 12 * num_layers * num_tokens * d_model)
    return operations * sequences_per_second / peak_flops

# %% wrong: half of the scores, for the causal mask
# Counts only the scores that a causal mask leaves, 6 T^2 d_model a layer (or T (T + 1) / 2 of them), where the
# docstring counts all. Shows wherever the second term is not negligible, such as T = 1024.

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
    pairs = num_tokens * (num_tokens + 1) / 2  # who may attend to whom
    operations = 6 * num_parameters * num_tokens + 12 * num_layers * pairs * d_model
    return operations * sequences_per_second / peak_flops

# %% wrong: a bracket is missing
# The throughput multiplies only the attention's term. Shows for any sequences_per_second other than 1 (at 1,
# which the notebook tries first, it is right).

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
    linear = 6 * num_parameters * num_tokens
    attention = 12 * num_layers * num_tokens**2 * d_model
    used = linear + attention * sequences_per_second
    return used / peak_flops

# %% correct: the seconds that the peak would need for one second's work

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops > 0:
        raise ValueError(f"a device's peak is above 0, not {peak_flops}")
    seconds = 0.0
    for passes in (1, 2):  # forward once, backward twice that
        seconds += passes * 2 * num_parameters * num_tokens / peak_flops
        for product in ("scores", "weighted sums"):
            seconds += passes * num_layers * 2 * num_tokens * num_tokens * d_model / peak_flops
    return float(seconds * sequences_per_second)

# %% correct: exact fractions

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    from fractions import Fraction

    if not peak_flops > 0:
        raise ValueError("peak_flops is not above 0")
    for_each_token = 6 * (num_parameters + 2 * num_layers * num_tokens * d_model)
    used = Fraction(sequences_per_second) * for_each_token * num_tokens
    return float(used / Fraction(peak_flops))
