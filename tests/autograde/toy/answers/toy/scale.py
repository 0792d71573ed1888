# %% wrong: the sign is lost
# A negative factor must turn the signs round.

# --- before
    return _checked(x) * factor
# --- after
    return _checked(x) * abs(factor)

# %% wrong: divided
# The factor multiplies. Read the docstring once more.

# --- before
    return _checked(x) * factor
# --- after
    return _checked(x) / factor

# %% correct: torch.mul

def scale(x, factor):
    return torch.mul(x, factor)

# %% correct: loop

def scale(x, factor):
    return torch.stack([row * factor for row in x])
