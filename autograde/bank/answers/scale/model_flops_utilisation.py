# %% wrong: the forward pass alone
# Two operations for a parameter and a token are the forward pass. The backward pass needs twice as many again, for the
# scores too. See section 10.6.

# --- before
    flops = 6 * num_parameters * num_tokens + 12 * num_layers * d_model * num_tokens**2
# --- after
    flops = 2 * num_parameters * num_tokens + 4 * num_layers * d_model * num_tokens**2

# %% wrong: multiplications alone
# A multiplication and the addition after it are two operations: every number here is half of what it should be. See
# section 10.6.

# --- before
    flops = 6 * num_parameters * num_tokens + 12 * num_layers * d_model * num_tokens**2
# --- after
    flops = 3 * num_parameters * num_tokens + 6 * num_layers * d_model * num_tokens**2

# %% wrong: computed twice, counted twice
# Eight for six counts the forward pass twice, as it happens with activation checkpointing. What is computed again to
# save memory is no part of what the model needs. See section 10.6.

# --- before
    flops = 6 * num_parameters * num_tokens + 12 * num_layers * d_model * num_tokens**2
# --- after
    flops = 8 * num_parameters * num_tokens + 16 * num_layers * d_model * num_tokens**2

# %% wrong: no attention
# The products of queries with keys and of weights with values have no parameters, so they are not in the first term.
# Add theirs. See section 10.6.

# --- before
    flops = 6 * num_parameters * num_tokens + 12 * num_layers * d_model * num_tokens**2
# --- after
    flops = 6 * num_parameters * num_tokens

# %% wrong: a sequence's length forgotten for the parameters
# Every parameter meets every token of the sequence: the first term goes with the length too. See section 10.6.

# --- before
    flops = 6 * num_parameters * num_tokens + 12 * num_layers * d_model * num_tokens**2
# --- after
    flops = 6 * num_parameters + 12 * num_layers * d_model * num_tokens**2

# %% wrong: cut off at one
# A share above one came back as one. No device exceeds its peak, so such a share says that the peak was measured badly:
# do not hide it. See section 10.6.

# --- before
    return flops * sequences_per_second / peak_flops
# --- after
    return min(1.0, flops * sequences_per_second / peak_flops)

# %% wrong: percent
# That is a percentage. Return a share: 0.5 for half. See section 10.6.

# --- before
    return flops * sequences_per_second / peak_flops
# --- after
    return flops * sequences_per_second / peak_flops * 100

# %% wrong: no ValueError
# A peak of 0 or below was accepted, or ended in Python's own error. Raise ValueError with the number in it. See section
# 10.6.

# --- before
    if peak_flops <= 0:
# --- after
    if False:

# %% correct: by the token
def model_flops_utilisation(num_parameters, num_layers, d_model, num_tokens, sequences_per_second, peak_flops):
    if not peak_flops > 0:
        raise ValueError(f"peak_flops must be above 0, got {peak_flops}")
    per_token = 6 * (num_parameters + 2 * num_layers * d_model * num_tokens)
    return per_token * num_tokens * sequences_per_second / peak_flops

# %% correct: forward, then three times that
def model_flops_utilisation(num_parameters, num_layers, d_model, num_tokens, sequences_per_second, peak_flops):
    if peak_flops <= 0.0:
        raise ValueError(f"{peak_flops} operations per second")
    scores = sums = 2 * num_tokens * num_tokens * d_model
    forward = 2 * num_parameters * num_tokens + num_layers * (scores + sums)
    return 3 * forward / (peak_flops / sequences_per_second)

# %% correct: layer by layer
def model_flops_utilisation(num_parameters, num_layers, d_model, num_tokens, sequences_per_second, peak_flops):
    if peak_flops <= 0:
        raise ValueError("the peak is not above 0: %g" % peak_flops)
    flops = 6.0 * num_parameters * num_tokens
    for layer in range(num_layers):
        flops += 12.0 * num_tokens**2 * d_model
    return flops / peak_flops * sequences_per_second

# %% correct: seconds needed at the peak
# --- before
    return flops * sequences_per_second / peak_flops
# --- after
    seconds = flops / peak_flops
    return seconds * sequences_per_second

# %% correct: a tensor
# --- before
    return flops * sequences_per_second / peak_flops
# --- after
    return float(torch.tensor(flops * sequences_per_second).double() / peak_flops)
