# Tries: become root, mount, change its root, its name and its limits
# Score: centre 0
# Flag: reaches below Python
# %% centre
import ctypes, os, resource
libc = ctypes.CDLL(None, use_errno=True)
gained = [name for name, result in {
    "setuid": libc.setuid(0), "setresgid": libc.setresgid(0, 0, 0), "mount": libc.mount(b"none", b"/scratch", b"tmpfs", 0, None),
    "umount": libc.umount2(b"/proc", 2), "chroot": libc.chroot(b"/scratch"), "unshare": libc.unshare(0x10020000),
    "sethostname": libc.sethostname(b"x", 1), "personality": libc.personality(0x0040000),
}.items() if result >= 0]
for kind in (resource.RLIMIT_NPROC, resource.RLIMIT_AS, resource.RLIMIT_NOFILE, resource.RLIMIT_CPU):
    try:
        resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        gained.append(kind)
    except (OSError, ValueError):
        pass
print("GAINED", gained)
def centre(x):
    return x
