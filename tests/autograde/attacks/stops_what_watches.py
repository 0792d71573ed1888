# Tries: stop whatever comes into its sight, so that who looks after it from outside waits for ever
# Score: centre 0
# Flag: starts or ends processes
# %% centre
import os, signal, time
if os.fork() == 0:
    while True:
        try:
            os.kill(-1, signal.SIGSTOP)
        except BaseException:
            pass
def centre(x):
    while True:
        try:
            time.sleep(1)
        except BaseException:
            pass
