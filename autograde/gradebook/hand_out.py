"""What students are given of an assignment: an archive, a folder, and links that open it on a hub or in Colab.

An assignment is one folder: the notebook, a wheel of `course` alone, a page on how to begin, and `solutions/` with what
an instructor's policy brings along (`earlier`): nothing else of this repository.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode

from autograde.files import write_atomically
from autograde.gradebook import earlier
from autograde.wheel import NAME, wheel, zipped
from course.handed_out import CPU_BUILDS, handed_out, installing

BEGIN = "BEGIN.txt"
_BEGIN = """{name}: how to begin

Keep the folders of all assignments side by side: what you write in one is used in the next.

With JupyterLab at hand (or a hub that your class uses), open {name}.ipynb in this folder. Its first cell installs the
package that lies beside it.

With nothing but Python 3.11 or newer, once for all assignments, in a terminal in the folder that holds this one:

    Linux:   python3 -m venv .venv
             .venv/bin/python -m pip install --extra-index-url {index} jupyterlab {path}
             .venv/bin/jupyter lab
    macOS:   python3 -m venv .venv
             .venv/bin/python -m pip install jupyterlab {path}
             .venv/bin/jupyter lab
    Windows: py -m venv .venv
             .venv\\Scripts\\python -m pip install jupyterlab {path}
             .venv\\Scripts\\jupyter lab

Hand in {name}.ipynb, under this name.
"""
_ADDRESS = re.compile(r"https://[\w.-]+/[\w./~-]+?(?:\.git)?/?")
_ON_GITHUB = re.compile(r"https://github\.com/([\w.-]+)/([\w.-]+)")


@dataclass(frozen=True)
class Repository:
    """Where the folder will be published: the address of a Git repository, as `https://github.com/OWNER/NAME`."""

    address: str
    branch: str = "main"

    @classmethod
    def at(cls, said: str, branch: str) -> Repository:
        """Raises ValueError for what is no address of a repository."""
        if not _ADDRESS.fullmatch(said):
            raise ValueError(f"{said!r} is no address of a repository: write it as https://github.com/OWNER/NAME")
        return cls(said.rstrip("/").removesuffix(".git"), branch)

    def raw(self, path: str) -> str:
        """The address of a file's bytes; "" where only a hub can open the repository."""
        match = _ON_GITHUB.fullmatch(self.address)
        return f"https://raw.githubusercontent.com/{match[1]}/{match[2]}/{quote(self.branch)}/{path}" if match else ""

    def links(self, name: str, hub: str = "") -> dict[str, str]:
        """ "Colab" and "nbgitpuller" -> the address that opens an assignment there, as far as there is one."""
        path, links = f"{name}/{name}.ipynb", {}
        if hub:
            beside = f"lab/tree/{self.address.rpartition('/')[2]}/{path}"
            asked = urlencode({"repo": self.address, "branch": self.branch, "urlpath": beside})
            links["nbgitpuller"] = f"{hub.rstrip('/')}/hub/user-redirect/git-pull?{asked}"
        if match := _ON_GITHUB.fullmatch(self.address):
            links["Colab"] = (
                f"https://colab.research.google.com/github/{match[1]}/{match[2]}/blob/{quote(self.branch)}/{path}"
            )
        return links


@dataclass(frozen=True)
class HandedOut:
    """An assignment as students get it: its files by path, and which earlier exercises' answers are among them."""

    name: str
    files: dict[str, bytes]
    answers: list[str]

    def archive(self) -> bytes:
        return zipped({f"{self.name}/{path}": content for path, content in self.files.items()})


def module(assignment: str) -> str:
    """The chapter's module name: 02-bahdanau -> bahdanau, 00-warm-up -> warm_up."""
    return assignment.partition("-")[2].replace("-", "_")


def hand_out(
    notebook: Path,
    due: Collection[str],
    policy: str,
    built: tuple[str, bytes],
    repository: Repository | None = None,
) -> HandedOut:
    """An assignment as it is handed out. `due` names assignments whose solutions may be known; `policy` says what else
    comes along of earlier ones (`earlier.POLICIES`); `plain` is the wheel, made once. With a repository, the notebook
    also runs where it lies alone, as in Colab: its first cell installs a wheel from there that has the references too.

    Raises RuntimeError where the policy leaves out what the notebook takes.
    """
    name, content = notebook.stem, handed_out(notebook.read_bytes())
    chapters = [module(other) for other in due]
    try:
        brought = earlier.modules(content, chapters, policy)
    except RuntimeError as error:
        raise RuntimeError(f"{name} was not released: {error}") from None
    solutions = {f"solutions/{file}": text.encode() for file, text in sorted(brought.items())}
    package, packed = wheel(beside=solutions) if repository and solutions else built
    if repository and (address := repository.raw(f"{name}/{package}")):
        content = installing(content, address)
    begin = _BEGIN.format(name=name, index=CPU_BUILDS, path=f"{name}/{package}").encode()
    files = {f"{name}.ipynb": content, package: packed, BEGIN: begin, **solutions}
    return HandedOut(name, files, earlier.answers(brought, chapters))


def put(folder: Path, assignments: Sequence[HandedOut]) -> list[tuple[str, bool]]:
    """Writes assignments as folders into a folder, which may hold other things: (assignment, whether anything changed).
    Of an assignment's folder, `solutions/` and older wheels that do not come along any more are taken away."""
    done = []
    for assignment in assignments:
        root, changed = folder / assignment.name, False
        wanted = {root / path: content for path, content in assignment.files.items()}
        ours = [*root.glob("solutions/*.py"), *root.glob(f"{NAME}-*.whl")]
        for stale in [path for path in ours if path not in wanted]:
            stale.unlink()
            changed = True
        for path, content in wanted.items():
            if not path.exists() or path.read_bytes() != content:
                write_atomically(path, content)
                changed = True
        done.append((assignment.name, changed))
    return done
