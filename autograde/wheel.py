"""A wheel of what a notebook imports, for where the course is not installed: beside a released one, or on the site.

Put together here rather than by a build tool, because the project's own distribution also holds the grader, and a
release must need no network.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
import tomllib
import zipfile
from collections.abc import Collection, Mapping
from pathlib import Path
from types import MappingProxyType

ROOT = Path(__file__).resolve().parent.parent
NAME = "attention_from_scratch_course"
_EPOCH = (2020, 1, 1, 0, 0, 0)  # one date in every archive: the same content gives the same bytes


def wheel(
    site: str = "", solutions: bool = False, beside: Mapping[str, bytes] = MappingProxyType({})
) -> tuple[str, bytes]:
    """(file name, content) of a wheel of the `course` package, the same bytes for the same sources.

    site: the address of a published book, to whose solution pages checks then link. solutions: the references too, as
    that book shows them, so that somebody who opens one chapter can go on without the others. beside: other files by
    their paths, such as the references that come along with one assignment. An archive's wheel has none of these.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    version = project["version"]
    packages = ["course", "solutions"] if solutions else ["course"]
    files = {
        path.relative_to(ROOT).as_posix(): path.read_bytes()
        for package in packages
        for path in sorted((ROOT / package).rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith(".")
    }
    files |= beside
    if site:
        files["course/site.txt"] = f"{site}\n".encode()  # `course.learner.session` links to its solution pages
    for path in sorted((ROOT / "benchmarks" / "results").glob("*.json")):  # what the notebooks draw their runs over
        files[f"course/results/{path.name}"] = path.read_bytes()
    info = f"{NAME}-{version}.dist-info"
    # Names without versions: where the wheel is wanted, as in Colab, torch is there already and is to stay as it is.
    needs = "".join(f"Requires-Dist: {need}\n" for need in _needs(project["dependencies"]))
    python = f"Requires-Python: {project['requires-python']}\n"
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: {NAME.replace('_', '-')}\nVersion: {version}\n{python}{needs}".encode()
    )
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: autograde\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    digest = {
        path: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        for path, data in files.items()
    }
    rows = [f"{path},sha256={digest[path]},{len(data)}" for path, data in files.items()] + [f"{info}/RECORD,,"]
    files[f"{info}/RECORD"] = ("\n".join(rows) + "\n").encode()
    return f"{NAME}-{version}-py3-none-any.whl", zipped(files)


def _needs(dependencies: list[str]) -> list[str]:
    """What the wheel asks for: the learner's packages by name alone, so that none that is there is replaced.

    The notebook installs the wheel inside a running kernel, as in Colab: another version of what the kernel has
    imported already, or of the kernel itself, would end the session.
    """
    names = [re.split(r"[^\w.-]", need, maxsplit=1)[0].lower() for need in dependencies]
    return [name for name in names if name not in ("ipython", "ipykernel")]


def zipped(files: Mapping[str, bytes], runs: Collection[str] = ()) -> bytes:
    """A zip archive of these files by their paths, the same bytes for the same files; those that `runs` names can be
    run."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, _EPOCH)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, (0o755 if path in runs else 0o644) << 16
            archive.writestr(entry, data)
    return buffer.getvalue()
