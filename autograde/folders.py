"""Where everything of one class stands on disk.

The layout is nbgrader's own, `{step}/{student}/{assignment}`, so its commands and its formgrader work in the same
folder; `staged`, `ledger` and `archives` are ours. Change a folder's name here and nowhere else: nbgrader learns
`submissions` and `staged` through the class's configuration. Where that cannot be read, nbgrader goes on with its own
defaults, and would run whatever lies in its `submitted` on this machine. So in a class nothing lies there: `submitted`
is a file, beside which no folder of that name can be.
"""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from pathlib import Path

from autograde.text import in_one_line


def resolved(path: Path) -> Path:
    """Where a path leads. Raises OSError for links that lead in a circle."""
    try:
        return path.resolve()
    except RuntimeError:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path)) from None


@dataclass(frozen=True)
class ClassFolder:
    """Paths below a class's root. Nothing here touches the disk except what lists it: `submissions`, `students`,
    `unrecognized` and `assignments`."""

    root: Path

    @classmethod
    def at(cls, root: str | os.PathLike) -> ClassFolder:
        return cls(resolved(Path(root)))

    @property
    def source(self) -> Path:
        return self.root / "source"

    @property
    def release(self) -> Path:
        return self.root / "release"

    @property
    def archives(self) -> Path:
        return self.root / "archives"

    @property
    def submitted(self) -> Path:
        return self.root / "submissions"

    @property
    def unprotected(self) -> Path:
        """nbgrader's own name for the folder of submissions: there must be nothing in it."""
        return self.root / "submitted"

    @property
    def staged(self) -> Path:
        """Merged notebooks on their way into the gradebook: a queue, empty when a run has ended well."""
        return self.root / "staged"

    @property
    def autograded(self) -> Path:
        return self.root / "autograded"

    @property
    def feedback(self) -> Path:
        return self.root / "feedback"

    @property
    def ledger(self) -> Path:
        return self.root / "ledger"

    def roster(self, assignment: str = "") -> Path:
        """The platform's list of who is who: the class's, or that of one assignment."""
        return self.root / "rosters" / f"{assignment or 'class'}.csv"

    @property
    def extensions(self) -> Path:
        """Who has more time for what: student, assignment, minutes and when that was said (`autograde extend`)."""
        return self.root / "extensions.csv"

    @property
    def exports(self) -> Path:
        """What goes back to the platform: tables of grades and archives of feedback, as it imports them."""
        return self.root / "exports"

    @property
    def earlier(self) -> Path:
        """Submissions that a later one took the place of, {student}/{assignment}/{moment}: kept, and graded where the
        best of several attempts counts."""
        return self.root / "earlier"

    def summary(self, assignment: str) -> Path:
        """The instructor's page on how the assignment went."""
        return self.root / "summary" / f"{assignment}.html"

    def similar(self, assignment: str) -> Path:
        """The instructor's page on answers that are alike."""
        return self.root / "similar" / f"{assignment}.html"

    @property
    def config(self) -> Path:
        return self.root / "nbgrader_config.py"

    @property
    def layout(self) -> Path:
        """By which layout this folder was made: see `autograde.layout`."""
        return self.root / "layout.json"

    @property
    def grades(self) -> Path:
        return self.root / "grades.csv"

    def released(self, assignment: str) -> Path:
        """The assignment's own notebook as students received it."""
        return self.release / assignment / f"{assignment}.ipynb"

    def assignments(self) -> list[str]:
        """Names of the released assignments, in order."""
        return sorted(path.parent.name for path in self.release.glob("*/*.ipynb") if path.stem == path.parent.name)

    def submissions(self, assignment: str) -> list[tuple[str, Path]]:
        """(student, folder) for every submission of the assignment, by name. Hidden folders are nobody's submission."""
        if not self.submitted.is_dir():
            return []
        return [
            (student.name, student / assignment)
            for student in sorted(self.submitted.iterdir())
            if not student.name.startswith(".") and nameable(student.name) and not student.is_symlink()
            if os.path.lexists(student / assignment)
        ]

    def students(self) -> list[str]:
        """Those who have a folder in submissions/."""
        return [path.name for path in _listed(self.submitted) if _is_folder(path) and nameable(path.name)]

    def unrecognized(self) -> list[str]:
        """What lies in submissions/ and is no student's folder with released assignments in it, as paths below it; and
        nbgrader's own folder, if something is in it."""
        released, names = set(self.assignments()), []
        if _listed(self.unprotected):
            names.append("../submitted (which is not read: move what is in it to submissions/)")
        for student in _listed(self.submitted):
            if not _is_folder(student):
                names.append(student.name)
            elif not nameable(student.name):
                names.append(f"{student.name} (a name that the gradebook cannot hold: rename the folder)")
            else:
                names += [f"{student.name}/{path.name}" for path in _listed(student) if path.name not in released]
        readable = [os.fsencode(name).decode("utf-8", "replace") for name in names]
        return [in_one_line(name) for name in readable]


def nameable(student: str) -> bool:
    """Whether a folder's name can be a student's: one line of text in UTF-8 that turns nothing round it, as long as
    every gradebook can hold."""
    return len(student) <= 128 and in_one_line(student) == student


def _is_folder(path: Path) -> bool:
    """Whether it is a folder: a link to one would give somebody another's work."""
    return path.is_dir() and not path.is_symlink()


def _listed(folder: Path) -> list[Path]:
    """What is in a folder, by name, without hidden things; nothing where it cannot be looked into."""
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError:
        return []
