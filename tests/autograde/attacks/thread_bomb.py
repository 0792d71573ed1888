# Tries: start threads without end
# Score: centre 0
# Flag: starts or ends processes
# %% centre
import threading, time
def centre(x):
    return x
for _ in range(500):
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
