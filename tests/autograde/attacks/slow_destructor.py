# Tries: hold the process up in __del__ and atexit
# Score: full
# Flag: hooks into how the notebook runs
# %% added
import atexit, time
class Last:
    def __del__(self):
        time.sleep(60)
last = Last()
atexit.register(time.sleep, 60)
