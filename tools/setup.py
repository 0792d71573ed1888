"""Makes `.venv` from the lock and installs the system packages that are missing.

    python3 tools/setup.py learner    # what `make lab` and `make serve` need
    python3 tools/setup.py course     # the same and the grader's sandbox
    python3 tools/setup.py test       # the same and the tests' tools, a browser among them
    python3 tools/setup.py gpu        # what `make gpu` needs: libraries, and a compiler where a GPU is seen

On Linux torch comes as its build for the CPU, a tenth of the other to fetch; `--cuda` takes the build for NVIDIA's
GPUs, and so does a machine where one is seen. What was chosen stays until `--cuda` or `--no-cuda` says otherwise; only
`gpu` changes over by itself, where a GPU is seen.

Standard library only: this runs before anything is installed. A finished set-up is recorded in `.venv/set-up.json`,
written last, with a digest of all that it was made from; a set-up that was interrupted is seen by the marker it left
and made again. `--newest` leaves the lock aside and takes the newest versions that pyproject.toml allows (the weekly
run).
"""

from __future__ import annotations  # so that a Python that is too old gets as far as the sentence that says so

import argparse
import contextlib
import ctypes
import hashlib
import importlib.util
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlsplit
from urllib.request import url2pathname

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
RECORD = VENV / "set-up.json"
MARKER = VENV / "unfinished"
LOCK = ROOT / "requirements.txt"
AGAIN = "run the same command again"
PATIENCE = 15.0  # seconds of a command's before a line says that it is still at work
PYTHONS = ((3, 11), (3, 14))  # the oldest and the newest that the lock is for

# PyTorch's own index of builds for the CPU. PyPI's builds for Linux take NVIDIA's libraries with them, 2.7 GB together.
CPU_BUILDS = "https://download.pytorch.org/whl/cpu"
LEFT_TO_TORCH = re.compile(r"(nvidia|cuda)-|triton==")  # the packages that a build for NVIDIA's GPUs takes with it
# What there is to fetch, in GB, as the indexes say for torch 2.13.0 and the lock on x86_64: to be measured again when
# the lock moves.
TORCH_CPU, TORCH_CUDA = 0.2, 2.7
OTHERS = {"learner": 0.25, "course": 0.25, "test": 0.4, "gpu": 0.4}

# What each kind of work needs: extras of pyproject.toml, and programs of the system (any one name of each group will
# do).
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
EXTRAS = {
    "learner": ("book", "grade", "lab"),
    "course": ("book", "grade", "lab"),
    "test": ("book", "grade", "push", "lab", "train", "benchmark", "test"),
    "gpu": ("grade", "lab", "train", "benchmark", "test"),
}
POSTGRESQL = ("pg_ctlcluster", "initdb")  # Debian has the server's own programs off the path
PROGRAMS: dict[str, tuple[tuple[str, ...], ...]] = {
    "learner": (),
    "course": (("bwrap",),),
    "test": (("bwrap",), CHROMIUM, POSTGRESQL),
    "gpu": (),
}
DEBIAN_PACKAGE = {"bwrap": "bubblewrap", "chromium": "chromium", "pg_ctlcluster": "postgresql"}
# Shared libraries that a wheel takes for granted: Playwright's driver is a Node.js that wants this one.
LIBRARIES: dict[str, dict[str, str]] = {"test": {"libatomic.so.1": "libatomic1"}}


def say(text: str) -> None:
    """One line of progress."""
    print(f"[set-up] {text}", flush=True)


def stop(text: str) -> NoReturn:
    """Ends with a line that says what to do, and no traceback."""
    print(f"[set-up] {text}", file=sys.stderr, flush=True)
    raise SystemExit(1)


def run(command: Sequence[str], failure: str, **environment: str) -> None:
    """Runs a command with its output shown as it comes, and a line every so often that it is still at work: pip says
    nothing while it unpacks. `failure` says what to do when it fails."""
    words, started = [str(word) for word in command], time.perf_counter()
    child = subprocess.Popen(words, cwd=ROOT, env={**os.environ, **environment}, stdin=subprocess.DEVNULL)
    try:
        while child.poll() is None:
            try:
                child.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                say(f"still at work after {time.perf_counter() - started:.0f} s: {gigabytes(VENV):.1f} GB are in .venv")
    except BaseException:
        child.kill()
        child.wait()
        raise
    if child.returncode:
        stop(failure)


def gigabytes(folder: Path) -> float:
    """What the files in a folder hold; those that come and go meanwhile count or not."""
    size = 0
    for root, _, files in os.walk(folder):
        for name in files:
            with contextlib.suppress(OSError):
                size += os.lstat(os.path.join(root, name)).st_size
    return size / 1e9


def has_library(name: str) -> bool:
    """Whether the system's loader finds a shared library."""
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def missing_packages(kind: str) -> list[str]:
    """Debian's names of the system packages that are not there yet."""
    missing = []
    if not PYTHON.exists() and importlib.util.find_spec("ensurepip") is None:
        missing.append(f"python3.{sys.version_info.minor}-venv")
    if sys.platform == "linux":  # the sandbox is Linux's; elsewhere the tests that need a browser say so themselves
        missing += [DEBIAN_PACKAGE[names[0]] for names in PROGRAMS[kind] if not any(map(shutil.which, names))]
        missing += [package for library, package in LIBRARIES.get(kind, {}).items() if not has_library(library)]
    return missing


def root_words() -> list[str] | None:
    """What goes before a command that only root may run: nothing, or sudo where it asks for no password; None where
    there is no way."""
    if os.geteuid() == 0:
        return []
    sudo = ["sudo", "-n"]
    if not shutil.which("sudo") or subprocess.run([*sudo, "true"], capture_output=True).returncode:
        return None
    return sudo


def apt_get_install(packages: list[str], as_root: list[str]) -> None:
    """Installs Debian's packages by these names."""
    names = " ".join(packages)
    say(f"installing {names} with apt-get")
    # A failed update (one dead mirror among many) need not stop the install, which says itself what it cannot find.
    quiet = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-o", "DPkg::Lock::Timeout=300"]
    subprocess.run([*as_root, *quiet, "update"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    run(
        [*as_root, *quiet, "install", "-y", "--no-install-recommends", *packages],
        f"apt-get could not install {names}: see its message above, then {AGAIN}.",
    )


def install_packages(kind: str) -> None:
    """Installs the missing system packages where it may (root, or sudo without a password), else names the command."""
    missing = missing_packages(kind)
    if not missing:
        return
    names = " ".join(missing)
    if not shutil.which("apt-get"):
        stop(f"missing: {names} (Debian's names). Install with the system's package manager, then {AGAIN}.")
    as_root = root_words()
    if as_root is None:
        command = f"sudo apt-get update && sudo apt-get install -y {names}"
        stop(f"missing: {names}. Run this, then {AGAIN}:\n\n    {command}\n")
    apt_get_install(missing, as_root)
    importlib.invalidate_caches()
    if missing := missing_packages(kind):
        stop(f"still missing after apt-get: {' '.join(missing)}. Install by hand, then {AGAIN}.")


def install_compiler() -> None:
    """What torch.compile needs on a GPU besides torch: Triton compiles a module in C for this very Python. Where it may
    not be installed a line says so, since all that is not compiled runs without."""
    missing = [] if shutil.which("g++") else ["g++"]
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        missing.append(f"python3.{sys.version_info.minor}-dev")
    if not missing:
        return
    as_root = root_words() if shutil.which("apt-get") else None
    if as_root is None:
        say(f"missing: {' '.join(missing)} (Debian's names). What torch.compile compiles will fail; the rest runs.")
    else:
        apt_get_install(missing, as_root)


def refuse_machine(newest: bool) -> None:
    """Stops where the lock, or PyTorch, has nothing for this Python or this system."""
    oldest, latest = (".".join(map(str, version)) for version in PYTHONS)
    if sys.version_info < PYTHONS[0] or (sys.version_info[:2] > PYTHONS[1] and not newest):
        stop(
            f"this is Python {platform.python_version()}, and the course needs {oldest} to {latest}. Install one of "
            f"these and start with it: `python{latest} tools/setup.py ...`, or `make PYTHON=python{latest} course`."
        )
    if sys.platform == "darwin" and platform.machine() == "x86_64":
        stop(
            "PyTorch has had no builds for Macs with Intel processors since 2.2. Use Linux on that machine, or another "
            "machine. On a Mac with a processor of Apple's, install Python for arm64: this one is for Intel's."
        )
    if sys.platform == "darwin" and int(platform.mac_ver()[0].split(".")[0]) < 14:
        stop(f"PyTorch needs macOS 14 or newer, and this is {platform.mac_ver()[0]}. Update it, then {AGAIN}.")


def sees_gpu() -> bool:
    """Whether NVIDIA's driver is at work here."""
    return Path("/proc/driver/nvidia/version").exists() or shutil.which("nvidia-smi") is not None


def chosen_build(cuda: bool | None, before: str | None) -> str:
    """Which build of torch is wanted: what was said now, or before, or what suits the machine."""
    if sys.platform != "linux":
        if cuda:
            stop("CUDA=1 is for Linux: for this system PyPI has the one build of torch. Leave it out.")
        return "cpu"
    if cuda is None and before:
        return before
    if cuda is None:
        cuda = sees_gpu()
    return "cuda" if cuda else "cpu"


def offers(version: str, *options: str) -> bool:
    """Whether pip, as it is set up here, finds this version of torch. Indexes are read, and nothing is fetched."""
    words = [str(PYTHON), "-m", "pip", "index", "versions", "torch", *options]
    done = subprocess.run(words, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return version in re.split(r"[\s,()]+", done.stdout)


def torch_words(build: str, others: float) -> list[str]:
    """What pip is told of torch, in a step of its own: `torch==2.13.0`, as the lock has it, would fit either build.

    Says how much there is to fetch. Nothing to do: an empty list.
    """
    (version,) = re.findall(r"^torch==(\S+)", LOCK.read_text(encoding="utf-8"), re.MULTILINE)
    of_cpu = f"{version}+cpu"
    installed = {path.name for path in VENV.glob("lib/python*/site-packages/torch-*.dist-info")}
    if f"torch-{version if build == 'cuda' else of_cpu}.dist-info" in installed:
        return []
    rest = f"and at most {others} GB of other packages"
    if build == "cuda":
        say(f"torch {version} for NVIDIA's GPUs, about {TORCH_CUDA} GB, {rest} (CUDA=0: for the CPU, {TORCH_CPU} GB)")
        return ["--constraint", str(LOCK), f"torch=={version},!={of_cpu}"]
    unlike = f"(CUDA=1: for NVIDIA's GPUs, {TORCH_CUDA} GB)"
    if offers(of_cpu):
        say(f"torch {version} for the CPU, from where pip is set to look, {rest} {unlike}")
        return ["--no-deps", f"torch=={of_cpu}"]
    if offers(of_cpu, "--index-url", CPU_BUILDS):
        say(f"torch {version} for the CPU, about {TORCH_CPU} GB, {rest} {unlike}")
        return ["--no-deps", "--index-url", CPU_BUILDS, f"torch=={of_cpu}"]
    stop(
        f"torch {version} for the CPU is not to be had: {CPU_BUILDS} cannot be reached from here, or has none for "
        f"{platform.machine()} and Python 3.{sys.version_info.minor}. Try again later; or put its wheel into a folder "
        f"and set PIP_FIND_LINKS to that; or take the build for NVIDIA's GPUs from PyPI, which runs without one too: "
        f"add CUDA=1 to make, or --cuda to tools/setup.py (about {TORCH_CUDA} GB)."
    )


def left_over() -> list[str]:
    """The packages that came with torch's build for NVIDIA's GPUs."""
    words = [str(PYTHON), "-m", "pip", "list", "--format=freeze", "--disable-pip-version-check"]
    listed = subprocess.run(words, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return [line.partition("==")[0] for line in listed.stdout.splitlines() if LEFT_TO_TORCH.match(line)]


def without_warnings() -> dict[str, str]:
    """Variables that keep pip from warning of what is well: a home that cannot be written, and packages (docopt is one)
    that come as sources and are built in the old way unless it is told."""
    quiet = {"PIP_USE_PEP517": "1"}
    words = [str(PYTHON), "-m", "pip", "cache", "dir"]  # refuses where pip would do without its cache
    if subprocess.run(words, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True).returncode:
        quiet["PIP_NO_CACHE_DIR"] = "1"
    return quiet


def digest(newest: bool) -> str:
    """Of everything the environment is made from: the same digest, the same environment."""
    parts = [
        (ROOT / "pyproject.toml").read_bytes(),
        LOCK.read_bytes(),
        sys.version.encode(),
        str(ROOT).encode(),
        bytes([newest]),
    ]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def refuse_anothers() -> None:
    """Stops before it takes over an environment in which another checkout of the course is installed: from then on that
    one's commands would run this one's code."""
    for packages in ("lib/python*/site-packages", "Lib/site-packages"):
        for origin in VENV.glob(f"{packages}/attention_from_scratch-*/direct_url.json"):
            of = Path(url2pathname(urlsplit(json.loads(origin.read_text(encoding="utf-8"))["url"]).path))
            if of != ROOT and (of / "pyproject.toml").exists():
                stop(
                    f"{VENV} is the environment of another checkout, {of}, whose commands would then run this one's "
                    f"code. Remove {VENV.name}{' (a link)' if VENV.is_symlink() else ''} here, then {AGAIN}."
                )


def make_environment(kind: str, newest: bool, cuda: bool | None = None) -> None:
    """Makes `.venv`, or brings it up to date: only what the lock changed is installed anew."""
    refuse_anothers()
    try:
        record = json.loads(RECORD.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        record = {}
    if MARKER.exists():
        say("the last set-up was interrupted: making .venv again")
        shutil.rmtree(VENV)
        record = {}
    extras = sorted({*record.get("extras", ()), *EXTRAS[kind]})  # what was there stays there
    if kind == "gpu" and cuda is None and sys.platform == "linux" and sees_gpu():
        # Even where the build for the CPU was chosen before, on purpose or by a machine that had no GPU yet.
        cuda = True
    build = chosen_build(cuda, record.get("torch"))
    wanted = {"digest": digest(newest), "extras": extras, "torch": build}
    if PYTHON.exists() and record == wanted:
        return

    started = time.perf_counter()
    VENV.mkdir(exist_ok=True)
    if not PYTHON.exists():
        begin()
        say(f"making .venv with Python {sys.version.split()[0]}")
        # Started from inside an activated .venv, the interpreter below it makes the new one.
        run(
            [getattr(sys, "_base_executable", sys.executable), "-m", "venv", str(VENV)],
            f"python -m venv failed: see above, then {AGAIN}.",
        )
    for_cpu = sys.platform == "linux" and build == "cpu"
    # Before anything changes: where this build is not to be had, an environment that works stays as it is.
    torch = torch_words(build, OTHERS[kind]) if sys.platform == "linux" and not newest else []
    begin()
    first = "a few minutes the first time: pip fetches the packages, then unpacks them without a word"
    say("installing the newest versions" if newest else f"installing from {LOCK.name} ({first})")
    pip = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    limits = ["--upgrade", "--upgrade-strategy", "eager"] if newest else ["--constraint", str(LOCK)]
    if newest and for_cpu:
        limits += ["--extra-index-url", CPU_BUILDS]  # of two builds of a version, pip takes the one for the CPU
    failure, quiet = f"pip failed: see above. Once the cause is gone, {AGAIN}.", without_warnings()
    # The build tool comes from the lock too, so nothing is fetched behind the lock's back.
    run([*pip, "--quiet", *limits, "setuptools", "wheel"], failure, **quiet)
    if torch:
        run([*pip, *torch], failure, **quiet)
    run([*pip, *limits, "--no-build-isolation", "--editable", f".[{','.join(extras)}]"], failure, **quiet)
    if for_cpu and record.get("torch") != "cpu" and (names := left_over()):
        run([str(PYTHON), "-m", "pip", "uninstall", "--quiet", "--yes", *names], failure)
    partial = RECORD.with_suffix(".partial")
    partial.write_text(json.dumps(wanted) + "\n", encoding="utf-8")
    partial.replace(RECORD)
    MARKER.unlink()
    say(f"the environment stands in .venv ({time.perf_counter() - started:.0f} s)")


def begin() -> None:
    """Marks the environment as half-made, until its record is written."""
    MARKER.write_text("A set-up is at work here, or was interrupted.\n", encoding="utf-8")
    RECORD.unlink(missing_ok=True)


def main() -> None:
    refuse_machine("--newest" in sys.argv)
    parser = argparse.ArgumentParser(description="Make .venv and install what the system lacks.")
    parser.add_argument("kind", choices=sorted(EXTRAS))
    parser.add_argument("--newest", action="store_true", help="leave the lock aside")
    parser.add_argument(
        "--cuda",
        action=argparse.BooleanOptionalAction,
        help="torch's build for NVIDIA's GPUs, or the one for the CPU; unless said, what the machine has",
    )
    arguments = parser.parse_args()
    install_packages(arguments.kind)
    if arguments.kind == "gpu" and sys.platform == "linux" and sees_gpu():
        install_compiler()
    make_environment(arguments.kind, arguments.newest, arguments.cuda)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        stop("interrupted: run the same command again, it goes on from here.")
