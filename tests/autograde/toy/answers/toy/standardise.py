# %% wrong: not centred
# The columns are not centred. Use centre.

# --- before
    centred = centre(x)
# --- after
    centred = x

# %% wrong: variance
# No root. Take it.

# --- before
    return centred / torch.sqrt((centred**2).mean(dim=0))
# --- after
    return centred / (centred**2).mean(dim=0)

# %% wrong: unbiased
# Divided by B - 1. Use B.

# --- before
    return centred / torch.sqrt((centred**2).mean(dim=0))
# --- after
    return centred / x.std(dim=0)

# %% wrong: by rows
# Spread was taken over rows. Name axes.

# --- before
    return centred / torch.sqrt((centred**2).mean(dim=0))
# --- after
    return centred / torch.sqrt((centred**2).mean(dim=1, keepdim=True))

# %% correct: std

def standardise(x):
    return centre(x) / x.std(dim=0, correction=0)
