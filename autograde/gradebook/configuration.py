"""nbgrader's configuration of a class: what `autograde release` writes, what it sets, and how it is read."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import CheckCellMetadata, ClearHiddenTests, ComputeChecksums, LockCells, SaveCells
from sqlalchemy import URL, make_url
from traitlets.config import Config, JSONFileConfigLoader, PyFileConfigLoader

from autograde import files, layout
from autograde.files import write_atomically
from autograde.folders import ClassFolder
from autograde.gradebook import by_nbgrader, exchange

# What a release keeps byte for byte: without nbgrader's IncludeHeaderFooter, InstantiateTests, ClearSolutions (it would
# replace a stub by a bare `raise`), ClearMarkScheme and ClearOutput (the stored figures are part of the text).
RELEASE_PREPROCESSORS = [
    LockCells, CheckCellMetadata, ComputeChecksums, SaveCells, ClearHiddenTests, ComputeChecksums, CheckCellMetadata,
]  # fmt: skip

CONFIGURATION = '''\
"""nbgrader's configuration for this class. Written once by `autograde release`; yours to edit from then on.

To keep the gradebook in PostgreSQL, put its URL in `c.CourseDirectory.db_url` below:
"postgresql+psycopg://user:password@host/database". What late work costs (nothing, unless you say so here):
`c.LatePolicy.penalty_method = "share"` with `c.LatePolicy.share_a_day = 0.1`, or "zero";
`c.LatePolicy.grace = "15 min"`; `c.LatePolicy.zone = "Europe/Berlin"`; `c.LatePolicy.attempts = "best"`; or a plugin of
your own (`c.AssignLatePenalties.plugin_class`).
`nbgrader autograde` and formgrader's autograde button do what `autograde grade` does: submissions run in the sandbox.
Give nbgrader's commands in this folder: it reads this file only there. Who may read the class: `autograde access`.
"""

from pathlib import Path
from typing import Any

from autograde.gradebook import configure

c = get_config()  # noqa: F821
configure(c, Path(__file__).resolve().parent)
'''


# Digests of every text that a release has written into a class's file, today's among them: one that nobody has edited.
WRITTEN = (
    "914436e3a2ec412c", "32eb5e5b4977531a", "ff1d745cdab0b341", "82ee8231427ff41b", "783b8b8b4cfe2c46",
    "33a605402633c9de",
)  # fmt: skip


def configure(c: Config, root: Path) -> None:
    """What every class sets for nbgrader: folder, gradebook, our release, grading, feedback and export in its commands,
    and who may read what it writes. Sets the umask of the process for that: `read` puts it back."""
    os.umask(files.umask_of(root))
    c.CourseDirectory.groupshared = files.shared(root)
    c.BaseConverter.permissions = int(f"{files.file_mode(root):o}")  # nbgrader reads its digits as octal ones
    by_nbgrader.configure(c)
    exchange.configure(c)
    c.CourseDirectory.root = str(root)
    c.CourseDirectory.submitted_directory = ClassFolder(root).submitted.name
    c.CourseDirectory.course_id = "default_course"  # as nbgrader's preprocessors say; PostgreSQL wants one that exists
    c.CourseDirectory.db_url = in_file(root / "gradebook.db")
    c.GenerateAssignment.preprocessors = RELEASE_PREPROCESSORS
    c.GenerateFeedback.preprocessors = ["autograde.reports.feedback.Grades", "autograde.reports.feedback.Page"]
    # by name: the reports stand above this package and import it
    c.GenerateFeedback.exporter_class = "autograde.reports.feedback.PageExporter"
    c.AssignLatePenalties.plugin_class = "autograde.gradebook.policy.LatePolicy"
    c.ExportApp.plugin_class = "autograde.reports.export.GradesCsv"


_NOT_HERE = """\
Submissions lie in submissions/, beside this file. It is here so that no folder of its name can be: nbgrader looks for
submissions in such a folder where it cannot read this class's configuration, and would run them without the sandbox.
"""


def write(folder: ClassFolder, *, anew: bool = False) -> None:
    """Gives the class its nbgrader_config.py, unless it has one: an instructor's edits stay, except `anew`; and takes
    the place in which nbgrader's defaults look for submissions."""
    if not layout.there(folder):
        layout.write(folder)
    if not os.path.lexists(folder.unprotected):
        write_atomically(folder.unprotected, _NOT_HERE)
    if anew or not folder.config.exists():
        write_atomically(folder.config, CONFIGURATION)


def outdated(folder: ClassFolder) -> bool:
    """Whether the class's nbgrader_config.py is as an earlier release wrote it: nobody's edits are lost with it."""
    try:
        text = folder.config.read_bytes()
    except OSError:
        return False
    return text != CONFIGURATION.encode() and hashlib.sha256(text).hexdigest()[:16] in WRITTEN


def in_file(path: Path) -> str:
    """The URL of a gradebook in SQLite's file: as people write it, unless what is in the path would be read otherwise
    there ("100%25", "really?")."""
    url = f"sqlite:///{path}"
    return url if make_url(url).database == str(path) else URL.create("sqlite", database=str(path)).render_as_string()


def database(folder: ClassFolder) -> str:
    """The URL of the class's gradebook. Raises ValueError where its own configuration does not run through; one that is
    missing, or as an earlier release wrote it, names the file that today's does."""
    if outdated(folder) or not folder.config.exists():
        return in_file(folder.root / "gradebook.db")
    return str(CourseDirectory(config=read(folder)).db_url)


def read(folder: ClassFolder) -> Config:
    """The class's own nbgrader_config.py as nbgrader would read it. Raises ValueError where there is none, or where it
    does not run through: nbgrader then goes on without it, and finds no submissions."""
    if not folder.config.exists():
        raise ValueError(f"{folder.config} is missing: run `autograde release`, which writes it")
    # nbgrader starts `alembic` by name when it makes a gradebook: it must find an environment that was not activated
    programs = str(Path(sys.executable).parent)
    if programs not in os.environ.get("PATH", "").split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join([programs, os.environ.get("PATH", "")])
    with files.private(folder.root):  # which also puts back what `configure` sets
        try:
            config = PyFileConfigLoader(folder.config.name, path=str(folder.root)).load_config()
            beside = folder.config.with_suffix(".json")  # which nbgrader reads too, and last
            if beside.exists():
                config.merge(JSONFileConfigLoader(beside.name, path=str(folder.root)).load_config())
            return config
        except Exception as error:  # the instructor's own lines: whatever they raise
            raise ValueError(
                f"{folder.config} stops with {type(error).__name__}: {error}. Mend it: nbgrader's own commands leave "
                "such a file out, and then find neither the submissions nor the sandbox"
            ) from error
