# Tries: kill the process group it stands in
# Score: centre 0
# Flag: starts or ends processes
# %% centre
import os, signal
def centre(x):
    return x
os.kill(0, signal.SIGKILL)
os._exit(1)
