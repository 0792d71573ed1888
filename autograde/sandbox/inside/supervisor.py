"""The supervisor: one process for each child, which makes its namespaces, watches its time and memory from outside of
them, ends it at a limit, and reports what it used."""

import contextlib
import json
import os
import select
import signal
import time

from .kernel import (
    CLONE_NEWIPC,
    CLONE_NEWNET,
    CLONE_NEWNS,
    CLONE_NEWPID,
    CLONE_NEWUSER,
    CLONE_NEWUTS,
    PAGE,
    checked,
    keep_only,
    libc,
)

TICKS = os.sysconf("SC_CLK_TCK")
STATE, PARENT, USER, SYSTEM, THREADS, BEGAN = 0, 1, 11, 12, 17, 19  # fields of a process's "stat", after its name
PRESSURE = ("io", "memory")  # what the kernel counts under /proc/pressure, where it was built and started to


def supervisor(data: int, report: int, limits: dict, work) -> None:
    """Makes the namespaces, forks the child into them, ends it at the deadline, and reports. Never returns."""
    try:
        os.setsid()  # or kill(0, ...) in the child would reach its ancestors: a process group crosses namespaces
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        data, report = keep_only(data, report)
        new_namespaces()
        processes = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)  # the child covers its /proc, this stays
        child = os.fork()
        if child == 0:
            os.close(processes)
            work(data, limits)
        os.close(data)
        usage = watch(child, report, processes, limits)
    except BaseException as error:
        usage = {"fatal": f"{type(error).__name__}: {error}"}
    with contextlib.suppress(OSError):
        os.write(report, json.dumps(usage).encode())
    os._exit(0)


def new_namespaces() -> None:
    """Own user, PID, mount, network, IPC and host-name namespaces, in which no further ones can be made."""
    user, group = os.getuid(), os.getgid()
    flags = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS
    checked(libc.unshare(flags), "new namespaces")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
    # These settings belong to the new user namespace alone, and to raise them again takes a capability the child drops.
    for kind in ("user", "mnt", "pid", "net", "ipc", "uts", "cgroup", "time"):
        with open(f"/proc/sys/user/max_{kind}_namespaces", "w") as file:
            file.write("0")


def watch(child: int, report: int, processes: int, limits: dict) -> dict:
    """Wait for the child's end; bring it about on a word from outside, at the deadline, or for too much memory.

    A child may be made long before there are cells for it. Its time, and what it holds of memory, count from the word
    "begin", which says on which processor it is to run and is answered once they do. The word "held" asks what it
    holds by then: of its limits, the one on memory and the one on its address space, that of which less is left.
    """
    ended = os.pidfd_open(child)
    waiting = select.poll()
    waiting.register(ended, select.POLLIN)
    waiting.register(report, select.POLLIN)
    reason, peak, pause, base, space, started = "", 0, 0.01, 0, 0, None
    family, counted = Family(child, processes), (0.0, 0.0)
    while not reason:
        left = pause if started is None else started + limits["wall_seconds"] - time.monotonic()
        happened = dict(waiting.poll(None if started is None else 1000 * max(0.0, min(left, pause))))
        if ended in happened:
            break
        if report in happened:
            word = json.loads(os.read(report, 1 << 10) or b"{}")
            if started is None and "begin" in word:
                with contextlib.suppress(OSError):  # any processor will do
                    os.sched_setaffinity(child, {word["begin"]})
                family = Family(child, processes)  # what it did before, without any cells, is no matter
                base, started = memory_held(family.look(), processes), time.monotonic()
                space = address_space(child, processes)
                os.write(report, b'{"begun": true}')
            elif "held" in word:
                grown = address_space(child, processes) - space
                held = max(grown, memory_held(family.look(), processes) - base, 0)
                os.write(report, json.dumps({"held": held}).encode())
            elif "account" in word:  # asked before the line ends, at which a child may end by itself
                counted = family.account()
                os.write(report, b'{"accounted": true}')
            elif "dismiss" in word:  # nobody waits for its end, which is no business of that processor then
                os.write(report, json.dumps(used(0, "", started, 0.0, 0.0, peak)).encode())
                with contextlib.suppress(OSError):
                    os.sched_setaffinity(child, os.sched_getaffinity(0))
                reason = "dismissed"
            else:
                reason = "asked"  # a word, or the end of the process that wanted the result
        elif left <= 0:
            reason = "time"
        else:
            looked = time.monotonic()
            members = family.look()
            held = memory_held(members, processes) - base
            if held > limits["memory"] * 1.25:
                held = memory_held(members, processes, exact=True) - base
            if held > limits["memory"] * 1.25:
                reason = "memory"
            peak = max(peak, held)
            pause = max(min(0.1, 1.3 * pause), 5 * (time.monotonic() - looked))
    if reason == "time":  # of one that has ended nothing is known any more
        counted = family.account()
    if reason:
        os.kill(child, signal.SIGKILL)
    _, status, spent = os.wait4(child, 0)
    cpu, without = counted
    return used(status, reason, started, max(cpu, spent.ru_utime + spent.ru_stime), without, peak)


def used(status: int, killed: str, started: float | None, cpu: float, without: float, peak: int) -> dict:
    """The report on a child: how it ended, and what it used."""
    return {
        "status": status,
        "killed": killed,
        "seconds": 0.0 if started is None else time.monotonic() - started,
        "cpu_seconds": cpu,
        "waited_seconds": without,
        "peak_bytes": max(peak, 0),
    }


class Family:
    """The processes of a child: the time that they had of the one processor that all of them share, and the time in
    which none of them could run because what it reads, or its own memory, had to come from a disk."""

    def __init__(self, child: int, processes: int):
        self.child, self.processes = child, processes
        self.still, self.pressed = 0.0, pressure(processes)  # seconds found to wait for a disk; the machine's, before
        self.seconds: dict[tuple[int, int], float] = {}  # (process, when it began) -> seconds, also of those that ended
        self.threads = 0  # of all that live
        self.looked, self.gap = time.monotonic(), 0.0  # when it was last looked at, the longest time between two looks

    def look(self) -> set[int]:
        """Those that live; what they have used by now is remembered."""
        now, stats = time.monotonic(), {}
        since, self.looked = now - self.looked, now
        self.gap = max(self.gap, since)
        for name in os.listdir(self.processes):
            if name.isdigit():
                with contextlib.suppress(OSError, ValueError, IndexError):
                    stat = read_at(self.processes, f"{name}/stat")
                    state, *numbers = stat[stat.rindex(b")") + 1 :].split()
                    stats[int(name)] = [ord(state), *map(int, numbers)]
        members = {self.child}
        while True:
            grown = members | {pid for pid, fields in stats.items() if fields[PARENT] in members}
            if grown == members:
                break
            members = grown
        for pid in members & stats.keys():
            fields = stats[pid]
            self.seconds[pid, fields[BEGAN]] = (fields[USER] + fields[SYSTEM]) / TICKS
        self.threads = sum(stats[pid][THREADS] for pid in members & stats.keys())
        states = {stats[pid][STATE] for pid in members & stats.keys()}
        if ord("D") in states and ord("R") not in states:
            self.still += since
        return members

    def account(self) -> tuple[float, float]:
        """(seconds that all of them ran, seconds for which the child could have run while others than they had its
        processor, or while it waited for a disk); 0 where that cannot be told. Of the second no more than there were,
        whatever it starts: what was never seen had at most the time between two looks, each."""
        try:
            made = self.made()
            self.look()
            ran, delay = (int(word) / 1e9 for word in read_at(self.processes, f"{self.child}/schedstat").split()[:2])
        except (OSError, ValueError, IndexError):
            return 0.0, 0.0
        family = sum(self.seconds.values())
        unseen = max(0, made - self.threads) * self.gap
        return family, max(0.0, delay - max(0.0, family - ran) - unseen) + self.for_a_disk()

    def for_a_disk(self) -> float:
        """Seconds for which all of them waited for a disk, or for memory that the machine did not have: no more than
        the kernel says that anybody did. A process can lie in the same state for another reason, as long as it likes.
        """
        pressed = max(now - before for now, before in zip(pressure(self.processes), self.pressed, strict=True))
        return min(self.still, pressed)

    def made(self) -> int:
        """How many processes and threads were ever made in the child's namespace, which counts them: the next one, made
        here, has the next number. Numbers that come again are above those of the beginning. The child's processes may
        stop it as soon as it is there, so that it does not end by itself: only a kill is sure to end it."""
        probe = os.fork()
        if probe == 0:
            os._exit(0)
        try:
            status = read_at(self.processes, f"{probe}/status")
            (numbers,) = (line.split()[1:] for line in status.splitlines() if line.startswith(b"NSpid:"))
        finally:
            os.kill(probe, signal.SIGKILL)
            os.waitpid(probe, 0)
        return int(numbers[-1]) - 1


def pressure(processes: int) -> tuple[float, ...]:
    """Seconds since the machine's start in which some process of it waited for a disk, and for memory to come free; 0
    where the kernel does not count them."""
    seconds = []
    for kind in PRESSURE:
        try:
            some = read_at(processes, f"pressure/{kind}").splitlines()[0]
            seconds.append(int(some.rpartition(b"total=")[2]) / 1e6)
        except (OSError, ValueError, IndexError):
            seconds.append(0.0)
    return tuple(seconds)


def memory_held(family: set[int], processes: int, exact: bool = False) -> int:
    """Bytes that the child's processes hold together, their own and what they share. There is no memory that belongs to
    none of them: the filter refuses files without a name and System V segments, and what lies in a folder has a limit.

    What the kernel itself holds for pipes and sockets is in no such count. It has an end all the same: the kernel's own
    for all pipes of a user (64 MiB), and `processes` times `open_files` buffers of the usual size (about 200 KiB) for
    sockets, since the filter refuses larger ones: less than 2 GiB, for as long as the child lives.

    The quick count takes a page that two processes share twice; `exact` shares it out, at milliseconds a process.
    """
    total = 0
    counted = (b"Pss_Anon", b"Pss_Shmem") if exact else (b"RssAnon", b"RssShmem")
    for pid in family:
        with contextlib.suppress(OSError, ValueError, IndexError):
            lines = read_at(processes, f"{pid}/{'smaps_rollup' if exact else 'status'}").splitlines()
            total += 1024 * sum(int(line.split()[1]) for line in lines if line.startswith(counted))
    return total


def address_space(pid: int, processes: int) -> int:
    """Bytes of address space that a process has, touched or not; 0 where it has ended."""
    try:
        return int(read_at(processes, f"{pid}/statm").split()[0]) * PAGE
    except (OSError, ValueError, IndexError):
        return 0


def read_at(folder: int, path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY, dir_fd=folder)
    try:
        return os.read(descriptor, 1 << 16)
    finally:
        os.close(descriptor)
