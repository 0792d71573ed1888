"""The generated folder that is seen inside as /sandbox: copies of what may be seen of ours, and what stands in /etc."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import course
from autograde.sandbox.fonts import font_cache
from autograde.sandbox.limits import UNPRIVILEGED

_INSIDE = Path(__file__).with_name("inside.py")


def fill(inside: Path, solutions: Sequence[Path]) -> None:
    """What the cells of a submission may see: copies of `course`, of these solutions, and of what runs the cells."""
    skip = shutil.ignore_patterns("__pycache__", ".*")
    shutil.copytree(Path(str(course.__file__)).parent, inside / "course", ignore=skip)
    (inside / "solutions").mkdir()
    (inside / "solutions" / "__init__.py").write_text('"""References of earlier chapters."""\n', "utf-8")
    for path in solutions:
        shutil.copy(path, inside / "solutions" / path.name)
    shutil.copy(_INSIDE, inside / "inside.py")
    try:
        shutil.copytree(font_cache(), inside / "fonts")
    except (OSError, RuntimeError, subprocess.SubprocessError):  # no cache here: the warm process makes its own list
        (inside / "fonts").mkdir(exist_ok=True)


def complete(inside: Path) -> None:
    """What any program needs of /etc; and all of it readable by anybody, whatever the umask here."""
    (inside / "etc").mkdir()
    (inside / "etc" / "passwd").write_text(f"learner:x:{UNPRIVILEGED}:{UNPRIVILEGED}::/scratch:/nonexistent\n")
    (inside / "etc" / "group").write_text(f"learner:x:{UNPRIVILEGED}:\n")
    if Path("/etc/ld.so.cache").exists():
        shutil.copy("/etc/ld.so.cache", inside / "etc")
    for path in (inside, *inside.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
