"""bubblewrap's command line: which namespaces, which parts of the machine are mounted where, which environment.

What is not to be known or changed is absent, not forbidden: no option here takes away what another has given, but for
our own packages and repository where they lie among what Python needs. bubblewrap does what its options say in their
order, so what covers a path stands after what mounts it.
"""

from __future__ import annotations

import base64
import os
import site
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from autograde.sandbox.causes import DEVICES
from autograde.sandbox.limits import UNPRIVILEGED

_REPOSITORY = Path(__file__).resolve().parents[2]
_HIDDEN = ("autograde", "solutions")  # packages that must not be seen even where they are installed beside the others


def arguments(inside: Path, control: int, allowed: bytes) -> list[str]:
    """The command line after bubblewrap's own name, up to what Python is to run.

    `inside` is the generated folder, `control` the descriptor of the line that the warm process inherits, and `allowed`
    the filter of system calls that it lays on each child.
    """
    python = os.path.realpath(sys.executable)
    mounted = _outermost({*_read_only(), Path(python)})
    words = [
        *_namespaces(),
        *_user(),
        *_generated(inside),
        *_machine(mounted),
        *_loader(),
        *_python(python),
        *_covers(mounted),
        *_devices(),
        *_scratch(),
        *("--remount-ro", "/"),  # what is mounted in it needs folders there, which are made before
    ]
    for name, value in _environment(control, allowed).items():
        words += ["--setenv", name, value]
    return [*words, "--", sys.executable, "-s", "-B"]


def _namespaces() -> list[str]:
    """No other process, network, shared memory or host name is seen; nothing of this environment is inherited; it ends
    with this process, and has no terminal to type into."""
    words = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    return [*words, "--hostname", "sandbox", "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"]


def _user() -> list[str]:
    """Started as root, the mounts are made as root, because Python may live where no other user can go; the warm
    process then really becomes an unprivileged user. Root mapped to one in a user namespace would not be held by
    RLIMIT_NPROC."""
    if os.geteuid() == 0:
        return ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    return ["--unshare-user", "--uid", str(UNPRIVILEGED), "--gid", str(UNPRIVILEGED)]


def _generated(inside: Path) -> list[str]:
    """The generated folder, and its /etc in the place of the machine's."""
    return ["--ro-bind", str(inside), "/sandbox", "--ro-bind", str(inside / "etc"), "/etc"]


def _machine(mounted: Sequence[Path]) -> list[str]:
    """Each of these at its own path, with its parents made for everybody: bubblewrap makes those that are missing for
    their owner alone, who is not the one that runs inside."""
    words = []
    for path in mounted:
        words += [word for parent in reversed(path.parents[:-1]) for word in ("--dir", str(parent))]
        words += ["--ro-bind", str(path), str(path)]
    return words


def _loader() -> list[str]:
    """Where programs look for the dynamic loader: most systems have links to /usr there, a few have folders."""
    words = []
    for name in ("/lib", "/lib32", "/lib64"):
        if os.path.islink(name):
            words += ["--symlink", os.readlink(name), name]
        elif os.path.isdir(name):
            words += ["--ro-bind", name, name]
    return words


def _python(program: str) -> list[str]:
    """A link to Python where this one was started by a link: by its place Python knows its environment's packages."""
    if sys.executable == program:
        return []
    return ["--dir", os.path.dirname(sys.executable), "--symlink", program, sys.executable]


def _covers(mounted: Sequence[Path]) -> list[str]:
    """An empty folder over each of ours that lies in what is mounted: an environment may stand in the repository, and
    our packages among the others."""
    words = []
    for path in [*(folder / name for folder in _packages() for name in _HIDDEN), _REPOSITORY]:
        if path.is_dir() and _within(path, mounted):
            words += ["--tmpfs", str(path), "--remount-ro", str(path)]
    return words


def _devices() -> list[str]:
    """/proc of its own, and of /dev only what every program may use anywhere."""
    words = ["--proc", "/proc", "--tmpfs", "/dev", "--dir", "/dev/shm"]
    for name in DEVICES:
        words += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    return [*words, "--remount-ro", "/dev"]


def _scratch() -> list[str]:
    """The one folder that can be written, over which each child lays one of its own."""
    return ["--perms", "1777", "--tmpfs", "/scratch", "--chdir", "/scratch"]


def _environment(control: int, allowed: bytes) -> dict[str, str]:
    """All that is in the environment inside. The last two are for the warm process, which takes them out again."""
    return {
        "HOME": "/scratch",
        "TMPDIR": "/scratch",
        "USER": "learner",
        "PATH": "/nonexistent",
        "LANG": "C.UTF-8",
        "PYTHONPATH": os.pathsep.join(["/sandbox", *map(str, _packages())]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "MPLCONFIGDIR": "/scratch/.matplotlib",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "IPYTHONDIR": "/scratch/.ipython",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "1",
        "CUDA_VISIBLE_DEVICES": "",
        "TQDM_DISABLE": "1",
        "NBGRADER_EXECUTION": "autograde",  # course.components then gives the references, silently
        "SANDBOX_CONTROL": str(control),
        "SANDBOX_FILTER": base64.b64encode(allowed).decode(),
    }


def _packages() -> list[Path]:
    """Folders that packages are imported from, but for those that an editable install points at."""
    folders = site.getsitepackages()
    if site.ENABLE_USER_SITE:
        folders.append(site.getusersitepackages())
    return [Path(folder) for folder in folders if Path(folder).is_dir()]


def _read_only() -> Iterator[Path]:
    """Everything of the machine that is seen inside, at its own path: shared libraries, fonts, time zones, Python."""
    libraries = [Path("/usr/lib", f"{os.uname().machine}-linux-gnu")]
    if not libraries[0].is_dir():  # a system that keeps them all in one folder
        libraries = [Path("/usr/lib")]
    libraries += map(Path, ("/usr/lib64", "/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/zoneinfo"))
    yield from (path for path in libraries if path.is_dir())
    yield from Path("/usr/lib").glob("python3*")
    for prefix in {sys.prefix, sys.base_prefix, os.path.realpath(sys.base_prefix)} - {"/usr"}:
        for name in ("lib", "lib64", "pyvenv.cfg"):
            path = Path(prefix, name)
            if path.exists() and not path.is_symlink():
                yield path
    yield from _packages()


def _outermost(paths: set[Path]) -> list[Path]:
    """These without those that lie in others of them, parents first."""
    outermost: list[Path] = []
    for path in sorted(paths, key=lambda path: (len(path.parts), path)):
        if not _within(path, outermost):
            outermost.append(path)
    return outermost


def _within(path: Path, folders: Sequence[Path]) -> bool:
    return any(parent in folders for parent in (path, *path.parents))
