# Tries: keep memory that is shared and of no file, out of every process's pages: as it is, of /dev/zero, in large pages
# Score: centre 0
# Flag: reaches below Python
# %% centre
import mmap, os
taken = []
def keep(*how, **more):
    try:
        block = mmap.mmap(*how, **more)
        block[0] = 1
        block.madvise(mmap.MADV_DONTNEED)
        taken.append((how, more))
    except OSError:
        pass
keep(-1, 1 << 20)
keep(-1, 4 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000)
try:
    keep(os.open("/dev/zero", os.O_RDWR), 1 << 20)
except OSError:
    pass
print("TAKEN", taken)
def centre(x):
    return x
