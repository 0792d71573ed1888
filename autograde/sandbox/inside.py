"""The warm process inside the sandbox: imports once, then forks a child for each submission.

This is the only file of the grader that the sandbox can see, so it holds no secret and imports nothing of `autograde`.
It runs student code in the end: whatever its children say is judged outside. Three processes matter, from trusted to
not trusted:

    fork server   imports what notebooks import, waits for jobs on its control socket, forks
    supervisor    one for each job: makes the child's namespaces, watches time and memory, reports what the child used
    child         process 1 of its own PID namespace: limits and drops all it can, runs the cells, then answers requests

The fork server has one thread, for ever: a child that uses two OpenMP threads hangs if its parent ever did.
"""

import ast
import base64
import contextlib
import ctypes
import gc
import importlib
import inspect
import io
import json
import multiprocessing
import os
import re
import resource
import select
import shutil
import signal
import socket
import struct
import sys
import time

SCRATCH = "/scratch"  # HOME, TMPDIR and working folder: each child has its own, of limited size
UNPRIVILEGED = 65533  # user and group inside; really that user where the grader was started as root
PAGE, TICKS = resource.getpagesize(), os.sysconf("SC_CLK_TCK")
PARENT, USER, SYSTEM, THREADS, BEGAN = 0, 10, 11, 16, 18  # fields of a process's "stat", after its name and state

libc = ctypes.CDLL(None, use_errno=True)

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REC, MS_PRIVATE = 1, 2, 4, 8, 0x4000, 0x40000
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 24, 38
SECCOMP_MODE_FILTER = 2


class TimeLimit(BaseException):
    """The soft deadline. Not an Exception, so that a student's `except Exception` does not swallow it."""


def checked(result: int, what: str) -> None:
    """Raise OSError where a C library call failed. Isolation that cannot be had must stop the child."""
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


# ---------------------------------------------------------------- the fork server


def drop_root() -> None:
    """Started as root, become an unprivileged user for good: the mounts are made, and RLIMIT_NPROC holds no root."""
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(UNPRIVILEGED, UNPRIVILEGED, UNPRIVILEGED)
        os.setresuid(UNPRIVILEGED, UNPRIVILEGED, UNPRIVILEGED)
    checked(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    checked(libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), "dumpable")  # setuid cleared it, and /proc/self/uid_map needs it


def warm():
    """Import what all cells use and touch what is imported lazily, on one thread; returns the shell that runs the cells
    and the module that answers requests."""
    place_font_list()
    runner = warm_torch()
    warm_matplotlib()
    importlib.import_module("course.protocol.runner")  # the cells' own copy
    return warm_shell(), runner


def make_ready(modules: list[str], blocked: list[list[str]], runner) -> None:
    """Import what the cells of this assignment use, and look up the operators that are blocked in it."""
    importlib.invalidate_caches()  # solutions were laid beside what was there
    for name in modules:
        try:
            importlib.import_module(name)
        except Exception as error:  # a module that is missing here is missing in the cell too, which will say so
            print(f"not warmed: {name}: {error}", file=sys.stderr)
    for families in blocked:  # while nobody has changed them, and all that is imported is there
        runner.look_up(tuple(families))
    close_fonts()


def place_font_list() -> None:
    """Put matplotlib's list of fonts, where one was made outside, into the cache that it looks in."""
    cache = os.path.join(SCRATCH, ".matplotlib")
    os.makedirs(cache, exist_ok=True)
    for name in os.listdir("/sandbox/fonts"):
        shutil.copy(os.path.join("/sandbox/fonts", name), cache)


def warm_torch():
    """Import torch and the module that answers requests; then use what is set up at its first use. Returns that module,
    a copy apart from the cells' own."""
    os.environ["TORCHDYNAMO_DISABLE"] = "1"  # there is no compiler here: what is compiled runs as it was written
    os.environ["PYTORCH_JIT"] = "0"  # and what is scripted or traced, so that what an exercise blocks is seen in it too

    import torch

    runner = apart("course.protocol.runner")
    runner.device.without_compiler()
    if multiprocessing.get_start_method() != "fork":  # the others start a program, which the filter refuses
        multiprocessing.set_start_method("fork", force=True)
    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    x = torch.randn(3, 4, 8, requires_grad=True)
    for network in (torch.nn.RNN, torch.nn.GRU, torch.nn.LSTM):
        network(8, 8, batch_first=True)(x)[0].sum().backward()
    torch.nn.Conv2d(3, 2, 3, padding=1)(x[None]).sum().backward()
    torch.nn.functional.cross_entropy(
        torch.nn.TransformerEncoderLayer(8, 2)(x).flatten(0, 1), torch.zeros(12).long()
    ).backward()
    torch.optim.Adam([torch.nn.Parameter(x.detach())]).step()
    with torch.device("cpu"):
        runner.device.warm()
    return runner


def warm_matplotlib() -> None:
    """Draw and write a figure in both formats, as cells do."""
    import matplotlib.pyplot as plt
    import matplotlib_inline.backend_inline  # noqa: F401

    figure = plt.figure()
    figure.gca().plot([1, 2], label="line")
    figure.gca().legend()
    for kind in ("png", "svg"):
        figure.savefig(io.BytesIO(), format=kind)
    plt.close("all")


def warm_shell():
    """The shell that runs the cells, after its first one."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    class Shell(InteractiveShell):
        """IPython without a terminal: `%matplotlib inline` needs no event loop, and the child reports errors."""

        awaits = False  # whether the cell that is about to run has `await` at its top

        def enable_gui(self, gui=None):
            pass

        def transform_cell(self, raw_cell):
            """Lines of Python stay as they are: to look for magics in them takes longer than to run most cells."""
            try:
                if len(raw_cell.splitlines()) == 1 and not re.match(r"\w+ *=", raw_cell):
                    raise SyntaxError("a single line may be IPython's though it is Python, such as `exit` or `ls -l`")
                code = compile(raw_cell, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                raw_cell = super().transform_cell(raw_cell)
                self.awaits = super().should_run_async(raw_cell, transformed_cell=raw_cell)
            else:
                self.awaits = bool(code.co_flags & inspect.CO_COROUTINE)
            return raw_cell

        def should_run_async(self, raw_cell, **transformed):
            return self.awaits

        def showtraceback(self, *args, **kwargs):
            pass

        def showsyntaxerror(self, *args, **kwargs):
            pass

        def showindentationerror(self, *args, **kwargs):
            pass

    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    shell = Shell.instance(config=config)
    shell.display_trap.hook = Results(shell)
    shell.run_cell("%matplotlib inline\n1 + 1", store_history=False)
    shell.user_ns.pop("_", None)
    return shell


def close_fonts() -> None:
    """matplotlib keeps font files open, and a child closes every descriptor: a font that it opened here would be read
    from another file there. So this comes last."""
    import matplotlib.font_manager

    matplotlib.font_manager._get_font.cache_clear()  # type: ignore[attr-defined]


def apart(name: str):
    """Import a module of `course` with all that it needs, and forget them: what a cell imports under these names, and
    may change, is another copy, and not the one that answers requests and keeps to what is blocked."""
    module = importlib.import_module(name)
    for other in [other for other in sys.modules if f"{other}.".startswith("course.")]:
        del sys.modules[other]
    return module


def main() -> None:
    started = time.monotonic()
    control, allowed = begin()
    shell, runner = warm()
    wanted = json.loads(control.recv(1 << 16) or "null")
    if wanted is None:  # it was started ahead, and is not needed
        os._exit(0)
    make_ready(wanted["warm"], wanted["blocked"], runner)
    serve(control, started, lambda data, limits: run_child(data, limits, allowed, shell, runner))


def begin() -> tuple[socket.socket, bytes]:
    """Drops root; returns the control socket, and the filter of system calls for `confine`."""
    drop_root()
    control = socket.socket(fileno=int(os.environ.pop("SANDBOX_CONTROL")))
    return control, base64.b64decode(os.environ.pop("SANDBOX_FILTER"))


def serve(control: socket.socket, started: float, work) -> None:
    """Says that it is ready and forks a child for each job, for ever. `work(data, limits)` runs in the child, gives up
    what it can (`confine`), and never returns."""
    gc.collect()
    gc.freeze()  # keeps the collector from touching, and so copying, the pages that children share
    ready = {"ready": True, "seconds": time.monotonic() - started, "threads": len(os.listdir("/proc/self/task"))}
    control.send(json.dumps(ready).encode())
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 1 << 16, 2)
        # Supervisors that have ended: their seconds count with the sandbox's.
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not message:
            os._exit(0)
        pid = os.fork()
        if pid == 0:
            data, report = descriptors
            supervisor(data, report, json.loads(message), work)
        for descriptor in descriptors:
            os.close(descriptor)


# ---------------------------------------------------------------- supervisor


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


def keep_only(*descriptors: int) -> list[int]:
    """Close every descriptor but these and put them right above the standard three, which become /dev/null."""
    high = [os.dup2(descriptor, 100 + i) for i, descriptor in enumerate(descriptors)]
    null = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(null, standard)
    low = [os.dup2(descriptor, 3 + i, inheritable=False) for i, descriptor in enumerate(high)]
    os.closerange(3 + len(descriptors), 1 << 20)
    return low


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
    """The processes of a child, and the time that they had of the one processor that all of them share."""

    def __init__(self, child: int, processes: int):
        self.child, self.processes = child, processes
        self.seconds: dict[tuple[int, int], float] = {}  # (process, when it began) -> seconds, also of those that ended
        self.threads = 0  # of all that live
        self.looked, self.gap = time.monotonic(), 0.0  # when it was last looked at, the longest time between two looks

    def look(self) -> set[int]:
        """Those that live; what they have used by now is remembered."""
        now, stats = time.monotonic(), {}
        self.gap, self.looked = max(self.gap, now - self.looked), now
        for name in os.listdir(self.processes):
            if name.isdigit():
                with contextlib.suppress(OSError, ValueError, IndexError):
                    stat = read_at(self.processes, f"{name}/stat")
                    stats[int(name)] = [int(field) for field in stat[stat.rindex(b")") + 4 :].split()]
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
        return members

    def account(self) -> tuple[float, float]:
        """(seconds that all of them ran, seconds for which the child could have run while others than they had its
        processor); 0 where that cannot be told. Of the second no more than there were, whatever it starts: what was
        never seen had at most the time between two looks, each."""
        try:
            made = self.made()
            self.look()
            ran, delay = (int(word) / 1e9 for word in read_at(self.processes, f"{self.child}/schedstat").split()[:2])
        except (OSError, ValueError, IndexError):
            return 0.0, 0.0
        family = sum(self.seconds.values())
        unseen = max(0, made - self.threads) * self.gap
        return family, max(0.0, delay - max(0.0, family - ran) - unseen)

    def made(self) -> int:
        """How many processes and threads were ever made in the child's namespace, which counts them: the next one, made
        here, has the next number. Numbers that come again are above those of the beginning."""
        probe = os.fork()
        if probe == 0:
            os._exit(0)
        try:
            status = read_at(self.processes, f"{probe}/status")
            (numbers,) = (line.split()[1:] for line in status.splitlines() if line.startswith(b"NSpid:"))
        finally:
            os.waitpid(probe, 0)
        return int(numbers[-1]) - 1


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


# ---------------------------------------------------------------- child


def run_child(data: int, limits: dict, allowed: bytes, shell, runner) -> None:
    """Process 1 of the child's namespace: when it ends, everything that it started ends too. Never returns."""
    import torch

    wire, kill, module = runner.wire, os.kill, torch.nn.Module
    line = socket.socket(fileno=data)
    try:
        confine(limits, allowed)
        torch.default_generator.manual_seed(0)  # torch.manual_seed looks for devices, which takes milliseconds
    except BaseException as error:
        wire.send(line, {"fatal": f"{type(error).__name__}: {error}"})
        os._exit(1)
    try:
        wire.send(line, {"ready": True})
        caps = wire.Caps(header_bytes=32 << 20)
        order = wire.receive(line, caps)
        defined: dict = {}
        for cell in order["cells"]:
            wire.send(line, {"cell": cell["index"], **run_cell(shell, cell["source"], limits)}, caps)
            defined |= components_among(shell.user_ns, order["components"], module)
            if order["measured"]:  # what it holds now is looked at from outside
                wire.receive(line, caps)
        shell.user_ns.update(defined)  # where a name was given to something else, what the cells defined as it counts
        settings_as_they_were()
        wire.send(line, {"done": True})

        def around(request, work):
            try:
                if request.get("blocked"):  # in a process that was forked before nothing is blocked, and it might help
                    with contextlib.suppress(ProcessLookupError):
                        kill(-1, signal.SIGKILL)
                with deadline(limits["request_seconds"]):
                    return work()
            except BaseException as error:
                return {"error": (type(error).__name__, str(error)[:2000])}

        # nothing but requests runs here from now on
        runner.serve(line, shell.user_ns, around, runner.Rule(lasting=True, watch=runner.Watch()))
    except BaseException:
        os._exit(1)
    os._exit(0)


def components_among(namespace: dict, names: list[str], module: type) -> dict:
    """name -> the function or class that it stands for, of those that stand for one; no module that can be called.

    Whatever an object says of itself is not asked for: its type tells, and no code of the student's runs here.
    """
    values = {name: namespace[name] for name in names if name in namespace}
    return {name: value for name, value in values.items() if callable(value) and not issubclass(type(value), module)}


def settings_as_they_were() -> None:
    """What cells may have set for their whole session, and answers that are right must not fail for."""
    import warnings

    import torch

    torch.set_grad_enabled(True)
    torch.set_default_dtype(torch.float32)
    torch.set_default_device(None)
    warnings.resetwarnings()


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


@contextlib.contextmanager
def deadline(seconds: float):
    """Raise TimeLimit in the code under it after `seconds`, and again every half second for code that swallows it."""

    def ring(number, frame):
        raise TimeLimit(f"took longer than {seconds:g} s")

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


class Tape:
    """What one cell puts out, in order and up to its limits."""

    def __init__(self, limits: dict):
        self.room, self.images, self.image = limits["text"], limits["images"], limits["image"]
        self.items = 200  # outputs kept, whatever their size
        self.outputs: list[dict] = []
        self.dropped = 0
        self.cut = False

    def text(self, name: str, text: str) -> None:
        kept = text[: self.room]
        self.room -= len(kept)
        self.dropped += len(text) - len(kept)
        last = self.outputs[-1] if self.outputs else {}
        if last.get("name") == name:
            last["parts"].append(kept)
        elif kept and len(self.outputs) < self.items:
            self.outputs.append({"kind": "stream", "name": name, "parts": [kept]})
        self.cut |= len(kept) < len(text) or len(self.outputs) == self.items

    def show(self, kind: str, data: dict) -> None:
        kept = {}
        for mime, value in dict(data).items():
            if mime in ("image/png", "image/jpeg", "image/svg+xml"):
                value = base64.b64encode(value).decode() if isinstance(value, bytes) else str(value)
                if self.images > 0 and len(value) <= 1.4 * self.image:
                    kept[mime] = value
                else:
                    self.cut = True
            elif mime == "text/plain":
                kept[mime] = str(value)[: self.room]
                self.dropped += len(str(value)) - len(kept[mime])
        self.images -= any(mime.startswith("image/") for mime in kept)
        self.room -= len(kept.get("text/plain", ""))
        if any(kept.values()) and len(self.outputs) < self.items:
            self.outputs.append({"kind": kind, "data": kept})

    def finish(self) -> list[dict]:
        self.cut |= self.dropped > 0
        if self.dropped:
            parts = [f"\n... {self.dropped} more characters left out\n"]
            self.outputs.append({"kind": "stream", "name": "stdout", "parts": parts})
        for output in self.outputs:
            if "parts" in output:
                output["text"] = "".join(output.pop("parts"))
        return self.outputs


class Stream(io.TextIOBase):
    """Standard output or error of the cell that runs."""

    encoding = "utf-8"

    def __init__(self, tape: Tape, name: str):
        self.tape, self.stream = tape, name

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self.tape.text(self.stream, str(text))
        return len(text)


class Results:
    """Shows the value of a cell's last expression, in place of the terminal's Out[1]."""

    tape: Tape | None = None

    def __init__(self, shell):
        self.shell = shell

    def __call__(self, value=None) -> None:
        if value is not None and self.tape is not None:
            data, _ = self.shell.display_formatter.format(value)
            self.tape.show("execute_result", data)


class Display:
    """Takes what `display` and figures publish."""

    def __init__(self, tape: Tape):
        self.tape = tape
        self.is_publishing = False

    def publish(self, data, *args, **kwargs) -> None:
        self.tape.show("display_data", data)

    def clear_output(self, wait=False) -> None:
        pass


def run_cell(shell, source: str, limits: dict) -> dict:
    """Run one cell: what it put out, the exception it raised or None, its seconds. An exception ends no run."""
    started = time.monotonic()
    tape = Tape(limits)
    kept = sys.stdout, sys.stderr, shell.display_pub
    sys.stdout, sys.stderr, shell.display_pub = Stream(tape, "stdout"), Stream(tape, "stderr"), Display(tape)
    shell.display_trap.hook.tape = tape
    try:
        with deadline(limits["cell_seconds"]):
            result = shell.run_cell(source, store_history=False)
        error = result.error_before_exec or result.error_in_exec
    except BaseException as raised:
        error = raised
    finally:
        sys.stdout, sys.stderr, shell.display_pub = kept
    try:
        description = describe(error)
    except BaseException as raised:  # an exception whose own __str__ fails
        message = f"(its message raised {type(raised).__name__})"
        description = {"name": type(error).__name__[:100], "message": message, "line": None}
    try:
        outputs = tape.finish()
    except BaseException:
        outputs = []
    return {"outputs": outputs, "cut": tape.cut, "error": description, "seconds": time.monotonic() - started}


def describe(error: BaseException | None) -> dict | None:
    """Name, message and line in the cell of an exception."""
    if error is None:
        return None
    line = error.lineno if isinstance(error, SyntaxError) else None
    trace, cell = error.__traceback__, ""
    while trace is not None and not isinstance(error, SyntaxError):
        file = trace.tb_frame.f_code.co_filename
        cell = cell or (file if "ipykernel_" in file or "ipython-input" in file else "")
        if file == cell:  # what another cell defines has lines of its own
            line = trace.tb_lineno
        trace = trace.tb_next
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    memory = isinstance(error, MemoryError) or "can't allocate memory" in message or "Cannot allocate memory" in message
    return {
        "name": type(error).__name__[:100],
        "message": str(message)[:2000],
        "line": line if isinstance(line, int) else None,
        "limit": "time" if isinstance(error, TimeLimit) else "memory" if memory else "",
    }


if __name__ == "__main__":
    main()
