# Tries: keep memory where no process is counted: files without a name, System V segments, message queues, pipes
# Score: centre 0
# Flag: reaches below Python
# %% centre
import ctypes, fcntl, os
libc = ctypes.CDLL(None, use_errno=True)
refused = 0
try:
    os.memfd_create("held")
except OSError:
    refused += 1
refused += libc.shmget(0, 1 << 30, 0o1600) < 0
refused += libc.msgget(0, 0o1600) < 0
refused += libc.mq_open(b"/held", 0o102, 0o600, None) < 0
print("REFUSED", refused)
def centre(x):
    return x
