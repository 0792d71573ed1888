"""`make lab`: copies the notebooks into `work/`, marks the copies trusted and opens JupyterLab there.

    python -m tools.lab                       # words after it go to JupyterLab: --no-browser --port 9000
    python -m tools.lab --help                # this text
    python -m tools.lab --copy                # copy and trust only
    python -m tools.lab --formgrader class    # `make formgrader`: nbgrader's page on a class's gradebook instead

A learner's file is never written over. `work/.released.json` remembers the digest of each file as it was given out: a
copy still equal to that is replaced by a newer release; a copy that the learner changed stays, and the newer one is
put beside it.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

from course import files
from course.handed_out import handed_out

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"
WORK = ROOT / "work"
BOOK = ROOT / "_build" / "html"  # where `make book` puts it
# Off: the question about news (it asks the network) and nbgrader's lists and menus for instructors. On: its Validate
# button.
SETTINGS = ROOT / "tools" / "lab_settings"


def digest(content: bytes) -> str:
    """SHA-256 of a file's bytes."""
    return hashlib.sha256(content).hexdigest()


def given_out(source: Path) -> bytes:
    """What a learner gets of a file of the course: all of it, but a notebook as it is handed out."""
    content = source.read_bytes()
    return handed_out(content, installed=True) if source.suffix == ".ipynb" else content


def put(target: Path, content: bytes) -> None:
    """Writes by way of a temporary name, so that no half-written file is ever found under the real one."""
    target.parent.mkdir(parents=True, exist_ok=True)
    files.replace(target, content)


def update_work(notebooks: Path, work: Path) -> tuple[list[Path], list[str]]:
    """Brings `work` up to date with `notebooks` without touching what the learner changed.

    Returns the copies that are as released (they may be trusted) and a line for each thing a learner should know.
    """
    work.mkdir(exist_ok=True)
    record_file = work / ".released.json"
    try:
        given = json.loads(record_file.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        given = {}  # a damaged record only means that every copy counts as the learner's own

    as_released, lines = [], []
    sources = sorted(path for path in notebooks.rglob("*") if path.is_file())
    for source in sources:
        name = source.relative_to(notebooks)
        if any(part.startswith(".") or part == "__pycache__" for part in name.parts):
            continue
        target, content = work / name, given_out(source)
        released = digest(content)
        if not target.exists():
            put(target, content)
            lines.append(f"work/{name}: new")
        elif (current := digest(target.read_bytes())) == released:
            pass
        elif current == given.get(name.as_posix()):  # untouched since it was given out
            put(target, content)
            lines.append(f"work/{name}: brought up to date (you had not changed it)")
        elif given.get(name.as_posix()) == released:
            continue  # the learner's own work on this very release: leave it, nothing to say
        else:
            beside = target.with_name(f"{target.stem}.new-{released[:8]}{target.suffix}")
            if not beside.exists():
                put(beside, content)
                as_released.append(beside)
            lines.append(f"work/{name}: kept as you changed it; the course's newer one is beside it, {beside.name}")
            continue
        given[name.as_posix()] = released
        as_released.append(target)

    files.replace(record_file, json.dumps(given, indent=1, sort_keys=True) + "\n")
    return as_released, lines


def trust(paths: list[Path]) -> None:
    """Signs the notebooks, as `jupyter trust` does: JupyterLab hides stored SVG and HTML in those that nobody signed.

    Only files equal to what the course gives out are signed; running the cells is what signs a learner's own.
    """
    import nbformat
    from nbformat.sign import NotebookNotary

    notary = NotebookNotary()
    for path in paths:
        if path.suffix == ".ipynb":
            notebook = nbformat.read(path, as_version=4)
            if not notary.check_signature(notebook):
                notary.sign(notebook)


def lab_command(folder: Path, words: list[str], settings: Path | None = SETTINGS) -> tuple[list[str], dict[str, str]]:
    """The command that opens JupyterLab in a folder, and its environment: the learner's settings, one thread.

    One thread, because two on a busy machine are often slower; a learner's own setting of OMP_NUM_THREADS is left
    alone.
    """
    environment = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", **os.environ}
    if "COURSE_SITE" not in environment and (BOOK / "index.html").exists():
        environment["COURSE_SITE"] = "/static"  # checks link to the solution pages of the book that was built here
        words = [f"--ServerApp.extra_static_paths={BOOK}", *words]
    bin_folder = str(Path(sys.executable).parent)
    environment["PATH"] = bin_folder + os.pathsep + environment.get("PATH", "")
    paths = [str(settings) if settings else None, environment.get("JUPYTER_CONFIG_PATH")]
    environment["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, paths))
    command = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={folder}"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")  # Jupyter refuses root unless told; in a container there is nobody else
    return [*command, *words], environment


def become(folder: Path, command: list[str], environment: dict[str, str]) -> NoReturn:
    """Goes on as that program, in that folder."""
    os.chdir(folder)
    if os.name == "nt":  # there exec would leave the terminal to two programs at once
        raise SystemExit(subprocess.run(command, env=environment).returncode)
    os.execve(command[0], command, environment)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tools.lab",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,  # JupyterLab's own options are passed on whole
    )
    parser.add_argument("--copy", action="store_true")
    parser.add_argument("--formgrader", nargs="?", const="class", metavar="CLASS")
    options, words = parser.parse_known_args()
    if options.formgrader is not None:
        folder = (ROOT / options.formgrader).resolve()
        if not (folder / "nbgrader_config.py").exists():
            raise SystemExit(f"[lab] {folder} holds no class yet: make course, or autograde release --class {folder}")
        print(f"[lab] nbgrader's formgrader on {folder} (Ctrl-C here closes it)", flush=True)
        become(folder, *lab_command(folder, ["--LabApp.default_url=/formgrader", *words], settings=None))
    as_released, lines = update_work(NOTEBOOKS, WORK)
    for line in lines:
        print(f"[lab] {line}", flush=True)
    trust(as_released)
    if options.copy:
        return
    print(
        "[lab] your copies are in work/, the first is 00-warm-up.ipynb; JupyterLab opens there (Ctrl-C here closes it)"
    )
    become(WORK, *lab_command(WORK, words))


if __name__ == "__main__":
    main()
