"""`nbgrader autograde` and formgrader's button in a class of ours: `autograde grade`, so the sandbox.

nbgrader lets a configuration name the class of its exporter. It makes one when it knows which submissions are meant and
has not touched anything yet: neither copied a file, nor removed an earlier result, nor opened the gradebook. Ours has
the grader at work on those submissions then, and leaves nbgrader nothing to convert. A verdict that is current stays.

Nothing else of nbgrader's runs a submission either: its `Execute`, which `nbgrader validate` and the Validate button
use too, is given a kernel that there is not. All this stands in the class's configuration. Where nbgrader cannot read
that, it leaves it out and goes on with its defaults: its autograde finds no submission then, because none lies where
they look (`folders`). `nbgrader validate` given another folder's file, or options against the configuration, is its
giver's own choice: it runs what it is given, as JupyterLab does.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbgrader.converters import Autograde
from nbgrader.converters.base import NbGraderException
from traitlets.config import Config

ROOT = Path(__file__).resolve().parents[2]

# jupyter_client shows it where it says that there is no such kernel.
NO_KERNEL = "for submissions: they run in the sandbox alone. `autograde check FILE` shows a submission's verdicts"


def configure(c: Config) -> None:
    """Has all of nbgrader's ways to run a submission lead through the sandbox, or refuse."""
    c.Autograde.exporter_class = ThroughTheSandbox
    c.Execute.kernel_name = NO_KERNEL


def holds(c: Config) -> bool:
    """Whether a class's configuration, as it came out, still says what `configure` says."""
    wanted = Config()
    configure(wanted)
    return all(c[section].get(name) == value for section in wanted for name, value in wanted[section].items())


class ThroughTheSandbox(NotebookExporter):
    """Grades what the Autograde that makes it was asked for. Raises NbGraderException, with the grader's own sentence,
    where the grader refused; nothing has changed then."""

    def __init__(self, config: Config | None = None, **more: Any) -> None:
        super().__init__(config=config, **more)
        if not isinstance(self.parent, Autograde):
            raise NbGraderException("this exporter grades and does not export: take nbconvert's own")
        asked, self.parent.assignments = self.parent.assignments, {}
        _grade(self.parent, [Path(folder).parent.name for folder in asked])


def _grade(asked: Autograde, students: list[str]) -> None:
    """`autograde grade` in a process of its own: with the grader as it is on disk now, however long a server has been
    running, and with nothing of a submission's in nbgrader's process."""
    directory = asked.coursedir
    excluded = set(filter(None, directory.student_id_exclude.split(",")))
    command = [sys.executable, "-m", "autograde", "grade", directory.assignment_id, "--class", directory.root]
    if directory.student_id != "*" or excluded:
        command += [f"--student={student}" for student in students if student not in excluded]
        if not set(students) - excluded:
            return
    environment = {**os.environ, "NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "120"}
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, text=True, errors="replace", bufsize=1,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ) as grader:  # fmt: skip
        assert grader.stdout is not None
        said = []
        for line in grader.stdout:
            said.append(line.rstrip())
            asked.log.info("%s", said[-1])
    if grader.returncode:
        begins = [number for number, line in enumerate(said) if line.startswith("autograde: ")]
        why = " ".join(filter(None, said[begins[-1] if begins else -1 :])) or "`autograde grade` says why"
        asked.log.error("%s", why)
        raise NbGraderException(why)
