# Tries: take memory without end in the cell and while asked
# Score: scale 0, centre 0
# Flag: ended: out of memory
# %% scale
held = []
while True:
    held.append(bytearray(50_000_000))
# %% centre
import torch
def centre(x):
    return torch.ones(10**9)
