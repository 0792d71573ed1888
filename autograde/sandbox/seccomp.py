"""Which system calls the code of a submission may make: a seccomp program, made out here by libseccomp and laid on the
child by `inside.confinement` as its last step. No fork or thread that it starts can take it off; programs it cannot
start.

It is a list of what is allowed. The kernel grows a call or two a year, and one that nobody here has read about should
not be open; whatever is not named answers ENOSYS, as in a kernel that does not have it, which the C library and Python
know how to do without. Nothing named here reaches past the namespaces, the limits and the dropped capabilities: the
filter takes away what those do not hold (memory without a process, such as System V segments, files without a name and
shared memory of no file; timers, watches and keys that are counted for a user as a whole), other programs (Python
itself is the only one there, and a second one would know nothing of what an exercise blocks), and the parts of a kernel
in which its faults are found: io_uring, bpf, userfaultfd, perf events, key rings, namespaces, tracing, netlink.
"""

from __future__ import annotations

import errno
import os
import socket
from functools import lru_cache

_ALLOWED = """
read readv pread64 preadv write writev pwrite64 pwritev lseek sendfile copy_file_range splice tee
creat close close_range dup dup2 dup3 pipe pipe2 ioctl
stat fstat lstat newfstatat statx statfs fstatfs access faccessat faccessat2 readlink readlinkat getcwd chdir fchdir
getdents getdents64 mkdir mkdirat rmdir rename renameat renameat2 link linkat symlink symlinkat unlink unlinkat umask
chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes utimensat futimesat
truncate ftruncate fallocate
getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr
munmap mremap mprotect brk membarrier pkey_alloc pkey_free pkey_mprotect
futex futex_waitv get_robust_list set_robust_list set_tid_address rseq
fork vfork exit exit_group wait4 waitid kill tkill tgkill
getpid getppid gettid getpgid getpgrp setpgid getsid setsid
getuid geteuid getresuid getgid getegid getresgid getgroups capget
rt_sigaction rt_sigprocmask rt_sigpending rt_sigreturn rt_sigsuspend rt_sigtimedwait sigaltstack restart_syscall
pause alarm getitimer setitimer nanosleep clock_nanosleep
clock_gettime clock_getres gettimeofday time times getrusage sysinfo uname getcpu getrandom
getrlimit getpriority arch_prctl
sched_yield sched_getaffinity sched_getparam sched_getscheduler sched_get_priority_max
sched_get_priority_min sched_rr_get_interval
select pselect6 poll ppoll epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 eventfd eventfd2
socketpair bind listen accept accept4 connect getsockname getpeername getsockopt shutdown
sendto sendmsg sendmmsg recvfrom recvmsg recvmmsg
""".split()

_NEW_NAMESPACES = 0x7E020000  # the flags of clone for a user, PID, mount, network, IPC, UTS or cgroup namespace
_PUSH_INPUT = 0x5412  # TIOCSTI: type into a terminal as if its user had
# What of fcntl is left: a descriptor's own flags and copies, and the size of a pipe. Locks, leases and hints belong to
# a file, and the files of the system are the same in all sandboxes: they would be a line between two submissions.
_FCNTL = {"copy": 0, "get flags": 1, "set flags": 2, "get status": 3, "copy, closed on exec": 1030,
          "set size": 1031, "get size": 1032}  # fmt: skip
# The disk, and the kernel's copy of it in memory, are everybody's. What a submission writes lies in memory alone, so
# these are answered as if they were done: they would have the disk written out, or files of the system forgotten.
_DONE = ("fadvise64", "sync", "syncfs", "fsync", "fdatasync", "sync_file_range", "msync")
# Nor is a file read past that copy, which makes each read a wait for the disk: where its flags are, by the call's name.
_OPENS = {"open": 1, "openat": 2}
_STATUS = 4
_READS_OR_WRITES = ("preadv2", "pwritev2")  # with no flags: some forget what was read, or tell whether it is in memory
# What of madvise is left: all but to have pages written out or forgotten, which may be those of files.
_ADVICE = (*range(5), *range(8, 20), 22, 23)
# What of mmap is left: files, and memory of its own. What is shared and of no file lives on when it is taken out of a
# process's pages, and then counts as nobody's; large pages count as nobody's from the first.
_SHARED, _PRIVATE, _OF_NO_FILE, _LARGE = 0x01, 0x02, 0x20, 0x40000
# Answered as if they were held: who locks a file of its own is alone with it.
_LOCKS = {"lock": 6, "lock and wait": 7, "lock this opening": 37, "lock this opening and wait": 38}
_COMMAND = 0xFFFFFFFF  # the kernel looks at no more of it
# What of prctl is left: names of threads, and questions about what one is.
_PRCTL = {"get dumpable": 3, "set name": 15, "get name": 16, "read bounding set": 23, "get no_new_privs": 39,
          "get filter": 21}  # fmt: skip


class FilterError(RuntimeError):
    """The filter cannot be made here."""


@lru_cache(maxsize=1)
def program() -> bytes:
    """The filter for this machine's processor as a classic BPF program. Raises FilterError where it cannot be had."""
    try:
        import pyseccomp as seccomp
    except (ImportError, RuntimeError, OSError) as error:
        raise FilterError(
            f"the system-call filter cannot be made: {error} (Debian, Ubuntu: apt-get install libseccomp2; "
            "the Python package pyseccomp comes with `make course`)"
        ) from None
    made = seccomp.SyscallFilter(seccomp.ERRNO(errno.ENOSYS))  # calls of another architecture end the process
    made.set_attr(seccomp.Attr.ACT_BADARCH, seccomp.KILL_PROCESS)
    for name in _ALLOWED:
        if name == "ioctl":
            made.add_rule(seccomp.ALLOW, name, seccomp.Arg(1, seccomp.NE, _PUSH_INPUT))
        elif (number := seccomp.resolve_syscall(seccomp.Arch.NATIVE, name)) != -1:  # -1: newer than this libseccomp
            made.add_rule(seccomp.ALLOW, number)
    for command in _FCNTL.values():
        made.add_rule(seccomp.ALLOW, "fcntl", seccomp.Arg(1, seccomp.MASKED_EQ, _COMMAND, command))
    for name, argument in {**_OPENS, "fcntl": 2}.items():
        set_status = [seccomp.Arg(1, seccomp.MASKED_EQ, _COMMAND, _STATUS)] if name == "fcntl" else []
        through_memory = seccomp.Arg(argument, seccomp.MASKED_EQ, os.O_DIRECT, 0)
        past_it = seccomp.Arg(argument, seccomp.MASKED_EQ, os.O_DIRECT, os.O_DIRECT)
        made.add_rule(seccomp.ALLOW, name, *set_status, through_memory)
        made.add_rule(seccomp.ERRNO(errno.EINVAL), name, *set_status, past_it)
    for name in _READS_OR_WRITES:
        made.add_rule(seccomp.ALLOW, name, seccomp.Arg(5, seccomp.MASKED_EQ, _COMMAND, 0))
    for advice in _ADVICE:
        made.add_rule(seccomp.ALLOW, "madvise", seccomp.Arg(2, seccomp.MASKED_EQ, _COMMAND, advice))
    for mask, flags in ((_OF_NO_FILE, 0), (_OF_NO_FILE | _SHARED | _PRIVATE, _OF_NO_FILE | _PRIVATE)):
        made.add_rule(seccomp.ALLOW, "mmap", seccomp.Arg(3, seccomp.MASKED_EQ, mask | _LARGE, flags))
    for name in _DONE:
        made.add_rule(seccomp.ERRNO(0), name)
    for command in _LOCKS.values():
        made.add_rule(seccomp.ERRNO(0), "fcntl", seccomp.Arg(1, seccomp.MASKED_EQ, _COMMAND, command))
    made.add_rule(seccomp.ERRNO(0), "flock")
    # clone3 takes its flags by a pointer that no filter can follow: without it, C libraries fall back to clone.
    made.add_rule(seccomp.ALLOW, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, _NEW_NAMESPACES, 0))
    made.add_rule(seccomp.ALLOW, "socket", seccomp.Arg(0, seccomp.EQ, socket.AF_UNIX))  # DataLoader's workers use it
    made.add_rule(seccomp.ERRNO(errno.EAFNOSUPPORT), "socket", seccomp.Arg(0, seccomp.NE, socket.AF_UNIX))
    for option in (socket.SO_REUSEADDR, socket.SO_PASSCRED):  # and no larger buffers: they are the kernel's memory
        made.add_rule(seccomp.ALLOW, "setsockopt", seccomp.Arg(2, seccomp.EQ, option))
    # Limits may be asked for, and none set: a limit of its own would end a child as only the machine does otherwise.
    made.add_rule(seccomp.ALLOW, "prlimit64", seccomp.Arg(2, seccomp.EQ, 0))
    for name, new in (("prlimit64", (seccomp.Arg(2, seccomp.NE, 0),)), ("setrlimit", ())):
        made.add_rule(seccomp.ERRNO(errno.EPERM), name, *new)
    for option in _PRCTL.values():
        made.add_rule(seccomp.ALLOW, "prctl", seccomp.Arg(0, seccomp.EQ, option))
    descriptor = os.memfd_create("filter")
    with open(descriptor, "w+b") as file:
        made.export_bpf(file)
        file.seek(0)
        return file.read()
