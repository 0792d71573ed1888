# Tries: never end and swallow the deadline's exception
# Score: centre 0
# Flag: ended: timeout
# %% centre
import time
def centre(x):
    while True:
        try:
            time.sleep(1)
        except BaseException:
            pass
