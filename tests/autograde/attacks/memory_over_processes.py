# Tries: take memory in many processes, each below the limit
# Score: centre 0
# Flag: starts or ends processes
# %% centre
import os, time
def centre(x):
    return x
for _ in range(8):
    if os.fork() == 0:
        held = bytearray(300 << 20)
        for i in range(0, len(held), 4096):
            held[i] = 1
        time.sleep(60)
time.sleep(60)
