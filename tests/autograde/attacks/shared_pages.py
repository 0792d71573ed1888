# Tries: write into pages that it shares with the warm process
# Score: centre 0
# Flag: reaches below Python
# %% centre
import ctypes, math
ctypes.c_double.from_address(id(math.pi) + 16).value = 3.0
print(math.pi)
def centre(x):
    return x
