# Tries: read files past the kernel's copy, or have it forget them, so that time that ran out looks like waiting for a disk
# Score: scale 0
# Flag: looks at files
# %% scale
import ctypes, errno, fcntl, glob, mmap, os
libc = ctypes.CDLL(None, use_errno=True)
path = max(glob.glob(os.path.dirname(torch.__file__) + "/lib/*.so*"), key=os.path.getsize)
line = os.open(path, os.O_RDONLY)
memory, pages = mmap.mmap(-1, 1 << 16), mmap.mmap(line, 1 << 16, prot=mmap.PROT_READ)
DOORS = {
    "open": lambda: os.open(path, os.O_RDONLY | os.O_DIRECT),
    "fcntl": lambda: fcntl.fcntl(line, fcntl.F_SETFL, os.O_DIRECT),
    "preadv2": lambda: os.preadv(line, [memory], 0, 0x80),  # RWF_DONTCACHE
    "nowait": lambda: os.preadv(line, [memory], 0, os.RWF_NOWAIT),
    "madvise": lambda: pages.madvise(21),  # MADV_PAGEOUT
    "mincore": lambda: os.strerror(0) if libc.mincore(0, 0, 0) != -1 or ctypes.get_errno() != errno.ENOSYS else 1 / 0,
}
taken = []
for name, door in DOORS.items():
    try:
        door()
        taken.append(name)
    except (OSError, ZeroDivisionError):
        pass
print("TAKEN", taken)
for write_out in (os.fsync, os.fdatasync, lambda line: os.sync()):
    write_out(line)  # answered, and not done
def scale(x, factor):
    past_it = os.open(path, os.O_RDONLY | os.O_DIRECT)
    while True:
        os.lseek(past_it, 0, 0)
        while os.readv(past_it, [memory]) > 0:
            pass
