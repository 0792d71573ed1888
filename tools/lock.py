"""Makes requirements.txt, the lock of everything, from pyproject.toml: one file for Linux, macOS and Windows, Python
3.11 to 3.14.

    python -m tools.lock              # keeps the versions already locked where pyproject.toml still allows them
    python -m tools.lock --upgrade    # takes the newest

No hashes and no addresses stand in it, so a wheel of torch from anywhere that pip is configured to look (a build
without CUDA, a mirror) fits it as well. torch names the exact CUDA packages it needs and pip fetches those with it:
they are left out here.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from course.files import replace
from tools.setup import LEFT_TO_TORCH

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements.txt"
HEADER = """\
# The lock: exact versions of everything, for every system and Python 3.11 to 3.14. Made by `make lock`; do not edit.
# What is asked for, and why, stands in pyproject.toml. torch's own CUDA packages are left to pip.
"""


def compile_lock(upgrade: bool) -> str:
    """The text of the lock, as uv resolves pyproject.toml and all its extras."""
    uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    if not uv:
        raise SystemExit("uv is missing: run `make test` once, or install uv, then `make lock` again.")
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, LOCK.name)
        if LOCK.exists() and not upgrade:
            shutil.copyfile(LOCK, output)  # uv prefers the versions that it finds in its output file
        command = [
            uv,
            "pip",
            "compile",
            "--quiet",
            "--universal",
            "--python-version",
            "3.11",
            "--all-extras",
            "--no-header",
            "--no-annotate",
            "--output-file",
            str(output),
            "pyproject.toml",
            "-",
        ]
        # The build tools come in by "-": no extra names them.
        done = subprocess.run(command, cwd=ROOT, input="setuptools\nwheel\n", capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"uv found no set of versions that fits pyproject.toml:\n{done.stderr}")
        resolved = output.read_text(encoding="utf-8").splitlines()
    lines = [line for line in resolved if line and not LEFT_TO_TORCH.match(line)]
    return HEADER + "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Make requirements.txt from pyproject.toml.")
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions")
    text = compile_lock(parser.parse_args().upgrade)
    changed = not LOCK.exists() or LOCK.read_text(encoding="utf-8") != text
    replace(LOCK, text)
    print(f"{LOCK.name}: {'changed' if changed else 'unchanged'}, {text.count('==')} pins")


if __name__ == "__main__":
    main()
