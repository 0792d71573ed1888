# Tries: crash inside a library while being asked
# Score: centre 0
# Flag: ended: crashed
# %% centre
import ctypes
def centre(x):
    ctypes.string_at(0)
