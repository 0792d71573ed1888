# Tries: have a heavy cell put aside, and the reference stand for a wrong answer that is in it beside another
# Score: standardise 0
# Flag: none
# %% centre
ballast = torch.ones(20_000_000)
def centre(x):
    return x - x.mean(dim=0)
def standardise(x):
    return 0 * x
# %% standardise
# it stands above
