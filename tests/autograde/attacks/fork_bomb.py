# Tries: fork without end
# Score: centre 0
# Flag: starts or ends processes
# %% centre
import os, time
def centre(x):
    return x
for _ in range(300):
    if os.fork() == 0:
        time.sleep(60)
        os._exit(0)
