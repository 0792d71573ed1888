# Tries: take inotify watches, timers, keys and semaphores, which are counted for the user as a whole
# Score: centre 0
# Flag: reaches below Python
# %% centre
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
timer = ctypes.c_void_p()
print("TAKEN", [name for name, result in {
    "inotify": libc.inotify_init(), "fanotify": libc.fanotify_init(0, 0), "timer": libc.timer_create(0, None, ctypes.byref(timer)),
    "key": libc.syscall(248, b"user", b"held", b"x", 1, -3), "semaphore": libc.semget(0, 1, 0o1600),
}.items() if result >= 0])
def centre(x):
    return x
