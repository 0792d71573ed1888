"""Whether this machine can grade safely: what is there, what is missing, and what to do about it.

The sandbox is not believed but tried: probes run inside it and report what they could reach. It fails closed: any
finding that is not well stops grading. `require` remembers a good examination until the machine starts again or
anything it rested on changes; whatever changes unseen is still refused by the sandbox, which checks each step itself.

Students' files are read in a jail of the same make, which stands above this package: who asks hands in `jail`, which
tries it (`autograde.intake.probe.probe_jail`). It is called where the sandbox itself starts.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from autograde.sandbox import causes, seccomp
from autograde.sandbox.causes import Finding
from autograde.sandbox.limits import MIB, Limits

Jail = Callable[[], Finding]
_HERE = Path(__file__).resolve().parent
_REPOSITORY = _HERE.parents[1]
_OLDEST_PYTHON = (3, 11)
_CONTAINER = (
    "the sandbox is made of Linux's namespaces, limits and filters, and nothing here takes their place: grade on a "
    "Linux machine, in a virtual machine with Linux, or in a container, from this folder: docker build -f "
    "deploy/Dockerfile -t attention-from-scratch . && docker run --rm -it --security-opt "
    "seccomp=.devcontainer/seccomp.json --security-opt apparmor=unconfined --security-opt systempaths=unconfined "
    '-v "$PWD/class:/class" attention-from-scratch doctor --class /class'
)
_NAMESPACES = (
    "let users make namespaces: sudo sysctl -w kernel.unprivileged_userns_clone=1 (older Debian), "
    "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu 24.04 and newer), "
    "sudo sysctl -w user.max_user_namespaces=10000; in a container, add "
    "--security-opt seccomp=.devcontainer/seccomp.json --security-opt apparmor=unconfined "
    "--security-opt systempaths=unconfined"
)


class NotReady(SystemExit):
    """Grading cannot be done safely here. Not an Exception: nothing that catches those may go on without a sandbox."""

    def __init__(self, findings: list[Finding]):
        self.findings = findings
        todo = [f" To do: {finding.remedy}" if finding.remedy else "" for finding in findings]
        lines = [f"{finding.name}: {finding.detail}.{more}" for finding, more in zip(findings, todo, strict=True)]
        super().__init__("this machine cannot grade safely.\n  " + "\n  ".join(lines))


def examine(jail: Jail) -> list[Finding]:
    """Look at everything, the sandbox and the jail from inside too. Takes as long as these take to start."""
    findings = [_system(), _python(), *_programs(), *_packages()]
    if _well(findings, "system", "bubblewrap"):
        findings += [_filter(), causes.devices()]
        if _well(findings, "torch", "devices"):  # the sandbox's modules need torch, here too
            findings += _sandbox()
            if _well(findings, "sandbox"):
                findings.append(jail())
    return findings


def _well(findings: list[Finding], *names: str) -> bool:
    """Whether all of these are among the findings, and well."""
    return {finding.name for finding in findings if finding.ok}.issuperset(names)


def anew(jail: Jail) -> list[Finding]:
    """What is not well now, whatever is remembered; a good examination that is not true any more is forgotten."""
    bad = [finding for finding in examine(jail) if not finding.ok]
    if bad and (stamp := _stamp()) is not None:
        with contextlib.suppress(OSError):
            stamp.unlink(missing_ok=True)
    return bad


def require(jail: Jail) -> None:
    """Return where all is well; else raise NotReady, which ends the program and says what to install."""
    stamp = _stamp()
    if stamp is not None and stamp.exists():
        return
    findings = examine(jail)
    if bad := [finding for finding in findings if not finding.ok]:
        raise NotReady(bad)
    if stamp is not None:
        with contextlib.suppress(OSError):  # it will be examined again next time
            stamp.parent.mkdir(parents=True, exist_ok=True)
            stamp.write_text(json.dumps([finding.detail for finding in findings]), "utf-8")


def report(jail: Jail) -> int:
    """Print an examination; returns the exit status, 0 where grading is safe."""
    findings = examine(jail)
    width = max(len(finding.name) for finding in findings)
    for finding in findings:
        print(f"{'ok' if finding.ok else 'NO'}  {finding.name:{width}}  {finding.detail}")
        if not finding.ok and finding.remedy:
            print(f"    {'':{width}}  to do: {finding.remedy}")
    well = all(finding.ok for finding in findings)
    print("\nThis machine can grade safely." if well else "\nGrading is refused until each NO above is mended.")
    return 0 if well else 1


def _stamp() -> Path | None:
    """Where a good examination is remembered: named after this start of the machine and all that it rested on."""
    program, boot = shutil.which("bwrap"), Path("/proc/sys/kernel/random/boot_id")
    if program is None or not boot.exists():
        return None
    rested = [boot.read_text(), platform.release(), str(os.geteuid()), sys.executable, platform.python_version()]
    rested += [f"{program} {os.stat(program).st_mtime_ns}"]
    modules = [*_HERE.rglob("*.py"), *_HERE.with_name("intake").glob("*.py")]
    rested += [path.read_text("utf-8") for path in sorted(modules)]
    digest = hashlib.sha256("\0".join(rested).encode()).hexdigest()[:24]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "attention-from-scratch" / f"examined-{digest}.json"


# ---------------------------------------------------------------- what is installed


def _system() -> Finding:
    linux = sys.platform == "linux"
    return Finding("system", linux, f"{platform.system()} {platform.release()}", "" if linux else _CONTAINER)


def _python() -> Finding:
    wanted = ".".join(map(str, _OLDEST_PYTHON))
    remedy = f"make the environment again with Python {wanted} or newer: make course"
    return Finding("Python", sys.version_info >= _OLDEST_PYTHON, platform.python_version(), remedy)


def _programs() -> list[Finding]:
    bubblewrap = shutil.which("bwrap")
    version, well = "not installed", False
    install = "sudo apt-get install -y bubblewrap (Debian, Ubuntu), sudo dnf install bubblewrap (Fedora)"
    if bubblewrap is not None:
        try:
            command = [bubblewrap, "--version"]
            version = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout.strip()
            well = True
        except (OSError, subprocess.SubprocessError) as error:
            version = f"{bubblewrap} does not run: {error}"
            install = f"install it again: {install}"
    elif (closed := shutil.which("bwrap", mode=os.F_OK)) is not None:
        version, install = f"{closed} may not be executed", f"sudo chmod 755 {closed}"
    # nbgrader starts alembic by its name; the gradebook puts this Python's own folder on the PATH for it
    folders = os.pathsep.join([os.environ.get("PATH", ""), os.path.dirname(sys.executable)])
    alembic = shutil.which("alembic", path=folders)
    return [
        Finding("bubblewrap", well, version, install),
        Finding("alembic", alembic is not None, alembic or "not on the PATH", "install the grader again: make course"),
    ]


def _packages() -> list[Finding]:
    findings = []
    for name in ("nbgrader", "torch"):
        try:
            module = importlib.import_module(name)
            findings.append(Finding(name, True, str(getattr(module, "__version__", "installed"))))
        except Exception as error:
            detail = f"cannot be imported: {type(error).__name__}: {error}"
            findings.append(Finding(name, False, detail, "install the grader again: make course"))
    return findings


def _filter() -> Finding:
    """Whether the filter of system calls can be made; that it is on is asked from inside."""
    install = "sudo apt-get install -y libseccomp2 (Debian, Ubuntu), sudo dnf install libseccomp (Fedora); make course"
    try:
        return Finding("system calls", True, f"a filter of {len(seccomp.program()) // 8} instructions", install)
    except (seccomp.FilterError, OSError) as error:
        return Finding("system calls", False, str(error), install)


# ---------------------------------------------------------------- the sandbox, tried from inside

_LIMITS = Limits(cell_seconds=30, grace=5, wall_seconds=60, memory=256 * MIB, disk=8 * MIB)

# Each probe's last line prints JSON; `absent` are paths that must not be seen.
_WHO = """
import ctypes, json, os, socket, stat
libc = ctypes.CDLL(None, use_errno=True)
header = (ctypes.c_uint32 * 2)(0x20080522, 0)
held = (ctypes.c_uint32 * 6)()
libc.capget(header, held)
def opened(number):
    try: return os.fstat(number) is not None
    except OSError: return False
print(json.dumps({
    "user": [os.getuid(), os.geteuid(), os.getgid()],
    "process": [os.getpid(), os.getppid()],
    "capabilities": list(held),
    "bounding": sum(libc.prctl(23, number, 0, 0, 0) == 1 for number in range(64)),
    "no_new_privileges": libc.prctl(39, 0, 0, 0, 0),
    "filter": libc.prctl(21, 0, 0, 0, 0),
    "new_namespaces": [flag for flag in (0x10000000, 0x20000, 0x40000000) if libc.unshare(flag) == 0],
    "descriptors": [number for number in range(1024) if opened(number)],
    "processes": os.listdir("/proc"),
}))
"""
_NETWORK = """
import json, socket
reached = []
for address in (("1.1.1.1", 53), ("127.0.0.1", 22), ("::1", 22), ("2606:4700:4700::1111", 53)):
    try: socket.create_connection(address, 2); reached.append(address[0])
    except OSError: pass
try: interfaces = [name for _, name in socket.if_nameindex() if name != "lo"]
except OSError: interfaces = []  # the filter does not even let it ask
print(json.dumps({"reached": reached, "interfaces": interfaces}))
"""
_FILES = """
import json, os
written = []
for folder in ("/", "/usr", "/etc", "/dev", "/sandbox", "/sandbox/course", os.path.dirname(os.__file__)):
    try: open(os.path.join(folder, "written-by-a-probe"), "w"); written.append(folder)
    except OSError: pass
seen = [path for path in ABSENT if os.path.lexists(path)]
inside, modules = sorted(os.listdir("/sandbox")), sorted(os.listdir("/sandbox/solutions"))
print(json.dumps({"seen": seen, "written": written, "sandbox": inside, "modules": modules}))
"""
_MEMORY = "held = []\nfor _ in range(64): held.append(bytearray(16 << 20))"
_FORKS = """
import json, os, time
made = 0
try:
    while made < 400:
        if os.fork() == 0: time.sleep(30); os._exit(0)
        made += 1
except BlockingIOError: pass
print(json.dumps({"made": made}))
"""


@dataclass(frozen=True)
class _Probe:
    index: int
    source: str


def _sandbox() -> list[Finding]:
    # Here, because it needs torch: where that is missing, the doctor has to live to say so.
    from autograde.sandbox.outputs import Ran
    from autograde.sandbox.pool import Sandbox, SandboxError

    with tempfile.NamedTemporaryFile(prefix="a-submission-of-somebody-else-") as neighbor:
        absent = [str(_REPOSITORY / name) for name in ("autograde", "solutions", "class", "_build", ".git", "tests")]
        absent += [str(Path.home() / name) for name in (".ssh", ".bashrc", ".profile", ".gitconfig")]
        absent += [neighbor.name, "/sandbox/autograde", "/etc/shadow", "/etc/hostname", "/bin/sh", "/usr/bin/bwrap"]
        absent += ["/sys", "/var/log"]
        sources = [_WHO, _NETWORK, _FILES.replace("ABSENT", repr(absent)), _MEMORY]
        try:
            with Sandbox(limits=_LIMITS) as box:
                ran: dict[int, Ran] = {}
                for place, source in enumerate([*sources, _FORKS]):
                    with box.run([_Probe(place, source)]) as child:
                        ran |= child.ran
                with box.run([_Probe(0, "print('still alive')")], replace(_LIMITS, cell_seconds=10)) as child:
                    alive = child.ran[0].error is None
                seconds = box.start_seconds
        except (SandboxError, OSError, subprocess.SubprocessError) as error:
            cause = causes.diagnose()
            return [*cause, Finding("sandbox", False, str(error), "" if cause else _NAMESPACES)]
    findings = [Finding("sandbox", alive, f"starts in {seconds:.1f} s and outlives its probes", _NAMESPACES)]
    judges: list[Callable[[Any], Finding]] = [_unprivileged, _no_network, _files_absent, _memory_holds, _forks_held]
    for place, judge in enumerate(judges):
        try:
            findings.append(judge(ran[place]))
        except (ValueError, KeyError, IndexError, TypeError) as error:
            detail = f"a probe said nothing that could be read ({ran[place].error or error})"
            findings.append(Finding(judge.__name__.strip("_").replace("_", " "), False, detail, _NAMESPACES))
    return findings


def _reported(ran: Any) -> dict[str, Any]:
    return json.loads("".join(output.get("text", "") for output in ran.outputs))


def _unprivileged(ran: Any) -> Finding:
    report = _reported(ran)
    ok = (
        0 not in report["user"]
        and report["process"] == [1, 0]
        and not any(report["capabilities"])
        and report["bounding"] == 0
        and report["no_new_privileges"] == 1
        and report["filter"] == 2
        and not report["new_namespaces"]
        and report["descriptors"] == [0, 1, 2, 3]
        and report["processes"] == []
    )
    detail = f"user {report['user'][0]}, process {report['process'][0]} of its own, no capabilities, one line out"
    return Finding("unprivileged", ok, detail if ok else json.dumps(report), _NAMESPACES)


def _no_network(ran: Any) -> Finding:
    report = _reported(ran)
    ok = report == {"reached": [], "interfaces": []}
    return Finding("no network", ok, "nothing reached" if ok else json.dumps(report), _NAMESPACES)


def _files_absent(ran: Any) -> Finding:
    report = _reported(ran)
    expected = {"sandbox": ["course", "etc", "fonts", "inside", "solutions"], "modules": ["__init__.py"]}
    ok = report == {"seen": [], "written": [], **expected}
    detail = "repository, class, home and system are absent; nothing can be written"
    remedy = "move the course out of the folders that Python's packages are installed in"
    return Finding("files absent", ok, detail if ok else json.dumps(report), remedy)


def _memory_holds(ran: Any) -> Finding:
    ok = ran.error is not None and ran.error.limit == "memory"
    detail = f"held at {_LIMITS.memory >> 20} MiB" if ok else f"1024 MiB were taken ({ran.error})"
    return Finding("memory limit", ok, detail, "use a kernel that enforces RLIMIT_AS (any since 5.10)")


def _forks_held(ran: Any) -> Finding:
    made = _reported(ran)["made"]
    ok = 0 < made < _LIMITS.processes
    detail = f"held at {made} processes" if ok else f"{made} processes were made"
    return Finding("process limit", ok, detail, "use a kernel since 5.14, or start the grader as an ordinary user")
