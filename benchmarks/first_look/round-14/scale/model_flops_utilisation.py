# %% wrong: a share is at most one
# min(1, ...): a peak that was typed in too small goes unnoticed. A share above 1 is to come back as
# it is.

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
    attention = 12 * num_layers * num_tokens**2 * d_model
    needed = 6 * num_parameters * num_tokens + attention
    return min(1.0, needed * sequences_per_second / peak_flops)


# %% wrong: only a peak of exactly zero is refused
# A negative peak is not above 0 either, and gives a negative share where ValueError was promised.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops:
        raise ValueError("the peak is zero")
    per_sequence = 6 * num_parameters * num_tokens + 12 * num_layers * num_tokens**2 * d_model
    return per_sequence * sequences_per_second / peak_flops


# %% wrong: the operations of a token times sequences
# The paper's form, 6 N + 12 L T D, is for one token, and its throughput counts tokens. Here it is
# multiplied by sequences a second: too small by the factor T, right only for T = 1.

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
    per_token = 6 * num_parameters + 12 * num_layers * num_tokens * d_model
    return sequences_per_second * per_token / peak_flops


# %% wrong: attention's forward pass alone
# Scores and weighted sums take 2 T^2 D each, so 4 L T^2 D; the backward pass, twice as much, is in
# the parameters' 6 and forgotten here. Shows where T is not small beside the width.

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
    of_parameters = 6 * num_tokens * num_parameters
    of_attention = num_layers * 2 * (2 * num_tokens * num_tokens * d_model)
    return (of_parameters + of_attention) * sequences_per_second / peak_flops


# %% correct: product by product, forward and twice backward

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

    def product(rows: int, inner: int, columns: int) -> int:
        return 2 * rows * inner * columns

    passes = 1 + 2
    needed = passes * product(num_tokens, num_parameters, 1)
    for _ in range(num_layers):
        scores = product(num_tokens, d_model, num_tokens)
        weighted_sums = product(num_tokens, num_tokens, d_model)
        needed += passes * (scores + weighted_sums)
    return float(sequences_per_second * needed / peak_flops)


# %% correct: the seconds that a perfect device would need, in each second

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
        seconds = (
            tokens_per_second * work / peak_flops
            for work in (6 * num_parameters, 12 * num_layers * d_model * num_tokens)
        )
        return sum(seconds, 0.0)
    raise ValueError(f"{peak_flops=} is not above 0")
