# Tries: write bytes that mean nothing on the channel
# Score: centre 0
# Flag: reaches below Python
# %% centre
import os
def centre(x):
    os.write(3, b"\xff" * 4096)
    return x
