"""How a child gives up all that the cells do not need: before it gets a byte of a student's, and for good."""

import ctypes
import os
import resource
import signal
import struct

from .kernel import (
    MS_NODEV,
    MS_NOEXEC,
    MS_NOSUID,
    MS_PRIVATE,
    MS_RDONLY,
    MS_REC,
    PAGE,
    PR_CAPBSET_DROP,
    PR_SET_NO_NEW_PRIVS,
    PR_SET_PDEATHSIG,
    PR_SET_SECCOMP,
    SECCOMP_MODE_FILTER,
    checked,
    keep_only,
    libc,
)

SCRATCH = "/scratch"  # HOME, TMPDIR and working folder: each child has its own, of limited size


def confine(limits: dict, allowed: bytes) -> None:
    """Give up everything that the cells do not need. The order matters: mounts, limits, capabilities, system calls."""
    os.setsid()
    checked(libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0), "parent's death signal")
    keep_only(3)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL if number != signal.SIGPIPE else signal.SIG_IGN)
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")  # where the machine runs short, the student's process goes first
    with open("/proc/self/statm") as file:
        address_space = int(file.read().split()[0]) * PAGE

    checked(libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None), "private mounts")
    quiet = MS_NOSUID | MS_NODEV | MS_NOEXEC
    for folder, size in ((SCRATCH, limits["disk"]), ("/dev/shm", limits["disk"])):
        options = f"size={size},nr_inodes=4096,mode=0700,uid={os.getuid()},gid={os.getgid()}"
        checked(libc.mount(b"tmpfs", folder.encode(), b"tmpfs", quiet, options.encode()), f"a tmpfs on {folder}")
    # Nothing to read about other processes; a fresh procfs is refused where the sandbox's own is partly covered.
    checked(libc.mount(b"tmpfs", b"/proc", b"tmpfs", quiet | MS_RDONLY, b"size=4k,mode=0555"), "an empty /proc")

    for kind, value in {
        resource.RLIMIT_CPU: int(limits["cpu_seconds"]),
        resource.RLIMIT_AS: address_space + int(limits["memory"]),
        resource.RLIMIT_FSIZE: int(limits["disk"]),
        resource.RLIMIT_NOFILE: int(limits["open_files"]),
        resource.RLIMIT_NPROC: int(limits["processes"]),
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_CORE: 0,
    }.items():
        resource.setrlimit(kind, (value, value))
    os.chdir(SCRATCH)

    checked(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    for capability in range(64):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)  # fails beyond the last one that this kernel knows
    header, none = struct.pack("II", 0x20080522, 0), struct.pack("IIIIII", 0, 0, 0, 0, 0, 0)
    checked(libc.capset(header, none), "dropping capabilities")

    code = ctypes.create_string_buffer(allowed, len(allowed))  # 8 bytes an instruction
    filtered = struct.pack("HxxxxxxP", len(allowed) // 8, ctypes.addressof(code))
    checked(libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filtered, 0, 0), "the filter of system calls")
