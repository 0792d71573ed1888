"""Makes `.venv` from the lock and installs the system packages that are missing.

    python3 tools/setup.py learner    # what `make lab` and `make serve` need
    python3 tools/setup.py course     # the same and the grader's sandbox
    python3 tools/setup.py test       # the same and the tests' tools, a browser among them

Standard library only: this runs before anything is installed. A finished set-up is recorded in `.venv/set-up.json`,
written last, with a digest of all that it was made from; a set-up that was interrupted is seen by the marker it left
and made again. `--newest` leaves the lock aside and takes the newest versions that pyproject.toml allows (the weekly
run).
"""

import argparse
import ctypes
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
RECORD = VENV / "set-up.json"
MARKER = VENV / "unfinished"
LOCK = ROOT / "requirements.txt"
AGAIN = "run the same command again"

# What each kind of work needs: extras of pyproject.toml, and programs of the system (any one name of each group will
# do).
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
EXTRAS = {
    "learner": ("book", "grade", "lab"),
    "course": ("book", "grade", "lab"),
    "test": ("book", "grade", "lab", "train", "benchmark", "test"),
}
POSTGRESQL = ("pg_ctlcluster", "initdb")  # Debian has the server's own programs off the path
PROGRAMS: dict[str, tuple[tuple[str, ...], ...]] = {
    "learner": (),
    "course": (("bwrap",),),
    "test": (("bwrap",), CHROMIUM, POSTGRESQL),
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
    """Runs a command with its output shown as it comes; `failure` says what to do when it fails."""
    done = subprocess.run(
        [str(word) for word in command], cwd=ROOT, env={**os.environ, **environment}, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        stop(failure)


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


def install_packages(kind: str) -> None:
    """Installs the missing system packages where it may (root, or sudo without a password), else names the command."""
    missing = missing_packages(kind)
    if not missing:
        return
    names = " ".join(missing)
    if not shutil.which("apt-get"):
        stop(f"missing: {names} (Debian's names). Install with the system's package manager, then {AGAIN}.")
    as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if as_root and (not shutil.which("sudo") or subprocess.run([*as_root, "true"], capture_output=True).returncode):
        command = f"sudo apt-get update && sudo apt-get install -y {names}"
        stop(f"missing: {names}. Run this, then {AGAIN}:\n\n    {command}\n")
    say(f"installing {names} with apt-get")
    # A failed update (one dead mirror among many) need not stop the install, which says itself what it cannot find.
    quiet = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-o", "DPkg::Lock::Timeout=300"]
    subprocess.run([*as_root, *quiet, "update"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    run(
        [*as_root, *quiet, "install", "-y", "--no-install-recommends", *missing],
        f"apt-get could not install {names}: see its message above, then {AGAIN}.",
    )
    importlib.invalidate_caches()
    if missing := missing_packages(kind):
        stop(f"still missing after apt-get: {' '.join(missing)}. Install by hand, then {AGAIN}.")


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
            of = Path(unquote(urlsplit(json.loads(origin.read_text(encoding="utf-8"))["url"]).path))
            if of != ROOT and (of / "pyproject.toml").exists():
                stop(
                    f"{VENV} is the environment of another checkout, {of}, whose commands would then run this one's "
                    f"code. Remove {VENV.name}{' (a link)' if VENV.is_symlink() else ''} here, then {AGAIN}."
                )


def make_environment(kind: str, newest: bool) -> None:
    """Makes `.venv`, or brings it up to date: only what the lock changed is installed anew."""
    refuse_anothers()
    wanted = digest(newest)
    try:
        record = json.loads(RECORD.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        record = {"digest": "", "extras": []}
    if MARKER.exists():
        say("the last set-up was interrupted: making .venv again")
        shutil.rmtree(VENV)
        record = {"digest": "", "extras": []}
    extras = sorted({*record["extras"], *EXTRAS[kind]})  # what was there stays there
    if PYTHON.exists() and record == {"digest": wanted, "extras": extras}:
        return

    started = time.perf_counter()
    VENV.mkdir(exist_ok=True)
    MARKER.write_text("A set-up is at work here, or was interrupted.\n", encoding="utf-8")
    RECORD.unlink(missing_ok=True)
    if not PYTHON.exists():
        say(f"making .venv with Python {sys.version.split()[0]}")
        # Started from inside an activated .venv, the interpreter below it makes the new one.
        run(
            [getattr(sys, "_base_executable", sys.executable), "-m", "venv", str(VENV)],
            f"python -m venv failed: see above, then {AGAIN}.",
        )
    say("installing the newest versions" if newest else f"installing from {LOCK.name} (a few minutes the first time)")
    pip = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    limits = ["--upgrade", "--upgrade-strategy", "eager"] if newest else ["--constraint", str(LOCK)]
    failure = f"pip failed: see above. Once the cause is gone, {AGAIN}."
    # The build tool comes from the lock too, so nothing is fetched behind the lock's back.
    run([*pip, "--quiet", *limits, "setuptools", "wheel"], failure)
    run([*pip, *limits, "--no-build-isolation", "--editable", f".[{','.join(extras)}]"], failure)
    partial = RECORD.with_suffix(".partial")
    partial.write_text(json.dumps({"digest": wanted, "extras": extras}) + "\n", encoding="utf-8")
    partial.replace(RECORD)
    MARKER.unlink()
    say(f"the environment stands in .venv ({time.perf_counter() - started:.0f} s)")


def main() -> None:
    parser = argparse.ArgumentParser(description="Make .venv and install what the system lacks.")
    parser.add_argument("kind", choices=sorted(EXTRAS))
    parser.add_argument("--newest", action="store_true", help="leave the lock aside")
    arguments = parser.parse_args()
    install_packages(arguments.kind)
    make_environment(arguments.kind, arguments.newest)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        stop("interrupted: run the same command again, it goes on from here.")
