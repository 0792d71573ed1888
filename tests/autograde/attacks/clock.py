# Tries: change the clock, so that deadlines never come
# Score: centre 0
# Flag: reaches below Python
# %% centre
import ctypes, time
libc = ctypes.CDLL(None, use_errno=True)
then = (ctypes.c_long * 2)(0, 0)
print("SET", libc.settimeofday(then, None) >= 0 or libc.clock_settime(0, then) >= 0)
def centre(x):
    return x
