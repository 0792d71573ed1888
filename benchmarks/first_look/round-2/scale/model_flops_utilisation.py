# %% wrong: attention of one layer
# The second term is not multiplied by num_layers: too small a share where sequences are long. A good message: "two layers' attention must count twice".

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
    operations = 6 * num_parameters * num_tokens + 12 * num_tokens**2 * d_model
    return operations * sequences_per_second / peak_flops

# %% wrong: per cent, and never above a hundred
# 100 times the share, cut off at 100; and a peak of 0 is a ZeroDivisionError. A good message: "a share is promised, 0.5 for half"; "one above 1 comes back as it is"; "peak_flops = 0: expected ValueError".

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    operations = 6 * num_parameters * num_tokens + 12 * num_layers * num_tokens**2 * d_model
    return min(100.0, 100 * operations * sequences_per_second / peak_flops)

# %% wrong: tokens counted twice
# The rate is turned into tokens a second, though the operations are already those of a whole sequence: too large by num_tokens. A good message: "sequences_per_second and operations per SEQUENCE: too large by a factor of T".

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
    tokens_per_second = sequences_per_second * num_tokens
    per_sequence = 6 * num_tokens * num_parameters + 12 * num_layers * d_model * num_tokens**2
    return per_sequence * tokens_per_second / peak_flops

# %% correct: what a token costs

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
    multiply_add, passes = 2, 3  # forward once, backward twice
    of_a_token = multiply_add * passes * (num_parameters + num_layers * 2 * num_tokens * d_model)
    return sequences_per_second / (peak_flops / (num_tokens * of_a_token))
