# Tries: the same, with a wrong answer in the cell of another exercise
# Score: standardise 0
# Flag: ended: error
# %% centre
ballast = torch.ones(20_000_000)
def centre(x):
    return x - x.mean(dim=0)
def standardise(x):
    return 0 * x
# %% standardise
# it stands above
