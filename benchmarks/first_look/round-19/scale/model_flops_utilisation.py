# %% wrong: operations of a token, times sequences
# The formula of the paper's appendix is for one token: 6 N + 12 L T D. With sequences_per_second it is T times too small for any
# num_tokens above 1.

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
    per_token = 6 * num_parameters + 12 * num_layers * num_tokens * d_model
    return per_token * sequences_per_second / peak_flops

# %% wrong: everything in each layer
# The parentheses stand so that the parameters' operations are multiplied by the layers too, though num_parameters counts
# those of all layers. Shows for num_layers above 1.

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
    of_a_layer = 6 * num_parameters * num_tokens + 12 * num_tokens**2 * d_model
    return num_layers * of_a_layer * sequences_per_second / peak_flops

# %% wrong: never more than the whole
# A share above 1 is cut off at 1. It must come back as it is: for a peak of 1 operation a second, as in the notebook's own
# comparison, the result is 1.0 instead of the operations of a sequence.

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

# %% wrong: only a peak of exactly 0 is refused
# "if not peak_flops" thinks of the division by zero alone. A negative peak gives a negative share instead of a ValueError.

def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops:
        raise ValueError("a device without operations has no utilization")
    parameters = 6 * num_tokens * num_parameters
    attention = 12 * num_tokens**2 * d_model * num_layers
    return (parameters + attention) * sequences_per_second / peak_flops

# %% correct: a forward pass, counted part by part, three times
# Two operations for each parameter and token, and two products of 2 T^2 D in each layer; backward takes twice that.
def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if not peak_flops > 0:
        raise ValueError(f"a peak of {peak_flops} operations a second: it must be above 0")
    multiply_and_add = 2
    forward = multiply_and_add * num_parameters * num_tokens
    for _ in range(num_layers):
        scores = multiply_and_add * num_tokens * num_tokens * d_model
        weighted_sums = multiply_and_add * num_tokens * num_tokens * d_model
        forward += scores + weighted_sums
    backward = 2 * forward
    return sequences_per_second * (forward + backward) / peak_flops

# %% correct: the time at full speed, as a share of the time taken
# How long the device would take for a second's sequences at its peak.
def model_flops_utilisation(
    num_parameters: int,
    num_layers: int,
    d_model: int,
    num_tokens: int,
    sequences_per_second: float,
    peak_flops: float,
) -> float:
    if peak_flops > 0:
        per_token = num_parameters + 2 * num_layers * d_model * num_tokens
        seconds_of_a_sequence = 6 * num_tokens * per_token / peak_flops
        return float(seconds_of_a_sequence * sequences_per_second)
    raise ValueError("peak_flops must be above 0")
