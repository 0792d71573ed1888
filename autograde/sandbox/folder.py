"""The generated folder that is seen inside as /sandbox: copies of what may be seen of ours, and what stands in /etc."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Collection, Sequence
from importlib.util import find_spec
from pathlib import Path

from autograde.sandbox.fonts import font_cache
from autograde.sandbox.limits import UNPRIVILEGED

_INSIDE = Path(__file__).with_name("inside")
_PACKAGE = Path(__file__).with_name("as_course.py")
# Of `course`, what is not inside: what a check looks at and compares with, right forms that learners' tests are tried
# on, hints, the keys of questions, and how a learner is shown things, figures among them. Grades rest on what is
# absent. `fixtures` are models known to everybody, of which `lay` adds an assignment's: a later chapter's may be the
# answer.
FIXTURES = "fixtures/[!_]*.py"
ABSENT = (
    FIXTURES,
    "chapters/*.toml",
    "checks",
    "figures",
    *(f"learner/{name}.py" for name in ("check", "hints", "card", "place", "waiting")),
)


def fill(inside: Path) -> None:
    """What the cells of any submission may see: copies of `course` and of what runs the cells."""
    shutil.copytree(_course(), inside / "course", ignore=_left_out)
    shutil.copy(_PACKAGE, inside / "course" / "__init__.py")
    (inside / "solutions").mkdir()
    (inside / "solutions" / "__init__.py").write_text('"""References of earlier chapters."""\n', "utf-8")
    shutil.copytree(_INSIDE, inside / "inside", ignore=shutil.ignore_patterns("__pycache__"))
    try:
        shutil.copytree(font_cache(), inside / "fonts")
    except (OSError, RuntimeError, subprocess.SubprocessError):  # no cache here: the warm process makes its own list
        (inside / "fonts").mkdir(exist_ok=True)


def present() -> list[Path]:
    """The files of `course` that are inside whatever the assignment: any answer may import any of them."""
    files: list[Path] = []
    for place, folders, names in os.walk(_course()):
        left_out = _left_out(place, [*folders, *names])
        folders[:] = sorted(set(folders) - left_out)
        files += [Path(place, name) for name in sorted(set(names) - left_out)]
    return files


def _left_out(place: str, names: list[str]) -> set[str]:
    """Of these names in a folder of `course`, those that are not inside."""
    absent = {path for pattern in ABSENT for path in _course().glob(pattern)}
    hidden = {name for name in names if name.startswith(".") or name == "__pycache__"}
    return hidden | {name for name in names if Path(place, name) in absent}


def lay(inside: Path, solutions: Sequence[Path], fixtures: Collection[str] | None = None) -> None:
    """Copies of these solutions, and of the fixtures of these chapters (all, where none are named), beside it, and of
    no others, which may be done while the warm process is at its imports."""
    wanted = sorted(_course().glob(FIXTURES))
    wanted = [path for path in wanted if fixtures is None or path.stem in fixtures]
    for place, files in ((inside / "solutions", solutions), (inside / "course" / "fixtures", wanted)):
        for path in {*place.iterdir()} - {place / "__init__.py"}:
            path.unlink()
        for path in files:
            shutil.copy(path, place / path.name)
            (place / path.name).chmod(0o644)


def _course() -> Path:
    """Where the package `course` lies, without importing it, and PyTorch with it."""
    spec = find_spec("course")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent


def complete(inside: Path) -> None:
    """What any program needs of /etc; and all of it readable by anybody, whatever the umask here."""
    (inside / "etc").mkdir()
    (inside / "etc" / "passwd").write_text(f"learner:x:{UNPRIVILEGED}:{UNPRIVILEGED}::/scratch:/nonexistent\n")
    (inside / "etc" / "group").write_text(f"learner:x:{UNPRIVILEGED}:\n")
    if Path("/etc/ld.so.cache").exists():
        shutil.copy("/etc/ld.so.cache", inside / "etc")
    for path in (inside, *inside.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
