# %% wrong: means of rows
# Rows were centred. Name axes.

# --- before
    return _checked(x) - x.mean(dim=0)
# --- after
    return _checked(x) - x.mean(dim=1, keepdim=True)

# %% wrong: nothing taken away
# The means are still there. Print them.

# --- before
    return _checked(x) - x.mean(dim=0)
# --- after
    return _checked(x) + 0.0

# %% wrong: one mean for all
# One mean was taken of all. Name the axis.

# --- before
    return _checked(x) - x.mean(dim=0)
# --- after
    return _checked(x) - x.mean()

# %% correct: sum

def centre(x):
    return x - x.sum(0) / len(x)

# %% correct: keepdim

def centre(x):
    return x - x.mean(0, keepdim=True)
