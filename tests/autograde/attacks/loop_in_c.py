# Tries: never come back from C, where no exception can be raised
# Score: centre 0
# Flag: ended: timeout
# %% centre
import itertools
def centre(x):
    return all(itertools.repeat(True))
