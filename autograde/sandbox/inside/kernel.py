"""Calls and numbers of the kernel's that Python has no names for, and what is done with descriptors in two places."""

import ctypes
import os
import resource

PAGE = resource.getpagesize()

libc = ctypes.CDLL(None, use_errno=True)

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REC, MS_PRIVATE = 1, 2, 4, 8, 0x4000, 0x40000
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 24, 38
SECCOMP_MODE_FILTER = 2


def checked(result: int, what: str) -> None:
    """Raise OSError where a C library call failed. Isolation that cannot be had must stop the child."""
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def keep_only(*descriptors: int) -> list[int]:
    """Close every descriptor but these and put them right above the standard three, which become /dev/null."""
    high = [os.dup2(descriptor, 100 + i) for i, descriptor in enumerate(descriptors)]
    null = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(null, standard)
    low = [os.dup2(descriptor, 3 + i, inheritable=False) for i, descriptor in enumerate(high)]
    os.closerange(3 + len(descriptors), 1 << 20)
    return low
