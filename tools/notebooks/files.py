"""The notebooks' files: which there are, read, and written in nbgrader's bytes."""

from pathlib import Path

import nbformat
from nbformat import NotebookNode

from course.exercises import meant
from course.files import replace

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"


def paths(names: list[str] | None = None, folder: Path = NOTEBOOKS, kind: str = ".ipynb") -> list[Path]:
    """The notebooks meant by numbers, stems or paths, or the texts of them in another folder; all of them for none.

    Raises SystemExit naming what there is.
    """
    there = sorted(folder.glob(f"[0-9][0-9]-*{kind}"))
    if not names:
        return there
    chosen = []
    for name in names:
        named = meant(Path(name).stem, [path.stem for path in there])
        matches = [path for path in there if path.stem in named]
        if not matches:
            those = ", ".join(path.stem for path in there) or "none"
            raise SystemExit(f"no notebook {name!r} in {folder.relative_to(ROOT)}/; there are {those}")
        chosen += matches
    return chosen


def chapter(path: Path) -> str:
    """The chapter's module name: `02-bahdanau` belongs to `bahdanau`."""
    return path.stem.split("-", 1)[1].replace("-", "_")


def read(path: Path) -> NotebookNode:
    """A notebook, in format 4.5 or newer."""
    return nbformat.read(path, as_version=4)


def write(notebook: NotebookNode, path: Path) -> None:
    """Write a notebook whole or not at all, in the bytes that nbgrader would write."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace(path, nbformat.writes(notebook) + "\n")
