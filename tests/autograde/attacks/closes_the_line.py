# Tries: close every descriptor of the process
# Score: centre 0
# Flag: reaches below Python
# %% centre
import os
def centre(x):
    return x
os.closerange(0, 100)
