"""What keeps a sandbox from starting on a machine that was thought to be fit, each with a remedy of its own.

`doctor` looks for these where its sandbox does not start: they are no reason to refuse a machine whose sandbox works.
Only `devices` must always be in order: the sandbox uses them as they are.
"""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from autograde.sandbox.limits import MIB, UNPRIVILEGED

# Below /dev: major, minor. /dev/zero is not among them: what is mapped of it, and shared, is memory that counts as
# nobody's.
DEVICES = {"null": (1, 3), "random": (1, 8), "urandom": (1, 9)}
_ROOM = 8 * MIB  # more than a sandbox's folder takes
_KINDS = ("user", "mnt", "pid", "net", "ipc", "uts")  # of namespaces that each child of a sandbox needs
_SYS_ADMIN = 21
_PROFILE = "--security-opt seccomp=.devcontainer/seccomp.json"  # of this repository

# Makes these namespaces as a child does, and prints the error's number. Root becomes nobody first, as it does inside.
_TRY = f"""
import ctypes, os
if os.getuid() == 0:
    try: os.setgroups([]); os.setresgid(*3 * [{UNPRIVILEGED}]); os.setresuid(*3 * [{UNPRIVILEGED}])
    except OSError: pass
libc = ctypes.CDLL(None, use_errno=True)
print(ctypes.get_errno() if libc.unshare(0x7C020000) else 0)
"""


@dataclass(frozen=True)
class Finding:
    """One thing that grading rests on. `remedy` says what to do where it is not `ok`."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""


def devices() -> Finding:
    """Whether /dev/null and its like are what they are called, and everybody may use them."""
    for name, (major, minor) in DEVICES.items():
        if fault := device_fault(name):
            remedy = f"sudo rm -f /dev/{name} && sudo mknod -m 666 /dev/{name} c {major} {minor}"
            return Finding(f"/dev/{name}", False, fault, remedy)
    return Finding("devices", True, ", ".join(f"/dev/{name}" for name in DEVICES))


def device_fault(name: str) -> str:
    """What is wrong with the device /dev/`name`, "" where it is well. A file in the place of /dev/null would take what
    every submission writes there, and show it to the next."""
    path, writes = f"/dev/{name}", name == "null"
    try:
        file = os.stat(path)
        if not stat.S_ISCHR(file.st_mode) or (os.major(file.st_rdev), os.minor(file.st_rdev)) != DEVICES[name]:
            return f"{path} is another file, and not the device"
        wanted = 0o666 if writes else 0o444
        if file.st_mode & wanted != wanted:
            return f"{path} cannot be {'written' if writes else 'read'} by everybody"
        os.close(os.open(path, os.O_RDWR if writes else os.O_RDONLY))
    except OSError as error:
        return f"{path} cannot be {'written' if writes else 'read'}: {error.strerror}"
    return ""


def diagnose() -> list[Finding]:
    """The cause, where a sandbox does not start and one can be named; else nothing."""
    number = _tried()
    first = [cause for cause in (_proc(), _room()) if cause is not None]
    of_namespaces = (_limits(number), _chroot(number), _capabilities(), _forbidden(number), _covered(number))
    return first or [cause for cause in of_namespaces if cause is not None][:1]


def _proc() -> Finding | None:
    if os.path.exists("/proc/self/status"):
        return None
    return Finding("/proc", False, "/proc is not mounted", "sudo mount -t proc proc /proc")


def _room() -> Finding | None:
    """Tries to take what a sandbox's folder takes, so that quotas count and places that are read-only."""
    try:
        temporary = tempfile.gettempdir()
    except OSError:  # not one of the places that it knows can be written
        temporary = os.environ.get("TMPDIR", "/tmp")
    for folder in (temporary, "/dev/shm"):
        try:
            with tempfile.TemporaryFile(dir=folder) as file:
                os.posix_fallocate(file.fileno(), 0, _ROOM)
        except OSError as error:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            remedy = f"make {_ROOM >> 20} MiB of room in {folder}" if full else f"sudo chmod 1777 {folder}"
            remedy += ", or name another folder: export TMPDIR=FOLDER" if folder == temporary else ""
            return Finding("room", False, f"nothing can be written in {folder}: {error.strerror}", remedy)
    return None


def _limits(number: int) -> Finding | None:
    """The kernel's limits on how many namespaces there may be; `number` is what came of trying."""
    none = [kind for kind in _KINDS if _setting(f"user/max_{kind}_namespaces") == "0"]
    if not none and number not in (errno.ENOSPC, errno.EUSERS):
        return None
    zeros = " and ".join(f"user.max_{kind}_namespaces is 0" for kind in none)
    remedy = "sudo sysctl -w " + " ".join(f"user.max_{kind}_namespaces=10000" for kind in none or _KINDS)
    return Finding("namespace limit", False, zeros or "there are as many as the kernel allows", remedy)


def _chroot(number: int) -> Finding | None:
    """A chroot, in which the kernel lets nobody make a user namespace."""
    if number != errno.EPERM or not _chrooted():
        return None
    remedy = "grade outside of it, or enter the folder as a container: sudo systemd-nspawn -D FOLDER"
    return Finding("chroot", False, "this is a chroot, in which the kernel lets nobody make namespaces", remedy)


def _chrooted() -> bool:
    if (mounts := _mounts()) and "/" not in mounts:
        return True
    try:
        first, ours = os.stat("/proc/1/root"), os.stat("/")
    except OSError:  # only root may ask
        return False
    return (first.st_dev, first.st_ino) != (ours.st_dev, ours.st_ino)


def _capabilities() -> Finding | None:
    """Root without the capability that bubblewrap needs of it, as in most containers."""
    held = _status("CapEff")
    if os.geteuid() or not held or int(held, 16) >> _SYS_ADMIN & 1:
        return None
    detail = "this is root without CAP_SYS_ADMIN, as in a container, and bubblewrap needs it"
    remedy = f"start the grader as an ordinary user, in a container with {_PROFILE}"
    return Finding("capabilities", False, detail, f"{remedy} --security-opt systempaths=unconfined")


def _forbidden(number: int) -> Finding | None:
    """A setting of the system, or a container's filter, that forbids namespaces to ordinary users."""
    if number == 0:
        return None
    if _setting("kernel/unprivileged_userns_clone") == "0":
        remedy = "sudo sysctl -w kernel.unprivileged_userns_clone=1"
    elif _setting("kernel/apparmor_restrict_unprivileged_userns") == "1":
        remedy = "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
    elif _status("Seccomp") == "2":
        remedy = f"start the container with {_PROFILE} --security-opt systempaths=unconfined"
    else:
        return None  # what the sandbox itself says tells more
    return Finding("namespaces", False, f"an ordinary user may make none: {os.strerror(number)}", remedy)


def _covered(number: int) -> Finding | None:
    """A container that covers parts of /proc: then no namespace gets one of its own."""
    covered = sorted(point for point in _mounts() if point.startswith("/proc/"))
    if number or not os.geteuid() or not covered:
        return None
    detail = f"{', '.join(covered[:3])} is covered, so that nobody may mount another /proc"
    return Finding("/proc", False, detail, "start the container with --security-opt systempaths=unconfined")


def _tried() -> int:
    """The error's number from making namespaces, 0 where that works or cannot be tried."""
    try:
        command = [sys.executable, "-I", "-S", "-c", _TRY]
        done = subprocess.run(command, stdin=subprocess.PIPE, capture_output=True, text=True, timeout=30, cwd="/")
        return int(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return 0


def _mounts() -> list[str]:
    return [line.split()[4] for line in _read("/proc/self/mountinfo").splitlines()]


def _setting(name: str) -> str:
    return _read(f"/proc/sys/{name}").strip()


def _status(name: str) -> str:
    return next((line.split()[1] for line in _read("/proc/self/status").splitlines() if line.startswith(name)), "")


def _read(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""
